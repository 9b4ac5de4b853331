//! Pockets that are left where a cavity opened.
//!
//! Facets of two coarse surfaces go on enclosing pockets in what was the seal. While the seal held they counted as part of what
//! touches; without their cavity each would be a cavity of its own, that splits and merges at every step. So between the walls of
//! what was a seal, only air with more than a small fraction of what the cavity held counts as a new cavity. The seal is forgotten
//! as soon as nothing touches there any more: a smaller cup that comes later to the same place is not meant.

use super::SAME_CAVITY;
use super::cavity::Cavity;
use crate::cavity::find::{DetectedCavity, MAJORITY, MINOR, Wall};

/// Cavities that opened and were not closed again: what touched of their walls, and what they held (m3) when they opened.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenedCavities {
    lost: Vec<(DetectedCavity, f64)>,
}

impl OpenedCavities {
    /// Newly detected open cavities, each with its gas volume (m3), without the pockets that lost cavities left.
    pub fn without_residual_pockets(
        &mut self,
        old: &[Cavity],
        open: Vec<(DetectedCavity, f64)>,
        flat: &[(DetectedCavity, f64)],
    ) -> Vec<(DetectedCavity, f64)> {
        let held = |cavity: &Cavity| {
            let seen = open.iter().chain(flat);
            seen.map(|(found, _)| cavity.found.core_fraction_in(found)).sum::<f64>() > MAJORITY
        };
        let (going_on, gone): (Vec<&Cavity>, Vec<&Cavity>) = old.iter().partition(|c| held(c));
        let seal = |cavity: &Cavity| {
            let touching = cavity.found.patches.iter().filter(|p| p.touching);
            DetectedCavity { patches: touching.copied().collect(), wall: Wall::default() }
        };
        let still_touches = |lost: &DetectedCavity| {
            let mut seen = open.iter().chain(flat);
            seen.any(|(found, _)| lost.area_within(found) > 0.0)
        };
        self.lost.extend(gone.iter().map(|cavity| (seal(cavity), cavity.volume)));
        self.lost.retain(|(lost, _)| still_touches(lost));
        let lies_in =
            |air: &DetectedCavity, lost: &DetectedCavity| air.core_fraction_in(lost) > MAJORITY;
        let closed_again = |(lost, volume): &(DetectedCavity, f64)| {
            let large = |(air, now): &(DetectedCavity, f64)| {
                *now > MINOR * volume && lost.area_within(air) > SAME_CAVITY * lost.area()
            };
            open.iter().any(large)
        };
        self.lost.retain(|lost| !closed_again(lost));
        let is_pocket = |(air, now): &(DetectedCavity, f64)| {
            let of = |(lost, volume): &(DetectedCavity, f64)| {
                *now <= MINOR * volume && lies_in(air, lost)
            };
            self.lost.iter().any(of)
                && !going_on.iter().any(|c| c.found.shares_open_part(air, SAME_CAVITY))
        };
        open.into_iter().filter(|air| !is_pocket(air)).collect()
    }
}
