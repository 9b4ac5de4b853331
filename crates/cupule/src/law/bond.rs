//! An elastic bond between two material points: it resists opening and tangential displacement, and does not resist being pressed.
//!
//! Normal: force = -k max(gap, 0): beyond the contact distance it pulls, within it contact pushes instead. Tangential: force = -k u_t, with
//! u_t the displacement across since the bond was made. k = A C beta^2 with the area A of the bond, the stiffness C of the interface and the
//! bond's intensity beta (Raous, Cangemi and Cocou 1999), all fixed during a step.
//!
//! The potential face is E = 1/2 k (max(gap, 0)^2 + |u_t|^2).

use super::{ContactLaw, Linear};
use cupule_geometry::{DMat3, DVec3};

/// The law of one bond; its measure is (gap, u_t, u_t), its force (normal, tangent, tangent).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticBond {
    /// k, N/m: positive.
    pub stiffness: f64,
}

impl ElasticBond {
    /// Force (N) at a measure (m).
    pub fn force(&self, measure: DVec3) -> DVec3 {
        -self.stiffness * DVec3::new(measure.x.max(0.0), measure.y, measure.z)
    }

    /// Energy stored at a measure (m), J.
    pub fn energy(&self, measure: DVec3) -> f64 {
        0.5 * self.stiffness * DVec3::new(measure.x.max(0.0), measure.y, measure.z).length_squared()
    }

    /// Whether the gap would be open if the bond did not pull.
    fn pulls(&self, force: DVec3, measure: DVec3, compliance: f64) -> bool {
        measure.x - compliance * force.x > 0.0
    }
}

impl ContactLaw for ElasticBond {
    /// (W + I / k) f = -free; where that would push, without its normal part.
    fn resolve(&self, compliance: &DMat3, free: DVec3) -> DVec3 {
        let yielding = *compliance + DMat3::from_diagonal(DVec3::splat(1.0 / self.stiffness));
        let whole = -(yielding.inverse() * free);
        if whole.x <= 0.0 {
            return whole;
        }
        let (a, b, c) = (yielding.y_axis.y, yielding.y_axis.z, yielding.z_axis.z);
        let determinant = a * c - b * b;
        let (y, z) = (c * free.y - b * free.z, a * free.z - b * free.y);
        DVec3::new(0.0, -y / determinant, -z / determinant)
    }

    /// The distance to the force that the law asks for where the measure answers with `scale`: a bond may be far stiffer than what it
    /// joins, and then a gap within rounding would be a large force.
    fn violation(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> DVec3 {
        let k = self.stiffness;
        let off = |force: f64, measure: f64, w: f64| (force + k * measure) / (1.0 + k * w);
        let normal = if self.pulls(force, measure, scale[0]) {
            off(force.x, measure.x, scale[0])
        } else {
            force.x
        };
        let [y, z] = [1, 2].map(|i| off(force[i], measure[i], scale[1]));
        DVec3::new(normal, y, z)
    }

    fn linearise(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> Linear {
        let yields = 1.0 / self.stiffness;
        let residual = |i: usize| measure[i] + force[i] * yields;
        let axes = DVec3::AXES;
        if self.pulls(force, measure, scale[0]) {
            return Linear {
                freedom: 3,
                directions: axes,
                tests: axes,
                stiffness: [yields; 3],
                residual: [residual(0), residual(1), residual(2)],
                offset: DVec3::ZERO,
            };
        }
        Linear {
            freedom: 2,
            directions: [axes[1], axes[2], DVec3::ZERO],
            tests: [axes[1], axes[2], DVec3::ZERO],
            stiffness: [yields, yields, 0.0],
            residual: [residual(1), residual(2), 0.0],
            offset: DVec3::new(-force.x, 0.0, 0.0),
        }
    }

    fn sticks(&self, _force: DVec3) -> bool {
        false
    }

    fn acts(&self, _force: DVec3) -> bool {
        true
    }

    fn reach(&self) -> f64 {
        f64::INFINITY
    }

    fn has_friction(&self) -> bool {
        false
    }

    fn dissipation(&self, _normal_force: f64, _slip: f64, _threshold: f64) -> [f64; 3] {
        [0.0; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Where the law is resolved, force and measure satisfy it, whatever pulls: the natural map vanishes, and so does Newton's residual.
        #[test]
        fn resolved_force_is_that_of_the_measure(
            entries in prop::array::uniform9(-1.0..1.0f64),
            free in prop::array::uniform3(-1.0..1.0f64),
            exponent in -3.0..3.0f64,
        ) {
            let a = DMat3::from_cols_array(&entries);
            let w = a * a.transpose() + DMat3::IDENTITY * 0.05;
            let (free, law) = (DVec3::from_array(free), ElasticBond { stiffness: 10f64.powf(exponent) });
            let force = law.resolve(&w, free);
            let measure = free + w * force;
            let expected = law.force(measure);
            prop_assert!((force - expected).length() < 1e-9 * (1.0 + law.stiffness), "{force} {expected}");
            prop_assert!(force.x <= 0.0, "a bond never pushes");
            let scale = [w.x_axis.x, w.y_axis.y.max(w.z_axis.z)];
            prop_assert!(law.violation(force, measure, scale).length() < 1e-9 * (1.0 + law.stiffness));
        }

        /// Force is minus the slope of the energy.
        #[test]
        fn force_is_minus_the_slope_of_the_energy(
            measure in prop::array::uniform3(-1.0..1.0f64),
            axis in 0..3usize,
        ) {
            let (law, e) = (ElasticBond { stiffness: 7.0 }, 1e-6);
            let measure = DVec3::from_array(measure);
            prop_assume!(measure.x.abs() > 2.0 * e);
            let by = DVec3::AXES[axis] * e;
            let slope = (law.energy(measure + by) - law.energy(measure - by)) / (2.0 * e);
            prop_assert!((law.force(measure)[axis] + slope).abs() < 1e-7);
        }
    }
}
