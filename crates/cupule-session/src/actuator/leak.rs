//! The conductance by which every seal leaks.

use cupule::World;
use cupule::world::WorldError;
use cupule_scene::Scene;

use super::{Actuator, Drive, NOT_NEGATIVE, Scale, Slider, round};

pub(super) fn actuators(scene: &Scene, _world: &World) -> Vec<Actuator> {
    let of = |gas: &cupule_scene::model::Gas| {
        let own = gas.leak_conductance;
        let most = round((10.0 * own).max(1e-5));
        let slider = Slider { scale: Scale::Power, ..Slider::linear([0.0, most]) };
        let words = ["seals.leak", "seals", "Leak"];
        Actuator::scalar(words, "m³/s", NOT_NEGATIVE, Leak(own)).with_slider(slider).parameter()
    };
    scene.gas.iter().map(of).collect()
}

/// By the scene, m3/s.
struct Leak(f64);

impl Drive for Leak {
    fn by_scene(&self, _time: f64) -> Vec<f64> {
        vec![self.0]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        world.controls().set_leak_conductance(values.map_or(self.0, |values| values[0]))
    }
}
