//! Laws: how a force follows a measure. A law lives in one file and shows one face to each family of solvers.
//!
//! - `resolve` (complementarity): given the local compliance W_ii (m/N) and the measure that the other constraints leave
//!   (m), the force (N) that satisfies the law. A Gauss-Seidel block calls it.
//! - `potential` (incremental potential): value, slope and curvature over the measure.
//!
//! Laws speak metres and newtons; they know no time step, no index and no solver, and evaluation changes nothing.

mod coulomb;
mod gas;

pub use coulomb::Coulomb;
pub use gas::{GAS_CONSTANT, Gas};

use cupule_geometry::{DMat3, DVec3};

/// A law made linear at a force and a measure: of_force dlambda + of_measure ddelta = -residual, all rows in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    /// Slope over the force, m/N.
    pub of_force: DMat3,
    /// Slope over the measure.
    pub of_measure: DMat3,
    /// What must vanish, m.
    pub residual: DVec3,
}

impl Linear {
    /// All of the measure is to vanish, whatever the force.
    pub fn sticks(&self) -> bool {
        self.of_force == DMat3::ZERO && self.of_measure == DMat3::IDENTITY
    }

    /// The force is to vanish, whatever the measure.
    pub fn lets_go(&self) -> bool {
        self.of_measure == DMat3::ZERO
    }
}

/// The complementarity face of a law over a contact's measure (gap, slip, slip).
pub trait Resolve: std::fmt::Debug + Send + Sync {
    /// The force (normal, tangent, tangent; N) for which force and measure `free + compliance * force` satisfy the law.
    fn resolve(&self, compliance: &DMat3, free: DVec3) -> DVec3;

    /// How far a force and a measure are from satisfying the law: the force residual (N) of the natural map, per
    /// direction. `scale` is the compliance of the normal and of the tangents (m/N).
    fn violation(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> DVec3;

    /// The law made linear at a force (N) and a measure (m), by its natural map. `scale` as in `violation`.
    fn linearise(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> Linear;

    /// Whether a contact with this force holds its place.
    fn sticks(&self, force: DVec3) -> bool;
}

/// The incremental-potential face of a friction law, under a normal force that is lagged.
pub trait Dissipation {
    /// Value (J), slope (N) and curvature (N/m) of the dissipation over the length of the slip (m), for a normal force
    /// (N) and a slip length below which sticking is smoothed (m).
    fn dissipation(&self, normal_force: f64, slip: f64, threshold: f64) -> [f64; 3];
}
