//! The incremental-potential step (physics section 4; 003; Li et al. 2020): the end of the step minimises inertia, elasticity,
//! damping, loads, a barrier between all surface primitives that come within dhat, and friction; every motion on the way is cleared by
//! collision detection. So no two surfaces ever intersect, whatever stiffness, speed or step.
//!
//! dhat is the contact distance of the settings: what the complementarity solver holds surfaces apart by is what the barrier
//! begins at. Deviations from 003: the barrier is weighted by area; a rigid body is a very stiff affine one whose inertial target is
//! the rigid motion; driven points are led, not penalised (`newton`).

mod affine;
mod barrier;
mod bonds;
#[cfg(test)]
mod checks;
mod contacts;
mod coordinates;
mod friction;
mod gas;
mod increment;
mod measure;
mod mollifier;
mod newton;
mod outcome;
mod pair;
mod secants;
mod surfaces;
mod system;
mod tubes;

pub use barrier::floating_height;

use super::{Outcome, Problem, SolveError, TooLarge, WorldContact};
use crate::contact::CollisionSurface;
use crate::integrator::TimeStep;
use crate::model::{Configuration, Model};
use crate::settings::Settings;
use crate::sparse::FactorError;
use contacts::{Contacts, Near, near};
use coordinates::Coordinates;
use cupule_geometry::{DVec3, GeometryError};
use gas::AirPotential;
use increment::Increment;
use newton::{Newton, Solved, State};
use pair::Reach;
use surfaces::{SearchSurface, Surfaces};
use system::System;

/// A driven part turns by at most this angle (rad) along one chord: half a chord shortens a radius by 0.5 %.
const CHORD: f64 = 0.2;

/// Friction is lagged by a step unless normal forces between two bodies have changed by more than this share: then the step is solved again
/// with those of its end. So an impact has friction, and steady contact costs one solve.
const FRICTION_CHANGE: f64 = 0.2;
/// How often.
const FRICTION_ROUNDS: usize = 4;
/// How often a step is solved again for volumes that bend and tubes.
const MOST_ROUNDS: usize = 12;

/// The solver, with what it keeps from step to step: patterns and search trees, nothing that a result depends on.
#[derive(Clone)]
pub struct Ipc {
    coordinates: Coordinates,
    surfaces: Surfaces,
    system: System,
}

impl Ipc {
    /// Analyses a model; `pairs` of surfaces may touch.
    pub fn new(
        model: &Model,
        at: &Configuration,
        bodies: &[&CollisionSurface],
        pairs: &[(usize, usize)],
        settings: &Settings,
    ) -> Result<Self, IpcError> {
        let coordinates = Coordinates::new(model, settings.ipc.rigid_stiffness);
        let searched = bodies.iter().map(|surface| SearchSurface::new(surface, &at.points));
        let searched = searched.collect::<Result<_, _>>()?;
        let surfaces = Surfaces::new(searched, pairs.to_vec(), settings.contact_distance);
        let system =
            System::new(model, &coordinates, &coordinates.read(model, at)).map_err(|_| {
                let all: Vec<usize> = (0..model.blocks()).collect();
                IpcError::TooLarge(TooLarge::of(model, &all))
            })?;
        Ok(Self { coordinates, surfaces, system })
    }

    /// Advances by one step: the contacts at its end and what they do.
    pub fn advance(
        &mut self,
        problem: &Problem,
    ) -> Result<(Vec<WorldContact>, Outcome), SolveError> {
        let Problem { model, step, loads, chambers, .. } = *problem;
        let start = &step.now.at.points;
        let Self { coordinates, surfaces, system } = self;
        let increment = Increment::new(model, coordinates, step, loads);
        let mut air = AirPotential::new(chambers, start, coordinates);
        let nodes = coordinates.read(model, &step.now.at);
        let mut state = State { nodes, points: start.clone(), energy: None };
        let mut rounds = Rounds { problem: *problem, increment: &increment, surfaces, system };
        let (contacts, solved, missed) = rounds.run(&mut state, &mut air).map_err(|error| {
            SolveError::of_factor(error, |node| coordinates.body_of(model, node))
        })?;
        let (pressures, volumes) = (air.pressures(&state.points), air.volumes(&state.points));
        let (ends, mut outcome) =
            outcome::outcome(problem, coordinates, surfaces, &contacts, state, solved);
        (outcome.pressures, outcome.volumes) = (pressures, volumes);
        outcome.residual.gas = missed;
        Ok((ends, outcome))
    }
}

/// The minimisations of one step, until what is lagged in them holds.
struct Rounds<'a, 'm> {
    problem: Problem<'a>,
    increment: &'m Increment<'m>,
    surfaces: &'m mut Surfaces,
    system: &'m mut System,
}

impl<'a> Rounds<'a, '_> {
    /// The contacts as lagged last, the minimum, and the largest change of a pressure that was left (of the atmosphere).
    fn run(
        &mut self,
        state: &mut State,
        air: &mut AirPotential,
    ) -> Result<(Contacts<'a>, Solved, f64), FactorError> {
        let Problem { model, step, settings, .. } = self.problem;
        let mut contacts = self.first_contacts();
        let (drift, mut targets) = (self.drift(&state.nodes), targets(model, step));
        let mut iterations = 0;
        let mut round = 0;
        loop {
            round += 1;
            let mut newton = Newton {
                increment: self.increment,
                contacts: &contacts,
                air: &*air,
                surfaces: &mut *self.surfaces,
                system: &mut *self.system,
                settings: &settings.ipc,
                length: step.length,
                secants: secants::Secants::default(),
            };
            let mut solved = newton.run(state, &targets, &drift)?;
            iterations += solved.iterations;
            solved.iterations = iterations;
            let again = self.lag(&solved.near);
            let missed = air.correct(&state.points);
            let rubs = round < FRICTION_ROUNDS && again.differ(&contacts, FRICTION_CHANGE);
            let flows = round < MOST_ROUNDS && missed > settings.ncp.gas_tolerance;
            if !rubs && !flows {
                return Ok((contacts, solved, missed));
            }
            // Friction that does not settle is left as it is, so that the volumes can.
            if rubs {
                contacts = again;
            }
            // Driven points are where they can be.
            targets.clear();
        }
    }

    /// Contacts with the friction of the start of the step.
    fn first_contacts(&mut self) -> Contacts<'a> {
        let Problem { step, settings, .. } = self.problem;
        let now = step.now;
        let expected: Vec<DVec3> = now.point_velocities.iter().map(|v| *v * step.length).collect();
        let candidates = self.surfaces.candidates(&now.at.points, &expected);
        let touching = near(candidates, &now.at.points, settings.contact_distance);
        self.lag(&touching)
    }

    fn lag(&self, near: &[Near]) -> Contacts<'a> {
        let Problem { step, settings, laws, bonds, .. } = self.problem;
        let reach = Reach {
            stiffness: settings.ipc.barrier_stiffness,
            distance: settings.contact_distance,
        };
        let threshold = settings.ipc.stick_speed * step.length;
        Contacts::lag(reach, threshold, step.now, near, laws, bonds)
    }

    /// How nodes would move if everything went on as it does.
    fn drift(&self, nodes: &[DVec3]) -> Vec<DVec3> {
        let Problem { model, step, .. } = self.problem;
        let onward = step.advance(model, &step.base_block_velocities());
        let onward = self.increment.coordinates.read(model, &onward);
        onward.iter().zip(nodes).map(|(to, from)| *to - *from).collect()
    }
}

/// Where driven points are to be, chord after chord, until the end of the step.
fn targets(model: &Model, step: &TimeStep) -> Vec<Vec<DVec3>> {
    let (begin, end) = (step.now.time, step.now.time + step.length);
    let turn = |d: &crate::motion::Motion| d.at(begin).rotation.angle_between(d.at(end).rotation);
    let largest = model.drives.iter().map(turn).fold(0.0, f64::max);
    let chords = (largest / CHORD).ceil().clamp(1.0, 1000.0) as usize;
    (1..=chords)
        .map(|k| {
            let time = begin + step.length * k as f64 / chords as f64;
            let poses: Vec<_> = model.drives.iter().map(|d| d.at(time)).collect();
            let target = |tie: &crate::mapping::Tie| match tie {
                crate::mapping::Tie::Driven { drive, start } => poses[*drive].apply(*start),
                _ => DVec3::ZERO,
            };
            model.ties.iter().map(target).collect()
        })
        .collect()
}

/// Why the solver cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum IpcError {
    /// A surface is defective.
    #[error(transparent)]
    Surface(#[from] GeometryError),
    /// The system does not fit in memory.
    #[error("the system is too large to be factored")]
    TooLarge(TooLarge),
}
