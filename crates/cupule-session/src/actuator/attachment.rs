//! Driven attachments: where they lead the points that they hold.

use cupule::World;
use cupule::world::{AttachmentId, Hold};
use cupule_scene::Scene;

use super::Actuator;
use super::path::{self, Steered};

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let reach = path::reach(world);
    let of = |id: AttachmentId| {
        let Hold::Drive(motion) = world.attachment(id).hold else { return Vec::new() };
        let steered = Steered {
            id,
            offset: |world, id, offset| world.controls().set_attachment_offset(id, offset),
            translation: |world, id, to| world.controls().set_attachment_translation(id, to),
            rotation: |world, id, to| world.controls().set_attachment_rotation(id, to),
        };
        let name = world.attachment(id).name;
        path::actuators(&format!("attachment.{name}"), name, motion, steered, reach).into()
    };
    (0..world.attachment_count()).map(AttachmentId).flat_map(of).collect()
}
