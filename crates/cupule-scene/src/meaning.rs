//! What the schema cannot say: names that must exist, keys that need each other, numbers that look like wrong units.

use crate::expect;
use crate::model::{Attachment, Body, BodyKind, Drive, Material, Rotation, Scene, Select};
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
        found.body(&format!("bodies.{name}"), body);
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
        let Some(material) = &body.material else { continue };
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
            let message = format!("`{name}` is {}: expected a fem body", body.kind.name());
            self.when(body.kind != BodyKind::Fem, path, &message);
        }
    }

    fn body(&mut self, path: &str, body: &Body) {
        let key = |name: &str| format!("{path}.{name}");
        self.when(
            body.shape.is_some() == body.mesh.is_some(),
            path,
            "expected either `shape` or `mesh`",
        );
        self.when(
            body.nodes.is_some() && body.subdivisions.is_some(),
            &key("nodes"),
            "expected either `nodes` or `subdivisions`, found both",
        );
        self.when(
            body.subdivisions.as_ref().is_some_and(|counts| counts.contains(&0)),
            &key("subdivisions"),
            "every count must be at least 1",
        );
        self.when(
            body.scale.factors().min_element() <= 0.0,
            &key("scale"),
            "every factor must be greater than 0",
        );
        self.keys_of_kind(path, body);
        if let Some(rotation) = &body.rotation {
            self.rotation(&key("rotation"), rotation);
        }
        if let Some(select) = &body.split_surface {
            self.select(&key("split_surface"), select);
        }
        if let Some(motion) = &body.motion {
            self.drive(&key("motion"), motion);
        }
        match body.kind {
            BodyKind::Fem => self.fem_material(path, body),
            BodyKind::Rigid => self.mass(path, body),
            BodyKind::Kinematic | BodyKind::Static => {}
        }
    }

    /// A key without a meaning for the kind of body would be ignored in silence: it is refused.
    fn keys_of_kind(&mut self, path: &str, body: &Body) {
        use BodyKind::{Fem, Kinematic, Rigid};
        let moves = [Fem, Rigid];
        let hard = [Rigid, Kinematic, BodyKind::Static];
        let uses: [(&str, bool, &[BodyKind]); 15] = [
            ("cup", body.cup.is_some(), &[Fem]),
            ("element", body.element.is_some(), &[Fem]),
            ("formulation", body.formulation.is_some(), &[Fem]),
            ("nodes", body.nodes.is_some(), &[Fem]),
            ("subdivisions", body.subdivisions.is_some(), &[Fem]),
            ("resolution", body.resolution.is_some(), &hard),
            ("self_contact", body.self_contact, &[Fem]),
            ("surface", body.surface.is_some(), &[Fem]),
            ("split_surface", body.split_surface.is_some(), &[Fem]),
            ("cage", body.cage.is_some(), &[Fem]),
            ("material", body.material.is_some(), &moves),
            ("mass", body.mass.is_some(), &moves),
            ("velocity", body.velocity != [0.0; 3], &moves),
            ("angular_velocity", body.angular_velocity != [0.0; 3], &moves),
            ("motion", body.motion.is_some(), &[Kinematic]),
        ];
        for (key, used, kinds) in uses {
            let message = format!("has no meaning for a {} body: remove it", body.kind.name());
            self.when(used && !kinds.contains(&body.kind), &format!("{path}.{key}"), &message);
        }
    }

    fn fem_material(&mut self, path: &str, body: &Body) {
        let Some(material) = &body.material else {
            return self.when(true, path, "`material` is missing: a fem body needs one");
        };
        let path_material = format!("{path}.material");
        let Material { youngs_modulus, poissons_ratio, .. } = material;
        self.when(
            youngs_modulus.is_none(),
            &path_material,
            "`youngs_modulus` is missing (Young's modulus, Pa)",
        );
        self.when(
            poissons_ratio.is_none(),
            &path_material,
            "`poissons_ratio` is missing (between -1 and 0.5)",
        );
        self.mass(path, body);
    }

    fn mass(&mut self, path: &str, body: &Body) {
        let density = body.material.as_ref().and_then(|material| material.density);
        self.when(
            body.mass.is_some() == density.is_some(),
            path,
            "expected either `mass` (kg) or the `density` of its `material` (kg/m3)",
        );
    }

    fn rotation(&mut self, path: &str, rotation: &Rotation) {
        let length = |v: &[f64]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let message = match (&rotation.axis, rotation.angle, &rotation.quaternion_wxyz) {
            (Some(axis), Some(_), None) if length(axis) > 0.0 => return,
            (Some(_), Some(_), None) => "the axis must have a length",
            (None, None, Some(q)) if (length(q) - 1.0).abs() < 1e-3 => return,
            (None, None, Some(_)) => "the quaternion (w, x, y, z) must have length 1",
            _ => "expected `axis` and `angle` (rad), or `quaternion_wxyz`",
        };
        self.when(true, path, message);
    }

    fn drive(&mut self, path: &str, drive: &Drive) {
        for (index, key) in drive.keys.iter().enumerate() {
            if let Some(rotation) = &key.rotation {
                self.rotation(&format!("{path}.keys.{index}.rotation"), rotation);
            }
        }
    }

    fn select(&mut self, path: &str, select: &Select) {
        let all = select.all == Some(true);
        let chosen = [select.face.is_some(), select.region.is_some(), select.sphere.is_some(), all];
        let message = "expected exactly one of `face`, `box`, `sphere` and `all = true`";
        self.when(
            chosen.iter().filter(|is| **is).count() != 1 || select.all == Some(false),
            path,
            message,
        );
    }

    fn attachment(&mut self, scene: &Scene, path: &str, attachment: &Attachment) {
        let rigid =
            scene.bodies.get(&attachment.body).is_some_and(|body| body.kind == BodyKind::Rigid);
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
        let holds =
            [attachment.drive.is_some(), attachment.glue.is_some(), attachment.wrench.is_some()];
        let message = "expected at most one of `drive`, `glue` and `wrench`";
        self.when(holds.iter().filter(|is| **is).count() > 1, path, message);
        if let Some(drive) = &attachment.drive {
            self.drive(&format!("{path}.drive"), drive);
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
