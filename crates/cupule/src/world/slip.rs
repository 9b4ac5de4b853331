//! Whether a seal slid over an edge.
//!
//! The place at which it is open now is at a sharp edge of the other body, and in the last step it moved along the other
//! body's face, not away from it: a seal that is lifted off opens along the normal. The place is known to a triangle.

use super::moment::Moment;
use crate::cavity::{AirSpace, BodySurface, Breach, Cavity, find_breach};
use cupule_geometry::DVec3;
use cupule_geometry::distance::{PointTriangle, point_segment, point_triangle};
use std::collections::BTreeMap;

/// An edge is sharp if its faces meet at more than this angle: cosine of 40 degrees.
const SHARP: f64 = 0.766;

impl Moment<'_> {
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
        find_breach(&around, &air.distances())
    }

    /// The body over whose edge the place of a breach slid in the last step, if it did.
    pub(super) fn edge_slid_over(&self, breach: &Breach, cavity: &Cavity) -> Option<usize> {
        let (now, before) = (&self.state.at.points, &self.before.at.points);
        let others = cavity.found.bodies().into_iter().filter(|b| *b != breach.body);
        let near = others.filter_map(|b| Some((b, self.nearest(b, breach.at, now)?)));
        let (other, _) =
            near.min_by(|a, b| a.1.1.distance_squared.total_cmp(&b.1.1.distance_squared))?;
        let [a, b, c] = self.corners(breach.body, breach.triangle, now);
        let resolution = a.distance(b).max(b.distance(c)).max(c.distance(a));
        if self.distance_to_sharp_edge(other, breach.at) > resolution {
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
        let triangles = 0..self.assembly.bodies[body].surface.triangles.len() as u32;
        let near = triangles.map(|t| (t, point_triangle(place, self.corners(body, t, x))));
        near.min_by(|a, b| a.1.distance_squared.total_cmp(&b.1.distance_squared))
    }

    /// How far a place is from the nearest edge of a body at which faces meet sharply, m; infinite where there is none.
    fn distance_to_sharp_edge(&self, body: usize, place: DVec3) -> f64 {
        let x = &self.state.at.points;
        let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut least = f64::INFINITY;
        for (triangle, vertices) in (0..).zip(&self.assembly.bodies[body].surface.triangles) {
            for k in 0..3 {
                let (u, v) = (vertices[k], vertices[(k + 1) % 3]);
                let Some(beside) = sides.insert([u.min(v), u.max(v)], triangle) else { continue };
                let normals = [triangle, beside].map(|t| self.normal(body, t, x));
                if normals[0].dot(normals[1]) < SHARP {
                    let [from, to] =
                        [u, v].map(|v| x[self.assembly.bodies[body].surface.points[v as usize]]);
                    let foot = from.lerp(to, point_segment(place, from, to));
                    least = least.min(foot.distance(place));
                }
            }
        }
        least
    }

    fn corners(&self, body: usize, triangle: u32, x: &[DVec3]) -> [DVec3; 3] {
        let body = &self.assembly.bodies[body];
        body.surface.triangles[triangle as usize].map(|v| x[body.surface.points[v as usize]])
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
