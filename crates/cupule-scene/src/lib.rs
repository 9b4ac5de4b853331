//! Scene files for Cupule: TOML that says what there is, how it moves and what must come out.
//!
//! A scene passes through four stations: text with line numbers ([`source`]), overrides and the check against the
//! schema, meaning (names, units, keys that need each other), and assembly into a world. Every error names file,
//! line, key and what was expected.

mod assemble;
mod check;
mod cups;
mod error;
pub mod expect;
pub mod formula;
mod geometry;
mod library;
mod load;
mod meaning;
pub mod model;
mod nearest;
mod schema;
mod set;
pub mod source;
mod urdf;
mod variants;

pub use assemble::{Assembled, assemble};
pub use cups::{CupFile, cup, cup_names};
pub use error::{Origin, Problem, SceneError};
pub use library::{shipped_names, shipped_text};
pub use load::{LoadedScene, load, read, runs_of};
pub use model::Scene;
pub use schema::schema;
