//! The body that carries a contact zone, with its gap field, refined where its own vertices miss what the other sees.

use super::field::{Field, Probe, Sample};
use crate::DVec3;

/// A triangle of the refined surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct FineTriangle {
    /// Triangle of the body that it is a part of.
    pub source: u32,
    pub vertices: [u32; 3],
    /// Weights of the vertices in the source triangle.
    pub corners: [[f64; 3]; 3],
}

/// A body's surface with its gaps to one other body.
#[derive(Debug, Clone)]
pub(super) struct Fine {
    pub body: usize,
    pub other: usize,
    /// The body's own vertices first.
    pub points: Vec<DVec3>,
    pub levels: Vec<f64>,
    /// Unit vectors out of the body.
    pub normals: Vec<DVec3>,
    pub samples: Vec<Sample>,
    pub triangles: Vec<FineTriangle>,
}

impl Fine {
    pub fn new(field: &Field<'_>, body: usize, other: usize) -> Self {
        let surface = &field.surfaces[body];
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangle = |(vertices, source): (&[u32; 3], u32)| FineTriangle {
            source,
            vertices: *vertices,
            corners,
        };
        let count = surface.positions.len() as u32;
        let mut fine = Self {
            body,
            other,
            points: surface.positions.to_vec(),
            normals: (0..count).map(|vertex| field.vertex_normal(body, vertex)).collect(),
            samples: Vec::new(),
            levels: field.levels[body].clone(),
            triangles: surface.triangles.iter().zip(0..).map(triangle).collect(),
        };
        let sample = |vertex: u32| field.sample(&fine.probe([vertex; 2], 0.0), other);
        fine.samples = (0..count).map(sample).collect();
        fine
    }

    /// A point of an edge, at a share of it from its first end.
    pub fn probe(&self, [a, b]: [u32; 2], place: f64) -> Probe {
        let (a, b) = (a as usize, b as usize);
        Probe {
            body: self.body,
            point: self.points[a].lerp(self.points[b], place),
            level: self.levels[a] + place * (self.levels[b] - self.levels[a]),
            normal: self.normals[a].lerp(self.normals[b], place).normalize_or_zero(),
        }
    }

    pub fn sealed_count(&self) -> usize {
        self.samples.iter().filter(|sample| sample.is_sealed()).count()
    }

    /// How many sealed vertices of the other body face a part of this one that has no sealed vertex: what this body is
    /// too coarse to see.
    pub fn missed(&self, seen_by_other: &Fine) -> usize {
        let mut sealed_sources: Vec<u32> = self
            .triangles
            .iter()
            .filter(|t| t.vertices.iter().any(|v| self.samples[*v as usize].is_sealed()))
            .map(|t| t.source)
            .collect();
        sealed_sources.dedup();
        let sealed = seen_by_other.samples.iter().filter(|sample| sample.is_sealed());
        sealed
            .filter_map(|sample| sample.triangle)
            .filter(|triangle| sealed_sources.binary_search(triangle).is_err())
            .count()
    }

    /// Edges that the field passes unseen: their middle is sealed and their ends are not, or the other way round.
    pub fn aliased(&self, field: &Field<'_>) -> Vec<[u32; 2]> {
        let mut edges = self.edges();
        edges.retain(|edge| {
            let [a, b] = edge.map(|vertex| self.samples[vertex as usize]);
            let near = a.triangle.is_some() || b.triangle.is_some();
            near && a.is_sealed() == b.is_sealed()
                && self.middle(field, *edge).1.is_sealed() != a.is_sealed()
        });
        edges
    }

    /// Edges that come near the other body.
    pub fn near(&self, field: &Field<'_>) -> Vec<[u32; 2]> {
        let mut edges = self.edges();
        edges.retain(|edge| {
            let ends = edge.map(|vertex| self.samples[vertex as usize].triangle);
            ends.iter().any(Option::is_some) || self.middle(field, *edge).1.triangle.is_some()
        });
        edges
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let sides = self.triangles.iter().map(FineTriangle::edges);
        let mut edges: Vec<[u32; 2]> = sides.flatten().collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The middle of an edge, and what it sees.
    fn middle(&self, field: &Field<'_>, edge: [u32; 2]) -> (Probe, Sample) {
        let probe = self.probe(edge, 0.5);
        (probe, field.sample(&probe, self.other))
    }

    /// Halves sorted edges.
    pub fn refine(&mut self, field: &Field<'_>, edges: &[[u32; 2]]) {
        let first = self.points.len() as u32;
        for edge in edges {
            let (probe, sample) = self.middle(field, *edge);
            self.points.push(probe.point);
            self.levels.push(probe.level);
            self.normals.push(probe.normal);
            self.samples.push(sample);
        }
        let middle =
            |edge: [u32; 2]| edges.binary_search(&edge).ok().map(|index| first + index as u32);
        let split = self.triangles.iter().flat_map(|triangle| triangle.split(middle));
        self.triangles = split.collect();
    }
}

fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl FineTriangle {
    /// Its edges, the lower vertex first.
    pub fn edges(&self) -> [[u32; 2]; 3] {
        [0, 1, 2].map(|k| ordered(self.vertices[k], self.vertices[(k + 1) % 3]))
    }

    /// Cut at the middles of its edges, as far as they have one.
    fn split(&self, middle: impl Fn([u32; 2]) -> Option<u32>) -> Vec<Self> {
        let middles = self.edges().map(middle);
        // Corners 0 to 2, then the middles of the edges that start at them.
        let part = |places: [usize; 3]| Self {
            source: self.source,
            vertices: places
                .map(|p| if p < 3 { self.vertices[p] } else { middles[p - 3].unwrap_or(0) }),
            corners: places.map(|p| self.place(p)),
        };
        let halved: Vec<usize> = (0..3).filter(|k| middles[*k].is_some()).collect();
        let around = |k: usize| [k, (k + 1) % 3, (k + 2) % 3];
        match halved[..] {
            [] => vec![*self],
            [k] => {
                let [a, b, c] = around(k);
                vec![part([a, 3 + k, c]), part([3 + k, b, c])]
            }
            [_, _] => {
                // The edge that starts at `a` is whole.
                let whole = (0..3).find(|k| middles[*k].is_none()).unwrap_or(0);
                let [a, b, c] = around(whole);
                vec![part([a, b, 3 + b]), part([a, 3 + b, 3 + c]), part([3 + c, 3 + b, c])]
            }
            _ => vec![part([0, 3, 5]), part([3, 1, 4]), part([5, 4, 2]), part([3, 4, 5])],
        }
    }

    fn place(&self, place: usize) -> [f64; 3] {
        if place < 3 {
            return self.corners[place];
        }
        let (from, to) = (self.corners[place - 3], self.corners[(place - 2) % 3]);
        [0, 1, 2].map(|k| 0.5 * (from[k] + to[k]))
    }
}
