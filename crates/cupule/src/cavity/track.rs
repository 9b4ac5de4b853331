//! Cavities through time: who is who after a new look, and where the air goes.
//!
//! Old and new cavities are matched by the overlap of their walls as material patches, so that a cavity may grow, shrink, slide,
//! flatten and reopen and stay itself. Moles are conserved: merging adds them, splitting shares them by gas volume at
//! equal pressure, what appears takes in air at atmospheric pressure, and so does room that a cavity gains where it never was, as when a
//! wider ring closes around it; what vanishes releases its air, and a touching part that passes from one cavity to another takes its air
//! along.

use super::found::Found;
use super::handover::{Pair, handed_over};
use super::loss::Loss;
use super::remnant::Remnants;

/// Two open parts are of the same cavity if they share this much of the smaller one.
pub(super) const SAME: f64 = 0.2;

/// Share of a cavity's open part that must still be enclosed for it to go on.
pub(super) const MOST_OF_IT: f64 = 0.5;

/// Share of a cavity's open part that must be new for it to have gained room that was outside: less is a border drawn anew.
const NEW_PART: f64 = 0.1;

/// And the gain must be this much of what that share says, or the cavity has merely slid along.
const NEW_ROOM: f64 = 0.5;

/// A cavity with its history.
#[derive(Debug, Clone)]
pub struct Cavity {
    /// Its number: cavities are counted in the order in which they appear.
    pub id: u32,
    /// Its wall.
    pub found: Found,
    /// Amount of gas, mol.
    pub amount: f64,
    /// Absolute pressure, Pa.
    pub pressure: f64,
    /// Gas volume, m3.
    pub volume: f64,
    /// Pressure above which its seal lets air out, Pa.
    pub limit: f64,
    /// Whether it lets air out, or did so last.
    pub vents: bool,
    /// Conductance of the gap of its seal to the outside in the last step, m3/s.
    pub seal_conductance: f64,
    /// Where the widest way through that gap was narrowest then.
    pub widest: Option<Narrow>,
    /// What became of its vacuum.
    pub loss: Loss,
}

/// A place at which a way through a seal is narrowest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Narrow {
    /// The body.
    pub body: usize,
    /// Vertex of its surface.
    pub vertex: u32,
    /// Gap that is open to air, m.
    pub gap: f64,
}

/// What became of a cavity at a new look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// A new cavity closed.
    Sealed(u32),
    /// A cavity opened; it held this pressure (Pa) before.
    Unsealed(u32, f64),
    /// The first became part of the second.
    Merged(u32, u32),
    /// The second broke away from the first.
    Split(u32, u32),
    /// No open part is left.
    Flattened(u32),
    /// It has an open part again.
    Reopened(u32),
}

/// Air since the start of the run, mol: in_cavities = created + leaked_in - vented - pumped - released.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moles {
    /// Enclosed when cavities closed.
    pub created: f64,
    /// In cavities now.
    pub in_cavities: f64,
    /// Pressed out through the seal.
    pub vented: f64,
    /// Leaked in (less what leaked out).
    pub leaked_in: f64,
    /// Taken by lines, pumps and muscles.
    pub pumped: f64,
    /// Let go when cavities opened.
    pub released: f64,
}

impl Moles {
    /// How far the books are from balanced, relative to what was ever enclosed.
    pub fn balance_error(&self) -> f64 {
        let expected = self.created + self.leaked_in - self.vented - self.pumped - self.released;
        let scale = self.created + self.leaked_in.abs();
        if scale > 0.0 {
            (self.in_cavities - expected).abs() / scale
        } else {
            self.in_cavities.abs()
        }
    }
}

/// The cavities of a world.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    /// Present cavities, in the order of their numbers.
    pub cavities: Vec<Cavity>,
    /// The books.
    pub moles: Moles,
    next: u32,
    remnants: Remnants,
}

impl Tracker {
    /// Takes in a new look: open cavities and flat sealed patches, each with its gas volume (m3). `fill` is P_atm / (R T), mol/m3.
    pub fn update(
        &mut self,
        open: Vec<(Found, f64)>,
        flat: Vec<(Found, f64)>,
        fill: f64,
    ) -> Vec<Change> {
        let old = std::mem::take(&mut self.cavities);
        let open = self.remnants.sift(&old, open, &flat);
        let (mut seen, mut links) = match_all(&old, open);
        keep_flat(&old, flat, &mut seen, &mut links);
        let mut changes = Vec::new();
        let mut heirs: Vec<Vec<(usize, f64)>> = vec![Vec::new(); seen.len()];
        for (i, cavity) in old.iter().enumerate() {
            let kept = share_out(cavity, &links[i], &seen, &mut heirs, i);
            // What holds no air any more opens too.
            if kept < cavity.amount || links[i].is_empty() {
                self.moles.released += cavity.amount - kept;
                self.moles.in_cavities -= cavity.amount - kept;
                changes.push(Change::Unsealed(cavity.id, cavity.pressure));
            }
        }
        hand_over(&old, &links, &seen, &mut heirs);
        let ids = self.name_all(&old, &links, &heirs, &seen, &mut changes);
        let gained: Vec<f64> =
            (0..seen.len()).map(|j| room_gained(&old, &links, &seen, j)).collect();
        for ((j, (found, volume)), id) in seen.into_iter().enumerate().zip(ids) {
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

    /// Numbers: the largest heir keeps the name of the largest parent.
    fn name_all(
        &mut self,
        old: &[Cavity],
        links: &[Vec<usize>],
        heirs: &[Vec<(usize, f64)>],
        seen: &[(Found, f64)],
        changes: &mut Vec<Change>,
    ) -> Vec<u32> {
        let first_heir =
            |i: usize| links[i].iter().copied().max_by(|a, b| seen[*a].1.total_cmp(&seen[*b].1));
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

type Matches = (Vec<(Found, f64)>, Vec<Vec<usize>>);

/// Open parts tell who is who: touching parts pass from one neighbour to another when little more than a film is in them. Only a
/// cavity whose open part is gone is looked for among what touches, and only one that comes from nowhere among what touched.
fn match_all(old: &[Cavity], open: Vec<(Found, f64)>) -> Matches {
    let matching = |is: &dyn Fn(usize, usize) -> bool, i: usize| -> Vec<usize> {
        (0..open.len()).filter(|j| is(i, *j)).collect()
    };
    let still_open = |i: usize, j: usize| old[i].found.shares_open_part(&open[j].0, SAME);
    let pressed_shut = |i: usize, j: usize| old[i].found.core_share(&open[j].0) > SAME;
    let mut links: Vec<Vec<usize>> = (0..old.len()).map(|i| matching(&still_open, i)).collect();
    for (i, link) in links.iter_mut().enumerate().filter(|(_, link)| link.is_empty()) {
        *link = matching(&pressed_shut, i);
    }
    for (j, (new, _)) in open.iter().enumerate() {
        if links.iter().all(|link| !link.contains(&j)) {
            let parents = links.iter_mut().zip(old);
            let parents = parents.filter(|(_, c)| new.core_share(&c.found) > SAME);
            parents.for_each(|(link, _)| link.push(j));
        }
    }
    links.iter_mut().for_each(|link| link.sort_unstable());
    (open, links)
}

/// A flat patch is a cavity only if one was pressed flat there: two solids that merely touch hold no air.
fn keep_flat(
    old: &[Cavity],
    flat: Vec<(Found, f64)>,
    seen: &mut Vec<(Found, f64)>,
    links: &mut [Vec<usize>],
) {
    for candidate in flat {
        let parent =
            |i: &usize| links[*i].is_empty() && old[*i].found.core_share(&candidate.0) > MOST_OF_IT;
        let parents: Vec<usize> = (0..old.len()).filter(parent).collect();
        if !parents.is_empty() {
            parents.into_iter().for_each(|i| links[i].push(seen.len()));
            seen.push(candidate);
        }
    }
}

/// Hands the air of a cavity to its heirs and returns how much they take, mol.
///
/// At equal pressure each takes its share of the volume. But where most of the open part is now open to the outside, a heir is
/// only a pocket that was left behind, and takes no more than it held.
fn share_out(
    cavity: &Cavity,
    links: &[usize],
    seen: &[(Found, f64)],
    heirs: &mut [Vec<(usize, f64)>],
    index: usize,
) -> f64 {
    // A cavity that is crushed, in a world whose cavities are open to the outside, may have less than no volume.
    let volume = |j: &usize| seen[*j].1.max(0.0);
    let total: f64 = links.iter().map(volume).sum();
    let core: f64 = links.iter().map(|j| cavity.found.core_share(&seen[*j].0)).sum();
    let room = if core > MOST_OF_IT { total } else { total.max(cavity.volume) };
    let share = |volume: f64| if room > 0.0 { volume / room } else { 0.0 };
    for &j in links {
        heirs[j].push((index, cavity.amount * share(volume(&j))));
    }
    cavity.amount * share(total)
}

/// Room (m3) that a heir has and no parent had, because it was outside until now.
fn room_gained(old: &[Cavity], links: &[Vec<usize>], seen: &[(Found, f64)], heir: usize) -> f64 {
    // What is crushed, in a world whose cavities are open to the outside, may have less than no volume.
    let room = |j: usize| seen[j].1.max(0.0);
    let (found, volume) = (&seen[heir].0, room(heir));
    let all = |i: usize| links[i].iter().map(|j| room(*j)).sum::<f64>();
    let parents = (0..old.len()).filter(|i| links[*i].contains(&heir) && all(*i) > 0.0);
    let brought: f64 = parents.map(|i| old[i].volume.max(0.0) * volume / all(i)).sum();
    let known: f64 = old.iter().map(|cavity| found.core_share(&cavity.found)).sum();
    let (new, gained) = (1.0 - known, volume - brought);
    let is_new = !found.is_flat() && new > NEW_PART && gained > NEW_ROOM * new * volume;
    if is_new { gained.max(0.0) } else { 0.0 }
}

/// Lets the air of what touches go along where it passed between cavities that each went on as one, with all its air: a pocket that
/// is left of one holds none to hand on.
fn hand_over(
    old: &[Cavity],
    links: &[Vec<usize>],
    seen: &[(Found, f64)],
    heirs: &mut [Vec<(usize, f64)>],
) {
    let heir = |i: usize| {
        let whole = |j: &usize| heirs[*j].len() == 1 && heirs[*j][0].1 >= old[i].amount;
        links[i].first().copied().filter(|j| links[i].len() == 1 && whole(j))
    };
    let went_on: Vec<(usize, usize)> = (0..old.len()).filter_map(|i| Some((i, heir(i)?))).collect();
    let pair = |(i, j): &(usize, usize)| {
        let (after, volume) = (&seen[*j].0, seen[*j].1);
        Pair { before: &old[*i], after, volume }
    };
    let pairs: Vec<Pair> = went_on.iter().map(pair).collect();
    for ((_, j), gain) in went_on.iter().zip(handed_over(&pairs)) {
        heirs[*j][0].1 += gain;
    }
}

#[cfg(test)]
mod tests;
