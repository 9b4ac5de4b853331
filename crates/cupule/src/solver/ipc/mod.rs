//! The incremental-potential step (physics section 4; 003; Li et al. 2020): the end of the step minimises inertia, elasticity,
//! damping, loads, a barrier between all surface primitives that come within dhat, and friction; every motion on the way is cleared by
//! collision detection. So no two surfaces ever intersect, whatever stiffness, speed or step.
//!
//! dhat is the contact distance of the settings: what the complementarity solver holds surfaces apart by is what the barrier
//! begins at. Deviations from 003: the barrier is weighted by area; a rigid body is a very stiff affine one whose inertial target is
//! the rigid motion; driven points are led, not penalised (`newton`).

mod affine;
mod barrier;
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
mod surfaces;
mod system;

pub use barrier::floating_height;

use super::{Chamber, Outcome, SolveError, Touch};
use crate::integrator::TimeStep;
use crate::model::{Configuration, Loads, Model};
use crate::settings::Settings;
use contacts::{Contacts, near};
use coordinates::Coordinates;
use cupule_geometry::{DVec3, GeometryError};
use gas::AirPotential;
use increment::Increment;
use newton::{Newton, State};
use pair::Reach;
use surfaces::{Skin, Surfaces};
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

/// A collision surface as this solver wants it.
pub struct Shell<'a> {
    /// World point of every vertex.
    pub points: &'a [usize],
    /// Its triangles.
    pub triangles: &'a [[u32; 3]],
}

/// The solver, with what it keeps from step to step: patterns and search trees, nothing that a result depends on.
pub struct Ipc {
    coordinates: Coordinates,
    surfaces: Surfaces,
    system: System,
}

/// What a step needs besides its own times.
pub struct Setting<'a> {
    /// Points, ties, masses, elasticity.
    pub model: &'a Model,
    /// Tolerances and distances.
    pub settings: &'a Settings,
    /// Friction coefficient of two surfaces.
    pub friction: &'a dyn Fn(usize, usize) -> f64,
}

impl Ipc {
    /// Analyses a model; `pairs` of surfaces may touch.
    pub fn new(
        model: &Model,
        at: &Configuration,
        shells: &[Shell],
        pairs: &[(usize, usize)],
        settings: &Settings,
    ) -> Result<Self, IpcError> {
        let coordinates = Coordinates::new(model, settings.ipc.rigid_stiffness);
        let skins = shells
            .iter()
            .map(|shell| Skin::new(shell.points, shell.triangles, &at.points))
            .collect::<Result<_, _>>()?;
        let surfaces = Surfaces::new(skins, pairs.to_vec(), settings.contact_distance);
        let system = System::new(model, &coordinates, &coordinates.read(model, at))
            .map_err(|_| IpcError::TooLarge)?;
        Ok(Self { coordinates, surfaces, system })
    }

    /// Advances by one step: the contacts at its end and what they do.
    pub fn advance(
        &mut self,
        setting: &Setting,
        step: &TimeStep,
        loads: &Loads,
        chambers: &[Chamber],
    ) -> Result<(Vec<Touch>, Outcome), SolveError> {
        let Setting { model, settings, friction } = setting;
        let start = &step.now.at.points;
        let increment = Increment::new(model, &self.coordinates, step, loads);
        let reach = Reach {
            stiffness: settings.ipc.barrier_stiffness,
            distance: settings.contact_distance,
        };
        let expected: Vec<DVec3> =
            step.now.point_velocities.iter().map(|v| *v * step.length).collect();
        let candidates = self.surfaces.candidates(start, &expected);
        let touching = near(candidates, start, reach.distance);
        let threshold = settings.ipc.stick_speed * step.length;
        let lag = |near: &[contacts::Near]| Contacts::lag(reach, threshold, start, near, friction);
        let mut contacts = lag(&touching);
        let nodes = self.coordinates.read(model, &step.now.at);
        let onward = step.advance(model, &step.base_block_velocities());
        let onward = self.coordinates.read(model, &onward);
        let drift: Vec<DVec3> = onward.iter().zip(&nodes).map(|(to, from)| *to - *from).collect();
        let mut state = State { nodes, points: start.clone() };
        let (mut targets, mut iterations) = (targets(model, step), 0);
        let mut air = AirPotential::new(chambers, start, &self.coordinates);
        let mut rounds = 0;
        let (solved, missed) = loop {
            let mut newton = Newton {
                increment: &increment,
                contacts: &contacts,
                air: &air,
                surfaces: &mut self.surfaces,
                system: &mut self.system,
                settings: &settings.ipc,
                length: step.length,
            };
            let mut solved = newton
                .run(&mut state, &targets, &drift)
                .map_err(|_| SolveError::Factor { body: 0 })?;
            iterations += solved.iterations;
            solved.iterations = iterations;
            rounds += 1;
            let again = lag(&solved.near);
            let missed = air.correct(&state.points);
            let rubs = again.differ(&contacts, FRICTION_CHANGE);
            let airs = missed > settings.ncp.gas_tolerance;
            if rounds >= MOST_ROUNDS || !(airs || rubs && rounds < FRICTION_ROUNDS) {
                break (solved, missed);
            }
            contacts = again;
            // Driven points are where they can be.
            targets.clear();
        };
        let (pressures, volumes) = (air.pressures(&state.points), air.volumes(&state.points));
        let (touches, mut outcome) = outcome::outcome(
            model,
            &self.coordinates,
            &self.surfaces,
            &contacts,
            step,
            state,
            solved,
        );
        (outcome.pressures, outcome.volumes) = (pressures, volumes);
        outcome.residual.gas = missed;
        Ok((touches, outcome))
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
    TooLarge,
}
