//! The closed mesh of one cavity, its volume and its gradient.
//!
//! The mesh is made of pieces of the bodies' surfaces, of bands between the two copies of a border, and of polygons at
//! junctions. Its triangles keep the bodies' orientation: normals point into the air, so the volume is minus
//! the sum of x0 . (x1 x x2) / 6.

use super::{Arrangement, Border, Corner, Side, Surface};
use crate::DVec3;

/// The derivative of a volume by the position of one vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VertexGradient {
    /// Index of the body.
    pub body: u32,
    /// Index of the vertex in that body.
    pub vertex: u32,
    /// dV/dx, m2.
    pub gradient: DVec3,
}

/// A closed surface carried by the bodies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CavityMesh {
    /// Triangles: first the wall pieces, then the bands and junction polygons.
    pub triangles: Vec<[Corner; 3]>,
    /// The first `wall` triangles lie on bodies.
    pub wall: usize,
    /// For each wall triangle its piece in the arrangement.
    pub pieces: Vec<u32>,
}

impl CavityMesh {
    /// The air of `component` with the touching regions it owns: `owners[r]` is the component that region r belongs
    /// to. Wherever the owner changes across a border there is a band; a region without an owner (or beyond the end of
    /// `owners`) belongs to nobody, and the band then lies at the component's own border.
    #[must_use]
    pub fn new(arrangement: &Arrangement, component: u32, owners: &[Option<u32>]) -> Self {
        Self::of(arrangement, |side| match side {
            Side::Free(c) => c == component,
            Side::Buried(r) => owners.get(r as usize).copied().flatten() == Some(component),
        })
    }

    /// The air of all components and touching regions that are `inside`, as one: there is a band wherever a component
    /// and a touching region that border on each other are not both inside.
    #[must_use]
    pub fn of(arrangement: &Arrangement, inside: impl Fn(Side) -> bool) -> Self {
        let mut mesh = Self::default();
        for (piece, index) in arrangement.pieces.iter().zip(0..) {
            if inside(piece.side) {
                let (body, triangle) = (piece.body, piece.triangle);
                let corner = |barycentric| Corner { body, triangle, barycentric };
                mesh.triangles.push(piece.corners.map(corner));
                mesh.pieces.push(index);
            }
        }
        mesh.wall = mesh.triangles.len();
        for border in &arrangement.borders {
            let free = inside(Side::Free(border.component));
            if free != inside(Side::Buried(border.region)) {
                mesh.add_oriented(&band(border), free);
            }
        }
        for junction in &arrangement.junctions {
            let free = inside(Side::Free(junction.component));
            if free != inside(Side::Buried(junction.region)) {
                let fan: Vec<[Corner; 3]> = (2..junction.corners.len())
                    .map(|k| [0, k - 1, k].map(|corner| junction.corners[corner]))
                    .collect();
                mesh.add_oriented(&fan, free);
            }
        }
        mesh
    }

    /// Adds triangles that close the free side, or turned over to close the buried side.
    fn add_oriented(&mut self, triangles: &[[Corner; 3]], free: bool) {
        let turned = |[a, b, c]: &[Corner; 3]| if free { [*a, *b, *c] } else { [*a, *c, *b] };
        self.triangles.extend(triangles.iter().map(turned));
    }

    /// Volume at these positions of the bodies, m3.
    #[must_use]
    pub fn volume(&self, surfaces: &[Surface<'_>]) -> f64 {
        let corners = self.positions(surfaces);
        let centre = centroid(&corners);
        let sixfold = |[a, b, c]: &[DVec3; 3]| (*a - centre).dot((*b - centre).cross(*c - centre));
        -corners.iter().map(sixfold).sum::<f64>() / 6.0
    }

    /// Volume (m3) and its derivative by every vertex it depends on, ordered by body and vertex.
    #[must_use]
    pub fn volume_and_gradient(&self, surfaces: &[Surface<'_>]) -> (f64, Vec<VertexGradient>) {
        let corners = self.positions(surfaces);
        let centre = centroid(&corners);
        let mut sixfold = 0.0;
        let mut gradient = Gradient::new(surfaces);
        for (triangle, points) in self.triangles.iter().zip(&corners) {
            let [a, b, c] = points.map(|point| point - centre);
            // The surface is closed: moving the centre changes nothing, so it counts as fixed.
            let slopes = [b.cross(c), c.cross(a), a.cross(b)];
            sixfold += a.dot(slopes[0]);
            for (corner, slope) in triangle.iter().zip(slopes) {
                gradient.add(surfaces, corner, slope / -6.0);
            }
        }
        (-sixfold / 6.0, gradient.entries())
    }

    /// Area of the wall pieces and of the bands and junctions, m2.
    #[must_use]
    pub fn areas(&self, surfaces: &[Surface<'_>]) -> [f64; 2] {
        let corners = self.positions(surfaces);
        let area = |[a, b, c]: &[DVec3; 3]| 0.5 * (*b - *a).cross(*c - *a).length();
        let (wall, band) = corners.split_at(self.wall);
        [wall, band].map(|part| part.iter().map(area).sum())
    }

    fn positions(&self, surfaces: &[Surface<'_>]) -> Vec<[DVec3; 3]> {
        let at = |corners: &[Corner; 3]| corners.map(|corner| corner.position(surfaces));
        self.triangles.iter().map(at).collect()
    }
}

/// The two triangles between the copies of a border, on its free side. The diagonal always joins end 1 on the
/// first body with end 0 on the second, so that both sides of a border see the same surface.
fn band(border: &Border) -> [[Corner; 3]; 2] {
    let [[a0, b0], [a1, b1]] = border.ends;
    [[a1, a0, b0], [a1, b0, b1]]
}

fn centroid(corners: &[[DVec3; 3]]) -> DVec3 {
    let points = corners.as_flattened();
    points.iter().copied().sum::<DVec3>() / points.len().max(1) as f64
}

/// Sums of derivatives per vertex, for all vertices of all bodies: filling it in the order of the triangles is
/// faster than sorting and gives the same bits each time.
struct Gradient {
    sums: Vec<Vec<Option<DVec3>>>,
}

impl Gradient {
    fn new(surfaces: &[Surface<'_>]) -> Self {
        Self { sums: surfaces.iter().map(|surface| vec![None; surface.positions.len()]).collect() }
    }

    /// Hands the derivative by a carried point on to the vertices that carry it.
    fn add(&mut self, surfaces: &[Surface<'_>], corner: &Corner, slope: DVec3) {
        let surface = surfaces.get(corner.body as usize);
        let Some(vertices) = surface.and_then(|s| s.triangles.get(corner.triangle as usize)) else {
            return;
        };
        for (vertex, weight) in vertices.iter().zip(corner.barycentric) {
            let sum = self.sums[corner.body as usize].get_mut(*vertex as usize);
            if let Some(sum) = sum.filter(|_| weight != 0.0) {
                *sum = Some(sum.unwrap_or_default() + slope * weight);
            }
        }
    }

    fn entries(&self) -> Vec<VertexGradient> {
        let mut entries = Vec::new();
        for (sums, body) in self.sums.iter().zip(0..) {
            let touched = sums.iter().zip(0..).filter_map(|(sum, vertex)| Some(((*sum)?, vertex)));
            entries.extend(touched.map(|(gradient, vertex)| VertexGradient {
                body,
                vertex,
                gradient,
            }));
        }
        entries
    }
}
