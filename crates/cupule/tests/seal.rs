//! Air that creeps through the gap of a seal, and a wet film in it: rigid bells over a plate, against Reynolds' equation.

mod common;

use common::*;
use cupule::cavity::{Line, Port, Schedule, Source};
use cupule::event::{Event, EventKind, LeakHistory, LeakPath};
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{AirSettings, Settings, SolverChoice};
use cupule::world::KinematicSpec;
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::{cuboid, revolved};
use cupule_geometry::{DQuat, DVec3, TriMesh};
use std::f64::consts::TAU;

const ATMOSPHERE: f64 = 101_325.0;
const OFFSET: f64 = 1e-6;
const OUTER: f64 = 0.015;
const VISCOSITY: f64 = 1.8e-5;

fn air() -> AirSettings {
    AirSettings {
        roughness: 0.0,
        viscous_leak: true,
        viscosity: VISCOSITY,
        ..AirSettings::default()
    }
}

/// A bell whose rim goes from `inner` (m) to 15 mm in `rings` steps, `gap` (m) beyond the contact distance above z = 0.
fn bell(inner: f64, rings: usize, segments: usize, gap: f64) -> TriMesh {
    let mut profile = vec![[0.0, 0.01], [inner, 0.01]];
    let step = (OUTER - inner) / rings as f64;
    profile.extend((0..=rings).map(|i| [inner + step * i as f64, 0.0]));
    profile.extend([[OUTER, 0.014], [0.0, 0.014]]);
    revolved(&profile, segments).expect("bell").translated(DVec3::Z * (OFFSET + gap))
}

/// A bell on a plate, with a line that is pumped during the first tenth of a second.
fn pumped(
    solver: SolverChoice,
    time_step: f64,
    air: AirSettings,
    surface: TriMesh,
    motion: Motion,
) -> World {
    let mut builder = WorldBuilder::new(Settings {
        solver,
        time_step,
        contact_distance: OFFSET,
        alarm_distance: 1e-3,
        air: Some(air),
        ..Settings::default()
    });
    let plate = cuboid(DVec3::new(0.1, 0.1, 0.01), [1, 1, 1]).expect("plate");
    let plate = builder.add_kinematic(fixed("plate", plate.translated(-DVec3::Z * 0.005)));
    let plate = plate.expect("plate");
    builder.add_kinematic(KinematicSpec { name: "bell".into(), surface, motion }).expect("bell");
    let speed = Schedule(vec![(0.0, 2e-3), (0.1, 2e-3), (0.1001, 0.0)]);
    let off_the_diagonal = DVec3::new(0.001, 0.0003, 0.0);
    let middle = builder.nearest_surface_point(plate, off_the_diagonal).expect("a surface");
    let added = builder.add_line(Line {
        name: "pump".into(),
        ports: vec![Port { at: middle, conductance: 1.0 }],
        volume: 1e-12,
        source: Source::Pump { speed, ultimate: 0.0 },
        valve: Schedule::default(),
    });
    assert!(added);
    builder.build().expect("a world")
}

/// K (m3/(Pa s)) by the refilling: dP/dt = K (P_atm^2 - P^2) / (2 V), so atanh(P / P_atm) grows by P_atm K / (2 V) a second.
fn measured(world: &mut World) -> f64 {
    let mut marks: Vec<(f64, f64)> = Vec::new();
    run_to(world, 0.101);
    while marks.last().is_none_or(|(_, p)| *p < 0.7 * ATMOSPHERE) {
        let report = world.step(&mut ()).expect("a bell at rest");
        marks.push((report.time, report.cavities[0].pressure));
        assert!(world.time() < 2.0, "it does not fill: {:?}", report.cavities);
    }
    assert!(world.moles().balance_error() < 1e-9);
    let ((t0, p0), (t1, p1)) = (marks[0], marks[marks.len() - 1]);
    assert!(p0 < 0.4 * ATMOSPHERE, "pumped down first: {p0}");
    let grown = (p1 / ATMOSPHERE).atanh() - (p0 / ATMOSPHERE).atanh();
    2.0 * world.cavities()[0].volume / ATMOSPHERE * grown / (t1 - t0)
}

#[test]
fn bell_refills_through_a_parallel_gap() {
    // K = 2 pi g^3 / (12 eta ln(R_o / R_i)), with one cell across the rim and with four.
    let (inner, gap) = (0.01, 2e-5);
    let expected = TAU * f64::powi(gap, 3) / (12.0 * VISCOSITY * f64::ln(OUTER / inner));
    let meshes = [(1, 24, 0.03), (4, 48, 0.015)];
    for (solver, (rings, segments, tolerance)) in both_with(meshes) {
        let surface = bell(inner, rings, segments, gap);
        let mut world = pumped(solver, 2e-4, air(), surface, Motion::fixed());
        let k = measured(&mut world);
        println!("{solver:?}, {rings} cells: K {k:.4e} of {expected:.4e} m3/(Pa s)");
        assert!((k / expected - 1.0).abs() < tolerance, "{}", k / expected);
    }
}

#[test]
fn tilted_bell_leaks_by_the_mean_cube_of_its_gap() {
    // A narrow ring with gap g (1 + e cos t) and width L: the mean of g^3 / (L + g). The mouths, wedges as steep as a
    // wall, each add half a gap to the length: integral of dx / (g + x)^3 = 1 / (2 g^2).
    let (inner, gap, e) = (0.0142, 2e-5, 0.6);
    let middle = 0.5 * (inner + OUTER);
    let tilt = DQuat::from_rotation_x(gap * e / middle);
    let surface = bell(inner, 2, 96, 0.0).rotated(tilt).translated(DVec3::Z * gap);
    let per_length = |i: usize| {
        let gap = gap * (1.0 + e * (TAU * i as f64 / 1000.0).cos());
        gap.powi(3) / (OUTER - inner + gap)
    };
    let mean = (0..1000).map(per_length).sum::<f64>() / 1000.0;
    let expected = TAU * middle * mean / (12.0 * VISCOSITY);
    for solver in SOLVERS {
        let k = measured(&mut pumped(solver, 1e-4, air(), surface.clone(), Motion::fixed()));
        println!("{solver:?}: K {k:.4e} of {expected:.4e} m3/(Pa s)");
        assert!((k / expected - 1.0).abs() < 0.01, "{}", k / expected);
    }
}

/// A bell that is lifted by 0.12 mm from `from` (s) on, within a tenth of a second: pressures (Pa) until it opens, and
/// its detachment.
fn lifted(solver: SolverChoice, time_step: f64, air: AirSettings, from: f64) -> (Vec<f64>, Event) {
    let key = |time, z| Key { time, translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
    let keys = vec![key(from, 0.0), key(from + 0.1, 1.2e-4)];
    let motion = Motion::new(keys, Profile::Linear, DVec3::ZERO);
    let mut world = pumped(solver, time_step, air, bell(0.01, 1, 24, 0.0), motion);
    let mut pressures = vec![];
    run_to(&mut world, 0.11);
    loop {
        let report = world.step(&mut ()).expect("a lifted bell");
        if let Some(event) = report.events.iter().find(|e| e.kind == EventKind::Detach) {
            return (pressures, event.clone());
        }
        pressures.push(report.cavities[0].pressure);
    }
}

/// How a vacuum that was exhausted leaked away.
fn leak_of(detachment: &Event) -> LeakHistory {
    let cause = detachment.cause.as_deref().expect("a cause");
    assert!(cause.exhausted, "{detachment:?}");
    cause.leak.expect("a leak")
}

#[test]
fn seal_is_lost_by_degrees() {
    // Lifted from closed to open: the vacuum is gone before the seal opens at 2 s, and no step takes more than its share.
    let jump = |solver: SolverChoice, time_step: f64| {
        let (pressures, _) = lifted(solver, time_step, air(), 0.12);
        let (first, last) = (pressures[0], pressures[pressures.len() - 1]);
        assert!(first < 0.2 * ATMOSPHERE && last > 0.98 * ATMOSPHERE, "{first} {last}");
        pressures.windows(2).map(|p| (p[1] - p[0]).abs()).fold(0.0, f64::max)
    };
    for solver in SOLVERS {
        let [coarse, fine] = [2e-3, 1e-3].map(|h| jump(solver, h));
        println!("{solver:?}: largest jump {coarse:.0} Pa, with half the step {fine:.0} Pa");
        assert!(fine < 0.6 * coarse, "continuous: half the step, half the jump");
    }
}

#[test]
fn detachment_says_which_leak_took_the_vacuum() {
    let tight = AirSettings { viscous_leak: false, ..air() };
    let said = |air: AirSettings| lifted(SolverChoice::Ncp, 1e-3, air, 1.0).1;
    let held = said(tight.clone());
    let cause = held.cause.as_deref().expect("a cause");
    assert!(!cause.exhausted && cause.leak.is_none() && cause.weakest.is_some(), "{held:?}");
    assert!(held.pressure.is_some_and(|pressure| pressure < 1.0), "{held:?}");
    // The vacuum of 3.1 cm3 is exhausted long before it is lifted, in its own time.
    let volume = std::f64::consts::PI * 1e-6;
    let conductance = 2e-5;
    let leaks = said(AirSettings { leak_conductance: conductance, ..tight.clone() });
    let leak = leak_of(&leaks);
    assert_eq!(leak.path, LeakPath::Conductance(conductance));
    // P_atm - P falls to 2 % within V / C ln 50.
    let time = leak.gone.expect("it is gone") - leak.since;
    assert!((time / (volume / conductance * 50f64.ln()) - 1.0).abs() < 0.03, "{leak:?}");
    let rate = said(AirSettings { leak_rate: 3e-4, ..tight });
    assert_eq!(leak_of(&rate).path, LeakPath::Rate(3e-4));
    let gap = said(air());
    println!("{held:?}\n{leaks:?}\n{rate:?}\n{gap:?}");
    let leak = leak_of(&gap);
    assert!((leak.deepest / ATMOSPHERE - 1.0).abs() < 1e-2, "pumped empty first: {leak:?}");
    let LeakPath::Gap { conductance, widest: Some(widest) } = leak.path else { panic!("{leak:?}") };
    // The bell is the second body; it is lifted by 0.12 mm at most.
    assert!(conductance > 0.0 && widest.body == 1 && widest.gap < 1.2e-4, "{leak:?}");
}

/// Volume (m3), wall area and touching area (m2) of the air under a bell at rest.
fn room(solver: SolverChoice, gap: f64, film_thickness: f64) -> [f64; 3] {
    let settings = AirSettings { sealing_distance: 1e-4, film_thickness, ..air() };
    let mut world = pumped(solver, 1e-3, settings, bell(0.01, 2, 24, gap), Motion::fixed());
    let report = run_to(&mut world, 2e-3);
    let [cavity] = &report.cavities[..] else { panic!("one cavity, not {:?}", report.cavities) };
    [cavity.volume, cavity.area, cavity.touching_area]
}

#[test]
fn film_takes_its_room_but_no_more_than_there_is() {
    // Half a film on every wall; where the walls are nearer than the film is thick, only the gap between them.
    let film = 3e-5;
    for (solver, gap) in both_with([6e-5, 1e-5]) {
        let ([dry, ..], [wet, area, touching]) = (room(solver, gap, 0.0), room(solver, gap, film));
        let expected = 0.5 * (film * (area - touching) + film.min(gap) * touching);
        println!("{solver:?}, gap {gap}: {:.4e} of {expected:.4e} m3", dry - wet);
        assert!(((dry - wet) / expected - 1.0).abs() < 0.01, "{}", (dry - wet) / expected);
    }
}

#[test]
fn wet_bell_seals_where_a_dry_one_does_not_and_leaks_by_what_is_above_the_film() {
    let (inner, gap, film) = (0.01, 6e-5, 4e-5);
    let surface = bell(inner, 2, 48, gap);
    let expected = TAU * f64::powi(gap - film, 3) / (12.0 * VISCOSITY * f64::ln(OUTER / inner));
    for solver in SOLVERS {
        let mut dry = pumped(solver, 2e-4, air(), surface.clone(), Motion::fixed());
        assert!(run_to(&mut dry, 1e-3).cavities.is_empty());
        let wet = AirSettings { film_thickness: film, ..air() };
        let k = measured(&mut pumped(solver, 2e-4, wet, surface.clone(), Motion::fixed()));
        println!("{solver:?}: K {k:.4e} of {expected:.4e} m3/(Pa s)");
        assert!((k / expected - 1.0).abs() < 0.015, "{}", k / expected);
    }
}
