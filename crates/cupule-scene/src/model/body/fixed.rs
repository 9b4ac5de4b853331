//! A body that never moves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BodyKeys, Geometry};
use crate::assemble::{Builder, Placed};
use crate::error::SceneError;

/// Never moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaticBody {
    /// Geometry and place.
    #[serde(flatten)]
    pub geometry: Geometry,
    /// Longest edge of the surface of a generated shape, m; by default as coarse as the shape allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resolution: Option<f64>,
}

impl BodyKeys for StaticBody {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.geometry.mesh.iter_mut().collect()
    }

    /// The ground may be as large as it likes: its size is no reason for a warning.
    fn add(&self, name: &str, path: &str, to: &mut Builder) -> Result<Placed, SceneError> {
        let collider = to.collider(path, &self.geometry, self.resolution)?;
        let added = to.led(name, &self.geometry, None, collider);
        to.without_nodes(path, added)
    }
}
