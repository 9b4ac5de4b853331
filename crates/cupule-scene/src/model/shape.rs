//! Generated geometry in the scene file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shape by its dimensions, m. It stands centred at the origin of its body with its axis along z, unless it says
/// otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Shape {
    /// A box.
    Box {
        /// Lengths along x, y and z, m.
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
        /// Height, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
    },
    /// A tube along z.
    Tube {
        /// Inner radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        inner_radius: f64,
        /// Outer radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        outer_radius: f64,
        /// Height, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
    },
    /// A closed profile turned about the z axis; it stays where its points are.
    Revolved {
        /// Corners (r, z) of the profile, m, with r >= 0.
        profile: Vec<[f64; 2]>,
    },
    /// A round wire wound along a helix about z.
    Helix {
        /// Radius of the centre line, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        coil_radius: f64,
        /// Radius of the wire, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        wire_radius: f64,
        /// Rise per turn, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        pitch: f64,
        /// Number of turns.
        #[schemars(extend("exclusiveMinimum" = 0))]
        turns: f64,
    },
}
