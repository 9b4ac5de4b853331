//! The audit: which triangles intersect, decided exactly. For checks of a state, not for contact.

use cupule_geometry::DVec3;
use cupule_geometry::intersection::{segment_meets_triangle, triangles_meet};
use cupule_geometry::tree::{Bounds, BoxTree};

/// A surface where it is now.
#[derive(Debug, Clone, Copy)]
pub struct PlacedSurface<'a> {
    /// Its vertices, m.
    pub positions: &'a [DVec3],
    /// Its triangles.
    pub triangles: &'a [[u32; 3]],
}

impl PlacedSurface<'_> {
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.positions[v as usize])
    }

    fn tree(&self) -> BoxTree {
        let count = self.triangles.len() as u32;
        BoxTree::new(&(0..count).map(|t| Bounds::of(&self.corners(t))).collect::<Vec<_>>())
    }
}

/// For every listed pair of surfaces ((i, i): with itself) how many pairs of triangles have a point in common that they do not
/// share as neighbours. Touching counts.
#[must_use]
pub fn intersections(surfaces: &[PlacedSurface], pairs: &[(usize, usize)]) -> Vec<usize> {
    let trees: Vec<BoxTree> = surfaces.iter().map(PlacedSurface::tree).collect();
    pairs
        .iter()
        .map(|&(i, j)| {
            let mut count = 0;
            if i == j {
                trees[i].self_pairs(0.0, |t, u| count += usize::from(folds(&surfaces[i], t, u)));
            } else {
                trees[i].pairs(&trees[j], 0.0, |t, u| {
                    let (a, b) = (surfaces[i].corners(t), surfaces[j].corners(u));
                    count += usize::from(triangles_meet(a, b));
                });
            }
            count
        })
        .collect()
}

/// Whether two triangles of one surface meet elsewhere than where they are joined. Two that share an edge would have to be folded
/// flat onto each other, which their neighbours show.
fn folds(surface: &PlacedSurface, t: u32, u: u32) -> bool {
    let (first, second) = (surface.triangles[t as usize], surface.triangles[u as usize]);
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

    fn placed(mesh: &TriMesh) -> PlacedSurface<'_> {
        PlacedSurface { positions: &mesh.vertices, triangles: &mesh.triangles }
    }

    #[test]
    fn boxes_meet_where_they_overlap_or_touch() {
        let fixed = cuboid(DVec3::splat(1.0), [2, 2, 2]).expect("box");
        let count = |offset: DVec3| {
            let other = fixed.clone().translated(offset);
            intersections(&[placed(&fixed), placed(&other)], &[(0, 1)])[0]
        };
        assert_eq!(count(DVec3::Z * 1.000_000_1), 0);
        assert!(count(DVec3::Z) > 0, "exactly touching");
        assert!(count(DVec3::new(0.3, 0.2, 0.999_999_9)) > 0);
    }

    #[test]
    fn a_surface_meets_itself_only_where_it_is_folded() {
        let mut mesh = cuboid(DVec3::splat(1.0), [3, 3, 3]).expect("box");
        assert_eq!(intersections(&[placed(&mesh)], &[(0, 0)]), [0]);
        // A vertex of the upper face pushed through the lower one.
        let top =
            mesh.vertices.iter().position(|v| v.z > 0.4 && v.x.abs() < 0.2 && v.y.abs() < 0.2);
        mesh.vertices[top.expect("inner vertex")].z = -0.6;
        assert!(intersections(&[placed(&mesh)], &[(0, 0)])[0] > 0);
    }
}
