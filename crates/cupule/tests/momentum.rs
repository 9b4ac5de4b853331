//! Momentum with contact: between bodies nothing is made or lost, and each body gets what the report says.

mod common;

use common::*;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{Integrator, Settings};
use cupule::world::{AttachmentSpec, BodyId, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3};

fn sum(world: &World, what: impl Fn(&cupule::report::BodyReport) -> DVec3) -> DVec3 {
    (0..world.body_count()).map(|i| what(&world.body_report(BodyId(i)))).sum()
}

/// Two boxes of 50 mm fly into each other, off centre and turning; `kinds` says which are soft.
fn collision(kinds: [bool; 2], time_step: f64, integrator: Integrator) -> World {
    let mut builder = WorldBuilder::new(Settings {
        time_step,
        integrator,
        gravity: DVec3::ZERO,
        ..Settings::default()
    });
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.4);
    for (i, is_soft) in kinds.into_iter().enumerate() {
        let side = if i == 0 { 1.0 } else { -1.0 };
        let at = DVec3::new(-0.045 * side, 0.01 * side, 0.004);
        let rotation = if i == 0 { turn } else { turn.inverse() };
        let (velocity, spin) = (DVec3::new(side, 0.1, 0.0), DVec3::new(0.5, -0.5, 1.0) * side);
        let name = format!("box {i}");
        let size = DVec3::splat(0.05);
        if is_soft {
            let mesh = cuboid_hexes(size, [3, 3, 3]).expect("box").rotated(rotation).translated(at);
            let mut spec = soft(&name, mesh, corotated(1e5, 0.4), 1000.0);
            (spec.velocity, spec.angular_velocity) = (velocity, spin);
            builder.add_fem(spec).expect("soft box");
        } else {
            let surface = cuboid(size, [1, 1, 1]).expect("box").rotated(rotation).translated(at);
            let mut spec = rigid(&name, surface, 0.2);
            (spec.velocity, spec.angular_velocity) = (velocity, spin);
            builder.add_rigid(spec).expect("rigid box");
        }
    }
    builder.build().expect("a world")
}

const KINDS: [[bool; 2]; 3] = [[false, false], [true, true], [true, false]];

#[test]
fn a_collision_in_free_space_keeps_linear_momentum() {
    // Contact forces are equal and opposite: |dP| < 1e-9 of sum m v, whichever bodies meet.
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        for kinds in KINDS {
            let mut world = collision(kinds, 2e-3, integrator);
            let start = sum(&world, |b| b.momentum);
            let scale: f64 = (0..2).map(|i| world.body_report(BodyId(i)).momentum.length()).sum();
            let mut pushed: f64 = 0.0;
            for _ in 0..60 {
                let report = world.step(&mut ()).expect("a collision");
                pushed = pushed.max(report.bodies[0].contact_force.length());
            }
            let change = (sum(&world, |b| b.momentum) - start).length() / scale;
            println!(
                "{integrator:?}, soft {kinds:?}: pushed with up to {pushed:.1} N, momentum changed by {change:.1e}"
            );
            assert!(pushed > 1.0, "{kinds:?}: they should meet");
            assert!(change < 1e-9, "{integrator:?} {kinds:?}: {change:e}");
        }
    }
}

#[test]
fn a_collision_in_free_space_keeps_angular_momentum_to_first_order() {
    // Backward Euler: a contact's normal and lever are those of one time in the step, a soft spin loses (h omega)^2 a
    // step, and across the gap friction has a lever. All is at most a constant times h.
    for kinds in KINDS {
        let steps = [4e-3, 2e-3, 1e-3, 5e-4];
        let errors = steps.map(|h| {
            let mut world = collision(kinds, h, Integrator::BackwardEuler);
            let start = sum(&world, |b| b.angular_momentum);
            run_to(&mut world, 0.08);
            (sum(&world, |b| b.angular_momentum) - start).length() / start.length()
        });
        println!("soft {kinds:?}: angular momentum off by {errors:.4?} at h = 4, 2, 1, 0.5 ms");
        for (h, error) in steps.into_iter().zip(errors) {
            assert!(error < 40.0 * h, "soft {kinds:?} h {h}: {error}");
        }
        assert!(errors[3] < 0.65 * errors[0], "soft {kinds:?}: {errors:?}");
    }
}

#[test]
fn each_body_changes_its_momentum_by_the_forces_reported() {
    // Backward Euler: p(n+1) - p(n) = h (m g + contact + attachments), to 1e-9 of the largest force, in every step of a
    // soft block that lands, of a rigid one that lands on it, and of a driven soft pad that drags across both.
    let h = 5e-3;
    let mut builder = WorldBuilder::new(Settings { time_step: h, ..Settings::default() });
    let ground =
        cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05);
    builder.add_kinematic(fixed("ground", ground)).expect("ground");
    let tilt = DQuat::from_rotation_x(0.1);
    let mesh = cuboid_hexes(DVec3::splat(0.05), [3, 3, 3])
        .expect("box")
        .rotated(tilt)
        .translated(DVec3::Z * 0.032);
    let block = builder.add_fem(soft("block", mesh, corotated(1e5, 0.4), 1000.0)).expect("block");
    let surface = cuboid(DVec3::splat(0.03), [1, 1, 1])
        .expect("box")
        .rotated(tilt)
        .translated(DVec3::Z * 0.08);
    let brick = builder.add_rigid(rigid("brick", surface, 0.1)).expect("brick");
    let mesh = cuboid_hexes(DVec3::new(0.02, 0.02, 0.02), [2, 2, 2])
        .expect("pad")
        .translated(DVec3::new(-0.045, 0.0, 0.05));
    let back = nodes_where(&mesh, |x| x.x < -0.055 + 1e-9);
    let pad = builder.add_fem(soft("pad", mesh, corotated(5e4, 0.4), 500.0)).expect("pad");
    let key = |time, translation| Key { time, translation, rotation: DQuat::IDENTITY };
    let keys = vec![
        key(0.0, DVec3::ZERO),
        key(0.15, DVec3::X * 0.02),
        key(0.3, DVec3::new(0.02, 0.01, 0.01)),
    ];
    let hold = Hold::Drive(Motion::new(keys, Profile::Smooth, DVec3::ZERO));
    builder
        .add_attachment(AttachmentSpec { name: "hand".into(), body: pad, points: back, hold })
        .expect("hand");
    let mut world = builder.build().expect("a world");
    let bodies = [block, brick, pad];
    let (mut largest, mut worst): (f64, f64) = (0.0, 0.0);
    for _ in 0..60 {
        let before = bodies.map(|b| world.body_report(b).momentum);
        let report = world.step(&mut ()).expect("a step");
        for (body, before) in bodies.into_iter().zip(before) {
            let here = &report.bodies[body.0];
            let held = if body == pad { report.attachments[0].force } else { DVec3::ZERO };
            let force =
                world.settings().gravity * world.body_mass(body) + here.contact_force + held;
            largest = largest.max(here.contact_force.length());
            worst = worst.max(((here.momentum - before) / h - force).length());
        }
    }
    println!("largest contact force {largest:.2} N, worst imbalance {worst:.1e} N");
    assert!(largest > 1.0);
    assert!(worst < 1e-9 * largest, "{worst} N of {largest} N");
}
