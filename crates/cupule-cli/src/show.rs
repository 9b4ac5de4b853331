//! A summary for people.

use std::path::Path;

use cupule_record::{Expectation, Seal, Summary};
use cupule_scene::expect::short;

/// More events than this are left to the summary.
const EVENTS_SHOWN: usize = 15;

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
    story(summary);
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

/// What happened: events, and which bodies never sealed, and why.
fn story(summary: &Summary) {
    let open: Vec<&Seal> = summary.seals.iter().filter(|s| s.bottleneck.is_some()).collect();
    if summary.events.is_empty() && open.is_empty() {
        return;
    }
    say!("\nwhat happened:");
    for event in summary.events.iter().take(EVENTS_SHOWN) {
        say!("  {:>8.3} s  {:8}{}", event.time, event.kind, event.what);
    }
    if summary.events.len() > EVENTS_SHOWN {
        say!("  ... {} more in summary.json", summary.events.len() - EVENTS_SHOWN);
    }
    for Seal { bodies: [a, b], bottleneck, .. } in open {
        let Some(gap) = bottleneck else { continue };
        let [x, y, z] = gap.at_m.map(|c| 1e3 * c);
        say!(
            "  never     sealed: {a} and {b}; pressed the hardest, at {:.3} s, the gap was {:.3} mm on {} at ({x:.1}, {y:.1}, {z:.1}) mm",
            gap.time,
            1e3 * gap.gap_m,
            gap.on,
        );
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
