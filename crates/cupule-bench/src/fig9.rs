//! Figure 9 of 000: a cup pushed on the ground and pulled off, over five meshes and three time steps.
//!
//! Every run is compared with the finest mesh at its own step and with the shortest step on its own mesh. Events are left out by
//! 30 ms on both sides.

use std::path::Path;

use cupule::report::StepReport;
use cupule_record::{PhaseTimes, Stopwatch};
use cupule_scene::{assemble, read};
use serde_json::{Value, json};

use crate::axis::Scale;
use crate::chart::{Curve, Panel, svg};
use crate::leave::leave_both;
use crate::page;

/// Nodes of the cup, the finest last.
const NODES: [u32; 5] = [434, 816, 1787, 2676, 5197];
/// Time steps, s, the shortest last.
const STEPS: [f64; 3] = [0.03, 0.01, 0.001];
/// Left out around events, s.
const AROUND_EVENTS: f64 = 0.03;

const TITLE: &str = "A cup is pushed on the ground and pulled off";
const COLUMNS: [&str; 8] = [
    "case",
    "seals, s",
    "releases, s",
    "lowest P, kPa",
    "largest pull, N",
    "P, V, n against the finest mesh, %",
    "against the shortest step, %",
    "ms a step",
];

/// One run.
struct Curves {
    nodes: usize,
    step: f64,
    times: Vec<f64>,
    /// P (Pa), V (m3), n (mol), pull (N); NaN where there is no cavity.
    figures: Vec<[f64; 4]>,
    events: Vec<(f64, &'static str)>,
    total_ms: f64,
}

/// Runs all cases, prints the table and leaves a page with the curves.
pub fn fig9(as_json: bool) -> Result<(), String> {
    let mut runs = Vec::new();
    for (nodes, step) in NODES.into_iter().flat_map(|nodes| STEPS.map(|step| (nodes, step))) {
        if !as_json {
            tell!("running: {nodes} nodes, h = {} ms", step * 1e3);
        }
        let run = curves(nodes, step);
        runs.push(run.map_err(|message| format!("{nodes} nodes, h = {step} s: {message}"))?);
    }
    let rows: Vec<Value> = (0..runs.len()).map(|i| row(&runs, i)).collect();
    let chart = svg(TITLE, "time, s", &panels(&runs));
    let page =
        page::of_figures(TITLE, &COLUMNS, &rows.iter().map(cells).collect::<Vec<_>>(), &chart);
    let [chart, page] = leave_both("fig9", &chart, &page)?;
    if as_json {
        say!(
            "{:#}",
            json!({ "name": "fig9", "rows": rows, "exponents": {}, "chart": chart, "page": page })
        );
    } else {
        print(&rows);
        say!("page with the curves: {}", page.display());
    }
    Ok(())
}

fn curves(nodes: u32, step: f64) -> Result<Curves, String> {
    let text = cupule_scene::shipped_text("ground").unwrap_or_default();
    let set = [format!("bodies.cup.nodes={nodes}"), format!("solver.time_step={step}")];
    let loaded = read(text, "ground", "ground", Path::new("."), &set).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let cup = world.find_body("cup").ok_or("the scene has no cup")?;
    let nodes = world.rest_mesh(cup).map_or(0, |mesh| mesh.nodes.len());
    let steps = (loaded.scene.duration / step).round() as usize;
    let mut run =
        Curves { nodes, step, times: vec![], figures: vec![], events: vec![], total_ms: 0.0 };
    for _ in 0..steps {
        let mut watch = Stopwatch::start();
        let report = world.step(&mut watch).map_err(|error| error.to_string())?;
        run.push(&report, &watch.stop());
    }
    run.total_ms /= steps as f64;
    Ok(run)
}

impl Curves {
    fn push(&mut self, report: &StepReport, times: &PhaseTimes) {
        let pull = report.attachments.first().map_or(f64::NAN, |a| a.force.z);
        let air = report.cavities.iter().find(|c| c.id == 0);
        let air = air.map_or([f64::NAN; 3], |c| [c.pressure, c.volume, c.amount]);
        self.times.push(report.time);
        self.figures.push([air[0], air[1], air[2], pull]);
        self.events.extend(report.events.iter().map(|e| (e.time, e.kind.name())));
        self.total_ms += times.total;
    }

    fn event(&self, kind: &str) -> f64 {
        self.events.iter().find(|e| e.1 == kind).map_or(f64::NAN, |e| e.0)
    }

    fn near_event(&self, time: f64) -> bool {
        let counts = |kind: &str| matches!(kind, "seal" | "unseal" | "vent");
        self.events.iter().any(|(t, kind)| counts(kind) && (t - time).abs() < AROUND_EVENTS)
    }

    /// Figures at a time, straight between steps.
    fn at(&self, time: f64) -> Option<[f64; 4]> {
        let next = self.times.partition_point(|t| *t < time);
        let (before, after) = (next.checked_sub(1)?, next.min(self.times.len() - 1));
        let span = self.times[after] - self.times[before];
        let share = if span > 0.0 { (time - self.times[before]) / span } else { 0.0 };
        let (a, b) = (self.figures[before], self.figures[after]);
        Some([0, 1, 2, 3].map(|i| a[i] + share * (b[i] - a[i])))
    }

    /// Time-averaged relative differences of P, V and n, away from the events of both.
    fn difference(&self, other: &Self) -> [f64; 3] {
        let away = |t: &&f64| !self.near_event(**t) && !other.near_event(**t);
        let pairs: Vec<([f64; 4], [f64; 4])> = (self.times.iter().filter(away))
            .filter_map(|t| self.at(*t).zip(other.at(*t)))
            .filter(|(a, b)| a[0].is_finite() && b[0].is_finite())
            .collect();
        let mean = |i: usize| {
            pairs.iter().map(|(a, b)| (a[i] / b[i] - 1.0).abs()).sum::<f64>() / pairs.len() as f64
        };
        [0, 1, 2].map(mean)
    }

    fn extreme(&self, figure: usize, pick: fn(f64, f64) -> f64) -> f64 {
        let values = self.figures.iter().map(|f| f[figure]).filter(|v| v.is_finite());
        values.reduce(pick).unwrap_or(f64::NAN)
    }
}

/// Runs are in the order of their meshes, and each mesh has all steps.
fn row(runs: &[Curves], index: usize) -> Value {
    let run = &runs[index];
    let (mesh, step) = (index / STEPS.len(), index % STEPS.len());
    let finest = (NODES.len() - 1) * STEPS.len() + step;
    let shortest = mesh * STEPS.len() + STEPS.len() - 1;
    let against = |other: usize| {
        let [pressure, volume, amount] = run.difference(&runs[other]);
        json!({ "pressure": pressure, "volume": volume, "amount": amount })
    };
    json!({
        "case": format!("{} nodes, h = {} ms", run.nodes, run.step * 1e3), "nodes": run.nodes, "step_s": run.step,
        "seal_s": run.event("seal"), "release_s": run.event("unseal"),
        "lowest_pressure_pa": run.extreme(0, f64::min), "largest_pull_n": run.extreme(3, f64::max),
        "difference": { "finest_mesh": against(finest), "shortest_step": against(shortest) },
        "ours_ms": run.total_ms, "paper_ms": null, "ratio": null,
    })
}

/// The cells of a row, as they stand in the table.
fn cells(row: &Value) -> Vec<String> {
    let figure = |pointer: &str| row.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let difference = |to: &str| {
        let share = |what: &str| figure(&format!("/difference/{to}/{what}")) * 100.0;
        let of = ["pressure", "volume", "amount"].map(|what| format!("{:.1}", share(what)));
        of.join(", ")
    };
    vec![
        row["case"].as_str().unwrap_or_default().to_string(),
        format!("{:.2}", figure("/seal_s")),
        format!("{:.3}", figure("/release_s")),
        format!("{:.1}", figure("/lowest_pressure_pa") / 1e3),
        format!("{:.1}", figure("/largest_pull_n")),
        difference("finest_mesh"),
        difference("shortest_step"),
        format!("{:.2}", figure("/ours_ms")),
    ]
}

fn print(rows: &[Value]) {
    let line = |cells: &[String]| {
        let [case, rest @ ..] = cells else { return String::new() };
        let rest: String = rest
            .iter()
            .zip(&COLUMNS[1..])
            .map(|(c, h)| format!("  {c:>width$}", width = h.len()))
            .collect();
        format!("{case:24}{rest}")
    };
    say!("{}", line(&COLUMNS.map(String::from)));
    rows.iter().for_each(|row| say!("{}", line(&cells(row))));
    say!("P, V, n: time-averaged relative difference, 30 ms around events left out");
}

fn panels(runs: &[Curves]) -> Vec<Panel> {
    let titles = ["pressure, kPa", "volume, mm3", "amount, umol", "pull, N"];
    let scales = [1e-3, 1e9, 1e6, 1.0];
    let curve = |run: &Curves, figure: usize| Curve {
        name: format!("{} / {} ms", run.nodes, run.step * 1e3),
        points: (run.times.iter().zip(&run.figures))
            .map(|(t, f)| (*t, f[figure] * scales[figure]))
            .collect(),
    };
    (0..4)
        .map(|figure| Panel {
            title: titles[figure].to_string(),
            curves: runs.iter().map(|run| curve(run, figure)).collect(),
            joined: true,
            scale: Scale::Linear,
        })
        .collect()
}
