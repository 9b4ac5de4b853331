//! Every cavity by itself: without bodies that merely touch its seal.
//!
//! What touches hangs together through all bodies that touch each other: a cup on a box, a box beside it and the face between the two, or
//! two cups whose lips meet. But gauge pressure acts inside the seal of the bodies that bound a cavity, not between others: the face
//! between two boxes is open to the outside all around, whoever sucks beside it. So where a body is part of what touches and does not bound
//! the air, the bodies that do are looked at once more, alone.

use super::found::Found;
use super::glance::{Glance, Manner, Rough, Touching};
use super::look::{BodySurface, Distances, Sight};
use super::track::MOST_OF_IT;
use cupule_geometry::GeometryError;

/// What a closer look needs to know beside the bodies.
#[derive(Clone, Copy)]
pub(super) struct Manners<'a> {
    pub distances: &'a Distances,
    pub manner: Manner,
    pub rough: &'a Rough,
    /// What opens only at the opening distance, by body of the group.
    pub held: &'a Touching,
    /// The cavities of before.
    pub before: &'a [&'a Found],
}

/// Looks closely at a group of bodies, and at every cavity by itself.
pub(super) fn look_closely(
    glance: Glance,
    group: &[BodySurface],
    manners: Manners,
) -> Result<Sight, GeometryError> {
    let Manners { distances, manner, before, .. } = manners;
    let mut sight = glance.look(distances, manner, before)?;
    let foreign = |found: &Found| found.bodies() != found.bounding_bodies();
    if sight.open.iter().any(foreign) {
        sight.open = alone(&sight.open, Found::bounding_bodies, group, manners, |s| &s.open)?;
    }
    // What is flat bounds no air; it has the bodies of the cavity that was pressed flat there.
    let mut flat = Vec::new();
    for found in std::mem::take(&mut sight.flat) {
        let was = |b: &&&Found| b.core_share(&found) > MOST_OF_IT;
        let pressed: Vec<Found> = before.iter().filter(was).map(|b| (*b).clone()).collect();
        if pressed.iter().any(|b| b.bodies() != found.bodies()) {
            flat.extend(alone(&pressed, Found::bodies, group, manners, |s| &s.flat)?);
        } else {
            flat.push(found);
        }
    }
    sight.flat = flat;
    Ok(sight)
}

/// What of these is seen by looking at their own bodies alone; one that is not seen like that stays as it is.
fn alone(
    all: &[Found],
    own_bodies: impl Fn(&Found) -> Vec<usize>,
    group: &[BodySurface],
    manners: Manners,
    of: impl Fn(&Sight) -> &Vec<Found>,
) -> Result<Vec<Found>, GeometryError> {
    let bodies: Vec<Vec<usize>> = all.iter().map(own_bodies).collect();
    let mut sets = bodies.clone();
    sets.sort_unstable();
    sets.dedup();
    let mut seen = Vec::new();
    for set in sets {
        let sight = among(&set, group, manners)?;
        let members =
            || all.iter().zip(&bodies).filter(|(_, b)| **b == set).map(|(found, _)| found);
        let is_one = |new: &&Found| members().any(|found| found.core_share(new) > MOST_OF_IT);
        let now: Vec<&Found> = of(&sight).iter().filter(is_one).collect();
        let lost = members().filter(|found| now.iter().all(|n| found.core_share(n) <= MOST_OF_IT));
        seen.extend(now.iter().copied().chain(lost).cloned());
    }
    Ok(seen)
}

/// A look at some bodies of a group, as if there were no others.
fn among(
    bodies: &[usize],
    group: &[BodySurface],
    manners: Manners,
) -> Result<Sight, GeometryError> {
    let Manners { distances, manner, rough, held, before } = manners;
    let places = (0..group.len()).filter(|place| bodies.contains(&group[*place].body));
    let (members, held): (Vec<BodySurface>, Touching) =
        places.map(|place| (group[place], held[place].clone())).unzip();
    Glance::new(&members, distances, &held, rough)?.look(distances, manner, before)
}
