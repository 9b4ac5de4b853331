//! The border of a sealed zone on the body that carries it: the isocontour gap = level.
//!
//! On every edge with one sealed end the place is found on the gap field itself, not between the ends' gaps: the
//! gap of a wall that rises from a rim is far from linear over an edge. Between edges the contour is straight, so
//! the border differs from the true one by the square of the edge length.

use super::field::Field;
use super::fine::{Fine, FineTriangle};

/// The search along an edge ends when the gap misses the level by less than this, relative to the level: 25 nm of a usual level of
/// 0.25 mm, far below any roughness.
const CLOSE_ENOUGH: f64 = 1e-4;
/// Steps of that search. Halving alone would need 14 of them on a straight gap; a gap with a jump has no such place, and the search
/// must end.
const MOST_TRIES: usize = 40;
/// Places on edges stay this far (as a fraction of the edge) from its ends, so that no contour runs through a vertex: far above
/// rounding, and too little to be seen in any area.
const MARGIN: f64 = 1e-7;

/// A straight part of a contour, in one triangle of the body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub triangle: u32,
    /// Weights in the triangle.
    pub from: [f64; 3],
    pub to: [f64; 3],
}

/// A closed contour: walking along it, seen from outside the body, the sealed zone is on the right.
#[derive(Debug, Clone, Default)]
pub(super) struct Contour {
    pub steps: Vec<Step>,
    /// Sealed vertices of the fine surface beside it.
    pub rim: Vec<u32>,
}

struct ContourPiece {
    /// The edges where it starts and ends.
    edges: [[u32; 2]; 2],
    step: Step,
    sealed: u32,
}

/// All contours of a body's gap field.
pub(super) fn contours(field: &Field<'_>, fine: &Fine) -> Vec<Contour> {
    let places = Places::new(field, fine);
    let mut parts: Vec<ContourPiece> = Vec::new();
    for triangle in &fine.triangles {
        let sealed = triangle.vertices.map(|v| fine.samples[v as usize].is_sealed());
        let count = sealed.iter().filter(|s| **s).count();
        if count == 0 || count == 3 {
            continue;
        }
        // The corner that differs from the two others.
        let lone = (0..3).find(|k| sealed[*k] == (count == 1)).unwrap_or(0);
        let next = (lone + 1) % 3;
        let before = (lone + 2) % 3;
        let on = |k: usize| {
            let edge = triangle.edges()[k];
            let place = places.of(edge);
            let low = if triangle.vertices[k] == edge[0] { k } else { (k + 1) % 3 };
            let high = if low == k { (k + 1) % 3 } else { k };
            let (a, b) = (triangle.corners[low], triangle.corners[high]);
            (edge, [0, 1, 2].map(|i| a[i] * (1.0 - place) + b[i] * place))
        };
        // Counter-clockwise round the triangle: a sealed corner must come to lie on the right.
        let (start, end) = if count == 1 { (on(before), on(lone)) } else { (on(lone), on(before)) };
        let step = Step { triangle: triangle.source, from: start.1, to: end.1 };
        let sealed = triangle.vertices[if count == 1 { lone } else { next }];
        parts.push(ContourPiece { edges: [start.0, end.0], step, sealed });
    }
    chained(parts)
}

fn chained(mut parts: Vec<ContourPiece>) -> Vec<Contour> {
    parts.sort_by_key(|part| part.edges[0]);
    let mut used = vec![false; parts.len()];
    let mut contours = Vec::new();
    for first in 0..parts.len() {
        let mut contour = Contour::default();
        let mut at = first;
        while !used[at] {
            used[at] = true;
            contour.steps.push(parts[at].step);
            contour.rim.push(parts[at].sealed);
            let end = parts[at].edges[1];
            // The surface is closed: every edge that a contour enters it leaves on the other side.
            at = parts.binary_search_by_key(&end, |part| part.edges[0]).unwrap_or(at);
        }
        if !contour.steps.is_empty() {
            contours.push(contour);
        }
    }
    contours
}

/// Where contours cross edges, as a share of the edge from its lower vertex.
struct Places {
    edges: Vec<([u32; 2], f64)>,
}

impl Places {
    fn new(field: &Field<'_>, fine: &Fine) -> Self {
        let sealed = |v: u32| fine.samples[v as usize].is_sealed();
        let mut edges: Vec<([u32; 2], f64)> = fine
            .triangles
            .iter()
            .flat_map(FineTriangle::edges)
            .filter(|[a, b]| sealed(*a) != sealed(*b))
            .map(|edge| (edge, 0.0))
            .collect();
        edges.sort_unstable_by_key(|(edge, _)| *edge);
        edges.dedup_by_key(|(edge, _)| *edge);
        for (edge, place) in &mut edges {
            *place = crossing(field, fine, *edge).clamp(MARGIN, 1.0 - MARGIN);
        }
        Self { edges }
    }

    fn of(&self, edge: [u32; 2]) -> f64 {
        let found = self.edges.binary_search_by_key(&edge, |(edge, _)| *edge);
        found.map_or(0.5, |index| self.edges[index].1)
    }
}

/// Where the gap passes the level on an edge: regula falsi that halves the weight of an end that stays (Illinois).
fn crossing(field: &Field<'_>, fine: &Fine, edge: [u32; 2]) -> f64 {
    let [a, b] = edge.map(|vertex| vertex as usize);
    let mut low = (0.0, fine.samples[a].excess);
    let mut high = (1.0, fine.samples[b].excess);
    let tolerance = CLOSE_ENOUGH * fine.levels[a].max(fine.levels[b]);
    let mut last_low = None;
    for _ in 0..MOST_TRIES {
        let slope = high.1 - low.1;
        let share = if slope == 0.0 { 0.5 } else { (-low.1 / slope).clamp(0.02, 0.98) };
        let place = low.0 + share * (high.0 - low.0);
        let excess = field.sample(&fine.probe(edge, place), fine.other).excess;
        if excess.abs() < tolerance {
            return place;
        }
        let is_low = (excess <= 0.0) == (low.1 <= 0.0);
        let (moved, stays) = if is_low { (&mut low, &mut high) } else { (&mut high, &mut low) };
        *moved = (place, excess);
        if last_low == Some(is_low) {
            stays.1 *= 0.5;
        }
        last_low = Some(is_low);
    }
    0.5 * (low.0 + high.0)
}
