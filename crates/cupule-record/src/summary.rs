//! The summary of a run: the figures that matter, as `summary.json`.

use std::collections::BTreeMap;

use cupule::report::Residual;
use cupule::settings::{Settings, SolverChoice};
use serde::Serialize;

use crate::event::Event;
use crate::stopwatch::PhaseTimes;

/// `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Its title, with that of its variant; may be empty.
    pub title: String,
    /// Name of the solver.
    pub solver: String,
    /// Version of the program.
    pub version: String,
    /// Time step, s.
    pub dt: f64,
    /// Steps done.
    pub steps: usize,
    /// Simulated time, s.
    pub sim_time: f64,
    /// Time that it took, s.
    pub wall_time: f64,
    /// Simulated time over time taken: above 1 is faster than real time.
    pub real_time_factor: f64,
    /// Threads.
    pub threads: usize,
    /// Mean milliseconds per step.
    pub phases_ms: PhaseTimes,
    /// Contacts per step.
    pub contacts: MeanMax,
    /// Constraint rows per step.
    pub rows: MeanMax,
    /// Sweeps per step.
    pub iterations: MeanMax,
    /// Largest residual of any step.
    pub residual: ContactResidual,
    /// Deepest penetration of any step, m.
    pub max_penetration_m: f64,
    /// Most pairs of triangles that intersect at the end of any step, counted exactly; none when not audited.
    pub intersecting_pairs: Option<usize>,
    /// How soft contact is, for the allowances of expectations.
    pub barrier: Barrier,
    /// Pressure of the atmosphere, Pa; none without air.
    pub atmosphere_pa: Option<f64>,
    /// Bookkeeping of air, mol.
    pub moles: Moles,
    /// How often cavities were looked for.
    pub looks: Looks,
    /// Largest jump of a cavity's pressure because its wall was drawn anew, as a share of atmospheric pressure.
    pub largest_relook_jump: f64,
    /// Largest |P V / (n R T) - 1| of any cavity at any step, with the volume of the final positions.
    pub largest_gas_error: f64,
    /// Largest share of the forces on a body on its own that its change of momentum, weight, contact and gas leave unexplained;
    /// none in second order, or where every body is held.
    pub unexplained_force: Option<f64>,
    /// Largest share of energy that a step made out of nothing and stored in soft bodies; none under `ipc`.
    pub largest_elastic_gain: Option<f64>,
    /// Bodies that were pressed together: whether they enclosed air, and where the ring of the others stayed open.
    pub seals: Vec<Seal>,
    /// Energies at the end, J.
    pub energy: EnergySummary,
    /// What happened, in order of time.
    pub events: Vec<Event>,
    /// Bodies by name.
    pub bodies: BTreeMap<String, BodySummary>,
    /// The scene's expectations and how they came out.
    pub expect: Vec<Expectation>,
    /// Whether the run finished and every expectation holds.
    pub ok: bool,
    /// Whether the run was stopped by hand before its end.
    pub interrupted: bool,
    /// Why the run stopped early, if it did.
    pub failure: Option<Failure>,
    /// Hash of the final state, 16 hexadecimal digits: equal for equal bits.
    pub state_hash: String,
}

/// How soft the solver makes contact; all zero where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Barrier {
    /// Distance within which surfaces push each other apart, m. Under a pressure p they float below it by at most
    /// reach sqrt(p compliance / 3).
    pub reach_m: f64,
    /// Inverse stiffness, 1/Pa.
    pub compliance_per_pa: f64,
    /// Slip speed below which contacts stick, m/s: they creep with it times 1 - sqrt(1 - T / (mu N)).
    pub stick_speed_mps: f64,
}

impl Barrier {
    /// Of a world's settings.
    pub fn of(settings: &Settings) -> Self {
        match settings.solver {
            SolverChoice::Ncp => Self::default(),
            SolverChoice::Ipc => Self {
                reach_m: settings.contact_distance,
                compliance_per_pa: 1.0 / settings.ipc.barrier_stiffness,
                stick_speed_mps: settings.ipc.stick_speed,
            },
        }
    }
}

/// A count per step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MeanMax {
    /// Mean over the steps.
    pub mean: f64,
    /// Largest of any step.
    pub max: usize,
}

/// Residuals of the laws.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ContactResidual {
    /// Gap, m.
    pub gap_m: f64,
    /// Force, N.
    pub force_n: f64,
    /// Force over the largest contact force of its step.
    pub force_share: f64,
    /// Relative error of the gas law.
    pub gas: f64,
}

impl From<Residual> for ContactResidual {
    fn from(worst: Residual) -> Self {
        let Residual { gap_m, force_n, force_share, gas } = worst;
        Self { gap_m, force_n, force_share, gas }
    }
}

/// Bookkeeping of air, mol.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Moles {
    /// Enclosed when cavities closed.
    pub created: f64,
    /// In cavities now.
    pub in_cavities: f64,
    /// Pressed out.
    pub vented: f64,
    /// Leaked in.
    pub leaked_in: f64,
    /// Pumped out.
    pub pumped: f64,
    /// Let go when cavities opened.
    pub released: f64,
    /// |created + leaked_in - vented - pumped - released - in_cavities|, relative to what was ever enclosed.
    pub balance_error: f64,
}

impl From<&cupule::cavity::Moles> for Moles {
    fn from(moles: &cupule::cavity::Moles) -> Self {
        let cupule::cavity::Moles { created, in_cavities, vented, leaked_in, pumped, released } =
            *moles;
        let balance_error = moles.balance_error();
        Self { created, in_cavities, vented, leaked_in, pumped, released, balance_error }
    }
}

/// How often cavities were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Looks {
    /// Looks at a group of bodies: only where something touched, parted or slid.
    pub taken: usize,
    /// Of these, by the other detector because the chosen one refused.
    pub refused: usize,
}

/// Two bodies that were pressed together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seal {
    /// Their names.
    pub bodies: [String; 2],
    /// Whether they ever enclosed air, with or without others.
    pub sealed: bool,
    /// What kept the air between them open; none where there is no hollow between them, and none if they sealed.
    pub bottleneck: Option<Bottleneck>,
}

/// The widest gap on the best ring of two bodies that did not seal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bottleneck {
    /// When, s: they were pressed the hardest then.
    pub time: f64,
    /// Gap beyond the contact distance, m; they would have sealed at this sealing distance.
    pub gap_m: f64,
    /// Where, m.
    pub at_m: [f64; 3],
    /// On which body.
    pub on: String,
}

/// Energies, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct EnergySummary {
    /// Kinetic.
    pub kinetic: f64,
    /// Elastic.
    pub elastic: f64,
    /// Of weight.
    pub gravity: f64,
    /// Of trapped gas.
    pub gas: f64,
    /// Stored between bodies by contact laws that can.
    pub interfaces: f64,
    /// Lost since the start.
    pub dissipated: f64,
}

/// A body, in figures that do not change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BodySummary {
    /// fem, rigid, kinematic or static.
    pub kind: &'static str,
    /// Mass, kg; 0 for bodies that no force moves.
    pub mass_kg: f64,
    /// Nodes of a soft body, vertices of another.
    pub nodes: usize,
    /// Triangles of the surface.
    pub triangles: usize,
}

/// An expectation and how it came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expectation {
    /// In words.
    pub name: String,
    /// Whether it holds.
    pub ok: bool,
    /// The figure, if it is one.
    pub value: Option<f64>,
    /// What it had to be.
    pub bound: String,
    /// When the expected events came, in words; none when a figure was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Why there is no figure, or which events are missing or came that must not; none where figure and bound say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why a run stopped early.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// When, s.
    pub time: f64,
    /// Which body and why.
    pub message: String,
}
