//! Landing: no rebound out of the integrator, friction as Coulomb says, and energy that only goes down.

mod common;

use common::*;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{Integrator, Settings};
use cupule::world::{AttachmentSpec, BodyId, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3};

const INTEGRATORS: [Integrator; 2] = [Integrator::BackwardEuler, Integrator::Bdf2];

fn plane() -> cupule::world::KinematicSpec {
    fixed(
        "plane",
        cuboid(DVec3::new(4.0, 4.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05),
    )
}

/// A block of 100 x 100 x 50 mm whose lower face is `height` above a plane, thrown with `velocity`.
fn start(
    settings: Settings,
    is_soft: bool,
    height: f64,
    velocity: DVec3,
) -> (WorldBuilder, BodyId) {
    let mut builder = WorldBuilder::new(settings);
    builder.add_kinematic(plane()).expect("plane");
    let (size, at) = (DVec3::new(0.1, 0.1, 0.05), DVec3::Z * (0.025 + height));
    let block = if is_soft {
        let mesh = cuboid_hexes(size, [4, 4, 2]).expect("box").translated(at);
        builder.add_fem(cupule::world::FemSpec {
            velocity,
            ..soft("block", mesh, corotated(1e5, 0.3), 1000.0)
        })
    } else {
        let surface = cuboid(size, [1, 1, 1]).expect("box").translated(at);
        builder.add_rigid(cupule::world::RigidSpec { velocity, ..rigid("block", surface, 0.5) })
    };
    (builder, block.expect("block"))
}

fn block(settings: Settings, is_soft: bool, height: f64, velocity: DVec3) -> (World, BodyId) {
    let (builder, block) = start(settings, is_soft, height, velocity);
    (builder.build().expect("a world"), block)
}

/// Fastest rise of the centre after the landing over the speed of the landing, and the speed left after 0.4 s.
fn rebound(integrator: Integrator, is_soft: bool, speed: f64, time_step: f64) -> (f64, f64) {
    let settings = Settings { time_step, integrator, ..Settings::default() };
    let (mut world, block) = block(settings, is_soft, 0.01, DVec3::Z * -speed);
    let mut fastest: f64 = 0.0;
    while world.time() < 0.4 {
        world.step(&mut ()).expect("a fall");
        fastest = fastest.max(world.body_report(block).velocity.z);
    }
    (fastest / speed, world.body_report(block).velocity.length())
}

#[test]
fn rigid_block_does_not_bounce() {
    // Signorini's condition on positions is perfectly plastic: no rise faster than what closes one contact distance in one
    // step, with either integrator.
    for integrator in INTEGRATORS {
        for speed in [1.0, 2.0, 3.0] {
            for time_step in [0.002, 0.01] {
                let (rise, left) = rebound(integrator, false, speed, time_step);
                println!(
                    "{integrator:?} rigid {speed} m/s h {time_step}: rises with {rise:.2e} of it, {left:.1e} m/s left"
                );
                assert!(rise < 0.02, "{integrator:?} {speed} m/s h {time_step}: rises with {rise}");
                assert!(
                    left < Settings::default().ncp.gap_tolerance / time_step,
                    "{integrator:?} {speed} m/s h {time_step}: {left} m/s left"
                );
            }
        }
    }
}

#[test]
fn soft_block_rebounds_by_its_elasticity_alone() {
    // What the block stores it may give back. Backward Euler eats most of it; BDF2 less, but never more than came in, and
    // with h towards 0 both agree.
    for speed in [1.0, 3.0] {
        let finest = rebound(Integrator::Bdf2, true, speed, 5e-4).0;
        for time_step in [0.002, 0.01] {
            let [first, second] = INTEGRATORS.map(|i| rebound(i, true, speed, time_step).0);
            println!(
                "soft {speed} m/s h {time_step}: rises with {first:.3} backward Euler, {second:.3} BDF2, {finest:.3} of it at h = 0.5 ms"
            );
            assert!(
                first <= finest + 0.05,
                "{speed} m/s h {time_step}: backward Euler {first}, fine {finest}"
            );
            assert!(
                second <= finest + 0.1 && second < 1.0,
                "{speed} m/s h {time_step}: BDF2 {second}, fine {finest}"
            );
        }
    }
}

#[test]
fn friction_on_a_slope_is_the_same_with_bdf2() {
    // Sliding: g (sin - mu cos) within 1 %. Sticking with 1 % margin: no creep in 0.5 s.
    let angle: f64 = 0.5;
    for is_soft in [false, true] {
        let run = |friction: f64| {
            let gravity = DVec3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY;
            let settings = Settings {
                gravity,
                friction,
                time_step: 0.005,
                integrator: Integrator::Bdf2,
                ..Settings::default()
            };
            let (mut world, block) = block(settings, is_soft, 2e-4, DVec3::ZERO);
            run_to(&mut world, 0.6);
            let before = world.body_report(block);
            run_to(&mut world, 1.1);
            let after = world.body_report(block);
            ((after.velocity - before.velocity) / 0.5, (after.centre - before.centre).length())
        };
        let (acceleration, _) = run(0.3);
        let expected = GRAVITY * (angle.sin() - 0.3 * angle.cos());
        assert!(
            (acceleration.x / expected - 1.0).abs() < 0.01,
            "soft {is_soft}: {acceleration} {expected}"
        );
        assert!(acceleration.y.abs() < 0.01 * expected, "soft {is_soft}: {acceleration}");
        let (_, crept) = run(1.01 * angle.tan());
        assert!(crept < 1e-6, "soft {is_soft}: crept {crept:e} m");
    }
}

#[test]
fn energy_only_goes_down_while_a_block_lands() {
    // Backward Euler dissipates in every step: the loss never shrinks by more than lifting the block by the gap tolerance
    // takes, and at rest it is all that the fall has given.
    for is_soft in [false, true] {
        let settings = Settings { time_step: 0.002, ..Settings::default() };
        let (mut world, block) = block(settings, is_soft, 0.02, DVec3::new(0.5, 0.0, -1.0));
        let mass = world.body_mass(block);
        let (height, start, weight) = (centre(&world, block).z, 0.5 * mass * 1.25, mass * GRAVITY);
        let (mut before, mut worst): (f64, f64) = (0.0, 0.0);
        while world.time() < 0.6 {
            let energy = world.step(&mut ()).expect("a fall").energy;
            worst = worst.max(before - energy.dissipated);
            before = energy.dissipated;
        }
        let energy = world.energy();
        let given = start + weight * (height - centre(&world, block).z) - energy.elastic;
        println!(
            "soft {is_soft}: dissipated {:.5} J of {given:.5} J, largest gain in a step {worst:.1e} J",
            energy.dissipated
        );
        assert!(
            worst < weight * world.settings().ncp.gap_tolerance,
            "soft {is_soft}: gains {worst} J in a step"
        );
        assert!(
            (energy.dissipated / given - 1.0).abs() < 1e-6,
            "soft {is_soft}: {energy:?} {given}"
        );
    }
}

/// Dissipated energy of a block that is squeezed by 5 % in 1 s and let go in 1 s, over the largest elastic energy.
fn cycle(time_step: f64, friction: f64, integrator: Integrator) -> f64 {
    let settings =
        Settings { time_step, friction, integrator, gravity: DVec3::ZERO, ..Settings::default() };
    let (mut builder, block) = start(settings, true, 2e-4, DVec3::ZERO);
    let x = builder.nodes(block);
    let points = (0..x.len() as u32).filter(|i| x[*i as usize].z > 0.05).collect();
    let key = |time, z| Key { time, translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
    let keys = vec![key(0.0, 0.0), key(1.0, -2.5e-3), key(2.0, 0.0)];
    let hold = Hold::Drive(Motion::new(keys, Profile::Smooth, DVec3::ZERO));
    builder
        .add_attachment(AttachmentSpec { name: "press".into(), body: block, points, hold })
        .expect("press");
    let mut world = builder.build().expect("a world");
    let (mut largest, mut lowest): (f64, f64) = (0.0, 0.0);
    while world.time() < 2.0 {
        let energy = world.step(&mut ()).expect("a squeeze").energy;
        largest = largest.max(energy.elastic);
        lowest = lowest.min(energy.dissipated);
    }
    assert!(lowest > -1e-6 * largest, "energy out of nothing: {lowest} J of {largest} J");
    world.energy().dissipated / largest
}

#[test]
fn a_slow_elastic_cycle_loses_little_and_friction_loses_more() {
    // The work of a step is that of its end force: a spring loses k dx^2 / 2 a step, over a cycle along the quintic
    // 2 h / T * 10/7 of its energy, 2.9 % at h = 10 ms and half of that at 5 ms.
    for integrator in INTEGRATORS {
        let [coarse, fine] = [0.01, 0.005].map(|h| cycle(h, 0.0, integrator));
        println!("{integrator:?}: a cycle loses {coarse:.4} at h = 10 ms, {fine:.4} at 5 ms");
        let expected = 2.0 * 0.01 * 10.0 / 7.0;
        assert!(coarse > 0.0 && coarse < 1.2 * expected, "{integrator:?}: {coarse} {expected}");
        assert!(fine > 0.0 && fine < 0.6 * expected, "{integrator:?}: {fine}");
    }
    let (smooth, rough) =
        (cycle(0.01, 0.0, Integrator::BackwardEuler), cycle(0.01, 0.1, Integrator::BackwardEuler));
    println!("with friction 0.1 a cycle loses {rough:.4}, without {smooth:.4}");
    assert!(rough > smooth + 1e-3, "friction 0.1 loses {rough}, none loses {smooth}");
}

#[test]
fn a_step_that_cannot_be_done_leaves_the_world_as_it_was() {
    // The force grows within the step beyond what any speed limit takes: early pieces of the halved step succeed, later
    // ones fail, and none of them may be kept.
    let (mut builder, block) = start(Settings::default(), false, 0.1, DVec3::ZERO);
    let wrench = |force| cupule::report::Wrench { force: DVec3::Z * force, torque: DVec3::ZERO };
    let path = cupule::world::WrenchPath {
        keys: vec![(0.057, wrench(0.0)), (0.058, wrench(1e10))],
        profile: Profile::Linear,
    };
    let load = AttachmentSpec {
        name: "load".into(),
        body: block,
        points: vec![],
        hold: Hold::Wrench(path),
    };
    builder.add_attachment(load).expect("load");
    let mut world = builder.build().expect("a world");
    run_to(&mut world, 0.05);
    let (time, hash, energy) = (world.time(), world.state_hash(), world.energy());
    for _ in 0..2 {
        let message = world.step(&mut ()).expect_err("no body moves that fast").to_string();
        assert!(message.contains("\"block\"") && message.contains("0.05"), "{message}");
        assert_eq!((world.time(), world.state_hash(), world.energy()), (time, hash, energy));
    }
}
