//! Points carried by the cells of a volume mesh: x = sum of weight times node position, kept while the mesh deforms.

use super::shape::Shape;
use crate::distance::point_triangle;
use crate::tree::{Bounds, BoxTree};
use crate::{DVec3, GeometryError, VolumeMesh};

/// The cell and the node weights of each of a list of points.
///
/// Weights sum to 1 and give back the point (and any linear field) from the nodes of its cell. A point outside all
/// cells is tied to the nearest one by linear extrapolation, so that some of its weights are negative.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The cell that carries each point.
    pub cell: Vec<u32>,
    /// Weights of all points, one after the other, in the order of the nodes of the cell.
    pub weights: Vec<f64>,
    /// Weights of each point: 4, 8 or 10.
    pub nodes_per_cell: usize,
    /// Largest distance of a point from its cell, m; 0 when all lie inside.
    pub max_distance: f64,
}

impl Embedding {
    /// The weights of one point; empty when there is no such point.
    #[must_use]
    pub fn weights_of(&self, point: usize) -> &[f64] {
        let start = point.saturating_mul(self.nodes_per_cell);
        self.weights.get(start..start.saturating_add(self.nodes_per_cell)).unwrap_or(&[])
    }

    /// Carries a field from the nodes of the mesh to the points; nodes that `field` lacks count as zero.
    #[must_use]
    pub fn apply(&self, mesh: &VolumeMesh, field: &[DVec3]) -> Vec<DVec3> {
        let value = |node: &u32| field.get(*node as usize).copied().unwrap_or(DVec3::ZERO);
        let carried = |(point, cell): (usize, &u32)| {
            let nodes = mesh.cells.nodes_of(*cell as usize).iter();
            nodes.zip(self.weights_of(point)).map(|(node, weight)| *weight * value(node)).sum()
        };
        self.cell.iter().enumerate().map(carried).collect()
    }
}

/// Finds the cell and the weights of each point.
pub fn embed(points: &[DVec3], mesh: &VolumeMesh) -> Result<Embedding, GeometryError> {
    mesh.check()?;
    if let Some(index) = points.iter().position(|point| !point.is_finite()) {
        return Err(GeometryError::NotFinite { index });
    }
    let carriers = Carriers::new(mesh);
    let shape = carriers.shape;
    let mut embedding = Embedding {
        cell: Vec::with_capacity(points.len()),
        weights: Vec::with_capacity(points.len() * shape.node_count()),
        nodes_per_cell: shape.node_count(),
        max_distance: 0.0,
    };
    for point in points {
        let distance = |cell: u32| carriers.distance_squared(cell as usize, *point);
        let nearest = carriers.tree.nearest(*point, f64::INFINITY, distance);
        let (cell, distance_squared) = nearest.ok_or(GeometryError::Empty)?;
        embedding.cell.push(cell);
        embedding.weights.extend(carriers.weights(cell as usize, *point));
        embedding.max_distance = embedding.max_distance.max(distance_squared.sqrt());
    }
    Ok(embedding)
}

/// The cells of a mesh, ready to be searched.
pub(super) struct Carriers {
    shape: Shape,
    nodes: Vec<Vec<DVec3>>,
    tree: BoxTree,
}

const TET_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
const HEX_FACES: [[usize; 3]; 12] = [
    [0, 2, 1],
    [0, 3, 2],
    [4, 5, 6],
    [4, 6, 7],
    [0, 1, 5],
    [0, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
    [3, 0, 4],
    [3, 4, 7],
];

/// How far outside the reference cell, of size 1, a place still counts as inside: rounding, far below any size.
const SLACK: f64 = 1e-12;
/// Newton steps to find a place; a brick takes one, a strongly twisted cell about six.
const STEPS: usize = 20;

impl Carriers {
    pub(super) fn new(mesh: &VolumeMesh) -> Self {
        let positions = |cell| {
            mesh.cells.nodes_of(cell).iter().map(|&node| mesh.nodes[node as usize]).collect()
        };
        let nodes: Vec<Vec<DVec3>> = (0..mesh.cells.len()).map(positions).collect();
        let boxes: Vec<Bounds> = nodes.iter().map(|nodes| Bounds::of(nodes)).collect();
        Self { shape: Shape::of(&mesh.cells), nodes, tree: BoxTree::new(&boxes) }
    }

    /// Weights of each point: 4, 8 or 10.
    pub(super) fn nodes_per_cell(&self) -> usize {
        self.shape.node_count()
    }

    /// The place of a point in the reference cell, as far as Newton's method finds it.
    fn place(&self, cell: usize, point: DVec3) -> DVec3 {
        let mut place = self.shape.centre();
        for _ in 0..STEPS {
            let (position, jacobian) = self.shape.map(&self.nodes[cell], place);
            let step = jacobian.inverse() * (point - position);
            if !step.is_finite() {
                break;
            }
            // A longer step leaves the region where the cell's map can be inverted.
            place += step.clamp_length_max(2.0);
            if self.shape == Shape::Tet4 || step.length_squared() < 1e-28 {
                break;
            }
        }
        place
    }

    /// Squared distance from a cell (its faces as flat triangles), 0 inside, m2.
    fn distance_squared(&self, cell: usize, point: DVec3) -> f64 {
        let nodes = &self.nodes[cell];
        let place = self.place(cell, point);
        let outside = place.distance(self.shape.clamped(place));
        let reached = self.shape.map(nodes, place).0.distance_squared(point);
        let size = nodes[0].distance_squared(nodes[1]);
        if outside <= SLACK && reached <= SLACK * size {
            return 0.0;
        }
        let faces: &[[usize; 3]] = if self.shape == Shape::Hex8 { &HEX_FACES } else { &TET_FACES };
        let distances = faces
            .iter()
            .map(|face| point_triangle(point, face.map(|corner| nodes[corner])).distance_squared);
        distances.fold(f64::INFINITY, f64::min)
    }

    /// Weights that give back the point: those of the nearest place in the cell, continued along their slopes. For a
    /// tetrahedron of four nodes that is one linear function everywhere.
    pub(super) fn weights(&self, cell: usize, point: DVec3) -> Vec<f64> {
        let place = self.shape.clamped(self.place(cell, point));
        let (position, jacobian) = self.shape.map(&self.nodes[cell], place);
        let step = jacobian.inverse() * (point - position);
        self.shape
            .weights(place)
            .into_iter()
            .map(|(weight, slope)| weight + slope.dot(step))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cells;
    use proptest::prelude::*;

    /// Two bricks, twisted, and a ten-node and a four-node tetrahedron.
    fn meshes() -> Vec<VolumeMesh> {
        let mut nodes = Vec::new();
        for z in 0..3 {
            for (x, y) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                let angle = 0.3 * f64::from(z);
                let (x, y) = (f64::from(x) - 0.5, f64::from(y) - 0.5);
                let turned = (x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos());
                nodes.push(DVec3::new(turned.0, turned.1, f64::from(z)));
            }
        }
        let cells = Cells::Hex8(vec![[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 8, 9, 10, 11]]);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let edges = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
        let mut quadratic = corners.to_vec();
        quadratic.extend(edges.map(|[a, b]: [usize; 2]| (corners[a] + corners[b]) * 0.5));
        quadratic[5] += DVec3::splat(0.05);
        vec![
            VolumeMesh { nodes, cells },
            VolumeMesh {
                nodes: quadratic,
                cells: Cells::Tet10(vec![[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]),
            },
            VolumeMesh { nodes: corners.to_vec(), cells: Cells::Tet4(vec![[0, 1, 2, 3]]) },
        ]
    }

    proptest! {
        /// Sum of weights 1 and x = sum w X, inside and outside: then every linear field is reproduced.
        #[test]
        fn weights_give_back_the_point(x in -2.0..2.0, y in -2.0..2.0, z in -1.0..3.0) {
            let point = DVec3::new(x, y, z);
            for mesh in meshes() {
                let embedding = embed(&[point], &mesh).unwrap();
                let sum: f64 = embedding.weights_of(0).iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
                let back = embedding.apply(&mesh, &mesh.nodes)[0];
                prop_assert!(back.distance(point) < 1e-12, "{back} {point}");
            }
        }
    }

    #[test]
    fn points_inside_have_weights_of_the_shape_functions() {
        for mesh in meshes() {
            let shape = Shape::of(&mesh.cells);
            let carriers = Carriers::new(&mesh);
            let place = DVec3::new(0.2, 0.3, 0.1);
            let point = shape.map(&carriers.nodes[0], place).0;
            let embedding = embed(&[point], &mesh).unwrap();
            assert_eq!((embedding.cell[0], embedding.max_distance), (0, 0.0));
            for (found, (expected, _)) in embedding.weights_of(0).iter().zip(shape.weights(place)) {
                assert!((found - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_distance_of_a_point_outside_is_reported() {
        let mesh = &meshes()[2];
        let embedding = embed(&[DVec3::splat(0.1), DVec3::new(0.2, 0.2, -0.5)], mesh).unwrap();
        assert!((embedding.max_distance - 0.5).abs() < 1e-15);
        assert!(embedding.weights_of(1)[3] < 0.0);
        assert!(embedding.weights_of(2).is_empty());
        let error = embed(&[DVec3::NAN], mesh).unwrap_err();
        assert_eq!(error, GeometryError::NotFinite { index: 0 });
    }
}
