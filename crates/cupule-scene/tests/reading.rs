//! Every mistake in a scene names its line, its key and what was expected.

use std::path::Path;

use cupule_scene::{Origin, SceneError, read, schema};

const BLOCK: &str = r#"version = 1
duration = 1.0
[solver]
time_step = 0.01
[bodies.block]
kind = "fem"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
nodes = 343
position = [0, 0, 0.1]
[bodies.block.material]
youngs_modulus = 5e4
poissons_ratio = 0.45
density = 1000
[bodies.ground]
kind = "static"
shape = { type = "box", size = [1, 1, 0.1] }
[attachments.hand]
body = "block"
select = { face = "z-max" }
[[interfaces]]
between = ["block", "ground"]
friction = 0.5
[[expect]]
name = "it rests"
value = "body.block.z_m"
min = 0
"#;

fn load(text: &str, set: &[&str]) -> Result<cupule_scene::LoadedScene, SceneError> {
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    read(text, "block.toml", "block", Path::new("."), &set)
}

/// Replaces one line of the block scene and gives back the only problem as `line: key: message`.
fn mistake(old: &str, new: &str) -> String {
    assert!(BLOCK.contains(old), "{old}");
    let error = load(&BLOCK.replacen(old, new, 1), &[]).expect_err(new);
    error.to_string()
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

#[test]
fn the_scene_itself_is_good() {
    let loaded = load(BLOCK, &[]).unwrap();
    assert_eq!(loaded.scene.bodies.len(), 2);
    assert_eq!(loaded.scene.name, "block");
    assert!(loaded.warnings.is_empty());
    assert_eq!(loaded.origin_of("bodies.block.material.density"), Origin::Line(13));
}

#[test]
fn mistakes_name_file_line_key_and_what_was_expected() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "youngs_modulus = 5e4",
            "young_modulus = 5e4",
            &[
                "block.toml:11: bodies.block.material.young_modulus",
                "did you mean `youngs_modulus`",
            ],
        ),
        (
            "= 5e4",
            "= -5e4",
            &["block.toml:11: bodies.block.material.youngs_modulus", "greater than 0", "Pa"],
        ),
        ("= 0.45", "= 0.5", &["block.toml:12:", "poissons_ratio", "less than 0.5"]),
        ("= 0.45", "= -1", &["block.toml:12:", "greater than -1"]),
        ("= 0.45", "= nan", &["block.toml:12:", "not a finite number"]),
        ("density = 1000", "density = 0", &["block.toml:13:", "greater than 0", "kg/m3"]),
        ("density = 1000", "", &["bodies.block", "`mass`", "density"]),
        (
            "density = 1000",
            "density = \"1000\"",
            &["block.toml:13:", "expected a number, found text"],
        ),
        (
            "time_step = 0.01",
            "time_step = 0",
            &["block.toml:4: solver.time_step", "greater than 0"],
        ),
        (
            "time_step = 0.01",
            "time_step = 10",
            &["block.toml:4: solver.time_step", "does not fit the duration"],
        ),
        (
            "time_step = 0.01",
            "kind = \"ncq\"",
            &["block.toml:4: solver.kind", "expected one of: ncp", "did you mean `ncp`"],
        ),
        ("duration = 1.0", "duration = -1", &["block.toml:2: duration", "greater than 0"]),
        ("duration = 1.0", "", &["`duration` is missing", "s"]),
        ("version = 1", "version = 2", &["block.toml:1: version", "at most 1"]),
        (
            "kind = \"fem\"",
            "kind = \"femm\"",
            &[
                "block.toml:6: bodies.block.kind",
                "fem, rigid, kinematic, static",
                "did you mean `fem`",
            ],
        ),
        (
            "type = \"box\"",
            "type = \"bos\"",
            &["block.toml:7: bodies.block.shape.type", "did you mean `box`"],
        ),
        (
            "[0.1, 0.1, 0.1]",
            "[0.1, 0.1]",
            &["block.toml:7: bodies.block.shape.size", "expected 3 items, found 2"],
        ),
        (
            "size = [0.1, 0.1, 0.1]",
            "radius = 1",
            &["block.toml:7: bodies.block.shape.radius", "unknown key"],
        ),
        ("nodes = 343", "mesh = \"a.stl\"", &["bodies.block", "either `shape` or `mesh`"]),
        (
            "position = [0, 0, 0.1]",
            "rotation = { axis = [0, 0, 1] }",
            &["block.toml:9: bodies.block.rotation", "`angle` (rad)"],
        ),
        ("position = [0, 0, 0.1]", "rotation = { quaternion_wxyz = [1, 1, 0, 0] }", &["length 1"]),
        (
            "kind = \"static\"",
            "kind = \"static\"\nmass = 2",
            &["block.toml:16: bodies.ground.mass", "no meaning for a static body"],
        ),
        (
            "nodes = 343",
            "motion = { keys = [] }",
            &["block.toml:8: bodies.block.motion", "no meaning for a fem body"],
        ),
        ("kind = \"static\"", "", &["bodies.ground", "`kind` is missing", "kinematic, static"]),
        (
            "body = \"block\"",
            "body = \"blok\"",
            &["block.toml:18: attachments.hand.body", "did you mean `block`"],
        ),
        (
            "body = \"block\"",
            "body = \"ground\"",
            &["attachments.hand.body", "expected a fem body"],
        ),
        ("face = \"z-max\"", "all = false", &["attachments.hand.select", "exactly one of"]),
        (
            "\"block\", \"ground\"",
            "\"block\", \"grond\"",
            &["block.toml:21:", "did you mean `ground`"],
        ),
        (
            "friction = 0.5",
            "friction = -0.5",
            &["block.toml:22: interfaces.0.friction", "at least 0"],
        ),
        (
            "value = \"body.block.z_m\"",
            "value = \"1 +\"",
            &["block.toml:25: expect.0.value", "the formula ends"],
        ),
        ("min = 0", "", &["expect.0", "`min`, `max` or `near` is missing"]),
        (
            "[bodies.ground]",
            "[bodies.\"my ground\"]",
            &["block.toml:14:", "letters, digits and underscores"],
        ),
        ("duration = 1.0", "duration = = 1", &["block.toml:2:", "not valid TOML"]),
    ];
    for (old, new, parts) in cases {
        assert_says(&mistake(old, new), parts);
    }
}

#[test]
fn several_mistakes_are_told_at_once() {
    let text = BLOCK.replace("= 5e4", "= -5e4").replace("nodes =", "node =");
    assert_eq!(load(&text, &[]).unwrap_err().problems.len(), 2);
}

#[test]
fn odd_units_warn() {
    let loaded = load(
        BLOCK,
        &["bodies.block.material.youngs_modulus=0.05", "bodies.block.material.density=1e6"],
    )
    .unwrap();
    assert_eq!(loaded.warnings.len(), 2);
}

#[test]
fn set_reaches_numbers_words_list_items_and_absent_keys() {
    let set = [
        "bodies.block.material.youngs_modulus=1e6",
        "bodies.block.position.2=0.3",
        "solver.integrator=bdf2",
        "contact.friction=0.7",
        "interfaces.0.friction = 0.1",
        "bodies.block.shape.size=[0.2, 0.2, 0.2]",
        "title=a new title",
    ];
    let scene = load(BLOCK, &set).unwrap().scene;
    let block = scene.bodies["block"].fem().unwrap();
    assert_eq!(block.material.youngs_modulus, Some(1e6));
    assert_eq!(block.geometry.position, [0.0, 0.0, 0.3]);
    assert_eq!(scene.solver.integrator, cupule_scene::model::Integrator::Bdf2);
    assert_eq!((scene.contact.friction, scene.interfaces[0].friction), (0.7, Some(0.1)));
    assert_eq!(scene.title, "a new title");
}

#[test]
fn set_mistakes_name_the_nearest_key() {
    let cases: &[(&str, &[&str])] = &[
        ("bodies.blok.mass=1", &["--set bodies.blok.mass", "did you mean `block`"]),
        ("bodies.block.material.youngs=1", &["did you mean `youngs_modulus`"]),
        ("bodies.block.position.3=1", &["not an index", "list of 3"]),
        ("bodies.block.position=1", &["--set bodies.block.position", "expected a list of 3"]),
        (
            "bodies.block.material.youngs_modulus=-1",
            &["--set bodies.block.material.youngs_modulus", "greater than 0"],
        ),
        ("duration.x=1", &["has no parts"]),
        ("bodies.ground.mass=1", &["--set bodies.ground.mass", "no meaning for a static body"]),
        ("duration", &["KEY=VALUE"]),
    ];
    for (set, parts) in cases {
        assert_says(&load(BLOCK, &[set]).unwrap_err().to_string(), parts);
    }
}

/// Overrides are read in any order: a key may come before the kind that it belongs to.
#[test]
fn a_key_may_be_set_before_its_kind() {
    let scene = load(BLOCK, &["bodies.ground.mass=2", "bodies.ground.kind=rigid"]).unwrap().scene;
    assert_eq!(scene.bodies["ground"].kind(), "rigid");
}

#[test]
fn a_scene_as_run_reads_back_as_itself() {
    let loaded =
        load(BLOCK, &["duration=0.1", "bodies.block.position.0=0.12345678901234567"]).unwrap();
    let again = load(&loaded.to_toml().unwrap(), &[]).unwrap();
    assert_eq!(again.scene, loaded.scene);
}

#[test]
fn the_schema_describes_every_key_with_its_unit() {
    let schema = schema();
    assert_eq!(schema["properties"]["duration"]["description"], "Simulated time, s.");
    assert_eq!(schema["$defs"]["Material"]["properties"]["youngs_modulus"]["type"], "number");
    assert_eq!(schema["$defs"]["Material"]["additionalProperties"], false);
    let text = schema.to_string();
    assert!(!text.contains("null"), "TOML has no null");
}

#[test]
fn vent_pressure_is_a_number_a_word_or_a_table() {
    let gas = |value: &str| load(&format!("{BLOCK}[gas]\nvent_pressure = {value}\n"), &[]);
    for good in
        ["2e5", "200000", "\"atmosphere\"", "\"seal\"", "{ elastic_energy = [[0, 0], [0.1, 2e4]] }"]
    {
        let loaded = gas(good).unwrap_or_else(|error| panic!("{good}: {error}"));
        assert!(loaded.scene.gas.is_some(), "{good}");
    }
    let says = |value: &str| gas(value).expect_err(value).to_string();
    assert_says(&says("0"), &["vent_pressure", "greater than 0"]);
    assert_says(
        &says("\"seals\""),
        &["`seals` is not known", "atmosphere, seal", "did you mean `seal`"],
    );
    assert_says(&says("{ energy = [[0, 0]] }"), &["energy", "unknown key"]);
    assert_says(&says("{ elastic_energy = [] }"), &["at least one pair"]);
    assert_says(&says("{ elastic_energy = [[0.1, 0], [0, 1]] }"), &["ascend"]);
    assert_says(&says("{ elastic_energy = [[0.1, 0], [0.1, 1]] }"), &["ascend", "twice"]);
    assert_says(&says("20000"), &["gas.vent_pressure", "below the atmosphere", "absolute"]);
}

#[test]
fn what_drives_a_line_must_make_sense() {
    let says = |keys: &str| {
        let ports = "ports = [{ body = \"ground\", at = [0, 0, 0] }]";
        let text = format!("{BLOCK}[gas.lines.vacuum]\n{ports}\n{keys}\n");
        load(&text, &[]).map(|_| ()).map_err(|error| error.to_string())
    };
    // A jump, at which a time comes twice, is none of the mistakes.
    assert!(says("valve = [[0, 0], [1, 0], [1, 1e-3]]").is_ok());
    let mistakes = [
        ("valve = [[1, 0], [0, 1e-3]]", "gas.lines.vacuum.valve", "ascend"),
        ("valve = [[0, -1e-3]]", "gas.lines.vacuum.valve", "negative"),
        ("pump = { speed = [[0, -1]], ultimate = 0 }", "gas.lines.vacuum.pump.speed", "negative"),
        (
            "regulator = { gauge_pressure = [[0, -2e5]] }",
            "gas.lines.vacuum.regulator.gauge_pressure",
            "less than a vacuum",
        ),
    ];
    for (keys, key, message) in mistakes {
        assert_says(&says(keys).expect_err(keys), &[key, message]);
    }
}

#[test]
fn a_muscle_must_be_on_a_body_and_cannot_have_less_than_no_volume() {
    let muscle = |body: &str, volume: &str| {
        let table =
            format!("[gas.muscles.sucker]\nbody = \"{body}\"\nat = [0, 0, 0]\nvolume = {volume}\n");
        load(&format!("{BLOCK}{table}"), &[])
    };
    assert!(muscle("ground", "[[0, 0], [1, 1e-6]]").is_ok());
    let says = |body, volume| muscle(body, volume).expect_err("a mistake").to_string();
    assert_says(&says("grund", "[[0, 0]]"), &["gas.muscles.sucker.body", "did you mean `ground`"]);
    assert_says(&says("ground", "[[0, -1e-6]]"), &["gas.muscles.sucker.volume", "negative"]);
}
