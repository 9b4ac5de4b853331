//! Newton's method on the laws of all contacts at once, for what sweeps are slow at.
//!
//! Sweeps find quickly which contacts are open, stick or slip, but pass forces between contacts that almost coincide, or up a
//! tall stack, a little at a time. Every law can say how it looks from close by: A_f dlambda + A_m ddelta = -r for its natural
//! map (Alart and Curnier 1991), and the measures answer forces with W and pressures with the linearised gas laws. Contacts that
//! stick are taken out once (`sticking`); a dense factorisation solves for the others. The map decides anew at every step who is
//! open, sticks or slips.
//!
//! Redundant contacts make W singular: a share of its mean diagonal is added. That is a proximal step: it slows what W hardly
//! resists, and does not move the solution.

use super::sticking::{Answers, Sticking};
use super::sweep::{Sweeps, badness};
use super::unknowns::{Freedom, Unknowns};
use crate::law::Linear;
use crate::report::Residual;
use crate::settings::NcpSettings;
use crate::solver::Touch;
use cupule_geometry::DVec3;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::{Mat, Par, Spec};

/// Above this many unknowns a factorisation costs more than the sweeps it saves.
const MAX_UNKNOWNS: usize = 1200;
/// States settle in a few steps, or not at all.
const STEPS: usize = 12;
/// Steps that lead nowhere before it is given up: that neither beat the best state nor go on from the last one.
const PATIENCE: usize = 3;
/// A step goes on if it leaves less than this share of the last residual: from far uphill it takes some to come down again.
const GOES_ON: f64 = 0.7;
/// Residuals closer than this share are the same: where every other one is, contacts change their state to and fro.
const SAME: f64 = 0.05;
/// Parts of a step that are tried.
const SHARES: [f64; 4] = [1.0, 0.3, 0.1, 0.03];

/// A contact that sticks with this share of its force will go on sticking.
const FIRM: f64 = 0.7;

/// How Newton's method goes about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// What is added to the diagonal of W, as a share of its mean.
    pub(super) regularisation: f64,
    /// A residual this many times above the best so far is no way uphill but off the map.
    pub(super) astray: f64,
}

impl Sweeps<'_> {
    /// Newton steps to the best state on the way. Returns what is left there, and whether the steps went round in a circle.
    pub(super) fn newton(
        &mut self,
        touches: &[&Touch],
        start: Residual,
        manner: Manner,
        settings: &NcpSettings,
    ) -> (Residual, bool) {
        let (mut best, mut best_state, mut lost) = (start, self.snapshot(), 0);
        let (mut last, mut before_last) = (f64::INFINITY, f64::INFINITY);
        let mut circles = false;
        for _ in 0..STEPS {
            let Some(target) = self.newton_target(touches, manner.regularisation) else { break };
            let limit = manner.astray * badness(&best, settings);
            let Some(residual) = self.go(touches, &target, limit, settings) else { break };
            // Steps that change who is open, sticks or slips may lead uphill for a while.
            let now = badness(&residual, settings);
            if now < badness(&best, settings) {
                (best, best_state, lost) = (residual, self.snapshot(), 0);
            } else if now > GOES_ON * last {
                lost += 1;
            }
            circles = (now - before_last).abs() < SAME * now;
            if badness(&best, settings) <= 1.0 || lost == PATIENCE || circles {
                break;
            }
            (last, before_last) = (now, last);
        }
        self.restore(best_state);
        (best, circles)
    }

    /// Goes to the target, or part of the way where that leads far astray: contacts that start to slip have no direction yet, and
    /// the linear law sends them anywhere. None, with forces anywhere, where even a small part does.
    fn go(
        &mut self,
        touches: &[&Touch],
        target: &[(usize, DVec3)],
        limit: f64,
        settings: &NcpSettings,
    ) -> Option<Residual> {
        let start = self.forces.clone();
        for share in SHARES {
            for &(touch, force) in target {
                self.set(touch, start[touch].lerp(force, share));
            }
            self.air.settle();
            let residual = self.residual(touches);
            if badness(&residual, settings) < limit {
                return Some(residual);
            }
        }
        None
    }

    /// Where the linearised laws would all hold: forces of the contacts that take part. None where there is nothing to solve,
    /// or too much.
    fn newton_target(
        &mut self,
        touches: &[&Touch],
        regularisation: f64,
    ) -> Option<Vec<(usize, DVec3)>> {
        let linear = |i: &usize| {
            let law = &touches[*i].law;
            (*i, law.linearise(self.forces[*i], self.measure(*i), self.scale(*i)))
        };
        let idle = |(_, law): &(usize, Linear)| law.freedom == 0 && law.offset == DVec3::ZERO;
        let laws: Vec<(usize, Linear)> =
            self.chosen.iter().map(linear).filter(|l| !idle(l)).collect();
        if laws.is_empty() || 3 * laws.len() > MAX_UNKNOWNS {
            return None;
        }
        let softening = regularisation * self.mean_compliance();
        let known = self.sticking.take().filter(|s| s.softening == softening && s.fits(&laws));
        let units = known.as_ref().map_or_else(|| self.pressure_units(), |s| s.units.clone());
        let answers = Answers {
            couplings: &self.couplings,
            air: &self.air,
            touches: touches.len(),
            softening,
            units: &units,
        };
        let firm = |i: usize| self.is_firm(touches, i);
        let stuck = || laws.iter().filter(|(i, l)| l.sticks() && firm(*i)).map(|(i, _)| *i);
        let mut sticking = known.or_else(|| Sticking::new(&answers, stuck().collect()))?;
        let (held, others): (Vec<_>, Vec<_>) =
            laws.into_iter().partition(|(i, _)| sticking.touches.binary_search(i).is_ok());
        sticking.add(&answers, others.iter().map(|(i, _)| *i));
        let changes = self.changes(&sticking, &held, &others);
        self.sticking = Some(sticking);
        let target = |(i, by): (usize, DVec3)| (i, self.forces[i] + by);
        Some(changes?.into_iter().map(target).collect())
    }

    /// Solves the linear laws for the changes of forces, with chambers as unknowns of their own.
    fn changes(
        &self,
        sticking: &Sticking,
        held: &[(usize, Linear)],
        others: &[(usize, Linear)],
    ) -> Option<Vec<(usize, DVec3)>> {
        let ((gas, responds), units) = (self.air.stiffness(), &sticking.units);
        let mut unknowns = Unknowns { sticking, free: Vec::new(), fixed: Vec::new() };
        for p in (0..units.len()).filter(|p| responds[*p]) {
            unknowns.free.push(Freedom::pressure(p));
        }
        let chambers = unknowns.free.len();
        for (i, law) in others {
            unknowns.add(sticking.place(*i)?, law);
        }
        let reduced = sticking.reduce(held.iter().flat_map(|(_, law)| law.residual));
        let (mut matrix, right) = unknowns.equations(&reduced);
        for (i, p) in unknowns.free[..chambers].iter().map(|f| f.place).enumerate() {
            for (j, q) in unknowns.free[..chambers].iter().map(|f| f.place).enumerate() {
                matrix[(i, j)] += gas[(p, q)] * units[p] * units[q];
            }
        }
        let amounts = solve(matrix, right)?;
        let moved = unknowns.moved(&amounts);
        let followed = sticking.follow(reduced, &moved);
        let change = |(i, _): &(usize, Linear)| {
            let at = sticking.place(*i)?;
            Some((*i, DVec3::from_slice(&moved[at..at + 3])))
        };
        let own: Option<Vec<(usize, DVec3)>> = others.iter().map(change).collect();
        Some(own?.into_iter().chain(sticking.touches.iter().copied().zip(followed)).collect())
    }

    /// Mean compliance of the contacts that take part, m/N.
    fn mean_compliance(&self) -> f64 {
        let sum: f64 = self.chosen.iter().map(|i| self.trace(*i)).sum();
        sum / (3 * self.chosen.len()) as f64
    }

    /// Pressures that weigh as much in the equations as a newton, Pa.
    fn pressure_units(&self) -> Vec<f64> {
        let (gas, _) = self.air.stiffness();
        (0..gas.nrows()).map(|p| (self.mean_compliance() / gas[(p, p)].abs()).sqrt()).collect()
    }

    /// Whether a contact would stick under less pressure too.
    fn is_firm(&self, touches: &[&Touch], i: usize) -> bool {
        let force = self.forces[i] * DVec3::new(FIRM, 1.0, 1.0);
        touches[i].law.linearise(force, self.measure(i), self.scale(i)).sticks()
    }
}

/// Solves dense equations in place.
fn solve(mut matrix: Mat<f64>, mut right: Mat<f64>) -> Option<Vec<f64>> {
    let n = matrix.nrows();
    let (mut rows, mut places) = (vec![0_usize; n], vec![0_usize; n]);
    let needs = lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Spec::default())
        .or(solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
    let mut memory = MemBuffer::new(needs);
    let stack = MemStack::new(&mut memory);
    let (_, order) =
        lu_in_place(matrix.as_mut(), &mut rows, &mut places, Par::Seq, stack, Spec::default());
    let (lower, upper) = (matrix.as_ref(), matrix.as_ref());
    solve_in_place(lower, upper, order, right.as_mut(), Par::Seq, stack);
    let solved = right.col_as_slice(0).to_vec();
    solved.iter().all(|c| c.is_finite()).then_some(solved)
}
