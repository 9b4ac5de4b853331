//! W = Y^T Y of panels that hold different ranges of columns.
//!
//! W is made in tiles of columns, each by one thread and with the panels in their order: sums are the same for any number of
//! threads.

use faer::linalg::matmul::{self, triangular};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::ops::Range;
use triangular::BlockStructure;

/// Columns of a tile.
const TILE: usize = 96;
/// Multiplications from which on tiles are made by separate threads.
const WORTH_A_THREAD: usize = 3_000_000;

/// Both triangles of the sum over panels s (row-major, over columns `active[s]`) of Y_s^T Y_s.
pub(super) fn gram<'a>(
    columns: usize,
    active: &[Range<usize>],
    panel: impl Fn(usize) -> &'a [f64] + Sync,
) -> Mat<f64> {
    let panels: Vec<(Range<usize>, MatRef<'a, f64>)> = active
        .iter()
        .enumerate()
        .filter(|(_, range)| !range.is_empty())
        .map(|(s, range)| {
            let values = panel(s);
            let rows = values.len() / range.len();
            (range.clone(), MatRef::from_row_major_slice(values, rows, range.len()))
        })
        .collect();
    let work: usize = panels.iter().map(|(r, y)| y.nrows() * r.len() * r.len() / 2).sum();
    let mut w = Mat::zeros(columns, columns);
    tiles(&panels, w.as_mut(), 0, work >= WORTH_A_THREAD);
    mirror(w.as_mut());
    w
}

/// Tiles of the columns `w` of W from column `first` on.
fn tiles(
    panels: &[(Range<usize>, MatRef<'_, f64>)],
    w: MatMut<'_, f64>,
    first: usize,
    threads: bool,
) {
    let columns = w.ncols();
    if columns <= TILE {
        return tile(panels, w, first);
    }
    let middle = columns.div_ceil(TILE) / 2 * TILE;
    let (left, right) = w.split_at_col_mut(middle);
    let halves =
        (|| tiles(panels, left, first, threads), || tiles(panels, right, first + middle, threads));
    if threads {
        rayon::join(halves.0, halves.1);
    } else {
        (halves.0)();
        (halves.1)();
    }
}

/// Columns `first..` of the lower triangle: a triangle on the diagonal and a rectangle below.
fn tile(panels: &[(Range<usize>, MatRef<'_, f64>)], mut w: MatMut<'_, f64>, first: usize) {
    let end = first + w.ncols();
    for (range, y) in panels {
        let (from, to) = (range.start.max(first), range.end.min(end));
        if from >= to {
            continue;
        }
        let own = y.subcols(from - range.start, to - from);
        let (upper, lower) = w.as_mut().subcols_mut(from - first, to - from).split_at_row_mut(to);
        triangular::matmul(
            upper.subrows_mut(from, to - from),
            BlockStructure::TriangularLower,
            Accum::Add,
            own.transpose(),
            BlockStructure::Rectangular,
            own,
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        if to < range.end {
            let below = y.subcols(to - range.start, range.end - to);
            let lower = lower.subrows_mut(0, range.end - to);
            matmul::matmul(lower, Accum::Add, below.transpose(), own, 1.0, Par::Seq);
        }
    }
}

/// Upper triangle from the lower, in squares that stay in the cache.
pub(super) fn mirror(mut w: MatMut<'_, f64>) {
    const SQUARE: usize = 32;
    let n = w.ncols();
    for column in (0..n).step_by(SQUARE) {
        for row in (column..n).step_by(SQUARE) {
            for j in column..(column + SQUARE).min(n) {
                for i in row.max(j + 1)..(row + SQUARE).min(n) {
                    w[(j, i)] = w[(i, j)];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_add_up_to_the_products_of_columns() {
        // W_ij = sum of Y_si Y_sj over the rows of all panels that hold both columns.
        let active = [0..5, 0..0, 3..210, 90..97, 100..230];
        let y =
            |s: usize, row: usize, column: usize| ((s + 3 * row + 5 * column) % 11) as f64 - 4.0;
        let values: Vec<Vec<f64>> = (0..active.len())
            .map(|s| {
                let row = |r: usize| active[s].clone().map(move |c| y(s, r, c));
                (0..6).flat_map(row).collect()
            })
            .collect();
        let w = gram(230, &active, |s| &values[s]);
        for i in 0..230 {
            for j in 0..230 {
                let holds = |s: &usize| active[*s].contains(&i) && active[*s].contains(&j);
                let product = |s: usize| (0..6).map(|r| y(s, r, i) * y(s, r, j)).sum::<f64>();
                let expected: f64 = (0..active.len()).filter(holds).map(product).sum();
                assert_eq!(w[(i, j)], expected, "({i}, {j})");
            }
        }
    }
}
