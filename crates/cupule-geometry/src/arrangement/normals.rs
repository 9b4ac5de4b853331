//! Outward directions at the features of a closed surface, to tell on which side of it a point lies.
//!
//! The sign of (point - closest point) . normal is right at edges and corners only with angle-weighted pseudo-normals
//! (Baerentzen & Aanaes 2005); face normals alone misjudge points near sharp edges.

use super::Surface;
use crate::DVec3;
use crate::distance::{PointTriangle, TriangleRegion};

/// Which triangles meet at every vertex; normals are made when asked for, since few closest points are at edges and corners.
pub(super) struct PseudoNormals {
    /// Triangles of vertex v are `triangles[starts[v]..starts[v + 1]]`, ascending.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl PseudoNormals {
    pub fn new(surface: &Surface<'_>) -> Self {
        let mut starts = vec![0_u32; surface.positions.len() + 1];
        let corners = || surface.triangles.as_flattened().iter().map(|vertex| *vertex as usize);
        corners().for_each(|vertex| starts[vertex + 1] += 1);
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut next = starts.clone();
        let mut triangles = vec![0; 3 * surface.triangles.len()];
        for (corner, vertex) in corners().enumerate() {
            triangles[next[vertex] as usize] = corner as u32 / 3;
            next[vertex] += 1;
        }
        Self { starts, triangles }
    }

    fn around(&self, vertex: u32) -> &[u32] {
        let [start, end] = [vertex, vertex + 1].map(|v| self.starts[v as usize] as usize);
        &self.triangles[start..end]
    }

    /// Outward direction (not of unit length) at a vertex: unit normals of its faces, weighted by their angles there.
    pub fn vertex(&self, surface: &Surface<'_>, vertex: u32) -> DVec3 {
        let weighted = |triangle: &u32| {
            let corners = surface.corners(*triangle);
            let own = surface.triangles[*triangle as usize];
            let k = own.iter().position(|v| *v == vertex).unwrap_or(0);
            let [u, v] = [1, 2].map(|step| corners[(k + step) % 3] - corners[k]);
            face(surface, *triangle) * u.cross(v).length().atan2(u.dot(v))
        };
        self.around(vertex).iter().map(weighted).sum()
    }

    /// The same at an edge: the sum of its two unit normals.
    fn edge(&self, surface: &Surface<'_>, from: u32, to: u32) -> DVec3 {
        let at_edge = |triangle: &&u32| surface.triangles[**triangle as usize].contains(&to);
        self.around(from).iter().filter(at_edge).map(|triangle| face(surface, *triangle)).sum()
    }

    /// The outward direction (not of unit length) at a closest point on `triangle`.
    pub fn at(&self, surface: &Surface<'_>, triangle: u32, closest: &PointTriangle) -> DVec3 {
        let corner = |k: usize| surface.triangles[triangle as usize][k % 3];
        match closest.region {
            TriangleRegion::Face => face(surface, triangle),
            TriangleRegion::Edge(k) => {
                self.edge(surface, corner(usize::from(k)), corner(usize::from(k) + 1))
            }
            TriangleRegion::Vertex(k) => self.vertex(surface, corner(usize::from(k))),
        }
    }
}

/// Unit normal of a triangle.
pub(super) fn face(surface: &Surface<'_>, triangle: u32) -> DVec3 {
    let [a, b, c] = surface.corners(triangle);
    (b - a).cross(c - a).normalize_or_zero()
}
