//! What a caller says to put a body, an attachment or a load into a world.

use crate::contact::ContactError;
use crate::element::Formulation;
use crate::material::Material;
use crate::model::Rayleigh;
use crate::motion::{Motion, Profile};
use crate::report::Wrench;
use cupule_geometry::{DVec3, GeometryError, ThinMesh, TriMesh, VolumeMesh};
use thiserror::Error;

/// A body, by the order in which it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub usize);

/// An attachment, by the order in which it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttachmentId(pub usize);

/// Mass by density or in total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MassSpec {
    /// kg/m3.
    Density(f64),
    /// kg.
    Total(f64),
}

/// A deformable body.
#[derive(Debug, Clone)]
pub struct FemSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// Cells at rest, in the world.
    pub mesh: VolumeMesh,
    /// What it is made of.
    pub material: Material,
    /// How heavy it is.
    pub mass: MassSpec,
    /// Damping.
    pub damping: Rayleigh,
    /// How elements avoid locking.
    pub formulation: Formulation,
    /// Collision surface embedded in the mesh; `None` takes the mesh's own boundary.
    pub surface: Option<TriMesh>,
    /// Whether the mesh is a cage: only what `surface` encloses is made of the material. Every cell then has the volume, the
    /// mass and the moments of what is inside it.
    pub caged: bool,
    /// Whether it can touch itself.
    pub self_contact: bool,
    /// Velocity of its centre of mass at the start, m/s.
    pub velocity: DVec3,
    /// Spin about its centre of mass at the start, rad/s.
    pub angular_velocity: DVec3,
}

/// A rigid body.
#[derive(Debug, Clone)]
pub struct RigidSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// Closed surface, in the world.
    pub surface: TriMesh,
    /// How heavy it is; the inertia is that of the solid inside the surface.
    pub mass: MassSpec,
    /// Velocity of its centre of mass at the start, m/s.
    pub velocity: DVec3,
    /// Spin at the start, rad/s.
    pub angular_velocity: DVec3,
}

/// A body whose motion is prescribed; without motion, it is static.
#[derive(Debug, Clone)]
pub struct KinematicSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// Surface, in the world.
    pub surface: TriMesh,
    /// Where it goes.
    pub motion: Motion,
}

/// A rigid body of wires and sheets; the solver ipc only.
#[derive(Debug, Clone)]
pub struct ThinSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// Wires and sheets, in the world.
    pub mesh: ThinMesh,
    /// Whether it is free or led.
    pub motion: ThinMotion,
}

/// How a thin body moves.
#[derive(Debug, Clone)]
pub enum ThinMotion {
    /// By forces.
    Free {
        /// How heavy it is.
        mass: MassSpec,
        /// Velocity of its centre of mass at the start, m/s.
        velocity: DVec3,
        /// Spin at the start, rad/s.
        angular_velocity: DVec3,
    },
    /// As prescribed; a fixed motion makes it static.
    Led(Motion),
}

/// Force and torque over time.
#[derive(Debug, Clone, PartialEq)]
pub struct WrenchPath {
    /// (time s, wrench), ascending in time; constant before the first and after the last.
    pub keys: Vec<(f64, Wrench)>,
    /// How keys are joined.
    pub profile: Profile,
}

impl WrenchPath {
    /// The wrench at a time, s.
    pub fn at(&self, time: f64) -> Wrench {
        let blend = |((_, a), (_, b), s): (&(f64, Wrench), &(f64, Wrench), f64)| Wrench {
            force: a.force.lerp(b.force, s),
            torque: a.torque.lerp(b.torque, s),
        };
        self.profile.between(&self.keys, |key| key.0, time).map(blend).unwrap_or_default()
    }
}

/// What holds the points of an attachment.
#[derive(Debug, Clone, PartialEq)]
pub enum Hold {
    /// They follow a motion.
    Drive(Motion),
    /// They move with another body as if grown together.
    Glue(BodyId),
    /// They are loaded by a force and a torque about their centre, shared out over them.
    Wrench(WrenchPath),
    /// They stay where they are along the axes (x, y, z) that are true, and are free along the others: a symmetry plane, a slider.
    Axes([bool; 3]),
}

/// Points of a soft body (or, for a wrench, a whole rigid body) that something holds.
#[derive(Debug, Clone)]
pub struct AttachmentSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// Whose points.
    pub body: BodyId,
    /// Nodes of a soft body; ignored for a rigid one.
    pub points: Vec<u32>,
    /// What holds them.
    pub hold: Hold,
}

/// Why a world cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WorldError {
    /// A mesh is defective.
    #[error("body \"{body}\": {source}")]
    Mesh {
        /// The body.
        body: String,
        /// What is wrong.
        source: GeometryError,
    },
    /// Surfaces that touch at the start, under a solver that keeps them apart.
    #[error(
        "bodies \"{first}\" and \"{second}\" touch at the start: the solver ipc needs them apart, by the contact distance or a little less"
    )]
    Touching {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// A cage that does not hold its body.
    #[error("body \"{body}\": its cage {reason}")]
    Cage {
        /// The body.
        body: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Wires or sheets under a solver that cannot hold them.
    #[error(
        "body \"{body}\" is made of wires or sheets: they need the solver ipc (kind = \"ipc\")"
    )]
    Thin {
        /// The body.
        body: String,
    },
    /// A mass or density that is not positive.
    #[error("body \"{body}\": mass or density {value} must be positive and finite")]
    Mass {
        /// The body.
        body: String,
        /// The value.
        value: f64,
    },
    /// An attachment that cannot be.
    #[error("attachment \"{attachment}\": {reason}")]
    Attachment {
        /// The attachment.
        attachment: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Something that is called by a name that nothing has.
    #[error("no {what} is named \"{name}\"")]
    NoSuch {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Not one value for every movable joint.
    #[error("robot \"{robot}\" has {expected} movable joints, not {count}")]
    Joints {
        /// The robot.
        robot: String,
        /// How many values there are.
        count: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A cable that cannot be.
    #[error("cable \"{cable}\": {reason}")]
    Cable {
        /// The cable.
        cable: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Springs that cannot be.
    #[error("springs \"{springs}\": {reason}")]
    Springs {
        /// The springs.
        springs: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// Bodies that start inside each other.
    #[error(
        "bodies \"{first}\" and \"{second}\" start in penetration: {depth:.3e} m deep near ({x:.4}, {y:.4}, {z:.4}) m; \
         move them apart",
        x = at.x, y = at.y, z = at.z
    )]
    Penetration {
        /// The body inside.
        first: String,
        /// The body it is in.
        second: String,
        /// Depth, m.
        depth: f64,
        /// Where, m.
        at: DVec3,
    },
    /// A contact surface or setting that detection refuses.
    #[error("contact: {0}")]
    Contact(#[from] ContactError),
    /// A setting out of range.
    #[error("{key} = {value} must be {expected}")]
    Setting {
        /// Which one.
        key: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// A body, attachment or node that does not exist.
    #[error("there is no {what} {index}: there are {count}")]
    Unknown {
        /// "body" or "node".
        what: &'static str,
        /// The index asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The linear system of a body could not be set up.
    #[error("{} too large to be factored together", bodies.join(", "))]
    TooLarge {
        /// The bodies.
        bodies: Vec<String>,
    },
}

/// Why a step could not be done; the state is that of the last good step.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepError {
    /// The simulation diverged.
    #[error(
        "at t = {time:.6} s body \"{body}\" diverged: {cause}; a smaller time step, a softer drive or more damping may help"
    )]
    Diverged {
        /// Time at the start of the failing step, s.
        time: f64,
        /// The body.
        body: String,
        /// What went wrong.
        cause: String,
    },
    /// Something else failed that is no body's fault.
    #[error("at t = {time:.6} s {cause}")]
    Failed {
        /// Time at the start of the failing step, s.
        time: f64,
        /// What went wrong.
        cause: String,
    },
}
