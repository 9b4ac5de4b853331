//! Attachments, and the preparation that turns bodies and attachments into one numbered system.

use super::spec::{AttachmentId, AttachmentSpec, Hold, WorldError};
use super::{Attachment, BodyKind, Engine, Solver, World};
use crate::contact::{ContactError, ContactSettings, Detector, Surface, SurfacePose};
use crate::mapping::Tie;
use crate::model::Islands;
use crate::report::Wrench;
use crate::settings::SolverChoice;
use crate::solver::ipc::{Ipc, IpcError, Shell};
use crate::solver::ncp::Ncp;
use cupule_geometry::DVec3;
use cupule_geometry::cage::embed;

impl World {
    /// Adds an attachment. Its points are tied when the world is prepared.
    pub fn add_attachment(&mut self, spec: AttachmentSpec) -> Result<AttachmentId, WorldError> {
        self.refuse_if_prepared(&spec.name)?;
        self.refuse_unknown(spec.body)?;
        if let Hold::Glue(other) = spec.hold {
            self.refuse_unknown(other)?;
        }
        let refuse =
            |reason: String| Err(WorldError::Attachment { attachment: spec.name.clone(), reason });
        let body = &self.bodies[spec.body.0];
        let wrench = matches!(spec.hold, Hold::Wrench(_));
        let points: Vec<usize> = match body.kind {
            BodyKind::Fem => spec.points.iter().map(|n| body.points.start + *n as usize).collect(),
            BodyKind::Rigid if wrench => body.points.clone().collect(),
            BodyKind::Rigid => {
                return refuse(format!(
                    "body \"{}\" is rigid: to drive it, make it kinematic",
                    body.name
                ));
            }
            _ => {
                return refuse(format!(
                    "body \"{}\" is not free: its motion says where it goes",
                    body.name
                ));
            }
        };
        if points.is_empty() {
            return refuse(format!("it selects no node of body \"{}\"", body.name));
        }
        if let Some(point) = points.iter().find(|p| !body.points.contains(p)) {
            let node = point - body.points.start;
            return refuse(format!(
                "body \"{}\" has no node {node}: it has {}",
                body.name,
                body.points.len()
            ));
        }
        if spec.hold == Hold::Glue(spec.body) {
            return refuse(format!("body \"{}\" cannot be glued to itself", body.name));
        }
        if let Hold::Wrench(path) = &spec.hold
            && body.kind == BodyKind::Fem
            && path.keys.iter().any(|(_, wrench)| !self.can_take(&points, *wrench))
        {
            return refuse(format!(
                "its nodes of body \"{}\" lie on a line and can take no torque about it: select more nodes",
                body.name
            ));
        }
        if let Some(taken) = (!wrench).then(|| self.find_taken(&points)).flatten() {
            return refuse(format!("some of its nodes are held by attachment \"{taken}\" already"));
        }
        self.attachments.push(Attachment {
            name: spec.name,
            body: spec.body.0,
            points,
            hold: spec.hold,
            drive: None,
        });
        Ok(AttachmentId(self.attachments.len() - 1))
    }

    /// Whether forces on the points can have the torque of a wrench about their centre.
    fn can_take(&self, points: &[usize], wrench: Wrench) -> bool {
        if wrench.torque == DVec3::ZERO {
            return true;
        }
        let centre = self.centre(points);
        let torque: DVec3 = self
            .share_out(points, wrench)
            .iter()
            .map(|(p, f)| (self.state.at.points[*p] - centre).cross(*f))
            .sum();
        (torque - wrench.torque).length() <= 1e-6 * wrench.torque.length()
    }

    fn find_taken(&self, points: &[usize]) -> Option<&str> {
        let holds = |a: &&Attachment| {
            !matches!(a.hold, Hold::Wrench(_)) && points.iter().any(|p| a.points.contains(p))
        };
        self.attachments.iter().find(holds).map(|a| a.name.as_str())
    }

    /// Ties attachments, numbers unknowns, checks the start state. Called by the first step if not before.
    pub fn prepare(&mut self) -> Result<(), WorldError> {
        if self.engine.is_some() {
            return Ok(());
        }
        self.check_settings()?;
        self.refuse_thin()?;
        for i in 0..self.attachments.len() {
            self.tie(i)?;
        }
        self.refuse_chains()?;
        self.number_blocks();
        self.before = self.state.clone();
        let islands = self.model.islands(&self.state.at.frames);
        self.memory.restart = vec![true; islands.blocks.len()];
        let (detector, pairs) = self.make_detector()?;
        self.refuse_touching(&pairs)?;
        let solver = self.make_solver(&islands, &pairs)?;
        self.engine = Some(Engine { islands, solver, detector, pairs });
        self.refuse_penetration()
    }

    /// Only a barrier can hold a body off that has no inside.
    fn refuse_thin(&self) -> Result<(), WorldError> {
        let thin = self.bodies.iter().find(|b| b.radius > 0.0);
        match (self.settings.solver, thin) {
            (SolverChoice::Ncp, Some(b)) => Err(WorldError::Thin { body: b.name.clone() }),
            _ => Ok(()),
        }
    }

    /// A barrier is infinite where surfaces touch: they must start apart, by however little.
    fn refuse_touching(&self, pairs: &[(usize, usize)]) -> Result<(), WorldError> {
        if self.settings.solver != SolverChoice::Ipc {
            return Ok(());
        }
        let counts = self.intersections(pairs);
        match pairs.iter().zip(counts).find(|(_, count)| *count > 0) {
            None => Ok(()),
            Some(((i, j), _)) => Err(WorldError::Touching {
                first: self.bodies[*i].name.clone(),
                second: self.bodies[*j].name.clone(),
            }),
        }
    }

    fn make_solver(
        &self,
        islands: &Islands,
        pairs: &[(usize, usize)],
    ) -> Result<Solver, WorldError> {
        let too_large = |body: Option<usize>| {
            let body = body.map(|body| self.bodies[body].name.clone());
            WorldError::TooLarge { body: body.unwrap_or_default() }
        };
        let (model, at) = (&self.model, &self.state.at);
        match self.settings.solver {
            SolverChoice::Ncp => {
                let ncp = Ncp::new(model, islands, at).map_err(|e| too_large(e.body()))?;
                Ok(Solver::Ncp(ncp))
            }
            SolverChoice::Ipc => {
                let shells: Vec<Shell> = self
                    .bodies
                    .iter()
                    .map(|b| Shell {
                        points: &b.surface_points,
                        triangles: &b.triangles,
                        wires: &b.wires,
                        radius: b.radius,
                    })
                    .collect();
                let ipc = Ipc::new(model, at, &shells, pairs, &self.settings);
                ipc.map(|ipc| Solver::Ipc(Box::new(ipc))).map_err(|error| match error {
                    IpcError::Surface(source) => ContactError::Surface(source).into(),
                    IpcError::TooLarge => too_large(None),
                })
            }
        }
    }

    fn check_settings(&self) -> Result<(), WorldError> {
        let s = &self.settings;
        let bad = |key, value, expected| Err(WorldError::Setting { key, value, expected });
        if !(s.time_step > 0.0 && s.time_step.is_finite()) {
            return bad("time_step", s.time_step, "positive (s)");
        }
        if !(s.friction >= 0.0 && s.friction.is_finite()) {
            return bad("friction", s.friction, "0 or more");
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
        match self.friction.values().find(|mu| !(**mu >= 0.0 && mu.is_finite())) {
            Some(mu) => bad("friction", *mu, "0 or more"),
            None => Ok(()),
        }
    }

    fn tie(&mut self, index: usize) -> Result<(), WorldError> {
        let attachment = &self.attachments[index];
        let points = attachment.points.clone();
        match attachment.hold.clone() {
            Hold::Wrench(_) => {}
            Hold::Drive(motion) => {
                self.model.drives.push(motion);
                let drive = self.model.drives.len() - 1;
                self.attachments[index].drive = Some(drive);
                self.retie(&points, |start| Tie::Driven { drive, start });
            }
            Hold::Glue(other) => self.glue(index, &points, other.0)?,
        }
        Ok(())
    }

    fn retie(&mut self, points: &[usize], tie: impl Fn(DVec3) -> Tie) {
        for &p in points {
            self.model.ties[p] = tie(self.state.at.points[p]);
        }
    }

    fn glue(
        &mut self,
        attachment: usize,
        points: &[usize],
        other: usize,
    ) -> Result<(), WorldError> {
        let body = &self.bodies[other];
        if let Some(drive) = body.drive {
            self.retie(points, |start| Tie::Driven { drive, start });
        } else if let Some(frame) = body.frame {
            let centre = self.state.at.frames[frame].position;
            self.retie(points, |x| Tie::Carried { frame, arm: x - centre });
        } else if let Some(mesh) = &body.mesh {
            let refuse = |reason: String| WorldError::Attachment {
                attachment: self.attachments[attachment].name.clone(),
                reason,
            };
            let x: Vec<DVec3> = points.iter().map(|p| self.state.at.points[*p]).collect();
            let embedding = embed(&x, mesh).map_err(|e| refuse(e.to_string()))?;
            let first = body.points.start;
            let mut ties = Vec::new();
            for i in 0..points.len() {
                let nodes = mesh.cells.nodes_of(embedding.cell[i] as usize);
                let parts: Vec<(usize, f64)> = nodes
                    .iter()
                    .zip(embedding.weights_of(i))
                    .map(|(n, w)| (first + *n as usize, *w))
                    .collect();
                ties.push(Tie::Combined(parts));
            }
            points.iter().zip(ties).for_each(|(p, tie)| self.model.ties[*p] = tie);
        }
        Ok(())
    }

    /// A glued point must not hang on another glued point, whichever was glued first.
    fn refuse_chains(&self) -> Result<(), WorldError> {
        let glued = |p: &usize| matches!(self.model.ties[*p], Tie::Combined(_));
        let hangs = |p: &usize| match &self.model.ties[*p] {
            Tie::Combined(parts) => parts.iter().any(|(p, _)| glued(p)),
            _ => false,
        };
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

    /// Numbers all free points, anew where an earlier preparation was refused.
    fn number_blocks(&mut self) {
        // Frames were numbered when they were added, two blocks each.
        let mut next = 2 * self.state.at.frames.len();
        self.state.velocities.truncate(next);
        for (tie, velocity) in self.model.ties.iter_mut().zip(&self.state.point_velocities) {
            if matches!(tie, Tie::Free(_)) {
                *tie = Tie::Free(next);
                next += 1;
                self.state.velocities.push(*velocity);
            }
        }
        self.model.blocks = next;
    }

    fn make_detector(&self) -> Result<(Detector, Vec<(usize, usize)>), WorldError> {
        let s = &self.settings;
        let surfaces = self
            .bodies
            .iter()
            .enumerate()
            .map(|(i, b)| {
                Surface::new(b.triangles.clone(), self.surface_positions(super::BodyId(i)))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let detector =
            Detector::new(ContactSettings::new(s.alarm_distance, s.contact_distance), surfaces)?;
        let fixed = |i: usize| self.bodies[i].drive.is_some();
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
            let never_meet = |j: usize| glued(i, j) || fixed(i) && fixed(j);
            pairs.extend((i + 1..self.bodies.len()).filter(|&j| !never_meet(j)).map(|j| (i, j)));
        }
        Ok((detector, pairs))
    }

    fn refuse_penetration(&mut self) -> Result<(), WorldError> {
        let positions: Vec<Vec<DVec3>> =
            (0..self.bodies.len()).map(|i| self.surface_positions(super::BodyId(i))).collect();
        let Some(engine) = &mut self.engine else { return Ok(()) };
        let poses: Vec<SurfacePose> =
            positions.iter().map(|x| SurfacePose { current: x, free: x }).collect();
        let found = engine.detector.initial_penetration(&poses, &engine.pairs)?;
        match found {
            None => Ok(()),
            Some(p) => {
                self.engine = None;
                Err(WorldError::Penetration {
                    first: self.bodies[p.surface_a].name.clone(),
                    second: self.bodies[p.surface_b].name.clone(),
                    depth: p.depth,
                    at: p.at,
                })
            }
        }
    }
}
