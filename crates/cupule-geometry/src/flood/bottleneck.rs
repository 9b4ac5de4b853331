//! The widest way out of an enclosed air through the sealed zones around it.
//!
//! Sealed vertices are let in from the largest gap down, and joined with their neighbours and with the air beside
//! them. The gap at which an air first hangs together with the outside is the largest gap that a way out can keep.

use super::Bottleneck;
use super::field::Field;
use super::fine::Fine;
use super::label::Labels;
use super::zone::Zone;
use crate::arrangement::{Arrangement, Corner};
use crate::disjoint::DisjointSets;

pub(super) fn bottlenecks(
    field: &Field<'_>,
    zones: &[Zone],
    labels: &Labels,
    arrangement: &Arrangement,
) -> Vec<Option<Bottleneck>> {
    let components = &arrangement.components;
    let mut found = vec![None; components.len()];
    let enclosed: Vec<u32> =
        (0u32..).zip(components).filter(|(_, c)| c.signed_volume < 0.0).map(|(c, _)| c).collect();
    if enclosed.is_empty() {
        return found;
    }
    // Components first, then the outside, then the vertices of each zone.
    let outside = components.len() as u32;
    let mut flood = Flood::new(zones, labels, outside + 1);
    for (c, component) in (0..).zip(components).filter(|(_, c)| c.signed_volume >= 0.0) {
        flood.sets.join(component.floats_in.unwrap_or(outside), c);
    }
    for (gap, zone, vertex) in flood.order(zones) {
        flood.open(zone, vertex);
        for &air in &enclosed {
            let entry = &mut found[air as usize];
            if entry.is_none() && flood.sets.are_joined(air, outside) {
                *entry = place(field, &zones[zone].fine, vertex, gap);
            }
        }
    }
    found
}

struct Flood {
    sets: DisjointSets,
    /// Per zone, the number of its first vertex.
    first: Vec<u32>,
    /// Per zone, edges between sealed vertices, both ways, sorted.
    edges: Vec<Vec<[u32; 2]>>,
    /// Per zone, (sealed vertex, component beside it), sorted.
    rims: Vec<Vec<[u32; 2]>>,
    is_open: Vec<bool>,
}

impl Flood {
    fn new(zones: &[Zone], labels: &Labels, nodes: u32) -> Self {
        let mut flood = Self {
            sets: DisjointSets::new(0),
            first: Vec::new(),
            edges: Vec::new(),
            rims: Vec::new(),
            is_open: Vec::new(),
        };
        let (mut next, mut border) = (nodes, 0);
        for zone in zones {
            let fine = &zone.fine;
            let sealed = |v: u32| fine.samples[v as usize].is_sealed();
            let mut edges: Vec<[u32; 2]> = fine
                .triangles
                .iter()
                .flat_map(|t| [0, 1, 2].map(|k| [t.vertices[k], t.vertices[(k + 1) % 3]]))
                .filter(|[a, b]| sealed(*a) && sealed(*b))
                .collect();
            edges.sort_unstable();
            let mut rims = Vec::new();
            for contour in &zone.contours {
                if let Some((component, _)) = labels.beside(border) {
                    rims.extend(contour.rim.iter().map(|vertex| [*vertex, component]));
                }
                border += 1;
            }
            rims.sort_unstable();
            rims.dedup();
            flood.first.push(next);
            flood.edges.push(edges);
            flood.rims.push(rims);
            next += fine.points.len() as u32;
        }
        flood.sets = DisjointSets::new(next as usize);
        flood.is_open = vec![false; next as usize];
        flood
    }

    /// Sealed vertices, the largest gap first.
    fn order(&self, zones: &[Zone]) -> Vec<(f64, usize, u32)> {
        let mut order: Vec<(f64, usize, u32)> = Vec::new();
        for (index, zone) in zones.iter().enumerate() {
            let samples = (0..).zip(&zone.fine.samples).filter(|(_, s)| s.is_sealed());
            order.extend(samples.map(|(vertex, sample)| (sample.gap, index, vertex)));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        order
    }

    fn open(&mut self, zone: usize, vertex: u32) {
        let node = self.first[zone] + vertex;
        self.is_open[node as usize] = true;
        for [_, neighbour] in of_vertex(&self.edges[zone], vertex) {
            let neighbour = self.first[zone] + neighbour;
            if self.is_open[neighbour as usize] {
                self.sets.join(node, neighbour);
            }
        }
        for [_, component] in of_vertex(&self.rims[zone], vertex) {
            self.sets.join(*component, node);
        }
    }
}

fn of_vertex(entries: &[[u32; 2]], vertex: u32) -> &[[u32; 2]] {
    let start = entries.partition_point(|entry| entry[0] < vertex);
    let end = entries.partition_point(|entry| entry[0] <= vertex);
    &entries[start..end]
}

fn place(field: &Field<'_>, fine: &Fine, vertex: u32, gap: f64) -> Option<Bottleneck> {
    let triangle = fine.triangles.iter().find(|t| t.vertices.contains(&vertex))?;
    let corner = (0..3).find(|k| triangle.vertices[*k] == vertex)?;
    let barycentric = triangle.corners[corner];
    let heaviest =
        (0..3).fold(0, |best, k| if barycentric[k] > barycentric[best] { k } else { best });
    let body = fine.body as u32;
    let vertices = field.surfaces[fine.body].triangles[triangle.source as usize];
    let corner = Corner { body, triangle: triangle.source, barycentric };
    let point = fine.points[vertex as usize];
    Some(Bottleneck { gap, body, vertex: vertices[heaviest], corner, point })
}
