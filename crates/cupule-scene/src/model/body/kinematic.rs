//! A rigid body that goes along a given path, whatever force that takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BodyKeys, Fault, Geometry};
use crate::assemble::{Builder, Placed};
use crate::error::SceneError;
use crate::model::Drive;

/// Rigid, moved along a given path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KinematicBody {
    /// Geometry and place.
    #[serde(flatten)]
    pub geometry: Geometry,
    /// Longest edge of the surface of a generated shape, m; by default as coarse as the shape allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resolution: Option<f64>,
    /// Its path; without one it stays where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Drive>,
}

impl BodyKeys for KinematicBody {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.geometry.mesh.iter_mut().collect()
    }

    fn faults(&self) -> Vec<Fault> {
        let motion = self.motion.iter().flat_map(Drive::faults);
        motion.map(|fault| fault.inside("motion")).collect()
    }

    fn add(&self, name: &str, path: &str, to: &mut Builder) -> Result<Placed, SceneError> {
        let collider = to.collider(path, &self.geometry, self.resolution)?;
        to.warn_of_collider(path, &collider);
        let added = to.led(name, &self.geometry, self.motion.as_ref(), collider);
        to.without_nodes(path, added)
    }
}
