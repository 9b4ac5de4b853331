//! Tetrahedra inside a closed surface by isosurface stuffing on a uniform lattice (Labelle and Shewchuk 2007,
//! "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles").
//!
//! Lattice points so near to the surface that they would leave slivers are moved onto it; the tetrahedra that the
//! surface still cuts are filled by fixed stencils. Whatever the surface, all dihedral angles lie between 9 and 165
//! degrees (see the test of the stencils); those of common bodies between 14 and 160. Deviations: the surface is a
//! triangle mesh (exact winding number and crossings) and not a level set, and the free diagonal of a prism is chosen
//! by angle. Edges and corners of the surface are rounded off within a
//! spacing; walls thinner than that are lost.

use std::collections::HashMap;

use super::CageMesh;
use super::inside::{Inside, Solid};
use super::lattice::{Coordinates, Lattice, NEIGHBOURS, is_long, neighbour};
use super::sizing;
use super::stencil::{Corner, Key, Point, Side, fill};
use super::voxel::bad_target;
use crate::generate::{Ellipsoids, MOST_ELEMENTS, require, require_positive};
use crate::tree::Bounds;
use crate::{Cells, DVec3, GeometryError, TriMesh, VolumeMesh};

/// A cut nearer to a lattice point than this fraction of its edge pulls the point onto the surface. The pair for long
/// and short edges is the paper's for the largest minimum angle.
pub(super) const NEAR_LONG: f64 = 0.24999;
pub(super) const NEAR_SHORT: f64 = 0.41189;
/// Lattices of more points for each wanted node are refused: the body fills so little of its box that the mesh would
/// not resolve its thickness, and the time and memory go into empty space.
const MOST_POINTS_PER_NODE: f64 = 1000.0;

/// Fills a closed surface with tetrahedra, about `target_nodes` nodes (within 10 % where the shape allows it).
///
/// The surface must pass [`TriMesh::check_closed`]; inner shells that face inwards are voids.
pub fn tetrahedralize(surface: &TriMesh, target_nodes: usize) -> Result<CageMesh, GeometryError> {
    surface.check_closed()?;
    let bounds = Bounds::of(&surface.vertices);
    let (mesh, spacing) =
        stuff(&Solid::new(surface), bounds, surface.signed_volume(), target_nodes)?;
    CageMesh::new(mesh, spacing, surface)
}

/// Fills smoothly joined ellipsoids with tetrahedra, about `target_nodes` nodes, with all boundary nodes on the surface.
pub fn tetrahedralize_ellipsoids(
    solid: &Ellipsoids,
    target_nodes: usize,
) -> Result<VolumeMesh, GeometryError> {
    let (mesh, _) = stuff(solid, solid.bounds(), solid.rough_volume(), target_nodes)?;
    mesh.check()?;
    Ok(mesh)
}

/// The closed surface of smoothly joined ellipsoids in triangles of about `resolution` (m).
pub fn surface_of_ellipsoids(
    solid: &Ellipsoids,
    resolution: f64,
) -> Result<TriMesh, GeometryError> {
    require_positive("surface", "resolution", resolution)?;
    let bounds = solid.bounds();
    let points = Lattice::point_count(bounds, resolution);
    let expected = "that many elements would not fit in memory";
    require(points <= MOST_ELEMENTS as f64, "surface", "resolution", resolution, expected)?;
    let mesh = Stuffing::new(solid, Lattice::around(bounds, resolution)).mesh();
    let expected = "a smaller one, the solid is too thin for it";
    require(mesh.is_some(), "surface", "resolution", resolution, expected)?;
    Ok(mesh.ok_or(GeometryError::Empty)?.boundary().0)
}

/// The mesh with about `target_nodes` nodes and its spacing, m.
fn stuff(
    solid: &impl Inside,
    bounds: Bounds,
    volume: f64,
    target_nodes: usize,
) -> Result<(VolumeMesh, f64), GeometryError> {
    if target_nodes < 4 {
        return Err(bad_target(target_nodes, "a tetrahedron needs 4 nodes"));
    }
    // A lattice has two points for each cube.
    let guess = (2.0 * volume / target_nodes as f64).cbrt();
    sizing::search(target_nodes, guess, |spacing| {
        let points = Lattice::point_count(bounds, spacing);
        if points.is_nan() || points > MOST_POINTS_PER_NODE * target_nodes as f64 {
            return Err(bad_target(target_nodes, "fewer, the shape is too thin for so many"));
        }
        Ok(Stuffing::new(solid, Lattice::around(bounds, spacing)).mesh())
    })
}

/// The lattice with its cuts.
struct Stuffing {
    lattice: Lattice,
    points: Vec<Coordinates>,
    positions: Vec<DVec3>,
    sides: Vec<Side>,
    /// Positions of the cuts, m.
    cuts: Vec<DVec3>,
    /// The cut of an edge, by the indices of its inside and outside ends.
    cut_of: HashMap<[u32; 2], u32>,
}

impl Stuffing {
    fn new(solid: &impl Inside, lattice: Lattice) -> Self {
        let points = lattice.points();
        let positions: Vec<DVec3> = points.iter().map(|&point| lattice.position(point)).collect();
        let side = |inside| if inside { Side::Inside } else { Side::Outside };
        let sides = solid.contains(&positions).into_iter().map(side).collect();
        let mut stuffing =
            Self { lattice, points, positions, sides, cuts: Vec::new(), cut_of: HashMap::new() };
        stuffing.cut_edges(solid);
        stuffing.warp();
        stuffing
    }

    fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> {
        let from = self.points[index];
        NEIGHBOURS.iter().filter_map(move |&step| self.lattice.index(neighbour(from, step)))
    }

    fn cut_edges(&mut self, solid: &impl Inside) {
        let inside = (0..self.points.len()).filter(|&i| self.sides[i] == Side::Inside);
        let crossed = inside.flat_map(|i| {
            let outside = self.neighbours(i).filter(|&j| self.sides[j] == Side::Outside);
            outside.map(move |j| [i, j])
        });
        let edges: Vec<[usize; 2]> = crossed.collect();
        let segments: Vec<_> = edges.iter().map(|edge| edge.map(|i| self.positions[i])).collect();
        for (index, place) in solid.crossings(&segments).into_iter().enumerate() {
            let [start, end] = segments[index];
            self.cuts.push(start.lerp(end, place));
            self.cut_of.insert(edges[index].map(|i| i as u32), index as u32);
        }
    }

    /// Moves points onto the surface where a cut is too near. Their other cuts are void from then on.
    fn warp(&mut self) {
        for index in 0..self.points.len() {
            let near = self.neighbours(index).filter_map(|other| self.near_cut(index, other));
            let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, cut)) = nearest {
                self.positions[index] = self.cuts[cut as usize];
                self.sides[index] = Side::Surface;
            }
        }
    }

    /// The distance (m) to the cut on the edge to `other`, if there is one and it is too near to `index`.
    fn near_cut(&self, index: usize, other: usize) -> Option<(f64, u32)> {
        let edge = match (self.sides[index], self.sides[other]) {
            (Side::Inside, Side::Outside) => [index, other],
            (Side::Outside, Side::Inside) => [other, index],
            _ => return None,
        };
        let cut = *self.cut_of.get(&edge.map(|i| i as u32))?;
        // Neither end has been moved, since both are still off the surface.
        let long = is_long(self.points[index], self.points[other]);
        let limit = if long { NEAR_LONG } else { NEAR_SHORT * f64::sqrt(0.75) };
        let distance = self.positions[index].distance(self.cuts[cut as usize]);
        (distance < limit * self.lattice.spacing).then_some((distance, cut))
    }

    /// The tetrahedra inside, `None` if there are none.
    fn mesh(&self) -> Option<VolumeMesh> {
        let mut nodes = Vec::new();
        let mut node_of: HashMap<Key, u32> = HashMap::new();
        let mut cells = Vec::new();
        let corners = self.points.iter().filter(|point| point[0] % 2 == 0);
        for tetrahedron in corners.flat_map(|&corner| Lattice::tetrahedra_at(corner)) {
            for piece in self.pieces(tetrahedron) {
                cells.push(piece.map(|point| {
                    *node_of.entry(point.key).or_insert_with(|| {
                        nodes.push(point.position);
                        (nodes.len() - 1) as u32
                    })
                }));
            }
        }
        (!cells.is_empty()).then_some(VolumeMesh { nodes, cells: Cells::Tet4(cells) })
    }

    fn pieces(&self, tetrahedron: [Coordinates; 4]) -> Vec<[Point; 4]> {
        let indices = tetrahedron.map(|coordinates| self.lattice.index(coordinates));
        // Most tetrahedra have no corner inside; those at the border of the lattice never do.
        let inside = |index: &Option<usize>| index.is_some_and(|i| self.sides[i] == Side::Inside);
        if indices.iter().any(Option::is_none) || !indices.iter().any(inside) {
            return Vec::new();
        }
        let corners = [0, 1, 2, 3].map(|i| {
            let (index, coordinates) = (indices[i].unwrap_or_default(), tetrahedron[i]);
            let point = Point { key: Key::Lattice(index as u32), position: self.positions[index] };
            Corner { point, coordinates, side: self.sides[index] }
        });
        fill(corners, |inside, outside| {
            let edge = [inside, outside].map(|corner| match corner.point.key {
                Key::Lattice(index) | Key::Cut(index) => index,
            });
            let cut = self.cut_of[&edge];
            Point { key: Key::Cut(cut), position: self.cuts[cut as usize] }
        })
    }
}
