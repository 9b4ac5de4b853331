//! Geometry for Cupule: meshes with checked invariants, mesh files, generators, distances and bounding trees.
//!
//! Everything is in metres, right-handed, z up. Nothing here knows about forces or time.

pub mod error;
pub mod surface;
pub mod volume;

pub use error::GeometryError;
pub use glam::{DMat3, DQuat, DVec3};
pub use surface::TriMesh;
pub use volume::{Cells, VolumeMesh};
