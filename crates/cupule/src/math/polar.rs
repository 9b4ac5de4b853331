//! The rotation nearest to a matrix (polar decomposition), also for flattened and inverted matrices.
//!
//! Newton's iteration with determinant scaling (Higham) converges quadratically where det F is safely positive.
//! Elsewhere the rotation comes from the eigenvectors of F^T F, with the smallest axis mirrored, so that it stays a
//! rotation and an inverted element is pushed back the short way.

use super::{cofactor, double_dot};
use cupule_geometry::{DMat3, DVec3};

/// The rotation R that maximises R : F. For F = R S with S positive definite it is that R, to rounding.
pub fn nearest_rotation(f: DMat3) -> DMat3 {
    let size = double_dot(&f, &f).sqrt();
    let determinant = f.determinant();
    if !size.is_finite() || size == 0.0 {
        return DMat3::IDENTITY;
    }
    if determinant > 1e-3 * size.powi(3) { newton(f, determinant) } else { by_eigenvectors(f) }
}

fn newton(f: DMat3, determinant: f64) -> DMat3 {
    let mut r = f * determinant.cbrt().recip();
    for _ in 0..30 {
        let next = (r + cofactor(r) * r.determinant().recip()) * 0.5;
        let change = next - r;
        r = next;
        if double_dot(&change, &change) < 1e-30 {
            break;
        }
    }
    r
}

fn by_eigenvectors(f: DMat3) -> DMat3 {
    let (values, v) = symmetric_eigen(f.transpose() * f);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let [v0, v1] = [v.col(order[0]), v.col(order[1])];
    let u0 = (f * v0).normalize_or(DVec3::X);
    let image = f * v1;
    let aside = image - u0 * u0.dot(image);
    // Of a line the image of the second axis is rounding, and has no direction.
    let is_line = aside.length() <= 1e-12 * (f * v0).length();
    let u1 = if is_line { u0.any_orthonormal_vector() } else { aside.normalize() };
    DMat3::from_cols(u0, u1, u0.cross(u1)) * DMat3::from_cols(v0, v1, v0.cross(v1)).transpose()
}

/// F = U diag(sigma) V^T with rotations U and V; the smallest sigma is negative where F is inverted.
pub fn singular_values(f: DMat3) -> (DMat3, [f64; 3], DMat3) {
    let r = nearest_rotation(f);
    let stretch = r.transpose() * f;
    let (sigma, v) = symmetric_eigen((stretch + stretch.transpose()) * 0.5);
    (r * v, sigma, v)
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix by cyclic Jacobi rotations.
pub fn symmetric_eigen(mut a: DMat3) -> ([f64; 3], DMat3) {
    let mut v = DMat3::IDENTITY;
    let pairs = [(0, 1), (0, 2), (1, 2)];
    for _ in 0..12 {
        let off: f64 = pairs.iter().map(|&(p, q)| a.col(q)[p].powi(2)).sum();
        if off <= 1e-34 * double_dot(&a, &a) {
            break;
        }
        for (p, q) in pairs {
            let off = a.col(q)[p];
            if off.abs() < 1e-300 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * off);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = (t * t + 1.0).sqrt().recip();
            let s = t * c;
            let mut g = DMat3::IDENTITY;
            g.col_mut(p)[p] = c;
            g.col_mut(q)[q] = c;
            g.col_mut(p)[q] = -s;
            g.col_mut(q)[p] = s;
            a = g.transpose() * a * g;
            v *= g;
        }
    }
    ([a.x_axis.x, a.y_axis.y, a.z_axis.z], v)
}

/// The matrix G = tr(S) I - S of a polar decomposition F = R S: a change dF turns R by
/// d(theta) = G^-1 axl, in the body frame, where axl_i = eps_ijk (R^T dF)_kj.
pub fn rotation_derivative_matrix(rotation: DMat3, f: DMat3) -> DMat3 {
    let s = rotation.transpose() * f;
    DMat3::from_diagonal(DVec3::splat(s.x_axis.x + s.y_axis.y + s.z_axis.z)) - s
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupule_geometry::DQuat;

    fn rotation(axis: DVec3, angle: f64) -> DMat3 {
        DMat3::from_quat(DQuat::from_axis_angle(axis.normalize(), angle))
    }

    fn distance(a: DMat3, b: DMat3) -> f64 {
        let d = a - b;
        double_dot(&d, &d).sqrt()
    }

    #[test]
    fn rotation_times_stretch_gives_the_rotation_back() {
        let stretch = DMat3::from_cols_array(&[1.2, 0.1, 0.0, 0.1, 0.7, -0.2, 0.0, -0.2, 1.5]);
        for angle in [0.0, 0.3, 2.0, 3.1] {
            let r = rotation(DVec3::new(1.0, 2.0, -0.5), angle);
            assert!(distance(nearest_rotation(r * stretch), r) < 1e-13, "angle {angle}");
        }
    }

    #[test]
    fn flat_and_inverted_matrices_give_proper_rotations() {
        let r = rotation(DVec3::new(-1.0, 0.4, 0.2), 1.0);
        for smallest in [1e-9, 0.0, -0.4] {
            let stretch = DMat3::from_diagonal(DVec3::new(1.0, 0.8, smallest));
            let found = nearest_rotation(r * stretch);
            assert!((found.determinant() - 1.0).abs() < 1e-12);
            assert!(distance(found, r) < 1e-6, "smallest stretch {smallest}: {found}");
        }
        // The image of a line tells two of three angles; what is found is a rotation that takes the line there.
        for line in crate::math::samples(300).chunks_exact(3).map(DVec3::from_slice) {
            let found = nearest_rotation(crate::math::outer(r * line, line));
            assert!(distance(found.transpose() * found, DMat3::IDENTITY) < 1e-12, "{found}");
            assert!((found * line).distance(r * line) < 1e-12, "{found}");
        }
        assert_eq!(nearest_rotation(DMat3::ZERO), DMat3::IDENTITY);
        assert_eq!(nearest_rotation(DMat3::from_diagonal(DVec3::splat(f64::NAN))), DMat3::IDENTITY);
    }

    #[test]
    fn singular_values_make_the_matrix_again() {
        let skewed = DMat3::from_cols_array(&[1.1, 0.2, -0.3, 0.1, 0.9, 0.05, -0.2, 0.3, 1.3]);
        let mirrored = DMat3::from_diagonal(DVec3::new(1.0, -0.6, 0.8));
        for f in [skewed, mirrored * skewed, DMat3::IDENTITY, DMat3::ZERO] {
            let (u, sigma, v) = singular_values(f);
            let again = u * DMat3::from_diagonal(DVec3::from_array(sigma)) * v.transpose();
            assert!(distance(again, f) < 1e-13, "{again} for {f}");
            for turn in [u, v] {
                assert!(distance(turn.transpose() * turn, DMat3::IDENTITY) < 1e-13);
                assert!((turn.determinant() - 1.0).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn turn_of_the_rotation_follows_the_derivative_matrix() {
        // theta(F + e D) - theta(F) = e G^-1 axl(R^T D) + O(e^2)
        let f = DMat3::from_cols_array(&[1.1, 0.2, -0.3, 0.1, 0.9, 0.05, -0.2, 0.3, 1.3]);
        let d = DMat3::from_cols_array(&[0.3, -0.1, 0.2, 0.4, 0.1, -0.2, 0.3, 0.2, 0.1]);
        let r = nearest_rotation(f);
        let e = 1e-6;
        let turned =
            r.transpose() * (nearest_rotation(f + d * e) - nearest_rotation(f - d * e)) * (0.5 / e);
        let measured = DVec3::new(turned.col(1)[2], turned.col(2)[0], turned.col(0)[1]);
        let w = r.transpose() * d;
        let axl = DVec3::new(
            w.col(1)[2] - w.col(2)[1],
            w.col(2)[0] - w.col(0)[2],
            w.col(0)[1] - w.col(1)[0],
        );
        let predicted = rotation_derivative_matrix(r, f).inverse() * axl;
        assert!((measured - predicted).length() < 1e-8, "{measured} {predicted}");
    }
}
