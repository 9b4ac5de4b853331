//! Actuators: everything that can be commanded between two steps, by name.
//!
//! Until it is commanded, an actuator does what the scene says. A new kind of actuator is a file beside this one, and its name in `KINDS`.

mod attachment;
mod body;
mod cable;
mod friction;
mod gravity;
mod leak;
mod line;
mod muscle;
mod path;
mod robot;
mod stiffness;
mod wrench;

use cupule::World;
use cupule::cavity::Schedule;
use cupule::world::WorldError;
use cupule_geometry::DVec3;
use cupule_scene::Scene;
use serde::Serialize;

use crate::SessionError;

/// All kinds, in the order in which they are listed.
const KINDS: &[fn(&Scene, &World) -> Vec<Actuator>] = &[
    attachment::actuators,
    wrench::actuators,
    body::actuators,
    robot::actuators,
    cable::actuators,
    line::actuators,
    muscle::actuators,
    stiffness::actuators,
    friction::actuators,
    leak::actuators,
    gravity::actuators,
];

/// The actuators of a scene.
pub fn actuators(scene: &Scene, world: &World) -> Vec<Actuator> {
    KINDS.iter().flat_map(|kind| kind(scene, world)).collect()
}

/// What an actuator is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It acts: it goes back to what the scene says when the session is reset.
    Actuator,
    /// It is a property of the scene: it stays when the session is reset.
    Parameter,
}

/// How a slider goes from its least to its largest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By factors.
    Logarithmic,
    /// From 0 with the fourth power: 0, and small values finely.
    Power,
}

/// A slider that suits an actuator, one for each of its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Slider {
    /// Least and largest value.
    pub range: [f64; 2],
    /// How it goes from the one to the other.
    pub scale: Scale,
    /// Values with a button of their own, such as open and shut.
    pub presets: Vec<(&'static str, f64)>,
    /// Whether a hand must move it gradually, because a jump would be a blow.
    pub is_gradual: bool,
}

impl Slider {
    /// An even slider.
    fn linear(range: [f64; 2]) -> Self {
        Self { range, scale: Scale::Linear, presets: Vec::new(), is_gradual: false }
    }
}

/// What an actuator does to a world.
pub(crate) trait Drive: Send + Sync {
    /// The values that the scene says at a time (s).
    fn by_scene(&self, time: f64) -> Vec<f64>;

    /// Sets the values, or leaves them to the scene again.
    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError>;
}

/// Something that can be commanded.
pub struct Actuator {
    /// Its name, such as `attachment.hand.translation`.
    pub name: String,
    /// What it belongs to, such as the name of an attachment.
    pub subject: String,
    /// What it does, for people.
    pub title: String,
    /// SI unit of its values.
    pub unit: &'static str,
    /// What its values are called, such as x, y and z; one empty word for a single value.
    pub components: Vec<String>,
    /// Least and largest value that it takes.
    pub range: [f64; 2],
    /// What it is for.
    pub role: Role,
    /// The slider that suits it, if one does.
    pub slider: Option<Slider>,
    pub(crate) drive: Box<dyn Drive>,
}

/// Any finite value.
const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// Not below zero.
const NOT_NEGATIVE: [f64; 2] = [0.0, f64::INFINITY];

const AXES: [&str; 3] = ["x", "y", "z"];

impl Actuator {
    /// One value.
    fn scalar(
        [name, subject, title]: [&str; 3],
        unit: &'static str,
        range: [f64; 2],
        drive: impl Drive + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            subject: subject.into(),
            title: title.into(),
            unit,
            components: vec![String::new()],
            range,
            role: Role::Actuator,
            slider: None,
            drive: Box::new(drive),
        }
    }

    /// A vector along the world's axes.
    fn vector(words: [&str; 3], unit: &'static str, drive: impl Drive + 'static) -> Self {
        let components = AXES.map(String::from).to_vec();
        Self { components, ..Self::scalar(words, unit, ANY, drive) }
    }

    fn with_slider(self, slider: Slider) -> Self {
        Self { slider: Some(slider), ..self }
    }

    fn parameter(self) -> Self {
        Self { role: Role::Parameter, ..self }
    }

    /// What the scene says at a time (s).
    pub fn by_scene(&self, time: f64) -> Vec<f64> {
        self.drive.by_scene(time)
    }

    /// Refuses values that it cannot take.
    pub(crate) fn check(&self, values: &[f64]) -> Result<(), SessionError> {
        let (count, expected) = (values.len(), self.components.len());
        if count != expected {
            return Err(SessionError::Shape { name: self.name.clone(), count, expected });
        }
        let [low, high] = self.range;
        let fits = |value: &f64| value.is_finite() && (low..=high).contains(value);
        match values.iter().copied().find(|value| !fits(value)) {
            None => Ok(()),
            Some(value) => {
                let (name, unit, range) = (self.name.clone(), self.unit, self.range);
                Err(SessionError::Range { name, value, unit, range })
            }
        }
    }
}

/// The vector of three values.
fn vector(values: &[f64]) -> DVec3 {
    DVec3::from_slice(values)
}

/// A schedule that is always the same.
fn always(value: f64) -> Schedule {
    Schedule(vec![(0.0, value)])
}

/// The schedule of a commanded value, or that of the scene.
fn plan(values: Option<&[f64]>, by_scene: &Schedule) -> Schedule {
    values.map_or_else(|| by_scene.clone(), |values| always(values[0]))
}

fn largest(schedule: &Schedule, least: f64) -> f64 {
    schedule.0.iter().map(|(_, value)| *value).fold(least, f64::max)
}

/// The next 1, 2 or 5 times a power of ten.
fn round(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_round() {
        for (value, expected) in
            [(0.0175, 0.02), (0.02, 0.02), (21.0, 50.0), (0.6, 1.0), (7e-5, 1e-4)]
        {
            assert!((round(value) / expected - 1.0).abs() < 1e-9, "{value}");
        }
    }
}
