//! What can be moved by hand: actuators (paths, forces, regulators, pumps, valves) and parameters (stiffness, friction,
//! leak, gravity). The list comes from the scene; moving one is a call to the world.

mod apply;
mod list;

use cupule::cavity::{Schedule, Source};
use cupule::world::{AttachmentId, BodyId, World, WorldError, WrenchPath};
use cupule_scene::Scene;
use serde::Serialize;

use crate::message::ControlState;

/// What a control is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlGroup {
    /// It acts: it goes back to what the scene says when the scene begins anew.
    Actuator,
    /// It says what things are like: it stays when the scene begins anew.
    Parameter,
}

/// How a slider goes from its least to its largest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlScale {
    /// Evenly.
    Linear,
    /// By factors.
    Logarithmic,
    /// From 0 with the fourth power: 0, and small values finely.
    Power,
}

/// Something to move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Control {
    /// What it is for.
    pub group: ControlGroup,
    /// What it belongs to, such as the name of an attachment.
    pub subject: String,
    /// What it moves.
    pub title: String,
    /// Unit, SI.
    pub unit: &'static str,
    /// Least value of its slider.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// How its slider goes.
    pub scale: ControlScale,
    /// Values with a button of their own, such as open and shut.
    pub presets: Vec<(&'static str, f64)>,
}

/// What a control moves.
#[derive(Debug, Clone, PartialEq)]
enum Handle {
    /// The path of an attachment, along an axis.
    Attachment(AttachmentId, usize),
    /// The path of a kinematic body, along an axis.
    Body(BodyId, usize),
    /// Force of an attachment along an axis, added to what the scene says.
    Force(AttachmentId, usize, WrenchPath),
    /// Gauge pressure of a regulator, Pa.
    Regulator(usize, Schedule),
    /// Speed of a pump, m3/s.
    Pump(usize, Schedule, f64),
    /// Conductance of a valve, m3/s.
    Valve(usize, Schedule),
    /// Young's modulus, Pa.
    Stiffness(BodyId, f64),
    /// Friction of pairs that have none of their own.
    Friction(f64),
    /// Friction of a pair.
    PairFriction([BodyId; 2], f64),
    /// Conductance of all seals, m3/s.
    Leak(f64),
    /// Gravity along z, m/s2.
    Gravity([f64; 3]),
}

#[derive(Debug, Clone)]
struct Entry {
    control: Control,
    handle: Handle,
    /// What a hand wants; none leaves it to the scene.
    wanted: Option<f64>,
    /// Where a path is on its way there.
    present: f64,
}

/// All controls of a scene and how they stand.
#[derive(Debug, Clone)]
pub struct Controls {
    entries: Vec<Entry>,
}

impl Controls {
    /// The controls of a scene, none of them moved.
    pub fn new(scene: &Scene, world: &World) -> Self {
        Self { entries: list::entries(scene, world) }
    }

    /// What a page is told of them.
    pub fn describe(&self) -> Vec<Control> {
        self.entries.iter().map(|entry| entry.control.clone()).collect()
    }

    /// How they stand at a time, s.
    pub fn states(&self, time: f64) -> Vec<ControlState> {
        let state = |entry: &Entry| ControlState {
            value: entry.wanted.unwrap_or_else(|| entry.handle.by_scene(time)),
            by_hand: entry.wanted.is_some(),
        };
        self.entries.iter().map(state).collect()
    }

    /// Moves one, within the range of its slider, or leaves it to the scene.
    pub fn set(
        &mut self,
        index: usize,
        value: Option<f64>,
        world: &mut World,
    ) -> Result<(), String> {
        let count = self.entries.len();
        let Some(entry) = self.entries.get_mut(index) else {
            return Err(format!("there is no control {index}: there are {count}"));
        };
        if value.is_some_and(|value| !value.is_finite()) {
            return Err(format!("control {index} needs a number"));
        }
        let Control { min, max, .. } = entry.control;
        entry.wanted = value.map(|value| value.clamp(min, max));
        if entry.handle.is_path() {
            // It goes there step by step.
            return Ok(());
        }
        let told = entry.handle.apply(entry.wanted, world).map_err(|error| error.to_string());
        if told.is_err() {
            entry.wanted = None;
        }
        told
    }

    /// Leaves all parameters to the scene.
    pub fn release_parameters(&mut self, world: &mut World) -> Result<(), String> {
        let parameters: Vec<usize> = (0..self.entries.len())
            .filter(|i| self.entries[*i].control.group == ControlGroup::Parameter)
            .collect();
        parameters.into_iter().try_for_each(|index| self.set(index, None, world))
    }

    /// A new world: actuators are the scene's again, parameters stay.
    pub fn take_over(&mut self, world: &mut World) {
        for entry in &mut self.entries {
            entry.present = 0.0;
            match entry.control.group {
                ControlGroup::Actuator => entry.wanted = None,
                // They were accepted by the world before.
                ControlGroup::Parameter => {
                    let _ = entry.handle.apply(entry.wanted, world);
                }
            }
        }
    }

    /// Moves paths on their way, before a step of so many seconds.
    pub fn advance(&mut self, length: f64, world: &mut World) -> Result<(), WorldError> {
        for entry in self.entries.iter_mut().filter(|entry| entry.handle.is_path()) {
            let way = entry.wanted.unwrap_or(0.0) - entry.present;
            // From end to end in half a second: a hand on a slider, not a hammer.
            let most = (entry.control.max - entry.control.min) / 0.5 * length;
            entry.present += way.clamp(-most, most);
        }
        apply::offsets(&self.entries, world)
    }
}

/// A schedule that is always the same.
fn always(value: f64) -> Schedule {
    Schedule(vec![(0.0, value)])
}

/// What drives a line that is regulated to a gauge pressure.
fn regulated(gauge: Schedule, atmosphere: f64) -> Source {
    Source::Regulator(Schedule(gauge.0.into_iter().map(|(t, p)| (t, p + atmosphere)).collect()))
}
