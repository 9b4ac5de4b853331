//! Measurements behind `cupule bench`: how fast it is on this machine, next to what was asked for or published; and tables of forces.

/// Prints a line to standard output. A reader that has gone away (`cupule bench contact | head`) is not an error.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($part)*);
    }};
}

/// Prints a line to standard error; a reader that has gone away is not an error either.
macro_rules! tell {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

mod axis;
mod cases;
mod chart;
mod cross_check;
mod fig9;
mod leave;
mod measure;
mod page;
mod papers;
mod patches;
mod pull_off;
mod sweeps;
mod table;
mod table3;
mod teddy;

use serde_json::{Value, json};

use cases::Case;
use clap::ValueEnum;
use measure::Measurement;

/// Tables of measurements.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Table {
    /// One soft body on the ground, a cantilever, and the squeeze scene; about ten seconds.
    Contact,
    /// A cup pushed on the ground and pulled off, over meshes and time steps; about 20 minutes, writes fig9.html and .svg.
    Fig9,
    /// Sweeps a step needs with and without condensed pressures and Newton's method; about ten seconds.
    Sweeps,
    /// Near contacts solved as one: what that saves and loses, over the size of patches; about two minutes.
    Patches,
    /// At which force a cup comes off: over press depth, sealing distance, ring, friction and mesh; about three minutes.
    PullOff,
    /// Both solvers on the same suction scenes: events, lowest pressure, largest pull; about five minutes.
    CrossCheck,
    /// Times of the scenarios next to the paper's, 150 steps around the suction; about 30 seconds, writes table1.html and .svg.
    Table1,
    /// The same with finer and finer collision meshes; about 30 seconds, writes table2.html and .svg.
    Table2,
    /// At which force a cup comes off pipes of four radii, next to what was measured; about ten minutes, writes table3.html and .svg.
    Table3,
    /// Times of the thesis' scenarios; about 45 seconds, writes thesis-4.2.html and .svg.
    #[value(name = "thesis-4.2")]
    Thesis42,
    /// Times of the thesis' cup with meshes of twelve sizes; about 30 seconds, writes thesis-4.3.html and .svg.
    #[value(name = "thesis-4.3")]
    Thesis43,
    /// A teddy on cages of three sizes, over time steps: error, wall-clock, real-time factor; about ten minutes, writes teddy.svg.
    Teddy,
}

/// How a table is measured.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How often each row of table1, table2, thesis-4.2 and thesis-4.3 is measured; its quickest run counts.
    pub runs: u16,
    /// Whether the table is printed as JSON.
    pub json: bool,
}

/// Measures and prints a table.
///
/// # Errors
/// Where a run fails, with its message.
pub fn bench(name: Table, options: &Options) -> Result<(), String> {
    match name {
        Table::Contact => contact(options.json),
        Table::Fig9 => fig9::fig9(options.json),
        Table::Sweeps => sweeps::sweeps(options.json),
        Table::Patches => patches::patches(options.json),
        Table::PullOff => pull_off::bench(options.json),
        Table::CrossCheck => cross_check::cross_check(options.json),
        Table::Table1 => table::table(&papers::table1(), options),
        Table::Table2 => table::table(&papers::table2(), options),
        Table::Table3 => table3::table3(options.json),
        Table::Thesis42 => table::table(&papers::thesis_4_2(), options),
        Table::Thesis43 => table::table(&papers::thesis_4_3(), options),
        Table::Teddy => teddy::teddy(options.json),
    }
}

fn contact(as_json: bool) -> Result<(), String> {
    let mut rows = Vec::new();
    for case in cases::contact() {
        if !as_json {
            tell!("measuring: {}", case.name);
        }
        match measure::measure(&case) {
            Ok(measurement) => rows.push((case, measurement)),
            Err(message) => return Err(format!("{}: {message}", case.name)),
        }
    }
    let exponents = exponents(&rows);
    if as_json {
        let rows: Vec<Value> = rows.iter().map(|(case, m)| row_json(case, m)).collect();
        say!("{:#}", json!({ "name": "contact", "rows": rows, "exponents": exponents }));
    } else {
        print(&rows, &exponents);
    }
    Ok(())
}

fn row_json(case: &Case, m: &Measurement) -> Value {
    json!({
        "case": case.name, "paper_ms": null, "bound_ms": case.bound_ms, "ours_ms": m.milliseconds, "ratio": null,
        "headroom": case.bound_ms.map(|bound| bound / m.milliseconds), "phases_ms": m.phases_ms, "nodes": m.nodes,
        "rows": m.rows, "iterations": m.iterations, "residual": m.residual, "unit": case.unit.name(),
    })
}

/// How the time of a step grows: slopes in log-log between pairs of cases that differ in one size.
fn exponents(rows: &[(Case, Measurement)]) -> Value {
    let slope = |group: &str, size: fn(&Measurement) -> f64| {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|(case, _)| case.groups.contains(&group))
            .map(|(_, m)| (size(m).ln(), m.milliseconds.ln()))
            .collect();
        log_slope(&points)
    };
    json!({ "rows": slope("rows", |m| m.rows), "nodes": slope("nodes", |m| m.nodes as f64) })
}

/// Slope of the least-squares line; none where the sizes do not differ.
fn log_slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    (spread > 0.0).then(|| points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread)
}

fn print(rows: &[(Case, Measurement)], exponents: &Value) {
    say!(
        "{:42} {:>6} {:>5} {:>6} {:>9} {:>9}  free motion, collision, compliance, solve, other (ms)",
        "case",
        "nodes",
        "rows",
        "sweeps",
        "ours",
        "asked"
    );
    for (case, m) in rows {
        let asked = case.bound_ms.map_or("-".to_string(), |bound| format!("{bound:.1}"));
        let p = &m.phases_ms;
        say!(
            "{:42} {:>6} {:>5.0} {:>6.0} {:>9.2} {:>9}  {:.2}, {:.2}, {:.2}, {:.2}, {:.2}",
            case.name,
            m.nodes,
            m.rows,
            m.iterations,
            m.milliseconds,
            asked,
            p.free_motion,
            p.collision,
            p.compliance,
            p.solve,
            p.other
        );
    }
    say!(
        "ours and asked: ms a step (median), or ms of CPU per simulated second where the case says so"
    );
    let show = |key: &str| exponents[key].as_f64().map_or("-".to_string(), |e| format!("{e:.2}"));
    say!(
        "growth of the time of a step: rows^{} at equal nodes, nodes^{} at about equal rows",
        show("rows"),
        show("nodes")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_shows_its_exponent() {
        let points: Vec<(f64, f64)> =
            [1.0_f64, 2.0, 5.0].iter().map(|n| (n.ln(), (3.0 * n.powf(1.5)).ln())).collect();
        assert!((log_slope(&points).unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(log_slope(&points[..1]), None);
    }
}
