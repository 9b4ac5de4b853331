//! Static and kinetic friction of a block on a plane, rigid and soft, under both solvers. With mu_s at rest and mu_k in motion:
//!
//! - it stays where tan(angle) < mu_s and starts where tan(angle) > mu_s, from T <= mu_s N with T / N = tan(angle), to 1 %;
//! - once it slides, m dv/dt = m g sin(angle) - mu_k m g cos(angle), to 1 %;
//! - with mu_k = mu_s it is Coulomb's friction, to the bit;
//! - what has come to rest holds mu_s again, also where it turns back within a step.
//!
//! The plane is level and gravity is tilted, slowly enough that a soft block does not swing.

mod common;

use common::*;
use cupule::law::StickSlip;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::BodyId;
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;
use std::sync::Arc;

const STATIC: f64 = 0.5;
const KINETIC: f64 = 0.3;
/// Twice the stick speed of `ipc`, m/s.
const SWITCH_SPEED: f64 = 2e-3;
const TIME_STEP: f64 = 5e-3;
const KINDS: [bool; 2] = [false, true];

/// Gravity tilted towards x, m/s2.
fn gravity(angle: f64) -> DVec3 {
    DVec3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY
}

/// A block of 100 x 100 x 50 mm that lies on a plane; `kinetic` is none for Coulomb's friction.
fn block_on_plane(
    solver: SolverChoice,
    is_soft: bool,
    friction: f64,
    kinetic: Option<f64>,
) -> (World, BodyId) {
    let settings = Settings { solver, friction, time_step: TIME_STEP, ..Settings::default() };
    let (size, at) = (DVec3::new(0.1, 0.1, 0.05), 0.025 + settings.contact_distance);
    let mut builder = WorldBuilder::new(settings);
    let plane = cuboid(DVec3::new(8.0, 4.0, 0.1), [1, 1, 1]).expect("plane");
    let plane = builder.add_kinematic(fixed("plane", plane.translated(DVec3::Z * -0.05)));
    let block = if is_soft {
        let mesh = cuboid_hexes(size, [4, 4, 2]).expect("block").translated(DVec3::Z * at);
        let spec = soft("block", mesh, corotated(1e6, 0.3), 1000.0);
        let damping = cupule::model::Rayleigh { mass: 0.0, stiffness: 2e-3 };
        builder.add_fem(cupule::world::FemSpec { damping, ..spec })
    } else {
        let surface = cuboid(size, [1, 1, 1]).expect("block").translated(DVec3::Z * at);
        builder.add_rigid(rigid("block", surface, 0.5))
    };
    let (plane, block) = (plane.expect("plane"), block.expect("block"));
    if let Some(kinetic) = kinetic {
        let law = StickSlip::new(friction, kinetic, SWITCH_SPEED);
        builder.set_interface(block, plane, Arc::new(law));
    }
    (builder.build().expect("a world"), block)
}

/// Steps for `time` (s) while the angle of gravity goes from one value to another (rad).
fn tilt(world: &mut World, [from, to]: [f64; 2], time: f64) {
    let steps = (time / TIME_STEP).round() as usize;
    for step in 1..=steps {
        let share = step as f64 / steps as f64;
        world.controls().set_gravity(gravity(from + (to - from) * share));
        world.step(&mut ()).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Speed along the slope, m/s.
fn speed(world: &World, block: BodyId) -> f64 {
    world.body_report(block).velocity.x
}

/// That the block stays during half a second under a share T / (mu_s N) of what it can hold. Smoothed friction of `ipc` balances the
/// load at a speed of eps_v (1 - sqrt(1 - T / (mu_s N))); `ncp` leaves its tolerance.
/// Returns by how much it crept (m), and by how much it may.
fn stays(world: &mut World, block: BodyId, share: f64) -> [f64; 2] {
    let smoothed = world.settings().ipc.stick_speed * (1.0 - (1.0 - share).sqrt());
    let allowed = match world.settings().solver {
        SolverChoice::Ncp => 1e-6,
        SolverChoice::Ipc => 1e-6 + 0.5 * smoothed,
    };
    let start = centre(world, block);
    let end = world.time() + 0.5;
    run_to(world, end);
    let crept = centre(world, block).distance(start);
    assert!(crept <= allowed, "it crept by {crept:e} of {allowed:e} m");
    [crept, allowed]
}

#[test]
fn a_block_starts_at_the_angle_of_static_friction() {
    for (solver, is_soft) in both_with(KINDS) {
        let tilted_to = |share: f64| {
            let (mut world, block) = block_on_plane(solver, is_soft, STATIC, Some(KINETIC));
            tilt(&mut world, [0.0, 0.0], 0.1);
            tilt(&mut world, [0.0, (share * STATIC).atan()], 1.0);
            (world, block)
        };
        let (mut world, block) = tilted_to(0.99);
        // Contacts that are at their limit hand their share to others, within some micrometres of slip.
        run_to(&mut world, 1.6);
        let [crept, allowed] = stays(&mut world, block, 0.99);
        // After 0.5 s at 1.01, of which the first tenth may pass until it is at the switch speed.
        let (mut world, block) = tilted_to(1.01);
        run_to(&mut world, 1.6);
        let angle = (1.01 * STATIC).atan();
        let least = 0.5 * 0.5 * GRAVITY * (angle.sin() - KINETIC * angle.cos());
        let started = speed(&world, block);
        println!(
            "{solver:?}, soft {is_soft}: crept by {crept:.3e} of {allowed:.3e} m at 0.99 mu_s, {started:.3} m/s (at least {least:.3}) at 1.01 mu_s"
        );
        assert!(started > least, "{solver:?} {is_soft}: {started} of {least} m/s");
    }
}

#[test]
fn a_sliding_block_feels_kinetic_friction() {
    let angle = (1.2 * STATIC).atan();
    let expected = GRAVITY * (angle.sin() - KINETIC * angle.cos());
    for (solver, is_soft) in both_with(KINDS) {
        let (mut world, block) = block_on_plane(solver, is_soft, STATIC, Some(KINETIC));
        tilt(&mut world, [0.0, 0.0], 0.1);
        tilt(&mut world, [0.0, angle], 0.4);
        run_to(&mut world, 0.7);
        let before = speed(&world, block);
        run_to(&mut world, 1.0);
        let measured = (speed(&world, block) - before) / 0.3;
        let off = measured / expected - 1.0;
        println!("{solver:?}, soft {is_soft}: {measured:.5} of {expected:.5} m/s2, {off:.2e}");
        assert!(off.abs() < 0.01, "{solver:?} {is_soft}: {measured} of {expected} m/s2");
    }
}

#[test]
fn with_equal_coefficients_it_is_coulombs_friction_to_the_bit() {
    let angles = [0.0, 0.9, 1.3, 0.2].map(|share: f64| (share * STATIC).atan());
    for (solver, is_soft) in both_with(KINDS) {
        let run = |kinetic: Option<f64>| {
            let (mut world, block) = block_on_plane(solver, is_soft, STATIC, kinetic);
            let mut ends = Vec::new();
            for way in angles.windows(2) {
                tilt(&mut world, [way[0], way[1]], 0.2);
                for _ in 0..40 {
                    world.step(&mut ()).unwrap_or_else(|e| panic!("{e}"));
                    ends.push((world.state_hash(), speed(&world, block)));
                }
            }
            ends
        };
        let [plain, equal] = [None, Some(STATIC)].map(run);
        let [sticks, slides, stopped] = [39, 79, 119].map(|i| plain[i].1.abs());
        println!(
            "{solver:?}, soft {is_soft}: {sticks:.1e}, then {slides:.3}, then {stopped:.1e} m/s"
        );
        assert!(sticks < 1e-3 && slides > 0.05 && stopped < 1e-3, "it sticks, slides and stops");
        assert_eq!(plain, equal, "{solver:?} {is_soft}");
    }
}

#[test]
fn a_block_that_has_stopped_sticks_again() {
    // Between the two angles: what slips goes on, what rests stays.
    let between = (0.9 * STATIC).atan();
    assert!(between.tan() > 1.2 * KINETIC);
    for (solver, is_soft) in both_with(KINDS) {
        let (mut world, block) = block_on_plane(solver, is_soft, STATIC, Some(KINETIC));
        tilt(&mut world, [0.0, (1.2 * STATIC).atan()], 0.4);
        tilt(&mut world, [between, between], 0.2);
        let before = speed(&world, block);
        tilt(&mut world, [between, between], 0.2);
        let sliding = speed(&world, block);
        assert!(sliding > before && before > 0.1, "it slides on: {before} {sliding} m/s");
        tilt(&mut world, [0.0, 0.0], 1.0);
        let [stopped, _] = stays(&mut world, block, 0.0);
        tilt(&mut world, [0.0, between], 1.0);
        let [crept, allowed] = stays(&mut world, block, 0.9);
        println!(
            "{solver:?}, soft {is_soft}: slid with {sliding:.3} m/s, stopped (then {stopped:.1e} m), crept by {crept:.3e} of {allowed:.3e} m"
        );
    }
}

/// A block that slides uphill comes to rest within a step, wherever that falls, and stays: the next step has the static coefficient.
#[test]
fn a_block_that_turns_back_uphill_stays() {
    let between = (0.9 * STATIC).atan();
    for (solver, is_soft) in both_with(KINDS) {
        for k in 0..5 {
            let (mut world, block) = block_on_plane(solver, is_soft, STATIC, Some(KINETIC));
            let steep = -(1.2 * STATIC).atan();
            tilt(&mut world, [0.0, steep], 0.4);
            tilt(&mut world, [steep, steep], 0.1 + TIME_STEP * f64::from(k));
            tilt(&mut world, [steep, between], 0.1);
            let uphill = speed(&world, block);
            assert!(uphill < -0.05, "it slides uphill: {uphill} m/s");
            tilt(&mut world, [between, between], 1.0);
            let [crept, allowed] = stays(&mut world, block, 0.9);
            println!("{solver:?}, soft {is_soft}, {k}: {crept:.2e} of {allowed:.2e} m");
        }
    }
}
