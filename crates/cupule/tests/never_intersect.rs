//! The incremental-potential solver under torture: whatever happens, after no step do two triangles intersect, by exact predicates.

mod common;

use common::*;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{AttachmentSpec, FemSpec, Hold, KinematicSpec, RigidSpec};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::{cuboid, sphere, tube};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3, TriMesh};

fn settings(time_step: f64) -> Settings {
    Settings { time_step, solver: SolverChoice::Ipc, audit: true, ..Settings::default() }
}

/// What an audited run has seen.
struct Seen {
    /// Largest speed of any body at its end, m/s.
    speed: f64,
    /// Largest force of a single contact on every body at any step, N.
    forces: Vec<f64>,
}

/// Steps and audits.
fn audited(world: &mut World, steps: usize) -> Seen {
    let mut seen = Seen { speed: 0.0, forces: Vec::new() };
    for step in 0..steps {
        let report = world.step(&mut ()).unwrap_or_else(|e| panic!("step {step}: {e}"));
        assert_eq!(report.intersecting_pairs, Some(0), "after step {step}");
        seen.speed = report.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
        assert!(seen.speed.is_finite());
        seen.forces.resize(report.bodies.len(), 0.0);
        for contact in &report.contacts {
            for body in contact.bodies {
                seen.forces[body] = seen.forces[body].max(contact.force.length());
            }
        }
    }
    seen
}

/// That two convex bodies have pressed on each other and that neither is inside the other: surfaces that do not intersect may still
/// be one in the other, if they ever went through.
fn assert_met_and_apart(world: &World, seen: &Seen, [a, b]: [&str; 2]) {
    let [a, b] = [a, b].map(|name| world.find_body(name).expect("a body"));
    for (one, other) in [(a, b), (b, a)] {
        let force = seen.forces[one.0];
        assert!(force > 1e-3, "{} was never pressed: {force} N", world.body_name(one));
        let (x, y) = (world.surface_positions(one), world.surface_positions(other));
        let outside_of = |point: DVec3| {
            world.surface_triangles(one).iter().any(|t| {
                let [p, q, r] = t.map(|v| x[v as usize]);
                (q - p).cross(r - p).dot(point - p) > 0.0
            })
        };
        let names = [one, other].map(|body| world.body_name(body));
        assert!(y.iter().all(|point| outside_of(*point)), "{} is inside {}", names[1], names[0]);
    }
}

fn slab() -> KinematicSpec {
    let surface = cuboid(DVec3::new(1.0, 1.0, 0.02), [1, 1, 1]).expect("box");
    fixed("slab", surface.translated(DVec3::Z * -0.01))
}

fn cube(name: &str, size: f64, at: DVec3, mass: f64) -> RigidSpec {
    rigid(name, cuboid(DVec3::splat(size), [1, 1, 1]).expect("box").translated(at), mass)
}

/// A needle or spike: a square pyramid with its tip at the origin, pointing down.
fn spike(height: f64, width: f64) -> TriMesh {
    let w = 0.5 * width;
    let corner = |x: f64, y: f64| DVec3::new(x, y, height);
    let vertices = vec![DVec3::ZERO, corner(-w, -w), corner(w, -w), corner(w, w), corner(-w, w)];
    let triangles = vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3], [1, 3, 4]];
    let mesh = TriMesh { vertices, triangles };
    mesh.check_closed().expect("a pyramid");
    mesh
}

fn upside_down(mesh: TriMesh) -> TriMesh {
    mesh.rotated(DQuat::from_rotation_x(std::f64::consts::PI))
}

#[test]
fn spike_on_spike() {
    // Tip exactly over tip: the normal is undefined at touch, and no side is the right one.
    let mut builder = WorldBuilder::new(settings(0.01));
    builder.add_kinematic(fixed("lower", upside_down(spike(0.1, 0.02)))).expect("spike");
    let upper = spike(0.1, 0.02).translated(DVec3::Z * 0.01);
    builder
        .add_rigid(RigidSpec { velocity: DVec3::Z * -1.0, ..rigid("upper", upper, 0.1) })
        .expect("spike");
    let mut world = builder.build().expect("a world");
    let seen = audited(&mut world, 40);
    assert_met_and_apart(&world, &seen, ["lower", "upper"]);
}

#[test]
fn needle_on_an_edge_and_on_a_face() {
    for shift in [DVec3::ZERO, DVec3::new(0.05, 0.0, 0.0), DVec3::new(0.02, 0.02, 0.0)] {
        let mut builder = WorldBuilder::new(settings(0.01));
        builder.add_rigid(cube("block", 0.1, DVec3::Z * -0.06, 1.0)).expect("block");
        builder
            .add_kinematic(fixed("floor", slab().surface.translated(DVec3::Z * -0.12)))
            .expect("floor");
        let needle = spike(0.2, 0.002).translated(shift + DVec3::Z * 0.001);
        builder
            .add_rigid(RigidSpec { velocity: DVec3::Z * -5.0, ..rigid("needle", needle, 0.05) })
            .expect("needle");
        let mut world = builder.build().expect("a world");
        let seen = audited(&mut world, 30);
        assert_met_and_apart(&world, &seen, ["block", "needle"]);
        let height = |name: &str| centre(&world, world.find_body(name).expect("a body")).z;
        assert!(height("needle") > height("block"), "the needle is above the block");
    }
}

#[test]
fn wedge_in_a_crack() {
    // Two blocks with a gap of 4 mm between them; a wedge of 10 mm is thrown into it.
    let mut builder = WorldBuilder::new(settings(0.005));
    builder.add_kinematic(slab()).expect("slab");
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        builder
            .add_rigid(cube(name, 0.1, DVec3::new(side * 0.052, 0.0, 0.0502), 2.0))
            .expect("block");
    }
    let wedge = spike(0.1, 0.01).translated(DVec3::Z * 0.11);
    builder
        .add_rigid(RigidSpec { velocity: DVec3::Z * -10.0, ..rigid("wedge", wedge, 0.5) })
        .expect("wedge");
    let mut world = builder.build().expect("a world");
    let seen = audited(&mut world, 60);
    for pair in [["left", "wedge"], ["right", "wedge"]] {
        assert_met_and_apart(&world, &seen, pair);
    }
    let of = |name: &str| world.body_report(world.find_body(name).expect("a body"));
    let [left, wedge, right] = ["left", "wedge", "right"].map(|name| of(name).centre.x);
    assert!(left < wedge && wedge < right, "{left} {wedge} {right}");
    assert!(of("wedge").lowest > 0.0, "through the slab: {}", of("wedge").lowest);
}

#[test]
fn cliff_and_parallel_edges() {
    // A cube that comes to rest with its edge exactly over the edge of another, aligned: parallel edges, faces flush.
    for x in [0.1, 0.1 - 1e-9, 0.0, 0.05] {
        let mut builder = WorldBuilder::new(settings(0.01));
        builder
            .add_kinematic(fixed("table", cuboid(DVec3::splat(0.1), [2, 2, 2]).expect("box")))
            .expect("table");
        builder.add_rigid(cube("cube", 0.1, DVec3::new(x, 0.0, 0.1005), 1.0)).expect("cube");
        let mut world = builder.build().expect("a world");
        let seen = audited(&mut world, 40);
        assert_met_and_apart(&world, &seen, ["table", "cube"]);
        // All of its base is over the table at x = 0, half of it at 0.05.
        let cube = world.body_report(world.find_body("cube").expect("cube"));
        assert!(x > 0.0 || cube.lowest > 0.05, "through the table: {}", cube.lowest);
        assert!(cube.centre.z > 0.0 || cube.centre.x > 0.1, "through the table: {}", cube.centre);
    }
}

#[test]
fn bullets_stop_at_thin_walls() {
    // 100 m/s against a sheet of 1 mm with steps of 1 ms to 100 ms: 0.1 to 10 m a step.
    for time_step in [1e-3, 1e-2, 1e-1] {
        let mut builder = WorldBuilder::new(settings(time_step));
        let sheet = cuboid(DVec3::new(0.5, 0.5, 1e-3), [4, 4, 1]).expect("sheet");
        builder.add_kinematic(fixed("sheet", sheet)).expect("sheet");
        let bullet = cube("bullet", 0.02, DVec3::new(0.03, 0.02, 0.3), 0.05);
        let velocity = DVec3::new(5.0, 0.0, -100.0);
        builder
            .add_rigid(RigidSpec {
                velocity,
                angular_velocity: DVec3::new(30.0, 5.0, 0.0),
                ..bullet
            })
            .expect("bullet");
        let mesh = cuboid_hexes(DVec3::splat(0.03), [2, 2, 2]).expect("box");
        let soft_bullet = soft(
            "soft",
            mesh.translated(DVec3::new(-0.1, 0.0, 0.3)),
            neo_hookean(1e5, 0.4),
            1000.0,
        );
        builder.add_fem(FemSpec { velocity, ..soft_bullet }).expect("soft bullet");
        let mut world = builder.build().expect("a world");
        audited(&mut world, 12);
        let lowest = world
            .surface_positions(cupule::world::BodyId(1))
            .iter()
            .map(|x| x.z)
            .fold(f64::MAX, f64::min);
        let beside = world.body_report(cupule::world::BodyId(1)).centre.x.abs() > 0.25;
        assert!(lowest > 0.0 || beside, "through the sheet: {lowest}");
    }
}

#[test]
fn from_jelly_to_steel_and_from_short_to_long_steps() {
    for modulus in [1e3, 1e6, 1e9] {
        for time_step in [1e-4, 1e-2, 1e-1] {
            let mut builder = WorldBuilder::new(settings(time_step));
            builder.add_kinematic(slab()).expect("slab");
            let mesh = cuboid_hexes(DVec3::splat(0.04), [2, 2, 2]).expect("box");
            let turned = mesh.rotated(DQuat::from_rotation_x(0.7)).translated(DVec3::Z * 0.035);
            let block = soft("block", turned, neo_hookean(modulus, 0.4), 1000.0);
            builder.add_fem(FemSpec { velocity: DVec3::Z * -2.0, ..block }).expect("block");
            builder
                .add_rigid(cube("weight", 0.03, DVec3::new(0.005, 0.0, 0.085), 0.2))
                .expect("weight");
            let mut world = builder.build().expect("a world");
            audited(&mut world, 25);
        }
    }
}

#[test]
fn ten_thousand_times_heavier() {
    // 100 kg fall on 10 g of rubber on the ground.
    let mut builder = WorldBuilder::new(settings(0.01));
    builder.add_kinematic(slab()).expect("slab");
    let mesh = cuboid_hexes(DVec3::new(0.03, 0.03, 0.01), [3, 3, 1]).expect("pad");
    builder
        .add_fem(soft("pad", mesh.translated(DVec3::Z * 0.0052), neo_hookean(1e7, 0.4), 1100.0))
        .expect("pad");
    builder.add_rigid(cube("anvil", 0.2, DVec3::Z * 0.12, 100.0)).expect("anvil");
    let mut world = builder.build().expect("a world");
    audited(&mut world, 60);
    let pad = world.body_report(cupule::world::BodyId(1));
    assert!(pad.highest > 0.001, "something is left of the pad: {}", pad.highest);
}

#[test]
fn soft_ball_through_a_smaller_ring() {
    // A cage of bricks round a ball of 20 mm radius is pushed through a hole of 16 mm radius.
    let ring = tube(0.016, 0.03, 0.006, 16, 1, 1).expect("ring");
    let mut builder = WorldBuilder::new(Settings { friction: 0.1, ..settings(0.02) });
    builder.add_kinematic(fixed("ring", ring)).expect("ring");
    let mesh =
        cuboid_hexes(DVec3::splat(0.044), [4, 4, 4]).expect("cage").translated(DVec3::Z * 0.03);
    let surface = sphere(0.02, 2).expect("ball").translated(DVec3::Z * 0.03);
    let ball = soft("ball", mesh, neo_hookean(1e4, 0.4), 1000.0);
    builder.add_fem(FemSpec { surface: Some(surface), ..ball }).expect("ball");
    let plunger = cuboid(DVec3::new(0.014, 0.014, 0.06), [1, 1, 1])
        .expect("box")
        .translated(DVec3::Z * 0.081);
    let key = Key { time: 0.8, translation: DVec3::Z * -0.09, rotation: DQuat::IDENTITY };
    let motion = Motion::new(
        vec![Key { time: 0.0, translation: DVec3::ZERO, ..key }, key],
        Profile::Smooth,
        DVec3::ZERO,
    );
    builder
        .add_kinematic(KinematicSpec { name: "plunger".into(), surface: plunger, motion })
        .expect("plunger");
    let mut world = builder.build().expect("a world");
    audited(&mut world, 45);
    // It is through: all of it is below the ring's upper face, its middle below the lower one.
    let ball = world.body_report(cupule::world::BodyId(1));
    assert!(ball.centre.z < -0.003 && ball.highest < 0.003, "{} {}", ball.centre, ball.highest);
}

#[test]
fn mat_of_rods_is_twisted() {
    // Four soft bars side by side, both ends driven round each other by half a turn.
    let mut builder = WorldBuilder::new(settings(0.02));
    let turn = |sign: f64| {
        let rotation = DQuat::from_rotation_x(sign * 1.5);
        let key = Key { time: 1.0, translation: DVec3::ZERO, rotation };
        Motion::new(
            vec![Key { time: 0.0, rotation: DQuat::IDENTITY, ..key }, key],
            Profile::Linear,
            DVec3::ZERO,
        )
    };
    for i in 0..4 {
        let offset = DVec3::new(0.0, 0.006 * (f64::from(i) - 1.5), 0.0);
        let mesh = cuboid_hexes(DVec3::new(0.1, 0.005, 0.005), [10, 1, 1])
            .expect("bar")
            .translated(offset);
        let ends = [nodes_where(&mesh, |x| x.x < -0.0499), nodes_where(&mesh, |x| x.x > 0.0499)];
        let name = format!("bar{i}");
        let body = builder.add_fem(soft(&name, mesh, neo_hookean(1e5, 0.4), 1000.0)).expect("bar");
        for (points, sign) in ends.into_iter().zip([1.0, -1.0]) {
            let hold = Hold::Drive(turn(sign));
            let name = format!("end{i}{sign}");
            builder.add_attachment(AttachmentSpec { name, body, points, hold }).expect("end");
        }
    }
    let mut world = builder.build().expect("a world");
    audited(&mut world, 49);
    // They press on each other.
    let report = world.step(&mut ()).expect("a step");
    assert_eq!(report.intersecting_pairs, Some(0));
    let pressing = report.contacts.iter().filter(|c| c.force.length() > 1e-4).count();
    assert!(pressing > 10, "{pressing} contacts carry a force");
}

#[test]
fn a_blocked_drive_stays_behind() {
    // A kinematic plate is told to go through a rigid cube that stands on the ground: it cannot.
    let mut builder = WorldBuilder::new(settings(0.01));
    builder.add_kinematic(slab()).expect("slab");
    builder.add_rigid(cube("cube", 0.05, DVec3::Z * 0.0252, 1.0)).expect("cube");
    let plate =
        cuboid(DVec3::new(0.1, 0.1, 0.01), [1, 1, 1]).expect("plate").translated(DVec3::Z * 0.06);
    let key = Key { time: 0.2, translation: DVec3::Z * -0.04, rotation: DQuat::IDENTITY };
    let motion = Motion::new(
        vec![Key { time: 0.0, translation: DVec3::ZERO, ..key }, key],
        Profile::Linear,
        DVec3::ZERO,
    );
    builder
        .add_kinematic(KinematicSpec { name: "plate".into(), surface: plate, motion })
        .expect("plate");
    let mut world = builder.build().expect("a world");
    audited(&mut world, 30);
    let plate = world.body_report(cupule::world::BodyId(2));
    assert!(plate.lowest > 0.049, "the plate went to {}", plate.lowest);
}

#[test]
fn a_barrier_may_strain_what_was_at_rest() {
    // Half of dhat above the ground, at rest: the barrier's energy becomes motion and strain, and that is no runaway step.
    let settings = settings(5e-4);
    let height = 0.02 + 0.5 * settings.contact_distance;
    let mut builder = WorldBuilder::new(settings);
    builder.add_kinematic(slab()).expect("slab");
    let mesh = cuboid_hexes(DVec3::splat(0.04), [2, 2, 2]).expect("box");
    let block = soft("block", mesh.translated(DVec3::Z * height), neo_hookean(1e4, 0.4), 1000.0);
    builder.add_fem(block).expect("block");
    let mut world = builder.build().expect("a world");
    assert!(audited(&mut world, 20).speed > 0.0);
}

#[test]
fn rigid_body_keeps_spinning_and_its_shape() {
    // A free affine body turns as a rigid one: spin about a principal axis is kept to rounding, and so is its size.
    let mut builder = WorldBuilder::new(Settings { gravity: DVec3::ZERO, ..settings(0.01) });
    let body = builder
        .add_rigid(RigidSpec {
            angular_velocity: DVec3::Z * 20.0,
            ..cube("cube", 0.1, DVec3::ZERO, 1.0)
        })
        .expect("cube");
    let mut world = builder.build().expect("a world");
    audited(&mut world, 100);
    let spin = world.angular_velocity(body).expect("rigid");
    assert!((spin - DVec3::Z * 20.0).length() < 1e-6, "{spin}");
    let x = world.surface_positions(body);
    assert!(
        (x[0].distance(x[1]) - 0.1).abs() < 1e-9
            || (x[0].distance(x[1]) - 0.1 * 2f64.sqrt()).abs() < 1e-9
    );
}

#[test]
fn touching_start_is_refused_with_names() {
    let mut builder = WorldBuilder::new(settings(0.01));
    builder.add_kinematic(slab()).expect("slab");
    builder.add_rigid(cube("cube", 0.1, DVec3::Z * 0.05, 1.0)).expect("cube");
    let message = builder.build().expect_err("they touch").to_string();
    assert!(
        message.contains("cube") && message.contains("slab") && message.contains("apart"),
        "{message}"
    );
}
