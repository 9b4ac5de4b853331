//! One step, top to bottom: look and approach, propose, weigh, commit. What is tried when that does not do is in `retry`.

use super::engine::{Approach, Proposal, Way};
use super::moment::Moment;
use super::retry::{self, Remedies, Verdict};
use super::weigh::Weighed;
use super::{StepError, World};
use crate::cavity::Chambers;
use crate::integrator::{Scheme, TimeStep};
use crate::model::{Configuration, Islands, Loads, State};
use crate::report::{Observer, Phase, StepReport};
use crate::settings::Integrator;
use crate::solver::{Bond, SolveError};
use cupule_geometry::DVec3;

/// What is given for a step: its length, and what acts during it.
pub(super) struct Given {
    /// s.
    pub(super) length: f64,
    /// How every island is advanced.
    pub(super) schemes: Vec<Scheme>,
    pub(super) loads: Loads,
    pub(super) bonds: Vec<Bond>,
    pub(super) chambers: Chambers,
}

impl World {
    /// Advances by one time step. Where a solver fails, the step is split; where that does not help, the error names time,
    /// body and cause, and the state stays that of the last good step.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<StepReport, StepError> {
        // On a thread of the pool: what is shared out from elsewhere first has to wake one.
        rayon::scope(|_| retry::step(self, observer))
    }

    /// One step of a length (s), as it is computed once: nothing of the world changes where it is refused.
    pub(super) fn advance(
        &mut self,
        length: f64,
        mut remedies: Remedies,
        observer: &mut dyn Observer,
    ) -> Result<StepReport, SolveError> {
        let mut given = self.given(length);
        let approach = self.look_and_approach(&given, observer)?;
        given.chambers = self.chambers(length);
        let mut way = approach.map_or(Way::Fresh, Way::Known);
        loop {
            let proposal = self.propose(&given, way, observer)?;
            observer.enter(Phase::Other);
            let weighed = self.weigh(proposal, &given);
            match remedies.judge(self.moment(), weighed, &mut given, &self.engine.islands)? {
                Verdict::Accept(accepted) => return Ok(self.commit(given, accepted)),
                Verdict::Again(other) => way = other,
            }
        }
    }

    /// Loads and schemes of the next step; cables get what their drives say at its end.
    fn given(&mut self, length: f64) -> Given {
        let end = self.state.time + length;
        self.assembly.command_cables(end);
        let (loads, schemes) = (self.moment().loads(end), self.moment().schemes(length));
        let bonds = self.assembly.bonds_at(&self.state.at.points);
        Given { length, schemes, loads, bonds, chambers: Chambers::default() }
    }

    /// Finds the cavities of the present positions, and at the same time moves everything freely, which needs no air. What
    /// happened to cavities is kept until a step from here is accepted: one that is refused finds nothing new when it is tried
    /// again in smaller pieces.
    fn look_and_approach(
        &mut self,
        given: &Given,
        observer: &mut dyn Observer,
    ) -> Result<Option<Approach>, SolveError> {
        let World { assembly, engine, state, before, memory, air } = self;
        let moment = Moment { assembly, state, before, memory };
        let [mut first, mut second] = observer.split();
        let look = || {
            first.enter(Phase::Cavities);
            air.as_mut().map_or(Ok(Vec::new()), |air| moment.look_at(air))
        };
        // This thread goes on with what the approach leaves: factor and contacts stay in its cache.
        let (approach, events) =
            rayon::join(|| engine.approach(&moment, given, &mut *second), look);
        self.memory.seen.extend(events?);
        approach
    }

    /// Asks the solver for the end of a step; changes nothing of the world but what the solver keeps.
    fn propose(
        &mut self,
        given: &Given,
        way: Way,
        observer: &mut dyn Observer,
    ) -> Result<Proposal, SolveError> {
        let World { assembly, engine, state, before, memory, air } = self;
        let moment = Moment { assembly, state, before, memory };
        let proposal = engine.propose(&moment, given, way, observer)?;
        moment.refuse_nonsense(&proposal.outcome, &given.chambers.list, air.as_ref())?;
        Ok(proposal)
    }

    /// The state that a proposal leads to, and what that makes of the energy.
    fn weigh(&self, proposal: Proposal, given: &Given) -> Weighed {
        let work_of_air = self.work_of_air(&proposal.outcome);
        self.moment().weigh(proposal, given, &self.engine.islands, work_of_air)
    }

    fn chambers(&self, length: f64) -> Chambers {
        let (points, end) = (&self.state.at.points, self.state.time + length);
        self.air.as_ref().map(|air| air.chambers(points, end, length)).unwrap_or_default()
    }
}

impl<'a> Moment<'a> {
    /// Backward Euler, or BDF2 where the history is smooth.
    fn schemes(&self, length: f64) -> Vec<Scheme> {
        let second = self.assembly.settings.integrator == Integrator::Bdf2
            && self.memory.last_length == length;
        let scheme = |restart: &bool| {
            if second && !restart { Scheme::bdf2(length) } else { Scheme::backward_euler(length) }
        };
        self.memory.restart.iter().map(scheme).collect()
    }

    /// The step from here, about block velocities where they are not those of its start.
    pub(super) fn time_step(
        &self,
        given: &'a Given,
        about: Option<&'a [DVec3]>,
        islands: &'a Islands,
    ) -> TimeStep<'a> {
        let (now, before) = (self.state, self.before);
        TimeStep { length: given.length, now, before, schemes: &given.schemes, islands, about }
    }

    /// The state that a proposal leads to.
    pub(super) fn next(&self, proposal: &mut Proposal, step: &TimeStep) -> State {
        let at = std::mem::take(&mut proposal.outcome.end);
        let velocities = self.settled_velocities(&proposal.outcome.velocities, &at, step);
        let point_velocities = step.velocities_at(&self.assembly.model, &at, &velocities);
        State { time: self.state.time + step.length, at, velocities, point_velocities }
    }

    /// Spins are re-read from the angular momentum at the new orientation, so that it is the momentum that is kept.
    fn settled_velocities(
        &self,
        velocities: &[DVec3],
        end: &Configuration,
        step: &TimeStep,
    ) -> Vec<DVec3> {
        let mut out = velocities.to_vec();
        for (i, (rigid, frame)) in self.assembly.model.rigid.iter().zip(&end.frames).enumerate() {
            let predicted = step.predicted_orientation(i);
            let momentum = rigid.world_inertia(predicted) * velocities[frame.block + 1];
            out[frame.block + 1] = rigid.world_inertia(frame.orientation).inverse() * momentum;
        }
        out
    }
}
