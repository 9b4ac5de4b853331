//! `cupule bench`: how fast it is on this machine, next to what was asked for or published; and tables of forces.

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

use crate::Status;
use crate::arguments::{BenchName, BenchOptions};
use cases::Case;
use measure::Measurement;

/// Measures and prints a table.
pub fn bench(options: &BenchOptions) -> Status {
    let result = match options.name {
        BenchName::Contact => contact(options.json),
        BenchName::Fig9 => fig9::fig9(options.json),
        BenchName::Sweeps => sweeps::sweeps(options.json),
        BenchName::Patches => patches::patches(options.json),
        BenchName::PullOff => pull_off::bench(options.json),
        BenchName::CrossCheck => cross_check::cross_check(options.json),
        BenchName::Table1 => table::table(&papers::table1(), options),
        BenchName::Table2 => table::table(&papers::table2(), options),
        BenchName::Table3 => table3::table3(options.json),
        BenchName::Thesis42 => table::table(&papers::thesis_4_2(), options),
        BenchName::Thesis43 => table::table(&papers::thesis_4_3(), options),
        BenchName::Teddy => teddy::teddy(options.json),
    };
    match result {
        Ok(()) => Status::Done,
        Err(message) => {
            tell!("error: {message}");
            Status::Failed
        }
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
