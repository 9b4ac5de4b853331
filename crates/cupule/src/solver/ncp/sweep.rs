//! Block Gauss-Seidel over contacts, accelerated.
//!
//! Plain sweeps carry a force through a tall stack or a stiff patch one contact at a time. The change that a sweep makes is
//! the negative gradient of the problem in the sense of its fixed point, and Fletcher and Reeves' rule turns successive
//! changes into conjugate directions (Silcowitz, Niebe and Erleben 2010). What W does to a direction follows from what it
//! did to the sweeps, so that the acceleration needs no product with W. Now and then Newton's method (`newton`) takes the rest of
//! the way.
//!
//! Pressures of chambers are condensed into the contacts' blocks, and follow every contact whose force changed (`air`).
//!
//! Measures are kept up to date by columns (`coupling`): when the force of a contact changes, the measures of all contacts that
//! share an island with it change by W times that. A contact whose force does not change costs nothing but its own law.

use super::air::Air;
use super::coupling::Coupling;
use super::newton::Manner;
use super::sticking::Sticking;
use crate::math::plane_length;
use crate::report::{Residual, worse};
use crate::settings::NcpSettings;
use crate::solver::Touch;
use cupule_geometry::{DMat3, DVec3};

/// Newton's method over n rows costs about n^2 / 6000 sweeps (its steps go with n^3; of a sweep the laws of single contacts are
/// the most, up to hundreds of rows): it is tried when the sweeps have cost as much.
const ROWS_SQUARED_A_SWEEP: usize = 6000;
/// Sweeps that sort open from closed contacts before Newton's method can make use of it.
const SORTING: usize = 4;

/// How Newton's method is tried, in this order. Almost rigid bodies need next to nothing added to the diagonal, or their small
/// elastic compliance drowns; redundant contacts of rigid bodies need more where their rows disagree by rounding, and those of surfaces
/// finer than the cells that carry them most, lest each step change who carries what. Where
/// contacts change their state to and fro, whole steps go round in a circle, and parts of steps that lead downhill do not.
const MANNERS: [Manner; 4] = [
    Manner { regularisation: 1e-8, astray: 1000.0 },
    Manner { regularisation: 1e-4, astray: 50.0 },
    Manner { regularisation: 1e-2, astray: 50.0 },
    Manner { regularisation: 1e-4, astray: 1.0 },
];

/// How far a residual is above the tolerance: 1 is just within. What is no number, as where a trial of Newton's method leads nowhere, is
/// as far as can be.
pub(super) fn badness(residual: &Residual, settings: &NcpSettings) -> f64 {
    let of_contacts = worse(
        residual.gap_m / settings.gap_tolerance,
        residual.force_share / settings.force_tolerance,
    );
    let all = worse(of_contacts, residual.gas / settings.gas_tolerance);
    if all.is_nan() { f64::INFINITY } else { all }
}

/// Forces and what W makes of them.
#[derive(Default)]
pub(super) struct Snapshot {
    pub(super) forces: Vec<DVec3>,
    responses: Vec<Vec<f64>>,
}

/// A conjugate direction.
#[derive(Default)]
struct Direction {
    /// The direction before the present sweep.
    last: Snapshot,
    /// The direction including the present sweep.
    next: Snapshot,
    /// How far to go along `last`.
    weight: f64,
    /// Squared size of the last sweep's change, N^2.
    size: f64,
    /// Plain sweeps still to do before directions are tried again.
    pause: usize,
    /// Length of the next pause.
    patience: usize,
}

impl Direction {
    /// Takes in the change of one sweep. Where the residual grew, contacts have changed between open, stick and slip, and
    /// old directions mislead: plain sweeps follow, for twice as long each time.
    fn turn(&mut self, before: &Snapshot, after: &Snapshot, worse: bool) {
        if self.weight > 0.0 && worse {
            self.patience = (2 * self.patience).clamp(4, 64);
            *self = Self { pause: self.patience, patience: self.patience, ..Self::default() };
        }
        if self.pause > 0 {
            self.pause -= 1;
            self.weight = 0.0;
            return;
        }
        let mut change = Snapshot {
            forces: after.forces.iter().zip(&before.forces).map(|(a, b)| *a - *b).collect(),
            responses: (after.responses.iter().zip(&before.responses))
                .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect())
                .collect(),
        };
        let size: f64 = change.forces.iter().map(|f| f.length_squared()).sum();
        let ratio = if self.size > 0.0 { size / self.size } else { f64::INFINITY };
        self.size = size;
        self.last = std::mem::take(&mut self.next);
        self.weight = if ratio > 1.0 { 0.0 } else { ratio };
        if self.weight > 0.0 {
            let weight = self.weight;
            change.forces.iter_mut().zip(&self.last.forces).for_each(|(c, p)| *c += *p * weight);
            for (c, p) in change.responses.iter_mut().zip(&self.last.responses) {
                c.iter_mut().zip(p).for_each(|(c, p)| *c += p * weight);
            }
        }
        self.next = change;
    }
}

/// The state of the sweeps.
pub(super) struct Sweeps<'a> {
    /// Touches that take part, ascending.
    pub(super) chosen: Vec<usize>,
    free: Vec<DVec3>,
    pub(super) forces: Vec<DVec3>,
    pub(super) couplings: Vec<Coupling>,
    /// Places of every touch in the couplings: (coupling, local index); two at most.
    places: Vec<Vec<(usize, usize)>>,
    /// W_ii of every touch, m/N.
    diagonal: Vec<DMat3>,
    pub(super) air: Air<'a>,
    /// What Newton's method has taken out of its equations.
    pub(super) sticking: Option<Sticking>,
    /// Which manner of Newton's method is tried first.
    manner: usize,
}

impl<'a> Sweeps<'a> {
    /// Starts from the given forces; only `chosen` touches take part.
    pub(super) fn new(
        touches: &[&Touch],
        chosen: Vec<usize>,
        free: Vec<DVec3>,
        start: Vec<DVec3>,
        couplings: Vec<Coupling>,
        air: Air<'a>,
    ) -> Self {
        let mut places = vec![Vec::new(); touches.len()];
        let mut diagonal = vec![DMat3::ZERO; touches.len()];
        for (c, coupling) in couplings.iter().enumerate() {
            for (local, &touch) in coupling.touches.iter().enumerate() {
                places[touch].push((c, local));
                diagonal[touch] += coupling.block(local, local);
            }
        }
        let forces = vec![DVec3::ZERO; touches.len()];
        let (sticking, manner) = (None, 0);
        let mut sweeps =
            Self { chosen, free, forces, couplings, places, diagonal, air, sticking, manner };
        start.into_iter().enumerate().for_each(|(i, force)| sweeps.set(i, force));
        sweeps.air.settle();
        sweeps
    }

    pub(super) fn set(&mut self, touch: usize, force: DVec3) {
        let change = force - self.forces[touch];
        if change == DVec3::ZERO {
            return;
        }
        self.forces[touch] = force;
        for &(coupling, local) in &self.places[touch] {
            self.couplings[coupling].change(local, change);
        }
        self.air.push(touch, change);
    }

    pub(super) fn measure(&self, touch: usize) -> DVec3 {
        let response =
            self.places[touch].iter().map(|&(c, local)| self.couplings[c].measure(local));
        self.free[touch] + response.sum::<DVec3>() + self.air.measure(touch)
    }

    /// Moves the measures (m) and volumes (m3) that no force has changed yet.
    pub(super) fn shift(&mut self, measures: &[DVec3], volumes: &[f64]) {
        self.free.iter_mut().zip(measures).for_each(|(free, by)| *free += *by);
        self.air.shift(volumes);
    }

    /// Sweeps until the residual is within tolerance; returns the number of sweeps and what is left.
    pub(super) fn run(&mut self, touches: &[&Touch], settings: &NcpSettings) -> (usize, Residual) {
        let mut residual = self.residual(touches);
        let mut direction = Direction::default();
        let mut sweeps = 0;
        let pause = SORTING.max(self.acting_rows(touches).pow(2) / ROWS_SQUARED_A_SWEEP);
        let (mut period, mut next_newton) = (pause, pause);
        while badness(&residual, settings) > 1.0 {
            let (start, before) = (self.snapshot(), residual);
            self.sweep(touches);
            sweeps += 1;
            residual = self.residual(touches);
            if sweeps >= settings.max_sweeps || badness(&residual, settings) <= 1.0 {
                break;
            }
            if sweeps == next_newton && settings.newton {
                let before = badness(&residual, settings);
                residual = self.try_newton(touches, residual, settings);
                // Where it does not help, it is tried more and more rarely.
                let helped = badness(&residual, settings) < 0.5 * before;
                period = if helped { pause } else { period + pause };
                next_newton += period;
                direction = Direction::default();
            } else {
                direction.turn(
                    &start,
                    &self.snapshot(),
                    badness(&residual, settings) > badness(&before, settings),
                );
                self.extrapolate(&direction);
            }
        }
        (sweeps, residual)
    }

    /// Rows of the touches that exert a force.
    fn acting_rows(&self, touches: &[&Touch]) -> usize {
        3 * self.chosen.iter().filter(|i| touches[**i].law.acts(self.forces[**i])).count()
    }

    /// Newton steps from where the sweeps are, the bold ways first.
    fn try_newton(
        &mut self,
        touches: &[&Touch],
        before: Residual,
        settings: &NcpSettings,
    ) -> Residual {
        let (mut residual, mut circles) = (before, false);
        let first = self.manner;
        for k in (first..MANNERS.len()).chain(0..first) {
            // Where whole steps go round in a circle, other whole steps do too.
            if circles && MANNERS[k].astray > 1.0 {
                continue;
            }
            (residual, circles) = self.newton(touches, residual, MANNERS[k], settings);
            if badness(&residual, settings) < 0.1 * badness(&before, settings) {
                self.manner = k;
                break;
            }
            if k == self.manner {
                // What does not help is tried last the next time.
                self.manner = (k + 1) % MANNERS.len();
            }
        }
        residual
    }

    /// Compliance of the normal and of the tangents of a contact, m/N.
    pub(super) fn scale(&self, touch: usize) -> [f64; 2] {
        let w = &self.diagonal[touch];
        [w.x_axis.x, w.y_axis.y.max(w.z_axis.z)]
    }

    /// Sum of the compliances of a contact, m/N.
    pub(super) fn trace(&self, touch: usize) -> f64 {
        let w = &self.diagonal[touch];
        w.x_axis.x + w.y_axis.y + w.z_axis.z
    }

    fn sweep(&mut self, touches: &[&Touch]) {
        self.air.condense();
        for k in 0..self.chosen.len() {
            let i = self.chosen[k];
            let before = self.forces[i];
            let block = self.air.stiffened(i, &self.diagonal[i]);
            let force = touches[i].law.resolve(&block, self.measure(i) - block * before);
            self.set(i, force);
            self.air.follow(i, force - before);
        }
        self.air.settle();
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { forces: self.forces.clone(), responses: self.responses().cloned().collect() }
    }

    /// What is linear in the contact forces: the islands' answers and the chambers' volumes.
    fn responses(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.couplings.iter().map(|c| &c.response).chain([&self.air.from_contacts])
    }

    fn responses_mut(&mut self) -> impl Iterator<Item = &mut Vec<f64>> {
        self.couplings.iter_mut().map(|c| &mut c.response).chain([&mut self.air.from_contacts])
    }

    pub(super) fn restore(&mut self, snapshot: Snapshot) {
        self.forces = snapshot.forces;
        self.responses_mut().zip(snapshot.responses).for_each(|(to, from)| *to = from);
        self.air.settle();
    }

    /// Goes on along the last direction; the present sweep is part of the next one.
    fn extrapolate(&mut self, direction: &Direction) {
        if direction.weight == 0.0 {
            return;
        }
        let add = |to: &mut f64, from: &f64| *to += direction.weight * from;
        self.forces
            .iter_mut()
            .zip(&direction.last.forces)
            .for_each(|(f, p)| *f += *p * direction.weight);
        for (to, from) in self.responses_mut().zip(&direction.last.responses) {
            to.iter_mut().zip(from).for_each(|(to, from)| add(to, from));
        }
        self.air.settle();
    }

    pub(super) fn residual(&self, touches: &[&Touch]) -> Residual {
        self.residual_at(touches, |i| self.measure(i))
    }

    /// What is left if the touches end with these measures (m).
    pub(super) fn residual_at(
        &self,
        touches: &[&Touch],
        measure: impl Fn(usize) -> DVec3,
    ) -> Residual {
        let mut residual = Residual { gas: self.air.residual(), ..Residual::default() };
        let mut largest: f64 = 0.0;
        for &i in &self.chosen {
            let (scale, touch) = (self.scale(i), &touches[i]);
            let violation = touch.law.violation(self.forces[i], measure(i), scale);
            let slip = plane_length(violation.y, violation.z) * scale[1];
            let gap = worse((violation.x * scale[0]).abs(), slip);
            residual.gap_m = worse(residual.gap_m, gap);
            residual.force_n = worse(residual.force_n, violation.length());
            largest = worse(largest, self.forces[i].length());
        }
        // Where nothing is touched any more, what is left is measured by itself.
        residual.force_share = if residual.force_n == 0.0 {
            0.0
        } else {
            residual.force_n / worse(largest, residual.force_n)
        };
        residual
    }

    /// Measures (m) in contact frames, as the linear model has them.
    pub(super) fn measures(&self) -> Vec<DVec3> {
        (0..self.forces.len()).map(|i| self.measure(i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_as_bad_as_can_be() {
        let settings = NcpSettings::default();
        let good = Residual { gap_m: 1e-7, force_n: 0.0, force_share: 1e-4, gas: 0.0 };
        assert!(badness(&good, &settings) <= 1.0);
        for bad in [
            Residual { gap_m: f64::NAN, ..good },
            Residual { force_share: f64::NAN, ..good },
            Residual { gas: f64::NAN, ..good },
        ] {
            assert_eq!(badness(&bad, &settings), f64::INFINITY, "{bad:?}");
        }
    }
}
