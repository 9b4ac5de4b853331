//! Shape functions of the cells: weights of the nodes at a place in the reference cell, and their slopes.
//!
//! Reference cells: the tetrahedron x, y, z >= 0, x + y + z <= 1, and the cube from 0 to 1.

use crate::{Cells, DMat3, DVec3};

/// Kinds of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Tet4,
    Tet10,
    Hex8,
}

/// Which ends of each direction the corners of a hexahedron take.
const HEX_ENDS: [[bool; 3]; 8] = [
    [false, false, false],
    [true, false, false],
    [true, true, false],
    [false, true, false],
    [false, false, true],
    [true, false, true],
    [true, true, true],
    [false, true, true],
];

/// Corners at the ends of each edge of a ten-node tetrahedron, in the order of their midpoints.
const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Slopes of the four corner weights of a tetrahedron.
const TET_SLOPES: [DVec3; 4] = [DVec3::NEG_ONE, DVec3::X, DVec3::Y, DVec3::Z];

impl Shape {
    pub fn of(cells: &Cells) -> Self {
        match cells {
            Cells::Tet4(_) => Shape::Tet4,
            Cells::Tet10(_) => Shape::Tet10,
            Cells::Hex8(_) => Shape::Hex8,
        }
    }

    /// Nodes of a cell.
    pub fn node_count(self) -> usize {
        match self {
            Shape::Tet4 => 4,
            Shape::Tet10 => 10,
            Shape::Hex8 => 8,
        }
    }

    /// Middle of the reference cell.
    pub fn centre(self) -> DVec3 {
        DVec3::splat(if self == Shape::Hex8 { 0.5 } else { 0.25 })
    }

    /// The place of the reference cell nearest to `place` along its coordinates.
    pub fn clamped(self, place: DVec3) -> DVec3 {
        if self == Shape::Hex8 {
            return place.clamp(DVec3::ZERO, DVec3::ONE);
        }
        let positive = place.max(DVec3::ZERO);
        positive / positive.element_sum().max(1.0)
    }

    /// Weight and slope of each node at a place.
    pub fn weights(self, place: DVec3) -> Vec<(f64, DVec3)> {
        let l = [1.0 - place.element_sum(), place.x, place.y, place.z];
        let linear = l.into_iter().zip(TET_SLOPES);
        match self {
            Shape::Tet4 => linear.collect(),
            Shape::Tet10 => {
                let corners =
                    linear.map(|(l, slope)| (l * (2.0 * l - 1.0), slope * (4.0 * l - 1.0)));
                let middles = TET_EDGES.map(|[a, b]| {
                    (4.0 * l[a] * l[b], 4.0 * (TET_SLOPES[a] * l[b] + TET_SLOPES[b] * l[a]))
                });
                corners.chain(middles).collect()
            }
            Shape::Hex8 => HEX_ENDS.iter().map(|ends| hex_weight(place, ends)).collect(),
        }
    }

    /// Position and Jacobian matrix at a place of a cell with these nodes.
    pub fn map(self, nodes: &[DVec3], place: DVec3) -> (DVec3, DMat3) {
        let mut position = DVec3::ZERO;
        let mut jacobian = DMat3::ZERO;
        // From the first node outwards, so that a cell far from the origin loses no digits.
        for ((weight, slope), node) in self.weights(place).into_iter().zip(nodes) {
            let offset = *node - nodes[0];
            position += weight * offset;
            jacobian += DMat3::from_cols(offset * slope.x, offset * slope.y, offset * slope.z);
        }
        (nodes[0] + position, jacobian)
    }
}

fn hex_weight(place: DVec3, ends: &[bool; 3]) -> (f64, DVec3) {
    let factor = [0, 1, 2].map(|axis| if ends[axis] { place[axis] } else { 1.0 - place[axis] });
    let sign = ends.map(|end| if end { 1.0 } else { -1.0 });
    let slope = DVec3::new(
        sign[0] * factor[1] * factor[2],
        sign[1] * factor[2] * factor[0],
        sign[2] * factor[0] * factor[1],
    );
    (factor.iter().product(), slope)
}
