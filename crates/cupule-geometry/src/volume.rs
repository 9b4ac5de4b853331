//! Volume meshes of tetrahedra or hexahedra: the type, its invariants and its boundary.

use crate::topology::{split_quad, unshared};
use crate::{DMat3, DQuat, DVec3, GeometryError, TriMesh};

/// Jacobian determinant over the cube of the cell's extent, below which a cell counts as inverted.
const FLAT_RATIO: f64 = 1e-13;

/// Faces of a tetrahedron, outward.
pub(crate) const TET_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
/// The same faces with the midpoints of their edges 01, 12, 20 in [`Cells::Tet10`] numbering.
const TET10_FACES: [[usize; 6]; 4] =
    [[0, 2, 1, 6, 5, 4], [0, 1, 3, 4, 8, 7], [1, 2, 3, 5, 9, 8], [0, 3, 2, 7, 9, 6]];
/// Faces of a hexahedron, outward.
pub(crate) const HEX_FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
/// Corners of a hexahedron in its reference cube [0,1]^3.
pub(crate) const HEX_CORNERS: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];
/// Corners joined by the edges of a tetrahedron, in the order of its mid-edge nodes.
pub(crate) const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

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

impl Cells {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        match self {
            Cells::Tet4(cells) => cells.len(),
            Cells::Tet10(cells) => cells.len(),
            Cells::Hex8(cells) => cells.len(),
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// "tetrahedron" or "hexahedron", for messages.
    pub fn element_name(&self) -> &'static str {
        if matches!(self, Cells::Hex8(_)) { "hexahedron" } else { "tetrahedron" }
    }

    /// All nodes of one cell, in its own order; empty when there is no such cell.
    pub fn nodes_of(&self, cell: usize) -> &[u32] {
        match self {
            Cells::Tet4(cells) => cells.get(cell).map_or(&[], |c| c.as_slice()),
            Cells::Tet10(cells) => cells.get(cell).map_or(&[], |c| c.as_slice()),
            Cells::Hex8(cells) => cells.get(cell).map_or(&[], |c| c.as_slice()),
        }
    }

    /// The corner nodes of one cell (4 or 8, without the mid-edge nodes); empty when there is no such cell.
    pub fn corners_of(&self, cell: usize) -> &[u32] {
        let nodes = self.nodes_of(cell);
        if nodes.len() == 10 { &nodes[..4] } else { nodes }
    }

    /// Reorders the nodes of every cell as its mirror image.
    fn mirror(&mut self) {
        match self {
            Cells::Tet4(cells) => cells.iter_mut().for_each(|c| c.swap(0, 1)),
            Cells::Tet10(cells) => cells.iter_mut().for_each(|c| {
                // Swapping corners 0 and 1 swaps edges 12 with 20 and 03 with 13.
                c.swap(0, 1);
                c.swap(5, 6);
                c.swap(7, 8);
            }),
            Cells::Hex8(cells) => cells.iter_mut().for_each(|c| c.rotate_left(4)),
        }
    }
}

impl VolumeMesh {
    /// How many cells there are.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Positions of all nodes of a cell, m, in the cell's order. `None` when the cell or one of its nodes is missing.
    pub fn cell_positions(&self, cell: usize) -> Option<Vec<DVec3>> {
        let names = self.cells.nodes_of(cell);
        if names.is_empty() {
            return None;
        }
        names.iter().map(|&n| self.nodes.get(n as usize).copied()).collect()
    }

    /// Checks that the mesh is not empty, its indices are in range, its coordinates finite and no cell is inverted:
    /// the Jacobian determinant is positive at the 8 corners and the centre of a hexahedron, at the corners and the
    /// four quadrature points of a tetrahedron with 10 nodes.
    pub fn check(&self) -> Result<(), GeometryError> {
        if self.nodes.is_empty() || self.cells.is_empty() {
            return Err(GeometryError::Empty);
        }
        if let Some(index) = self.nodes.iter().position(|v| !v.is_finite()) {
            return Err(GeometryError::NotFinite { index });
        }
        let element = self.cells.element_name();
        for index in 0..self.cell_count() {
            let Some(positions) = self.cell_positions(index) else {
                let count = self.nodes.len();
                let names = self.cells.nodes_of(index);
                let vertex = names.iter().map(|&n| n as usize).max().unwrap_or(count);
                return Err(GeometryError::IndexOutOfRange { element, index, vertex, count });
            };
            let determinant = smallest_determinant(&positions);
            let extent = positions.iter().map(|p| p.distance(positions[0])).fold(0.0, f64::max);
            // Written so that a NaN from overflow counts as inverted.
            let sound = determinant > FLAT_RATIO * extent.powi(3);
            if !sound {
                return Err(GeometryError::InvertedCell { element, index, determinant });
            }
        }
        Ok(())
    }

    /// The outward boundary surface, and for each of its vertices the node it stands for (ascending).
    ///
    /// Quads are cut through their corner of smallest node index, which is also how [`VolumeMesh::to_tet4`] cuts
    /// them; a face of a 10-node tetrahedron becomes four triangles. A cell that names a missing node gives no face
    /// ([`VolumeMesh::check`] reports it).
    pub fn boundary(&self) -> (TriMesh, Vec<u32>) {
        let mut triangles = self.boundary_triangles();
        triangles.retain(|t| t.iter().all(|&n| (n as usize) < self.nodes.len()));
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let mut vertex_of = vec![0_u32; self.nodes.len()];
        for (vertex, &node) in used.iter().enumerate() {
            vertex_of[node as usize] = vertex as u32;
        }
        let vertices = used.iter().map(|&n| self.nodes[n as usize]).collect();
        let triangles = triangles.iter().map(|t| t.map(|n| vertex_of[n as usize])).collect();
        (TriMesh { vertices, triangles }, used)
    }

    fn boundary_triangles(&self) -> Vec<[u32; 3]> {
        match &self.cells {
            Cells::Tet4(cells) => {
                let faces = cells.iter().flat_map(|c| TET_FACES.map(|f| f.map(|k| c[k])));
                unshared(faces.collect(), |f| *f)
            }
            Cells::Tet10(cells) => {
                let faces = cells.iter().flat_map(|c| TET10_FACES.map(|f| f.map(|k| c[k])));
                let outer = unshared(faces.collect(), |&[a, b, c, ..]| [a, b, c]);
                let four = |[a, b, c, ab, bc, ca]: [u32; 6]| {
                    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
                };
                outer.into_iter().flat_map(four).collect()
            }
            Cells::Hex8(cells) => {
                let faces = cells.iter().flat_map(|c| HEX_FACES.map(|f| f.map(|k| c[k])));
                unshared(faces.collect(), |f| *f).into_iter().flat_map(split_quad).collect()
            }
        }
    }

    /// The mesh moved by `offset`, m.
    pub fn translated(mut self, offset: DVec3) -> Self {
        self.nodes.iter_mut().for_each(|v| *v += offset);
        self
    }

    /// The mesh turned about the origin.
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.nodes.iter_mut().for_each(|v| *v = rotation * *v);
        self
    }

    /// The mesh stretched about the origin by a factor per axis; a mirroring reorders the cells, so that none is
    /// inverted by it.
    pub fn scaled(mut self, factors: DVec3) -> Self {
        self.nodes.iter_mut().for_each(|v| *v *= factors);
        if factors.x * factors.y * factors.z < 0.0 {
            self.cells.mirror();
        }
        self
    }
}

/// The smallest Jacobian determinant over the checked points of a cell, m3 per unit reference cell.
pub(crate) fn smallest_determinant(positions: &[DVec3]) -> f64 {
    let smallest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(
            f64::INFINITY,
            |least, value| if value.is_nan() { f64::NAN } else { least.min(value) },
        )
    };
    match positions.len() {
        4 => tet4_jacobian(positions).determinant(),
        10 => {
            // Corners, then the points of the four-point rule.
            let inner = [0.138_196_601_125_010_5, 0.585_410_196_624_968_5];
            let points = (0..8).map(|k| {
                let [rest, own] = if k < 4 { [0.0, 1.0] } else { inner };
                let mut weights = [rest; 4];
                weights[k % 4] = own;
                weights
            });
            smallest(&mut points.map(|w| tet10_jacobian(positions, w).determinant()))
        }
        _ => {
            let points = HEX_CORNERS.iter().copied().chain([[0.5; 3]]);
            smallest(&mut points.map(|p| hex_jacobian(positions, p).determinant()))
        }
    }
}

fn tet4_jacobian(x: &[DVec3]) -> DMat3 {
    DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0])
}

/// Derivative of the quadratic map by barycentric coordinates 1, 2, 3 at barycentric point `w` (`w[0]` depends).
pub(crate) fn tet10_jacobian(x: &[DVec3], w: [f64; 4]) -> DMat3 {
    let mut slope = [0, 1, 2, 3].map(|i| (4.0 * w[i] - 1.0) * x[i]);
    for (k, &[i, j]) in TET_EDGES.iter().enumerate() {
        slope[i] += 4.0 * w[j] * x[4 + k];
        slope[j] += 4.0 * w[i] * x[4 + k];
    }
    DMat3::from_cols(slope[1] - slope[0], slope[2] - slope[0], slope[3] - slope[0])
}

/// Derivative of the trilinear map at point `p` of the reference cube [0,1]^3.
pub(crate) fn hex_jacobian(x: &[DVec3], p: [f64; 3]) -> DMat3 {
    let mut columns = [DVec3::ZERO; 3];
    for (position, corner) in x.iter().zip(HEX_CORNERS) {
        let weight = [0, 1, 2].map(|a| if corner[a] > 0.5 { p[a] } else { 1.0 - p[a] });
        let sign = corner.map(|c| if c > 0.5 { 1.0 } else { -1.0 });
        columns[0] += *position * (sign[0] * weight[1] * weight[2]);
        columns[1] += *position * (weight[0] * sign[1] * weight[2]);
        columns[2] += *position * (weight[0] * weight[1] * sign[2]);
    }
    DMat3::from_cols(columns[0], columns[1], columns[2])
}
