//! One step, top to bottom.

use super::propose::{Acting, Proposal, Way};
use super::{StepError, World};
use crate::cavity::Chambers;
use crate::integrator::{Scheme, TimeStep};
use crate::model::{Configuration, Soft, State};
use crate::report::{Energy, Observer, Phase, StepReport, worse};
use crate::settings::{Integrator, SolverChoice};
use crate::solver::{Chamber, Outcome, SolveError, Touch};
use cupule_geometry::DVec3;

/// How often a failing step is halved before the run is given up: 1/16 of the step asked for.
const MAX_HALVINGS: u32 = 4;

/// Energy that a step with a kept factor may seem to make, as a share of what moves and is stored: rounding and tolerance.
const ENERGY_SLACK: f64 = 1e-2;

/// Elastic energy that no step may make, as a share of what moves, is stored and is worked. Cups that let go make up to 0.1 in a step
/// of 10 ms, and are meant to be done in halves, which make less; runaway steps make 0.3 and more.
const ENERGY_REFUSED: f64 = 0.02;

/// How often a step that makes energy, however short, is linearised anew, and about which share of the way to where it led: all of it
/// goes astray where cells turn far, as in an undamped cup that snaps back. There short steps make more energy than long ones.
const RELINEARISATIONS: usize = 8;
const TOWARDS: f64 = 0.5;

/// A step that was refused, however short its pieces.
struct Refused {
    /// Why its shortest pieces were.
    cause: SolveError,
    /// Whether any was because it made energy.
    made_energy: bool,
}

/// A proposal with what it leads to.
struct Weighed {
    proposal: Proposal,
    next: State,
    stored: Energy,
    gain: Gain,
}

impl Weighed {
    /// Whether it makes more elastic energy than any step may.
    fn makes_energy(&self) -> bool {
        self.gain.elastic.is_nan() || self.gain.elastic > ENERGY_REFUSED
    }
}

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
        let target = self.state.time + self.settings.time_step;
        // Shorter steps are more accurate, so they are tried first.
        let result = match self.run_halved(0, observer) {
            Err(Refused { cause, made_energy: true }) => {
                self.run_halved(RELINEARISATIONS, observer).map_err(|_| cause)
            }
            other => other.map_err(|refused| refused.cause),
        };
        match result {
            Ok(mut report) => {
                // Halved steps add up to the whole one, to rounding.
                self.state.time = target;
                report.time = target;
                Ok(report)
            }
            Err(error) => Err(self.explain(error)),
        }
    }

    /// A step in as few halves, quarters and so on as it takes, each linearised anew up to so many times.
    fn run_halved(
        &mut self,
        relinearisations: usize,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, Refused> {
        let mut made_energy = false;
        let mut halvings = 0;
        loop {
            let cause = match self.run_pieces(1 << halvings, relinearisations, observer) {
                Ok(report) => return Ok(report),
                Err(cause) => cause,
            };
            made_energy |= matches!(cause, SolveError::Energy { .. });
            if halvings == MAX_HALVINGS {
                return Err(Refused { cause, made_energy });
            }
            halvings += 1;
        }
    }

    /// All pieces of a step, or none: when one fails, the world is again where the first began.
    fn run_pieces(
        &mut self,
        pieces: u32,
        relinearisations: usize,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        // A single piece commits nothing when it fails.
        let start = (pieces > 1).then(|| {
            let memory = (self.memory.clone(), self.air.clone());
            (self.state.clone(), self.before.clone(), memory)
        });
        let result = self.run_in_turn(pieces, relinearisations, observer);
        if let (Err(_), Some(start)) = (&result, start) {
            (self.state, self.before, (self.memory, self.air)) = start;
        }
        result
    }

    fn run_in_turn(
        &mut self,
        pieces: u32,
        relinearisations: usize,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        let length = self.settings.time_step / f64::from(pieces);
        let mut report = self.advance(length, relinearisations, observer)?;
        for done in 1..pieces {
            let next = self.advance(length, relinearisations, observer)?;
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
        relinearisations: usize,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        let loads = self.loads(self.state.time + length);
        self.command_cables(self.state.time + length);
        let mut schemes = self.schemes(length);
        let approach = self.look_and_approach(length, &schemes, &loads, observer)?;
        let chambers = self.chambers(length);
        let acting = Acting { loads: &loads, chambers: &chambers.list };
        let known = approach.map(Way::Known);
        let mut proposal = self.propose(length, &schemes, &acting, known, observer)?;
        let hit = self.islands_hit(&proposal, length);
        if fall_back(&hit, length, &mut schemes) {
            proposal = self.propose(length, &schemes, &acting, None, observer)?;
        }
        observer.enter(Phase::Other);
        let mut weighed = self.weigh(proposal, None, &schemes, &chambers.list, length);
        if weighed.proposal.keeps_stiffness && weighed.gain.total > ENERGY_SLACK {
            self.forget_factors();
            let proposal = self.propose(length, &schemes, &acting, None, observer)?;
            observer.enter(Phase::Other);
            weighed = self.weigh(proposal, None, &schemes, &chambers.list, length);
        }
        // The barrier of ipc stores energy that is not in this sum, and its steps lower the potential: they make none.
        let linear = self.settings.solver == SolverChoice::Ncp;
        let mut about = self.state.velocities.clone();
        for _ in 0..relinearisations {
            if !(linear && weighed.makes_energy()) {
                break;
            }
            let led_to = &weighed.proposal.outcome.velocities;
            about.iter_mut().zip(led_to).for_each(|(v, to)| *v = v.lerp(*to, TOWARDS));
            let way = Some(Way::About(about.clone()));
            let proposal = self.propose(length, &schemes, &acting, way, observer)?;
            observer.enter(Phase::Other);
            weighed = self.weigh(proposal, Some(&about), &schemes, &chambers.list, length);
        }
        let gain = linear.then_some(weighed.gain.elastic);
        if let Some(gain) = gain.filter(|_| weighed.makes_energy()) {
            return Err(SolveError::Energy { body: self.most_strained(&weighed.next), gain });
        }
        let Weighed { proposal, next, stored, .. } = weighed;
        self.memory.work += self.work_of_drives(
            &next,
            &proposal.touches,
            &chambers.list,
            &proposal.outcome,
            length,
        );
        self.memory.stored = Some(stored);
        self.memory.restart = hit;
        let mut report = self.commit(length, next, proposal, &chambers);
        report.elastic_gain = gain;
        report.events.splice(0..0, std::mem::take(&mut self.memory.seen));
        Ok(report)
    }

    /// The state that a proposal leads to, about velocities as it was made, and what that makes of the energy.
    fn weigh(
        &self,
        mut proposal: Proposal,
        about: Option<&[DVec3]>,
        schemes: &[Scheme],
        chambers: &[Chamber],
        length: f64,
    ) -> Weighed {
        let next = self.next(length, schemes, about, &mut proposal);
        let stored = self.stored_energy(&next);
        let gain = self.energy_gain(&stored, &next, &proposal, chambers, length);
        Weighed { proposal, next, stored, gain }
    }

    /// Energy that a step makes out of nothing. An honest one makes none; but a stiffness that is a little old, harmless in slow
    /// motion, leads elastic forces on a stiff light body that turns fast into directions that do not resist, and so does a fresh
    /// one where cells turn far or inside out within the step, as when a stretched cup snaps back.
    fn energy_gain(
        &self,
        after: &Energy,
        next: &State,
        proposal: &Proposal,
        chambers: &[Chamber],
        length: f64,
    ) -> Gain {
        let before = self.stored_now();
        let total = |e: &Energy| e.kinetic + e.elastic + e.gravity;
        let work =
            self.work_of_drives(next, &proposal.touches, chambers, &proposal.outcome, length)
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
        let depth = |touch: &Touch| touch.distance - touch.contact.distance;
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

    /// Islands with a contact that stops a closing speed, which puts a velocity jump into their history: they restart with
    /// backward Euler. The step of the impact only closes the gap, at whatever speed that takes; the next one stops it,
    /// so that contacts which were loaded before count too.
    fn islands_hit(&self, proposal: &Proposal, length: f64) -> Vec<bool> {
        let slow = 2.0 * self.settings.gravity.length().max(1.0) * length;
        let Some(engine) = &self.engine else { return Vec::new() };
        let mut hit = vec![false; engine.islands.blocks.len()];
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
        hit
    }

    /// The state that a proposal leads to.
    fn next(
        &self,
        length: f64,
        schemes: &[Scheme],
        about: Option<&[DVec3]>,
        proposal: &mut Proposal,
    ) -> State {
        let end = std::mem::take(&mut proposal.outcome.end);
        let islands = self.engine.as_ref().map(|e| e.islands.clone()).unwrap_or_default();
        let step = TimeStep {
            length,
            now: &self.state,
            before: &self.before,
            schemes,
            islands: &islands,
            about,
        };
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

/// Makes islands that were hit go on with backward Euler; whether that changes anything, so that the step must be computed again.
fn fall_back(hit: &[bool], length: f64, schemes: &mut [Scheme]) -> bool {
    let again = hit.iter().zip(schemes.iter()).any(|(hit, scheme)| *hit && scheme.carry > 0.0);
    for (scheme, _) in schemes.iter_mut().zip(hit).filter(|(_, hit)| **hit) {
        *scheme = Scheme::backward_euler(length);
    }
    again
}
