//! One step, top to bottom.

use super::propose::{Acting, Proposal};
use super::{StepError, World};
use crate::cavity::Chambers;
use crate::integrator::{Scheme, TimeStep};
use crate::model::{Configuration, Soft, State};
use crate::report::{Energy, Observer, Phase, StepReport, worse};
use crate::settings::{Integrator, SolverChoice};
use crate::solver::{Outcome, SolveError, Touch};
use cupule_geometry::DVec3;

/// How often a failing step is halved before the run is given up: 1/16 of the step asked for.
const MAX_HALVINGS: u32 = 4;

/// Energy that a step with a kept factor may seem to make, as a share of what moves and is stored: rounding and tolerance.
const ENERGY_SLACK: f64 = 1e-2;

/// Elastic energy that no step may make, as a share of what moves, is stored and is worked. Cups that let go make up to 0.1 in a step
/// of 10 ms, and are meant to be done in halves, which make less; runaway steps make 0.3 and more.
const ENERGY_REFUSED: f64 = 0.02;

/// Energy made out of nothing, as a share of what moved, was stored and was worked.
struct Gain {
    /// In all: contacts that push bodies out of each other count too.
    total: f64,
    /// What of it is stored in strained bodies.
    elastic: f64,
}

impl World {
    /// Advances by one time step. Where a solver fails, the step is halved; where that does not help, the error names time,
    /// body and cause, and the state stays that of the last good step.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        self.prepare()?;
        // On a thread of the pool: what is shared out from elsewhere first has to wake one.
        rayon::scope(|_| self.step_in_pool(observer))
    }

    fn step_in_pool(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        self.remember_start_energy();
        let mut pieces = 1u32;
        let target = self.state.time + self.settings.time_step;
        loop {
            let length = self.settings.time_step / f64::from(pieces);
            match self.run_pieces(pieces, length, observer) {
                Ok(mut report) => {
                    // Halved steps add up to the whole one, to rounding.
                    self.state.time = target;
                    report.time = target;
                    return Ok(report);
                }
                Err(error) if pieces >= 1 << MAX_HALVINGS => return Err(self.explain(error)),
                Err(_) => pieces *= 2,
            }
        }
    }

    /// All pieces of a step, or none: when one fails, the world is again where the first began.
    fn run_pieces(
        &mut self,
        pieces: u32,
        length: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        // A single piece commits nothing when it fails.
        let start = (pieces > 1).then(|| {
            let memory = (self.memory.clone(), self.air.clone());
            (self.state.clone(), self.before.clone(), memory)
        });
        let result = self.run_in_turn(pieces, length, observer);
        if let (Err(_), Some(start)) = (&result, start) {
            (self.state, self.before, (self.memory, self.air)) = start;
        }
        result
    }

    fn run_in_turn(
        &mut self,
        pieces: u32,
        length: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        let mut report = self.advance(length, observer)?;
        for done in 1..pieces {
            let next = self.advance(length, observer)?;
            report = report.followed_by(next, done);
        }
        Ok(report)
    }

    fn explain(&self, error: SolveError) -> StepError {
        let (time, cause) = (self.state.time, error.to_string());
        match error.body() {
            Some(body) => StepError::Diverged { time, body: self.bodies[body].name.clone(), cause },
            None => StepError::Air { time, cause },
        }
    }

    fn advance(
        &mut self,
        length: f64,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        let loads = self.loads(self.state.time + length);
        self.command_cables(self.state.time + length);
        let mut schemes = self.schemes(length);
        let approach = self.look_and_approach(length, &schemes, &loads, observer)?;
        let chambers = self.chambers(length);
        let acting = Acting { loads: &loads, chambers: &chambers.list };
        let mut proposal = self.propose(length, &schemes, &acting, approach, observer)?;
        if self.fall_back_after_impact(&proposal, length, &mut schemes) {
            proposal = self.propose(length, &schemes, &acting, None, observer)?;
        }
        observer.enter(Phase::Other);
        let mut next = self.next(length, &schemes, &mut proposal);
        let mut stored = self.stored_energy(&next);
        let mut gain = self.energy_gain(&stored, &next, &proposal, length);
        if proposal.kept_factor && gain.total > ENERGY_SLACK {
            self.forget_factors();
            proposal = self.propose(length, &schemes, &acting, None, observer)?;
            observer.enter(Phase::Other);
            next = self.next(length, &schemes, &mut proposal);
            stored = self.stored_energy(&next);
            gain = self.energy_gain(&stored, &next, &proposal, length);
        }
        // The barrier of ipc stores energy that is not in this sum, and its steps lower the potential: they make none.
        let gain = (self.settings.solver == SolverChoice::Ncp).then_some(gain.elastic);
        if let Some(gain) = gain.filter(|gain| gain.is_nan() || *gain > ENERGY_REFUSED) {
            return Err(SolveError::Energy { body: self.most_strained(&next), gain });
        }
        self.memory.work +=
            self.work_of_drives(&next, &proposal.touches, &proposal.outcome, length);
        self.memory.stored = Some(stored);
        let mut report = self.commit(length, next, proposal, &chambers);
        report.elastic_gain = gain;
        report.events.splice(0..0, std::mem::take(&mut self.memory.seen));
        Ok(report)
    }

    /// Energy that a step makes out of nothing. An honest one makes none; but a stiffness that is a little old, harmless in slow
    /// motion, leads elastic forces on a stiff light body that turns fast into directions that do not resist, and so does a fresh
    /// one where cells turn far or inside out within the step, as when a stretched cup snaps back.
    fn energy_gain(&self, after: &Energy, next: &State, proposal: &Proposal, length: f64) -> Gain {
        let before = self.stored_now();
        let total = |e: &Energy| e.kinetic + e.elastic + e.gravity;
        let work = self.work_of_drives(next, &proposal.touches, &proposal.outcome, length)
            + self.work_of_air(&proposal.outcome)
            + self.work_of_parting(proposal);
        let scale = before.kinetic + before.elastic + work.abs() + self.unnoticed(proposal, length);
        let share = |energy: f64| if energy <= 0.0 { 0.0 } else { energy / scale };
        let total = total(after) - total(&before) - work;
        let elastic = -worse(-total, before.elastic - after.elastic);
        Gain { total: share(total), elastic: share(elastic) }
    }

    /// Energy below the solver's tolerance, J: of motion by it within the step, and of contacts that are wrong by it. A world at
    /// rest has none of its own, and rounding would look like a gain.
    fn unnoticed(&self, proposal: &Proposal, length: f64) -> f64 {
        let tolerance = self.settings.ncp.gap_tolerance;
        let mass: f64 = self.model.masses.iter().sum();
        let pressed: f64 = proposal.outcome.forces.iter().map(|force| force.x).sum();
        0.5 * mass * (tolerance / length).powi(2) + pressed * tolerance
    }

    /// Work of contacts that push bodies out of each other, J: bodies may start a little too near, or be moved there by a step that
    /// stopped early.
    fn work_of_parting(&self, proposal: &Proposal) -> f64 {
        let depth = |touch: &Touch| self.settings.contact_distance - touch.contact.distance;
        let pushed = proposal.touches.iter().zip(&proposal.outcome.forces);
        pushed.map(|(touch, force)| force.x * depth(touch).max(0.0)).sum()
    }

    /// The body whose elastic energy grows most on the way to another state.
    fn most_strained(&self, next: &State) -> usize {
        let growth = |soft: &Soft| {
            let energy =
                |state: &State| soft.elements.energy(&state.at.points[soft.points.clone()]);
            energy(next) - energy(&self.state)
        };
        let most = self.model.soft.iter().max_by(|a, b| growth(a).total_cmp(&growth(b)));
        most.map_or(0, |soft| soft.body)
    }

    /// Backward Euler, or BDF2 where the history is smooth.
    fn schemes(&self, length: f64) -> Vec<Scheme> {
        let second =
            self.settings.integrator == Integrator::Bdf2 && self.memory.last_length == length;
        let scheme = |restart: &bool| {
            if second && !restart { Scheme::bdf2(length) } else { Scheme::backward_euler(length) }
        };
        self.memory.restart.iter().map(scheme).collect()
    }

    /// A contact that stops a closing speed puts a velocity jump into the history of both its islands: they restart with
    /// backward Euler. The step of the impact only closes the gap, at whatever speed that takes; the next one stops it,
    /// so that contacts which were loaded before count too. Returns whether the proposal must be computed again.
    fn fall_back_after_impact(
        &mut self,
        proposal: &Proposal,
        length: f64,
        schemes: &mut [Scheme],
    ) -> bool {
        let slow = 2.0 * self.settings.gravity.length().max(1.0) * length;
        let Some(engine) = &self.engine else { return false };
        let mut hit = vec![false; schemes.len()];
        for (touch, force) in proposal.touches.iter().zip(&proposal.outcome.forces) {
            let velocity: DVec3 =
                touch.points.iter().map(|&(p, w)| self.state.point_velocities[p] * w).sum();
            if force.x > 0.0 && -velocity.dot(touch.contact.normal) > slow {
                for &(point, _) in &touch.points {
                    crate::mapping::for_each_block(
                        &self.model.ties,
                        &self.state.at.frames,
                        point,
                        &mut |block, _| {
                            hit[engine.islands.of_block[block]] = true;
                        },
                    );
                }
            }
        }
        let again = hit.iter().zip(schemes.iter()).any(|(hit, s)| *hit && s.carry > 0.0);
        for (scheme, _) in schemes.iter_mut().zip(&hit).filter(|(_, hit)| **hit) {
            *scheme = Scheme::backward_euler(length);
        }
        self.memory.restart = hit;
        again
    }

    /// The state that a proposal leads to.
    fn next(&self, length: f64, schemes: &[Scheme], proposal: &mut Proposal) -> State {
        let end = std::mem::take(&mut proposal.outcome.end);
        let islands = self.engine.as_ref().map(|e| e.islands.clone()).unwrap_or_default();
        let step =
            TimeStep { length, now: &self.state, before: &self.before, schemes, islands: &islands };
        let velocities = self.settled_velocities(&proposal.outcome.velocities, &end, &step);
        let point_velocities = step.velocities_at(&self.model, &end, &velocities);
        State { time: self.state.time + length, at: end, velocities, point_velocities }
    }

    fn commit(
        &mut self,
        length: f64,
        next: State,
        proposal: Proposal,
        chambers: &Chambers,
    ) -> StepReport {
        let Proposal { touches, outcome, factorisations, .. } = proposal;
        self.remember(&touches, &outcome);
        self.memory.last_length = length;
        self.before = std::mem::replace(&mut self.state, next);
        let mut report = self.report(length, &touches, &outcome, factorisations);
        self.commit_air(chambers, &touches, &outcome, &mut report);
        report
    }

    /// Spins are re-read from the angular momentum at the new orientation, so that it is the momentum that is kept.
    fn settled_velocities(
        &self,
        velocities: &[DVec3],
        end: &Configuration,
        step: &TimeStep,
    ) -> Vec<DVec3> {
        let mut out = velocities.to_vec();
        for (i, (rigid, frame)) in self.model.rigid.iter().zip(&end.frames).enumerate() {
            let predicted = step.predicted_orientation(i);
            let momentum = rigid.world_inertia(predicted) * velocities[frame.block + 1];
            out[frame.block + 1] = rigid.world_inertia(frame.orientation).inverse() * momentum;
        }
        out
    }

    fn remember(&mut self, touches: &[Touch], outcome: &Outcome) {
        self.memory.forces.clear();
        self.memory.unwanted_slips.clear();
        for (i, touch) in touches.iter().enumerate().filter(|(i, _)| outcome.forces[*i].x > 0.0) {
            let (force, measure) = (outcome.forces[i], outcome.solved_measures[i]);
            let (id, in_world) = (touch.contact.id, touch.to_world(force));
            self.memory.forces.insert(id, in_world);
            if touch.law.sticks(force) {
                // No more than the tolerance leaves: slips of contacts that are redundant must not ask for what no motion can do.
                let slip = touch.to_world(DVec3::new(0.0, measure.y, measure.z));
                let slip = slip.clamp_length_max(0.5 * self.settings.ncp.gap_tolerance);
                self.memory.unwanted_slips.insert(id, slip);
            }
        }
    }
}
