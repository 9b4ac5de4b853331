//! Projection of the 9x9 Hessian of an energy density onto the positive semidefinite cone.

use super::jacobi::project_small;
use cupule_geometry::DMat3;

/// A symmetric 9x9 matrix over the entries of a 3x3 matrix, column by column.
pub type Matrix9 = [[f64; 9]; 9];

/// The nearest positive semidefinite matrix: negative eigenvalues become zero. Most Hessians are definite already, and
/// a Cholesky attempt (0.3 us) tells so much sooner than eigenvalues do.
pub fn project_to_spd(h: &Matrix9) -> Matrix9 {
    if is_definite(h) {
        return *h;
    }
    project_small(h)
}

/// Whether Cholesky's factor exists.
pub fn is_definite(h: &Matrix9) -> bool {
    let mut l = *h;
    for j in 0..9 {
        let pivot = l[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<f64>();
        if pivot <= 0.0 || pivot.is_nan() {
            return false;
        }
        let root = pivot.sqrt();
        l[j][j] = root;
        for i in j + 1..9 {
            l[i][j] = (l[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>()) / root;
        }
    }
    true
}

/// Adds `weight * (a outer b)` of two 3x3 matrices seen as 9-vectors.
pub fn add_outer9(h: &mut Matrix9, a: &DMat3, b: &DMat3, weight: f64) {
    let (a, b) = (a.to_cols_array(), b.to_cols_array());
    for (row, ai) in h.iter_mut().zip(a) {
        for (entry, bj) in row.iter_mut().zip(b) {
            *entry += weight * ai * bj;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_direction_is_removed_and_the_rest_kept() {
        let mut h = [[0.0; 9]; 9];
        for (i, row) in h.iter_mut().enumerate() {
            row[i] = i as f64 - 3.0;
        }
        let p = project_to_spd(&h);
        for (i, row) in p.iter().enumerate() {
            assert!((row[i] - (i as f64 - 3.0).max(0.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn definite_matrix_is_untouched() {
        let mut h = [[0.1; 9]; 9];
        for (i, row) in h.iter_mut().enumerate() {
            row[i] = 2.0;
        }
        assert_eq!(project_to_spd(&h), h);
    }
}
