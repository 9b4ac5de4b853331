//! Attachments that hold single axes: symmetry planes and sliders.
//!
//! Half of a symmetric body with its plane of symmetry held along the normal moves as the whole body's half does, and the plane holds it with
//! the force that passes through the cut. What is held along x and y falls along z as if alone: v = g_z t, held with m g_x and m g_y.

mod common;

use common::*;
use cupule::material::Material;
use cupule::model::Rayleigh;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{AttachmentSpec, BodyId, FemSpec, Hold, WorldError};
use cupule::{World, WorldBuilder};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3, VolumeMesh};

const LENGTH: f64 = 0.1;
const PULL: f64 = 0.01;

/// A bar along x whose ends are drawn apart within 0.2 s, under its weight: whole, or the half at x > 0.
fn bar(solver: SolverChoice, material: Material, half: bool) -> (World, BodyId, VolumeMesh) {
    let settings = Settings { solver, time_step: 0.01, ..Settings::default() };
    let mut builder = WorldBuilder::new(settings);
    let cells = if half { 4 } else { 8 };
    let size = DVec3::new(if half { LENGTH } else { 2.0 * LENGTH }, 0.03, 0.03);
    let at = DVec3::X * if half { 0.5 * LENGTH } else { 0.0 };
    let mesh = cuboid_hexes(size, [cells, 2, 2]).expect("a bar").translated(at);
    let damping = Rayleigh { mass: 2.0, stiffness: 5e-3 };
    let spec = FemSpec { damping, ..soft("bar", mesh.clone(), material, 1000.0) };
    let body = builder.add_fem(spec).expect("bar");
    let mut attach = |name: &str, x: f64, hold: Hold| {
        let points = nodes_where(&mesh, |node| (node.x - x).abs() < 1e-9);
        let spec = AttachmentSpec { name: name.into(), body, points, hold };
        builder.add_attachment(spec).expect("an attachment");
    };
    let drawn = |by: f64| {
        let key = |time, x| Key { time, translation: DVec3::X * x, rotation: DQuat::IDENTITY };
        Hold::Drive(Motion::new(vec![key(0.0, 0.0), key(0.2, by)], Profile::Smooth, DVec3::ZERO))
    };
    attach("right", LENGTH, drawn(PULL));
    if half {
        attach("plane", 0.0, Hold::Axes([true, false, false]));
    } else {
        attach("left", -LENGTH, drawn(-PULL));
    }
    (builder.build().expect("a world"), body, mesh)
}

#[test]
fn half_a_bar_with_its_plane_of_symmetry_is_half_of_the_bar() {
    let materials = [corotated(1e5, 0.4), neo_hookean(1e5, 0.4)];
    for (solver, material) in both_with(materials) {
        let (mut whole, body, mesh) = bar(solver, material, false);
        let (mut half, half_body, half_mesh) = bar(solver, material, true);
        // Under way and at rest.
        for time in [0.1, 2.0] {
            let (of_whole, of_half) = (run_to(&mut whole, time), run_to(&mut half, time));
            let mut apart: f64 = 0.0;
            for (rest, x) in half_mesh.nodes.iter().zip(half.nodes(half_body)) {
                let twin = mesh.nodes.iter().position(|n| n.distance(*rest) < 1e-9);
                apart = apart.max(x.distance(whole.nodes(body)[twin.expect("a twin")]));
            }
            // `ncp` solves a linear system without contact; `ipc` minimises to its tolerance, which is a speed.
            let bound = match solver {
                SolverChoice::Ncp => 1e-9,
                SolverChoice::Ipc => 1e-5,
            };
            let [end, plane] = [of_half.attachments[0].force, of_half.attachments[1].force];
            println!("{solver:?} at {time} s: {apart:.1e} m apart, end {end}, plane {plane}");
            assert!(apart < bound, "{solver:?}, {material:?}: {apart:e} m apart at {time} s");
            let same = (end - of_whole.attachments[0].force).length();
            assert!(same < 1e-3 * end.length(), "{end} {:?}", of_whole.attachments);
            assert!(plane.y == 0.0 && plane.z == 0.0, "the plane is smooth: {plane}");
            assert!(time < 1.0 || (plane.x + end.x).abs() < 1e-3 * end.x, "{plane} {end}");
        }
        let held =
            half_mesh.nodes.iter().zip(half.nodes(half_body)).filter(|(rest, _)| rest.x < 1e-9);
        assert!(held.clone().count() == 9 && held.into_iter().all(|(rest, x)| x.x == rest.x));
    }
}

#[test]
fn a_slider_falls_along_its_free_axis() {
    let gravity = DVec3::new(3.0, -2.0, -9.0);
    for solver in SOLVERS {
        let mut builder = WorldBuilder::new(Settings { solver, gravity, ..Settings::default() });
        let mesh = cuboid_hexes(DVec3::splat(0.1), [2, 2, 2]).expect("a block");
        let spec = FemSpec {
            velocity: DVec3::new(1.0, 1.0, 0.5),
            ..soft("block", mesh.clone(), corotated(1e6, 0.3), 1000.0)
        };
        let body = builder.add_fem(spec).expect("block");
        let points = nodes_where(&mesh, |_| true);
        let hold = Hold::Axes([true, true, false]);
        let rail = AttachmentSpec { name: "rail".into(), body, points, hold };
        builder.add_attachment(rail).expect("rail");
        let mut world = builder.build().expect("a world");
        let report = run_to(&mut world, 0.5);
        let velocity = report.bodies[body.0].velocity;
        assert!(velocity.x == 0.0 && velocity.y == 0.0, "{solver:?}: {velocity}");
        assert!((velocity.z - (0.5 + gravity.z * 0.5)).abs() < 1e-6, "{solver:?}: {velocity}");
        let (held, mass) = (report.attachments[0].force, world.body_mass(body));
        let expected = -mass * DVec3::new(gravity.x, gravity.y, 0.0);
        assert!((held - expected).length() < 1e-4 * expected.length(), "{held} for {expected}");
    }
}

#[test]
fn a_hold_of_no_axis_is_refused() {
    let mut builder = WorldBuilder::new(Settings::default());
    let mesh = cuboid_hexes(DVec3::splat(0.1), [1, 1, 1]).expect("a block");
    let body = builder.add_fem(soft("block", mesh, corotated(1e6, 0.3), 1000.0)).expect("block");
    let hold = Hold::Axes([false; 3]);
    let refused = builder.add_attachment(AttachmentSpec {
        name: "nothing".into(),
        body,
        points: vec![0],
        hold,
    });
    assert!(matches!(refused, Err(WorldError::Attachment { .. })), "{refused:?}");
}
