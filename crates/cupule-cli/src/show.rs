//! A summary for people.

use std::path::Path;

use cupule_record::{Expectation, Seal, Summary};
use cupule_session::scene::expect::short;

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
    if !summary.title.is_empty() {
        say!("{}", summary.title);
    }
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

/// Figures and times up to this length stand below each other; longer ones, of many events, only move the rest of their own line.
const FIGURE_WIDTH: usize = 21;

/// One line per expectation, in columns.
pub fn expectations(list: &[Expectation]) {
    lines(list).iter().for_each(|line| say!("  {line}"));
}

fn lines(list: &[Expectation]) -> Vec<String> {
    let rows: Vec<[String; 4]> = list.iter().map(row).collect();
    let width = |column: usize, most: usize| {
        let lengths = rows.iter().map(|row| row[column].chars().count());
        lengths.filter(|length| *length <= most).max().unwrap_or(0)
    };
    let (name, value) = (width(1, usize::MAX), width(2, FIGURE_WIDTH));
    let line = |[verdict, what, figure, bound]: &[String; 4]| {
        format!("{verdict}  {what:name$}  {figure:>value$}  expected {bound}")
    };
    rows.iter().map(line).collect()
}

fn row(expectation: &Expectation) -> [String; 4] {
    let Expectation { name, ok, value, bound, found, why } = expectation;
    let verdict = if *ok { "PASS" } else { "FAIL" };
    let figure = value.map(short).or_else(|| found.clone()).unwrap_or("-".to_string());
    let why = why.as_ref().map_or(String::new(), |why| format!(": {why}"));
    [verdict.to_string(), name.clone(), figure, format!("{bound}{why}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expectation(value: Option<f64>, found: Option<&str>, why: Option<&str>) -> Expectation {
        let [found, why] = [found, why].map(|text| text.map(String::from));
        let (name, bound) = ("name".to_string(), "bound".to_string());
        Expectation { name, ok: why.is_none(), value, bound, found, why }
    }

    #[test]
    fn figures_stand_below_each_other_and_many_times_move_only_their_own_line() {
        let many = "0.100, 0.200, 0.300, 0.400 s";
        let list = [
            expectation(Some(0.25), None, None),
            expectation(None, Some("0.110, 1.230 s"), None),
            expectation(None, Some(many), None),
            expectation(None, None, Some("it was too short")),
        ];
        assert_eq!(
            lines(&list),
            [
                "PASS  name            0.25  expected bound",
                "PASS  name  0.110, 1.230 s  expected bound",
                "PASS  name  0.100, 0.200, 0.300, 0.400 s  expected bound",
                "FAIL  name               -  expected bound: it was too short",
            ]
        );
    }
}
