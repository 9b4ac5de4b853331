//! The library of cups: what a body takes from it, what it keeps of its own, and what is said about a wrong name.

use std::f64::consts::PI;
use std::path::Path;

use cupule_scene::model::{FemBody, Shape};
use cupule_scene::{LoadedScene, SceneError, assemble, cup, cup_names, read};

fn scene(cup_keys: &str) -> String {
    format!(
        "version = 1\nduration = 1.0\n[bodies.cup]\nkind = \"fem\"\n{cup_keys}\n[bodies.ground]\nkind = \"static\"\n\
         shape = {{ type = \"box\", size = [0.1, 0.1, 0.02] }}\nposition = [0, 0, -0.02]\n"
    )
}

fn load(cup_keys: &str, set: &[&str]) -> Result<LoadedScene, SceneError> {
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    read(&scene(cup_keys), "test.toml", "test", Path::new("."), &set)
}

fn body(cup_keys: &str, set: &[&str]) -> FemBody {
    let scene = load(cup_keys, set).expect("a sound scene").scene;
    scene.bodies["cup"].fem().expect("a soft body").clone()
}

fn modulus(body: &FemBody) -> f64 {
    body.material.youngs_modulus.expect("a modulus")
}

#[test]
fn every_cup_of_the_library_makes_a_body() {
    for name in cup_names() {
        let file = cup(name).unwrap().unwrap();
        assert!(
            !file.source.is_empty() && !file.chosen.is_empty() && !file.title.is_empty(),
            "{name}"
        );
        let loaded =
            load(&format!("cup = \"{name}\""), &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        let world = assemble(&loaded).unwrap_or_else(|e| panic!("{name}: {e}")).world;
        let id = world.find_body("cup").unwrap();
        let nodes = world.rest_mesh(id).unwrap().nodes.len();
        let ratio = nodes as f64 / f64::from(file.nodes);
        assert!((ratio - 1.0).abs() <= 0.1, "{name}: {nodes} nodes for {}", file.nodes);
    }
}

/// A cone frustum of the published diameter and height has the published volume.
#[test]
fn the_passive_cups_have_their_published_cavities() {
    for (name, volume) in [("s10", 1195e-9), ("s20", 1195e-9), ("s30", 1195e-9), ("b20", 6063e-9)] {
        let Shape::Cup(shape) = cup(name).unwrap().unwrap().shape else { panic!("{name}") };
        let [low, high] = [shape.cavity_diameter_rim, shape.cavity_diameter_top].map(|d| 0.5 * d);
        let frustum = PI / 3.0 * shape.cavity_height * (low * low + low * high + high * high);
        assert!((frustum / volume - 1.0).abs() < 1e-3, "{name}: {frustum:e}");
        // Silicone of 1080 kg/m3, within the spread of the three published masses of one shape.
        let file = cup(name).unwrap().unwrap();
        let weight = 1080.0 * file.shape.to_geometry().unwrap().volume();
        assert!((file.mass.unwrap() / weight - 1.0).abs() < 0.06, "{name}: {weight}");
    }
}

#[test]
fn what_the_scene_says_wins() {
    let plain = body("cup = \"s20\"", &[]);
    assert_eq!((plain.mass, plain.nodes, modulus(&plain)), (Some(0.0025), Some(900), 843e3));
    let own =
        body("cup = \"s20\"\nmass = 0.003\nnodes = 500\nmaterial = { youngs_modulus = 1e6 }", &[]);
    assert_eq!((own.mass, own.nodes, modulus(&own)), (Some(0.003), Some(500), 1e6));
    assert_eq!(own.material.poissons_ratio, Some(0.45), "the rest of the material stays");
    let ball = body("cup = \"s20\"\nshape = { type = \"sphere\", radius = 0.01 }", &[]);
    assert_eq!(ball.geometry.shape, Some(Shape::Sphere { radius: 0.01 }));
    let dense = body("cup = \"s20\"\nmaterial = { density = 1080 }", &[]);
    assert_eq!((dense.mass, dense.material.density), (None, Some(1080.0)));
    let heavy = body("cup = \"a20\"\nmass = 0.01", &[]);
    assert_eq!((heavy.mass, heavy.material.density), (Some(0.01), None));
    let cells = body("cup = \"s20\"\nsubdivisions = [3, 3, 2, 3, 2, 3]", &[]);
    assert_eq!(cells.nodes, None);
}

#[test]
fn overrides_reach_into_the_cup() {
    let softer = body(
        "cup = \"s20\"",
        &["bodies.cup.material.youngs_modulus=1e6", "bodies.cup.shape.cavity_height=0.005"],
    );
    let Some(Shape::Cup(shape)) = &softer.geometry.shape else {
        panic!("{:?}", softer.geometry.shape)
    };
    assert_eq!((modulus(&softer), shape.cavity_height), (1e6, 0.005));
    // The cup is chosen first, in whatever order the overrides come.
    let other = body("cup = \"s20\"", &["bodies.cup.mass=0.004", "bodies.cup.cup=b20"]);
    assert_eq!((other.mass, other.nodes), (Some(0.004), Some(1200)));
    let dense = body("cup = \"s20\"", &["bodies.cup.material.density=1080"]);
    assert_eq!(dense.mass, None);
}

#[test]
fn the_scene_as_run_has_all_written_out_and_reads_back() {
    for keys in [
        "cup = \"s20\"",
        "cup = \"s20\"\nmaterial = { density = 1080 }",
        "cup = \"a20\"\nmass = 0.01",
    ] {
        let first = load(keys, &[]).unwrap();
        let text = first.to_toml().unwrap();
        assert!(text.contains("cavity_height") && text.contains("youngs_modulus"), "{text}");
        let again = read(&text, "again.toml", "test", Path::new("."), &[]).unwrap();
        assert_eq!(again.scene, first.scene);
    }
}

#[test]
fn a_wrong_cup_is_named_with_line_and_remedy() {
    let says = |keys: &str, set: &[&str], parts: &[&str]| {
        let message = load(keys, set).expect_err(keys).to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    says(
        "cup = \"s21\"",
        &[],
        &["test.toml:5", "bodies.cup.cup", "no cup is named `s21`", "did you mean `s"],
    );
    says("cup = \"standart\"", &[], &["did you mean `standard`"]);
    says("cup = 3", &[], &["test.toml:5", "bodies.cup.cup", "expected text"]);
    says("cup = \"s20\"", &["bodies.cup.cup=s99x"], &["--set bodies.cup.cup", "no cup is named"]);
    let rigid = scene("cup = \"s20\"").replace("fem", "rigid");
    let message = read(&rigid, "test.toml", "test", Path::new("."), &[]).unwrap_err().to_string();
    assert!(message.contains("has no meaning for a rigid body"), "{message}");
}

/// A cup that nothing touches has no energy at all: what rounding makes of nothing must not count as a step that makes energy.
#[test]
fn every_cup_rests_where_it_is_without_weight() {
    for name in cup_names() {
        let scene = format!(
            "version = 1\nduration = 0.05\ngravity = [0, 0, 0]\n[bodies.cup]\nkind = 'fem'\ncup = '{name}'\n"
        );
        let loaded = read(&scene, name, name, Path::new("."), &[]).expect("sound");
        let mut world = assemble(&loaded).expect("sound").world;
        let cup = world.find_body("cup").expect("sound");
        let start = world.body_report(cup).centre;
        for _ in 0..5 {
            world.step(&mut ()).expect("sound");
        }
        let moved = (world.body_report(cup).centre - start).length();
        assert!(moved < 1e-14, "{name}: {moved:e} m");
    }
}
