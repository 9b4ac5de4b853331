//! `cupule bench table3`: at which force a cup comes off pipes, next to what was measured and simulated (000, Table 3).
//!
//! One thing varied at a time over the scene `cylinder-pull`: sealing distance, friction, mesh, press depth; and adiabatic air and a
//! wet film, on which the paper speculates. Chart and page are left in `runs/bench`.

use cupule_scene::{assemble, load};
use serde_json::{Value, json};

use crate::axis::Scale;
use crate::chart::{Curve, Panel, svg};
use crate::leave::leave_both;
use crate::page;

/// Radius (mm), variant of the scene, and forces (N): measured dry, measured wet, the paper's simulation.
const PIPES: [(f64, &str, [f64; 3]); 4] = [
    (50.0, "r50", [32.34, 34.56, 28.19]),
    (31.5, "r31", [25.54, 28.29, 24.39]),
    (25.0, "r25", [22.83, 23.60, 22.60]),
    (20.0, "r20", [31.50, 31.65, f64::NAN]),
];

/// What is varied, and how.
const WAYS: [(&str, &[&str]); 10] = [
    ("as it is", &[]),
    ("s = 0.05 mm", &["gas.sealing_distance=5e-5"]),
    ("friction 0.3", &["contact.friction=0.3"]),
    ("friction 0.7", &["contact.friction=0.7"]),
    ("finer mesh", &[FINE_CUP, FINE_PIPE]),
    ("s = 0.05 mm, finer mesh", &[FINE_CUP, FINE_PIPE, "gas.sealing_distance=5e-5"]),
    ("press 4.4 mm", &[PRESSED_LESS]),
    ("press 5.2 mm", &[PRESSED_MORE]),
    ("adiabatic", &["gas.exponent=1.4"]),
    ("wet, 50 um", &["gas.film_thickness=5e-5"]),
];
const FINE_CUP: &str = "bodies.cup.nodes=1800";
const FINE_PIPE: &str = "bodies.pipe.resolution=0.0018";
const PRESSED_LESS: &str = "attachments.hand.drive.keys=[{ time = 0.22, translation = [0, 0, -0.0044] }, \
    { time = 0.32, translation = [0, 0, -0.0044] }, { time = 1.3, translation = [0, 0, 0.0054] }]";
const PRESSED_MORE: &str = "attachments.hand.drive.keys=[{ time = 0.26, translation = [0, 0, -0.0052] }, \
    { time = 0.36, translation = [0, 0, -0.0052] }, { time = 1.3, translation = [0, 0, 0.0042] }]";

const TITLE: &str = "Pull that takes a cup off a pipe";

/// Runs all pulls, prints the table and draws the chart.
pub fn table3(as_json: bool) -> Result<(), String> {
    if !as_json {
        say!("{:14} {}", "largest pull, N", PIPES.map(|p| format!("{:>9} mm", p.0)).concat());
        for (i, name) in ["measured, dry", "measured, wet", "the paper's"].into_iter().enumerate() {
            print(name, &PIPES.map(|p| p.2[i]));
        }
    }
    let mut forces = Vec::new();
    for (name, set) in WAYS {
        let row: Result<Vec<f64>, _> = PIPES.iter().map(|pipe| largest_pull(pipe.1, set)).collect();
        forces.push(row.map_err(|message| format!("{name}: {message}"))?);
        if !as_json {
            print(name, &forces[forces.len() - 1]);
        }
    }
    let chart = svg(TITLE, "radius of the pipe, mm", &panels(&forces));
    let page = page_of(&forces, &chart);
    let [chart, page] = leave_both("table3", &chart, &page)?;
    if as_json {
        let rows: Vec<Value> =
            WAYS.iter().zip(&forces).flat_map(|(way, row)| rows(way.0, row)).collect();
        say!(
            "{:#}",
            json!({ "name": "table3", "rows": rows, "exponents": {}, "chart": chart, "page": page })
        );
    } else {
        say!("a dash: it does not close there. page with its chart: {}", page.display());
    }
    Ok(())
}

/// The page: what was measured and simulated elsewhere, then every way of ours.
fn page_of(forces: &[Vec<f64>], chart: &str) -> String {
    let line = |name: String, forces: &[f64]| -> Vec<String> {
        let cell = |f: &f64| if f.is_finite() { format!("{f:.2}") } else { "-".to_string() };
        [name].into_iter().chain(forces.iter().map(cell)).collect()
    };
    let mut rows: Vec<Vec<String>> = (["measured, dry", "measured, wet", "the paper's"].iter())
        .enumerate()
        .map(|(i, name)| line(name.to_string(), &PIPES.map(|p| p.2[i])))
        .collect();
    rows.extend(WAYS.iter().zip(forces).map(|(way, row)| line(format!("Cupule, {}", way.0), row)));
    let radii = PIPES.map(|p| format!("{} mm", p.0));
    let columns: Vec<&str> =
        ["largest pull, N"].into_iter().chain(radii.iter().map(String::as_str)).collect();
    page::of_figures(TITLE, &columns, &rows, chart)
}

fn print(name: &str, forces: &[f64]) {
    let cell = |f: &f64| if f.is_finite() { format!("{f:>12.2}") } else { format!("{:>12}", "-") };
    say!("{name:14} {}", forces.iter().map(cell).collect::<String>());
}

/// The largest pull, N; NaN where no cavity closes.
fn largest_pull(variant: &str, set: &[&str]) -> Result<f64, String> {
    let set: Vec<String> = set.iter().map(ToString::to_string).collect();
    let loaded = load(&format!("cylinder-pull@{variant}"), &set).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let (mut largest, mut closed) = (f64::NAN, false);
    while world.time() < loaded.scene.duration {
        let report = world.step(&mut ()).map_err(|error| error.to_string())?;
        let pull = report.attachments.first().map_or(f64::NAN, |hand| hand.force.z);
        closed |= !report.cavities.is_empty();
        if closed {
            largest = pull.max(largest);
        }
    }
    Ok(largest)
}

fn rows(way: &str, forces: &[f64]) -> Vec<Value> {
    let row = |((radius, _, [dry, wet, paper]), force): (&(f64, &str, [f64; 3]), &f64)| {
        json!({
            "case": format!("R = {radius} mm, {way}"), "radius_mm": radius, "way": way, "force_n": force,
            "measured_dry_n": dry, "measured_wet_n": wet, "paper_n": paper,
            "paper_ms": null, "ours_ms": null, "ratio": null,
        })
    };
    PIPES.iter().zip(forces).map(row).collect()
}

fn panels(forces: &[Vec<f64>]) -> Vec<Panel> {
    let curve = |name: &str, values: &[f64]| Curve {
        name: name.to_string(),
        points: PIPES.iter().zip(values).map(|(pipe, force)| (pipe.0, *force)).collect(),
    };
    let mut curves = vec![
        curve("measured, dry", &PIPES.map(|p| p.2[0])),
        curve("measured, wet", &PIPES.map(|p| p.2[1])),
        curve("simulated in the paper", &PIPES.map(|p| p.2[2])),
    ];
    for (way, row) in WAYS.iter().zip(forces) {
        if ["as it is", "wet, 50 um"].contains(&way.0) {
            curves
                .push(curve(if way.0 == "as it is" { "Cupule, dry" } else { "Cupule, wet" }, row));
        }
    }
    vec![Panel { title: "largest pull, N".to_string(), curves, joined: true, scale: Scale::Linear }]
}
