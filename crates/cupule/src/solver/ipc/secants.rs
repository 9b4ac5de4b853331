//! What the last steps of Newton's method have shown of the true curvature: the limited-memory update of Broyden, Fletcher, Goldfarb and
//! Shanno (Nocedal 1980), started from the projected Hessian.
//!
//! The stiffness of corotated elements keeps their rotations, and negative curvature is projected away. Where a body is about
//! to snap or a cup to come off, that Hessian is too stiff in the very direction in which it yields, and steps shrink by a
//! few per cent each: hundreds of them. A handful of secants shows the missing softness.

use cupule_geometry::DVec3;
use std::collections::VecDeque;

/// Secants kept.
const KEPT: usize = 6;
/// Cosine between a step and the change of slopes along it below which the secant says nothing.
const USELESS: f64 = 1e-8;

/// Pairs of steps and changes of slopes.
#[derive(Default)]
pub(super) struct Secants {
    pairs: VecDeque<Pair>,
}

struct Pair {
    step: Vec<DVec3>,
    change: Vec<DVec3>,
    /// step . change, J.
    product: f64,
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn add(to: &mut [DVec3], of: &[DVec3], factor: f64) {
    to.iter_mut().zip(of).for_each(|(t, o)| *t += *o * factor);
}

impl Secants {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Remembers a step (m) and what it changed of the slopes (N), unless the potential bends down along it.
    pub(super) fn remember(&mut self, step: Vec<DVec3>, change: Vec<DVec3>) {
        let product = dot(&step, &change);
        if product > USELESS * (dot(&step, &step) * dot(&change, &change)).sqrt() {
            self.pairs.push_back(Pair { step, change, product });
            if self.pairs.len() > KEPT {
                self.pairs.pop_front();
            }
        }
    }

    /// Solves for `rhs` with the updated Hessian, given a solver for the original one.
    pub(super) fn solve(&self, rhs: &mut [DVec3], original: impl FnOnce(&mut [DVec3])) {
        let mut shares = vec![0.0; self.pairs.len()];
        for (share, pair) in shares.iter_mut().zip(&self.pairs).rev() {
            *share = dot(&pair.step, rhs) / pair.product;
            add(rhs, &pair.change, -*share);
        }
        original(rhs);
        for (share, pair) in shares.iter().zip(&self.pairs) {
            let back = dot(&pair.change, rhs) / pair.product;
            add(rhs, &pair.step, share - back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps along the axes show a diagonal Hessian exactly, whatever the original was: B s = y for the last secants.
    #[test]
    fn secants_show_the_true_curvature() {
        let truth = DVec3::new(2.0, 5.0, 0.01);
        let mut secants = Secants::default();
        for axis in DVec3::AXES {
            secants.remember(vec![axis], vec![truth * axis]);
        }
        let mut x = [DVec3::new(1.0, -3.0, 2.0)];
        secants.solve(&mut x, |rhs| rhs[0] /= 100.0);
        assert!((x[0] - DVec3::new(0.5, -0.6, 200.0)).length() < 1e-10, "{}", x[0]);
    }

    /// Whatever was remembered before, the last secant holds: a change of slopes as then asks for the step as then.
    #[test]
    fn the_last_secant_holds_and_the_update_is_symmetric() {
        let steps = [DVec3::new(1.0, 0.2, -0.3), DVec3::new(0.4, -1.0, 0.5), DVec3::ONE];
        let truth = |s: DVec3| {
            DVec3::new(2.0 * s.x + 0.5 * s.y, 0.5 * s.x + 5.0 * s.y - s.z, -s.y + 0.7 * s.z)
        };
        let original = |rhs: &mut [DVec3]| rhs[0] /= DVec3::new(3.0, 1.0, 10.0);
        let solved = |secants: &Secants, b: DVec3| {
            let mut x = [b];
            secants.solve(&mut x, original);
            x[0]
        };
        let mut secants = Secants::default();
        for step in steps {
            secants.remember(vec![step], vec![truth(step)]);
            let x = solved(&secants, truth(step));
            assert!((x - step).length() < 1e-12, "{x} for {step}");
        }
        // And the updated inverse is symmetric, a . H b = b . H a, as the original is.
        let (a, b) = (DVec3::new(0.3, -2.0, 1.0), DVec3::new(1.0, 0.7, -0.2));
        assert!((a.dot(solved(&secants, b)) - b.dot(solved(&secants, a))).abs() < 1e-12);
    }

    #[test]
    fn a_step_downhill_is_not_remembered() {
        let mut secants = Secants::default();
        secants.remember(vec![DVec3::X], vec![-DVec3::X]);
        assert!(secants.pairs.is_empty());
    }
}
