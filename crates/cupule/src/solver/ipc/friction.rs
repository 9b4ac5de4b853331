//! Friction of a pair as a potential of the slip in this step, under a normal force and in a plane that are lagged (003 eq. 8-9;
//! Li et al. 2020, section 4): mu N f0(|u|), u = (I - n n^T) sum w_i (x_i - x_i^n).

use super::measure::{Measure, PairBlocks};
use super::pair::Pair;
use crate::law::ContactLaw;
use crate::math::outer;
use cupule_geometry::{DMat3, DVec3};
use std::sync::Arc;

/// A pair that rubs in this step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rubbing<'a> {
    pub pair: Pair,
    /// Lagged weights, normal and tangents.
    pub measure: Measure,
    /// Lagged normal force, N.
    pub normal_force: f64,
    pub law: &'a Arc<dyn ContactLaw>,
}

impl Rubbing<'_> {
    /// The slip since the start, across the lagged normal, m; `moves` are the displacements of the pair's points.
    pub(super) fn slip(&self, moves: &[DVec3; 4]) -> DVec3 {
        let along: DVec3 = (0..4).map(|i| moves[i] * self.measure.weights[i]).sum();
        along - self.measure.normal * self.measure.normal.dot(along)
    }

    /// Dissipation (J) at a slip (m), sticking being smoothed below `threshold` (m).
    pub(super) fn energy(&self, slip: DVec3, threshold: f64) -> f64 {
        self.law.dissipation(self.normal_force, slip.length(), threshold)[0]
    }

    /// The force on the first feature, N: against the slip.
    pub(super) fn force(&self, slip: DVec3, threshold: f64) -> DVec3 {
        let [_, slope, _] = self.law.dissipation(self.normal_force, slip.length(), threshold);
        slip.normalize_or_zero() * -slope
    }

    /// Curvature over the slip, N/m: positive semidefinite, because f1 rises and is concave.
    fn curvature(&self, slip: DVec3, threshold: f64) -> DMat3 {
        let length = slip.length();
        let [_, slope, curvature] = self.law.dissipation(self.normal_force, length, threshold);
        let n = self.measure.normal;
        let plane = DMat3::IDENTITY - outer(n, n);
        // slope / |u| tends to the curvature at 0.
        if length <= 1e-12 * threshold {
            return plane * curvature;
        }
        let along = slip / length;
        (plane - outer(along, along)) * (slope / length) + outer(along, along) * curvature
    }

    /// Hessian over the four points, N/m.
    pub(super) fn hessian(&self, slip: DVec3, threshold: f64) -> PairBlocks {
        let (core, w) = (self.curvature(slip, threshold), self.measure.weights);
        std::array::from_fn(|i| std::array::from_fn(|j| core * (w[i] * w[j])))
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::{blocks_error, configurations, gradient_error};
    use super::super::pair::Kind;
    use super::*;
    use crate::law::Coulomb;

    fn law() -> Arc<dyn ContactLaw> {
        Arc::new(Coulomb { friction: 0.7 })
    }

    fn rubbing<'a>(x: &[DVec3; 4], law: &'a Arc<dyn ContactLaw>) -> Rubbing<'a> {
        let pair = Pair {
            kind: Kind::EdgeEdge,
            surfaces: [0, 1],
            features: [0, 0],
            points: [0, 1, 2, 3],
            area: 1.0,
            parallel: 0.0,
            thickness: 0.0,
        };
        Rubbing { pair, measure: pair.measure(x), normal_force: 3.0, law }
    }

    /// Over displacements, with a threshold in the middle of their sizes: sticking and slipping.
    #[test]
    fn derivatives_agree_with_differences() {
        let (law, threshold) = (law(), 0.8);
        let mut counted = 0;
        for pair in configurations(2400).chunks_exact(2) {
            let (rubbing, moves) = (rubbing(&pair[0], &law), &pair[1]);
            let gradient = |u: &[DVec3; 4]| {
                let force = rubbing.force(rubbing.slip(u), threshold);
                rubbing.measure.weights.map(|w| force * -w)
            };
            let energy = |u: &[DVec3; 4]| rubbing.energy(rubbing.slip(u), threshold);
            let error = gradient_error(moves, energy, &gradient(moves));
            assert!(error < 1e-7, "gradient {error} at {moves:?}");
            let slip = rubbing.slip(moves);
            let slips = slip.length() > threshold;
            let steady = |u: &[DVec3; 4]| (rubbing.slip(u).length() > threshold) == slips;
            let hessian = rubbing.hessian(slip, threshold);
            if slip.length() > 0.01
                && let Some(error) = blocks_error(moves, gradient, &hessian, steady)
            {
                assert!(error < 1e-6, "Hessian {error} at {moves:?}");
                counted += 1;
            }
        }
        assert!(counted > 1000, "{counted}");
    }

    #[test]
    fn no_slip_has_stiffness_and_no_force() {
        // f1'(0) = 2 / threshold: the stiffness of sticking.
        let x = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -0.5, 1.0), DVec3::new(0.5, 0.5, 1.0)];
        let law = law();
        let rubbing = rubbing(&x, &law);
        assert_eq!(rubbing.force(DVec3::ZERO, 0.1), DVec3::ZERO);
        let stiffness = rubbing.curvature(DVec3::ZERO, 0.1);
        assert!((stiffness.x_axis.x - 0.7 * 3.0 * 2.0 / 0.1).abs() < 1e-9);
        assert!(stiffness.z_axis.length() < 1e-9);
    }
}
