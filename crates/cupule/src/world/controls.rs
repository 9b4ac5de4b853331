//! Changing a world between two steps: what a hand on a slider, a controller or a pointer does.
//!
//! Each change holds from the next step on. Drives are not slowed down here: who shifts one by a millimetre gets that
//! millimetre within one step.

use super::{AttachmentId, BodyId, CableDrive, Hold, World, WorldError, WrenchPath};
use crate::cavity::{Schedule, Source, SurfacePoint};
use crate::element::pool;
use crate::law::coulomb;
use crate::material::Isotropic;
use crate::motion::Motion;
use cupule_geometry::{DQuat, DVec3};
use std::sync::Arc;

/// A world's controls.
pub struct Controls<'a> {
    world: &'a mut World,
}

impl World {
    /// What can be changed between two steps.
    pub fn controls(&mut self) -> Controls<'_> {
        Controls { world: self }
    }
}

impl Controls<'_> {
    /// Sets gravity, m/s2. What the change does to the energy of height is work of whoever changes it.
    pub fn set_gravity(&mut self, gravity: DVec3) {
        let before = self.world.moment().stored_now();
        self.world.assembly.settings.gravity = gravity;
        if self.world.memory.stored.is_some() {
            let now = self.world.moment().stored_energy(&self.world.state);
            self.world.memory.work += now.gravity - before.gravity;
            self.world.memory.stored = Some(now);
        }
    }

    /// Sets the friction coefficient of a pair of bodies (or of a body with itself).
    pub fn set_friction(&mut self, a: BodyId, b: BodyId, friction: f64) -> Result<(), WorldError> {
        refuse_negative("friction", friction)?;
        self.world.refuse_unknown(a)?;
        self.world.refuse_unknown(b)?;
        let interfaces = &mut self.world.assembly.interfaces;
        let changed = interfaces.between(a.0, b.0).with_friction(friction);
        interfaces.set(a.0, b.0, changed);
        Ok(())
    }

    /// Sets the friction coefficient of all pairs that have none of their own.
    pub fn set_default_friction(&mut self, friction: f64) -> Result<(), WorldError> {
        refuse_negative("friction", friction)?;
        self.world.assembly.settings.friction = friction;
        self.world.assembly.interfaces.set_default(coulomb(friction));
        Ok(())
    }

    /// Shifts the path of a driven attachment, m.
    pub fn set_attachment_offset(
        &mut self,
        attachment: AttachmentId,
        offset: DVec3,
    ) -> Result<(), WorldError> {
        refuse_infinite("offset", offset)?;
        self.steer_attachment(attachment, &|motion| motion.set_offset(offset))
    }

    /// Commands the translation of a driven attachment from its start (m) in place of that of its path; none leaves it to the path.
    pub fn set_attachment_translation(
        &mut self,
        attachment: AttachmentId,
        translation: Option<DVec3>,
    ) -> Result<(), WorldError> {
        refuse_infinite("translation", translation.unwrap_or_default())?;
        self.steer_attachment(attachment, &|motion| motion.command_translation(translation))
    }

    /// Commands the rotation of a driven attachment from its start in place of that of its path; none leaves it to the path.
    pub fn set_attachment_rotation(
        &mut self,
        attachment: AttachmentId,
        rotation: Option<DQuat>,
    ) -> Result<(), WorldError> {
        refuse_no_rotation(rotation)?;
        self.steer_attachment(attachment, &|motion| motion.command_rotation(rotation))
    }

    fn steer_attachment(
        &mut self,
        attachment: AttachmentId,
        steer: &dyn Fn(&mut Motion),
    ) -> Result<(), WorldError> {
        let (index, count) = (attachment.0, self.world.assembly.attachments.len());
        let Some(attachment) = self.world.assembly.attachments.get_mut(index) else {
            return Err(WorldError::Unknown { what: "attachment", index, count });
        };
        let Hold::Drive(motion) = &mut attachment.hold else {
            let reason = "it follows no path".to_string();
            return Err(WorldError::Attachment { attachment: attachment.name.clone(), reason });
        };
        steer(motion);
        if let Some(drive) = attachment.drive {
            steer(&mut self.world.assembly.model.drives[drive]);
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
        let (index, count) = (attachment.0, self.world.assembly.attachments.len());
        let Some(attachment) = self.world.assembly.attachments.get_mut(index) else {
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
        refuse_infinite("offset", offset)?;
        self.steer_body(body, &|motion| motion.set_offset(offset))
    }

    /// Commands the translation of a kinematic body from its start (m) in place of that of its path; none leaves it to the path.
    pub fn set_body_translation(
        &mut self,
        body: BodyId,
        translation: Option<DVec3>,
    ) -> Result<(), WorldError> {
        refuse_infinite("translation", translation.unwrap_or_default())?;
        self.steer_body(body, &|motion| motion.command_translation(translation))
    }

    /// Commands the rotation of a kinematic body from its start in place of that of its path; none leaves it to the path.
    pub fn set_body_rotation(
        &mut self,
        body: BodyId,
        rotation: Option<DQuat>,
    ) -> Result<(), WorldError> {
        refuse_no_rotation(rotation)?;
        self.steer_body(body, &|motion| motion.command_rotation(rotation))
    }

    fn steer_body(&mut self, body: BodyId, steer: &dyn Fn(&mut Motion)) -> Result<(), WorldError> {
        self.world.refuse_unknown(body)?;
        // A static body is left out of pairs with others of its kind: it must not move.
        match self.world.assembly.bodies[body.0].path() {
            Some(drive) => steer(&mut self.world.assembly.model.drives[drive]),
            None => {
                let reason = "it is not kinematic, so that it has no path".to_string();
                let attachment = self.world.assembly.bodies[body.0].name.clone();
                return Err(WorldError::Attachment { attachment, reason });
            }
        }
        Ok(())
    }

    /// Commands the joints of a robot (rad or m, in the order of its movable joints) in place of their path; none leaves them to it.
    pub fn set_robot_joints(
        &mut self,
        robot: &str,
        values: Option<Vec<f64>>,
    ) -> Result<(), WorldError> {
        let known = self.world.robots().into_iter().find(|arm| arm.name() == robot).cloned();
        let Some(arm) = known else {
            return Err(WorldError::NoSuch { what: "robot", name: robot.to_string() });
        };
        if let Some(values) = &values {
            let (count, expected) = (values.len(), arm.movable().count());
            if count != expected {
                return Err(WorldError::Joints { robot: robot.to_string(), count, expected });
            }
            if let Some(value) = values.iter().copied().find(|value| !value.is_finite()) {
                return Err(WorldError::Setting { key: "joints", value, expected: "finite" });
            }
        }
        let commanded = Arc::new(arm.commanded(values));
        for drive in &mut self.world.assembly.model.drives {
            if drive.arm().is_some_and(|own| Arc::ptr_eq(own, &arm)) {
                drive.set_arm(commanded.clone());
            }
        }
        Ok(())
    }

    /// Sets what pulls a cable. The energy that this takes at the present length counts as work.
    pub fn set_cable_drive(&mut self, index: usize, drive: CableDrive) -> Result<(), WorldError> {
        let count = self.world.assembly.cables.len();
        let Some(cable) = self.world.assembly.cables.get_mut(index) else {
            return Err(WorldError::Unknown { what: "cable", index, count });
        };
        cable.drive = drive;
        Ok(())
    }

    /// Sets the volume of a muscle over time, m3.
    pub fn set_muscle_volume(&mut self, name: &str, volume: Schedule) -> Result<(), WorldError> {
        let mut muscles = self.world.air.iter_mut().flat_map(|air| air.muscles_mut());
        match muscles.find(|muscle| muscle.name == name) {
            Some(muscle) => muscle.volume = volume,
            None => return Err(WorldError::NoSuch { what: "muscle", name: name.to_string() }),
        }
        Ok(())
    }

    /// Forces (N) on points of surfaces, in place of those of the last call. A body that is not free does not feel them.
    pub fn set_pulls(&mut self, pulls: Vec<(SurfacePoint, DVec3)>) -> Result<(), WorldError> {
        for (point, force) in &pulls {
            self.world.refuse_unknown(BodyId(point.body))?;
            refuse_infinite("force", *force)?;
            let triangles = &self.world.assembly.bodies[point.body].surface.triangles;
            let (index, count) = (point.triangle as usize, triangles.len());
            if index >= count {
                return Err(WorldError::Unknown { what: "triangle", index, count });
            }
        }
        self.world.assembly.pulls = pulls;
        Ok(())
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
        let count = self.world.lines().len();
        let lines = self.world.air.as_mut().map(|air| air.lines_mut());
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
        if let (Some(air), Some(settings)) =
            (&mut self.world.air, &mut self.world.assembly.settings.air)
        {
            air.set_leak_conductance(conductance);
            settings.leak_conductance = conductance;
        }
        Ok(())
    }

    /// Gives a soft body another Young's modulus, Pa. It keeps its shape; the energy that this takes counts as work.
    pub fn set_youngs_modulus(&mut self, body: BodyId, modulus: f64) -> Result<(), WorldError> {
        self.world.refuse_unknown(body)?;
        let expected = "positive and finite (Pa), of a soft body";
        let bad = WorldError::Setting { key: "youngs_modulus", value: modulus, expected };
        let part = self.world.assembly.bodies[body.0].pools.first().copied();
        let entry = &mut self.world.assembly.bodies[body.0];
        let (Some(part), Some((material, formulation)), Some(mesh)) =
            (part, &mut entry.material, &entry.mesh)
        else {
            return Err(bad);
        };
        let moduli = Isotropic::new(modulus, material.isotropic().poissons_ratio());
        let moduli = moduli.map_err(|_| bad)?;
        *material = material.with_moduli(moduli);
        let x = &self.world.state.at.points[self.world.assembly.model.soft[part].points.clone()];
        let before = self.world.assembly.model.soft[part].elements.energy(x);
        self.world.assembly.model.soft[part].elements =
            pool(mesh, material, *formulation, entry.fillings.as_deref());
        self.world.assembly.model.soft[part].modulus = Some(modulus);
        let change = self.world.assembly.model.soft[part].elements.energy(x) - before;
        self.world.memory.work += change;
        if let Some(stored) = &mut self.world.memory.stored {
            stored.elastic += change;
        }
        self.world.engine.solver.forget_factors();
        Ok(())
    }
}

impl World {
    fn refuse_unknown(&self, body: BodyId) -> Result<(), WorldError> {
        let (index, count) = (body.0, self.assembly.bodies.len());
        if index < count { Ok(()) } else { Err(WorldError::Unknown { what: "body", index, count }) }
    }
}

fn refuse_negative(key: &'static str, value: f64) -> Result<(), WorldError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(WorldError::Setting { key, value, expected: "0 or more" })
}

fn refuse_no_rotation(rotation: Option<DQuat>) -> Result<(), WorldError> {
    match rotation.filter(|q| !q.is_normalized()) {
        None => Ok(()),
        Some(q) => Err(WorldError::Setting {
            key: "rotation",
            value: q.length(),
            expected: "a quaternion of length 1",
        }),
    }
}

fn refuse_infinite(key: &'static str, vector: DVec3) -> Result<(), WorldError> {
    let wrong = vector.to_array().into_iter().find(|c| !c.is_finite());
    wrong.map_or(Ok(()), |value| Err(WorldError::Setting { key, value, expected: "finite" }))
}
