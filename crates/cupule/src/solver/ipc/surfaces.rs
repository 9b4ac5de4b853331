//! Which pairs of primitives can come within reach: broad phase over all surfaces, kept while nothing has left its ball.
//!
//! Every point has a ball about where it was when the search was made. All pairs whose primitives can come within dhat of each other
//! while their points stay in their balls are candidates: for the barrier at any state in the balls, and for collision
//! detection on any straight path between two such states. A motion that leaves a ball makes a new search, with balls as large as it asks.

use super::mollifier::threshold;
use super::pair::{Kind, Pair};
use crate::contact::CollisionSurface;
use cupule_geometry::adjacency::Adjacency;
use cupule_geometry::tree::{Bounds, BoxTree};
use cupule_geometry::{DVec3, GeometryError};
use rayon::prelude::*;

/// A collision surface with its areas at rest and the trees in which its primitives are found.
#[derive(Clone)]
pub(super) struct SearchSurface {
    points: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// Edges of triangles, then wires.
    edges: Vec<[u32; 2]>,
    /// The first wire among the edges.
    first_wire: usize,
    /// Half its thickness, m.
    radius: f64,
    /// Tributary areas at rest, m2.
    vertex_areas: Vec<f64>,
    edge_areas: Vec<f64>,
    triangle_areas: Vec<f64>,
    edge_lengths: Vec<f64>,
    vertex_tree: BoxTree,
    edge_tree: BoxTree,
    wire_tree: BoxTree,
    triangle_tree: BoxTree,
}

impl SearchSurface {
    /// `x` are the rest positions of all points. Along a wire, area is its length times its diameter.
    pub(super) fn new(surface: &CollisionSurface, x: &[DVec3]) -> Result<Self, GeometryError> {
        let CollisionSurface { points, triangles, wires, radius } = surface;
        let radius = *radius;
        let adjacency = Adjacency::new(triangles, points.len())?;
        let at = |v: u32| x[points[v as usize]];
        let area = |t: &[u32; 3]| 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).length();
        let triangle_areas: Vec<f64> = triangles.iter().map(area).collect();
        let mut vertex_areas = vec![0.0; points.len()];
        let mut edge_areas = vec![0.0; adjacency.edges.len()];
        for (t, area) in triangle_areas.iter().enumerate() {
            triangles[t].iter().for_each(|v| vertex_areas[*v as usize] += area / 3.0);
            adjacency.triangle_edges[t].iter().for_each(|e| edge_areas[*e as usize] += area / 3.0);
        }
        let mut edges = adjacency.edges;
        let first_wire = edges.len();
        edges.extend(wires);
        let edge_lengths: Vec<f64> = edges.iter().map(|e| at(e[0]).distance(at(e[1]))).collect();
        for (wire, length) in wires.iter().zip(&edge_lengths[first_wire..]) {
            let area = 2.0 * radius * length;
            edge_areas.push(area);
            wire.iter().for_each(|v| vertex_areas[*v as usize] += 0.5 * area);
        }
        Ok(Self {
            points: points.iter().map(|p| *p as u32).collect(),
            triangles: triangles.clone(),
            edge_lengths,
            edges,
            first_wire,
            radius,
            vertex_areas,
            edge_areas,
            triangle_areas,
            vertex_tree: BoxTree::default(),
            edge_tree: BoxTree::default(),
            wire_tree: BoxTree::default(),
            triangle_tree: BoxTree::default(),
        })
    }

    /// Moves the trees to boxes round the balls.
    fn follow(&mut self, centres: &[DVec3], radii: &[f64]) {
        let ball = |v: u32| {
            let p = self.points[v as usize] as usize;
            let r = DVec3::splat(radii[p]);
            Bounds { min: centres[p] - r, max: centres[p] + r }
        };
        let join =
            |vertices: &[u32]| vertices.iter().fold(Bounds::EMPTY, |all, v| all.join(ball(*v)));
        let vertices: Vec<Bounds> = (0..self.points.len() as u32).map(ball).collect();
        let edges: Vec<Bounds> = self.edges.iter().map(|e| join(e)).collect();
        let triangles: Vec<Bounds> = self.triangles.iter().map(|t| join(t)).collect();
        self.vertex_tree.update(&vertices);
        self.edge_tree.update(&edges);
        self.wire_tree.update(&edges[self.first_wire..]);
        self.triangle_tree.update(&triangles);
    }

    fn world<const N: usize>(&self, vertices: [u32; N]) -> [u32; N] {
        vertices.map(|v| self.points[v as usize])
    }
}

/// All surfaces, which of them may touch, and the candidates of the last search.
#[derive(Clone)]
pub(super) struct Surfaces {
    searched: Vec<SearchSurface>,
    /// Pairs of surfaces, ascending; (i, i) is self-contact.
    pairs: Vec<(usize, usize)>,
    /// Largest gap that matters, m.
    reach: f64,
    centres: Vec<DVec3>,
    radii: Vec<f64>,
    candidates: Vec<Pair>,
}

impl Surfaces {
    pub(super) fn new(
        searched: Vec<SearchSurface>,
        mut pairs: Vec<(usize, usize)>,
        reach: f64,
    ) -> Self {
        pairs.sort_unstable();
        Self { searched, pairs, reach, centres: vec![], radii: vec![], candidates: vec![] }
    }

    /// Candidates that hold for every state on the way from `x` to `x + moves`, all of it or any part.
    pub(super) fn candidates(&mut self, x: &[DVec3], moves: &[DVec3]) -> &[Pair] {
        let inside = |p: usize, at: DVec3| at.distance(self.centres[p]) <= self.radii[p];
        let known = self.centres.len() == x.len()
            && (0..x.len()).all(|p| inside(p, x[p]) && inside(p, x[p] + moves[p]));
        if !known {
            // Room for the Newton steps that follow.
            self.radii = moves.iter().map(|m| 1.5 * m.length() + self.reach).collect();
            self.centres = x.to_vec();
            self.search();
        }
        &self.candidates
    }

    fn search(&mut self) {
        let (centres, radii) = (&self.centres, &self.radii);
        self.searched.par_iter_mut().for_each(|one| one.follow(centres, radii));
        let found: Vec<Vec<Pair>> =
            self.pairs.par_iter().map(|(i, j)| self.search_pair(*i, *j)).collect();
        self.candidates = found.into_iter().flatten().collect();
    }

    fn search_pair(&self, i: usize, j: usize) -> Vec<Pair> {
        let mut out = Vec::new();
        self.vertices_on_faces(i, j, &mut out);
        self.vertices_on_wires(i, j, &mut out);
        if i != j {
            self.vertices_on_faces(j, i, &mut out);
            self.vertices_on_wires(j, i, &mut out);
        }
        self.edges_on_edges(i, j, &mut out);
        // The trees' order depends on their history.
        out.sort_unstable_by_key(|pair| (pair.kind, pair.surfaces, pair.features));
        out
    }

    /// At which distance two searched touch, and within which they are candidates, m.
    fn distances(&self, i: usize, j: usize) -> (f64, f64) {
        let thickness = self.searched[i].radius + self.searched[j].radius;
        (thickness, thickness + self.reach)
    }

    fn vertices_on_faces(&self, i: usize, j: usize, out: &mut Vec<Pair>) {
        let (a, b) = (&self.searched[i], &self.searched[j]);
        let (thickness, reach) = self.distances(i, j);
        a.vertex_tree.pairs(&b.triangle_tree, reach, |v, t| {
            let corners = b.triangles[t as usize];
            if i == j && corners.contains(&v) {
                return;
            }
            let [c0, c1, c2] = b.world(corners);
            out.push(Pair {
                kind: Kind::VertexFace,
                surfaces: [i as u32, j as u32],
                features: [v, t],
                points: [a.points[v as usize], c0, c1, c2],
                area: shared_area(a.vertex_areas[v as usize], b.triangle_areas[t as usize]),
                parallel: 0.0,
                thickness,
            });
        });
    }

    fn vertices_on_wires(&self, i: usize, j: usize, out: &mut Vec<Pair>) {
        let (a, b) = (&self.searched[i], &self.searched[j]);
        let (thickness, reach) = self.distances(i, j);
        a.vertex_tree.pairs(&b.wire_tree, reach, |v, wire| {
            let edge = b.first_wire + wire as usize;
            let ends = b.edges[edge];
            if i == j && ends.contains(&v) {
                return;
            }
            let [p, q] = b.world(ends);
            out.push(Pair {
                kind: Kind::VertexEdge,
                surfaces: [i as u32, j as u32],
                features: [v, edge as u32],
                points: [a.points[v as usize], p, q, q],
                area: shared_area(a.vertex_areas[v as usize], b.edge_areas[edge]),
                parallel: 0.0,
                thickness,
            });
        });
    }

    fn edges_on_edges(&self, i: usize, j: usize, out: &mut Vec<Pair>) {
        let (a, b) = (&self.searched[i], &self.searched[j]);
        let (thickness, reach) = self.distances(i, j);
        let mut visit = |e: u32, f: u32| {
            let (first, second) = (a.edges[e as usize], b.edges[f as usize]);
            if i == j && first.iter().any(|v| second.contains(v)) {
                return;
            }
            let ([p0, p1], [q0, q1]) = (a.world(first), b.world(second));
            out.push(Pair {
                kind: Kind::EdgeEdge,
                surfaces: [i as u32, j as u32],
                features: [e, f],
                points: [p0, p1, q0, q1],
                area: shared_area(a.edge_areas[e as usize], b.edge_areas[f as usize]),
                parallel: threshold(a.edge_lengths[e as usize], b.edge_lengths[f as usize]),
                thickness,
            });
        };
        if i == j {
            a.edge_tree.self_pairs(reach, &mut visit);
        } else {
            a.edge_tree.pairs(&b.edge_tree, reach, &mut visit);
        }
    }

    /// Vertices of a feature in their surface.
    pub(super) fn triangle(&self, surface: u32, triangle: u32) -> [u32; 3] {
        self.searched[surface as usize].triangles[triangle as usize]
    }

    /// Ends of an edge in its surface.
    pub(super) fn edge(&self, surface: u32, edge: u32) -> [u32; 2] {
        self.searched[surface as usize].edges[edge as usize]
    }
}

/// The patch over which two primitives face each other: about half of the smaller one where they are alike, all of it where the other
/// is much larger.
fn shared_area(a: f64, b: f64) -> f64 {
    a * b / (a + b)
}
