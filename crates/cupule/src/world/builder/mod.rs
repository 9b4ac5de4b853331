//! Building a world: bodies, what holds and loads them, what is between them. [`WorldBuilder::build`] numbers the unknowns,
//! checks the start state and makes the solver; the world that comes out is ready to step.

mod attach;
mod bodies;
mod cable;
mod fem;
mod kinematic;
mod ready;
mod rigid;
mod spec;
mod spring;
mod substance;
mod thin;
mod tie;

pub use spec::{
    AttachmentId, AttachmentSpec, BodyId, FemSpec, Hold, KinematicSpec, MassSpec, RigidSpec,
    StepError, ThinMotion, ThinSpec, WorldError, WrenchPath,
};

pub use spring::{SpringEnd, SpringSpec, SpringsSpec};

pub(super) use bodies::weighted_mean;

use super::assembly::{Attachment, Body};
use super::bonds::BondSpec;
use super::cable::Cable;
use crate::cavity::{AirSpace, Line, Muscle, SurfacePoint};
use crate::element::ElementPool;
use crate::law::{Interface, Interfaces, coulomb};
use crate::mapping::{Frame, Tie};
use crate::model::{Rayleigh, RigidMass, Soft};
use crate::motion::Motion;
use crate::settings::Settings;
use cupule_geometry::cage::Embedding;
use cupule_geometry::distance::point_triangle;
use cupule_geometry::{DVec3, VolumeMesh};
use std::sync::Arc;

/// Takes what is to be simulated, and refuses what is wrong.
pub struct WorldBuilder {
    settings: Settings,
    bodies: Vec<Body>,
    attachments: Vec<Attachment>,
    cables: Vec<Cable>,
    point_forces: Vec<(usize, DVec3)>,
    interfaces: Interfaces,
    bonds: Vec<BondSpec>,
    air: Option<AirSpace>,
    points: Vec<Point>,
    /// Rigid bodies, with their velocities and spins.
    frames: Vec<(Frame, [DVec3; 2])>,
    rigid: Vec<RigidMass>,
    soft: Vec<Soft>,
    drives: Vec<Motion>,
}

/// A material point at the start.
struct Point {
    /// What it follows; none for a point that gets unknowns of its own.
    tie: Option<Tie>,
    /// Where it gets unknowns of its own: for every axis 1 where it is free, and 0 where it is held.
    free: DVec3,
    /// m.
    at: DVec3,
    /// m/s.
    velocity: DVec3,
    /// kg; zero for points that carry none.
    mass: f64,
    body: usize,
}

impl WorldBuilder {
    /// Nothing yet.
    pub fn new(settings: Settings) -> Self {
        let air = settings.air.clone().map(|air| AirSpace::new(air, settings.contact_distance));
        Self {
            interfaces: Interfaces::new(coulomb(settings.friction)),
            settings,
            bodies: Vec::new(),
            attachments: Vec::new(),
            cables: Vec::new(),
            point_forces: Vec::new(),
            bonds: Vec::new(),
            air,
            points: Vec::new(),
            frames: Vec::new(),
            rigid: Vec::new(),
            soft: Vec::new(),
            drives: Vec::new(),
        }
    }

    /// Sets what lies between a pair of bodies, or between a body and itself.
    pub fn set_interface(&mut self, a: BodyId, b: BodyId, interface: Arc<dyn Interface>) {
        self.interfaces.set(a.0, b.0, interface);
    }

    /// Bonds a vertex of a body to a material point of another, or of the same body. What is wrong with it is said by `build`.
    pub fn add_bond(&mut self, bond: BondSpec) {
        self.bonds.push(bond);
    }

    /// Adds a pool of elements over all nodes of a soft body, beside its cells: what else resists when it deforms. The elements' node i is
    /// node i of the body. `damping` (s) is their stiffness damping.
    pub fn add_pool(
        &mut self,
        body: BodyId,
        elements: Arc<dyn ElementPool>,
        damping: f64,
    ) -> Result<(), WorldError> {
        self.refuse_unknown(body)?;
        let Body { points, carriers, pools, .. } = &mut self.bodies[body.0];
        let (nodes, count) = (elements.connectivity(), points.len());
        if let Some(node) = nodes.iter().map(|node| *node as usize).find(|node| *node >= count) {
            return Err(WorldError::Unknown { what: "node", index: node, count });
        }
        if pools.is_empty() || !(damping >= 0.0 && damping.is_finite()) {
            let (key, expected) = ("damping", "0 or more (s), on a soft body");
            return Err(WorldError::Setting { key, value: damping, expected });
        }
        pools.push(self.soft.len());
        self.soft.push(Soft {
            points: points.clone(),
            carriers: carriers.end..carriers.end,
            shares_nodes: true,
            elements,
            modulus: None,
            damping: Rayleigh { mass: 0.0, stiffness: damping },
            body: body.0,
        });
        Ok(())
    }

    /// Says that two bodies never seal, however near they are: one of them is rough.
    pub fn set_rough(&mut self, a: BodyId, b: BodyId) {
        if let Some(air) = &mut self.air {
            air.add_rough(a.0, b.0);
        }
    }

    /// Adds a line of tubes; false where the world holds no air.
    pub fn add_line(&mut self, line: Line) -> bool {
        self.air.as_mut().map(|air| air.add_line(line)).is_some()
    }

    /// Adds a muscle; false where the world holds no air.
    pub fn add_muscle(&mut self, muscle: Muscle) -> bool {
        self.air.as_mut().map(|air| air.add_muscle(muscle)).is_some()
    }

    /// Adds a constant force (N) on a node of a soft body.
    pub fn add_node_force(
        &mut self,
        body: BodyId,
        node: u32,
        force: DVec3,
    ) -> Result<(), WorldError> {
        self.refuse_unknown(body)?;
        let points = &self.bodies[body.0].points;
        let (index, count) = (node as usize, points.len());
        if index >= count {
            return Err(WorldError::Unknown { what: "node", index, count });
        }
        self.point_forces.push((points.start + index, force));
        Ok(())
    }

    /// Adds a constant traction (Pa, per present area at the start) on the boundary faces of a soft body whose nodes are all listed;
    /// returns their area, m2.
    pub fn add_traction(&mut self, body: BodyId, nodes: &[u32], traction: DVec3) -> f64 {
        let body = &self.bodies[body.0];
        // An embedded surface has no nodes of the body: the load is on the cells' own boundary.
        let Some(mesh) = &body.mesh else { return 0.0 };
        let mut loaded = 0.0;
        let (surface, boundary) = mesh.boundary();
        let listed: std::collections::BTreeSet<u32> = nodes.iter().copied().collect();
        for triangle in &surface.triangles {
            let corners = triangle.map(|v| boundary[v as usize]);
            if corners.iter().all(|n| listed.contains(n)) {
                let points = corners.map(|n| body.points.start + n as usize);
                let [a, b, c] = points.map(|p| self.points[p].at);
                let area = 0.5 * (b - a).cross(c - a).length();
                self.point_forces.extend(points.map(|p| (p, traction * (area / 3.0))));
                loaded += area;
            }
        }
        loaded
    }

    /// Number of bodies so far.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Nodes of a soft body (vertices of another) at the start, m.
    pub fn nodes(&self, body: BodyId) -> Vec<DVec3> {
        self.points[self.bodies[body.0].points.clone()].iter().map(|point| point.at).collect()
    }

    /// Vertices (m) of a body's collision surface at the start.
    pub fn surface_positions(&self, body: BodyId) -> Vec<DVec3> {
        self.bodies[body.0].surface.points.iter().map(|p| self.points[*p].at).collect()
    }

    /// Triangles of a body's collision surface.
    pub fn surface_triangles(&self, body: BodyId) -> &[[u32; 3]] {
        &self.bodies[body.0].surface.triangles
    }

    /// The point of a body's surface that is nearest to a place (m) at the start.
    pub fn nearest_surface_point(&self, body: BodyId, to: DVec3) -> Option<SurfacePoint> {
        nearest(body, &self.surface_positions(body), self.surface_triangles(body), to)
    }

    fn refuse_unknown(&self, body: BodyId) -> Result<(), WorldError> {
        let (index, count) = (body.0, self.bodies.len());
        if index < count { Ok(()) } else { Err(WorldError::Unknown { what: "body", index, count }) }
    }

    fn push_point(&mut self, tie: Option<Tie>, at: DVec3, velocity: DVec3, mass: f64) -> usize {
        let (body, free) = (self.bodies.len(), DVec3::ONE);
        self.points.push(Point { tie, free, at, velocity, mass, body });
        self.points.len() - 1
    }

    fn push_drive(&mut self, motion: Motion) -> usize {
        self.drives.push(motion);
        self.drives.len() - 1
    }
}

/// The point of a body's surface that is nearest to a place (m).
pub(super) fn nearest(
    body: BodyId,
    x: &[DVec3],
    triangles: &[[u32; 3]],
    to: DVec3,
) -> Option<SurfacePoint> {
    let closest = |t: &[u32; 3]| point_triangle(to, t.map(|v| x[v as usize]));
    let found = triangles.iter().map(closest).enumerate();
    let (triangle, near) =
        found.min_by(|a, b| a.1.distance_squared.total_cmp(&b.1.distance_squared))?;
    Some(SurfacePoint { body: body.0, triangle: triangle as u32, at: near.weights })
}

/// The parts of a [`Tie::Combined`] for every embedded point, in order: nodes of its cell of `mesh`, and their weights. Node 0 of the
/// mesh is point `first` of the world.
fn embedded_parts(
    embedding: &Embedding,
    mesh: &VolumeMesh,
    first: usize,
) -> impl Iterator<Item = Vec<(usize, f64)>> {
    embedding.cell.iter().enumerate().map(move |(i, cell)| {
        parts_in_cell(mesh.cells.nodes_of(*cell as usize), embedding.weights_of(i), first)
    })
}

/// The same for one point, by the nodes of its cell and their weights.
fn parts_in_cell(nodes: &[u32], weights: &[f64], first: usize) -> Vec<(usize, f64)> {
    nodes.iter().zip(weights).map(|(node, weight)| (first + *node as usize, *weight)).collect()
}
