//! The compliance W = H A^-1 H^T of constraint rows, by forward half-solves only.
//!
//! With A = L L^T and Y = L^-1 H^T, W = Y^T Y. A column of Y differs from zero only in the supernodes that its row
//! touches and in their ancestors in the elimination tree. With columns sorted by the first place they touch, the columns
//! that are active in a supernode lie in a short range; every supernode keeps a dense panel of that range alone.

use super::cholesky::Cholesky;
use super::fronts::{self, Children, Front, Layout, Size};
use super::gram::gram;
use cupule_geometry::DVec3;
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
    let half = HalfSolve { cholesky, active: active_ranges(cholesky, rows) };
    let nodes = cholesky.nodes();
    let layout = half.layout();
    let mut memory = cholesky.take_memory();
    let length = layout.panels_len() + layout.stack();
    memory.resize(length.max(memory.len()), 0.0);
    let (panels, stack) = memory.split_at_mut(layout.panels_len());
    half.load(&layout, rows, panels);
    let solved = fronts::run(nodes, &layout, &half, panels, stack);
    debug_assert!(solved.is_ok(), "a half-solve has no way to fail");
    let w = gram(rows.len(), &half.active, |s| &panels[layout.panel(s)]);
    cholesky.return_memory(memory);
    w
}

/// For every supernode the range of columns that are active in it.
fn active_ranges(cholesky: &Cholesky, rows: &[SparseRow]) -> Vec<Range<usize>> {
    let nodes = cholesky.nodes();
    let parent = |s: usize| nodes[s].rows.first().map(|&r| cholesky.supernode_of(r as usize));
    let mut ranges: Vec<Range<usize>> = vec![0..0; nodes.len()];
    let mut seen_by = vec![usize::MAX; nodes.len()];
    for (column, row) in rows.iter().enumerate() {
        for (block, _) in row {
            let mut next = Some(cholesky.supernode_of(cholesky.pattern().place(*block)));
            while let Some(s) = next.filter(|&s| seen_by[s] != column) {
                seen_by[s] = column;
                let range = &mut ranges[s];
                let start = if Range::is_empty(range) { column } else { range.start };
                *range = start..column + 1;
                next = parent(s);
            }
        }
    }
    ranges
}

/// Y <- L^-1 Y, with one row-major panel a supernode over its active columns.
struct HalfSolve<'a> {
    cholesky: &'a Cholesky,
    active: Vec<Range<usize>>,
}

impl HalfSolve<'_> {
    fn layout(&self) -> Layout {
        let nodes = self.cholesky.nodes();
        Layout::new(nodes, |s| {
            let (width, below, active) = (nodes[s].width(), nodes[s].below(), self.active[s].len());
            let work = (active * width * (width + 2 * below)) as f64 / 2.0;
            Size { panel: width * active, update: below * active, work, may_stay: false }
        })
    }

    fn load(&self, layout: &Layout, rows: &[SparseRow], panels: &mut [f64]) {
        panels.fill(0.0);
        let cholesky = self.cholesky;
        for (column, row) in rows.iter().enumerate() {
            for (block, coefficient) in row {
                let place = cholesky.pattern().place(*block);
                let s = cholesky.supernode_of(place);
                let (active, local) = (&self.active[s], 3 * (place - cholesky.nodes()[s].begin));
                let at = layout.panel(s).start + local * active.len() + column - active.start;
                for (r, value) in coefficient.to_array().into_iter().enumerate() {
                    panels[at + r * active.len()] += value;
                }
            }
        }
    }
}

impl Front for HalfSolve<'_> {
    fn finish(
        &self,
        s: usize,
        panel: &mut [f64],
        update: &mut [f64],
        children: &Children<'_>,
    ) -> Result<(), usize> {
        let nodes = self.cholesky.nodes();
        let (width, below) = (nodes[s].width(), nodes[s].below());
        let active = &self.active[s];
        let lower = MatRef::from_column_major_slice(self.cholesky.panel(s), width + below, width);
        let (top, bottom) = lower.split_at_row(width);
        for (child, values) in children.iter() {
            self.add_rows(child, values, panel, active, 0..width);
        }
        let mut y = MatMut::from_row_major_slice_mut(panel, width, active.len());
        triangular_solve::solve_lower_triangular_in_place(top, y.as_mut(), Par::Seq);
        let product = MatMut::from_row_major_slice_mut(update, below, active.len());
        matmul::matmul(product, Accum::Replace, bottom, y.as_ref(), -1.0, Par::Seq);
        for (child, values) in children.iter() {
            self.add_rows(child, values, update, active, width..width + below);
        }
        Ok(())
    }
}

impl HalfSolve<'_> {
    /// Adds those rows of a child's update that are in `part` of its parent's front.
    fn add_rows(
        &self,
        child: usize,
        update: &[f64],
        out: &mut [f64],
        active: &Range<usize>,
        part: Range<usize>,
    ) {
        let own = &self.active[child];
        if own.is_empty() {
            return;
        }
        let offset = own.start - active.start;
        let runs = &self.cholesky.nodes()[child].runs;
        for run in runs.iter().filter(|run| part.contains(&run.target)) {
            let source = update[run.source * own.len()..].chunks_exact(own.len());
            let target =
                out[(run.target - part.start) * active.len()..].chunks_exact_mut(active.len());
            for (source, target) in source.zip(target).take(run.len) {
                let target = &mut target[offset..offset + own.len()];
                target.iter_mut().zip(source).for_each(|(t, s)| *t += s);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{Grid, threads};
    use super::*;
    use glam::Vec3Swizzles;

    fn rows(blocks: usize, count: usize) -> Vec<SparseRow> {
        (0..count)
            .map(|k| {
                let d = DVec3::new(1.0, k as f64 * 0.1, -0.4);
                vec![((k * 17) % blocks, d), ((k * 29 + 3) % blocks, -d.yxz())]
            })
            .collect()
    }

    #[test]
    fn forward_only_compliance_equals_full_solves() {
        // W_ij = h_i . A^-1 h_j, with a row that touches nothing too.
        let grid = Grid::new([9, 9, 1], 3);
        let cholesky = grid.factored();
        let mut rows = rows(81, 20);
        rows.insert(7, Vec::new());
        let w = compliance(&cholesky, &rows);
        for (j, row) in rows.iter().enumerate() {
            let mut x = vec![DVec3::ZERO; 81];
            row.iter().for_each(|(b, c)| x[*b] += *c);
            cholesky.solve(&mut x);
            for (i, other) in rows.iter().enumerate() {
                let expected: f64 = other.iter().map(|(b, c)| c.dot(x[*b])).sum();
                let scale = w[(j, j)].max(w[(i, i)]);
                assert!((w[(i, j)] - expected).abs() <= 1e-12 * scale, "({i}, {j}): {expected}");
            }
        }
    }

    #[test]
    fn compliance_is_the_same_for_any_number_of_threads() {
        let grid = Grid::new([8, 8, 12], 5);
        let cholesky = grid.factored();
        let rows = rows(8 * 8 * 12, 210);
        let order = row_order(&cholesky, &rows, 3);
        let rows: Vec<SparseRow> =
            order.iter().flat_map(|g| rows[3 * g..3 * g + 3].to_vec()).collect();
        let ranges = active_ranges(&cholesky, &rows);
        let half = HalfSolve { cholesky: &cholesky, active: ranges };
        assert!(half.layout().has_threads(), "large enough to be shared");
        let one = threads(1, || compliance(&cholesky, &rows));
        let two = threads(2, || compliance(&cholesky, &rows));
        let bits = |w: &Mat<f64>| -> Vec<u64> {
            w.col_iter().flat_map(|c| c.iter().map(|v| v.to_bits()).collect::<Vec<_>>()).collect()
        };
        assert_eq!(bits(&one), bits(&two));
    }

    #[test]
    fn no_rows_have_no_compliance() {
        let w = compliance(&Grid::new([3, 1, 1], 1).factored(), &[]);
        assert_eq!((w.nrows(), w.ncols()), (0, 0));
    }
}
