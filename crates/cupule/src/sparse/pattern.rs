//! The pattern of a symmetric block matrix in elimination order, and its values as the factorisation reads them.

use super::ordering::{Use, column_starts, elimination_order};
use cupule_geometry::{DMat3, DVec3};
use std::ops::Range;

/// Which blocks of the lower triangle may differ from zero. Block columns are in elimination order.
#[derive(Debug, Clone)]
pub struct BlockPattern {
    /// Place of every block in elimination order.
    place: Vec<u32>,
    /// Start of every block column in `rows`.
    starts: Vec<usize>,
    /// Places of the blocks below the diagonal, sorted in every column.
    rows: Vec<u32>,
    /// Whether each block column is a joint.
    joint: Vec<bool>,
}

/// Where a block is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    column: u32,
    /// 0 for the diagonal block, otherwise 1 + index below it.
    offset: u32,
    transposed: bool,
}

impl BlockPattern {
    /// The pattern with the given pairs (any order, repeated or not) over blocks at `positions` (m), which guide the order.
    pub fn new(
        positions: &[DVec3],
        pairs: impl IntoIterator<Item = (usize, usize)>,
        serves: Use,
    ) -> Self {
        Self::with_joints(positions, pairs, &[], serves)
    }

    /// The same with joints: blocks that are eliminated after all that they join, which can then be factored piece by piece
    /// ([`super::Cholesky::factor_changed`]).
    pub fn with_joints(
        positions: &[DVec3],
        pairs: impl IntoIterator<Item = (usize, usize)>,
        joints: &[usize],
        serves: Use,
    ) -> Self {
        let blocks = positions.len();
        let mut pairs: Vec<(usize, usize)> = pairs.into_iter().filter(|(a, b)| a != b).collect();
        let place = elimination_order(positions, &pairs, joints, serves);
        let mut joint = vec![false; blocks];
        joints.iter().for_each(|b| joint[place[*b] as usize] = true);
        for (a, b) in &mut pairs {
            let (p, q) = (place[*a] as usize, place[*b] as usize);
            (*a, *b) = (p.min(q), p.max(q));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let starts = column_starts(blocks, pairs.iter().map(|(column, _)| *column));
        let rows = pairs.iter().map(|(_, row)| *row as u32).collect();
        Self { place, starts, rows, joint }
    }

    /// Number of blocks on the diagonal.
    pub fn blocks(&self) -> usize {
        self.place.len()
    }

    /// Place of a block in elimination order.
    pub fn place(&self, block: usize) -> usize {
        self.place[block] as usize
    }

    /// Where block (a, b) is stored; `None` if the pattern does not hold it.
    pub fn slot(&self, a: usize, b: usize) -> Option<Slot> {
        let (p, q) = (self.place[a], self.place[b]);
        let (column, row) = (p.min(q), p.max(q));
        let below = self.below(column as usize);
        let offset = if p == q { 0 } else { 1 + below.binary_search(&row).ok()? as u32 };
        Some(Slot { column, offset, transposed: p < q })
    }

    /// Whether a block column is a joint.
    pub(super) fn is_joint(&self, column: usize) -> bool {
        self.joint[column]
    }

    /// Places of the blocks below the diagonal of a block column, ascending.
    pub(super) fn below(&self, column: usize) -> &[u32] {
        &self.rows[self.below_range(column)]
    }

    /// Where [`Self::below`] is in the list over all columns.
    pub(super) fn below_range(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }
}

/// Values over a [`BlockPattern`], stored as the scalar compressed columns of the lower triangle.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    /// Scalar start of every block column.
    starts: Vec<usize>,
    /// Blocks below the diagonal in every block column.
    below: Vec<u32>,
    values: Vec<f64>,
}

impl BlockMatrix {
    /// All zeros.
    pub fn zeros(pattern: &BlockPattern) -> Self {
        Self::over(pattern, |_| true)
    }

    /// All zeros, with room for some block columns (by their places in elimination order) only.
    pub fn over(pattern: &BlockPattern, has: impl Fn(usize) -> bool) -> Self {
        let below: Vec<u32> = pattern.starts.windows(2).map(|w| (w[1] - w[0]) as u32).collect();
        let mut starts = vec![0];
        for (column, m) in below.iter().enumerate() {
            let size = if has(column) { 6 + 9 * *m as usize } else { 0 };
            starts.push(starts[starts.len() - 1] + size);
        }
        let values = vec![0.0; starts[starts.len() - 1]];
        Self { starts, below, values }
    }

    /// Sets every value to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Leaves only what is between free axes: P A P + (1 - P), with P 1 along the free axes of every block and 0 along its held ones.
    pub fn project(&mut self, pattern: &BlockPattern, free: &[DVec3]) {
        let mut at_place = vec![DVec3::ONE; pattern.blocks()];
        free.iter().enumerate().for_each(|(block, free)| at_place[pattern.place(block)] = *free);
        for column in 0..pattern.blocks() {
            let (own, mut at) = (at_place[column], self.starts[column]);
            for c in 0..3 {
                for r in c..3 {
                    let held = if r == c { 1.0 - own[c] } else { 0.0 };
                    self.values[at] = self.values[at] * (own[r] * own[c]) + held;
                    at += 1;
                }
                for row in pattern.below(column) {
                    let across = at_place[*row as usize] * own[c];
                    self.values[at..at + 3]
                        .iter_mut()
                        .zip(across.to_array())
                        .for_each(|(v, s)| *v *= s);
                    at += 3;
                }
            }
        }
    }

    /// Adds some columns of another matrix over the same pattern, which may have fewer.
    pub fn add_columns(&mut self, other: &Self, adds: impl Fn(usize) -> bool) {
        let columns = self.starts.windows(2).zip(other.starts.windows(2)).enumerate();
        for (_, (own, others)) in columns.filter(|(column, _)| adds(*column)) {
            let (to, from) =
                (&mut self.values[own[0]..own[1]], &other.values[others[0]..others[1]]);
            assert!(from.is_empty() || to.len() == from.len(), "no room for a column");
            to.iter_mut().zip(from).for_each(|(value, by)| *value += by);
        }
    }

    /// Adds a block; of diagonal blocks the lower triangle counts.
    pub fn add(&mut self, slot: Slot, block: &DMat3) {
        let block = if slot.transposed { block.transpose() } else { *block };
        let columns = [block.x_axis, block.y_axis, block.z_axis];
        let below = 3 * self.below[slot.column as usize] as usize;
        let mut start = self.starts[slot.column as usize];
        assert!(start < self.starts[slot.column as usize + 1], "no room for a column");
        for (c, column) in columns.into_iter().enumerate() {
            if slot.offset == 0 {
                (c..3).for_each(|r| self.values[start + r - c] += column[r]);
            } else {
                let at = start + 3 - c + 3 * (slot.offset as usize - 1);
                let own = &mut self.values[at..at + 3];
                own.iter_mut().zip(column.to_array()).for_each(|(value, by)| *value += by);
            }
            start += 3 - c + below;
        }
    }

    /// A block.
    pub fn block(&self, slot: Slot) -> DMat3 {
        let below = 3 * self.below[slot.column as usize] as usize;
        let mut start = self.starts[slot.column as usize];
        let mut block = DMat3::ZERO;
        for c in 0..3 {
            if slot.offset == 0 {
                for r in c..3 {
                    let value = self.values[start + r - c];
                    (block.col_mut(c)[r], block.col_mut(r)[c]) = (value, value);
                }
            } else {
                let at = start + 3 - c + 3 * (slot.offset as usize - 1);
                *block.col_mut(c) = DVec3::from_slice(&self.values[at..at + 3]);
            }
            start += 3 - c + below;
        }
        if slot.transposed { block.transpose() } else { block }
    }

    /// The largest entry of |A| w, w the weights of the blocks: how far A x is off if every entry of x may be off by its
    /// block's weight.
    pub fn largest_row(&self, pattern: &BlockPattern, weights: &[f64]) -> f64 {
        let mut at_place = vec![0.0; pattern.blocks()];
        weights.iter().enumerate().for_each(|(block, w)| at_place[pattern.place(block)] = *w);
        let mut rows = vec![[0.0; 3]; pattern.blocks()];
        for column in 0..pattern.blocks() {
            let mut values = self.column(column).iter().map(|v| v.abs());
            let mut next = || values.next().unwrap_or(0.0);
            for c in 0..3 {
                for r in c..3 {
                    let value = next() * at_place[column];
                    rows[column][r] += value;
                    rows[column][c] += if r == c { 0.0 } else { value };
                }
                for row in pattern.below(column).iter().map(|row| *row as usize) {
                    for r in 0..3 {
                        let value = next();
                        rows[row][r] += value * at_place[column];
                        rows[column][c] += value * at_place[row];
                    }
                }
            }
        }
        rows.as_flattened().iter().copied().fold(0.0, f64::max)
    }

    /// Scalar values of a block column of the lower triangle: 3 + 3 m of its first column, 2 + 3 m of its second and
    /// 1 + 3 m of its third, for m blocks below the diagonal.
    pub(super) fn column(&self, column: usize) -> &[f64] {
        &self.values[self.starts[column]..self.starts[column + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_some_columns_add_up() {
        // A chain of three: one matrix has the columns of the ends, the other that of the middle, and together they are the whole.
        let positions = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        let pattern = BlockPattern::new(&positions, [(0, 1), (1, 2)], Use::Lasting);
        let middle = pattern.place(1);
        let mut parts = [true, false]
            .map(|is_end| BlockMatrix::over(&pattern, |column| (column != middle) == is_end));
        let (mut whole, mut sum) = (BlockMatrix::zeros(&pattern), BlockMatrix::zeros(&pattern));
        for (k, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2)].into_iter().enumerate() {
            let slot = pattern.slot(a, b).expect("in the pattern");
            let block = DMat3::from_diagonal(DVec3::splat(1.0 + k as f64));
            whole.add(slot, &block);
            parts[usize::from(slot.column as usize == middle)].add(slot, &block);
        }
        assert!(parts.iter().all(|part| part.values.len() < whole.values.len()));
        parts.iter().for_each(|part| sum.add_columns(part, |_| true));
        assert_eq!(sum.values, whole.values);
        let mut ends = BlockMatrix::zeros(&pattern);
        ends.add_columns(&whole, |column| column != middle);
        assert_eq!(ends.column(middle).iter().map(|v| v.abs()).sum::<f64>(), 0.0);
    }

    #[test]
    fn a_block_comes_back_as_it_was_added() {
        let pattern = BlockPattern::new(&[DVec3::ZERO, DVec3::X], [(0, 1)], Use::Lasting);
        let mut matrix = BlockMatrix::zeros(&pattern);
        let block = DMat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let slot = |a, b| pattern.slot(a, b).expect("in the pattern");
        matrix.add(slot(0, 1), &block);
        matrix.add(slot(1, 1), &(block + block.transpose()));
        assert_eq!(matrix.block(slot(0, 1)), block);
        assert_eq!(matrix.block(slot(1, 0)), block.transpose());
        assert_eq!(matrix.block(slot(1, 1)), block + block.transpose());
    }

    #[test]
    #[should_panic(expected = "no room")]
    fn a_column_that_is_not_there_takes_nothing() {
        let pattern = BlockPattern::new(&[DVec3::ZERO, DVec3::X], [(0, 1)], Use::Lasting);
        let mut matrix = BlockMatrix::over(&pattern, |column| column == 1);
        let first = (0..2).find(|b| pattern.place(*b) == 0).expect("a first block");
        matrix.add(pattern.slot(first, first).expect("diagonal"), &DMat3::IDENTITY);
    }

    #[test]
    fn largest_row_is_that_of_the_whole_matrix() {
        // Blocks 0-1 and 1-2 joined, of alternating signs.
        let positions = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        let pattern = BlockPattern::new(&positions, [(0, 1), (1, 2)], Use::Lasting);
        let mut matrix = BlockMatrix::zeros(&pattern);
        let diagonal = DMat3::from_cols_array(&[4.0, -1.0, 0.5, -1.0, 5.0, 2.0, 0.5, 2.0, 6.0]);
        let off = DMat3::from_cols_array(&[1.0, -2.0, 3.0, 4.0, -5.0, 6.0, -7.0, 8.0, 9.0]);
        let mut dense = [[0.0f64; 9]; 9];
        let mut put = |a: usize, b: usize, block: DMat3| {
            matrix.add(pattern.slot(a, b).expect("in the pattern"), &block);
            for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                dense[3 * a + r][3 * b + c] = block.col(c)[r];
                dense[3 * b + c][3 * a + r] = block.col(c)[r];
            }
        };
        (0..3).for_each(|i| put(i, i, diagonal));
        put(0, 1, off);
        put(1, 2, off * 0.5);
        // One block at a time, so that no entry can hide behind a larger row.
        for weights in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
            let row = |r: &[f64; 9]| (0..9).map(|c| r[c].abs() * weights[c / 3]).sum::<f64>();
            let expected = dense.iter().map(row).fold(0.0, f64::max);
            assert!((matrix.largest_row(&pattern, &weights) - expected).abs() < 1e-12);
        }
    }
}
