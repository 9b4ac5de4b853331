//! Triangle surfaces.

use crate::DVec3;

/// A surface of triangles; outward normals by the right-hand rule when it is closed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriMesh {
    /// Positions, m.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}
