//! Triangle surfaces: the type, its invariants and the ways to move, join and weld it.

use std::collections::HashMap;

use crate::topology::{directed_edges, first_open_edge, first_repeated_edge};
use crate::{DQuat, DVec3, GeometryError};

/// Twice the area of a triangle over the square of its longest edge, below which it counts as degenerate.
/// Rounding of the cross product is about 1e-16; real slivers of scanned meshes are above 1e-9.
const DEGENERATE_RATIO: f64 = 1e-13;

/// A surface of triangles; outward normals by the right-hand rule when it is closed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriMesh {
    /// Positions, m.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The three corners of a triangle, m. `None` when the triangle or one of its vertices does not exist.
    pub fn corners(&self, triangle: usize) -> Option<[DVec3; 3]> {
        let [a, b, c] = *self.triangles.get(triangle)?;
        let at = |v: u32| self.vertices.get(v as usize).copied();
        Some([at(a)?, at(b)?, at(c)?])
    }

    /// Iterates over the corners of all triangles; a triangle that names a missing vertex is left out.
    pub(crate) fn corner_triples(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        (0..self.triangles.len()).filter_map(|t| self.corners(t))
    }

    /// Checks what every surface must hold, open or closed: not empty, indices in range, finite coordinates,
    /// no degenerate triangle, and every directed edge used once (edge-manifold and consistently oriented).
    pub fn check(&self) -> Result<(), GeometryError> {
        self.check_elements()?;
        first_repeated_edge(&directed_edges(&self.triangles)).map_or(Ok(()), Err)
    }

    /// Checks [`TriMesh::check`], that the surface has no border, and that it looks outwards (positive volume).
    pub fn check_closed(&self) -> Result<(), GeometryError> {
        self.check_elements()?;
        let edges = directed_edges(&self.triangles);
        if let Some(error) = first_repeated_edge(&edges).or_else(|| first_open_edge(&edges)) {
            return Err(error);
        }
        let volume = self.signed_volume();
        if volume > 0.0 { Ok(()) } else { Err(GeometryError::InsideOut { volume }) }
    }

    fn check_elements(&self) -> Result<(), GeometryError> {
        if self.vertices.is_empty() || self.triangles.is_empty() {
            return Err(GeometryError::Empty);
        }
        if let Some(index) = self.vertices.iter().position(|v| !v.is_finite()) {
            return Err(GeometryError::NotFinite { index });
        }
        for (index, triangle) in self.triangles.iter().enumerate() {
            let Some([a, b, c]) = self.corners(index) else {
                let count = self.vertices.len();
                let vertex = triangle.iter().map(|&v| v as usize).max().unwrap_or(count);
                let element = "triangle";
                return Err(GeometryError::IndexOutOfRange { element, index, vertex, count });
            };
            let longest = (b - a)
                .length_squared()
                .max((c - b).length_squared())
                .max((a - c).length_squared());
            let doubled_area = (b - a).cross(c - a).length();
            // Written so that a NaN from overflow counts as degenerate.
            let sound = doubled_area > DEGENERATE_RATIO * longest;
            if !sound {
                return Err(GeometryError::DegenerateTriangle { index });
            }
        }
        Ok(())
    }

    /// Turns every triangle over, in place.
    pub fn flip(&mut self) {
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
    }

    /// Adds another surface as a component of its own: no vertex is shared, even where they touch.
    pub fn append(&mut self, other: &TriMesh) {
        let offset = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v.saturating_add(offset))));
    }

    /// The surface moved by `offset`, m.
    pub fn translated(mut self, offset: DVec3) -> Self {
        self.vertices.iter_mut().for_each(|v| *v += offset);
        self
    }

    /// The surface turned about the origin.
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = rotation * *v);
        self
    }

    /// The surface stretched about the origin by a factor per axis; a mirroring turns the triangles over, so that
    /// outward stays outward.
    pub fn scaled(mut self, factors: DVec3) -> Self {
        self.vertices.iter_mut().for_each(|v| *v *= factors);
        if factors.x * factors.y * factors.z < 0.0 {
            self.flip();
        }
        self
    }

    /// Merges vertices that lie within `tolerance` (m) of an earlier one and drops the triangles that collapse.
    /// Returns the welded surface and, for each old vertex, its new index. The vertex with the lowest index stays
    /// where it was, so the result does not depend on anything but the order of the vertices.
    pub fn weld(&self, tolerance: f64) -> (TriMesh, Vec<u32>) {
        let (vertices, new_index) = weld_points(&self.vertices, tolerance);
        let renamed = |v: u32| new_index.get(v as usize).copied().unwrap_or(v);
        let triangles = self.triangles.iter().map(|t| t.map(renamed));
        let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        (TriMesh { vertices, triangles }, new_index)
    }
}

/// Merges points within `tolerance` (m); returns the kept points, in order, and the new index of each old one.
pub(crate) fn weld_points(points: &[DVec3], tolerance: f64) -> (Vec<DVec3>, Vec<u32>) {
    let tolerance = if tolerance > 0.0 { tolerance } else { 0.0 };
    let cell = cell_size(points, tolerance);
    let key = |p: DVec3| (p / cell).floor().to_array().map(|c| c as i64);
    let mut kept: Vec<DVec3> = Vec::new();
    // Only looked up, never iterated: the hash order cannot reach the result.
    let mut grid: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut new_index = Vec::with_capacity(points.len());
    for &point in points {
        let home = key(point);
        let near = neighbourhood(home).filter_map(|k| grid.get(&k)).flatten().copied();
        let found = near.filter(|&k| kept[k as usize].distance(point) <= tolerance).min();
        new_index.push(found.unwrap_or_else(|| {
            let index = kept.len() as u32;
            kept.push(point);
            grid.entry(home).or_default().push(index);
            index
        }));
    }
    (kept, new_index)
}

/// At least the tolerance, so that 27 cells suffice, and not so small that coordinates overflow the cell index.
fn cell_size(points: &[DVec3], tolerance: f64) -> f64 {
    let reach =
        points.iter().filter(|p| p.is_finite()).fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
    tolerance.max(reach * 1e-9).max(f64::MIN_POSITIVE)
}

fn neighbourhood(home: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..27_i64).map(move |k| {
        let step = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
        [0, 1, 2].map(|axis| home[axis].saturating_add(step[axis]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::cuboid;

    fn unit_box() -> TriMesh {
        cuboid(DVec3::ONE, [1, 1, 1]).unwrap()
    }

    #[test]
    fn each_defect_is_named() {
        let sound = unit_box();
        assert_eq!(sound.check_closed(), Ok(()));
        assert_eq!(TriMesh::default().check(), Err(GeometryError::Empty));

        let mut bad = sound.clone();
        bad.triangles[3][1] = 99;
        let expected =
            GeometryError::IndexOutOfRange { element: "triangle", index: 3, vertex: 99, count: 8 };
        assert_eq!(bad.check(), Err(expected));

        let mut bad = sound.clone();
        bad.vertices[5].y = f64::NAN;
        assert_eq!(bad.check(), Err(GeometryError::NotFinite { index: 5 }));

        let mut bad = sound.clone();
        bad.triangles[2][2] = bad.triangles[2][0];
        assert_eq!(bad.check(), Err(GeometryError::DegenerateTriangle { index: 2 }));

        let mut bad = sound.clone();
        bad.triangles[4].swap(0, 1);
        assert!(matches!(bad.check(), Err(GeometryError::NonManifoldEdge { uses: 2, .. })));

        let mut bad = sound.clone();
        bad.triangles.remove(7);
        assert_eq!(bad.check(), Ok(()), "an open surface is still a surface");
        assert!(matches!(bad.check_closed(), Err(GeometryError::OpenEdge { count: 3, .. })));

        let mut bad = sound;
        bad.flip();
        assert_eq!(bad.check_closed(), Err(GeometryError::InsideOut { volume: -1.0 }));
    }

    #[test]
    fn mirroring_keeps_outward() {
        let mirrored = unit_box().scaled(DVec3::new(-2.0, 1.0, 3.0));
        assert_eq!(mirrored.check_closed(), Ok(()));
        assert!((mirrored.signed_volume() - 6.0).abs() < 1e-14);
    }

    #[test]
    fn append_then_weld() {
        let mut pair = unit_box();
        pair.append(&unit_box().translated(DVec3::X * 5.0));
        assert_eq!(pair.check_closed(), Ok(()));
        assert_eq!(pair.weld(1e-9).0, pair, "nothing coincides");

        // A triangle soup, as an STL file gives it, becomes the box again.
        let sound = unit_box();
        let soup = TriMesh {
            vertices: sound.corner_triples().flatten().map(|v| v * (1.0 + 1e-12)).collect(),
            triangles: (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        };
        assert!(soup.check_closed().is_err());
        for tolerance in [0.0, 1e-9] {
            let (welded, new_index) = soup.weld(tolerance);
            assert_eq!((welded.vertices.len(), new_index.len()), (8, 36));
            assert_eq!(welded.check_closed(), Ok(()));
        }
        assert!(soup.weld(10.0).0.triangles.is_empty(), "all collapse into one point");
    }
}
