//! Cuts a triangle along the borders that cross it, into triangles that each look at one thing.
//!
//! In the plane of the weights (x, y) of corners 1 and 2 the triangle is (0, 0), (1, 0), (0, 1). Between the x of any
//! two neighbouring border points the borders lie above each other, and between two of them is a trapezoid. Trapezoids
//! between the same two borders are one. A border threaded over a body may cross itself in small folds: there a
//! trapezoid counts twice for one side of the border and minus once for the other. So what looks at one air is always
//! bounded by exactly its borders, and no case needs an exact predicate.

use super::thread::Place;
use crate::arrangement::Side;

/// Parts smaller than this fraction of the triangle are left out: they are the rounding of their corners.
const NOTHING: f64 = 1e-15;

/// A part of a border inside a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub triangle: u32,
    /// Number of the border.
    pub border: usize,
    /// Ends, the one with the lower x first.
    ends: [[f64; 2]; 2],
    /// The side of the border towards lower y.
    pub below: u32,
    /// The side of the border towards higher y.
    pub above: u32,
}

impl Segment {
    /// `sides` lie on the left and on the right.
    pub fn new(place: Place, border: usize, [left, right]: [u32; 2]) -> Self {
        let [from, to] = [place.from, place.to].map(|weights| [weights[1], weights[2]]);
        let triangle = place.triangle;
        if from[0] <= to[0] {
            Self { triangle, border, ends: [from, to], below: right, above: left }
        } else {
            Self { triangle, border, ends: [to, from], below: left, above: right }
        }
    }

    /// The free side of its border, which has the lower number.
    pub fn free(&self) -> u32 {
        self.below.min(self.above)
    }

    pub fn width(&self) -> f64 {
        self.ends[1][0] - self.ends[0][0]
    }

    /// Its lowest point.
    pub fn lowest(&self) -> [f64; 2] {
        if self.ends[0][1] <= self.ends[1][1] { self.ends[0] } else { self.ends[1] }
    }

    /// The area between it and the bottom edge.
    pub fn area_below(&self) -> f64 {
        0.5 * self.width() * (self.ends[0][1] + self.ends[1][1])
    }

    pub fn spans(&self, x: f64) -> bool {
        self.ends[0][0] < x && x < self.ends[1][0]
    }

    /// y at x.
    pub fn height(&self, x: f64) -> f64 {
        let [[x0, y0], [x1, y1]] = self.ends;
        if x == x1 { y1 } else { y0 + (x - x0) * (y1 - y0) / (x1 - x0) }
    }
}

/// What a trapezoid lies between: the bottom edge, the slanted edge, or a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Bottom,
    Slant,
    Segment(usize),
}

/// How often a place counts for each thing it may look at, ordered: once for one of them, but for folds of borders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mix(Vec<(Side, i32)>);

impl Mix {
    pub fn new(side: Side) -> Self {
        Self(vec![(side, 1)])
    }

    /// What lies behind a border with these sides.
    pub fn across(mut self, from: Side, to: Side) -> Self {
        self.count(from, -1);
        self.count(to, 1);
        self
    }

    fn count(&mut self, side: Side, by: i32) {
        match self.0.binary_search_by_key(&side, |entry| entry.0) {
            Ok(index) if self.0[index].1 + by == 0 => {
                self.0.remove(index);
            }
            Ok(index) => self.0[index].1 += by,
            Err(index) => self.0.insert(index, (side, by)),
        }
    }
}

/// A trapezoid that may go on in the next slab.
#[derive(Debug, Clone)]
struct Trapezoid {
    limits: [Limit; 2],
    mix: Mix,
    from: f64,
}

/// Weights of the corners of a part, turned over where it counts negatively, and what it looks at.
pub(super) type Tile = ([[f64; 3]; 3], Side);

/// Cuts a triangle along its segments; `bottom(x)` is what its first edge looks at, `side` what a node does.
pub(super) fn tiles(
    segments: &[Segment],
    side: impl Fn(u32) -> Side,
    bottom: impl Fn(f64) -> Mix,
) -> Vec<Tile> {
    let ends = segments.iter().flat_map(|s| s.ends.map(|end| end[0]));
    let mut stops: Vec<f64> = ends.chain([0.0, 1.0]).filter(|x| (0.0..=1.0).contains(x)).collect();
    stops.sort_by(f64::total_cmp);
    stops.dedup();
    let mut tiles = Vec::new();
    let mut open: Vec<Trapezoid> = Vec::new();
    for slab in stops.windows(2) {
        let middle = 0.5 * (slab[0] + slab[1]);
        let mut fresh = stack(segments, middle, slab[0], &side, bottom(middle));
        for old in &open {
            let same = |new: &&mut Trapezoid| new.limits == old.limits && new.mix == old.mix;
            match fresh.iter_mut().find(same) {
                Some(new) => new.from = old.from,
                None => old.close(segments, slab[0], &mut tiles),
            }
        }
        open = fresh;
    }
    open.iter().for_each(|old| old.close(segments, 1.0, &mut tiles));
    tiles
}

/// The trapezoids at x, from the bottom up.
fn stack(
    segments: &[Segment],
    x: f64,
    from: f64,
    side: &impl Fn(u32) -> Side,
    bottom: Mix,
) -> Vec<Trapezoid> {
    let mut crossed: Vec<(f64, usize)> = (0..segments.len())
        .filter(|index| segments[*index].spans(x))
        .map(|index| (segments[index].height(x), index))
        .collect();
    crossed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut limit, mut mix) = (Limit::Bottom, bottom);
    let mut stack = Vec::with_capacity(crossed.len() + 1);
    for (_, index) in crossed {
        let segment = &segments[index];
        let above = mix.clone().across(side(segment.below), side(segment.above));
        stack.push(Trapezoid { limits: [limit, Limit::Segment(index)], mix, from });
        (limit, mix) = (Limit::Segment(index), above);
    }
    stack.push(Trapezoid { limits: [limit, Limit::Slant], mix, from });
    stack
}

impl Trapezoid {
    fn close(&self, segments: &[Segment], to: f64, tiles: &mut Vec<Tile>) {
        let height = |limit: Limit, x: f64| match limit {
            Limit::Bottom => 0.0,
            Limit::Slant => 1.0 - x,
            Limit::Segment(index) => segments[index].height(x),
        };
        let corner = |limit: Limit, x: f64| [x, height(limit, x)];
        let [low, high] = self.limits;
        let (a, b) = (corner(low, self.from), corner(low, to));
        let (c, d) = (corner(high, to), corner(high, self.from));
        for [p, q, r] in [[a, b, c], [a, c, d]] {
            let doubled = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            if doubled.abs() <= NOTHING {
                continue;
            }
            for (side, count) in &self.mix.0 {
                let turned = if *count > 0 { [p, q, r] } else { [p, r, q] };
                let tile = (turned.map(weights), *side);
                tiles.extend(std::iter::repeat_n(tile, count.unsigned_abs() as usize));
            }
        }
    }
}

fn weights([x, y]: [f64; 2]) -> [f64; 3] {
    [(1.0 - x - y).max(0.0), x, y]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area that counts for each side.
    fn areas(tiles: &[Tile], side: Side) -> f64 {
        let doubled = |[a, b, c]: [[f64; 3]; 3]| {
            (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
        };
        tiles.iter().filter(|tile| tile.1 == side).map(|tile| doubled(tile.0)).sum()
    }

    /// A border through these points, closed, with node 0 on its left and node 1 on its right.
    fn border(points: &[[f64; 2]]) -> Vec<Segment> {
        let place = |k: usize| {
            let [from, to] = [points[k], points[(k + 1) % points.len()]].map(weights);
            Segment::new(Place { triangle: 0, from, to }, 0, [0, 1])
        };
        (0..points.len()).map(place).collect()
    }

    fn side(node: u32) -> Side {
        if node == 0 { Side::Free(0) } else { Side::Buried(0) }
    }

    /// A square inside a triangle: what is inside has its area, the rest the rest, each once.
    #[test]
    fn a_square_is_cut_out() {
        let square = [[0.2, 0.1], [0.5, 0.2], [0.4, 0.5], [0.1, 0.4]];
        let tiles = tiles(&border(&square), side, |_| Mix::new(Side::Buried(0)));
        assert!((areas(&tiles, Side::Free(0)) - 0.2).abs() < 1e-15);
        assert!((areas(&tiles, Side::Buried(0)) - 0.8).abs() < 1e-15);
        assert!(tiles.len() < 30, "{}", tiles.len());
    }

    /// A figure of eight: its small fold counts against the side it turns to, so that both sides are bounded by exactly
    /// the border. By the shoelace formula it has the difference of its two parts.
    #[test]
    fn a_fold_counts_negatively() {
        let eight = [[0.1, 0.1], [0.5, 0.4], [0.5, 0.3], [0.1, 0.2]];
        let doubled: f64 = (0..4)
            .map(|k| {
                let (a, b) = (eight[k], eight[(k + 1) % 4]);
                a[0] * b[1] - a[1] * b[0]
            })
            .sum();
        let tiles = tiles(&border(&eight), side, |_| Mix::new(Side::Buried(0)));
        assert!((areas(&tiles, Side::Free(0)) - doubled).abs() < 1e-15);
        assert!((areas(&tiles, Side::Buried(0)) + doubled - 1.0).abs() < 1e-15);
    }
}
