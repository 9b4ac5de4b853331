//! Quality of cells by their dihedral angles: small ones make stiffness badly conditioned, large ones make gradients
//! wrong.

use crate::{Cells, DVec3, GeometryError, VolumeMesh};

/// The dihedral angles of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// The smallest angle between two faces of a cell, degrees.
    pub min_dihedral: f64,
    /// The largest, degrees.
    pub max_dihedral: f64,
    /// The cell that has the smallest.
    pub worst_cell: usize,
}

/// Measures the dihedral angles of all cells: six of a tetrahedron (with straight edges), and of a hexahedron the 24
/// between the planes spanned by the edges at its corners.
pub fn quality(mesh: &VolumeMesh) -> Result<Quality, GeometryError> {
    mesh.check()?;
    let mut quality = Quality { min_dihedral: 180.0, max_dihedral: 0.0, worst_cell: 0 };
    for cell in 0..mesh.cells.len() {
        for angle in cell_angles(mesh, cell) {
            if angle < quality.min_dihedral {
                quality.min_dihedral = angle;
                quality.worst_cell = cell;
            }
            quality.max_dihedral = quality.max_dihedral.max(angle);
        }
    }
    Ok(quality)
}

/// Edges of a hexahedron at each corner.
const HEX_EDGES: [[usize; 3]; 8] =
    [[1, 3, 4], [0, 2, 5], [1, 3, 6], [0, 2, 7], [0, 5, 7], [1, 4, 6], [2, 5, 7], [3, 4, 6]];

fn cell_angles(mesh: &VolumeMesh, cell: usize) -> Vec<f64> {
    let corners = mesh.cells.corners_of(cell);
    let at = |i: usize| mesh.nodes[corners[i] as usize];
    match mesh.cells {
        Cells::Tet4(_) | Cells::Tet10(_) => tetrahedron_angles([at(0), at(1), at(2), at(3)]).into(),
        Cells::Hex8(_) => {
            let at_corner = |corner: usize| {
                let [a, b, c] = HEX_EDGES[corner].map(|other| at(other) - at(corner));
                [dihedral(a, b, c), dihedral(b, c, a), dihedral(c, a, b)]
            };
            (0..8).flat_map(at_corner).collect()
        }
    }
}

/// The six dihedral angles of a tetrahedron, degrees.
pub(super) fn tetrahedron_angles([a, b, c, d]: [DVec3; 4]) -> [f64; 6] {
    [
        dihedral(b - a, c - a, d - a),
        dihedral(c - a, d - a, b - a),
        dihedral(d - a, b - a, c - a),
        dihedral(c - b, d - b, a - b),
        dihedral(d - b, a - b, c - b),
        dihedral(d - c, a - c, b - c),
    ]
}

/// The angle at `edge` between the half-planes that hold `first` and `second`, degrees.
fn dihedral(edge: DVec3, first: DVec3, second: DVec3) -> f64 {
    let (m, n) = (edge.cross(first), edge.cross(second));
    // The arctangent stays accurate near 0 and 180 degrees, where the arccosine does not.
    m.cross(n).length().atan2(m.dot(n)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regular tetrahedron: arccos(1/3). The corner of a cube: 90 and arccos(1/sqrt 3) degrees.
    #[test]
    fn angles_of_known_tetrahedra() {
        let regular = [[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]];
        let regular = regular.map(|p| DVec3::from_array(p.map(f64::from)));
        let expected = (1.0_f64 / 3.0).acos().to_degrees();
        assert!(tetrahedron_angles(regular).iter().all(|angle| (angle - expected).abs() < 1e-12));
        let nodes = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = VolumeMesh { nodes, cells: Cells::Tet4(vec![[0, 1, 2, 3]]) };
        let found = quality(&mesh).unwrap();
        assert!((found.max_dihedral - 90.0).abs() < 1e-12);
        assert!((found.min_dihedral - (1.0_f64 / 3.0).sqrt().acos().to_degrees()).abs() < 1e-12);
    }

    #[test]
    fn a_sheared_brick_has_the_angle_of_the_shear() {
        let shear = |p: [i32; 3]| {
            let [x, y, z] = p.map(f64::from);
            DVec3::new(x + z, y, z)
        };
        let corners = [
            [0, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [0, 1, 0],
            [0, 0, 1],
            [1, 0, 1],
            [1, 1, 1],
            [0, 1, 1],
        ];
        let mesh = VolumeMesh {
            nodes: corners.map(shear).to_vec(),
            cells: Cells::Hex8(vec![[0, 1, 2, 3, 4, 5, 6, 7]]),
        };
        let found = quality(&mesh).unwrap();
        assert!(
            (found.min_dihedral - 45.0).abs() < 1e-9 && (found.max_dihedral - 135.0).abs() < 1e-9
        );
    }
}
