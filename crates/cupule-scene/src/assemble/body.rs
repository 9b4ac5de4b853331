//! Bodies from their tables: what the kinds share. Each kind adds itself (`model/body`).

use cupule::motion::Motion;
use cupule::world::{BodyId, KinematicSpec, MassSpec, ThinMotion, ThinSpec, WorldError};
use cupule_geometry::{DQuat, DVec3, ThinMesh, TriMesh};

use super::{Builder, Placed, motion, world_error};
use crate::error::{Problem, SceneError};
use crate::geometry::{hard, orientation, thin};
use crate::meaning::size_warning;
use crate::model::{Body, Drive, Geometry};

/// What collides of a body without cells, in its own frame.
pub(crate) enum Collider {
    Solid(TriMesh),
    Thin(ThinMesh),
}

impl Builder<'_> {
    pub(super) fn body(&mut self, name: &str, body: &Body) -> Result<(), SceneError> {
        let placed = body.add(name, &format!("bodies.{name}"), self)?;
        self.bodies.insert(name.to_string(), placed);
        Ok(())
    }

    pub(crate) fn without_nodes(
        &self,
        path: &str,
        added: Result<BodyId, WorldError>,
    ) -> Result<Placed, SceneError> {
        let id = added.map_err(|error| world_error(self.loaded, path, error))?;
        Ok(Placed { id, nodes: Vec::new() })
    }

    pub(crate) fn warn_of_size(&mut self, path: &str, points: &[DVec3]) {
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        if let Some(message) = size_warning((high - low).max_element()) {
            self.warnings.push(Problem::new(self.loaded.origin_of(path), path, message));
        }
    }

    /// Wires and sheets may be as fine as they like.
    pub(crate) fn warn_of_collider(&mut self, path: &str, collider: &Collider) {
        if let Collider::Solid(surface) = collider {
            self.warn_of_size(path, &surface.vertices);
        }
    }

    pub(crate) fn collider(
        &self,
        path: &str,
        geometry: &Geometry,
        resolution: Option<f64>,
    ) -> Result<Collider, SceneError> {
        let refuse =
            |(key, message): (&str, String)| self.loaded.error(&format!("{path}.{key}"), message);
        match thin(geometry, resolution) {
            Some(mesh) => mesh.map(Collider::Thin).map_err(refuse),
            None => hard(geometry, resolution).map(Collider::Solid).map_err(refuse),
        }
    }

    /// Adds a body that goes along a path, or stays where it is.
    pub(crate) fn led(
        &mut self,
        name: &str,
        geometry: &Geometry,
        path: Option<&Drive>,
        collider: Collider,
    ) -> Result<BodyId, WorldError> {
        let name = name.to_string();
        let centre = DVec3::from(geometry.position);
        let motion = path.map_or_else(Motion::fixed, |drive| motion(drive, centre));
        match collider.placed(geometry) {
            Collider::Solid(surface) => {
                self.world.add_kinematic(KinematicSpec { name, surface, motion })
            }
            Collider::Thin(mesh) => {
                self.world.add_thin(ThinSpec { name, mesh, motion: ThinMotion::Led(motion) })
            }
        }
    }
}

impl Collider {
    /// From the body's own frame to the world.
    pub(crate) fn placed(self, geometry: &Geometry) -> Self {
        let (rotation, position) = pose(geometry);
        match self {
            Self::Solid(surface) => Self::Solid(surface.rotated(rotation).translated(position)),
            Self::Thin(mesh) => Self::Thin(mesh.rotated(rotation).translated(position)),
        }
    }
}

pub(crate) fn pose(geometry: &Geometry) -> (DQuat, DVec3) {
    (orientation(geometry.rotation.as_ref()), DVec3::from(geometry.position))
}

/// The check has made sure that one of the two is given; NaN would be refused by the world.
pub(crate) fn mass(total: Option<f64>, density: Option<f64>, volume: Option<f64>) -> MassSpec {
    let density = density.unwrap_or(f64::NAN);
    match (total, volume) {
        (Some(total), _) => MassSpec::Total(total),
        // Cells that cover a solid are larger than it: its mass is that of the solid.
        (None, Some(volume)) => MassSpec::Total(density * volume),
        (None, None) => MassSpec::Density(density),
    }
}
