//! The compliance W = H A^-1 H^T of constraint rows, by forward half-solves only.
//!
//! With A = L L^T and Y = L^-1 H^T, W = Y^T Y. A column of Y differs from zero only in the supernodes that its row
//! touches and in their ancestors in the elimination tree. With columns sorted by the first place they touch, the columns
//! that are active in a supernode lie in a short range; every supernode keeps a dense panel of that range alone.

use super::cholesky::Cholesky;
use cupule_geometry::DVec3;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::{matmul, triangular_solve};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::ops::Range;

/// A constraint row: coefficients over blocks.
pub type SparseRow = Vec<(usize, DVec3)>;

/// The order in which rows are best given to [`compliance`]: by the first place that they touch in elimination order.
/// Rows are in groups of `group` that stay together (the three rows of a contact).
pub fn row_order(cholesky: &Cholesky, rows: &[SparseRow], group: usize) -> Vec<usize> {
    let first = |row: &SparseRow| row.iter().map(|(b, _)| cholesky.pattern().place(*b)).min();
    let keys: Vec<Option<usize>> =
        rows.chunks(group).map(|rows| rows.iter().filter_map(first).min()).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    order
}

/// Dense symmetric W (both triangles) of `rows` over the blocks of `cholesky`, in the order of `rows`, which is fast if it
/// is that of [`row_order`].
pub fn compliance(cholesky: &Cholesky, rows: &[SparseRow]) -> Mat<f64> {
    let active = active_ranges(cholesky, rows);
    let mut panels = Panels::new(cholesky, active);
    panels.load(cholesky, rows);
    panels.forward(cholesky);
    let mut w = panels.gram(rows.len());
    for j in 0..rows.len() {
        for i in j + 1..rows.len() {
            w[(j, i)] = w[(i, j)];
        }
    }
    w
}

/// For every supernode the range of columns that are active in it.
fn active_ranges(cholesky: &Cholesky, rows: &[SparseRow]) -> Vec<Range<usize>> {
    let lower = cholesky.lower();
    let count = lower.symbolic().n_supernodes();
    let parent = |s: usize| lower.supernode(s).pattern().first().map(|&r| cholesky.supernode_of(r));
    let mut ranges: Vec<Range<usize>> = vec![0..0; count];
    let mut seen_by = vec![usize::MAX; count];
    for (column, row) in rows.iter().enumerate() {
        for (block, _) in row {
            let mut next = Some(cholesky.supernode_of(3 * cholesky.pattern().place(*block)));
            while let Some(s) = next.filter(|&s| seen_by[s] != column) {
                seen_by[s] = column;
                let range = &mut ranges[s];
                *range = if Range::is_empty(range) {
                    column..column + 1
                } else {
                    range.start..column + 1
                };
                next = parent(s);
            }
        }
    }
    ranges
}

/// Y, as one row-major panel a supernode.
struct Panels {
    active: Vec<Range<usize>>,
    starts: Vec<usize>,
    values: Vec<f64>,
}

impl Panels {
    fn new(cholesky: &Cholesky, active: Vec<Range<usize>>) -> Self {
        let parts = cholesky.lower().symbolic();
        let mut starts = vec![0];
        for (s, range) in active.iter().enumerate() {
            let height = parts.supernode_end()[s] - parts.supernode_begin()[s];
            starts.push(starts[s] + height * range.len());
        }
        let values = vec![0.0; starts[active.len()]];
        Self { active, starts, values }
    }

    fn load(&mut self, cholesky: &Cholesky, rows: &[SparseRow]) {
        for (column, row) in rows.iter().enumerate() {
            for (block, coefficient) in row {
                let at = 3 * cholesky.pattern().place(*block);
                for (r, value) in coefficient.to_array().into_iter().enumerate() {
                    let place = self.place(cholesky, at + r, column);
                    self.values[place] += value;
                }
            }
        }
    }

    fn place(&self, cholesky: &Cholesky, scalar: usize, column: usize) -> usize {
        let s = cholesky.supernode_of(scalar);
        let row = scalar - cholesky.lower().symbolic().supernode_begin()[s];
        self.starts[s] + row * self.active[s].len() + column - self.active[s].start
    }

    /// Y <- L^-1 Y, supernode by supernode.
    fn forward(&mut self, cholesky: &Cholesky) {
        let lower = cholesky.lower();
        let mut update = Vec::new();
        for s in 0..self.active.len() {
            let width = self.active[s].len();
            if width == 0 {
                continue;
            }
            let node = lower.supernode(s);
            let height = node.val().ncols();
            let (top, bottom) = node.val().split_at_row(height);
            let (head, tail) = self.values.split_at_mut(self.starts[s + 1]);
            let mut panel =
                MatMut::from_row_major_slice_mut(&mut head[self.starts[s]..], height, width);
            triangular_solve::solve_lower_triangular_in_place(top, panel.as_mut(), Par::Seq);
            update.clear();
            update.resize(bottom.nrows() * width, 0.0);
            let product = MatMut::from_row_major_slice_mut(&mut update, bottom.nrows(), width);
            matmul::matmul(product, Accum::Replace, bottom, panel.as_ref(), 1.0, Par::Seq);
            for (&row, values) in node.pattern().iter().zip(update.chunks_exact(width)) {
                let t = cholesky.supernode_of(row);
                let local = row - lower.symbolic().supernode_begin()[t];
                let offset = self.active[s].start - self.active[t].start;
                let at =
                    self.starts[t] - self.starts[s + 1] + local * self.active[t].len() + offset;
                tail[at..at + width].iter_mut().zip(values).for_each(|(y, u)| *y -= u);
            }
        }
    }

    /// Lower triangle of Y^T Y.
    fn gram(&self, columns: usize) -> Mat<f64> {
        let mut w = Mat::zeros(columns, columns);
        for (s, range) in self.active.iter().enumerate().filter(|(_, r)| !Range::is_empty(r)) {
            let values = &self.values[self.starts[s]..self.starts[s + 1]];
            let panel =
                MatRef::from_row_major_slice(values, values.len() / range.len(), range.len());
            triangular::matmul(
                w.as_mut().submatrix_mut(range.start, range.start, range.len(), range.len()),
                BlockStructure::TriangularLower,
                Accum::Add,
                panel.transpose(),
                BlockStructure::Rectangular,
                panel,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        }
        w
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BlockMatrix, BlockPattern};
    use super::*;
    use cupule_geometry::DMat3;
    use glam::Vec3Swizzles;

    /// A grid graph with springs between neighbours: positive definite, with a branching elimination tree.
    fn grid(side: usize) -> Cholesky {
        let at = |i: usize, j: usize| i * side + j;
        let mut pairs = Vec::new();
        for i in 0..side {
            for j in 0..side {
                if i + 1 < side {
                    pairs.push((at(i, j), at(i + 1, j)));
                }
                if j + 1 < side {
                    pairs.push((at(i, j), at(i, j + 1)));
                }
            }
        }
        let positions: Vec<DVec3> = (0..side * side)
            .map(|k| DVec3::new((k / side) as f64, (k % side) as f64, 0.0))
            .collect();
        let pattern = BlockPattern::new(&positions, pairs.iter().copied());
        let mut a = BlockMatrix::zeros(&pattern);
        let spring = |k: usize| {
            let d = DVec3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.7);
            crate::math::outer(d, d) + DMat3::IDENTITY * 0.3
        };
        let slot = |a, b| pattern.slot(a, b).expect("a pair of the pattern");
        for (k, &(p, q)) in pairs.iter().enumerate() {
            let s = spring(k);
            a.add(slot(p, p), &s);
            a.add(slot(q, q), &s);
            a.add(slot(p, q), &-s);
        }
        (0..side * side).for_each(|b| a.add(slot(b, b), &(DMat3::IDENTITY * 0.2)));
        let mut cholesky = Cholesky::new(pattern.clone()).expect("small system");
        cholesky.factor(&a).expect("positive definite");
        cholesky
    }

    #[test]
    fn forward_only_compliance_equals_full_solves() {
        // W_ij = h_i . A^-1 h_j
        let mut cholesky = grid(9);
        let rows: Vec<SparseRow> = (0..20)
            .map(|k| {
                let d = DVec3::new(1.0, k as f64 * 0.1, -0.4);
                vec![((k * 17) % 81, d), ((k * 29 + 3) % 81, -d.yxz())]
            })
            .collect();
        let w = compliance(&cholesky, &rows);
        for (j, row) in rows.iter().enumerate() {
            let mut x = vec![DVec3::ZERO; 81];
            row.iter().for_each(|(b, c)| x[*b] += *c);
            cholesky.solve(&mut x);
            for (i, other) in rows.iter().enumerate() {
                let expected: f64 = other.iter().map(|(b, c)| c.dot(x[*b])).sum();
                assert!(
                    (w[(i, j)] - expected).abs() < 1e-12 * w[(j, j)],
                    "({i}, {j}): {} {expected}",
                    w[(i, j)]
                );
            }
        }
    }

    #[test]
    fn indefinite_system_names_the_block() {
        let pattern = BlockPattern::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], [(0, 1), (1, 2)]);
        let mut a = BlockMatrix::zeros(&pattern);
        for b in 0..3 {
            let sign = if b == 1 { -1.0 } else { 1.0 };
            a.add(pattern.slot(b, b).expect("diagonal"), &(DMat3::IDENTITY * sign));
        }
        let error = Cholesky::new(pattern).expect("small").factor(&a).expect_err("indefinite");
        assert_eq!(error, super::super::FactorError::NotPositive { block: 1 });
    }
}
