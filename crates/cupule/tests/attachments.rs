//! What holds a body feels its weight, its inertia and its damping; what is glued moves as one.

mod common;

use common::*;
use cupule::model::Rayleigh;
use cupule::motion::{Motion, Profile};
use cupule::report::Wrench;
use cupule::settings::{Integrator, Settings};
use cupule::world::{AttachmentSpec, BodyId, FemSpec, Hold, WrenchPath};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;

fn wrench(force: DVec3, torque: DVec3) -> Hold {
    Hold::Wrench(WrenchPath {
        keys: vec![(0.0, Wrench { force, torque })],
        profile: Profile::Linear,
    })
}

fn weightless(time_step: f64, integrator: Integrator) -> Settings {
    Settings { time_step, integrator, gravity: DVec3::ZERO, ..Settings::default() }
}

#[test]
fn bar_glued_to_a_static_body_hangs_from_its_weight_and_moment() {
    // At rest: F = -m g, T = -(c - a) x m g about the attachment's centre a, to 1e-6 (the motion left after 4 s).
    let mut builder = WorldBuilder::new(Settings { time_step: 0.05, ..Settings::default() });
    let wall =
        cuboid(DVec3::new(0.1, 0.1, 0.1), [1, 1, 1]).expect("box").translated(DVec3::X * -0.05);
    let wall = builder.add_kinematic(fixed("wall", wall)).expect("wall");
    let mesh = bar(0.0, 0.1, [8, 2, 2]);
    let held = nodes_where(&mesh, |x| x.x < 1e-9);
    let body = builder.add_fem(soft("bar", mesh, corotated(3e5, 0.4), 1000.0)).expect("bar");
    attach(&mut builder, "glue", body, held.clone(), Hold::Glue(wall));
    let mut world = builder.build().expect("a world");
    let report = run_to(&mut world, 4.0);
    let weight = DVec3::Z * -GRAVITY * world.body_mass(body);
    let at = held.iter().map(|n| world.nodes(body)[*n as usize]).sum::<DVec3>() / held.len() as f64;
    let moment = (centre(&world, body) - at).cross(weight);
    let Wrench { force, torque } = report.attachments[0];
    assert!(
        world.body_report(body).lowest < -0.015,
        "it should bend: {:?}",
        world.body_report(body)
    );
    assert!((force + weight).length() < 1e-6 * weight.length(), "{force} {weight}");
    assert!((torque + moment).length() < 1e-6 * moment.length(), "{torque} {moment}");
}

/// Largest difference between the reaction of a driven bar and m (a - g), over m times the largest jerk.
fn drive_error(time_step: f64, integrator: Integrator) -> f64 {
    let (distance, duration) = (0.1, 0.4);
    let mut builder = WorldBuilder::new(Settings { time_step, integrator, ..Settings::default() });
    let mesh = bar(0.0, 0.04, [2, 1, 1]);
    let held = nodes_where(&mesh, |x| x.x < 1e-9);
    // Stiff, so that all of it moves as driven: the first period is a hundredth of the drive's.
    let body = builder.add_fem(soft("bar", mesh, corotated(1e8, 0.3), 1000.0)).expect("bar");
    let direction = DVec3::new(0.6, 0.0, 0.8);
    attach(
        &mut builder,
        "hand",
        body,
        held,
        drive(direction * distance, duration, Profile::Smooth),
    );
    let mut world = builder.build().expect("a world");
    let mass = world.body_mass(body);
    let mut largest: f64 = 0.0;
    while world.time() < 0.9 * duration {
        let report = world.step(&mut ()).expect("a driven bar");
        if world.time() > 0.1 * duration {
            let s = report.time / duration;
            let a = distance / duration.powi(2) * (60.0 * s - 180.0 * s * s + 120.0 * s.powi(3));
            let expected = (direction * a + DVec3::Z * GRAVITY) * mass;
            largest = largest.max((report.attachments[0].force - expected).length());
        }
    }
    largest / (mass * 60.0 * distance / duration.powi(3))
}

#[test]
fn reaction_of_a_driven_bar_is_mass_times_acceleration_and_weight() {
    // Backward Euler takes the acceleration one step late: error <= h jerk, falling with h.
    for (integrator, order) in [(Integrator::BackwardEuler, 1.0), (Integrator::Bdf2, 2.0)] {
        let errors = [4e-3, 2e-3].map(|h| drive_error(h, integrator));
        println!("{integrator:?}: reaction error / (m jerk) at h = 4, 2 ms: {errors:?} s");
        assert!(errors[0] < 1.1 * 4e-3, "{integrator:?}: {errors:?}");
        let slope = (errors[0] / errors[1]).log2();
        assert!(slope > order - 0.3, "{integrator:?}: order {slope}");
    }
}

/// A rigid cube of 40 mm with a soft pad of 20 mm glued under it; both turn with `spin` about their common centre.
fn pad_under_cube(settings: Settings, height: f64, spin: DVec3) -> (WorldBuilder, [BodyId; 2]) {
    let mut builder = WorldBuilder::new(settings);
    let (cube_mass, pad_density) = (0.1, 2000.0);
    let pad_mass = pad_density * 0.04 * 0.04 * 0.02;
    let at = [0.04, 0.01].map(|z| DVec3::Z * (z + height));
    let common = (at[0] * cube_mass + at[1] * pad_mass) / (cube_mass + pad_mass);
    let mut spec = rigid(
        "cube",
        cuboid(DVec3::splat(0.04), [1, 1, 1]).expect("cube").translated(at[0]),
        cube_mass,
    );
    (spec.velocity, spec.angular_velocity) = (spin.cross(at[0] - common), spin);
    let cube = builder.add_rigid(spec).expect("cube");
    let mesh =
        cuboid_hexes(DVec3::new(0.04, 0.04, 0.02), [3, 3, 2]).expect("pad").translated(at[1]);
    let top = nodes_where(&mesh, |x| x.z > height + 0.02 - 1e-9);
    let mut spec = soft("pad", mesh, corotated(1e6, 0.4), pad_density);
    (spec.velocity, spec.angular_velocity) = (spin.cross(at[1] - common), spin);
    let pad = builder.add_fem(spec).expect("pad");
    attach(&mut builder, "glue", pad, top, Hold::Glue(cube));
    (builder, [cube, pad])
}

fn momentum(world: &World, bodies: [BodyId; 2]) -> DVec3 {
    bodies.iter().map(|b| world.body_report(*b).momentum).sum()
}

fn angular_momentum(world: &World, bodies: [BodyId; 2]) -> DVec3 {
    bodies.iter().map(|b| world.body_report(*b).angular_momentum).sum()
}

#[test]
fn pad_glued_to_a_rigid_body_falls_with_it_and_carries_it() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let settings = Settings { time_step: 0.005, integrator, ..Settings::default() };
        let (mut builder, bodies) = pad_under_cube(settings, 0.05, DVec3::ZERO);
        let ground =
            cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05);
        builder.add_kinematic(fixed("ground", ground)).expect("ground");
        let mut world = builder.build().expect("a world");
        let mass: f64 = bodies.iter().map(|b| world.body_mass(*b)).sum();
        run_to(&mut world, 0.08);
        let expected = DVec3::Z * (-GRAVITY * mass * 0.08);
        let error = (momentum(&world, bodies) - expected).length() / expected.length();
        assert!(error < 1e-9, "{integrator:?}: p = m g t is off by {error:e}");
        let report = run_to(&mut world, 1.0);
        let force = report.bodies[bodies[1].0].contact_force.z;
        assert!(
            (force / (mass * GRAVITY) - 1.0).abs() < 1e-3,
            "{integrator:?}: the ground pushes with {force} N"
        );
        // The glue holds the pad against all that the ground pushes, less the pad's own weight.
        let glue = report.attachments[0].force.z + world.body_mass(bodies[0]) * GRAVITY;
        assert!(glue.abs() < 1e-3 * mass * GRAVITY, "{integrator:?}: the glue is off by {glue} N");
    }
}

#[test]
fn spinning_pair_keeps_its_momentum_to_the_loss_of_the_integrator() {
    // Linear: none. Angular: a soft body loses (h omega)^2 a step under backward Euler and a hundredth of it under BDF2, a
    // rigid one nothing; the pair at most as much as if it were all soft.
    let (h, steps) = (1e-3, 100);
    for (integrator, share) in [(Integrator::BackwardEuler, 1.2), (Integrator::Bdf2, 0.05)] {
        for spin in [DVec3::Z * 30.0, DVec3::X * 30.0] {
            let (builder, bodies) = pad_under_cube(weightless(h, integrator), 0.0, spin);
            let mut world = builder.build().expect("a world");
            let start = angular_momentum(&world, bodies);
            let energy = world.energy().kinetic;
            let mass: f64 = bodies.iter().map(|b| world.body_mass(*b)).sum();
            run_to(&mut world, h * f64::from(steps));
            let drift = momentum(&world, bodies).length() / (2.0 * mass * energy).sqrt();
            let lost = (angular_momentum(&world, bodies) - start).length() / start.length();
            let allowed = share * f64::from(steps) * (h * spin.length()).powi(2);
            println!(
                "{integrator:?} about {}: momentum drifts by {drift:.1e}, spin loses {lost:.2e} of {allowed:.2e}",
                spin / 30.0
            );
            assert!(
                drift < 1e-3,
                "{integrator:?} {spin}: momentum appears: {drift:e} of sqrt(2 m E)"
            );
            assert!(lost < allowed, "{integrator:?} {spin}: loses {lost:e}, at most {allowed:e}");
        }
    }
}

/// How far a weight of 20 mm at the end of a bar of 80 mm sinks; the weight is rigid or very stiff.
fn weight_on_a_bar(is_rigid: bool, refactor_rotation: f64) -> f64 {
    let mut builder =
        WorldBuilder::new(Settings { time_step: 0.05, refactor_rotation, ..Settings::default() });
    let mesh = bar(0.0, 0.08, [8, 2, 2]);
    let [wall, tip] = [0.0, 0.08].map(|at| nodes_where(&mesh, |x| (x.x - at).abs() < 1e-9));
    let (cube, density) = (DVec3::splat(WIDTH), 5000.0);
    let weight = if is_rigid {
        let surface = cuboid(cube, [1, 1, 1]).expect("cube").translated(DVec3::X * 0.09);
        builder.add_rigid(rigid("weight", surface, density * WIDTH.powi(3)))
    } else {
        let mesh = cuboid_hexes(cube, [2, 2, 2]).expect("cube").translated(DVec3::X * 0.09);
        builder.add_fem(soft("weight", mesh, corotated(1e10, 0.3), density))
    };
    let weight = weight.expect("weight");
    let body = builder.add_fem(soft("bar", mesh, corotated(1e6, 0.3), 500.0)).expect("bar");
    attach(&mut builder, "wall", body, wall, Hold::Drive(Motion::fixed()));
    attach(&mut builder, "glue", body, tip, Hold::Glue(weight));
    let mut world = builder.build().expect("a world");
    run_to(&mut world, 6.0);
    -centre(&world, weight).z
}

#[test]
fn glue_to_a_rigid_body_is_as_stiff_as_glue_to_a_very_stiff_one() {
    // The stiff one's own give is E_bar / E_weight = 1e-4 of the bar's, times their lengths and moments: below 1e-5.
    let (rigid, stiff) = (weight_on_a_bar(true, 0.0), weight_on_a_bar(false, 0.0));
    println!("weight on a bar sinks by {rigid:.6} m rigid, {stiff:.6} m very stiff");
    assert!(rigid > 1e-3);
    assert!((rigid / stiff - 1.0).abs() < 1e-5, "{rigid} {stiff}");
}

#[test]
fn a_kept_factor_does_not_move_the_equilibrium() {
    // Forces are exact and only the stiffness is old: a bar with a rigid or very stiff weight sinks as far as with fresh factors.
    for is_rigid in [true, false] {
        let (fresh, kept) = (
            weight_on_a_bar(is_rigid, 0.0),
            weight_on_a_bar(is_rigid, Settings::default().refactor_rotation),
        );
        println!(
            "rigid {is_rigid}: sinks by {fresh:.6} m with fresh factors, {kept:.6} m with kept ones"
        );
        assert!((kept / fresh - 1.0).abs() < 1e-4, "rigid {is_rigid}: {kept} {fresh}");
    }
}

/// A block that falls from the straight shape of a soft and a stiff bar, until they hold it. Returns it.
fn block_between_bars(builder: &mut WorldBuilder) -> BodyId {
    let block = cuboid(DVec3::splat(WIDTH), [1, 1, 1]).expect("cube");
    let block = builder.add_rigid(rigid("block", block, 0.04)).expect("block");
    for (name, modulus, [inner, outer]) in
        [("left", 1e4, [-0.01, -0.09]), ("right", 1e6, [0.01, 0.09])]
    {
        let mesh = bar(f64::min(inner, outer), f64::max(inner, outer), [8, 2, 2]);
        let [inner, outer] =
            [inner, outer].map(|x| nodes_where(&mesh, |node| (node.x - x).abs() < 1e-9));
        let spec = FemSpec {
            damping: Rayleigh { mass: 5.0, stiffness: 0.0 },
            ..soft(name, mesh, corotated(modulus, 0.3), 500.0)
        };
        let body = builder.add_fem(spec).expect("bar");
        attach(builder, &format!("{name}, outside"), body, outer, Hold::Drive(Motion::fixed()));
        attach(builder, &format!("{name}, inside"), body, inner, Hold::Glue(block));
    }
    block
}

#[test]
fn limbs_of_a_rigid_body_are_factored_apart_and_only_while_they_turn() {
    // As it swings, the stiff bar may turn by a tenth of the soft one's angle before it is renewed, and the block goes where it goes
    // with fresh factors, to the share of the tolerance; at rest none is.
    let mut builders = [Settings::default().refactor_rotation, 0.0].map(|refactor_rotation| {
        WorldBuilder::new(Settings { time_step: 0.002, refactor_rotation, ..Settings::default() })
    });
    let [block, _] = builders.each_mut().map(block_between_bars);
    let mut worlds = builders.map(|builder| builder.build().expect("a world"));
    let (mut renewed, mut apart, mut fall) = ([0; 3], 0.0, 0.0);
    for _ in 0..300 {
        let [kept, fresh] = worlds.each_mut().map(|world| world.step(&mut ()).expect("a step"));
        renewed[kept.factorisations] += 1;
        assert_eq!(fresh.factorisations, 2);
        let [kept, fresh] = worlds.each_ref().map(|world| centre(world, block));
        apart = f64::max(apart, kept.distance(fresh));
        fall = f64::max(fall, -fresh.z);
    }
    println!("steps with 0, 1 and 2 bars renewed: {renewed:?}; {apart:e} m apart of {fall:e} m");
    assert!(renewed[1] > 100 && renewed[0] > 10, "{renewed:?}");
    assert!(apart < 1e-3 * fall, "{apart} of {fall}");
    run_to(&mut worlds[0], 6.0);
    let resting = (0..10).map(|_| worlds[0].step(&mut ()).expect("a step").factorisations);
    assert_eq!(resting.sum::<usize>(), 0);
}

#[test]
fn what_is_kept_on_a_tumbling_body_keeps_its_momentum_and_its_balance() {
    // A flat brick, whose inertia turns with it, and a pad on it, 0.002 rad a step and one in all: the pad's stiffness turns along and
    // is made once. Angular momentum is lost as with fresh factors, and the glue gives the pad its change of momentum, F = dp / dt, to
    // the order of the step, h omega = 0.002.
    let h = 1e-3;
    let lost = [Settings::default().refactor_rotation, 0.0].map(|refactor_rotation| {
        let settings = weightless(h, Integrator::BackwardEuler);
        let mut builder = WorldBuilder::new(Settings { refactor_rotation, ..settings });
        let spin = DVec3::new(1.6, 0.9, 0.8);
        let size = DVec3::new(0.1, 0.04, 0.01);
        let mut spec = rigid("brick", cuboid(size, [1, 1, 1]).expect("brick"), 0.1);
        spec.angular_velocity = spin;
        let brick = builder.add_rigid(spec).expect("brick");
        let at = DVec3::new(0.04, 0.0, 0.015);
        let mesh = cuboid_hexes(DVec3::splat(0.02), [2, 2, 2]).expect("pad").translated(at);
        let glued = nodes_where(&mesh, |x| x.z < 0.005 + 1e-9);
        let mut spec = soft("pad", mesh, corotated(1e6, 0.4), 1000.0);
        (spec.velocity, spec.angular_velocity) = (spin.cross(at), spin);
        let pad = builder.add_fem(spec).expect("pad");
        attach(&mut builder, "glue", pad, glued, Hold::Glue(brick));
        let mut world = builder.build().expect("a world");
        let start = angular_momentum(&world, [brick, pad]);
        let (mut off, mut largest, mut renewed): (f64, f64, usize) = (0.0, 0.0, 0);
        for _ in 0..500 {
            let before = world.body_report(pad).momentum;
            let report = world.step(&mut ()).expect("a step");
            let change = (world.body_report(pad).momentum - before) / h;
            off = off.max((report.attachments[0].force - change).length());
            largest = largest.max(change.length());
            renewed += report.factorisations;
        }
        let lost = (angular_momentum(&world, [brick, pad]) - start) / start.length();
        println!("{refactor_rotation}: {renewed} renewed, L changes by {lost}, glue off by {off:e} of {largest:e} N");
        assert!(off < 0.002 * largest, "{off} of {largest}");
        assert_eq!(renewed, if refactor_rotation > 0.0 { 1 } else { 500 });
        lost
    });
    let apart = lost[0].distance(lost[1]);
    println!("L is {apart:e} apart");
    assert!(apart < 1e-6, "{lost:?}");
}

/// A brick with a soft, slanted pad on one end, thrown and spinning: in 0.1 s it has turned by about two radians, and lands on the pad.
/// Largest force on the ground (N), when it came (s), how often the pad was renewed until then, and the worst gap of all steps (m).
fn landing_on_a_pad(refactor_rotation: f64) -> (f64, f64, usize, f64) {
    let settings = Settings { refactor_rotation, ..weightless(1e-3, Integrator::BackwardEuler) };
    let mut builder = WorldBuilder::new(settings);
    let (spin, way) = (DVec3::new(0.5, 19.0, 0.3), DVec3::new(0.1, 0.0, -0.5));
    let brick = cuboid(DVec3::new(0.04, 0.03, 0.02), [1, 1, 1]).expect("brick");
    let mut spec = rigid("brick", brick.translated(DVec3::Z * 0.09), 0.05);
    (spec.velocity, spec.angular_velocity) = (way, spin);
    let brick = builder.add_rigid(spec).expect("brick");
    let at = DVec3::new(0.035, 0.0, 0.0);
    let mesh = cuboid_hexes(DVec3::new(0.03, 0.01, 0.02), [4, 2, 2]).expect("pad");
    let mesh = mesh.translated(at + DVec3::Z * 0.09);
    let glued = nodes_where(&mesh, |x| x.x < 0.02 + 1e-9);
    let mut spec = soft("pad", mesh, corotated(3e5, 0.4), 1000.0);
    (spec.velocity, spec.angular_velocity) = (way + spin.cross(at), spin);
    let pad = builder.add_fem(spec).expect("pad");
    attach(&mut builder, "glue", pad, glued, Hold::Glue(brick));
    let ground = cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).expect("ground");
    builder.add_kinematic(fixed("ground", ground.translated(DVec3::Z * -0.05))).expect("ground");
    let mut world = builder.build().expect("a world");
    let (mut largest, mut time, mut renewed, mut gap): (f64, f64, usize, f64) = Default::default();
    for _ in 0..150 {
        let report = world.step(&mut ()).expect("a step");
        let force = report.bodies[pad.0].contact_force.length();
        if largest == 0.0 {
            renewed += report.factorisations;
        }
        if force > largest {
            (largest, time) = (force, report.time);
        }
        gap = gap.max(report.residual.gap_m);
    }
    (largest, time, renewed, gap)
}

#[test]
fn contacts_of_a_limb_that_has_turned_are_those_of_a_fresh_one() {
    // W and the response to contacts are taken along axes that have turned with the pad by then; a pad that is longer than thick answers
    // otherwise in every direction.
    let (kept, fresh) = (landing_on_a_pad(0.01), landing_on_a_pad(0.0));
    println!("largest force, when, renewed before, worst gap: {kept:?} kept, {fresh:?} fresh");
    assert!(fresh.0 > 1.0 && fresh.1 > 0.05, "it lands in flight: {fresh:?}");
    assert!(kept.2 < 20 && fresh.2 > 50, "{kept:?} {fresh:?}");
    assert!((kept.0 / fresh.0 - 1.0).abs() < 0.01 && kept.1 == fresh.1, "{kept:?} {fresh:?}");
    assert!(kept.3 <= 2e-7, "the tolerance of sweeps: {kept:?}");
}

/// How far the end of a bar of two halves sinks under its weight; `None` is one piece.
fn sag(second: Option<[usize; 3]>) -> f64 {
    let mut builder = WorldBuilder::new(Settings { time_step: 0.05, ..Settings::default() });
    let material = corotated(1e6, 0.3);
    let mesh = bar(
        0.0,
        if second.is_some() { 0.1 } else { 0.2 },
        [if second.is_some() { 10 } else { 20 }, 2, 2],
    );
    let wall = nodes_where(&mesh, |x| x.x < 1e-9);
    let first = builder.add_fem(soft("first", mesh, material, 1000.0)).expect("first half");
    attach(&mut builder, "wall", first, wall, Hold::Drive(Motion::fixed()));
    let mut last = first;
    if let Some(divisions) = second {
        let mesh = bar(0.1, 0.2, divisions);
        let joint = nodes_where(&mesh, |x| x.x < 0.1 + 1e-9);
        last = builder.add_fem(soft("second", mesh, material, 1000.0)).expect("second half");
        attach(&mut builder, "glue", last, joint, Hold::Glue(first));
    }
    let mut world = builder.build().expect("a world");
    run_to(&mut world, 6.0);
    let end = |x: &DVec3| x.x > 0.2 - 1e-9;
    let mesh = world.rest_mesh(last).expect("soft");
    let tip: Vec<usize> = (0..mesh.nodes.len()).filter(|i| end(&mesh.nodes[*i])).collect();
    -tip.iter().map(|i| world.nodes(last)[*i].z).sum::<f64>() / tip.len() as f64
}

#[test]
fn two_glued_halves_bend_like_one_bar() {
    let whole = sag(None);
    for (divisions, tolerance) in [([10, 2, 2], 1e-6), ([10, 3, 3], 0.03), ([10, 1, 1], 0.05)] {
        let halves = sag(Some(divisions));
        println!("second half of {divisions:?}: sags by {halves:.6} m, one piece by {whole:.6} m");
        assert!((halves / whole - 1.0).abs() < tolerance, "{divisions:?}: {halves} {whole}");
    }
}

#[test]
fn wrench_on_a_rigid_body_gives_newton_and_euler() {
    // v = F t / m and omega = T t / I about a principal axis, exact for constant loads with both integrators.
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let mut builder = WorldBuilder::new(weightless(0.01, integrator));
        let size = DVec3::new(0.1, 0.06, 0.02);
        let body = builder
            .add_rigid(rigid("brick", cuboid(size, [1, 1, 1]).expect("box"), 0.3))
            .expect("brick");
        let (force, torque) = (DVec3::new(0.1, -0.2, 0.3), DVec3::Y * 2e-4);
        attach(&mut builder, "load", body, vec![], wrench(force, torque));
        let mut world = builder.build().expect("a world");
        let report = run_to(&mut world, 0.5);
        let inertia = 0.3 / 12.0 * (size.x * size.x + size.z * size.z);
        let (v, w) =
            (world.body_report(body).velocity, world.angular_velocity(body).expect("rigid"));
        assert!((v - force * 0.5 / 0.3).length() < 1e-10 * v.length(), "{integrator:?}: {v}");
        assert!((w - torque * 0.5 / inertia).length() < 1e-10 * w.length(), "{integrator:?}: {w}");
        assert_eq!(report.attachments[0], Wrench { force, torque });
    }
}

#[test]
fn wrench_on_nodes_has_the_resultant_asked_for() {
    // After one step from rest: p = h F and, about the nodes' centre a, L = h (T + a x F), to rounding.
    let oblique = |x: DVec3| {
        (x - DVec3::new(0.0, 0.0, -0.01)).cross(DVec3::new(0.06, 0.01, 0.02)).length() < 1e-9
    };
    let selections: [(&str, &dyn Fn(DVec3) -> bool); 4] = [
        ("all", &|_| true),
        ("face", &|x| x.x > 0.06 - 1e-9),
        ("edge", &|x| x.x > 0.06 - 1e-9 && x.z > 0.01 - 1e-9),
        ("oblique line", &oblique),
    ];
    for (name, pick) in selections {
        let mut builder = WorldBuilder::new(weightless(0.01, Integrator::BackwardEuler));
        let mesh = bar(0.0, 0.06, [2, 2, 2]);
        let chosen = nodes_where(&mesh, pick);
        assert!(chosen.len() > 1, "{name}: {chosen:?}");
        let x: Vec<DVec3> = chosen.iter().map(|n| mesh.nodes[*n as usize]).collect();
        let at = x.iter().sum::<DVec3>() / x.len() as f64;
        let along = (x[x.len() - 1] - x[0]).normalize();
        // Little, so that the bar hardly turns within the step: one in which it turns far is done in halves.
        let (force, torque) = (DVec3::new(1e-3, 2e-3, -1e-3), DVec3::new(1e-5, 2e-5, 3e-5));
        // Nodes on a line can take no torque about it.
        let torque = if name.contains("line") || name == "edge" {
            torque.reject_from(along)
        } else {
            torque
        };
        let body = builder.add_fem(soft("bar", mesh, corotated(1e6, 0.3), 1000.0)).expect("bar");
        attach(&mut builder, "load", body, chosen, wrench(force, torque));
        let mut world = builder.build().expect("a world");
        world.step(&mut ()).expect("a loaded bar");
        let report = world.body_report(body);
        assert!(
            (report.momentum / 0.01 - force).length() < 1e-9 * force.length(),
            "{name}: {}",
            report.momentum / 0.01
        );
        let expected = torque + at.cross(force);
        let error = (report.angular_momentum / 0.01 - expected).length() / expected.length();
        assert!(error < 1e-8, "{name}: {} instead of {expected}", report.angular_momentum / 0.01);
    }
}

#[test]
fn torque_that_nodes_cannot_take_is_refused() {
    let mut builder = WorldBuilder::new(Settings::default());
    let mesh = bar(0.0, 0.06, [2, 2, 2]);
    let edge = nodes_where(&mesh, |x| x.x > 0.06 - 1e-9 && x.z > 0.01 - 1e-9);
    let body = builder.add_fem(soft("bar", mesh, corotated(1e6, 0.3), 1000.0)).expect("bar");
    for points in [edge.clone(), vec![edge[0]]] {
        let spec =
            AttachmentSpec { name: "load".into(), body, points, hold: wrench(DVec3::Z, DVec3::Y) };
        let message = builder.add_attachment(spec).expect_err("no lever").to_string();
        assert!(message.contains("\"load\"") && message.contains("torque"), "{message}");
    }
}

#[test]
fn attachments_that_cannot_be_are_refused_with_a_reason() {
    let mut builder = WorldBuilder::new(Settings::default());
    let mesh = bar(0.0, 0.1, [4, 1, 1]);
    let nodes = mesh.nodes.len() as u32;
    let first = builder.add_fem(soft("first", mesh, corotated(1e6, 0.3), 1000.0)).expect("bar");
    let second = builder
        .add_fem(soft("second", bar(0.1, 0.2, [4, 1, 1]), corotated(1e6, 0.3), 1000.0))
        .expect("bar");
    let third = builder
        .add_fem(soft("third", bar(0.2, 0.3, [4, 1, 1]), corotated(1e6, 0.3), 1000.0))
        .expect("bar");
    let cube = cuboid(DVec3::splat(0.1), [1, 1, 1]).expect("cube").translated(DVec3::Z);
    let brick = builder.add_rigid(rigid("brick", cube.clone(), 1.0)).expect("brick");
    let wall = builder.add_kinematic(fixed("wall", cube.translated(DVec3::Z))).expect("wall");
    let still = || Hold::Drive(Motion::fixed());
    attach(&mut builder, "hand", first, vec![0, 1, 2], still());
    let cases: [(BodyId, Vec<u32>, Hold, [&str; 2]); 7] = [
        (first, vec![], still(), ["\"first\"", "selects no node"]),
        (
            first,
            vec![3, nodes],
            still(),
            ["\"first\"", &format!("no node {nodes}: it has {nodes}")],
        ),
        (first, vec![2, 3], still(), ["\"hand\"", "held"]),
        (first, vec![2, 3], Hold::Glue(wall), ["\"hand\"", "held"]),
        (first, vec![4], Hold::Glue(first), ["\"first\"", "itself"]),
        (brick, vec![], still(), ["\"brick\"", "kinematic"]),
        (wall, vec![], still(), ["\"wall\"", "not free"]),
    ];
    for (body, points, hold, parts) in cases {
        let message = builder
            .add_attachment(AttachmentSpec { name: "new".into(), body, points, hold })
            .expect_err(parts[1])
            .to_string();
        assert!(
            message.contains("\"new\"") && parts.iter().all(|p| message.contains(p)),
            "{message}"
        );
    }
    // A chain of glue, whichever link is made first.
    let end = |builder: &WorldBuilder, body: BodyId, at: f64| -> Vec<u32> {
        let x = builder.nodes(body);
        (0..x.len() as u32).filter(|i| (x[*i as usize].x - at).abs() < 1e-9).collect()
    };
    let (a, b) = (end(&builder, second, 0.2), end(&builder, third, 0.3));
    attach(&mut builder, "link", second, a, Hold::Glue(third));
    attach(&mut builder, "chain", third, b[..2].to_vec(), Hold::Glue(first));
    let third_start = end(&builder, third, 0.2);
    attach(&mut builder, "loop", third, third_start, Hold::Glue(first));
    let message = builder.build().expect_err("a chain").to_string();
    assert!(
        message.contains("\"link\"") && message.contains("\"third\" is itself glued"),
        "{message}"
    );
}
