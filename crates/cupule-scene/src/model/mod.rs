//! The scene file as typed data. The same types give the JSON Schema, the defaults and the check of every key.
//!
//! Units are SI: m, kg, s, N, Pa, rad. Every key that has a default is written out in the `scene.toml` of a run.

mod attachment;
mod body;
mod cable;
mod expect;
mod gas;
mod interface;
mod outline;
mod robot;
mod shape;
mod variant;

pub use attachment::{
    Attachment, Axis, BoxRegion, Drive, DriveKey, DriveProfile, Face, Force, Select, SphereRegion,
    WrenchDrive, WrenchKey,
};
pub(crate) use body::Fault;
pub use body::{
    Body, Damping, Element, ElementFormulation, FemBody, Geometry, KinematicBody, Material,
    MaterialModel, RigidBody, Rotation, Scale, StaticBody,
};
pub use cable::Cable;
pub use expect::{Amount, Expect, ExpectedEvent, Reduce};
pub use gas::{
    Detector, ElasticLimit, Gas, Line, Muscle, Port, Pump, Regulator, Ring, VentPressure, VentRule,
};
pub use interface::Interface;
pub use outline::{Dome, Sucker};
pub use robot::{JointDrive, JointKey, Robot};
pub use shape::{Cup, EllipsoidPart, FinRay, Shape, WireSection};
pub use variant::Variant;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scene: what there is, how it moves and what must come out. SI units, z up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Cupule scene")]
pub struct Scene {
    /// Version of the scene format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Short name of the scene; by default the name of its file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One line for lists.
    #[serde(default)]
    pub title: String,
    /// What the scene shows and which physics it tests.
    #[serde(default)]
    pub description: String,
    /// Simulated time, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// Gravity, m/s2.
    #[serde(default = "standard_gravity")]
    pub gravity: [f64; 3],
    /// Solver and time step.
    #[serde(default)]
    pub solver: Solver,
    /// Contact distances and the friction of pairs that name none.
    #[serde(default)]
    pub contact: Contact,
    /// Bodies by name (letters, digits and underscores).
    pub bodies: BTreeMap<String, Body>,
    /// Robots by name: arms from URDF files whose joints are driven.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub robots: BTreeMap<String, Robot>,
    /// Pairs of bodies with their own friction.
    #[serde(default)]
    pub interfaces: Vec<Interface>,
    /// Parts of bodies that are held, driven, glued or loaded; each is a force and torque sensor.
    #[serde(default)]
    pub attachments: BTreeMap<String, Attachment>,
    /// Forces on parts of soft bodies, by name.
    #[serde(default)]
    pub forces: BTreeMap<String, Force>,
    /// Cables that pull on soft bodies, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cables: BTreeMap<String, Cable>,
    /// Air between bodies: with this table, cavities that close by contact hold gas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gas: Option<Gas>,
    /// What must come out; with variants, of each of them.
    #[serde(default)]
    pub expect: Vec<Expect>,
    /// Several runs of one scene; the first is the one that runs when none is named. None in a scene that has been read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
}

/// Which solver runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverKind {
    /// Complementarity: one linear solve a step and block Gauss-Seidel on contacts; fast.
    #[default]
    Ncp,
    /// Incremental potential: Newton's method with a barrier and collision detection; surfaces never intersect.
    Ipc,
}

impl SolverKind {
    /// The name in scene files and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ncp => "ncp",
            Self::Ipc => "ipc",
        }
    }

    /// The solver of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ncp, Self::Ipc].into_iter().find(|kind| kind.name() == name)
    }
}

/// How time advances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// First order; damps fast motion.
    #[default]
    BackwardEuler,
    /// Second order, two-step backward differentiation.
    Bdf2,
}

/// Solver and time step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Solver {
    /// Which solver runs.
    pub kind: SolverKind,
    /// Solvers under which the scene's expectations are promised, for `cupule check --solver`; by default the one that runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub promised: Vec<SolverKind>,
    /// Whether every step counts the triangles that intersect, exactly; there must be none.
    pub audit: bool,
    /// Time step, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub time_step: f64,
    /// Time integrator.
    pub integrator: Integrator,
    /// A soft body is factored anew when an element, or a rigid body that it is glued to, has turned by more than this against the body as a
    /// whole (against the world, if it is driven), rad; 0 factors whatever has turned.
    #[schemars(range(min = 0))]
    pub refactor_rotation: f64,
    /// Largest violation of gap and stick conditions, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gap_tolerance: f64,
    /// Largest violation of force conditions, relative to the largest contact force.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub force_tolerance: f64,
    /// Largest deviation from a gas law, as a share of atmospheric pressure.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gas_tolerance: f64,
    /// Sweeps after which a solve is accepted with the residual that it has; a step may solve several times.
    #[schemars(range(min = 1))]
    pub max_sweeps: u32,
    /// Whether pressures are condensed into the contacts' blocks; off only to see what it saves.
    pub condense_pressure: bool,
    /// Whether Newton's method takes the rest of the way where sweeps are slow; off only to see what it saves.
    pub newton: bool,
    /// Contacts of two bodies within this distance of each other are solved as one, m; 0 solves each.
    #[schemars(range(min = 0))]
    pub contact_patch: f64,
    /// Stiffness of the barrier of `ipc`, Pa; it begins at the contact distance.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub barrier_stiffness: f64,
    /// Speed below which contacts stick in `ipc`, m/s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stick_speed: f64,
    /// Largest speed by which the last Newton step of `ipc` may change any point, m/s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub newton_tolerance: f64,
    /// Largest unbalanced force of `ipc` at a node, relative to the largest force.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub balance_tolerance: f64,
    /// Newton steps after which a step of `ipc` is accepted with the residual that it has.
    #[schemars(range(min = 1))]
    pub max_newton: u32,
    /// Modulus with which a rigid body resists a change of shape in `ipc`, Pa.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rigid_stiffness: f64,
}

impl Solver {
    /// Whether the scene's expectations are promised under a solver.
    pub fn promises(&self, kind: SolverKind) -> bool {
        if self.promised.is_empty() { self.kind == kind } else { self.promised.contains(&kind) }
    }
}

impl Default for Solver {
    fn default() -> Self {
        let settings = cupule::settings::Settings::default();
        Self {
            kind: SolverKind::default(),
            promised: Vec::new(),
            audit: settings.audit,
            time_step: settings.time_step,
            integrator: Integrator::default(),
            refactor_rotation: settings.refactor_rotation,
            gap_tolerance: settings.ncp.gap_tolerance,
            force_tolerance: settings.ncp.force_tolerance,
            gas_tolerance: settings.ncp.gas_tolerance,
            max_sweeps: settings.ncp.max_sweeps.try_into().unwrap_or(u32::MAX),
            condense_pressure: settings.ncp.condense_pressure,
            newton: settings.ncp.newton,
            contact_patch: settings.ncp.contact_patch,
            barrier_stiffness: settings.ipc.barrier_stiffness,
            stick_speed: settings.ipc.stick_speed,
            newton_tolerance: settings.ipc.tolerance,
            balance_tolerance: settings.ipc.force_tolerance,
            max_newton: settings.ipc.max_iterations.try_into().unwrap_or(u32::MAX),
            rigid_stiffness: settings.ipc.rigid_stiffness,
        }
    }
}

/// Contact distances and default friction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Contact {
    /// Surfaces closer than this are watched by the solver, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alarm_distance: f64,
    /// Distance at which the solver holds surfaces apart, m; less than the alarm distance.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub contact_distance: f64,
    /// Coulomb friction coefficient of pairs that have none of their own.
    #[schemars(range(min = 0))]
    pub friction: f64,
}

impl Default for Contact {
    fn default() -> Self {
        let settings = cupule::settings::Settings::default();
        Self {
            alarm_distance: settings.alarm_distance,
            contact_distance: settings.contact_distance,
            friction: settings.friction,
        }
    }
}

fn standard_gravity() -> [f64; 3] {
    cupule::settings::Settings::default().gravity.to_array()
}
