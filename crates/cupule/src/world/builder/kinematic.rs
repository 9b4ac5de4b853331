//! Kinematic and static bodies: points that follow a motion, or stay.

use super::WorldBuilder;
use super::bodies::solid_surface;
use super::spec::{BodyId, KinematicSpec, WorldError};
use crate::mapping::Tie;
use crate::motion::Motion;
use crate::world::assembly::{Body, BodyKind};
use cupule_geometry::{DVec3, ThinMesh};

impl WorldBuilder {
    /// Adds a kinematic or static body.
    pub fn add_kinematic(&mut self, spec: KinematicSpec) -> Result<BodyId, WorldError> {
        spec.surface
            .check()
            .map_err(|source| WorldError::Mesh { body: spec.name.clone(), source })?;
        Ok(self.push_kinematic(spec.name, solid_surface(spec.surface), spec.motion))
    }

    pub(super) fn push_kinematic(
        &mut self,
        name: String,
        mesh: ThinMesh,
        motion: Motion,
    ) -> BodyId {
        let kind = if motion.is_fixed() { BodyKind::Static } else { BodyKind::Kinematic };
        let (first, drive) = (self.points.len(), self.push_drive(motion));
        for x in &mesh.vertices {
            self.push_point(Some(Tie::Driven { drive, start: *x }), *x, DVec3::ZERO, 0.0);
        }
        let body = self.without_cells(name, kind, first, mesh);
        self.push_body(Body { drive: Some(drive), ..body })
    }
}
