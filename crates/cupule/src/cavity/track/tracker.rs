//! Cavities through time: which detected cavity is which of before, and where the air goes.
//!
//! Old and new cavities are matched by the overlap of their walls as material patches, so that a cavity may grow, shrink, slide,
//! flatten and reopen and stay itself. Moles are conserved:
//!
//! - Merging adds them up. Splitting divides them by gas volume, at equal pressure.
//! - A cavity that appears takes in air at atmospheric pressure. So does room that a cavity gains where it never was, as when a wider ring
//!   closes around it.
//! - A cavity that vanishes releases its air.
//! - A touching part that passes from one cavity to another takes its air along.

use super::SAME_CAVITY;
use super::cavity::{Cavity, Change};
use super::moles::Moles;
use super::residual_pockets::OpenedCavities;
use super::transfer::{Continued, transferred_amounts};
use super::vacuum_loss::Loss;
use crate::cavity::find::{DetectedCavity, MAJORITY};

/// Fraction of a cavity's open part that must be new for it to have gained room that was outside: less is the border, which lies elsewhere
/// after every detection.
const NEW_PART: f64 = 0.1;

/// The gain in volume must be at least this much of what that fraction says, or the cavity has merely slid along: half, because new
/// parts may be shallower than the mean.
const NEW_ROOM: f64 = 0.5;

/// The cavities of a world.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    /// Present cavities, in the order of their numbers.
    pub cavities: Vec<Cavity>,
    /// The mole balance.
    pub moles: Moles,
    next: u32,
    opened: OpenedCavities,
}

impl Tracker {
    /// Takes in newly detected cavities: open ones and flat sealed patches, each with its gas volume (m3). `fill` is P_atm / (R T), mol/m3.
    pub fn update(
        &mut self,
        open: Vec<(DetectedCavity, f64)>,
        flat: Vec<(DetectedCavity, f64)>,
        fill: f64,
    ) -> Vec<Change> {
        let old = std::mem::take(&mut self.cavities);
        let open = self.opened.without_residual_pockets(&old, open, &flat);
        let (mut detected, mut links) = match_all(&old, open);
        keep_flat(&old, flat, &mut detected, &mut links);
        let mut changes = Vec::new();
        let mut heirs: Vec<Vec<(usize, f64)>> = vec![Vec::new(); detected.len()];
        for (i, cavity) in old.iter().enumerate() {
            let kept = divide_among_heirs(cavity, &links[i], &detected, &mut heirs, i);
            // What holds no air any more opens too.
            if kept < cavity.amount || links[i].is_empty() {
                self.moles.released += cavity.amount - kept;
                self.moles.in_cavities -= cavity.amount - kept;
                changes.push(Change::Unsealed(cavity.id, cavity.pressure));
            }
        }
        transfer_amounts(&old, &links, &detected, &mut heirs);
        let ids = self.number_all(&old, &links, &heirs, &detected, &mut changes);
        let gained: Vec<f64> =
            (0..detected.len()).map(|j| room_gained(&old, &links, &detected, j)).collect();
        for ((j, (found, volume)), id) in detected.into_iter().enumerate().zip(ids) {
            let inherited: f64 = heirs[j].iter().map(|(_, amount)| amount).sum();
            let created = fill * if heirs[j].is_empty() { volume } else { gained[j] };
            self.moles.created += created;
            self.moles.in_cavities += created;
            let amount = inherited + created;
            let was_flat = heirs[j].iter().all(|(i, _)| old[*i].found.is_flat());
            match (was_flat, found.is_flat()) {
                (false, true) => changes.push(Change::Flattened(id)),
                (true, false) if !heirs[j].is_empty() => changes.push(Change::Reopened(id)),
                _ => {}
            }
            let main = heirs[j].iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| &old[*i]);
            let pressure = main.map_or(f64::NAN, |main| main.pressure);
            let limit = main.map_or(f64::NAN, |main| main.limit);
            let loss = main.map_or(Loss::default(), |main| main.loss);
            let vents = heirs[j].iter().any(|(i, _)| old[*i].vents);
            let (seal_conductance, widest) = (0.0, None);
            self.cavities.push(Cavity {
                id,
                found,
                amount,
                pressure,
                volume,
                limit,
                vents,
                seal_conductance,
                widest,
                loss,
            });
        }
        self.cavities.sort_by_key(|c| c.id);
        changes
    }

    /// Numbers the new cavities: the largest heir keeps the number of the largest parent.
    fn number_all(
        &mut self,
        old: &[Cavity],
        links: &[Vec<usize>],
        heirs: &[Vec<(usize, f64)>],
        detected: &[(DetectedCavity, f64)],
        changes: &mut Vec<Change>,
    ) -> Vec<u32> {
        let first_heir = |i: usize| {
            links[i].iter().copied().max_by(|a, b| detected[*a].1.total_cmp(&detected[*b].1))
        };
        let mut ids = Vec::new();
        for (j, parents) in heirs.iter().enumerate() {
            let main = parents.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| *i);
            let id = match main {
                Some(i) if first_heir(i) == Some(j) => old[i].id,
                _ => {
                    self.next += 1;
                    self.next - 1
                }
            };
            match main {
                None => changes.push(Change::Sealed(id)),
                Some(i) if id != old[i].id => changes.push(Change::Split(old[i].id, id)),
                Some(_) => {}
            }
            let merged = parents.iter().filter(|(i, _)| Some(*i) != main);
            let merged = merged.filter(|(i, _)| first_heir(*i) == Some(j));
            changes.extend(merged.map(|(i, _)| Change::Merged(old[*i].id, id)));
            ids.push(id);
        }
        ids
    }
}

type Matches = (Vec<(DetectedCavity, f64)>, Vec<Vec<usize>>);

/// Matches old and new cavities by their open parts: touching parts pass from one neighbour to another when little more than a film
/// is in them. Only a cavity whose open part is gone is searched for among what touches, and only one that comes from nowhere among
/// what touched.
fn match_all(old: &[Cavity], open: Vec<(DetectedCavity, f64)>) -> Matches {
    let matching = |is: &dyn Fn(usize, usize) -> bool, i: usize| -> Vec<usize> {
        (0..open.len()).filter(|j| is(i, *j)).collect()
    };
    let still_open = |i: usize, j: usize| old[i].found.shares_open_part(&open[j].0, SAME_CAVITY);
    let pressed_shut = |i: usize, j: usize| old[i].found.core_fraction_in(&open[j].0) > SAME_CAVITY;
    let mut links: Vec<Vec<usize>> = (0..old.len()).map(|i| matching(&still_open, i)).collect();
    for (i, link) in links.iter_mut().enumerate().filter(|(_, link)| link.is_empty()) {
        *link = matching(&pressed_shut, i);
    }
    for (j, (new, _)) in open.iter().enumerate() {
        if links.iter().all(|link| !link.contains(&j)) {
            let parents = links.iter_mut().zip(old);
            let parents = parents.filter(|(_, c)| new.core_fraction_in(&c.found) > SAME_CAVITY);
            parents.for_each(|(link, _)| link.push(j));
        }
    }
    links.iter_mut().for_each(|link| link.sort_unstable());
    (open, links)
}

/// A flat patch is a cavity only if one was pressed flat there: two solids that merely touch hold no air.
fn keep_flat(
    old: &[Cavity],
    flat: Vec<(DetectedCavity, f64)>,
    detected: &mut Vec<(DetectedCavity, f64)>,
    links: &mut [Vec<usize>],
) {
    for candidate in flat {
        let parent = |i: &usize| {
            links[*i].is_empty() && old[*i].found.core_fraction_in(&candidate.0) > MAJORITY
        };
        let parents: Vec<usize> = (0..old.len()).filter(parent).collect();
        if !parents.is_empty() {
            parents.into_iter().for_each(|i| links[i].push(detected.len()));
            detected.push(candidate);
        }
    }
}

/// Divides the air of a cavity among its heirs and returns how much they take, mol.
///
/// At equal pressure each takes air by its volume. But where most of the open part is now open to the outside, a heir is
/// only a pocket that was left behind, and takes no more than it held.
fn divide_among_heirs(
    cavity: &Cavity,
    links: &[usize],
    detected: &[(DetectedCavity, f64)],
    heirs: &mut [Vec<(usize, f64)>],
    index: usize,
) -> f64 {
    // A cavity that is crushed, in a world whose cavities are open to the outside, may have less than no volume.
    let volume = |j: &usize| detected[*j].1.max(0.0);
    let total: f64 = links.iter().map(volume).sum();
    let core: f64 = links.iter().map(|j| cavity.found.core_fraction_in(&detected[*j].0)).sum();
    let room = if core > MAJORITY { total } else { total.max(cavity.volume) };
    let fraction = |volume: f64| if room > 0.0 { volume / room } else { 0.0 };
    for &j in links {
        heirs[j].push((index, cavity.amount * fraction(volume(&j))));
    }
    cavity.amount * fraction(total)
}

/// Room (m3) that a heir has and no parent had, because it was outside until now.
fn room_gained(
    old: &[Cavity],
    links: &[Vec<usize>],
    detected: &[(DetectedCavity, f64)],
    heir: usize,
) -> f64 {
    // What is crushed, in a world whose cavities are open to the outside, may have less than no volume.
    let room = |j: usize| detected[j].1.max(0.0);
    let (found, volume) = (&detected[heir].0, room(heir));
    let all = |i: usize| links[i].iter().map(|j| room(*j)).sum::<f64>();
    let parents = (0..old.len()).filter(|i| links[*i].contains(&heir) && all(*i) > 0.0);
    let brought: f64 = parents.map(|i| old[i].volume.max(0.0) * volume / all(i)).sum();
    let known: f64 = old.iter().map(|cavity| found.core_fraction_in(&cavity.found)).sum();
    let (new, gained) = (1.0 - known, volume - brought);
    let is_new = !found.is_flat() && new > NEW_PART && gained > NEW_ROOM * new * volume;
    if is_new { gained.max(0.0) } else { 0.0 }
}

/// Transfers the air of touching parts that passed between cavities, where each of the two went on as one cavity with all its air: a
/// pocket that is left of a cavity has none to pass on.
fn transfer_amounts(
    old: &[Cavity],
    links: &[Vec<usize>],
    detected: &[(DetectedCavity, f64)],
    heirs: &mut [Vec<(usize, f64)>],
) {
    let heir = |i: usize| {
        let whole = |j: &usize| heirs[*j].len() == 1 && heirs[*j][0].1 >= old[i].amount;
        links[i].first().copied().filter(|j| links[i].len() == 1 && whole(j))
    };
    let went_on: Vec<(usize, usize)> = (0..old.len()).filter_map(|i| Some((i, heir(i)?))).collect();
    let continued = |(i, j): &(usize, usize)| {
        let (after, volume) = (&detected[*j].0, detected[*j].1);
        Continued { before: &old[*i], after, volume }
    };
    let all: Vec<Continued> = went_on.iter().map(continued).collect();
    for ((_, j), gain) in went_on.iter().zip(transferred_amounts(&all)) {
        heirs[*j][0].1 += gain;
    }
}

#[cfg(test)]
mod tests;
