//! Robots: the values of their movable joints.

use cupule::World;
use cupule::motion::Arm;
use cupule::world::WorldError;
use cupule_scene::Scene;
use std::sync::Arc;

use super::{ANY, Actuator, Drive};
use crate::sensor::joint_unit;

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let of = |arm: &Arc<Arm>| {
        let name = arm.name();
        let components = (0..arm.movable().count()).map(|i| i.to_string()).collect();
        let words = [&format!("robot.{name}.joints"), name, "Joint values"];
        let drive = Joints { arm: arm.clone() };
        Actuator { components, ..Actuator::scalar(words, joint_unit(arm), ANY, drive) }
    };
    world.robots().into_iter().map(of).collect()
}

struct Joints {
    /// By the scene.
    arm: Arc<Arm>,
}

impl Drive for Joints {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        self.arm.planned_values(time)
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        world.controls().set_robot_joints(self.arm.name(), values.map(<[f64]>::to_vec))
    }
}
