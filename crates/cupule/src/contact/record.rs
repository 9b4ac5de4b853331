//! What detection reports: a contact, its identity and the surface points it joins.

use cupule_geometry::DVec3;

/// A feature of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A vertex, by index.
    Vertex(u32),
    /// An edge, by its index in the surface's adjacency.
    Edge(u32),
    /// A triangle, by index.
    Face(u32),
}

/// Identity of a contact: the same as long as the same two features are in proximity.
///
/// Where a vertex meets a face or an edge, a is the vertex's side; two edges or two vertices are in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId {
    /// Index of the first surface.
    pub surface_a: u32,
    /// Its feature: a vertex or an edge.
    pub feature_a: Feature,
    /// Index of the second surface.
    pub surface_b: u32,
    /// Its feature.
    pub feature_b: Feature,
}

/// Coarser identity that survives sliding: the vertex or edge of a, and the surface it touches. Not unique: a vertex in
/// a corner touches two faces of one surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointKey {
    /// Index of the first surface.
    pub surface_a: u32,
    /// Its feature: a vertex or an edge.
    pub feature_a: Feature,
    /// Index of the second surface.
    pub surface_b: u32,
}

impl ContactId {
    /// The coarser key by which a vertex that slides from face to face keeps its multiplier.
    #[must_use]
    pub fn point_key(&self) -> PointKey {
        PointKey { surface_a: self.surface_a, feature_a: self.feature_a, surface_b: self.surface_b }
    }
}

/// A material point of a surface: a weighted mean of up to three vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stencil {
    /// Index of the surface.
    pub surface: u32,
    /// Its vertices; entries beyond `count` repeat the first.
    pub vertices: [u32; 3],
    /// Weights, sum 1; entries beyond `count` are 0.
    pub weights: [f64; 3],
    /// How many vertices take part: 1 at a vertex, 2 on an edge, 3 in a face.
    pub count: u8,
}

impl Stencil {
    /// The material point at a vertex.
    #[must_use]
    pub fn vertex(surface: u32, vertex: u32) -> Self {
        Self { surface, vertices: [vertex; 3], weights: [1.0, 0.0, 0.0], count: 1 }
    }

    /// The material point at `place` in [0, 1] of an edge.
    #[must_use]
    pub fn edge(surface: u32, [from, to]: [u32; 2], place: f64) -> Self {
        let weights = [1.0 - place, place, 0.0];
        Self { surface, vertices: [from, to, from], weights, count: 2 }
    }

    /// The material point with these barycentric weights of a triangle.
    #[must_use]
    pub fn face(surface: u32, vertices: [u32; 3], weights: [f64; 3]) -> Self {
        Self { surface, vertices, weights, count: 3 }
    }

    /// Weighted mean of a per-vertex value, positions for instance. Vertices beyond the slice count as zero.
    #[must_use]
    pub fn point(&self, positions: &[DVec3]) -> DVec3 {
        let value =
            |i: usize| positions.get(self.vertices[i] as usize).copied().unwrap_or_default();
        (0..usize::from(self.count)).map(|i| value(i) * self.weights[i]).sum()
    }
}

/// A pair of material points that may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Stable identity.
    pub id: ContactId,
    /// The point on the first surface.
    pub a: Stencil,
    /// The point on the second surface.
    pub b: Stencil,
    /// Unit normal, from b to a.
    pub normal: DVec3,
    /// Distance of the two points along the normal at the current positions, m; negative in penetration. The contact
    /// distance has not been subtracted.
    pub distance: f64,
    /// Tributary area, m2.
    pub area: f64,
}
