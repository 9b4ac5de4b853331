//! Wires and sheets: bodies of lower dimension with a thickness. They carry weights at their thickness, and nothing passes through them.

mod common;

use common::*;
use cupule::motion::Motion;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{BodyId, MassSpec, RigidSpec, ThinMotion, ThinSpec};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::{cuboid, flat_sheet, sphere};
use cupule_geometry::{DVec3, ThinMesh};

fn settings(time_step: f64) -> Settings {
    Settings { time_step, solver: SolverChoice::Ipc, audit: true, ..Settings::default() }
}

fn fixed_thin(name: &str, mesh: ThinMesh) -> ThinSpec {
    ThinSpec { name: name.into(), mesh, motion: ThinMotion::Led(Motion::fixed()) }
}

fn free_thin(name: &str, mesh: ThinMesh, mass: f64, velocity: DVec3) -> ThinSpec {
    let angular_velocity = DVec3::ZERO;
    let motion = ThinMotion::Free { mass: MassSpec::Total(mass), velocity, angular_velocity };
    ThinSpec { name: name.into(), mesh, motion }
}

fn rod(from: DVec3, to: DVec3, radius: f64) -> ThinMesh {
    ThinMesh::of_lines(&[vec![from, to]], radius).expect("rod")
}

/// A square sheet at height 0.
fn sheet(side: f64, resolution: f64, thickness: f64) -> ThinMesh {
    let surface = flat_sheet([side, side], resolution).expect("sheet");
    ThinMesh::of_sheet(surface, thickness).expect("sheet")
}

fn audited(world: &mut World, steps: usize) -> cupule::report::StepReport {
    let mut last = None;
    for step in 0..steps {
        let report = world.step(&mut ()).unwrap_or_else(|e| panic!("step {step}: {e}"));
        assert_eq!(report.intersecting_pairs, Some(0), "after step {step}");
        last = Some(report);
    }
    last.expect("steps")
}

/// The force of contacts on a body, N.
fn force_on(report: &cupule::report::StepReport, body: BodyId) -> DVec3 {
    report.bodies[body.0].contact_force
}

#[test]
fn a_rod_rests_on_rods_at_their_thickness() {
    // Across two fixed rods (edges on edges), and along two (only vertices on edges are left where edges are parallel). The gap is
    // between 0 and dhat, so that the middle lies 2 r to 2 r + dhat above the others; in the groove, at that distance from both.
    let (r, mass) = (2e-3, 0.05);
    let dhat = Settings::default().contact_distance;
    for along in [false, true] {
        let mut builder = WorldBuilder::new(settings(0.005));
        let half = if along { 1.5e-3 } else { 0.03 };
        for side in [-1.0, 1.0] {
            let y = DVec3::Y * (side * half);
            builder
                .add_thin(fixed_thin("rail", rod(y - DVec3::X * 0.05, y + DVec3::X * 0.05, r)))
                .expect("rail");
        }
        let height = if along { (4.0 * r * r - half * half).sqrt() } else { 2.0 * r } + 1.5 * dhat;
        let (middle, along_it) =
            (DVec3::Z * height, if along { DVec3::X } else { DVec3::Y } * 0.04);
        let bar = rod(middle - along_it, middle + along_it, r);
        let body = builder.add_thin(free_thin("bar", bar, mass, DVec3::ZERO)).expect("bar");
        let mut world = builder.build().expect("a world");
        let report = audited(&mut world, 100);
        let at = report.bodies[body.0];
        let distance = at.centre.z.hypot(if along { half } else { 0.0 });
        assert!((2.0 * r..2.0 * r + dhat).contains(&distance), "{along}: {distance}");
        assert!(at.velocity.length() < 1e-4, "{along}: {:?}", at.velocity);
        let push = force_on(&report, body) - DVec3::Z * (mass * 9.81);
        assert!(push.length() < 1e-3 * mass * 9.81, "{along}: {push}");
        assert!((at.lowest - (at.centre.z - r)).abs() < 1e-6, "its lowest point is its surface");
    }
}

#[test]
fn nothing_passes_a_film_or_a_net() {
    // 100 m/s against a film of 0.1 mm that is held at rest, and against a net whose meshes are smaller than the ball.
    let net = {
        let along = |k: i32, x: bool| {
            let (p, q) = (f64::from(k) * 0.02, 0.1);
            let line =
                |s: f64| if x { DVec3::new(p, s * q, 0.0) } else { DVec3::new(s * q, p, 0.0) };
            vec![line(-1.0), line(1.0)]
        };
        // Wires of one body may cross: they are one piece.
        let lines: Vec<_> = (-4..=4).flat_map(|k| [along(k, true), along(k, false)]).collect();
        ThinMesh::of_lines(&lines, 5e-4).expect("net")
    };
    for mesh in [sheet(0.2, 0.05, 1e-4), net] {
        for time_step in [1e-4, 1e-3, 1e-2] {
            let mut builder = WorldBuilder::new(settings(time_step));
            builder.add_thin(fixed_thin("catcher", mesh.clone())).expect("catcher");
            let ball = sphere(0.02, 3).expect("ball").translated(DVec3::new(0.003, 0.005, 0.03));
            let shot = RigidSpec { velocity: DVec3::Z * -100.0, ..rigid("ball", ball, 0.01) };
            let body = builder.add_rigid(shot).expect("ball");
            let mut world = builder.build().expect("a world");
            let report = audited(&mut world, 12);
            // What has not flown off sideways is above.
            let at = report.bodies[body.0];
            let beside = at.centre.truncate().length() > 0.1;
            assert!(at.centre.z > 0.0 || beside, "h = {time_step}: {:?}", at.centre);
        }
    }
}

#[test]
fn a_free_film_is_caught_on_a_post() {
    // The corner of a box under the middle of a falling film: a face against a point, both without anything behind.
    let mut builder = WorldBuilder::new(settings(0.005));
    let post = cuboid(DVec3::new(0.01, 0.01, 0.1), [1, 1, 1]).expect("box");
    builder.add_kinematic(fixed("post", post)).expect("post");
    let film = sheet(0.1, 0.034, 2e-4).translated(DVec3::Z * 0.0505);
    let body = builder.add_thin(free_thin("film", film, 0.01, DVec3::Z * -1.0)).expect("film");
    let mut world = builder.build().expect("a world");
    let report = audited(&mut world, 80);
    let lowest = report.bodies[body.0].lowest;
    assert!(lowest > 0.05 && lowest < 0.051, "{lowest}");
}

#[test]
fn wires_under_ncp_are_refused_with_the_way_out() {
    let mut builder = WorldBuilder::new(Settings { solver: SolverChoice::Ncp, ..settings(0.01) });
    builder.add_thin(fixed_thin("rail", rod(DVec3::ZERO, DVec3::X, 0.01))).expect("rail");
    let message = builder.build().expect_err("no inside").to_string();
    assert!(message.contains("rail") && message.contains("ipc"), "{message}");
}

#[test]
fn thin_bodies_that_overlap_at_the_start_are_refused() {
    let mut builder = WorldBuilder::new(settings(0.01));
    builder.add_thin(fixed_thin("rail", rod(-DVec3::X, DVec3::X, 0.01))).expect("rail");
    let bar = rod(DVec3::new(0.0, -0.5, 0.0199), DVec3::new(0.0, 0.5, 0.0199), 0.01);
    builder.add_thin(free_thin("bar", bar, 1.0, DVec3::ZERO)).expect("bar");
    let message = builder.build().expect_err("they overlap").to_string();
    assert!(message.contains("rail") && message.contains("bar"), "{message}");
}
