//! A soft body: finite elements.

use cupule::element::Formulation;
use cupule::model::Rayleigh;
use cupule::world::FemSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::mass_fault;
use super::{BodyKeys, Fault, Geometry, Material};
use crate::assemble::body::{mass, pose};
use crate::assemble::{Builder, Placed, world_error};
use crate::error::SceneError;
use crate::geometry::soft;
use crate::model::Select;

/// A soft body: finite elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FemBody {
    /// A cup of the library, such as "s20" (`cupule list --cups`): gives shape, material, mass and nodes, as far as the
    /// scene does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cup: Option<String>,
    /// Geometry and place.
    #[serde(flatten)]
    pub geometry: Geometry,
    /// About how many nodes it is cut into; 500 if neither this nor `subdivisions` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 8, max = 1_000_000))]
    pub nodes: Option<u32>,
    /// Exact counts of cells along the directions of a generated shape, instead of `nodes`: box along x, y, z; sphere
    /// core, shells; cylinder quarter turn, from axis to mantle, along; tube around, through the wall, along; helix across, along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subdivisions: Option<Vec<u32>>,
    /// Cell type; by default hexahedra where the shape allows it, and tet10 inside a surface from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// How hexahedra avoid locking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<ElementFormulation>,
    /// About how many nodes a cage of tetrahedra around the body has, 4 or more: they move instead of the body's own nodes
    /// and carry its surface, its mass and its elasticity. With `element = "hex8"` hexahedra along a helix of round wire.
    /// Without it the body's own cells move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 4, max = 1_000_000))]
    pub cage: Option<u32>,
    /// Closed surface mesh file that collides instead of the boundary of the cells; carried by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Where the surface that collides is finer than the cells: triangles with all corners in here are split in four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_surface: Option<Select>,
    /// Whether it can touch itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_contact: bool,
    /// Material: a fem body needs one.
    pub material: Material,
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

impl BodyKeys for FemBody {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.geometry.mesh.iter_mut().chain(&mut self.surface).collect()
    }

    fn material(&self) -> Option<&Material> {
        Some(&self.material)
    }

    fn faults(&self) -> Vec<Fault> {
        let mut found = Vec::new();
        if self.nodes.is_some() && self.subdivisions.is_some() {
            let message = "expected either `nodes` or `subdivisions`, found both";
            found.push(Fault::new("nodes", message));
        }
        if self.subdivisions.as_ref().is_some_and(|counts| counts.contains(&0)) {
            found.push(Fault::new("subdivisions", "every count must be at least 1"));
        }
        let split = self.split_surface.as_ref().and_then(Select::fault);
        found.extend(split.map(|message| Fault::new("split_surface", message)));
        found.extend(self.material.elastic_faults());
        found.extend(mass_fault(self.mass, Some(&self.material)));
        found
    }

    fn add(&self, name: &str, path: &str, to: &mut Builder) -> Result<Placed, SceneError> {
        let loaded = to.loaded;
        let refuse = |key: &str, message: String| loaded.error(&format!("{path}.{key}"), message);
        let made = soft(self).map_err(|(key, message)| refuse(key, message))?;
        let (rotation, position) = pose(&self.geometry);
        let nodes = made.mesh.nodes.clone();
        let material = self.material.elastic().map_err(|message| refuse("material", message))?;
        let damping = self.material.damping;
        let spec = FemSpec {
            name: name.to_string(),
            mesh: made.mesh.rotated(rotation).translated(position),
            material,
            mass: mass(self.mass, self.material.density, made.volume),
            damping: Rayleigh { mass: damping.mass, stiffness: damping.stiffness },
            formulation: self
                .formulation
                .map_or(Formulation::Default, ElementFormulation::of_elements),
            surface: made.surface.map(|surface| surface.rotated(rotation).translated(position)),
            caged: made.caged,
            self_contact: self.self_contact,
            velocity: self.velocity.into(),
            angular_velocity: self.angular_velocity.into(),
        };
        to.warn_of_size(path, &nodes);
        let id = to.world.add_fem(spec).map_err(|error| world_error(loaded, path, error))?;
        Ok(Placed { id, nodes })
    }
}

/// Cell type of a fem body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Element {
    /// Hexahedra of 8 nodes.
    Hex8,
    /// Tetrahedra of 4 nodes.
    Tet4,
    /// Tetrahedra of 10 nodes.
    Tet10,
}

/// How hexahedra avoid locking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElementFormulation {
    /// Enhanced strain for corotated hexahedra, B-bar for hyperelastic ones; tetrahedra are always standard.
    Default,
    /// Full integration; hexahedra lock near nu = 0.5 and in thin walls.
    Standard,
    /// Hexahedra with the volume change averaged over the cell.
    BBar,
    /// Hexahedra with nine incompatible modes; corotated material only.
    EnhancedStrain,
}

impl ElementFormulation {
    fn of_elements(self) -> Formulation {
        match self {
            Self::Default => Formulation::Default,
            Self::Standard => Formulation::Standard,
            Self::BBar => Formulation::Bbar,
            Self::EnhancedStrain => Formulation::EnhancedStrain,
        }
    }
}
