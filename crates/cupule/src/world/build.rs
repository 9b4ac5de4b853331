//! Adding bodies: each becomes points, ties and, where it has them, elements or a frame.

use super::spec::{
    BodyId, FemSpec, KinematicSpec, MassSpec, RigidSpec, ThinMotion, ThinSpec, WorldError,
};
use super::substance::Substance;
use super::{Body, BodyKind, World};
use crate::element::pool;
use crate::mapping::{Frame, Tie};
use crate::model::{RigidMass, Soft};
use crate::motion::Motion;
use cupule_geometry::cage::embed;
use cupule_geometry::{DMat3, DQuat, DVec3, GeometryError, MassProperties, ThinMesh, TriMesh};
use std::ops::Range;

/// Stands for the block of a node until preparation numbers them all; frames come first.
const UNNUMBERED: usize = usize::MAX;

impl World {
    /// Adds a deformable body.
    pub fn add_fem(&mut self, spec: FemSpec) -> Result<BodyId, WorldError> {
        self.refuse_if_prepared(&spec.name)?;
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        spec.mesh.check().map_err(defect)?;
        let body = self.bodies.len();
        let substance = Substance::new(&spec)?;
        let mass = total_mass(&spec.name, spec.mass, substance.volume)?;
        let density = mass / substance.volume;
        let first = self.model.ties.len();
        for (node, x) in spec.mesh.nodes.iter().enumerate() {
            let velocity = spec.velocity + spec.angular_velocity.cross(*x - substance.centre);
            let mass = substance.at_nodes.get(node).map_or(0.0, |volume| volume * density);
            self.push_point(Tie::Free(UNNUMBERED), *x, velocity, mass);
        }
        let points = first..self.model.ties.len();
        let carriers = self.add_carriers(&spec, &substance, first, density);
        let (surface_points, triangles) = match &spec.surface {
            None => {
                let (surface, nodes) = spec.mesh.boundary();
                (nodes.iter().map(|n| first + *n as usize).collect(), surface.triangles)
            }
            Some(surface) => self.embed_surface(surface, &spec, first).map_err(defect)?,
        };
        self.model.soft.push(Soft {
            points: points.clone(),
            carriers: carriers.clone(),
            elements: pool(
                &spec.mesh,
                &spec.material,
                spec.formulation,
                substance.fillings.as_deref(),
            ),
            modulus: spec.material.isotropic().youngs_modulus(),
            damping: spec.damping,
            body,
        });
        self.bodies.push(Body {
            name: spec.name,
            kind: BodyKind::Fem,
            points,
            carriers,
            surface_points,
            triangles,
            wires: Vec::new(),
            radius: 0.0,
            mass,
            frame: None,
            drive: None,
            self_contact: spec.self_contact,
            closed: true,
            mesh: Some(spec.mesh),
            material: Some((spec.material, spec.formulation)),
            fillings: substance.fillings,
        });
        Ok(BodyId(body))
    }

    /// Adds the points that carry the mass of a body; those of a plain one are its nodes.
    fn add_carriers(
        &mut self,
        spec: &FemSpec,
        substance: &Substance,
        first: usize,
        density: f64,
    ) -> Range<usize> {
        let begin = self.model.ties.len();
        let Some(inside) = &substance.inside else { return first..begin };
        for (k, (cell, volume)) in inside.points.iter().enumerate() {
            let weights = &inside.weights[k * inside.nodes_per_cell..];
            let nodes = spec.mesh.cells.nodes_of(*cell as usize);
            self.push_combined(nodes, weights, first, volume * density);
        }
        begin..self.model.ties.len()
    }

    /// Adds a point that hangs on nodes of the body whose first node is point `first`. On a face or an edge of a cell it hangs on its nodes
    /// alone: what the others have by rounding would only make rows longer.
    fn push_combined(&mut self, nodes: &[u32], weights: &[f64], first: usize, mass: f64) -> usize {
        let carries = |(_, w): &(&u32, &f64)| w.abs() > 1e-12;
        let parts: Vec<(usize, f64)> = (nodes.iter().zip(weights).filter(carries))
            .map(|(n, w)| (first + *n as usize, *w))
            .collect();
        let sum = |values: &[DVec3]| parts.iter().map(|(p, w)| values[*p] * *w).sum();
        let (x, velocity) = (sum(&self.state.at.points), sum(&self.state.point_velocities));
        self.push_point(Tie::Combined(parts), x, velocity, mass)
    }

    fn embed_surface(
        &mut self,
        surface: &TriMesh,
        spec: &FemSpec,
        first: usize,
    ) -> Result<(Vec<usize>, Vec<[u32; 3]>), GeometryError> {
        surface.check_closed()?;
        let embedding = embed(&surface.vertices, &spec.mesh)?;
        let mut points = Vec::with_capacity(surface.vertices.len());
        for i in 0..surface.vertices.len() {
            let nodes = spec.mesh.cells.nodes_of(embedding.cell[i] as usize);
            points.push(self.push_combined(nodes, embedding.weights_of(i), first, 0.0));
        }
        Ok((points, surface.triangles.clone()))
    }

    /// Adds a rigid body.
    pub fn add_rigid(&mut self, spec: RigidSpec) -> Result<BodyId, WorldError> {
        self.refuse_if_prepared(&spec.name)?;
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        spec.surface.check_closed().map_err(defect)?;
        let solid = spec.surface.mass_properties().map_err(defect)?;
        let motion = [spec.velocity, spec.angular_velocity];
        self.push_rigid(spec.name, Hull::of(spec.surface), &solid, spec.mass, motion)
    }

    /// Adds a kinematic or static body.
    pub fn add_kinematic(&mut self, spec: KinematicSpec) -> Result<BodyId, WorldError> {
        self.refuse_if_prepared(&spec.name)?;
        spec.surface
            .check()
            .map_err(|source| WorldError::Mesh { body: spec.name.clone(), source })?;
        Ok(self.push_kinematic(spec.name, Hull::of(spec.surface), spec.motion))
    }

    /// Adds a rigid body of wires and sheets.
    pub fn add_thin(&mut self, spec: ThinSpec) -> Result<BodyId, WorldError> {
        self.refuse_if_prepared(&spec.name)?;
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        let solid = spec.mesh.mass_properties().map_err(defect)?;
        let ThinMesh { vertices, triangles, wires, radius } = spec.mesh;
        let hull = Hull { surface: TriMesh { vertices, triangles }, wires, radius };
        match spec.motion {
            ThinMotion::Free { mass, velocity, angular_velocity } => {
                self.push_rigid(spec.name, hull, &solid, mass, [velocity, angular_velocity])
            }
            ThinMotion::Led(motion) => Ok(self.push_kinematic(spec.name, hull, motion)),
        }
    }

    /// `motion` is velocity and spin at the start.
    fn push_rigid(
        &mut self,
        name: String,
        hull: Hull,
        solid: &MassProperties,
        mass: MassSpec,
        motion: [DVec3; 2],
    ) -> Result<BodyId, WorldError> {
        let mass = total_mass(&name, mass, solid.volume)?;
        let (body, frame) = (self.bodies.len(), self.model.rigid.len());
        self.model.rigid.push(RigidMass {
            mass,
            inertia: solid.inertia * (mass / solid.volume),
            body,
        });
        self.state.at.frames.push(Frame {
            position: solid.centroid,
            orientation: DQuat::IDENTITY,
            block: 2 * frame,
            stretch: DMat3::IDENTITY,
        });
        self.state.velocities.extend(motion);
        let first = self.model.ties.len();
        for x in &hull.surface.vertices {
            let arm = *x - solid.centroid;
            let velocity = motion[0] + motion[1].cross(arm);
            self.push_point(Tie::Carried { frame, arm }, *x, velocity, 0.0);
        }
        let body = self.hull_body(name, BodyKind::Rigid, first, hull);
        Ok(self.push_body(Body { mass, frame: Some(frame), ..body }))
    }

    fn push_kinematic(&mut self, name: String, hull: Hull, motion: Motion) -> BodyId {
        let kind = if motion.is_fixed() { BodyKind::Static } else { BodyKind::Kinematic };
        self.model.drives.push(motion);
        let (first, drive) = (self.model.ties.len(), self.model.drives.len() - 1);
        for x in &hull.surface.vertices {
            self.push_point(Tie::Driven { drive, start: *x }, *x, DVec3::ZERO, 0.0);
        }
        let body = self.hull_body(name, kind, first, hull);
        self.push_body(Body { drive: Some(drive), ..body })
    }

    /// Sets gravity, m/s2.
    pub fn set_gravity(&mut self, gravity: DVec3) {
        let before = self.stored_now();
        self.settings.gravity = gravity;
        // What the change does to the energy of height is work of whoever changes it.
        if self.memory.stored.is_some() {
            let now = self.stored_energy(&self.state);
            self.memory.work += now.gravity - before.gravity;
            self.memory.stored = Some(now);
        }
    }

    /// Sets the friction coefficient of a pair of bodies (or of a body with itself).
    pub fn set_friction(&mut self, a: BodyId, b: BodyId, friction: f64) {
        self.friction.insert((a.0.min(b.0), a.0.max(b.0)), friction);
    }

    /// Says that two bodies never seal, however near they are: one of them is rough.
    pub fn set_rough(&mut self, a: BodyId, b: BodyId) {
        if let Some(air) = &mut self.air {
            air.add_rough(a.0, b.0);
        }
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

    /// Refuses what comes too late to be numbered.
    pub(super) fn refuse_if_prepared(&self, what: &str) -> Result<(), WorldError> {
        if self.engine.is_some() {
            Err(WorldError::Prepared { what: what.to_owned() })
        } else {
            Ok(())
        }
    }

    pub(super) fn refuse_unknown(&self, body: BodyId) -> Result<(), WorldError> {
        let (index, count) = (body.0, self.bodies.len());
        if index < count { Ok(()) } else { Err(WorldError::Unknown { what: "body", index, count }) }
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
                let [a, b, c] = points.map(|p| self.state.at.points[p]);
                let area = 0.5 * (b - a).cross(c - a).length();
                self.point_forces.extend(points.map(|p| (p, traction * (area / 3.0))));
                loaded += area;
            }
        }
        loaded
    }

    pub(super) fn push_point(&mut self, tie: Tie, x: DVec3, velocity: DVec3, mass: f64) -> usize {
        self.model.ties.push(tie);
        self.model.masses.push(mass);
        self.state.at.points.push(x);
        self.state.point_velocities.push(velocity);
        self.body_of_point.push(self.bodies.len());
        self.model.ties.len() - 1
    }

    /// A body without cells, from point `first` on.
    fn hull_body(&self, name: String, kind: BodyKind, first: usize, hull: Hull) -> Body {
        let points = first..self.model.ties.len();
        Body {
            name,
            kind,
            carriers: points.clone(),
            surface_points: points.clone().collect(),
            points,
            closed: hull.radius == 0.0 && hull.surface.check_closed().is_ok(),
            triangles: hull.surface.triangles,
            wires: hull.wires,
            radius: hull.radius,
            mass: 0.0,
            frame: None,
            drive: None,
            self_contact: false,
            mesh: None,
            material: None,
            fillings: None,
        }
    }

    fn push_body(&mut self, body: Body) -> BodyId {
        self.bodies.push(body);
        BodyId(self.bodies.len() - 1)
    }
}

/// What collides of a body without cells.
struct Hull {
    surface: TriMesh,
    wires: Vec<[u32; 2]>,
    radius: f64,
}

impl Hull {
    fn of(surface: TriMesh) -> Self {
        Self { surface, wires: Vec::new(), radius: 0.0 }
    }
}

fn total_mass(body: &str, spec: MassSpec, volume: f64) -> Result<f64, WorldError> {
    let (value, mass) = match spec {
        MassSpec::Density(density) => (density, density * volume),
        MassSpec::Total(mass) => (mass, mass),
    };
    let good = value.is_finite() && mass.is_finite() && mass > 0.0;
    if good { Ok(mass) } else { Err(WorldError::Mass { body: body.to_owned(), value }) }
}

pub(super) fn weighted_mean(x: &[DVec3], weights: &[f64]) -> DVec3 {
    let total: f64 = weights.iter().sum();
    x.iter().zip(weights).map(|(x, w)| *x * *w).sum::<DVec3>() / total
}
