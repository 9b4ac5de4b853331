//! A coarse cage of tetrahedra around a closed surface: what 003 leaves to hand work.
//!
//! A grid of bricks that fits the bounding box is split into tetrahedra; those that the body overlaps stay. Then the outer
//! nodes are drawn towards the body, as far as no tetrahedron becomes flat and nothing of the body is left outside: no
//! outer face meets the surface, and every surface vertex around a moved node stays in a tetrahedron around it. The
//! smallest cage is one tetrahedron, whose four faces touch the body.

use super::inside::{Inside, Solid};
use super::voxel::{Grid, bad_target};
use super::{CageMesh, sizing};
use crate::intersection::triangles_meet;
use crate::tree::{Bounds, BoxTree};
use crate::volume::TET_FACES;
use crate::{Cells, DMat3, DVec3, GeometryError, TriMesh, VolumeMesh};

/// Below so many nodes the cage is a single tetrahedron: a brick has 8.
const FEWEST_OF_GRID: usize = 8;
/// Room around the body, over its size, so that nothing lies exactly on the cage.
const MARGIN: f64 = 1e-4;
/// Rounds of drawing in, and the shares of the way to the body that a node tries.
const ROUNDS: usize = 3;
const SHARES: [f64; 5] = [0.9, 0.7, 0.5, 0.3, 0.15];
/// Volume over that of a regular tetrahedron with the same mean square edge, below which drawing in makes no cell.
const FLATTEST: f64 = 0.2;

type Tetrahedron = [DVec3; 4];

/// Covers a closed surface with tetrahedra, about `target_nodes` nodes; 4 to 7 give one tetrahedron.
///
/// The surface must pass [`TriMesh::check_closed`]. All of it lies inside the cage.
pub fn tetrahedral_cage(surface: &TriMesh, target_nodes: usize) -> Result<CageMesh, GeometryError> {
    surface.check_closed()?;
    if target_nodes < 4 {
        return Err(bad_target(target_nodes, "a tetrahedron needs 4 nodes"));
    }
    let bounds = Bounds::of(&surface.vertices);
    let size = bounds.max - bounds.min;
    if target_nodes < FEWEST_OF_GRID {
        let nodes = around(&surface.vertices, MARGIN * size.max_element()).to_vec();
        let mesh = VolumeMesh { nodes, cells: Cells::Tet4(vec![[0, 1, 2, 3]]) };
        return CageMesh::new(mesh, size.max_element(), surface);
    }
    let solid = Solid::new(surface);
    let room = DVec3::splat(MARGIN * size.max_element());
    let bounds = Bounds { min: bounds.min - room, max: bounds.max + room };
    let guess = (surface.signed_volume() / target_nodes as f64).cbrt();
    let (mesh, spacing) = sizing::search(target_nodes, guess, |spacing| {
        Grid::check(bounds, spacing, target_nodes)?;
        let bricks = Grid::new(bounds, spacing).mesh(&solid);
        Ok(Some(overlapped(&bricks.to_tet4(), &solid)))
    })?;
    let mut drawing = Drawing::new(mesh, surface)?;
    (0..ROUNDS).for_each(|_| drawing.round());
    CageMesh::new(drawing.mesh(), spacing, surface)
}

/// The tetrahedron with faces square to (1, 1, 1) and its likes that touch the points, `room` (m) apart.
fn around(points: &[DVec3], room: f64) -> Tetrahedron {
    let normals = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let normals = normals.map(|n| DVec3::from(n) / 3f64.sqrt());
    let supports =
        normals.map(|n| points.iter().map(|x| n.dot(*x)).fold(f64::NEG_INFINITY, f64::max) + room);
    let corner = |skipped: usize| {
        let [i, j, k] = [1, 2, 3].map(|step| (skipped + step) % 4);
        let planes = DMat3::from_cols(normals[i], normals[j], normals[k]).transpose();
        planes.inverse() * DVec3::new(supports[i], supports[j], supports[k])
    };
    let tet = [corner(0), corner(1), corner(2), corner(3)];
    if volume(&tet) > 0.0 { tet } else { [tet[1], tet[0], tet[2], tet[3]] }
}

fn volume([a, b, c, d]: &Tetrahedron) -> f64 {
    (*b - *a).cross(*c - *a).dot(*d - *a) / 6.0
}

/// 1 for a regular tetrahedron, 0 for a flat one, negative for an inverted one.
fn roundness(tet: &Tetrahedron) -> f64 {
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let squares: f64 = pairs.iter().map(|&[i, j]| tet[i].distance_squared(tet[j])).sum();
    // A regular tetrahedron of edge a has the volume a^3 / (6 sqrt 2).
    volume(tet) * 72f64.sqrt() / (squares / 6.0).powf(1.5)
}

/// The tetrahedra that the body overlaps.
fn overlapped(mesh: &VolumeMesh, solid: &Solid) -> VolumeMesh {
    let Cells::Tet4(cells) = &mesh.cells else { return mesh.clone() };
    let tets: Vec<Tetrahedron> = cells.iter().map(|c| c.map(|n| mesh.nodes[n as usize])).collect();
    let centres: Vec<DVec3> = tets.iter().map(|t| t.iter().sum::<DVec3>() / 4.0).collect();
    let mut taken = solid.contains(&centres);
    let boxes: Vec<Bounds> = tets.iter().map(|t| Bounds::of(t)).collect();
    BoxTree::new(&boxes).pairs(solid.tree(), 0.0, |tet, triangle| {
        let taken = &mut taken[tet as usize];
        *taken = *taken || overlaps(&tets[tet as usize], &solid.triangles()[triangle as usize]);
    });
    let kept: Vec<[u32; 4]> =
        cells.iter().zip(taken).filter(|(_, taken)| *taken).map(|(c, _)| *c).collect();
    VolumeMesh { nodes: mesh.nodes.clone(), cells: Cells::Tet4(kept) }.without_unused_nodes()
}

/// Whether a tetrahedron and a triangle overlap: no plane parallel to a face of either or to an edge of each parts them.
fn overlaps(tet: &Tetrahedron, triangle: &[DVec3; 3]) -> bool {
    let face = |[i, j, k]: [usize; 3]| (tet[j] - tet[i]).cross(tet[k] - tet[i]);
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|[i, j]| tet[j] - tet[i]);
    let [a, b, c] = *triangle;
    let sides = [b - a, c - b, a - c];
    let mut directions = TET_FACES
        .iter()
        .map(|f| face(*f))
        .chain([sides[0].cross(sides[1])])
        .chain(edges.iter().flat_map(|e| sides.map(|s| e.cross(s))));
    let extent = |points: &[DVec3], n: DVec3| {
        let places = points.iter().map(|x| n.dot(*x - tet[0]));
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
    };
    // Touching is not overlapping.
    let parted = |n: DVec3| {
        let ((low, high), (least, most)) = (extent(tet, n), extent(triangle, n));
        let touch = 1e-9 * (high - low);
        n != DVec3::ZERO && (low >= most - touch || least >= high - touch)
    };
    !directions.any(parted)
}

/// A cage whose outer nodes are drawn in.
struct Drawing<'a> {
    nodes: Vec<DVec3>,
    cells: Vec<[u32; 4]>,
    /// Cells around every node.
    around: Vec<Vec<u32>>,
    /// Outer faces around every node; empty inside.
    faces: Vec<Vec<[u32; 3]>>,
    surface: &'a TriMesh,
    triangles: Vec<[DVec3; 3]>,
    tree: BoxTree,
    /// The cell of every surface vertex.
    owners: Vec<u32>,
}

impl<'a> Drawing<'a> {
    fn new(mesh: VolumeMesh, surface: &'a TriMesh) -> Result<Self, GeometryError> {
        let owners = super::embed(&surface.vertices, &mesh)?.cell;
        let (boundary, outer) = mesh.boundary();
        let (mut around, mut faces) =
            (vec![Vec::new(); mesh.nodes.len()], vec![Vec::new(); mesh.nodes.len()]);
        for t in &boundary.triangles {
            let face = t.map(|v| outer[v as usize]);
            face.iter().for_each(|n| faces[*n as usize].push(face));
        }
        let Cells::Tet4(cells) = mesh.cells else { return Err(GeometryError::Empty) };
        for (index, cell) in cells.iter().enumerate() {
            cell.iter().for_each(|n| around[*n as usize].push(index as u32));
        }
        let triangles: Vec<[DVec3; 3]> =
            (0..surface.triangles.len()).filter_map(|i| surface.corners(i)).collect();
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::of(t)).collect();
        let tree = BoxTree::new(&boxes);
        Ok(Self { nodes: mesh.nodes, cells, around, faces, surface, triangles, tree, owners })
    }

    fn mesh(self) -> VolumeMesh {
        VolumeMesh { nodes: self.nodes, cells: Cells::Tet4(self.cells) }
    }

    fn round(&mut self) {
        for node in 0..self.nodes.len() {
            if !self.faces[node].is_empty() {
                self.draw(node);
            }
        }
    }

    /// Draws one node in as far as it may go.
    fn draw(&mut self, node: usize) {
        let from = self.nodes[node];
        let carried: Vec<usize> = (0..self.owners.len())
            .filter(|v| self.around[node].contains(&self.owners[*v]))
            .collect();
        let Some(aim) = self.aim(from) else { return };
        let worst = self.worst(node).min(FLATTEST);
        for share in SHARES {
            self.nodes[node] = from.lerp(aim, share);
            if self.worst(node) >= worst
                && self.is_outside(node)
                && let Some(owners) = self.owners_of(node, &carried)
            {
                carried.iter().zip(owners).for_each(|(v, owner)| self.owners[*v] = owner);
                return;
            }
        }
        self.nodes[node] = from;
    }

    /// The place of the surface that is nearest.
    fn aim(&self, from: DVec3) -> Option<DVec3> {
        let closest = |t: u32| crate::distance::point_triangle(from, self.triangles[t as usize]);
        let (nearest, _) =
            self.tree.nearest(from, f64::INFINITY, |t| closest(t).distance_squared)?;
        Some(closest(nearest).point)
    }

    fn cell(&self, cell: u32) -> Tetrahedron {
        self.cells[cell as usize].map(|n| self.nodes[n as usize])
    }

    /// Least roundness of the cells around a node.
    fn worst(&self, node: usize) -> f64 {
        let cells = self.around[node].iter();
        cells.map(|c| roundness(&self.cell(*c))).fold(f64::INFINITY, f64::min)
    }

    /// Whether the outer faces around a node meet nothing of the surface.
    fn is_outside(&self, node: usize) -> bool {
        let faces: Vec<[DVec3; 3]> =
            self.faces[node].iter().map(|f| f.map(|n| self.nodes[n as usize])).collect();
        let boxes: Vec<Bounds> = faces.iter().map(|f| Bounds::of(f)).collect();
        let mut meets = false;
        BoxTree::new(&boxes).pairs(&self.tree, 0.0, |face, triangle| {
            meets =
                meets || triangles_meet(faces[face as usize], self.triangles[triangle as usize]);
        });
        !meets
    }

    /// The cells around a node that hold the given surface vertices; `None` if one is lost.
    fn owners_of(&self, node: usize, vertices: &[usize]) -> Option<Vec<u32>> {
        let holds = |cell: &&u32, x: DVec3| {
            let tet = self.cell(**cell);
            (0..4).all(|k| {
                let mut part = tet;
                part[k] = x;
                volume(&part) >= -1e-12 * volume(&tet)
            })
        };
        vertices
            .iter()
            .map(|v| {
                let x = self.surface.vertices[*v];
                self.around[node].iter().find(|cell| holds(cell, x)).copied()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_beside_a_tetrahedron_is_told_from_one_through_it() {
        let tet = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let plane = |sum: f64| [DVec3::X * sum, DVec3::Y * sum, DVec3::Z * sum];
        assert!(overlaps(&tet, &plane(0.9)));
        assert!(!overlaps(&tet, &plane(1.1)));
        assert!(!overlaps(&tet, &plane(1.0)), "touching");
        let tiny = plane(0.01).map(|x| x + DVec3::splat(0.1));
        assert!(overlaps(&tet, &tiny), "a triangle inside");
    }

    #[test]
    fn a_regular_tetrahedron_is_round() {
        let tet = around(&[DVec3::ZERO], 1.0);
        assert!((roundness(&tet) - 1.0).abs() < 1e-12, "{}", roundness(&tet));
        assert!(roundness(&[tet[1], tet[0], tet[2], tet[3]]) < -0.9);
    }
}
