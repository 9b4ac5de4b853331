//! Surfaces made finer in places: triangles split in four at the middles of their edges, neighbours in as few as keep it closed.

use std::collections::BTreeMap;

use crate::TriMesh;

impl TriMesh {
    /// The same surface with every chosen triangle split in four. A triangle beside some is split in two or three, so that no edge
    /// has a vertex of another in its middle.
    pub fn split(&self, chosen: impl Fn(&[u32; 3]) -> bool) -> Self {
        let mut out = Self { vertices: self.vertices.clone(), triangles: Vec::new() };
        let mut middles = BTreeMap::new();
        for triangle in self.triangles.iter().filter(|t| chosen(t)) {
            for edge in edges(triangle) {
                middles.entry(edge).or_insert_with(|| {
                    let [a, b] = edge.map(|v| self.vertices[v as usize]);
                    out.vertices.push((a + b) * 0.5);
                    out.vertices.len() as u32 - 1
                });
            }
        }
        for triangle in &self.triangles {
            let found = edges(triangle).map(|edge| middles.get(&edge).copied());
            out.triangles.extend(parts(*triangle, found));
        }
        out
    }
}

/// The edges from each corner to the next, lower vertex first.
fn edges(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// What becomes of a triangle with these middles of its edges.
fn parts([a, b, c]: [u32; 3], middles: [Option<u32>; 3]) -> Vec<[u32; 3]> {
    match middles {
        [None, None, None] => vec![[a, b, c]],
        [Some(ab), None, None] => vec![[a, ab, c], [ab, b, c]],
        [Some(ab), Some(bc), None] => vec![[ab, b, bc], [a, ab, bc], [a, bc, c]],
        [Some(ab), Some(bc), Some(ca)] => {
            vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        }
        [ab, bc, ca] => parts([b, c, a], [bc, ca, ab]),
    }
}

#[cfg(test)]
mod tests {
    use crate::DVec3;
    use crate::generate::cuboid;

    /// Whatever is chosen, the surface stays closed and the same: its area and its volume.
    #[test]
    fn a_split_surface_is_the_same_surface() {
        let size = DVec3::new(0.3, 0.2, 0.1);
        let surface = cuboid(size, [3, 2, 1]).expect("box");
        let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
        for period in [1, 2, 3, 5, 7] {
            let split = surface.split(|[a, b, c]| (a + b + c) % period == 0);
            split.check_closed().expect("closed");
            assert!((split.signed_volume() / size.element_product() - 1.0).abs() < 1e-12);
            let found: f64 = (0..split.triangles.len())
                .filter_map(|t| split.corners(t))
                .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
                .sum();
            assert!((found / area - 1.0).abs() < 1e-12, "{found} {area}");
            assert!(split.triangles.len() > surface.triangles.len());
        }
    }

    /// All of it: four times as many triangles, a vertex more for every edge. None of it: as it was.
    #[test]
    fn all_triangles_are_split_in_four_or_none() {
        let surface = cuboid(DVec3::ONE, [2, 2, 2]).expect("box");
        let split = surface.split(|_| true);
        assert_eq!(split.triangles.len(), 4 * surface.triangles.len());
        let edges = 3 * surface.triangles.len() / 2;
        assert_eq!(split.vertices.len(), surface.vertices.len() + edges);
        assert_eq!(surface.split(|_| false), surface);
    }
}
