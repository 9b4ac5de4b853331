//! Attachments: points of bodies that something holds or loads.

use super::spec::{AttachmentId, AttachmentSpec, BodyId, Hold, WorldError};
use super::{WorldBuilder, embedded_parts};
use crate::mapping::Tie;
use crate::report::Wrench;
use crate::world::assembly::Attachment;
use crate::world::loads::share_out;
use cupule_geometry::DVec3;
use cupule_geometry::cage::embed;

impl WorldBuilder {
    /// Adds an attachment.
    pub fn add_attachment(&mut self, spec: AttachmentSpec) -> Result<AttachmentId, WorldError> {
        self.refuse_unknown(spec.body)?;
        if let Hold::Glue(other) = spec.hold {
            self.refuse_unknown(other)?;
        }
        let refuse =
            |reason: String| Err(WorldError::Attachment { attachment: spec.name.clone(), reason });
        let body = &self.bodies[spec.body.0];
        let wrench = matches!(spec.hold, Hold::Wrench(_));
        if !body.moves_freely() {
            return refuse(format!(
                "body \"{}\" is not free: its motion says where it goes",
                body.name
            ));
        }
        let points: Vec<usize> = if body.has_nodes() {
            spec.points.iter().map(|n| body.points.start + *n as usize).collect()
        } else if wrench {
            body.points.clone().collect()
        } else {
            return refuse(format!(
                "body \"{}\" is rigid: to drive it, make it kinematic",
                body.name
            ));
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
        if matches!(spec.hold, Hold::Axes([false, false, false])) {
            return refuse("it holds no axis".to_string());
        }
        if spec.hold == Hold::Glue(spec.body) {
            return refuse(format!("body \"{}\" cannot be glued to itself", body.name));
        }
        if let Hold::Wrench(path) = &spec.hold
            && body.has_nodes()
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
        let drive = self.tie(&spec, &points)?;
        let AttachmentSpec { name, body: BodyId(body), hold, .. } = spec;
        self.attachments.push(Attachment { name, body, points, hold, drive });
        Ok(AttachmentId(self.attachments.len() - 1))
    }

    /// Whether forces on the points can have the torque of a wrench about their centre.
    fn can_take(&self, points: &[usize], wrench: Wrench) -> bool {
        if wrench.torque == DVec3::ZERO {
            return true;
        }
        let x: Vec<DVec3> = points.iter().map(|p| self.points[*p].at).collect();
        let forces = share_out(&x, wrench);
        let centre = x.iter().sum::<DVec3>() / x.len() as f64;
        let torque: DVec3 = x.iter().zip(forces).map(|(x, f)| (*x - centre).cross(f)).sum();
        (torque - wrench.torque).length() <= 1e-6 * wrench.torque.length()
    }

    fn find_taken(&self, points: &[usize]) -> Option<&str> {
        let holds = |a: &&Attachment| {
            !matches!(a.hold, Hold::Wrench(_)) && points.iter().any(|p| a.points.contains(p))
        };
        self.attachments.iter().find(holds).map(|a| a.name.as_str())
    }

    /// Ties the points of an attachment to what holds them; the drive that they follow, where they have one of their own.
    fn tie(
        &mut self,
        spec: &AttachmentSpec,
        points: &[usize],
    ) -> Result<Option<usize>, WorldError> {
        match &spec.hold {
            Hold::Wrench(_) => Ok(None),
            Hold::Axes(held) => {
                let free = DVec3::from_array(held.map(|held| if held { 0.0 } else { 1.0 }));
                for point in points {
                    let point = &mut self.points[*point];
                    point.free = free;
                    point.velocity *= free;
                }
                Ok(None)
            }
            Hold::Drive(motion) => {
                let drive = self.push_drive(motion.clone());
                self.retie(points, |start| Tie::Driven { drive, start });
                Ok(Some(drive))
            }
            Hold::Glue(other) => {
                self.glue(points, other.0).map_err(|reason| WorldError::Attachment {
                    attachment: spec.name.clone(),
                    reason,
                })?;
                Ok(None)
            }
        }
    }

    fn retie(&mut self, points: &[usize], tie: impl Fn(DVec3) -> Tie) {
        for &p in points {
            self.points[p].tie = Some(tie(self.points[p].at));
        }
    }

    fn glue(&mut self, points: &[usize], other: usize) -> Result<(), String> {
        let body = &self.bodies[other];
        if let Some(drive) = body.drive {
            self.retie(points, |start| Tie::Driven { drive, start });
        } else if let Some(frame) = body.frame {
            let centre = self.frames[frame].0.position;
            self.retie(points, |x| Tie::Carried { frame, arm: x - centre });
        } else if let Some(mesh) = &body.mesh {
            let x: Vec<DVec3> = points.iter().map(|p| self.points[*p].at).collect();
            let embedding = embed(&x, mesh).map_err(|e| e.to_string())?;
            for (point, parts) in
                points.iter().zip(embedded_parts(&embedding, mesh, body.points.start))
            {
                self.points[*point].tie = Some(Tie::Combined(parts));
            }
        }
        Ok(())
    }
}
