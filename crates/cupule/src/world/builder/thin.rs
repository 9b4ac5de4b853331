//! Rigid bodies of wires and sheets, which have a thickness and no inside.

use super::WorldBuilder;
use super::spec::{BodyId, ThinMotion, ThinSpec, WorldError};

impl WorldBuilder {
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
}
