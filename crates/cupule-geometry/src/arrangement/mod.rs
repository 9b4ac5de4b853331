//! The air between touching bodies: which parts of their surfaces bound which volume of air, and which parts touch.
//!
//! Bodies are thickened where they face each other, so that a gap below the sealing level becomes an overlap
//! ([`thicken`]); the union of the thickened bodies then has one boundary component per closed volume of air
//! ([`arrange`]). A component with negative signed volume is enclosed air. Every source triangle is cut into pieces
//! that look at one such component (free) or lie inside another body (buried: the touching parts), and every piece
//! is carried by its source triangle in barycentric coordinates. So the mesh of a cavity ([`CavityMesh`]) moves with
//! the bodies, and its volume and gradient are taken at their true positions, not at the thickened ones.
//!
//! Pure geometry: no pressure, no time. The model is physics section 5; the border is duplicated, one copy per body,
//! with a band of triangles between the copies. The union itself is `manifold-rust`; a triangle that a border crosses
//! is cut by a constrained Delaunay triangulation.

mod border;
mod build;
mod carrier;
mod cavity;
mod crop;
mod cut;
mod engine;
mod generic;
mod normals;
mod region;
mod target;
mod thicken;

pub use build::arrange;
pub use cavity::{CavityMesh, VertexGradient};
pub(crate) use target::{FOLDED, Nearest, Target};
pub use thicken::{Thickened, thicken, thicken_each};

use crate::{DVec3, GeometryError};

/// Gaps are measured up to this many sealing levels; beyond it they count as infinite. That is twice as far as a vertex faces another body
/// when it is thickened, because a border runs between a vertex that seals and neighbours that do not, and needs the gaps of both.
pub const GAP_REACH: f64 = 4.0;

/// A closed, outward oriented triangle surface of one body.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// Vertex positions, m.
    pub positions: &'a [DVec3],
    /// Three vertex indices each, counter-clockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
}

impl Surface<'_> {
    /// Refuses missing vertices and coordinates that are not numbers.
    pub(crate) fn check(&self) -> Result<(), GeometryError> {
        if let Some(index) = self.positions.iter().position(|point| !point.is_finite()) {
            return Err(GeometryError::NotFinite { index });
        }
        let count = self.positions.len();
        for (index, triangle) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = triangle.iter().find(|vertex| **vertex as usize >= count) {
                let (element, vertex) = ("triangle", vertex as usize);
                return Err(GeometryError::IndexOutOfRange { element, index, vertex, count });
            }
        }
        Ok(())
    }

    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }
}

/// One connected part of the boundary of the union.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// Volume it encloses at the thickened positions, m3: negative for enclosed air, positive for an outer boundary.
    pub signed_volume: f64,
    /// The bodies it lies on, ascending.
    pub bodies: Vec<u32>,
    /// For an outer boundary (a solid or a cluster of solids): the enclosed air in which it floats, if any.
    pub floats_in: Option<u32>,
}

/// What a piece of surface looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The air of this component.
    Free(u32),
    /// The inside of another thickened body; the touching region it belongs to.
    Buried(u32),
}

/// A part of one source triangle; the pieces of a triangle cover it once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Index of the body.
    pub body: u32,
    /// Index of the source triangle in that body.
    pub triangle: u32,
    /// Its corners, barycentric in the source triangle, in the source triangle's orientation.
    pub corners: [[f64; 3]; 3],
    /// What it looks at.
    pub side: Side,
}

/// A connected touching part: buried pieces of two or more bodies, joined inside a body through edges and across
/// bodies at the border.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The bodies it lies on, ascending.
    pub bodies: Vec<u32>,
    /// The components it borders on, ascending, with the length of the common border at the thickened positions, m.
    pub borders: Vec<(u32, f64)>,
}

/// A point carried by a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Index of the body.
    pub body: u32,
    /// Index of the triangle in that body.
    pub triangle: u32,
    /// Weights of the triangle's corners; they sum to 1.
    pub barycentric: [f64; 3],
}

impl Corner {
    /// Where the point is when the bodies are at these positions, m; zero for a body or triangle that does not exist.
    #[must_use]
    pub fn position(&self, surfaces: &[Surface<'_>]) -> DVec3 {
        let Some(surface) = surfaces.get(self.body as usize) else { return DVec3::ZERO };
        let Some(triangle) = surface.triangles.get(self.triangle as usize) else {
            return DVec3::ZERO;
        };
        let at =
            |k: usize| surface.positions.get(triangle[k] as usize).copied().unwrap_or_default();
        at(0) * self.barycentric[0] + at(1) * self.barycentric[1] + at(2) * self.barycentric[2]
    }
}

/// An edge of the union where a free piece of one body meets a free piece of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Border {
    /// The component on the free side.
    pub component: u32,
    /// The touching region behind it.
    pub region: u32,
    /// The two bodies, ascending.
    pub bodies: [u32; 2],
    /// `ends[i]` is end point i as carried by `bodies[0]` and by `bodies[1]`. Walking from end 0 to end 1, seen from
    /// outside each body, the free piece of `bodies[0]` is on the left and that of `bodies[1]` on the right.
    pub ends: [[Corner; 2]; 2],
}

/// A point where three or more bodies meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Junction {
    /// The component on the free side.
    pub component: u32,
    /// The touching region behind it.
    pub region: u32,
    /// The point as carried by each body, counter-clockwise seen from the air.
    pub corners: Vec<Corner>,
}

/// The union of thickened bodies, mapped back to their surfaces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrangement {
    /// The parts of the union's boundary.
    pub components: Vec<Component>,
    /// All surfaces, cut; ordered by body and triangle.
    pub pieces: Vec<Piece>,
    /// The touching parts.
    pub regions: Vec<Region>,
    /// Where bodies meet, edge by edge.
    pub borders: Vec<Border>,
    /// Where three or more bodies meet.
    pub junctions: Vec<Junction>,
}
