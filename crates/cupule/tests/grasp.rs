//! Many contacts at once: a stack, a squeezed and lifted block.

mod common;

use common::*;
use cupule::motion::{Key, Motion, Profile};
use cupule::report::StepReport;
use cupule::settings::Settings;
use cupule::world::{AttachmentSpec, BodyId, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3};

fn ground() -> cupule::world::KinematicSpec {
    fixed(
        "ground",
        cuboid(DVec3::new(2.0, 2.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05),
    )
}

#[test]
fn every_box_of_a_stack_carries_the_weight_above_it() {
    let gap = Settings::default().contact_distance;
    let mut builder = WorldBuilder::new(Settings::default());
    builder.add_kinematic(ground()).expect("ground");
    let count = 10;
    let size = 0.1;
    for i in 0..count {
        let at = DVec3::Z * (0.5 * size + gap + f64::from(i) * (size + gap));
        builder
            .add_rigid(rigid(
                &format!("box {i}"),
                cuboid(DVec3::splat(size), [1, 1, 1]).expect("box").translated(at),
                1.0,
            ))
            .expect("box");
    }
    let mut world = builder.build().expect("a world");
    let mut sweeps = Vec::new();
    let report = loop {
        let report = world.step(&mut ()).expect("a stack at rest");
        sweeps.push(report.iterations);
        if world.time() > 1.0 - 0.5 * world.settings().time_step {
            break report;
        }
    };
    // Plain sweeps take about 500 a step here, and many steps reach the cap.
    let mean = sweeps.iter().sum::<usize>() as f64 / sweeps.len() as f64;
    assert!(mean < 200.0 && sweeps.iter().all(|s| *s < 1000), "sweeps {sweeps:?}");
    println!(
        "stack: {} contacts, {} sweeps, {:?}",
        report.contacts.len(),
        report.iterations,
        report.residual
    );
    for i in 0..count as usize {
        let carried: f64 = report
            .contacts
            .iter()
            .filter(|c| c.bodies.contains(&i) && c.bodies.contains(&(i + 1)))
            .map(|c| c.force.z.abs())
            .sum();
        let weight = (count as usize - i) as f64 * GRAVITY;
        assert!(
            (carried / weight - 1.0).abs() < 1e-3,
            "under box {i}: {carried} N, weight above {weight} N"
        );
    }
}

struct Squeeze {
    world: World,
    block: BodyId,
}

/// Two soft pads squeeze (1.5 s), lift (1.5 s) and hold a soft block.
fn squeeze(time_step: f64) -> Squeeze {
    let settings = Settings { time_step, friction: 1.0, ..Settings::default() };
    let gap = settings.contact_distance;
    let mut builder = WorldBuilder::new(settings);
    builder.add_kinematic(ground()).expect("ground");
    let side = 0.1;
    let mesh = cuboid_hexes(DVec3::splat(side), [6, 6, 6])
        .expect("block")
        .translated(DVec3::Z * (0.5 * side + gap));
    let block = builder.add_fem(soft("block", mesh, corotated(5e4, 0.45), 1000.0)).expect("block");
    for (name, sign) in [("left", -1.0), ("right", 1.0)] {
        let at = DVec3::new(sign * (0.5 * side + 0.01 + gap), 0.0, 0.5 * side + gap);
        let mesh =
            cuboid_hexes(DVec3::new(0.02, 0.06, 0.06), [2, 4, 4]).expect("pad").translated(at);
        let back = nodes_where(&mesh, |x| (x.x - at.x) * sign > 0.01 - 1e-9);
        let pad = builder.add_fem(soft(name, mesh, corotated(1e4, 0.45), 10.0)).expect("pad");
        let key = |time, x, z| Key {
            time,
            translation: DVec3::new(-sign * x, 0.0, z),
            rotation: DQuat::IDENTITY,
        };
        let keys = vec![key(0.0, 0.0, 0.0), key(1.5, 8e-3, 0.0), key(3.0, 8e-3, 0.1)];
        let hold = Hold::Drive(Motion::new(keys, Profile::Smooth, DVec3::ZERO));
        builder
            .add_attachment(AttachmentSpec { name: name.into(), body: pad, points: back, hold })
            .expect("drive");
    }
    let world = builder.build().expect("a world");
    Squeeze { world, block }
}

fn vertical_friction(report: &StepReport, block: BodyId) -> f64 {
    report.bodies[block.0].contact_force.z
}

#[test]
fn soft_pads_lift_a_soft_block_by_friction_and_hold_it_without_creep() {
    let Squeeze { mut world, block } = squeeze(0.02);
    assert_eq!(world.nodes(block).len(), 343);
    run_to(&mut world, 3.5);
    let held = centre(&world, block);
    let report = run_to(&mut world, 4.0);
    let drift = (centre(&world, block) - held).length();
    let weight = world.body_mass(block) * GRAVITY;
    println!(
        "squeeze: rise {:.4} m, drift {drift:.2e} m in 0.5 s, {} contacts, {} sweeps, {:?}",
        held.z - 0.05,
        report.contacts.len(),
        report.iterations,
        report.residual
    );
    println!(
        "pads pull with {:?} N, friction {} N, weight {weight} N",
        report.attachments,
        vertical_friction(&report, block)
    );
    assert!(held.z > 0.13, "not lifted: {held}");
    assert!((vertical_friction(&report, block) / weight - 1.0).abs() < 1e-3);
    assert!(drift < 20e-6, "drifted {drift:e} m in 0.5 s");
    run_to(&mut world, 9.0);
    let drift = (centre(&world, block) - held).length();
    assert!(drift < 20e-6, "drifted {drift:e} m in 5 s");
}

#[test]
fn normal_force_of_the_squeeze_converges_with_the_step() {
    // First order: halving h halves the change.
    let force = |h: f64| {
        let Squeeze { mut world, .. } = squeeze(h);
        run_to(&mut world, 3.6).attachments[0].force.x
    };
    let [coarse, middle, fine] = [0.04, 0.02, 0.01].map(force);
    println!("normal force per side at h = 40, 20, 10 ms: {coarse:.4}, {middle:.4}, {fine:.4} N");
    assert!((coarse - fine).abs() < 2e-2 * fine && (middle - fine).abs() < 5e-3 * fine);
}
