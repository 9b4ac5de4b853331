//! Tetrahedra from hexahedra, and quadratic tetrahedra from linear ones.
//!
//! A hexahedron becomes six tetrahedra: its three faces that do not touch its node of smallest index are cut into two
//! triangles each, and each triangle is joined to that node. Every face is thus cut through its own node of smallest
//! index, so neighbours agree without being asked.

use crate::topology::split_quad;
use crate::volume::{HEX_FACES, TET_EDGES};
use crate::{Cells, VolumeMesh};

impl VolumeMesh {
    /// The same solid in linear tetrahedra: hexahedra are split in six, quadratic tetrahedra lose their mid-edge nodes
    /// (and their curvature).
    pub fn to_tet4(&self) -> VolumeMesh {
        match &self.cells {
            Cells::Tet4(_) => self.clone(),
            Cells::Hex8(hexes) => {
                let tets = hexes.iter().flat_map(split_hex).collect();
                VolumeMesh { nodes: self.nodes.clone(), cells: Cells::Tet4(tets) }
            }
            Cells::Tet10(tets) => {
                let corners = tets.iter().map(|&[a, b, c, d, ..]| [a, b, c, d]).collect();
                let nodes = self.nodes.clone();
                VolumeMesh { nodes, cells: Cells::Tet4(corners) }.without_unused_nodes()
            }
        }
    }

    /// The same solid in quadratic tetrahedra with straight edges: the corners keep their indices, the mid-edge nodes
    /// follow, ordered by the corners they lie between.
    pub fn to_tet10(&self) -> VolumeMesh {
        if matches!(self.cells, Cells::Tet10(_)) {
            return self.clone();
        }
        let linear = self.to_tet4();
        let Cells::Tet4(tets) = &linear.cells else { return linear };
        let edge = |tet: &[u32; 4], [i, j]: [usize; 2]| [tet[i].min(tet[j]), tet[i].max(tet[j])];
        let mut edges: Vec<[u32; 2]> =
            tets.iter().flat_map(|tet| TET_EDGES.map(|e| edge(tet, e))).collect();
        edges.sort_unstable();
        edges.dedup();
        let first = linear.nodes.len() as u32;
        let middle = |tet: &[u32; 4], ends: [usize; 2]| {
            edges.binary_search(&edge(tet, ends)).map_or(u32::MAX, |k| first + k as u32)
        };
        let cells = tets
            .iter()
            .map(|tet| {
                let [a, b, c, d] = *tet;
                let [e, f, g, h, i, j] = TET_EDGES.map(|ends| middle(tet, ends));
                [a, b, c, d, e, f, g, h, i, j]
            })
            .collect();
        let at = |n: u32| linear.nodes.get(n as usize).copied().unwrap_or(crate::DVec3::NAN);
        let mut nodes = linear.nodes.clone();
        nodes.extend(edges.iter().map(|&[a, b]| 0.5 * (at(a) + at(b))));
        VolumeMesh { nodes, cells: Cells::Tet10(cells) }
    }

    /// The same linear tetrahedra over the nodes that they use; other cells keep all nodes.
    pub(crate) fn without_unused_nodes(mut self) -> VolumeMesh {
        let Cells::Tet4(tets) = &mut self.cells else { return self };
        let mut used: Vec<u32> = tets.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|&n| (n as usize) < self.nodes.len());
        // A missing node stays missing, so that `check` still reports it.
        let renamed = |n: u32| used.binary_search(&n).map_or(u32::MAX, |k| k as u32);
        tets.iter_mut().flatten().for_each(|n| *n = renamed(*n));
        self.nodes = used.iter().map(|&n| self.nodes[n as usize]).collect();
        self
    }
}

fn split_hex(hex: &[u32; 8]) -> Vec<[u32; 4]> {
    let apex = hex.iter().copied().min().unwrap_or(0);
    let faces =
        HEX_FACES.iter().map(|face| face.map(|k| hex[k])).filter(|face| !face.contains(&apex));
    // Outward triangles seen from inside run clockwise, so the apex comes last after a swap.
    faces.flat_map(split_quad).map(|[a, b, c]| [a, c, b, apex]).collect()
}
