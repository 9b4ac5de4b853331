//! The convergence and efficiency study of 003 (figures 6 to 8): a teddy on cages of three sizes, over time steps.
//!
//! The error of a run is the root of the mean square distance of all surface vertices from where the same cage has them at
//! h = 0.5 ms, over vertices and over time, sampled every 20 ms. Every cage has its own reference, as in 003. Further tables show
//! what more surface costs on the low cage, how very small cages lock, and what is left of the order without damping; a chart
//! (`teddy.svg`) has the forces of a hand and the number of contacts over time, as figures 4 and 5 of 003.
//!
//! Whether anything intersects is asked in runs of their own, so that asking costs no time that is measured.

use std::time::Instant;

use cupule::report::{Residual, StepReport};
use cupule_geometry::DVec3;
use cupule_record::ContactResidual;
use cupule_scene::{assemble, load};
use serde_json::{Value, json};

use crate::axis::Scale;
use crate::chart::{Curve, Panel, svg};
use crate::leave::leave;
use crate::log_slope;
use crate::measure::cpu_time;

/// Name and nodes of the cages; none is the mesh itself.
const CAGES: [(&str, Option<u32>); 3] = [("full", None), ("medium", Some(173)), ("low", Some(34))];
/// What 003 has: its low cage at h = 20 ms goes at 1.8 times real time, on 16 cores.
const PAPER: (&str, f64, f64) = ("low", 0.02, 1.8);
/// Time steps, s.
const STEPS: [f64; 3] = [0.02, 0.01, 0.005];
/// Time step of the references, s.
const REFERENCE: f64 = 5e-4;
/// Time between samples, s; every time step divides it.
const SAMPLE: f64 = 0.02;
/// From when on the teddy is held, s.
const HELD: f64 = 3.6;
/// Nodes of the mesh whose surface the low cage carries.
const SURFACES: [u32; 4] = [410, 3000, 15_000, 131_000];
/// Length of those runs, s.
const SHORT: f64 = 0.4;
/// Nodes of the cages that are held against each other at h = 20 ms; none is the mesh itself.
const LOCKING: [Option<u32>; 8] =
    [None, Some(173), Some(100), Some(60), Some(34), Some(20), Some(12), Some(4)];
/// Time steps without damping, s.
const UNDAMPED: [f64; 5] = [0.02, 0.01, 0.005, 0.0025, 0.00125];

/// What came out of a run.
struct Run {
    /// Surface vertices at every sample, m.
    samples: Vec<Vec<DVec3>>,
    /// Length of the run and what it took, s.
    simulated: f64,
    wall: f64,
    /// CPU time of all threads, s; NaN where the system does not tell it.
    cpu: f64,
    nodes: usize,
    /// Mean squeeze force while held, N.
    squeeze: f64,
    contacts: f64,
    iterations: f64,
    /// Mean rows a step, and the largest residual.
    rows: f64,
    residual: ContactResidual,
    /// Most intersecting pairs at any step; none when not audited.
    intersecting: Option<usize>,
    curves: Vec<Moment>,
}

/// A point of the curves.
#[derive(Debug, Clone, Copy)]
struct Moment {
    time: f64,
    /// Mean squeeze of both hands and what they carry together, N.
    squeeze: f64,
    lift: f64,
    contacts: usize,
    iterations: usize,
}

/// Runs all cases and prints both tables.
pub fn teddy(as_json: bool) -> Result<(), String> {
    let tables = tables(as_json)?;
    if as_json {
        say!("{tables:#}");
    } else {
        print(&tables);
    }
    Ok(())
}

fn tables(quiet: bool) -> Result<Value, String> {
    let (rows, exponents, curves) = rows(quiet)?;
    let chart = leave("teddy.svg", &chart(&curves))?;
    Ok(json!({
        "name": "teddy", "rows": rows, "exponents": exponents, "surfaces": surfaces(quiet)?, "locking": locking(quiet)?,
        "undamped": undamped(quiet)?, "chart": chart,
    }))
}

/// The table of cages and steps, the slopes of their errors over h, and the curves at the largest step.
fn rows(quiet: bool) -> Result<(Vec<Value>, Value, Vec<NamedCurves>), String> {
    let (mut rows, mut slopes, mut curves) = (Vec::new(), json!({}), Vec::new());
    for (name, cage) in CAGES {
        let run = |step: f64, audit: bool| {
            if !quiet {
                let how = if audit { ", audited" } else { "" };
                tell!("running: {name}, h = {} ms{how}", step * 1e3);
            }
            let set = [format!("solver.time_step={step}"), format!("solver.audit={audit}")];
            run(cage, &set)
        };
        let reference = run(REFERENCE, false)?;
        let timed = |step: f64| {
            let intersecting = run(step, true)?.intersecting;
            Ok((step, Run { intersecting, ..run(step, false)? }))
        };
        let runs: Vec<(f64, Run)> = STEPS.into_iter().map(timed).collect::<Result<_, String>>()?;
        let truth = reference.samples.clone();
        let error = |run: &Run| distance(&run.samples, &truth);
        let points: Vec<(f64, f64)> =
            runs.iter().map(|(step, run)| (step.ln(), error(run).ln())).collect();
        slopes[name] = json!(log_slope(&points));
        curves.extend(runs.first().map(|(_, run)| (name, run.curves.clone())));
        for (step, run) in runs.iter().chain([&(REFERENCE, reference)]) {
            rows.push(row(name, *step, run, error(run)));
        }
    }
    Ok((rows, slopes, curves))
}

/// Phases are not told: under `ipc` there is but one.
fn row(cage: &str, step: f64, run: &Run, error: f64) -> Value {
    let ours = 1e3 * run.wall * step / run.simulated;
    let paper = ((cage, step) == (PAPER.0, PAPER.1)).then(|| 1e3 * step / PAPER.2);
    json!({
        "case": format!("{cage}, h = {} ms", step * 1e3), "paper_ms": paper, "ours_ms": ours,
        "ratio": paper.map(|paper| paper / ours), "phases_ms": null, "nodes": run.nodes, "rows": run.rows,
        "residual": run.residual, "cage": cage, "h_s": step, "wall_s": run.wall, "cpu_s": run.cpu,
        "real_time_factor": run.simulated / run.wall, "error_m": error, "squeeze_n": run.squeeze,
        "contacts": run.contacts, "iterations": run.iterations, "intersecting_pairs": run.intersecting,
    })
}

fn chart(curves: &[NamedCurves]) -> String {
    let panel = |title: &str, value: fn(&Moment) -> f64| {
        let curve = |(name, moments): &NamedCurves| Curve {
            name: (*name).to_string(),
            points: moments.iter().map(|m| (m.time, value(m))).collect(),
        };
        Panel {
            title: title.to_string(),
            curves: curves.iter().map(curve).collect(),
            joined: true,
            scale: Scale::Linear,
        }
    };
    let panels = [
        panel("squeeze of a hand, f_y (N)", |m| m.squeeze),
        panel("carried by the hands, f_z (N)", |m| m.lift),
        panel("contacts", |m| m.contacts as f64),
    ];
    svg("teddy-grasp at h = 20 ms", "time, s", &panels)
}

/// The squeeze force over the size of the cage: what a cage cannot follow it resists.
fn locking(quiet: bool) -> Result<Vec<Value>, String> {
    let case = |cage: &Option<u32>| {
        if !quiet {
            tell!("running: cage {cage:?}");
        }
        let run = run(*cage, &[])?;
        let lift = run.curves.last().map_or(f64::NAN, |m| m.lift);
        Ok(
            json!({ "nodes": run.nodes, "squeeze_n": run.squeeze, "lift_n": lift, "wall_s": run.wall }),
        )
    };
    LOCKING.iter().map(case).collect()
}

/// Errors on the low cage without damping, and the slope from each step to the next.
fn undamped(quiet: bool) -> Result<Vec<Value>, String> {
    let run = |step: f64| {
        if !quiet {
            tell!("running: low, undamped, h = {} ms", step * 1e3);
        }
        let mut set = vec![format!("solver.time_step={step}")];
        for body in ["teddy", "front", "back"] {
            let key = |factor: &str| format!("bodies.{body}.material.damping.{factor}=0");
            set.extend(["mass", "stiffness"].map(key));
        }
        run(CAGES[2].1, &set).map(|run| run.samples)
    };
    let reference = run(REFERENCE)?;
    let mut rows: Vec<Value> = Vec::new();
    for step in UNDAMPED {
        let error = distance(&run(step)?, &reference);
        let before = rows.last().map(|row| [&row["h_s"], &row["error_m"]].map(Value::as_f64));
        let slope = before.and_then(|b| Some((b[1]? / error).ln() / (b[0]? / step).ln()));
        rows.push(json!({ "h_s": step, "error_m": error, "slope": slope }));
    }
    Ok(rows)
}

fn surfaces(quiet: bool) -> Result<Vec<Value>, String> {
    let case = |nodes: &u32| {
        if !quiet {
            tell!("running: the surface of {nodes} nodes on the low cage");
        }
        let set = [format!("bodies.teddy.nodes={nodes}"), format!("duration={SHORT}")];
        let run = run(CAGES[2].1, &set)?;
        let vertices = run.samples.first().map_or(0, Vec::len);
        let ms = 1e3 * run.wall / (run.simulated / SAMPLE);
        Ok(json!({
            "vertices": vertices, "step_ms": ms, "iterations": run.iterations,
            "us_per_iteration_and_vertex": 1e3 * ms / run.iterations / vertices as f64,
        }))
    };
    SURFACES.iter().map(case).collect()
}

/// Runs the scene on a cage, h = 20 ms and without the audit unless `set` says otherwise.
fn run(cage: Option<u32>, set: &[String]) -> Result<Run, String> {
    let mut all = vec!["solver.audit=false".to_string(), format!("solver.time_step={SAMPLE}")];
    all.extend(cage.map(|nodes| format!("bodies.teddy.cage={nodes}")));
    all.extend_from_slice(set);
    let loaded = load("teddy-grasp@full", &all).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let body = world.find_body("teddy").ok_or("the scene has no teddy")?;
    let (duration, step) = (loaded.scene.duration, loaded.scene.solver.time_step);
    let (steps, every) =
        ((duration / step).round() as usize, (SAMPLE / step).round().max(1.0) as usize);
    let mut samples = Vec::new();
    let mut curves: Vec<Moment> = Vec::new();
    let (mut wall, mut rows, mut intersecting) = (0.0, 0, None);
    let mut residual = Residual::default();
    let before = cpu_time();
    for k in 1..=steps {
        let start = Instant::now();
        let report = world.step(&mut ()).map_err(|error| error.to_string())?;
        wall += start.elapsed().as_secs_f64();
        curves.push(Moment::of(&report));
        rows += report.rows;
        residual = residual.worst(report.residual);
        intersecting = intersecting.max(report.intersecting_pairs);
        if k % every == 0 {
            samples.push(world.surface_positions(body));
        }
    }
    let count = curves.len() as f64;
    let held: Vec<f64> = curves.iter().filter(|m| m.time >= HELD).map(|m| m.squeeze).collect();
    Ok(Run {
        samples,
        simulated: world.time(),
        wall,
        cpu: before.zip(cpu_time()).map_or(f64::NAN, |(a, b)| (b - a).as_secs_f64()),
        nodes: world.rest_mesh(body).map_or(0, |mesh| mesh.nodes.len()),
        squeeze: held.iter().sum::<f64>() / held.len().max(1) as f64,
        contacts: curves.iter().map(|m| m.contacts as f64).sum::<f64>() / count,
        iterations: curves.iter().map(|m| m.iterations as f64).sum::<f64>() / count,
        rows: rows as f64 / count,
        residual: residual.into(),
        intersecting,
        curves,
    })
}

/// The curves of a cage.
type NamedCurves = (&'static str, Vec<Moment>);

impl Moment {
    fn of(report: &StepReport) -> Self {
        let hands = &report.attachments;
        let squeeze: f64 = hands.iter().map(|a| a.force.y.abs()).sum();
        Self {
            time: report.time,
            squeeze: squeeze / hands.len().max(1) as f64,
            lift: hands.iter().map(|a| a.force.z).sum(),
            contacts: report.contacts.len(),
            iterations: report.iterations,
        }
    }
}

/// Root of the mean square distance over vertices and samples, m.
fn distance(run: &[Vec<DVec3>], reference: &[Vec<DVec3>]) -> f64 {
    let squares = |(a, b): (&Vec<DVec3>, &Vec<DVec3>)| -> f64 {
        let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
        sum / a.len().max(1) as f64
    };
    (run.iter().zip(reference).map(squares).sum::<f64>() / run.len().max(1) as f64).sqrt()
}

fn print(tables: &Value) {
    let list = |key: &str| tables[key].as_array().cloned().unwrap_or_default();
    print_rows(&list("rows"), &tables["exponents"]);
    say!("surface on the low cage, {SHORT} s at h = 20 ms:");
    for row in list("surfaces") {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        say!(
            "{:>8.0} vertices {:>9.2} ms a step {:>6.1} Newton steps {:>8.3} us an iteration and vertex",
            number("vertices"),
            number("step_ms"),
            number("iterations"),
            number("us_per_iteration_and_vertex")
        );
    }
    say!("cages of all sizes at h = 20 ms:");
    for row in list("locking") {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        say!(
            "{:>8.0} nodes {:>8.3} N squeeze {:>8.3} N carried {:>8.2} s",
            number("nodes"),
            number("squeeze_n"),
            number("lift_n"),
            number("wall_s")
        );
    }
    say!("without damping, low cage:");
    for row in list("undamped") {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let slope = row["slope"].as_f64().map_or("-".to_string(), |slope| format!("{slope:.2}"));
        say!("{:>8.2} ms {:>9.4} mm, slope {slope}", 1e3 * number("h_s"), 1e3 * number("error_m"));
    }
    say!("forces and contacts over time: {}", tables["chart"].as_str().unwrap_or_default());
}

fn print_rows(rows: &[Value], slopes: &Value) {
    say!(
        "{:8} {:>6} {:>8} {:>9} {:>8} {:>10} {:>11} {:>7} {:>10} {:>9} {:>7}",
        "cage",
        "nodes",
        "h (ms)",
        "wall (s)",
        "cpu (s)",
        "real time",
        "error (mm)",
        "slope",
        "squeeze",
        "contacts",
        "newton"
    );
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        say!(
            "{:8} {:>6.0} {:>8.1} {:>9.2} {:>8.2} {:>8.2} x {:>11.4} {:>7.2} {:>8.3} N {:>9.1} {:>7.1}",
            row["cage"].as_str().unwrap_or_default(),
            number("nodes"),
            1e3 * number("h_s"),
            number("wall_s"),
            number("cpu_s"),
            number("real_time_factor"),
            1e3 * number("error_m"),
            slopes[row["cage"].as_str().unwrap_or_default()].as_f64().unwrap_or(f64::NAN),
            number("squeeze_n"),
            number("contacts"),
            number("iterations")
        );
    }
    let most = rows.iter().filter_map(|row| row["intersecting_pairs"].as_u64()).max();
    say!("intersecting pairs at any step of h = 20, 10 and 5 ms: {}", most.unwrap_or_default());
    let wall = |cage: &str| {
        let row = rows.iter().find(|r| r["cage"] == cage && r["h_s"] == STEPS[0]);
        row.and_then(|r| r["wall_s"].as_f64()).unwrap_or(f64::NAN)
    };
    say!(
        "at h = 20 ms the low cage is {:.1} and the medium one {:.1} times as fast as the mesh itself (003: 2.0 for the low one)",
        wall("full") / wall("low"),
        wall("full") / wall("medium")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_mean_over_vertices_and_time() {
        let at = |x: f64| DVec3::X * x;
        let (run, reference) = (
            [vec![at(1.0), at(0.0)], vec![at(3.0), at(1.0)]],
            [vec![at(0.0); 2], vec![at(0.0); 2]],
        );
        // (1 + 0 + 9 + 1) / 4
        assert!((distance(&run, &reference) - 2.75f64.sqrt()).abs() < 1e-15);
        assert_eq!(distance(&reference, &reference), 0.0);
    }

    /// h = 20, 10 and 5 ms on the low cage, until the bubbles press: the error falls with the step as the first order has it, 0.8 to 1.3,
    /// and nothing intersects. All 4 s and the other cages, against 0.5 ms: `cupule bench teddy`.
    #[test]
    fn error_falls_with_the_step() {
        let run = |step: f64| {
            let set = ["duration=1.0", "solver.audit=true"].map(String::from);
            let set = [&set[..], &[format!("solver.time_step={step}")]].concat();
            run(Some(34), &set).expect("a run")
        };
        let reference = run(5e-4).samples;
        let errors = STEPS.map(|step| {
            let run = run(step);
            assert_eq!(run.intersecting, Some(0), "h = {step} s");
            (step.ln(), distance(&run.samples, &reference).ln())
        });
        let slope = log_slope(&errors).expect("three steps");
        println!("errors {:?} m, slope {slope:.2}", errors.map(|(_, e)| e.exp()));
        assert!((0.8..1.3).contains(&slope), "{errors:?}: {slope}");
    }

    /// What a cage cannot follow it resists: the fewer nodes, the more it takes to squeeze the teddy by the same way.
    #[test]
    fn coarser_cages_are_squeezed_with_more_force() {
        let set = ["duration=1.5".to_string()];
        let forces: Vec<(usize, f64)> = [Some(173), Some(34), Some(4)]
            .map(|cage| {
                run(cage, &set).map(|run| (run.nodes, run.curves.last().map_or(0.0, |m| m.squeeze)))
            })
            .into_iter()
            .collect::<Result<_, _>>()
            .expect("runs");
        println!("{forces:?}");
        assert!(forces.is_sorted_by(|a, b| a.0 > b.0 && a.1 < b.1), "{forces:?}");
    }
}
