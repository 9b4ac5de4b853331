//! A direct solve for the contacts as the sweeps have sorted them: open, sticking or slipping.
//!
//! Sweeps find quickly which contacts are open, stick or slip, but pass forces between contacts that almost coincide, or up a
//! tall stack, a little at a time. With those states and the slip directions kept, the laws are linear: sticking contacts have
//! no gap and no slip (three unknowns), slipping ones no gap (one unknown: friction follows the normal force along its
//! direction). One dense factorisation solves them all; what it makes wrong (a pulling contact, friction beyond the cone, an open
//! contact that penetrates) changes its state, and the next step follows: Newton's method on the nonsmooth laws.

use super::sweep::Sweeps;
use crate::law::Freedom;
use crate::solver::Touch;
use cupule_geometry::DVec3;
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Above this many unknowns a factorisation costs more than the sweeps it saves.
const MAX_UNKNOWNS: usize = 900;
/// States settle in a few steps, or not at all.
const NEWTON_STEPS: usize = 8;

/// One unknown: how far the force of a touch goes along one of its freedoms.
struct Unknown {
    touch: usize,
    freedom: Freedom,
}

impl Sweeps<'_> {
    /// Newton steps from the present states until none changes, with a share of the mean diagonal added. Returns false, with
    /// nothing changed, where it cannot help.
    pub(super) fn polish(&mut self, touches: &[Touch], regularisation: f64) -> bool {
        for step in 0..NEWTON_STEPS {
            let joined = self.close_penetrating(touches);
            let Some(cut) = self.newton_step(touches, regularisation) else { return step > 0 };
            if !cut && !joined {
                break;
            }
        }
        true
    }

    /// Gives open contacts that penetrate a token force, so that they take part. Returns whether there were any.
    fn close_penetrating(&mut self, touches: &[Touch]) -> bool {
        let largest = self.forces.iter().map(|f| f.x).fold(0.0, f64::max);
        let mut joined = false;
        for k in 0..self.chosen.len() {
            let i = self.chosen[k];
            if touches[i].law.freedoms(self.forces[i]).is_empty() && self.measure(i).x < 0.0 {
                self.set(i, DVec3::X * (1e-12 * largest));
                joined |= largest > 0.0;
            }
        }
        joined
    }

    /// Solves the laws made linear at the present forces. Returns whether any law cut its force back, or `None`, with nothing
    /// changed, where there is nothing to solve or too much.
    fn newton_step(&mut self, touches: &[Touch], regularisation: f64) -> Option<bool> {
        let unknowns = self.unknowns(touches);
        let n = unknowns.len();
        if n == 0 || n > MAX_UNKNOWNS {
            return None;
        }
        let mut matrix = Mat::<f64>::zeros(n, n);
        let index = Index::new(&unknowns, touches.len());
        for coupling in &self.couplings {
            coupling.add_to(&mut matrix, &unknowns, &index);
        }
        self.condense_pressures(&mut matrix, &unknowns);
        let mean = (0..n).map(|i| matrix[(i, i)]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| matrix[(i, i)] += regularisation * mean);
        let measures: Vec<DVec3> = (0..touches.len()).map(|i| self.measure(i)).collect();
        let rhs =
            Mat::from_fn(n, 1, |i, _| -measures[unknowns[i].touch][unknowns[i].freedom.measure]);
        let change = matrix.partial_piv_lu().solve(&rhs);
        if (0..n).any(|i| !change[(i, 0)].is_finite()) {
            return None;
        }
        let mut forces = self.forces.clone();
        for (i, unknown) in unknowns.iter().enumerate() {
            forces[unknown.touch] += unknown.freedom.force * change[(i, 0)];
        }
        let mut cut = false;
        for (i, force) in forces.into_iter().enumerate() {
            let allowed = touches[i].law.admissible(force);
            cut |= (allowed - force).length() > 1e-9 * force.length();
            self.set(i, allowed);
        }
        self.air.settle();
        Some(cut)
    }

    /// Pressures answer as their linearised laws say.
    fn condense_pressures(&mut self, matrix: &mut Mat<f64>, unknowns: &[Unknown]) {
        self.air.condense();
        for (j, pushed) in unknowns.iter().enumerate() {
            for (i, moved) in unknowns.iter().enumerate() {
                matrix[(i, j)] -= self.air.taken_back(
                    moved.touch,
                    moved.freedom.measure,
                    pushed.touch,
                    pushed.freedom.force,
                );
            }
        }
    }

    fn unknowns(&self, touches: &[Touch]) -> Vec<Unknown> {
        let of = |&touch: &usize| {
            let freedoms = touches[touch].law.freedoms(self.forces[touch]);
            freedoms.into_iter().map(move |freedom| Unknown { touch, freedom })
        };
        self.chosen.iter().flat_map(of).collect()
    }
}

/// First unknown and number of unknowns of every touch.
struct Index(Vec<(usize, usize)>);

impl Index {
    fn new(unknowns: &[Unknown], touches: usize) -> Self {
        let mut index = vec![(0, 0); touches];
        for (i, unknown) in unknowns.iter().enumerate() {
            let (first, count) = &mut index[unknown.touch];
            if *count == 0 {
                *first = i;
            }
            *count += 1;
        }
        Self(index)
    }

    fn of(&self, touch: usize) -> std::ops::Range<usize> {
        let (first, count) = self.0[touch];
        first..first + count
    }
}

impl super::sweep::Coupling {
    /// Adds what this island contributes: measure of each unknown under the unit force of each unknown.
    fn add_to(&self, matrix: &mut Mat<f64>, unknowns: &[Unknown], index: &Index) {
        for (q, &pushed) in self.touches.iter().enumerate() {
            for j in index.of(pushed) {
                let force = unknowns[j].freedom.force;
                let columns = [0, 1, 2].map(|c| self.w.col_as_slice(3 * q + c));
                for (p, &moved) in self.touches.iter().enumerate() {
                    for i in index.of(moved) {
                        let row = 3 * p + unknowns[i].freedom.measure;
                        matrix[(i, j)] += columns[0][row] * force.x
                            + columns[1][row] * force.y
                            + columns[2][row] * force.z;
                    }
                }
            }
        }
    }
}
