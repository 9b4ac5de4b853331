//! Adding bodies: each becomes points, ties and, where it has them, elements or a frame.

use super::spec::{
    BodyId, FemSpec, KinematicSpec, MassSpec, RigidSpec, ThinMotion, ThinSpec, WorldError,
};
use super::substance::Substance;
use super::{Point, WorldBuilder, embedded_parts, parts_in_cell};
use crate::contact::CollisionSurface;
use crate::element::pool;
use crate::mapping::{Frame, Tie};
use crate::model::{RigidMass, Soft};
use crate::motion::Motion;
use crate::world::assembly::{Body, BodyKind};
use cupule_geometry::cage::embed;
use cupule_geometry::{DMat3, DQuat, DVec3, GeometryError, MassProperties, ThinMesh, TriMesh};
use std::ops::Range;

/// Weights (of 1) below this are rounding. A vertex on a face or an edge of a cell hangs on its nodes alone: what the others would have
/// only makes rows longer.
const ROUNDING: f64 = 1e-12;

impl WorldBuilder {
    /// Adds a deformable body.
    pub fn add_fem(&mut self, spec: FemSpec) -> Result<BodyId, WorldError> {
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        spec.mesh.check().map_err(defect)?;
        let body = self.bodies.len();
        let substance = Substance::new(&spec)?;
        let mass = total_mass(&spec.name, spec.mass, substance.volume)?;
        let density = mass / substance.volume;
        let first = self.points.len();
        for (node, x) in spec.mesh.nodes.iter().enumerate() {
            let velocity = spec.velocity + spec.angular_velocity.cross(*x - substance.centre);
            let mass = substance.at_nodes.get(node).map_or(0.0, |volume| volume * density);
            self.push_point(None, *x, velocity, mass);
        }
        let points = first..self.points.len();
        let carriers = self.add_carriers(&spec, &substance, first, density);
        let surface = match &spec.surface {
            None => {
                let (surface, nodes) = spec.mesh.boundary();
                CollisionSurface {
                    points: nodes.iter().map(|n| first + *n as usize).collect(),
                    triangles: surface.triangles,
                    ..CollisionSurface::default()
                }
            }
            Some(surface) => self.embed_surface(surface, &spec, first).map_err(defect)?,
        };
        let pools = vec![self.soft.len()];
        self.soft.push(Soft {
            points: points.clone(),
            carriers: carriers.clone(),
            shares_nodes: false,
            elements: pool(
                &spec.mesh,
                &spec.material,
                spec.formulation,
                substance.fillings.as_deref(),
            ),
            modulus: Some(spec.material.isotropic().youngs_modulus()),
            damping: spec.damping,
            body,
        });
        self.bodies.push(Body {
            name: spec.name,
            kind: BodyKind::Fem,
            points,
            carriers,
            surface,
            mass,
            frame: None,
            drive: None,
            self_contact: spec.self_contact,
            closed: true,
            mesh: Some(spec.mesh),
            material: Some((spec.material, spec.formulation)),
            fillings: substance.fillings,
            pools,
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
        let begin = self.points.len();
        let Some(inside) = &substance.inside else { return first..begin };
        for (k, (cell, volume)) in inside.points.iter().enumerate() {
            let weights = &inside.weights[k * inside.nodes_per_cell..];
            let nodes = spec.mesh.cells.nodes_of(*cell as usize);
            self.push_combined(parts_in_cell(nodes, weights, first), volume * density);
        }
        begin..self.points.len()
    }

    /// Adds a point that is a combination of other points.
    fn push_combined(&mut self, mut parts: Vec<(usize, f64)>, mass: f64) -> usize {
        parts.retain(|(_, weight)| weight.abs() > ROUNDING);
        let sum = |value: fn(&Point) -> DVec3| {
            parts.iter().map(|(p, w)| value(&self.points[*p]) * *w).sum()
        };
        let (x, velocity) = (sum(|point| point.at), sum(|point| point.velocity));
        self.push_point(Some(Tie::Combined(parts)), x, velocity, mass)
    }

    fn embed_surface(
        &mut self,
        surface: &TriMesh,
        spec: &FemSpec,
        first: usize,
    ) -> Result<CollisionSurface, GeometryError> {
        surface.check_closed()?;
        let embedding = embed(&surface.vertices, &spec.mesh)?;
        let all = embedded_parts(&embedding, &spec.mesh, first);
        let points = all.map(|parts| self.push_combined(parts, 0.0)).collect();
        let triangles = surface.triangles.clone();
        Ok(CollisionSurface { points, triangles, ..CollisionSurface::default() })
    }

    /// Adds a rigid body.
    pub fn add_rigid(&mut self, spec: RigidSpec) -> Result<BodyId, WorldError> {
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        spec.surface.check_closed().map_err(defect)?;
        let solid = spec.surface.mass_properties().map_err(defect)?;
        let motion = [spec.velocity, spec.angular_velocity];
        self.push_rigid(spec.name, solid_surface(spec.surface), &solid, spec.mass, motion)
    }

    /// Adds a kinematic or static body.
    pub fn add_kinematic(&mut self, spec: KinematicSpec) -> Result<BodyId, WorldError> {
        spec.surface
            .check()
            .map_err(|source| WorldError::Mesh { body: spec.name.clone(), source })?;
        Ok(self.push_kinematic(spec.name, solid_surface(spec.surface), spec.motion))
    }

    /// Adds a rigid body of wires and sheets.
    pub fn add_thin(&mut self, spec: ThinSpec) -> Result<BodyId, WorldError> {
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        let solid = spec.mesh.mass_properties().map_err(defect)?;
        match spec.motion {
            ThinMotion::Free { mass, velocity, angular_velocity } => {
                self.push_rigid(spec.name, spec.mesh, &solid, mass, [velocity, angular_velocity])
            }
            ThinMotion::Led(motion) => Ok(self.push_kinematic(spec.name, spec.mesh, motion)),
        }
    }

    /// `motion` is velocity and spin at the start.
    fn push_rigid(
        &mut self,
        name: String,
        mesh: ThinMesh,
        solid: &MassProperties,
        mass: MassSpec,
        motion: [DVec3; 2],
    ) -> Result<BodyId, WorldError> {
        let mass = total_mass(&name, mass, solid.volume)?;
        let (body, frame) = (self.bodies.len(), self.rigid.len());
        self.rigid.push(RigidMass { mass, inertia: solid.inertia * (mass / solid.volume), body });
        let pose = Frame {
            position: solid.centroid,
            orientation: DQuat::IDENTITY,
            block: 2 * frame,
            stretch: DMat3::IDENTITY,
        };
        self.frames.push((pose, motion));
        let first = self.points.len();
        for x in &mesh.vertices {
            let arm = *x - solid.centroid;
            let velocity = motion[0] + motion[1].cross(arm);
            self.push_point(Some(Tie::Carried { frame, arm }), *x, velocity, 0.0);
        }
        let body = self.without_cells(name, BodyKind::Rigid, first, mesh);
        Ok(self.push_body(Body { mass, frame: Some(frame), ..body }))
    }

    fn push_kinematic(&mut self, name: String, mesh: ThinMesh, motion: Motion) -> BodyId {
        let kind = if motion.is_fixed() { BodyKind::Static } else { BodyKind::Kinematic };
        let (first, drive) = (self.points.len(), self.push_drive(motion));
        for x in &mesh.vertices {
            self.push_point(Some(Tie::Driven { drive, start: *x }), *x, DVec3::ZERO, 0.0);
        }
        let body = self.without_cells(name, kind, first, mesh);
        self.push_body(Body { drive: Some(drive), ..body })
    }

    /// A body without cells, from point `first` on.
    fn without_cells(&self, name: String, kind: BodyKind, first: usize, mesh: ThinMesh) -> Body {
        let points = first..self.points.len();
        let closed = mesh.radius == 0.0 && check_closed(&mesh).is_ok();
        Body {
            name,
            kind,
            carriers: points.clone(),
            points,
            closed,
            surface: CollisionSurface::of(mesh, first),
            mass: 0.0,
            frame: None,
            drive: None,
            self_contact: false,
            mesh: None,
            material: None,
            fillings: None,
            pools: Vec::new(),
        }
    }

    fn push_body(&mut self, body: Body) -> BodyId {
        self.bodies.push(body);
        BodyId(self.bodies.len() - 1)
    }
}

/// The surface of a solid: it has no thickness of its own.
fn solid_surface(surface: TriMesh) -> ThinMesh {
    let TriMesh { vertices, triangles } = surface;
    ThinMesh { vertices, triangles, wires: Vec::new(), radius: 0.0 }
}

fn check_closed(mesh: &ThinMesh) -> Result<(), GeometryError> {
    let (vertices, triangles) = (mesh.vertices.clone(), mesh.triangles.clone());
    TriMesh { vertices, triangles }.check_closed()
}

fn total_mass(body: &str, spec: MassSpec, volume: f64) -> Result<f64, WorldError> {
    let (value, mass) = match spec {
        MassSpec::Density(density) => (density, density * volume),
        MassSpec::Total(mass) => (mass, mass),
    };
    let good = value.is_finite() && mass.is_finite() && mass > 0.0;
    if good { Ok(mass) } else { Err(WorldError::Mass { body: body.to_owned(), value }) }
}

pub(in crate::world) fn weighted_mean(x: &[DVec3], weights: &[f64]) -> DVec3 {
    let total: f64 = weights.iter().sum();
    x.iter().zip(weights).map(|(x, w)| *x * *w).sum::<DVec3>() / total
}
