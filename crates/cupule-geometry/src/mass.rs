//! Exact measures: volume, area, centroid and inertia of closed surfaces, volumes of cells, bounds.
//!
//! A closed surface is summed as signed tetrahedra from a common apex (the divergence theorem for a polynomial
//! integrand), so everything is closed form. The apex is the middle of the bounds, not the origin: a body far from
//! the origin loses no digits. Volumes of curved cells use the Gauss rule that is exact for their map.

use crate::volume::{hex_jacobian, tet10_jacobian};
use crate::{DMat3, DVec3, GeometryError, TriMesh, VolumeMesh};

/// Volume and its first two moments, for unit density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume, m3 (times the density: mass, kg).
    pub volume: f64,
    /// Centre of volume, m.
    pub centroid: DVec3,
    /// Inertia tensor about the centroid, m5 (times the density: kg m2).
    pub inertia: DMat3,
}

impl MassProperties {
    /// Inertia tensor about another point (parallel-axis theorem), m5.
    pub fn inertia_about(&self, point: DVec3) -> DMat3 {
        self.inertia + self.volume * inertia_of_moment(outer(self.centroid - point))
    }
}

impl TriMesh {
    /// Signed volume, m3: positive when a closed surface looks outwards. Means nothing for an open surface.
    pub fn signed_volume(&self) -> f64 {
        let apex = middle(self.bounds());
        self.corner_triples().map(|[a, b, c]| (a - apex).cross(b - apex).dot(c - apex)).sum::<f64>()
            / 6.0
    }

    /// Area of all triangles, m2.
    pub fn area(&self) -> f64 {
        self.corner_triples().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
    }

    /// Volume, centroid and inertia of the solid inside, with unit density. The surface must pass
    /// [`TriMesh::check_closed`].
    pub fn mass_properties(&self) -> Result<MassProperties, GeometryError> {
        self.check_closed()?;
        let apex = middle(self.bounds());
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for [a, b, c] in self.corner_triples().map(|t| t.map(|v| v - apex)) {
            // Over the tetrahedron (0, a, b, c) of volume d/6: the mean of x is (a+b+c)/4, and
            // integral x x^T = d/120 (s s^T + a a^T + b b^T + c c^T) with s = a + b + c.
            let d = a.cross(b).dot(c);
            let s = a + b + c;
            volume += d / 6.0;
            first += d / 24.0 * s;
            second += d / 120.0 * (outer(s) + outer(a) + outer(b) + outer(c));
        }
        let mean = first / volume;
        let inertia = inertia_of_moment(second - volume * outer(mean));
        Ok(MassProperties { volume, centroid: apex + mean, inertia })
    }

    /// Lower and upper corner of the axis-aligned bounds, m; `None` without vertices.
    pub fn bounds(&self) -> Option<(DVec3, DVec3)> {
        bounds_of(&self.vertices)
    }
}

impl VolumeMesh {
    /// Volume of one cell, m3 (exact for its linear, trilinear or quadratic map); negative when it is inverted, zero
    /// when the cell or one of its nodes is missing.
    pub fn cell_volume(&self, cell: usize) -> f64 {
        let Some(x) = self.cell_positions(cell) else { return 0.0 };
        match x.len() {
            4 => (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6.0,
            10 => tet10_volume(&x),
            _ => hex_volume(&x),
        }
    }

    /// Volume of all cells, m3.
    pub fn volume(&self) -> f64 {
        (0..self.cell_count()).map(|cell| self.cell_volume(cell)).sum()
    }

    /// Lower and upper corner of the axis-aligned bounds of the nodes, m; `None` without nodes.
    pub fn bounds(&self) -> Option<(DVec3, DVec3)> {
        bounds_of(&self.nodes)
    }
}

/// The determinant is quadratic in each coordinate, so two Gauss points per axis are exact.
fn hex_volume(x: &[DVec3]) -> f64 {
    let gauss = [0.5 - 0.5 / 3.0_f64.sqrt(), 0.5 + 0.5 / 3.0_f64.sqrt()];
    let point = |k: usize| [gauss[k & 1], gauss[k >> 1 & 1], gauss[k >> 2]];
    (0..8).map(|k| hex_jacobian(x, point(k)).determinant()).sum::<f64>() / 8.0
}

/// The determinant is a cubic polynomial: the five-point rule (weights -4/5 and 9/20) is exact.
fn tet10_volume(x: &[DVec3]) -> f64 {
    let centre = -0.8 * tet10_jacobian(x, [0.25; 4]).determinant();
    let around = (0..4).map(|k| {
        let mut w = [1.0 / 6.0; 4];
        w[k] = 0.5;
        0.45 * tet10_jacobian(x, w).determinant()
    });
    (centre + around.sum::<f64>()) / 6.0
}

pub(crate) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Inertia tensor tr(C) 1 - C of a second moment C = integral x x^T.
fn inertia_of_moment(moment: DMat3) -> DMat3 {
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(trace)) - moment
}

fn bounds_of(points: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(lower, upper), &p| (lower.min(p), upper.max(p))))
}

fn middle(bounds: Option<(DVec3, DVec3)>) -> DVec3 {
    bounds.map_or(DVec3::ZERO, |(lower, upper)| 0.5 * (lower + upper))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generate::{cuboid, sphere, tube};
    use crate::{Cells, DQuat};

    fn close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
        (a - b).to_cols_array().iter().all(|d| d.abs() <= tolerance)
    }

    #[test]
    fn box_inertia_is_m_over_12_times_sum_of_squares() {
        let far = DVec3::new(1e3, -2e3, 5e2);
        let solid = cuboid(DVec3::new(1.0, 2.0, 3.0), [1, 2, 3]).unwrap().translated(far);
        let mass = solid.mass_properties().unwrap();
        assert!((mass.volume - 6.0).abs() < 1e-10);
        assert!(mass.centroid.distance(far) < 1e-10);
        let expected =
            DMat3::from_diagonal(DVec3::new(4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0) * 6.0 / 12.0);
        assert!(close(mass.inertia, expected, 1e-9), "{:?}", mass.inertia);
    }

    #[test]
    fn tetrahedron_at_the_origin() {
        // Unit corner tetrahedron: V = 1/6, centroid 1/4, integral x^2 = 1/60, integral xy = 1/120.
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let mass = TriMesh { vertices, triangles }.mass_properties().unwrap();
        assert!((mass.volume - 1.0 / 6.0).abs() < 1e-16);
        assert!(mass.centroid.distance(DVec3::splat(0.25)) < 1e-15);
        let mut expected = DMat3::from_cols_array(&[-1.0 / 120.0; 9]);
        for axis in 0..3 {
            expected.col_mut(axis)[axis] = 2.0 / 60.0;
        }
        assert!(close(mass.inertia_about(DVec3::ZERO), expected, 1e-16));
    }

    #[test]
    fn sphere_inertia_approaches_two_fifths_m_r_squared() {
        let r = 0.03;
        let mass = sphere(r, 24).unwrap().mass_properties().unwrap();
        let expected = 0.4 * mass.volume * r * r;
        assert!(close(
            mass.inertia,
            DMat3::from_diagonal(DVec3::splat(expected)),
            0.005 * expected
        ));
        assert!(mass.centroid.length() < 1e-12);
    }

    #[test]
    fn a_defective_surface_has_no_mass() {
        let mut open = cuboid(DVec3::ONE, [1; 3]).unwrap();
        open.triangles.pop();
        assert!(matches!(open.mass_properties(), Err(GeometryError::OpenEdge { .. })));
    }

    #[test]
    fn a_bent_tet10_has_the_volume_of_its_quadratic_map() {
        // Straight edges: V = 1/6. Moving the middle of edge 23 by d adds d . A / 3 for the area vector A of each of
        // its two faces (an edge function integrates to a third of its face), plus terms of order d^2.
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mut nodes = corners.to_vec();
        nodes.extend(crate::volume::TET_EDGES.map(|[a, b]| 0.5 * (corners[a] + corners[b])));
        let cells = Cells::Tet10(vec![[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
        let mesh = VolumeMesh { nodes, cells };
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
        // Face 123 has A = (1, 1, 1) / 2 and face 032 has A = (-1, 0, 0) / 2.
        let (d, area) = (1e-5, DVec3::new(0.0, 0.5, 0.5));
        for direction in [DVec3::X, DVec3::Y, DVec3::Z] {
            let mut bent = mesh.clone();
            bent.nodes[9] += d * direction;
            let expected = 1.0 / 6.0 + d * direction.dot(area) / 3.0;
            assert!((bent.volume() - expected).abs() < d * d, "{direction}: {}", bent.volume());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// V is invariant, c' = R c + t and I' = R I R^T under a rigid motion; I(p) follows the parallel-axis theorem.
        #[test]
        fn measures_follow_a_rigid_motion(
            axis in prop::array::uniform3(-1.0..1.0_f64),
            angle in -3.0..3.0_f64,
            offset in prop::array::uniform3(-10.0..10.0_f64),
            size in prop::array::uniform3(0.1..2.0_f64),
        ) {
            let axis = DVec3::from(axis).try_normalize().unwrap_or(DVec3::Z);
            let (rotation, offset) = (DQuat::from_axis_angle(axis, angle), DVec3::from(offset));
            let mut solid = cuboid(DVec3::from(size), [2, 1, 3]).unwrap();
            solid.append(&tube(0.1, 0.3, 0.5, 7, 2, 1).unwrap().translated(DVec3::new(3.0, 0.5, -1.0)));
            let still = solid.mass_properties().unwrap();
            let moved = solid.clone().rotated(rotation).translated(offset).mass_properties().unwrap();
            let turn = DMat3::from_quat(rotation);
            prop_assert!((moved.volume - still.volume).abs() < 1e-11);
            prop_assert!(moved.centroid.distance(rotation * still.centroid + offset) < 1e-11);
            prop_assert!(close(moved.inertia, turn * still.inertia * turn.transpose(), 1e-9));

            // Parallel axis against the direct sum over the two parts.
            let (first, second) = (cuboid(DVec3::from(size), [2, 1, 3]).unwrap(), tube(0.1, 0.3, 0.5, 7, 2, 1).unwrap());
            let first = first.mass_properties().unwrap();
            let second = second.translated(DVec3::new(3.0, 0.5, -1.0)).mass_properties().unwrap();
            let sum = first.inertia_about(offset) + second.inertia_about(offset);
            prop_assert!(close(still.inertia_about(offset), sum, 1e-8));
        }
    }
}
