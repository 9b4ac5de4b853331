//! Projection of small symmetric matrices onto the positive semidefinite cone, by Jacobi's rotations.
//!
//! For five to twelve rows the rotations need no memory and a few microseconds; a general eigenvalue solver needs ten times
//! that before it starts.

/// A cyclic Jacobi iteration converges quadratically: so many sweeps are never needed.
const MOST_SWEEPS: usize = 30;

/// The nearest positive semidefinite matrix: negative eigenvalues become zero. Non-finite entries stay what they are.
pub fn project_small<const N: usize>(a: &[[f64; N]; N]) -> [[f64; N]; N] {
    let (values, vectors) = eigen(a);
    if values.iter().all(|v| *v >= 0.0) {
        return *a;
    }
    let mut out = [[0.0; N]; N];
    for k in (0..N).filter(|k| values[*k] > 0.0) {
        for (i, row) in out.iter_mut().enumerate() {
            let scaled = vectors[i][k] * values[k];
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += scaled * vectors[j][k];
            }
        }
    }
    out
}

/// Eigenvalues, and eigenvectors in the columns.
fn eigen<const N: usize>(a: &[[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut a = *a;
    let mut v = [[0.0; N]; N];
    (0..N).for_each(|i| v[i][i] = 1.0);
    for _ in 0..MOST_SWEEPS {
        let off: f64 =
            (0..N).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let on: f64 = (0..N).map(|i| a[i][i] * a[i][i]).sum();
        if off.is_nan() || off <= 1e-30 * on {
            break;
        }
        for p in 0..N {
            for q in p + 1..N {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

/// Turns rows and columns p and q so that their common entry vanishes.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], v: &mut [[f64; N]; N], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    // 1e100: beyond, the square root would overflow, and the turn is none.
    let size = theta.abs().min(1e100);
    let t = theta.signum() / (size + (size * size + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let (row_p, row_q) = (a[p], a[q]);
    a[p] = std::array::from_fn(|k| c * row_p[k] - s * row_q[k]);
    a[q] = std::array::from_fn(|k| s * row_p[k] + c * row_q[k]);
    for row in a.iter_mut().chain(v.iter_mut()) {
        let (kp, kq) = (row[p], row[q]);
        (row[p], row[q]) = (c * kp - s * kq, s * kp + c * kq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::{Mat, Side};
    use proptest::prelude::*;

    proptest! {
        /// The projection has the eigenvalues max(0, l) of a general solver, and the same eigenvectors.
        #[test]
        fn agrees_with_a_general_solver(entries in prop::collection::vec(-1.0..1.0f64, 36), scale in -12f64..12.0) {
            let scale = 10f64.powf(scale);
            let a: [[f64; 6]; 6] = std::array::from_fn(|i| {
                std::array::from_fn(|j| (entries[6 * i + j] + entries[6 * j + i]) * scale)
            });
            let projected = project_small(&a);
            let general = Mat::from_fn(6, 6, |i, j| a[i][j]);
            let eigen = general.self_adjoint_eigen(Side::Lower).expect("finite");
            let (u, s) = (eigen.U(), eigen.S());
            for i in 0..6 {
                for j in 0..6 {
                    let expected: f64 = (0..6).map(|k| u[(i, k)] * s[k].max(0.0) * u[(j, k)]).sum();
                    prop_assert!((projected[i][j] - expected).abs() < 1e-12 * scale);
                }
            }
        }
    }

    #[test]
    fn semidefinite_matrices_stay_and_negative_ones_vanish() {
        let a = [[1.0, 1.0], [1.0, 1.0]];
        let projected = project_small(&a);
        assert!(projected.iter().flatten().all(|v| (v - 1.0).abs() < 1e-15));
        let negative = project_small(&[[-1.0, 0.5], [0.5, -2.0]]);
        assert_eq!(negative, [[0.0; 2]; 2]);
    }
}
