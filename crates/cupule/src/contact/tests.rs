//! Counts and signs of contacts in configurations whose answer is known.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use cupule_geometry::{DQuat, DVec3};

use super::shapes::{Shape, ball, block, contacts, cut_block, detector, ground, moving};
use super::*;

const ALARM: f64 = 0.01;

fn settings() -> ContactSettings {
    ContactSettings::new(ALARM, 1e-3)
}

fn cube() -> Shape {
    block(DVec3::splat(0.1), 1)
}

fn is_edge_pair(contact: &Contact) -> bool {
    matches!((contact.id.feature_a, contact.id.feature_b), (Feature::Edge(_), Feature::Edge(_)))
}

/// The normal as it pushes surface 0.
fn push(contact: &Contact) -> DVec3 {
    if contact.id.surface_a == 0 { contact.normal } else { -contact.normal }
}

/// A cube flat on a ground of two triangles: its four corners, whatever the place of the ground's diagonal.
#[test]
fn cube_on_ground_has_four_contacts() {
    for shift in [DVec3::ZERO, DVec3::new(0.05, -0.05, 0.0), DVec3::new(0.013, 0.2, 0.0)] {
        for gap in [0.0, 1e-5, 1e-3, 5e-3] {
            for half in [1.0, 1e3] {
                let cube = cube().moved(shift + DVec3::Z * (0.05 + gap));
                let found = contacts(settings(), &[&cube, &ground(half)]);
                assert_eq!(found.len(), 4, "gap {gap}");
                for contact in found {
                    assert!((contact.distance - gap).abs() < 1e-12);
                    // On an edge 2 km long, places are known to 1e-13 m only.
                    assert!(contact.normal.distance(DVec3::Z) < 1e-10 * half.max(10.0));
                    assert!(matches!(contact.id.feature_a, Feature::Vertex(_)));
                }
            }
        }
    }
}

/// The areas of the contacts of a flat face sum to its area: fine on coarse, and equal meshes over each other.
#[test]
fn areas_sum_to_the_true_area() {
    let fine = block(DVec3::splat(0.1), 8);
    let upper = fine.moved(DVec3::Z * 0.051);
    let area =
        |other: &Shape| contacts(settings(), &[&upper, other]).iter().map(|c| c.area).sum::<f64>();
    assert!((area(&ground(1.0)) / 0.01 - 1.0).abs() < 0.05, "{}", area(&ground(1.0)));
    let lower = fine.moved(DVec3::Z * -0.05);
    assert!((area(&lower) / 0.01 - 1.0).abs() < 1e-6, "{}", area(&lower));
}

/// Boxes on each other: aligned, shifted by less and by more than the merging distance, rotated.
#[test]
fn stacked_boxes_touch_at_the_corners_of_the_overlap() {
    let lower = cube().moved(DVec3::Z * -0.05);
    for gap in [1e-3, 1e-5, 1e-9, 0.0, -1e-9, -1e-6, -1e-4] {
        for shift in [0.0, 1e-12, 1e-7, 3e-5, 0.02] {
            let upper = cube().moved(DVec3::new(shift, 0.7 * shift, 0.05 + gap));
            let found = contacts(settings(), &[&upper, &lower]);
            assert_eq!(found.len(), 4, "gap {gap}, shift {shift}: {found:#?}");
            for contact in &found {
                assert!((contact.distance - gap).abs() < 1e-7, "{}", contact.distance);
                assert!(push(contact).distance(DVec3::Z) < 0.05, "{}", contact.normal);
            }
            if shift == 0.02 {
                assert_eq!(found.iter().filter(|contact| is_edge_pair(contact)).count(), 2);
            }
        }
    }
    // Turned by 45 degrees the overlap is an octagon, and all its corners are crossings of edges.
    let turn = DQuat::from_rotation_z(FRAC_PI_4);
    let upper = cube().map(|point| turn * point + DVec3::Z * 0.051);
    let found = contacts(settings(), &[&upper, &lower]);
    assert_eq!(found.len(), 8);
    assert!(found.iter().all(is_edge_pair));
}

/// A beam with a ridge on top.
fn ridge() -> Shape {
    let turn = DQuat::from_rotation_y(FRAC_PI_4);
    block(DVec3::new(0.1, 0.6, 0.1), 1).map(|p| turn * p - DVec3::Z * 0.05 * 2f64.sqrt())
}

#[test]
fn convex_edges_cross() {
    let beam = block(DVec3::new(0.6, 0.1, 0.1), 1);
    // Flat over the ridge: both lower edges rest on it.
    let flat = beam.moved(DVec3::new(0.01, 0.02, 0.052));
    let found = contacts(settings(), &[&flat, &ridge()]);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().all(is_edge_pair));
    // Edge over edge: one contact, above and (slightly) below.
    let turn = DQuat::from_rotation_x(FRAC_PI_4);
    for gap in [5e-3, 1e-4, 0.0, -1e-4, -2e-3] {
        let lift = DVec3::new(0.01, 0.02, 0.05 * 2f64.sqrt() + gap);
        let found = contacts(settings(), &[&beam.map(|p| turn * p + lift), &ridge()]);
        assert_eq!(found.len(), 1, "gap {gap}: {found:#?}");
        assert!(
            (found[0].distance - gap).abs() < 1e-12 && push(&found[0]).distance(DVec3::Z) < 1e-9
        );
    }
}

/// A cube standing on a corner.
fn on_corner() -> Shape {
    let turn = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::Z);
    cube().map(|point| turn * point + DVec3::Z * 0.05 * 3f64.sqrt())
}

#[test]
fn vertex_over_vertex_edge_and_face_is_one_contact() {
    let upper = on_corner().moved(DVec3::Z * 2e-3);
    let lower = on_corner().map(|point| DVec3::new(point.x, -point.y, -point.z));
    let targets = [
        (lower, Feature::Vertex(0)),
        (ridge().moved(DVec3::Y * 0.01), Feature::Edge(0)),
        (ground(1.0).moved(DVec3::X * 0.2), Feature::Face(0)),
        (ground(1.0), Feature::Edge(0)),
    ];
    for (target, kind) in targets {
        let found = contacts(settings(), &[&upper, &target]);
        assert_eq!(found.len(), 1, "{kind:?}: {found:#?}");
        assert!((found[0].distance - 2e-3).abs() < 1e-12);
        assert!(push(&found[0]).distance(DVec3::Z) < 1e-9);
        assert_eq!(std::mem::discriminant(&found[0].id.feature_b), std::mem::discriminant(&kind));
    }
}

/// The least distance of a ball to the ground is that of its lowest vertex.
#[test]
fn ball_on_plane() {
    let ball = ball(0.1, 8).map(|p| DQuat::from_rotation_x(0.3) * p + DVec3::Z * 0.104);
    let found = contacts(settings(), &[&ball, &ground(1.0)]);
    let lowest = ball.points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let least = found.iter().map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
    assert!((least - lowest).abs() < 1e-12);
    let within = ball.points.iter().filter(|point| point.z <= ALARM).count();
    assert_eq!(found.len(), within, "one contact for each vertex within the alarm distance");
}

/// A plate thinner than the alarm distance: always pushed back to the side it came from, whatever the depth.
#[test]
fn thin_plate_is_not_pulled_through() {
    let plate = block(DVec3::new(0.4, 0.4, 2e-3), 6).moved(DVec3::Z * -1e-3);
    // The sides of a foot wider than its top look a little towards the far face of the plate.
    let foot = |n: u32, taper: f64| {
        block(DVec3::splat(0.1), n)
            .map(|p| DVec3::new(p.x, p.y, 0.0) * (1.0 - taper * p.z) + DVec3::Z * p.z)
    };
    for lower in [
        block(DVec3::splat(0.1), 1),
        block(DVec3::splat(0.1), 4),
        ball(0.05, 6),
        foot(1, 5.0),
        foot(4, 5.0),
    ] {
        for gap in [5e-3, 5e-4, -2e-4, -8e-4, -1.5e-3] {
            let found = contacts(settings(), &[&lower.moved(DVec3::Z * (0.05 + gap)), &plate]);
            assert!(!found.is_empty());
            let least = found.iter().map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
            assert!((least - gap).abs() < 1e-9, "gap {gap}, least {least}");
            for contact in &found {
                assert!(push(contact).z > 0.5, "gap {gap}: {contact:?}");
            }
        }
    }
}

/// A corner a little inside a tray's floor, wall, or both keeps both contacts.
#[test]
fn corner_of_a_tray_holds_both_ways() {
    // An L of floor (top at z = 0) and wall (inner side at x = 0), one closed surface.
    let outline = [[-0.1, -0.1], [0.3, -0.1], [0.3, 0.0], [0.0, 0.0], [0.0, 0.3], [-0.1, 0.3]];
    let point = |[x, z]: [f64; 2], y: f64| DVec3::new(x, y, z);
    let mut points: Vec<DVec3> = outline.iter().map(|p| point(*p, -0.2)).collect();
    points.extend(outline.iter().map(|p| point(*p, 0.2)));
    let mut triangles = vec![];
    for i in 0..6u32 {
        let j = (i + 1) % 6;
        triangles.extend([[i, i + 6, j], [j, i + 6, j + 6]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.extend([[a, b, c], [a + 6, c + 6, b + 6]]);
    }
    let tray = Shape { points, triangles };
    for down in [1e-4, -1e-6, -1e-4] {
        for side in [1e-4, -1e-6, -1e-4] {
            let cube = cube().moved(DVec3::new(0.05 + side, 0.0, 0.05 + down));
            let found = contacts(settings(), &[&cube, &tray]);
            let along = |axis: DVec3| {
                let with = found.iter().filter(|contact| push(contact).distance(axis) < 1e-6);
                with.map(|contact| contact.distance).collect::<Vec<_>>()
            };
            let (floor, wall) = (along(DVec3::Z), along(DVec3::X));
            assert_eq!(
                (floor.len(), wall.len(), found.len()),
                (4, 4, 8),
                "{down} {side}: {found:#?}"
            );
            assert!(floor.iter().all(|distance| (distance - down).abs() < 1e-9));
            assert!(wall.iter().all(|distance| (distance - side).abs() < 1e-9));
        }
    }
}

/// Far at both ends of the step, but the straight path crosses: kept, with the side of the start.
#[test]
fn fast_bodies_do_not_tunnel() {
    let plate = block(DVec3::new(0.4, 0.4, 2e-3), 3).moved(DVec3::Z * -1e-3);
    for target in [plate, ground(1.0)] {
        for slide in [DVec3::ZERO, DVec3::new(0.2, 0.1, 0.0)] {
            let cube = cube().moved(DVec3::Z * 0.35 - slide * 0.5);
            let fall = DVec3::Z * -0.8 + slide;
            let found = moving(settings(), &[&cube, &target], &[fall, DVec3::ZERO]);
            let lower: Vec<_> = found
                .iter()
                .filter(|contact| contact.distance < 0.301 && contact.id.surface_a == 0)
                .collect();
            assert_eq!(lower.len(), 4, "{found:#?}");
            for contact in &lower {
                assert!(
                    (contact.distance - 0.3).abs() < 1e-12
                        && contact.normal.distance(DVec3::Z) < 1e-12
                );
            }
        }
    }
    let beam = block(DVec3::new(0.6, 0.1, 0.1), 1);
    let turn = DQuat::from_rotation_x(FRAC_PI_4);
    let beam = beam.map(|p| turn * p + DVec3::new(0.01, 0.02, 0.05 * 2f64.sqrt() + 0.1));
    let found = moving(settings(), &[&beam, &ridge()], &[DVec3::Z * -0.25, DVec3::ZERO]);
    let edges: Vec<_> = found.iter().filter(|contact| is_edge_pair(contact)).collect();
    assert!(
        edges.iter().any(|c| (c.distance - 0.1).abs() < 1e-9 && push(c).z > 0.999),
        "{found:#?}"
    );
}

/// A vertex that slides over many faces keeps its coarse key, and its id while it stays on a face.
#[test]
fn sliding_keeps_the_point_key() {
    let lower = block(DVec3::new(0.4, 0.4, 0.1), 7).moved(DVec3::Z * -0.05);
    let upper = cube().moved(DVec3::Z * 0.051);
    let mut detector = detector(settings(), &[&upper, &lower]);
    let mut faces = vec![];
    for step in 0..60 {
        let place = upper.moved(DVec3::new(0.1, 0.07, 0.0) * (f64::from(step) / 60.0));
        let poses = [&place, &lower].map(|s| SurfacePose { current: &s.points, free: &s.points });
        let found = detector.detect(&poses, &[(1, 0)], &[]).expect("sound poses");
        let own: Vec<_> =
            found.iter().filter(|c| c.id.surface_a == 0 && !is_edge_pair(c)).collect();
        assert_eq!(own.len(), 4, "step {step}");
        let keys: Vec<_> = own.iter().map(|contact| contact.id.point_key()).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
        faces.push((keys, own[0].id.feature_b));
    }
    assert!(faces.windows(2).all(|pair| pair[0].0 == pair[1].0));
    let changes = faces.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    assert!((1..12).contains(&changes), "{changes}");
}

/// A block whose top is cut once along y, with that edge raised (m) above the plane: convex, or concave if negative.
fn creased(raised: f64) -> Shape {
    let flat = cut_block(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]).moved(DVec3::Z * -0.05);
    flat.map(|p| if p.x == 0.0 && p.z == 0.0 { p + DVec3::Z * raised } else { p })
}

/// A pair of edges that pushed is kept when its push has made an edge a little concave, and let go when it is more so.
#[test]
fn edges_that_pushed_are_let_go_later_than_they_are_found() {
    let found = |raised: f64, pushed: &[ContactId]| -> Vec<ContactId> {
        let (low, high) = (creased(raised), block(DVec3::new(0.15, 0.02, 0.02), 1));
        let turn = DQuat::from_rotation_x(FRAC_PI_4);
        let high = high.map(|p| turn * p + DVec3::Z * (raised + 0.01 * 2f64.sqrt() + 1e-4));
        let poses = [&low, &high].map(|s| SurfacePose { current: &s.points, free: &s.points });
        let mut detector = detector(settings(), &[&low, &high]);
        let found = detector.detect(&poses, &[(0, 1)], pushed).expect("sound poses");
        found.iter().filter(|c| is_edge_pair(c)).map(|c| c.id).collect()
    };
    // The crease turns by 2 raised / 0.1: 6 degrees, then 3 and 23 the other way.
    let convex = found(5e-3, &[]);
    assert_eq!(convex.len(), 1);
    assert!(found(-2.5e-3, &[]).is_empty(), "two edges do not meet over a crease");
    assert_eq!(found(-2.5e-3, &convex), convex, "but those that pushed stay");
    assert!(found(-2e-2, &convex).is_empty(), "though not in a valley");
    let unknown = ContactId { feature_a: Feature::Edge(10_000), ..convex[0] };
    assert!(found(-2.5e-3, &[unknown]).is_empty(), "an edge that does not exist is left out");
}

/// A thin strip bent to a U whose inner sides are `gap` apart.
fn fold(gap: f64) -> (Shape, Shape) {
    let strip = cut_block(DVec3::new(0.2, 0.02, 4e-3), [40, 4, 2]);
    let radius = 0.5 * (gap + 4e-3);
    let bent = strip.map(|p| {
        let inner = radius - p.z;
        let quarter = FRAC_PI_2 * radius;
        let leg = p.x.abs() - quarter;
        if leg > 0.0 {
            DVec3::new(inner * p.x.signum(), p.y, leg)
        } else {
            let angle = p.x / radius;
            DVec3::new(inner * angle.sin(), p.y, -inner * angle.cos())
        }
    });
    (strip, bent)
}

#[test]
fn folded_strip_touches_itself() {
    for gap in [4e-3, 5e-4, -2e-4] {
        let (strip, bent) = fold(gap);
        let mut detector = detector(settings(), &[&strip]);
        let mut detect = |shape: &Shape| {
            let pose = SurfacePose { current: &shape.points, free: &shape.points };
            detector.detect(&[pose], &[(0, 0)], &[]).expect("sound pose")
        };
        assert!(
            detect(&strip).is_empty(),
            "flat, thinner than the alarm distance, nothing touches"
        );
        let found = detect(&bent);
        assert!(found.len() > 50, "{}", found.len());
        for contact in &found {
            assert!((contact.distance - gap).abs() < 1e-3, "gap {gap}: {contact:#?}");
            assert!(contact.normal.x.abs() > 0.8);
            // Pushed apart: the point on the +x leg is pushed to +x.
            let place = contact.a.point(&bent.points) - contact.b.point(&bent.points);
            assert!(place.dot(contact.normal) * gap > 0.0);
        }
        // Each patch is counted half from each side: the sum is the area of one leg's contact.
        let area: f64 = found.iter().map(|contact| contact.area).sum();
        let leg = 0.02 * (0.1 - PI * 0.25 * (gap + 4e-3));
        assert!((0.6..1.1).contains(&(area / leg)), "{}", area / leg);
    }
}
