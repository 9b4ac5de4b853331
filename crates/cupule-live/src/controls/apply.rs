//! What moving a control does to the world.

use std::collections::BTreeMap;

use cupule::cavity::{Schedule, Source};
use cupule::world::{World, WorldError, WrenchPath};
use cupule_geometry::DVec3;

use super::{Entry, Handle, always, regulated};

impl Handle {
    /// Whether it moves a path, which must not jump.
    pub fn is_path(&self) -> bool {
        matches!(self, Self::Attachment(..) | Self::Body(..) | Self::Force(..))
    }

    /// What the scene says at a time, s.
    pub fn by_scene(&self, time: f64) -> f64 {
        match self {
            Self::Attachment(..) | Self::Body(..) | Self::Force(..) => 0.0,
            Self::Regulator(_, schedule)
            | Self::Pump(_, schedule, _)
            | Self::Valve(_, schedule) => schedule.at(time),
            Self::Stiffness(_, value)
            | Self::Friction(value)
            | Self::PairFriction(_, value)
            | Self::Leak(value) => *value,
            Self::Gravity(vector) => vector[2],
        }
    }

    /// Sets a value, or what the scene says. Paths go by [`offsets`].
    pub fn apply(&self, value: Option<f64>, world: &mut World) -> Result<(), WorldError> {
        let plan = |schedule: &Schedule| value.map_or_else(|| schedule.clone(), always);
        match self {
            Self::Attachment(..) | Self::Body(..) | Self::Force(..) => Ok(()),
            Self::Regulator(line, schedule) => {
                let atmosphere = world.settings().air.as_ref().map_or(0.0, |air| air.atmosphere);
                world.controls().set_line_source(*line, regulated(plan(schedule), atmosphere))
            }
            Self::Pump(line, schedule, ultimate) => {
                let source = Source::Pump { speed: plan(schedule), ultimate: *ultimate };
                world.controls().set_line_source(*line, source)
            }
            Self::Valve(line, schedule) => world.controls().set_line_valve(*line, plan(schedule)),
            Self::Stiffness(body, own) => {
                world.controls().set_youngs_modulus(*body, value.unwrap_or(*own))
            }
            Self::Friction(own) => world.controls().set_default_friction(value.unwrap_or(*own)),
            Self::PairFriction([a, b], own) => {
                world.controls().set_friction(*a, *b, value.unwrap_or(*own))
            }
            Self::Leak(own) => world.controls().set_leak_conductance(value.unwrap_or(*own)),
            Self::Gravity([x, y, z]) => {
                world.controls().set_gravity(DVec3::new(*x, *y, value.unwrap_or(*z)));
                Ok(())
            }
        }
    }
}

/// Hands the present offsets of all paths over; the three axes of one go together.
pub fn offsets(entries: &[Entry], world: &mut World) -> Result<(), WorldError> {
    let (mut attachments, mut bodies, mut forces) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for entry in entries {
        match &entry.handle {
            Handle::Attachment(id, axis) => {
                attachments.entry(*id).or_insert(DVec3::ZERO)[*axis] = entry.present;
            }
            Handle::Body(id, axis) => {
                bodies.entry(*id).or_insert(DVec3::ZERO)[*axis] = entry.present;
            }
            Handle::Force(id, axis, path) => {
                forces.entry(*id).or_insert((DVec3::ZERO, path)).0[*axis] = entry.present;
            }
            _ => {}
        }
    }
    for (id, offset) in attachments {
        world.controls().set_attachment_offset(id, offset)?;
    }
    for (id, offset) in bodies {
        world.controls().set_body_offset(id, offset)?;
    }
    for (id, (force, path)) in forces {
        world.controls().set_attachment_wrench(id, pushed(path, force))?;
    }
    Ok(())
}

/// A wrench with a force added at all times.
fn pushed(path: &WrenchPath, force: DVec3) -> WrenchPath {
    let mut path = path.clone();
    path.keys.iter_mut().for_each(|(_, wrench)| wrench.force += force);
    path
}
