//! Runs of the command, and what they left in their folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A finished run.
pub struct Run {
    /// `summary.json`.
    pub summary: Value,
    columns: BTreeMap<String, Vec<f64>>,
}

/// An event of a run.
pub struct Event<'a> {
    pub time: f64,
    pub kind: &'a str,
    pub what: &'a str,
}

/// Runs a shipped scene, or one of the test scenes if its name ends with `.toml`.
pub fn run(scene: &str, name: &str, arguments: &[&str]) -> Run {
    let out: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("suction-{name}"));
    let _ = fs::remove_dir_all(&out);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let scene = if scene.ends_with(".toml") { tests.join(scene) } else { scene.into() };
    let output = Command::new(env!("CARGO_BIN_EXE_cupule"))
        .arg("run")
        .arg(&scene)
        .args(["--quiet", "--out"])
        .arg(&out)
        .args(arguments)
        // Tests go side by side, so that a run has one core.
        .args(if arguments.contains(&"--threads") { &[][..] } else { &["--threads", "1"] })
        .output()
        .expect("the binary starts");
    let read = |file: &str| {
        fs::read_to_string(out.join(file)).unwrap_or_else(|error| {
            panic!("{scene:?}: {error}: {}", String::from_utf8_lossy(&output.stderr));
        })
    };
    let summary = serde_json::from_str(&read("summary.json")).expect("a summary");
    Run { summary, columns: columns(&read("series.csv")) }
}

/// Columns that begin later are as long as the others, with NaN before.
fn columns(text: &str) -> BTreeMap<String, Vec<f64>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',')) {
            column.push(cell.parse().unwrap_or(f64::NAN));
        }
    }
    names.into_iter().map(String::from).zip(columns).collect()
}

impl Run {
    /// A column of the series.
    pub fn column(&self, name: &str) -> &[f64] {
        self.find(name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// A column of the series, if there is one.
    pub fn find(&self, name: &str) -> Option<&[f64]> {
        self.columns.get(name).map(Vec::as_slice)
    }

    /// Times of the steps, s.
    pub fn times(&self) -> &[f64] {
        self.column("time_s")
    }

    /// A number of the summary, by JSON pointer.
    pub fn figure(&self, pointer: &str) -> f64 {
        let value = self.summary.pointer(pointer).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("no figure {pointer}"))
    }

    /// All events, in order.
    pub fn events(&self) -> Vec<Event<'_>> {
        let all = self.summary["events"].as_array().expect("events").iter();
        all.map(|e| Event {
            time: e["time"].as_f64().expect("a time"),
            kind: e["kind"].as_str().expect("a word"),
            what: e["what"].as_str().expect("words"),
        })
        .collect()
    }

    /// Events of one kind.
    pub fn events_of(&self, kind: &str) -> Vec<Event<'_>> {
        self.events().into_iter().filter(|e| e.kind == kind).collect()
    }

    /// The last step that ends at or before a time (s).
    pub fn step_at(&self, time: f64) -> usize {
        self.times().partition_point(|t| *t <= time + 1e-9) - 1
    }
}
