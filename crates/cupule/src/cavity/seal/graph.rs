//! The seal of a cavity as a graph over surface vertices: where air would have to pass to get out.
//!
//! The two sides of a gap would each describe it; the one with the shorter edges there does. Its vertices that seal (and those of
//! shallow pockets among them) are the inner nodes; around them are vertices on the open walls of cavities and vertices at the outside.
//! Three bodies that meet make sheets between pairs of them, each with its own finer side; what flows across the line
//! where sheets meet is left out.
//!
//! An edge that runs from inside to outside, with no sealing vertex between, is not in the graph: it is too coarse to say how
//! narrow the gap is.

use crate::cavity::find::{BodySurface, DetectedCavity};
use cupule_geometry::DVec3;
use std::collections::BTreeMap;

/// What is known of a group of bodies since cavities were last detected.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// The bodies.
    pub bodies: &'a [BodySurface<'a>],
    /// Which vertices seal.
    pub sealing: &'a [Vec<bool>],
    /// Which body of the group is nearest to each vertex.
    pub nearest: &'a [Vec<Option<u32>>],
}

/// Where a node of the graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the seal.
    Seal,
    /// On the open wall of a cavity.
    Inside(usize),
    /// Outside of all.
    Outside,
}

/// A vertex of the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Place of its body in the group.
    pub body: usize,
    /// Vertex of that body's surface.
    pub vertex: u32,
    pub side: Side,
    /// Area that it stands for, m2: a third of the touching triangles around it, or of all if none touches whole.
    pub area: f64,
    /// The cavity in whose wall it lies, if it seals: that of a flat one has no other node.
    pub within: Option<usize>,
}

/// A connection between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    pub ends: [usize; 2],
    /// Width over length: cotangents of the opposite angles.
    pub shape: f64,
    /// Length, m.
    pub length: f64,
}

/// The seals of a group of bodies.
#[derive(Debug, Clone, Default)]
pub struct SealGraph {
    pub nodes: Vec<Node>,
    /// Those with at least one end in the seal.
    pub edges: Vec<Edge>,
}

impl SealGraph {
    /// The seals of a group with these cavities, in the order of their indices.
    pub fn new(group: Group, cavities: &[&DetectedCavity]) -> Self {
        let walls = WallVertices::of(group, cavities);
        let carriers = Carriers::of(group);
        let mut seal = Self::default();
        for (place, body) in group.bodies.iter().enumerate() {
            let side = |vertex: u32| -> Option<(Side, Option<usize>)> {
                let v = vertex as usize;
                let key = (body.body, vertex);
                let (open, closed) = (walls.open.get(&key), walls.closed.get(&key));
                let seals = group.sealing[place][v] || (open.is_none() && closed.is_some());
                match (seals, open) {
                    (true, _) => {
                        let carries = carriers.carries(place, group.nearest[place][v]);
                        carries.then_some((Side::Seal, closed.copied()))
                    }
                    (false, Some(cavity)) => Some((Side::Inside(*cavity), None)),
                    (false, None) => Some((Side::Outside, None)),
                }
            };
            seal.add_body(place, body, &side);
        }
        seal
    }

    /// Which nodes are in the seal around a cavity: reached from its inside without leaving the seal.
    pub fn around(&self, cavity: usize) -> Vec<bool> {
        let mut reached: Vec<bool> =
            self.nodes.iter().map(|n| n.side == Side::Inside(cavity)).collect();
        let mut grows = true;
        while grows {
            grows = false;
            for [a, b] in self.edges.iter().map(|e| e.ends) {
                for (from, to) in [(a, b), (b, a)] {
                    if reached[from] && !reached[to] && self.nodes[to].side == Side::Seal {
                        (reached[to], grows) = (true, true);
                    }
                }
            }
        }
        let in_seal = |(node, reached): (&Node, bool)| reached && node.side == Side::Seal;
        self.nodes.iter().zip(reached).map(in_seal).collect()
    }

    fn add_body(
        &mut self,
        place: usize,
        body: &BodySurface,
        side: &dyn Fn(u32) -> Option<(Side, Option<usize>)>,
    ) {
        let sides: Vec<_> = (0..body.positions.len() as u32).map(side).collect();
        let seals = |v: u32| matches!(sides[v as usize], Some((Side::Seal, _)));
        let mut shapes: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        // A third of the triangles around a vertex: of those that seal whole, and of all.
        let mut areas: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
        for triangle in body.triangles.iter().filter(|t| t.iter().any(|v| seals(*v))) {
            let x = triangle.map(|v| body.positions[v as usize]);
            let third = (x[1] - x[0]).cross(x[2] - x[0]).length() / 6.0;
            let whole = triangle.iter().all(|v| seals(*v));
            for k in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|i| triangle[(k + i) % 3]);
                *shapes.entry([a.min(b), a.max(b)]).or_default() +=
                    0.5 * cotangent(x[(k + 2) % 3], x[k], x[(k + 1) % 3]);
                let area = areas.entry(c).or_default();
                area[0] += if whole { third } else { 0.0 };
                area[1] += third;
            }
        }
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        for (&vertex, [whole, all]) in &areas {
            if let Some((side, within)) = sides[vertex as usize] {
                numbers.insert(vertex, self.nodes.len());
                let area = if *whole > 0.0 { *whole } else { *all };
                self.nodes.push(Node { body: place, vertex, side, area, within });
            }
        }
        for ([a, b], shape) in shapes {
            let known = numbers.get(&a).zip(numbers.get(&b));
            if let Some((from, to)) = known.filter(|_| seals(a) || seals(b)) {
                let length = body.positions[a as usize].distance(body.positions[b as usize]);
                // Two obtuse angles would make it negative: no flow from low to high pressure.
                self.edges.push(Edge { ends: [*from, *to], shape: shape.max(0.0), length });
            }
        }
    }
}

/// Cotangent of the angle at the first corner.
fn cotangent(at: DVec3, a: DVec3, b: DVec3) -> f64 {
    let (a, b) = (a - at, b - at);
    a.dot(b) / a.cross(b).length().max(f64::MIN_POSITIVE)
}

/// Cavities of surface vertices, by (body, vertex): on open walls, and on those that touch.
struct WallVertices {
    open: BTreeMap<(usize, u32), usize>,
    closed: BTreeMap<(usize, u32), usize>,
}

impl WallVertices {
    fn of(group: Group, cavities: &[&DetectedCavity]) -> Self {
        let triangles =
            |body: usize| group.bodies.iter().find(|b| b.body == body).map(|b| b.triangles);
        let mut walls = Self { open: BTreeMap::new(), closed: BTreeMap::new() };
        for (index, cavity) in cavities.iter().enumerate() {
            for (corner, touching) in cavity.whole_corners(&triangles) {
                let map = if touching { &mut walls.closed } else { &mut walls.open };
                map.entry(corner).or_insert(index);
            }
        }
        walls
    }
}

/// Which body of a pair describes the gap between them: the one with the shorter edges.
struct Carriers {
    /// Mean length of the edges with which one faces the other, by (one, other), m.
    lengths: BTreeMap<(usize, usize), f64>,
}

impl Carriers {
    fn of(group: Group) -> Self {
        let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
        for (place, body) in group.bodies.iter().enumerate() {
            for triangle in body.triangles {
                for k in 0..3 {
                    let [v, w] = [triangle[k], triangle[(k + 1) % 3]].map(|v| v as usize);
                    let facing = [v, w].into_iter().find(|v| group.sealing[place][*v]);
                    if let Some(other) = facing.and_then(|v| group.nearest[place][v]) {
                        let sum = sums.entry((place, other as usize)).or_default();
                        sum.0 += body.positions[v].distance(body.positions[w]);
                        sum.1 += 1.0;
                    }
                }
            }
        }
        Self { lengths: sums.into_iter().map(|(pair, (sum, count))| (pair, sum / count)).collect() }
    }

    fn carries(&self, body: usize, partner: Option<u32>) -> bool {
        let Some(partner) = partner.map(|p| p as usize) else { return true };
        let length = |a, b| self.lengths.get(&(a, b)).copied().unwrap_or(f64::INFINITY);
        let (own, other) = (length(body, partner), length(partner, body));
        own < other || (own == other && body < partner)
    }
}
