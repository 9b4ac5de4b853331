//! Scenes whose cavities, touching regions and volumes are known.

use cupule_geometry::arrangement::Side;
use cupule_geometry::{CupShape, DVec3, Shape};

use crate::checks::{area_of, check, check_gradient};
use crate::scenes::*;

/// A cup on something with a plane top, `gap` above it: one cavity whose volume, bore area times height, is known.
fn cup_on_plane(below: cupule_geometry::TriMesh, gap: f64, around: usize) -> Scene {
    let scene =
        Scene::new(vec![below, up(cup(around), gap).translated(DVec3::new(0.0013, 0.0007, 0.0))]);
    check(&scene).unwrap();
    let [cavity] = scene.cavities()[..] else { panic!("one cavity") };
    assert_eq!(scene.arrangement.components[cavity as usize].bodies, [0, 1]);
    assert_eq!(scene.arrangement.regions.len(), 1);
    let region = &scene.arrangement.regions[0];
    assert_eq!((region.bodies.len(), region.borders.len()), (2, 2));
    let bodies = surfaces(&scene.bodies);
    // Inner ring: the border lies where the wall leaves the thickened rim, between the bore and that less a sliver.
    let inner = scene.mesh(cavity, false);
    let expected = bore_area(around) * (CUP[2] + gap);
    assert!((inner.volume(&bodies) / expected - 1.0).abs() < 2e-3, "{}", inner.volume(&bodies));
    // Outer ring: the touching annulus times the gap is added.
    let outer = scene.mesh(cavity, true);
    let annulus = bore_area(around) * ((CUP[1] / CUP[0]).powi(2) - 1.0);
    let added = outer.volume(&bodies) - inner.volume(&bodies);
    assert!((added - annulus * gap).abs() < 0.1 * annulus * LEVEL, "{added:e}");
    check_gradient(&inner, &scene.bodies);
    check_gradient(&outer, &scene.bodies);
    // Both faces of the touching region are the rim's annulus; the cup adds what its walls sink in, inside and out.
    let walls = 2.0 * std::f64::consts::PI * (CUP[0] + CUP[1]) * (LEVEL - gap);
    for (body, expected) in [(0, annulus), (1, annulus + walls)] {
        let buried = area_of(&scene, body, |side| matches!(side, Side::Buried(_)));
        assert!((buried / expected - 1.0).abs() < 0.02, "{buried} {expected}");
    }
    scene
}

#[test]
fn cup_on_box() {
    cup_on_plane(box_below(6), 0.4 * LEVEL, 24);
    cup_on_plane(box_below(6), -0.4 * LEVEL, 24);
}

#[test]
fn cup_on_two_triangles() {
    cup_on_plane(ground(), 0.4 * LEVEL, 24);
    // Exactly touching and exactly at the level's half: degenerate heights.
    cup_on_plane(ground(), 0.0, 24);
}

/// A gap above the level leaks: two outer boundaries, nothing buried.
#[test]
fn raised_cup_has_no_cavity() {
    for gap in [1.01 * LEVEL, 3.0 * LEVEL, 100.0 * LEVEL] {
        let scene = Scene::new(vec![ground(), up(cup(24), gap)]);
        check(&scene).unwrap();
        assert!(scene.cavities().is_empty());
        assert_eq!(scene.arrangement.components.len(), 2);
        assert!(scene.arrangement.regions.is_empty() && scene.arrangement.borders.is_empty());
    }
}

/// Two cups on the same two triangles: two cavities, two regions.
#[test]
fn two_cups_on_one_triangle() {
    let at = |x: f64| up(cup(20), 0.5 * LEVEL).translated(DVec3::new(x, x + 0.1, 0.0));
    let scene = Scene::new(vec![at(0.1), ground(), at(0.2)]);
    check(&scene).unwrap();
    assert_eq!(scene.cavities().len(), 2);
    assert_eq!(scene.arrangement.regions.len(), 2);
    for region in &scene.arrangement.regions {
        assert_eq!(region.borders.len(), 2);
        assert!(region.bodies == [0, 1] || region.bodies == [1, 2]);
    }
    let volumes: Vec<f64> = scene
        .cavities()
        .iter()
        .map(|k| scene.mesh(*k, true).volume(&surfaces(&scene.bodies)))
        .collect();
    assert!((volumes[0] / volumes[1] - 1.0).abs() < 1e-6, "{volumes:?}");
}

/// The left side of a border, seen from outside body 0, is free, the right side buried; and mirrored for body 1.
#[test]
fn borders_have_the_free_side_on_the_left() {
    let scene = cup_on_plane(box_below(5), 0.3 * LEVEL, 20);
    for border in &scene.arrangement.borders {
        for (which, sign) in [(0, 1.0), (1, -1.0)] {
            let [from, to] = border.ends.map(|end| end[which]);
            let body = &scene.bodies[border.bodies[which] as usize];
            assert_eq!((from.body, from.triangle), (to.body, to.triangle));
            let weights = |w: [f64; 3]| DVec3::from_array(w);
            let along = weights(to.barycentric) - weights(from.barycentric);
            // To the left in the plane of the weights, whose normal is (1, 1, 1).
            let left = DVec3::ONE.cross(along) * (1e-3 * sign);
            let middle = 0.5 * (weights(to.barycentric) + weights(from.barycentric));
            assert!(body.triangles.len() > from.triangle as usize);
            for (place, free) in [(middle + left, true), (middle - left, false)] {
                let found = scene.arrangement.pieces.iter().find(|piece| {
                    let same = (piece.body, piece.triangle) == (from.body, from.triangle);
                    same && contains(piece.corners.map(weights), place)
                });
                if let Some(piece) = found {
                    let expected = if free {
                        Side::Free(border.component)
                    } else {
                        Side::Buried(border.region)
                    };
                    assert_eq!(piece.side, expected);
                }
            }
        }
    }
}

fn contains([a, b, c]: [DVec3; 3], p: DVec3) -> bool {
    let side = |u: DVec3, v: DVec3| (v - u).cross(p - u).element_sum() > 0.0;
    side(a, b) && side(b, c) && side(c, a)
}

#[test]
fn cup_on_cylinder_and_ball() {
    let radius = 0.06;
    let bent = draped(cup(32), |x, _| (radius * radius - x * x).sqrt() - radius + 0.2 * LEVEL);
    let scene = Scene::new(vec![lying_cylinder(radius), bent]);
    check(&scene).unwrap();
    assert_eq!(scene.cavities().len(), 1);
    assert_eq!(scene.arrangement.regions.len(), 1);
    check_gradient(&scene.mesh(scene.cavities()[0], true), &scene.bodies);

    let bent = draped(cup(32), |x, y| (radius * radius - x * x - y * y).sqrt() - radius);
    let scene = Scene::new(vec![ball_below(radius), bent]);
    check(&scene).unwrap();
    assert_eq!(scene.cavities().len(), 1);
    check_gradient(&scene.mesh(scene.cavities()[0], true), &scene.bodies);
}

/// A plate, a ring and a lid, all aligned: one cavity of three bodies, two touching regions.
#[test]
fn three_stacked_blocks() {
    let gap = 0.5 * LEVEL;
    let scene = Scene::new(vec![up(plate(), -0.006 - gap), ring_block(), up(plate(), 0.018 + gap)]);
    check(&scene).unwrap();
    let [cavity] = scene.cavities()[..] else { panic!("one cavity") };
    assert_eq!(scene.arrangement.components[cavity as usize].bodies, [0, 1, 2]);
    let regions = scene.arrangement.regions.iter();
    assert_eq!(regions.filter(|r| r.borders.iter().any(|b| b.0 == cavity)).count(), 2);
    let volume = scene.mesh(cavity, false).volume(&surfaces(&scene.bodies));
    let expected = 0.012 * 0.012 * (0.018 + 2.0 * gap);
    assert!((volume / expected - 1.0).abs() < 5e-3, "{volume:e} {expected:e}");
    check_gradient(&scene.mesh(cavity, true), &scene.bodies);
}

/// Two halves of a cup on the ground: three bodies meet at junctions, the touching parts make one region.
#[test]
fn three_bodies_with_junctions() {
    let gap = 0.5 * LEVEL;
    let shifted = |mesh: cupule_geometry::TriMesh, x: f64| mesh.translated(DVec3::new(x, 0.0, gap));
    let scene = Scene::new(vec![
        shifted(half_cup(false), -0.5 * gap),
        ground().translated(DVec3::new(0.031, 0.017, 0.0)),
        shifted(half_cup(true), 0.5 * gap),
    ]);
    check(&scene).unwrap();
    let [cavity] = scene.cavities()[..] else { panic!("one cavity") };
    assert!(scene.arrangement.junctions.len() >= 4, "{}", scene.arrangement.junctions.len());
    let region: Vec<u32> = scene.arrangement.junctions.iter().map(|j| j.region).collect();
    assert!(region.windows(2).all(|pair| pair[0] == pair[1]));
    let volume = scene.mesh(cavity, false).volume(&surfaces(&scene.bodies));
    let expected = 0.024 * 0.024 * 0.012;
    assert!((volume / expected - 1.0).abs() < 2e-2, "{volume:e} {expected:e}");
    check_gradient(&scene.mesh(cavity, true), &scene.bodies);
}

/// A cup over a hole through a block: the hole belongs to the cavity if the ground closes it, else all is open.
#[test]
fn tunnel_under_a_cup() {
    let gap = 0.3 * LEVEL;
    let lid = |z: f64| up(cup(24), z + gap);
    let closed = Scene::new(vec![ground(), up(ring_block(), gap), lid(0.018 + gap)]);
    check(&closed).unwrap();
    let [cavity] = closed.cavities()[..] else { panic!("one cavity") };
    let volume = closed.mesh(cavity, false).volume(&surfaces(&closed.bodies));
    let expected = bore_area(24) * CUP[2] + 0.012 * 0.012 * 0.018;
    assert!((volume / expected - 1.0).abs() < 1e-2, "{volume:e} {expected:e}");

    let open = Scene::new(vec![ring_block(), lid(0.018)]);
    check(&open).unwrap();
    assert!(open.cavities().is_empty());
}

/// A plate flat on a plate touches without a cavity: one region with one border.
#[test]
fn flat_contact_is_a_region_without_a_cavity() {
    for (shift, gap) in [(0.001, 0.5 * LEVEL), (0.0, 0.0), (0.0, 0.5 * LEVEL)] {
        let scene =
            Scene::new(vec![plate(), up(plate(), 0.006 + gap).translated(DVec3::X * shift)]);
        check(&scene).unwrap();
        assert!(scene.cavities().is_empty());
        let flat: Vec<usize> = scene.arrangement.regions.iter().map(|r| r.borders.len()).collect();
        assert_eq!(scene.arrangement.components.len(), 1);
        assert_eq!(flat, [1], "one region with one border");
    }
}

/// A ball inside a closed cavity is an outer boundary that floats in it.
#[test]
fn a_ball_floats_in_the_cavity() {
    let ball = cupule_geometry::generate::sphere(0.003, 1).unwrap();
    let scene = Scene::new(vec![ground(), up(cup(24), 0.3 * LEVEL), up(ball, 0.005)]);
    check(&scene).unwrap();
    let [cavity] = scene.cavities()[..] else { panic!("one cavity") };
    let floating: Vec<_> =
        scene.arrangement.components.iter().filter(|c| c.floats_in == Some(cavity)).collect();
    assert_eq!(floating.len(), 1);
    assert_eq!(floating[0].bodies, [2]);
}

/// The cup of the shape library, from its own surface.
#[test]
fn library_cup_on_ground() {
    let shape = CupShape::new(0.04, 0.032, 0.02, 0.012, 0.004);
    let mesh = Shape::Cup(shape).surface(0.004).unwrap();
    let lowest = mesh.vertices.iter().map(|p| p.z).fold(f64::MAX, f64::min);
    let scene = Scene::new(vec![ground(), up(mesh, 0.2 * LEVEL - lowest)]);
    check(&scene).unwrap();
    let [cavity] = scene.cavities()[..] else { panic!("one cavity") };
    let volume = scene.mesh(cavity, false).volume(&surfaces(&scene.bodies));
    assert!((volume / shape.cavity_volume() - 1.0).abs() < 0.06, "{volume:e}");
}
