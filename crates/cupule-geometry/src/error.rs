//! What can be wrong with a mesh, said so that a person can mend it.

use thiserror::Error;

/// A defect of a mesh or of the parameters of a generator. Every variant names the element at fault.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GeometryError {
    /// A face or cell names a vertex that does not exist.
    #[error("{element} {index} names vertex {vertex}, but the mesh has {count} vertices")]
    IndexOutOfRange {
        /// "triangle", "tetrahedron", "hexahedron" or "wire".
        element: &'static str,
        /// Index of the element, from 0.
        index: usize,
        /// The vertex it names.
        vertex: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {index} has a coordinate that is not a finite number")]
    NotFinite {
        /// Index of the vertex, from 0.
        index: usize,
    },
    /// A face names a vertex twice or has no area.
    #[error("triangle {index} is degenerate: it has no area")]
    DegenerateTriangle {
        /// Index of the triangle, from 0.
        index: usize,
    },
    /// An edge with one face only: the surface is open.
    #[error(
        "the surface is open: the edge from vertex {a} to vertex {b} of triangle {triangle} has no second triangle \
         ({count} such edges); close the hole or repair the mesh"
    )]
    OpenEdge {
        /// First vertex of the edge.
        a: usize,
        /// Second vertex of the edge.
        b: usize,
        /// The triangle that has it.
        triangle: usize,
        /// How many edges are open.
        count: usize,
    },
    /// An edge with more than two faces, or two faces that run along it in the same direction.
    #[error(
        "the edge from vertex {a} to vertex {b} of triangle {triangle} is used {uses} times in the same direction: \
         the surface is not manifold or not consistently oriented"
    )]
    NonManifoldEdge {
        /// First vertex of the edge.
        a: usize,
        /// Second vertex of the edge.
        b: usize,
        /// A triangle that has it.
        triangle: usize,
        /// How many times the directed edge occurs.
        uses: usize,
    },
    /// A closed surface whose faces look inwards.
    #[error("the surface is inside out (signed volume {volume:e} m3): flip its faces")]
    InsideOut {
        /// Signed volume, m3.
        volume: f64,
    },
    /// A cell with negative volume.
    #[error(
        "{element} {index} is inverted: its Jacobian determinant is {determinant:e} m3 at a corner; reorder its nodes or move them apart"
    )]
    InvertedCell {
        /// "tetrahedron" or "hexahedron".
        element: &'static str,
        /// Index of the cell, from 0.
        index: usize,
        /// The smallest Jacobian determinant, m3 (per unit reference cell).
        determinant: f64,
    },
    /// A mesh without vertices or without elements.
    #[error("the mesh is empty")]
    Empty,
    /// A generator's parameter makes no shape.
    #[error("{parameter} = {value} does not make a {shape}: {expected}")]
    BadParameter {
        /// Which shape was asked for.
        shape: &'static str,
        /// Which parameter is wrong.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// The union of touching bodies could not be formed.
    #[error(
        "the union of touching bodies failed: {reason}; check that every surface is closed and does not cross itself"
    )]
    UnionFailed {
        /// What went wrong.
        reason: String,
    },
    /// The flood fill of the gap field came to no answer.
    #[error(
        "the flood fill of touching bodies failed: {reason}; detect this group by union instead"
    )]
    FloodFailed {
        /// What went wrong.
        reason: String,
    },
}
