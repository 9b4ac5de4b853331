//! What of a body collides: one type for bodies, both solvers and the audit.

use cupule_geometry::{DVec3, ThinMesh};

/// Triangles and wires over points of the world. This is topology; where the surface is follows from the points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollisionSurface {
    /// World point of every vertex.
    pub points: Vec<usize>,
    /// Its triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Its wires: edges without triangles.
    pub wires: Vec<[u32; 2]>,
    /// Half the thickness of its triangles and wires, m; 0 for the surface of a solid.
    pub radius: f64,
}

impl CollisionSurface {
    /// The surface of a mesh whose first vertex is world point `first`.
    pub fn of(mesh: ThinMesh, first: usize) -> Self {
        let ThinMesh { vertices, triangles, wires, radius } = mesh;
        Self { points: (first..first + vertices.len()).collect(), triangles, wires, radius }
    }

    /// Whether it has no inside: wires and sheets.
    pub fn is_thin(&self) -> bool {
        self.radius > 0.0
    }

    /// Where its vertices are (m) with all points of the world at `x`.
    pub fn positions(&self, x: &[DVec3]) -> Vec<DVec3> {
        self.points.iter().map(|point| x[*point]).collect()
    }
}
