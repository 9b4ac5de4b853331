//! Volume meshes around or inside an arbitrary closed surface, and points carried by the cells of a volume mesh.
//!
//! [`tetrahedralize`] fills a surface with tetrahedra of guaranteed angles; [`voxel_hexes`] covers it with
//! axis-aligned bricks, [`tetrahedral_cage`] with as few tetrahedra as are wanted; [`embed`] ties the vertices of a fine
//! surface to the cells of any, and [`fillings`] says what of the body is in each.

mod around;
mod embed;
mod fill;
mod inside;
mod lattice;
mod quality;
mod shape;
mod sizing;
mod stencil;
mod stuffing;
mod voxel;

pub use around::tetrahedral_cage;
pub use embed::{Embedding, embed};
pub use fill::{Filling, MassPoints, fillings, lower_root, mass_points};
pub use quality::{Quality, quality};
pub use stuffing::{surface_of_ellipsoids, tetrahedralize, tetrahedralize_ellipsoids};
pub use voxel::voxel_hexes;

use crate::{GeometryError, TriMesh, VolumeMesh};

/// A volume mesh made from a surface, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct CageMesh {
    /// The cells.
    pub mesh: VolumeMesh,
    /// Edge length of the lattice cube that gave the wanted number of nodes, m. A wall thinner than about this length
    /// is not resolved by [`tetrahedralize`].
    pub spacing: f64,
    /// Angles of the cells.
    pub quality: Quality,
    /// Volume of the mesh over the volume inside the surface. Near 1 for [`tetrahedralize`]: far from it, the spacing
    /// is too coarse for the shape. At least 1 for [`voxel_hexes`] and [`tetrahedral_cage`].
    pub volume_ratio: f64,
}

impl CageMesh {
    fn new(mesh: VolumeMesh, spacing: f64, surface: &TriMesh) -> Result<Self, GeometryError> {
        mesh.check()?;
        let quality = quality(&mesh)?;
        let volume_ratio = mesh.volume() / surface.signed_volume();
        Ok(Self { mesh, spacing, quality, volume_ratio })
    }
}
