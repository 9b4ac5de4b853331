//! Rigid bodies that forces move: a frame with a mass, and points that it carries.

use super::WorldBuilder;
use super::bodies::{solid_surface, total_mass};
use super::spec::{BodyId, MassSpec, RigidSpec, WorldError};
use crate::mapping::{Frame, Tie};
use crate::model::RigidMass;
use crate::world::assembly::{Body, BodyKind};
use cupule_geometry::{DMat3, DQuat, DVec3, MassProperties, ThinMesh};

impl WorldBuilder {
    /// Adds a rigid body.
    pub fn add_rigid(&mut self, spec: RigidSpec) -> Result<BodyId, WorldError> {
        let defect = |source| WorldError::Mesh { body: spec.name.clone(), source };
        spec.surface.check_closed().map_err(defect)?;
        let solid = spec.surface.mass_properties().map_err(defect)?;
        let motion = [spec.velocity, spec.angular_velocity];
        self.push_rigid(spec.name, solid_surface(spec.surface), &solid, spec.mass, motion)
    }

    /// `motion` is velocity and spin at the start.
    pub(super) fn push_rigid(
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
}
