//! Which elements share which edges and faces. Everything is found by sorting, so results are the same on every run.

use crate::GeometryError;

/// A directed edge of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DirectedEdge {
    pub from: u32,
    pub to: u32,
    pub triangle: u32,
}

/// All directed edges, sorted by their vertices.
pub(crate) fn directed_edges(triangles: &[[u32; 3]]) -> Vec<DirectedEdge> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        let triangle = index as u32;
        edges.extend([(a, b), (b, c), (c, a)].map(|(from, to)| DirectedEdge {
            from,
            to,
            triangle,
        }));
    }
    edges.sort_unstable();
    edges
}

/// The first directed edge (by triangle) that more than one triangle has.
pub(crate) fn first_repeated_edge(edges: &[DirectedEdge]) -> Option<GeometryError> {
    let same = |a: &DirectedEdge, b: &DirectedEdge| (a.from, a.to) == (b.from, b.to);
    let repeated = edges.chunk_by(same).filter(|run| run.len() > 1);
    let run = repeated.min_by_key(|run| run[0].triangle)?;
    Some(GeometryError::NonManifoldEdge {
        a: run[0].from as usize,
        b: run[0].to as usize,
        triangle: run[0].triangle as usize,
        uses: run.len(),
    })
}

/// The first directed edge (by triangle) without an opposite, and how many there are.
pub(crate) fn first_open_edge(edges: &[DirectedEdge]) -> Option<GeometryError> {
    let has =
        |from: u32, to: u32| edges.binary_search_by(|e| (e.from, e.to).cmp(&(from, to))).is_ok();
    let open: Vec<&DirectedEdge> = edges.iter().filter(|e| !has(e.to, e.from)).collect();
    let first = open.iter().min_by_key(|e| e.triangle)?;
    Some(GeometryError::OpenEdge {
        a: first.from as usize,
        b: first.to as usize,
        triangle: first.triangle as usize,
        count: open.len(),
    })
}

/// Faces that occur once among `faces`, in their given order. A face is known by its set of corners.
pub(crate) fn unshared<const N: usize, const C: usize>(
    faces: Vec<[u32; N]>,
    corners: impl Fn(&[u32; N]) -> [u32; C],
) -> Vec<[u32; N]> {
    let mut keyed: Vec<([u32; C], usize)> = faces
        .iter()
        .enumerate()
        .map(|(index, face)| {
            let mut key = corners(face);
            key.sort_unstable();
            (key, index)
        })
        .collect();
    keyed.sort_unstable();
    let once = keyed.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() == 1);
    let mut kept: Vec<usize> = once.map(|run| run[0].1).collect();
    kept.sort_unstable();
    kept.into_iter().map(|index| faces[index]).collect()
}

/// The two triangles of a quad, cut through its corner of smallest index: a rule that neighbours and the
/// tetrahedral split share without talking to each other.
pub(crate) fn split_quad(quad: [u32; 4]) -> [[u32; 3]; 2] {
    let start = (0..4).min_by_key(|&k| quad[k]).unwrap_or(0);
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| quad[(start + k) % 4]);
    [[a, b, c], [a, c, d]]
}
