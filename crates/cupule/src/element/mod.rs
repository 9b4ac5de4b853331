//! Finite elements: energy, forces and stiffness of all elements of one kind and one material.
//!
//! A pool holds elements of one body, or between bodies; dispatch is dynamic once per pool and static inside. Forces are exact gradients
//! of the energy. The stiffness is symmetric positive semidefinite, as the implicit step needs.

mod cable;
mod corotated;
mod domain;
mod hyperelastic;
mod product;
mod shape;
mod spring;
mod stiffness;

pub use cable::{CableElements, CableLaw, cable_length};
pub use corotated::CorotatedElements;
pub use domain::Domain;
pub use hyperelastic::HyperelasticElements;
pub use product::StiffnessProduct;
pub use shape::lumped_masses;
pub use spring::{Spring, SpringElements};
pub use stiffness::Formulation;

use crate::material::Material;
use cupule_geometry::cage::Filling;
use cupule_geometry::{DMat3, DVec3, VolumeMesh};
use std::sync::Arc;

/// Receives element stiffness matrices.
pub trait StiffnessSink {
    /// `blocks` are the 3x3 blocks (i, j), j <= i, of element `element`, in the order (0,0), (1,0), (1,1), (2,0) ...
    fn add(&mut self, element: usize, blocks: &[DMat3]);
}

/// Elements of one kind and one material. Node indices are those of the points of their pool.
pub trait ElementPool: Send + Sync {
    /// Nodes per element.
    fn nodes_per_element(&self) -> usize;
    /// All elements' nodes, one after the other.
    fn connectivity(&self) -> Vec<u32>;
    /// Elastic energy at node positions `x`, J.
    fn energy(&self, x: &[DVec3]) -> f64;
    /// Adds the elastic forces -dE/dx, N.
    fn add_forces(&self, x: &[DVec3], forces: &mut [DVec3]);
    /// Hands over the stiffness of every element at `x`, N/m.
    fn add_stiffness(&self, x: &[DVec3], sink: &mut dyn StiffnessSink);
    /// Mean Cauchy stress of every element, Pa; none for elements without a volume.
    fn stresses(&self, _x: &[DVec3]) -> Option<Vec<DMat3>> {
        None
    }
    /// What the stiffness depends on, one matrix per element: the rotation, or the deformation gradient.
    fn configuration(&self, x: &[DVec3]) -> Vec<DMat3>;
    /// Elements that multiply with their stiffness for less than they hand it over.
    fn as_damped(&self) -> Option<&dyn DampedElements> {
        None
    }
}

/// Elements whose damping is cheap to take along with their forces.
pub trait DampedElements {
    /// Adds -dE/dx - beta K v at node positions `x`, N, where the elements have this configuration.
    fn add_damped_forces(
        &self,
        x: &[DVec3],
        configuration: &[DMat3],
        damping: Damping<'_>,
        forces: &mut [DVec3],
    );
}

/// Damping in proportion to stiffness.
#[derive(Debug, Clone, Copy)]
pub struct Damping<'a> {
    /// Velocity of every node, m/s.
    pub velocities: &'a [DVec3],
    /// The proportion, s.
    pub beta: f64,
}

/// The pool of a mesh and a material, with the formulation asked for. `fillings` say what of each cell is made of the
/// material (by default all of it): exact for tetrahedra of constant strain, up to second moments for hexahedra.
pub fn pool(
    mesh: &VolumeMesh,
    material: &Material,
    formulation: Formulation,
    fillings: Option<&[Filling]>,
) -> Arc<dyn ElementPool> {
    material.elements(&Domain { mesh, formulation, fillings })
}

#[cfg(test)]
mod contract;
