//! Tests the `expect` blocks of a scene on the figures of a run.

mod check;
mod events;
mod measure;
mod reduce;

use cupule::report::{CavityReport, worse};
use serde_json::Value;

pub(crate) use check::check;
use measure::measure;

use crate::formula::Formula;
use crate::model::{Amount, Expect};
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
    /// When the expected events came, in words; none when a figure was expected.
    pub found: Option<String>,
    /// Why there is no figure, why its bound has none, or which events are missing or came that must not.
    pub why: Option<String>,
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
    number.parse::<u32>().is_ok() && CavityReport::VALUES.iter().any(|(known, _)| *known == figure)
}

fn near_column(name: &str, known: &[&str]) -> String {
    if name.starts_with("scene.") { String::new() } else { suggestion(name, known) }
}

/// Keys of the bounds that may be formulas.
const BOUNDS: [&str; 4] = ["min", "max", "near", "tolerance"];

fn bounds(expect: &Expect) -> [Option<&Amount>; 4] {
    [expect.min.as_ref(), expect.max.as_ref(), expect.near.as_ref(), expect.tolerance.as_ref()]
}

fn parse_amount(amount: &Amount) -> Result<Formula, String> {
    match amount {
        Amount::Number(number) => Ok(Formula::Number(*number)),
        Amount::Formula(text) => Formula::parse(text),
    }
}

/// Tests one expectation.
pub fn evaluate(expect: &Expect, figures: &Figures<'_>) -> Outcome {
    match &expect.value {
        Some(_) => evaluate_value(expect, figures),
        None => events::evaluate(expect, figures),
    }
}

fn evaluate_value(expect: &Expect, figures: &Figures<'_>) -> Outcome {
    let formula = Formula::parse(expect.value.as_deref().unwrap_or(""));
    let measured = formula.and_then(|formula| measure(&formula, expect, figures));
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
    let within = |value: f64| low.is_none_or(|l| value >= l) && high.is_none_or(|h| value <= h);
    Outcome {
        name: expect.name.clone(),
        ok: measured.as_ref().is_ok_and(|value| within(*value)),
        value: measured.as_ref().ok().copied(),
        bound,
        found: None,
        why: measured.err().or_else(|| bound_without_number(expect, figures)),
    }
}

/// Which bound has no value, and what it lacks.
fn bound_without_number(expect: &Expect, figures: &Figures<'_>) -> Option<String> {
    BOUNDS.into_iter().zip(bounds(expect)).find_map(|(key, amount)| {
        let formula = parse_amount(amount?).ok()?;
        if !formula.evaluate(&|name| figures.scalar(name)).is_nan() {
            return None;
        }
        let names = formula.names();
        let absent = names.iter().find(|name| figures.scalar(name).is_none());
        Some(match absent {
            Some(name) => format!("`{key}` is no number: {name} is not there"),
            None => format!("`{key}` is no number"),
        })
    })
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

#[cfg(test)]
mod tests;
