//! Cables in the scene file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cable through points of a soft body, which it pulls together. It slides through all of them without friction. Its
/// series are `cable.NAME.length_m` and `cable.NAME.tension_n`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cable {
    /// The fem body that it pulls.
    pub body: String,
    /// Points in the body through which it runs, in order, in the body's own frame (scaled, before rotation and position), m.
    pub points: Vec<[f64; 3]>,
    /// Where it begins outside the body, in the world at the start, m; without, it begins at its first point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<[f64; 3]>,
    /// Rigid or kinematic body to which the anchor is fixed; without, it is fixed in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_body: Option<String>,
    /// Its tension over time: pairs [time s, N], straight between. Either this or `shortening`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tension: Option<Vec<[f64; 2]>>,
    /// By how much it is taken in over time: pairs [time s, m], straight between. It pulls only where it is taut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortening: Option<Vec<[f64; 2]>>,
    /// E A of a cable that is taken in, N: it stretches by the share tension / E A of its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub axial_stiffness: Option<f64>,
}
