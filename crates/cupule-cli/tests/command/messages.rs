//! What a run says of itself: its title, when events came, and why a figure is missing.

use super::{TWO_BOXES, assert_refused, cupule, folder, run_changed, text};
use std::fs;

#[test]
fn a_run_tells_the_titles_of_scene_and_variant_below_its_first_line() {
    let folder = folder("title");
    let scene = TWO_BOXES.replace("version = 1", "version = 1\ntitle = \"Two boxes\"");
    let variant = "[[variants]]\nname = \"still\"\ntitle = \"nothing changed\"\n";
    fs::write(folder.join("scene.toml"), scene + variant).expect("the test folder can be written");
    let output = cupule(&folder, &["run", "scene.toml@still", "--out", "out"]);
    let told = text(&output.stdout);
    assert_eq!(told.lines().nth(1), Some("Two boxes: nothing changed"), "{told}");
    let summary = fs::read_to_string(folder.join("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["title"], "Two boxes: nothing changed");
    // A scene without a title has no empty line for it.
    let output = run_changed("no-title", "mass = 1", "mass = 1");
    assert!(text(&output.stdout).lines().nth(1).is_some_and(|line| line.contains("ms a step")));
}

#[test]
fn a_figure_that_is_missing_says_why_in_print_and_in_json() {
    let folder = folder("why");
    fs::write(folder.join("scene.toml"), TWO_BOXES.replace("max = 0.06", "max = 0.06\nat = 0.1"))
        .expect("the test folder can be written");
    let run = ["run", "scene.toml", "--duration", "0.05", "--out", "out"];
    let output = cupule(&folder, &run);
    assert_eq!(output.status.code(), Some(1));
    let why = "the run ends at 0.05 s, before 0.1 s";
    let told = text(&output.stdout);
    assert!(told.contains(&format!("-  expected <= 0.06: {why}\n")), "{told}");
    let output = cupule(&folder, &[&run[..], &["--json"]].concat());
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let falls = &summary["expect"][0];
    assert_eq!((&falls["ok"], &falls["why"]), (&false.into(), &why.into()));
    assert!(falls["value"].is_null());
    // Where figure and bound say it, nothing is added.
    assert!(summary["expect"][1].get("why").is_none() && falls.get("found").is_none());
}

#[test]
fn times_of_events_are_told_in_print_and_in_json() {
    let value = "value = \"body.block.z_m\"\nmax = 0.06";
    let never = "never = [{ kind = \"lift\", after = 0.01, before = 0.09 }]";
    let output = run_changed("events-told", value, never);
    let told = text(&output.stdout);
    assert!(told.contains("none  expected no lift at 0.01 to 0.09 s\n"), "{told}");
    let missing = "events = [{ kind = \"seal\", before = 0.05 }]";
    let output = run_changed("events-missing", value, missing);
    let told = text(&output.stdout);
    assert!(told.contains("none  expected seal before 0.05 s: no seal before 0.05 s\n"), "{told}");
}

#[test]
fn a_shipped_scene_tells_when_its_events_came() {
    let output = cupule(&folder("piston"), &["run", "piston", "--quiet", "--json"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let first = &summary["events"][0];
    assert_eq!(first["kind"], "seal");
    let time = format!("{:.3} s", first["time"].as_f64().expect("a time"));
    let expect = summary["expect"].as_array().expect("a list");
    let sealed = expect.iter().find(|e| e["bound"] == "seal before 0.02 s").expect("it is there");
    assert_eq!((&sealed["ok"], &sealed["found"]), (&true.into(), &time.into()));
    assert!(sealed["value"].is_null());
}

#[test]
fn a_scene_that_cannot_be_read_is_named_once_and_a_variant_that_is_not_there_too() {
    let told = text(&cupule(&folder("check-nothing"), &["check", "nothing"]).stdout);
    assert!(told.starts_with("FAIL  nothing: no shipped scene"), "{told}");
    let output = cupule(&folder("no-variants"), &["run", "lift@"]);
    assert_refused(&output, &["lift: variants: the scene has no variants; leave out `@`"]);
    let output = cupule(&folder("which-variant"), &["run", "masses@"]);
    assert_refused(&output, &["the name of a variant is missing", "heavy"]);
}

#[test]
fn the_help_of_bench_says_how_long_it_takes_and_where_files_go() {
    let told = text(&cupule(&folder("bench-help"), &["bench", "--help"]).stdout);
    let tables = told.lines().filter(|line| line.trim_start().starts_with("- "));
    for table in tables {
        assert!(table.contains("second") || table.contains("minute"), "{table}");
    }
    assert!(told.contains("runs/bench"), "{told}");
}
