//! Cables that pull on a soft bar, under both solvers.

mod common;

use common::*;
use cupule::cavity::Schedule;
use cupule::model::Rayleigh;
use cupule::motion::Motion;
use cupule::report::StepReport;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{AttachmentSpec, BodyId, CableDrive, CableSpec, FemSpec, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;

const SOLVERS: [SolverChoice; 2] = [SolverChoice::Ncp, SolverChoice::Ipc];
const LENGTH: f64 = 0.2;
const MODULUS: f64 = 1e6;
/// Of the cable from the middle line, m.
const OFFSET: f64 = 0.006;

/// A clamped bar along x without weight, and a cable along it at an offset, through ten points.
fn cabled(
    solver: SolverChoice,
    cells: usize,
    drive: CableDrive,
    anchored: bool,
) -> (WorldBuilder, BodyId) {
    let settings =
        Settings { solver, time_step: 0.02, gravity: DVec3::ZERO, ..Settings::default() };
    let mut builder = WorldBuilder::new(settings);
    let mesh = bar(0.0, LENGTH, [cells, 4, 4]);
    let clamped = nodes_where(&mesh, |x| x.x < 1e-9);
    let spec = soft("bar", mesh, corotated(MODULUS, 0.0), 1000.0);
    let damping = Rayleigh { mass: 20.0, stiffness: 0.0 };
    let body = builder.add_fem(FemSpec { damping, ..spec }).expect("bar");
    let hold = Hold::Drive(Motion::fixed());
    builder
        .add_attachment(AttachmentSpec { name: "clamp".into(), body, points: clamped, hold })
        .expect("clamp");
    let at = |i: usize| DVec3::new(LENGTH * i as f64 / 10.0, 0.0, OFFSET);
    let first = usize::from(anchored);
    builder
        .add_cable(CableSpec {
            name: "cable".into(),
            body,
            points: (first..=10).map(at).collect(),
            anchor: anchored.then(|| at(0)),
            anchor_body: None,
            drive,
        })
        .expect("cable");
    (builder, body)
}

fn world(solver: SolverChoice, cells: usize, drive: CableDrive, anchored: bool) -> (World, BodyId) {
    let (builder, body) = cabled(solver, cells, drive, anchored);
    (builder.build().expect("a world"), body)
}

fn tension(newtons: f64) -> CableDrive {
    CableDrive::Tension(Schedule(vec![(0.0, 0.0), (0.5, newtons)]))
}

/// Slope of the bar's end face over z, rad.
fn end_angle(world: &World, body: BodyId) -> f64 {
    let rest = bar(0.0, LENGTH, [1, 1, 1]);
    let x = world.nodes(body);
    let end = world.rest_mesh(body).expect("cells");
    let pick = |z: f64| {
        let nodes = nodes_where(end, |p| (p.x - LENGTH).abs() < 1e-9 && (p.z - z).abs() < 1e-9);
        nodes.iter().map(|n| x[*n as usize]).sum::<DVec3>() / nodes.len() as f64
    };
    let top = rest.nodes.iter().map(|p| p.z).fold(0.0, f64::max);
    let across = pick(top) - pick(-top);
    (-across.x).atan2(across.z)
}

fn settle(world: &mut World) -> StepReport {
    run_to(world, 3.0)
}

/// A tension T at an offset e bends by the curvature T e / (E I): the end turns by T e L / (E I). The cable runs through ten
/// eyes and is straight between them, which takes (kappa l)^2 / 12 of the offset, less than 1e-4.
#[test]
fn an_off_axis_cable_bends_as_a_beam_does() {
    let second_moment = WIDTH.powi(4) / 12.0;
    for solver in SOLVERS {
        for newtons in [0.5, 2.0] {
            let wanted = newtons * OFFSET * LENGTH / (MODULUS * second_moment);
            let (mut world, body) = world(solver, 20, tension(newtons), true);
            settle(&mut world);
            let angle = end_angle(&world, body);
            println!("{solver:?}, {newtons} N: {angle:.5} rad, theory {wanted:.5}");
            assert!((angle / wanted - 1.0).abs() < 0.02, "{solver:?}: {angle} {wanted}");
        }
    }
}

/// The forces of a cable sum to zero. So a clamp carries nothing if the cable begins in the clamped face, and the tension if it
/// begins at an anchor of the world.
#[test]
fn the_clamp_carries_what_the_anchor_takes() {
    for solver in SOLVERS {
        for (anchored, wanted) in [(true, 2.0), (false, 0.0)] {
            let (mut world, _) = world(solver, 10, tension(2.0), anchored);
            let report = settle(&mut world);
            let force = report.attachments[0].force;
            println!("{solver:?}, anchored {anchored}: clamp {force:.6}");
            // Along the first segment, which turns a little with the bar.
            assert!((force.length() - wanted).abs() < 1e-3, "{solver:?} {anchored}: {force}");
            assert!((report.cables[0].tension - 2.0).abs() < 1e-12);
        }
    }
}

/// A cable that is taken in is slack at first, then bends the bar; its stretch is T / E A. Pulled slowly, nearly all the
/// work is stored.
#[test]
fn a_cable_that_is_taken_in_pulls_when_it_is_taut() {
    let axial_stiffness = 500.0;
    for solver in SOLVERS {
        let by = Schedule(vec![(0.0, -0.002), (4.0, 0.004)]);
        let drive = CableDrive::Shortening { by: by.clone(), axial_stiffness };
        let (mut world, body) = world(solver, 10, drive, true);
        let slack = run_to(&mut world, 1.0);
        assert!(slack.cables[0].tension == 0.0 && end_angle(&world, body).abs() < 1e-9);
        let report = run_to(&mut world, 5.0);
        let (cable, energy) = (report.cables[0], report.energy);
        let stretch = cable.length - (LENGTH - 0.004);
        assert!((cable.tension - axial_stiffness * stretch / LENGTH).abs() < 1e-9);
        let angle = end_angle(&world, body);
        let second_moment = WIDTH.powi(4) / 12.0;
        let wanted = cable.tension * OFFSET * LENGTH / (MODULUS * second_moment);
        println!("{solver:?}: {cable:?} {angle:.5} rad, theory {wanted:.5}, {energy:?}");
        assert!(cable.tension > 1.0 && (angle / wanted - 1.0).abs() < 0.02, "{angle} {wanted}");
        assert!(energy.dissipated.abs() < 0.05 * energy.elastic, "{energy:?}");
    }
}

/// What cannot be is refused with a reason.
#[test]
fn impossible_cables_are_refused() {
    let (mut builder, body) = cabled(SolverChoice::Ncp, 4, tension(1.0), true);
    let good = CableSpec {
        name: "other".into(),
        body,
        points: vec![DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.15, 0.0, 0.0)],
        anchor: None,
        anchor_body: None,
        drive: tension(1.0),
    };
    let outside = vec![DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.1, 0.0, 0.05)];
    let bad = [
        (CableSpec { points: outside, ..good.clone() }, "outside"),
        (CableSpec { points: vec![DVec3::X * 0.1], ..good.clone() }, "two points"),
        (CableSpec { points: vec![DVec3::X * 0.1; 2], ..good.clone() }, "the same"),
        (CableSpec { drive: tension(-1.0), ..good.clone() }, "0 or more"),
        (CableSpec { anchor: Some(DVec3::ZERO), anchor_body: Some(body), ..good.clone() }, "soft"),
    ];
    for (spec, part) in bad {
        let message = builder.add_cable(spec).expect_err("refused").to_string();
        assert!(message.contains("\"other\"") && message.contains(part), "{message}");
    }
    assert!(builder.add_cable(good).is_ok());
}
