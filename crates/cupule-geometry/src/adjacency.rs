//! Which triangles, edges and vertices of a triangle surface touch which.
//!
//! Topology only, built once: positions may move afterwards. Open borders are allowed (a sheet of ground); an edge with
//! three triangles, or with two that run along it in the same direction, is refused because it has no inside.

use crate::GeometryError;

/// Lists of varying length in one array.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Gathers (list, item) entries; items keep their order within a list.
    fn new(count: usize, entries: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (list, _) in entries {
            starts[*list as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut items = vec![0; entries.len()];
        for (list, item) in entries {
            items[next[*list as usize] as usize] = *item;
            next[*list as usize] += 1;
        }
        Self { starts, items }
    }

    /// The list with this number; empty if there is none.
    #[must_use]
    pub fn get(&self, list: u32) -> &[u32] {
        match (self.starts.get(list as usize), self.starts.get(list as usize + 1)) {
            (Some(start), Some(end)) => &self.items[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// The neighbourhood relations of a triangle surface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Adjacency {
    /// Each edge once: its two vertices, the lower index first; sorted.
    pub edges: Vec<[u32; 2]>,
    /// The triangles on both sides of each edge: first the one that runs from the lower to the higher vertex.
    pub edge_triangles: Vec<[Option<u32>; 2]>,
    /// Edge i of a triangle joins its corners i and (i + 1) mod 3.
    pub triangle_edges: Vec<[u32; 3]>,
    /// Triangles round each vertex, ascending.
    pub vertex_triangles: Lists,
    /// Edges round each vertex, ascending.
    pub vertex_edges: Lists,
    /// Vertices joined to each vertex by an edge: its one-ring, in the order of `vertex_edges`.
    pub vertex_ring: Lists,
}

impl Adjacency {
    /// Builds the relations of `triangles` over `vertex_count` vertices.
    ///
    /// # Errors
    /// A triangle that names a missing vertex or one vertex twice, or an edge that is not manifold and consistently
    /// oriented.
    pub fn new(triangles: &[[u32; 3]], vertex_count: usize) -> Result<Self, GeometryError> {
        check_indices(triangles, vertex_count)?;
        let mut halves = half_edges(triangles);
        halves.sort_unstable();
        let mut adjacency =
            Self { triangle_edges: vec![[0; 3]; triangles.len()], ..Self::default() };
        for group in halves.chunk_by(|a, b| a.vertices == b.vertices) {
            adjacency.add_edge(group)?;
        }
        adjacency.list_neighbours(triangles, vertex_count);
        Ok(adjacency)
    }

    /// Whether every edge has two triangles.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.edge_triangles.iter().all(|sides| sides.iter().all(Option::is_some))
    }

    fn add_edge(&mut self, group: &[HalfEdge]) -> Result<(), GeometryError> {
        let [a, b] = group[0].vertices;
        let mut sides = [None; 2];
        for half in group {
            let side = &mut sides[usize::from(half.reversed)];
            if side.is_some() {
                let uses = group.iter().filter(|other| other.reversed == half.reversed).count();
                let (from, to) = if half.reversed { (b, a) } else { (a, b) };
                return Err(GeometryError::NonManifoldEdge {
                    a: from as usize,
                    b: to as usize,
                    triangle: half.triangle as usize,
                    uses,
                });
            }
            *side = Some(half.triangle);
            self.triangle_edges[half.triangle as usize][half.corner as usize] =
                self.edges.len() as u32;
        }
        self.edges.push([a, b]);
        self.edge_triangles.push(sides);
        Ok(())
    }

    fn list_neighbours(&mut self, triangles: &[[u32; 3]], vertex_count: usize) {
        let numbered = triangles.iter().zip(0u32..);
        let corners: Vec<_> = numbered.flat_map(|(corners, t)| corners.map(|v| (v, t))).collect();
        let numbered = self.edges.iter().zip(0u32..);
        let ends: Vec<_> = numbered.flat_map(|([a, b], edge)| [(*a, edge), (*b, edge)]).collect();
        let ring: Vec<_> = self.edges.iter().flat_map(|[a, b]| [(*a, *b), (*b, *a)]).collect();
        self.vertex_triangles = Lists::new(vertex_count, &corners);
        self.vertex_edges = Lists::new(vertex_count, &ends);
        self.vertex_ring = Lists::new(vertex_count, &ring);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    vertices: [u32; 2],
    reversed: bool,
    triangle: u32,
    corner: u8,
}

fn check_indices(triangles: &[[u32; 3]], vertex_count: usize) -> Result<(), GeometryError> {
    for (index, corners) in triangles.iter().enumerate() {
        if let Some(vertex) = corners.iter().find(|vertex| **vertex as usize >= vertex_count) {
            return Err(GeometryError::IndexOutOfRange {
                element: "triangle",
                index,
                vertex: *vertex as usize,
                count: vertex_count,
            });
        }
        let [a, b, c] = *corners;
        if a == b || b == c || c == a {
            return Err(GeometryError::DegenerateTriangle { index });
        }
    }
    Ok(())
}

fn half_edges(triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let mut halves = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0u32..).zip(triangles) {
        for corner in 0..3u8 {
            let from = corners[usize::from(corner)];
            let to = corners[(usize::from(corner) + 1) % 3];
            let vertices = [from.min(to), from.max(to)];
            halves.push(HalfEdge { vertices, reversed: from > to, triangle, corner });
        }
    }
    halves
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn closed_surface_obeys_euler() {
        let adjacency = Adjacency::new(&TETRAHEDRON, 4).expect("a tetrahedron is fine");
        assert!(adjacency.is_closed());
        assert_eq!(4 + TETRAHEDRON.len() - adjacency.edges.len(), 2);
        for vertex in 0..4 {
            assert_eq!(adjacency.vertex_triangles.get(vertex).len(), 3);
            assert_eq!(adjacency.vertex_edges.get(vertex).len(), 3);
            let mut ring = adjacency.vertex_ring.get(vertex).to_vec();
            ring.sort_unstable();
            assert_eq!(ring, (0..4).filter(|other| *other != vertex).collect::<Vec<_>>());
        }
        assert!(adjacency.vertex_ring.get(4).is_empty());
    }

    #[test]
    fn edges_and_triangles_name_each_other() {
        let adjacency = Adjacency::new(&TETRAHEDRON, 4).expect("a tetrahedron is fine");
        for (triangle, edges) in adjacency.triangle_edges.iter().enumerate() {
            for (corner, edge) in edges.iter().enumerate() {
                let from = TETRAHEDRON[triangle][corner];
                let to = TETRAHEDRON[triangle][(corner + 1) % 3];
                assert_eq!(adjacency.edges[*edge as usize], [from.min(to), from.max(to)]);
                let side = usize::from(from > to);
                assert_eq!(adjacency.edge_triangles[*edge as usize][side], Some(triangle as u32));
            }
        }
    }

    #[test]
    fn open_sheet_has_borders() {
        let adjacency = Adjacency::new(&[[0, 1, 2], [0, 2, 3]], 4).expect("a sheet is fine");
        assert!(!adjacency.is_closed());
        let open = adjacency.edge_triangles.iter().filter(|sides| sides.contains(&None)).count();
        assert_eq!((adjacency.edges.len(), open), (5, 4));
    }

    #[test]
    fn bad_triangles_are_refused() {
        let missing = Adjacency::new(&[[0, 1, 7]], 3);
        assert!(matches!(missing, Err(GeometryError::IndexOutOfRange { index: 0, vertex: 7, .. })));
        let twice = Adjacency::new(&[[0, 1, 1]], 3);
        assert!(matches!(twice, Err(GeometryError::DegenerateTriangle { index: 0 })));
        let flipped = Adjacency::new(&[[0, 1, 2], [0, 1, 3]], 4);
        assert!(matches!(flipped, Err(GeometryError::NonManifoldEdge { a: 0, b: 1, uses: 2, .. })));
    }
}
