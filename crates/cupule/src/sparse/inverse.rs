//! The inverse between the blocks that constraint rows touch, kept as long as the factor.
//!
//! Contacts stay on the same few nodes for many steps, and so does the factor of a body that hardly turns. With the blocks G of
//! A^-1 between these nodes, W = H G H^T is a small sum; only nodes that are touched for the first time ask for a solve.

use super::cholesky::Cholesky;
use super::compliance::{SparseRow, compliance};
use super::gram::mirror;
use cupule_geometry::DVec3;
use faer::traits::pulp::Arch;
use faer::{ColMut, Mat};
use glam::DVec4;
use rayon::prelude::*;

/// Half-solves of all blocks and the sum of their products take as long as solves of so many times fewer.
const HALF_SOLVES_A_SOLVE: usize = 5;
/// Columns of W, three each, that are worth a thread.
const WORTH_A_THREAD: usize = 40;
const UNKNOWN: u32 = u32::MAX;

/// The three rows of a contact: their coefficients over blocks.
pub type TripleRow = Vec<(usize, [DVec3; 3])>;

/// G over the blocks asked for so far.
#[derive(Clone)]
pub(super) struct Known {
    /// Place in G of every block.
    place: Vec<u32>,
    blocks: Vec<usize>,
    /// Three rows and columns a block, and room for more.
    values: Mat<f64>,
}

impl Cholesky {
    /// Dense symmetric W = H A^-1 H^T (both triangles) of contacts with three rows each. Blocks that they have touched since the
    /// numbers were factored cost nothing again.
    pub fn kept_compliance(&mut self, contacts: &[TripleRow]) -> Mat<f64> {
        let mut asked: Vec<usize> = contacts.iter().flatten().map(|(block, _)| *block).collect();
        asked.sort_unstable_by_key(|block| self.pattern().place(*block));
        asked.dedup();
        self.learn(&asked);
        self.known.compliance(contacts)
    }

    /// Makes G known between the given blocks, which are in elimination order.
    fn learn(&mut self, asked: &[usize]) {
        let is_new = |block: &&usize| self.known.place[**block] == UNKNOWN;
        let new: Vec<usize> = asked.iter().filter(is_new).copied().collect();
        if new.len() * HALF_SOLVES_A_SOLVE > asked.len() {
            self.learn_all(asked);
        } else {
            new.into_iter().for_each(|block| self.learn_one(block));
        }
    }

    fn learn_all(&mut self, asked: &[usize]) {
        let units = asked.iter().flat_map(|block| DVec3::AXES.map(|axis| vec![(*block, axis)]));
        let values = compliance(self, &units.collect::<Vec<SparseRow>>());
        self.known = Known::nothing(self.pattern().blocks());
        asked.iter().for_each(|block| self.known.add(*block));
        self.known.values = values;
    }

    fn learn_one(&mut self, block: usize) {
        let column = self.inverse_column(block);
        self.known.add(block);
        let pattern = self.pattern();
        let places: Vec<usize> = self.known.blocks.iter().map(|b| 3 * pattern.place(*b)).collect();
        self.known.write_last(|i| &column[places[i]..places[i] + 3]);
    }
}

impl Known {
    pub(super) fn nothing(blocks: usize) -> Self {
        Self { place: vec![UNKNOWN; blocks], blocks: Vec::new(), values: Mat::new() }
    }

    fn add(&mut self, block: usize) {
        self.place[block] = self.blocks.len() as u32;
        self.blocks.push(block);
    }

    /// Writes the columns, and rows, of the block that was added last, from three rows of its columns at every block.
    fn write_last<'a>(&mut self, rows: impl Fn(usize) -> &'a [DVec4]) {
        let (size, at) = (3 * self.blocks.len(), 3 * self.blocks.len() - 3);
        if size > self.values.nrows() {
            let room = size + size / 4;
            self.values.resize_with(room, room, |_, _| 0.0);
        }
        for i in 0..self.blocks.len() {
            for (r, entries) in rows(i).iter().enumerate() {
                for c in 0..3 {
                    self.values[(3 * i + r, at + c)] = entries[c];
                    self.values[(at + c, 3 * i + r)] = entries[c];
                }
            }
        }
    }

    /// W of contacts on known blocks.
    fn compliance(&self, contacts: &[TripleRow]) -> Mat<f64> {
        let in_place = |(block, c): &(usize, [DVec3; 3])| (3 * self.place[*block] as usize, *c);
        let contacts: Vec<TripleRow> =
            contacts.iter().map(|rows| rows.iter().map(in_place).collect()).collect();
        let mut w = Mat::zeros(3 * contacts.len(), 3 * contacts.len());
        let mut columns: Vec<ColMut<'_, f64>> = w.col_iter_mut().collect();
        let triples = columns.par_chunks_exact_mut(3).with_min_len(WORTH_A_THREAD).enumerate();
        triples.for_each_init(Vec::new, |answer, (j, columns)| {
            let arch = Arch::new();
            arch.dispatch(
                #[inline(always)]
                || self.answer(&contacts[j], answer),
            );
            arch.dispatch(
                #[inline(always)]
                || {
                    for (i, contact) in contacts.iter().enumerate().skip(j) {
                        write_block(&along(contact, answer), 3 * i, columns);
                    }
                },
            );
        });
        mirror(w.as_mut());
        w
    }

    /// What a unit along each of a contact's rows does to all that is known: a number a row, by scalar of G.
    #[inline(always)]
    fn answer(&self, contact: &TripleRow, out: &mut Vec<[f64; 4]>) {
        out.clear();
        out.resize(3 * self.blocks.len(), [0.0; 4]);
        for (at, [n, s, t]) in contact {
            for d in 0..3 {
                let pushed = [n[d], s[d], t[d], 0.0];
                for (out, g) in out.iter_mut().zip(self.values.col_as_slice(at + d)) {
                    (0..4).for_each(|lane| out[lane] += g * pushed[lane]);
                }
            }
        }
    }
}

/// How a contact's three rows move where all that is known moves as it `answer`s.
#[inline(always)]
fn along(contact: &TripleRow, answer: &[[f64; 4]]) -> [[f64; 4]; 3] {
    let mut moved = [[0.0; 4]; 3];
    for (at, rows) in contact {
        for (d, answer) in answer[*at..*at + 3].iter().enumerate() {
            for (moved, row) in moved.iter_mut().zip(rows) {
                (0..4).for_each(|lane| moved[lane] += row[d] * answer[lane]);
            }
        }
    }
    moved
}

#[inline(always)]
fn write_block(block: &[[f64; 4]; 3], at: usize, columns: &mut [ColMut<'_, f64>]) {
    for (c, column) in columns.iter_mut().enumerate() {
        for (r, row) in block.iter().enumerate() {
            column[at + r] = row[c];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{Grid, threads};
    use super::*;

    /// Contacts between pairs of blocks.
    fn contacts(touched: &[(usize, usize)]) -> Vec<TripleRow> {
        let of_touch = |(k, &(a, b)): (usize, &(usize, usize))| {
            let c = DVec3::AXES.map(|x| x + DVec3::new(0.1, -0.2, 0.3) * (k as f64).sin());
            vec![(a, c), (b, c.map(|c| -0.7 * c))]
        };
        touched.iter().enumerate().map(of_touch).collect()
    }

    /// The same one by one.
    fn rows(contacts: &[TripleRow]) -> Vec<SparseRow> {
        let row = |contact: &TripleRow, r: usize| contact.iter().map(|(b, c)| (*b, c[r])).collect();
        contacts.iter().flat_map(|contact| [0, 1, 2].map(|r| row(contact, r))).collect()
    }

    fn apart(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
        let largest = (0..b.ncols()).map(|i| b[(i, i)]).fold(0.0, f64::max);
        (a - b).norm_max() / largest
    }

    /// W = H A^-1 H^T whatever was asked before: all at once, with a few blocks more, with fewer, with many others.
    #[test]
    fn what_is_kept_is_the_inverse() {
        let mut cholesky = Grid::new([9, 9, 3], 7).factored();
        let touched: Vec<(usize, usize)> = (0..30).map(|k| (5 * k, 3 * k + 90)).collect();
        let mut solves = Vec::new();
        for range in [0..20, 0..22, 3..9, 10..30, 0..1] {
            let contacts = contacts(&touched[range]);
            let before = cholesky.known.blocks.clone();
            let w = cholesky.kept_compliance(&contacts);
            solves.push(cholesky.known.blocks.starts_with(&before) && !before.is_empty());
            let error = apart(&w, &compliance(&cholesky, &rows(&contacts)));
            assert!(error < 1e-13, "{error}");
            assert_eq!(w, w.transpose().to_owned());
        }
        assert_eq!(solves, [false, true, true, false, false], "which calls built on earlier ones");
    }

    #[test]
    fn new_numbers_have_a_new_inverse() {
        let (soft, stiff) = (Grid::new([6, 6, 2], 1), Grid::new([6, 6, 2], 2));
        let (contacts, mut cholesky) = (contacts(&[(3, 9), (20, 31)]), soft.factored());
        let old = cholesky.kept_compliance(&contacts);
        cholesky.factor(&stiff.matrix()).expect("positive definite");
        let new = cholesky.kept_compliance(&contacts);
        assert!(apart(&new, &compliance(&cholesky, &rows(&contacts))) < 1e-13);
        assert!(apart(&new, &old) > 1e-3, "another matrix has another inverse");
    }

    #[test]
    fn kept_compliance_is_the_same_for_any_number_of_threads() {
        let grid = Grid::new([9, 9, 12], 5);
        let touched: Vec<(usize, usize)> = (0..110).map(|k| (k, 7 * k + 120)).collect();
        let kept = || {
            let mut cholesky = grid.factored();
            cholesky.kept_compliance(&contacts(&touched[..104]));
            cholesky.kept_compliance(&contacts(&touched))
        };
        assert!(touched.len() > 2 * WORTH_A_THREAD, "large enough to be shared");
        assert_eq!(threads(1, kept), threads(2, kept));
    }

    #[test]
    fn contacts_without_blocks_have_no_compliance() {
        let mut cholesky = Grid::new([3, 1, 1], 1).factored();
        assert_eq!(cholesky.kept_compliance(&[]).nrows(), 0);
        assert_eq!(cholesky.kept_compliance(&[Vec::new()])[(0, 0)], 0.0);
    }
}
