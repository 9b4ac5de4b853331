//! Near contacts of a patch solved as one, as an option (after Talvas, Marchal, Duriez and Otaduy 2015).
//!
//! A patch holds the contacts of one pair of bodies that are near each other, have the same law, face the same way and are about as wide open.
//! It has one force, and its gap and slip are the means of those of its contacts, weighted by their areas: no air of the patch's mean gap may be
//! lost, but one contact of it may lie a little deeper and another a little higher, until they are no longer alike and part. The force is spread over the contacts with the same
//! weights, which is what makes gap and force conjugate. Deviation: no torsion in a patch; patches are small, and several of them
//! resist turning together.
//!
//! Rows fall with the number of contacts in a patch, and with them the compliance and the sweeps. What it costs is in the book.

use super::rows::measures_at;
use crate::contact::Contact;
use crate::model::Configuration;
use crate::solver::{Outcome, Touch, WorldContact};
use cupule_geometry::DVec3;
use std::sync::Arc;

/// Cosine of 15 degrees: contacts whose normals differ by more are of different patches.
const SAME_WAY: f64 = 0.965_925_826;

/// Contacts of a patch are alike if their gaps differ by no more than this share of its reach: surfaces within half a degree of each other. Without
/// that an open contact would let a closed one of its patch sink in by half of what it is open.
const LEVEL: f64 = 0.01;

/// Patches over the contacts of a problem.
pub struct Patches {
    /// One touch a patch.
    pub touches: Vec<Touch>,
    members: Vec<Vec<Member>>,
}

/// A contact of a patch.
struct Member {
    contact: usize,
    /// Share of the patch's force.
    share: f64,
    /// -1 where the contact has the bodies the other way round than the patch.
    sign: f64,
}

impl Patches {
    /// Gathers contacts whose points at `x` (m) are within `reach` (m) of the first of their patch.
    pub fn new(contacts: &[WorldContact], x: &[DVec3], reach: f64) -> Self {
        let place = |c: &WorldContact| {
            let first = c.touch.points.iter().filter(|(_, w)| *w > 0.0);
            first.map(|(p, w)| x[*p] * *w).sum::<DVec3>()
        };
        let places: Vec<DVec3> = contacts.iter().map(place).collect();
        let gap = |c: &WorldContact| c.contact.distance - c.touch.distance;
        let mut taken = vec![false; contacts.len()];
        let mut members: Vec<Vec<Member>> = Vec::new();
        for first in 0..contacts.len() {
            if taken[first] {
                continue;
            }
            let mut patch = Vec::new();
            for other in first..contacts.len() {
                let near = !taken[other] && places[other].distance(places[first]) <= reach;
                let apart = (gap(&contacts[other]) - gap(&contacts[first])).abs();
                let near = near && apart <= LEVEL * reach;
                let sign = same_way(&contacts[first].contact, &contacts[other].contact);
                let same_law = Arc::ptr_eq(&contacts[first].touch.law, &contacts[other].touch.law);
                if let (true, Some(sign)) = (near && same_law, sign) {
                    taken[other] = true;
                    let share = contacts[other].contact.area;
                    patch.push(Member { contact: other, share, sign });
                }
            }
            members.push(even_out(patch));
        }
        let touches = members.iter().map(|patch| joined(contacts, patch)).collect();
        Self { touches, members }
    }

    /// What came out of a solve for the patches, in a step from `start`, told of every one of the contacts that they gather.
    pub fn spread(
        &self,
        contacts: &[WorldContact],
        start: &Configuration,
        mut outcome: Outcome,
    ) -> Outcome {
        let mut forces = vec![DVec3::ZERO; contacts.len()];
        for ((patch, members), force) in self.touches.iter().zip(&self.members).zip(&outcome.forces)
        {
            let force = patch.to_world(*force);
            for Member { contact, share, sign } in members {
                forces[*contact] = contacts[*contact].touch.to_local(force * (share * sign));
            }
        }
        outcome.forces = forces;
        let touches: Vec<&Touch> = contacts.iter().map(|contact| &contact.touch).collect();
        outcome.measures = measures_at(&touches, start, &outcome.end);
        outcome.solved_measures.clone_from(&outcome.measures);
        outcome
    }
}

/// Whether two contacts push the same two surfaces the same way; -1 where the second has them the other way round.
fn same_way(first: &Contact, second: &Contact) -> Option<f64> {
    let pair = |c: &Contact| (c.a.surface, c.b.surface);
    let cosine = first.normal.dot(second.normal);
    let (a, b) = pair(first);
    let sign =
        if a == b { cosine.signum() } else { if pair(second) == (a, b) { 1.0 } else { -1.0 } };
    let same_pair = pair(second) == (a, b) || pair(second) == (b, a);
    (same_pair && sign * cosine >= SAME_WAY).then_some(sign)
}

/// Shares from areas; equal ones where there is no area.
fn even_out(mut patch: Vec<Member>) -> Vec<Member> {
    let total: f64 = patch.iter().map(|m| m.share).sum();
    let equal = 1.0 / patch.len() as f64;
    patch.iter_mut().for_each(|m| m.share = if total > 0.0 { m.share / total } else { equal });
    patch
}

/// The touch of a patch.
fn joined(contacts: &[WorldContact], patch: &[Member]) -> Touch {
    let first = &contacts[patch[0].contact].touch;
    if patch.len() == 1 {
        return first.clone();
    }
    let of = |m: &Member| &contacts[m.contact].touch;
    let mean = |vector: fn(&Touch) -> DVec3| -> DVec3 {
        patch.iter().map(|m| vector(of(m)) * (m.share * m.sign)).sum()
    };
    Touch {
        points: patch
            .iter()
            .flat_map(|m| of(m).points.iter().map(move |(p, w)| (*p, w * m.share * m.sign)))
            .collect(),
        normal: mean(|t| t.normal).normalize_or(first.normal),
        distance: patch.iter().map(|m| of(m).distance * m.share).sum(),
        law: first.law.clone(),
        warm_start: patch.iter().map(|m| of(m).warm_start * m.sign).sum(),
        slip_before: mean(|t| t.slip_before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactId, Feature, Stencil};
    use crate::law::{ContactLaw, Coulomb};
    use std::sync::LazyLock;

    /// Contacts with equal laws share one object.
    static LAW: LazyLock<Arc<dyn ContactLaw>> =
        LazyLock::new(|| Arc::new(Coulomb { friction: 0.5 }));

    /// A contact of point `at` (of body 0) over point `at + 4` (of body 1), or the other way round.
    fn touch(at: usize, turned: bool, area: f64) -> WorldContact {
        let stencil =
            |surface| Stencil { surface, vertices: [0; 3], weights: [1.0, 0.0, 0.0], count: 1 };
        let (a, b) = if turned { (1, 0) } else { (0, 1) };
        let sign = if turned { -1.0 } else { 1.0 };
        let id = ContactId {
            surface_a: a,
            feature_a: Feature::Vertex(at as u32),
            surface_b: b,
            feature_b: Feature::Face(at as u32),
        };
        let contact = Contact {
            id,
            a: stencil(a),
            b: stencil(b),
            normal: DVec3::Z * sign,
            distance: 0.1,
            area,
        };
        let touch = Touch {
            points: vec![(at, sign), (at + 4, -sign)],
            normal: contact.normal,
            distance: 0.0,
            law: LAW.clone(),
            warm_start: DVec3::Z * sign,
            slip_before: DVec3::ZERO,
        };
        WorldContact { contact, touch }
    }

    /// Points at 0, 1, 2 and 10 m, at gaps of 0.1, 0.4, 0.1 and 0.1 m.
    fn places() -> Vec<DVec3> {
        let along = [0.0, 1.0, 2.0, 10.0];
        let upper = along.iter().zip([0.1, 0.4, 0.1, 0.1]).map(|(x, z)| DVec3::new(*x, 0.0, z));
        upper.chain(along.iter().map(|x| DVec3::X * *x)).collect()
    }

    #[test]
    fn a_patch_has_the_mean_gap_and_the_whole_force_of_its_contacts() {
        let touches =
            [touch(0, false, 1.0), touch(1, true, 2.0), touch(2, false, 1.0), touch(3, false, 1.0)];
        let patches = Patches::new(&touches, &places(), 3.0);
        assert_eq!(patches.touches.len(), 2, "the fourth is too far");
        let patch = &patches.touches[0];
        // (0.1 + 2 * 0.4 + 0.1) / 4, whichever way round a contact is.
        let between: DVec3 = patch.points.iter().map(|(p, w)| places()[*p] * *w).sum();
        assert!((patch.normal.dot(between) - 0.25).abs() < 1e-15);
        assert_eq!(patch.normal, DVec3::Z);
        assert!((patch.warm_start - DVec3::Z * 3.0).length() < 1e-15);
        assert_eq!(
            patches.touches[1].points, touches[3].touch.points,
            "alone it stays what it was"
        );
    }

    /// Lest an open contact let a closed one sink in: of 3 m of reach gaps may differ by 3 cm.
    #[test]
    fn contacts_that_are_not_alike_open_are_apart() {
        let wide = |by: f64| {
            let mut other = touch(1, false, 1.0);
            other.contact.distance += by;
            Patches::new(&[touch(0, false, 1.0), other], &places(), 3.0).touches.len()
        };
        assert_eq!([0.0, 0.02, 0.04, -0.04].map(wide), [1, 1, 2, 2]);
    }

    #[test]
    fn contacts_of_different_laws_are_apart() {
        let mut other = touch(2, false, 1.0);
        other.touch.law = Arc::new(Coulomb { friction: 0.4 });
        let patches = Patches::new(&[touch(0, false, 1.0), other], &places(), 3.0);
        assert_eq!(patches.touches.len(), 2);
    }

    /// A force on the patch does the same work on its mean gap as the spread forces do on the contacts' gaps.
    #[test]
    fn the_spread_force_is_the_same_force() {
        let touches = [touch(0, false, 1.0), touch(1, true, 2.0), touch(2, false, 1.0)];
        let patches = Patches::new(&touches, &places(), 3.0);
        let applied = |touches: &[&Touch], forces: &[DVec3]| {
            let mut sums = vec![DVec3::ZERO; 8];
            for (touch, force) in touches.iter().zip(forces) {
                touch.points.iter().for_each(|(p, w)| sums[*p] += touch.to_world(*force) * *w);
            }
            sums
        };
        let force = DVec3::new(4.0, 1.0, -2.0);
        let world = patches.touches[0].to_world(force);
        let parts = patches.members[0]
            .iter()
            .map(|m| touches[m.contact].touch.to_local(world * (m.share * m.sign)));
        let each: Vec<&Touch> = touches.iter().map(|contact| &contact.touch).collect();
        let spread = applied(&each, &parts.collect::<Vec<_>>());
        let whole = applied(&[&patches.touches[0]], &[force]);
        for (a, b) in spread.iter().zip(&whole) {
            assert!((*a - *b).length() < 1e-14, "{a} {b}");
        }
    }
}
