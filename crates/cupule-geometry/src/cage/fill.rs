//! What of a solid lies in each cell of a mesh: volume, centroid and second moments of the intersection, exact up to rounding.
//!
//! A point is inside a closed surface when the triangles above it, those that face up less those that face down, count
//! one. So the inside part of a tetrahedron is the signed sum over triangles of its parts below them, and each of these
//! is the tetrahedron cut by four planes: three upright ones through the edges of the triangle and its own.

use super::embed::Carriers;
use crate::tree::{Bounds, BoxTree};
use crate::{Cells, DMat3, DVec3, GeometryError, TriMesh, VolumeMesh};

/// What lies in one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filling {
    /// Volume inside the surface, m3.
    pub volume: f64,
    /// The same over the volume of the cell.
    pub share: f64,
    /// Centroid, m; that of the cell where nothing is inside.
    pub centroid: DVec3,
    /// Integral of (x - centroid) (x - centroid)^T, m5.
    pub second: DMat3,
}

/// Shares of a cell below this are rounding.
const NOTHING: f64 = 1e-12;

/// What of the solid inside `surface` lies in each cell of `mesh`. Hexahedra count as the six tetrahedra of
/// [`VolumeMesh::to_tet4`], tetrahedra of ten nodes as straight.
///
/// The surface must pass [`TriMesh::check_closed`], the mesh [`VolumeMesh::check`].
pub fn fillings(surface: &TriMesh, mesh: &VolumeMesh) -> Result<Vec<Filling>, GeometryError> {
    surface.check_closed()?;
    mesh.check()?;
    let linear = mesh.to_tet4();
    let Cells::Tet4(tets) = &linear.cells else { return Err(GeometryError::Empty) };
    let tets: Vec<Tetrahedron> = tets.iter().map(|t| t.map(|n| linear.nodes[n as usize])).collect();
    let parts = parts_inside(surface, &tets);
    let per_cell = tets.len() / mesh.cell_count();
    let cells = tets.chunks_exact(per_cell).zip(parts.chunks_exact(per_cell));
    Ok(cells.map(|(tets, parts)| gather(tets, parts)).collect())
}

type Tetrahedron = [DVec3; 4];

fn gather(tets: &[Tetrahedron], parts: &[Moments]) -> Filling {
    let origin = tets[0][0];
    let mut whole = Moments::NONE;
    let mut inside = Moments::NONE;
    for (tet, part) in tets.iter().zip(parts) {
        whole.add(&Moments::of(tet.map(|x| x - origin)), 1.0);
        inside.add(&part.shifted(tet[0] - origin), 1.0);
    }
    let share = inside.volume / whole.volume;
    if share < NOTHING {
        let centroid = origin + whole.first / whole.volume;
        return Filling { volume: 0.0, share: 0.0, centroid, second: DMat3::ZERO };
    }
    let mean = inside.first / inside.volume;
    let second = inside.second - outer(mean) * inside.volume;
    Filling { volume: inside.volume, share, centroid: origin + mean, second }
}

/// Moments of what is inside, about the first corner of each tetrahedron.
fn parts_inside(surface: &TriMesh, tets: &[Tetrahedron]) -> Vec<Moments> {
    let boxes: Vec<Bounds> = tets.iter().map(|t| Bounds::of(t)).collect();
    let bottom = boxes.iter().map(|b| b.min.z).fold(f64::INFINITY, f64::min);
    let triangles: Vec<[DVec3; 3]> =
        (0..surface.triangles.len()).filter_map(|i| surface.corners(i)).collect();
    // All that is below a triangle.
    let column = |corners: &[DVec3; 3]| {
        let bounds = Bounds::of(corners);
        Bounds { min: bounds.min.with_z(bottom.min(bounds.min.z)), max: bounds.max }
    };
    let columns: Vec<Bounds> = triangles.iter().map(column).collect();
    let mut above: Vec<Vec<u32>> = vec![Vec::new(); tets.len()];
    BoxTree::new(&boxes).pairs(&BoxTree::new(&columns), 0.0, |tet, t| above[tet as usize].push(t));
    let part = |(tet, above): (&Tetrahedron, &mut Vec<u32>)| {
        // The order in which a tree finds pairs is not part of its promise.
        above.sort_unstable();
        let mut sum = Moments::NONE;
        for &t in above.iter() {
            add_below(tet, &triangles[t as usize], &mut sum);
        }
        sum
    };
    tets.iter().zip(&mut above).map(part).collect()
}

/// Adds the part of a tetrahedron below a triangle, positive where the triangle faces up.
fn add_below(tet: &Tetrahedron, triangle: &[DVec3; 3], sum: &mut Moments) {
    let [a, mut b, mut c] = *triangle;
    let upright = (b - a).cross(c - a).z;
    if upright == 0.0 {
        return;
    }
    if upright < 0.0 {
        (b, c) = (c, b);
    }
    let normal = (b - a).cross(c - a);
    let mut pieces = vec![*tet];
    let keep = |pieces: Vec<Tetrahedron>, outside: &dyn Fn(DVec3) -> f64| {
        let mut kept = Vec::new();
        pieces.into_iter().for_each(|piece| cut(piece, outside, &mut kept));
        kept
    };
    for [p, q] in [[a, b], [b, c], [c, a]] {
        let (dx, dy) = (q.x - p.x, q.y - p.y);
        pieces = keep(pieces, &|x| dy * (x.x - p.x) - dx * (x.y - p.y));
    }
    pieces = keep(pieces, &|x| normal.dot(x - a));
    for piece in pieces {
        sum.add(&Moments::of(piece.map(|x| x - tet[0])), upright.signum());
    }
}

/// The part of a tetrahedron where `outside` is not positive, as tetrahedra.
fn cut(tet: Tetrahedron, outside: &dyn Fn(DVec3) -> f64, out: &mut Vec<Tetrahedron>) {
    let heights = tet.map(outside);
    let mut order = [0, 1, 2, 3];
    order.sort_by(|i, j| heights[*i].total_cmp(&heights[*j]));
    let below = heights.iter().filter(|h| **h <= 0.0).count();
    let [a, b, c, d] = order.map(|i| tet[i]);
    let [ha, hb, hc, hd] = order.map(|i| heights[i]);
    let meet = |p: DVec3, hp: f64, q: DVec3, hq: f64| p.lerp(q, hp / (hp - hq));
    let mut prism = |[p0, p1, p2]: [DVec3; 3], [q0, q1, q2]: [DVec3; 3]| {
        out.extend([[p0, p1, p2, q0], [p1, p2, q0, q1], [p2, q0, q1, q2]]);
    };
    match below {
        0 => {}
        1 => out.push([a, meet(a, ha, b, hb), meet(a, ha, c, hc), meet(a, ha, d, hd)]),
        2 => prism(
            [a, meet(a, ha, c, hc), meet(a, ha, d, hd)],
            [b, meet(b, hb, c, hc), meet(b, hb, d, hd)],
        ),
        3 => prism([a, b, c], [meet(a, ha, d, hd), meet(b, hb, d, hd), meet(c, hc, d, hd)]),
        _ => out.push(tet),
    }
}

/// Volume, integral of x and integral of x x^T.
#[derive(Debug, Clone, Copy)]
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    const NONE: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn of(tet: Tetrahedron) -> Self {
        let [a, b, c, d] = tet;
        let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
        let sum = a + b + c + d;
        let squares = tet.iter().fold(outer(sum), |total, x| total + outer(*x));
        Self { volume, first: sum * (0.25 * volume), second: squares * (volume / 20.0) }
    }

    fn add(&mut self, other: &Self, sign: f64) {
        self.volume += other.volume * sign;
        self.first += other.first * sign;
        self.second += other.second * sign;
    }

    /// The same about a point that lies `offset` back.
    fn shifted(&self, offset: DVec3) -> Self {
        let mixed = cross_outer(self.first, offset) + cross_outer(offset, self.first);
        Self {
            volume: self.volume,
            first: self.first + offset * self.volume,
            second: self.second + mixed + outer(offset) * self.volume,
        }
    }
}

fn cross_outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn outer(v: DVec3) -> DMat3 {
    cross_outer(v, v)
}

/// Points with masses that stand for what fills the cells: four a cell, at equal shares of its volume.
///
/// Their volume, centroid and second moments are those of the filling, so that for cells that move linearly (tetrahedra
/// of four nodes) J^T M J over them is the integral of N_i N_j, and for all cells mass, momentum and inertia of any
/// rigid motion are those of the solid.
#[derive(Debug, Clone, PartialEq)]
pub struct MassPoints {
    /// Cell and volume (m3) of every point.
    pub points: Vec<(u32, f64)>,
    /// Weights of the nodes of its cell, one point after the other.
    pub weights: Vec<f64>,
    /// Weights of each point.
    pub nodes_per_cell: usize,
}

/// The points that stand for the fillings of a mesh's cells.
pub fn mass_points(mesh: &VolumeMesh, fillings: &[Filling]) -> MassPoints {
    /// Corners of a regular tetrahedron: sum t = 0, sum t t^T = 4.
    const CORNERS: [DVec3; 4] = [
        DVec3::new(1.0, 1.0, 1.0),
        DVec3::new(1.0, -1.0, -1.0),
        DVec3::new(-1.0, 1.0, -1.0),
        DVec3::new(-1.0, -1.0, 1.0),
    ];
    let carriers = Carriers::new(mesh);
    let mut out = MassPoints {
        points: Vec::new(),
        weights: Vec::new(),
        nodes_per_cell: carriers.nodes_per_cell(),
    };
    for (cell, filling) in fillings.iter().enumerate().filter(|(_, f)| f.volume > 0.0) {
        let spread = lower_root(filling.second * (1.0 / filling.volume));
        for corner in CORNERS {
            out.points.push((cell as u32, 0.25 * filling.volume));
            out.weights.extend(carriers.weights(cell, filling.centroid + spread * corner));
        }
    }
    out
}

/// Lower triangular L with L L^T = S, for a symmetric positive semidefinite S (Cholesky); directions without extent give zero columns.
pub fn lower_root(s: DMat3) -> DMat3 {
    let size = s.x_axis.x.max(s.y_axis.y).max(s.z_axis.z);
    let mut columns = [DVec3::ZERO; 3];
    for j in 0..3 {
        let known: DVec3 = columns[..j].iter().map(|column| *column * column[j]).sum();
        let rest = s.col(j) - known;
        if rest[j] > 1e-14 * size {
            columns[j] = rest / rest[j].sqrt();
            (0..j).for_each(|i| columns[j][i] = 0.0);
        }
    }
    DMat3::from_cols(columns[0], columns[1], columns[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{cuboid, sphere};
    use crate::structured::cuboid_hexes;

    /// The cells of a box that holds a body add up to the body: volume, centroid, inertia.
    #[test]
    fn fillings_add_up_to_the_solid() {
        let body = sphere(0.3, 3).unwrap().scaled(DVec3::new(1.0, 0.7, 1.3));
        let body = body.translated(DVec3::new(0.1, -0.05, 0.02));
        let hexes = cuboid_hexes(DVec3::splat(1.1), [3, 4, 2]).unwrap();
        let exact = body.mass_properties().unwrap();
        for mesh in [hexes.to_tet4(), hexes.to_tet10(), hexes] {
            let fillings = fillings(&body, &mesh).unwrap();
            let mut sum = Moments::NONE;
            for f in &fillings {
                let own = Moments { volume: f.volume, first: DVec3::ZERO, second: f.second };
                sum.add(&own.shifted(f.centroid), 1.0);
                assert!((-1e-12..1.0 + 1e-12).contains(&f.share), "{}", f.share);
            }
            assert!((sum.volume / exact.volume - 1.0).abs() < 1e-12, "{}", sum.volume);
            assert!((sum.first / sum.volume).distance(exact.centroid) < 1e-12);
            let second = sum.second - outer(sum.first / sum.volume) * sum.volume;
            let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
            let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
            let off = (inertia - exact.inertia).to_cols_array();
            assert!(off.iter().all(|x| x.abs() < 1e-13), "{off:?}");
        }
    }

    /// A half-space through a tetrahedron at known heights: what is cut off a corner at a share s of its height is s^3.
    #[test]
    fn the_tip_of_a_tetrahedron_has_the_cube_of_its_height() {
        let nodes = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = VolumeMesh { nodes, cells: Cells::Tet4(vec![[0, 1, 2, 3]]) };
        for s in [0.1, 0.5, 0.9] {
            let slab = cuboid(DVec3::new(4.0, 4.0, 2.0), [1, 1, 1]).unwrap();
            let slab = slab.translated(DVec3::Z * (2.0 - s));
            let filling = fillings(&slab, &mesh).unwrap()[0];
            assert!((filling.share - s * s * s).abs() < 1e-14, "{s}: {}", filling.share);
            assert!((filling.centroid.z - (1.0 - 0.75 * s)).abs() < 1e-13);
        }
    }

    /// Cells that miss the body hold nothing, cells inside all of themselves.
    #[test]
    fn cells_outside_are_empty_and_cells_inside_full() {
        let mesh = cuboid_hexes(DVec3::splat(1.0), [5, 5, 5]).unwrap();
        let body = cuboid(DVec3::splat(0.7), [2, 2, 2]).unwrap();
        let shares: Vec<f64> =
            fillings(&body, &mesh).unwrap().iter().map(|filling| filling.share).collect();
        let expected = |i: usize| if i == 0 || i == 4 { 0.25 } else { 1.0 };
        for (cell, share) in shares.iter().enumerate() {
            let (i, j, k) = (cell % 5, cell / 5 % 5, cell / 25);
            let wanted = expected(i) * expected(j) * expected(k);
            assert!((share - wanted).abs() < 1e-12, "{cell}: {share} {wanted}");
        }
    }

    /// J^T M J over the mass points of a full tetrahedron is the consistent mass matrix, V/20 (1 + delta_ij).
    #[test]
    fn mass_points_give_the_consistent_mass_matrix() {
        let nodes = [[0.1, 0.2, 0.0], [1.3, 0.1, -0.2], [0.3, 0.9, 0.1], [0.2, 0.4, 1.7]];
        let nodes: Vec<DVec3> = nodes.map(DVec3::from).to_vec();
        let mesh = VolumeMesh { nodes, cells: Cells::Tet4(vec![[0, 1, 2, 3]]) };
        let around = cuboid(DVec3::splat(9.0), [1, 1, 1]).unwrap();
        let points = mass_points(&mesh, &fillings(&around, &mesh).unwrap());
        let volume = mesh.volume();
        for i in 0..4 {
            for j in 0..4 {
                let entry: f64 = (0..4)
                    .map(|k| {
                        points.points[k].1 * points.weights[4 * k + i] * points.weights[4 * k + j]
                    })
                    .sum();
                let wanted = volume / 20.0 * if i == j { 2.0 } else { 1.0 };
                assert!((entry - wanted).abs() < 1e-13, "{i} {j}: {entry} {wanted}");
            }
        }
    }
}
