//! Muscles: the volume of the chamber behind the wall of a sucker.

use cupule::World;
use cupule::cavity::Schedule;
use cupule::world::WorldError;
use cupule_scene::Scene;

use super::{Actuator, Drive, NOT_NEGATIVE, plan};

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let of = |(name, volume): (&str, &Schedule)| {
        let words = [&format!("muscle.{name}.volume"), name, "Muscle volume"];
        let drive = Widened { name: name.to_string(), volume: volume.clone() };
        Actuator::scalar(words, "m³", NOT_NEGATIVE, drive)
    };
    world.muscles().map(of).collect()
}

struct Widened {
    name: String,
    /// By the scene, m3.
    volume: Schedule,
}

impl Drive for Widened {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        vec![self.volume.at(time).max(0.0)]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        world.controls().set_muscle_volume(&self.name, plan(values, &self.volume))
    }
}
