//! Kinematic bodies: where they go.

use cupule::World;
use cupule::world::BodyId;
use cupule_scene::Scene;

use super::Actuator;
use super::path::{self, Steered};

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let reach = path::reach(world);
    let of = |id: BodyId| {
        let Some(motion) = world.body_motion(id) else { return Vec::new() };
        let steered = Steered {
            id,
            offset: |world, id, offset| world.controls().set_body_offset(id, offset),
            translation: |world, id, to| world.controls().set_body_translation(id, to),
            rotation: |world, id, to| world.controls().set_body_rotation(id, to),
        };
        let name = world.body_name(id);
        path::actuators(&format!("body.{name}"), name, motion, steered, reach).into()
    };
    (0..world.body_count()).map(BodyId).flat_map(of).collect()
}
