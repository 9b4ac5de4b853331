//! From what was added to a world that is ready to step: the start state is checked, unknowns are numbered, the solver is made.

use super::WorldBuilder;
use super::spec::{Hold, WorldError};
use crate::contact::{
    CollisionSurface, ContactError, ContactSettings, Detector, SearchSurface, SurfacePose,
};
use crate::law::Interfaces;
use crate::mapping::Tie;
use crate::model::{Configuration, Islands, Model, State};
use crate::settings::{Settings, SolverChoice};
use crate::solver::TooLarge;
use crate::solver::ipc::{Ipc, IpcError};
use crate::solver::ncp::Ncp;
use crate::world::assembly::Assembly;
use crate::world::engine::{Engine, Solver};
use crate::world::{Memory, World};
use cupule_geometry::DVec3;

impl WorldBuilder {
    /// The world, ready to step.
    ///
    /// # Errors
    /// Where a setting is out of range, attachments contradict each other, bodies start inside each other, or the solver cannot take a body.
    pub fn build(self) -> Result<World, WorldError> {
        check_settings(&self.settings, &self.interfaces)?;
        self.refuse_thin()?;
        self.refuse_chains()?;
        let (pairs, bonds) = (self.pairs(), self.bonds.clone());
        let (mut assembly, state, air) = self.number(pairs);
        let bonds = bonds.iter().map(|spec| assembly.bond(spec, &state.at.points));
        assembly.bonds = bonds.collect::<Result<_, _>>()?;
        let islands = assembly.model.islands(&state.at.frames);
        let mut detector = make_detector(&assembly, &state)?;
        refuse_touching(&assembly, &state)?;
        let solver = make_solver(&assembly, &islands, &state)?;
        refuse_penetration(&assembly, &state, &mut detector)?;
        let memory = Memory::new(islands.blocks.len());
        let engine = Engine { islands, solver, detector };
        Ok(World { assembly, engine, before: state.clone(), state, memory, air })
    }

    /// Only a barrier can hold a body off that has no inside.
    fn refuse_thin(&self) -> Result<(), WorldError> {
        let thin = self.bodies.iter().find(|b| b.surface.is_thin());
        match (self.settings.solver, thin) {
            (SolverChoice::Ncp, Some(b)) => Err(WorldError::Thin { body: b.name.clone() }),
            _ => Ok(()),
        }
    }

    /// A glued point must not hang on another glued point, whichever was glued first.
    fn refuse_chains(&self) -> Result<(), WorldError> {
        let parts = |p: usize| match &self.points[p].tie {
            Some(Tie::Combined(parts)) => Some(parts),
            _ => None,
        };
        let hangs =
            |p: &usize| parts(*p).is_some_and(|on| on.iter().any(|(q, _)| parts(*q).is_some()));
        for attachment in self.attachments.iter().filter(|a| a.points.iter().any(hangs)) {
            let Hold::Glue(other) = attachment.hold else { continue };
            let reason = format!(
                "body \"{}\" is itself glued there: glue both to the same body",
                self.bodies[other.0].name
            );
            return Err(WorldError::Attachment { attachment: attachment.name.clone(), reason });
        }
        Ok(())
    }

    /// Pairs of bodies that contact keeps apart: all but those that are glued, and those that both go where they are led.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let led = |i: usize| !self.bodies[i].moves_freely();
        let glued = |i: usize, j: usize| {
            self.attachments.iter().any(|a| match a.hold {
                Hold::Glue(other) => (a.body, other.0) == (i, j) || (a.body, other.0) == (j, i),
                _ => false,
            })
        };
        let mut pairs = Vec::new();
        for i in 0..self.bodies.len() {
            if self.bodies[i].self_contact {
                pairs.push((i, i));
            }
            let never_meet = |j: usize| glued(i, j) || led(i) && led(j);
            pairs.extend((i + 1..self.bodies.len()).filter(|&j| !never_meet(j)).map(|j| (i, j)));
        }
        pairs
    }

    /// Numbers the unknowns: two blocks for every rigid body, then one for every point that follows nothing else.
    fn number(
        self,
        pairs: Vec<(usize, usize)>,
    ) -> (Assembly, State, Option<crate::cavity::AirSpace>) {
        let mut body_of_block: Vec<usize> =
            self.rigid.iter().flat_map(|rigid| [rigid.body; 2]).collect();
        let (frames, motions): (Vec<_>, Vec<[DVec3; 2]>) = self.frames.into_iter().unzip();
        let mut state = State {
            velocities: motions.into_iter().flatten().collect(),
            at: Configuration { frames, points: Vec::new() },
            ..State::default()
        };
        let (soft, rigid, drives) = (self.soft, self.rigid, self.drives);
        let mut model = Model { soft, rigid, drives, ..Model::default() };
        let mut body_of_point = Vec::with_capacity(self.points.len());
        for point in self.points {
            let tie = point.tie.unwrap_or_else(|| {
                state.velocities.push(point.velocity);
                body_of_block.push(point.body);
                let block = body_of_block.len() - 1;
                if point.free == DVec3::ONE {
                    Tie::Free(block)
                } else {
                    Tie::Sliding { block, free: point.free }
                }
            });
            model.ties.push(tie);
            model.masses.push(point.mass);
            state.at.points.push(point.at);
            state.point_velocities.push(point.velocity);
            body_of_point.push(point.body);
        }
        model.body_of_block = body_of_block;
        let assembly = Assembly {
            settings: self.settings,
            bodies: self.bodies,
            attachments: self.attachments,
            cables: self.cables,
            point_forces: self.point_forces,
            pulls: Vec::new(),
            interfaces: self.interfaces,
            bonds: Vec::new(),
            model,
            body_of_point,
            pairs,
        };
        (assembly, state, self.air)
    }
}

fn check_settings(s: &Settings, interfaces: &Interfaces) -> Result<(), WorldError> {
    let bad = |key, value, expected| Err(WorldError::Setting { key, value, expected });
    if !(s.time_step > 0.0 && s.time_step.is_finite()) {
        return bad("time_step", s.time_step, "positive (s)");
    }
    if let Some((key, value, expected)) = interfaces.fault() {
        return bad(key, value, expected);
    }
    let ncp = &s.ncp;
    if !(ncp.gap_tolerance > 0.0 && ncp.force_tolerance > 0.0) {
        return bad("tolerance", ncp.gap_tolerance.min(ncp.force_tolerance), "positive");
    }
    if let Some((key, value, expected)) = s.air.as_ref().and_then(|air| air.fault()) {
        return bad(key, value, expected);
    }
    let ipc = &s.ipc;
    for (key, value) in [
        ("barrier_stiffness", ipc.barrier_stiffness),
        ("stick_speed", ipc.stick_speed),
        ("newton_tolerance", ipc.tolerance),
        ("balance_tolerance", ipc.force_tolerance),
        ("rigid_stiffness", ipc.rigid_stiffness),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return bad(key, value, "positive");
        }
    }
    Ok(())
}

fn make_detector(assembly: &Assembly, state: &State) -> Result<Detector, WorldError> {
    let s = &assembly.settings;
    let surfaces = (assembly.bodies.iter())
        .map(|b| SearchSurface::new(b.surface.triangles.clone(), b.surface_at(&state.at.points)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Detector::new(ContactSettings::new(s.alarm_distance, s.contact_distance), surfaces)?)
}

/// A barrier is infinite where surfaces touch: they must start apart, by however little.
fn refuse_touching(assembly: &Assembly, state: &State) -> Result<(), WorldError> {
    if assembly.settings.solver != SolverChoice::Ipc {
        return Ok(());
    }
    let counts = assembly.intersections(&state.at.points);
    match assembly.pairs.iter().zip(counts).find(|(_, count)| *count > 0) {
        None => Ok(()),
        Some(((i, j), _)) => Err(WorldError::Touching {
            first: assembly.bodies[*i].name.clone(),
            second: assembly.bodies[*j].name.clone(),
        }),
    }
}

fn make_solver(
    assembly: &Assembly,
    islands: &Islands,
    state: &State,
) -> Result<Solver, WorldError> {
    let too_large = |TooLarge { bodies }: TooLarge| {
        let names = bodies.iter().map(|body| assembly.bodies[*body].name.clone());
        WorldError::TooLarge { bodies: names.collect() }
    };
    let (model, at) = (&assembly.model, &state.at);
    match assembly.settings.solver {
        SolverChoice::Ncp => {
            let ncp = Ncp::new(model, islands, at);
            ncp.map(Solver::Ncp).map_err(too_large)
        }
        SolverChoice::Ipc => {
            let surfaces: Vec<&CollisionSurface> =
                assembly.bodies.iter().map(|body| &body.surface).collect();
            let ipc = Ipc::new(model, at, &surfaces, &assembly.pairs, &assembly.settings);
            ipc.map(|ipc| Solver::Ipc(Box::new(ipc))).map_err(|error| match error {
                IpcError::Surface(source) => ContactError::Surface(source).into(),
                IpcError::TooLarge(bodies) => too_large(bodies),
            })
        }
    }
}

fn refuse_penetration(
    assembly: &Assembly,
    state: &State,
    detector: &mut Detector,
) -> Result<(), WorldError> {
    let positions = assembly.surfaces_at(&state.at.points);
    let poses: Vec<SurfacePose> =
        positions.iter().map(|x| SurfacePose { current: x, free: x }).collect();
    match detector.initial_penetration(&poses, &assembly.pairs)? {
        None => Ok(()),
        Some(p) => Err(WorldError::Penetration {
            first: assembly.bodies[p.surface_a].name.clone(),
            second: assembly.bodies[p.surface_b].name.clone(),
            depth: p.depth,
            at: p.at,
        }),
    }
}
