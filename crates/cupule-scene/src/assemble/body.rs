//! Bodies from their tables: each kind goes to the builder in its own way.

use cupule::element::Formulation;
use cupule::material::{Isotropic, Material};
use cupule::model::Rayleigh;
use cupule::motion::Motion;
use cupule::world::{
    BodyId, FemSpec, KinematicSpec, MassSpec, RigidSpec, ThinMotion, ThinSpec, WorldError,
};
use cupule_geometry::{DQuat, DVec3, ThinMesh, TriMesh};

use super::{Builder, Placed, motion, world_error};
use crate::error::{Problem, SceneError};
use crate::geometry::{hard, orientation, soft, thin};
use crate::meaning::size_warning;
use crate::model::{
    self, Body, Drive, ElementFormulation, FemBody, Geometry, MaterialModel, RigidBody,
};

/// What collides of a body without cells, in its own frame.
enum Collider {
    Solid(TriMesh),
    Thin(ThinMesh),
}

impl Builder<'_> {
    pub(super) fn body(&mut self, name: &str, body: &Body) -> Result<(), SceneError> {
        let path = format!("bodies.{name}");
        let placed = match body {
            Body::Fem(keys) => self.fem(name, &path, keys)?,
            Body::Rigid(keys) => {
                let collider = self.collider(&path, &keys.geometry, keys.resolution)?;
                self.warn_of_collider(&path, &collider);
                let added = self.rigid(name, keys, collider);
                self.without_nodes(&path, added)?
            }
            Body::Kinematic(keys) => {
                let collider = self.collider(&path, &keys.geometry, keys.resolution)?;
                self.warn_of_collider(&path, &collider);
                let added = self.led(name, &keys.geometry, keys.motion.as_ref(), collider);
                self.without_nodes(&path, added)?
            }
            // The ground may be as large as it likes.
            Body::Static(keys) => {
                let collider = self.collider(&path, &keys.geometry, keys.resolution)?;
                let added = self.led(name, &keys.geometry, None, collider);
                self.without_nodes(&path, added)?
            }
        };
        self.bodies.insert(name.to_string(), placed);
        Ok(())
    }

    fn without_nodes(
        &self,
        path: &str,
        added: Result<BodyId, WorldError>,
    ) -> Result<Placed, SceneError> {
        let id = added.map_err(|error| world_error(self.loaded, path, error))?;
        Ok(Placed { id, nodes: Vec::new() })
    }

    fn warn_of_size(&mut self, path: &str, points: &[DVec3]) {
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        if let Some(message) = size_warning((high - low).max_element()) {
            self.warnings.push(Problem::new(self.loaded.origin_of(path), path, message));
        }
    }

    /// Wires and sheets may be as fine as they like.
    fn warn_of_collider(&mut self, path: &str, collider: &Collider) {
        if let Collider::Solid(surface) = collider {
            self.warn_of_size(path, &surface.vertices);
        }
    }

    fn fem(&mut self, name: &str, path: &str, body: &FemBody) -> Result<Placed, SceneError> {
        let refuse =
            |key: &str, message: String| self.loaded.error(&format!("{path}.{key}"), message);
        let made = soft(body).map_err(|(key, message)| refuse(key, message))?;
        let (rotation, position) = pose(&body.geometry);
        let nodes = made.mesh.nodes.clone();
        let material = material(&body.material).map_err(|message| refuse("material", message))?;
        let damping = body.material.damping;
        let spec = FemSpec {
            name: name.to_string(),
            mesh: made.mesh.rotated(rotation).translated(position),
            material,
            mass: mass(body.mass, body.material.density, made.volume),
            damping: Rayleigh { mass: damping.mass, stiffness: damping.stiffness },
            formulation: formulation(body.formulation),
            surface: made.surface.map(|surface| surface.rotated(rotation).translated(position)),
            caged: made.caged,
            self_contact: body.self_contact,
            velocity: body.velocity.into(),
            angular_velocity: body.angular_velocity.into(),
        };
        self.warn_of_size(path, &nodes);
        let id = self.world.add_fem(spec).map_err(|error| world_error(self.loaded, path, error))?;
        Ok(Placed { id, nodes })
    }

    fn collider(
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

    fn rigid(
        &mut self,
        name: &str,
        keys: &RigidBody,
        collider: Collider,
    ) -> Result<BodyId, WorldError> {
        let name = name.to_string();
        let density = keys.material.as_ref().and_then(|material| material.density);
        let mass = mass(keys.mass, density, None);
        let (velocity, angular_velocity) = (keys.velocity.into(), keys.angular_velocity.into());
        match collider.placed(&keys.geometry) {
            Collider::Solid(surface) => {
                let spec = RigidSpec { name, surface, mass, velocity, angular_velocity };
                self.world.add_rigid(spec)
            }
            Collider::Thin(mesh) => {
                let motion = ThinMotion::Free { mass, velocity, angular_velocity };
                self.world.add_thin(ThinSpec { name, mesh, motion })
            }
        }
    }

    /// Adds a body that goes along a path, or stays where it is.
    fn led(
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
    fn placed(self, geometry: &Geometry) -> Self {
        let (rotation, position) = pose(geometry);
        match self {
            Self::Solid(surface) => Self::Solid(surface.rotated(rotation).translated(position)),
            Self::Thin(mesh) => Self::Thin(mesh.rotated(rotation).translated(position)),
        }
    }
}

fn pose(geometry: &Geometry) -> (DQuat, DVec3) {
    (orientation(geometry.rotation.as_ref()), DVec3::from(geometry.position))
}

fn material(material: &model::Material) -> Result<Material, String> {
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let isotropic =
        Isotropic::new(number(material.youngs_modulus), number(material.poissons_ratio))
            .map_err(|error| error.to_string())?;
    Ok(match material.model {
        MaterialModel::Corotated => Material::Corotated(isotropic),
        MaterialModel::StableNeoHookean => Material::StableNeoHookean(isotropic),
    })
}

/// The check has made sure that one of the two is given; NaN would be refused by the world.
fn mass(total: Option<f64>, density: Option<f64>, volume: Option<f64>) -> MassSpec {
    let density = density.unwrap_or(f64::NAN);
    match (total, volume) {
        (Some(total), _) => MassSpec::Total(total),
        // Cells that cover a solid are larger than it: its mass is that of the solid.
        (None, Some(volume)) => MassSpec::Total(density * volume),
        (None, None) => MassSpec::Density(density),
    }
}

fn formulation(formulation: Option<ElementFormulation>) -> Formulation {
    match formulation {
        None | Some(ElementFormulation::Default) => Formulation::Default,
        Some(ElementFormulation::Standard) => Formulation::Standard,
        Some(ElementFormulation::BBar) => Formulation::Bbar,
        Some(ElementFormulation::EnhancedStrain) => Formulation::EnhancedStrain,
    }
}
