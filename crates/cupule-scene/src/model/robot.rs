//! Robots in the scene file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DriveProfile, Rotation};

/// An arm from a URDF file whose joints are driven. Every link with a collision geometry becomes a kinematic body named
/// ROBOT_LINK, to which cups are glued and which others may touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Robot {
    /// URDF file, relative to the scene, or `shipped:NAME`.
    pub urdf: String,
    /// Where the origin of its base is put, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation of its base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Where its joints are over time.
    #[serde(default)]
    pub joints: JointDrive,
}

/// Joint values over time; constant before the first key and after the last. Without keys all are zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JointDrive {
    /// Values to be reached.
    pub keys: Vec<JointKey>,
    /// How keys are joined.
    pub profile: DriveProfile,
}

/// Joint values at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JointKey {
    /// Time, s.
    #[schemars(range(min = 0))]
    pub time: f64,
    /// One value for every movable joint, from the base outwards, rad or m.
    pub values: Vec<f64>,
}
