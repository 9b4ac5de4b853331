//! What is left where a cavity opened.
//!
//! Facets of two coarse surfaces go on enclosing pockets in what was the seal. While the seal held they counted as part of
//! what touches; without their cavity each would be one of its own, that splits and merges at every step. So between the walls of what was a
//! seal, only air with more than a small share of what the cavity held counts as a new one. It is forgotten as soon as nothing
//! touches there any more: a smaller cup that comes later to the same place is not meant.

use super::found::Found;
use super::look::MINOR;
use super::track::{Cavity, MOST_OF_IT, SAME};
use super::wall::Wall;

/// Cavities that opened and were not closed again: what touched of their walls, and what they held (m3) when they opened.
#[derive(Debug, Clone, Default)]
pub(super) struct Remnants {
    lost: Vec<(Found, f64)>,
}

impl Remnants {
    /// Takes the pockets of lost cavities out of the open airs of a new look, each with its gas volume (m3).
    pub fn sift(
        &mut self,
        old: &[Cavity],
        open: Vec<(Found, f64)>,
        flat: &[(Found, f64)],
    ) -> Vec<(Found, f64)> {
        let held = |cavity: &Cavity| {
            let seen = open.iter().chain(flat);
            seen.map(|(found, _)| cavity.found.core_share(found)).sum::<f64>() > MOST_OF_IT
        };
        let (going_on, gone): (Vec<&Cavity>, Vec<&Cavity>) = old.iter().partition(|c| held(c));
        let seal = |cavity: &Cavity| {
            let touching = cavity.found.patches.iter().filter(|p| p.touching);
            Found { patches: touching.copied().collect(), wall: Wall::default() }
        };
        let still_touches = |lost: &Found| {
            let mut seen = open.iter().chain(flat);
            seen.any(|(found, _)| lost.area_within(found) > 0.0)
        };
        self.lost.extend(gone.iter().map(|cavity| (seal(cavity), cavity.volume)));
        self.lost.retain(|(lost, _)| still_touches(lost));
        let lies_in = |air: &Found, lost: &Found| air.core_share(lost) > MOST_OF_IT;
        let closed_again = |(lost, volume): &(Found, f64)| {
            let large = |(air, now): &(Found, f64)| {
                *now > MINOR * volume && lost.area_within(air) > SAME * lost.area()
            };
            open.iter().any(large)
        };
        self.lost.retain(|lost| !closed_again(lost));
        let is_pocket = |(air, now): &(Found, f64)| {
            let of = |(lost, volume): &(Found, f64)| *now <= MINOR * volume && lies_in(air, lost);
            self.lost.iter().any(of)
                && !going_on.iter().any(|c| c.found.shares_open_part(air, SAME))
        };
        open.into_iter().filter(|air| !is_pocket(air)).collect()
    }
}
