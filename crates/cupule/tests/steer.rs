//! Changes between two steps do what they say.

mod common;

use common::{attach, bar, centre, corotated, drive, fixed, nodes_where, rigid, run_to, soft};
use cupule::cavity::SurfacePoint;
use cupule::model::Rayleigh;
use cupule::motion::Profile;
use cupule::settings::Settings;
use cupule::world::{AttachmentId, BodyId};
use cupule::{World, WorldBuilder};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DVec3, TriMesh};

fn weightless() -> Settings {
    Settings { gravity: DVec3::ZERO, ..Settings::default() }
}

fn cube(size: f64) -> TriMesh {
    cuboid_hexes(DVec3::splat(size), [1, 1, 1]).expect("cube").boundary().0
}

fn corner(world: &World, body: BodyId, pick: impl Fn(DVec3) -> f64) -> SurfacePoint {
    let x = world.surface_positions(body);
    let best = x.iter().copied().max_by(|a, b| pick(*a).total_cmp(&pick(*b))).expect("points");
    world.nearest_surface_point(body, best).expect("a surface")
}

#[test]
fn an_offset_shifts_the_path_and_nothing_else() {
    let mut builder = WorldBuilder::new(weightless());
    let mesh = bar(0.0, 0.1, [5, 1, 1]);
    let held = nodes_where(&mesh, |x| x.x < 1e-9);
    let body = builder.add_fem(soft("bar", mesh, corotated(1e6, 0.3), 1000.0)).unwrap();
    attach(&mut builder, "hand", body, held, drive(DVec3::Z * 0.01, 0.1, Profile::Linear));
    let mut world = builder.build().expect("a world");
    run_to(&mut world, 0.05);
    let offset = DVec3::new(0.0, 0.003, -0.001);
    world.controls().set_attachment_offset(AttachmentId(0), offset).unwrap();
    run_to(&mut world, 0.2);
    // Start (the middle of the held face), path at its end, offset.
    let expected = DVec3::new(0.0, 0.0, 0.01) + offset;
    assert!((world.attachment(AttachmentId(0)).centre - expected).length() < 1e-14);
    assert!(world.controls().set_attachment_offset(AttachmentId(7), offset).is_err());
    assert!(world.controls().set_attachment_offset(AttachmentId(0), DVec3::NAN).is_err());
    assert!(world.controls().set_body_offset(body, offset).is_err(), "a soft body has no path");
}

#[test]
fn a_pull_gives_momentum_and_spin() {
    // p = F t and, about the centre, L = r x F t, exact for both while the body has hardly turned.
    let mut builder = WorldBuilder::new(weightless());
    let box_ = builder.add_rigid(rigid("box", cube(0.1), 1.0)).unwrap();
    let mesh = bar(0.3, 0.4, [5, 1, 1]);
    let jelly = builder.add_fem(soft("jelly", mesh, corotated(1e5, 0.3), 1000.0)).unwrap();
    let mut world = builder.build().expect("a world");
    let (force, time) = (DVec3::new(0.0, 0.02, 0.01), 0.1);
    let at = corner(&world, box_, |x| x.x - 0.1 * x.y);
    let arm = world.surface_point(&at).unwrap().0 - centre(&world, box_);
    let end = corner(&world, jelly, |x| x.x);
    world.controls().set_pulls(vec![(at, force), (end, force)]).unwrap();
    run_to(&mut world, time);
    let report = world.body_report(box_);
    assert!((report.momentum - force * time).length() < 1e-12);
    let spin = report.angular_momentum - report.centre.cross(report.momentum);
    let expected = arm.cross(force) * time;
    assert!((spin - expected).length() < 0.02 * expected.length(), "{spin} {expected}");
    assert!((world.body_report(jelly).momentum - force * time).length() < 1e-12);
    world.controls().set_pulls(Vec::new()).unwrap();
    let before = world.body_report(jelly).momentum;
    run_to(&mut world, 2.0 * time);
    assert!((world.body_report(jelly).momentum - before).length() < 1e-12, "let go");
    assert!(
        world.controls().set_pulls(vec![(SurfacePoint { triangle: 999, ..at }, force)]).is_err()
    );
    assert!(world.controls().set_pulls(vec![(at, DVec3::INFINITY)]).is_err());
}

#[test]
fn half_the_stiffness_gives_twice_the_stretch() {
    let mut builder = WorldBuilder::new(weightless());
    let mesh = bar(0.0, 0.1, [10, 2, 2]);
    let (held, end) = (nodes_where(&mesh, |x| x.x < 1e-9), nodes_where(&mesh, |x| x.x > 0.0999));
    let half = nodes_where(&mesh, |x| (x.x - 0.05).abs() < 1e-9);
    let mut spec = soft("bar", mesh, corotated(1e5, 0.0), 1000.0);
    spec.damping = Rayleigh { mass: 20.0, stiffness: 0.02 };
    let body = builder.add_fem(spec).unwrap();
    attach(&mut builder, "wall", body, held, drive(DVec3::ZERO, 1.0, Profile::Linear));
    builder.add_traction(body, &end, DVec3::X * 100.0);
    let mut world = builder.build().expect("a world");
    // Halfway: how the load is shared among the nodes of the end no longer matters there.
    let stretch = |world: &World| world.nodes(body)[half[0] as usize].x - 0.05;
    run_to(&mut world, 4.0);
    let before = stretch(&world);
    // sigma x / E with nu = 0: 100 Pa * 0.05 m / 1e5 Pa.
    assert!((before / 5e-5 - 1.0).abs() < 2e-3, "{before}");
    let dissipated = world.energy().dissipated;
    world.controls().set_youngs_modulus(body, 5e4).unwrap();
    assert!((world.energy().dissipated - dissipated).abs() < 1e-12, "no loss by itself");
    run_to(&mut world, 8.0);
    assert!((stretch(&world) / before - 2.0).abs() < 2e-3, "{}", stretch(&world) / before);
    assert!(world.controls().set_youngs_modulus(body, -1.0).is_err());
}

#[test]
fn friction_taken_away_lets_a_box_slide() {
    // At tan(angle) < mu it sticks; without friction it slides with g sin(angle).
    let tilt: f64 = 0.2;
    let gravity = DVec3::new(9.81 * tilt.sin(), 0.0, -9.81 * tilt.cos());
    let mut builder = WorldBuilder::new(Settings { gravity, friction: 0.5, ..Settings::default() });
    let ground = cuboid_hexes(DVec3::new(2.0, 2.0, 0.1), [1, 1, 1]).expect("ground").boundary().0;
    builder.add_kinematic(fixed("ground", ground.translated(DVec3::Z * -0.05))).unwrap();
    let lift = DVec3::Z * (0.05 + 2e-4);
    let body = builder.add_rigid(rigid("box", cube(0.1).translated(lift), 1.0)).unwrap();
    let mut world = builder.build().expect("a world");
    run_to(&mut world, 0.2);
    let stuck = centre(&world, body).x;
    assert!(stuck.abs() < 1e-5, "{stuck}");
    world.controls().set_default_friction(0.0).unwrap();
    run_to(&mut world, 0.5);
    let speed = world.body_report(body).velocity.x;
    assert!((speed / (gravity.x * 0.3) - 1.0).abs() < 1e-3, "{speed}");
    assert!(world.controls().set_default_friction(f64::NAN).is_err());
    assert!(world.controls().set_line_valve(0, Default::default()).is_err(), "there is no line");
}
