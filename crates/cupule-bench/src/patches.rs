//! What is saved and lost by solving near contacts of a patch as one: the same scenes with patches of several sizes.

use std::time::Instant;

use cupule_scene::{assemble, load};
use serde_json::{Value, json};

use crate::cross_check::{Difference, Story};

/// Scenes with what is changed in them, and reaches of patches, m, of which the first is what the others are held against. A cup on a block
/// of fine triangles has many contacts where its own nodes are few; of halves with surfaces finer than their cells, most are redundant.
const CASES: [(&str, &str, &[&str], &[f64]); 4] = [
    ("lift", "lift", &[], SMALL),
    ("lift, fine block", "lift", &["bodies.block.resolution=0.0052"], SMALL),
    ("cube-halves", "cube-halves", &[], SMALL),
    ("cube-halves, fine surfaces", "cube-halves", FINE_HALVES, &[0.0, 3e-3, 5e-3, 7e-3]),
];
const SMALL: &[f64] = &[0.0, 1e-3, 2e-3, 3e-3, 4e-3];
/// Surfaces of both halves, split where they touch.
pub(super) const FINE_HALVES: &[&str] = &[
    "bodies.lower.split_surface={ face = \"z-max\" }",
    "bodies.upper.split_surface={ face = \"z-min\" }",
];

/// What a run came to.
#[derive(Clone)]
struct Run {
    story: Story,
    /// Means over its steps.
    milliseconds: f64,
    rows: f64,
    /// Deepest penetration, m.
    depth: f64,
}

/// Runs all cases and prints the table.
pub fn patches(as_json: bool) -> Result<(), String> {
    let mut rows = Vec::new();
    for (name, scene, set, reaches) in CASES {
        let mut plain: Option<Run> = None;
        for &reach in reaches {
            if !as_json {
                tell!("running: {name}, patches of {:.0} mm", 1e3 * reach);
            }
            let run = run(scene, set, reach).map_err(|message| format!("{name}: {message}"))?;
            let plain = plain.get_or_insert_with(|| run.clone());
            rows.push(row(name, reach, plain, &run));
        }
    }
    if as_json {
        say!("{:#}", json!({ "name": "patches", "rows": rows, "exponents": {} }));
    } else {
        print(&rows);
    }
    Ok(())
}

fn run(scene: &str, set: &[&str], reach: f64) -> Result<Run, String> {
    let mut all: Vec<String> = set.iter().map(|s| (*s).to_string()).collect();
    all.push(format!("solver.contact_patch={reach:e}"));
    let loaded = load(scene, &all).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let steps = (loaded.scene.duration / loaded.scene.solver.time_step).round() as usize;
    let mut run = Run { story: Story::of(&world), milliseconds: 0.0, rows: 0.0, depth: 0.0 };
    let begin = Instant::now();
    for _ in 0..steps {
        let report = world.step(&mut ()).map_err(|error| error.to_string())?;
        run.story.add(&report);
        run.rows += report.rows as f64 / steps as f64;
        run.depth = run.depth.max(report.max_penetration);
    }
    run.milliseconds = 1e3 * begin.elapsed().as_secs_f64() / steps as f64;
    Ok(run)
}

fn row(case: &str, reach: f64, plain: &Run, run: &Run) -> Value {
    let Difference { same, shift, pressure, pull, curves } = plain.story.against(&run.story);
    json!({
        "case": case, "reach_m": reach, "rows": run.rows, "paper_ms": null, "ours_ms": run.milliseconds,
        "ratio": plain.milliseconds / run.milliseconds, "same_events": same, "shift_s": shift,
        "pressure_share": pressure, "pull_share": pull, "pressure_curve_share": curves[0],
        "pull_curve_share": curves[1], "penetration_m": run.depth,
    })
}

fn print(rows: &[Value]) {
    say!("Near contacts solved as one, against every contact by itself");
    say!(
        "{:18} {:>8} {:>6} {:>7} {:>7} {:>10} {:>9} {:>8} {:>8} {:>8} {:>8} {:>12}",
        "scene",
        "reach",
        "rows",
        "ms",
        "faster",
        "events",
        "shifted",
        "P",
        "pull",
        "P curve",
        "pull c.",
        "penetration"
    );
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let events = if row["same_events"] == true { "same" } else { "DIFFERENT" };
        say!(
            "{:18} {:>5.0} mm {:>6.0} {:>7.2} {:>7.2} {:>10} {:>6.0} ms {:>6.2} % {:>6.2} % {:>6.2} % {:>6.2} % {:>9.1} um",
            row["case"].as_str().unwrap_or_default(),
            1e3 * number("reach_m"),
            number("rows"),
            number("ours_ms"),
            number("ratio"),
            events,
            1e3 * number("shift_s"),
            1e2 * number("pressure_share"),
            1e2 * number("pull_share"),
            1e2 * number("pressure_curve_share"),
            1e2 * number("pull_curve_share"),
            1e6 * number("penetration_m"),
        );
    }
}
