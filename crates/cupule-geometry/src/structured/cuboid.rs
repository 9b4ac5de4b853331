//! Boxes of hexahedra.

use super::sheet::Sheet;
use crate::generate::check_cuboid;
use crate::{DVec3, GeometryError, VolumeMesh};

/// A box of edge lengths `size` (m), centred at the origin, cut in `divisions` along x, y, z.
pub fn cuboid_hexes(size: DVec3, divisions: [usize; 3]) -> Result<VolumeMesh, GeometryError> {
    check_cuboid(size, divisions)?;
    let [nx, ny, nz] = divisions;
    let place = |level: usize, [u, v]: [f64; 2]| {
        size * (DVec3::new(u, v, level as f64 / nz as f64) - DVec3::splat(0.5))
    };
    Ok(Sheet::grid(nx, ny).sweep(nz, |_, _| true, place))
}
