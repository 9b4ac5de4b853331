//! Soft bodies: nodes with unknowns of their own, cells with elements, a surface that they carry.

use super::bodies::total_mass;
use super::spec::{BodyId, FemSpec, WorldError};
use super::substance::Substance;
use super::{Point, WorldBuilder, embedded_parts, parts_in_cell};
use crate::contact::CollisionSurface;
use crate::element::pool;
use crate::mapping::Tie;
use crate::model::Soft;
use crate::world::assembly::{Body, BodyKind};
use cupule_geometry::cage::embed;
use cupule_geometry::{DVec3, GeometryError, TriMesh};
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
}
