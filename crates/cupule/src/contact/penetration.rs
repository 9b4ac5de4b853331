//! Whether a start state intersects: where, and how deep.
//!
//! Deep inside is decided by the sign at the nearest feature, which needs no ray. Edges that pass through a body with
//! both ends outside are cut at the triangles they cross, and the middle of each piece is tested.

use cupule_geometry::DVec3;
use cupule_geometry::tree::Bounds;

use super::detector::Side;
use super::frame::Frame;

/// An intersection of two surfaces, or of one with itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// Index of the surface that is inside the other.
    pub surface_a: usize,
    /// Index of the other surface; the same for self-intersection.
    pub surface_b: usize,
    /// How deep a point of the first is below the second's surface, m.
    pub depth: f64,
    /// That point, m.
    pub at: DVec3,
}

impl Penetration {
    /// The deeper of two; the first if equal.
    pub(super) fn deeper(self, other: Self) -> Self {
        if other.depth > self.depth { other } else { self }
    }
}

/// The deepest intersection of two sides, if deeper than `tolerance` (m).
pub(super) fn deepest(a: &Side, b: &Side, tolerance: f64) -> Option<Penetration> {
    let one_way = |a: &Side, b: &Side| {
        let inside = vertices_inside(a, b);
        let through = edges_through(a, b);
        inside.into_iter().chain(through).reduce(Penetration::deeper)
    };
    let first = one_way(a, b);
    let second = if a.index == b.index { None } else { one_way(b, a) };
    let found = first.into_iter().chain(second).reduce(Penetration::deeper);
    found.filter(|found| found.depth > tolerance)
}

/// The vertex of a that is deepest inside b.
fn vertices_inside(a: &Side, b: &Side) -> Option<Penetration> {
    if a.index == b.index || !b.surface.is_closed() {
        return None;
    }
    let target = b.at(0.0);
    let bounds = Bounds::of(b.pose.current);
    (a.pose.current.iter())
        .filter(|point| bounds.distance_squared(**point) == 0.0)
        .filter_map(|point| depth_inside(&target, *point).map(|d| penetration(a, b, d, *point)))
        .reduce(Penetration::deeper)
}

fn penetration(a: &Side, b: &Side, depth: f64, at: DVec3) -> Penetration {
    Penetration { surface_a: a.index as usize, surface_b: b.index as usize, depth, at }
}

fn depth_inside(target: &Frame, point: DVec3) -> Option<f64> {
    let nearest = target.nearest(point, f64::INFINITY)?;
    (target.height(&nearest, point) < 0.0).then_some(nearest.distance)
}

/// The deepest piece of an edge of a that passes through b.
fn edges_through(a: &Side, b: &Side) -> Option<Penetration> {
    let (own, target) = (a.at(0.0), b.at(0.0));
    let cuts = edge_cuts(a, b);
    if a.index == b.index || !b.surface.is_closed() {
        // Without an inside, the depth is how far the shorter end sticks through.
        let place = |cut: &Cut| {
            let [from, to] = own.ends(cut.edge);
            from + (to - from) * cut.place
        };
        let each = cuts.iter().map(|cut| penetration(a, b, cut.depth, place(cut)));
        return each.reduce(Penetration::deeper);
    }
    let mut deepest: Option<Penetration> = None;
    for group in cuts.chunk_by(|x, y| x.edge == y.edge) {
        let [from, to] = own.ends(group[0].edge);
        let places = || group.iter().map(|cut| cut.place);
        let starts = std::iter::once(0.0).chain(places());
        for (start, end) in starts.zip(places().chain(std::iter::once(1.0))) {
            let point = from + (to - from) * (0.5 * (start + end));
            if let Some(depth) = depth_inside(&target, point) {
                let found = penetration(a, b, depth, point);
                deepest = Some(deepest.map_or(found, |deepest| deepest.deeper(found)));
            }
        }
    }
    deepest
}

/// Where an edge passes through a triangle.
struct Cut {
    edge: u32,
    place: f64,
    /// The lesser height of the edge's ends over the triangle's plane, m.
    depth: f64,
}

/// All places where edges of a pass through triangles of b, by edge and place.
fn edge_cuts(a: &Side, b: &Side) -> Vec<Cut> {
    let (own, target) = (a.at(0.0), b.at(0.0));
    let mut pairs = vec![];
    // Triangle against triangle: the edge tree holds sharp edges only.
    a.surface.triangle_tree.pairs(&b.surface.triangle_tree, 0.0, |first, second| {
        let edges = a.surface.adjacency.triangle_edges[first as usize];
        pairs.extend(edges.map(|edge| (edge, second)));
    });
    pairs.sort_unstable();
    pairs.dedup();
    if a.index == b.index {
        pairs.retain(|(edge, triangle)| {
            let ends = a.surface.adjacency.edges[*edge as usize];
            !b.surface.triangles[*triangle as usize].iter().any(|corner| ends.contains(corner))
        });
    }
    let cut = |&(edge, triangle): &(u32, u32)| {
        let (place, depth) = segment_through(own.ends(edge), target.corners(triangle))?;
        Some(Cut { edge, place, depth })
    };
    let mut cuts: Vec<Cut> = pairs.iter().filter_map(cut).collect();
    cuts.sort_by(|x, y| x.edge.cmp(&y.edge).then(x.place.total_cmp(&y.place)));
    cuts
}

/// Place on a segment where it passes through a triangle, and the lesser height of its ends (m); none if it only touches.
fn segment_through([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Option<(f64, f64)> {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let (start, end) = (normal.dot(from - a), normal.dot(to - a));
    if start * end >= 0.0 {
        return None;
    }
    let place = start / (start - end);
    let point = from + (to - from) * place;
    let left = |u: DVec3, w: DVec3| (w - u).cross(point - u).dot(normal) >= 0.0;
    let inside = left(a, b) && left(b, c) && left(c, a);
    inside.then_some((place, start.abs().min(end.abs())))
}
