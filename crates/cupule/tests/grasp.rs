//! Many contacts at once: a stack, a squeezed and lifted block, a pressed ball.

mod common;

use common::*;
use cupule::World;
use cupule::motion::{Key, Motion, Profile};
use cupule::report::StepReport;
use cupule::settings::Settings;
use cupule::world::{AttachmentSpec, BodyId, Hold};
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::{Section, cuboid_hexes, revolved_hexes};
use cupule_geometry::{DQuat, DVec3, VolumeMesh};

fn ground() -> cupule::world::KinematicSpec {
    fixed(
        "ground",
        cuboid(DVec3::new(2.0, 2.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05),
    )
}

#[test]
fn every_box_of_a_stack_carries_the_weight_above_it() {
    let mut world = World::new(Settings::default());
    world.add_kinematic(ground()).expect("ground");
    let count = 10;
    let size = 0.1;
    let gap = world.settings().contact_distance;
    for i in 0..count {
        let at = DVec3::Z * (0.5 * size + gap + f64::from(i) * (size + gap));
        world
            .add_rigid(rigid(
                &format!("box {i}"),
                cuboid(DVec3::splat(size), [1, 1, 1]).expect("box").translated(at),
                1.0,
            ))
            .expect("box");
    }
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
    let mut world = World::new(Settings { time_step, friction: 1.0, ..Settings::default() });
    world.add_kinematic(ground()).expect("ground");
    let gap = world.settings().contact_distance;
    let side = 0.1;
    let mesh = cuboid_hexes(DVec3::splat(side), [6, 6, 6])
        .expect("block")
        .translated(DVec3::Z * (0.5 * side + gap));
    let block = world.add_fem(soft("block", mesh, corotated(5e4, 0.45), 1000.0)).expect("block");
    for (name, sign) in [("left", -1.0), ("right", 1.0)] {
        let at = DVec3::new(sign * (0.5 * side + 0.01 + gap), 0.0, 0.5 * side + gap);
        let mesh =
            cuboid_hexes(DVec3::new(0.02, 0.06, 0.06), [2, 4, 4]).expect("pad").translated(at);
        let back = nodes_where(&mesh, |x| (x.x - at.x) * sign > 0.01 - 1e-9);
        let pad = world.add_fem(soft(name, mesh, corotated(1e4, 0.45), 10.0)).expect("pad");
        let key = |time, x, z| Key {
            time,
            translation: DVec3::new(-sign * x, 0.0, z),
            rotation: DQuat::IDENTITY,
        };
        let keys = vec![key(0.0, 0.0, 0.0), key(1.5, 8e-3, 0.0), key(3.0, 8e-3, 0.1)];
        let hold = Hold::Drive(Motion::new(keys, Profile::Smooth, DVec3::ZERO));
        world
            .add_attachment(AttachmentSpec { name: name.into(), body: pad, points: back, hold })
            .expect("drive");
    }
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

const BALL_RADIUS: f64 = 0.02;

/// The lower half of a ball, with cells of `fine` (m) near the pole that grow away from it.
fn half_ball(fine: f64) -> VolumeMesh {
    let grow = |limit: f64| {
        let (mut values, mut size) = (vec![0.0], fine);
        while values[values.len() - 1] + 1.5 * size < limit {
            values.push(values[values.len() - 1] + size);
            size = if values.len() < 6 { fine } else { size * 1.3 };
        }
        values.push(limit);
        values
    };
    let (radii, heights) = (grow(0.9 * BALL_RADIUS), grow(BALL_RADIUS));
    let mut points = Vec::new();
    for height in &heights {
        for r in &radii {
            let bottom = BALL_RADIUS - (BALL_RADIUS * BALL_RADIUS - r * r).sqrt();
            points.push([*r, bottom + (BALL_RADIUS - bottom) * height / BALL_RADIUS]);
        }
    }
    let section = Section::new(heights.len() - 1, radii.len() - 1, points).expect("section");
    revolved_hexes(&section, 16).expect("half ball")
}

/// Force over Hertz' 4/3 E* sqrt(R) d^1.5 of the half ball pressed on a plane by `depths` (m).
fn pressed_ball(fine: f64, depths: &[f64]) -> Vec<f64> {
    let (e, nu) = (1e5, 0.3);
    let offset = 1e-6;
    let settings = Settings {
        time_step: 0.05,
        gravity: DVec3::ZERO,
        friction: 0.0,
        contact_distance: offset,
        alarm_distance: 5e-4,
        ..Settings::default()
    };
    let mut world = World::new(settings);
    world.add_kinematic(ground()).expect("ground");
    let mesh = half_ball(fine).translated(DVec3::Z * offset);
    let ball = world.add_fem(soft("ball", mesh.clone(), corotated(e, nu), 100.0)).expect("ball");
    let top = nodes_where(&mesh, |x| x.z > BALL_RADIUS - 1e-9);
    let key = |time, z: f64| Key { time, translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
    let mut keys = vec![key(0.0, 0.0)];
    for (i, d) in depths.iter().enumerate() {
        keys.extend([key(i as f64 + 0.5, -d), key(i as f64 + 1.0, -d)]);
    }
    let hold = Hold::Drive(Motion::new(keys, Profile::Smooth, DVec3::ZERO));
    world
        .add_attachment(AttachmentSpec { name: "press".into(), body: ball, points: top, hold })
        .expect("drive");
    let mut ratios = Vec::new();
    for (i, d) in depths.iter().enumerate() {
        let report = run_to(&mut world, i as f64 + 1.0);
        let hertz = 4.0 / 3.0 * e / (1.0 - nu * nu) * BALL_RADIUS.sqrt() * d.powf(1.5);
        let touching = report.contacts.iter().filter(|c| c.force.length() > 0.0).count();
        ratios.push(-report.attachments[0].force.z / hertz);
        println!(
            "{} nodes, {touching} touching, d/R {:.3}: force / Hertz {:.4}",
            mesh.nodes.len(),
            d / BALL_RADIUS,
            ratios[i]
        );
    }
    ratios
}

// Hertz' bodies are half-spaces: a half ball held at its flat face is stiffer by about 0.4 a/R (the displacement that the
// contact makes at the distance R), 2.6 and 3.7 % here, and that is what refinement converges to.
#[test]
fn pressed_ball_follows_hertz() {
    let depths = [0.004, 0.008].map(|d| d * BALL_RADIUS);
    let largest =
        |cell: f64| pressed_ball(cell, &depths).iter().map(|r| (r - 1.0).abs()).fold(0.0, f64::max);
    let errors = [0.8e-3, 0.4e-3, 0.2e-3].map(largest);
    println!("error against Hertz with cells of 0.8, 0.4, 0.2 mm: {errors:.4?}");
    assert!(errors[2] < 0.08, "{errors:?}");
    assert!(
        errors[2] < errors[1] && errors[1] < errors[0],
        "not falling with refinement: {errors:?}"
    );
}
