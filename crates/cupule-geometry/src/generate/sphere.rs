//! Spheres as subdivided icosahedra: the triangles differ little in size and shape, and there are no poles.

use super::{require_count, require_elements, require_positive};
use crate::surface::weld_points;
use crate::{DVec3, GeometryError, TriMesh};

/// A sphere of `radius` (m) about the origin: each icosahedron edge is cut in `subdivisions`, which gives
/// 10 n^2 + 2 vertices. The vertices lie on the sphere, so the volume is approached from below.
pub fn sphere(radius: f64, subdivisions: usize) -> Result<TriMesh, GeometryError> {
    require_positive("sphere", "radius", radius)?;
    require_count("sphere", "subdivisions", subdivisions, 1)?;
    require_elements("sphere", &[20, subdivisions, subdivisions])?;
    let (corners, faces) = icosahedron();
    let mut mesh = TriMesh::default();
    for face in faces {
        append_face(&mut mesh, face.map(|k| corners[k]), subdivisions);
    }
    // Neighbouring faces made the points of their shared edge twice, equal up to rounding.
    let (vertices, new_index) = weld_points(&mesh.vertices, 1e-3 / subdivisions as f64);
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| new_index[v as usize])).collect();
    Ok(TriMesh { vertices: vertices.iter().map(|v| v.normalize() * radius).collect(), triangles })
}

/// Adds one icosahedron face, cut into n^2 triangles, projected on the unit sphere.
fn append_face(mesh: &mut TriMesh, [a, b, c]: [DVec3; 3], n: usize) {
    let start = mesh.vertices.len();
    let index = |i: usize, j: usize| (start + i * (i + 1) / 2 + j) as u32;
    for i in 0..=n {
        for j in 0..=i {
            let (along_b, along_c) = ((i - j) as f64 / n as f64, j as f64 / n as f64);
            let flat = a * (1.0 - along_b - along_c) + b * along_b + c * along_c;
            mesh.vertices.push(flat.normalize());
        }
    }
    for i in 0..n {
        for j in 0..=i {
            mesh.triangles.push([index(i, j), index(i + 1, j), index(i + 1, j + 1)]);
            if j < i {
                mesh.triangles.push([index(i, j), index(i + 1, j + 1), index(i, j + 1)]);
            }
        }
    }
}

/// Corners on the unit sphere and outward faces: two poles and two staggered rings of five.
fn icosahedron() -> ([DVec3; 12], Vec<[usize; 3]>) {
    let (z, r) = (1.0 / 5.0_f64.sqrt(), 2.0 / 5.0_f64.sqrt());
    let mut corners = [DVec3::Z; 12];
    corners[11] = -DVec3::Z;
    for k in 0..5 {
        let angle = std::f64::consts::TAU * k as f64 / 5.0;
        let staggered = angle + std::f64::consts::PI / 5.0;
        corners[1 + k] = DVec3::new(r * angle.cos(), r * angle.sin(), z);
        corners[6 + k] = DVec3::new(r * staggered.cos(), r * staggered.sin(), -z);
    }
    let mut faces = Vec::with_capacity(20);
    for k in 0..5 {
        let next = (k + 1) % 5;
        faces.push([0, 1 + k, 1 + next]);
        faces.push([1 + k, 6 + k, 1 + next]);
        faces.push([1 + next, 6 + k, 6 + next]);
        faces.push([11, 6 + next, 6 + k]);
    }
    (corners, faces)
}
