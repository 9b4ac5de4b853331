//! What is left where a cavity opened.
//!
//! Facets of two coarse surfaces go on enclosing pockets in what was the seal. While the seal held they counted as part of
//! what touches; without their cavity each would be one of its own, that splits and merges at every step. So where a cavity
//! opened, only air with more than a small share of what it held counts as a new one.

use super::found::Found;
use super::look::MINOR;
use super::track::{Cavity, MOST_OF_IT, SAME};

/// Cavities that opened and were not closed again: their walls, and what they held (m3) when they opened.
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
        self.lost.extend(gone.iter().map(|cavity| (cavity.found.clone(), cavity.volume)));
        let lies_in = |air: &Found, lost: &Found| air.core_share(lost) > SAME;
        let closed_again = |(lost, volume): &(Found, f64)| {
            open.iter().any(|(air, now)| *now > MINOR * volume && lies_in(air, lost))
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
