//! Attachments that load their body: force and torque.

use cupule::World;
use cupule::report::Wrench;
use cupule::world::{AttachmentId, Hold, WorldError, WrenchPath};
use cupule_geometry::DVec3;
use cupule_scene::Scene;

use super::{Actuator, Drive, Slider, round, vector};

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let of = |id: AttachmentId| {
        let Hold::Wrench(path) = world.attachment(id).hold else { return Vec::new() };
        let name = world.attachment(id).name;
        let largest = path.keys.iter().map(|(_, w)| w.force.length()).fold(0.0, f64::max);
        let most = round((2.0 * largest).max(0.1));
        let slider = Slider { is_gradual: true, ..Slider::linear([-most, most]) };
        let load = |part| Load { id, path: path.clone(), part };
        let [force, torque] = ["force", "torque"].map(|key| format!("attachment.{name}.{key}"));
        vec![
            Actuator::vector([&force, name, "Force"], "N", load(FORCE)).with_slider(slider),
            Actuator::vector([&torque, name, "Torque"], "N m", load(TORQUE)),
        ]
    };
    (0..world.attachment_count()).map(AttachmentId).flat_map(of).collect()
}

/// One of the two vectors of a wrench.
type Component = fn(&mut Wrench) -> &mut DVec3;
const FORCE: Component = |wrench| &mut wrench.force;
const TORQUE: Component = |wrench| &mut wrench.torque;

struct Load {
    id: AttachmentId,
    /// By the scene.
    path: WrenchPath,
    part: Component,
}

impl Drive for Load {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        (self.part)(&mut self.path.at(time)).to_array().to_vec()
    }

    /// The other vector stays as it is now, commanded or not: keys of both paths have the same times.
    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let Hold::Wrench(now) = world.attachment(self.id).hold else { return Ok(()) };
        let mut path = now.clone();
        for ((_, wrench), (_, by_scene)) in path.keys.iter_mut().zip(&self.path.keys) {
            let own = *(self.part)(&mut by_scene.clone());
            *(self.part)(wrench) = values.map_or(own, vector);
        }
        world.controls().set_attachment_wrench(self.id, path)
    }
}
