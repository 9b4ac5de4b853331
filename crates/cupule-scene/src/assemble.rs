//! From a checked scene to a world ready to step.

mod air;
pub(crate) mod body;
mod cable;
mod robot;

use std::collections::BTreeMap;

use cupule::motion::{Key, Motion, Profile};
use cupule::report::Wrench;
use cupule::settings::{Integrator, IpcSettings, NcpSettings, Settings, SolverChoice};
use cupule::world::{AttachmentSpec, BodyId, Hold, World, WorldBuilder, WorldError, WrenchPath};
use cupule_geometry::{DQuat, DVec3};

use crate::error::{Problem, SceneError};
use crate::geometry::{orientation, selected};
use crate::load::LoadedScene;
use crate::model::{self, Axis, Drive, DriveProfile, Scene, Select};

/// A world and what was noticed while it was built.
pub struct Assembled {
    /// Ready to step: its start state has been checked.
    pub world: World,
    /// Sizes that look like wrong units.
    pub warnings: Vec<Problem>,
}

/// Builds the meshes and the world of a scene and checks its start state.
pub fn assemble(loaded: &LoadedScene) -> Result<Assembled, SceneError> {
    let scene = &loaded.scene;
    let mut builder = Builder {
        loaded,
        world: WorldBuilder::new(settings(scene)),
        bodies: BTreeMap::new(),
        warnings: Vec::new(),
    };
    for (name, body) in &scene.bodies {
        builder.body(name, body)?;
    }
    for (name, robot) in &scene.robots {
        builder.robot(name, robot)?;
    }
    for (index, interface) in scene.interfaces.iter().enumerate() {
        let unknown = interface.between.iter().find(|name| builder.id(name).is_none());
        if let Some(name) = unknown {
            let path = format!("interfaces.{index}.between");
            return Err(loaded.error(&path, builder.no_body(name)));
        }
        if let [Some(a), Some(b)] = interface.between.each_ref().map(|name| builder.id(name)) {
            let (friction, stick_speed) = (scene.contact.friction, scene.solver.stick_speed);
            if let Some(between) = interface.interface(friction, stick_speed) {
                builder.world.set_interface(a, b, between);
            }
            if !interface.seals {
                builder.world.set_rough(a, b);
            }
        }
    }
    for (name, attachment) in &scene.attachments {
        builder.attachment(name, attachment)?;
    }
    for (name, cable) in &scene.cables {
        builder.cable(name, cable)?;
    }
    for (name, force) in &scene.forces {
        builder.force(name, force)?;
    }
    for (name, line) in scene.gas.iter().flat_map(|gas| &gas.lines) {
        builder.line(name, line)?;
    }
    for (name, muscle) in scene.gas.iter().flat_map(|gas| &gas.muscles) {
        builder.muscle(name, muscle)?;
    }
    let Builder { world, warnings, .. } = builder;
    let world = world.build().map_err(|error| world_error(loaded, "", error))?;
    Ok(Assembled { world, warnings })
}

/// A body that has been added.
pub(crate) struct Placed {
    pub(crate) id: BodyId,
    /// Nodes of a soft body in its own frame, for selections.
    pub(crate) nodes: Vec<DVec3>,
}

/// A world on its way from the scene.
pub(crate) struct Builder<'a> {
    pub(crate) loaded: &'a LoadedScene,
    pub(crate) world: WorldBuilder,
    bodies: BTreeMap<String, Placed>,
    warnings: Vec<Problem>,
}

impl Builder<'_> {
    fn no_body(&self, name: &str) -> String {
        let names: Vec<&str> = self.bodies.keys().map(String::as_str).collect();
        format!("no body is named `{name}`; there are {}", names.join(", "))
    }

    fn id(&self, name: &str) -> Option<BodyId> {
        self.bodies.get(name).map(|placed| placed.id)
    }

    /// The body and the nodes that a table names.
    fn choose(
        &self,
        path: &str,
        body: &str,
        select: Option<&Select>,
    ) -> Result<(BodyId, Vec<u32>), SceneError> {
        let Some(placed) = self.bodies.get(body) else {
            return Err(self.loaded.error(&format!("{path}.body"), self.no_body(body)));
        };
        let Some(select) = select else { return Ok((placed.id, Vec::new())) };
        let points = selected(select, &placed.nodes);
        if points.is_empty() {
            let message = format!(
                "selects no node of `{body}`; a selection is in the body's own frame, before `rotation` and `position`"
            );
            return Err(self.loaded.error(&format!("{path}.select"), message));
        }
        Ok((placed.id, points))
    }

    fn attachment(&mut self, name: &str, attachment: &model::Attachment) -> Result<(), SceneError> {
        let path = format!("attachments.{name}");
        let (body, points) = self.choose(&path, &attachment.body, attachment.select.as_ref())?;
        let hold = if let Some(glue) = &attachment.glue {
            let Some(other) = self.id(glue) else {
                return Err(self.loaded.error(&format!("{path}.glue"), self.no_body(glue)));
            };
            Hold::Glue(other)
        } else if let Some(axes) = &attachment.hold {
            Hold::Axes([Axis::X, Axis::Y, Axis::Z].map(|axis| axes.contains(&axis)))
        } else if let Some(wrench) = &attachment.wrench {
            Hold::Wrench(wrench_path(wrench))
        } else {
            let nodes = self.world.nodes(body);
            let held = points.iter().filter_map(|point| nodes.get(*point as usize));
            let centre = held.sum::<DVec3>() / points.len().max(1) as f64;
            Hold::Drive(
                attachment.drive.as_ref().map_or_else(Motion::fixed, |drive| motion(drive, centre)),
            )
        };
        let spec = AttachmentSpec { name: name.to_string(), body, points, hold };
        self.world.add_attachment(spec).map_err(|error| world_error(self.loaded, &path, error))?;
        Ok(())
    }

    fn force(&mut self, name: &str, force: &model::Force) -> Result<(), SceneError> {
        let (body, points) =
            self.choose(&format!("forces.{name}"), &force.body, Some(&force.select))?;
        if let Some(traction) = force.traction
            && self.world.add_traction(body, &points, traction.into()) == 0.0
        {
            let message =
                "no whole face of the body is selected, so that a traction (Pa) loads nothing";
            let key = format!("forces.{name}.select");
            return Err(self.loaded.error(&key, message.to_string()));
        }
        let share = DVec3::from(force.force.unwrap_or_default()) / points.len() as f64;
        for point in points {
            let added = self.world.add_node_force(body, point, share);
            added.map_err(|error| world_error(self.loaded, &format!("forces.{name}"), error))?;
        }
        Ok(())
    }
}

fn settings(scene: &Scene) -> Settings {
    Settings {
        time_step: scene.solver.time_step,
        gravity: scene.gravity.into(),
        integrator: match scene.solver.integrator {
            model::Integrator::BackwardEuler => Integrator::BackwardEuler,
            model::Integrator::Bdf2 => Integrator::Bdf2,
        },
        alarm_distance: scene.contact.alarm_distance,
        contact_distance: scene.contact.contact_distance,
        friction: scene.contact.friction,
        refactor_rotation: scene.solver.refactor_rotation,
        solver: match scene.solver.kind {
            model::SolverKind::Ncp => SolverChoice::Ncp,
            model::SolverKind::Ipc => SolverChoice::Ipc,
        },
        audit: scene.solver.audit,
        ipc: IpcSettings {
            barrier_stiffness: scene.solver.barrier_stiffness,
            stick_speed: scene.solver.stick_speed,
            tolerance: scene.solver.newton_tolerance,
            force_tolerance: scene.solver.balance_tolerance,
            max_iterations: scene.solver.max_newton as usize,
            rigid_stiffness: scene.solver.rigid_stiffness,
        },
        ncp: NcpSettings {
            gap_tolerance: scene.solver.gap_tolerance,
            force_tolerance: scene.solver.force_tolerance,
            gas_tolerance: scene.solver.gas_tolerance,
            max_sweeps: scene.solver.max_sweeps as usize,
            condense_pressure: scene.solver.condense_pressure,
            newton: scene.solver.newton,
            contact_patch: scene.solver.contact_patch,
        },
        air: scene.gas.as_ref().map(air::settings),
    }
}

fn profile(profile: DriveProfile) -> Profile {
    match profile {
        DriveProfile::Smooth => Profile::Smooth,
        DriveProfile::Linear => Profile::Linear,
    }
}

fn motion(drive: &Drive, centre: DVec3) -> Motion {
    let mut keys: Vec<Key> = drive
        .keys
        .iter()
        .map(|key| Key {
            time: key.time,
            translation: key.translation.into(),
            rotation: orientation(key.rotation.as_ref()),
        })
        .collect();
    if !keys.is_empty() && keys.iter().all(|key| key.time > 0.0) {
        keys.push(Key { time: 0.0, translation: DVec3::ZERO, rotation: DQuat::IDENTITY });
    }
    Motion::new(keys, profile(drive.profile), drive.pivot.map_or(centre, DVec3::from))
}

fn wrench_path(drive: &model::WrenchDrive) -> WrenchPath {
    let wrench =
        |key: &model::WrenchKey| Wrench { force: key.force.into(), torque: key.torque.into() };
    let mut keys: Vec<(f64, Wrench)> =
        drive.keys.iter().map(|key| (key.time, wrench(key))).collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    WrenchPath { keys, profile: profile(drive.profile) }
}

/// Puts an error of the world at the key that is to blame.
pub(crate) fn world_error(loaded: &LoadedScene, path: &str, error: WorldError) -> SceneError {
    let key = match &error {
        WorldError::Mesh { body, .. }
        | WorldError::Cage { body, .. }
        | WorldError::Mass { body, .. }
        | WorldError::Thin { body } => format!("bodies.{body}"),
        WorldError::Penetration { first, .. } | WorldError::Touching { first, .. } => {
            format!("bodies.{first}")
        }
        WorldError::Cable { cable, .. } => format!("cables.{cable}"),
        WorldError::Attachment { attachment, .. } => format!("attachments.{attachment}"),
        WorldError::Springs { .. }
        | WorldError::TooLarge { .. }
        | WorldError::Setting { .. }
        | WorldError::Contact(_)
        | WorldError::NoSuch { .. }
        | WorldError::Joints { .. }
        | WorldError::Unknown { .. } => path.to_string(),
    };
    loaded.error(&key, error.to_string())
}
