//! Shape functions and quadrature of tet4, tet10 and hex8.

use cupule_geometry::cage::{Filling, lower_root};
use cupule_geometry::{Cells, DMat3, DVec3, VolumeMesh};

/// One quadrature point of an element at rest.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Gradient of every shape function with respect to rest positions, 1/m.
    pub gradients: Vec<DVec3>,
    /// Rest volume that the point stands for, m3.
    pub weight: f64,
    /// Reference coordinates.
    pub at: DVec3,
}

/// The quadrature points of an element with rest nodes `x` (4, 8 or 10 of them).
pub(super) fn samples(x: &[DVec3]) -> Vec<Sample> {
    rule(x.len()).iter().map(|&(at, weight)| sample(x, at, weight)).collect()
}

/// The quadrature points of an element of which only what `filling` says is made of the material.
///
/// The strain of tetrahedra varies little or not at all over a cell: theirs keep their places. Those of a hexahedron are
/// put where they have the volume, the centroid and the second moments of the filling (for a full brick: Gauss's
/// places), so that a bar in a cage of one cell across bends and twists as its own section does, not as the cell's.
pub(super) fn samples_within(x: &[DVec3], filling: &Filling) -> Vec<Sample> {
    if x.len() != 8 || filling.volume == 0.0 {
        let thinned = |p: Sample| Sample { weight: p.weight * filling.share, ..p };
        return samples(x).into_iter().map(thinned).collect();
    }
    let centre = reference_place(x, filling.centroid);
    let to_reference = jacobian(x, &reference_gradients(8, centre)).inverse();
    let second = to_reference * filling.second * to_reference.transpose();
    let spread = lower_root(second * (1.0 / filling.volume));
    let fitted = |corner: &DVec3| Sample {
        weight: filling.volume / 8.0,
        ..sample(x, centre + spread * *corner, 1.0)
    };
    HEX_CORNERS.iter().map(fitted).collect()
}

/// The reference coordinates of a point of a hexahedron, by Newton's method.
fn reference_place(x: &[DVec3], point: DVec3) -> DVec3 {
    let mut at = DVec3::ZERO;
    for _ in 0..8 {
        let value = |c: &DVec3| (1.0 + c.x * at.x) * (1.0 + c.y * at.y) * (1.0 + c.z * at.z) / 8.0;
        let here: DVec3 = HEX_CORNERS.iter().zip(x).map(|(c, x)| *x * value(c)).sum();
        at += jacobian(x, &reference_gradients(8, at)).inverse() * (point - here);
    }
    at
}

/// Gradients and volume at one reference point.
pub(super) fn sample(x: &[DVec3], at: DVec3, weight: f64) -> Sample {
    let reference = reference_gradients(x.len(), at);
    let jacobian = jacobian(x, &reference);
    let to_rest = jacobian.inverse().transpose();
    Sample {
        gradients: reference.iter().map(|g| to_rest * *g).collect(),
        weight: weight * jacobian.determinant(),
        at,
    }
}

/// dx/d(reference) = sum x_i grad N_i^T.
pub(super) fn jacobian(x: &[DVec3], reference_gradients: &[DVec3]) -> DMat3 {
    x.iter()
        .zip(reference_gradients)
        .fold(DMat3::ZERO, |sum, (x, g)| sum + crate::math::outer(*x, *g))
}

/// Quadrature: 1 point for tet4, 4 for tet10 (exact for quadratics), 2 x 2 x 2 Gauss for hex8.
fn rule(nodes: usize) -> Vec<(DVec3, f64)> {
    match nodes {
        4 => vec![(DVec3::splat(0.25), 1.0 / 6.0)],
        10 => {
            let (near, far) = (0.585_410_196_624_968_5, 0.138_196_601_125_010_5);
            let w = 1.0 / 24.0;
            vec![
                (DVec3::splat(far), w),
                (DVec3::new(near, far, far), w),
                (DVec3::new(far, near, far), w),
                (DVec3::new(far, far, near), w),
            ]
        }
        _ => HEX_CORNERS.iter().map(|c| (*c / 3f64.sqrt(), 1.0)).collect(),
    }
}

/// Corners of the reference cube in VTK order.
const HEX_CORNERS: [DVec3; 8] = [
    DVec3::new(-1.0, -1.0, -1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, 1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
];

const TET_GRADIENTS: [DVec3; 4] = [DVec3::NEG_ONE, DVec3::X, DVec3::Y, DVec3::Z];

/// Edges that carry the mid nodes of tet10, in the order of [`Cells::Tet10`].
const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Gradients of the shape functions in reference coordinates.
pub(super) fn reference_gradients(nodes: usize, at: DVec3) -> Vec<DVec3> {
    match nodes {
        4 => TET_GRADIENTS.to_vec(),
        10 => {
            let l = [1.0 - at.x - at.y - at.z, at.x, at.y, at.z];
            let corners = (0..4).map(|i| TET_GRADIENTS[i] * (4.0 * l[i] - 1.0));
            let mids = TET_EDGES
                .iter()
                .map(|&[i, j]| (TET_GRADIENTS[i] * l[j] + TET_GRADIENTS[j] * l[i]) * 4.0);
            corners.chain(mids).collect()
        }
        _ => HEX_CORNERS
            .iter()
            .map(|c| {
                let (a, b, d) = (1.0 + c.x * at.x, 1.0 + c.y * at.y, 1.0 + c.z * at.z);
                DVec3::new(c.x * b * d, c.y * a * d, c.z * a * b) / 8.0
            })
            .collect(),
    }
}

/// Mass of every node for density 1 kg/m3, lumped: each cell's volume goes to its nodes in proportion to the diagonal of
/// its consistent mass (Hinton, Rock and Zienkiewicz), which is positive for tet10 where row sums are not.
pub fn lumped_masses(mesh: &VolumeMesh) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.nodes.len()];
    match &mesh.cells {
        Cells::Tet4(cells) => cells.iter().for_each(|c| lump(&mesh.nodes, c, &mut masses)),
        Cells::Tet10(cells) => cells.iter().for_each(|c| lump(&mesh.nodes, c, &mut masses)),
        Cells::Hex8(cells) => cells.iter().for_each(|c| lump(&mesh.nodes, c, &mut masses)),
    }
    masses
}

fn lump(nodes: &[DVec3], cell: &[u32], masses: &mut [f64]) {
    let x: Vec<DVec3> = cell.iter().map(|&i| nodes[i as usize]).collect();
    let points = samples(&x);
    let volume: f64 = points.iter().map(|p| p.weight).sum();
    // Diagonal of the consistent mass: integrals of N_i^2. For straight tet10: corners 1/420, mid nodes 16/420 of 6 V.
    let diagonal: Vec<f64> = match x.len() {
        4 => vec![1.0; 4],
        10 => (0..10).map(|i| if i < 4 { 6.0 } else { 32.0 }).collect(),
        _ => HEX_CORNERS
            .iter()
            .map(|c| {
                let n2 = |p: &Sample| {
                    let q = p.at;
                    let n = (1.0 + c.x * q.x) * (1.0 + c.y * q.y) * (1.0 + c.z * q.z) / 8.0;
                    n * n * p.weight
                };
                points.iter().map(n2).sum()
            })
            .collect(),
    };
    let total: f64 = diagonal.iter().sum();
    for (&i, d) in cell.iter().zip(diagonal) {
        masses[i as usize] += volume * d / total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_reproduce_a_linear_field_on_distorted_elements() {
        // sum_i u(x_i) grad N_i = A for u(x) = A x, at every quadrature point (first-order completeness).
        let a = DMat3::from_cols_array(&[0.3, -0.1, 0.2, 0.4, 0.1, -0.2, 0.3, 0.2, 0.1]);
        let hex: Vec<DVec3> = HEX_CORNERS
            .iter()
            .map(|c| *c * 0.5 + DVec3::new(0.1 * c.x * c.y, 0.07 * c.z, 0.05 * c.x))
            .collect();
        let tet = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.2, 0.9, 0.1), DVec3::new(0.1, 0.2, 1.3)];
        let tet10: Vec<DVec3> = tet
            .iter()
            .copied()
            .chain(TET_EDGES.iter().map(|&[i, j]| (tet[i] + tet[j]) * 0.5))
            .collect();
        for x in [hex, tet, tet10] {
            for p in samples(&x) {
                let found = x
                    .iter()
                    .zip(&p.gradients)
                    .fold(DMat3::ZERO, |sum, (x, g)| sum + crate::math::outer(a * *x, *g));
                assert!(
                    (found - a).to_cols_array().iter().all(|v| v.abs() < 1e-13),
                    "{} nodes",
                    x.len()
                );
            }
        }
    }

    #[test]
    fn weights_sum_to_the_volume() {
        let tet = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z * 3.0];
        let volume: f64 = samples(&tet).iter().map(|p| p.weight).sum();
        assert!((volume - 0.5).abs() < 1e-15);
        let hex: Vec<DVec3> = HEX_CORNERS.iter().map(|c| *c * DVec3::new(0.5, 1.0, 1.5)).collect();
        let volume: f64 = samples(&hex).iter().map(|p| p.weight).sum();
        assert!((volume - 6.0).abs() < 1e-14);
    }
}
