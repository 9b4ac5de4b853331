//! Contacts of sharp convex edges with each other.

use cupule_geometry::DVec3;
use cupule_geometry::distance::edge_edge;

use super::detector::Side;
use super::frame::Frame;
use super::record::{Contact, ContactId, Feature, Stencil};
use super::settings::ContactSettings;

/// Sine of the angle between two edges below which they are left to vertex-face contacts.
const PARALLEL: f64 = 1e-3;
/// Normal cones are widened by a quarter of the edge's turn, but by no more than 5 degrees.
const LARGEST_SLACK: f64 = 0.087;
/// Sine of 10 degrees: a pair that pushed in the last step goes on while its edges are no more concave than that. The push itself
/// flattens a soft edge, and a pair that vanished for it would come back a step later, and so on for ever.
const HELD_SLACK: f64 = 0.174;

/// Finds the edge-edge contacts of two surfaces, or of one with itself.
pub(super) fn edge_contacts(settings: &ContactSettings, a: &Side, b: &Side) -> Vec<Contact> {
    let reach = settings.reach();
    let mut pairs = vec![];
    if a.index == b.index {
        a.surface.edge_tree.self_pairs(reach, |first, second| pairs.push((first, second)));
        pairs.retain(|(first, second)| !joined(settings, a, *first, *second));
    } else {
        a.surface.edge_tree.pairs(&b.surface.edge_tree, reach, |i, j| pairs.push((i, j)));
    }
    pairs.sort_unstable();
    let pair = |i, j, held| EdgePair { settings, a, b, i, j, held };
    pairs.iter().filter_map(|(i, j)| pair(*i, *j, false).contact()).collect()
}

/// Those pairs of edges that pushed in the last step and still face each other.
pub(super) fn held_contacts(
    settings: &ContactSettings,
    a: &Side,
    b: &Side,
    pushed: impl Iterator<Item = ContactId>,
) -> Vec<Contact> {
    let known = |side: &Side, edge: u32| (edge as usize) < side.surface.adjacency.edges.len();
    let edges = |id: ContactId| match (id.feature_a, id.feature_b) {
        (Feature::Edge(i), Feature::Edge(j)) if known(a, i) && known(b, j) => Some((i, j)),
        _ => None,
    };
    let pair = |(i, j)| EdgePair { settings, a, b, i, j, held: true };
    pushed.filter_map(edges).filter_map(|edges| pair(edges).contact()).collect()
}

/// Whether two edges of one surface belong together; see the module head.
fn joined(settings: &ContactSettings, side: &Side, first: u32, second: u32) -> bool {
    let edges = &side.surface.adjacency.edges;
    let near = side.surface.neighbourhood.as_ref();
    let ends = &edges[second as usize];
    if near.is_some_and(|near| edges[first as usize].iter().any(|v| near.touches(*v, ends))) {
        return true;
    }
    let rest = Frame::rest(side.surface);
    let found = edge_edge(rest.ends(first), rest.ends(second));
    let distance = found.distance_squared.sqrt();
    let behind = |frame: &Frame| {
        let found = edge_edge(frame.ends(first), frame.ends(second));
        let facing = frame.edge_normal(second) - frame.edge_normal(first);
        facing.dot(found.first - found.second) < 0.0
    };
    distance < settings.contact_distance
        || (distance < 4.0 * settings.reach() && behind(&rest) && behind(&side.at(0.0)))
}

struct EdgePair<'a> {
    settings: &'a ContactSettings,
    a: &'a Side<'a>,
    b: &'a Side<'a>,
    i: u32,
    j: u32,
    /// Whether it pushed in the last step.
    held: bool,
}

/// Two edges that face each other at some moment.
struct Facing {
    s: f64,
    t: f64,
    normal: DVec3,
    /// Distance along the normal at that moment, m; negative if the edges have passed each other.
    gap: f64,
}

impl EdgePair<'_> {
    fn contact(&self) -> Option<Contact> {
        let alarm = self.settings.alarm_distance;
        let (gap, motion) = (self.distance(), self.motion());
        // Most pairs are too far apart, now and to the end of the step.
        if gap > self.settings.reach() && gap - motion > alarm {
            return None;
        }
        let now = self.facing(0.0);
        if let Some(now) = &now
            && now.gap <= alarm
            && self.plausible(now)
        {
            return Some(self.report(now, now.gap));
        }
        if gap - motion > alarm || motion == 0.0 {
            return None;
        }
        let crossing = self.crossing_time().and_then(|time| self.facing(time));
        let later = crossing.or_else(|| self.facing(1.0).filter(|end| end.gap >= 0.0))?;
        let at_start = self.gap_now(&later);
        (at_start >= 0.0 && later.gap <= alarm).then(|| self.report(&later, at_start))
    }

    /// Closest points and normal at `time`, if inside both edges and within both normal cones.
    fn facing(&self, time: f64) -> Option<Facing> {
        let (a, b) = (self.a.at(time), self.b.at(time));
        let (first, second) = (a.ends(self.i), b.ends(self.j));
        let (u, w) = (first[1] - first[0], second[1] - second[0]);
        let across = u.cross(w);
        if across.length_squared() <= PARALLEL.powi(2) * u.length_squared() * w.length_squared() {
            return None;
        }
        let found = edge_edge(first, second);
        if !found.interior {
            return None;
        }
        let across = across.normalize_or_zero();
        let facing = b.edge_normal(self.j) - a.edge_normal(self.i);
        let normal = if across.dot(facing) < 0.0 { -across } else { across };
        let slack = |frame: &Frame, edge: u32| {
            if self.held { HELD_SLACK } else { slack(frame, edge) }
        };
        let fits = a.supports(Feature::Edge(self.i), -normal, slack(&a, self.i))
            && b.supports(Feature::Edge(self.j), normal, slack(&b, self.j));
        let gap = normal.dot(found.first - found.second);
        fits.then_some(Facing { s: found.s, t: found.t, normal, gap })
    }

    /// Edges that have passed each other must be inside each other's bodies: two thin wires side by side are not.
    fn plausible(&self, facing: &Facing) -> bool {
        if facing.gap >= 0.0 {
            return true;
        }
        if self.a.index == self.b.index {
            // The nearest point of the same surface is the edge itself and tells nothing; be careful instead.
            return -facing.gap <= self.settings.contact_distance;
        }
        let inside = |edge: [DVec3; 2], place: f64, other: &Frame| {
            let point = edge[0] + (edge[1] - edge[0]) * place;
            let nearest = other.nearest(point, self.settings.reach());
            nearest.is_some_and(|near| other.height(&near, point) <= self.settings.tiny())
        };
        let (a, b) = (self.a.at(0.0), self.b.at(0.0));
        -facing.gap <= self.settings.reach()
            && inside(a.ends(self.i), facing.s, &b)
            && inside(b.ends(self.j), facing.t, &a)
    }

    /// Distance at x, m.
    fn distance(&self) -> f64 {
        let (a, b) = (self.a.at(0.0), self.b.at(0.0));
        edge_edge(a.ends(self.i), b.ends(self.j)).distance_squared.sqrt()
    }

    /// Largest relative displacement of the ends within the step, m.
    fn motion(&self) -> f64 {
        let (a, b) = (self.a.at(0.0), self.b.at(0.0));
        let own = a.surface.adjacency.edges[self.i as usize].map(|v| a.displacement(v));
        let other = b.surface.adjacency.edges[self.j as usize].map(|v| b.displacement(v));
        let most = |from: DVec3| from.distance(other[0]).max(from.distance(other[1]));
        most(own[0]).max(most(own[1]))
    }

    /// When the two lines pass each other: the signed distance of the lines changes its sign.
    fn crossing_time(&self) -> Option<f64> {
        let signed = |time: f64| {
            let (a, b) = (self.a.at(time), self.b.at(time));
            let (first, second) = (a.ends(self.i), b.ends(self.j));
            let across = (first[1] - first[0]).cross(second[1] - second[0]).normalize_or_zero();
            across.dot(first[0] - second[0])
        };
        let (start, end) = (signed(0.0), signed(1.0));
        (start * end < 0.0).then(|| start / (start - end))
    }

    /// Distance at x, along the normal of another moment, of the material points of that moment, m.
    fn gap_now(&self, facing: &Facing) -> f64 {
        let (a, b) = self.stencils(facing);
        facing.normal.dot(a.point(self.a.pose.current) - b.point(self.b.pose.current))
    }

    fn stencils(&self, facing: &Facing) -> (Stencil, Stencil) {
        let own = self.a.surface.adjacency.edges[self.i as usize];
        let other = self.b.surface.adjacency.edges[self.j as usize];
        let a = Stencil::edge(self.a.index, own, facing.s);
        (a, Stencil::edge(self.b.index, other, facing.t))
    }

    fn report(&self, facing: &Facing, distance: f64) -> Contact {
        let (a, b) = self.stencils(facing);
        let length = |[from, to]: [DVec3; 2]| from.distance(to);
        let id = ContactId {
            surface_a: self.a.index,
            feature_a: Feature::Edge(self.i),
            surface_b: self.b.index,
            feature_b: Feature::Edge(self.j),
        };
        let area = length(self.a.at(0.0).ends(self.i)) * length(self.b.at(0.0).ends(self.j)) / 8.0;
        Contact { id, a, b, normal: facing.normal, distance, area }
    }
}

/// Sine by which an edge's cone is widened.
fn slack(frame: &Frame, edge: u32) -> f64 {
    match frame.surface.adjacency.edge_triangles[edge as usize] {
        [Some(left), Some(right)] => {
            let cosine = frame.face_normal(left).dot(frame.face_normal(right));
            (0.25 * cosine.clamp(-1.0, 1.0).acos()).sin().min(LARGEST_SLACK)
        }
        _ => 0.0,
    }
}
