//! `cupule bench table1 | table2 | thesis-4.2 | thesis-4.3`: times of a step next to the papers', with a page of charts.
//!
//! 150 steps around the suction, up to 50 before the first cavity closes and the rest after it. A solve has at most 50 sweeps, as in
//! the papers, but a step may solve more than once; what is left is shown, and so is how many steps were counted before and after
//! the first cavity, and in how many there was one. Beside them stands the mean over all steps of the scene, for what comes later: the
//! pull, the lift. Where a step did 50 sweeps, the row is run once more without that limit, for what it takes to stop at the scene's tolerances.
//!
//! Runs of a row do the same work to the bit, so that whatever makes one slower is not ours: the quickest counts, and the slowest is
//! shown. All rows are measured once before any is measured again, lest one disturbance take all runs of a row.

use std::collections::VecDeque;

use cupule::World;
use cupule::event::EventKind;
use cupule::report::{Residual, StepReport};
use cupule_record::{ContactResidual, PhaseTimes, Stopwatch};
use cupule_scene::{assemble, load};
use cupule_session::Crew;
use serde_json::{Value, json};

use crate::Options;
use crate::axis::Scale;
use crate::chart::{Curve, Panel, svg};
use crate::leave::leave_both;
use crate::papers::{PaperRow, Table};
use crate::{log_slope, page};

/// Steps that are counted, and how many of these at most before a cavity closes.
const COUNTED: usize = 150;
const BEFORE: usize = 50;

/// Sweeps that a solve may do, as many as the papers' do.
const SWEEPS: usize = 50;

/// The phases that the papers have too.
pub(super) const PHASES: [&str; 5] =
    ["free_motion", "collision", "cavities", "compliance", "solve"];

/// What our scene took.
struct Ours {
    nodes: usize,
    collision_nodes: usize,
    steps: Steps,
    rows: f64,
    sweeps: f64,
    times: PhaseTimes,
    /// Whether any step did as many sweeps as a solve may.
    reaches_limit: bool,
    /// Mean time of a step in the slowest run, ms.
    slowest_ms: f64,
    /// Mean time of a step that sweeps until it is within the tolerances, where 50 sweeps may not do, ms.
    to_tolerance_ms: Option<f64>,
    /// Mean of all steps of the run, ms.
    whole_ms: f64,
    /// Rows and time (ms) of every counted step.
    each: Vec<(f64, f64)>,
    residual: ContactResidual,
}

/// The steps that were counted.
struct Steps {
    before_seal: usize,
    from_seal: usize,
    with_cavity: usize,
    /// s.
    length: f64,
}

/// Measures all rows, prints the table and writes the page.
pub fn table(table: &Table, options: &Options) -> Result<(), String> {
    let as_json = options.json;
    let tell_of = |run: u16, case: &str| {
        if !as_json {
            tell!("measuring, run {run} of {}: {case}", options.runs);
        }
    };
    let measured = quickest(&table.rows, options.runs, tell_of)?;
    let rows: Vec<Value> =
        table.rows.iter().zip(&measured).map(|(row, o)| row_json(row, o)).collect();
    let growth: Vec<(f64, f64)> =
        measured.iter().map(|o| (o.rows.ln(), o.times.total.ln())).collect();
    let exponent = log_slope(&growth).filter(|_| of_one_scene(table));
    let chart = svg("", "constraint rows", &panels(table, &measured));
    let page = page::page(table.title, &rows, &chart);
    let [chart, page] = leave_both(table.name, &chart, &page)?;
    if as_json {
        let exponents = json!({ "rows": exponent });
        say!(
            "{:#}",
            json!({ "name": table.name, "runs": options.runs, "rows": rows, "exponents": exponents, "chart": chart, "page": page })
        );
    } else {
        print(table, &rows, exponent, options.runs);
        say!("page with charts: {}", page.display());
    }
    Ok(())
}

/// The quickest run of every row, with the time of its slowest.
fn quickest(
    rows: &[PaperRow],
    runs: u16,
    tell_of: impl Fn(u16, &str),
) -> Result<Vec<Ours>, String> {
    let mut best: Vec<Ours> = Vec::with_capacity(rows.len());
    for run in 1..=runs {
        for (i, row) in rows.iter().enumerate() {
            tell_of(run, &row.case);
            let ours =
                measure(row, SWEEPS).map_err(|message| format!("{}: {message}", row.case))?;
            match best.get_mut(i) {
                None => best.push(ours),
                Some(best) => {
                    best.compare(ours).map_err(|message| format!("{}: {message}", row.case))?
                }
            }
        }
    }
    for (row, ours) in rows.iter().zip(&mut best).filter(|(_, ours)| ours.reaches_limit) {
        let whole =
            measure(row, usize::MAX).map_err(|message| format!("{}: {message}", row.case))?;
        ours.to_tolerance_ms = Some(whole.times.total);
    }
    Ok(best)
}

impl Ours {
    /// Takes in another run of the same row, which must have done the same.
    fn compare(&mut self, other: Ours) -> Result<(), String> {
        let work = |ours: &Ours| (ours.rows, ours.sweeps, ours.residual.gap_m);
        if work(self) != work(&other) {
            let (one, another) = (work(self), work(&other));
            return Err(format!(
                "two runs differ in rows, sweeps or residual: {one:?} and {another:?}; runs must not depend on time, report this"
            ));
        }
        let slowest_ms = self.slowest_ms.max(other.slowest_ms);
        if other.times.total < self.times.total {
            *self = other;
        }
        self.slowest_ms = slowest_ms;
        Ok(())
    }
}

fn measure(row: &PaperRow, most_sweeps: usize) -> Result<Ours, String> {
    let mut set = row.set.clone();
    if most_sweeps == SWEEPS {
        set.push(format!("solver.max_sweeps={SWEEPS}"));
    }
    let loaded = load(row.scene, &set).map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let steps = (loaded.scene.duration / loaded.scene.solver.time_step).round() as usize;
    let crew = Crew::of(&world);
    let Run { before_seal, counted, whole_ms } = crew.run(|| around_seal(&mut world, steps))?;
    let bodies: Vec<_> =
        loaded.scene.bodies.keys().filter_map(|name| world.find_body(name)).collect();
    let nodes = bodies.iter().filter_map(|id| world.rest_mesh(*id)).map(|m| m.nodes.len()).sum();
    let collision_nodes = bodies.iter().map(|id| world.surface_positions(*id).len()).sum();
    let reports = || counted.iter().map(|(report, _)| report);
    let mean = |of: fn(&StepReport) -> usize| {
        reports().map(of).sum::<usize>() as f64 / counted.len() as f64
    };
    let times = mean_times(counted.iter().map(|(_, times)| times), counted.len());
    Ok(Ours {
        nodes,
        collision_nodes,
        steps: Steps {
            before_seal,
            from_seal: counted.len() - before_seal,
            with_cavity: reports().filter(|r| !r.cavities.is_empty()).count(),
            length: loaded.scene.solver.time_step,
        },
        rows: mean(|r| r.rows),
        sweeps: mean(|r| r.iterations),
        reaches_limit: reports().any(|r| r.iterations >= most_sweeps),
        slowest_ms: times.total,
        times,
        to_tolerance_ms: None,
        whole_ms,
        each: counted.iter().map(|(report, times)| (report.rows as f64, times.total)).collect(),
        residual: worst(reports()),
    })
}

/// A run of a scene with the steps around its first seal.
struct Run {
    before_seal: usize,
    counted: VecDeque<(StepReport, PhaseTimes)>,
    whole_ms: f64,
}

/// Runs to the end and keeps the steps around the first seal.
fn around_seal(world: &mut World, steps: usize) -> Result<Run, String> {
    let mut counted = VecDeque::new();
    let (mut before_seal, mut total) = (None, 0.0);
    for _ in 0..steps {
        let mut watch = Stopwatch::start();
        let report = world.step(&mut watch).map_err(|error| error.to_string())?;
        let times = watch.stop();
        total += times.total;
        if counted.len() == COUNTED {
            continue;
        }
        if before_seal.is_none() && report.events.iter().any(|e| e.kind == EventKind::Seal) {
            before_seal = Some(counted.len());
        }
        counted.push_back((report, times));
        if before_seal.is_none() && counted.len() > BEFORE {
            counted.pop_front();
        }
    }
    let never =
        "no cavity closes while it runs: there is no suction to measure; take a variant that seals";
    let whole_ms = total / steps as f64;
    before_seal
        .map(|before_seal| Run { before_seal, counted, whole_ms })
        .ok_or_else(|| never.to_string())
}

fn mean_times<'a>(times: impl Iterator<Item = &'a PhaseTimes>, count: usize) -> PhaseTimes {
    let share = 1.0 / count.max(1) as f64;
    times.fold(PhaseTimes::default(), |sum, t| PhaseTimes {
        free_motion: sum.free_motion + share * t.free_motion,
        collision: sum.collision + share * t.collision,
        cavities: sum.cavities + share * t.cavities,
        compliance: sum.compliance + share * t.compliance,
        solve: sum.solve + share * t.solve,
        other: sum.other + share * t.other,
        total: sum.total + share * t.total,
    })
}

fn worst<'a>(reports: impl Iterator<Item = &'a StepReport>) -> ContactResidual {
    reports.map(|report| report.residual).fold(Residual::default(), Residual::worst).into()
}

fn row_json(row: &PaperRow, ours: &Ours) -> Value {
    json!({
        "case": row.case, "scene": row.scene, "paper_ms": row.paper.total_ms, "ours_ms": ours.times.total,
        "ratio": row.paper.total_ms / ours.times.total, "phases_ms": ours.times, "slowest_ms": ours.slowest_ms,
        "to_tolerance_ms": ours.to_tolerance_ms.unwrap_or(ours.times.total), "whole_run_ms": ours.whole_ms,
        "paper_phases_ms": paper_phases(row),
        "nodes": ours.nodes, "paper_nodes": row.paper.nodes,
        "collision_nodes": ours.collision_nodes, "paper_collision_nodes": row.paper.collision_nodes,
        "rows": ours.rows, "paper_rows": row.paper.rows, "iterations": ours.sweeps, "residual": ours.residual,
        "steps": { "before_seal": ours.steps.before_seal, "from_seal": ours.steps.from_seal,
            "with_cavity": ours.steps.with_cavity, "length_s": ours.steps.length },
    })
}

/// The paper's phases under the names that ours have.
fn paper_phases(row: &PaperRow) -> Value {
    PHASES.iter().zip(row.paper.phases_ms).map(|(name, ms)| (name.to_string(), json!(ms))).collect()
}

/// Whether its rows differ in their meshes only: then there is something between two of them, and a law of growth.
fn of_one_scene(table: &Table) -> bool {
    table.rows.iter().all(|row| row.scene == table.rows[0].scene)
}

fn panels(table: &Table, measured: &[Ours]) -> Vec<Panel> {
    let sorted = |mut points: Vec<(f64, f64)>| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let paper = table.rows.iter().map(|r| (r.paper.rows, r.paper.total_ms)).collect();
    let ours = measured.iter().map(|o| (o.rows, o.times.total)).collect();
    let curve = |name: &str, points| Curve { name: name.to_string(), points: sorted(points) };
    let each = measured.iter().flat_map(|o| o.each.iter().copied()).collect();
    vec![
        Panel {
            title: "mean time of a step, ms".to_string(),
            curves: vec![curve("paper", paper), curve("Cupule", ours)],
            joined: of_one_scene(table),
            scale: Scale::Log,
        },
        // As 001, Fig. 4.6.
        Panel {
            title: "time of every counted step, ms".to_string(),
            // The papers show theirs in a figure only; the place keeps the colour.
            curves: vec![curve("paper", Vec::new()), curve("Cupule", each)],
            joined: false,
            scale: Scale::Log,
        },
    ]
}

/// Steps before and from the first seal, those with a cavity, and how long they are if not as long as the papers'.
pub(super) fn steps(row: &Value) -> String {
    let steps = &row["steps"];
    let length = steps["length_s"].as_f64().unwrap_or(f64::NAN) * 1e3;
    let length = if length == 10.0 { String::new() } else { format!(" of {length} ms") };
    format!("{}+{}, {}{length}", steps["before_seal"], steps["from_seal"], steps["with_cavity"])
}

/// Times of the phases, with the paper's in brackets.
pub(super) fn phases(row: &Value) -> String {
    let of = |phase: &str, table: &str| row[table][phase].as_f64().unwrap_or(f64::NAN);
    let both = |phase: &&str| {
        format!("{:.2} ({:.1})", of(phase, "phases_ms"), of(phase, "paper_phases_ms"))
    };
    PHASES.iter().map(both).collect::<Vec<_>>().join(", ")
}

fn print(table: &Table, rows: &[Value], exponent: Option<f64>, runs: u16) {
    say!("{}\n", table.title);
    say!(
        "{:20} {:>11} {:>13} {:>15} {:>14} {:>6} {:>9} {:>9} {:>8} {:>6} {:>12} {:>9}  free, collision, cavities, compliance, solve (paper's; ms)   residual",
        "ours (paper's)",
        "nodes",
        "coll. nodes",
        "rows",
        "steps",
        "sweeps",
        "paper ms",
        "ours ms",
        "slowest",
        "ratio",
        "to tolerance",
        "whole run"
    );
    for row in rows {
        let figure =
            |pointer: &str| row.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let both = |key: &str| {
            let paper = row[format!("paper_{key}")].as_f64();
            format!(
                "{:.0} ({})",
                figure(&format!("/{key}")),
                paper.map_or("-".into(), |p| format!("{p:.0}"))
            )
        };
        say!(
            "{:20} {:>11} {:>13} {:>15} {:>14} {:>6.1} {:>9.1} {:>9.2} {:>8.2} {:>6.1} {:>12.2} {:>9.2}  {}   {:.1e} m, {:.1e}",
            row["case"].as_str().unwrap_or_default(),
            both("nodes"),
            both("collision_nodes"),
            both("rows"),
            steps(row),
            figure("/iterations"),
            figure("/paper_ms"),
            figure("/ours_ms"),
            figure("/slowest_ms"),
            figure("/ratio"),
            figure("/to_tolerance_ms"),
            figure("/whole_run_ms"),
            phases(row),
            figure("/residual/gap_m"),
            figure("/residual/force_share"),
        );
    }
    say!(
        "steps: counted before + from the first seal, and how many of all have a cavity; of 10 ms, as the papers', if nothing is said. \
         ours, slowest: the quickest run of {}, which counts, and the slowest. to tolerance: without the limit of {SWEEPS} sweeps a solve. whole run: mean of all steps of the scene, ms",
        runs
    );
    let least = rows.iter().filter_map(|row| row["ratio"].as_f64()).fold(f64::INFINITY, f64::min);
    let verdict = |asked: f64| if least >= asked { "met" } else { "missed" };
    let asked = |asked: f64| format!(" (asked: {asked}, {})", verdict(asked));
    say!("least ratio {least:.2}{}", table.asked_ratio.map_or(String::new(), asked));
    if let Some(exponent) = exponent {
        say!("time of a step grows with rows^{exponent:.2}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::Paper;

    fn row(scene: &'static str, set: &[&str]) -> PaperRow {
        let paper = Paper {
            nodes: 1,
            collision_nodes: None,
            rows: 1.0,
            total_ms: 1.0,
            phases_ms: [0.2; 5],
        };
        let set = set.iter().map(ToString::to_string).collect();
        PaperRow { case: scene.to_string(), scene, set, paper }
    }

    fn measured(scene: &'static str, set: &[&str]) -> Result<Ours, String> {
        measure(&row(scene, set), SWEEPS)
    }

    #[test]
    fn what_is_cut_short_is_also_run_to_its_tolerance() {
        let short = "duration=0.3";
        let rows = [
            row("ground", &[short]),
            row("ground", &[short, "solver.gap_tolerance=1e-20", "solver.max_sweeps=60"]),
        ];
        let ours = quickest(&rows, 1, |_, _| ()).expect("they seal");
        let is_run_again = |ours: &Ours| ours.to_tolerance_ms.is_some();
        assert_eq!([&ours[0], &ours[1]].map(is_run_again), [false, true]);
    }

    #[test]
    fn the_steps_around_the_first_seal_are_counted() {
        // It seals after more than a second.
        let steps = measured("thesis-masses@small-100", &["bodies.cup.nodes=76"]);
        let steps = steps.expect("it seals").steps;
        assert_eq!([steps.before_seal, steps.from_seal], [BEFORE, COUNTED - BEFORE]);
        assert_eq!(steps.with_cavity, steps.from_seal, "pressed, it stays shut");
        // It seals soon, is pulled off, and does not run for long after that.
        let steps = measured("sphere", &["duration=1.45"]).expect("it seals").steps;
        assert_eq!(steps.before_seal + steps.from_seal, 145, "as many as there are");
        assert!(steps.with_cavity < steps.from_seal, "it lets go");
    }

    #[test]
    fn the_quickest_run_counts_and_the_slowest_is_told() {
        let ours = |total: f64, whole_ms: f64, sweeps: f64| Ours {
            nodes: 1,
            collision_nodes: 1,
            steps: Steps { before_seal: 1, from_seal: 1, with_cavity: 1, length: 0.01 },
            rows: 1.0,
            sweeps,
            times: PhaseTimes { total, ..PhaseTimes::default() },
            reaches_limit: false,
            slowest_ms: total,
            to_tolerance_ms: None,
            whole_ms,
            each: Vec::new(),
            residual: Residual::default().into(),
        };
        let mut best = ours(5.0, 1.0, 3.5);
        for (total, run) in [(7.0, 2.0), (4.0, 3.0), (6.0, 4.0)] {
            best.compare(ours(total, run, 3.5)).expect("the same work");
        }
        assert_eq!((best.times.total, best.whole_ms), (4.0, 3.0), "one run");
        assert_eq!(best.slowest_ms, 7.0);
        let message = best.compare(ours(4.0, 5.0, 3.6)).expect_err("other work");
        assert!(message.contains("differ"), "{message}");
    }

    #[test]
    fn a_scene_without_suction_is_refused() {
        let message = measured("falling-block", &[]).err().expect("nothing closes");
        assert!(message.contains("no cavity closes"), "{message}");
    }
}
