//! What touches changes hands: its air goes along.
//!
//! A touching part between two cavities belongs to one of them. Where the border between it and the open part of the other
//! moves, as when a cup is pressed flat on a pipe and its roof comes down between two pockets, a strip of it passes from one to the
//! other at a new look. The air in the strip is where it was: it passes along, at the pressure of the cavity that had it.

use super::found::Found;
use super::track::Cavity;

/// A cavity that went on as one: what it was, and what was seen of it now.
pub(super) struct Pair<'a> {
    pub before: &'a Cavity,
    pub after: &'a Found,
    /// Its gas volume now, m3.
    pub volume: f64,
}

/// Air (mol) that every one of these cavities gains by what changed hands among them; the sum is none.
pub(super) fn handed_over(pairs: &[Pair]) -> Vec<f64> {
    let mut gains = vec![0.0; pairs.len()];
    if pairs.len() < 2 {
        return gains;
    }
    let changes: Vec<Changed> = pairs.iter().map(Changed::of).collect();
    let of = |i: usize| (&pairs[i], &changes[i]);
    for (g, giver) in pairs.iter().enumerate() {
        let takers = (0..pairs.len()).filter(|t| *t != g);
        let volumes: Vec<(usize, f64)> = takers.map(|t| (t, passed(of(g), of(t)))).collect();
        let all: f64 = volumes.iter().map(|(_, volume)| volume).sum();
        if all == 0.0 {
            continue;
        }
        // Several that take from one cannot take more than it has.
        let room = all.max(giver.before.volume);
        for (t, volume) in volumes {
            let air = giver.before.amount * (volume / room);
            (gains[g], gains[t]) = (gains[g] - air, gains[t] + air);
        }
    }
    gains
}

/// Wall that a cavity gained and lost, m2.
struct Changed {
    gained: f64,
    lost: f64,
}

impl Changed {
    fn of(pair: &Pair) -> Self {
        let beyond = |of: &Found, kept: &Found| of.area() - of.area_within(kept);
        let (before, after) = (&pair.before.found, pair.after);
        Self { gained: beyond(after, before), lost: beyond(before, after) }
    }
}

/// Volume that passed from one cavity to another, m3.
///
/// Each of the two tells it by how much its own volume changed, of which the other has the share that it has of all wall gained
/// or lost. The one whose wall changed less elsewhere tells it better.
fn passed((giver, left): (&Pair, &Changed), (taker, came): (&Pair, &Changed)) -> f64 {
    let share = |of: &Found, changed: f64, other: &Found| {
        if changed > 0.0 { (of.area_within(other) / changed).min(1.0) } else { 0.0 }
    };
    let of_taker = share(taker.after, came.gained, &giver.before.found);
    let of_giver = share(&giver.before.found, left.lost, taker.after);
    let volume = if of_taker >= of_giver {
        of_taker * (taker.volume - taker.before.volume)
    } else {
        of_giver * (giver.before.volume - giver.volume)
    };
    volume.max(0.0)
}
