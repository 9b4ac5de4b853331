//! The flood: which parts of all bodies look at the same air, and which touch.
//!
//! Nodes are the vertices of all bodies and the two sides of every border; both copies of a border share its sides,
//! which is how air passes from one body to another. Along every edge, vertices and borders follow each other, and
//! neighbours are joined. A set that is both free and sealed is a contradiction: three bodies meet, or bodies fold.

use super::field::Field;
use super::thread::{Link, Place, common_edge};
use super::tile::{Mix, Segment};
use crate::GeometryError;
use crate::arrangement::Side;
use crate::disjoint::DisjointSets;

/// A closed border between two bodies. Walking along it, the free side is on the left on the first body and on the
/// right on the second, seen from outside each.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    pub bodies: [usize; 2],
    pub links: Vec<Link>,
}

impl Loop {
    /// Its parts on the first or on the second body.
    fn copy(&self, copy: usize) -> Vec<Place> {
        self.links.iter().map(|link| link.on[copy]).collect()
    }
}

/// Where a border crosses an edge of a body.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    edge: u32,
    /// Share of the edge from its lower vertex.
    place: f64,
    /// Sides of the border towards the lower and the higher vertex.
    low: u32,
    high: u32,
}

impl Crossing {
    /// The free side of the border, which has the lower number.
    fn border(&self) -> u32 {
        self.low.min(self.high)
    }
}

/// One body with the borders on it.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheet {
    /// Ordered by edge and place.
    crossings: Vec<Crossing>,
    /// Parts of borders, ordered by triangle.
    pub segments: Vec<Segment>,
    first_vertex: u32,
}

/// What every node looks at.
pub(super) struct Labels {
    pub sheets: Vec<Sheet>,
    /// Per node.
    sides: Vec<Side>,
    first_loop: u32,
    pub components: usize,
    pub regions: usize,
}

impl Labels {
    /// Floods all bodies. `sealed[body][vertex]` is what is known to touch.
    pub fn new(
        field: &Field<'_>,
        loops: &[Loop],
        sealed: &[Vec<bool>],
    ) -> Result<Self, GeometryError> {
        let first_loop = field.surfaces.iter().map(|s| s.positions.len() as u32).sum();
        let mut sets = DisjointSets::new(first_loop as usize + 2 * loops.len());
        let mut sheets = Vec::new();
        let mut first_vertex = 0;
        for (body, surface) in field.surfaces.iter().enumerate() {
            let sheet = Sheet::new(field, loops, body, first_vertex, first_loop)?;
            sheet.join(field, body, &mut sets);
            sheets.push(sheet);
            first_vertex += surface.positions.len() as u32;
        }
        let (count, number) = sets.numbered();
        let mut kinds = vec![[false; 2]; count];
        for (node, sealed) in sealed.iter().flatten().enumerate() {
            kinds[number[node] as usize][1] |= sealed;
        }
        for side in 0..2 * loops.len() {
            kinds[number[first_loop as usize + side] as usize][side % 2] = true;
        }
        if kinds.contains(&[true; 2]) {
            return Err(super::failed(
                "borders of sealed zones cross each other, as where three bodies meet",
            ));
        }
        let (mut components, mut regions) = (0, 0);
        let side_of = |kind: &[bool; 2]| {
            let count = if kind[1] { &mut regions } else { &mut components };
            *count += 1;
            if kind[1] { Side::Buried(*count - 1) } else { Side::Free(*count - 1) }
        };
        let of_set: Vec<Side> = kinds.iter().map(side_of).collect();
        let sides = number.iter().map(|set| of_set[*set as usize]).collect();
        let (components, regions) = (components as usize, regions as usize);
        Ok(Self { sheets, sides, first_loop, components, regions })
    }

    pub fn side(&self, node: u32) -> Side {
        self.sides[node as usize]
    }

    pub fn vertex(&self, body: usize, vertex: u32) -> Side {
        self.side(self.sheets[body].first_vertex + vertex)
    }

    /// What a place of the first edge of a triangle looks at, given as a share from its first corner.
    pub fn bottom(&self, field: &Field<'_>, body: usize, triangle: u32, x: f64) -> Mix {
        let sheet = &self.sheets[body];
        let (before, node) = sheet.bottom(field, body, triangle, x);
        let first = before.first().map_or(node, |_| {
            let edge = field.adjacency[body].triangle_edges[triangle as usize][0];
            sheet.first_vertex + field.adjacency[body].edges[edge as usize][0]
        });
        let across = |mix: Mix, c: &Crossing| mix.across(self.side(c.low), self.side(c.high));
        before.iter().fold(Mix::new(self.side(first)), across)
    }

    /// The air before a border, and the touching region behind it.
    pub fn beside(&self, number: usize) -> Option<(u32, u32)> {
        let node = self.first_loop + 2 * number as u32;
        match (self.side(node), self.side(node + 1)) {
            (Side::Free(component), Side::Buried(region)) => Some((component, region)),
            _ => None,
        }
    }
}

impl Sheet {
    fn new(
        field: &Field<'_>,
        loops: &[Loop],
        body: usize,
        first_vertex: u32,
        first_loop: u32,
    ) -> Result<Self, GeometryError> {
        let mut sheet = Self { first_vertex, ..Self::default() };
        for (number, each) in loops.iter().enumerate() {
            // In a fold both copies of a border lie on the same body.
            for copy in (0..2).filter(|copy| each.bodies[*copy] == body) {
                let free = first_loop + 2 * number as u32;
                // Sides on the left and on the right.
                let sides = if copy == 0 { [free, free + 1] } else { [free + 1, free] };
                sheet.add(field, body, each.copy(copy), number, sides)?;
            }
        }
        sheet.segments.sort_by_key(|segment| segment.triangle);
        let order =
            |a: &Crossing, b: &Crossing| a.edge.cmp(&b.edge).then(a.place.total_cmp(&b.place));
        sheet.crossings.sort_by(order);
        Ok(sheet)
    }

    /// Adds one copy of a closed border, with its sides on the left and on the right.
    fn add(
        &mut self,
        field: &Field<'_>,
        body: usize,
        places: Vec<Place>,
        number: usize,
        sides: [u32; 2],
    ) -> Result<(), GeometryError> {
        for (index, here) in places.iter().enumerate() {
            let next = places[(index + 1) % places.len()];
            self.segments.push(Segment::new(*here, number, sides));
            if next.triangle != here.triangle {
                let crossing = crossed(field, body, here.triangle, next.triangle, here.to, sides);
                let lost = || super::failed("a border left its triangle at no edge");
                self.crossings.push(crossing.ok_or_else(lost)?);
            }
        }
        Ok(())
    }

    /// Joins vertices and borders along all edges.
    fn join(&self, field: &Field<'_>, body: usize, sets: &mut DisjointSets) {
        let plain = self.without_folds(field, body, |_| true);
        let anchored = sorted_borders(&plain);
        // A border that has only folds is small, and these are its two sides.
        let is_anchored = |border: u32| anchored.binary_search(&border).is_ok();
        let plain = self.without_folds(field, body, is_anchored);
        let mut rest = &plain[..];
        for (edge, [u, v]) in field.adjacency[body].edges.iter().enumerate() {
            let count = rest.iter().take_while(|c| c.edge == edge as u32).count();
            let mut node = self.first_vertex + u;
            for crossing in &rest[..count] {
                sets.join(node, crossing.low);
                node = crossing.high;
            }
            sets.join(node, self.first_vertex + v);
            rest = &rest[count..];
        }
        self.join_unanchored(field, body, &sorted_borders(&plain), sets);
    }

    /// Crossings without those of a border that `may_fold` with an edge back and forth within a level: a nearest point
    /// runs back under a steep wall, and the border threaded over the other body folds by less than its distance.
    fn without_folds(
        &self,
        field: &Field<'_>,
        body: usize,
        may_fold: impl Fn(u32) -> bool,
    ) -> Vec<Crossing> {
        let positions = field.surfaces[body].positions;
        let mut kept: Vec<Crossing> = Vec::with_capacity(self.crossings.len());
        for crossing in &self.crossings {
            let [u, v] = field.adjacency[body].edges[crossing.edge as usize];
            let length = positions[u as usize].distance(positions[v as usize]);
            let folds = kept.last().is_some_and(|last| {
                last.edge == crossing.edge
                    && (last.low, last.high) == (crossing.high, crossing.low)
                    && (crossing.place - last.place) * length < field.level
                    && may_fold(crossing.border())
            });
            if folds {
                kept.pop();
            } else {
                kept.push(*crossing);
            }
        }
        kept
    }

    /// A border that crosses no edge lies in one triangle: what is around it is found from the bottom of that.
    fn join_unanchored(
        &self,
        field: &Field<'_>,
        body: usize,
        anchored: &[u32],
        sets: &mut DisjointSets,
    ) {
        for segments in self.segments.chunk_by(|a, b| a.triangle == b.triangle) {
            let mut loose: Vec<Segment> = segments
                .iter()
                .filter(|segment| anchored.binary_search(&segment.free()).is_err())
                .copied()
                .collect();
            loose.sort_by_key(|segment| segment.border);
            for own in loose.chunk_by(|a, b| a.border == b.border) {
                // Positive if the free side is around it, negative if the sealed one is.
                let area: f64 = own
                    .iter()
                    .map(|s| if s.above == s.free() { s.area_below() } else { -s.area_below() })
                    .sum();
                let around = own[0].free() + u32::from(area < 0.0);
                let lowest = own.iter().map(Segment::lowest).min_by(|a, b| a[1].total_cmp(&b[1]));
                if let Some([x, y]) = lowest {
                    let others = segments.iter().filter(|s| s.border != own[0].border);
                    let mut below: Vec<(f64, &Segment)> = others
                        .filter(|s| s.spans(x) && s.height(x) < y)
                        .map(|s| (s.height(x), s))
                        .collect();
                    below.sort_by(|a, b| b.0.total_cmp(&a.0));
                    let node = below.iter().fold(around, |node, (_, segment)| {
                        sets.join(node, segment.above);
                        segment.below
                    });
                    sets.join(node, self.bottom(field, body, own[0].triangle, x).1);
                }
            }
        }
    }

    /// The crossings before a place of the first edge of a triangle, given as a share from its first corner, and the
    /// node at the place.
    fn bottom(&self, field: &Field<'_>, body: usize, triangle: u32, x: f64) -> (&[Crossing], u32) {
        let edge = field.adjacency[body].triangle_edges[triangle as usize][0];
        let [low, _] = field.adjacency[body].edges[edge as usize];
        let forwards = field.surfaces[body].triangles[triangle as usize][0] == low;
        let place = if forwards { x } else { 1.0 - x };
        let start = self.crossings.partition_point(|c| c.edge < edge);
        let own = &self.crossings[start..];
        let before = &own[..own.partition_point(|c| c.edge == edge && c.place < place)];
        (before, before.last().map_or(self.first_vertex + low, |crossing| crossing.high))
    }
}

fn sorted_borders(crossings: &[Crossing]) -> Vec<u32> {
    let mut borders: Vec<u32> = crossings.iter().map(Crossing::border).collect();
    borders.sort_unstable();
    borders
}

/// The crossing from a triangle into its neighbour at `weights`. `sides` lie on the left and on the right.
fn crossed(
    field: &Field<'_>,
    body: usize,
    triangle: u32,
    next: u32,
    weights: [f64; 3],
    [left, right]: [u32; 2],
) -> Option<Crossing> {
    let edge = common_edge(field, body, [triangle, next])?;
    let adjacency = &field.adjacency[body];
    let k = adjacency.triangle_edges[triangle as usize].iter().position(|e| *e == edge)?;
    let corners = field.surfaces[body].triangles[triangle as usize];
    let [low, _] = adjacency.edges[edge as usize];
    let (share, forwards) =
        (weights[(k + 1) % 3] / (weights[k] + weights[(k + 1) % 3]), corners[k] == low);
    // Going out over the edge, its far corner is on the left.
    if forwards {
        Some(Crossing { edge, place: share, low: right, high: left })
    } else {
        Some(Crossing { edge, place: 1.0 - share, low: left, high: right })
    }
}
