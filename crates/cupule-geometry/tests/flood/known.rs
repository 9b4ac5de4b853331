//! Scenes whose cavities are known.

use cupule_geometry::flood::{Flooded, flood, flood_each};
use cupule_geometry::{CupShape, DQuat, DVec3, GeometryError, Shape};

use crate::compare::agree;
use crate::scenes::*;

fn cavities(flooded: &Flooded) -> usize {
    flooded.arrangement.components.iter().filter(|c| c.signed_volume < 0.0).count()
}

#[test]
fn cup_on_box_and_on_two_triangles() {
    for gap in [0.4, 0.0, -0.4].map(|levels| levels * LEVEL) {
        for below in [box_below(6), box_below(4), ground()] {
            for shift in [DVec3::ZERO, DVec3::new(0.0013, 0.0007, 0.0), DVec3::new(0.1, 0.03, 0.0)]
            {
                let shift =
                    if below.vertices.len() > 8 && shift.x > 0.01 { shift * 0.03 } else { shift };
                let cup = up(cup(24), gap).translated(shift);
                for bodies in [vec![below.clone(), cup.clone()], vec![cup, below.clone()]] {
                    let flooded = agree(bodies);
                    assert_eq!(cavities(&flooded), 1);
                }
            }
        }
    }
}

#[test]
fn raised_cup_has_no_cavity() {
    for gap in [1.01 * LEVEL, 3.0 * LEVEL, 100.0 * LEVEL] {
        let flooded = agree(vec![ground(), up(cup(24), gap)]);
        assert_eq!(cavities(&flooded), 0);
        assert!(flooded.arrangement.borders.is_empty() && flooded.arrangement.regions.is_empty());
    }
}

#[test]
fn cup_on_cylinder_and_ball() {
    let radius = 0.06;
    let bent = draped(cup(32), |x, _| (radius * radius - x * x).sqrt() - radius + 0.2 * LEVEL);
    assert_eq!(cavities(&agree(vec![lying_cylinder(radius), bent])), 1);
    let bent = draped(cup(32), |x, y| (radius * radius - x * x - y * y).sqrt() - radius);
    assert_eq!(cavities(&agree(vec![ball_below(radius), bent])), 1);
}

#[test]
fn two_cups_on_one_triangle() {
    let at = |x: f64| up(cup(20), 0.5 * LEVEL).translated(DVec3::new(x, x + 0.1, 0.0));
    let flooded = agree(vec![at(0.1), ground(), at(0.2)]);
    assert_eq!(cavities(&flooded), 2);
    assert_eq!(flooded.arrangement.regions.len(), 2);
}

#[test]
fn three_stacked_blocks() {
    let gap = 0.5 * LEVEL;
    let flooded = agree(vec![up(plate(), -0.006 - gap), ring_block(), up(plate(), 0.018 + gap)]);
    assert_eq!(cavities(&flooded), 1);
}

/// Both faces of a plate of one cell seal: what closes it on the ground must not draw its upper face away from the cup.
#[test]
fn cup_on_a_thin_plate_on_the_ground() {
    for (gap, expected) in [(0.8 * LEVEL, 1), (1.2 * LEVEL, 0)] {
        let plate = cupule_geometry::generate::cuboid(DVec3::new(0.06, 0.06, 0.003), [1; 3]);
        let plate = up(plate.unwrap(), 0.0015 + 0.3 * LEVEL).rotated(DQuat::from_rotation_z(0.4));
        let cup = up(cup(24), 0.003 + 0.3 * LEVEL + gap);
        assert_eq!(cavities(&agree(vec![ground(), plate, cup])), expected, "{gap:e}");
    }
}

#[test]
fn tunnel_under_a_cup() {
    let gap = 0.3 * LEVEL;
    let lid = |z: f64| up(cup(24), z + gap);
    let closed = agree(vec![ground(), up(ring_block(), gap), lid(0.018 + gap)]);
    assert_eq!(cavities(&closed), 1);
    assert_eq!(cavities(&agree(vec![ring_block(), lid(0.018)])), 0);
}

#[test]
fn flat_contact_is_a_region_without_a_cavity() {
    for (shift, gap) in [(0.001, 0.5 * LEVEL), (0.0, 0.0), (0.0, 0.5 * LEVEL)] {
        let flooded = agree(vec![plate(), up(plate(), 0.006 + gap).translated(DVec3::X * shift)]);
        assert_eq!(cavities(&flooded), 0);
        let borders: Vec<usize> =
            flooded.arrangement.regions.iter().map(|r| r.borders.len()).collect();
        assert_eq!(borders, [1], "one region with one border");
    }
}

#[test]
fn a_ball_floats_in_the_cavity() {
    let ball = cupule_geometry::generate::sphere(0.003, 1).unwrap();
    let flooded = agree(vec![ground(), up(cup(24), 0.3 * LEVEL), up(ball, 0.005)]);
    let components = &flooded.arrangement.components;
    let cavity = components.iter().position(|c| c.signed_volume < 0.0).unwrap() as u32;
    let floating = components.iter().filter(|c| c.floats_in == Some(cavity));
    assert_eq!(floating.map(|c| c.bodies.clone()).collect::<Vec<_>>(), [[2]]);
}

#[test]
fn library_cup_on_ground() {
    let shape = CupShape::new(0.04, 0.032, 0.02, 0.012, 0.004);
    let mesh = Shape::Cup(shape).surface(0.004).unwrap();
    let lowest = mesh.vertices.iter().map(|p| p.z).fold(f64::MAX, f64::min);
    assert_eq!(cavities(&agree(vec![ground(), up(mesh, 0.2 * LEVEL - lowest)])), 1);
}

/// Two halves of a cup on the ground meet along lines where three bodies touch: refused, not answered wrongly.
#[test]
fn three_bodies_along_a_line_are_refused() {
    let gap = 0.5 * LEVEL;
    let shifted = |mesh: cupule_geometry::TriMesh, x: f64| mesh.translated(DVec3::new(x, 0.0, gap));
    let bodies = [
        shifted(half_cup(false), -0.5 * gap),
        ground().translated(DVec3::new(0.031, 0.017, 0.0)),
        shifted(half_cup(true), 0.5 * gap),
    ];
    let result = flood(&surfaces(&bodies), LEVEL);
    assert!(matches!(result, Err(GeometryError::FloodFailed { .. })), "{result:?}");
}

/// A tilted cup is sealed the least where its rim is highest: there the way out leads over the rim, and its gap is the
/// least on that way, at the inner edge. Just below that level the seal is open, just above it is not.
#[test]
fn bottleneck_of_a_tilted_cup() {
    let (tilt, lift) = (2e-3, 0.5 * LEVEL);
    let cup = up(cup(24).rotated(DQuat::from_rotation_y(-tilt)), lift);
    let bodies = [ground(), cup];
    let flooded = flood(&surfaces(&bodies), LEVEL).unwrap();
    let cavity = flooded.arrangement.components.iter().position(|c| c.signed_volume < 0.0).unwrap();
    let found = flooded.bottlenecks[cavity].unwrap();
    let expected = lift + CUP[0] * tilt.sin();
    assert!((found.gap - expected).abs() < 1e-12, "{} {expected}", found.gap);
    assert_eq!(found.body, 1);
    assert_eq!(found.point, bodies[1].vertices[found.vertex as usize]);
    assert!((found.point - DVec3::new(CUP[0], 0.0, expected)).length() < 1e-6, "{}", found.point);
    assert_eq!(found.corner.position(&surfaces(&bodies)), found.point);
    for (factor, expected) in [(1.0 - 1e-3, 0), (1.0 + 1e-3, 1)] {
        let flooded = flood(&surfaces(&bodies), factor * found.gap).unwrap();
        assert_eq!(cavities(&flooded), expected, "{factor}");
    }
}

/// Hysteresis: at one and a half levels a rim that touched before still seals, one that did not does not, and half a rim
/// is no seal.
#[test]
fn levels_of_vertices_decide() {
    let bodies = [ground(), up(cup(24), 1.5 * LEVEL)];
    let sealed_if = |touched: &dyn Fn(DVec3) -> bool| {
        let level = |body: usize, vertex: usize| {
            let rim = body == 1 && touched(bodies[1].vertices[vertex]);
            if rim { 2.0 * LEVEL } else { LEVEL }
        };
        cavities(&flood_each(&surfaces(&bodies), 2.0 * LEVEL, level, |a, b| a != b).unwrap())
    };
    assert_eq!(sealed_if(&|_| false), 0);
    assert_eq!(sealed_if(&|point| point.z < 2.0 * LEVEL), 1);
    assert_eq!(sealed_if(&|point| point.z < 2.0 * LEVEL && point.x > 0.0), 0);
}

#[test]
fn bad_input_is_refused() {
    let box_ = box_below(2);
    assert!(flood(&surfaces(std::slice::from_ref(&box_)), f64::NAN).is_err());
    let mut open = box_.clone();
    open.triangles.pop();
    assert!(flood(&surfaces(&[box_.clone(), open]), LEVEL).is_err());
    let mut broken = box_;
    broken.triangles[0][0] = 999;
    let result = flood(&surfaces(&[broken]), LEVEL);
    assert!(matches!(result, Err(GeometryError::IndexOutOfRange { .. })));
    assert!(flood(&[], LEVEL).unwrap().arrangement.components.is_empty());
}
