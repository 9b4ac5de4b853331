//! Near-duplicate contacts become one.

use cupule_geometry::DVec3;

use super::record::{Contact, Feature};

/// Cosine of 5 degrees: normals closer than this are the same direction.
pub(super) const SAME_DIRECTION: f64 = 0.996_194_698;
/// Cosine of 30 degrees: one vertex over a crease shallower than this has one contact, with the nearer face. Two would ask it to
/// stick in two planes at once, which no motion satisfies.
const SHALLOW_CREASE: f64 = 0.866_025_404;
/// Contacts closer than this share of their patch (the square root of their area) are one: a vertex over a vertex is seen
/// from both sides, and two rows that are almost the same pass a force to and fro for thousands of sweeps.
const SAME_PATCH: f64 = 0.1;

/// Merges the contacts of one pair of surfaces whose points are within `merge_distance` (m), or within a tenth of the size of
/// their patch, and normals within 5 degrees.
///
/// Kept is the one with the smallest distance, then the one with the steadiest normal, then the lowest id; it takes over the areas of the others.
/// Distances within `equal_distance` (m) count as equal, so that the choice is steady from step to step.
/// `middle` gives the place of a contact. The result is sorted by id.
pub(super) fn merge(
    mut contacts: Vec<Contact>,
    merge_distance: f64,
    equal_distance: f64,
    middle: impl Fn(&Contact) -> DVec3,
) -> Vec<Contact> {
    unite_same_ids(&mut contacts);
    let places: Vec<DVec3> = contacts.iter().map(middle).collect();
    let rank = |index: &usize| {
        let contact = &contacts[*index];
        ((contact.distance / equal_distance).round() as i64, unsteadiness(contact), contact.id)
    };
    let mut order: Vec<usize> = (0..contacts.len()).collect();
    order.sort_by_key(rank);
    let sweep = Sweep::new(&places);
    // Who has taken each contact in; by rank, so that a contact taken in takes in nobody.
    let mut taken = vec![None; contacts.len()];
    let mut keeps = vec![false; contacts.len()];
    for index in order {
        if taken[index].is_some() {
            continue;
        }
        keeps[index] = true;
        let reach = merge_distance.max(SAME_PATCH * contacts[index].area.sqrt());
        sweep.near(index, reach, |other| {
            let same = same_direction(&contacts[index], &contacts[other]);
            if !keeps[other] && taken[other].is_none() && same {
                taken[other] = Some(index);
            }
        });
    }
    for index in 0..contacts.len() {
        if let Some(keeper) = taken[index] {
            contacts[keeper].area += contacts[index].area;
        }
    }
    let mut kept = keeps.iter();
    contacts.retain(|_| kept.next().is_some_and(|keep| *keep));
    contacts
}

/// How much a normal turns when the bodies shift a little: not at all over a face, little where edges cross, quickly from a
/// vertex to an edge or a vertex.
fn unsteadiness(contact: &Contact) -> u8 {
    match (contact.id.feature_a, contact.id.feature_b) {
        (_, Feature::Face(_)) => 0,
        (Feature::Edge(_), Feature::Edge(_)) => 1,
        _ => 2,
    }
}

/// Whether two contacts of one pair of surfaces push the same surface almost the same way.
fn same_direction(first: &Contact, second: &Contact) -> bool {
    let cosine = first.normal.dot(second.normal);
    if first.id.point_key() == second.id.point_key() {
        return cosine >= SHALLOW_CREASE;
    }
    let swapped = first.id.surface_a != second.id.surface_a;
    if first.id.surface_a == first.id.surface_b {
        // Within one surface neither side comes first.
        cosine.abs() >= SAME_DIRECTION
    } else {
        (if swapped { -cosine } else { cosine }) >= SAME_DIRECTION
    }
}

/// Sorts by id and keeps one of each: two vertices over each other are found from both sides.
fn unite_same_ids(contacts: &mut Vec<Contact>) {
    contacts.sort_by(|a, b| a.id.cmp(&b.id).then(a.distance.total_cmp(&b.distance)));
    contacts.dedup_by(|later, first| {
        let same = later.id == first.id;
        if same {
            first.area += later.area;
        }
        same
    });
}

/// Points sorted along x.
struct Sweep<'a> {
    places: &'a [DVec3],
    sorted: Vec<usize>,
    position: Vec<usize>,
}

impl<'a> Sweep<'a> {
    fn new(places: &'a [DVec3]) -> Self {
        let mut sorted: Vec<usize> = (0..places.len()).collect();
        sorted.sort_by(|a, b| places[*a].x.total_cmp(&places[*b].x).then(a.cmp(b)));
        let mut position = vec![0; places.len()];
        for (place, index) in sorted.iter().enumerate() {
            position[*index] = place;
        }
        Self { places, sorted, position }
    }

    /// Calls `visit` for all other points within `distance` (m) of a point.
    fn near(&self, index: usize, distance: f64, mut visit: impl FnMut(usize)) {
        let centre = self.places[index];
        let close = |other: &&usize| (self.places[**other].x - centre.x).abs() <= distance;
        let (before, after) = self.sorted.split_at(self.position[index]);
        let left = before.iter().rev().take_while(close);
        for other in after[1..].iter().take_while(close).chain(left) {
            if self.places[*other].distance(centre) <= distance {
                visit(*other);
            }
        }
    }
}
