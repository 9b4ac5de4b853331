//! A summary for people.

use std::path::Path;

use cupule_record::{Expectation, Summary};
use cupule_scene::expect::short;

/// Prints the outcome of a run.
pub fn summary(summary: &Summary, folder: Option<&Path>) {
    say!(
        "{}: {} steps of {} s: {} s simulated in {:.2} s, {:.2} x real time ({}, {} threads)",
        summary.scene,
        summary.steps,
        short(summary.dt),
        short(summary.sim_time),
        summary.wall_time,
        summary.real_time_factor,
        summary.solver,
        summary.threads,
    );
    if let Some(failure) = &summary.failure {
        say!("FAILED {}", failure.message);
    }
    if summary.interrupted {
        say!("stopped by hand; the figures are those up to then");
    }
    phases(summary);
    say!(
        "contacts {:.0} (at most {}), rows {:.0} (at most {}), sweeps {:.0} (at most {})",
        summary.contacts.mean,
        summary.contacts.max,
        summary.rows.mean,
        summary.rows.max,
        summary.iterations.mean,
        summary.iterations.max,
    );
    say!(
        "largest residual {:.1e} m and {:.1e} N, deepest penetration {:.1e} m",
        summary.residual.gap_m,
        summary.residual.force_n,
        summary.max_penetration_m
    );
    if !summary.expect.is_empty() {
        say!("\nexpected:");
        expectations(&summary.expect);
    }
    if let Some(folder) = folder {
        say!(
            "\nfiles: {} (report.html, summary.json, series.csv, frames.bin, scene.toml)",
            folder.display()
        );
        say!("to see it: cupule view {}", folder.display());
    }
}

fn phases(summary: &Summary) {
    let p = &summary.phases_ms;
    let parts = [
        ("free motion", p.free_motion),
        ("collision", p.collision),
        ("cavities", p.cavities),
        ("compliance", p.compliance),
        ("solve", p.solve),
        ("other", p.other),
    ];
    let parts =
        parts.iter().filter(|(_, ms)| *ms > 0.0).map(|(name, ms)| format!("{name} {ms:.3}"));
    let parts: Vec<String> = parts.collect();
    say!("{:.3} ms a step: {}", p.total, parts.join(", "));
}

/// One line per expectation, in columns.
pub fn expectations(list: &[Expectation]) {
    let rows: Vec<[String; 4]> = list.iter().map(row).collect();
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name, value) = (width(1), width(2));
    for [verdict, what, figure, bound] in &rows {
        say!("  {verdict}  {what:name$}  {figure:>value$}  expected {bound}");
    }
}

fn row(expectation: &Expectation) -> [String; 4] {
    let verdict = if expectation.ok { "PASS" } else { "FAIL" };
    let value = expectation.value.map_or("-".to_string(), short);
    [verdict.to_string(), expectation.name.clone(), value, expectation.bound.clone()]
}
