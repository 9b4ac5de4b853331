//! Continuous collision detection of point-triangle, point-edge and edge-edge pairs on straight paths, by additive advancement.
//!
//! With d the distance now and l a bound on how fast it can shrink, nothing touches within d / l: advance by nine tenths
//! of that, look again, add up (Li, Kaufman, Jiang, Codimensional Incremental Potential Contact, 2021, section 5). It needs
//! nothing but distances, so that degenerate, parallel and coplanar pairs need no care, and every time that it returns was
//! reached by safe advances only: it never lies after the first touch. What has a thickness touches at that distance.

use crate::DVec3;
use crate::distance::{edge_edge_fine, point_segment, point_triangle};

/// Share of the distance at the start that is left where the advance stops; half of it is kept on the way.
const KEPT: f64 = 0.1;
/// Share of the safe advance that is taken at a time.
const TAKEN: f64 = 0.9;
/// Advances after which the time reached so far is returned: safe, if shorter than need be. Only paths that graze for long
/// need so many.
const MOST_ADVANCES: usize = 2000;

/// Error of a computed distance relative to the largest coordinate: some units in the last place.
const ROUNDING: f64 = 1e-14;

/// A vertex and a triangle or an edge, or two edges, with straight paths: the first group is the vertex or the first edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MovingPair {
    /// A vertex and the corners of a triangle.
    PointTriangle {
        /// Positions at the start, m.
        start: [DVec3; 4],
        /// Displacements until time 1, m.
        moves: [DVec3; 4],
    },
    /// A vertex and the ends of an edge; the last point is not looked at.
    PointEdge {
        /// Positions at the start, m.
        start: [DVec3; 4],
        /// Displacements until time 1, m.
        moves: [DVec3; 4],
    },
    /// The ends of two edges.
    EdgeEdge {
        /// Positions at the start, m.
        start: [DVec3; 4],
        /// Displacements until time 1, m.
        moves: [DVec3; 4],
    },
}

impl MovingPair {
    /// The largest time in [0, 1], by additive advancement, up to which the pair certainly stays apart by a
    /// twentieth of its gap at the start; 0 if it touches there already. The gap is the distance less `thickness` (m), what
    /// both have of it together.
    #[must_use]
    pub fn safe_time(&self, thickness: f64) -> f64 {
        match self {
            Self::PointTriangle { start, moves } => {
                advance(*start, *moves, 1, thickness, |[p, a, b, c]| {
                    point_triangle(p, [a, b, c]).distance_squared.sqrt()
                })
            }
            Self::PointEdge { start: [p, a, b, _], moves: [m, u, v, _] } => {
                advance([*p, *a, *b, *b], [*m, *u, *v, *v], 1, thickness, |[p, a, b, _]| {
                    p.distance(a.lerp(b, point_segment(p, a, b)))
                })
            }
            Self::EdgeEdge { start, moves } => {
                advance(*start, *moves, 2, thickness, |[a, b, c, d]| {
                    edge_edge_fine([a, b], [c, d]).distance_squared.sqrt()
                })
            }
        }
    }
}

/// `split` is the number of points in the first group.
fn advance(
    start: [DVec3; 4],
    moves: [DVec3; 4],
    split: usize,
    thickness: f64,
    distance: impl Fn([DVec3; 4]) -> f64,
) -> f64 {
    if !start.iter().chain(&moves).all(|v| v.is_finite()) {
        return 0.0;
    }
    // What both share moves nothing towards anything.
    let mean = moves.iter().sum::<DVec3>() * 0.25;
    let moves = moves.map(|m| m - mean);
    let fastest = |group: &[DVec3]| group.iter().map(|m| m.length()).fold(0.0, f64::max);
    let speed = fastest(&moves[..split]) + fastest(&moves[split..]);
    // Less than rounding lets the distance be told from zero is touching.
    let nothing = ROUNDING * start.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
    let clear = |gap: f64| gap > nothing && gap - speed >= KEPT * gap;
    // Boxes are never further apart than what is in them.
    if clear(box_distance(&start[..split], &start[split..]) - thickness) {
        return 1.0;
    }
    let first = distance(start) - thickness;
    if first <= nothing {
        return 0.0;
    }
    if clear(first) {
        return 1.0;
    }
    let kept = KEPT * first;
    let (mut time, mut gap) = (0.0, first);
    for _ in 0..MOST_ADVANCES {
        let next = time + TAKEN * (gap - kept * 0.5).max(0.0) / speed;
        if next >= 1.0 {
            return 1.0;
        }
        let there: [DVec3; 4] = std::array::from_fn(|i| start[i] + moves[i] * next);
        gap = distance(there) - thickness;
        if gap <= kept {
            return time;
        }
        time = next;
    }
    time
}

/// The largest distance along an axis between the boxes of two groups of points; negative where they overlap.
fn box_distance(first: &[DVec3], second: &[DVec3]) -> f64 {
    let low = |x: &[DVec3]| x.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = |x: &[DVec3]| x.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (low(first) - high(second)).max(low(second) - high(first)).max_element()
}

#[cfg(test)]
mod tests;
