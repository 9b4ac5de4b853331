//! Elastic materials. Adding one costs a file here and a line in [`MODELS`].
//!
//! A material knows strain and stress; it knows no element, no index, no time step and no solver. Its [`Model`] says what scenes call it and
//! asks for its elements.

mod corotated;
mod isotropic;
mod neo_hookean;

pub use isotropic::{Isotropic, MaterialError};
pub use neo_hookean::StableNeoHookean;

use crate::element::{Domain, ElementPool};
use crate::math::Matrix9;
use cupule_geometry::DMat3;
use std::sync::Arc;

/// The materials a scene may name.
pub static MODELS: [&Model; 2] = [&corotated::MODEL, &neo_hookean::MODEL];

/// A stress-strain law.
pub struct Model {
    /// Its word in scenes.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Its elements over a domain.
    elements: fn(&Isotropic, &Domain) -> Arc<dyn ElementPool>,
}

/// What a soft body is made of.
#[derive(Clone, Copy)]
pub struct Material {
    model: &'static Model,
    moduli: Isotropic,
}

impl Material {
    /// The material with this word in scenes, if there is one.
    pub fn named(name: &str, moduli: Isotropic) -> Option<Self> {
        let model = MODELS.into_iter().find(|model| model.name == name)?;
        Some(Self { model, moduli })
    }

    /// Linear elasticity in the rotated frame of each element: fast, exact for large rotations and small strains.
    pub fn corotated(moduli: Isotropic) -> Self {
        Self { model: &corotated::MODEL, moduli }
    }

    /// Stable neo-Hookean (Smith et al. 2018): large strains, defined under inversion.
    pub fn stable_neo_hookean(moduli: Isotropic) -> Self {
        Self { model: &neo_hookean::MODEL, moduli }
    }

    /// The same with other moduli.
    pub fn with_moduli(self, moduli: Isotropic) -> Self {
        Self { moduli, ..self }
    }

    /// Its moduli.
    pub fn isotropic(&self) -> Isotropic {
        self.moduli
    }

    /// Its elements over a domain.
    pub fn elements(&self, domain: &Domain) -> Arc<dyn ElementPool> {
        (self.model.elements)(&self.moduli, domain)
    }
}

impl PartialEq for Material {
    fn eq(&self, other: &Self) -> bool {
        self.model.name == other.model.name && self.moduli == other.moduli
    }
}

impl std::fmt::Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.model.name, self.moduli)
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
