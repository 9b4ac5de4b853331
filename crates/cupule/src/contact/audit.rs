//! The audit: which triangles and wires intersect, decided exactly. For checks of a state, not for contact. What has a thickness also
//! intersects where distances are less than that; this is decided with the distances that contact has, to rounding.

use super::CollisionSurface;
use cupule_geometry::DVec3;
use cupule_geometry::distance::{edge_edge_fine, point_triangle};
use cupule_geometry::intersection::{segment_meets_triangle, triangles_meet};
use cupule_geometry::tree::{Bounds, BoxTree};

/// A surface where it is now.
#[derive(Debug, Clone, Copy)]
pub struct PlacedSurface<'a> {
    /// Its vertices, m.
    pub positions: &'a [DVec3],
    /// Its triangles and wires.
    pub surface: &'a CollisionSurface,
}

impl PlacedSurface<'_> {
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.surface.triangles[triangle as usize].map(|v| self.positions[v as usize])
    }

    fn ends(&self, wire: u32) -> [DVec3; 2] {
        self.surface.wires[wire as usize].map(|v| self.positions[v as usize])
    }

    fn tree(&self) -> BoxTree {
        let count = self.surface.triangles.len() as u32;
        BoxTree::new(&(0..count).map(|t| Bounds::of(&self.corners(t))).collect::<Vec<_>>())
    }

    fn wire_tree(&self) -> BoxTree {
        let count = self.surface.wires.len() as u32;
        BoxTree::new(&(0..count).map(|w| Bounds::of(&self.ends(w))).collect::<Vec<_>>())
    }
}

/// For every listed pair of surfaces ((i, i): with itself) how many pairs of triangles and wires have a point in common that they do not
/// share as neighbours. Touching counts. Wires are held against those of other surfaces only.
#[must_use]
pub fn intersections(surfaces: &[PlacedSurface], pairs: &[(usize, usize)]) -> Vec<usize> {
    let trees: Vec<BoxTree> = surfaces.iter().map(PlacedSurface::tree).collect();
    let wires: Vec<BoxTree> = surfaces.iter().map(PlacedSurface::wire_tree).collect();
    pairs
        .iter()
        .map(|&(i, j)| {
            let mut count = 0;
            if i == j {
                trees[i].self_pairs(0.0, |t, u| count += usize::from(folds(&surfaces[i], t, u)));
            } else {
                let (first, second) = (&surfaces[i], &surfaces[j]);
                let thickness = first.surface.radius + second.surface.radius;
                trees[i].pairs(&trees[j], thickness, |t, u| {
                    let (a, b) = (first.corners(t), second.corners(u));
                    count += usize::from(triangles_meet(a, b) || triangles_near(a, b, thickness));
                });
                let pierced = |wire: [DVec3; 2], triangle: [DVec3; 3]| {
                    segment_meets_triangle(wire[0], wire[1], triangle)
                        || wire_near(wire, triangle, thickness)
                };
                wires[i].pairs(&trees[j], thickness, |w, t| {
                    count += usize::from(pierced(first.ends(w), second.corners(t)));
                });
                trees[i].pairs(&wires[j], thickness, |t, w| {
                    count += usize::from(pierced(second.ends(w), first.corners(t)));
                });
                wires[i].pairs(&wires[j], thickness, |v, w| {
                    let distance = edge_edge_fine(first.ends(v), second.ends(w)).distance_squared;
                    count += usize::from(distance <= thickness * thickness);
                });
            }
            count
        })
        .collect()
}

/// Whether a wire comes nearer to a triangle than `thickness` (m), which may be 0.
fn wire_near(wire: [DVec3; 2], t: [DVec3; 3], thickness: f64) -> bool {
    let near = thickness * thickness;
    thickness > 0.0
        && (wire.iter().any(|x| point_triangle(*x, t).distance_squared <= near)
            || (0..3)
                .any(|i| edge_edge_fine(wire, [t[i], t[(i + 1) % 3]]).distance_squared <= near))
}

fn triangles_near(a: [DVec3; 3], b: [DVec3; 3], thickness: f64) -> bool {
    let sides = |t: [DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    sides(a).iter().any(|side| wire_near(*side, b, thickness))
        || sides(b).iter().any(|side| wire_near(*side, a, thickness))
}

/// Whether two triangles of one surface meet elsewhere than where they are joined. Two that share an edge would have to be folded
/// flat onto each other, which their neighbours show.
fn folds(surface: &PlacedSurface, t: u32, u: u32) -> bool {
    let (first, second) =
        (surface.surface.triangles[t as usize], surface.surface.triangles[u as usize]);
    let (a, b) = (surface.corners(t), surface.corners(u));
    let shared: Vec<usize> = (0..3).filter(|i| second.contains(&first[*i])).collect();
    match shared[..] {
        [] => triangles_meet(a, b),
        [i] => {
            let j = (0..3).find(|j| second[*j] == first[i]).unwrap_or(0);
            segment_meets_triangle(a[(i + 1) % 3], a[(i + 2) % 3], b)
                || segment_meets_triangle(b[(j + 1) % 3], b[(j + 2) % 3], a)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupule_geometry::TriMesh;
    use cupule_geometry::generate::cuboid;

    fn surface(mesh: &TriMesh) -> CollisionSurface {
        CollisionSurface { triangles: mesh.triangles.clone(), ..CollisionSurface::default() }
    }

    fn placed<'a>(mesh: &'a TriMesh, surface: &'a CollisionSurface) -> PlacedSurface<'a> {
        PlacedSurface { positions: &mesh.vertices, surface }
    }

    #[test]
    fn boxes_meet_where_they_overlap_or_touch() {
        let fixed = cuboid(DVec3::splat(1.0), [2, 2, 2]).expect("box");
        let count = |offset: DVec3| {
            let other = fixed.clone().translated(offset);
            let own = surface(&fixed);
            intersections(&[placed(&fixed, &own), placed(&other, &own)], &[(0, 1)])[0]
        };
        assert_eq!(count(DVec3::Z * 1.000_000_1), 0);
        assert!(count(DVec3::Z) > 0, "exactly touching");
        assert!(count(DVec3::new(0.3, 0.2, 0.999_999_9)) > 0);
    }

    #[test]
    fn wires_meet_at_their_thickness() {
        // A wire of radius 0.01 along x, over a box, over a crossing wire, and through the box.
        let block = cuboid(DVec3::splat(1.0), [2, 2, 2]).expect("box");
        let count = |z: f64, radius: f64, across: bool| {
            let wire = [DVec3::new(-0.3, 0.1, z), DVec3::new(0.2, 0.1, z)];
            let other = [DVec3::new(0.0, -0.3, 0.0), DVec3::new(0.0, 0.4, 0.0)];
            let thin = CollisionSurface { wires: vec![[0, 1]], radius, ..Default::default() };
            let line = |positions| PlacedSurface { positions, surface: &thin };
            let solid = surface(&block);
            let second = if across { line(&other) } else { placed(&block, &solid) };
            let counts = intersections(&[line(&wire), second], &[(0, 1)])[0];
            assert_eq!(intersections(&[second, line(&wire)], &[(0, 1)])[0], counts);
            counts
        };
        assert_eq!(count(0.510_000_1, 0.01, false), 0);
        assert!(count(0.509_999_9, 0.01, false) > 0);
        assert_eq!(count(0.500_000_1, 1e-9, false), 0);
        assert!(count(0.5, 1e-300, false) > 0, "the line itself, exactly");
        assert_eq!(count(0.020_000_1, 0.01, true), 0);
        assert_eq!(count(0.019_999_9, 0.01, true), 1);
    }

    #[test]
    fn a_surface_meets_itself_only_where_it_is_folded() {
        let mut mesh = cuboid(DVec3::splat(1.0), [3, 3, 3]).expect("box");
        let own = surface(&mesh);
        assert_eq!(intersections(&[placed(&mesh, &own)], &[(0, 0)]), [0]);
        // A vertex of the upper face pushed through the lower one.
        let top =
            mesh.vertices.iter().position(|v| v.z > 0.4 && v.x.abs() < 0.2 && v.y.abs() < 0.2);
        mesh.vertices[top.expect("inner vertex")].z = -0.6;
        assert!(intersections(&[placed(&mesh, &own)], &[(0, 0)])[0] > 0);
    }
}
