//! Which controls a scene has, and how far their sliders go.

use cupule::cavity::{Schedule, Source};
use cupule::world::{AttachmentId, BodyId, BodyKind, Hold, World};
use cupule_geometry::DVec3;
use cupule_scene::Scene;

use super::{Control, ControlGroup, ControlScale, Entry, Handle};

const AXES: [&str; 3] = ["x", "y", "z"];

/// All controls of a scene.
pub fn entries(scene: &Scene, world: &World) -> Vec<Entry> {
    let mut list = List { entries: Vec::new(), reach: reach(world), world };
    for index in 0..world.attachment_count() {
        list.attachment(AttachmentId(index));
    }
    for index in 0..world.body_count() {
        list.kinematic(BodyId(index));
    }
    list.lines();
    list.parameters(scene);
    list.entries
}

/// How far paths may be shifted, m: half the size of what is not static.
fn reach(world: &World) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let ids = (0..world.body_count()).map(BodyId);
    for body in ids.filter(|id| world.body_kind(*id) != BodyKind::Static) {
        for x in world.surface_positions(body) {
            (low, high) = (low.min(x), high.max(x));
        }
    }
    let size = (high - low).max_element();
    if size.is_finite() { round(0.5 * size) } else { 0.01 }
}

/// The next 1, 2 or 5 times a power of ten.
fn round(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(value)
}

struct List<'a> {
    entries: Vec<Entry>,
    reach: f64,
    world: &'a World,
}

impl List<'_> {
    fn add(&mut self, control: Control, handle: Handle) {
        self.entries.push(Entry { control, handle, wanted: None, present: 0.0 });
    }

    fn attachment(&mut self, id: AttachmentId) {
        let name = self.world.attachment_name(id).to_string();
        match self.world.attachment_hold(id) {
            Hold::Drive(_) => {
                self.axes(&name, "Shift", "m", self.reach, |axis| Handle::Attachment(id, axis))
            }
            Hold::Wrench(path) => {
                let largest = path.keys.iter().map(|(_, w)| w.force.length()).fold(0.0, f64::max);
                let most = round((2.0 * largest).max(0.1));
                self.axes(&name, "Force", "N", most, |axis| Handle::Force(id, axis, path.clone()));
            }
            Hold::Glue(_) => {}
        }
    }

    fn kinematic(&mut self, id: BodyId) {
        if self.world.body_kind(id) == BodyKind::Kinematic {
            let name = self.world.body_name(id).to_string();
            self.axes(&name, "Shift", "m", self.reach, |axis| Handle::Body(id, axis));
        }
    }

    fn axes(
        &mut self,
        subject: &str,
        word: &str,
        unit: &'static str,
        most: f64,
        handle: impl Fn(usize) -> Handle,
    ) {
        // Up and down first: it is what most wish to do.
        for axis in [2, 0, 1] {
            let title = format!("{word} {}", AXES[axis]);
            self.add(actuator(subject, &title, unit, -most, most), handle(axis));
        }
    }

    fn lines(&mut self) {
        let atmosphere = self.world.settings().air.as_ref().map_or(0.0, |air| air.atmosphere);
        let lines: Vec<_> = self.world.lines().iter().map(|vessel| vessel.line.clone()).collect();
        for (index, line) in lines.into_iter().enumerate() {
            match line.source {
                Source::Regulator(schedule) => {
                    let gauge = schedule.0.iter().map(|(t, p)| (*t, p - atmosphere)).collect();
                    let low = -round(0.95 * atmosphere).min(0.99 * atmosphere);
                    let control =
                        actuator(&line.name, "Regulator (gauge)", "Pa", low, 0.2 * atmosphere);
                    let presets = vec![("Off", 0.0), ("Vacuum", -0.6 * atmosphere)];
                    self.add(
                        Control { presets, ..control },
                        Handle::Regulator(index, Schedule(gauge)),
                    );
                }
                Source::Pump { speed, ultimate } => {
                    let most = round(2.0 * largest(&speed, 1e-4));
                    let control = actuator(&line.name, "Pump speed", "m³/s", 0.0, most);
                    let presets = vec![("Off", 0.0), ("On", 0.5 * most)];
                    self.add(Control { presets, ..control }, Handle::Pump(index, speed, ultimate));
                }
                Source::Closed => {}
            }
            let most = round(2.0 * largest(&line.valve, 1e-4));
            let scale = ControlScale::Power;
            let control = actuator(&line.name, "Valve to the air", "m³/s", 0.0, most);
            let presets = vec![("Shut", 0.0), ("Open", most)];
            self.add(Control { scale, presets, ..control }, Handle::Valve(index, line.valve));
        }
    }

    fn parameters(&mut self, scene: &Scene) {
        for (name, body) in &scene.bodies {
            let modulus = body.material.as_ref().and_then(|material| material.youngs_modulus);
            if let (Some(id), Some(modulus)) = (self.world.find_body(name), modulus)
                && self.world.body_kind(id) == BodyKind::Fem
            {
                let scale = ControlScale::Logarithmic;
                let control =
                    parameter(name, "Young's modulus", "Pa", 0.1 * modulus, 10.0 * modulus);
                self.add(Control { scale, ..control }, Handle::Stiffness(id, modulus));
            }
        }
        let friction = scene.contact.friction;
        let most = |friction: f64| 1.5_f64.max(2.0 * friction);
        let control = parameter("contact", "Friction", "", 0.0, most(friction));
        self.add(control, Handle::Friction(friction));
        for interface in &scene.interfaces {
            let [a, b] = interface.between.each_ref().map(|name| self.world.find_body(name));
            if let (Some(a), Some(b), Some(friction)) = (a, b, interface.friction) {
                let between = interface.between.join(" and ");
                let control = parameter(&between, "Friction", "", 0.0, most(friction));
                self.add(control, Handle::PairFriction([a, b], friction));
            }
        }
        if let Some(gas) = &scene.gas {
            let most = round((10.0 * gas.leak_conductance).max(1e-5));
            let control = parameter("seals", "Leak", "m³/s", 0.0, most);
            let control = Control { scale: ControlScale::Power, ..control };
            self.add(control, Handle::Leak(gas.leak_conductance));
        }
        let control = parameter("world", "Gravity z", "m/s²", -20.0, 20.0);
        self.add(control, Handle::Gravity(scene.gravity));
    }
}

fn largest(schedule: &Schedule, least: f64) -> f64 {
    schedule.0.iter().map(|(_, value)| *value).fold(least, f64::max)
}

fn actuator(subject: &str, title: &str, unit: &'static str, min: f64, max: f64) -> Control {
    let (group, scale) = (ControlGroup::Actuator, ControlScale::Linear);
    let (subject, title, presets) = (subject.into(), title.into(), Vec::new());
    Control { group, subject, title, unit, min, max, scale, presets }
}

fn parameter(subject: &str, title: &str, unit: &'static str, min: f64, max: f64) -> Control {
    Control { group: ControlGroup::Parameter, ..actuator(subject, title, unit, min, max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupule_scene::{assemble, load};

    fn titles(scene: &str) -> Vec<String> {
        let loaded = load(scene, &[]).unwrap();
        let world = assemble(&loaded).unwrap().world;
        let control = |entry: &Entry| format!("{}: {}", entry.control.subject, entry.control.title);
        entries(&loaded.scene, &world).iter().map(control).collect()
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

    #[test]
    fn ranges_are_round() {
        for (value, expected) in
            [(0.0175, 0.02), (0.02, 0.02), (21.0, 50.0), (0.6, 1.0), (7e-5, 1e-4)]
        {
            assert!((round(value) / expected - 1.0).abs() < 1e-9, "{value}");
        }
    }
}
