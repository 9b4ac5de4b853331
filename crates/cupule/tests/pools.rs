//! Several element pools over the nodes of one body: they add up.
//!
//! A body of modulus E is the same as one of E / 2 with a second pool of E / 2 over its nodes: forces, stiffness and damping are linear in
//! E, inertia and loads count once.

mod common;

use common::*;
use cupule::element::{Formulation, pool};
use cupule::model::Rayleigh;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{AttachmentSpec, BodyId, FemSpec, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::structured::cuboid_hexes;

const MODULUS: f64 = 2e5;
const DAMPING: f64 = 3e-3;

/// A damped beam that is held at one end and falls on a post at the other, in one pool or in two.
fn beam(solver: SolverChoice, halves: bool) -> (World, BodyId) {
    let mut builder = WorldBuilder::new(Settings { solver, ..Settings::default() });
    let mesh = cuboid_hexes(DVec3::new(0.2, 0.03, 0.02), [8, 2, 2]).expect("a beam");
    let share = if halves { 0.5 } else { 1.0 };
    let material = neo_hookean(share * MODULUS, 0.4);
    let spec = FemSpec {
        damping: Rayleigh { mass: 0.5, stiffness: DAMPING },
        ..soft("beam", mesh.clone(), material, 1100.0)
    };
    let body = builder.add_fem(spec).expect("beam");
    if halves {
        let other = pool(&mesh, &material, Formulation::Default, None);
        builder.add_pool(body, other, DAMPING).expect("a second pool");
    }
    let points = nodes_where(&mesh, |node| node.x < -0.1 + 1e-9);
    let hold = Hold::Drive(cupule::motion::Motion::fixed());
    let wall = AttachmentSpec { name: "wall".into(), body, points, hold };
    builder.add_attachment(wall).expect("wall");
    let node = mesh.nodes.len() as u32 - 1;
    builder.add_node_force(body, node, DVec3::new(0.0, 0.05, -0.05)).expect("a load");
    let post = cupule_geometry::generate::cuboid(DVec3::splat(0.02), [1, 1, 1]).expect("post");
    let post = post.translated(DVec3::new(0.09, 0.0, -0.025));
    builder.add_kinematic(fixed("post", post)).expect("post");
    (builder.build().expect("a world"), body)
}

#[test]
fn two_pools_of_half_the_modulus_are_one_of_the_whole() {
    for solver in SOLVERS {
        let [(mut one, body), (mut two, _)] = [false, true].map(|halves| beam(solver, halves));
        for time in [0.05, 0.5] {
            let (of_one, of_two) = (run_to(&mut one, time), run_to(&mut two, time));
            let apart = one.nodes(body).iter().zip(two.nodes(body)).map(|(a, b)| a.distance(*b));
            let apart = apart.fold(0.0, f64::max);
            // Each stops within its tolerance: of gaps, or of a speed.
            assert!(apart < 2e-6, "{solver:?}: {apart:e} m apart at {time} s");
            let [a, b] = [&of_one, &of_two].map(|report| report.attachments[0]);
            let [a, b] = [[a.force, b.force], [a.torque, b.torque]];
            println!("{solver:?} at {time} s: {apart:.1e} m apart, held by {a:?}, {b:?}");
            assert!((a[0] - a[1]).length() < 5e-3 * a[0].length(), "{a:?}");
            let [x, y] = [of_one.energy.elastic, of_two.energy.elastic];
            assert!((x / y - 1.0).abs() < 5e-3, "{x} {y} J");
            assert!((of_one.energy.kinetic - of_two.energy.kinetic).abs() < 1e-3 * x);
        }
    }
}

#[test]
fn a_pool_over_nodes_that_are_not_there_is_refused() {
    let mut builder = WorldBuilder::new(Settings::default());
    let mesh = |cells| cuboid_hexes(DVec3::splat(0.1), [cells, 1, 1]).expect("a block");
    let material = corotated(1e5, 0.3);
    let body = builder.add_fem(soft("block", mesh(1), material, 1000.0)).expect("block");
    let larger = pool(&mesh(2), &material, Formulation::Default, None);
    assert!(builder.add_pool(body, larger, 0.0).is_err());
    let own = pool(&mesh(1), &material, Formulation::Default, None);
    assert!(builder.add_pool(body, own.clone(), -1.0).is_err());
    assert!(builder.add_pool(body, own, 0.0).is_ok());
}
