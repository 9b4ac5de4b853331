//! Tests the `expect` blocks of a scene on the figures of a run.

use cupule::report::{CAVITY_FIGURES, EVENT_KINDS, worse};
use serde_json::Value;

use crate::formula::Formula;
use crate::model::{Amount, Expect, ExpectedEvent, Reduce};
use crate::nearest::suggestion;

/// The figures of a run, as formulas see them.
pub struct Figures<'a> {
    /// Times of the steps, s.
    pub times: &'a [f64],
    /// A column of the series by its name.
    pub column: &'a dyn Fn(&str) -> Option<&'a [f64]>,
    /// The summary; names that begin with `summary.`.
    pub summary: &'a Value,
    /// The scene as run; names that begin with `scene.`.
    pub scene: &'a Value,
}

/// How an expectation came out.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// What was expected, in words.
    pub name: String,
    /// Whether it holds.
    pub ok: bool,
    /// The figure; none when events were expected or the figure is not a number.
    pub value: Option<f64>,
    /// What it had to be.
    pub bound: String,
}

/// Column names of the series that `expect` blocks use but the run will not write.
///
/// Keys of `summary.` are only known at the end; keys of `scene.` are looked up in `scene`.
pub fn unknown_names(expect: &Expect, columns: &[String], scene: &Value) -> Vec<String> {
    let known: Vec<&str> = columns.iter().map(String::as_str).collect();
    let formulas = [expect.value.as_ref().map(|text| Formula::parse(text))]
        .into_iter()
        .chain(bounds(expect).map(|amount| amount.map(parse_amount)))
        .flatten()
        .flatten();
    let mut problems = Vec::new();
    for name in formulas.flat_map(|f| f.names().into_iter().map(str::to_string).collect::<Vec<_>>())
    {
        let found = match name.split_once('.') {
            Some(("summary", _)) => true,
            Some(("scene", path)) => find_number(scene, path).is_some(),
            // Cavities are numbered as they appear.
            Some(("cavity", rest)) => scene.get("gas").is_some() && is_cavity_figure(rest),
            _ => known.contains(&name.as_str()),
        };
        if !found {
            problems.push(format!(
                "`{name}` is not a figure of this run{}",
                near_column(&name, &known)
            ));
        }
    }
    problems
}

fn is_cavity_figure(name: &str) -> bool {
    let Some((number, figure)) = name.split_once('.') else { return false };
    number.parse::<u32>().is_ok() && CAVITY_FIGURES.contains(&figure)
}

fn near_column(name: &str, known: &[&str]) -> String {
    if name.starts_with("scene.") { String::new() } else { suggestion(name, known) }
}

fn bounds(expect: &Expect) -> [Option<&Amount>; 4] {
    [expect.min.as_ref(), expect.max.as_ref(), expect.near.as_ref(), expect.tolerance.as_ref()]
}

fn parse_amount(amount: &Amount) -> Result<Formula, String> {
    match amount {
        Amount::Number(number) => Ok(Formula::Number(*number)),
        Amount::Formula(text) => Formula::parse(text),
    }
}

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
    for (key, amount) in ["min", "max", "near", "tolerance"].into_iter().zip(bounds(expect)) {
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
    let unknown = events.iter().find(|e| !EVENT_KINDS.contains(&e.kind.as_str()));
    if let Some(ExpectedEvent { kind, .. }) = unknown {
        let known = EVENT_KINDS.join(", ");
        let near = suggestion(kind, &EVENT_KINDS);
        return Some(format!("`{kind}` is not a kind of event; expected one of: {known}{near}"));
    }
    let never = |e: &&ExpectedEvent| matches!((e.after, e.before), (Some(a), Some(b)) if a > b);
    let event = events.iter().find(never)?;
    Some(format!("nothing happens after {:?} s and before {:?} s", event.after?, event.before?))
}

/// Tests one expectation.
pub fn evaluate(expect: &Expect, figures: &Figures<'_>) -> Outcome {
    match &expect.value {
        Some(_) => evaluate_value(expect, figures),
        None => evaluate_events(expect, figures.summary),
    }
}

fn evaluate_value(expect: &Expect, figures: &Figures<'_>) -> Outcome {
    let value = expect.value.as_deref().unwrap_or("");
    let samples =
        Formula::parse(value).map_or(Vec::new(), |formula| samples(&formula, expect, figures));
    let value = reduce(expect, &samples);
    let scalar = |amount: &Option<Amount>| {
        amount
            .as_ref()
            .map(|a| parse_amount(a).map_or(f64::NAN, |f| f.evaluate(&|name| figures.scalar(name))))
    };
    let (mut low, mut high) = (scalar(&expect.min), scalar(&expect.max));
    let mut bound = describe_bound(low, high);
    if let Some(near) = scalar(&expect.near) {
        let relative = expect.relative_tolerance.map(|r| r * near.abs());
        let tolerance = relative.into_iter().chain(scalar(&expect.tolerance)).fold(0.0, worse);
        let (from, to) = (near - tolerance, near + tolerance);
        low = Some(low.map_or(from, |l| worse(l, from)));
        high = Some(high.map_or(to, |h| -worse(-h, -to)));
        bound = format!("{} +- {}", short(near), short(tolerance));
    }
    let ok = value.is_finite() && low.is_none_or(|l| value >= l) && high.is_none_or(|h| value <= h);
    Outcome { name: expect.name.clone(), ok, value: value.is_finite().then_some(value), bound }
}

impl<'a> Figures<'a> {
    fn scalar(&self, name: &str) -> Option<f64> {
        match name.split_once('.')? {
            ("summary", path) => find_number(self.summary, path),
            ("scene", path) => find_number(self.scene, path),
            _ => None,
        }
    }
}

fn find_number(root: &Value, path: &str) -> Option<f64> {
    let found = path.split('.').try_fold(root, |node, segment| match node {
        Value::Array(list) => list.get(segment.parse::<usize>().ok()?),
        other => other.get(segment),
    })?;
    found.as_f64().or_else(|| found.as_bool().map(|truth| if truth { 1.0 } else { 0.0 }))
}

/// Times and values of the steps that count: those of the span, or the first one not before the time.
fn samples(formula: &Formula, expect: &Expect, figures: &Figures<'_>) -> Vec<(f64, f64)> {
    let names = formula.names();
    let columns: Vec<(&str, Option<&[f64]>)> =
        names.iter().map(|name| (*name, (figures.column)(name))).collect();
    let at_row = |row: usize| {
        formula.evaluate(&|name| match columns.iter().find(|(known, _)| *known == name) {
            Some((_, Some(column))) => column.get(row).copied(),
            _ => figures.scalar(name),
        })
    };
    rows(expect, figures.times).map(|row| (figures.times[row], at_row(row))).collect()
}

fn rows(expect: &Expect, times: &[f64]) -> std::ops::Range<usize> {
    let Some(last) = times.len().checked_sub(1) else { return 0..0 };
    // Times are sums of steps: a millionth of a second keeps rounding from dropping the edge of a span.
    let slack = 1e-6;
    match (expect.over, expect.at) {
        (Some([start, end]), _) => {
            // A run that ended before the span did has no value there; half a step is what a duration is rounded by.
            let step = times[last] / times.len() as f64;
            if end > times[last] + 0.5 * step + slack {
                return 0..0;
            }
            times.partition_point(|t| *t < start - slack)
                ..times.partition_point(|t| *t <= end + slack)
        }
        (None, Some(at)) => {
            let row = times.partition_point(|t| *t < at - slack);
            // A run that never reached the time has no value there.
            if row > last { 0..0 } else { row..row + 1 }
        }
        (None, None) => last..last + 1,
    }
}

fn reduce(expect: &Expect, samples: &[(f64, f64)]) -> f64 {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return f64::NAN };
    if samples.iter().any(|(_, value)| value.is_nan()) {
        return f64::NAN;
    }
    let values = || samples.iter().map(|(_, value)| *value);
    let (least, most) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    match expect.reduce.unwrap_or(Reduce::Mean) {
        Reduce::Min => least,
        Reduce::Max => most,
        Reduce::Mean => values().sum::<f64>() / samples.len() as f64,
        Reduce::Last => last.1,
        Reduce::Drift => last.1 - first.1,
        Reduce::Range => most - least,
        Reduce::Jump => (samples.windows(2).map(|w| (w[1].1 - w[0].1).abs())).fold(0.0, f64::max),
        Reduce::Slope if samples.len() >= 2 => fit(samples).0,
        Reduce::Acceleration if samples.len() >= 3 => fit(samples).1,
        // A line needs two points, a parabola three.
        Reduce::Slope | Reduce::Acceleration => f64::NAN,
    }
}

/// Slope of the least-squares line, and second derivative of the least-squares parabola.
///
/// Fitted with polynomials orthogonal on the samples: p1 = s, p2 = s^2 - a s - b, with s the centred time.
fn fit(samples: &[(f64, f64)]) -> (f64, f64) {
    let count = samples.len() as f64;
    let centre = samples.iter().map(|(t, _)| t).sum::<f64>() / count;
    let moment = |power: i32| samples.iter().map(|(t, _)| (t - centre).powi(power)).sum::<f64>();
    let against =
        |p: &dyn Fn(f64) -> f64| samples.iter().map(|(t, v)| p(t - centre) * v).sum::<f64>();
    let norm =
        |p: &dyn Fn(f64) -> f64| samples.iter().map(|(t, _)| p(t - centre).powi(2)).sum::<f64>();
    let (a, b) = (moment(3) / moment(2), moment(2) / count);
    let parabola = move |s: f64| s * s - a * s - b;
    (against(&|s| s) / moment(2), 2.0 * against(&parabola) / norm(&parabola))
}

fn describe_bound(low: Option<f64>, high: Option<f64>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{} to {}", short(low), short(high)),
        (Some(low), None) => format!(">= {}", short(low)),
        (None, Some(high)) => format!("<= {}", short(high)),
        (None, None) => String::new(),
    }
}

/// Six significant digits, in plain notation where that is short.
pub fn short(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (5 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{number:.decimals$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            text
        }
    } else {
        format!("{number:.4e}")
    }
}

fn evaluate_events(expect: &Expect, summary: &Value) -> Outcome {
    let happened = summary.get("events").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let [wanted, unwanted] = [&expect.events, &expect.never].map(|e| e.as_deref().unwrap_or(&[]));
    let mut rest = happened.iter();
    let all = wanted.iter().all(|event| rest.any(|candidate| is_event(candidate, event)));
    let none = !unwanted.iter().any(|event| happened.iter().any(|c| is_event(c, event)));
    let kinds = |events: &[ExpectedEvent], join: &str| {
        events.iter().map(|e| e.kind.as_str()).collect::<Vec<_>>().join(join)
    };
    let bound = match (kinds(wanted, ", then "), kinds(unwanted, " or ")) {
        (order, never) if never.is_empty() => order,
        (order, never) if order.is_empty() => format!("no {never}"),
        (order, never) => format!("{order}; no {never}"),
    };
    Outcome { name: expect.name.clone(), ok: all && none, value: None, bound }
}

fn is_event(candidate: &Value, wanted: &ExpectedEvent) -> bool {
    let text = |key: &str| candidate.get(key).and_then(Value::as_str);
    let time = candidate.get("time").and_then(Value::as_f64).unwrap_or(f64::NAN);
    text("kind") == Some(wanted.kind.as_str())
        && wanted
            .what
            .as_deref()
            .is_none_or(|what| text("what").is_some_and(|text| text.contains(what)))
        && wanted.after.is_none_or(|after| time >= after)
        && wanted.before.is_none_or(|before| time <= before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcome(block: &str) -> Outcome {
        // z = 3 + 2 t + 5 t^2 in steps of 0.1 s.
        let times: Vec<f64> = (1..=20).map(|i| f64::from(i) * 0.1).collect();
        let z: Vec<f64> = times.iter().map(|t| 3.0 + 2.0 * t + 5.0 * t * t).collect();
        let summary = json!({ "residual": { "gap_m": 1e-8 }, "events": [
            { "time": 0.5, "kind": "seal", "what": "cup" }, { "time": 1.0, "kind": "lift", "what": "cup" } ] });
        let scene = json!({ "gravity": [0.0, 0.0, -9.81] });
        let column = |name: &str| match name {
            "body.a.z_m" => Some(z.as_slice()),
            "time_s" => Some(times.as_slice()),
            _ => None,
        };
        let expect: Expect = toml::from_str(&format!("name = 'n'\n{block}")).unwrap();
        assert_eq!(check(&expect), []);
        evaluate(
            &expect,
            &Figures { times: &times, column: &column, summary: &summary, scene: &scene },
        )
    }

    fn value(block: &str) -> f64 {
        outcome(block).value.unwrap()
    }

    #[test]
    fn spans_reduce_to_the_expected_numbers() {
        let near =
            |block: &str, expected: f64| assert!((value(block) - expected).abs() < 1e-9, "{block}");
        near("value = 'body.a.z_m'\nmin = 0", 27.0);
        near("value = 'body.a.z_m'\nat = 1.0\nmin = 0", 10.0);
        for (reduce, expected) in [
            ("min", 10.0),
            ("max", 27.0),
            ("last", 27.0),
            ("drift", 17.0),
            ("range", 17.0),
            ("slope", 17.0),
            ("acceleration", 10.0),
        ] {
            near(
                &format!("value = 'body.a.z_m'\nover = [1.0, 2.0]\nreduce = '{reduce}'\nmin = 0"),
                expected,
            );
        }
        near("value = 'body.a.z_m - 5*time_s^2'\nover = [0.5, 2]\nreduce = 'slope'\nmin = 0", 2.0);
    }

    #[test]
    fn bounds_decide() {
        assert!(outcome("value = 'body.a.z_m'\nmin = 26.9\nmax = 27.1").ok);
        assert!(!outcome("value = 'body.a.z_m'\nmax = 26.9").ok);
        assert!(
            outcome(
                "value = 'body.a.z_m'\nnear = '27*scene.gravity.2/-9.81'\nrelative_tolerance = 1e-9"
            )
            .ok
        );
        assert!(!outcome("value = 'body.a.z_m'\nnear = 26\ntolerance = 0.5").ok);
        assert!(outcome("value = 'summary.residual.gap_m'\nmax = 1e-6").ok);
        assert!(
            !outcome("value = 'summary.missing'\nmax = 1e-6").ok,
            "an unknown figure never passes"
        );
        assert!(
            !outcome("value = 'body.a.z_m'\nat = 5.0\nmin = 0").ok,
            "a time after the end never passes"
        );
        for bound in [
            "near = 'summary.missing'\ntolerance = 1",
            "near = 27\nrelative_tolerance = 0.1\ntolerance = 'summary.missing'",
        ] {
            let block = format!("value = 'body.a.z_m'\n{bound}\nmin = 0\nmax = 100");
            assert!(!outcome(&block).ok, "an unknown bound never lets pass: {block}");
        }
    }

    #[test]
    fn events_must_come_in_order() {
        assert!(
            outcome("events = [{ kind = 'seal' }, { kind = 'lift', what = 'cup', before = 1.5 }]")
                .ok
        );
        assert!(!outcome("events = [{ kind = 'lift' }, { kind = 'seal' }]").ok);
        assert!(!outcome("events = [{ kind = 'lift', after = 1.5 }]").ok);
    }

    #[test]
    fn unwanted_events_are_noticed() {
        assert!(outcome("never = [{ kind = 'drop' }, { kind = 'lift', before = 0.9 }]").ok);
        assert!(!outcome("never = [{ kind = 'drop' }, { kind = 'lift' }]").ok);
        let both =
            outcome("events = [{ kind = 'seal' }]\nnever = [{ kind = 'lift', after = 0.9 }]");
        assert_eq!((both.ok, both.bound.as_str()), (false, "seal; no lift"));
    }

    #[test]
    fn unknown_columns_are_named_with_the_nearest() {
        let expect: Expect =
            toml::from_str("name = 'n'\nvalue = 'body.a.y_m - scene.x'\nmin = 0").unwrap();
        let problems = unknown_names(&expect, &["body.a.z_m".to_string()], &json!({}));
        assert!(problems[0].contains("body.a.z_m"), "{problems:?}");
        assert!(problems[1].contains("scene.x"), "{problems:?}");
    }
}
