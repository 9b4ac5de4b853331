//! A cantilever against Timoshenko's beam: convergence, locking, and the order of the integrators.

mod common;

use common::*;
use cupule::WorldBuilder;
use cupule::element::Formulation;
use cupule::material::Material;
use cupule::motion::{Motion, Profile};
use cupule::report::Wrench;
use cupule::settings::{Integrator, Settings};
use cupule::world::{AttachmentSpec, BodyId, Hold, WrenchPath};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DVec3, VolumeMesh};

const WIDTH: f64 = 0.02;

/// A bar of square section along x, clamped at x = 0.
fn clamped(
    mesh: VolumeMesh,
    material: Material,
    formulation: Formulation,
    settings: Settings,
) -> (WorldBuilder, BodyId, VolumeMesh) {
    let mut builder = WorldBuilder::new(settings);
    let mut spec = soft("bar", mesh.clone(), material, 1000.0);
    spec.formulation = formulation;
    let bar = builder.add_fem(spec).expect("bar");
    let points = nodes_where(&mesh, |x| x.x < 1e-9);
    let clamp = AttachmentSpec {
        name: "clamp".into(),
        body: bar,
        points,
        hold: Hold::Drive(Motion::fixed()),
    };
    builder.add_attachment(clamp).expect("clamp");
    (builder, bar, mesh)
}

fn bar_mesh(length: f64, divisions: [usize; 3]) -> VolumeMesh {
    cuboid_hexes(DVec3::new(length, WIDTH, WIDTH), divisions)
        .expect("bar")
        .translated(DVec3::X * 0.5 * length)
}

/// Tip deflection over that of Timoshenko under a small shear load.
///
/// The clamp is made by symmetry: a free bar of twice the length is pressed down at both ends and held up in the middle, where
/// its section stays plane and may still contract. A glued end face may not, which Timoshenko's beam does not know: it
/// is stiffer by some 5 % of the section's height over the length at nu = 0.45.
fn compliance(
    mesh: VolumeMesh,
    length: f64,
    nu: f64,
    formulation: Formulation,
    hyperelastic: bool,
) -> f64 {
    let e = 1e6;
    let (area, inertia) = (WIDTH * WIDTH, WIDTH.powi(4) / 12.0);
    let shear = e / (2.0 * (1.0 + nu)) * 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    let per_newton = length.powi(3) / (3.0 * e * inertia) + length / (shear * area);
    let load = 1e-4 * length / per_newton;
    // Steps of 1 s, far longer than any period: backward Euler goes straight to equilibrium.
    let mut builder =
        WorldBuilder::new(Settings { time_step: 1.0, gravity: DVec3::ZERO, ..Settings::default() });
    let material = if hyperelastic { neo_hookean(e, nu) } else { corotated(e, nu) };
    let mut spec = soft("bar", mesh.clone(), material, 1000.0);
    spec.formulation = formulation;
    let bar = builder.add_fem(spec).expect("bar");
    let sections = [-length, 0.0, length].map(|at| nodes_where(&mesh, |x| (x.x - at).abs() < 1e-9));
    for (section, force) in sections.iter().zip([-load, 2.0 * load, -load]) {
        // A uniform traction over a regular grid: half weight on the sides, a quarter at the corners.
        let half = |v: f64| if v.abs() > 0.5 * WIDTH - 1e-9 { 0.5 } else { 1.0 };
        let weight = |n: &u32| half(mesh.nodes[*n as usize].y) * half(mesh.nodes[*n as usize].z);
        let total: f64 = section.iter().map(weight).sum();
        for n in section {
            builder
                .add_node_force(bar, *n, DVec3::Z * (force * weight(n) / total))
                .expect("a node of the bar");
        }
    }
    let mut world = builder.build().expect("a world");
    run_to(&mut world, 8.0);
    let [left, middle, right] = sections.map(|section| {
        let sunk = |n: &u32| world.nodes(bar)[*n as usize].z - mesh.nodes[*n as usize].z;
        section.iter().map(sunk).sum::<f64>() / section.len() as f64
    });
    (middle - 0.5 * (left + right)) / (load * per_newton)
}

/// A bar of twice `length` with `n` elements through the thickness, `stretch` times as long as thick.
fn double_bar(length: f64, n: usize, stretch: f64) -> VolumeMesh {
    let lengthwise = (length / WIDTH * n as f64 / stretch).round() as usize;
    cuboid_hexes(DVec3::new(2.0 * length, WIDTH, WIDTH), [2 * lengthwise, n, n]).expect("bar")
}

#[test]
fn deflection_converges_to_timoshenko() {
    for (name, length) in [("thin, L/h = 12", 0.24), ("thick, L/h = 5", 0.1)] {
        for nu in [0.3, 0.45] {
            let values = [1, 2, 4].map(|n| {
                compliance(double_bar(length, n, 1.0), length, nu, Formulation::Default, false)
            });
            let order = ((values[1] - values[0]) / (values[2] - values[1])).abs().log2();
            println!(
                "{name}, nu = {nu}: deflection / Timoshenko {values:.4?}, observed order {order:.2}"
            );
            assert!((values[2] - 1.0).abs() < 0.02, "{name} nu {nu}: {values:?}");
        }
    }
}

#[test]
fn default_elements_do_not_lock() {
    // Tip compliance against the converged value, 1 to 4 elements through the thickness, elements twice as long as thick.
    let length = 0.24;
    let reference =
        compliance(double_bar(length, 5, 1.5), length, 0.45, Formulation::Default, false);
    println!(
        "nu = 0.45, L/h = 12: compliance over converged value, with 1, 2, 3, 4 elements through the thickness"
    );
    let row = |name: &str, value: &dyn Fn(usize) -> f64| {
        let row: Vec<f64> = (1..=4).map(|n| value(n) / reference).collect();
        println!("{name:>28} {row:.3?}");
        row
    };
    let mesh = |n: usize| double_bar(length, n, 2.0);
    let default = row("hex8 default (enhanced)", &|n| {
        compliance(mesh(n), length, 0.45, Formulation::Default, false)
    });
    row("hex8 B-bar", &|n| compliance(mesh(n), length, 0.45, Formulation::Bbar, false));
    let plain =
        row("hex8 standard", &|n| compliance(mesh(n), length, 0.45, Formulation::Standard, false));
    row("hex8 neo-Hookean", &|n| compliance(mesh(n), length, 0.45, Formulation::Default, true));
    let tet10 = row("tet10", &|n| {
        compliance(mesh(n).to_tet10(), length, 0.45, Formulation::Default, false)
    });
    row("tet4", &|n| compliance(mesh(n).to_tet4(), length, 0.45, Formulation::Default, false));
    assert!(default[1] > 0.9, "the default hexahedron locks: {default:?}");
    assert!(tet10[1] > 0.9, "the quadratic tetrahedron locks: {tet10:?}");
    assert!(
        plain[1] < 0.75,
        "the standard hexahedron should lock, or this test shows nothing: {plain:?}"
    );
}

/// Height of the tip every 8 ms of a bar whose tip is loaded smoothly in 0.1 s, so that it swings in its first modes: a
/// sudden load would excite modes that no step here resolves, and hide the order.
fn swing(time_step: f64, integrator: Integrator) -> Vec<f64> {
    let settings = Settings {
        time_step,
        integrator,
        refactor_rotation: 0.0,
        gravity: DVec3::ZERO,
        ..Settings::default()
    };
    let (mut builder, bar, mesh) =
        clamped(bar_mesh(0.1, [6, 2, 2]), corotated(1e5, 0.3), Formulation::Default, settings);
    let tip = nodes_where(&mesh, |x| x.x > 0.1 - 1e-9);
    let pull = Wrench { force: DVec3::Z * 0.04, torque: DVec3::ZERO };
    let path =
        WrenchPath { keys: vec![(0.0, Wrench::default()), (0.1, pull)], profile: Profile::Smooth };
    let load = AttachmentSpec {
        name: "load".into(),
        body: bar,
        points: tip.clone(),
        hold: Hold::Wrench(path),
    };
    builder.add_attachment(load).expect("load");
    let mut world = builder.build().expect("a world");
    (1..=40)
        .map(|i| {
            run_to(&mut world, 8e-3 * f64::from(i));
            tip.iter().map(|n| world.nodes(bar)[*n as usize].z).sum::<f64>() / tip.len() as f64
        })
        .collect()
}

#[test]
fn error_falls_with_the_order_of_the_integrator() {
    // Root mean square over the trajectory, against BDF2 with an eighth of the smallest step.
    let reference = swing(1.25e-4, Integrator::Bdf2);
    for (integrator, low, high) in
        [(Integrator::BackwardEuler, 0.8, 1.3), (Integrator::Bdf2, 1.7, 2.3)]
    {
        let errors = [4e-3, 2e-3, 1e-3].map(|h| {
            let squares = swing(h, integrator)
                .iter()
                .zip(&reference)
                .map(|(a, b)| (a - b).powi(2))
                .sum::<f64>();
            (squares / reference.len() as f64).sqrt()
        });
        let slope = (errors[0] / errors[2]).log2() / 2.0;
        println!("{integrator:?}: errors {errors:?} m at h = 4, 2, 1 ms, slope {slope:.2}");
        assert!(slope > low && slope < high, "{integrator:?}: slope {slope}");
    }
}
