//! The cage meshers on smooth, sharp, thin and hollow bodies.
#![allow(clippy::unwrap_used)] // a test may panic

use std::f64::consts::TAU;

use cupule_geometry::cage::{
    CageMesh, embed, fillings, tetrahedral_cage, tetrahedralize, tetrahedralize_ellipsoids,
    voxel_hexes,
};
use cupule_geometry::generate::{Ellipsoid, Ellipsoids, cuboid, revolved, sphere, tube};
use cupule_geometry::structured::{FinRayDivisions, FinRayShape, fin_ray_hexes};
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

/// A teddy of smoothly joined ellipsoids, 18 cm high, with arms, legs, ears, snout and tail.
fn teddy() -> TriMesh {
    let parts = [
        ([0.0, 0.0, 0.055], [0.042, 0.038, 0.055]),
        ([0.0, 0.0, 0.133], [0.034, 0.031, 0.031]),
        ([0.0, 0.026, 0.128], [0.015, 0.014, 0.013]),
        ([-0.027, 0.0, 0.160], [0.015, 0.012, 0.015]),
        ([0.027, 0.0, 0.160], [0.015, 0.012, 0.015]),
        ([-0.048, 0.004, 0.084], [0.024, 0.016, 0.016]),
        ([0.048, 0.004, 0.084], [0.024, 0.016, 0.016]),
        ([-0.033, 0.012, 0.015], [0.018, 0.025, 0.016]),
        ([0.033, 0.012, 0.015], [0.018, 0.025, 0.016]),
        ([0.0, -0.033, 0.0147], [0.014, 0.014, 0.015]),
    ];
    let part = |(centre, radii): ([f64; 3], [f64; 3])| Ellipsoid {
        centre: centre.into(),
        radii: radii.into(),
    };
    let solid = Ellipsoids::new(parts.map(part).to_vec(), 0.004).unwrap();
    tetrahedralize_ellipsoids(&solid, 410).unwrap().boundary().0
}

/// A FinRay finger: walls of 2 mm, ribs of 1.5 mm, five cut-outs.
fn finger() -> TriMesh {
    let shape = FinRayShape {
        height: 0.1,
        base_width: 0.03,
        tip_width: 0.008,
        depth: 0.02,
        wall: 0.002,
        rib: 0.0015,
        ribs: 4,
    };
    let divisions = FinRayDivisions { wall: 1, between: 3, cut_out: 3, rib: 1, depth: 2 };
    fin_ray_hexes(&shape, &divisions).unwrap().boundary().0
}

/// Nodes asked for; the most that a cage of so many may have of the volume of a body, and of the finger, whose cut-outs only the last
/// resolves. Of a single tetrahedron it is told by its faces, which touch the body.
const TIGHTNESS: [(usize, f64, f64); 7] = [
    (4, f64::INFINITY, f64::INFINITY),
    (8, 4.2, 6.0),
    (20, 3.8, 4.5),
    (34, 3.4, 4.0),
    (80, 2.5, 4.0),
    (173, 1.5, 4.0),
    (410, 1.25, 2.0),
];
/// Every cell overlaps the body, so that the cage reaches out by less than a spacing h: V_cage < V + c A h. Drawn in, c is this.
const REACH: f64 = 0.3;

fn bodies_in_cages() -> Vec<(&'static str, TriMesh)> {
    let thin = cuboid(DVec3::new(0.1, 0.08, 0.002), [5, 4, 1]).unwrap();
    let more = [("sheet", thin), ("teddy", teddy()), ("finger", finger())];
    bodies().into_iter().chain(more).collect()
}

/// How many cells have a point inside or on their faces, by signed volumes of its own; and on how many faces it lies.
fn holders(cage: &CageMesh, point: DVec3) -> (usize, bool) {
    let volume = |[a, b, c, d]: [DVec3; 4]| (b - a).cross(c - a).dot(d - a) / 6.0;
    let (mut count, mut on_a_face) = (0, false);
    for cell in 0..cage.mesh.cells.len() {
        let corners: Vec<DVec3> = cage.mesh.cell_positions(cell).unwrap();
        let whole = volume([corners[0], corners[1], corners[2], corners[3]]);
        let share = |i: usize| {
            let mut moved = [corners[0], corners[1], corners[2], corners[3]];
            moved[i] = point;
            volume(moved) / whole
        };
        let least = (0..4).map(share).fold(f64::INFINITY, f64::min);
        count += usize::from(least > -1e-9);
        on_a_face |= least.abs() <= 1e-9;
    }
    (count, on_a_face)
}

/// Signed volumes of all cells, m3.
fn cell_volumes(cage: &CageMesh) -> Vec<f64> {
    let volume = |x: Vec<DVec3>| (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6.0;
    (0..cage.mesh.cells.len()).map(|c| volume(cage.mesh.cell_positions(c).unwrap())).collect()
}

/// Every face of a single tetrahedron is as near to the body as its margin, 1e-4 of the body's size.
fn assert_touching(name: &str, cage: &CageMesh, surface: &TriMesh) {
    let embedding = embed(&surface.vertices, &cage.mesh).unwrap();
    let heights = cage.mesh.nodes.iter().enumerate().map(|(i, node)| {
        let others: Vec<DVec3> = (0..4).filter(|j| *j != i).map(|j| cage.mesh.nodes[j]).collect();
        let normal = (others[1] - others[0]).cross(others[2] - others[0]).normalize();
        normal.dot(*node - others[0]).abs()
    });
    for (i, height) in heights.enumerate() {
        // The weight of a node is the distance from the face opposite, over its height.
        let weights = (0..surface.vertices.len()).map(|v| embedding.weights_of(v)[i]);
        let nearest = height * weights.fold(f64::INFINITY, f64::min);
        assert!(nearest < 1.1e-4 * cage.spacing, "{name}: face {i} is {nearest} m away");
    }
}

/// A cage of any size covers all of the body, tightly, and has no flat or inverted cell.
#[test]
fn cages_of_any_size_hold_the_whole_body() {
    for (name, surface) in bodies_in_cages() {
        let volume = surface.signed_volume();
        for (target, most, most_of_the_finger) in TIGHTNESS {
            let cage = tetrahedral_cage(&surface, target).unwrap();
            // The body clipped to the cells is all of the body: its thin parts are covered too.
            let inside: f64 =
                fillings(&surface, &cage.mesh).unwrap().iter().map(|f| f.volume).sum();
            assert!((inside / volume - 1.0).abs() < 1e-9, "{name} {target}: {}", inside / volume);
            assert!(cage.mesh.check().is_ok(), "{name} {target}");
            let cells = cell_volumes(&cage);
            assert!(cells.iter().all(|v| *v > 0.0), "{name} {target}: an inverted cell");
            let total: f64 = cells.iter().sum();
            assert!((total / volume / cage.volume_ratio - 1.0).abs() < 1e-12, "{name} {target}");
            println!(
                "{name} {target}: {} nodes, {} cells, {:.2} of its volume, angles {:.0} to {:.0}",
                cage.mesh.nodes.len(),
                cage.mesh.cells.len(),
                cage.volume_ratio,
                cage.quality.min_dihedral,
                cage.quality.max_dihedral
            );
            let most = if name == "finger" { most_of_the_finger } else { most };
            assert!(cage.volume_ratio < most, "{name} {target}: {}", cage.volume_ratio);
            if target == 4 {
                assert_touching(name, &cage, &surface);
            } else {
                let reach = (total - volume) / (surface.area() * cage.spacing);
                assert!(reach < REACH, "{name} {target}: {reach}");
            }
            // Bricks around a sheet are as flat as the sheet, 1 : 50.
            let least = if name == "sheet" { 0.5 } else { 5.0 };
            assert!(cage.quality.min_dihedral > least, "{name} {target}: {:?}", cage.quality);
        }
    }
    assert!(tetrahedral_cage(&bodies()[0].1, 3).is_err());
}

/// Every vertex of a surface is inside exactly one cell, or on a face that several share; the embedding names one of them, with weights
/// that are not negative.
#[test]
fn every_vertex_is_in_one_cell_of_its_cage() {
    for (name, surface) in bodies_in_cages() {
        for target in [4, 34, 173] {
            let cage = tetrahedral_cage(&surface, target).unwrap();
            let embedding = embed(&surface.vertices, &cage.mesh).unwrap();
            assert_eq!(embedding.cell.len(), surface.vertices.len(), "{name} {target}");
            assert_eq!(embedding.max_distance, 0.0, "{name} {target}");
            for (vertex, x) in surface.vertices.iter().enumerate() {
                let (count, on_a_face) = holders(&cage, *x);
                assert!(
                    count == 1 || on_a_face && count > 1,
                    "{name} {target}: {vertex} in {count}"
                );
                let weights = embedding.weights_of(vertex);
                assert!(weights.iter().all(|w| *w > -1e-9), "{name} {target}: {weights:?}");
            }
        }
    }
}
