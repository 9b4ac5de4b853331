//! The mollifier of edge-edge pairs: the distance of two edges has a kink where they become parallel, so the barrier fades out
//! there, m(c) = 2 c/e - (c/e)^2 for c = |u x v|^2 below e, 1 from there on (Li et al., Incremental Potential Contact,
//! 2020, section 5). Vertices over edges carry what parallel edges leave.

use super::measure::PairBlocks;
use crate::math::outer;
use cupule_geometry::{DMat3, DVec3};

/// Share of |u|^2 |v|^2 of the edges at rest below which they count as nearly parallel: a sine of 0.03.
const PARALLEL_SHARE: f64 = 1e-3;

/// Below which |u x v|^2 (m4) two edges of these lengths (m) at rest are mollified.
pub(super) fn threshold(first: f64, second: f64) -> f64 {
    PARALLEL_SHARE * (first * second).powi(2)
}

/// The mollifier of the edges x[0..2] and x[2..4]; none where it is 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mollifier {
    /// m, between 0 and 1.
    pub value: f64,
    /// dm/dc, 1/m4.
    slope: f64,
    /// d2m/dc2, 1/m8.
    curvature: f64,
    first: DVec3,
    second: DVec3,
}

impl Mollifier {
    pub(super) fn new(x: &[DVec3; 4], threshold: f64) -> Option<Self> {
        let (first, second) = (x[1] - x[0], x[3] - x[2]);
        let c = first.cross(second).length_squared();
        (c < threshold).then(|| {
            let y = c / threshold;
            let (slope, curvature) = (2.0 * (1.0 - y) / threshold, -2.0 / (threshold * threshold));
            Self { value: y * (2.0 - y), slope, curvature, first, second }
        })
    }

    /// dc/du and dc/dv of c = |u x v|^2.
    fn cross_gradient(&self) -> [DVec3; 2] {
        let across = self.first.cross(self.second);
        [self.second.cross(across) * 2.0, across.cross(self.first) * 2.0]
    }

    /// Gradient over the four points, 1/m.
    pub(super) fn gradient(&self) -> [DVec3; 4] {
        let [u, v] = self.cross_gradient().map(|g| g * self.slope);
        [-u, u, -v, v]
    }

    /// The part of the Hessian that is positive semidefinite as it is, 1/m2: with r = u x v and c = |r|^2, that of Dr^T Dr.
    pub(super) fn straight_hessian(&self) -> PairBlocks {
        let (u, v) = (self.first, self.second);
        let square =
            |a: DVec3| DMat3::from_diagonal(DVec3::splat(a.length_squared())) - outer(a, a);
        let mixed = outer(u, v) - DMat3::from_diagonal(DVec3::splat(u.dot(v)));
        self.spread(
            [[square(v), mixed], [mixed.transpose(), square(u)]]
                .map(|row| row.map(|b| b * (2.0 * self.slope))),
        )
    }

    /// Blocks over the two edges as blocks over their four ends.
    fn spread(&self, over_edges: [[DMat3; 2]; 2]) -> PairBlocks {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let sign = if (i % 2) == (j % 2) { 1.0 } else { -1.0 };
                over_edges[i / 2][j / 2] * sign
            })
        })
    }

    /// Hessian over the four points, 1/m2.
    pub(super) fn hessian(&self) -> PairBlocks {
        let (u, v) = (self.first, self.second);
        let square =
            |a: DVec3| DMat3::from_diagonal(DVec3::splat(a.length_squared())) - outer(a, a);
        // c = |u|^2 |v|^2 - (u . v)^2
        let mixed = outer(u, v) * 4.0
            - outer(v, u) * 2.0
            - DMat3::from_diagonal(DVec3::splat(2.0 * u.dot(v)));
        let second = [[square(v) * 2.0, mixed], [mixed.transpose(), square(u) * 2.0]];
        let first = self.cross_gradient();
        self.spread(std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                second[a][b] * self.slope + outer(first[a], first[b]) * self.curvature
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::{blocks_error, configurations, gradient_error};
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        // A threshold above most values, so that most configurations are on the slope.
        let at = |x: &[DVec3; 4]| Mollifier::new(x, 4.0);
        let mut counted = 0;
        for x in configurations(1500) {
            let Some(here) = at(&x) else { continue };
            let value = |x: &[DVec3; 4]| at(x).map_or(1.0, |m| m.value);
            let error = gradient_error(&x, value, &here.gradient());
            assert!(error < 1e-7, "gradient {error} at {x:?}");
            let gradient = |x: &[DVec3; 4]| at(x).map_or([DVec3::ZERO; 4], |m| m.gradient());
            let steady = |x: &[DVec3; 4]| at(x).is_some();
            if let Some(error) = blocks_error(&x, gradient, &here.hessian(), steady) {
                assert!(error < 1e-7, "Hessian {error} at {x:?}");
                counted += 1;
            }
        }
        assert!(counted > 1000, "{counted}");
    }

    /// Where edges are parallel all else vanishes, and the part that is positive semidefinite is the whole Hessian.
    #[test]
    fn straight_part_is_all_where_edges_are_parallel() {
        let x = [
            DVec3::ZERO,
            DVec3::new(0.3, 0.1, 0.2),
            DVec3::Z,
            DVec3::Z - DVec3::new(0.6, 0.2, 0.4),
        ];
        let parallel = Mollifier::new(&x, 0.5).expect("parallel");
        let (part, whole) = (parallel.straight_hessian(), parallel.hessian());
        for (a, b) in part.iter().flatten().zip(whole.iter().flatten()) {
            assert!(a.abs_diff_eq(*b, 1e-14), "{a} {b}");
        }
    }

    #[test]
    fn it_is_one_across_and_zero_along() {
        let edges = |v: DVec3| [DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::Z + v];
        let limit = threshold(1.0, 1.0);
        assert!(Mollifier::new(&edges(DVec3::Y), limit).is_none());
        let parallel = Mollifier::new(&edges(DVec3::X), limit).expect("parallel");
        assert_eq!((parallel.value, parallel.gradient()), (0.0, [DVec3::ZERO; 4]));
    }
}
