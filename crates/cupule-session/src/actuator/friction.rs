//! Friction: of pairs of bodies with an interface, and of all others.

use cupule::World;
use cupule::world::{BodyId, WorldError};
use cupule_scene::Scene;

use super::{Actuator, Drive, NOT_NEGATIVE, Slider};

pub(super) fn actuators(scene: &Scene, world: &World) -> Vec<Actuator> {
    let friction = scene.contact.friction;
    let words = ["contact.friction", "contact", "Friction"];
    let mut all = vec![actuator(words, friction, Everywhere(friction))];
    for interface in &scene.interfaces {
        let [a, b] = interface.between.each_ref().map(|name| world.find_body(name));
        if let (Some(a), Some(b), Some(friction)) = (a, b, interface.friction) {
            let [first, second] = &interface.between;
            let name = format!("interface.{first}.{second}.friction");
            let words = [&name, &format!("{first} and {second}"), "Friction"];
            all.push(actuator(words, friction, Between([a, b], friction)));
        }
    }
    all
}

fn actuator(words: [&str; 3], friction: f64, drive: impl Drive + 'static) -> Actuator {
    let slider = Slider::linear([0.0, 1.5_f64.max(2.0 * friction)]);
    Actuator::scalar(words, "", NOT_NEGATIVE, drive).with_slider(slider).parameter()
}

/// The coefficient of all pairs that have none of their own, by the scene.
struct Everywhere(f64);

impl Drive for Everywhere {
    fn by_scene(&self, _time: f64) -> Vec<f64> {
        vec![self.0]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        world.controls().set_default_friction(values.map_or(self.0, |values| values[0]))
    }
}

/// The coefficient of a pair, by the scene.
struct Between([BodyId; 2], f64);

impl Drive for Between {
    fn by_scene(&self, _time: f64) -> Vec<f64> {
        vec![self.1]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let Self([a, b], own) = self;
        world.controls().set_friction(*a, *b, values.map_or(*own, |values| values[0]))
    }
}
