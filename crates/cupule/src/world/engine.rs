//! The engine of a step: either solver's proposal, where everything ends and which forces act.

use super::assembly::Body;
use super::moment::Moment;
use super::step::Given;
use crate::cavity::AirSpace;
use crate::contact::{Contact, ContactError, ContactId, Detector, PointKey, SurfacePose};
use crate::integrator::TimeStep;
use crate::model::Islands;
use crate::report::{Observer, Phase, Watch};
use crate::solver::ipc::Ipc;
use crate::solver::ncp::{FreeMotion, Ncp, Patches};
use crate::solver::{Chamber, Outcome, Problem, SolveError, Touch, WorldContact, absurd};
use cupule_geometry::DVec3;
use cupule_geometry::tree::Bounds;
use std::collections::{BTreeMap, BTreeSet};

/// Bodies at rest that are closer than the contact distance are parted no faster than this, m/s: they keep the speed they are given, and
/// with this one they fly 5 um high. Bodies that move along each other are parted as fast as they move, or what a step misses of a
/// curved way would add up.
const PARTING_SPEED: f64 = 0.01;

/// How often a step is solved anew because contact pushed bodies into others: a ram, a box and a wall take one, and every further body in
/// the row one more.
const MEETINGS: usize = 4;

/// Bodies that contact pushed into others are those that then come closer than this share of the contact distance; more is what slides on to a
/// neighbouring facet.
const MET: f64 = 0.5;

/// What computes steps, with all that it keeps from one to the next: factors, patterns, search trees.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) islands: Islands,
    pub(super) solver: Solver,
    pub(super) detector: Detector,
}

/// One of the solvers.
#[derive(Clone)]
pub(super) enum Solver {
    Ncp(Ncp),
    Ipc(Box<Ipc>),
}

/// A step that was computed but not yet accepted.
pub(super) struct Proposal {
    pub(super) contacts: Vec<WorldContact>,
    pub(super) outcome: Outcome,
    pub(super) factorisations: usize,
    /// Whether any soft part was solved with the stiffness of an earlier free motion.
    pub(super) keeps_stiffness: bool,
    /// Block velocities about which the step was linearised, where they are not those of its start.
    pub(super) about: Option<Vec<DVec3>>,
}

/// How bodies would move if nothing touched, and what they then come near.
pub(super) struct Approach {
    free: FreeMotion,
    contacts: Vec<WorldContact>,
}

/// How a step is to be computed.
pub(super) enum Way {
    /// From the start.
    Fresh,
    /// From a free motion and contacts that are known already.
    Known(Approach),
    /// With every system factored again.
    NewFactor,
    /// Linearised about block velocities: those of an earlier proposal.
    About(Vec<DVec3>),
}

impl Engine {
    /// Moves everything freely, for the solver that begins with that.
    pub(super) fn approach(
        &mut self,
        moment: &Moment,
        given: &Given,
        watch: &mut dyn Watch,
    ) -> Result<Option<Approach>, SolveError> {
        let step = moment.time_step(given, None, &self.islands);
        match &mut self.solver {
            Solver::Ncp(ncp) => {
                moment.approach(ncp, &mut self.detector, &step, given, watch).map(Some)
            }
            Solver::Ipc(_) => Ok(None),
        }
    }

    /// Asks the solver for the end of a step.
    pub(super) fn propose(
        &mut self,
        moment: &Moment,
        given: &Given,
        way: Way,
        observer: &mut dyn Observer,
    ) -> Result<Proposal, SolveError> {
        let Self { islands, solver, detector } = self;
        let (known, about) = match way {
            Way::Fresh => (None, None),
            Way::Known(approach) => (Some(approach), None),
            Way::About(velocities) => (None, Some(velocities)),
            Way::NewFactor => {
                solver.forget_factors();
                (None, None)
            }
        };
        let step = moment.time_step(given, about.as_deref(), islands);
        let proposal = match solver {
            Solver::Ncp(ncp) => {
                let approach = match known {
                    Some(approach) => approach,
                    None => moment.approach(ncp, detector, &step, given, observer)?,
                };
                moment.propose_ncp(ncp, approach, detector, &step, given, observer)?
            }
            Solver::Ipc(ipc) => moment.propose_ipc(ipc, &step, given, observer)?,
        };
        Ok(Proposal { about, ..proposal })
    }
}

impl Solver {
    /// Makes the next attempt factor every system again; ipc does so anyway.
    pub(super) fn forget_factors(&mut self) {
        match self {
            Self::Ncp(ncp) => ncp.forget_factors(),
            Self::Ipc(_) => {}
        }
    }
}

impl Moment<'_> {
    /// Free motion and contacts along it.
    fn approach(
        &self,
        ncp: &mut Ncp,
        detector: &mut Detector,
        step: &TimeStep,
        given: &Given,
        watch: &mut dyn Watch,
    ) -> Result<Approach, SolveError> {
        watch.enter(Phase::FreeMotion);
        let free = ncp.free_motion(&self.problem(step, given))?;
        watch.enter(Phase::Collision);
        let contacts =
            self.contacts(detector, &self.assembly.pairs, &free.end.points, step.length)?;
        Ok(Approach { free, contacts })
    }

    /// Forces and pressures that the approach asks for. Bodies that they push into others, which free motion would not have met,
    /// are found and solved for too.
    fn propose_ncp(
        &self,
        ncp: &mut Ncp,
        Approach { free, mut contacts }: Approach,
        detector: &mut Detector,
        step: &TimeStep,
        given: &Given,
        watch: &mut dyn Watch,
    ) -> Result<Proposal, SolveError> {
        let factorisations = free.factorisations;
        let keeps_stiffness = free.keeps_stiffness;
        let mut met = 0;
        let problem = self.problem(step, given);
        for _ in 0..MEETINGS {
            let outcome = resolve(ncp, &problem, &contacts, &free, watch);
            watch.enter(Phase::Collision);
            let more = self.met_on_the_way(&free, &outcome, &contacts, detector, step)?;
            let Some(first) = more.first() else {
                let about = None;
                return Ok(Proposal { contacts, outcome, factorisations, keeps_stiffness, about });
            };
            met = self.pushed_body(first, &free, &outcome);
            for (contact, force) in contacts.iter_mut().zip(&outcome.forces) {
                contact.touch.warm_start = contact.touch.to_world(*force);
            }
            contacts.extend(more);
            contacts.sort_by_key(|contact| contact.contact.id);
        }
        Err(SolveError::Pushed { body: met })
    }

    /// The view of a step that either solver gets.
    fn problem<'b>(&'b self, step: &'b TimeStep<'b>, given: &'b Given) -> Problem<'b> {
        Problem {
            model: &self.assembly.model,
            step,
            loads: &given.loads,
            laws: self.laws(),
            bonds: &given.bonds,
            chambers: &given.chambers.list,
            settings: &self.assembly.settings,
        }
    }

    /// Contacts that free motion did not come near, and that an outcome leaves too close: contact and air have moved bodies elsewhere.
    fn met_on_the_way(
        &self,
        free: &FreeMotion,
        outcome: &Outcome,
        known: &[WorldContact],
        detector: &mut Detector,
        step: &TimeStep,
    ) -> Result<Vec<WorldContact>, SolveError> {
        // What is absurd is refused afterwards; its way would meet everything.
        let velocities = outcome.velocities.iter().copied().enumerate();
        if absurd(velocities, &self.state.at.frames).is_some() {
            return Ok(Vec::new());
        }
        let near = self.pushed_towards(free, outcome);
        if near.is_empty() {
            return Ok(Vec::new());
        }
        let ends = &outcome.end.points;
        let mut more = self.contacts(detector, &near, ends, step.length)?;
        let least = -MET * self.assembly.settings.contact_distance;
        more.retain(|WorldContact { contact, touch }| {
            let apart: DVec3 = touch.points.iter().map(|&(p, w)| ends[p] * w).sum();
            let known = known.binary_search_by_key(&contact.id, |known| known.contact.id).is_ok();
            !known && touch.normal.dot(apart) - touch.distance < least
        });
        Ok(more)
    }

    /// Pairs of bodies that may have met without being found: contact and air have moved them relative to each other, by more than the
    /// alarm distance, elsewhere than free motion did, and elsewhere than they were.
    fn pushed_towards(&self, free: &FreeMotion, outcome: &Outcome) -> Vec<(usize, usize)> {
        let reach = self.assembly.settings.alarm_distance;
        let (now, ends, expected) = (&self.state.at.points, &outcome.end.points, &free.end.points);
        let over = |body: &Body, vector: &dyn Fn(usize) -> Bounds| {
            let all = body.surface.points.iter().map(|p| vector(*p));
            all.fold(Bounds::EMPTY, Bounds::join)
        };
        let strayed = |p: usize| Bounds::of(&[ends[p] - expected[p]]);
        let moved = |p: usize| Bounds::of(&[ends[p] - now[p]]);
        let swept = |p: usize| Bounds::of(&[now[p], ends[p]]);
        let ways: Vec<[Bounds; 3]> = (self.assembly.bodies.iter())
            .map(|b| [over(b, &strayed), over(b, &moved), over(b, &swept)])
            .collect();
        let relative = |a: Bounds, b: Bounds| (a.max - b.min).max(b.max - a.min).length();
        let may_meet = |&&(a, b): &&(usize, usize)| {
            let ([strayed, moved, swept], [by, from, with]) = (ways[a], ways[b]);
            relative(strayed, by) > reach
                && relative(moved, from) > reach
                && swept.near(&with, reach)
        };
        self.assembly.pairs.iter().filter(may_meet).copied().collect()
    }

    /// The body of a contact that was moved further from where free motion leads it.
    fn pushed_body(&self, met: &WorldContact, free: &FreeMotion, outcome: &Outcome) -> usize {
        let (a, b) = (met.contact.a.surface as usize, met.contact.b.surface as usize);
        let strayed = |body: usize| {
            let points = self.assembly.bodies[body].surface.points.iter();
            let by = points.map(|p| outcome.end.points[*p].distance(free.end.points[*p]));
            by.fold(0.0, f64::max)
        };
        if strayed(b) > strayed(a) { b } else { a }
    }

    /// Minimises the incremental potential; contacts are found on the way.
    fn propose_ipc(
        &self,
        ipc: &mut Ipc,
        step: &TimeStep,
        given: &Given,
        observer: &mut dyn Observer,
    ) -> Result<Proposal, SolveError> {
        observer.enter(Phase::Solve);
        let (contacts, outcome) = ipc.advance(&self.problem(step, given))?;
        let factorisations = outcome.iterations;
        Ok(Proposal { contacts, outcome, factorisations, keeps_stiffness: false, about: None })
    }

    /// Refuses an outcome that is not finite, or that leaves no room for the air of a cavity.
    pub(super) fn refuse_nonsense(
        &self,
        outcome: &Outcome,
        chambers: &[Chamber],
        air: Option<&AirSpace>,
    ) -> Result<(), SolveError> {
        let velocities = outcome.velocities.iter().copied().enumerate();
        if let Some((block, speed)) = absurd(velocities, &self.state.at.frames) {
            return Err(SolveError::Diverged {
                body: self.assembly.model.body_of_block[block],
                speed,
            });
        }
        let vented = self.assembly.settings.air.as_ref().is_some_and(|air| air.vented);
        let filled = chambers.iter().zip(outcome.pressures.iter().zip(&outcome.volumes));
        for (index, (chamber, (pressure, volume))) in filled.enumerate() {
            if !pressure.is_finite() {
                return Err(SolveError::Pressure { chamber: chamber_name(air, index) });
            }
            // What touches holds air as thick as it is rough, less than nothing where bodies are pressed closer than that. Where air comes
            // and goes as it likes, that does no harm.
            let room = *volume + chamber.gas.beside;
            if chamber.walls.is_some() && !vented && (room.is_nan() || room <= 0.0) {
                return Err(SolveError::NoRoom { chamber: chamber_name(air, index) });
            }
        }
        Ok(())
    }

    /// Contacts at x and along the way to an end, in a step of `length` (s), with points, law and warm start.
    fn contacts(
        &self,
        detector: &mut Detector,
        pairs: &[(usize, usize)],
        end: &[DVec3],
        length: f64,
    ) -> Result<Vec<WorldContact>, SolveError> {
        let now = &self.state.at.points;
        let (current, end) = (self.assembly.surfaces_at(now), self.assembly.surfaces_at(end));
        let poses: Vec<SurfacePose> =
            current.iter().zip(&end).map(|(c, f)| SurfacePose { current: c, free: f }).collect();
        let pushed: Vec<ContactId> = self.memory.forces.keys().copied().collect();
        let contacts = detector.detect(&poses, pairs, &pushed).map_err(|error| match error {
            ContactError::NotFinite { surface, .. } => {
                SolveError::Diverged { body: surface, speed: f64::NAN }
            }
            other => SolveError::Contact { cause: other.to_string() },
        })?;
        let inherited = Inheritance::of(&self.memory.forces, &contacts);
        Ok(contacts
            .into_iter()
            .map(|contact| {
                let stencil = |s: &crate::contact::Stencil, sign: f64| -> Vec<(usize, f64)> {
                    let points = &self.assembly.bodies[s.surface as usize].surface.points;
                    (0..usize::from(s.count))
                        .map(|i| (points[s.vertices[i] as usize], sign * s.weights[i]))
                        .collect()
                };
                let mut points = stencil(&contact.a, 1.0);
                points.extend(stencil(&contact.b, -1.0));
                let remembered = self.memory.forces.get(&contact.id).copied();
                let apart: DVec3 = points.iter().map(|&(p, w)| now[p] * w).sum();
                let velocity: DVec3 =
                    points.iter().map(|&(p, w)| self.state.point_velocities[p] * w).sum();
                let parting = PARTING_SPEED.max(velocity.length());
                let most = contact.normal.dot(apart) + parting * length;
                let slip_speed = || velocity.reject_from_normalized(contact.normal).length();
                let touch = Touch {
                    distance: self.assembly.settings.contact_distance.min(most),
                    normal: contact.normal,
                    points,
                    law: self.laws().of(&contact.id, slip_speed).clone(),
                    warm_start: remembered.unwrap_or_else(|| inherited.share(&contact.id)),
                    slip_before: self
                        .memory
                        .unwanted_slips
                        .get(&contact.id)
                        .copied()
                        .unwrap_or_default(),
                };
                WorldContact { contact, touch }
            })
            .collect())
    }
}

/// Solves for contact forces and pressures; near contacts as one where the settings ask for it.
fn resolve(
    ncp: &mut Ncp,
    problem: &Problem,
    contacts: &[WorldContact],
    free: &FreeMotion,
    watch: &mut dyn Watch,
) -> Outcome {
    let (reach, start) = (problem.settings.ncp.contact_patch, &problem.step.now.at);
    if reach == 0.0 {
        let touches = contacts.iter().map(|contact| &contact.touch).collect();
        return with_bonds(ncp, problem, touches, free, watch);
    }
    let patches = Patches::new(contacts, &start.points, reach);
    let outcome = with_bonds(ncp, problem, patches.touches.iter().collect(), free, watch);
    patches.spread(contacts, start, outcome)
}

/// Solves for contacts and bonds together. Bonds come last, and are no part of patches.
fn with_bonds(
    ncp: &mut Ncp,
    problem: &Problem,
    contacts: Vec<&Touch>,
    free: &FreeMotion,
    watch: &mut dyn Watch,
) -> Outcome {
    let (count, start) = (contacts.len(), &problem.step.now.at.points);
    let bonds: Vec<Touch> = problem.bonds.iter().map(|bond| bond.touch(start)).collect();
    let touches: Vec<&Touch> = contacts.into_iter().chain(&bonds).collect();
    let mut outcome = ncp.resolve(problem, &touches, free, watch);
    let forces = outcome.forces.split_off(count).into_iter().zip(&bonds);
    outcome.bond_forces = forces.map(|(force, bond)| bond.to_world(force)).collect();
    outcome.measures.truncate(count);
    outcome.solved_measures.truncate(count);
    outcome
}

/// What a message calls a chamber: cavities come first, then lines.
fn chamber_name(air: Option<&AirSpace>, index: usize) -> String {
    let cavities = air.map_or(&[][..], |air| air.cavities());
    match cavities.get(index) {
        Some(cavity) => format!("cavity {}", cavity.id),
        None => {
            let line = air.and_then(|air| air.lines().get(index - cavities.len()));
            line.map_or("a line".to_string(), |vessel| format!("line {}", vessel.line.name))
        }
    }
}

/// Forces of contacts that are no more, for those that take their place: a vertex that slides from face to face keeps its force. What
/// a contact that is still there holds is its own, and what several take they share, or a force would count more than once.
struct Inheritance(BTreeMap<PointKey, (DVec3, f64)>);

impl Inheritance {
    fn of(remembered: &BTreeMap<ContactId, DVec3>, contacts: &[Contact]) -> Self {
        let present: BTreeSet<ContactId> = contacts.iter().map(|contact| contact.id).collect();
        let mut left: BTreeMap<PointKey, (DVec3, f64)> = BTreeMap::new();
        for (id, force) in remembered.iter().filter(|(id, _)| !present.contains(id)) {
            left.entry(id.point_key()).or_default().0 += *force;
        }
        for id in present.iter().filter(|id| !remembered.contains_key(id)) {
            left.entry(id.point_key()).and_modify(|(_, takers)| *takers += 1.0);
        }
        Self(left)
    }

    fn share(&self, id: &ContactId) -> DVec3 {
        self.0.get(&id.point_key()).map_or(DVec3::ZERO, |(force, takers)| *force / takers.max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Feature, Stencil};
    use std::sync::Arc;

    fn contact(face: u32) -> Contact {
        let point = Stencil { surface: 0, vertices: [0; 3], weights: [1.0, 0.0, 0.0], count: 1 };
        let id = ContactId {
            surface_a: 0,
            feature_a: Feature::Vertex(7),
            surface_b: 1,
            feature_b: Feature::Face(face),
        };
        Contact { id, a: point, b: point, normal: DVec3::Z, distance: 0.0, area: 1.0 }
    }

    #[test]
    fn a_force_is_handed_on_once_and_only_by_what_is_gone() {
        let held = |face: u32| (contact(face).id, DVec3::new(0.0, 0.0, f64::from(face)));
        let shares = |remembered: &[u32], now: &[u32]| {
            let contacts: Vec<Contact> = now.iter().map(|face| contact(*face)).collect();
            let inherited =
                Inheritance::of(&remembered.iter().map(|f| held(*f)).collect(), &contacts);
            contacts.iter().map(|c| inherited.share(&c.id).z).collect::<Vec<f64>>()
        };
        assert_eq!(shares(&[3], &[4]), [3.0], "it slid to the next face");
        assert_eq!(shares(&[3], &[4, 5]), [1.5, 1.5], "two take its place");
        assert_eq!(shares(&[3, 6], &[4]), [9.0], "it takes the place of two");
        assert_eq!(shares(&[3], &[3, 4])[1], 0.0, "it is still there");
    }

    /// A world of one cube, a chamber with walls, and what a solver says of both.
    fn verdict(
        vented: bool,
        velocity: DVec3,
        pressure: f64,
        volume: f64,
    ) -> Result<(), SolveError> {
        let air = crate::settings::AirSettings { vented, ..Default::default() };
        let settings = crate::settings::Settings { air: Some(air), ..Default::default() };
        let mut builder = crate::world::WorldBuilder::new(settings);
        let cube = crate::world::RigidSpec {
            name: "cube".into(),
            surface: cupule_geometry::generate::cuboid(DVec3::ONE, [1, 1, 1]).expect("a cube"),
            mass: crate::world::MassSpec::Total(1.0),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        };
        builder.add_rigid(cube).expect("a cube");
        let world = builder.build().expect("a world");
        let gas = crate::law::Gas {
            energy: 0.1,
            beside: 0.0,
            flow_volume: 0.0,
            atmosphere: 101_325.0,
            limit: 101_325.0,
            exponent: 1.0,
        };
        let walls: Arc<dyn crate::solver::Walls> = Arc::new(crate::cavity::Wall::default());
        let chamber = Chamber {
            walls: Some(walls),
            volume: 1e-6,
            gradient: Vec::new(),
            gas,
            tubes: Vec::new(),
            warm_start: pressure,
        };
        let (velocities, pressures, volumes) = (vec![velocity], vec![pressure], vec![volume]);
        let outcome = Outcome { velocities, pressures, volumes, ..Outcome::default() };
        world.moment().refuse_nonsense(&outcome, &[chamber], None)
    }

    #[test]
    fn steps_that_make_no_sense_are_refused_with_their_reason() {
        assert_eq!(verdict(false, DVec3::X, 5e4, 1e-9), Ok(()));
        for absurd in [DVec3::X * 2e4, DVec3::X * f64::NAN] {
            assert!(matches!(verdict(false, absurd, 5e4, 1e-9), Err(SolveError::Diverged { .. })));
        }
        assert!(matches!(
            verdict(false, DVec3::X, f64::NAN, 1e-9),
            Err(SolveError::Pressure { .. })
        ));
        for volume in [0.0, -1e-9, f64::NAN] {
            let refused = verdict(false, DVec3::X, 5e4, volume);
            assert!(matches!(refused, Err(SolveError::NoRoom { .. })), "{volume}");
        }
        assert_eq!(verdict(true, DVec3::X, 101_325.0, -1e-9), Ok(()), "open to the outside");
    }
}
