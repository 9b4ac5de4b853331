//! Robots: the values of their movable joints.

use cupule::World;
use cupule::motion::{Arm, JointKind};

use super::Sensor;

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    let of = |arm: &std::sync::Arc<Arm>| {
        let name = arm.name().to_string();
        let keys: Vec<String> = (0..arm.movable().count()).map(|i| i.to_string()).collect();
        let sensor = format!("robot.{name}.joints");
        Sensor::unrecorded(sensor, joint_unit(arm), &keys, move |now, out| {
            let robots = now.world.robots();
            let arm = robots.into_iter().find(|arm| arm.name() == name);
            out.extend(arm.map(|arm| arm.joint_values(now.world.time())).unwrap_or_default());
        })
    };
    world.robots().into_iter().map(of).collect()
}

/// rad, m, or both where an arm has joints that turn and joints that slide.
pub(crate) fn joint_unit(arm: &Arm) -> &'static str {
    let slides = arm.movable().any(|kind| kind == JointKind::Prismatic);
    let turns = arm.movable().any(|kind| kind == JointKind::Revolute);
    match (turns, slides) {
        (true, true) => "rad or m",
        (false, true) => "m",
        _ => "rad",
    }
}
