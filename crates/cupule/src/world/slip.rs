//! Whether a seal slid over an edge.
//!
//! The place at which it is open now is nearest to a sharp edge of the other body, and in the last step it moved along the
//! other body's face, not away from it: a seal that is lifted off opens along the normal.

use super::World;
use crate::cavity::{AirSpace, BodySurface, Breach, Cavity, breach};
use cupule_geometry::DVec3;
use cupule_geometry::distance::{PointTriangle, point_triangle};

/// An edge is sharp if its faces meet at more than this angle: cosine of 40 degrees.
const SHARP: f64 = 0.766;
/// Distances that differ by less than this share are the same: triangles that share the nearest point.
const SAME: f64 = 1e-6;

impl World {
    /// Where a cavity that was lost is open now.
    pub(super) fn breach_of(
        &self,
        cavity: &Cavity,
        air: &AirSpace,
        surfaces: &[BodySurface],
    ) -> Option<Breach> {
        let bodies = cavity.found.bodies();
        let around: Vec<BodySurface> =
            surfaces.iter().filter(|s| bodies.contains(&s.body)).copied().collect();
        breach(&around, &air.distances())
    }

    /// The body over whose edge the place of a breach slid in the last step, if it did.
    pub(super) fn edge_slid_over(&self, breach: &Breach, cavity: &Cavity) -> Option<usize> {
        let (now, before) = (&self.state.at.points, &self.before.at.points);
        let others = cavity.found.bodies().into_iter().filter(|b| *b != breach.body);
        let near = others.filter_map(|b| Some((b, self.nearest(b, breach.at, now)?)));
        let (other, nearest) =
            near.min_by(|a, b| a.1.1.distance_squared.total_cmp(&b.1.1.distance_squared))?;
        if !self.is_sharp(other, breach.at, &nearest.1) {
            return None;
        }
        let place =
            |x: &[DVec3]| self.material_point(breach.body, breach.triangle, breach.weights, x);
        let (triangle, foot) = self.nearest(other, place(before), before)?;
        let moved = place(now) - place(before);
        let carried = self.material_point(other, triangle, foot.weights, now) - foot.point;
        let normal = self.normal(other, triangle, before);
        let relative = moved - carried;
        let lift = relative.dot(normal);
        ((relative - normal * lift).length() > lift.abs()).then_some(other)
    }

    /// The triangle of a body nearest to a place, with all points at `x` (m).
    fn nearest(&self, body: usize, place: DVec3, x: &[DVec3]) -> Option<(u32, PointTriangle)> {
        let triangles = 0..self.bodies[body].triangles.len() as u32;
        let near = triangles.map(|t| (t, point_triangle(place, self.corners(body, t, x))));
        near.min_by(|a, b| a.1.distance_squared.total_cmp(&b.1.distance_squared))
    }

    /// Whether the nearest point lies on an edge at which faces meet sharply.
    fn is_sharp(&self, body: usize, place: DVec3, nearest: &PointTriangle) -> bool {
        let x = &self.state.at.points;
        let least = nearest.distance_squared;
        let shares = |t: &u32| {
            point_triangle(place, self.corners(body, *t, x)).distance_squared
                <= (1.0 + SAME) * least
        };
        let sharing = (0..self.bodies[body].triangles.len() as u32).filter(shares);
        let normals: Vec<DVec3> = sharing.map(|t| self.normal(body, t, x)).collect();
        normals.iter().any(|a| normals.iter().any(|b| a.dot(*b) < SHARP))
    }

    fn corners(&self, body: usize, triangle: u32, x: &[DVec3]) -> [DVec3; 3] {
        let body = &self.bodies[body];
        body.triangles[triangle as usize].map(|v| x[body.surface_points[v as usize]])
    }

    fn normal(&self, body: usize, triangle: u32, x: &[DVec3]) -> DVec3 {
        let [a, b, c] = self.corners(body, triangle, x);
        (b - a).cross(c - a).normalize_or_zero()
    }

    fn material_point(&self, body: usize, triangle: u32, at: [f64; 3], x: &[DVec3]) -> DVec3 {
        let corners = self.corners(body, triangle, x);
        (0..3).map(|k| corners[k] * at[k]).sum()
    }
}
