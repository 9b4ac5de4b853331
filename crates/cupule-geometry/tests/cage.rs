//! The cage meshers on smooth, sharp, thin and hollow bodies.
#![allow(clippy::unwrap_used)] // a test may panic

use std::f64::consts::TAU;

use cupule_geometry::cage::{embed, fillings, tetrahedral_cage, tetrahedralize, voxel_hexes};
use cupule_geometry::generate::{cuboid, revolved, sphere, tube};
use cupule_geometry::{DQuat, DVec3, GeometryError, TriMesh};

fn torus() -> TriMesh {
    let point = |i: usize| {
        let angle = TAU * i as f64 / 24.0;
        [0.03 + 0.01 * angle.cos(), 0.01 * angle.sin()]
    };
    revolved(&(0..24).map(point).collect::<Vec<_>>(), 48).unwrap()
}

/// A bell: a cup with a wall of 5 mm.
fn cup() -> TriMesh {
    let profile =
        [[0.0, 0.025], [0.0, 0.02], [0.015, 0.018], [0.025, 0.0], [0.03, 0.0], [0.018, 0.024]];
    revolved(&profile, 48).unwrap()
}

fn bodies() -> Vec<(&'static str, TriMesh)> {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    vec![
        ("sphere", sphere(0.05, 3).unwrap()),
        ("box", cuboid(DVec3::new(0.1, 0.06, 0.04), [1, 1, 1]).unwrap()),
        ("turned box", cuboid(DVec3::splat(0.1), [2, 2, 2]).unwrap().rotated(turn)),
        ("torus", torus()),
        ("cup", cup()),
        ("tube", tube(0.02, 0.03, 0.05, 32, 1, 1).unwrap()),
    ]
}

#[test]
fn stuffed_bodies_have_good_angles_and_the_right_volume() {
    for (name, surface) in bodies() {
        let mut misses = Vec::new();
        for target in [400, 1600, 4800] {
            let cage = tetrahedralize(&surface, target).unwrap();
            let ratio = cage.mesh.nodes.len() as f64 / target as f64;
            assert!((ratio - 1.0).abs() < 0.1, "{name}: {ratio}");
            assert!(cage.quality.min_dihedral > 10.0, "{name}: {:?}", cage.quality);
            assert!(cage.quality.max_dihedral < 165.0, "{name}: {:?}", cage.quality);
            misses.push((cage.volume_ratio - 1.0).abs());
        }
        // The first spacing does not resolve the walls of the cup.
        assert!(misses[0] < 0.5 && misses[1] < 0.06 && misses[2] < 0.03, "{name}: {misses:?}");
        assert!(misses[2] < misses[1] && misses[1] < misses[0], "{name}: {misses:?}");
    }
}

/// u(x) = A x + b is carried exactly; weights sum to 1; the distance of the surface from its cage falls with h.
#[test]
fn embedded_surfaces_follow_linear_fields() {
    let linear = |x: DVec3| DVec3::new(2.0 * x.y - x.z, x.x + 0.3, 5.0 * x.z + x.y);
    for (name, surface) in bodies() {
        let tets = tetrahedralize(&surface, 800).unwrap();
        let hexes = voxel_hexes(&surface, 800).unwrap();
        for cage in [&tets, &hexes] {
            let embedding = embed(&surface.vertices, &cage.mesh).unwrap();
            let field: Vec<DVec3> = cage.mesh.nodes.iter().map(|x| linear(*x)).collect();
            let carried = embedding.apply(&cage.mesh, &field);
            for (index, (value, vertex)) in carried.iter().zip(&surface.vertices).enumerate() {
                assert!(value.distance(linear(*vertex)) < 1e-13, "{name}: vertex {index}");
                let sum: f64 = embedding.weights_of(index).iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{name}: {sum}");
            }
            assert!(embedding.max_distance < 1.5 * cage.spacing, "{name}");
        }
    }
}

/// A cage of bricks leaves no vertex out, has right angles only, and shrinks towards the body.
#[test]
fn bricks_cover_the_body() {
    for (name, surface) in bodies() {
        let mut ratios = Vec::new();
        for target in [300, 3000] {
            let cage = voxel_hexes(&surface, target).unwrap();
            let embedding = embed(&surface.vertices, &cage.mesh).unwrap();
            assert!(embedding.max_distance < 1e-9, "{name}: {}", embedding.max_distance);
            assert!((cage.quality.min_dihedral - 90.0).abs() < 1e-6);
            ratios.push(cage.volume_ratio);
        }
        assert!(ratios[1] > 1.0 - 1e-9 && ratios[1] <= ratios[0] + 1e-9, "{name}: {ratios:?}");
    }
}

/// A ball with a ball-shaped void: the mesh has the volume between the two.
#[test]
fn an_inner_shell_is_a_void() {
    let mut surface = sphere(0.05, 3).unwrap();
    let mut inner = sphere(0.03, 3).unwrap();
    inner.flip();
    surface.append(&inner);
    let cage = tetrahedralize(&surface, 4000).unwrap();
    assert!((cage.volume_ratio - 1.0).abs() < 0.03, "{}", cage.volume_ratio);
    assert!(cage.mesh.nodes.iter().all(|node| node.length() > 0.029));
}

#[test]
fn the_same_mesh_comes_out_every_time() {
    let surface = torus();
    assert_eq!(tetrahedralize(&surface, 500).unwrap(), tetrahedralize(&surface, 500).unwrap());
}

#[test]
fn what_cannot_be_meshed_is_refused() {
    let ball = sphere(0.05, 2).unwrap();
    let mut open = ball.clone();
    open.triangles.pop();
    assert!(matches!(tetrahedralize(&open, 100), Err(GeometryError::OpenEdge { .. })));
    assert!(matches!(voxel_hexes(&open, 100), Err(GeometryError::OpenEdge { .. })));
    assert!(matches!(tetrahedralize(&ball, 0), Err(GeometryError::BadParameter { .. })));
    assert!(matches!(voxel_hexes(&ball, 0), Err(GeometryError::BadParameter { .. })));
    let plate = cuboid(DVec3::new(1.0, 1.0, 1e-7), [1, 1, 1]).unwrap();
    assert!(matches!(tetrahedralize(&plate, 100), Err(GeometryError::BadParameter { .. })));
}

/// A cage of any size covers all of the body, tightly, and has no flat cell.
#[test]
fn cages_of_any_size_hold_the_whole_body() {
    let thin = cuboid(DVec3::new(0.1, 0.08, 0.002), [5, 4, 1]).unwrap();
    for (name, surface) in bodies().into_iter().chain([("sheet", thin)]) {
        let volume = surface.signed_volume();
        for target in [4, 8, 20, 34, 80, 173] {
            let cage = tetrahedral_cage(&surface, target).unwrap();
            let inside: f64 =
                fillings(&surface, &cage.mesh).unwrap().iter().map(|f| f.volume).sum();
            assert!((inside / volume - 1.0).abs() < 1e-9, "{name} {target}: {}", inside / volume);
            let embedding = embed(&surface.vertices, &cage.mesh).unwrap();
            assert_eq!(embedding.max_distance, 0.0, "{name} {target}");
            assert!(embedding.weights.iter().all(|w| *w > -1e-9), "{name} {target}");
            println!(
                "{name} {target}: {} nodes, {} cells, {:.2} of its volume, angles {:.0} to {:.0}",
                cage.mesh.nodes.len(),
                cage.mesh.cells.len(),
                cage.volume_ratio,
                cage.quality.min_dihedral,
                cage.quality.max_dihedral
            );
            // Bricks around a sheet are as flat as the sheet, 1 : 50.
            let least = if name == "sheet" { 0.5 } else { 5.0 };
            assert!(cage.quality.min_dihedral > least, "{name} {target}: {:?}", cage.quality);
        }
    }
    assert!(tetrahedral_cage(&bodies()[0].1, 3).is_err());
}
