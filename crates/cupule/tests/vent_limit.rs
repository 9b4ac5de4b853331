//! What overpressure a seal withstands: a soft bell on a plate, pressed down and blown up from below.

mod common;

use common::*;
use cupule::cavity::{Line, Port, Schedule, Source};
use cupule::motion::Profile;
use cupule::report::{StepReport, Wrench};
use cupule::settings::{AirSettings, IpcSettings, Settings, SolverChoice, VentLimit};
use cupule::world::{Hold, WrenchPath};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::{CupDivisions, CupShape, cup_hexes};

const ATMOSPHERE: f64 = 101_325.0;
/// Radius of the bell at its outer edge, m.
const OUTER: f64 = 0.015;
/// dhat under `ipc`, m.
const CONTACT_DISTANCE: f64 = 2e-5;
/// How long it is looked at, s.
const END: f64 = 1.1;

/// A soft bell pressed by `force` (N) on a plate through which air of 80 kPa over the atmosphere comes. Under `ipc` its rim creeps
/// outwards by at most eps_v t; that is kept below dhat, or it would spread by a tenth of a millimetre.
fn blown(solver: SolverChoice, force: f64, limit: VentLimit) -> World {
    let mut builder = WorldBuilder::new(Settings {
        solver,
        time_step: 5e-3,
        contact_distance: CONTACT_DISTANCE,
        ipc: IpcSettings { stick_speed: CONTACT_DISTANCE / END, ..IpcSettings::default() },
        alarm_distance: 1e-3,
        air: Some(AirSettings { limit, ..AirSettings::default() }),
        ..Settings::default()
    });
    let plate = cuboid(DVec3::new(0.1, 0.1, 0.01), [1, 1, 1]).expect("plate");
    let plate =
        builder.add_kinematic(fixed("plate", plate.translated(-DVec3::Z * 0.005))).expect("plate");
    let shape = CupShape::new(2.0 * OUTER, 0.02, 0.02, 0.006, 0.006);
    let along = vec![2; shape.stretches().expect("a bell")];
    let divisions = CupDivisions { quarter: 6, along, through: 2, stem_layers: 0 };
    let mesh = cup_hexes(&shape, &divisions).expect("bell").translated(DVec3::Z * 3e-5);
    let top = nodes_where(&mesh, |x| x.z > 0.01199);
    let mut spec = soft("bell", mesh, corotated(2e6, 0.45), 1000.0);
    spec.damping.stiffness = 2e-3;
    let bell = builder.add_fem(spec).expect("bell");
    let key =
        |time: f64, force: f64| (time, Wrench { force: -DVec3::Z * force, torque: DVec3::ZERO });
    let press = WrenchPath { keys: vec![key(0.0, 0.0), key(0.2, force)], profile: Profile::Smooth };
    attach(&mut builder, "press", bell, top, Hold::Wrench(press));
    let at = builder.nearest_surface_point(plate, DVec3::new(0.001, 0.0003, 0.0)).expect("a place");
    let pressure = Schedule(vec![(0.3, ATMOSPHERE), (0.8, ATMOSPHERE + 8e4)]);
    let added = builder.add_line(Line {
        name: "air".into(),
        ports: vec![Port { at, conductance: 1e-4 }],
        volume: 1e-6,
        source: Source::Regulator(pressure),
        valve: Schedule::default(),
    });
    let world = builder.build().expect("a world");
    assert!(added);
    world
}

/// Gauge pressure (Pa) under the bell in the end, and how much it wavers over the last steps.
fn held(world: &mut World) -> (f64, f64, StepReport) {
    run_to(world, 1.0);
    let mut gauges = Vec::new();
    let mut last = StepReport::default();
    while world.time() < END {
        last = world.step(&mut ()).expect("a bell that is blown up");
        let [cavity] = &last.cavities[..] else { panic!("one cavity, not {:?}", last.cavities) };
        gauges.push(cavity.pressure - ATMOSPHERE);
    }
    let (low, high) =
        gauges.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), g| (l.min(*g), h.max(*g)));
    (gauges[gauges.len() - 1], high - low, last)
}

#[test]
fn seal_holds_what_presses_it() {
    // Air gets out where it has lifted the contact away: when p A carries what presses, the weight included. The bell
    // bends, so that some vertices of the rim are still loaded then: up to a fifth of the force. Both solvers find the same
    // pressure to 2 %, a tenth of what the ring's place on the rim decides. Under 40 N and `ipc` the bell opens at 49 to 60 kPa,
    // where `ncp` holds 59, closes and fills again: there is no pressure that it holds to compare.
    let ncp = held_against(SolverChoice::Ncp, &[10.0, 20.0, 40.0]);
    let ipc = held_against(SolverChoice::Ipc, &[10.0, 20.0]);
    for (ncp, ipc) in ncp.iter().zip(&ipc) {
        assert!((ipc / ncp - 1.0).abs() < 0.02, "{ipc} Pa under ipc, {ncp} under ncp");
    }
}

/// The gauge pressures (Pa) under bells that are pressed by these forces (N).
fn held_against(solver: SolverChoice, forces: &[f64]) -> Vec<f64> {
    let mut gauges = Vec::new();
    for &force in forces {
        let mut world = blown(solver, force, VentLimit::Seal);
        let (gauge, wavers, report) = held(&mut world);
        let bell = world.find_body("bell").expect("bell");
        let pressing = force + world.body_mass(bell) * GRAVITY;
        let lifted = report.bodies[bell.0].gas_force.z / pressing;
        println!(
            "{solver:?}, {force} N: {gauge:.0} Pa carry {lifted:.3} of it, and waver by {wavers:.2} Pa"
        );
        assert!((0.8..1.0).contains(&lifted), "{lifted}");
        // The limit follows contact forces at single nodes, which `ipc` knows to its tolerance only.
        let most = if solver == SolverChoice::Ipc { 0.02 } else { 0.01 };
        assert!(wavers < most * gauge, "{wavers} of {gauge}");
        assert!(report.moles.vented > 0.0 && report.moles.balance_error() < 1e-9);
        gauges.push(gauge);
    }
    for pair in gauges.windows(2) {
        assert!((pair[1] / pair[0] / 2.0 - 1.0).abs() < 0.15, "in proportion: {gauges:?}");
    }
    gauges
}

#[test]
fn seal_at_atmospheric_pressure_holds_nothing() {
    for solver in SOLVERS {
        let (gauge, ..) = held(&mut blown(solver, 10.0, VentLimit::Atmosphere));
        assert!(gauge.abs() < 1e-6, "{solver:?}: {gauge}");
    }
}

#[test]
fn limit_follows_the_elastic_energy() {
    // P_max = P_atm + 4e6 Pa/J E, E the energy at the end of the step.
    let slope = 4e6;
    for solver in SOLVERS {
        let table = Schedule(vec![(0.0, 0.0), (1.0, slope)]);
        let mut world = blown(solver, 10.0, VentLimit::ElasticEnergy(table));
        let (gauge, _, report) = held(&mut world);
        let expected = slope * report.energy.elastic;
        println!("{solver:?}: {gauge:.0} Pa of {expected:.0}");
        assert!(expected > 1e3, "something is stored: {expected}");
        assert!((gauge / expected - 1.0).abs() < 0.02, "{}", gauge / expected);
    }
}
