//! The world: bodies, attachments, loads, and time.
//!
//! A world is filled with bodies, prepared once, and stepped. It owns the state; solvers only propose the next one.

mod air;
mod attach;
mod build;
mod cable;
mod cause;
mod events;
mod press;
mod propose;
mod seals;
mod sense;
mod slip;
mod spec;
mod steer;
mod step;
mod stress;
mod substance;

pub use cable::{CableDrive, CableSpec};
pub use seals::SealReport;
pub use spec::{
    AttachmentId, AttachmentSpec, BodyId, FemSpec, Hold, KinematicSpec, MassSpec, RigidSpec,
    StepError, ThinMotion, ThinSpec, WorldError, WrenchPath,
};
pub use stress::VonMises;

use crate::cavity::{AirSpace, SurfacePoint};
use crate::contact::{ContactId, Detector};
use crate::element::Formulation;
use crate::material::Material;
use crate::model::{Islands, Model, Soft, State};
use crate::report::Energy;
use crate::settings::Settings;
use crate::solver::ipc::Ipc;
use crate::solver::ncp::Ncp;
use cupule_geometry::cage::Filling;
use cupule_geometry::{DVec3, ThinMesh, VolumeMesh};
use std::collections::BTreeMap;
use std::ops::Range;

/// What kind of body it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// Deformable.
    Fem,
    /// Rigid and free.
    Rigid,
    /// With prescribed motion.
    Kinematic,
    /// At rest for ever.
    Static,
}

/// A body as the world keeps it.
struct Body {
    name: String,
    kind: BodyKind,
    /// Nodes of a soft body, vertices of another, among the points.
    points: Range<usize>,
    /// The points that carry its mass.
    carriers: Range<usize>,
    /// Point of every vertex of the collision surface.
    surface_points: Vec<usize>,
    triangles: Vec<[u32; 3]>,
    /// Edges without triangles.
    wires: Vec<[u32; 2]>,
    /// Half its thickness, m; 0 for what has an inside.
    radius: f64,
    /// Total mass, kg; 0 for kinematic ones.
    mass: f64,
    /// Index among the frames.
    frame: Option<usize>,
    /// Index among the drives.
    drive: Option<usize>,
    self_contact: bool,
    /// Whether its surface is closed: only those can trap air.
    closed: bool,
    /// Cells at rest, to glue others to.
    mesh: Option<VolumeMesh>,
    /// What a soft body is made of, and how its elements avoid locking.
    material: Option<(Material, Formulation)>,
    /// What of each cell is made of the material, where the mesh is a cage.
    fillings: Option<Vec<Filling>>,
}

struct Attachment {
    name: String,
    body: usize,
    /// Points among the world's.
    points: Vec<usize>,
    hold: Hold,
    /// Index among the drives, once it is tied.
    drive: Option<usize>,
}

/// Everything that is simulated.
pub struct World {
    settings: Settings,
    bodies: Vec<Body>,
    attachments: Vec<Attachment>,
    cables: Vec<cable::Cable>,
    point_forces: Vec<(usize, DVec3)>,
    /// Forces by hand on material points, N.
    pulls: Vec<(SurfacePoint, DVec3)>,
    friction: BTreeMap<(usize, usize), f64>,
    model: Model,
    /// Body of every point.
    body_of_point: Vec<usize>,
    state: State,
    before: State,
    engine: Option<Engine>,
    memory: Memory,
    air: Option<AirSpace>,
}

/// What preparation makes.
struct Engine {
    islands: Islands,
    solver: Solver,
    detector: Detector,
    pairs: Vec<(usize, usize)>,
}

/// One of the solvers.
enum Solver {
    Ncp(Ncp),
    Ipc(Box<Ipc>),
}

/// What one step leaves to the next.
#[derive(Clone, Default)]
struct Memory {
    forces: BTreeMap<ContactId, DVec3>,
    /// Slip left by the tolerance at sticking contacts, m.
    unwanted_slips: BTreeMap<ContactId, DVec3>,
    /// Length of the last step, s; 0 before the first.
    last_length: f64,
    /// Islands whose history holds an impact.
    restart: Vec<bool>,
    /// Work done on the bodies by drives, wrenches and kinematic bodies, J.
    work: f64,
    start_energy: Option<Energy>,
    /// Energies of the present state, once a step has been done.
    stored: Option<Energy>,
    /// Forces on bodies at the end of the last step.
    budgets: Vec<events::Budget>,
    /// Velocities of bodies a step before that, m/s.
    velocities_before: Vec<DVec3>,
    /// What free bodies stand on.
    supports: Vec<events::Support>,
    /// Who sealed.
    pairs: seals::Pairs,
    /// What looks at the air found since the last step that was done.
    seen: Vec<crate::report::Event>,
}

impl World {
    /// An empty world.
    pub fn new(settings: Settings) -> Self {
        let air = settings.air.clone().map(|air| AirSpace::new(air, settings.contact_distance));
        Self {
            settings,
            bodies: Vec::new(),
            attachments: Vec::new(),
            cables: Vec::new(),
            point_forces: Vec::new(),
            pulls: Vec::new(),
            friction: BTreeMap::new(),
            model: Model::default(),
            body_of_point: Vec::new(),
            state: State::default(),
            before: State::default(),
            engine: None,
            memory: Memory::default(),
            air,
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.bodies[body.0].name
    }

    /// Kind of a body.
    pub fn body_kind(&self, body: BodyId) -> BodyKind {
        self.bodies[body.0].kind
    }

    /// Mass of a body, kg; 0 for kinematic and static ones.
    pub fn body_mass(&self, body: BodyId) -> f64 {
        self.bodies[body.0].mass
    }

    /// A body by name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId)
    }

    /// Number of attachments.
    pub fn attachment_count(&self) -> usize {
        self.attachments.len()
    }

    /// Name of an attachment.
    pub fn attachment_name(&self, attachment: AttachmentId) -> &str {
        &self.attachments[attachment.0].name
    }

    /// Where an attachment acts: the mean of its points, m.
    pub fn attachment_centre(&self, attachment: AttachmentId) -> DVec3 {
        self.centre(&self.attachments[attachment.0].points)
    }

    /// What holds the points of an attachment.
    pub fn attachment_hold(&self, attachment: AttachmentId) -> &Hold {
        &self.attachments[attachment.0].hold
    }

    /// The body whose points an attachment holds.
    pub fn attachment_body(&self, attachment: AttachmentId) -> BodyId {
        BodyId(self.attachments[attachment.0].body)
    }

    /// Whether nothing but weight, contact and gas acts on a body: it moves, and nothing holds, drives, loads or brakes it.
    pub fn is_on_its_own(&self, body: BodyId) -> bool {
        let kind = self.bodies[body.0].kind;
        let held =
            |a: &Attachment| a.body == body.0 || matches!(a.hold, Hold::Glue(b) if b == body);
        let loaded = |(point, _): &(usize, DVec3)| self.body_of_point[*point] == body.0;
        let braked = |soft: &Soft| soft.body == body.0 && soft.damping.mass > 0.0;
        matches!(kind, BodyKind::Rigid | BodyKind::Fem)
            && !self.attachments.iter().any(held)
            && !self.point_forces.iter().any(loaded)
            && !self.pulls.iter().any(|(point, _)| point.body == body.0)
            && !self.cables.iter().any(|cable| self.pulls_on(cable, body))
            && !self.model.soft.iter().any(braked)
    }

    /// Young's modulus of a soft body, Pa.
    pub fn youngs_modulus(&self, body: BodyId) -> Option<f64> {
        let material = self.bodies[body.0].material;
        material.map(|(material, _)| material.isotropic().youngs_modulus())
    }

    /// Vertices (m) of a body's collision surface now.
    pub fn surface_positions(&self, body: BodyId) -> Vec<DVec3> {
        self.bodies[body.0].surface_points.iter().map(|p| self.state.at.points[*p]).collect()
    }

    /// Triangles of a body's collision surface.
    pub fn surface_triangles(&self, body: BodyId) -> &[[u32; 3]] {
        &self.bodies[body.0].triangles
    }

    /// A body's wires and sheets where they are now; none for one that has an inside.
    pub fn thin_mesh(&self, body: BodyId) -> Option<ThinMesh> {
        let b = &self.bodies[body.0];
        (b.radius > 0.0).then(|| ThinMesh {
            vertices: self.surface_positions(body),
            triangles: b.triangles.clone(),
            wires: b.wires.clone(),
            radius: b.radius,
        })
    }

    /// For every vertex of a body's collision surface the node that it is; none where several nodes carry it.
    pub fn surface_nodes(&self, body: BodyId) -> impl Iterator<Item = Option<usize>> {
        let Body { surface_points, points, .. } = &self.bodies[body.0];
        surface_points.iter().map(|p| points.contains(p).then(|| p - points.start))
    }

    /// Nodes of a soft body (vertices of another), m.
    pub fn nodes(&self, body: BodyId) -> &[DVec3] {
        &self.state.at.points[self.bodies[body.0].points.clone()]
    }

    /// Velocities of the nodes of a soft body (vertices of another), m/s.
    pub fn node_velocities(&self, body: BodyId) -> &[DVec3] {
        &self.state.point_velocities[self.bodies[body.0].points.clone()]
    }

    /// Cells of a soft body at rest.
    pub fn rest_mesh(&self, body: BodyId) -> Option<&VolumeMesh> {
        self.bodies[body.0].mesh.as_ref()
    }

    /// Orientation of a rigid body from its start, if it is one.
    pub fn orientation(&self, body: BodyId) -> Option<cupule_geometry::DQuat> {
        self.bodies[body.0].frame.map(|f| self.state.at.frames[f].orientation)
    }

    /// Spin of a rigid body, rad/s, if it is one.
    pub fn angular_velocity(&self, body: BodyId) -> Option<DVec3> {
        self.bodies[body.0].frame.map(|f| self.state.velocities[self.state.at.frames[f].block + 1])
    }

    /// A hash of every position and velocity: equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        let at = &self.state.at;
        let poses = at
            .frames
            .iter()
            .flat_map(|f| f.position.to_array().into_iter().chain(f.orientation.to_array()));
        let vectors = at.points.iter().chain(&self.state.velocities).flat_map(|v| v.to_array());
        // FNV-1a over the bits.
        poses
            .chain(vectors)
            .flat_map(|v| v.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    }
}
