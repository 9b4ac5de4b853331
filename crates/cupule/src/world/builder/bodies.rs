//! What kinds of bodies share: those without cells, masses, surfaces.

use super::WorldBuilder;
use super::spec::{BodyId, MassSpec, WorldError};
use crate::contact::CollisionSurface;
use crate::world::assembly::{Body, BodyKind};
use cupule_geometry::{DVec3, GeometryError, ThinMesh, TriMesh};

impl WorldBuilder {
    /// A body without cells, from point `first` on.
    pub(super) fn without_cells(
        &self,
        name: String,
        kind: BodyKind,
        first: usize,
        mesh: ThinMesh,
    ) -> Body {
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

    pub(super) fn push_body(&mut self, body: Body) -> BodyId {
        self.bodies.push(body);
        BodyId(self.bodies.len() - 1)
    }
}

/// The surface of a solid: it has no thickness of its own.
pub(super) fn solid_surface(surface: TriMesh) -> ThinMesh {
    let TriMesh { vertices, triangles } = surface;
    ThinMesh { vertices, triangles, wires: Vec::new(), radius: 0.0 }
}

fn check_closed(mesh: &ThinMesh) -> Result<(), GeometryError> {
    let (vertices, triangles) = (mesh.vertices.clone(), mesh.triangles.clone());
    TriMesh { vertices, triangles }.check_closed()
}

pub(super) fn total_mass(body: &str, spec: MassSpec, volume: f64) -> Result<f64, WorldError> {
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
