//! Which points lie inside a closed surface, and where segments cross it.
//!
//! The winding number of a point is the signed count of triangles that a ray upwards from it passes. Orientations are
//! exact and a ray that meets an edge or a corner is moved aside by an infinitesimal amount, the same for all
//! triangles, so that a closed surface gives the right whole number for every point, also with self-intersections.

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::generate::Ellipsoids;
use crate::tree::{Bounds, BoxTree};
use crate::{DVec3, TriMesh};

/// By how much, in parts of its size, a triangle is enlarged for crossings: so that a segment through an edge, common
/// when body and lattice share a symmetry, does not miss both triangles by rounding.
const SLACK: f64 = 1e-9;

/// Something with an inside.
pub(super) trait Inside {
    /// Whether each point is inside.
    fn contains(&self, points: &[DVec3]) -> Vec<bool>;

    /// Where each segment first crosses the surface, from 0 at its start to 1 at its end. Its start must lie inside
    /// and its end outside.
    fn crossings(&self, segments: &[[DVec3; 2]]) -> Vec<f64>;
}

impl Inside for Ellipsoids {
    fn contains(&self, points: &[DVec3]) -> Vec<bool> {
        points.iter().map(|x| self.distance(*x) < 0.0).collect()
    }

    fn crossings(&self, segments: &[[DVec3; 2]]) -> Vec<f64> {
        let within = |x: DVec3| self.distance(x) < 0.0;
        segments.iter().map(|ends| halve(*ends, within)).collect()
    }
}

/// Where a segment leaves what `within` says, by halving.
fn halve([start, end]: [DVec3; 2], within: impl Fn(DVec3) -> bool) -> f64 {
    let (mut inside, mut outside) = (0.0, 1.0);
    while outside - inside > 1e-12 {
        let middle = 0.5 * (inside + outside);
        let here = within(start.lerp(end, middle));
        *(if here { &mut inside } else { &mut outside }) = middle;
    }
    0.5 * (inside + outside)
}

/// A closed surface prepared for queries.
pub(super) struct Solid {
    triangles: Vec<[DVec3; 3]>,
    tree: BoxTree,
    top: f64,
}

impl Solid {
    /// Takes a surface that has passed [`TriMesh::check_closed`].
    pub fn new(surface: &TriMesh) -> Self {
        let triangles: Vec<_> =
            (0..surface.triangles.len()).filter_map(|index| surface.corners(index)).collect();
        let boxes: Vec<Bounds> = triangles.iter().map(|corners| Bounds::of(corners)).collect();
        let top = boxes.iter().map(|bounds| bounds.max.z).fold(f64::NEG_INFINITY, f64::max);
        Self { tree: BoxTree::new(&boxes), triangles, top }
    }

    /// Boxes over the triangles.
    pub fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// Corners of the triangles, m.
    pub fn triangles(&self) -> &[[DVec3; 3]] {
        &self.triangles
    }
}

impl Inside for Solid {
    /// Whether each point has a positive winding number.
    fn contains(&self, points: &[DVec3]) -> Vec<bool> {
        let mut winding = vec![0; points.len()];
        let ray = |point: &DVec3| Bounds { min: *point, max: point.with_z(self.top.max(point.z)) };
        let rays = BoxTree::new(&points.iter().map(ray).collect::<Vec<_>>());
        rays.pairs(&self.tree, 0.0, |point, triangle| {
            let corners = &self.triangles[triangle as usize];
            winding[point as usize] += passes(points[point as usize], corners);
        });
        winding.into_iter().map(|number| number > 0).collect()
    }

    fn crossings(&self, segments: &[[DVec3; 2]]) -> Vec<f64> {
        let mut first = vec![f64::INFINITY; segments.len()];
        let boxes: Vec<Bounds> = segments.iter().map(|ends| Bounds::of(ends)).collect();
        BoxTree::new(&boxes).pairs(&self.tree, 0.0, |segment, triangle| {
            let corners = &self.triangles[triangle as usize];
            if let Some(place) = crossing(segments[segment as usize], corners) {
                let first = &mut first[segment as usize];
                *first = first.min(place);
            }
        });
        // Should rounding lose a crossing all the same, halving cannot fail.
        let places = first.iter().zip(segments);
        let within = |x: DVec3| self.contains(&[x])[0];
        places
            .map(|(&place, ends)| if place <= 1.0 { place } else { halve(*ends, within) })
            .collect()
    }
}

/// 1 if the ray upwards from the point leaves through the triangle, -1 if it enters, 0 if it misses.
fn passes(point: DVec3, corners: &[DVec3; 3]) -> i32 {
    let [a, b, c] = *corners;
    let side = side(a, b, point);
    if side == 0 || self::side(b, c, point) != side || self::side(c, a, point) != side {
        return 0;
    }
    let coordinates = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    let below = orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(point));
    if below * f64::from(side) > 0.0 { side } else { 0 }
}

/// On which side of the line a-b, seen from above, the point lies: 1 left, -1 right, 0 if a and b coincide. A point on
/// the line is moved by (e, e^2) with e infinitesimal.
fn side(a: DVec3, b: DVec3, point: DVec3) -> i32 {
    let coordinates = |p: DVec3| Coord { x: p.x, y: p.y };
    let area = orient2d(coordinates(a), coordinates(b), coordinates(point));
    let keys = [area, a.y - b.y, b.x - a.x];
    let key = keys.into_iter().find(|key| *key != 0.0);
    key.map_or(0, |key| if key > 0.0 { 1 } else { -1 })
}

/// Where the segment crosses the triangle, from 0 to 1.
fn crossing([start, end]: [DVec3; 2], &[a, b, c]: &[DVec3; 3]) -> Option<f64> {
    let (along, ab, ac) = (end - start, b - a, c - a);
    let normal = ab.cross(ac);
    let steepness = along.dot(normal);
    let place = (a - start).dot(normal) / steepness;
    let across = (start - a).cross(along) / steepness;
    let (v, w) = (-across.dot(ac), across.dot(ab));
    // Comparisons with NaN (a segment in the plane) are false.
    let hit = v >= -SLACK && w >= -SLACK && v + w <= 1.0 + SLACK;
    (hit && (-SLACK..=1.0 + SLACK).contains(&place)).then_some(place.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::cuboid;

    fn cube() -> Solid {
        Solid::new(&cuboid(DVec3::splat(2.0), [2, 2, 2]).unwrap())
    }

    /// The surface runs through corners, edges and diagonals of the grid: each point must still be in or out.
    #[test]
    fn points_on_and_between_edges_are_decided() {
        let solid = cube();
        let steps = || (-6..=6).map(|i| f64::from(i) * 0.25);
        for (x, y) in steps().flat_map(|x| steps().map(move |y| (x, y))) {
            let points: Vec<DVec3> = steps().map(|z| DVec3::new(x, y, z)).collect();
            for (point, inside) in points.iter().zip(solid.contains(&points)) {
                let reach = point.abs().max_element();
                assert!(reach == 1.0 || inside == (reach < 1.0), "{point}");
            }
        }
    }

    #[test]
    fn segments_through_an_edge_are_cut_there() {
        let from = DVec3::new(0.1, 0.2, 0.3);
        let ends =
            [DVec3::new(3.9, 0.2, 0.3), DVec3::new(1.9, 2.0, 0.3), DVec3::new(1.9, 2.0, 1.7)];
        let segments = ends.map(|end| [from, end]);
        let expected = [0.9 / 3.8, 0.8 / 1.8, 0.8 / 1.8];
        for ((place, expected), ends) in
            cube().crossings(&segments).iter().zip(expected).zip(segments)
        {
            let point = ends[0].lerp(ends[1], *place);
            assert!((place - expected).abs() < 1e-9, "{place} {expected} {point}");
        }
    }

    #[test]
    fn a_triangle_is_hit_inside_and_missed_beside() {
        let triangle = [DVec3::X, DVec3::Y, DVec3::Z];
        let through =
            |x: f64, y: f64| crossing([DVec3::new(x, y, -1.0), DVec3::new(x, y, 3.0)], &triangle);
        assert_eq!(through(0.25, 0.25), Some(0.375));
        assert_eq!(through(0.5, 0.5), Some(0.25));
        assert_eq!(through(-0.1, 0.5), None);
        assert_eq!(through(0.5, -0.1), None);
        assert_eq!(through(0.6, 0.6), None);
    }
}
