//! What condensing pressures into the contact blocks saves, and what Newton's method saves on top.

use std::path::Path;

use cupule_scene::{assemble, read};
use serde_json::json;

const SCENES: [&str; 2] = ["ground", "lift"];
const WAYS: [(&str, bool, bool); 3] = [
    ("sweeps alone", false, false),
    ("pressures condensed", true, false),
    ("and Newton's method", true, true),
];

/// Runs the scenes each way and prints sweeps per step.
pub fn sweeps(as_json: bool) -> Result<(), String> {
    let mut rows = Vec::new();
    for scene in SCENES {
        for (way, condense, newton) in WAYS {
            let [mean, most, above] =
                count(scene, condense, newton).map_err(|message| format!("{scene}: {message}"))?;
            rows.push(json!({
                "case": format!("{scene}, {way}"), "scene": scene, "mean": mean, "max": most,
                "steps_above_tolerance": above, "paper_ms": null, "ours_ms": null, "ratio": null,
            }));
        }
    }
    if as_json {
        say!("{:#}", json!({ "name": "sweeps", "rows": rows, "exponents": {} }));
        return Ok(());
    }
    say!("{:32} {:>11} {:>7} {:>16}", "sweeps in a step", "mean", "most", "above tolerance");
    for row in &rows {
        let figure = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let name = row["case"].as_str().unwrap_or_default();
        let [mean, most, above] = ["mean", "max", "steps_above_tolerance"].map(figure);
        say!("{name:32} {mean:>11.1} {most:>7.0} {above:>16.0}");
    }
    Ok(())
}

/// Mean and most sweeps in a step, and steps that ended above the tolerance.
fn count(scene: &str, condense: bool, newton: bool) -> Result<[f64; 3], String> {
    let text = cupule_scene::shipped_text(scene).unwrap_or_default();
    let set = [format!("solver.condense_pressure={condense}"), format!("solver.newton={newton}")];
    let loaded = read(text, scene, scene, Path::new("."), &set).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let steps = (loaded.scene.duration / loaded.scene.solver.time_step).round() as usize;
    let ncp = world.settings().ncp.clone();
    let (mut sum, mut most, mut above) = (0, 0, 0);
    for _ in 0..steps {
        let report = world.step(&mut ()).map_err(|error| error.to_string())?;
        sum += report.iterations;
        most = most.max(report.iterations);
        let left = report.residual;
        // What sweeps leave, and what corrections for the true end leave beside it.
        let within =
            left.gap_m <= 2.0 * ncp.gap_tolerance && left.force_share <= 2.0 * ncp.force_tolerance;
        above += usize::from(!within);
    }
    Ok([sum as f64 / steps as f64, most as f64, above as f64])
}
