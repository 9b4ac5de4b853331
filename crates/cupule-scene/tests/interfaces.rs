//! `[[interfaces]]`: what a scene says about friction, what it may leave out, and what is refused.

use cupule_scene::{LoadedScene, SceneError, read};
use std::path::Path;

/// Two boxes with friction 0.4 by default; the keys of their interface begin at line 18.
fn load(keys: &str) -> Result<LoadedScene, SceneError> {
    let text = format!(
        r#"version = 1
duration = 1.0
[solver]
time_step = 0.01
stick_speed = 1e-3
[contact]
friction = 0.4
[bodies.box]
kind = "rigid"
shape = {{ type = "box", size = [0.1, 0.1, 0.1] }}
position = [0, 0, 0.2]
mass = 1
[bodies.ground]
kind = "static"
shape = {{ type = "box", size = [1, 1, 0.1] }}
[[interfaces]]
between = ["box", "ground"]
{keys}
"#
    );
    read(&text, "boxes.toml", "boxes", Path::new("."), &[])
}

/// Friction coefficients of a new contact whose surfaces slip with so many m/s.
fn coefficients(keys: &str, speeds: [f64; 3]) -> [f64; 3] {
    let scene = load(keys).expect("a good scene").scene;
    let interface = scene.interfaces[0].interface(scene.contact.friction, scene.solver.stick_speed);
    let interface = interface.expect("a law of its own");
    // The slope of the dissipation of 1 N where it slips fast.
    speeds.map(|speed| interface.law(interface.begin(speed)).dissipation(1.0, 1.0, 1e-3)[1])
}

#[test]
fn what_is_left_out_has_a_default() {
    let slow_and_fast = [0.0, 1.9e-3, 2.1e-3];
    let cases: [(&str, [f64; 3]); 4] = [
        ("friction = 0.6", [0.6, 0.6, 0.6]),
        // The coefficient at rest is that of `contact`, the switch speed twice the stick speed.
        ("kinetic_friction = 0.3", [0.4, 0.4, 0.3]),
        ("friction = 0.6\nkinetic_friction = 0.3", [0.6, 0.6, 0.3]),
        ("friction = 0.6\nkinetic_friction = 0.3\nswitch_speed = 1.5e-3", [0.6, 0.3, 0.3]),
    ];
    for (keys, expected) in cases {
        assert_eq!(coefficients(keys, slow_and_fast), expected, "{keys}");
    }
    let scene = load("").unwrap().scene;
    let interface = &scene.interfaces[0];
    assert!(interface.interface(0.4, 1e-3).is_none(), "the law of `contact`");
    assert_eq!((interface.friction, interface.kinetic_friction), (None, None));
    assert_eq!((interface.switch_speed, interface.seals), (None, true));
}

#[test]
fn what_cannot_be_is_refused_with_its_key() {
    let cases: [(&str, &[&str]); 9] = [
        (
            "kinetic_friction = 0.5",
            &["boxes.toml:18: interfaces.0.kinetic_friction", "0.5", "at rest, 0.4"],
        ),
        (
            "friction = 0.2\nkinetic_friction = 0.3",
            &["boxes.toml:19: interfaces.0.kinetic_friction", "0.3", "at rest, 0.2"],
        ),
        (
            "switch_speed = 0.01",
            &["boxes.toml:18: interfaces.0.switch_speed", "`kinetic_friction`", "missing"],
        ),
        (
            "kinetic_friction = 0.3\nswitch_speed = 0.5e-3",
            &["boxes.toml:19: interfaces.0.switch_speed", "`solver.stick_speed`"],
        ),
        ("friction = -0.1", &["boxes.toml:18: interfaces.0.friction", "at least 0"]),
        (
            "kinetic_friction = -0.1",
            &["boxes.toml:18: interfaces.0.kinetic_friction", "at least 0"],
        ),
        (
            "kinetic_friction = 0.3\nswitch_speed = -0.01",
            &["boxes.toml:19: interfaces.0.switch_speed", "greater than 0"],
        ),
        (
            "kinetic_friction = 0.3\nswitch_speed = 0",
            &["boxes.toml:19: interfaces.0.switch_speed", "greater than 0"],
        ),
        ("kinetic_friction = nan", &["boxes.toml:18: interfaces.0.kinetic_friction", "finite"]),
    ];
    for (keys, parts) in cases {
        let message = load(keys).expect_err(keys).to_string();
        for part in parts {
            assert!(message.contains(part), "`{message}` does not say `{part}`");
        }
    }
}
