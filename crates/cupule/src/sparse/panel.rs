//! Dense Cholesky of a panel: the columns of a supernode with all rows below, in place.
//!
//! Halves of the columns go one after the other, joined by a matrix product, down to a few columns that fit the registers.
//! Against a dense factorisation of the top and a triangular solve of the rows below, more of the work is matrix product.

use faer::linalg::matmul::{self, triangular};
use faer::traits::pulp::{Arch, Simd, WithSimd};
use faer::{Accum, MatMut, MatRef, Par};
use triangular::BlockStructure;

/// Columns that are done in registers.
const NARROW: usize = 12;
/// From so many columns on, the half of a square product that is not needed costs more than a second product.
const WIDE: usize = 36;

/// L of the column-major `panel` of `height` rows, whose first rows are those of its columns (a multiple of 3).
/// Err is the first column whose pivot is not positive and finite.
pub(crate) fn factor_panel(panel: &mut [f64], height: usize) -> Result<(), usize> {
    columns(panel, height, 0, Arch::new())
}

/// `panel` starts with the column whose diagonal is in row `first`.
fn columns(panel: &mut [f64], height: usize, first: usize, arch: Arch) -> Result<(), usize> {
    let width = panel.len() / height;
    match width {
        3 => return narrow::<3>(panel, height, first, arch),
        6 => return narrow::<6>(panel, height, first, arch),
        9 => return narrow::<9>(panel, height, first, arch),
        NARROW => return narrow::<NARROW>(panel, height, first, arch),
        _ => (),
    }
    let half = (width / 2).next_multiple_of(NARROW).min(width - 3);
    let (left, right) = panel.split_at_mut(half * height);
    columns(left, height, first, arch)?;
    let middle = first + half;
    let done = MatRef::from_column_major_slice(left, height, half).subrows(middle, height - middle);
    let open = MatMut::from_column_major_slice_mut(right, height, width - half);
    subtract_product(done, open.subrows_mut(middle, height - middle));
    columns(right, height, middle, arch)
}

/// Lower part of `open` -= B B1^T with B1 the first rows of B, as many as `open` has columns.
fn subtract_product(b: MatRef<'_, f64>, open: MatMut<'_, f64>) {
    let width = open.ncols();
    let first = b.subrows(0, width).transpose();
    if width < WIDE {
        return matmul::matmul(open, Accum::Add, b, first, -1.0, Par::Seq);
    }
    let (top, bottom) = open.split_at_row_mut(width);
    triangular::matmul(
        top,
        BlockStructure::TriangularLower,
        Accum::Add,
        b.subrows(0, width),
        BlockStructure::Rectangular,
        first,
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
    let below = b.subrows(width, b.nrows() - width);
    matmul::matmul(bottom, Accum::Add, below, first, -1.0, Par::Seq);
}

fn narrow<const N: usize>(
    panel: &mut [f64],
    height: usize,
    first: usize,
    arch: Arch,
) -> Result<(), usize> {
    let mut own = [[0.0; N]; N];
    for (j, column) in panel.chunks_exact(height).enumerate() {
        (j..N).for_each(|i| own[i][j] = column[first + i]);
    }
    let scales = triangle(&mut own).map_err(|column| first + column)?;
    let mut below = panel.chunks_exact_mut(height).enumerate().map(|(j, column)| {
        let (own_rows, below) = column[first..].split_at_mut(N);
        (j..N).for_each(|i| own_rows[i] = own[i][j]);
        below
    });
    let columns = std::array::from_fn(|_| below.next().unwrap_or_default());
    arch.dispatch(Below { own, scales, columns });
    Ok(())
}

/// Cholesky of a small lower triangle by rows; the reciprocals of its diagonal.
fn triangle<const N: usize>(a: &mut [[f64; N]; N]) -> Result<[f64; N], usize> {
    let mut scales = [0.0; N];
    for j in 0..N {
        let pivot = a[j][j];
        // A comparison that NaN fails.
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return Err(j);
        }
        a[j][j] = pivot.sqrt();
        scales[j] = 1.0 / a[j][j];
        (j + 1..N).for_each(|i| a[i][j] *= scales[j]);
        for k in j + 1..N {
            (k..N).for_each(|i| a[i][k] -= a[i][j] * a[k][j]);
        }
    }
    Ok(scales)
}

/// B <- B L^-T of the rows below a small triangle.
struct Below<'a, const N: usize> {
    own: [[f64; N]; N],
    scales: [f64; N],
    columns: [&'a mut [f64]; N],
}

impl<const N: usize> WithSimd for Below<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let rows = self.columns[0].len();
        let mut heads: [&mut [S::f64s]; N] = std::array::from_fn(|_| Default::default());
        let mut tails: [&mut [f64]; N] = std::array::from_fn(|_| Default::default());
        for (j, column) in self.columns.into_iter().enumerate() {
            (heads[j], tails[j]) = S::as_mut_simd_f64s(column);
        }
        let vectors = heads[0].len();
        #[expect(clippy::needless_range_loop, reason = "all columns go together, row by row")]
        for i in 0..vectors {
            let mut x: [S::f64s; N] = std::array::from_fn(|j| heads[j][i]);
            solve_row(simd, &self.own, &self.scales, &mut x);
            (0..N).for_each(|j| heads[j][i] = x[j]);
        }
        if vectors * S::F64_LANES < rows {
            let mut x: [S::f64s; N] = std::array::from_fn(|j| simd.partial_load_f64s(tails[j]));
            solve_row(simd, &self.own, &self.scales, &mut x);
            (0..N).for_each(|j| simd.partial_store_f64s(tails[j], x[j]));
        }
    }
}

#[inline(always)]
fn solve_row<S: Simd, const N: usize>(
    simd: S,
    own: &[[f64; N]; N],
    scales: &[f64; N],
    x: &mut [S::f64s; N],
) {
    for j in 0..N {
        x[j] = simd.mul_f64s(x[j], simd.splat_f64s(scales[j]));
        let minus = simd.neg_f64s(x[j]);
        for i in j + 1..N {
            x[i] = simd.mul_add_e_f64s(minus, simd.splat_f64s(own[i][j]), x[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(i: usize, j: usize) -> f64 {
        if i == j { 90.0 } else { ((7 * i + 13 * j + i * j) % 17) as f64 / 17.0 }
    }

    fn panel(height: usize, width: usize) -> Vec<f64> {
        (0..width).flat_map(|j| (0..height).map(move |i| entry(i, j))).collect()
    }

    #[test]
    fn factor_times_its_transpose_is_the_panel() {
        for (width, below) in
            [(3, 0), (6, 1), (9, 6), (12, 21), (15, 0), (33, 40), (75, 12), (96, 3)]
        {
            let height = width + below;
            let mut l = panel(height, width);
            factor_panel(&mut l, height).expect("dominant diagonal");
            for j in 0..width {
                for i in j..height {
                    let product: f64 = (0..=j).map(|k| l[k * height + i] * l[k * height + j]).sum();
                    let error = (product - entry(i, j)).abs();
                    assert!(error < 1e-12, "({i}, {j}) of {width} + {below}: {error}");
                }
            }
        }
    }

    #[test]
    fn first_bad_pivot_is_named() {
        for bad in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let mut l = panel(60, 48);
            l[31 * 60 + 31] = bad;
            l[40 * 60 + 40] = bad;
            assert_eq!(factor_panel(&mut l, 60), Err(31));
        }
    }
}
