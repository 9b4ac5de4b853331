//! Stable neo-Hookean solid after Smith, de Goes and Kim (2018), without their logarithmic term.
//!
//! Psi = mu/2 (|F|^2 - 3) - mu (J - 1) + mu/2 (J - 1)^2 + lambda/2 (J - 1)^2. At small strain it is the linear solid with
//! the Lame parameters mu and lambda. Deviation: the mu/2 (J - 1)^2 that makes up for the linear term stays pointwise, and
//! only the lambda term may be averaged over an element; averaging both would leave a negative stiffness to the modes
//! in which the volume change alternates inside an element.

use super::{Hyperelastic, Isotropic, Model};
use crate::math::{
    Matrix9, add_outer9, cofactor, double_dot, is_definite, outer, singular_values, symmetric_eigen,
};
use cupule_geometry::{DMat3, DVec3};

pub(super) static MODEL: Model = Model {
    name: "stable-neo-hookean",
    about: "Stable neo-Hookean hyperelasticity.",
    elements: |moduli, domain| domain.hyperelastic(StableNeoHookean::new(moduli)),
};

/// The stable neo-Hookean solid; defined for every F, inverted ones included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StableNeoHookean {
    mu: f64,
    lambda: f64,
}

impl StableNeoHookean {
    /// The solid whose small-strain moduli are those given.
    pub fn new(moduli: &Isotropic) -> Self {
        Self { mu: moduli.shear_modulus(), lambda: moduli.lame_lambda() }
    }
}

impl Hyperelastic for StableNeoHookean {
    fn pointwise_energy(&self, f: &DMat3) -> f64 {
        let dilation = f.determinant() - 1.0;
        self.mu * (0.5 * (double_dot(f, f) - 3.0) - dilation + 0.5 * dilation * dilation)
    }

    fn pointwise_stress(&self, f: &DMat3) -> DMat3 {
        (*f + cofactor(*f) * (f.determinant() - 2.0)) * self.mu
    }

    fn pointwise_hessian(&self, f: &DMat3, extra_slope: f64) -> Matrix9 {
        let mut h = [[0.0; 9]; 9];
        for (i, row) in h.iter_mut().enumerate() {
            row[i] = self.mu;
        }
        let c = cofactor(*f);
        add_outer9(&mut h, &c, &c, self.mu);
        add_determinant_hessian(&mut h, f, self.mu * (f.determinant() - 2.0) + extra_slope);
        h
    }

    /// In the frame of the singular values the Hessian is known in closed form: three twists, three flips, and a 3x3 block of
    /// stretches (Smith, de Goes and Kim 2018, section 4). A Cholesky attempt comes first, because most are definite.
    fn projected_hessian(&self, f: &DMat3, extra_slope: f64, extra_curvature: f64) -> Matrix9 {
        let mut h = self.pointwise_hessian(f, extra_slope);
        let c = cofactor(*f);
        add_outer9(&mut h, &c, &c, extra_curvature);
        if is_definite(&h) {
            return h;
        }
        let slope = self.mu * (f.determinant() - 2.0) + extra_slope;
        let curvature = self.mu + extra_curvature;
        let mut out = [[0.0; 9]; 9];
        for (value, mode) in modes(f, self.mu, slope, curvature) {
            if value > 0.0 {
                add_outer9(&mut out, &mode, &mode, value);
            }
        }
        out
    }

    fn volumetric_energy(&self, j: f64) -> f64 {
        0.5 * self.lambda * (j - 1.0) * (j - 1.0)
    }

    fn volumetric_slope(&self, j: f64) -> f64 {
        self.lambda * (j - 1.0)
    }

    fn volumetric_curvature(&self, _j: f64) -> f64 {
        self.lambda
    }
}

/// Eigenvalues and eigenmatrices of `diagonal I + curvature (dJ/dF (x) dJ/dF) + slope d2J/dF2`.
fn modes(f: &DMat3, diagonal: f64, slope: f64, curvature: f64) -> [(f64, DMat3); 9] {
    let (u, sigma, v) = singular_values(*f);
    let pair = |i: usize, j: usize| outer(u.col(i), v.col(j));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turn = |k: usize, sign: f64| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        (diagonal + sign * slope * sigma[k], (pair(i, j) - pair(j, i) * sign) * half)
    };
    let gradient = DVec3::new(sigma[1] * sigma[2], sigma[2] * sigma[0], sigma[0] * sigma[1]);
    let [a, b, c] = sigma.map(|s| slope * s);
    let mixed =
        DMat3::from_cols(DVec3::new(0.0, c, b), DVec3::new(c, 0.0, a), DVec3::new(b, a, 0.0));
    let stretches = DMat3::from_diagonal(DVec3::splat(diagonal))
        + outer(gradient, gradient) * curvature
        + mixed;
    let (values, axes) = symmetric_eigen(stretches);
    let stretch = |k: usize| {
        let along = axes.col(k);
        (values[k], pair(0, 0) * along.x + pair(1, 1) * along.y + pair(2, 2) * along.z)
    };
    std::array::from_fn(|k| match k {
        0..3 => turn(k, 1.0),
        3..6 => turn(k - 3, -1.0),
        _ => stretch(k - 6),
    })
}

/// Adds `weight * d2J/dF2`: blocks of cross-product matrices of the columns of F.
fn add_determinant_hessian(h: &mut Matrix9, f: &DMat3, weight: f64) {
    let columns = [f.x_axis, f.y_axis, f.z_axis];
    for (a, b, c, sign) in [(0, 1, 2, -1.0), (1, 2, 0, -1.0), (0, 2, 1, 1.0)] {
        let block = crate::math::skew(columns[c]) * (sign * weight);
        for i in 0..3 {
            for j in 0..3 {
                h[3 * a + i][3 * b + j] += block.col(j)[i];
                h[3 * b + j][3 * a + i] += block.col(j)[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solid() -> StableNeoHookean {
        StableNeoHookean::new(&Isotropic::new(1e5, 0.45).expect("valid moduli"))
    }

    /// Random deformations up to a stretch of two, inverted as often as not; every fourth on a coarse grid, where many are flat, folded to
    /// a line or to a point.
    fn samples() -> Vec<DMat3> {
        let random = crate::math::samples(9 * 1000);
        let deformation = |(k, entries): (usize, &[f64])| {
            let f = DMat3::from_cols_slice(entries) * 2.0;
            if k % 4 == 3 { DMat3::from_cols_array(&f.to_cols_array().map(f64::round)) } else { f }
        };
        let mut all: Vec<DMat3> = random.chunks_exact(9).enumerate().map(deformation).collect();
        all.extend([DMat3::IDENTITY, DMat3::ZERO]);
        all
    }

    fn entry(k: usize, size: f64) -> DMat3 {
        let mut m = [0.0; 9];
        m[k] = size;
        DMat3::from_cols_array(&m)
    }

    #[test]
    fn stress_is_the_slope_of_the_energy_and_hessian_that_of_the_stress() {
        let (solid, e) = (solid(), 1e-5);
        for f in samples() {
            let (stress, hessian) =
                (solid.pointwise_stress(&f).to_cols_array(), solid.pointwise_hessian(&f, 0.0));
            for k in 0..9 {
                let [plus, minus] = [f + entry(k, e), f - entry(k, e)];
                let slope =
                    (solid.pointwise_energy(&plus) - solid.pointwise_energy(&minus)) / (2.0 * e);
                assert!((slope - stress[k]).abs() < 1e-8 * 1e5, "dPsi/dF[{k}] at {f}");
                let change =
                    (solid.pointwise_stress(&plus) - solid.pointwise_stress(&minus)) * (0.5 / e);
                for (i, s) in change.to_cols_array().into_iter().enumerate() {
                    assert!((s - hessian[i][k]).abs() < 1e-6 * 1e5, "dP[{i}]/dF[{k}] at {f}");
                }
            }
        }
    }

    #[test]
    fn projection_in_closed_form_is_that_by_eigenvalues() {
        let solid = solid();
        let mut indefinite = 0;
        for f in samples() {
            for (slope, curvature) in [(0.0, 0.0), (-4e5, 0.0), (2e5, 3e5), (-2e5, 3e5)] {
                let c = cofactor(f);
                let mut plain = solid.pointwise_hessian(&f, slope);
                add_outer9(&mut plain, &c, &c, curvature);
                indefinite += usize::from(!is_definite(&plain));
                let expected = crate::math::project_to_spd(&plain);
                let found = solid.projected_hessian(&f, slope, curvature);
                let largest = plain.iter().flatten().fold(1e6, |m: f64, v| m.max(v.abs()));
                for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
                    assert!(
                        (a - b).abs() < 1e-12 * largest,
                        "{a} for {b} at {f}, {slope}, {curvature}"
                    );
                }
            }
        }
        assert!(indefinite > 1000, "{indefinite} of some 4000 need it");
    }

    #[test]
    fn rest_state_has_no_stress_and_rotations_cost_nothing() {
        let solid = solid();
        let r = DMat3::from_rotation_y(1.3) * DMat3::from_rotation_x(-0.4);
        assert!(solid.pointwise_energy(&r).abs() < 1e-10);
        let stress = solid.pointwise_stress(&r);
        assert!(double_dot(&stress, &stress).sqrt() < 1e-9);
    }

    #[test]
    fn small_strains_follow_hooke() {
        // Uniaxial strain e: P_xx = (lambda + 2 mu) e, P_yy = lambda e.
        let (solid, e) = (solid(), 1e-7);
        let f = DMat3::IDENTITY + entry(0, e);
        let vol = cofactor(f) * solid.volumetric_slope(f.determinant());
        let p = solid.pointwise_stress(&f) + vol;
        assert!((p.x_axis.x / ((solid.lambda + 2.0 * solid.mu) * e) - 1.0).abs() < 1e-5);
        assert!((p.y_axis.y / (solid.lambda * e) - 1.0).abs() < 1e-5);
    }
}
