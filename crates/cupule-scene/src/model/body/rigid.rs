//! A rigid body that forces move.

use cupule::world::{RigidSpec, ThinMotion, ThinSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::mass_fault;
use super::{BodyKeys, Fault, Geometry, Material};
use crate::assemble::body::{Collider, mass};
use crate::assemble::{Builder, Placed};
use crate::error::SceneError;

/// Rigid, moved by forces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RigidBody {
    /// Geometry and place.
    #[serde(flatten)]
    pub geometry: Geometry,
    /// Longest edge of the surface of a generated shape, m; by default as coarse as the shape allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resolution: Option<f64>,
    /// Material, of which only the density counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// Total mass, kg, instead of the material's density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Initial velocity, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial angular velocity, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

impl BodyKeys for RigidBody {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.geometry.mesh.iter_mut().collect()
    }

    fn material(&self) -> Option<&Material> {
        self.material.as_ref()
    }

    fn faults(&self) -> Vec<Fault> {
        mass_fault(self.mass, self.material.as_ref()).into_iter().collect()
    }

    fn add(&self, name: &str, path: &str, to: &mut Builder) -> Result<Placed, SceneError> {
        let collider = to.collider(path, &self.geometry, self.resolution)?;
        to.warn_of_collider(path, &collider);
        let density = self.material.as_ref().and_then(|material| material.density);
        let (name, mass) = (name.to_string(), mass(self.mass, density, None));
        let (velocity, angular_velocity) = (self.velocity.into(), self.angular_velocity.into());
        let added = match collider.placed(&self.geometry) {
            Collider::Solid(surface) => {
                to.world.add_rigid(RigidSpec { name, surface, mass, velocity, angular_velocity })
            }
            Collider::Thin(mesh) => {
                let motion = ThinMotion::Free { mass, velocity, angular_velocity };
                to.world.add_thin(ThinSpec { name, mesh, motion })
            }
        };
        to.without_nodes(path, added)
    }
}
