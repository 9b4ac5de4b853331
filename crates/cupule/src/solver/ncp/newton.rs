//! Newton's method on the laws of all contacts at once, for what sweeps are slow at.
//!
//! Sweeps find quickly which contacts are open, stick or slip, but pass forces between contacts that almost coincide, or up a
//! tall stack, a little at a time. Every law can say how it looks from close by: A_f dlambda + A_m ddelta = -r for its natural
//! map (Alart and Curnier 1991), and the measures answer forces with W, pressures condensed into it. One dense factorisation
//! solves for all contacts that are closed; open ones let go. The map decides anew at every step who is open, sticks or slips.
//!
//! Redundant contacts make W singular: a share of its mean diagonal is added. That is a proximal step: it slows what W hardly
//! resists, and does not move the solution.

use super::sweep::{Sweeps, badness};
use crate::law::Linear;
use crate::report::Residual;
use crate::settings::NcpSettings;
use crate::solver::Touch;
use cupule_geometry::DVec3;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::{Mat, Spec};

/// Above this many unknowns a factorisation costs more than the sweeps it saves.
const MAX_UNKNOWNS: usize = 1200;
/// States settle in a few steps, or not at all.
const STEPS: usize = 12;
/// Steps without gain before it is given up.
const PATIENCE: usize = 4;
/// Residuals closer than this share are the same: where every other one is, contacts change their state to and fro.
const SAME: f64 = 0.05;
/// Parts of a step that are tried.
const SHARES: [f64; 4] = [1.0, 0.3, 0.1, 0.03];

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
        touches: &[Touch],
        start: Residual,
        manner: Manner,
        settings: &NcpSettings,
    ) -> (Residual, bool) {
        let (mut best, mut best_state, mut without_gain) = (start, self.snapshot(), 0);
        let (mut last, mut before_last) = (f64::INFINITY, f64::INFINITY);
        let mut circles = false;
        for _ in 0..STEPS {
            let Some(target) = self.newton_target(touches, manner.regularisation) else { break };
            let limit = manner.astray * badness(&best, settings);
            let Some(residual) = self.go(touches, &target, limit, settings) else { break };
            // Steps that change who is open, sticks or slips may lead uphill for a while.
            without_gain += 1;
            if badness(&residual, settings) < badness(&best, settings) {
                (best, best_state, without_gain) = (residual, self.snapshot(), 0);
            }
            let now = badness(&residual, settings);
            circles = (now - before_last).abs() < SAME * now;
            if badness(&best, settings) <= 1.0 || without_gain == PATIENCE || circles {
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
        touches: &[Touch],
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
        touches: &[Touch],
        regularisation: f64,
    ) -> Option<Vec<(usize, DVec3)>> {
        let (mut closed, mut target) = (Vec::new(), Vec::new());
        let mut let_go = vec![DVec3::ZERO; touches.len()];
        for &i in &self.chosen {
            match touches[i].law.linearise(self.forces[i], self.measure(i), self.scale(i)) {
                Some(law) => closed.push((i, law)),
                None => {
                    let_go[i] = -self.forces[i];
                    target.push((i, DVec3::ZERO));
                }
            }
        }
        if closed.is_empty() || 3 * closed.len() > MAX_UNKNOWNS {
            return None;
        }
        let w = self.dense_compliance(&closed, regularisation);
        let change = solve(&closed, w, &self.answers(&closed, &let_go))?;
        for (k, (i, _)) in closed.iter().enumerate() {
            let by = DVec3::new(change[3 * k], change[3 * k + 1], change[3 * k + 2]);
            target.push((*i, self.forces[*i] + by));
        }
        Some(target)
    }

    /// W over the closed contacts, pressures condensed into it, with a share of its mean diagonal added.
    fn dense_compliance(&mut self, closed: &[(usize, Linear)], regularisation: f64) -> Mat<f64> {
        let n = 3 * closed.len();
        let mut place = vec![usize::MAX; self.forces.len()];
        closed.iter().enumerate().for_each(|(k, (i, _))| place[*i] = k);
        let mut w = Mat::<f64>::zeros(n, n);
        for coupling in &self.couplings {
            coupling.add_to(&mut w, &place);
        }
        self.air.condense();
        self.air.condense_into(&mut w, closed.iter().map(|(i, _)| *i));
        let mean = (0..n).map(|i| w[(i, i)]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| w[(i, i)] += regularisation * mean);
        w
    }

    /// What the closed contacts' measures do when others let go, m.
    fn answers(&self, closed: &[(usize, Linear)], let_go: &[DVec3]) -> Vec<DVec3> {
        let mut answers = vec![DVec3::ZERO; self.forces.len()];
        if let_go.iter().all(|f| *f == DVec3::ZERO) {
            return vec![DVec3::ZERO; closed.len()];
        }
        for coupling in &self.couplings {
            coupling.answer(let_go, &mut answers);
        }
        closed.iter().map(|(i, _)| answers[*i]).collect()
    }
}

/// Solves (A_f + A_m W) dlambda = -r - A_m answers, all of it in the memory of W: a step has many of these, and each copy would be
/// fetched from the system anew.
fn solve(closed: &[(usize, Linear)], w: Mat<f64>, answers: &[DVec3]) -> Option<Vec<f64>> {
    let (n, mut matrix) = (3 * closed.len(), w);
    for j in 0..n {
        let column = matrix.col_as_slice_mut(j);
        for (block, (_, law)) in column.chunks_exact_mut(3).zip(closed) {
            (law.of_measure * DVec3::from_slice(block)).write_to_slice(block);
        }
        let (_, own) = &closed[j / 3];
        (0..3).for_each(|row| column[j - j % 3 + row] += own.of_force.col(j % 3)[row]);
    }
    let mut change = Mat::<f64>::zeros(n, 1);
    for (k, (_, law)) in closed.iter().enumerate() {
        let right = -(law.residual + law.of_measure * answers[k]);
        (0..3).for_each(|c| change[(3 * k + c, 0)] = right[c]);
    }
    let par = faer::get_global_parallelism();
    let (mut rows, mut places) = (vec![0_usize; n], vec![0_usize; n]);
    let needs = lu_in_place_scratch::<usize, f64>(n, n, par, Spec::default())
        .or(solve_in_place_scratch::<usize, f64>(n, 1, par));
    let mut memory = MemBuffer::new(needs);
    let stack = MemStack::new(&mut memory);
    let (_, order) =
        lu_in_place(matrix.as_mut(), &mut rows, &mut places, par, stack, Spec::default());
    let (lower, upper) = (matrix.as_ref(), matrix.as_ref());
    solve_in_place(lower, upper, order, change.as_mut(), par, stack);
    let change = change.col_as_slice(0).to_vec();
    change.iter().all(|c| c.is_finite()).then_some(change)
}
