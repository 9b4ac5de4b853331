//! Where elements are made: cells, how they avoid locking, and what of them is filled. A material chooses the elements.

use super::{CorotatedElements, ElementPool, Formulation, HyperelasticElements};
use crate::material::{Hyperelastic, Isotropic};
use cupule_geometry::cage::Filling;
use cupule_geometry::{Cells, VolumeMesh};
use std::sync::Arc;

/// The cells of a body, to be filled with elements.
pub struct Domain<'a> {
    /// Cells at rest.
    pub mesh: &'a VolumeMesh,
    /// How elements avoid locking.
    pub formulation: Formulation,
    /// What of each cell is made of the material; all of it where there is none.
    pub fillings: Option<&'a [Filling]>,
}

impl Domain<'_> {
    /// Elements that are linear in their rotated frames.
    pub fn corotated(&self, moduli: &Isotropic) -> Arc<dyn ElementPool> {
        let Domain { mesh, formulation, fillings } = *self;
        let x = &mesh.nodes;
        match &mesh.cells {
            Cells::Tet4(cells) => {
                Arc::new(CorotatedElements::new(x, cells, moduli, formulation, fillings))
            }
            Cells::Tet10(cells) => {
                Arc::new(CorotatedElements::new(x, cells, moduli, formulation, fillings))
            }
            Cells::Hex8(cells) => {
                Arc::new(CorotatedElements::new(x, cells, moduli, formulation, fillings))
            }
        }
    }

    /// Elements of a hyperelastic material.
    pub fn hyperelastic(&self, law: impl Hyperelastic + 'static) -> Arc<dyn ElementPool> {
        let Domain { mesh, formulation, fillings } = *self;
        let x = &mesh.nodes;
        match &mesh.cells {
            Cells::Tet4(cells) => {
                Arc::new(HyperelasticElements::new(x, cells, law, formulation, fillings))
            }
            Cells::Tet10(cells) => {
                Arc::new(HyperelasticElements::new(x, cells, law, formulation, fillings))
            }
            Cells::Hex8(cells) => {
                Arc::new(HyperelasticElements::new(x, cells, law, formulation, fillings))
            }
        }
    }
}
