//! Elastic materials. Adding one costs a file here and a line in [`Material`].
//!
//! A material knows strain and stress; it knows no element, no index, no time step and no solver.

mod isotropic;
mod neo_hookean;

pub use isotropic::{Isotropic, MaterialError};
pub use neo_hookean::StableNeoHookean;

use crate::math::Matrix9;
use cupule_geometry::DMat3;

/// The materials a scene may name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Material {
    /// Linear elasticity in the rotated frame of each element: fast, exact for large rotations and small strains.
    Corotated(Isotropic),
    /// Stable neo-Hookean (Smith et al. 2018): large strains, defined under inversion.
    StableNeoHookean(Isotropic),
}

impl Material {
    /// Its moduli.
    pub fn isotropic(&self) -> Isotropic {
        match self {
            Material::Corotated(moduli) | Material::StableNeoHookean(moduli) => *moduli,
        }
    }
}

/// A hyperelastic energy density in two parts, so that an element may average the volume change (and not lock):
/// Psi(F) = pointwise(F) + volumetric(J), J = det F.
pub trait Hyperelastic: Send + Sync {
    /// Energy density of the part evaluated at every quadrature point, J/m3.
    fn pointwise_energy(&self, f: &DMat3) -> f64;
    /// Its first Piola-Kirchhoff stress, Pa.
    fn pointwise_stress(&self, f: &DMat3) -> DMat3;
    /// Its Hessian over the entries of F, Pa; `extra_slope` (Pa) is a volumetric slope U'(J) whose term
    /// U' d2J/dF2 belongs to the same quadrature point.
    fn pointwise_hessian(&self, f: &DMat3, extra_slope: f64) -> Matrix9;
    /// The nearest positive semidefinite matrix to that Hessian plus `extra_curvature` (Pa), a volumetric U''(J), times
    /// dJ/dF (x) dJ/dF.
    fn projected_hessian(&self, f: &DMat3, extra_slope: f64, extra_curvature: f64) -> Matrix9;
    /// Volumetric energy density U(J), J/m3.
    fn volumetric_energy(&self, j: f64) -> f64;
    /// U'(J), Pa.
    fn volumetric_slope(&self, j: f64) -> f64;
    /// U''(J), Pa.
    fn volumetric_curvature(&self, j: f64) -> f64;
}
