//! Rayleigh damping: it decays vibrations at its rate, drags on motion through its mass part alone, and leaves spins alone.

mod common;

use common::*;
use cupule::model::Rayleigh;
use cupule::motion::Profile;
use cupule::settings::{Integrator, Settings};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::structured::cuboid_hexes;

fn weightless(time_step: f64, integrator: Integrator) -> Settings {
    Settings { time_step, integrator, gravity: DVec3::ZERO, ..Settings::default() }
}

/// Rate of decay (1/s) and frequency (rad/s) of a bar that swings after its clamp has moved 2 mm sideways in 0.15 s.
fn swing(damping: Rayleigh) -> (f64, f64) {
    let mut builder = WorldBuilder::new(weightless(2e-3, Integrator::Bdf2));
    let mesh = bar(0.0, 0.1, [6, 2, 2]);
    let [wall, tip] = [0.0, 0.1].map(|at| nodes_where(&mesh, |x| (x.x - at).abs() < 1e-9));
    let mut spec = soft("bar", mesh, corotated(1e5, 0.3), 1000.0);
    spec.damping = damping;
    let body = builder.add_fem(spec).expect("bar");
    attach(&mut builder, "wall", body, wall, drive(DVec3::Z * 2e-3, 0.15, Profile::Smooth));
    let mut world = builder.build().expect("a world");
    let height = |world: &World| {
        tip.iter().map(|n| world.nodes(body)[*n as usize].z).sum::<f64>() / tip.len() as f64
    };
    let (mut before, mut peaks) = ([f64::NAN; 2], Vec::new());
    while world.time() < 1.6 {
        world.step(&mut ()).expect("a swinging bar");
        let z = height(&world) - 2e-3;
        let [a, b] = before;
        if world.time() > 0.2 && (b - a) * (z - b) < 0.0 {
            // The extremum of the parabola through three heights.
            let shift = 0.5 * (a - z) / (a - 2.0 * b + z);
            peaks.push((world.time() - 2e-3 * (1.0 - shift), (b - 0.25 * (a - z) * shift).abs()));
        }
        before = [b, z];
    }
    let (first, last) = (peaks[0], peaks[peaks.len() - 1]);
    let time = last.0 - first.0;
    ((first.1 / last.1).ln() / time, std::f64::consts::PI * (peaks.len() - 1) as f64 / time)
}

#[test]
fn rayleigh_damping_decays_at_its_rate() {
    // (alpha + beta omega^2) / 2, within 3 %; BDF2 itself loses (h omega)^3 omega / 4 < 1e-3 of that.
    for (mass, stiffness) in [(3.0, 0.0), (0.0, 6e-3), (1.5, 3e-3)] {
        let (rate, frequency) = swing(Rayleigh { mass, stiffness });
        let damped = |w: f64| 0.5 * (mass + stiffness * w * w);
        // The undamped frequency from the measured one.
        let natural = frequency.hypot(rate);
        println!(
            "alpha {mass}, beta {stiffness}: decays at {rate:.4} 1/s, expected {:.4} at {natural:.2} rad/s",
            damped(natural)
        );
        assert!(
            (rate / damped(natural) - 1.0).abs() < 0.03,
            "alpha {mass} beta {stiffness}: {rate}"
        );
    }
}

#[test]
fn steady_drive_feels_mass_damping_alone() {
    // At constant speed v the bar drags with alpha m v; beta K v is zero, because a translation strains nothing.
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let mut builder = WorldBuilder::new(weightless(0.01, integrator));
        let mesh = bar(0.0, 0.1, [4, 1, 1]);
        let wall = nodes_where(&mesh, |x| x.x < 1e-9);
        let mut spec = soft("bar", mesh, corotated(1e6, 0.3), 1000.0);
        spec.damping = Rayleigh { mass: 4.0, stiffness: 0.05 };
        let body = builder.add_fem(spec).expect("bar");
        attach(&mut builder, "hand", body, wall, drive(DVec3::X * 0.6, 2.0, Profile::Linear));
        let mut world = builder.build().expect("a world");
        let report = run_to(&mut world, 1.9);
        let expected = DVec3::X * (4.0 * world.body_mass(body) * 0.3);
        let force = report.attachments[0].force;
        assert!(
            (force - expected).length() < 1e-6 * expected.length(),
            "{integrator:?}: {force} {expected}"
        );
    }
}

#[test]
fn stiffness_damping_does_not_brake_a_spin() {
    // A rigid rotation strains nothing, so that -beta K v must not act on it, stressed as the spinning bar is: it keeps its
    // angular momentum as well as without damping. (The first step is backward Euler and loses (h omega)^2 = 2.5e-3.)
    let [free, damped] = [0.0, 5e-3].map(|stiffness| {
        let mut builder = WorldBuilder::new(Settings {
            time_step: 1e-3,
            integrator: Integrator::Bdf2,
            gravity: DVec3::ZERO,
            ..Settings::default()
        });
        let mesh = cuboid_hexes(DVec3::new(0.1, 0.02, 0.02), [6, 1, 1]).expect("bar");
        let mut spec = soft("bar", mesh, corotated(1e7, 0.3), 1000.0);
        spec.angular_velocity = DVec3::Z * 50.0;
        spec.damping.stiffness = stiffness;
        let bar = builder.add_fem(spec).expect("bar");
        let mut world = builder.build().expect("a world");
        let start = world.body_report(bar).angular_momentum.z;
        run_to(&mut world, 0.06);
        1.0 - world.body_report(bar).angular_momentum.z / start
    });
    println!(
        "spin lost in 60 steps: {free:.2e} without damping, {damped:.2e} with stiffness damping"
    );
    assert!(free.abs() < 5e-3 && (damped - free).abs() < 2e-3, "{free} {damped}");
}
