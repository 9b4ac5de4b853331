//! Whether an expectation can be meant, before any run.

use cupule::event::EventKind;

use super::{BOUNDS, bounds, parse_amount};
use crate::formula::Formula;
use crate::model::{Amount, Expect, ExpectedEvent};
use crate::nearest::suggestion;

/// What is wrong with an expectation before any run: nothing to compare, formulas that do not parse.
pub(crate) fn check(expect: &Expect) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let about_events = expect.events.is_some() || expect.never.is_some();
    match &expect.value {
        None if !about_events => {
            problems.push(("", "`value` (a formula), `events` or `never` is missing".to_string()))
        }
        None => {}
        Some(_) if about_events => {
            let message = "expected either `value` or events, found both";
            problems.push(("value", message.to_string()))
        }
        Some(value) => {
            problems.extend(Formula::parse(value).err().map(|message| ("value", message)));
            if bounds(expect).iter().take(3).all(Option::is_none) {
                problems.push(("", "`min`, `max` or `near` is missing".to_string()));
            }
        }
    }
    for (key, events) in [("events", &expect.events), ("never", &expect.never)] {
        problems.extend(check_events(events.as_deref()).map(|message| (key, message)));
    }
    if let (Some(Amount::Number(low)), Some(Amount::Number(high))) = (&expect.min, &expect.max)
        && low > high
    {
        problems.push(("min", format!("nothing is at least {low} and at most {high}")));
    }
    if matches!(expect.tolerance, Some(Amount::Number(t)) if t < 0.0)
        || expect.relative_tolerance.is_some_and(|t| t < 0.0)
    {
        problems.push(("tolerance", "a tolerance is not below 0".to_string()));
    }
    if expect.near.is_some() == (expect.tolerance.is_none() && expect.relative_tolerance.is_none())
    {
        problems.push((
            "near",
            "`near` needs `tolerance` or `relative_tolerance`, and they need `near`".to_string(),
        ));
    }
    for (key, amount) in BOUNDS.into_iter().zip(bounds(expect)) {
        problems.extend(amount.and_then(|a| parse_amount(a).err()).map(|message| (key, message)));
    }
    if expect.at.is_some() && expect.over.is_some() {
        problems.push(("at", "expected either `at` or `over`, found both".to_string()));
    }
    if expect.over.is_some_and(|[start, end]| start >= end) {
        problems.push(("over", "the span must begin before it ends".to_string()));
    }
    if expect.reduce.is_some() && expect.over.is_none() {
        problems.push(("reduce", "`reduce` needs the span `over = [from, to]`".to_string()));
    }
    problems
}

/// What is wrong with a list of events: none, unknown kinds, times in which nothing can happen.
fn check_events(events: Option<&[ExpectedEvent]>) -> Option<String> {
    let events = events?;
    if events.is_empty() {
        return Some("no event is listed".to_string());
    }
    let words = EventKind::ALL.map(EventKind::name);
    let unknown = events.iter().find(|e| !words.contains(&e.kind.as_str()));
    if let Some(ExpectedEvent { kind, .. }) = unknown {
        let known = words.join(", ");
        let near = suggestion(kind, &words);
        return Some(format!("`{kind}` is not a kind of event; expected one of: {known}{near}"));
    }
    let never = |e: &&ExpectedEvent| matches!((e.after, e.before), (Some(a), Some(b)) if a > b);
    let event = events.iter().find(never)?;
    Some(format!("nothing happens after {:?} s and before {:?} s", event.after?, event.before?))
}
