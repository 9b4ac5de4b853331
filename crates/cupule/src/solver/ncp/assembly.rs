//! Where element stiffness goes: straight into the system, or aside for points that have no block of their own.
//!
//! Points that are glued, carried or driven ("tied") meet the system only through their Jacobians, which turn with the
//! bodies. Their blocks are kept apart as (point, point, matrix); J^T K J is added when the system is factored, and the
//! same blocks give the reaction that holds each tied point.

use crate::element::{ElementPool, StiffnessSink};
use crate::mapping::{Frame, Tie, for_each_block};
use crate::sparse::{BlockMatrix, BlockPattern, Slot};
use cupule_geometry::{DMat3, DVec3};
use std::collections::{BTreeMap, BTreeSet};

/// Where one block of an element goes.
#[derive(Debug, Clone, Copy)]
enum Destination {
    Direct(Slot),
    Aside { index: u32, transposed: bool },
}

/// Blocks that involve a tied point.
#[derive(Debug, Default, Clone)]
pub(super) struct TiedBlocks {
    /// Of a free and a tied point the free one comes first.
    pairs: Vec<(usize, usize)>,
    blocks: Vec<DMat3>,
    index: BTreeMap<(usize, usize), u32>,
}

impl TiedBlocks {
    fn insert(&mut self, a: usize, b: usize, ties: &[Tie]) -> (u32, bool) {
        let rank = |point: usize| (!matches!(ties[point], Tie::Free(_)), point);
        let transposed = rank(a) > rank(b);
        let key = if transposed { (b, a) } else { (a, b) };
        let index = *self.index.entry(key).or_insert_with(|| {
            self.pairs.push(key);
            self.blocks.push(DMat3::ZERO);
            self.pairs.len() as u32 - 1
        });
        (index, transposed)
    }

    pub(super) fn clear(&mut self) {
        self.blocks.fill(DMat3::ZERO);
    }

    /// Adds J^T K J of all blocks to the system: for every point s first K J over its neighbours, by the blocks that carry them.
    pub(super) fn reduce(
        &self,
        ties: &[Tie],
        frames: &[Frame],
        local: &dyn Fn(usize) -> usize,
        system: &mut System,
    ) {
        let of_point = |point: usize| -> Vec<(usize, DMat3)> {
            jacobians(ties, frames, point).into_iter().map(|(b, j)| (local(b), j)).collect()
        };
        let mut known: BTreeMap<usize, Vec<(usize, DMat3)>> = BTreeMap::new();
        let mut entries = self.index.iter().peekable();
        while let Some(s) = entries.peek().map(|((s, _), _)| *s) {
            let (own, mut sums) = (of_point(s), Vec::new());
            while let Some((&(_, t), &k)) = entries.next_if(|((first, _), _)| *first == s) {
                let block = self.blocks[k as usize];
                if t == s {
                    add_square(&own, &block, system);
                    continue;
                }
                for (b, j) in known.entry(t).or_insert_with(|| of_point(t)) {
                    add_to(&mut sums, *b, block * *j);
                }
            }
            for (a, ja) in &own {
                for (b, sum) in &sums {
                    let product = ja.transpose() * *sum;
                    let value = if a == b { product + product.transpose() } else { product };
                    system.add(*a, *b, &value);
                }
            }
        }
    }

    /// The points of all blocks, ascending.
    pub(super) fn points(&self) -> BTreeSet<usize> {
        self.pairs.iter().flat_map(|(s, t)| [*s, *t]).collect()
    }

    /// K dv of every tied point and its neighbours, K scaled as in the system.
    pub(super) fn products(
        &self,
        changes: impl Fn(usize) -> DVec3,
        out: &mut BTreeMap<usize, DVec3>,
    ) {
        for (&(s, t), block) in self.pairs.iter().zip(&self.blocks) {
            *out.entry(s).or_default() += *block * changes(t);
            if s != t {
                *out.entry(t).or_default() += block.transpose() * changes(s);
            }
        }
    }
}

/// Blocks and Jacobians of a point.
pub(super) fn jacobians(ties: &[Tie], frames: &[Frame], point: usize) -> Vec<(usize, DMat3)> {
    // A point glued to several points of one rigid body names its blocks several times.
    let mut out: Vec<(usize, DMat3)> = Vec::new();
    for_each_block(ties, frames, point, &mut |block, j| add_to(&mut out, block, j));
    out
}

fn add_to(sums: &mut Vec<(usize, DMat3)>, block: usize, by: DMat3) {
    match sums.iter_mut().find(|(b, _)| *b == block) {
        Some((_, sum)) => *sum += by,
        None => sums.push((block, by)),
    }
}

/// Adds J^T K J of one point.
fn add_square(own: &[(usize, DMat3)], block: &DMat3, system: &mut System) {
    for (i, (a, ja)) in own.iter().enumerate() {
        for (b, jb) in &own[..=i] {
            system.add(*a, *b, &(ja.transpose() * *block * *jb));
        }
    }
}

/// The matrix with its pattern.
pub(super) struct System<'a> {
    pub pattern: &'a BlockPattern,
    pub matrix: &'a mut BlockMatrix,
}

impl System<'_> {
    /// Adds a block by local block numbers.
    pub(super) fn add(&mut self, a: usize, b: usize, block: &DMat3) {
        let slot = self
            .pattern
            .slot(a, b)
            .expect("the pattern holds every pair that a tie or an element joins");
        self.matrix.add(slot, block);
    }
}

/// Destinations of all element blocks of one soft part.
#[derive(Clone)]
pub(super) struct Scatter {
    per_element: usize,
    destinations: Vec<Destination>,
}

impl Scatter {
    /// Destinations for elements whose node i is point `first + i`.
    pub(super) fn new(
        elements: &dyn ElementPool,
        first: usize,
        ties: &[Tie],
        local: &dyn Fn(usize) -> usize,
        pattern: &BlockPattern,
        tied: &mut TiedBlocks,
    ) -> Self {
        let n = elements.nodes_per_element();
        let mut destinations = Vec::new();
        for nodes in elements.connectivity().chunks_exact(n) {
            for i in 0..n {
                for j in 0..=i {
                    let (a, b) = (first + nodes[i] as usize, first + nodes[j] as usize);
                    let direct = match (&ties[a], &ties[b]) {
                        (Tie::Free(p), Tie::Free(q)) => pattern.slot(local(*p), local(*q)),
                        _ => None,
                    };
                    destinations.push(direct.map_or_else(
                        || {
                            let (index, transposed) = tied.insert(a, b, ties);
                            Destination::Aside { index, transposed }
                        },
                        Destination::Direct,
                    ));
                }
            }
        }
        Self { per_element: n * (n + 1) / 2, destinations }
    }
}

/// Adds element stiffness, scaled, to the system and to the tied blocks.
pub(super) struct ScaledSink<'a> {
    pub scatter: &'a Scatter,
    pub scale: f64,
    pub matrix: &'a mut BlockMatrix,
    pub tied: &'a mut TiedBlocks,
}

impl StiffnessSink for ScaledSink<'_> {
    fn add(&mut self, element: usize, blocks: &[DMat3]) {
        let n = self.scatter.per_element;
        for (block, destination) in blocks.iter().zip(&self.scatter.destinations[element * n..]) {
            let scaled = *block * self.scale;
            match *destination {
                Destination::Direct(slot) => self.matrix.add(slot, &scaled),
                Destination::Aside { index, transposed } => {
                    self.tied.blocks[index as usize] +=
                        if transposed { scaled.transpose() } else { scaled };
                }
            }
        }
    }
}
