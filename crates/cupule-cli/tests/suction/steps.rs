//! `ground` does not hang on the time step: P, V, n and the events are the same at 30, 10 and 1 ms.

use crate::run::{Run, run};

/// Events are left out of the comparison by this much on both sides, s.
const AROUND_EVENTS: f64 = 0.03;

fn ground(milliseconds: u32) -> Run {
    let step = format!("solver.time_step={}", f64::from(milliseconds) * 1e-3);
    run("ground", &format!("ground-{milliseconds}"), &["--set", &step])
}

/// Value of a column at a time, straight between steps; none where the cavity is not there.
fn at(run: &Run, column: &str, time: f64) -> Option<f64> {
    let (times, values) = (run.times(), run.column(column));
    let next = times.partition_point(|t| *t < time);
    let (before, after) = (next.checked_sub(1)?, next.min(times.len() - 1));
    let span = times[after] - times[before];
    let share = if span > 0.0 { (time - times[before]) / span } else { 0.0 };
    let value = values[before] + share * (values[after] - values[before]);
    value.is_finite().then_some(value)
}

/// Time-averaged relative difference of a figure of two runs, away from the events of both.
fn difference(coarse: &Run, fine: &Run, column: &str) -> f64 {
    let near_event = |run: &Run, time: f64| {
        let events = ["seal", "unseal", "vent"].iter().flat_map(|kind| run.events_of(kind));
        events.into_iter().any(|e| (e.time - time).abs() < AROUND_EVENTS)
    };
    let compared =
        coarse.times().iter().filter(|t| !near_event(coarse, **t) && !near_event(fine, **t));
    let pairs: Vec<(f64, f64)> =
        compared.filter_map(|t| at(coarse, column, *t).zip(at(fine, column, *t))).collect();
    assert!(pairs.len() > 50, "{} steps to compare", pairs.len());
    pairs.iter().map(|(a, b)| (a / b - 1.0).abs()).sum::<f64>() / pairs.len() as f64
}

fn event(run: &Run, kind: &str) -> f64 {
    run.events_of(kind).first().unwrap_or_else(|| panic!("no {kind}")).time
}

#[test]
fn results_do_not_depend_on_the_step() {
    let fine = ground(1);
    let mut gas_errors = Vec::new();
    for milliseconds in [30, 10] {
        let coarse = ground(milliseconds);
        for figure in ["pressure_pa", "volume_m3", "amount_mol"] {
            let difference = difference(&coarse, &fine, &format!("cavity.0.{figure}"));
            println!(
                "{milliseconds} ms against 1 ms: {figure} differs by {difference:.4} on average"
            );
            assert!(difference < 0.05, "{figure} at {milliseconds} ms: {difference}");
        }
        for kind in ["seal", "unseal", "detach"] {
            let (a, b) = (event(&coarse, kind), event(&fine, kind));
            println!("{milliseconds} ms against 1 ms: {kind} at {a:.3} and {b:.3} s");
            assert!(
                (a - b).abs() <= 2e-3 * f64::from(milliseconds) + 1e-9,
                "{kind}: {a} and {b} s"
            );
        }
    }
    for run in [ground(30), ground(10), fine] {
        let errors = run.column("cavity.0.gas_error");
        gas_errors.push(errors.iter().copied().filter(|e| e.is_finite()).fold(0.0, f64::max));
        assert!(run.figure("/moles/balance_error") < 1e-9);
    }
    println!("largest |P V / n R T - 1| at 30, 10, 1 ms: {gas_errors:?}");
    assert!(gas_errors.iter().all(|e| *e < 1e-3), "{gas_errors:?}");
}
