//! The body-centred cubic lattice: the corners and the centres of a grid of cubes, and its tetrahedra.
//!
//! Points have integer coordinates, all even (corners) or all odd (centres), in units of half a cube's edge. Long
//! edges (2 units) join neighbours of the same kind, short ones (sqrt 3 units) a corner and a centre. A tetrahedron
//! has a long edge of each kind, at right angles, and four short edges.

use crate::DVec3;
use crate::tree::Bounds;

/// A block of the lattice.
pub(super) struct Lattice {
    /// Position of the point (0, 0, 0), m.
    origin: DVec3,
    /// Edge length of a cube, m.
    pub spacing: f64,
    /// Cubes along x, y and z.
    cubes: [usize; 3],
}

/// Coordinates of a lattice point.
pub(super) type Coordinates = [i32; 3];

impl Lattice {
    /// The lattice centred on a box, with a whole cube to spare on every side.
    pub fn around(bounds: Bounds, spacing: f64) -> Self {
        let size = bounds.max - bounds.min;
        let cubes = size.to_array().map(|length| (length / spacing).ceil() as usize + 2);
        let extent = DVec3::from_array(cubes.map(|count| count as f64)) * spacing;
        let origin = 0.5 * (bounds.min + bounds.max - extent);
        Self { origin, spacing, cubes }
    }

    /// How many points a lattice around the box would have.
    pub fn point_count(bounds: Bounds, spacing: f64) -> f64 {
        let cubes = ((bounds.max - bounds.min) / spacing).ceil() + 2.0;
        2.0 * cubes.x * cubes.y * cubes.z
    }

    /// All points, in the order of their indices: corners first, then centres.
    pub fn points(&self) -> Vec<Coordinates> {
        let [nx, ny, nz] = self.cubes.map(|count| count as i32);
        let mut points = Vec::new();
        for (shift, extra) in [(0, 1), (1, 0)] {
            for k in 0..nz + extra {
                for j in 0..ny + extra {
                    points.extend((0..nx + extra).map(|i| [i, j, k].map(|n| 2 * n + shift)));
                }
            }
        }
        points
    }

    /// The index of a point, `None` outside the block.
    pub fn index(&self, coordinates: Coordinates) -> Option<usize> {
        let odd = coordinates[0] % 2 != 0;
        let [nx, ny, nz] = self.cubes.map(|count| if odd { count } else { count + 1 });
        let [i, j, k] = coordinates.map(|n| usize::try_from(n).map_or(usize::MAX, |n| n / 2));
        let within = i < nx && j < ny && k < nz;
        let corners: usize = self.cubes.iter().map(|count| count + 1).product();
        let base = if odd { corners } else { 0 };
        within.then(|| base + (k * ny + j) * nx + i)
    }

    /// Position of a point, m.
    pub fn position(&self, coordinates: Coordinates) -> DVec3 {
        let steps = DVec3::from_array(coordinates.map(f64::from));
        self.origin + steps * (0.5 * self.spacing)
    }

    /// The tetrahedra that have a corner-to-corner edge starting at `corner`: four around each of three edges.
    pub fn tetrahedra_at(corner: Coordinates) -> impl Iterator<Item = [Coordinates; 4]> {
        (0..3).flat_map(move |axis| {
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut end = corner;
            end[axis] += 2;
            let centre = move |(a, b): (i32, i32)| {
                let mut centre = corner;
                centre[axis] += 1;
                centre[second] += a;
                centre[third] += b;
                centre
            };
            let ring = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
            (0..4).map(move |i| [corner, end, centre(ring[i]), centre(ring[(i + 1) % 4])])
        })
    }
}

/// Whether two neighbours are of the same kind: their edge is long.
pub(super) fn is_long(a: Coordinates, b: Coordinates) -> bool {
    (a[0] - b[0]) % 2 == 0
}

/// Steps from a point to its 14 neighbours: six long, then eight short.
pub(super) const NEIGHBOURS: [Coordinates; 14] = [
    [2, 0, 0],
    [-2, 0, 0],
    [0, 2, 0],
    [0, -2, 0],
    [0, 0, 2],
    [0, 0, -2],
    [1, 1, 1],
    [-1, 1, 1],
    [1, -1, 1],
    [-1, -1, 1],
    [1, 1, -1],
    [-1, 1, -1],
    [1, -1, -1],
    [-1, -1, -1],
];

/// The neighbour reached by a step.
pub(super) fn neighbour(from: Coordinates, step: Coordinates) -> Coordinates {
    [from[0] + step[0], from[1] + step[1], from[2] + step[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_indices_agree() {
        let bounds = Bounds { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 0.5) };
        let lattice = Lattice::around(bounds, 0.4);
        for (index, point) in lattice.points().into_iter().enumerate() {
            assert_eq!(lattice.index(point), Some(index));
        }
        assert_eq!(lattice.index([-1, -1, -1]), None);
        assert_eq!(lattice.index([0, 0, 1000]), None);
    }

    /// Twelve tetrahedra per corner, each of 1/12 of a cube (8 cubic units), all with two long edges.
    #[test]
    fn tetrahedra_fill_space() {
        let at = |c: Coordinates| DVec3::from_array(c.map(f64::from));
        let list: Vec<_> = Lattice::tetrahedra_at([4, 4, 4]).collect();
        assert_eq!(list.len(), 12);
        for [a, b, c, d] in list {
            let volume = (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a)).abs() / 6.0;
            assert!((volume - 8.0 / 12.0).abs() < 1e-12);
            let pairs = [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
            assert_eq!(pairs.iter().filter(|[p, q]| is_long(*p, *q)).count(), 2);
        }
    }
}
