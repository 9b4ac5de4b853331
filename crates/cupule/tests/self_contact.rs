//! A body that touches itself.

mod common;

use common::*;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{AttachmentSpec, BodyId, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{Cells, DQuat, DVec3, VolumeMesh};

/// A tuning fork in the x-z plane: two prongs of 12 mm, 8 mm apart, on a base.
fn fork() -> VolumeMesh {
    let cell = 4e-3;
    let grid = cuboid_hexes(DVec3::new(8.0, 2.0, 12.0) * cell, [8, 2, 12]).expect("grid");
    let Cells::Hex8(cells) = &grid.cells else { unreachable!("hexes were asked for") };
    let centre = |c: &[u32; 8]| c.iter().map(|i| grid.nodes[*i as usize]).sum::<DVec3>() / 8.0;
    let in_slot = |x: DVec3| x.x.abs() < 1.5 * cell && x.z > -4.0 * cell;
    let kept: Vec<[u32; 8]> = cells.iter().copied().filter(|c| !in_slot(centre(c))).collect();
    let mut used: Vec<u32> = kept.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |i: u32| used.binary_search(&i).expect("a used node") as u32;
    VolumeMesh {
        nodes: used.iter().map(|i| grid.nodes[*i as usize]).collect(),
        cells: Cells::Hex8(kept.iter().map(|c| c.map(place)).collect()),
    }
}

/// Presses the prongs of the fork together by 6 mm each at their tips' outer sides; returns the world and the fork.
fn pinch(self_contact: bool, solver: SolverChoice) -> (World, BodyId, VolumeMesh) {
    let mut builder = WorldBuilder::new(Settings {
        gravity: DVec3::ZERO,
        alarm_distance: 1e-3,
        solver,
        audit: true,
        ..Settings::default()
    });
    let mesh = fork();
    let mut spec = soft("fork", mesh.clone(), corotated(1e5, 0.4), 1000.0);
    spec.self_contact = self_contact;
    let body = builder.add_fem(spec).expect("fork");
    for (name, sign) in [("left", -1.0), ("right", 1.0)] {
        let points = nodes_where(&mesh, |x| sign * x.x > 0.0159 && x.z > 0.018);
        let key = |time, x: f64| Key {
            time,
            translation: DVec3::X * (-sign * x),
            rotation: DQuat::IDENTITY,
        };
        let hold = Hold::Drive(Motion::new(
            vec![key(0.0, 0.0), key(1.0, 6e-3)],
            Profile::Smooth,
            DVec3::ZERO,
        ));
        builder
            .add_attachment(AttachmentSpec { name: name.into(), body, points, hold })
            .expect("drive");
    }
    let world = builder.build().expect("a world");
    (world, body, mesh)
}

/// Smallest distance between the inner faces of the two prongs, m: negative when they have passed through each other.
fn opening(world: &World, body: BodyId, mesh: &VolumeMesh) -> f64 {
    let inner =
        |sign: f64| nodes_where(mesh, move |x| (x.x - sign * 4e-3).abs() < 1e-6 && x.z > 0.0);
    let x = |nodes: Vec<u32>| {
        nodes.into_iter().map(|n| world.nodes(body)[n as usize].x).collect::<Vec<f64>>()
    };
    let right = x(inner(1.0)).into_iter().fold(f64::INFINITY, f64::min);
    let left = x(inner(-1.0)).into_iter().fold(f64::NEG_INFINITY, f64::max);
    right - left
}

#[test]
fn prongs_of_a_fork_meet_and_do_not_pass_through_each_other() {
    for solver in [SolverChoice::Ncp, SolverChoice::Ipc] {
        let (mut world, body, mesh) = pinch(true, solver);
        let report = run_to(&mut world, 1.2);
        let touching = report.contacts.iter().filter(|c| c.force.length() > 0.0).count();
        let open = opening(&world, body, &mesh);
        println!("{solver:?}: {touching} self-contacts carry force, opening {open:.2e} m");
        assert!(touching > 0, "they never met");
        assert_eq!(report.intersecting_pairs, Some(0));
        // A barrier carries their pressure somewhat closer than where it begins.
        let least = match solver {
            SolverChoice::Ncp => world.settings().contact_distance - 1e-6,
            SolverChoice::Ipc => 0.0,
        };
        assert!(open > least, "prongs {open:e} m apart");
        // Action and reaction are inside the body: the two hands press against each other alone.
        let [left, right] = [report.attachments[0].force, report.attachments[1].force];
        assert!((left + right).length() < 1e-3 * left.length(), "{left} {right}");

        // The same without self-contact: the prongs overlap, so that the assertions above show something.
        let (mut world, body, mesh) = pinch(false, solver);
        run_to(&mut world, 1.2);
        assert!(opening(&world, body, &mesh) < 0.0);
    }
}
