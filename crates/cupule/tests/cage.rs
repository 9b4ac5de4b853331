//! Bodies whose surface, mass and elasticity hang on a coarse cage, under both solvers.

mod common;

use common::*;
use cupule::WorldBuilder;
use cupule::model::Rayleigh;
use cupule::motion::Motion;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{AttachmentSpec, BodyId, FemSpec, Hold, RigidSpec};
use cupule_geometry::cage::{tetrahedral_cage, tetrahedralize};
use cupule_geometry::generate::{cuboid, sphere};
use cupule_geometry::{DQuat, DVec3, TriMesh};

fn settings(solver: SolverChoice) -> Settings {
    Settings { solver, time_step: 5e-3, audit: true, ..Settings::default() }
}

/// An egg, turned, with its centre at a height (m).
fn egg(height: f64) -> TriMesh {
    let ball = sphere(0.03, 3).expect("ball").scaled(DVec3::new(1.4, 1.0, 0.8));
    ball.rotated(DQuat::from_rotation_y(0.4)).translated(DVec3::Z * height)
}

/// A surface in a cage of about so many nodes.
fn caged(surface: &TriMesh, nodes: usize, modulus: f64) -> FemSpec {
    let mesh = tetrahedral_cage(surface, nodes).expect("cage").mesh;
    let spec = soft("body", mesh, corotated(modulus, 0.3), 1000.0);
    FemSpec { surface: Some(surface.clone()), caged: true, ..spec }
}

fn with_ground(solver: SolverChoice) -> WorldBuilder {
    let mut builder = WorldBuilder::new(settings(solver));
    let ground =
        cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05);
    builder.add_kinematic(fixed("ground", ground)).expect("ground");
    builder
}

/// Mass, momentum and spin are those of the solid, whatever the cage: p = m v, L = m c x v + I w.
#[test]
fn a_cage_has_the_mass_and_the_inertia_of_its_body() {
    let surface = egg(0.5);
    let solid = surface.mass_properties().expect("solid");
    let (v, w) = (DVec3::new(0.3, -0.1, 0.2), DVec3::new(1.0, 3.0, -2.0));
    for nodes in [4, 8, 34, 173] {
        let mut builder = WorldBuilder::new(Settings::default());
        let spec = FemSpec { velocity: v, angular_velocity: w, ..caged(&surface, nodes, 1e5) };
        let body = builder.add_fem(spec).expect("egg");
        let world = builder.build().expect("a world");
        let report = world.body_report(body);
        let mass = 1000.0 * solid.volume;
        assert!((world.body_mass(body) / mass - 1.0).abs() < 1e-9);
        assert!(report.centre.distance(solid.centroid) < 1e-9, "{nodes}");
        let spin = solid.centroid.cross(v * mass) + solid.inertia * w * 1000.0;
        let off = (report.angular_momentum - spin).length();
        assert!(off < 1e-9 * spin.length(), "{nodes}: {off:e}");
        let kinetic = 0.5 * (mass * v.length_squared() + w.dot(solid.inertia * w * 1000.0));
        let off = world.energy().kinetic / kinetic - 1.0;
        assert!(off.abs() < 1e-9, "{nodes}: {off:e}");
    }
}

/// On any cage, down to one tetrahedron, a body rests on its fine surface with its weight.
#[test]
fn a_caged_body_rests_with_its_weight() {
    for solver in SOLVERS {
        for nodes in [4, 8, 34] {
            let surface = egg(0.0);
            let low = surface.vertices.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
            let surface = surface.translated(DVec3::Z * (3e-4 - low));
            let mut builder = with_ground(solver);
            let damping = Rayleigh { mass: 20.0, stiffness: 5e-3 };
            let body =
                builder.add_fem(FemSpec { damping, ..caged(&surface, nodes, 1e5) }).expect("egg");
            let mut world = builder.build().expect("a world");
            let report = run_to(&mut world, 2.5);
            let share = report.bodies[body.0].contact_force.z / (world.body_mass(body) * GRAVITY);
            println!("{solver:?}, {nodes} nodes: {share:.6} of its weight");
            assert!((share - 1.0).abs() < 2e-3, "{solver:?} {nodes}: {share}");
            assert_eq!(report.intersecting_pairs, Some(0));
        }
    }
}

/// In full space the cage is the body's own mesh: M is then consistent and not lumped, but weights and stiffness are the
/// same, and so is every rest.
#[test]
fn a_body_in_its_own_mesh_hangs_as_without_a_cage() {
    let mesh = tetrahedralize(&egg(0.5), 150).expect("egg").mesh;
    let surface = mesh.boundary().0;
    let held = nodes_where(&mesh, |x| x.z > 0.515);
    for solver in SOLVERS {
        let [own, caged] = [None, Some(surface.clone())].map(|surface| {
            let mut builder = WorldBuilder::new(settings(solver));
            let damping = Rayleigh { mass: 50.0, stiffness: 2e-3 };
            let spec = soft("body", mesh.clone(), corotated(3e4, 0.3), 1000.0);
            let caged = surface.is_some();
            let body = builder.add_fem(FemSpec { surface, caged, damping, ..spec }).expect("egg");
            hold(&mut builder, body, held.clone());
            let mut world = builder.build().expect("a world");
            let report = run_to(&mut world, 1.0);
            let pull = report.attachments[0].force.z / (world.body_mass(body) * GRAVITY);
            assert!((pull - 1.0).abs() < 1e-6, "{solver:?}: {pull}");
            world.nodes(body).to_vec()
        });
        let apart = own.iter().zip(&caged).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        println!("{solver:?}: {apart:.1e} m apart");
        assert!(apart < 1e-8, "{solver:?}: {apart:e} m");
    }
}

fn hold(builder: &mut WorldBuilder, body: BodyId, points: Vec<u32>) {
    let hold = Hold::Drive(Motion::fixed());
    let spec = AttachmentSpec { name: "hand".into(), body, points, hold };
    builder.add_attachment(spec).expect("hand");
}

/// A stiff body in one tetrahedron is the affine body that a rigid one is under `ipc`: thrown with a spin and landing, both
/// go the same way. Their inertial targets differ by the turn of a step, (w h)^2 of the radius, and the cage yields by
/// p / E of its size.
#[test]
fn one_stiff_tetrahedron_moves_as_an_affine_body() {
    let surface = egg(0.06);
    let (v, w) = (DVec3::new(0.2, 0.0, -0.3), DVec3::new(0.0, 2.0, 0.0));
    let run = |one: bool| {
        let mut builder = with_ground(SolverChoice::Ipc);
        let body = if one {
            let spec = caged(&surface, 4, 1e7);
            builder.add_fem(FemSpec { velocity: v, angular_velocity: w, ..spec })
        } else {
            let (surface, mass) = (surface.clone(), cupule::world::MassSpec::Density(1000.0));
            let name = "body".into();
            builder.add_rigid(RigidSpec { name, surface, mass, velocity: v, angular_velocity: w })
        };
        let body = body.expect("egg");
        let mut world = builder.build().expect("a world");
        let report = run_to(&mut world, 0.3);
        assert_eq!(report.intersecting_pairs, Some(0));
        (world.surface_positions(body), report.bodies[body.0])
    };
    let ((caged, first), (rigid, second)) = (run(true), run(false));
    let apart = caged.iter().zip(&rigid).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let centres = first.centre.distance(second.centre);
    println!("{apart:.2e} m apart, centres {centres:.2e} m");
    assert!(centres < 1e-3 && apart < 3e-3, "{centres} {apart}");
}

/// Why the two are not the same to rounding: an affine body is led to where the rigid one would go, a cage to x + h v. Without a turn
/// there is no difference; with one, the cage's chord leaves the circle by (w h)^2 / 2 of the radius a step, which a first-order method adds up
/// to something that falls with h.
#[test]
fn one_tetrahedron_differs_from_the_affine_body_only_by_how_it_turns() {
    let surface = egg(0.06);
    let apart = |spin: f64, time_step: f64| {
        let [caged, rigid] = [true, false].map(|one| {
            let gravity = DVec3::Z * -9.81;
            let mut builder =
                WorldBuilder::new(Settings { time_step, gravity, ..settings(SolverChoice::Ipc) });
            let (velocity, angular_velocity) = (DVec3::new(0.2, 0.0, -0.3), DVec3::Y * spin);
            let body = if one {
                let spec = caged(&surface, 4, 1e7);
                builder.add_fem(FemSpec { velocity, angular_velocity, ..spec })
            } else {
                let (surface, mass) = (surface.clone(), cupule::world::MassSpec::Density(1000.0));
                let name = "body".into();
                builder.add_rigid(RigidSpec { name, surface, mass, velocity, angular_velocity })
            };
            let mut world = builder.build().expect("a world");
            let body = body.expect("egg");
            run_to(&mut world, 0.2);
            world.surface_positions(body)
        });
        caged.iter().zip(&rigid).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    let flying = apart(0.0, 5e-3);
    let turning = [4e-3, 2e-3, 1e-3].map(|h| apart(2.0, h));
    println!("{flying:.1e} m without a turn, {turning:?} m with one");
    // Newton's method stops at 1e-5 m/s; over 40 steps that is 2e-6 m, and far less where a step is linear.
    assert!(flying < 1e-11, "{flying:e}");
    for pair in turning.windows(2) {
        let slope = (pair[0] / pair[1]).log2();
        assert!((0.8..1.2).contains(&slope), "{turning:?}: {slope}");
    }
}
