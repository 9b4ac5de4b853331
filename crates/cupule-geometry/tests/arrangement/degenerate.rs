//! Exact coincidences, hostile input and repeatability.

use cupule_geometry::arrangement::{Surface, arrange, thicken};
use cupule_geometry::generate::cuboid;
use cupule_geometry::{DVec3, GeometryError, TriMesh};

use crate::checks::check;
use crate::scenes::*;

/// Aligned blocks at all kinds of round gaps, centred on each other's diagonals and edges.
#[test]
fn aligned_blocks() {
    let below = box_below(4);
    for gap in [0.0, 0.5, 1.0, 2.0, 4.0, -1.0, -4.0].map(|levels| levels * LEVEL) {
        for shift in [DVec3::ZERO, DVec3::X * 0.015, DVec3::new(0.015, 0.015, 0.0), DVec3::X * 0.03]
        {
            for size in [0.03, 0.06] {
                let block = cuboid(DVec3::splat(size), [2; 3]).unwrap();
                let block = block.translated(shift + DVec3::Z * (0.5 * size + gap));
                let scene = Scene::new(vec![below.clone(), block]);
                check(&scene).unwrap();
                assert!(scene.cavities().is_empty(), "gap {gap} shift {shift} size {size}");
            }
        }
    }
}

/// Centred cups whose rim vertices lie exactly on the edges and diagonals of the box below.
#[test]
fn centred_cups() {
    for around in [8, 12, 16] {
        for divisions in [1, 2, 4, 6] {
            for gap in [0.0, 0.5 * LEVEL, -LEVEL] {
                let scene = Scene::new(vec![box_below(divisions), up(cup(around), gap)]);
                check(&scene).unwrap();
                assert_eq!(scene.cavities().len(), 1, "{around} {divisions} {gap}");
            }
        }
    }
}

/// The same body twice in the same place, and one body inside another: odd, but no failure.
#[test]
fn coincident_and_nested_bodies() {
    for mesh in [plate(), cup(16), box_below(3)] {
        let scene = Scene::new(vec![mesh.clone(), mesh]);
        check(&scene).unwrap();
        assert!(
            scene
                .cavities()
                .iter()
                .all(|k| { scene.arrangement.components[*k as usize].signed_volume > -1e-9 })
        );
    }
    let inner = cuboid(DVec3::splat(0.01), [2; 3]).unwrap().translated(DVec3::Z * -0.02);
    let scene = Scene::new(vec![box_below(2), inner]);
    check(&scene).unwrap();
    assert_eq!(scene.arrangement.components.len(), 1);
    assert_eq!(scene.arrangement.regions.len(), 1);
}

/// Far from the origin the answer is the same.
#[test]
fn far_from_the_origin() {
    for far in [DVec3::ZERO, DVec3::new(30.0, -20.0, 10.0)] {
        let bodies = vec![box_below(6), up(cup(24), 0.4 * LEVEL)];
        let scene = Scene::new(bodies.into_iter().map(|b| b.translated(far)).collect());
        let [cavity] = scene.cavities()[..] else { panic!("one cavity") };
        let volume = scene.mesh(cavity, false).volume(&surfaces(&scene.bodies));
        let expected = bore_area(24) * (CUP[2] + 0.4 * LEVEL);
        assert!((volume / expected - 1.0).abs() < 2e-3, "{volume:e}");
    }
}

/// The same input gives the same bits, whatever was computed before.
#[test]
fn repeats_bit_for_bit() {
    let bodies = || vec![ground(), up(ring_block(), 0.3 * LEVEL), up(cup(20), 0.018)];
    let first = Scene::new(bodies());
    Scene::new(vec![plate(), up(plate(), 0.006)]);
    let second = Scene::new(bodies());
    assert!(first.thick == second.thick && first.arrangement == second.arrangement);
}

#[test]
fn hostile_input_is_refused() {
    let block = plate();
    let good = Surface { positions: &block.vertices, triangles: &block.triangles };
    assert!(arrange(&[], &[]).unwrap().components.is_empty());
    assert!(matches!(arrange(&[good], &[]), Err(GeometryError::BadParameter { .. })));
    let mut broken = block.vertices.clone();
    broken[3].x = f64::NAN;
    assert!(matches!(arrange(&[good], &[broken]), Err(GeometryError::NotFinite { index: 3 })));
    let open = &block.triangles[1..];
    let open = Surface { positions: &block.vertices, triangles: open };
    let twice = [block.vertices.clone(), block.vertices.clone()];
    assert!(arrange(&[open], &twice[..1]).is_err());
    assert!(arrange(&[open, good], &twice).is_err());
    let none = Surface { positions: &[], triangles: &[] };
    assert!(arrange(&[none, good], &[vec![], block.vertices.clone()]).is_ok());
    assert!(thicken(&[none, good], LEVEL).is_ok());
    // All vertices in one point: no solid, no panic.
    let flat = vec![DVec3::ONE; block.vertices.len()];
    let _ = arrange(&[good, good], &[flat.clone(), block.vertices.clone()]);
    let _ = arrange(&[good, good], &[flat.clone(), flat]);
    let inside_out: Vec<[u32; 3]> = block.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    let inside_out = Surface { positions: &block.vertices, triangles: &inside_out };
    let _ = arrange(&[good, inside_out], &twice);
}

/// Surfaces that cross themselves are no solids, but they happen in a simulation that goes wrong: the answer may be an
/// error, never a panic, and where there is an answer it is closed.
#[test]
fn crumpled_bodies_never_panic() {
    let mut refused = 0;
    for seed in 0..40 {
        let crumpled = |mesh: TriMesh, salt: f64| {
            let size = 0.0001 * f64::from(seed);
            let wild = |k: usize, f: f64| ((k as f64 + salt) * f + f64::from(seed)).sin() * size;
            let points = mesh.vertices.iter().enumerate();
            let vertices = points
                .map(|(k, p)| *p + DVec3::new(wild(k, 12.9898), wild(k, 78.233), wild(k, 37.719)))
                .collect();
            TriMesh { vertices, triangles: mesh.triangles }
        };
        let bodies = [crumpled(box_below(6), 0.3), crumpled(cup(20), 0.7)];
        let surfaces = surfaces(&bodies);
        let thick = thicken(&surfaces, LEVEL).unwrap();
        match arrange(&surfaces, &thick.positions) {
            Ok(arrangement) => {
                check(&Scene { bodies: bodies.to_vec(), thick, arrangement }).unwrap();
            }
            Err(error) => {
                assert!(matches!(error, GeometryError::UnionFailed { .. }));
                refused += 1;
            }
        }
    }
    assert!(refused < 10, "refused {refused} of 40");
}
