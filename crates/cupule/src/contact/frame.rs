//! A surface at one moment between x and x_free: positions, normals, and the normal cones of its features.
//!
//! Normals of edges and vertices are the angle-weighted means of the adjacent face normals, with which the sign of the
//! distance at the nearest feature is right for every closed surface (Baerentzen and Aanaes 2005).

use cupule_geometry::DVec3;
use cupule_geometry::distance::{PointTriangle, TriangleRegion, point_segment, point_triangle};

use super::record::{Feature, Stencil};
use super::surface::{SearchSurface, SurfacePose};

/// A surface at `time` (0 at x, 1 at x_free).
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) surface: &'a SearchSurface,
    current: &'a [DVec3],
    free: &'a [DVec3],
    time: f64,
}

/// The closest point of one triangle, with the feature it belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closest {
    pub(super) feature: Feature,
    pub(super) triangle: u32,
    pub(super) point: DVec3,
    pub(super) weights: [f64; 3],
    pub(super) distance: f64,
}

impl<'a> Frame<'a> {
    pub(super) fn new(surface: &'a SearchSurface, pose: &SurfacePose<'a>, time: f64) -> Self {
        Self { surface, current: pose.current, free: pose.free, time }
    }

    /// The rest shape as a frame.
    pub(super) fn rest(surface: &'a SearchSurface) -> Self {
        Self { surface, current: &surface.rest, free: &surface.rest, time: 0.0 }
    }

    pub(super) fn position(&self, vertex: u32) -> DVec3 {
        let current = self.current[vertex as usize];
        if self.time == 0.0 {
            current
        } else {
            current + (self.free[vertex as usize] - current) * self.time
        }
    }

    /// Displacement of a vertex from x to x_free, m.
    pub(super) fn displacement(&self, vertex: u32) -> DVec3 {
        self.free[vertex as usize] - self.current[vertex as usize]
    }

    pub(super) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.surface.triangles[triangle as usize].map(|vertex| self.position(vertex))
    }

    pub(super) fn ends(&self, edge: u32) -> [DVec3; 2] {
        self.surface.adjacency.edges[edge as usize].map(|vertex| self.position(vertex))
    }

    /// Unit normal, zero for a triangle without area.
    pub(super) fn face_normal(&self, triangle: u32) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a).normalize_or_zero()
    }

    pub(super) fn edge_normal(&self, edge: u32) -> DVec3 {
        let sides = self.surface.adjacency.edge_triangles[edge as usize];
        let sum: DVec3 = sides.iter().flatten().map(|triangle| self.face_normal(*triangle)).sum();
        sum.normalize_or_zero()
    }

    pub(super) fn vertex_normal(&self, vertex: u32) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for triangle in self.surface.adjacency.vertex_triangles.get(vertex) {
            let (u, w) = self.spread(*triangle, vertex);
            let normal = u.cross(w);
            sum += normal.normalize_or_zero() * normal.length().atan2(u.dot(w));
        }
        sum.normalize_or_zero()
    }

    /// The two sides of a triangle that start at one of its corners, counter-clockwise.
    fn spread(&self, triangle: u32, vertex: u32) -> (DVec3, DVec3) {
        let [a, b, c] = self.surface.triangles[triangle as usize];
        let (next, last) = if vertex == a {
            (b, c)
        } else if vertex == b {
            (c, a)
        } else {
            (a, b)
        };
        let origin = self.position(vertex);
        (self.position(next) - origin, self.position(last) - origin)
    }

    pub(super) fn normal(&self, feature: Feature) -> DVec3 {
        match feature {
            Feature::Vertex(vertex) => self.vertex_normal(vertex),
            Feature::Edge(edge) => self.edge_normal(edge),
            Feature::Face(triangle) => self.face_normal(triangle),
        }
    }

    /// Tributary area of a vertex seen from a unit `direction`: a third of the adjacent triangles that face it, projected,
    /// m2. Projected, so that the sides of a box do not count when it stands on its bottom.
    pub(super) fn vertex_area(&self, vertex: u32, direction: DVec3) -> f64 {
        let twice = |triangle: &u32| {
            let (u, w) = self.spread(*triangle, vertex);
            u.cross(w).dot(direction).max(0.0)
        };
        let triangles = self.surface.adjacency.vertex_triangles.get(vertex);
        triangles.iter().map(twice).sum::<f64>() / 6.0
    }

    /// Whether a unit `direction` away from the surface lies in the normal cone of an edge or vertex: whether no step
    /// along an adjacent face comes closer to a point in that direction. `slack` is the sine of the angle by which the
    /// cone is widened.
    pub(super) fn supports(&self, feature: Feature, direction: DVec3, slack: f64) -> bool {
        match feature {
            Feature::Face(_) => true,
            Feature::Edge(edge) => {
                let sides = self.surface.adjacency.edge_triangles[edge as usize];
                (sides.iter().flatten())
                    .all(|triangle| within(self.inward(*triangle, edge), direction, slack))
            }
            Feature::Vertex(vertex) => {
                let origin = self.position(vertex);
                (self.surface.adjacency.vertex_ring.get(vertex).iter())
                    .all(|other| within(self.position(*other) - origin, direction, slack))
            }
        }
    }

    /// A vector (of no particular length) in a triangle's plane, square from one of its edges to its inside.
    fn inward(&self, triangle: u32, edge: u32) -> DVec3 {
        let [from, to] = self.surface.adjacency.edges[edge as usize];
        let opposite = self.surface.triangles[triangle as usize]
            .iter()
            .find(|vertex| **vertex != from && **vertex != to)
            .map_or(DVec3::ZERO, |vertex| self.position(*vertex) - self.position(from));
        let along = self.position(to) - self.position(from);
        opposite * along.length_squared() - along * along.dot(opposite)
    }

    /// The closest point of a triangle and the feature of the surface it belongs to.
    pub(super) fn closest(&self, triangle: u32, point: DVec3) -> Closest {
        let found = point_triangle(point, self.corners(triangle));
        self.named(triangle, &found)
    }

    fn named(&self, triangle: u32, found: &PointTriangle) -> Closest {
        let feature = match found.region {
            TriangleRegion::Face => Feature::Face(triangle),
            TriangleRegion::Edge(edge) => {
                let edges = self.surface.adjacency.triangle_edges[triangle as usize];
                Feature::Edge(edges[usize::from(edge)])
            }
            TriangleRegion::Vertex(corner) => {
                let corners = self.surface.triangles[triangle as usize];
                Feature::Vertex(corners[usize::from(corner)])
            }
        };
        Closest {
            feature,
            triangle,
            point: found.point,
            weights: found.weights,
            distance: found.distance_squared.sqrt(),
        }
    }

    /// The point of the same feature closest to another, slightly different `point`.
    pub(super) fn refined(&self, closest: &Closest, point: DVec3) -> Closest {
        let corners = self.surface.triangles[closest.triangle as usize];
        let refined = match closest.feature {
            Feature::Vertex(_) => *closest,
            Feature::Edge(edge) => {
                let [from, to] = self.ends(edge);
                let place = point_segment(point, from, to);
                let ends = self.surface.adjacency.edges[edge as usize];
                let weights = corners.map(|corner| match corner {
                    corner if corner == ends[0] => 1.0 - place,
                    corner if corner == ends[1] => place,
                    _ => 0.0,
                });
                Closest { point: from + (to - from) * place, weights, ..*closest }
            }
            Feature::Face(triangle) => {
                Closest { feature: closest.feature, ..self.closest(triangle, point) }
            }
        };
        Closest { distance: refined.point.distance(point), ..refined }
    }

    /// The point of the surface nearest to `point` within `limit` (m).
    pub(super) fn nearest(&self, point: DVec3, limit: f64) -> Option<Closest> {
        let distance = |triangle| point_triangle(point, self.corners(triangle)).distance_squared;
        let tree = &self.surface.triangle_tree;
        let (triangle, _) = tree.nearest(point, limit * limit, distance)?;
        Some(self.closest(triangle, point))
    }

    /// Height of `point` over the tangent at a closest point, m; negative inside. At the nearest closest point its sign
    /// says whether the point is inside.
    pub(super) fn height(&self, closest: &Closest, point: DVec3) -> f64 {
        self.normal(closest.feature).dot(point - closest.point)
    }

    /// The material point of a closest point.
    pub(super) fn stencil(&self, index: u32, closest: &Closest) -> Stencil {
        let corners = self.surface.triangles[closest.triangle as usize];
        match closest.feature {
            Feature::Vertex(vertex) => Stencil::vertex(index, vertex),
            Feature::Edge(edge) => {
                let ends = self.surface.adjacency.edges[edge as usize];
                let place =
                    (0..3).find(|i| corners[*i] == ends[1]).map_or(0.0, |i| closest.weights[i]);
                Stencil::edge(index, ends, place)
            }
            Feature::Face(_) => Stencil::face(index, corners, closest.weights),
        }
    }
}

/// Whether a step along `step` hardly leads in `direction` (unit): by a sine of `slack` at most.
fn within(step: DVec3, direction: DVec3, slack: f64) -> bool {
    let lead = step.dot(direction);
    lead <= 0.0 || lead * lead <= slack * slack * step.length_squared()
}
