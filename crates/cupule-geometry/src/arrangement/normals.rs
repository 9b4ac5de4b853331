//! Outward directions at the features of a closed surface, to tell on which side of it a point lies.
//!
//! The sign of (point - closest point) . normal is right at edges and corners only with angle-weighted pseudo-normals
//! (Baerentzen & Aanaes 2005); face normals alone misjudge points near sharp edges.

use super::Surface;
use crate::adjacency::Adjacency;
use crate::distance::{PointTriangle, TriangleRegion};
use crate::{DVec3, GeometryError};

pub(super) struct PseudoNormals {
    faces: Vec<DVec3>,
    /// Per triangle, the sum of the two unit normals at edge k (corner k to k + 1).
    edges: Vec<[DVec3; 3]>,
    vertices: Vec<DVec3>,
}

impl PseudoNormals {
    pub fn new(surface: &Surface<'_>) -> Result<Self, GeometryError> {
        let adjacency = Adjacency::new(surface.triangles, surface.positions.len())?;
        let count = surface.triangles.len() as u32;
        let faces: Vec<DVec3> = (0..count)
            .map(|triangle| {
                let [a, b, c] = surface.corners(triangle);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let at_edge = |edge: u32| {
            let sides = adjacency.edge_triangles[edge as usize];
            sides.into_iter().flatten().map(|triangle| faces[triangle as usize]).sum::<DVec3>()
        };
        let edges = adjacency.triangle_edges.iter().map(|edges| edges.map(at_edge)).collect();
        let mut vertices = vec![DVec3::ZERO; surface.positions.len()];
        for triangle in 0..count {
            let corners = surface.corners(triangle);
            for k in 0..3 {
                let [u, v] = [1, 2].map(|step| corners[(k + step) % 3] - corners[k]);
                let angle = u.cross(v).length().atan2(u.dot(v));
                let vertex = surface.triangles[triangle as usize][k] as usize;
                vertices[vertex] += faces[triangle as usize] * angle;
            }
        }
        Ok(Self { faces, edges, vertices })
    }

    /// Outward direction (not of unit length) at a vertex.
    pub fn vertex(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }

    /// The outward direction (not of unit length) at a closest point on `triangle`.
    pub fn at(&self, surface: &Surface<'_>, triangle: u32, closest: &PointTriangle) -> DVec3 {
        match closest.region {
            TriangleRegion::Face => self.faces[triangle as usize],
            TriangleRegion::Edge(k) => self.edges[triangle as usize][k as usize],
            TriangleRegion::Vertex(k) => {
                self.vertices[surface.triangles[triangle as usize][k as usize] as usize]
            }
        }
    }
}
