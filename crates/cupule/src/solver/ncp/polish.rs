//! A direct solve for the contacts as the sweeps have sorted them: open, sticking or slipping.
//!
//! Sweeps find quickly which contacts are open, stick or slip, but pass forces between contacts that almost coincide, or up a
//! tall stack, a little at a time. With those states and the slip directions kept, the laws are linear: sticking contacts have
//! no gap and no slip (three unknowns), slipping ones no gap (one unknown: friction follows the normal force along its
//! direction). One dense factorisation solves them all; what it makes wrong (a pulling contact, friction beyond the cone) is
//! cut back, and the next sweep sorts again. It is a Newton step on the nonsmooth equations of the laws.

use super::sweep::Sweeps;
use crate::law::Freedom;
use crate::solver::Touch;
use cupule_geometry::DVec3;
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Above this many unknowns a factorisation costs more than the sweeps it saves.
const MAX_UNKNOWNS: usize = 900;
/// Redundant contacts make the matrix singular, and where their rows disagree by rounding or by a tilt of normals, a small share
/// of the mean diagonal keeps forces from running away. A stack of ten boxes takes a third of the sweeps with this value
/// against ten times more or ten times less.
const REGULARISATION: f64 = 1e-4;

/// One unknown: how far the force of a touch goes along one of its freedoms.
struct Unknown {
    touch: usize,
    freedom: Freedom,
}

impl Sweeps {
    /// Newton step on the present states. Returns false, with nothing changed, where it cannot help.
    pub(super) fn polish(&mut self, touches: &[Touch]) -> bool {
        let unknowns = self.unknowns(touches);
        let n = unknowns.len();
        if n == 0 || n > MAX_UNKNOWNS {
            return false;
        }
        let mut matrix = Mat::<f64>::zeros(n, n);
        let index = Index::new(&unknowns, touches.len());
        for coupling in &self.couplings {
            coupling.add_to(&mut matrix, &unknowns, &index);
        }
        let mean = (0..n).map(|i| matrix[(i, i)]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| matrix[(i, i)] += REGULARISATION * mean);
        let measures: Vec<DVec3> = (0..touches.len()).map(|i| self.measure(i)).collect();
        let rhs = Mat::from_fn(n, 1, |i, _| -measures[unknowns[i].touch][unknowns[i].freedom.measure]);
        let change = matrix.partial_piv_lu().solve(&rhs);
        if (0..n).any(|i| !change[(i, 0)].is_finite()) {
            return false;
        }
        let mut forces = self.forces.clone();
        for (i, unknown) in unknowns.iter().enumerate() {
            forces[unknown.touch] += unknown.freedom.force * change[(i, 0)];
        }
        for (i, force) in forces.into_iter().enumerate() {
            self.set(i, touches[i].law.admissible(force));
        }
        true
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
                        matrix[(i, j)] += columns[0][row] * force.x + columns[1][row] * force.y + columns[2][row] * force.z;
                    }
                }
            }
        }
    }
}
