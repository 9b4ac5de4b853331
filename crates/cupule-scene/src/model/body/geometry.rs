//! Where the geometry of a body comes from and where it is put: the keys that every kind of body has.

use cupule_geometry::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Fault;
use crate::model::Shape;

/// A `shape` or a `mesh`, its size and its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Geometry {
    /// Generated geometry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// Mesh file, relative to the scene: .obj, .stl, .msh, .vtk or .vtu, in metres (see `scale`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Factor on all coordinates of the geometry, 0.001 reads millimetres; or one factor each for x, y and z.
    #[serde(default)]
    pub scale: Scale,
    /// Where the origin of the geometry is put, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation, applied about the origin of the geometry before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

impl Geometry {
    pub(super) fn faults(&self) -> Vec<Fault> {
        let mut found = Vec::new();
        if self.shape.is_some() == self.mesh.is_some() {
            found.push(Fault::new("", "expected either `shape` or `mesh`"));
        }
        if self.scale.factors().min_element() <= 0.0 {
            found.push(Fault::new("scale", "every factor must be greater than 0"));
        }
        let turned = self.rotation.as_ref().and_then(Rotation::fault);
        found.extend(turned.map(|message| Fault::new("rotation", message)));
        found
    }
}

/// An orientation: `axis` and `angle`, or `quaternion_wxyz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rotation {
    /// Axis; its length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Angle about the axis, rad, by the right-hand rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Quaternion, scalar part first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion_wxyz: Option<[f64; 4]>,
}

impl Rotation {
    /// Why it means no orientation.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let length = |v: &[f64]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        match (&self.axis, self.angle, &self.quaternion_wxyz) {
            (Some(axis), Some(_), None) if length(axis) > 0.0 => None,
            (Some(_), Some(_), None) => Some("the axis must have a length"),
            (None, None, Some(q)) if (length(q) - 1.0).abs() < 1e-3 => None,
            (None, None, Some(_)) => Some("the quaternion (w, x, y, z) must have length 1"),
            _ => Some("expected `axis` and `angle` (rad), or `quaternion_wxyz`"),
        }
    }
}

/// Factors on the coordinates of a geometry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scale {
    /// The same along all axes.
    Uniform(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    /// One each along x, y and z.
    Axes([f64; 3]),
}

impl Default for Scale {
    fn default() -> Self {
        Self::Uniform(1.0)
    }
}

impl Scale {
    /// Along x, y and z.
    pub fn factors(self) -> DVec3 {
        match self {
            Self::Uniform(factor) => DVec3::splat(factor),
            Self::Axes(factors) => factors.into(),
        }
    }
}
