//! Laws: how a force follows a measure. A law lives in one file and shows one face to each family of solvers.
//!
//! - `resolve` (complementarity): given the local compliance W_ii (m/N) and the measure that the other constraints leave
//!   (m), the force (N) that satisfies the law. A Gauss-Seidel block calls it.
//!   `violation` says how far a force is from the law, `linearise` serves Newton's method.
//! - a potential (incremental potential): value, slope and curvature; of friction the `dissipation` over the slip length.
//!
//! Laws speak metres and newtons; they know no time step, no index and no solver, and evaluation changes nothing. An [`Interface`] lies
//! between two bodies: it yields the law of each contact, fixed during a step, and may remember something of the contact ([`Histories`]).

mod bond;
mod coulomb;
mod gas;
mod history;
mod interface;
mod stick_slip;

pub use bond::ElasticBond;
pub use coulomb::Coulomb;
pub use gas::{GAS_CONSTANT, Gas, stored_work};
pub use history::{Histories, Laws};
pub use interface::{ContactEnd, Fault, History, Interface, Interfaces, coulomb};
pub use stick_slip::StickSlip;

use cupule_geometry::{DMat3, DVec3};

/// A law made linear at a force and a measure: the force changes by `offset` and by any amount z of each of the first `freedom`
/// directions, for which tests . ddelta + stiffness z = -residual, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    /// In how many directions the force is free: three where a contact sticks, none where it lets go.
    pub freedom: usize,
    /// Those directions.
    pub directions: [DVec3; 3],
    /// What of the measure each of them is there for.
    pub tests: [DVec3; 3],
    /// How each yields by itself, m/N.
    pub stiffness: [f64; 3],
    /// What must vanish, m.
    pub residual: [f64; 3],
    /// The change that the law asks for in any case, N.
    pub offset: DVec3,
}

impl Linear {
    /// The measure is to vanish, whatever force that takes.
    pub fn stick(measure: DVec3) -> Self {
        let axes = DVec3::AXES;
        let (residual, offset) = (measure.to_array(), DVec3::ZERO);
        Self { freedom: 3, directions: axes, tests: axes, stiffness: [0.0; 3], residual, offset }
    }

    /// The force is to vanish, whatever the measure.
    pub fn let_go(force: DVec3) -> Self {
        Self { freedom: 0, offset: -force, ..Self::stick(DVec3::ZERO) }
    }

    /// Whether the measure is to vanish, without yielding.
    pub fn sticks(&self) -> bool {
        self.freedom == 3 && self.stiffness == [0.0; 3]
    }
}

/// The law of a contact, as both solvers ask for it. Its measure is (gap, slip, slip), its force (normal, tangent, tangent).
pub trait ContactLaw: std::fmt::Debug + Send + Sync {
    /// The force (N) for which force and measure `free + compliance * force` satisfy the law.
    fn resolve(&self, compliance: &DMat3, free: DVec3) -> DVec3;

    /// How far a force and a measure are from satisfying the law: the force residual (N) of the natural map, per
    /// direction. `scale` is the compliance of the normal and of the tangents (m/N).
    fn violation(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> DVec3;

    /// The law made linear at a force (N) and a measure (m), by its natural map. `scale` as in `violation`.
    fn linearise(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> Linear;

    /// Whether a contact with this force holds its place.
    fn sticks(&self, force: DVec3) -> bool;

    /// Whether the law can exert a force like this one, so that a solve may start from it and the contact needs rows. Contact without
    /// adhesion only pushes.
    fn acts(&self, force: DVec3) -> bool {
        force.x > 0.0
    }

    /// The gap below which the law acts, m: 0 without adhesion.
    fn reach(&self) -> f64 {
        0.0
    }

    /// Whether it resists slip.
    fn has_friction(&self) -> bool;

    /// The incremental-potential face, under a lagged normal force (N): value (J), slope (N) and curvature (N/m) of the dissipation over
    /// the slip length (m). Below the slip length `threshold` (m) sticking is smoothed.
    fn dissipation(&self, normal_force: f64, slip: f64, threshold: f64) -> [f64; 3];
}
