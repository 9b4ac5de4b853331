//! What is tried when a step does not do, in one place.
//!
//! | trouble | remedy |
//! | --- | --- |
//! | a contact stops a closing speed in an island that goes on with BDF2 | backward Euler in that island |
//! | the step makes energy, with a stiffness of an earlier step | a fresh factor |
//! | the solver fails, or the step still makes energy | the step is split: halves, quarters, down to 1/16 |
//! | however short, it makes energy | it is linearised again, half of the way towards the end of the last attempt |
//!
//! Shorter steps are more accurate, so they are tried before the last remedy.

use super::engine::Way;
use super::moment::Moment;
use super::step::Given;
use super::weigh::Weighed;
use super::{StepError, World};
use crate::integrator::Scheme;
use crate::model::Islands;
use crate::report::{Observer, StepReport};
use crate::settings::SolverChoice;
use crate::solver::{SolveError, WorldContact};
use cupule_geometry::DVec3;

/// How often a failing step is halved before the run is given up: 1/16 of the step asked for.
const MAX_HALVINGS: u32 = 4;

/// Energy that a step with a kept factor may seem to make, as a share of what moves and is stored: rounding and tolerance.
const ENERGY_SLACK: f64 = 1e-2;

/// How often a step that makes energy, however short, is linearised again, and about which share of the way to where it led: all of it
/// goes astray where cells turn far, as in an undamped cup that snaps back. There short steps make more energy than long ones.
const RELINEARISATIONS: usize = 8;
const TOWARDS: f64 = 0.5;

/// One time step of the world, in as few pieces as it takes.
pub(super) fn step(
    world: &mut World,
    observer: &mut dyn Observer,
) -> Result<StepReport, StepError> {
    world.remember_start_energy();
    let target = world.state.time + world.assembly.settings.time_step;
    let result = match split(world, 0, observer) {
        Err(Refused { cause, made_energy: true }) => {
            split(world, RELINEARISATIONS, observer).map_err(|_| cause)
        }
        other => other.map_err(|refused| refused.cause),
    };
    let mut report = result.map_err(|error| world.moment().explain(&error))?;
    // Pieces add up to the whole step, to rounding.
    world.state.time = target;
    report.time = target;
    Ok(report)
}

/// A step that was refused, however short its pieces.
struct Refused {
    /// Why its shortest pieces were.
    cause: SolveError,
    /// Whether any was because it made energy.
    made_energy: bool,
}

/// A step in as few halves, quarters and so on as it takes, each linearised again up to so many times.
fn split(
    world: &mut World,
    relinearisations: usize,
    observer: &mut dyn Observer,
) -> Result<StepReport, Refused> {
    let mut made_energy = false;
    let mut halvings = 0;
    loop {
        let cause = match pieces(world, 1 << halvings, relinearisations, observer) {
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
fn pieces(
    world: &mut World,
    count: u32,
    relinearisations: usize,
    observer: &mut dyn Observer,
) -> Result<StepReport, SolveError> {
    // A single piece commits nothing when it fails.
    let start = (count > 1).then(|| {
        let memory = (world.memory.clone(), world.air.clone());
        (world.state.clone(), world.before.clone(), memory)
    });
    let result = in_turn(world, count, relinearisations, observer);
    if let (Err(_), Some(start)) = (&result, start) {
        (world.state, world.before, (world.memory, world.air)) = start;
    }
    result
}

fn in_turn(
    world: &mut World,
    count: u32,
    relinearisations: usize,
    observer: &mut dyn Observer,
) -> Result<StepReport, SolveError> {
    let length = world.assembly.settings.time_step / f64::from(count);
    let mut report = world.advance(length, Remedies::new(relinearisations), observer)?;
    for done in 1..count {
        let next = world.advance(length, Remedies::new(relinearisations), observer)?;
        report = report.followed_by(next, done);
    }
    Ok(report)
}

/// What can still be tried within one piece.
pub(super) struct Remedies {
    /// Islands that the first proposal hit; none before it.
    hit: Option<Vec<bool>>,
    renewed: bool,
    relinearised: usize,
    relinearisations: usize,
    /// Block velocities of the last linearisation.
    about: Vec<DVec3>,
}

/// What to do with a proposal.
pub(super) enum Verdict {
    /// It is good.
    Accept(Box<Accepted>),
    /// The step is to be computed again, this way.
    Again(Way),
}

/// A proposal that was found good.
pub(super) struct Accepted {
    pub(super) weighed: Weighed,
    /// Islands whose history now holds an impact.
    pub(super) restart: Vec<bool>,
    /// Elastic energy out of nothing, where the solver can make any.
    pub(super) elastic_gain: Option<f64>,
}

impl Remedies {
    fn new(relinearisations: usize) -> Self {
        Self { hit: None, renewed: false, relinearised: 0, relinearisations, about: Vec::new() }
    }

    /// Whether a weighed proposal is good, and what to try otherwise.
    pub(super) fn judge(
        &mut self,
        moment: Moment,
        weighed: Weighed,
        given: &mut Given,
        islands: &Islands,
    ) -> Result<Verdict, SolveError> {
        if self.hit.is_none() {
            let hit = moment.islands_hit(&weighed.proposal, given.length, islands);
            let falls_back = fall_back(&hit, given.length, &mut given.schemes);
            self.hit = Some(hit);
            if falls_back {
                return Ok(Verdict::Again(Way::Fresh));
            }
        }
        let untried = !self.renewed && self.relinearised == 0;
        if untried && weighed.proposal.keeps_stiffness && weighed.gain.total > ENERGY_SLACK {
            self.renewed = true;
            return Ok(Verdict::Again(Way::NewFactor));
        }
        // The barrier of ipc stores energy that is not in this sum, and its steps lower the potential: they make none.
        let linear = moment.assembly.settings.solver == SolverChoice::Ncp;
        if linear && weighed.makes_energy() {
            if self.relinearised == self.relinearisations {
                let (body, gain) = (moment.most_strained(&weighed.next), weighed.gain.elastic);
                return Err(SolveError::Energy { body, gain });
            }
            return Ok(Verdict::Again(Way::About(self.next_base(moment, &weighed))));
        }
        let elastic_gain = linear.then_some(weighed.gain.elastic);
        let restart = self.hit.take().unwrap_or_default();
        Ok(Verdict::Accept(Box::new(Accepted { weighed, restart, elastic_gain })))
    }

    /// Block velocities about which to linearise next: towards those that the last attempt led to.
    fn next_base(&mut self, moment: Moment, weighed: &Weighed) -> Vec<DVec3> {
        if self.relinearised == 0 {
            self.about.clone_from(&moment.state.velocities);
        }
        self.relinearised += 1;
        let led_to = &weighed.proposal.outcome.velocities;
        self.about.iter_mut().zip(led_to).for_each(|(v, to)| *v = v.lerp(*to, TOWARDS));
        self.about.clone()
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

impl Moment<'_> {
    /// Islands with a contact that stops a closing speed, which puts a velocity jump into their history: they restart with
    /// backward Euler. The step of the impact only closes the gap, at whatever speed that takes; the next one stops it,
    /// so that contacts which were loaded before count too.
    fn islands_hit(
        &self,
        proposal: &super::engine::Proposal,
        length: f64,
        islands: &Islands,
    ) -> Vec<bool> {
        let slow = 2.0 * self.assembly.settings.gravity.length().max(1.0) * length;
        let mut hit = vec![false; islands.blocks.len()];
        let forces = &proposal.outcome.forces;
        for (WorldContact { touch, .. }, force) in proposal.contacts.iter().zip(forces) {
            let velocity: DVec3 =
                touch.points.iter().map(|&(p, w)| self.state.point_velocities[p] * w).sum();
            if force.x > 0.0 && -velocity.dot(touch.normal) > slow {
                let (ties, frames) = (&self.assembly.model.ties, &self.state.at.frames);
                for &(point, _) in &touch.points {
                    crate::mapping::for_each_block(ties, frames, point, &mut |block, _| {
                        hit[islands.of_block[block]] = true;
                    });
                }
            }
        }
        hit
    }

    /// A solver's error in the words of the world.
    fn explain(&self, error: &SolveError) -> StepError {
        let (time, cause) = (self.state.time, error.to_string());
        match error.body() {
            Some(body) => {
                let body = self.assembly.bodies[body].name.clone();
                StepError::Diverged { time, body, cause }
            }
            None => StepError::Failed { time, cause },
        }
    }
}
