//! Properties of the contact set that hold for any shapes: least distance, no NaN, order, start states.

use cupule_geometry::distance::{edge_edge, point_triangle};
use cupule_geometry::{DQuat, DVec3};
use proptest::prelude::*;

use super::shapes::{Shape, ball, block, contacts, cut_block, detector, ground};
use super::*;

fn settings() -> ContactSettings {
    ContactSettings::new(0.01, 1e-3)
}

/// Least distance of two surfaces by comparing all their features.
fn least_distance(a: &Shape, b: &Shape) -> f64 {
    let corners = |shape: &Shape, t: [u32; 3]| t.map(|v| shape.points[v as usize]);
    let mut least = f64::INFINITY;
    for (own, other) in [(a, b), (b, a)] {
        for point in &own.points {
            for triangle in &other.triangles {
                let found = point_triangle(*point, corners(other, *triangle));
                least = least.min(found.distance_squared);
            }
        }
    }
    for first in &a.triangles {
        for second in &b.triangles {
            let (p, q) = (corners(a, *first), corners(b, *second));
            for i in 0..3 {
                for j in 0..3 {
                    let found = edge_edge([p[i], p[(i + 1) % 3]], [q[j], q[(j + 1) % 3]]);
                    least = least.min(found.distance_squared);
                }
            }
        }
    }
    least.sqrt()
}

fn rotation() -> impl Strategy<Value = DQuat> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.0..3.1).prop_map(|(x, y, z, angle)| {
        let axis = DVec3::new(x, y, z).try_normalize().unwrap_or(DVec3::Z);
        DQuat::from_axis_angle(axis, angle)
    })
}

/// Boxes, balls and dented balls, about 0.1 m in size.
fn shape() -> impl Strategy<Value = Shape> {
    let bumpy = (2u32..4, proptest::collection::vec(0.6..1.0, 56)).prop_map(|(n, scale)| {
        let mut shape = ball(0.06, n);
        for (point, scale) in shape.points.iter_mut().zip(scale) {
            *point *= scale;
        }
        shape
    });
    let boxes =
        (0.03..0.1, 0.03..0.1, 1u32..3).prop_map(|(x, y, n)| block(DVec3::new(x, y, 0.08), n));
    (prop_oneof![bumpy, boxes], rotation()).prop_map(|(shape, turn)| shape.map(|p| turn * p))
}

fn least_contact(found: &[Contact]) -> f64 {
    found.iter().map(|contact| contact.distance).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The local minima contain the global one: the least contact distance is the distance of the surfaces. Distance is
    /// 1-Lipschitz in the positions, hence so is the least gap.
    #[test]
    fn least_contact_is_the_distance(a in shape(), b in shape(), x in -0.02..0.02, y in -0.02..0.02, z in 0.06..0.14) {
        let b = b.moved(DVec3::new(x, y, z));
        let least = least_distance(&a, &b);
        prop_assume!(least > 1e-3);
        let poses = [&a, &b].map(|s| SurfacePose { current: &s.points, free: &s.points });
        // Every convex edge takes part here: leaving out blunt ones costs a fraction of their turn times their length.
        let near = ContactSettings { sharp_edge_angle: 0.0, ..ContactSettings::new(1.5 * least, 0.0) };
        let mut detector = detector(near, &[&a, &b]);
        prop_assume!(detector.initial_penetration(&poses, &[(0, 1)]).expect("sound").is_none());
        let found = detector.detect(&poses, &[(0, 1)], &[]).expect("sound");
        let contact = least_contact(&found);
        prop_assert!((contact - least).abs() < 1e-9, "contact {contact}, distance {least}");
        for contact in &found {
            let point = |stencil: &Stencil| stencil.point(poses[stencil.surface as usize].current);
            let apart = point(&contact.a) - point(&contact.b);
            prop_assert!((apart.dot(contact.normal) - contact.distance).abs() < 1e-12);
            prop_assert!((contact.normal.length() - 1.0).abs() < 1e-9);
        }
    }

    /// Anything goes in, degenerate and wild motions included: sorted, finite, unit normals; the same twice, also from a
    /// detector that has seen something else before, and with one thread.
    #[test]
    fn never_nan_and_deterministic(
        a in shape(),
        b in shape(),
        place in (-0.1..0.1, -0.1..0.1, -0.1..0.1),
        jumps in proptest::collection::vec((-0.05..0.05, -0.05..0.05, -0.05..0.05), 80),
        flat in 0..3usize,
        wild in any::<bool>(),
    ) {
        let b = b.moved(DVec3::from(place));
        let mut a_now = a.clone();
        for point in &mut a_now.points {
            point[flat] = if wild { 0.0 } else { point[flat] };
        }
        let mut free = a_now.clone();
        for (point, jump) in free.points.iter_mut().zip(jumps) {
            *point += DVec3::from(jump);
        }
        let poses = [
            SurfacePose { current: &a_now.points, free: &free.points },
            SurfacePose { current: &b.points, free: &b.points },
        ];
        let pairs = [(0, 1), (0, 0), (1, 1)];
        let mut fresh = detector(settings(), &[&a, &b]);
        let found = fresh.detect(&poses, &pairs, &[]).expect("finite input");
        prop_assert!(found.windows(2).all(|pair| pair[0].id < pair[1].id));
        for contact in &found {
            prop_assert!(contact.distance.is_finite() && contact.area.is_finite() && contact.area >= 0.0);
            prop_assert!((contact.normal.length() - 1.0).abs() < 1e-9);
            for stencil in [contact.a, contact.b] {
                prop_assert!((stencil.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
        let reversed = poses.map(|pose| SurfacePose { current: pose.free, free: pose.current });
        let still = poses.map(|pose| SurfacePose { current: pose.free, free: pose.free });
        for elsewhere in [reversed, still] {
            fresh.detect(&elsewhere, &pairs, &[]).expect("finite input");
        }
        let again = fresh.detect(&poses, &pairs, &[]).expect("finite input");
        prop_assert_eq!(&found, &again);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        prop_assert_eq!(&found, &pool.install(|| fresh.detect(&poses, &pairs, &[])).expect("finite input"));
        fresh.initial_penetration(&poses, &pairs).expect("finite input");
    }

    /// Sinking through zero, the least distance follows the height one to one.
    #[test]
    fn gap_is_continuous_through_zero(height in -4e-3..8e-3f64, turn in 0.0..1.5, x in -0.02..0.02, y in -0.02..0.02) {
        let floor = block(DVec3::new(0.3, 0.3, 0.1), 5).moved(DVec3::Z * -0.05);
        let turn = DQuat::from_rotation_z(turn);
        let cube = block(DVec3::splat(0.1), 2).map(|p| turn * p + DVec3::new(x, y, 0.05 + height));
        let least = least_contact(&contacts(settings(), &[&cube, &floor]));
        prop_assert!((least - height).abs() < 1e-9, "{least} at height {height}");
    }
}

fn penetration(shapes: &[&Shape], pairs: &[(usize, usize)]) -> Option<Penetration> {
    let poses: Vec<SurfacePose> =
        shapes.iter().map(|s| SurfacePose { current: &s.points, free: &s.points }).collect();
    detector(settings(), shapes).initial_penetration(&poses, pairs).expect("sound poses")
}

#[test]
fn start_states_that_intersect_are_found() {
    let cube = block(DVec3::splat(0.1), 1);
    let at = |x: f64, y: f64, z: f64| cube.moved(DVec3::new(x, y, z));
    // Touching, exactly or by rounding, is no penetration.
    assert_eq!(penetration(&[&cube, &at(0.0, 0.0, 0.1)], &[(0, 1)]), None);
    assert_eq!(penetration(&[&cube, &at(0.0, 0.01, 0.1 - 1e-9)], &[(0, 1)]), None);
    assert_eq!(penetration(&[&cube, &at(0.3, 0.0, 0.0)], &[(0, 1)]), None);
    assert_eq!(penetration(&[&at(0.0, 0.0, 0.05), &ground(1.0)], &[(0, 1)]), None);
    // A corner 10 mm inside.
    let found = penetration(&[&cube, &at(0.06, 0.07, 0.09)], &[(0, 1)]).expect("they overlap");
    assert!((found.depth - 0.01).abs() < 1e-12, "{found:?}");
    // All of one inside the other, no surfaces crossing.
    let found = penetration(&[&cube.map(|p| p * 0.1), &cube], &[(1, 0)]).expect("one is swallowed");
    assert_eq!((found.surface_a, found.surface_b), (0, 1));
    assert!((found.depth - 0.045).abs() < 1e-12 || found.depth > 0.045, "{found:?}");
    // Crossed bars: no vertex inside, only edges through faces.
    let bar = block(DVec3::new(0.5, 0.04, 0.04), 1);
    let turn = DQuat::from_rotation_z(1.2);
    let found = penetration(&[&bar, &bar.map(|p| turn * p + DVec3::Z * 0.03)], &[(0, 1)]);
    assert!((found.expect("crossed").depth - 0.01).abs() < 1e-9, "{found:?}");
    // Through an open sheet.
    let found = penetration(&[&at(0.1, 0.0, 0.04), &ground(1.0)], &[(0, 1)]).expect("sunk in");
    assert!((found.depth - 0.01).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_surface_through_itself_is_found() {
    let strip = cut_block(DVec3::new(0.2, 0.02, 4e-3), [40, 4, 2]);
    assert_eq!(penetration(&[&strip], &[(0, 0)]), None);
    // Wound up in a ring whose ends overlap.
    let ring = strip.map(|p| {
        let angle = p.x / 0.025;
        let radius = 0.025 + p.z;
        DVec3::new(radius * angle.cos(), p.y + 0.01 * angle.sin(), radius * angle.sin())
    });
    let found = penetration(&[&ring], &[(0, 0)]).expect("its ends overlap");
    assert_eq!((found.surface_a, found.surface_b), (0, 0));
    assert!(found.depth > 1e-6);
}

#[test]
fn bad_input_is_refused() {
    let cube = block(DVec3::splat(0.1), 1);
    let mut detector = detector(settings(), &[&cube]);
    let pose = SurfacePose { current: &cube.points, free: &cube.points };
    let short = SurfacePose { current: &cube.points, free: &cube.points[1..] };
    assert!(matches!(
        detector.detect(&[], &[], &[]),
        Err(ContactError::PoseCount { expected: 1, given: 0 })
    ));
    assert!(matches!(
        detector.detect(&[short], &[], &[]),
        Err(ContactError::PositionCount { what: "free", .. })
    ));
    assert!(matches!(
        detector.detect(&[pose], &[(0, 1)], &[]),
        Err(ContactError::UnknownSurface { b: 1, .. })
    ));
    let mut points = cube.points.clone();
    points[3].y = f64::NAN;
    let bad = SurfacePose { current: &points, free: &cube.points };
    assert!(matches!(
        detector.detect(&[bad], &[(0, 0)], &[]),
        Err(ContactError::NotFinite { vertex: 3, .. })
    ));
    for (alarm, contact) in [(0.0, 0.0), (f64::NAN, 0.0), (0.01, 0.02), (0.01, -1.0)] {
        let settings = ContactSettings::new(alarm, contact);
        assert!(matches!(Detector::new(settings, vec![]), Err(ContactError::BadSetting { .. })));
    }
    assert!(SearchSurface::new(vec![[0, 1, 9]], cube.points).is_err());
}
