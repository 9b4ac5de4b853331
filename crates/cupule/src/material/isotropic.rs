//! Moduli of an isotropic solid.

use thiserror::Error;

/// Young's modulus and Poisson's ratio, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Isotropic {
    youngs_modulus: f64,
    poissons_ratio: f64,
}

/// Moduli that make no solid.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum MaterialError {
    /// Zero, negative or not a number.
    #[error(
        "youngs_modulus = {0} Pa; it must be positive and finite (soft rubber is about 1e6 Pa)"
    )]
    YoungsModulus(f64),
    /// Outside the range of stable solids, or incompressible.
    #[error("poissons_ratio = {0}; it must be above -1 and below 0.5 (rubber: 0.45 to 0.49)")]
    PoissonsRatio(f64),
}

impl Isotropic {
    /// A solid with Young's modulus in Pa and Poisson's ratio in (-1, 0.5).
    pub fn new(youngs_modulus: f64, poissons_ratio: f64) -> Result<Self, MaterialError> {
        if !(youngs_modulus > 0.0 && youngs_modulus.is_finite()) {
            return Err(MaterialError::YoungsModulus(youngs_modulus));
        }
        if !(poissons_ratio > -1.0 && poissons_ratio < 0.5) {
            return Err(MaterialError::PoissonsRatio(poissons_ratio));
        }
        Ok(Self { youngs_modulus, poissons_ratio })
    }

    /// Young's modulus E, Pa.
    pub fn youngs_modulus(&self) -> f64 {
        self.youngs_modulus
    }

    /// Poisson's ratio nu.
    pub fn poissons_ratio(&self) -> f64 {
        self.poissons_ratio
    }

    /// Shear modulus mu = E / (2 (1 + nu)), Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))
    }

    /// Lame's first parameter lambda = E nu / ((1 + nu)(1 - 2 nu)), Pa.
    pub fn lame_lambda(&self) -> f64 {
        let nu = self.poissons_ratio;
        self.youngs_modulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    }

    /// Stress over engineering strain in the order xx, yy, zz, xy, yz, zx, Pa.
    pub fn elasticity_matrix(&self) -> [[f64; 6]; 6] {
        let (mu, lambda) = (self.shear_modulus(), self.lame_lambda());
        let mut c = [[0.0; 6]; 6];
        for (i, row) in c.iter_mut().enumerate() {
            if i < 3 {
                row[..3].fill(lambda);
                row[i] += 2.0 * mu;
            } else {
                row[i] = mu;
            }
        }
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniaxial_stress_has_slope_e_and_contraction_nu() {
        // sigma = C eps with sigma = (E, 0, 0, ...) must give eps = (1, -nu, -nu, ...).
        let m = Isotropic::new(3e5, 0.42).expect("valid moduli");
        let c = m.elasticity_matrix();
        let strain = [1.0, -0.42, -0.42];
        for (row, expected) in c.iter().zip([3e5, 0.0, 0.0]) {
            let stress: f64 = (0..3).map(|j| row[j] * strain[j]).sum();
            assert!((stress - expected).abs() < 1e-8 * 3e5);
        }
    }

    #[test]
    fn impossible_moduli_are_refused() {
        assert_eq!(Isotropic::new(-1.0, 0.3), Err(MaterialError::YoungsModulus(-1.0)));
        assert_eq!(Isotropic::new(1e6, 0.5), Err(MaterialError::PoissonsRatio(0.5)));
        assert!(Isotropic::new(f64::NAN, 0.3).is_err() && Isotropic::new(1e6, f64::NAN).is_err());
    }
}
