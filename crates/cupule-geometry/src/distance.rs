//! Closest points between a point and a triangle and between two edges.
//!
//! Both are decided by the region in which the closest point lies (inside, on an edge, at a corner), because contact
//! detection needs the feature and not only the distance. Interiors are solved first; when the solution leaves the
//! primitive, or the primitive has no interior (no area, no length, parallel edges), the answer is the best of its
//! border pieces. So degenerate input needs no special case and no result is ever NaN for finite input.

use crate::DVec3;

/// Sine of the angle between two edges below which they count as parallel: the cross product then is mostly rounding.
const PARALLEL_SINE: f64 = 1e-8;

/// Where on a triangle a closest point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriangleRegion {
    /// At corner 0, 1 or 2.
    Vertex(u8),
    /// Inside the edge from corner i to corner (i + 1) mod 3.
    Edge(u8),
    /// Inside the triangle.
    Face,
}

/// The point of a triangle closest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointTriangle {
    /// The closest point, m.
    pub point: DVec3,
    /// Its barycentric weights: each in [0, 1], sum 1.
    pub weights: [f64; 3],
    /// The feature it lies on.
    pub region: TriangleRegion,
    /// Squared distance to the given point, m2.
    pub distance_squared: f64,
}

/// The closest points of two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeEdge {
    /// Place on the first edge, 0 at its start and 1 at its end.
    pub s: f64,
    /// Place on the second edge.
    pub t: f64,
    /// Closest point of the first edge, m.
    pub first: DVec3,
    /// Closest point of the second edge, m.
    pub second: DVec3,
    /// Whether both closest points lie strictly inside their edges.
    pub interior: bool,
    /// Squared distance, m2.
    pub distance_squared: f64,
}

/// Place in [0, 1] of the point of segment `start`-`end` closest to `point`; 0 for a segment without length.
#[must_use]
pub fn point_segment(point: DVec3, start: DVec3, end: DVec3) -> f64 {
    let along = end - start;
    let length_squared = along.length_squared();
    let projection = (point - start).dot(along);
    if projection <= 0.0 || length_squared == 0.0 {
        0.0
    } else if projection >= length_squared {
        1.0
    } else {
        projection / length_squared
    }
}

/// The point of the triangle `corners` closest to `point`.
#[must_use]
pub fn point_triangle(point: DVec3, corners: [DVec3; 3]) -> PointTriangle {
    match plane_weights(point, corners) {
        Some(weights) if weights.iter().all(|weight| *weight > 0.0) => {
            let [a, b, c] = corners;
            // From the corner outwards: exact for far-away triangles, where a weighted sum of positions cancels.
            let closest = a + (b - a) * weights[1] + (c - a) * weights[2];
            PointTriangle {
                point: closest,
                weights,
                region: TriangleRegion::Face,
                distance_squared: closest.distance_squared(point),
            }
        }
        // The closest point lies on a border piece that separates the point from the triangle: the others need no look.
        Some(weights) => best_edge(point, corners, |edge| weights[(edge + 2) % 3] <= 0.0),
        None => best_edge(point, corners, |_| true),
    }
}

/// Barycentric weights of the projection on the triangle's plane; none if the triangle has no usable plane.
fn plane_weights(point: DVec3, [a, b, c]: [DVec3; 3]) -> Option<[f64; 3]> {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let normal = ab.cross(ac);
    let normal_squared = normal.length_squared();
    let size_squared = ab.length_squared().max(ac.length_squared());
    if normal_squared.is_nan() || normal_squared <= (PARALLEL_SINE * size_squared).powi(2) {
        return None;
    }
    let second = ap.cross(ac).dot(normal) / normal_squared;
    let third = ab.cross(ap).dot(normal) / normal_squared;
    Some([1.0 - second - third, second, third])
}

fn best_edge(
    point: DVec3,
    corners: [DVec3; 3],
    considered: impl Fn(usize) -> bool,
) -> PointTriangle {
    let mut best: Option<PointTriangle> = None;
    for edge in (0..3).filter(|edge| considered(*edge)) {
        let candidate = on_edge(point, corners, edge);
        if best.is_none_or(|best| candidate.distance_squared < best.distance_squared) {
            best = Some(candidate);
        }
    }
    // Weights sum to one, so some edge is always considered unless rounding says otherwise: then the first edge will do.
    best.unwrap_or_else(|| on_edge(point, corners, 0))
}

fn on_edge(point: DVec3, corners: [DVec3; 3], edge: usize) -> PointTriangle {
    let next = (edge + 1) % 3;
    let place = point_segment(point, corners[edge], corners[next]);
    let mut weights = [0.0; 3];
    weights[edge] = 1.0 - place;
    weights[next] = place;
    let region = if place == 0.0 {
        TriangleRegion::Vertex(edge as u8)
    } else if place == 1.0 {
        TriangleRegion::Vertex(next as u8)
    } else {
        TriangleRegion::Edge(edge as u8)
    };
    let closest = at(corners[edge], corners[next], place);
    let distance_squared = closest.distance_squared(point);
    PointTriangle { point: closest, weights, region, distance_squared }
}

/// The point at `place` of a segment, exactly its ends at 0 and 1.
fn at(start: DVec3, end: DVec3, place: f64) -> DVec3 {
    if place == 1.0 { end } else { start + (end - start) * place }
}

/// The closest points of the edges `first` and `second`.
#[must_use]
pub fn edge_edge(first: [DVec3; 2], second: [DVec3; 2]) -> EdgeEdge {
    if let Some((s, t)) = line_line(first, second)
        && s > 0.0
        && s < 1.0
        && t > 0.0
        && t < 1.0
    {
        return edge_pair(first, second, s, t);
    }
    // Outside the interiors at least one closest point is an end.
    let ends = [
        (0.0, point_segment(first[0], second[0], second[1])),
        (1.0, point_segment(first[1], second[0], second[1])),
        (point_segment(second[0], first[0], first[1]), 0.0),
        (point_segment(second[1], first[0], first[1]), 1.0),
    ];
    let mut best = edge_pair(first, second, ends[0].0, ends[0].1);
    for (s, t) in &ends[1..] {
        let candidate = edge_pair(first, second, *s, *t);
        if candidate.distance_squared < best.distance_squared {
            best = candidate;
        }
    }
    best
}

/// The same with one more projection on each edge. On nearly parallel edges at a tiny distance cancellation leaves the two places
/// shifted against each other, which makes the distance too large; a projection has no such error.
#[must_use]
pub fn edge_edge_fine(first: [DVec3; 2], second: [DVec3; 2]) -> EdgeEdge {
    let found = edge_edge(first, second);
    let t = point_segment(found.first, second[0], second[1]);
    let s = point_segment(at(second[0], second[1], t), first[0], first[1]);
    let fine = edge_pair(first, second, s, t);
    if fine.distance_squared < found.distance_squared { fine } else { found }
}

/// Places of the closest points of two infinite lines; none if parallel or without length.
fn line_line(first: [DVec3; 2], second: [DVec3; 2]) -> Option<(f64, f64)> {
    let (u, w) = (first[1] - first[0], second[1] - second[0]);
    let across = u.cross(w);
    let across_squared = across.length_squared();
    let scale = u.length_squared() * w.length_squared();
    if across_squared.is_nan() || across_squared <= PARALLEL_SINE * PARALLEL_SINE * scale {
        return None;
    }
    let between = second[0] - first[0];
    let s = between.cross(w).dot(across) / across_squared;
    let t = between.cross(u).dot(across) / across_squared;
    Some((s, t))
}

fn edge_pair(first: [DVec3; 2], second: [DVec3; 2], s: f64, t: f64) -> EdgeEdge {
    let a = at(first[0], first[1], s);
    let b = at(second[0], second[1], t);
    let interior = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
    EdgeEdge { s, t, first: a, second: b, interior, distance_squared: a.distance_squared(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    /// Coordinates on a coarse grid: coincident, collinear and parallel input is common.
    fn grid_vector() -> impl Strategy<Value = DVec3> {
        (-1i32..2, -1i32..2, -1i32..2)
            .prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()))
    }

    const STEPS: usize = 40;

    /// Least distance over a regular sampling of the triangle.
    fn sampled_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
        let mut least = f64::INFINITY;
        for i in 0..=STEPS {
            for j in 0..=STEPS - i {
                let (v, w) = (i as f64 / STEPS as f64, j as f64 / STEPS as f64);
                least = least.min((a + (b - a) * v + (c - a) * w).distance(point));
            }
        }
        least
    }

    fn sampled_edges(first: [DVec3; 2], second: [DVec3; 2]) -> f64 {
        let mut least = f64::INFINITY;
        for i in 0..=STEPS {
            for j in 0..=STEPS {
                let (s, t) = (i as f64 / STEPS as f64, j as f64 / STEPS as f64);
                least = least.min(at(first[0], first[1], s).distance(at(second[0], second[1], t)));
            }
        }
        least
    }

    fn check_triangle(point: DVec3, corners: [DVec3; 3]) -> Result<(), TestCaseError> {
        let found = point_triangle(point, corners);
        let distance = found.distance_squared.sqrt();
        let sampled = sampled_triangle(point, corners);
        let size = (0..3).map(|i| corners[i].distance(corners[(i + 1) % 3])).fold(0.0, f64::max);
        prop_assert!(distance <= sampled + 1e-12, "{distance} above sampled {sampled}");
        prop_assert!(
            sampled <= distance + size / STEPS as f64 + 1e-12,
            "{distance} below {sampled}"
        );
        let sum: f64 = found.weights.iter().sum();
        prop_assert!((sum - 1.0).abs() < 1e-12);
        prop_assert!(found.weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
        let rebuilt: DVec3 = (0..3).map(|i| corners[i] * found.weights[i]).sum();
        prop_assert!(rebuilt.distance(found.point) < 1e-12);
        let positive = found.weights.iter().filter(|weight| **weight > 0.0).count();
        let expected = match found.region {
            TriangleRegion::Vertex(_) => 1,
            TriangleRegion::Edge(_) => 2,
            TriangleRegion::Face => 3,
        };
        prop_assert_eq!(positive, expected);
        Ok(())
    }

    fn check_edges(first: [DVec3; 2], second: [DVec3; 2]) -> Result<(), TestCaseError> {
        let found = edge_edge(first, second);
        let distance = found.distance_squared.sqrt();
        let sampled = sampled_edges(first, second);
        let size = first[0].distance(first[1]) + second[0].distance(second[1]);
        prop_assert!(distance <= sampled + 1e-12, "{distance} above sampled {sampled}");
        prop_assert!(
            sampled <= distance + size / STEPS as f64 + 1e-12,
            "{distance} below {sampled}"
        );
        prop_assert!((0.0..=1.0).contains(&found.s) && (0.0..=1.0).contains(&found.t));
        prop_assert!((found.first.distance(found.second) - distance).abs() < 1e-12);
        Ok(())
    }

    proptest! {
        #[test]
        fn point_triangle_is_the_least_distance(p in vector(), a in vector(), b in vector(), c in vector()) {
            check_triangle(p, [a, b, c])?;
        }

        #[test]
        fn degenerate_triangles_too(p in grid_vector(), a in grid_vector(), b in grid_vector(), c in grid_vector()) {
            check_triangle(p, [a, b, c])?;
        }

        #[test]
        fn edge_edge_is_the_least_distance(a in vector(), b in vector(), c in vector(), d in vector()) {
            check_edges([a, b], [c, d])?;
        }

        #[test]
        fn degenerate_edges_too(a in grid_vector(), b in grid_vector(), c in grid_vector(), d in grid_vector()) {
            check_edges([a, b], [c, d])?;
        }

        /// Almost parallel edges: the cross product is mostly rounding, the distance must still be right.
        #[test]
        fn nearly_parallel_edges(a in vector(), u in vector(), shift in vector(), bend in vector(), tiny in -18f64..-4.0) {
            let b = a + u;
            let c = a + shift;
            let d = c + u + bend * 10f64.powf(tiny);
            check_edges([a, b], [c, d])?;
        }
    }

    #[test]
    fn regions_are_named() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let region = |x, y| point_triangle(DVec3::new(x, y, 0.5), corners).region;
        assert_eq!(region(0.2, 0.2), TriangleRegion::Face);
        assert_eq!(region(0.5, -1.0), TriangleRegion::Edge(0));
        assert_eq!(region(1.0, 1.0), TriangleRegion::Edge(1));
        assert_eq!(region(-1.0, 0.5), TriangleRegion::Edge(2));
        assert_eq!(region(-1.0, -1.0), TriangleRegion::Vertex(0));
        assert_eq!(region(2.0, -0.5), TriangleRegion::Vertex(1));
        assert_eq!(region(-0.5, 2.0), TriangleRegion::Vertex(2));
    }

    #[test]
    fn huge_triangle_under_a_small_point() {
        // A kilometre of ground seen from a millimetre above: the distance keeps twelve digits of the metre.
        let corners =
            [DVec3::new(-1e3, -1e3, 0.0), DVec3::new(1e3, -1e3, 0.0), DVec3::new(0.0, 1e3, 0.0)];
        let found = point_triangle(DVec3::new(0.1, 0.2, 1e-3), corners);
        assert_eq!(found.region, TriangleRegion::Face);
        assert!((found.distance_squared.sqrt() - 1e-3).abs() < 1e-12);
    }

    #[test]
    fn crossing_edges_meet_inside() {
        let found = edge_edge(
            [-DVec3::X, DVec3::X],
            [DVec3::new(0.5, -1.0, 0.1), DVec3::new(0.5, 1.0, 0.1)],
        );
        assert!(found.interior);
        assert!((found.s - 0.75).abs() < 1e-15 && (found.t - 0.5).abs() < 1e-15);
        assert!((found.distance_squared.sqrt() - 0.1).abs() < 1e-15);
    }
}
