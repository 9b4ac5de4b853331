//! Springs between bodies: two masses and what joins them.
//!
//! Two bodies m1 and m2 joined by springs of k in all, with nothing else around, swing against each other as
//! x'' = -k (1 / m1 + 1 / m2) x, x their elongation, so that omega^2 = k (1 / m1 + 1 / m2).

use cupule::element::Formulation;
use cupule::material::{Isotropic, Material};
use cupule::model::Rayleigh;
use cupule::motion::Motion;
use cupule::settings::{Integrator, Settings, SolverChoice};
use cupule::world::{
    BodyId, FemSpec, KinematicSpec, MassSpec, RigidSpec, SpringEnd, SpringSpec, SpringsSpec, World,
    WorldBuilder, WorldError,
};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;
use std::f64::consts::TAU;

/// Side of every block, m.
const SIDE: f64 = 0.1;
/// Gap that the springs bridge, m.
const GAP: f64 = 0.2;
/// Of all springs together, N/m.
const STIFFNESS: f64 = 60.0;
/// Of blocks: against their stiffness E A / L = 1e5 N/m, springs between their middles are softer by far.
const MODULUS: f64 = 1e6;
/// Steps in a period.
const STEPS: f64 = 200.0;

#[derive(Debug, Clone, Copy)]
enum Block {
    Soft,
    Rigid,
    Fixed,
}

fn add(
    world: &mut WorldBuilder,
    block: Block,
    name: &str,
    mass: f64,
    at: DVec3,
    speed: f64,
) -> BodyId {
    let (name, mass) = (name.to_string(), MassSpec::Total(mass));
    let (velocity, angular_velocity) = (DVec3::X * speed, DVec3::ZERO);
    let surface = || cuboid(DVec3::splat(SIDE), [1; 3]).expect("a block").translated(at);
    let added = match block {
        Block::Soft => world.add_fem(FemSpec {
            name,
            mesh: cuboid_hexes(DVec3::splat(SIDE), [2, 2, 2]).expect("a block").translated(at),
            material: Material::corotated(Isotropic::new(MODULUS, 0.3).expect("moduli")),
            mass,
            damping: Rayleigh::default(),
            formulation: Formulation::default(),
            surface: None,
            caged: false,
            self_contact: false,
            velocity,
            angular_velocity,
        }),
        Block::Rigid => world.add_rigid(RigidSpec {
            name,
            surface: surface(),
            mass,
            velocity,
            angular_velocity,
        }),
        Block::Fixed => {
            world.add_kinematic(KinematicSpec { name, surface: surface(), motion: Motion::fixed() })
        }
    };
    added.expect("a body")
}

fn settings(solver: SolverChoice, time_step: f64) -> Settings {
    Settings {
        solver,
        time_step,
        gravity: DVec3::ZERO,
        integrator: Integrator::Bdf2,
        ..Settings::default()
    }
}

/// Nine springs from face to face, so that neither block turns.
fn springs(ends: [BodyId; 2], damping: f64) -> SpringsSpec {
    let places = [-1.0, 0.0, 1.0].map(|y| [-1.0, 0.0, 1.0].map(|z| DVec3::new(0.0, y, z)));
    let spring = |place: DVec3| {
        let at = |x: f64| place * (SIDE / 2.0) + DVec3::X * x;
        let end = |i: usize, x| SpringEnd { body: Some(ends[i]), at: at(x) };
        let ends = [end(0, SIDE / 2.0), end(1, SIDE / 2.0 + GAP)];
        SpringSpec { ends, stiffness: STIFFNESS / 9.0, rest: None }
    };
    let springs = places.into_iter().flatten().map(spring).collect();
    SpringsSpec { name: "ligament".into(), springs, damping }
}

/// 1 / m of a block, 1/kg; none for one that is held.
fn lightness(block: Block, mass: f64) -> f64 {
    if matches!(block, Block::Fixed) { 0.0 } else { 1.0 / mass }
}

/// Two blocks that fly apart at 0.1 m/s, and the time step.
fn swing(solver: SolverChoice, blocks: [Block; 2], masses: [f64; 2], damping: f64) -> (World, f64) {
    let light = lightness(blocks[0], masses[0]) + lightness(blocks[1], masses[1]);
    let time_step = TAU / (STIFFNESS * light).sqrt() / STEPS;
    let mut world = WorldBuilder::new(settings(solver, time_step));
    let a = add(&mut world, blocks[0], "left", masses[0], DVec3::ZERO, 0.0);
    let b = add(&mut world, blocks[1], "right", masses[1], DVec3::X * (SIDE + GAP), 0.1);
    world.add_springs(&springs([a, b], damping)).expect("springs");
    (world.build().expect("a world"), time_step)
}

fn elongation(world: &World) -> f64 {
    let [a, b] = ["left", "right"].map(|name| world.find_body(name).expect("a block"));
    let [a, b] = [a, b].map(|body| world.body_report(body).centre.x);
    b - a - SIDE - GAP
}

/// Times at which the elongation goes through zero downwards, s, by the straight line between two steps.
fn crossings(world: &mut World, time_step: f64, count: usize) -> Vec<f64> {
    let (mut found, mut last) = (Vec::new(), elongation(world));
    while found.len() < count {
        let report = world.step(&mut ()).expect("a step");
        let now = elongation(world);
        if last > 0.0 && now <= 0.0 {
            found.push(report.time - time_step * now / (now - last));
        }
        last = now;
    }
    found
}

/// BDF2 lengthens a period by (omega h)^2 / 3 = 3.3e-4 at 200 steps a period; the blocks themselves give way by k / (E A / L) = 6e-4, half of
/// which goes into the period, and backward Euler begins. Together within 1e-3.
#[test]
fn joined_blocks_swing_with_the_frequency_of_two_masses() {
    use Block::{Fixed, Rigid, Soft};
    let pairs =
        [[Soft, Soft], [Rigid, Rigid], [Soft, Rigid], [Rigid, Soft], [Fixed, Soft], [Fixed, Rigid]];
    for (blocks, solver) in pairs
        .map(|pair| (pair, SolverChoice::Ncp))
        .into_iter()
        .chain([([Soft, Rigid], SolverChoice::Ipc)])
    {
        let masses = [1.0, 0.5];
        let (mut world, time_step) = swing(solver, blocks, masses, 0.0);
        let times = crossings(&mut world, time_step, 4);
        let period = (times[3] - times[0]) / 3.0;
        let light = lightness(blocks[0], masses[0]) + lightness(blocks[1], masses[1]);
        let expected = TAU / (STIFFNESS * light).sqrt();
        let off = period / expected - 1.0;
        assert!(
            off.abs() < 1e-3,
            "{blocks:?} {solver:?}: {period} s for {expected} s, off by {off:e}"
        );
    }
}

/// With damping c = beta k the elongation decays as exp(-beta omega^2 t / 2): by exp(-pi beta omega) in a period.
#[test]
fn dashpots_beside_the_springs_damp_the_swing() {
    let (masses, beta) = ([1.0, 0.5], 0.004);
    let omega = (STIFFNESS * (1.0 + 2.0)).sqrt();
    let decay = |beta: f64| {
        let (mut world, _) = swing(SolverChoice::Ncp, [Block::Rigid; 2], masses, beta);
        let mut peaks = [0.0_f64; 2];
        for step in 0..(2.0 * STEPS) as usize {
            world.step(&mut ()).expect("a step");
            let peak = &mut peaks[usize::from(step as f64 >= STEPS)];
            *peak = peak.max(elongation(&world));
        }
        peaks[1] / peaks[0]
    };
    // What the integrator damps by itself is taken out.
    let found = -(decay(beta) / decay(0.0)).ln();
    let expected = 0.5 * TAU * beta * omega;
    assert!((found / expected - 1.0).abs() < 0.01, "{found} for {expected}");
}

/// The momentum of the two is kept, since a spring pulls at both ends alike.
#[test]
fn springs_keep_momentum() {
    for blocks in [[Block::Soft, Block::Rigid], [Block::Soft; 2]] {
        let (mut world, _) = swing(SolverChoice::Ncp, blocks, [1.0, 0.5], 0.01);
        let momentum = |world: &World| -> DVec3 {
            ["left", "right"]
                .map(|name| world.body_report(world.find_body(name).expect("a block")).momentum)
                .into_iter()
                .sum()
        };
        let before = momentum(&world);
        (0..100).for_each(|_| drop(world.step(&mut ()).expect("a step")));
        let off = (momentum(&world) - before).length();
        assert!(off < 1e-12, "{blocks:?}: {off}");
    }
}

#[test]
fn springs_that_cannot_be_are_refused() {
    let mut world = WorldBuilder::new(settings(SolverChoice::Ncp, 0.01));
    let a = add(&mut world, Block::Soft, "left", 1.0, DVec3::ZERO, 0.0);
    let b = add(&mut world, Block::Rigid, "right", 1.0, DVec3::X * (SIDE + GAP), 0.0);
    let good = springs([a, b], 0.0);
    let mut said = |change: &dyn Fn(&mut SpringsSpec)| {
        let mut spec = good.clone();
        change(&mut spec);
        let error = world.add_springs(&spec).expect_err("refused");
        assert!(matches!(error, WorldError::Springs { .. }), "{error}");
        error.to_string()
    };
    let cases = [
        (said(&|spec| spec.springs.clear()), "there is none"),
        (said(&|spec| spec.damping = -1.0), "damping -1 must be 0 or more"),
        (said(&|spec| spec.springs[0].stiffness = f64::NAN), "stiffness NaN must be positive"),
        (said(&|spec| spec.springs[0].rest = Some(-0.1)), "must be 0 or more (m)"),
        (said(&|spec| spec.springs[0].ends[1].body = Some(a)), "on the same body"),
        (said(&|spec| spec.springs[0].ends[0].at.x = 0.4), "outside body \"left\""),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{message}");
    }
}
