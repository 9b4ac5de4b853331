//! Volume meshes of tetrahedra or hexahedra.

use crate::DVec3;

/// The cells of a volume mesh; all of one kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Four corners, positive volume: (b-a) x (c-a) . (d-a) > 0.
    Tet4(Vec<[u32; 4]>),
    /// Four corners, then the midpoints of edges 01, 12, 20, 03, 13, 23 (Gmsh swaps the last two; we follow VTK).
    Tet10(Vec<[u32; 10]>),
    /// Eight corners in VTK order: 0-3 counter-clockwise at the bottom seen from above, 4-7 above them.
    Hex8(Vec<[u32; 8]>),
}

/// A solid cut into cells.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeMesh {
    /// Node positions, m.
    pub nodes: Vec<DVec3>,
    /// Cells.
    pub cells: Cells,
}
