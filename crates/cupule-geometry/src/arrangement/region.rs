//! The touching regions: what the union removed, found triangle by triangle and joined through edges.

use super::cut::{Cut, Stretch, cut};
use super::engine::Union;
use super::{Piece, Side, Surface};
use crate::disjoint::DisjointSets;
use rayon::prelude::*;

/// Overlap of two stretches of an edge, as a fraction of the edge, below which they only touch: above the grid of weights (2^-50),
/// and below the weight that counts as zero.
const OVERLAP: f64 = 1e-12;
/// Triangles that are worth a task of their own: most are whole and cost nothing, so that a task of fewer costs more than it does.
const TRIANGLES_PER_TASK: usize = 200;
/// No node.
const NONE: u32 = u32::MAX;

/// The buried parts of all bodies.
pub(super) struct Buried {
    /// Pieces whose side names their region.
    pub pieces: Vec<Piece>,
    pub regions: usize,
    /// Per half-edge of the union at which a free fragment ends: the region behind it.
    behind: Vec<u32>,
    /// Whether every cut triangle is covered once and every border has its region.
    pub sound: bool,
}

impl Buried {
    pub fn region_behind(&self, half: u32) -> Option<u32> {
        Some(self.behind[half as usize]).filter(|region| *region != NONE)
    }
}

/// A part of an edge of a body with what lies along it: a buried node, or a half-edge of the union.
struct Along {
    /// Body and the vertices of the edge, ascending.
    edge: [u32; 3],
    from: f64,
    to: f64,
    item: u32,
}

struct Builder<'a> {
    bodies: &'a [Surface<'a>],
    sets: DisjointSets,
    pieces: Vec<Piece>,
    nodes: Vec<Along>,
    ends: Vec<Along>,
    behind: Vec<u32>,
    sound: bool,
}

/// Finds the buried parts. `located` are the weights of the union's corners.
pub(super) fn bury(union: &Union, located: &[[f64; 3]], bodies: &[Surface<'_>]) -> Buried {
    let mut builder = Builder {
        bodies,
        sets: DisjointSets::new(0),
        pieces: Vec::new(),
        nodes: Vec::new(),
        ends: Vec::new(),
        behind: vec![NONE; 3 * union.triangles.len()],
        sound: true,
    };
    let mut fragments: Vec<([u32; 2], u32)> =
        union.source.iter().zip(0..).map(|(source, index)| (*source, index)).collect();
    fragments.sort_unstable();
    let sources = bodies.iter().zip(0..).flat_map(|(surface, body)| {
        (0..surface.triangles.len() as u32).map(move |triangle| [body, triangle])
    });
    let mut rest = &fragments[..];
    let parts: Vec<([u32; 2], Vec<u32>)> = sources
        .map(|source| {
            let count = rest.iter().take_while(|fragment| fragment.0 == source).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            (source, own.iter().map(|fragment| fragment.1).collect())
        })
        .collect();
    let is_cut = |own: &[u32]| match own {
        [] => false,
        [only] => !is_whole(located, *only),
        _ => true,
    };
    let cuts: Vec<Option<Option<Cut>>> = parts
        .par_iter()
        .with_min_len(TRIANGLES_PER_TASK)
        .map(|(_, own)| is_cut(own).then(|| cut(union, located, own)))
        .collect();
    for ((source, own), cut) in parts.into_iter().zip(cuts) {
        match (&own[..], cut) {
            (_, Some(Some(cut))) => builder.add(source, cut),
            (_, Some(None)) => builder.sound = false,
            ([only], None) => builder.whole(source, located, union, *only),
            (_, None) => builder.vanished(source),
        }
    }
    builder.finish(union)
}

fn is_whole(located: &[[f64; 3]], fragment: u32) -> bool {
    let first = 3 * fragment as usize;
    let corners = &located[first..first + 3];
    (0..3).all(|k| corners.iter().any(|weights| weights[k] == 1.0))
}

impl Builder<'_> {
    /// A triangle that is buried altogether.
    fn vanished(&mut self, source: [u32; 2]) {
        let outline = [0, 1, 2].map(|side| (Stretch { side, from: 0.0, to: 1.0 }, 0));
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = vec![(corners, 0)];
        self.add(
            source,
            Cut { faces, groups: 1, outline: outline.to_vec(), sound: true, ..Cut::default() },
        );
    }

    /// A free triangle: nothing of it is buried, but a border may run along one of its edges.
    fn whole(&mut self, source: [u32; 2], located: &[[f64; 3]], union: &Union, only: u32) {
        for half in 3 * only..3 * only + 3 {
            if union.body(union.opposite[half as usize]) != source[0] {
                let side = (0..3).find(|k| located[half as usize][*k] == 1.0).unwrap_or(0);
                let along = self.along(source, Stretch { side, from: 0.0, to: 1.0 }, half);
                self.ends.push(along);
            }
        }
    }

    fn add(&mut self, source: [u32; 2], cut: Cut) {
        let first = (0..cut.groups).map(|_| self.sets.push()).min().unwrap_or(0);
        let [body, triangle] = source;
        self.pieces.extend(cut.faces.iter().map(|(corners, group)| Piece {
            body,
            triangle,
            corners: *corners,
            side: Side::Buried(first + group),
        }));
        for (half, group) in cut.behind {
            self.behind[half as usize] = first + group;
        }
        for (stretch, group) in cut.outline {
            let along = self.along(source, stretch, first + group);
            self.nodes.push(along);
        }
        for (stretch, half) in cut.on_outline {
            let along = self.along(source, stretch, half);
            self.ends.push(along);
        }
        self.sound &= cut.sound;
    }

    fn along(&self, [body, triangle]: [u32; 2], stretch: Stretch, item: u32) -> Along {
        let corners = self.bodies[body as usize].triangles[triangle as usize];
        let (u, v) = (corners[stretch.side], corners[(stretch.side + 1) % 3]);
        if u < v {
            Along { edge: [body, u, v], from: stretch.from, to: stretch.to, item }
        } else {
            Along { edge: [body, v, u], from: 1.0 - stretch.to, to: 1.0 - stretch.from, item }
        }
    }

    fn finish(mut self, union: &Union) -> Buried {
        let order = |a: &Along, b: &Along| a.edge.cmp(&b.edge).then(a.from.total_cmp(&b.from));
        self.nodes.sort_by(order);
        for run in self.nodes.chunk_by(|a, b| a.edge == b.edge) {
            for (index, one) in run.iter().enumerate() {
                let following = run[index + 1..].iter();
                for other in following.take_while(|other| other.from < one.to - OVERLAP) {
                    self.sets.join(one.item, other.item);
                }
            }
        }
        for end in &self.ends {
            let start = self.nodes.partition_point(|node| node.edge < end.edge);
            let run = self.nodes[start..].iter().take_while(|node| node.edge == end.edge);
            let middle = 0.5 * (end.from + end.to);
            let found = run.into_iter().find(|node| node.from <= middle && middle <= node.to);
            if let Some(node) = found {
                self.behind[end.item as usize] = node.item;
            }
        }
        self.join_across(union);
        let (regions, number) = self.sets.numbered();
        for piece in &mut self.pieces {
            if let Side::Buried(node) = &mut piece.side {
                *node = number[*node as usize];
            }
        }
        for node in self.behind.iter_mut().filter(|node| **node != NONE) {
            *node = number[*node as usize];
        }
        Buried { pieces: self.pieces, regions, behind: self.behind, sound: self.sound }
    }

    /// Joins the regions of two bodies behind their common border; a side that was not found takes the other's.
    fn join_across(&mut self, union: &Union) {
        for half in 0..union.opposite.len() as u32 {
            let back = union.opposite[half as usize];
            if half > back || union.body(half) == union.body(back) {
                continue;
            }
            match (self.behind[half as usize], self.behind[back as usize]) {
                (NONE, NONE) => self.sound = false,
                (NONE, node) => self.behind[half as usize] = node,
                (node, NONE) => self.behind[back as usize] = node,
                (one, other) => self.sets.join(one, other),
            }
        }
    }
}
