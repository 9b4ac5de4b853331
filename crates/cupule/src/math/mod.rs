//! Small dense mathematics that the physics needs and no dependency offers in this form.

mod jacobi;
mod polar;
mod spd;

pub use jacobi::project_small;
pub use polar::{nearest_rotation, rotation_derivative_matrix, singular_values, symmetric_eigen};
pub use spd::{Matrix9, add_outer9, is_definite, project_to_spd};

use cupule_geometry::{DMat3, DVec3};

/// Length of a vector in a plane: `hypot` also minds overflow, and takes ten times as long.
pub fn plane_length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The matrix of the cross product: `skew(a) * b = a x b`.
pub fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}

/// The outer product a b^T.
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The cofactor matrix, dJ/dF for J = det F; defined for singular F too.
pub fn cofactor(f: DMat3) -> DMat3 {
    DMat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis))
}

/// Sum of products of entries, A : B.
pub fn double_dot(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// Two unit vectors that complete a unit normal to a right-handed frame; continuous except at n = -z.
pub fn tangents(normal: DVec3) -> [DVec3; 2] {
    let (a, b) = normal.any_orthonormal_pair();
    [a, b]
}

/// Numbers between -1 and 1 that look random and are the same every time, for tests at many configurations.
#[cfg(test)]
pub(crate) fn samples(count: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cofactor_is_the_derivative_of_the_determinant() {
        let f = DMat3::from_cols_array(&[1.1, 0.2, -0.3, 0.1, 0.9, 0.05, -0.2, 0.3, 1.3]);
        let d = DMat3::from_cols_array(&[0.3, -0.1, 0.2, 0.4, 0.1, -0.2, 0.3, 0.2, 0.1]);
        let e = 1e-6;
        let slope = ((f + d * e).determinant() - (f - d * e).determinant()) / (2.0 * e);
        assert!((slope - double_dot(&cofactor(f), &d)).abs() < 1e-9);
    }

    #[test]
    fn tangent_frame_is_right_handed() {
        for n in [DVec3::X, DVec3::Z, -DVec3::Z, DVec3::new(1.0, -2.0, 0.5).normalize()] {
            let [t1, t2] = tangents(n);
            assert!((DMat3::from_cols(n, t1, t2).determinant() - 1.0).abs() < 1e-14, "{n}");
        }
    }
}
