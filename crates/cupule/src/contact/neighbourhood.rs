//! Which vertices of a surface are close to each other along the surface in the rest shape.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cupule_geometry::DVec3;
use cupule_geometry::adjacency::Adjacency;

/// For each vertex the sorted vertices within some length of walk along rest edges, itself and its one-ring always.
#[derive(Debug, Clone)]
pub(super) struct Neighbourhood {
    near: Vec<Vec<u32>>,
}

/// A non-negative length that orders like its bits.
type Key = (u64, u32);

impl Neighbourhood {
    pub(super) fn new(adjacency: &Adjacency, rest: &[DVec3], length: f64) -> Self {
        let mut walked = vec![f64::INFINITY; rest.len()];
        let near = (0..rest.len() as u32)
            .map(|vertex| walk(adjacency, rest, vertex, length, &mut walked))
            .collect();
        Self { near }
    }

    pub(super) fn contains(&self, vertex: u32, other: u32) -> bool {
        self.near[vertex as usize].binary_search(&other).is_ok()
    }

    pub(super) fn touches(&self, vertex: u32, others: &[u32]) -> bool {
        others.iter().any(|other| self.contains(vertex, *other))
    }
}

/// Dijkstra's shortest paths from `start`, cut off at `length`; `walked` is scratch, infinite on entry and exit.
fn walk(
    adjacency: &Adjacency,
    rest: &[DVec3],
    start: u32,
    length: f64,
    walked: &mut [f64],
) -> Vec<u32> {
    let mut reached = vec![start];
    let mut heap: BinaryHeap<Reverse<Key>> = BinaryHeap::from([Reverse((0, start))]);
    walked[start as usize] = 0.0;
    while let Some(Reverse((bits, vertex))) = heap.pop() {
        let so_far = f64::from_bits(bits);
        if so_far > walked[vertex as usize] {
            continue;
        }
        for next in adjacency.vertex_ring.get(vertex) {
            let there = so_far + rest[vertex as usize].distance(rest[*next as usize]);
            let seen = &mut walked[*next as usize];
            if there < *seen && (there < length || vertex == start) {
                if seen.is_infinite() {
                    reached.push(*next);
                }
                *seen = there;
                heap.push(Reverse((there.to_bits(), *next)));
            }
        }
    }
    for vertex in &reached {
        walked[*vertex as usize] = f64::INFINITY;
    }
    reached.sort_unstable();
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a strip of unit squares the walk reaches exactly the vertices within its length, and the one-ring always.
    #[test]
    fn walk_stops_at_its_length() {
        let rest: Vec<DVec3> =
            (0..20).map(|i| DVec3::new((i / 2) as f64, (i % 2) as f64, 0.0)).collect();
        let mut triangles = vec![];
        for i in 0..9u32 {
            triangles.push([2 * i, 2 * i + 2, 2 * i + 1]);
            triangles.push([2 * i + 1, 2 * i + 2, 2 * i + 3]);
        }
        let adjacency = Adjacency::new(&triangles, 20).expect("a strip is fine");
        let near = Neighbourhood::new(&adjacency, &rest, 3.1);
        assert!(near.contains(0, 6) && !near.contains(0, 8));
        let short = Neighbourhood::new(&adjacency, &rest, 0.1);
        assert!(short.touches(0, &[2]) && !short.touches(0, &[4, 6]));
    }
}
