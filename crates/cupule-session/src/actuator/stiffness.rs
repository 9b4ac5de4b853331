//! Young's modulus of soft bodies.

use cupule::World;
use cupule::world::{BodyId, WorldError};
use cupule_scene::Scene;

use super::{Actuator, Drive, Scale, Slider};

/// Below the softest gels and above diamond nothing is meant, Pa.
const RANGE: [f64; 2] = [1.0, 1e13];

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let of = |id: BodyId| {
        let (name, modulus) = (world.body_name(id), world.youngs_modulus(id)?);
        let words = [&format!("body.{name}.youngs_modulus"), name, "Young's modulus"];
        let slider =
            Slider { scale: Scale::Logarithmic, ..Slider::linear([0.1 * modulus, 10.0 * modulus]) };
        let actuator = Actuator::scalar(words, "Pa", RANGE, Stiffness { id, modulus });
        Some(actuator.with_slider(slider).parameter())
    };
    (0..world.body_count()).map(BodyId).filter_map(of).collect()
}

struct Stiffness {
    id: BodyId,
    /// By the scene, Pa.
    modulus: f64,
}

impl Drive for Stiffness {
    fn by_scene(&self, _time: f64) -> Vec<f64> {
        vec![self.modulus]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        world.controls().set_youngs_modulus(self.id, values.map_or(self.modulus, |v| v[0]))
    }
}
