//! The command as a person meets it: exit status and messages, good input and bad.

mod messages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A fresh folder for one test.
fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the test folder can be made");
    path
}

fn cupule(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cupule"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the binary starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn assert_refused(output: &Output, parts: &[&str]) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    for part in parts {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

const TWO_BOXES: &str = r#"version = 1
duration = 0.1
[bodies.ground]
kind = "static"
shape = { type = "box", size = [1, 1, 0.1] }
position = [0, 0, -0.05]
[bodies.block]
kind = "rigid"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [0, 0, 0.06]
mass = 1
[[expect]]
name = "falls"
value = "body.block.z_m"
max = 0.06
"#;

/// Runs a changed scene in its own folder.
fn run_changed(test: &str, old: &str, new: &str) -> Output {
    let folder = folder(test);
    assert!(TWO_BOXES.contains(old));
    fs::write(folder.join("scene.toml"), TWO_BOXES.replacen(old, new, 1))
        .expect("the test folder can be written");
    cupule(&folder, &["run", "scene.toml", "--out", "out"])
}

fn run_mesh(test: &str, name: &str, mesh: &str) -> Output {
    let folder = folder(test);
    fs::write(folder.join(name), mesh).expect("the test folder can be written");
    let scene = TWO_BOXES.replace(
        "kind = \"rigid\"\nshape = { type = \"box\", size = [0.1, 0.1, 0.1] }",
        &format!("kind = \"rigid\"\nmesh = \"{name}\""),
    );
    fs::write(folder.join("scene.toml"), scene).expect("the test folder can be written");
    cupule(&folder, &["run", "scene.toml"])
}

#[test]
fn without_a_subcommand_it_says_how_to_start() {
    let output = cupule(&folder("welcome"), &[]);
    assert!(output.status.success());
    for word in ["cupule run", "cupule list", "cupule check", "--help"] {
        assert!(text(&output.stdout).contains(word), "{word}");
    }
}

#[test]
fn a_good_run_leaves_a_complete_folder_and_its_scene_repeats_it_bit_for_bit() {
    let folder = folder("good");
    fs::write(folder.join("scene.toml"), TWO_BOXES).unwrap();
    let output = cupule(
        &folder,
        &["run", "scene.toml", "--out", "a", "--threads", "2", "--set", "bodies.block.mass=2"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("PASS  falls"));
    let summary = |run: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder.join(run).join("summary.json")).unwrap())
            .unwrap()
    };
    let first = summary("a");
    for key in [
        "scene",
        "solver",
        "version",
        "dt",
        "steps",
        "sim_time",
        "wall_time",
        "real_time_factor",
        "threads",
        "phases_ms",
        "contacts",
        "rows",
        "iterations",
        "residual",
        "max_penetration_m",
        "intersecting_pairs",
        "moles",
        "looks",
        "seals",
        "energy",
        "events",
        "expect",
        "ok",
        "state_hash",
    ] {
        assert!(first.get(key).is_some(), "summary.json lacks {key}");
    }
    assert_eq!((first["steps"].as_u64(), first["ok"].as_bool()), (Some(10), Some(true)));
    let series = fs::read_to_string(folder.join("a/series.csv")).unwrap();
    assert_eq!(series.lines().count(), 11, "one header and one row a step");
    let width = series.lines().next().unwrap().split(',').count();
    assert!(series.lines().all(|line| line.split(',').count() == width));
    let frames = fs::File::open(folder.join("a/frames.bin")).unwrap();
    let mut frames =
        cupule_record::frames::FrameReader::new(std::io::BufReader::new(frames)).unwrap();
    let mut count = 0;
    while frames.next_frame().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 6, "start and every 20 ms");
    let again =
        cupule(&folder, &["run", "a/scene.toml", "--out", "b", "--threads", "1", "--quiet"]);
    assert_eq!((again.status.code(), again.stdout.len()), (Some(0), 0));
    assert_eq!(summary("b")["state_hash"], first["state_hash"]);
    assert_eq!(summary("b")["scene"], first["scene"]);
}

#[test]
fn a_failed_expectation_is_status_1() {
    let output = run_changed("expectation", "max = 0.06", "max = 0.01");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("FAIL  falls"));
}

#[test]
fn unknown_keys_names_and_figures_are_refused_with_the_nearest() {
    assert_refused(
        &run_changed("key", "mass = 1", "mas = 1"),
        &["scene.toml:11: bodies.block.mas", "`mass`"],
    );
    assert_refused(
        &run_changed("figure", "block.z_m", "blok.z_m"),
        &["scene.toml:14:", "body.block.z_m"],
    );
    let output = cupule(&folder("name"), &["run", "squeez"]);
    assert_refused(&output, &["did you mean `squeeze`"]);
    let output =
        cupule(&folder("set"), &["run", "squeeze", "--set", "bodies.block.material.young=1"]);
    assert_refused(&output, &["--set bodies.block.material.young", "youngs_modulus"]);
    assert_refused(
        &cupule(&folder("file"), &["run", "no/such.toml"]),
        &["no/such.toml", "cannot be read"],
    );
}

#[test]
fn impossible_numbers_are_refused_with_their_unit() {
    let set = |test: &str, assignment: &str| {
        cupule(&folder(test), &["run", "squeeze", "--set", assignment])
    };
    assert_refused(
        &set("modulus", "bodies.block.material.youngs_modulus=-5e4"),
        &["greater than 0", "Pa"],
    );
    assert_refused(&set("poisson", "bodies.block.material.poissons_ratio=0.5"), &["less than 0.5"]);
    assert_refused(
        &set("density", "bodies.block.material.density=0"),
        &["greater than 0", "kg/m3"],
    );
    assert_refused(
        &cupule(&folder("dt"), &["run", "squeeze", "--dt", "-0.01"]),
        &["time_step", "greater than 0"],
    );
    assert_refused(
        &cupule(&folder("duration"), &["run", "squeeze", "--duration", "0"]),
        &["duration"],
    );
    assert_refused(
        &cupule(&folder("solver"), &["run", "squeeze", "--solver", "magic"]),
        &["solver.kind", "ncp"],
    );
    assert_refused(
        &run_changed("size", "[0.1, 0.1, 0.1]", "[0.1, 0.1, -0.1]"),
        &["scene.toml:9:", "size z"],
    );
}

#[test]
fn bad_meshes_are_refused_with_file_and_element() {
    assert_refused(
        &run_mesh("missing", "other.obj", ""),
        &["scene.toml:9: bodies.block.mesh", "other.obj"],
    );
    assert_refused(&run_mesh("malformed", "m.obj", "v 0 0 zero\n"), &["m.obj", "line 1"]);
    let open = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    assert_refused(
        &run_mesh("open", "open.obj", open),
        &["scene.toml:9: bodies.block.mesh", "open.obj", "open"],
    );
    let inside_out = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n";
    assert_refused(
        &run_mesh("inverted", "inverted.obj", inside_out),
        &["inverted.obj", "inside out"],
    );
    assert_refused(
        &run_mesh("format", "part.step", "ISO-10303-21;"),
        &["part.step", ".obj, .stl, .msh"],
    );
}

#[test]
fn bodies_that_start_in_penetration_are_named_with_depth_and_place() {
    let output = run_changed("penetration", "position = [0, 0, 0.06]", "position = [0, 0, 0.045]");
    assert_refused(&output, &["block", "ground", "penetration", "deep", "near"]);
}

#[test]
fn a_scale_that_looks_like_wrong_units_warns_and_runs() {
    let folder = folder("units");
    let scene = TWO_BOXES
        .replace("[0.1, 0.1, 0.1]", "[40, 40, 40]")
        .replace("[0, 0, 0.06]", "[0, 0, 20.01]");
    fs::write(folder.join("scene.toml"), scene.replace("max = 0.06", "max = 21")).unwrap();
    let output = cupule(&folder, &["run", "scene.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let message = text(&output.stderr);
    assert!(
        message.contains("warning: scene.toml:7: bodies.block") && message.contains("wrong unit"),
        "{message}"
    );
}

#[test]
fn expectations_that_can_never_or_always_hold_are_refused() {
    let value = "value = \"body.block.z_m\"\nmax = 0.06";
    let cases = [
        ("kind", "never = [{ kind = \"seel\" }]", &["`seel` is not a kind of event", "seal"][..]),
        ("empty", "events = []", &["no event is listed"]),
        ("span", "events = [{ kind = \"lift\", after = 2, before = 1 }]", &["after 2", "before 1"]),
        ("bounds", "value = \"body.block.z_m\"\nmin = 2\nmax = 1", &["at least 2 and at most 1"]),
        ("tolerance", "value = \"body.block.z_m\"\nnear = 2\ntolerance = -1", &["not below 0"]),
    ];
    for (name, instead, parts) in cases {
        assert_refused(&run_changed(&format!("expect-{name}"), value, instead), parts);
    }
    // A span that the run does not reach has no value, and so has a slope through one point.
    for (name, span) in
        [("late", "over = [0.05, 9.0]"), ("point", "over = [0.099, 0.1]\nreduce = \"slope\"")]
    {
        let output = run_changed(&format!("expect-{name}"), value, &format!("{value}\n{span}"));
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stdout));
    }
}

#[test]
fn a_run_never_overwrites_its_own_scene_nor_an_export_its_series() {
    let folder = folder("overwrite");
    fs::write(folder.join("scene.toml"), TWO_BOXES).expect("the test folder can be written");
    assert_refused(&cupule(&folder, &["run", "scene.toml", "--out", "."]), &["overwrite", "--out"]);
    assert_eq!(fs::read_to_string(folder.join("scene.toml")).expect("it is there"), TWO_BOXES);
    cupule(&folder, &["run", "scene.toml", "--out", "out"]);
    let series = || fs::read_to_string(folder.join("out/series.csv")).expect("a series");
    let before = series();
    let exported = cupule(&folder, &["export", "out", "--to", "csv", "--out", "out"]);
    assert_eq!(exported.status.code(), Some(0), "{}", text(&exported.stderr));
    assert_eq!(series(), before);
}

#[test]
fn two_interfaces_between_the_same_bodies_are_refused() {
    let twice = "[[interfaces]]\nbetween = [\"block\", \"ground\"]\nfriction = 0.2\n\
                 [[interfaces]]\nbetween = [\"ground\", \"block\"]\nfriction = 0.4\n[[expect]]";
    let output = run_changed("two-interfaces", "[[expect]]", twice);
    assert_refused(&output, &["interfaces.1", "already"]);
}

#[test]
fn ports_far_from_their_body_are_refused_with_the_distance() {
    let line = "[gas]\n[gas.lines.vacuum]\nvolume = 1e-6\n\
                ports = [{ body = \"block\", at = [0.5, 0, 0], conductance = 1e-4 }]\n[[expect]]";
    let output = run_changed("far-port", "[[expect]]", line);
    assert_refused(&output, &["gas.lines.vacuum.ports.0.at", "450.0 mm", "block"]);
}

#[test]
fn a_reader_of_messages_that_has_gone_away_is_no_error() {
    let folder = folder("closed-pipe");
    fs::write(folder.join("scene.toml"), TWO_BOXES).expect("the test folder can be written");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_cupule"))
        .current_dir(&folder)
        .args(["run", "scene.toml", "--set", "bodies.block.mass=1e-12", "--out", "out"])
        .stdout(writer.try_clone().expect("another end"))
        .stderr(writer)
        .status()
        .expect("the binary starts");
    assert!(matches!(status.code(), Some(0..=3)), "{status}: no panic");
}

#[test]
fn a_diverging_run_is_status_3_and_keeps_what_it_computed() {
    let folder = folder("diverge");
    // A drive that goes to infinity within a few steps: no solver can follow.
    let scene = r#"version = 1
duration = 0.5
[bodies.pad]
kind = "fem"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
nodes = 8
material = { youngs_modulus = 1e5, poissons_ratio = 0.3, density = 1000 }
[attachments.hand]
body = "pad"
select = { face = "z-max" }
drive = { profile = "linear", keys = [{ time = 0.1, translation = [0, 0, 0] }, { time = 0.2, translation = [0, 0, 1e308] }] }
"#;
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let output = cupule(&folder, &["run", "scene.toml", "--out", "out"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    for part in ["at t = 0.1", "pad", "diverged"] {
        assert!(message.contains(part), "{message}");
    }
    let summary = fs::read_to_string(folder.join("out/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let steps = summary["steps"].as_u64().unwrap() as usize;
    assert!(steps >= 9 && summary["ok"] == false && summary["failure"]["message"].is_string());
    let series = fs::read_to_string(folder.join("out/series.csv")).unwrap();
    assert_eq!(series.lines().count(), 1 + steps);
}

#[test]
fn list_schema_and_check_speak_json() {
    let folder = folder("json");
    let json = |arguments: &[&str]| -> serde_json::Value {
        let output = cupule(&folder, arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let names: Vec<String> = json(&["list", "--json"])
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap().to_string())
        .collect();
    for scene in
        ["falling-block", "incline", "stack", "cantilever", "hertz", "squeeze", "spring", "domino"]
    {
        assert!(names.contains(&scene.to_string()), "{scene} is not shipped");
    }
    assert_eq!(json(&["schema"])["title"], "Cupule scene");
    fs::write(folder.join("scene.toml"), TWO_BOXES).unwrap();
    let table = json(&["check", "scene.toml", "--json"]);
    assert_eq!(table["ok"], true);
    assert_eq!(table["scenes"][0]["expect"][0]["name"], "falls");
    assert_eq!(json(&["run", "scene.toml", "--json", "--quiet"])["steps"], 10);
}

#[test]
fn scenes_that_are_checked_side_by_side_come_out_in_order_and_the_same() {
    let folder = folder("side-by-side");
    // The first takes longest, so that the others are done before it.
    for (name, duration) in [("long", "0.3"), ("short", "0.02"), ("middle", "0.1")] {
        let scene = TWO_BOXES.replace("duration = 0.1", &format!("duration = {duration}"));
        fs::write(folder.join(format!("{name}.toml")), scene).unwrap();
    }
    let told = |jobs: &str| -> Vec<(String, String)> {
        let scenes = ["check", "long.toml", "short.toml", "middle.toml", "--json", "--jobs", jobs];
        let output = cupule(&folder, &scenes);
        let table: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let word = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_string();
        let rows = table["scenes"].as_array().unwrap().iter();
        rows.map(|row| (word(row, "scene"), word(row, "state_hash"))).collect()
    };
    let one_by_one = told("1");
    let names: Vec<&str> = one_by_one.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["long.toml", "short.toml", "middle.toml"]);
    assert_ne!(one_by_one[0].1, one_by_one[1].1);
    assert_eq!(told("3"), one_by_one);
}
