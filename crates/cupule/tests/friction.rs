//! Blocks on planes: weight, stick, slip.

mod common;

use common::*;
use cupule::settings::Settings;
use cupule::world::BodyId;
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;

/// A block of 0.1 m on a plane under gravity tilted by `angle` towards `direction` (rad in the plane).
fn block_on_plane(
    angle: f64,
    direction: f64,
    friction: f64,
    is_soft: bool,
    time_step: f64,
) -> (World, BodyId) {
    let (s, c) = direction.sin_cos();
    let gravity = DVec3::new(angle.sin() * c, angle.sin() * s, -angle.cos()) * GRAVITY;
    let mut builder =
        WorldBuilder::new(Settings { gravity, time_step, friction, ..Settings::default() });
    builder
        .add_kinematic(fixed(
            "plane",
            cuboid(DVec3::new(4.0, 4.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05),
        ))
        .expect("plane");
    let lift = DVec3::Z * (0.025 + 2e-4);
    let block = if is_soft {
        let mesh =
            cuboid_hexes(DVec3::new(0.1, 0.1, 0.05), [4, 4, 2]).expect("box").translated(lift);
        builder.add_fem(soft("block", mesh, corotated(1e5, 0.3), 1000.0))
    } else {
        builder.add_rigid(rigid(
            "block",
            cuboid(DVec3::new(0.1, 0.1, 0.05), [1, 1, 1]).expect("box").translated(lift),
            0.5,
        ))
    };
    let world = builder.build().expect("a world");
    (world, block.expect("block"))
}

#[test]
fn block_at_rest_is_carried_by_contact_forces_equal_to_its_weight() {
    for is_soft in [false, true] {
        let (mut world, block) = block_on_plane(0.0, 0.0, 0.5, is_soft, 0.01);
        let report = run_to(&mut world, 1.0);
        let weight = world.body_mass(block) * GRAVITY;
        let force = report.bodies[block.0].contact_force;
        println!(
            "soft {is_soft}: {} contacts, {force} N, residual {:?}, {} sweeps",
            report.contacts.len(),
            report.residual,
            report.iterations
        );
        assert!((force.z / weight - 1.0).abs() < 1e-3, "{force} against {weight} N");
        assert!(report.max_penetration == 0.0);
    }
}

#[test]
fn sticks_just_above_the_friction_angle_and_slips_just_below() {
    let angle: f64 = 0.4;
    for is_soft in [false, true] {
        let (mut world, block) = block_on_plane(angle, 0.3, angle.tan() * 1.01, is_soft, 0.01);
        run_to(&mut world, 0.5);
        let settled = centre(&world, block);
        run_to(&mut world, 1.5);
        let crept = (centre(&world, block) - settled).length();
        assert!(crept < 1e-6, "soft {is_soft}: crept {crept:e} m in 1 s");

        let (mut world, block) = block_on_plane(angle, 0.3, angle.tan() * 0.99, is_soft, 0.01);
        run_to(&mut world, 0.5);
        let before = centre(&world, block);
        run_to(&mut world, 1.5);
        let moved = (centre(&world, block) - before).length();
        // Acceleration g (sin - mu cos) = 0.01 g sin: at least half of what the motion from 0.5 s to 1.5 s gives.
        let least = 0.5 * 0.01 * GRAVITY * angle.sin() * 0.5 * (1.5f64.powi(2) - 0.5f64.powi(2));
        assert!(moved > least, "soft {is_soft}: moved {moved:e} of at least {least:e} m");
    }
}

#[test]
fn sliding_acceleration_is_that_of_coulomb_in_every_direction() {
    // a = g (sin - mu cos) within 1 %, along the slope within 0.1 degree.
    let (angle, friction): (f64, f64) = (0.5, 0.3);
    let expected = GRAVITY * (angle.sin() - friction * angle.cos());
    for is_soft in [false, true] {
        for direction in [0.0, 0.35, 1.9, -2.4] {
            let (mut world, block) = block_on_plane(angle, direction, friction, is_soft, 0.005);
            run_to(&mut world, 0.3);
            let before = world.body_report(block).velocity;
            run_to(&mut world, 0.6);
            let change = (world.body_report(block).velocity - before) / 0.3;
            assert!(
                (change.length() / expected - 1.0).abs() < 0.01,
                "soft {is_soft} {direction}: {} {expected}",
                change.length()
            );
            let turned = (change.y.atan2(change.x) - direction).to_degrees();
            assert!(turned.abs() < 0.1, "soft {is_soft} {direction}: {turned} degrees off");
        }
    }
}
