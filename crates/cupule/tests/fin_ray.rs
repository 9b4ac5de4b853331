//! A FinRay finger bends towards what presses it; a cage too coarse for its cut-outs does not, and resists.

mod common;

use common::*;
use cupule::WorldBuilder;
use cupule::model::Rayleigh;
use cupule::motion::Profile;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{FemSpec, Hold, KinematicSpec};
use cupule_geometry::cage::tetrahedral_cage;
use cupule_geometry::generate::cylinder;
use cupule_geometry::structured::{FinRayDivisions, FinRayShape, fin_ray_hexes};
use cupule_geometry::{DQuat, DVec3};

/// How far the front goes back (m) where it is pressed and at the tip, and the force (N), with a roller pressed in by 6 mm.
fn pressed(cage: Option<usize>) -> [f64; 3] {
    let finger = FinRayShape {
        height: 0.1,
        base_width: 0.03,
        tip_width: 0.008,
        depth: 0.02,
        wall: 0.002,
        rib: 0.0015,
        ribs: 4,
    };
    let divisions = FinRayDivisions { wall: 1, between: 3, cut_out: 3, rib: 1, depth: 1 };
    let cells = fin_ray_hexes(&finger, &divisions).expect("finger");
    let surface = cells.boundary().0;
    let mesh = match cage {
        None => cells,
        Some(nodes) => tetrahedral_cage(&surface, nodes).expect("cage").mesh,
    };
    let low = mesh.nodes.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let base = nodes_where(&mesh, |x| x.z < low + 1e-6);
    let settings = Settings {
        solver: SolverChoice::Ipc,
        time_step: 0.02,
        gravity: DVec3::ZERO,
        friction: 0.0,
        audit: true,
        ..Settings::default()
    };
    let mut builder = WorldBuilder::new(settings);
    let spec = FemSpec {
        damping: Rayleigh { mass: 2.0, stiffness: 2e-3 },
        surface: cage.map(|_| surface),
        caged: cage.is_some(),
        ..soft("finger", mesh, corotated(2e7, 0.45), 1100.0)
    };
    let body = builder.add_fem(spec).expect("finger");
    attach(&mut builder, "base", body, base, drive(DVec3::ZERO, 1.0, Profile::Linear));
    let roller = cylinder(0.01, 0.04, 24, 1, 1).expect("roller");
    let at = DVec3::new(-0.0103, 0.0, 0.06);
    let surface =
        roller.rotated(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)).translated(at);
    let Hold::Drive(motion) = drive(DVec3::X * 6e-3, 0.3, Profile::Smooth) else { unreachable!() };
    builder
        .add_kinematic(KinematicSpec { name: "roller".into(), surface, motion })
        .expect("roller");
    let mut world = builder.build().expect("a world");
    let start = world.surface_positions(body);
    let report = run_to(&mut world, 0.6);
    assert_eq!(report.intersecting_pairs, Some(0));
    let end = world.surface_positions(body);
    let back = |from: f64, to: f64| {
        let front = start.iter().zip(&end);
        let chosen: Vec<f64> = front
            .filter(|(x, _)| x.x.abs() < 1e-9 && (from..to).contains(&x.z))
            .map(|(x, y)| y.x - x.x)
            .collect();
        chosen.iter().sum::<f64>() / chosen.len() as f64
    };
    [back(0.055, 0.065), back(0.0999, 0.1001), report.bodies[body.0].contact_force.x]
}

#[test]
fn a_finger_bends_around_what_presses_it() {
    let [middle, tip, force] = pressed(None);
    println!("pressed by {middle:.2e} m, the tip goes back by {tip:.2e} m, {force:.3} N");
    // A beam or a wedge turns about its foot: its tip goes back further than any point below it.
    assert!(middle > 4e-3 && tip < 0.8 * middle, "{middle} {tip}");
    // 96 nodes cannot follow five cut-outs: shear between the walls locks, and with it what makes the finger bend so.
    let [stiff_middle, stiff_tip, stiff_force] = pressed(Some(100));
    println!("in a cage: {stiff_middle:.2e} m, {stiff_tip:.2e} m, {stiff_force:.3} N");
    assert!(stiff_tip > stiff_middle && stiff_force > 5.0 * force, "{stiff_tip} {stiff_force}");
}
