//! `cupule check`: runs scenes and prints what they expected next to what came out.

use cupule_record::Summary;
use cupule_scene::expect::short;
use cupule_scene::{load, runs_of, shipped_names};
use serde_json::{Value, json};

use crate::Status;
use crate::arguments::{Changes, CheckOptions};
use crate::progress::Progress;
use crate::run::status;
use crate::session::simulate;
use crate::show;

/// Runs scenes and tests their expectations.
pub fn check(options: &CheckOptions) -> Status {
    let scenes: Vec<String> = if options.scenes.is_empty() {
        shipped_names().map(String::from).collect()
    } else {
        options.scenes.clone()
    };
    // A scene that cannot be read stays in the list and says why when its turn comes.
    let scenes: Vec<String> = scenes
        .into_iter()
        .flat_map(|scene| runs_of(&scene).unwrap_or_else(|_| vec![scene]))
        .collect();
    let mut worst = Status::Done;
    let mut table = Vec::new();
    for scene in &scenes {
        let result = check_one(scene, options);
        worst = worse(worst, result.as_ref().map_or(Status::BadInput, status));
        match (&result, options.json) {
            (Ok(summary), false) => print(summary),
            (Err(message), false) => say!("FAIL  {scene}: {message}\n"),
            (Ok(summary), true) => table.push(entry(scene, summary)),
            (Err(message), true) => {
                table.push(json!({ "scene": scene, "ok": false, "error": message, "expect": [] }))
            }
        }
    }
    if options.json {
        say!("{:#}", json!({ "ok": worst == Status::Done, "scenes": table }));
    } else {
        say!("{}", verdict(worst, scenes.len()));
    }
    worst
}

fn check_one(scene: &str, options: &CheckOptions) -> Result<Summary, String> {
    // The solver that promises no intersection is held to it.
    let audit = options.solver.as_deref() == Some("ipc");
    let changes = Changes { solver: options.solver.clone(), audit, ..Changes::default() };
    let loaded = load(scene, &changes.assignments()).map_err(|error| error.to_string())?;
    let mut progress = Progress::new(&loaded.scene.name, loaded.scene.duration, options.json);
    simulate(&loaded, None, &mut progress).map_err(|error| error.to_string())
}

fn print(summary: &Summary) {
    let verdict = if summary.ok { "PASS" } else { "FAIL" };
    say!(
        "{verdict}  {} ({:.2} s for {} s, {:.2} x real time)",
        summary.scene,
        summary.wall_time,
        short(summary.sim_time),
        summary.real_time_factor
    );
    if let Some(failure) = &summary.failure {
        say!("  FAIL  {}", failure.message);
    }
    show::expectations(&summary.expect);
    say!();
}

fn entry(scene: &str, summary: &Summary) -> Value {
    json!({
        "scene": scene, "ok": summary.ok, "expect": summary.expect, "failure": summary.failure,
        "wall_time": summary.wall_time, "real_time_factor": summary.real_time_factor,
        "residual": summary.residual, "max_penetration_m": summary.max_penetration_m,
        "intersecting_pairs": summary.intersecting_pairs, "state_hash": summary.state_hash,
    })
}

fn verdict(worst: Status, count: usize) -> String {
    match worst {
        Status::Done => format!("PASS  all {count} runs"),
        Status::Unexpected => "FAIL  an expectation failed".into(),
        Status::Failed => "FAIL  a simulation failed".into(),
        Status::BadInput => "FAIL  a scene could not be run".into(),
        Status::Interrupted => "stopped by hand".into(),
    }
}

/// Bad input outweighs a failed run, which outweighs a failed expectation.
fn worse(a: Status, b: Status) -> Status {
    let rank = |status: Status| match status {
        Status::Done => 0,
        Status::Unexpected => 1,
        Status::Failed => 2,
        Status::BadInput => 3,
        Status::Interrupted => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}
