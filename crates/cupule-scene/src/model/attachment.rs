//! Attachments, drives and forces in the scene file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fault, Rotation};

/// A part of a soft body that is held where it is, driven, glued to another body or loaded by a wrench; or a whole
/// rigid body under a wrench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attachment {
    /// The fem body that is held, or the rigid body that a wrench pulls.
    pub body: String,
    /// Which nodes of a fem body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// Axes of the world along which they are held where they are; they are free along the others, as in a symmetry plane or a slider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 3))]
    pub hold: Option<Vec<Axis>>,
    /// Path along which they are driven; without `hold`, `drive`, `glue` and `wrench` they are held where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<Drive>,
    /// Body to which they are glued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glue: Option<String>,
    /// Force and torque over time on them, kept rigid together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrench: Option<WrenchDrive>,
}

/// An axis of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// x.
    X,
    /// y.
    Y,
    /// z: upwards.
    Z,
}

/// Nodes of a body, chosen in its own frame (scaled, before rotation and position). Exactly one key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Select {
    /// The nodes on one side of the body's bounding box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub face: Option<Face>,
    /// The nodes in a box.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub region: Option<BoxRegion>,
    /// The nodes in a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereRegion>,
    /// All nodes (`true`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
}

impl Select {
    /// Why it does not say what is selected.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let all = self.all == Some(true);
        let chosen = [self.face.is_some(), self.region.is_some(), self.sphere.is_some(), all];
        let one = chosen.iter().filter(|is| **is).count() == 1 && self.all != Some(false);
        (!one).then_some("expected exactly one of `face`, `box`, `sphere` and `all = true`")
    }
}

/// One side of a bounding box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Face {
    /// Smallest x.
    XMin,
    /// Largest x.
    XMax,
    /// Smallest y.
    YMin,
    /// Largest y.
    YMax,
    /// Smallest z.
    ZMin,
    /// Largest z.
    ZMax,
}

impl Face {
    /// Axis (0, 1, 2) and whether it is the largest side.
    pub fn axis(self) -> (usize, bool) {
        match self {
            Self::XMin => (0, false),
            Self::XMax => (0, true),
            Self::YMin => (1, false),
            Self::YMax => (1, true),
            Self::ZMin => (2, false),
            Self::ZMax => (2, true),
        }
    }
}

/// An axis-aligned box in the body's own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoxRegion {
    /// Smallest corner, m.
    pub min: [f64; 3],
    /// Largest corner, m.
    pub max: [f64; 3],
}

/// A ball in the body's own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SphereRegion {
    /// Centre, m.
    pub centre: [f64; 3],
    /// Radius, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// A rigid motion through key displacements. It starts at rest at time 0 unless a key says otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Drive {
    /// Displacements to be reached, relative to the start pose.
    pub keys: Vec<DriveKey>,
    /// How keys are joined.
    pub profile: DriveProfile,
    /// Point about which it turns, m, in the world at the start; by default the centre of what is driven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pivot: Option<[f64; 3]>,
}

impl Drive {
    /// What is wrong with its keys.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let turns = self.keys.iter().enumerate();
        let wrong = turns.filter_map(|(i, key)| Some((i, key.rotation.as_ref()?.fault()?)));
        wrong.map(|(i, message)| Fault::new(format!("keys.{i}.rotation"), message)).collect()
    }
}

/// A displacement at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveKey {
    /// Time, s.
    #[schemars(range(min = 0))]
    pub time: f64,
    /// Translation from the start, m.
    #[serde(default)]
    pub translation: [f64; 3],
    /// Rotation from the start about the pivot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

/// How keys are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriveProfile {
    /// Quintic: at rest at both ends, no jerk.
    #[default]
    Smooth,
    /// Constant speed.
    Linear,
}

/// Force and torque over time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WrenchDrive {
    /// Wrenches to be reached; constant before the first and after the last key.
    pub keys: Vec<WrenchKey>,
    /// How keys are joined.
    pub profile: DriveProfile,
}

/// A force and torque at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrenchKey {
    /// Time, s.
    #[schemars(range(min = 0))]
    pub time: f64,
    /// Force, N.
    #[serde(default)]
    pub force: [f64; 3],
    /// Torque about the centre of the attached nodes, N m.
    #[serde(default)]
    pub torque: [f64; 3],
}

/// A constant force on a part of a soft body; forces that change with time are attachments with a `wrench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Force {
    /// The fem body that is loaded.
    pub body: String,
    /// Which of its nodes are loaded.
    pub select: Select,
    /// Total force, N, shared evenly by the chosen nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<[f64; 3]>,
    /// Force per area, Pa, on the boundary faces whose nodes are all chosen; the area is that of the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traction: Option<[f64; 3]>,
}
