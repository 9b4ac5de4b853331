//! One step's proposal by either solver: where everything ends, and which forces act.

use super::{Engine, Solver, World};
use crate::contact::{ContactId, Detector, SurfacePose};
use crate::integrator::{Scheme, TimeStep};
use crate::law::Coulomb;
use crate::model::Loads;
use crate::report::{Observer, Phase};
use crate::solver::ipc::{Ipc, Setting};
use crate::solver::ncp::{FreeMotion, Ncp};
use crate::solver::{Chamber, Outcome, Problem, SolveError, Touch};
use cupule_geometry::DVec3;
use std::sync::Arc;

/// A step that was computed but not yet accepted.
pub(super) struct Proposal {
    pub(super) touches: Vec<Touch>,
    pub(super) outcome: Outcome,
    pub(super) factorisations: usize,
    /// Whether any soft island was solved with an older factorisation.
    pub(super) kept_factor: bool,
}

/// What acts in a step.
pub(super) struct Acting<'a> {
    pub(super) loads: &'a Loads,
    pub(super) chambers: &'a [Chamber],
}

impl World {
    /// Asks the solver for the end of a step; changes nothing of the world.
    pub(super) fn propose(
        &mut self,
        length: f64,
        schemes: &[Scheme],
        acting: &Acting,
        observer: &mut dyn Observer,
    ) -> Result<Proposal, SolveError> {
        let Some(mut engine) = self.engine.take() else {
            return Err(SolveError::Factor { body: 0 });
        };
        let Engine { islands, solver, detector, pairs } = &mut engine;
        let (now, before) = (&self.state, &self.before);
        let step = TimeStep { length, now, before, schemes, islands };
        let result = match solver {
            Solver::Ncp(ncp) => self.propose_ncp(ncp, (detector, pairs), &step, acting, observer),
            Solver::Ipc(ipc) => self.propose_ipc(ipc, &step, acting, observer),
        };
        self.engine = Some(engine);
        let proposal = result?;
        self.refuse_nonsense(&proposal.outcome)?;
        Ok(proposal)
    }

    /// Free motion, contacts along it, forces.
    fn propose_ncp(
        &self,
        ncp: &mut Ncp,
        (detector, pairs): (&mut Detector, &[(usize, usize)]),
        step: &TimeStep,
        acting: &Acting,
        observer: &mut dyn Observer,
    ) -> Result<Proposal, SolveError> {
        let (model, settings) = (&self.model, &self.settings);
        observer.enter(Phase::FreeMotion);
        let free = ncp.free_motion(model, step, acting.loads, settings)?;
        observer.enter(Phase::Collision);
        let touches = self.touches(detector, pairs, &free)?;
        let chambers = acting.chambers;
        let problem = Problem { model, step, touches: &touches, chambers, settings };
        let outcome = ncp.resolve(&problem, &free, observer);
        let factorisations = free.factorisations;
        let kept_factor = factorisations < ncp.island_count();
        Ok(Proposal { touches, outcome, factorisations, kept_factor })
    }

    /// Minimises the incremental potential; contacts are found on the way.
    fn propose_ipc(
        &self,
        ipc: &mut Ipc,
        step: &TimeStep,
        acting: &Acting,
        observer: &mut dyn Observer,
    ) -> Result<Proposal, SolveError> {
        observer.enter(Phase::Solve);
        let friction = |a: usize, b: usize| self.friction_of(a, b);
        let setting = Setting { model: &self.model, settings: &self.settings, friction: &friction };
        let (touches, outcome) = ipc.advance(&setting, step, acting.loads, acting.chambers)?;
        let factorisations = outcome.iterations;
        Ok(Proposal { touches, outcome, factorisations, kept_factor: false })
    }

    /// Friction coefficient of two bodies.
    fn friction_of(&self, a: usize, b: usize) -> f64 {
        self.friction.get(&(a.min(b), a.max(b))).copied().unwrap_or(self.settings.friction)
    }

    pub(super) fn forget_factors(&mut self) {
        if let Some(Engine { solver: Solver::Ncp(ncp), .. }) = &mut self.engine {
            ncp.forget_factors();
        }
    }

    fn refuse_nonsense(&self, outcome: &Outcome) -> Result<(), SolveError> {
        match outcome.velocities.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(block) => {
                Err(SolveError::Diverged { body: self.body_of_block(block), speed: f64::NAN })
            }
        }
    }

    fn body_of_block(&self, block: usize) -> usize {
        let point = self.model.ties.iter().position(|t| *t == crate::mapping::Tie::Free(block));
        let frame =
            self.state.at.frames.iter().position(|f| f.block == block || f.block + 1 == block);
        match (point, frame) {
            (Some(p), _) => self.bodies.iter().position(|b| b.points.contains(&p)).unwrap_or(0),
            (None, Some(f)) => self.model.rigid[f].body,
            (None, None) => 0,
        }
    }

    /// Contacts at x and along the way to the free end, with points, law and warm start.
    fn touches(
        &self,
        detector: &mut Detector,
        pairs: &[(usize, usize)],
        free: &FreeMotion,
    ) -> Result<Vec<Touch>, SolveError> {
        let gather = |x: &[DVec3]| -> Vec<Vec<DVec3>> {
            self.bodies.iter().map(|b| b.surface_points.iter().map(|p| x[*p]).collect()).collect()
        };
        let (current, end) = (gather(&self.state.at.points), gather(&free.end.points));
        let poses: Vec<SurfacePose> =
            current.iter().zip(&end).map(|(c, f)| SurfacePose { current: c, free: f }).collect();
        let pushed: Vec<ContactId> = self.memory.forces.keys().copied().collect();
        let contacts = detector.detect(&poses, pairs, &pushed).map_err(|_| {
            SolveError::Diverged { body: self.first_non_finite(&end), speed: f64::NAN }
        })?;
        Ok(contacts
            .into_iter()
            .map(|contact| {
                let stencil = |s: &crate::contact::Stencil, sign: f64| -> Vec<(usize, f64)> {
                    let points = &self.bodies[s.surface as usize].surface_points;
                    (0..usize::from(s.count))
                        .map(|i| (points[s.vertices[i] as usize], sign * s.weights[i]))
                        .collect()
                };
                let mut points = stencil(&contact.a, 1.0);
                points.extend(stencil(&contact.b, -1.0));
                let (a, b) = (contact.a.surface as usize, contact.b.surface as usize);
                let friction = self.friction_of(a, b);
                let remembered = self.memory.forces.get(&contact.id);
                let remembered =
                    remembered.or_else(|| self.memory.forces_by_point.get(&contact.id.point_key()));
                Touch {
                    points,
                    law: Arc::new(Coulomb { friction }),
                    warm_start: remembered.copied().unwrap_or_default(),
                    unwanted_slip: self
                        .memory
                        .unwanted_slips
                        .get(&contact.id)
                        .copied()
                        .unwrap_or_default(),
                    contact,
                }
            })
            .collect())
    }

    fn first_non_finite(&self, surfaces: &[Vec<DVec3>]) -> usize {
        surfaces.iter().position(|s| s.iter().any(|x| !x.is_finite())).unwrap_or(0)
    }
}
