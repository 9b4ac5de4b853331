//! Contacts of the vertices of one surface with the faces, edges and vertices of another (or of the same one).

use cupule_geometry::DVec3;
use rayon::prelude::*;

use super::detector::Side;
use super::frame::{Closest, Frame};
use super::merge::SAME_DIRECTION;
use super::record::{Contact, ContactId, Feature, Stencil};
use super::settings::ContactSettings;

/// A vertex whose normal has at least this cosine to the target's normal lies on the far side of something.
const FACING_AWAY: f64 = 0.5;
/// Sine of 5 degrees: some face at the vertex must be turned to the target by more than this.
const FACING: f64 = 0.087;
/// Sine by which normal cones of the target are widened: rounding only, the neighbour takes over beyond.
const TARGET_SLACK: f64 = 1e-6;
/// Sine by which the vertex's own normal cone is widened, 10 degrees: a tilted corner may come down within the step.
const OWN_SLACK: f64 = 0.17;
/// At most this many looks along the path of a fast vertex.
const LOOKS: f64 = 8.0;
/// Fewer vertices than this are not worth another thread.
const VERTICES_PER_TASK: usize = 64;

/// Finds the contacts of the vertices of `a` with the surface `b`.
pub(super) fn vertex_contacts(settings: &ContactSettings, a: &Side, b: &Side) -> Vec<Contact> {
    let candidates = candidates(settings, a, b);
    let groups: Vec<_> = candidates.chunk_by(|first, second| first.0 == second.0).collect();
    // Each vertex is searched alone and the results are collected in order: any number of threads gives the same.
    let search = |group: &&[(u32, u32)]| Search::new(settings, a, b, group[0].0).run(group);
    let found: Vec<Vec<Contact>> =
        groups.par_iter().with_min_len(VERTICES_PER_TASK).map(search).collect();
    found.into_iter().flatten().collect()
}

/// Vertices and triangles whose swept boxes come close, sorted; without those that self-contact leaves out.
fn candidates(settings: &ContactSettings, a: &Side, b: &Side) -> Vec<(u32, u32)> {
    let mut pairs = vec![];
    let tree = &b.surface.triangle_tree;
    a.surface.vertex_tree.pairs(tree, settings.reach(), |vertex, triangle| {
        pairs.push((vertex, triangle));
    });
    if a.index == b.index {
        pairs.retain(|(vertex, triangle)| !joined(settings, a, *vertex, *triangle));
    }
    // Vertices of no triangle have no side to touch with.
    pairs.retain(|(vertex, _)| !a.surface.adjacency.vertex_triangles.get(*vertex).is_empty());
    pairs.sort_unstable();
    pairs
}

/// Whether a vertex and a triangle of one surface belong together; see the module head.
fn joined(settings: &ContactSettings, side: &Side, vertex: u32, triangle: u32) -> bool {
    let corners = &side.surface.triangles[triangle as usize];
    if side.surface.neighbourhood.as_ref().is_some_and(|near| near.touches(vertex, corners)) {
        return true;
    }
    let rest = Frame::rest(side.surface);
    let distance = rest.closest(triangle, rest.position(vertex)).distance;
    let behind = |frame: &Frame| {
        let offset = frame.position(vertex) - frame.position(corners[0]);
        frame.face_normal(triangle).dot(offset) < 0.0
    };
    distance < settings.contact_distance
        || (distance < 4.0 * settings.reach() && behind(&rest) && behind(&side.at(0.0)))
}

/// A contact before it gets its area.
struct Found {
    feature: Feature,
    stencil: Stencil,
    normal: DVec3,
    distance: f64,
}

/// The search round one vertex.
struct Search<'a> {
    settings: &'a ContactSettings,
    a: &'a Side<'a>,
    b: &'a Side<'a>,
    vertex: u32,
    position: DVec3,
    normal: DVec3,
    /// Unit normals of the faces round the vertex.
    faces: Vec<DVec3>,
}

impl<'a> Search<'a> {
    fn new(settings: &'a ContactSettings, a: &'a Side<'a>, b: &'a Side<'a>, vertex: u32) -> Self {
        let frame = a.at(0.0);
        let (position, normal) = (frame.position(vertex), frame.vertex_normal(vertex));
        let triangles = a.surface.adjacency.vertex_triangles.get(vertex);
        let faces = triangles.iter().map(|triangle| frame.face_normal(*triangle)).collect();
        Self { settings, a, b, vertex, position, normal, faces }
    }

    fn run(&self, candidates: &[(u32, u32)]) -> Vec<Contact> {
        let frame = self.b.at(0.0);
        let triangles = || candidates.iter().map(|(_, triangle)| *triangle);
        // Looked at from a hair inside its own body: where surfaces coincide exactly (corners of a stack), that is the
        // side on which they touch.
        let probe = self.position - self.normal * self.settings.tiny();
        let all: Vec<Closest> = triangles().map(|t| frame.closest(t, probe)).collect();
        let seen = distinct(&all, self.settings.reach());
        let mut found = vec![];
        match seen.first() {
            Some(nearest) if frame.height(nearest, probe) < 0.0 => {
                self.inside_contacts(&frame, &seen, triangles(), &mut found);
            }
            _ => self.outside_contacts(&frame, &seen, self.position, &mut found),
        }
        self.on_the_way(&frame, &all, &mut found);
        let share = 1.0 / found.len() as f64;
        found.iter().map(|found| self.contact(&frame, found, share)).collect()
    }

    /// Whether the vertex can touch something with this outward normal: faces of its own are turned against it.
    fn opposes(&self, normal: DVec3) -> bool {
        normal.dot(self.normal) < FACING_AWAY
            && self.faces.iter().any(|face| face.dot(normal) < -FACING)
    }

    /// Accepts all local minima round `point`: the vertex itself, or its image on the surface.
    fn outside_contacts(
        &self,
        frame: &Frame,
        seen: &[Closest],
        point: DVec3,
        found: &mut Vec<Found>,
    ) {
        for closest in seen.iter().take_while(|seen| seen.distance <= self.settings.alarm_distance)
        {
            let closest = frame.refined(closest, point);
            if let Some(normal) = self.minimum(frame, &closest, point, 0.0) {
                let distance = normal.dot(self.position - closest.point);
                let stencil = frame.stencil(self.b.index, &closest);
                add(found, Found { feature: closest.feature, stencil, normal, distance });
            }
        }
    }

    /// A vertex inside the target leaves through the nearest face that it opposes. Other walls are looked at from where
    /// it comes out: seen from inside, the walls of a corner are hidden behind each other.
    fn inside_contacts(
        &self,
        frame: &Frame,
        seen: &[Closest],
        triangles: impl Iterator<Item = u32>,
        found: &mut Vec<Found>,
    ) {
        let through = |closest: &Closest, limit: f64| {
            let normal = frame.normal(closest.feature);
            let offset = self.position - closest.point;
            let leaves = normal.dot(offset) < 0.0
                && normal.dot(self.normal) < limit
                && self.opposes(normal)
                && frame.supports(closest.feature, offset.normalize_or_zero(), TARGET_SLACK);
            leaves.then(|| closest.point + normal * self.settings.tiny())
        };
        // A face turned against the vertex comes first, even if the far side of a thin plate is nearer.
        let exit = [0.0, FACING_AWAY]
            .iter()
            .find_map(|limit| seen.iter().find_map(|closest| through(closest, *limit)));
        if let Some(exit) = exit {
            let all: Vec<Closest> = triangles.map(|t| frame.closest(t, exit)).collect();
            let seen = distinct(&all, self.settings.alarm_distance);
            self.outside_contacts(frame, &seen, exit, found);
        }
    }

    /// The contact normal if `closest` is a local minimum of the distance from `point`, outside of it, and faces the vertex.
    fn minimum(&self, frame: &Frame, closest: &Closest, point: DVec3, time: f64) -> Option<DVec3> {
        let offset = point - closest.point;
        if let Feature::Face(triangle) = closest.feature {
            let outward = frame.face_normal(triangle);
            let faces = self.is_outside(outward, offset) && self.opposes(outward);
            return faces.then_some(outward);
        }
        // Closer than this the direction is rounding; the feature's own normal will do.
        let close = closest.distance < 10.0 * self.settings.tiny();
        let normal = if close { frame.normal(closest.feature) } else { offset / closest.distance };
        // The cheap test that most candidates fail comes first.
        let fits = frame.supports(closest.feature, normal, TARGET_SLACK)
            && self.opposes(normal)
            && self.a.at(time).supports(Feature::Vertex(self.vertex), -normal, OWN_SLACK)
            && self.is_outside(frame.normal(closest.feature), offset);
        fits.then_some(normal)
    }

    /// On the outer side of a feature; a vertex on the surface may by rounding be below it while its probe is not.
    fn is_outside(&self, outward: DVec3, offset: DVec3) -> bool {
        outward != DVec3::ZERO && outward.dot(offset) >= -2.0 * self.settings.tiny()
    }

    /// Contacts with what is far at x but near, or crossed, on the straight path to x_free.
    fn on_the_way(&self, frame: &Frame, all: &[Closest], found: &mut Vec<Found>) {
        let alarm = self.settings.alarm_distance;
        let motions: Vec<f64> = all.iter().map(|seen| self.motion(frame, seen.triangle)).collect();
        let crossing = all
            .iter()
            .zip(&motions)
            .filter(|(seen, motion)| **motion >= seen.distance)
            .filter_map(|(seen, _)| self.crossing(seen.triangle))
            .min_by(|first, second| first.0.total_cmp(&second.0));
        let until = crossing.as_ref().map_or(1.0, |(time, _)| *time);
        if let Some((_, crossed)) = crossing {
            add(found, crossed);
        }
        let coming = |(seen, motion): &(&Closest, &f64)| {
            seen.distance > alarm && seen.distance - **motion <= alarm
        };
        let (far, moving): (Vec<u32>, Vec<f64>) = (all.iter().zip(&motions).filter(coming))
            .map(|(seen, motion)| (seen.triangle, *motion))
            .unzip();
        if far.is_empty() {
            return;
        }
        let looks = (moving.iter().fold(0.0, |most: f64, each| most.max(*each)) / alarm).ceil();
        let looks = looks.clamp(1.0, LOOKS) as u32;
        for time in (1..=looks).map(|look| f64::from(look) / f64::from(looks)) {
            if time > until || !self.look(time, &far, found) {
                return;
            }
        }
    }

    /// Adds what is near at `time`; says whether the vertex is still outside then.
    fn look(&self, time: f64, triangles: &[u32], found: &mut Vec<Found>) -> bool {
        let frame = self.b.at(time);
        let now = self.b.at(0.0);
        let point = self.a.at(time).position(self.vertex);
        let all: Vec<Closest> = triangles.iter().map(|t| frame.closest(*t, point)).collect();
        let seen = distinct(&all, self.settings.alarm_distance);
        if seen.first().is_some_and(|nearest| frame.height(nearest, point) < 0.0) {
            return false;
        }
        for closest in &seen {
            if let Some(normal) = self.minimum(&frame, closest, point, time) {
                let stencil = frame.stencil(self.b.index, closest);
                let distance = normal.dot(self.position - stencil.point(self.b.pose.current));
                // Behind its tangent at x the vertex has yet to come round a corner: no constraint now.
                if distance >= 0.0 && now.normal(closest.feature) != DVec3::ZERO {
                    add(found, Found { feature: closest.feature, stencil, normal, distance });
                }
            }
        }
        true
    }

    /// Largest relative displacement of the vertex against a triangle's corners, m.
    fn motion(&self, frame: &Frame, triangle: u32) -> f64 {
        let own = self.a.at(0.0).displacement(self.vertex);
        let corners = frame.surface.triangles[triangle as usize];
        let squares = corners.map(|corner| (own - frame.displacement(corner)).length_squared());
        squares.into_iter().fold(0.0, f64::max).sqrt()
    }

    /// When and where the path of the vertex crosses a triangle from its front to its back.
    ///
    /// The moment is interpolated between the heights over the triangle's plane at x and at x_free: exact for
    /// translation, an approximation if the triangle turns within the step.
    fn crossing(&self, triangle: u32) -> Option<(f64, Found)> {
        let height = |time: f64| {
            let frame = self.b.at(time);
            let origin = frame.corners(triangle)[0];
            frame.face_normal(triangle).dot(self.a.at(time).position(self.vertex) - origin)
        };
        let (start, end) = (height(0.0), height(1.0));
        if start <= 0.0 || end >= 0.0 {
            return None;
        }
        let normal = self.b.at(0.0).face_normal(triangle);
        if !self.opposes(normal) {
            return None;
        }
        let time = start / (start - end);
        let frame = self.b.at(time);
        let point = self.a.at(time).position(self.vertex);
        let closest = frame.closest(triangle, point);
        let above = frame.face_normal(triangle).dot(point - closest.point);
        let beside_squared = closest.distance.powi(2) - above.powi(2);
        if beside_squared > self.settings.tiny().powi(2) {
            return None;
        }
        let corners = frame.surface.triangles[triangle as usize];
        let stencil = Stencil::face(self.b.index, corners, closest.weights);
        let feature = Feature::Face(triangle);
        Some((time, Found { feature, stencil, normal, distance: start }))
    }

    fn contact(&self, frame: &Frame, found: &Found, share: f64) -> Contact {
        let own = self.a.at(0.0).vertex_area(self.vertex, -found.normal);
        let of_target = |i: usize| {
            let vertex = found.stencil.vertices[i];
            found.stencil.weights[i] * frame.vertex_area(vertex, found.normal)
        };
        let other: f64 = (0..usize::from(found.stencil.count)).map(of_target).sum();
        let sum = own + other;
        let area = if sum > 0.0 { share * own * other / sum } else { 0.0 };
        let id = ContactId {
            surface_a: self.a.index,
            feature_a: Feature::Vertex(self.vertex),
            surface_b: self.b.index,
            feature_b: found.feature,
        };
        let stencil = Stencil::vertex(self.a.index, self.vertex);
        let Found { normal, distance, .. } = *found;
        let contact = Contact { id, a: stencil, b: found.stencil, normal, distance, area };
        ordered(contact)
    }
}

/// Two vertices are found from both sides: the same order, hence the same id, from either.
fn ordered(contact: Contact) -> Contact {
    let ContactId { surface_a, feature_a, surface_b, feature_b } = contact.id;
    let swap =
        matches!(feature_b, Feature::Vertex(_)) && (surface_b, feature_b) < (surface_a, feature_a);
    if !swap {
        return contact;
    }
    let id = ContactId {
        surface_a: surface_b,
        feature_a: feature_b,
        surface_b: surface_a,
        feature_b: feature_a,
    };
    Contact { id, a: contact.b, b: contact.a, normal: -contact.normal, ..contact }
}

/// Each feature once, within `limit` (m), nearest first.
fn distinct(all: &[Closest], limit: f64) -> Vec<Closest> {
    let mut seen: Vec<Closest> =
        all.iter().filter(|seen| seen.distance <= limit).copied().collect();
    seen.sort_by(|a, b| {
        a.feature
            .cmp(&b.feature)
            .then(a.distance.total_cmp(&b.distance))
            .then(a.triangle.cmp(&b.triangle))
    });
    seen.dedup_by(|later, first| later.feature == first.feature);
    seen.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.feature.cmp(&b.feature)));
    seen
}

/// Adds a contact unless one with almost the same normal is there: of parallel walls the first hides the others.
fn add(found: &mut Vec<Found>, new: Found) {
    if found.iter().all(|old| old.normal.dot(new.normal) < SAME_DIRECTION) {
        found.push(new);
    }
}
