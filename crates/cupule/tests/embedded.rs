//! Collision surfaces carried by a cage of cells, and tetrahedra that carry their own.

mod common;

use common::*;
use cupule::model::Rayleigh;
use cupule::settings::Settings;
use cupule::world::{AttachmentSpec, BodyId, FemSpec, Hold};
use cupule::{World, WorldBuilder};
use cupule_geometry::cage::{embed, tetrahedralize, voxel_hexes};
use cupule_geometry::generate::{cuboid, sphere};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3, TriMesh, VolumeMesh};

const RADIUS: f64 = 0.03;

fn with_ground(settings: Settings) -> WorldBuilder {
    let mut builder = WorldBuilder::new(settings);
    let ground =
        cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05);
    builder.add_kinematic(fixed("ground", ground)).expect("ground");
    builder
}

/// A surface in a cage, made of rubber and slightly damped so that it comes to rest.
fn caged(mesh: VolumeMesh, surface: Option<TriMesh>) -> FemSpec {
    let damping = Rayleigh { mass: 0.0, stiffness: 5e-3 };
    FemSpec { surface, damping, ..soft("body", mesh, corotated(1e5, 0.4), 1000.0) }
}

fn assert_rests(name: &str, world: &mut World, body: BodyId) {
    let report = run_to(world, 1.5);
    let weight = world.body_mass(body) * GRAVITY;
    let here = &report.bodies[body.0];
    let off = here.lowest - world.settings().contact_distance;
    println!(
        "{name}: carried {:.6} of its weight, lowest point off by {off:.1e} m",
        here.contact_force.z / weight
    );
    assert!(
        (here.contact_force.z / weight - 1.0).abs() < 1e-3,
        "{name}: {} of {weight} N",
        here.contact_force
    );
    assert!(off.abs() < 2e-6, "{name}: lowest point {} m", here.lowest);
}

#[test]
fn ball_in_a_cage_rests_on_its_surface_with_its_weight() {
    let surface = sphere(RADIUS, 3).expect("ball").translated(DVec3::Z * (RADIUS + 1e-3));
    let cages = [
        ("bricks", voxel_hexes(&surface, 200).expect("cage").mesh),
        ("tetrahedra", tetrahedralize(&surface, 200).expect("cage").mesh),
    ];
    for (name, mesh) in cages {
        let mut builder = with_ground(Settings::default());
        let body = builder.add_fem(caged(mesh, Some(surface.clone()))).expect("ball");
        let mut world = builder.build().expect("a world");
        assert_eq!(world.surface_positions(body).len(), surface.vertices.len(), "{name}");
        assert_rests(name, &mut world, body);
    }
}

#[test]
fn tetrahedra_rest_on_their_own_boundary() {
    let hexes = cuboid_hexes(DVec3::new(0.06, 0.06, 0.04), [3, 3, 2]).expect("box");
    let hexes = hexes.rotated(DQuat::from_rotation_y(0.05)).translated(DVec3::Z * 0.03);
    for (name, mesh) in [("tet4", hexes.to_tet4()), ("tet10", hexes.to_tet10())] {
        let mut builder = with_ground(Settings::default());
        let body = builder.add_fem(caged(mesh, None)).expect("box");
        let mut world = builder.build().expect("a world");
        assert_rests(name, &mut world, body);
    }
}

#[test]
fn a_box_embedded_in_itself_moves_as_without() {
    // Every embedded vertex is one node with weight 1: the same contacts, the same motion, to what the solver's tolerance
    // leaves.
    let mesh = cuboid_hexes(DVec3::splat(0.05), [3, 3, 3]).expect("box");
    let mesh = mesh.rotated(DQuat::from_rotation_x(0.2)).translated(DVec3::Z * 0.035);
    let surface = mesh.boundary().0;
    let [own, embedded] = [None, Some(surface)].map(|surface| {
        let mut builder = with_ground(Settings { time_step: 5e-3, ..Settings::default() });
        let body = builder.add_fem(caged(mesh.clone(), surface)).expect("box");
        let mut world = builder.build().expect("a world");
        run_to(&mut world, 0.4);
        world.nodes(body).to_vec()
    });
    let apart = own.iter().zip(&embedded).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    println!("a box embedded in itself is {apart:.1e} m away from the box");
    assert!(apart < 1e-5, "{apart:e} m");
}

#[test]
fn embedded_vertices_follow_the_nodes_and_hand_them_their_forces() {
    // Per step p changes by h (m g + f) exactly and L by h sum x x f: the sum and the moment of the contact forces reach
    // the nodes. The report's contact points are those of the step's end, which moves levers by up to h v; a fifth of that
    // is allowed. Without friction the line of force passes through both sides of the gap.
    let (h, speed) = (5e-4, 0.5);
    let surface = sphere(RADIUS, 2).expect("ball").scaled(DVec3::new(2.0, 1.0, 0.6));
    let surface = surface.rotated(DQuat::from_rotation_y(0.4)).translated(DVec3::Z * 0.04);
    let mesh = voxel_hexes(&surface, 200).expect("cage").mesh;
    let embedding = embed(&surface.vertices, &mesh).expect("inside");
    let mut builder = with_ground(Settings { time_step: h, friction: 0.0, ..Settings::default() });
    let body = builder
        .add_fem(FemSpec {
            velocity: DVec3::Z * -speed,
            damping: Rayleigh::default(),
            ..caged(mesh.clone(), Some(surface))
        })
        .expect("egg");
    let mut world = builder.build().expect("a world");
    let weight = world.settings().gravity * world.body_mass(body);
    let (mut off, mut impulse, mut astray, mut most): (f64, f64, f64, f64) = (0.0, 0.0, 0.0, 0.0);
    let (mut turned, mut expected) = (DVec3::ZERO, DVec3::ZERO);
    while world.time() < 0.12 {
        let before = world.body_report(body);
        let report = world.step(&mut ()).expect("a landing");
        let after = &report.bodies[body.0];
        off = off
            .max(((after.momentum - before.momentum) / h - weight - after.contact_force).length());
        impulse += after.contact_force.length() * h;
        // About the start-of-step centre; the path of the centre adds nothing: v x m v = 0.
        turned += after.angular_momentum - before.angular_momentum;
        let moment = |c: &cupule::report::ContactReport| {
            c.at.cross(if c.bodies[0] == body.0 { c.force } else { -c.force })
        };
        expected +=
            (before.centre.cross(weight) + report.contacts.iter().map(moment).sum::<DVec3>()) * h;
        (astray, most) = (astray.max((turned - expected).length()), most.max(expected.length()));
        let carried = embedding.apply(&mesh, world.nodes(body));
        let apart = carried
            .iter()
            .zip(world.surface_positions(body))
            .map(|(a, b)| a.distance(b))
            .fold(0.0, f64::max);
        assert!(apart < 1e-14, "surface and nodes are {apart:e} m apart");
    }
    println!(
        "impulse {impulse:.4} N s, force off by {off:.1e} N, turned by up to {most:.2e}, off by {astray:.2e} N m s"
    );
    assert!(impulse > 0.1, "it should land: {impulse}");
    assert!(off < 1e-9, "{off} N");
    assert!(
        astray < 0.2 * h * speed * impulse && most > 100.0 * astray,
        "{astray} of {most} N m s"
    );
}

#[test]
fn traction_on_a_caged_body_loads_its_cells() {
    // The load is on the boundary of the cells, whatever surface collides: F = traction times area.
    let mesh = cuboid_hexes(DVec3::splat(0.1), [2, 2, 2]).expect("box");
    let surface = sphere(RADIUS, 1).expect("ball");
    let top = nodes_where(&mesh, |x| x.z > 0.05 - 1e-9);
    let mut builder = WorldBuilder::new(Settings { gravity: DVec3::ZERO, ..Settings::default() });
    let body = builder.add_fem(caged(mesh, Some(surface))).expect("box");
    builder.add_traction(body, &top, DVec3::new(10.0, 0.0, 20.0));
    let mut world = builder.build().expect("a world");
    world.step(&mut ()).expect("a loaded box");
    let force = world.body_report(body).momentum / world.settings().time_step;
    assert!((force - DVec3::new(0.1, 0.0, 0.2)).length() < 1e-10, "{force}");
}

#[test]
fn a_caged_body_glued_to_another_carries_its_surface_along() {
    // Surface vertices hang on nodes that hang on another body's nodes: both ends move with the drive.
    let base = cuboid_hexes(DVec3::splat(0.04), [2, 2, 2]).expect("base");
    let surface = sphere(0.015, 2).expect("ball").translated(DVec3::Z * -0.04);
    let cage =
        cuboid_hexes(DVec3::splat(0.04), [3, 3, 3]).expect("cage").translated(DVec3::Z * -0.04);
    let top = nodes_where(&cage, |x| x.z > -0.02 - 1e-9);
    let held = nodes_where(&base, |x| x.z > 0.02 - 1e-9);
    let mut builder = WorldBuilder::new(Settings { time_step: 0.02, ..Settings::default() });
    let ball = builder.add_fem(caged(cage, Some(surface))).expect("ball");
    let base = builder.add_fem(FemSpec { name: "base".into(), ..caged(base, None) }).expect("base");
    let glue =
        AttachmentSpec { name: "glue".into(), body: ball, points: top, hold: Hold::Glue(base) };
    builder.add_attachment(glue).expect("glue");
    let fix = Hold::Drive(cupule::motion::Motion::fixed());
    builder
        .add_attachment(AttachmentSpec { name: "hand".into(), body: base, points: held, hold: fix })
        .expect("hand");
    let mut world = builder.build().expect("a world");
    let report = run_to(&mut world, 2.0);
    let (upper, lower) = (world.body_mass(base) * GRAVITY, world.body_mass(ball) * GRAVITY);
    assert!((report.attachments[0].force.z / lower - 1.0).abs() < 1e-6, "{:?}", report.attachments);
    assert!(
        (report.attachments[1].force.z / (upper + lower) - 1.0).abs() < 1e-6,
        "{:?}",
        report.attachments
    );
    assert!((report.bodies[ball.0].lowest + 0.055).abs() < 2e-3, "{:?}", report.bodies[ball.0]);
}
