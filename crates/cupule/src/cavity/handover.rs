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
    let mut grown: Vec<f64> = pairs.iter().map(|p| p.volume - p.before.volume).collect();
    for giver in 0..pairs.len() {
        for taker in 0..pairs.len() {
            let volume = grown[taker].min(-grown[giver]);
            if volume > 0.0 && pairs[taker].after.area_within(&pairs[giver].before.found) > 0.0 {
                let Cavity { amount, volume: room, .. } = pairs[giver].before;
                let air = amount * volume / room;
                (gains[giver], gains[taker]) = (gains[giver] - air, gains[taker] + air);
                (grown[giver], grown[taker]) = (grown[giver] + volume, grown[taker] - volume);
            }
        }
    }
    gains
}
