//! Every cavity by itself: without bodies that merely touch its seal.
//!
//! What touches is connected through all bodies that touch each other: a cup on a box, a box beside it and the face between the two, or
//! two cups whose lips meet. But gauge pressure acts inside the seal of the bodies that bound a cavity, not between others: the face
//! between two boxes is open to the outside all around, whichever cup sucks beside it. So where a body is part of what touches but does not
//! bound the air, the cavity is detected once more, among the bodies that do.

use super::detected::{DetectedCavity, MAJORITY};
use super::detection::DetectionResult;
use super::input::{BodySurface, DetectionSettings, Distances, RoughPairs, SealingVertices};
use super::proximity::Proximity;
use cupule_geometry::GeometryError;

/// What a detection depends on beside the bodies.
#[derive(Clone, Copy)]
pub(super) struct DetectionContext<'a> {
    pub distances: &'a Distances,
    pub settings: DetectionSettings,
    pub rough: &'a RoughPairs,
    /// What opens only at the opening distance, by body of the group.
    pub held: &'a SealingVertices,
    /// The cavities of before.
    pub before: &'a [&'a DetectedCavity],
}

/// Detects the cavities of a group of bodies, each by itself.
pub(super) fn detect_isolated(
    proximity: Proximity,
    group: &[BodySurface],
    context: DetectionContext,
) -> Result<DetectionResult, GeometryError> {
    let DetectionContext { distances, settings, before, .. } = context;
    let mut result = proximity.detect(distances, settings, before)?;
    let has_others = |cavity: &DetectedCavity| cavity.bodies() != cavity.bounding_bodies();
    if result.open.iter().any(has_others) {
        let own = DetectedCavity::bounding_bodies;
        result.open = detect_among_own(&result.open, own, group, context, |r| &r.open)?;
    }
    // What is flat bounds no air; it has the bodies of the cavity that was pressed flat there.
    let mut flat = Vec::new();
    for found in std::mem::take(&mut result.flat) {
        let was = |b: &&&DetectedCavity| b.core_fraction_in(&found) > MAJORITY;
        let pressed: Vec<DetectedCavity> =
            before.iter().filter(was).map(|b| (*b).clone()).collect();
        if pressed.iter().any(|b| b.bodies() != found.bodies()) {
            let own = DetectedCavity::bodies;
            flat.extend(detect_among_own(&pressed, own, group, context, |r| &r.flat)?);
        } else {
            flat.push(found);
        }
    }
    result.flat = flat;
    Ok(result)
}

/// Detects each of these cavities among its own bodies alone; one that is not found like that stays as it is.
fn detect_among_own(
    all: &[DetectedCavity],
    own_bodies: impl Fn(&DetectedCavity) -> Vec<usize>,
    group: &[BodySurface],
    context: DetectionContext,
    of: impl Fn(&DetectionResult) -> &Vec<DetectedCavity>,
) -> Result<Vec<DetectedCavity>, GeometryError> {
    let bodies: Vec<Vec<usize>> = all.iter().map(own_bodies).collect();
    let mut sets = bodies.clone();
    sets.sort_unstable();
    sets.dedup();
    let mut detected = Vec::new();
    for set in sets {
        let result = detect_among(&set, group, context)?;
        let members =
            || all.iter().zip(&bodies).filter(|(_, b)| **b == set).map(|(found, _)| found);
        let is_one =
            |new: &&DetectedCavity| members().any(|found| found.core_fraction_in(new) > MAJORITY);
        let now: Vec<&DetectedCavity> = of(&result).iter().filter(is_one).collect();
        let lost =
            members().filter(|found| now.iter().all(|n| found.core_fraction_in(n) <= MAJORITY));
        detected.extend(now.iter().copied().chain(lost).cloned());
    }
    Ok(detected)
}

/// Detects among some bodies of a group, as if there were no others.
fn detect_among(
    bodies: &[usize],
    group: &[BodySurface],
    context: DetectionContext,
) -> Result<DetectionResult, GeometryError> {
    let DetectionContext { distances, settings, rough, held, before } = context;
    let places = (0..group.len()).filter(|place| bodies.contains(&group[*place].body));
    let (members, held): (Vec<BodySurface>, SealingVertices) =
        places.map(|place| (group[place], held[place].clone())).unzip();
    Proximity::new(&members, distances, &held, rough)?.detect(distances, settings, before)
}
