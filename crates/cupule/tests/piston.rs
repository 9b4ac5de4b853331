//! Trapped air against the gas law: a rigid piston in a rigid cylinder, sealed by nothing but its narrow gap.

mod common;

use common::*;
use cupule::cavity::{Line, Muscle, Port, Schedule, Source, SurfacePoint};
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{AirSettings, Integrator, Settings, SolverChoice, VentLimit};
use cupule::world::{BodyId, KinematicSpec};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::{cylinder, revolved};
use cupule_geometry::{DQuat, DVec3, TriMesh};

const ATMOSPHERE: f64 = 101_325.0;
const RADIUS: f64 = 0.01;
const FLOOR: f64 = 0.004;
const SEGMENTS: usize = 24;
/// Far below the radius: the air beside the piston is 0.1 % of what is under it.
const SEALING: f64 = 1e-5;
const OFFSET: f64 = 1e-6;

fn air() -> AirSettings {
    AirSettings {
        sealing_distance: SEALING,
        roughness: 0.0,
        limit: VentLimit::Constant(1e9),
        ..AirSettings::default()
    }
}

/// Area of the cylinder's polygon, m2.
fn area() -> f64 {
    let angle = std::f64::consts::TAU / SEGMENTS as f64;
    0.5 * SEGMENTS as f64 * RADIUS * RADIUS * angle.sin()
}

/// A tube that is closed below.
fn tube(
    solver: SolverChoice,
    time_step: f64,
    integrator: Integrator,
    air: AirSettings,
) -> WorldBuilder {
    tube_with(Settings { solver, time_step, integrator, air: Some(air), ..Settings::default() })
}

fn tube_with(settings: Settings) -> WorldBuilder {
    let mut builder = WorldBuilder::new(Settings {
        contact_distance: OFFSET,
        alarm_distance: 1e-4,
        friction: 0.0,
        ..settings
    });
    let profile =
        [[0.0, 0.0], [0.014, 0.0], [0.014, 0.08], [RADIUS, 0.08], [RADIUS, FLOOR], [0.0, FLOOR]];
    builder
        .add_kinematic(fixed("tube", revolved(&profile, SEGMENTS).expect("tube")))
        .expect("tube");
    builder
}

/// A piston `height` (m) above the floor of the tube.
fn piston(height: f64) -> TriMesh {
    // Sides are parallel: their distance is the difference of the radii times cos(pi / n). A piston that leans on one side is
    // twice as far from the other, and still sealed.
    let clearance = (OFFSET + 0.25 * SEALING) / (std::f64::consts::PI / SEGMENTS as f64).cos();
    let mesh = cylinder(RADIUS - clearance, 0.005, SEGMENTS, 2, 1).expect("piston");
    let lowest = mesh.vertices.iter().map(|v| v.z).fold(f64::INFINITY, f64::min);
    mesh.translated(DVec3::Z * (FLOOR + height - lowest))
}

fn height(world: &World, body: BodyId) -> f64 {
    world.surface_positions(body).iter().map(|x| x.z).fold(f64::INFINITY, f64::min) - FLOOR
}

#[test]
fn piston_settles_at_boyles_volume() {
    // P V = P_atm V_0 with P = P_atm + m g / A.
    SOLVERS.into_iter().for_each(settles_at_boyles_volume);
}

fn settles_at_boyles_volume(solver: SolverChoice) {
    let (mass, start) = (1.0, 0.02);
    let mut builder = tube(solver, 1e-2, Integrator::BackwardEuler, air());
    let body = builder.add_rigid(rigid("piston", piston(start), mass)).expect("piston");
    let mut world = builder.build().expect("a world");
    let report = run_to(&mut world, 1.5);
    let [cavity] = &report.cavities[..] else { panic!("one cavity, not {:?}", report.cavities) };
    let pressure = ATMOSPHERE + mass * GRAVITY / area();
    let ratio = height(&world, body) / start;
    println!(
        "{solver:?}: P {:.1} of {pressure:.1} Pa, V / V0 {ratio:.5} of {:.5}",
        cavity.pressure,
        ATMOSPHERE / pressure
    );
    assert!((cavity.pressure / pressure - 1.0).abs() < 1e-3);
    assert!((ratio * pressure / ATMOSPHERE - 1.0).abs() < 1e-3);
    assert!(cavity.gas_error < 1e-5, "{}", cavity.gas_error);
    assert!(report.moles.balance_error() < 1e-9);
}

/// Frequency (Hz) at which a piston that got a little push swings about its place, with no weight.
fn frequency(solver: SolverChoice, exponent: f64, start: f64, mass: f64) -> f64 {
    let mut builder = tube_with(Settings {
        solver,
        time_step: 5e-4,
        integrator: Integrator::Bdf2,
        gravity: DVec3::ZERO,
        air: Some(AirSettings { exponent, ..air() }),
        ..Settings::default()
    });
    let mut spec = rigid("piston", piston(start), mass);
    spec.velocity = DVec3::Z * 0.01;
    let body = builder.add_rigid(spec).expect("piston");
    let mut world = builder.build().expect("a world");
    let (mut crossings, mut last) = (Vec::new(), 0.0);
    while crossings.len() < 4 {
        let report = world.step(&mut ()).expect("a swinging piston");
        let now = height(&world, body) - start;
        if last < 0.0 && now >= 0.0 {
            crossings.push(report.time - report.time_step * now / (now - last));
        }
        last = now;
    }
    3.0 / (crossings[3] - crossings[0])
}

#[test]
fn piston_swings_at_the_isothermal_and_the_adiabatic_frequency() {
    // omega^2 = k P A^2 / (V m), V = A H.
    let (start, mass) = (0.02, 0.2);
    for (solver, exponent) in both_with([1.0, 1.4]) {
        let expected =
            (exponent * ATMOSPHERE * area() / (start * mass)).sqrt() / std::f64::consts::TAU;
        let measured = frequency(solver, exponent, start, mass);
        println!("{solver:?}, exponent {exponent}: {measured:.4} Hz of {expected:.4}");
        assert!((measured / expected - 1.0).abs() < 0.01);
    }
}

#[test]
fn air_vents_only_at_the_limit() {
    // Pressed down to half: without a limit below 2 P_atm nothing leaves; with one, P stays at it and n = P_max V / R T.
    for (solver, limit) in both_with([3.0, 1.5]) {
        let settings = AirSettings { limit: VentLimit::Constant(limit * ATMOSPHERE), ..air() };
        let mut builder = tube(solver, 1e-2, Integrator::BackwardEuler, settings);
        let start = 0.02;
        press(&mut builder, start, -0.5 * start, 0.5);
        let mut world = builder.build().expect("a world");
        let mut before: Option<(f64, f64)> = None;
        while world.time() < 0.7 {
            let report = world.step(&mut ()).expect("a pressed piston");
            let cavity = &report.cavities[0];
            if let Some((amount, _)) = before {
                let vents = amount - cavity.amount > 1e-12 * amount;
                assert_eq!(vents, vents && cavity.pressure >= limit * ATMOSPHERE, "vents below it");
            }
            before = Some((cavity.amount, cavity.pressure));
        }
        let (_, pressure) = before.expect("steps");
        let expected = ATMOSPHERE * limit.min(2.0);
        assert!((pressure / expected - 1.0).abs() < 1e-3, "{pressure} of {expected}");
    }
}

/// A piston that is moved by `rise` (m) within `time` (s) and then held.
fn press(builder: &mut WorldBuilder, start: f64, rise: f64, time: f64) {
    let key = |time, z| Key { time, translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
    let motion = Motion::new(vec![key(0.0, 0.0), key(time, rise)], Profile::Smooth, DVec3::ZERO);
    let spec = KinematicSpec { name: "piston".into(), surface: piston(start), motion };
    builder.add_kinematic(spec).expect("piston");
}

/// 1/e time (s) of |P - target| from `from` (s) on, by the logarithm over `span` (s).
fn time_constant(world: &mut World, target: f64, from: f64, span: f64) -> f64 {
    let distance =
        |report: cupule::report::StepReport| (report.cavities[0].pressure - target).abs();
    let first = distance(run_to(world, from));
    let last = distance(run_to(world, from + span));
    span / (first / last).ln()
}

#[test]
fn leak_refills_a_cavity_with_its_time_constant() {
    // V dP/dt = C (P_atm - P): tau = V / C, also when V is tiny.
    for (solver, start) in both_with([0.02, 5e-5]) {
        let conductance = 1e-5 * start / 0.02;
        let settings = AirSettings { leak_conductance: conductance, ..air() };
        let mut builder = tube(solver, 2e-3, Integrator::BackwardEuler, settings);
        press(&mut builder, start, 0.5 * start, 0.1);
        let mut world = builder.build().expect("a world");
        let tau = time_constant(&mut world, ATMOSPHERE, 0.2, 0.5);
        let volume = world.cavities()[0].volume;
        println!("{solver:?}, V {volume:.3e} m3: tau {tau:.4} of {:.4} s", volume / conductance);
        assert!((tau * conductance / volume - 1.0).abs() < 0.01);
        assert!(world.moles().balance_error() < 1e-9);
    }
}

#[test]
fn pump_empties_a_cavity_with_its_time_constant() {
    // V dP/dt = -S0 (P - P_ult): tau = V / S0 through a wide, small line.
    for (solver, start) in both_with([0.02, 5e-5]) {
        let (speed, ultimate) = (1e-5 * start / 0.02, 2e4);
        let mut builder = tube(solver, 2e-3, Integrator::BackwardEuler, air());
        press(&mut builder, start, 0.0, 1.0);
        let port = Port { at: on_the_floor(&builder), conductance: 1e3 * speed };
        let added = builder.add_line(Line {
            name: "pump".into(),
            ports: vec![port],
            volume: 1e-6 * area() * start,
            source: Source::Pump { speed: Schedule(vec![(0.0, speed)]), ultimate },
            valve: Schedule::default(),
        });
        assert!(added);
        let mut world = builder.build().expect("a world");
        let tau = time_constant(&mut world, ultimate, 0.1, 0.5);
        let volume = world.cavities()[0].volume;
        println!("{solver:?}, V {volume:.3e} m3: tau {tau:.4} of {:.4} s", volume / speed);
        assert!((tau * speed / volume - 1.0).abs() < 0.01);
        let moles = world.moles();
        assert!(moles.balance_error() < 1e-9 && moles.pumped > 0.0, "{moles:?}");
    }
}

#[test]
fn regulator_sets_the_pressure_through_its_tube() {
    // V dP/dt = C (P_reg - P): tau = V / C, towards more and towards less than the atmosphere.
    for (solver, target) in both_with([3e4, 1.5e5]) {
        let (start, conductance) = (0.02, 5e-5);
        let mut builder = tube(solver, 1e-3, Integrator::BackwardEuler, air());
        press(&mut builder, start, 0.0, 1.0);
        let added = builder.add_line(Line {
            name: "regulator".into(),
            ports: vec![Port { at: on_the_floor(&builder), conductance }],
            volume: 1e-6 * area() * start,
            source: Source::Regulator(Schedule(vec![(0.0, target)])),
            valve: Schedule::default(),
        });
        assert!(added);
        let mut world = builder.build().expect("a world");
        let tau = time_constant(&mut world, target, 0.05, 0.2);
        let volume = world.cavities()[0].volume;
        println!("{solver:?}, to {target} Pa: tau {tau:.4} of {:.4} s", volume / conductance);
        // Backward Euler falls by 1 / (1 + h / tau) a step: its tau is longer by h / (2 tau).
        let late = 1.0 + 0.5 * world.settings().time_step * conductance / volume;
        assert!((tau * conductance / volume / late - 1.0).abs() < 2e-3);
        let end = run_to(&mut world, 3.0).cavities[0].pressure;
        assert!((end / target - 1.0).abs() < 1e-6, "{end}");
    }
}

#[test]
fn gas_with_an_exponent_keeps_its_law_while_air_flows() {
    // n R T = P_atm (P / P_atm)^(1/k) V whatever a regulator pushes or draws through its tube, narrow or wide.
    for (solver, conductance) in both_with([5e-5, 5e-3, 5e-2]) {
        let (start, target, exponent) = (0.02, 6e4, 1.4);
        let settings = AirSettings { exponent, ..air() };
        let mut builder = tube(solver, 1e-3, Integrator::BackwardEuler, settings);
        press(&mut builder, start, 0.0, 1.0);
        assert!(builder.add_line(Line {
            name: "regulator".into(),
            ports: vec![Port { at: on_the_floor(&builder), conductance }],
            volume: 1e-6 * area() * start,
            source: Source::Regulator(Schedule(vec![(0.0, target)])),
            valve: Schedule::default(),
        }));
        let mut world = builder.build().expect("a world");
        let cavity = run_to(&mut world, 3.0).cavities[0].clone();
        println!(
            "{solver:?}, C {conductance:e} m3/s: {} Pa, {:.1e}",
            cavity.pressure, cavity.gas_error
        );
        assert!((cavity.pressure / target - 1.0).abs() < 1e-6, "{}", cavity.pressure);
        assert!(cavity.gas_error < 1e-6, "{solver:?} {conductance}: {}", cavity.gas_error);
        assert!(world.moles().balance_error() < 1e-9);
    }
}

#[test]
fn muscle_shares_the_air_and_gives_it_back() {
    // A chamber behind the wall widens to V_m: P (V + V_m)^k is constant, also when V is tiny; narrowed again, all is as before.
    for (solver, (start, exponent)) in both_with([(0.02, 1.0), (5e-5, 1.0), (0.02, 1.4)]) {
        let mut builder =
            tube(solver, 2e-3, Integrator::BackwardEuler, AirSettings { exponent, ..air() });
        press(&mut builder, start, 0.0, 1.0);
        let widest = 3.0 * area() * start;
        let volume = Schedule(vec![(0.1, 0.0), (0.2, widest), (0.3, widest), (0.4, 0.0)]);
        let at = on_the_floor(&builder);
        assert!(builder.add_muscle(Muscle { name: "muscle".into(), at, volume }));
        let mut world = builder.build().expect("a world");
        let wide = run_to(&mut world, 0.25);
        let [cavity] = &wide.cavities[..] else { panic!("one cavity") };
        let room = cavity.volume / (cavity.volume + widest);
        let expected = ATMOSPHERE * room.powf(exponent);
        println!(
            "{solver:?}, V {:.3e} m3: {:.3} of {expected:.3} Pa",
            cavity.volume, cavity.pressure
        );
        // The wall is drawn once more when its ring is held, at twice the sealing distance: n is kept, and V is another by what
        // is beside the piston there, 1e-7 of it, and 2e-5 where the piston is 50 um above the floor.
        let drawn = 1e-4;
        assert!((cavity.pressure / expected - 1.0).abs() < drawn);
        let kept = wide.moles.in_cavities / wide.moles.created;
        assert!((kept / room - 1.0).abs() < drawn && wide.moles.balance_error() < 1e-12);
        assert!((wide.moles.pumped / (wide.moles.created * (1.0 - room)) - 1.0).abs() < drawn);
        let narrow = run_to(&mut world, 0.5);
        assert!((narrow.cavities[0].pressure / ATMOSPHERE - 1.0).abs() < drawn);
        assert!((narrow.moles.pumped / narrow.moles.created).abs() < drawn);
    }
}

/// The middle of a triangle of the tube's floor.
fn on_the_floor(builder: &WorldBuilder) -> SurfacePoint {
    // The tube is the first body.
    let tube = BodyId(0);
    let x = builder.surface_positions(tube);
    let flat = |t: &[u32; 3]| {
        t.iter().all(|v| (x[*v as usize].z - FLOOR).abs() < 1e-9 && x[*v as usize].length() < 0.012)
    };
    let triangle = builder.surface_triangles(tube).iter().position(flat).expect("a floor");
    SurfacePoint { body: tube.0, triangle: triangle as u32, at: [1.0 / 3.0; 3] }
}
