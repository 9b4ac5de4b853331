//! What the residual of the incremental-potential solver says: rounding is no imbalance, and an imbalance is not taken for rounding.

mod common;

use common::*;
use cupule::WorldBuilder;
use cupule::motion::Profile;
use cupule::settings::{IpcSettings, Settings, SolverChoice};
use cupule_geometry::DVec3;

/// The share of the largest force that a step leaves unbalanced in a stiff bar held at one end, its other end loaded.
fn unbalanced(force: f64, max_iterations: usize) -> f64 {
    let ipc = IpcSettings { max_iterations, ..IpcSettings::default() };
    let mut builder = WorldBuilder::new(Settings {
        solver: SolverChoice::Ipc,
        time_step: 2e-3,
        gravity: DVec3::ZERO,
        ipc,
        ..Settings::default()
    });
    let mesh = bar(0.0, 0.1, [20, 2, 2]);
    let ends = [nodes_where(&mesh, |x| x.x < 1e-9), nodes_where(&mesh, |x| x.x > 0.0999)];
    let body = builder.add_fem(soft("bar", mesh, corotated(1e9, 0.4), 1100.0)).expect("bar");
    attach(&mut builder, "foot", body, ends[0].clone(), drive(DVec3::ZERO, 1.0, Profile::Linear));
    for node in &ends[1] {
        builder.add_node_force(body, *node, DVec3::Z * force).expect("node");
    }
    let mut world = builder.build().expect("a world");
    world.step(&mut ()).expect("a step").residual.force_share
}

/// A load of 1e-9 N on a part with stiffness of 1e7 N/m: places are known to 1e-17 m, forces to 1e-10 N.
#[test]
fn a_load_below_rounding_is_no_imbalance() {
    let share = unbalanced(1e-9, 200);
    println!("{share:e}");
    assert!(share <= 1e-3, "{share}");
}

/// One Newton step on a load that bends the bar through a right angle leaves its nonlinearity.
#[test]
fn an_unfinished_step_shows() {
    let share = unbalanced(2e5, 1);
    println!("{share:e}");
    assert!(share > 1e-2, "{share}");
}
