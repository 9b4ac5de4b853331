//! Where the vertices of the union lie on their source triangles.
//!
//! A vertex seen by several triangles of one body lies on their common edge or corner, and gets one place there that
//! all of them share: otherwise pieces of neighbouring triangles would gape by rounding once the bodies move.
//! Weights are multiples of 2^-50, so that weights on an edge sum to 1 exactly and the outline of a triangle is
//! exactly straight for the exact predicates of the triangulation.

use super::Surface;
use super::engine::Union;
use crate::distance::{point_segment, point_triangle};
use crate::tree::Bounds;

/// Weights are multiples of one over this: fine enough to lose nothing that counts, and with bits to spare for exact sums.
const GRID: f64 = (1_u64 << 50) as f64;
/// Weights below this are zero: the union's own rounding is of this order.
const SNAP: f64 = 1e-11;
/// Relative to the extent of all bodies: a vertex further than this from the common edge of its triangles is the
/// work of the union's clean-up of tiny edges, and each triangle takes its own nearest point.
const ASTRAY: f64 = 1e-9;

/// For every half-edge of the union, the weights of its origin in the source triangle of its triangle. Nothing if a
/// vertex does not lie on its sources: the union of surfaces that cross themselves may turn edges over.
pub(super) fn locate(union: &Union, bodies: &[Surface<'_>]) -> Option<Vec<[f64; 3]>> {
    let extent = Bounds::of(&union.points);
    let astray = ASTRAY * (extent.max - extent.min).max_element();
    let mut uses: Vec<[u32; 3]> = (0..3 * union.triangles.len() as u32)
        .map(|half| [union.origin(half), union.body(half), half])
        .collect();
    uses.sort_unstable();
    let mut located = vec![[0.0; 3]; uses.len()];
    for group in uses.chunk_by(|a, b| a[..2] == b[..2]) {
        let body = &bodies[group[0][1] as usize];
        let point = union.points[group[0][0] as usize];
        let source = |half: u32| union.source[half as usize / 3][1];
        let mut common = body.triangles[source(group[0][2]) as usize].to_vec();
        for [_, _, half] in &group[1..] {
            let corners = body.triangles[source(*half) as usize];
            common.retain(|vertex| corners.contains(vertex));
        }
        let at = |vertex: u32| body.positions[vertex as usize];
        let place = match common[..] {
            [vertex] if at(vertex).distance(point) <= astray => {
                Some([(vertex, 1.0), (vertex, 0.0)])
            }
            [u, v] => {
                // One direction for all: the same rounding in every triangle.
                let (u, v) = (u.min(v), u.max(v));
                let t = snapped(point_segment(point, at(u), at(v)));
                let found = at(u).lerp(at(v), t).distance(point) <= astray;
                found.then_some([(u, 1.0 - t), (v, t)])
            }
            _ => None,
        };
        for [_, _, half] in group {
            let triangle = source(*half);
            located[*half as usize] = match place {
                Some(shares) => {
                    let corners = body.triangles[triangle as usize];
                    corners.map(|vertex| {
                        shares.iter().filter(|share| share.0 == vertex).map(|share| share.1).sum()
                    })
                }
                None => {
                    let nearest = point_triangle(point, body.corners(triangle));
                    if nearest.distance_squared > astray * astray {
                        return None;
                    }
                    gridded(nearest.weights)
                }
            };
        }
    }
    Some(located)
}

fn snapped(weight: f64) -> f64 {
    let weight = (weight * GRID).round() / GRID;
    if weight < SNAP {
        0.0
    } else if weight > 1.0 - SNAP {
        1.0
    } else {
        weight
    }
}

/// Weights on the grid, none negative, with a sum of exactly 1.
fn gridded(weights: [f64; 3]) -> [f64; 3] {
    let mut rounded = weights.map(snapped);
    let largest = (0..3).fold(0, |best, k| if rounded[k] > rounded[best] { k } else { best });
    let others = rounded[(largest + 1) % 3] + rounded[(largest + 2) % 3];
    rounded[largest] = 1.0 - others;
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gridded_weights_sum_exactly() {
        for k in 0..1000 {
            let a = (0.37 * f64::from(k)).fract();
            let b = (1.0 - a) * (0.71 * f64::from(k)).fract();
            let [x, y, z] = gridded([a, b, 1.0 - a - b]);
            assert_eq!(x + y + z, 1.0);
            assert_eq!(1.0 - y - z, x);
            assert!(x >= 0.0 && y >= 0.0 && z >= 0.0);
        }
        assert_eq!(gridded([1.0 - 1e-13, 1e-13, 0.0]), [1.0, 0.0, 0.0]);
    }
}
