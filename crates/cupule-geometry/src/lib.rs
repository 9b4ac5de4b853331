//! Geometry for Cupule: meshes with checked invariants, mesh files, generators, distances and bounding trees.
//!
//! Everything is in metres, right-handed, z up. Nothing here knows about forces or time.

pub mod adjacency;
pub mod arrangement;
pub mod cage;
pub mod ccd;
pub mod disjoint;
pub mod distance;
pub mod error;
pub mod files;
pub mod flood;
pub mod generate;
pub mod intersection;
pub mod mass;
mod split;
pub mod structured;
pub mod surface;
pub mod thin;
mod topology;
pub mod tree;
pub mod volume;

pub use error::GeometryError;
pub use glam::{DMat3, DQuat, DVec3};
pub use mass::MassProperties;
pub use structured::{CupShape, FinRayShape, HelixShape, Profile, Section, Shape, WireSection};
pub use surface::TriMesh;
pub use thin::ThinMesh;
pub use volume::{Cells, VolumeMesh};
