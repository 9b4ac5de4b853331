//! A cage of equal bricks that covers the body: every brick of a grid that the body overlaps.

use super::inside::{Inside, Solid};
use super::{CageMesh, sizing};
use crate::tree::Bounds;
use crate::{Cells, DVec3, GeometryError, TriMesh, VolumeMesh};

/// Grids of more bricks for each wanted node are refused: the time and memory would go into empty space.
const MOST_BRICKS_PER_NODE: f64 = 1000.0;
/// Bricks that the surface only touches are left out: the part of their size by which they are shrunk for that.
const TOUCH: f64 = 1e-9;

/// Covers a closed surface with axis-aligned hexahedra, about `target_nodes` nodes. The grid fits the bounding box.
///
/// The surface must pass [`TriMesh::check_closed`].
pub fn voxel_hexes(surface: &TriMesh, target_nodes: usize) -> Result<CageMesh, GeometryError> {
    surface.check_closed()?;
    if target_nodes < 8 {
        return Err(bad_target(target_nodes, "a hexahedron needs 8 nodes"));
    }
    let solid = Solid::new(surface);
    let bounds = Bounds::of(&surface.vertices);
    let guess = (surface.signed_volume() / target_nodes as f64).cbrt();
    let (mesh, spacing) = sizing::search(target_nodes, guess, |spacing| {
        Grid::check(bounds, spacing, target_nodes)?;
        Ok(Some(Grid::new(bounds, spacing).mesh(&solid)))
    })?;
    CageMesh::new(mesh, spacing, surface)
}

pub(super) fn bad_target(target: usize, expected: &'static str) -> GeometryError {
    let (shape, parameter) = ("cage", "target_nodes");
    GeometryError::BadParameter { shape, parameter, value: target as f64, expected }
}

/// A grid of bricks that fills a box.
pub(super) struct Grid {
    origin: DVec3,
    brick: DVec3,
    counts: [usize; 3],
}

impl Grid {
    /// Refuses a spacing that gives far more bricks than nodes are wanted.
    pub(super) fn check(bounds: Bounds, spacing: f64, target: usize) -> Result<(), GeometryError> {
        let count = ((bounds.max - bounds.min) / spacing).ceil().element_product();
        if count.is_nan() || count > MOST_BRICKS_PER_NODE * target as f64 {
            return Err(bad_target(target, "fewer, the shape is too thin for so many"));
        }
        Ok(())
    }

    pub(super) fn new(bounds: Bounds, spacing: f64) -> Self {
        let size = bounds.max - bounds.min;
        let counts = size.to_array().map(|length| ((length / spacing).ceil() as usize).max(1));
        let brick = size / DVec3::from_array(counts.map(|count| count as f64));
        Self { origin: bounds.min, brick, counts }
    }

    fn corner(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.origin + self.brick * DVec3::new(i as f64, j as f64, k as f64)
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.counts[1] + j) * self.counts[0] + i
    }

    fn bricks(&self) -> impl Iterator<Item = [usize; 3]> {
        let [nx, ny, nz] = self.counts;
        (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
    }

    fn centre(&self, brick: [usize; 3]) -> DVec3 {
        self.corner(brick) + 0.5 * self.brick
    }

    /// Which bricks the body overlaps: those that the surface passes through, and those whose centre is inside.
    fn overlapped(&self, solid: &Solid) -> Vec<bool> {
        let mut taken = vec![false; self.counts.iter().product()];
        for triangle in solid.triangles() {
            let bounds = Bounds::of(triangle);
            let [low, high] = [bounds.min, bounds.max].map(|point| self.brick_of(point));
            for k in low[2]..=high[2] {
                for j in low[1]..=high[1] {
                    for i in low[0]..=high[0] {
                        let half = 0.5 * self.brick * (1.0 - TOUCH);
                        let taken = &mut taken[self.index([i, j, k])];
                        *taken = *taken || overlaps(self.centre([i, j, k]), half, triangle);
                    }
                }
            }
        }
        let rest: Vec<_> = self.bricks().filter(|&brick| !taken[self.index(brick)]).collect();
        let centres: Vec<DVec3> = rest.iter().map(|&brick| self.centre(brick)).collect();
        for (brick, inside) in rest.into_iter().zip(solid.contains(&centres)) {
            taken[self.index(brick)] = inside;
        }
        taken
    }

    fn brick_of(&self, point: DVec3) -> [usize; 3] {
        let steps = ((point - self.origin) / self.brick).floor().to_array();
        [0, 1, 2].map(|axis| (steps[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    pub(super) fn mesh(&self, solid: &Solid) -> VolumeMesh {
        let taken = self.overlapped(solid);
        let node_counts = self.counts.map(|count| count + 1);
        let mut node_of = vec![u32::MAX; node_counts.iter().product()];
        let (mut nodes, mut cells) = (Vec::new(), Vec::new());
        for [i, j, k] in self.bricks().filter(|&brick| taken[self.index(brick)]) {
            let ring = [[i, j, k], [i + 1, j, k], [i + 1, j + 1, k], [i, j + 1, k]];
            let above = ring.map(|[i, j, k]| [i, j, k + 1]);
            let mut corners = ring.into_iter().chain(above);
            cells.push([(); 8].map(|()| {
                let corner = corners.next().unwrap_or([i, j, k]);
                let [i, j, k] = corner;
                let node = &mut node_of[(k * node_counts[1] + j) * node_counts[0] + i];
                if *node == u32::MAX {
                    *node = nodes.len() as u32;
                    nodes.push(self.corner(corner));
                }
                *node
            }));
        }
        VolumeMesh { nodes, cells: Cells::Hex8(cells) }
    }
}

/// Whether a box and a triangle overlap: no plane parallel to a face of either or to two of their edges parts them.
fn overlaps(centre: DVec3, half: DVec3, triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = triangle.map(|corner| corner - centre);
    let edges = [b - a, c - b, a - c];
    let axes = DVec3::AXES;
    let crossed = edges.iter().flat_map(|edge| axes.map(|axis| axis.cross(*edge)));
    let mut directions = axes.into_iter().chain([edges[0].cross(edges[1])]).chain(crossed);
    let parted = |direction: DVec3| {
        let reach = half.dot(direction.abs());
        let [p, q, r] = [a.dot(direction), b.dot(direction), c.dot(direction)];
        p.min(q).min(r) > reach || p.max(q).max(r) < -reach
    };
    !directions.any(parted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_near_a_corner_is_told_from_one_through_it() {
        let plane = |sum: f64| [DVec3::X * sum, DVec3::Y * sum, DVec3::Z * sum];
        let half = DVec3::splat(0.5);
        assert!(overlaps(DVec3::ZERO, half, &plane(1.4)));
        assert!(!overlaps(DVec3::ZERO, half, &plane(1.6)));
        assert!(overlaps(DVec3::ZERO, half, &plane(0.1)), "a triangle inside the box");
    }
}
