//! What the schema cannot say: names that must exist, keys that need each other, numbers that look like wrong units.

use crate::expect;
use crate::model::{Attachment, Body, Fault, Scene, Select};
use crate::nearest::suggestion;

mod air;

/// A dotted key and what is wrong with it.
type Finding = (String, String);

/// More steps than any run is meant to have; beyond it a step was given in the wrong unit.
const MOST_STEPS: f64 = 1e8;

/// Everything that makes the scene impossible to run.
pub(crate) fn problems(scene: &Scene) -> Vec<Finding> {
    let mut found = Findings::default();
    found.time(scene);
    for (name, body) in &scene.bodies {
        found.name("bodies", name);
        found.all(&format!("bodies.{name}"), body.faults());
    }
    for name in scene.robots.keys() {
        found.name("robots", name);
    }
    for (index, interface) in scene.interfaces.iter().enumerate() {
        for (side, name) in interface.between.iter().enumerate() {
            found.known_body(scene, &format!("interfaces.{index}.between.{side}"), name);
        }
        let pair = |i: usize| {
            let [a, b] = &scene.interfaces[i].between;
            if a < b { [a, b] } else { [b, a] }
        };
        let first = (0..index).find(|i| pair(*i) == pair(index));
        let message = "there is an interface between these two already; say all of it in one";
        found.when(first.is_some(), &format!("interfaces.{index}.between"), message);
        let own = interface.faults(scene.contact.friction, scene.solver.stick_speed);
        let path = |key| format!("interfaces.{index}.{key}");
        found.0.extend(own.into_iter().map(|(key, message)| (path(key), message)));
    }
    for (name, attachment) in &scene.attachments {
        found.name("attachments", name);
        found.attachment(scene, &format!("attachments.{name}"), attachment);
    }
    for (name, force) in &scene.forces {
        let path = format!("forces.{name}");
        found.name("forces", name);
        found.fem_body(scene, &format!("{path}.body"), &force.body);
        found.select(&format!("{path}.select"), &force.select);
        let message = "expected either `force` (N) or `traction` (Pa)";
        found.when(force.force.is_some() == force.traction.is_some(), &path, message);
    }
    for (name, cable) in &scene.cables {
        let path = format!("cables.{name}");
        found.name("cables", name);
        found.fem_body(scene, &format!("{path}.body"), &cable.body);
        if let Some(body) = &cable.anchor_body {
            found.known_body(scene, &format!("{path}.anchor_body"), body);
            found.when(cable.anchor.is_none(), &path, "`anchor` is missing: where on that body");
        }
        let taken_in = cable.shortening.is_some();
        let message = "expected either `tension` (N) or `shortening` (m)";
        found.when(cable.tension.is_some() == taken_in, &path, message);
        let message = "`axial_stiffness` (E A, N) goes with `shortening`";
        found.when(cable.axial_stiffness.is_some() != taken_in, &path, message);
    }
    if let Some(gas) = &scene.gas {
        found.air(scene, gas);
    }
    for (index, expect) in scene.expect.iter().enumerate() {
        for (key, message) in expect::check(expect) {
            let path = crate::check::join(&format!("expect.{index}"), key);
            found.0.push((path, format!("{message} (expectation \"{}\")", expect.name)));
        }
    }
    found.0
}

/// What looks wrong but may be meant.
pub(crate) fn warnings(scene: &Scene) -> Vec<Finding> {
    let mut found = Findings::default();
    for (name, body) in &scene.bodies {
        let Some(material) = body.material() else { continue };
        let path = format!("bodies.{name}.material");
        let odd =
            |value: Option<f64>, low: f64, high: f64| value.filter(|v| !(low..=high).contains(v));
        if let Some(modulus) = odd(material.youngs_modulus, 100.0, 1e12) {
            let message = format!(
                "{modulus:e} Pa looks like a wrong unit (gels have 1e3, rubber 1e6, steel 2e11 Pa)"
            );
            found.0.push((format!("{path}.youngs_modulus"), message));
        }
        if let Some(density) = odd(material.density, 0.1, 30_000.0) {
            let message = format!(
                "{density} kg/m3 looks like a wrong unit (foam has 10, rubber 1100, steel 7800 kg/m3)"
            );
            found.0.push((format!("{path}.density"), message));
        }
    }
    found.0
}

/// What a body of this extent (longest side, m) looks like, if not like a part that grips.
pub(crate) fn size_warning(extent: f64) -> Option<String> {
    (!(1e-4..=5.0).contains(&extent)).then(|| {
        format!(
            "the body is {extent:.3e} m long: this looks like a wrong unit; lengths are in metres, and \
             `scale = 0.001` reads millimetres"
        )
    })
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn when(&mut self, wrong: bool, path: &str, message: &str) {
        if wrong {
            self.0.push((path.to_string(), message.to_string()));
        }
    }

    fn time(&mut self, scene: &Scene) {
        let (step, duration) = (scene.solver.time_step, scene.duration);
        self.when(
            duration < step || duration / step > MOST_STEPS,
            "solver.time_step",
            &format!("{step} s does not fit the duration of {duration} s: expected 1 to {MOST_STEPS:e} steps"),
        );
        self.when(
            scene.contact.alarm_distance <= scene.contact.contact_distance,
            "contact.alarm_distance",
            &format!(
                "must be greater than the contact distance, {} m",
                scene.contact.contact_distance
            ),
        );
        self.when(scene.bodies.is_empty(), "bodies", "at least one body is needed");
    }

    fn name(&mut self, table: &str, name: &str) {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        self.when(
            !plain || !name.starts_with(|c: char| c.is_ascii_alphabetic()),
            &format!("{table}.{name}"),
            "a name must begin with a letter and hold only letters, digits and underscores, to be usable in formulas",
        );
    }

    fn known_body(&mut self, scene: &Scene, path: &str, name: &str) {
        let names: Vec<&str> = scene.bodies.keys().map(String::as_str).collect();
        // The links of a robot are known when its file is read.
        let of_robot = |robot: &String| {
            name.strip_prefix(robot.as_str()).is_some_and(|link| link.starts_with('_'))
        };
        self.when(
            !names.contains(&name) && !scene.robots.keys().any(of_robot),
            path,
            &format!("no body is named `{name}`{}", suggestion(name, &names)),
        );
    }

    fn fem_body(&mut self, scene: &Scene, path: &str, name: &str) {
        self.known_body(scene, path, name);
        if let Some(body) = scene.bodies.get(name) {
            let message = format!("`{name}` is {}: expected a fem body", body.kind());
            self.when(body.fem().is_none(), path, &message);
        }
    }

    fn all(&mut self, path: &str, faults: Vec<Fault>) {
        let found =
            faults.into_iter().map(|f| (crate::check::join(path, &f.key), f.message.into()));
        self.0.extend(found);
    }

    fn select(&mut self, path: &str, select: &Select) {
        self.0.extend(select.fault().map(|message| (path.to_string(), message.to_string())));
    }

    fn attachment(&mut self, scene: &Scene, path: &str, attachment: &Attachment) {
        let rigid = matches!(scene.bodies.get(&attachment.body), Some(Body::Rigid(_)));
        if rigid && attachment.wrench.is_some() {
            let message = "a wrench acts on the whole of a rigid body: remove `select`";
            self.when(attachment.select.is_some(), &format!("{path}.select"), message);
        } else {
            self.fem_body(scene, &format!("{path}.body"), &attachment.body);
            self.when(
                attachment.select.is_none(),
                path,
                "`select` is missing: which nodes are held",
            );
        }
        if let Some(select) = &attachment.select {
            self.select(&format!("{path}.select"), select);
        }
        let holds = [
            attachment.hold.is_some(),
            attachment.drive.is_some(),
            attachment.glue.is_some(),
            attachment.wrench.is_some(),
        ];
        let message = "expected at most one of `hold`, `drive`, `glue` and `wrench`";
        self.when(holds.iter().filter(|is| **is).count() > 1, path, message);
        if let Some(drive) = &attachment.drive {
            self.all(&format!("{path}.drive"), drive.faults());
        }
        if let Some(glue) = &attachment.glue {
            let path = format!("{path}.glue");
            self.known_body(scene, &path, glue);
            self.when(*glue == attachment.body, &path, "a body cannot be glued to itself");
        }
        if let Some(wrench) = &attachment.wrench {
            self.when(
                wrench.keys.is_empty(),
                &format!("{path}.wrench.keys"),
                "at least one key is needed",
            );
        }
    }
}
