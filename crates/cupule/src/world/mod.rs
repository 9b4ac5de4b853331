//! The world: bodies, attachments, loads, and time.
//!
//! A [`WorldBuilder`] takes bodies and what is between them and turns into a [`World`], which is ready to step. The world owns the state;
//! solvers only propose the next one.
//!
//! | file | what it does |
//! | --- | --- |
//! | `builder/` | takes bodies, attachments, cables, loads; numbers the unknowns, checks the start, makes the solver |
//! | `assembly` | what is simulated, apart from where it is |
//! | `moment` | a read-only view of one moment |
//! | `step` | one step, top to bottom |
//! | `retry` | what is tried when a step does not do |
//! | `engine` | either solver's proposal |
//! | `weigh` | what a proposal makes of the energy |
//! | `commit` | what an accepted step leaves |
//! | `read`, `capabilities` | what can be asked of a world, and what its bodies can do |
//! | `controls` | what can be changed between two steps |
//! | `loads`, `cable`, `bonds`, `air`, `seal_loads` | what acts: loads and drives, cables, bonds, gas, what presses on seals |
//! | `reports`, `stress`, `seals`, `events`, `cause`, `slip` | what comes out: values, seals, and what happened and why |

mod air;
mod assembly;
mod bonds;
mod builder;
mod cable;
mod capabilities;
mod cause;
mod commit;
mod controls;
mod engine;
mod events;
mod loads;
mod moment;
mod read;
mod reports;
mod retry;
mod seal_loads;
mod seals;
mod slip;
mod step;
mod stress;
mod weigh;

pub use assembly::BodyKind;
pub use bonds::BondSpec;
pub use builder::{
    AttachmentId, AttachmentSpec, BodyId, FemSpec, Hold, KinematicSpec, MassSpec, RigidSpec,
    SpringEnd, SpringSpec, SpringsSpec, StepError, ThinMotion, ThinSpec, WorldBuilder, WorldError,
    WrenchPath,
};
pub use cable::{CableDrive, CableSpec};
pub use capabilities::Capabilities;
pub use controls::Controls;
pub use read::AttachmentView;
pub use seals::SealReport;
pub use stress::VonMises;

use crate::cavity::AirSpace;
use crate::contact::ContactId;
use crate::event::Event;
use crate::law::Histories;
use crate::model::State;
use crate::report::Energy;
use assembly::Assembly;
use cupule_geometry::DVec3;
use engine::Engine;
use moment::Moment;
use std::collections::BTreeMap;

/// Everything that is simulated, ready to step. A clone goes on with the same bits.
#[derive(Clone)]
pub struct World {
    assembly: Assembly,
    engine: Engine,
    state: State,
    /// One step ago; the same as `state` before the first.
    before: State,
    memory: Memory,
    air: Option<AirSpace>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.assembly.bodies.iter().map(|b| b.name.as_str()).collect();
        f.debug_struct("World").field("time", &self.time()).field("bodies", &names).finish()
    }
}

/// What one step leaves to the next.
#[derive(Clone, Default)]
struct Memory {
    forces: BTreeMap<ContactId, DVec3>,
    /// Slip left by the tolerance at sticking contacts, m.
    unwanted_slips: BTreeMap<ContactId, DVec3>,
    /// What contact laws remember.
    histories: Histories,
    /// Length of the last step, s; 0 before the first.
    last_length: f64,
    /// Islands whose history holds an impact.
    restart: Vec<bool>,
    /// Work done on the bodies by drives, wrenches and kinematic bodies, J.
    work: f64,
    start_energy: Option<Energy>,
    /// Energies of the present state, once a step has been done.
    stored: Option<Energy>,
    /// Forces on bodies at the end of the last step.
    budgets: Vec<events::Budget>,
    /// Velocities of bodies a step before that, m/s.
    velocities_before: Vec<DVec3>,
    /// What free bodies stand on.
    supports: Vec<events::Support>,
    /// Who sealed.
    pairs: seals::Pairs,
    /// What looks at the air found since the last step that was done.
    seen: Vec<Event>,
}

impl Memory {
    /// Before the first step: every island starts afresh.
    fn new(islands: usize) -> Self {
        Self { restart: vec![true; islands], ..Self::default() }
    }
}

impl World {
    /// What the energy balance starts from: the state of the first step, after whatever was changed before it.
    fn remember_start_energy(&mut self) {
        if self.memory.start_energy.is_none() {
            self.memory.start_energy = Some(self.moment().stored_now());
        }
    }

    fn moment(&self) -> Moment<'_> {
        let World { assembly, state, before, memory, .. } = self;
        Moment { assembly, state, before, memory }
    }
}
