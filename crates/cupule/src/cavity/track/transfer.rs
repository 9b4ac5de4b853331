//! Air that passes along with touching parts from one cavity to another.
//!
//! A touching part between two cavities belongs to one of them. Where the border between it and the open part of the other moves, a
//! strip of it passes from one to the other when cavities are detected again: as when a cup is pressed flat on a pipe and its roof
//! comes down between two pockets. The air in the strip is where it was, so it passes along, at the pressure of the cavity that had
//! it.

use super::cavity::Cavity;
use crate::cavity::find::DetectedCavity;

/// A cavity that went on as one: what it was, and what was detected of it now.
pub(super) struct Continued<'a> {
    pub before: &'a Cavity,
    pub after: &'a DetectedCavity,
    /// Its gas volume now, m3.
    pub volume: f64,
}

/// Air (mol) that every one of these cavities gains by touching parts that passed among them; the sum is 0.
pub(super) fn transferred_amounts(all: &[Continued]) -> Vec<f64> {
    let mut gains = vec![0.0; all.len()];
    if all.len() < 2 {
        return gains;
    }
    let changes: Vec<WallChange> = all.iter().map(WallChange::of).collect();
    let of = |i: usize| (&all[i], &changes[i]);
    for (g, giver) in all.iter().enumerate() {
        let takers = (0..all.len()).filter(|t| *t != g);
        let volumes: Vec<(usize, f64)> =
            takers.map(|t| (t, transferred_volume(of(g), of(t)))).collect();
        let total: f64 = volumes.iter().map(|(_, volume)| volume).sum();
        if total == 0.0 {
            continue;
        }
        // Several that take from one cannot take more than it has.
        let room = total.max(giver.before.volume);
        for (t, volume) in volumes {
            let air = giver.before.amount * (volume / room);
            (gains[g], gains[t]) = (gains[g] - air, gains[t] + air);
        }
    }
    gains
}

/// Wall that a cavity gained and lost, m2.
struct WallChange {
    gained: f64,
    lost: f64,
}

impl WallChange {
    fn of(cavity: &Continued) -> Self {
        let beyond = |of: &DetectedCavity, kept: &DetectedCavity| of.area() - of.area_within(kept);
        let (before, after) = (&cavity.before.found, cavity.after);
        Self { gained: beyond(after, before), lost: beyond(before, after) }
    }
}

/// Volume that passed from one cavity to another, m3.
///
/// Each of the two cavities gives an estimate: how much its own volume changed, times the fraction that the other has of all wall gained
/// or lost. The estimate of the one whose wall changed less elsewhere is the better one.
fn transferred_volume(
    (giver, left): (&Continued, &WallChange),
    (taker, came): (&Continued, &WallChange),
) -> f64 {
    let fraction = |of: &DetectedCavity, changed: f64, other: &DetectedCavity| {
        if changed > 0.0 { (of.area_within(other) / changed).min(1.0) } else { 0.0 }
    };
    let of_taker = fraction(taker.after, came.gained, &giver.before.found);
    let of_giver = fraction(&giver.before.found, left.lost, taker.after);
    let volume = if of_taker >= of_giver {
        of_taker * (taker.volume - taker.before.volume)
    } else {
        of_giver * (giver.before.volume - giver.volume)
    };
    volume.max(0.0)
}
