//! Bodies, their materials and their poses in the scene file.

use cupule_geometry::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;

/// A body. Its geometry is a `shape` or a `mesh`; which other keys have a meaning depends on its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Body {
    /// How it moves.
    pub kind: BodyKind,
    /// A cup of the library, such as "s20" (`cupule list --cups`): gives a fem body its shape, material, mass and nodes,
    /// as far as the scene does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cup: Option<String>,
    /// Generated geometry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// Mesh file, relative to the scene: .obj, .stl, .msh, .vtk or .vtu, in metres (see `scale`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Factor on all coordinates of the geometry, 0.001 reads millimetres; or one factor each for x, y and z.
    #[serde(default)]
    pub scale: Scale,
    /// About how many nodes a fem body is cut into; 500 if neither this nor `subdivisions` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 8, max = 1_000_000))]
    pub nodes: Option<u32>,
    /// Exact counts of cells along the directions of a generated fem shape, instead of `nodes`: box along x, y, z; sphere
    /// core, shells; cylinder quarter turn, from axis to mantle, along; tube around, through the wall, along; helix across, along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subdivisions: Option<Vec<u32>>,
    /// Longest edge of the surface of a generated shape that is not fem, m; by default as coarse as the shape allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resolution: Option<f64>,
    /// Cell type of a fem body; by default hexahedra where the shape allows it, and tet10 inside a surface from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// How hexahedra avoid locking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulation: Option<ElementFormulation>,
    /// About how many nodes a cage of tetrahedra around a fem body has, 4 or more: they move instead of the body's own nodes
    /// and carry its surface, its mass and its elasticity. With `element = "hex8"` hexahedra along a helix of round wire.
    /// Without it the body's own cells move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 4, max = 1_000_000))]
    pub cage: Option<u32>,
    /// Closed surface mesh file that collides instead of the boundary of the cells; carried by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Where the surface of a fem body that collides is finer than its cells: triangles with all corners in here are split in four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_surface: Option<super::Select>,
    /// Whether a fem body can touch itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_contact: bool,
    /// Material: needed by a fem body; of a rigid body only the density counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Material>,
    /// Total mass, kg, instead of the material's density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Where the origin of the geometry is put, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation, applied about the origin of the geometry before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Initial velocity, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial angular velocity, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Path of a kinematic body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<super::Drive>,
}

/// How a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyKind {
    /// Soft: finite elements.
    Fem,
    /// Rigid, moved by forces.
    Rigid,
    /// Rigid, moved along a given path.
    Kinematic,
    /// Never moves.
    Static,
}

impl BodyKind {
    /// The name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fem => "fem",
            Self::Rigid => "rigid",
            Self::Kinematic => "kinematic",
            Self::Static => "static",
        }
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

/// What a body is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Material {
    /// Stress-strain law.
    #[serde(default)]
    pub model: MaterialModel,
    /// Young's modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub youngs_modulus: Option<f64>,
    /// Poisson's ratio, between -1 and 0.5, both excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    pub poissons_ratio: Option<f64>,
    /// Density, kg/m3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Rayleigh damping.
    #[serde(default)]
    pub damping: Damping,
}

/// Stress-strain law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MaterialModel {
    /// Linear elasticity in the rotated frame of each cell.
    #[default]
    Corotated,
    /// Stable neo-Hookean hyperelasticity.
    StableNeoHookean,
}

/// Rayleigh damping D = mass M + stiffness K.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Damping {
    /// Factor on the mass matrix, 1/s.
    #[schemars(range(min = 0))]
    pub mass: f64,
    /// Factor on the stiffness matrix, s.
    #[schemars(range(min = 0))]
    pub stiffness: f64,
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
