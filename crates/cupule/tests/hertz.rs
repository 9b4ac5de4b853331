//! Half a soft ball, glued to a driven plate by its flat face and pressed on a plane without friction, against Hertz and
//! against what Hertz leaves out.
//!
//! Hertz takes both bodies as half-spaces: his force F_H = 4/3 E* sqrt(R) d^1.5 is the limit d/R -> 0. The ball is finite:
//! - Linear elasticity, ball between two plates, from the Legendre series of a sphere under vertical tractions on two polar
//!   caps, the contact solved with it: F / F_H = 1 + s (alpha + (1 - 2 nu)^2 / (2 pi (1 - nu)) ln(d/R)) + O(d/R), with
//!   s = sqrt(d/R) and alpha = 0.730 at nu = 0.3. The logarithm follows from the series' terms at large n. Tatara's
//!   estimate from half-space solutions is 1 + 0.55 s; at d/R = 0.01 the series says 1 + 0.57 s.
//! - The flat face is glued here, and cannot widen: about +0.2 s.
//! - The surface turns and is strained by O(s) in the contact, so that even the first term depends on the large-strain
//!   law; the corotated solid is softer than the linear one by 0.26 to 0.29 s.
//!
//! `REFERENCE` is the sum of the three, from a computation of its own: axisymmetric bilinear elements with the corotated
//! energy mu |S - I|^2 + lambda/2 tr(S - I)^2, cells of 0.00125 R at the contact. With a linear energy and a sliding face it
//! agrees with the series within 2e-4, and halving its cells changes it by as little.

mod common;

use common::*;
use cupule::WorldBuilder;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::Settings;
use cupule::world::Hold;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cylinder_hexes;
use cupule_geometry::{DQuat, DVec3, VolumeMesh};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3};

const RADIUS: f64 = 0.02;
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
/// Depths over the radius.
const DEPTHS: [f64; 3] = [0.005, 0.01, 0.02];
/// Force over that of Hertz at these depths, for this ball.
const REFERENCE: [f64; 3] = [1.0330, 1.0490, 1.0729];
/// Time for each depth: 0.1 s to get there, the rest to come to rest, s.
const PERIOD: f64 = 0.25;
/// Angle from the pole to where the cap ends and the belt begins, rad.
const CAP: f64 = FRAC_PI_3;
/// Cells grow by cosh(GRADING) from the pole to the far side.
const GRADING: f64 = 4.0;

/// Half a ball with its pole at -z and its flat face at z = 0, graded towards the pole: every direction is cut in
/// proportion to `level`.
fn half_ball(level: usize) -> VolumeMesh {
    let mut mesh = cylinder_hexes(1.0, 1.0, 2 * level, 4 * level, 4 * level).expect("cylinder");
    mesh.nodes.iter_mut().for_each(|x| *x = on_ball(*x));
    mesh.check().expect("a sound mesh");
    mesh
}

/// From the cylinder of radius 1 and height 1 to the half ball: its lower end becomes the cap within 60 degrees of the
/// pole, its mantle the belt above (a Coons patch in the half-plane, carried round).
fn on_ball(x: DVec3) -> DVec3 {
    let graded = |t: f64| (GRADING * t).sinh() / GRADING.sinh();
    let across = x.x.hypot(x.y);
    let [s, t] = [across, x.z + 0.5].map(graded);
    let arc = |angle: f64| DVec3::new(angle.sin(), 0.0, -angle.cos());
    let cap = arc(CAP * s);
    let belt = arc(CAP + (FRAC_PI_2 - CAP) * t);
    let (axis, equator) = (DVec3::Z * (t - 1.0), DVec3::X * s);
    let corners = (1.0 - t) * ((1.0 - s) * DVec3::NEG_Z + s * arc(CAP)) + t * s * DVec3::X;
    let place = (1.0 - t) * cap + t * equator + (1.0 - s) * axis + s * belt - corners;
    let widened = place.x / across.max(f64::MIN_POSITIVE);
    RADIUS * DVec3::new(widened * x.x, widened * x.y, place.z)
}

/// Force over that of Hertz, after the flat face has been driven down by each of `DEPTHS`.
fn pressed(level: usize) -> [f64; 3] {
    let offset = 1e-6;
    let mut builder = WorldBuilder::new(Settings {
        time_step: 0.05,
        gravity: DVec3::ZERO,
        friction: 0.0,
        contact_distance: offset,
        alarm_distance: 2e-4,
        refactor_rotation: 0.05,
        ..Settings::default()
    });
    let plane = cuboid(DVec3::new(0.05, 0.05, 0.01), [1, 1, 1]).expect("plane");
    let below = DVec3::NEG_Z * (RADIUS + 0.005 + offset);
    builder.add_kinematic(fixed("plane", plane.translated(below))).expect("plane");
    let mesh = half_ball(level);
    let face = nodes_where(&mesh, |x| x.z > -1e-9);
    let ball = builder.add_fem(soft("ball", mesh, corotated(YOUNG, POISSON), 100.0)).expect("ball");
    let key = |time, z: f64| Key { time, translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
    let mut keys = vec![key(0.0, 0.0)];
    for (start, depth) in [0.0, PERIOD, 2.0 * PERIOD].into_iter().zip(DEPTHS) {
        let z = -depth * RADIUS;
        keys.extend([key(start + 0.1, z), key(start + PERIOD, z)]);
    }
    let path = Motion::new(keys, Profile::Smooth, DVec3::ZERO);
    attach(&mut builder, "press", ball, face, Hold::Drive(path));
    let mut world = builder.build().expect("a world");
    let stiffness = 4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * RADIUS * RADIUS;
    DEPTHS.map(|depth| {
        let until = world.time() + PERIOD;
        let report = run_to(&mut world, until);
        let ratio = -report.attachments[0].force.z / (stiffness * depth.powf(1.5));
        let touching = report.contacts.iter().filter(|c| c.force.length() > 0.0).count();
        let nodes = world.nodes(ball).len();
        println!("{nodes} nodes, {touching} touching, d/R {depth}: force / Hertz {ratio:.4}");
        ratio
    })
}

fn largest(values: [f64; 3]) -> f64 {
    values.into_iter().fold(0.0, |most, v| most.max(v.abs()))
}

// The range ends at d/R = 0.02 because there the reference itself leaves Hertz by 7.3 %. At a single depth the error need
// not fall: it swings as the edge of the contact passes from one ring of nodes to the next.
#[test]
fn pressed_ball_follows_hertz() {
    let ratios = [2, 3, 4].map(pressed);
    let errors = ratios.map(|at| largest([0, 1, 2].map(|i| at[i] / REFERENCE[i] - 1.0)));
    println!("largest error against the reference at levels 2, 3, 4: {errors:.4?}");
    let against_hertz = ratios.map(|at| largest(at.map(|ratio| ratio - 1.0)));
    println!("and against Hertz: {against_hertz:.4?}");
    assert!(against_hertz[2] < 0.08, "{against_hertz:?}");
    assert!(against_hertz.is_sorted_by(|coarse, fine| fine < coarse), "{against_hertz:?}");
    assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1], "{errors:?}");
    assert!(errors[2] < 0.01, "{errors:?}");
}
