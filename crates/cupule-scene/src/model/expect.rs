//! The `expect` blocks of the scene file: what must come out of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One statement about the outcome: a figure within bounds, or events in order.
///
/// A figure is a formula over columns of `series.csv` (`body.block.z_m`), over `summary.` keys
/// (`summary.residual.gap_m`) and over numbers of the scene (`scene.contact.friction`), with `+ - * / ^`, parentheses,
/// `pi`, `abs sqrt sin cos tan exp log hypot min max`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expect {
    /// What is expected, in words.
    pub name: String,
    /// The figure: a formula, evaluated at every step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Time at which it is taken, s; by default the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub at: Option<f64>,
    /// Span of time over which it is reduced to one number, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<[f64; 2]>,
    /// How the span is reduced; with a span and without this, the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce: Option<Reduce>,
    /// Smallest value allowed: a number or a formula over `scene.` and `summary.`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Amount>,
    /// Largest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Amount>,
    /// Value to be met within a tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Amount>,
    /// Allowed distance from `near`, in the unit of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Amount>,
    /// Allowed distance from `near`, relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub relative_tolerance: Option<f64>,
    /// Events that must occur in this order (others may lie between).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<ExpectedEvent>>,
    /// Events that must not occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<Vec<ExpectedEvent>>,
}

/// A number, or a formula that gives one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Amount {
    /// A number.
    Number(f64),
    /// A formula.
    Formula(String),
}

/// An event that must occur, or must not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedEvent {
    /// seal, unseal, vent, merge, split, flatten, detach, lift, drop, slip, bond or debond.
    pub kind: String,
    /// Words that its description must contain; by default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Not before, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<f64>,
    /// Not after, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
}

/// How a span of time becomes one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reduce {
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Mean.
    Mean,
    /// Last.
    Last,
    /// Last less first.
    Drift,
    /// Largest less smallest.
    Range,
    /// Largest change from one step to the next.
    Jump,
    /// Slope of the least-squares line, per second.
    Slope,
    /// Second derivative of the least-squares parabola, per second squared.
    Acceleration,
}
