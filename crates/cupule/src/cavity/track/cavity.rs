//! A cavity with its history, and what may happen to it.

use super::vacuum_loss::Loss;
use crate::cavity::find::DetectedCavity;

/// A cavity with its history.
#[derive(Debug, Clone)]
pub struct Cavity {
    /// Its number: cavities are counted in the order in which they appear.
    pub id: u32,
    /// Its wall.
    pub found: DetectedCavity,
    /// Amount of gas, mol.
    pub amount: f64,
    /// Absolute pressure, Pa.
    pub pressure: f64,
    /// Gas volume, m3.
    pub volume: f64,
    /// Pressure above which its seal lets air out, Pa.
    pub limit: f64,
    /// Whether it lets air out, or did so last.
    pub vents: bool,
    /// Conductance of the gap of its seal to the outside in the last step, m3/s.
    pub seal_conductance: f64,
    /// The narrowest place on the widest path through that gap then.
    pub widest: Option<Constriction>,
    /// What became of its vacuum.
    pub loss: Loss,
}

/// The place at which a path through a seal is narrowest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constriction {
    /// The body.
    pub body: usize,
    /// Vertex of its surface.
    pub vertex: u32,
    /// Gap that is open to air, m.
    pub gap: f64,
}

/// What became of a cavity when cavities were detected again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// A new cavity closed.
    Sealed(u32),
    /// A cavity opened; it held this pressure (Pa) before.
    Unsealed(u32, f64),
    /// The first became part of the second.
    Merged(u32, u32),
    /// The second broke away from the first.
    Split(u32, u32),
    /// No open part is left.
    Flattened(u32),
    /// It has an open part again.
    Reopened(u32),
}
