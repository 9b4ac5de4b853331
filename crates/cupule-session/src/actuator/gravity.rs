//! Gravity along z.

use cupule::World;
use cupule::world::WorldError;
use cupule_geometry::DVec3;
use cupule_scene::Scene;

use super::{ANY, Actuator, Drive, Slider};

pub(super) fn actuators(scene: &Scene, _world: &World) -> Vec<Actuator> {
    let words = ["world.gravity_z", "world", "Gravity z"];
    let gravity = Actuator::scalar(words, "m/s²", ANY, Gravity(scene.gravity));
    // Twice the earth's, either way.
    vec![gravity.with_slider(Slider::linear([-20.0, 20.0])).parameter()]
}

/// By the scene, m/s2.
struct Gravity([f64; 3]);

impl Drive for Gravity {
    fn by_scene(&self, _time: f64) -> Vec<f64> {
        vec![self.0[2]]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let [x, y, z] = self.0;
        world.controls().set_gravity(DVec3::new(x, y, values.map_or(z, |values| values[0])));
        Ok(())
    }
}
