//! Robots: every link that touches becomes a kinematic body that follows its joints.

use std::path::Path;
use std::sync::Arc;

use cupule::motion::{Arm, Joint, JointKind, JointPath, Motion, Pose};
use cupule::world::KinematicSpec;
use cupule_geometry::TriMesh;

use super::{Builder, Placed, profile, world_error};
use crate::error::SceneError;
use crate::geometry::{mesh_surface, orientation, shape_surface};
use crate::library::{SHIPPED_MESH, shipped_mesh};
use crate::model::Robot;
use crate::urdf::{self, Form, Urdf, UrdfLink};

impl Builder<'_> {
    pub(super) fn robot(&mut self, name: &str, robot: &Robot) -> Result<(), SceneError> {
        let path = format!("robots.{name}");
        let error =
            |key: &str, message: String| self.loaded.error(&format!("{path}.{key}"), message);
        let told = read(&robot.urdf).map_err(|message| error("urdf", message))?;
        let arm = arm(name, robot, &told).map_err(|message| error("joints.keys", message))?;
        let arm = Arc::new(arm);
        let mut ids = Vec::new();
        let links = told.joints.iter().enumerate().map(|(i, joint)| (Some(i), &joint.link));
        for (joint, link) in std::iter::once((None, &told.base)).chain(links) {
            let surface = surface(link, &robot.urdf).map_err(|message| error("urdf", message))?;
            let Some(surface) = surface else { continue };
            let start = arm.pose(joint, 0.0);
            let spec = KinematicSpec {
                name: format!("{name}_{}", link.name),
                surface: surface.rotated(start.rotation).translated(start.translation),
                motion: Motion::of_link(arm.clone(), joint),
            };
            let body = spec.name.clone();
            let id = self.world.add_kinematic(spec);
            let id = id.map_err(|error| world_error(self.loaded, &path, error))?;
            self.bodies.insert(body, Placed { id, nodes: Vec::new() });
            // Links overlap at their joints, and enclose nothing there.
            ids.iter().for_each(|other| self.world.set_rough(*other, id));
            ids.push(id);
        }
        Ok(())
    }
}

fn read(file: &str) -> Result<Urdf, String> {
    let text = match shipped_mesh(file) {
        Some(shipped) => String::from_utf8_lossy(shipped?.1).into_owned(),
        None => std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?,
    };
    urdf::read(&text).map_err(|message| format!("{file}: {message}"))
}

/// The arm with its joint values over time, which must be within the joints' limits.
fn arm(name: &str, robot: &Robot, told: &Urdf) -> Result<Arm, String> {
    let movable: Vec<_> = told.joints.iter().filter(|j| j.kind != JointKind::Fixed).collect();
    let keys: Vec<(f64, Vec<f64>)> =
        robot.joints.keys.iter().map(|key| (key.time, key.values.clone())).collect();
    for (time, values) in &keys {
        for (joint, value) in movable.iter().zip(values) {
            let [low, high] = joint.limits;
            if !(low..=high).contains(value) {
                return Err(format!(
                    "joint `{}` goes from {low} to {high}: it cannot be at {value} at {time} s",
                    joint.name
                ));
            }
        }
    }
    let joint = |joint: &urdf::UrdfJoint| Joint {
        parent: joint.parent,
        origin: joint.origin,
        axis: joint.axis,
        kind: joint.kind,
    };
    let base =
        Pose { rotation: orientation(robot.rotation.as_ref()), translation: robot.position.into() };
    let path = JointPath { keys, profile: profile(robot.joints.profile) };
    Arm::new(name.to_string(), base, told.joints.iter().map(joint).collect(), path)
}

/// The surface of a link in its own frame, if it touches anything.
fn surface(link: &UrdfLink, urdf: &str) -> Result<Option<TriMesh>, String> {
    let Some((pose, form)) = &link.collision else { return Ok(None) };
    let made = match form {
        Form::Shape(shape) => shape_surface(shape, None),
        Form::Mesh(file, scale) => {
            mesh_surface(&beside(file, urdf)).map(|surface| surface.scaled(*scale))
        }
    };
    let made = made.map_err(|message| format!("link `{}`: {message}", link.name))?;
    Ok(Some(made.rotated(pose.rotation).translated(pose.translation)))
}

/// Mesh files are named relative to the URDF file.
fn beside(mesh: &str, urdf: &str) -> String {
    match urdf.strip_prefix(SHIPPED_MESH) {
        Some(_) => format!("{SHIPPED_MESH}{mesh}"),
        None => {
            let folder = Path::new(urdf).parent().unwrap_or(Path::new(""));
            folder.join(mesh).to_string_lossy().into_owned()
        }
    }
}
