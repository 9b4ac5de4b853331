//! Lines of tubes: regulators, pumps and valves.

use cupule::World;
use cupule::cavity::{Schedule, Source};
use cupule::world::WorldError;
use cupule_scene::Scene;

use super::{ANY, Actuator, Drive, NOT_NEGATIVE, Scale, Slider, largest, plan, round};

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let atmosphere = world.settings().air.as_ref().map_or(0.0, |air| air.atmosphere);
    let mut all = Vec::new();
    for (index, vessel) in world.lines().iter().enumerate() {
        let line = &vessel.line;
        all.extend(source(&line.name, index, &line.source, atmosphere));
        let valve = Valve { line: index, conductance: line.valve.clone() };
        all.push(valve.actuator(&line.name));
    }
    all
}

fn source(name: &str, line: usize, source: &Source, atmosphere: f64) -> Option<Actuator> {
    match source {
        Source::Regulator(absolute) => {
            let gauge = absolute.0.iter().map(|(t, p)| (*t, p - atmosphere)).collect();
            let regulator = Regulator { line, gauge: Schedule(gauge), atmosphere };
            Some(regulator.actuator(name))
        }
        Source::Pump { speed, ultimate } => {
            Some(Pump { line, speed: speed.clone(), ultimate: *ultimate }.actuator(name))
        }
        Source::Closed => None,
    }
}

/// Keeps a gauge pressure.
struct Regulator {
    line: usize,
    /// By the scene, Pa.
    gauge: Schedule,
    /// Pa.
    atmosphere: f64,
}

impl Regulator {
    fn actuator(self, name: &str) -> Actuator {
        let atmosphere = self.atmosphere;
        let words = [&format!("line.{name}.regulator"), name, "Regulator (gauge)"];
        let low = -round(0.95 * atmosphere).min(0.99 * atmosphere);
        let presets = vec![("Off", 0.0), ("Vacuum", -0.6 * atmosphere)];
        let slider = Slider { presets, ..Slider::linear([low, 0.2 * atmosphere]) };
        let range = [-atmosphere, ANY[1]];
        Actuator::scalar(words, "Pa", range, self).with_slider(slider)
    }
}

impl Drive for Regulator {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        vec![self.gauge.at(time)]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let gauge = plan(values, &self.gauge);
        let absolute = gauge.0.into_iter().map(|(t, p)| (t, p + self.atmosphere)).collect();
        world.controls().set_line_source(self.line, Source::Regulator(Schedule(absolute)))
    }
}

/// Takes air away at a speed.
struct Pump {
    line: usize,
    /// By the scene, m3/s.
    speed: Schedule,
    /// Lowest pressure that it reaches, Pa.
    ultimate: f64,
}

impl Pump {
    fn actuator(self, name: &str) -> Actuator {
        let most = round(2.0 * largest(&self.speed, 1e-4));
        let presets = vec![("Off", 0.0), ("On", 0.5 * most)];
        let slider = Slider { presets, ..Slider::linear([0.0, most]) };
        let words = [&format!("line.{name}.pump"), name, "Pump speed"];
        Actuator::scalar(words, "m³/s", NOT_NEGATIVE, self).with_slider(slider)
    }
}

impl Drive for Pump {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        vec![self.speed.at(time)]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let source = Source::Pump { speed: plan(values, &self.speed), ultimate: self.ultimate };
        world.controls().set_line_source(self.line, source)
    }
}

/// Opens a line to the atmosphere.
struct Valve {
    line: usize,
    /// By the scene, m3/s.
    conductance: Schedule,
}

impl Valve {
    fn actuator(self, name: &str) -> Actuator {
        let most = round(2.0 * largest(&self.conductance, 1e-4));
        let presets = vec![("Shut", 0.0), ("Open", most)];
        let slider = Slider { scale: Scale::Power, presets, ..Slider::linear([0.0, most]) };
        let words = [&format!("line.{name}.valve"), name, "Valve to the air"];
        Actuator::scalar(words, "m³/s", NOT_NEGATIVE, self).with_slider(slider)
    }
}

impl Drive for Valve {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        vec![self.conductance.at(time)]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        world.controls().set_line_valve(self.line, plan(values, &self.conductance))
    }
}
