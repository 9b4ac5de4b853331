//! Actuators of what follows a path: an offset added to it, and a translation and a rotation in place of it.

use cupule::World;
use cupule::motion::Motion;
use cupule::world::{BodyId, WorldError};
use cupule_geometry::{DQuat, DVec3};

use super::{Actuator, Drive, Slider, round, vector};

/// How a path is steered: by the world's controls.
#[derive(Clone, Copy)]
pub(super) struct Steered<I> {
    pub(super) id: I,
    pub(super) offset: fn(&mut World, I, DVec3) -> Result<(), WorldError>,
    pub(super) translation: fn(&mut World, I, Option<DVec3>) -> Result<(), WorldError>,
    pub(super) rotation: fn(&mut World, I, Option<DQuat>) -> Result<(), WorldError>,
}

/// The three actuators of a path.
pub(super) fn actuators<I: Copy + Send + Sync + 'static>(
    prefix: &str,
    subject: &str,
    motion: &Motion,
    steered: Steered<I>,
    reach: f64,
) -> [Actuator; 3] {
    let slider = Slider { is_gradual: true, ..Slider::linear([-reach, reach]) };
    [
        Actuator::vector([&format!("{prefix}.offset"), subject, "Shift"], "m", Offset(steered))
            .with_slider(slider),
        Actuator::vector(
            [&format!("{prefix}.translation"), subject, "Translation from the start"],
            "m",
            Translation(steered, motion.clone()),
        ),
        Actuator::vector(
            [&format!("{prefix}.rotation"), subject, "Rotation vector from the start"],
            "rad",
            Rotation(steered, motion.clone()),
        ),
    ]
}

struct Offset<I>(Steered<I>);

impl<I: Copy + Send + Sync> Drive for Offset<I> {
    fn by_scene(&self, _time: f64) -> Vec<f64> {
        vec![0.0; 3]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        (self.0.offset)(world, self.0.id, values.map(vector).unwrap_or_default())
    }
}

/// With the path of the scene.
struct Translation<I>(Steered<I>, Motion);

impl<I: Copy + Send + Sync> Drive for Translation<I> {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        self.1.at(time).translation.to_array().to_vec()
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        (self.0.translation)(world, self.0.id, values.map(vector))
    }
}

/// With the path of the scene.
struct Rotation<I>(Steered<I>, Motion);

impl<I: Copy + Send + Sync> Drive for Rotation<I> {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        self.1.at(time).rotation.to_scaled_axis().to_array().to_vec()
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let turn = |values| DQuat::from_scaled_axis(vector(values));
        (self.0.rotation)(world, self.0.id, values.map(turn))
    }
}

/// How far paths may be shifted by hand, m: half the size of what is not static.
pub(super) fn reach(world: &World) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let ids = (0..world.body_count()).map(BodyId);
    for body in ids.filter(|id| !world.capabilities(*id).is_fixed) {
        for x in world.surface_positions(body) {
            (low, high) = (low.min(x), high.max(x));
        }
    }
    let size = (high - low).max_element();
    if size.is_finite() { round(0.5 * size) } else { 0.01 }
}
