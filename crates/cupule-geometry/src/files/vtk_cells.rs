//! VTK cell types, shared by the legacy and the XML format.

use super::error::{MeshFileProblem, Place};
use super::soup::{Kind, Soup};

/// Type numbers that the polydata sections stand for.
pub(super) const POLYLINE: usize = 4;
pub(super) const STRIP: usize = 6;
pub(super) const POLYGON: usize = 7;

/// Adds a cell of a VTK type; `index` is its number in the file.
pub(super) fn push(
    soup: &mut Soup,
    index: usize,
    cell_type: usize,
    nodes: &[u32],
) -> Result<(), MeshFileProblem> {
    let place = Place::Item("cell", index);
    if let Some(count) = node_count(cell_type)
        && count != nodes.len()
    {
        let expected = format!("{count} nodes for cell type {cell_type}");
        return Err(MeshFileProblem::malformed(place, expected, &nodes.len().to_string()));
    }
    let picked = |order: &[usize]| order.iter().map(|&i| nodes[i]).collect::<Vec<_>>();
    match cell_type {
        1..=4 | 21 => {}
        5 | 7 | 9 => soup.push(Kind::Polygon, nodes.iter().copied()),
        STRIP => push_strip(soup, nodes),
        // Pixels and voxels count along x, then y, then z.
        8 => soup.push(Kind::Polygon, picked(&[0, 1, 3, 2])),
        11 => soup.push(Kind::Hex8, picked(&[0, 1, 3, 2, 4, 5, 7, 6])),
        10 => soup.push(Kind::Tet4, nodes.iter().copied()),
        12 => soup.push(Kind::Hex8, nodes.iter().copied()),
        22 => soup.push(Kind::Triangle6, nodes.iter().copied()),
        24 => soup.push(Kind::Tet10, nodes.iter().copied()),
        _ => {
            return Err(MeshFileProblem::Unsupported {
                place,
                what: format!("VTK cell type {cell_type}"),
                advice: "use triangles, quads, polygons, 4- or 10-node tetrahedra or 8-node hexahedra",
            });
        }
    }
    Ok(())
}

/// How many nodes a cell of the type has, where the type says so.
fn node_count(cell_type: usize) -> Option<usize> {
    Some(match cell_type {
        5 => 3,
        8..=10 => 4,
        11 | 12 => 8,
        22 => 6,
        24 => 10,
        _ => return None,
    })
}

/// A strip of triangles: every second one runs the other way round.
fn push_strip(soup: &mut Soup, nodes: &[u32]) {
    for (index, corners) in nodes.windows(3).enumerate() {
        let mut corners = [corners[0], corners[1], corners[2]];
        if index % 2 == 1 {
            corners.swap(0, 1);
        }
        soup.push(Kind::Polygon, corners);
    }
}
