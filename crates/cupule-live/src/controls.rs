//! Sliders of the live page: one for each value of every actuator that has one.

use cupule_session::{Actuator, Role, Scale, Session, SessionError};
use serde::Serialize;

use crate::message::ControlState;

/// A slider, as a page is told of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Control {
    /// Whether it acts, or is a property of the scene.
    pub group: Role,
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
    pub scale: Scale,
    /// Values with a button of their own, such as open and shut.
    pub presets: Vec<(&'static str, f64)>,
}

/// A slider and how it stands.
#[derive(Debug, Clone)]
struct Entry {
    control: Control,
    /// Its place among the session's actuators, and among the values of that one.
    actuator: usize,
    component: usize,
    is_gradual: bool,
    /// What a hand wants; none leaves it to the scene.
    wanted: Option<f64>,
    /// Where a gradual one is on its way, until it is back at what the scene says.
    present: Option<f64>,
}

/// All sliders of a session and how they stand.
#[derive(Debug, Clone)]
pub struct Controls {
    entries: Vec<Entry>,
}

/// A gradual slider goes from end to end in this time, s: a hand, not a hammer.
const END_TO_END: f64 = 0.5;

impl Controls {
    /// The sliders of a session, none of them moved.
    pub fn new(session: &Session) -> Self {
        let all = session.actuators().iter().enumerate();
        Self { entries: all.flat_map(|(place, actuator)| entries(place, actuator)).collect() }
    }

    /// What a page is told of them.
    pub fn describe(&self) -> Vec<Control> {
        self.entries.iter().map(|entry| entry.control.clone()).collect()
    }

    /// How they stand now.
    pub fn states(&self, session: &Session) -> Vec<ControlState> {
        let state = |entry: &Entry| ControlState {
            value: entry.wanted.unwrap_or_else(|| entry.by_scene(session)),
            by_hand: entry.wanted.is_some(),
        };
        self.entries.iter().map(state).collect()
    }

    /// Moves one, within its range, or leaves it to the scene.
    pub fn set(
        &mut self,
        index: usize,
        value: Option<f64>,
        session: &mut Session,
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
        if entry.is_gradual {
            // It goes there step by step.
            let here = entry.by_scene(session);
            entry.present.get_or_insert(here);
            return Ok(());
        }
        let values = entry.wanted.map(|wanted| [wanted]);
        let told = session.command_at(entry.actuator, values.as_ref().map(|v| &v[..]));
        if told.is_err() {
            entry.wanted = None;
        }
        told.map_err(|error| error.to_string())
    }

    /// Leaves all parameters to the scene.
    pub fn release_parameters(&mut self, session: &mut Session) -> Result<(), String> {
        let parameters: Vec<usize> = (0..self.entries.len())
            .filter(|i| self.entries[*i].control.group == Role::Parameter)
            .collect();
        parameters.into_iter().try_for_each(|index| self.set(index, None, session))
    }

    /// After a reset: actuators are the scene's again, parameters stay.
    pub fn take_over(&mut self) {
        for entry in self.entries.iter_mut().filter(|e| e.control.group == Role::Actuator) {
            (entry.wanted, entry.present) = (None, None);
        }
    }

    /// Moves gradual ones on their way, before a step of so many seconds.
    pub fn advance(&mut self, length: f64, session: &mut Session) -> Result<(), SessionError> {
        for of_actuator in self.entries.chunk_by_mut(|a, b| a.actuator == b.actuator) {
            let place = of_actuator[0].actuator;
            if !of_actuator.iter().any(|entry| entry.present.is_some()) {
                continue;
            }
            let mut values = session.actuators()[place].by_scene(session.time());
            for entry in of_actuator.iter_mut() {
                entry.approach(values[entry.component], length);
                values[entry.component] = entry.present.unwrap_or(values[entry.component]);
            }
            let moved = of_actuator.iter().any(|entry| entry.present.is_some());
            session.command_at(place, moved.then_some(&values[..]))?;
        }
        Ok(())
    }
}

impl Entry {
    fn by_scene(&self, session: &Session) -> f64 {
        session.actuators()[self.actuator].by_scene(session.time())[self.component]
    }

    /// One step of so many seconds towards what is wanted, or back to what the scene says.
    fn approach(&mut self, by_scene: f64, length: f64) {
        let Some(present) = self.present else { return };
        let way = self.wanted.unwrap_or(by_scene) - present;
        let most = (self.control.max - self.control.min) / END_TO_END * length;
        let arrived = self.wanted.is_none() && way.abs() <= most;
        self.present = (!arrived).then_some(present + way.clamp(-most, most));
    }
}

/// The sliders of an actuator, a value each.
fn entries(place: usize, actuator: &Actuator) -> Vec<Entry> {
    let Some(slider) = &actuator.slider else { return Vec::new() };
    let entry = |component: usize| {
        let title = format!("{} {}", actuator.title, actuator.components[component]);
        Entry {
            control: Control {
                group: actuator.role,
                subject: actuator.subject.clone(),
                title: title.trim_end().to_string(),
                unit: actuator.unit,
                min: slider.range[0],
                max: slider.range[1],
                scale: slider.scale,
                presets: slider.presets.clone(),
            },
            actuator: place,
            component,
            is_gradual: slider.is_gradual,
            wanted: None,
            present: None,
        }
    };
    // Up and down first: it is what most wish to do.
    let order: &[usize] = if actuator.components.len() == 3 { &[2, 0, 1] } else { &[0] };
    order.iter().map(|component| entry(*component)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(scene: &str) -> Vec<String> {
        let session = Session::load(scene, &[]).unwrap();
        let controls = Controls::new(&session).describe().into_iter();
        controls.map(|control| format!("{}: {}", control.subject, control.title)).collect()
    }

    #[test]
    fn every_actuator_and_parameter_of_a_scene_has_a_control() {
        let ground = titles("ground");
        for title in [
            "hand: Shift z",
            "hand: Shift x",
            "cup: Young's modulus",
            "contact: Friction",
            "seals: Leak",
            "world: Gravity z",
        ] {
            assert!(ground.iter().any(|t| t == title), "{title} is not in {ground:?}");
        }
        let bell = titles("bell");
        assert!(bell.iter().any(|t| t.ends_with("Regulator (gauge)")), "{bell:?}");
        let manifold = titles("manifold");
        assert!(manifold.iter().any(|t| t.ends_with("Pump speed")), "{manifold:?}");
        assert!(manifold.iter().any(|t| t.ends_with("Valve to the air")), "{manifold:?}");
    }

    /// A hand may wish for a jump: the path gets there at its own speed, stays, and goes back when it is let go.
    #[test]
    fn a_gradual_slider_goes_and_comes_back() {
        let mut session = Session::load("ground", &[]).unwrap();
        let mut controls = Controls::new(&session);
        let z = titles("ground").iter().position(|title| title == "hand: Shift z").unwrap();
        let most = controls.describe()[z].max;
        let offset = session.actuator("attachment.hand.offset").unwrap();
        let mut after = |wanted, time, session: &mut Session| {
            controls.set(z, wanted, session).unwrap();
            controls.advance(time, session).unwrap();
            session.commanded(offset).map(|values| values[2])
        };
        // From the middle to an end takes half of the whole way's time.
        assert_eq!(after(Some(most), 0.5 * END_TO_END / 2.0, &mut session), Some(0.5 * most));
        assert_eq!(after(Some(most), END_TO_END, &mut session), Some(most));
        assert_eq!(after(None, 0.5 * END_TO_END / 2.0, &mut session), Some(0.5 * most));
        assert_eq!(after(None, END_TO_END, &mut session), None, "the scene's again");
    }
}
