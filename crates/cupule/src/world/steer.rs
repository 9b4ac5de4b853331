//! Changing a world between two steps: what a hand on a slider, a controller or a pointer does.
//!
//! Each change holds from the next step on. Drives are not slowed down here: who shifts one by a millimetre gets that
//! millimetre within one step.

use super::spec::{AttachmentId, BodyId, Hold, WorldError, WrenchPath};
use super::{BodyKind, World};
use crate::cavity::{Schedule, Source, SurfacePoint};
use crate::element::pool;
use crate::mapping::Tie;
use crate::material::{Isotropic, Material};
use crate::model::Loads;
use cupule_geometry::DVec3;

impl World {
    /// Sets the friction coefficient of all pairs that have none of their own.
    pub fn set_default_friction(&mut self, friction: f64) -> Result<(), WorldError> {
        refuse_negative("friction", friction)?;
        self.settings.friction = friction;
        Ok(())
    }

    /// Shifts the path of a driven attachment, m.
    pub fn set_attachment_offset(
        &mut self,
        attachment: AttachmentId,
        offset: DVec3,
    ) -> Result<(), WorldError> {
        refuse_infinite("offset", offset)?;
        let (index, count) = (attachment.0, self.attachments.len());
        let Some(attachment) = self.attachments.get_mut(index) else {
            return Err(WorldError::Unknown { what: "attachment", index, count });
        };
        let Hold::Drive(motion) = &mut attachment.hold else {
            let reason = "it follows no path that could be shifted".to_string();
            return Err(WorldError::Attachment { attachment: attachment.name.clone(), reason });
        };
        motion.set_offset(offset);
        if let Some(drive) = attachment.drive {
            self.model.drives[drive].set_offset(offset);
        }
        Ok(())
    }

    /// Gives an attachment that loads its body another wrench over time.
    pub fn set_attachment_wrench(
        &mut self,
        attachment: AttachmentId,
        path: WrenchPath,
    ) -> Result<(), WorldError> {
        for (_, wrench) in &path.keys {
            refuse_infinite("force", wrench.force)?;
            refuse_infinite("torque", wrench.torque)?;
        }
        let (index, count) = (attachment.0, self.attachments.len());
        let Some(attachment) = self.attachments.get_mut(index) else {
            return Err(WorldError::Unknown { what: "attachment", index, count });
        };
        let Hold::Wrench(known) = &mut attachment.hold else {
            let reason = "it does not load its body with a wrench".to_string();
            return Err(WorldError::Attachment { attachment: attachment.name.clone(), reason });
        };
        *known = path;
        Ok(())
    }

    /// Shifts the path of a kinematic body, m.
    pub fn set_body_offset(&mut self, body: BodyId, offset: DVec3) -> Result<(), WorldError> {
        self.refuse_unknown(body)?;
        refuse_infinite("offset", offset)?;
        // A static body is left out of pairs with others of its kind: it must not move.
        match (self.bodies[body.0].kind, self.bodies[body.0].drive) {
            (BodyKind::Kinematic, Some(drive)) => self.model.drives[drive].set_offset(offset),
            _ => {
                let reason = "it is not kinematic, so that it has no path".to_string();
                let attachment = self.bodies[body.0].name.clone();
                return Err(WorldError::Attachment { attachment, reason });
            }
        }
        Ok(())
    }

    /// Forces (N) on points of surfaces, in place of those of the last call. A body that is not free does not feel them.
    pub fn set_pulls(&mut self, pulls: Vec<(SurfacePoint, DVec3)>) -> Result<(), WorldError> {
        for (point, force) in &pulls {
            self.refuse_unknown(BodyId(point.body))?;
            refuse_infinite("force", *force)?;
            let (index, count) = (point.triangle as usize, self.bodies[point.body].triangles.len());
            if index >= count {
                return Err(WorldError::Unknown { what: "triangle", index, count });
            }
        }
        self.pulls = pulls;
        Ok(())
    }

    /// Position (m) and velocity (m/s) of a point of a surface.
    pub fn surface_point(&self, point: &SurfacePoint) -> Option<(DVec3, DVec3)> {
        let body = self.bodies.get(point.body)?;
        let corners = body.triangles.get(point.triangle as usize)?;
        let (mut at, mut velocity) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, weight) in corners.iter().zip(point.at) {
            let index = body.surface_points[*vertex as usize];
            at += self.state.at.points[index] * weight;
            velocity += self.state.point_velocities[index] * weight;
        }
        Some((at, velocity))
    }

    pub(super) fn add_pulls(&self, loads: &mut Loads) {
        for (point, force) in &self.pulls {
            let body = &self.bodies[point.body];
            let corners = body.triangles[point.triangle as usize];
            for (vertex, weight) in corners.iter().zip(point.at) {
                self.add_load(body.surface_points[*vertex as usize], *force * weight, loads);
            }
        }
    }

    /// A force on a point, taken to what the point follows.
    fn add_load(&self, point: usize, force: DVec3, loads: &mut Loads) {
        match &self.model.ties[point] {
            Tie::Free(_) => loads.points.push((point, force)),
            Tie::Combined(parts) => {
                parts.iter().for_each(|(part, w)| self.add_load(*part, force * *w, loads));
            }
            Tie::Carried { frame, .. } => {
                let arm = self.state.at.points[point] - self.state.at.frames[*frame].position;
                loads.frames.push((*frame, force, arm.cross(force)));
            }
            // What holds a node feels it; a kinematic body does not.
            Tie::Driven { .. } if self.model.soft.iter().any(|s| s.points.contains(&point)) => {
                loads.points.push((point, force))
            }
            Tie::Driven { .. } => {}
        }
    }

    /// Sets what drives the air of a line.
    pub fn set_line_source(&mut self, line: usize, source: Source) -> Result<(), WorldError> {
        self.line_mut(line)?.source = source;
        Ok(())
    }

    /// Sets the valve of a line to the atmosphere, m3/s over time.
    pub fn set_line_valve(&mut self, line: usize, valve: Schedule) -> Result<(), WorldError> {
        self.line_mut(line)?.valve = valve;
        Ok(())
    }

    fn line_mut(&mut self, index: usize) -> Result<&mut crate::cavity::Line, WorldError> {
        let count = self.lines().len();
        let lines = self.air.as_mut().map(|air| air.lines_mut());
        let vessel = lines.and_then(|lines| lines.get_mut(index));
        vessel.map(|vessel| &mut vessel.line).ok_or(WorldError::Unknown {
            what: "line",
            index,
            count,
        })
    }

    /// Sets the conductance of every seal to the outside, m3/s. Without air there is none, and nothing happens.
    pub fn set_leak_conductance(&mut self, conductance: f64) -> Result<(), WorldError> {
        refuse_negative("leak_conductance", conductance)?;
        if let (Some(air), Some(settings)) = (&mut self.air, &mut self.settings.air) {
            air.set_leak_conductance(conductance);
            settings.leak_conductance = conductance;
        }
        Ok(())
    }

    /// Gives a soft body another Young's modulus, Pa. It keeps its shape; the energy that this takes counts as work.
    pub fn set_youngs_modulus(&mut self, body: BodyId, modulus: f64) -> Result<(), WorldError> {
        self.refuse_unknown(body)?;
        let expected = "positive and finite (Pa), of a soft body";
        let bad = WorldError::Setting { key: "youngs_modulus", value: modulus, expected };
        let part = self.model.soft.iter().position(|soft| soft.body == body.0);
        let entry = &mut self.bodies[body.0];
        let (Some(part), Some((material, formulation)), Some(mesh)) =
            (part, &mut entry.material, &entry.mesh)
        else {
            return Err(bad);
        };
        let moduli = Isotropic::new(modulus, material.isotropic().poissons_ratio());
        let moduli = moduli.map_err(|_| bad)?;
        *material = match material {
            Material::Corotated(_) => Material::Corotated(moduli),
            Material::StableNeoHookean(_) => Material::StableNeoHookean(moduli),
        };
        let x = &self.state.at.points[self.model.soft[part].points.clone()];
        let before = self.model.soft[part].elements.energy(x);
        self.model.soft[part].elements =
            pool(mesh, material, *formulation, entry.fillings.as_deref());
        self.model.soft[part].modulus = modulus;
        let change = self.model.soft[part].elements.energy(x) - before;
        self.memory.work += change;
        if let Some(stored) = &mut self.memory.stored {
            stored.elastic += change;
        }
        self.forget_factors();
        Ok(())
    }
}

fn refuse_negative(key: &'static str, value: f64) -> Result<(), WorldError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(WorldError::Setting { key, value, expected: "0 or more" })
}

fn refuse_infinite(key: &'static str, vector: DVec3) -> Result<(), WorldError> {
    let wrong = vector.to_array().into_iter().find(|c| !c.is_finite());
    wrong.map_or(Ok(()), |value| Err(WorldError::Setting { key, value, expected: "finite" }))
}
