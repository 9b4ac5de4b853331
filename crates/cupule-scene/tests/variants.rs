//! Variants of a scene: what they change, what they expect, and what is said about a wrong one.
#![allow(clippy::unwrap_used)] // a test may panic

use std::fs;
use std::path::{Path, PathBuf};

use cupule_scene::model::{Body, RigidBody, Shape};
use cupule_scene::{LoadedScene, load, runs_of, shipped_names};

const SCENE: &str = r#"version = 1
title = "Blocks"
duration = 1.0
[bodies.block]
kind = "rigid"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [0, 0, 0.06]
mass = 1

[[expect]]
name = "all"
value = "body.block.z_m"
min = 0

[[variants]]
name = "light"
title = "as it is"

[[variants]]
name = "heavy"
title = "a ball of 5 kg and another block"
[variants.change.bodies.block]
mass = 5
shape = { type = "sphere", radius = 0.05 }
[variants.change.bodies.other]
kind = "rigid"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [1, 0, 0.06]
mass = 2
[[variants.expect]]
name = "own"
value = "body.other.z_m"
min = 0
"#;

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("variants-{name}.toml"));
    fs::write(&path, text).unwrap();
    path
}

fn rigid<'a>(loaded: &'a LoadedScene, name: &str) -> &'a RigidBody {
    match &loaded.scene.bodies[name] {
        Body::Rigid(keys) => keys,
        other => panic!("{name} is {}", other.kind()),
    }
}

#[test]
fn the_first_runs_unless_another_is_named() {
    let path = file("first", SCENE);
    let scene = path.to_str().unwrap();
    let first = load(scene, &[]).unwrap();
    assert_eq!(first.scene.name, "variants-first@light");
    assert_eq!(first.scene.title, "Blocks: as it is");
    assert_eq!((first.title.as_str(), rigid(&first, "block").mass), ("Blocks", Some(1.0)));
    let names: Vec<&str> = first.scene.expect.iter().map(|expect| expect.name.as_str()).collect();
    assert_eq!(names, ["all"]);
    assert_eq!(runs_of(scene).unwrap(), [format!("{scene}@light"), format!("{scene}@heavy")]);
}

#[test]
fn changes_are_merged_types_are_replaced_expectations_added() {
    let path = file("merged", SCENE);
    let reference = format!("{}@heavy", path.display());
    let heavy = load(&reference, &["bodies.other.mass=3".into()]).unwrap();
    let block = rigid(&heavy, "block");
    assert_eq!((block.mass, block.geometry.position), (Some(5.0), [0.0, 0.0, 0.06]));
    assert_eq!(block.geometry.shape, Some(Shape::Sphere { radius: 0.05 }));
    assert_eq!(rigid(&heavy, "other").mass, Some(3.0), "overrides come after the variant");
    let names: Vec<&str> = heavy.scene.expect.iter().map(|expect| expect.name.as_str()).collect();
    assert_eq!(names, ["own", "all"]);
    assert_eq!(runs_of(&reference).unwrap(), std::slice::from_ref(&reference));
    // The scene as run has no variants left and reads back.
    let text = heavy.to_toml().unwrap();
    assert!(!text.contains("[[variants"), "{text}");
    let again = load(file("again", &text).to_str().unwrap(), &[]).unwrap();
    assert_eq!(again.scene, heavy.scene);
}

#[test]
fn a_wrong_variant_is_named_with_line_and_remedy() {
    let says = |name: &str, text: &str, variant: &str, parts: &[&str]| {
        let path = file(name, text);
        let message = load(&format!("{}@{variant}", path.display()), &[]).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    says("unknown", SCENE, "haevy", &["no variant `haevy`", "did you mean `heavy`"]);
    let twice = SCENE.replace("name = \"heavy\"", "name = \"light\"");
    says("twice", &twice, "light", &["two variants are named `light`"]);
    let wrong = SCENE.replace("mass = 5", "masss = 5");
    says("key", &wrong, "heavy", &[":23: bodies.block.masss", "did you mean `mass`"]);
    let none = SCENE.split("[[variants]]").next().unwrap();
    says("none", none, "heavy", &["the scene has no variants; leave out `@heavy`"]);
    says("none", none, "", &["the scene has no variants; leave out `@`"]);
    says("nameless", SCENE, "", &["the name of a variant is missing", "light, heavy"]);
    let nested = SCENE.replace("[variants.change.bodies.other]", "[[variants.change.variants]]");
    says("nested", &nested, "heavy", &["cannot change the variants"]);
    let nameless = SCENE.replace("name = \"light\"\n", "");
    says("nameless", &nameless, "heavy", &["`name` is missing"]);
}

#[test]
fn every_variant_of_every_shipped_scene_can_be_read() {
    for name in shipped_names() {
        for reference in runs_of(name).unwrap_or_else(|error| panic!("{error}")) {
            load(&reference, &[]).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
