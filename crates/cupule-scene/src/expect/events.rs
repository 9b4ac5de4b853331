//! Expectations of events: which came, in which order, and what came that must not.

use serde_json::Value;

use super::{Figures, Outcome, short};
use crate::model::{Expect, ExpectedEvent};

/// More times than this are only counted.
const TIMES_TOLD: usize = 8;

/// Tests an expectation of events.
pub(super) fn evaluate(expect: &Expect, figures: &Figures<'_>) -> Outcome {
    let happened = figures.summary.get("events").and_then(Value::as_array);
    let happened = happened.map_or(&[][..], Vec::as_slice);
    let [wanted, unwanted] = [&expect.events, &expect.never].map(|e| e.as_deref().unwrap_or(&[]));
    let (came, missing) = in_order(happened, wanted);
    let missing = missing.map(|event| absence(event, came.last().copied(), happened, figures));
    let unwelcome: Vec<(&str, Vec<f64>)> = unwanted
        .iter()
        .map(|event| (event.kind.as_str(), times(happened, |c| is_event(c, event))))
        .filter(|(_, times)| !times.is_empty())
        .collect();
    let told = unwelcome.iter().map(|(kind, times)| format!("{kind} came at {}", list(times)));
    let why: Vec<String> = missing.into_iter().chain(told).collect();
    let found = match wanted {
        [] => unwelcome.iter().flat_map(|(_, times)| times.iter().copied()).collect(),
        _ => came,
    };
    Outcome {
        name: expect.name.clone(),
        ok: why.is_empty(),
        value: None,
        bound: describe(wanted, unwanted),
        found: Some(list(&found)),
        why: (!why.is_empty()).then(|| why.join("; ")),
    }
}

/// Times of the wanted events as far as they came in their order, and the first that did not.
fn in_order<'e>(
    happened: &[Value],
    wanted: &'e [ExpectedEvent],
) -> (Vec<f64>, Option<&'e ExpectedEvent>) {
    let (mut rest, mut came) = (happened.iter(), Vec::new());
    for event in wanted {
        match rest.find(|candidate| is_event(candidate, event)) {
            Some(candidate) => came.push(time_of(candidate)),
            None => return (came, Some(event)),
        }
    }
    (came, None)
}

/// Why an event is missing: when it was due, when others of its kind came instead, and whether the run was over before.
fn absence(
    event: &ExpectedEvent,
    previous: Option<f64>,
    happened: &[Value],
    figures: &Figures<'_>,
) -> String {
    let previous = previous.filter(|t| event.before.is_none_or(|before| *t < before));
    let after = previous.into_iter().chain(event.after).reduce(f64::max);
    let mut text = format!("no {}", phrase(&event.kind, after, event.before));
    let same = |candidate: &Value| text_of(candidate, "kind") == Some(event.kind.as_str());
    let others = times(happened, same);
    if !others.is_empty() {
        let words =
            event.what.as_ref().filter(|_| !happened.iter().any(|c| same(c) && says(c, event)));
        text += &words.map_or(String::new(), |words| format!(" with the words `{words}`"));
        text += &format!(" (it came at {})", list(&others));
    }
    let due = event.before.or(event.after);
    if let Some(end) = figures.times.last().filter(|end| due.is_some_and(|due| **end < due)) {
        text += &format!("; the run ends at {} s", short(*end));
    }
    text
}

/// What is expected in one line: `seal before 0.3 s, then 2 x unseal; no drop before 0.7 s`.
fn describe(wanted: &[ExpectedEvent], unwanted: &[ExpectedEvent]) -> String {
    let phrases = |events: &[ExpectedEvent]| -> Vec<String> {
        events.iter().map(|e| phrase(&e.kind, e.after, e.before)).collect()
    };
    let wanted = phrases(wanted);
    let repeated = wanted.chunk_by(|a, b| a == b).map(|same| match same.len() {
        1 => same[0].clone(),
        count => format!("{count} x {}", same[0]),
    });
    let order = repeated.collect::<Vec<_>>().join(", then ");
    let never: Vec<String> = phrases(unwanted).iter().map(|event| format!("no {event}")).collect();
    let parts = [order, never.join(", ")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn phrase(kind: &str, after: Option<f64>, before: Option<f64>) -> String {
    match (after.map(short), before.map(short)) {
        (None, None) => kind.to_string(),
        (Some(after), None) => format!("{kind} after {after} s"),
        (None, Some(before)) => format!("{kind} before {before} s"),
        (Some(after), Some(before)) => format!("{kind} at {after} to {before} s"),
    }
}

/// `0.110, 1.230 s`.
fn list(times: &[f64]) -> String {
    let told: Vec<String> = times.iter().take(TIMES_TOLD).map(|t| format!("{t:.3}")).collect();
    match times.len() {
        0 => "none".to_string(),
        count if count > TIMES_TOLD => {
            format!("{} s and {} more", told.join(", "), count - TIMES_TOLD)
        }
        _ => format!("{} s", told.join(", ")),
    }
}

fn times(happened: &[Value], which: impl Fn(&Value) -> bool) -> Vec<f64> {
    happened.iter().filter(|candidate| which(candidate)).map(time_of).collect()
}

fn time_of(candidate: &Value) -> f64 {
    candidate.get("time").and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn text_of<'v>(candidate: &'v Value, key: &str) -> Option<&'v str> {
    candidate.get(key).and_then(Value::as_str)
}

/// Whether an event has the words that are wanted.
fn says(candidate: &Value, wanted: &ExpectedEvent) -> bool {
    let what = text_of(candidate, "what");
    wanted.what.as_deref().is_none_or(|words| what.is_some_and(|text| text.contains(words)))
}

fn is_event(candidate: &Value, wanted: &ExpectedEvent) -> bool {
    let time = time_of(candidate);
    text_of(candidate, "kind") == Some(wanted.kind.as_str())
        && says(candidate, wanted)
        && wanted.after.is_none_or(|after| time >= after)
        && wanted.before.is_none_or(|before| time <= before)
}
