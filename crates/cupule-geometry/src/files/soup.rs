//! Points and elements as a file lists them, before they become a surface or a volume mesh.

use super::error::{MeshFileProblem, Place};
use crate::{Cells, DVec3, TriMesh, VolumeMesh};

/// Kinds of elements that files may list. Node orders are those of VTK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Points and lines: passed over.
    Thin,
    /// Triangle, quad or polygon, corners in order.
    Polygon,
    /// Three corners, then the midpoints of edges 01, 12, 20.
    Triangle6,
    Tet4,
    Tet10,
    Hex8,
}

/// Points and elements of any kinds.
#[derive(Debug, Default)]
pub(super) struct Soup {
    pub points: Vec<DVec3>,
    elements: Vec<(Kind, usize)>,
    nodes: Vec<u32>,
}

impl Soup {
    /// Adds an element whose nodes are indices of points; the points may come later.
    pub fn push(&mut self, kind: Kind, nodes: impl IntoIterator<Item = u32>) {
        if kind != Kind::Thin {
            self.elements.push((kind, self.nodes.len()));
            self.nodes.extend(nodes);
        }
    }

    fn each(&self) -> impl Iterator<Item = (usize, Kind, &[u32])> {
        self.elements.iter().enumerate().map(|(index, &(kind, start))| {
            let end = self.elements.get(index + 1).map_or(self.nodes.len(), |&(_, next)| next);
            (index, kind, &self.nodes[start..end])
        })
    }

    fn check_indices(&self) -> Result<(), MeshFileProblem> {
        for (index, _, nodes) in self.each() {
            if let Some(node) = nodes.iter().find(|&&node| node as usize >= self.points.len()) {
                let expected = format!("point indices below {}", self.points.len());
                let place = Place::Item("element", index);
                return Err(MeshFileProblem::malformed(place, expected, &node.to_string()));
            }
        }
        Ok(())
    }

    /// The triangles, quads and polygons as triangles.
    pub fn into_surface(self) -> Result<TriMesh, MeshFileProblem> {
        self.check_indices()?;
        let mut triangles = Vec::new();
        for (index, kind, nodes) in self.each() {
            match kind {
                Kind::Polygon => cut_polygon(index, nodes, &mut triangles)?,
                Kind::Triangle6 => triangles.extend(cut_triangle6(nodes)),
                _ => {}
            }
        }
        if triangles.is_empty() {
            return Err(self.wrong_content("surface (triangles, quads or polygons)"));
        }
        let vertices = drop_unused(self.points, triangles.as_flattened_mut());
        Ok(TriMesh { vertices, triangles })
    }

    /// The tetrahedra or hexahedra, all of one kind.
    pub fn into_volume(self) -> Result<VolumeMesh, MeshFileProblem> {
        self.check_indices()?;
        let solid = |kind: Kind| matches!(kind, Kind::Tet4 | Kind::Tet10 | Kind::Hex8);
        let Some(kind) = self.elements.iter().map(|e| e.0).find(|&kind| solid(kind)) else {
            return Err(self.wrong_content("volume mesh (tetrahedra or hexahedra)"));
        };
        if let Some(index) = self.elements.iter().position(|e| solid(e.0) && e.0 != kind) {
            return Err(MeshFileProblem::Unsupported {
                place: Place::Item("element", index),
                what: format!("a mesh of both {kind:?} and {:?} cells", self.elements[index].0),
                advice: "export cells of one kind",
            });
        }
        let (nodes, cells) = match kind {
            Kind::Tet10 => {
                let (nodes, cells) = self.gather(kind);
                (nodes, Cells::Tet10(cells))
            }
            Kind::Hex8 => {
                let (nodes, cells) = self.gather(kind);
                (nodes, Cells::Hex8(cells))
            }
            _ => {
                let (nodes, cells) = self.gather(kind);
                (nodes, Cells::Tet4(cells))
            }
        };
        Ok(VolumeMesh { nodes, cells })
    }

    fn gather<const N: usize>(self, wanted: Kind) -> (Vec<DVec3>, Vec<[u32; N]>) {
        let of_kind = self.each().filter(|&(_, kind, _)| kind == wanted);
        let mut cells: Vec<[u32; N]> =
            of_kind.filter_map(|(_, _, nodes)| nodes.first_chunk().copied()).collect();
        let nodes = drop_unused(self.points, cells.as_flattened_mut());
        (nodes, cells)
    }

    fn wrong_content(&self, wanted: &'static str) -> MeshFileProblem {
        let solids =
            self.elements.iter().filter(|e| matches!(e.0, Kind::Tet4 | Kind::Tet10 | Kind::Hex8));
        let (points, solids) = (self.points.len(), solids.count());
        let faces = self.elements.len() - solids;
        let found = format!("{points} points, {faces} faces and {solids} solid cells");
        MeshFileProblem::WrongContent { wanted, found }
    }
}

/// Cuts a polygon as a fan from its first corner.
fn cut_polygon(
    index: usize,
    nodes: &[u32],
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), MeshFileProblem> {
    if nodes.len() < 3 {
        let place = Place::Item("element", index);
        let found = nodes.len().to_string();
        return Err(MeshFileProblem::malformed(place, "a face of at least 3 corners", &found));
    }
    triangles.extend(nodes[1..].windows(2).map(|pair| [nodes[0], pair[0], pair[1]]));
    Ok(())
}

/// Cuts a six-node triangle into four, so that its curved shape is kept at its nodes.
fn cut_triangle6(nodes: &[u32]) -> Vec<[u32; 3]> {
    let &[a, b, c, ab, bc, ca] = nodes else { return Vec::new() };
    vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

/// Drops the points that no element names, keeps the order of the others and renumbers the elements.
fn drop_unused(points: Vec<DVec3>, indices: &mut [u32]) -> Vec<DVec3> {
    let mut new_index = vec![0_u32; points.len()];
    for &index in indices.iter() {
        new_index[index as usize] = 1;
    }
    let mut kept = Vec::new();
    for (new, point) in new_index.iter_mut().zip(points) {
        if *new == 1 {
            *new = kept.len() as u32;
            kept.push(point);
        }
    }
    for index in indices {
        *index = new_index[*index as usize];
    }
    kept
}
