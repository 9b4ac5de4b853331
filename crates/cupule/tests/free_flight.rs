//! Momentum in free flight, and what each integrator does to a spin.

mod common;

use common::*;
use cupule::settings::{Integrator, Settings};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;

fn settings(time_step: f64, integrator: Integrator, gravity: f64) -> Settings {
    Settings {
        time_step,
        integrator,
        gravity: DVec3::new(0.0, 0.0, -gravity),
        ..Settings::default()
    }
}

#[test]
fn linear_momentum_changes_by_weight_alone() {
    // p(t) = p(0) + m g t, to 1e-10 relative, for soft and rigid bodies and both integrators.
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let mut builder = WorldBuilder::new(settings(0.01, integrator, GRAVITY));
        let mesh = cuboid_hexes(DVec3::new(0.1, 0.06, 0.04), [4, 3, 2]).expect("box");
        let mut spec = soft("soft", mesh, corotated(1e4, 0.45), 1000.0);
        spec.velocity = DVec3::new(0.3, -0.2, 1.0);
        spec.angular_velocity = DVec3::new(1.0, 2.0, 3.0);
        let a = builder.add_fem(spec).expect("soft body");
        let mut spec = rigid(
            "rigid",
            cuboid(DVec3::splat(0.05), [1, 1, 1]).expect("box").translated(DVec3::X),
            0.2,
        );
        spec.velocity = DVec3::new(-0.3, 0.1, 2.0);
        spec.angular_velocity = DVec3::new(5.0, 2.0, 3.0);
        let b = builder.add_rigid(spec).expect("rigid body");
        let mut world = builder.build().expect("a world");
        let start = [a, b].map(|i| (i, world.body_report(i).momentum));
        run_to(&mut world, 0.5);
        for (body, start) in start {
            let expected = start + DVec3::new(0.0, 0.0, -GRAVITY * 0.5) * world.body_mass(body);
            let error = (world.body_report(body).momentum - expected).length() / expected.length();
            assert!(error < 1e-10, "{integrator:?} {}: {error:e}", world.body_name(body));
        }
    }
}

#[test]
fn angular_momentum_of_a_tumbling_rigid_body_is_kept() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let mut builder = WorldBuilder::new(settings(0.01, integrator, 0.0));
        let mut spec =
            rigid("brick", cuboid(DVec3::new(0.1, 0.06, 0.02), [1, 1, 1]).expect("box"), 0.3);
        spec.angular_velocity = DVec3::new(0.3, 10.0, 0.2);
        let body = builder.add_rigid(spec).expect("rigid body");
        let mut world = builder.build().expect("a world");
        let start = world.body_report(body).angular_momentum;
        run_to(&mut world, 2.0);
        let change = (world.body_report(body).angular_momentum - start).length() / start.length();
        assert!(change < 1e-10, "{integrator:?}: {change:e}");
    }
}

/// Loss of angular momentum a step, over (h omega)^2, of a soft bar that spins.
fn spin_loss(
    integrator: Integrator,
    material: cupule::material::Material,
    h_omega: f64,
    refactor_rotation: f64,
) -> f64 {
    let h = 1e-3;
    let mut builder =
        WorldBuilder::new(Settings { refactor_rotation, ..settings(h, integrator, 0.0) });
    let mesh = cuboid_hexes(DVec3::new(0.1, 0.02, 0.02), [10, 2, 2]).expect("bar");
    let mut spec = soft("bar", mesh, material, 1000.0);
    spec.angular_velocity = DVec3::new(0.0, 0.0, h_omega / h);
    let body = builder.add_fem(spec).expect("soft body");
    let mut world = builder.build().expect("a world");
    let spin = |world: &World| world.body_report(body).angular_momentum.z;
    let at_start = spin(&world);
    // The bar first stretches under its own spin; that transient is let pass.
    run_to(&mut world, 20.0 * h);
    let (mut lost, mut expected) = (0.0, 0.0);
    for _ in 0..40 {
        let before = spin(&world);
        world.step(&mut ()).expect("free flight");
        lost += before - spin(&world);
        expected += before * (h_omega * before / at_start).powi(2);
    }
    lost / expected
}

#[test]
fn backward_euler_loses_h_omega_squared_a_step_and_bdf2_a_hundredth_of_that() {
    // With a kept stiffness as with fresh ones, since it turns along. That of a neo-Hookean body was made without the stress of the spin,
    // a strain of 3e-4 at 50 rad/s, and so BDF2 gains a twentieth instead.
    let materials =
        [("corotated", corotated(1e7, 0.3), 100.0), ("neo-Hookean", neo_hookean(1e7, 0.3), 20.0)];
    for (name, material, of_kept) in materials {
        for (h_omega, refactor_rotation) in [(0.05, 0.0), (0.05, 0.01), (0.002, 0.01)] {
            let loss = |integrator| spin_loss(integrator, material, h_omega, refactor_rotation);
            let [first, second] = [Integrator::BackwardEuler, Integrator::Bdf2].map(loss);
            let what = format!("{name}, h omega = {h_omega}, kept to {refactor_rotation} rad");
            println!("{what}: loss / (h omega)^2: backward Euler {first:.4}, BDF2 {second:.6}");
            assert!((first - 1.0).abs() < 0.2, "{what}: {first} (h omega)^2");
            let part = if h_omega > 0.01 && refactor_rotation > 0.0 { of_kept } else { 100.0 };
            assert!(second.abs() < first / part, "{what}: {second} against {first}");
        }
    }
}
