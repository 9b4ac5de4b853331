//! Flat open sheets.

use super::{require_elements, require_positive};
use crate::{DVec3, GeometryError, TriMesh};

/// A rectangle of lengths `size` (m) in the plane z = 0, centred at the origin, looking along z, of triangles with edges of at most about
/// `resolution` (m).
pub fn flat_sheet(size: [f64; 2], resolution: f64) -> Result<TriMesh, GeometryError> {
    require_positive("sheet", "size x", size[0])?;
    require_positive("sheet", "size y", size[1])?;
    require_positive("sheet", "resolution", resolution)?;
    let [nx, ny] = size.map(|length| ((length / resolution).ceil() as usize).max(1));
    require_elements("sheet", &[2, nx, ny])?;
    let place = |k: usize, of: usize, length: f64| length * (k as f64 / of as f64 - 0.5);
    let rows = (0..=ny).flat_map(|j| (0..=nx).map(move |i| (i, j)));
    let vertices =
        rows.map(|(i, j)| DVec3::new(place(i, nx, size[0]), place(j, ny, size[1]), 0.0)).collect();
    let at = |i: usize, j: usize| (j * (nx + 1) + i) as u32;
    let cells = (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j)));
    let triangles = cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Ok(TriMesh { vertices, triangles })
}
