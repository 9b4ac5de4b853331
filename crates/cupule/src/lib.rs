//! The physics of Cupule: bodies, materials, laws, contact and solvers.
//!
//! No input or output, no clock, no randomness: a [`world::World`] is built by the caller, stepped, and asked. SI units, z up.

pub mod cavity;
pub mod contact;
pub mod element;
pub mod event;
pub mod integrator;
pub mod law;
pub mod mapping;
pub mod material;
pub mod math;
pub mod model;
pub mod motion;
pub mod report;
pub mod settings;
pub mod solver;
pub mod sparse;
pub mod world;

pub use world::{World, WorldBuilder};
