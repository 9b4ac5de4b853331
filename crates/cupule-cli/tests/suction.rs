//! No scene may succeed by a weld: what suction lifts stays where it is when the cavities are open to the outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Runs a shipped scene and returns its summary.
fn summary(scene: &str, test: &str, arguments: &[&str]) -> Value {
    let out: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{scene}-{test}"));
    let _ = fs::remove_dir_all(&out);
    let output = Command::new(env!("CARGO_BIN_EXE_cupule"))
        .args(["run", scene, "--quiet", "--out"])
        .arg(&out)
        .args(arguments)
        .output()
        .expect("the binary starts");
    let text = fs::read_to_string(out.join("summary.json")).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    });
    serde_json::from_str(&text).expect("a summary")
}

fn events<'a>(summary: &'a Value, kind: &str) -> Vec<&'a str> {
    let all = summary["events"].as_array().expect("events");
    let of_kind = all.iter().filter(|e| e["kind"] == kind);
    of_kind.map(|e| e["what"].as_str().expect("words")).collect()
}

#[test]
fn without_vacuum_nothing_is_lifted() {
    let held = summary("lift", "held", &[]);
    assert_eq!(events(&held, "lift").len(), 1, "lifted by suction: {held}");
    let vented = summary("lift", "vented", &["--set", "gas.vented=true"]);
    assert_eq!(events(&vented, "seal").len(), events(&held, "seal").len(), "it still seals");
    assert!(events(&vented, "lift").is_empty(), "lifted without vacuum: {vented}");
}

#[test]
fn suction_is_the_same_for_any_number_of_threads() {
    let hash = |threads: &str| {
        let run = summary("lift", threads, &["--threads", threads, "--duration", "1.3"]);
        run["state_hash"].as_str().expect("a hash").to_string()
    };
    assert_eq!(hash("1"), hash("2"));
}
