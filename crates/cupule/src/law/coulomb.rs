//! Unilateral contact with Coulomb friction.
//!
//! Signorini: gap >= 0, force >= 0, one of them zero. Coulomb: |tangential force| <= mu * normal force; where it slips, the
//! force has that size and opposes the slip. The block of one contact is solved exactly, three unknowns at once: solving
//! normal and tangent in turn, or projecting a stick solution on the disc, has a wrong fixed point when the tangential
//! compliance is anisotropic (physics of 000 sec. 3.3, where W_tt is taken as isotropic).
//!
//! The potential face is the smoothed dissipation of incremental potential contact (003 eq. 9).

use super::{ContactLaw, Linear};
use crate::math::plane_length;
use cupule_geometry::{DMat3, DVec3};

/// Coulomb friction with Signorini contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coulomb {
    /// Friction coefficient, 0 or more.
    pub friction: f64,
}

impl ContactLaw for Coulomb {
    fn resolve(&self, compliance: &DMat3, free: DVec3) -> DVec3 {
        if free.x >= 0.0 {
            return DVec3::ZERO;
        }
        if self.friction == 0.0 {
            return DVec3::new(-free.x / compliance.x_axis.x, 0.0, 0.0);
        }
        let stick = -(compliance.inverse() * free);
        let within = plane_length(stick.y, stick.z) <= self.friction * stick.x;
        if within && stick.is_finite() { stick } else { self.slide(compliance, free) }
    }

    fn violation(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> DVec3 {
        let normal = (force.x - measure.x / scale[0]).max(0.0);
        let tangent =
            glam::DVec2::new(force.y - measure.y / scale[1], force.z - measure.z / scale[1]);
        let tangent = tangent.clamp_length_max(self.friction * force.x.max(0.0));
        force - DVec3::new(normal, tangent.x, tangent.y)
    }

    fn linearise(&self, force: DVec3, measure: DVec3, scale: [f64; 2]) -> Linear {
        if force.x - measure.x / scale[0] <= 0.0 {
            return Linear::let_go(force);
        }
        let stick = Linear::stick(measure);
        let tangent = DVec3::new(0.0, force.y, force.z);
        let tried = tangent - DVec3::new(0.0, measure.y, measure.z) / scale[1];
        let (radius, length) = (self.friction * force.x.max(0.0), tried.length());
        if length < radius {
            return stick;
        }
        // Slipping: t = mu n e, e the direction of y = t - s / rho. Along e, dt = mu dn + (mu n - t). Across, e turns with y:
        // rho (1 - r) dt + r ds = -rho t, r = mu n / |y|.
        let along = if length > 0.0 { tried / length } else { DVec3::Y };
        let across = DVec3::X.cross(along);
        let turn = if length > 0.0 { radius / length } else { 0.0 };
        Linear {
            freedom: 2,
            directions: [DVec3::X + along * self.friction, across, DVec3::ZERO],
            tests: [DVec3::X, across * turn, DVec3::ZERO],
            stiffness: [0.0, (1.0 - turn) * scale[1], 0.0],
            residual: [measure.x, tangent.dot(across) * scale[1], 0.0],
            offset: along * (radius - tangent.dot(along)),
        }
    }

    fn sticks(&self, force: DVec3) -> bool {
        plane_length(force.y, force.z) < (1.0 - 1e-6) * self.friction * force.x
    }

    fn has_friction(&self) -> bool {
        self.friction > 0.0
    }

    fn dissipation(&self, normal_force: f64, slip: f64, threshold: f64) -> [f64; 3] {
        let limit = self.friction * normal_force;
        if slip >= threshold {
            return [limit * slip, limit, 0.0];
        }
        // f1(y) = 2 y/e - (y/e)^2, its integral with f0(e) = e, and its slope.
        let y = slip / threshold;
        let value = threshold * (y * y * (1.0 - y / 3.0) + 1.0 / 3.0);
        [limit * value, limit * y * (2.0 - y), limit * 2.0 * (1.0 - y) / threshold]
    }
}

impl Coulomb {
    /// Sliding: with the normal condition eliminated, (S + s I) t = -r for a slip factor s > 0 such that |t| = mu n.
    /// S is the Schur complement of the tangents, diagonal in its eigenframe.
    fn slide(&self, w: &DMat3, free: DVec3) -> DVec3 {
        let w_nn = w.x_axis.x;
        let w_tn = [w.x_axis.y, w.x_axis.z];
        let schur = |i: usize, j: usize| w.col(1 + j)[1 + i] - w_tn[i] * w_tn[j] / w_nn;
        let r = [free.y - w_tn[0] * free.x / w_nn, free.z - w_tn[1] * free.x / w_nn];
        let normal = |t: [f64; 2]| -(free.x + w_tn[0] * t[0] + w_tn[1] * t[1]) / w_nn;
        let frame = eigenframe(schur(0, 0), schur(0, 1), schur(1, 1));
        let turned = [frame.cos * r[0] + frame.sin * r[1], frame.cos * r[1] - frame.sin * r[0]];
        let tangent = |s: f64| {
            let (a, b) = (-turned[0] / (frame.first + s), -turned[1] / (frame.second + s));
            [frame.cos * a - frame.sin * b, frame.sin * a + frame.cos * b]
        };
        // |t(s)| - mu n(s) changes sign from positive at s = 0 (no stick solution) to -mu n(infinity) < 0.
        let excess = |s: f64| {
            let t = tangent(s);
            plane_length(t[0], t[1]) - self.friction * normal(t).max(0.0)
        };
        let slip = root(excess, frame.first.max(frame.second));
        let t = tangent(slip);
        let n = normal(t).max(0.0);
        // The direction is that of t; the length is mu n exactly, so that the cone holds to rounding.
        let length = plane_length(t[0], t[1]);
        let scale = if length > 0.0 { self.friction * n / length } else { 0.0 };
        DVec3::new(n, t[0] * scale, t[1] * scale)
    }
}

struct Eigenframe {
    first: f64,
    second: f64,
    cos: f64,
    sin: f64,
}

/// Eigenvalues and the rotation to the eigenvectors of the symmetric matrix [[a, b], [b, c]].
fn eigenframe(a: f64, b: f64, c: f64) -> Eigenframe {
    let angle = 0.5 * (2.0 * b).atan2(a - c);
    let (sin, cos) = angle.sin_cos();
    let (mean, radius) = (0.5 * (a + c), plane_length(0.5 * (a - c), b));
    Eigenframe { first: mean + radius, second: mean - radius, cos, sin }
}

/// The positive root of a function that is positive at 0 and negative far out, by the Illinois variant of false position
/// on a bracket grown from `scale`.
fn root(f: impl Fn(f64) -> f64, scale: f64) -> f64 {
    let (mut low, mut high) = (0.0, scale);
    let (mut at_low, mut at_high) = (f(low), f(high));
    for _ in 0..200 {
        if at_high <= 0.0 {
            break;
        }
        (low, at_low) = (high, at_high);
        high *= 4.0;
        at_high = f(high);
    }
    let mut kept = 0;
    for _ in 0..100 {
        if high - low <= 1e-14 * high || at_high == 0.0 {
            break;
        }
        let guess = if at_low.is_finite() {
            (low * at_high - high * at_low) / (at_high - at_low)
        } else {
            0.5 * (low + high)
        };
        let value = f(guess);
        if value > 0.0 {
            (low, at_low) = (guess, value);
            if kept == 1 {
                at_high *= 0.5;
            }
            kept = 1;
        } else {
            (high, at_high) = (guess, value);
            if kept == -1 {
                at_low *= 0.5;
            }
            kept = -1;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(entries: [f64; 9]) -> DMat3 {
        let a = DMat3::from_cols_array(&entries);
        a * a.transpose() + DMat3::IDENTITY * 0.05
    }

    proptest! {
        #[test]
        fn resolved_force_satisfies_signorini_and_coulomb(
            entries in prop::array::uniform9(-1.0..1.0f64),
            free in prop::array::uniform3(-1.0..1.0f64),
            friction in 0.0..1.5f64,
        ) {
            let (w, free, law) = (matrix(entries), DVec3::from_array(free), Coulomb { friction });
            let force = law.resolve(&w, free);
            let measure = free + w * force;
            prop_assert!(force.x >= 0.0 && measure.x >= -1e-9, "gap {} force {}", measure.x, force.x);
            prop_assert!(force.x * measure.x.abs() < 1e-8, "complementarity {force} {measure}");
            let (size, slip) = (force.y.hypot(force.z), measure.y.hypot(measure.z));
            prop_assert!(size <= friction * force.x * (1.0 + 1e-9) + 1e-12);
            if force.x > 0.0 && slip > 1e-7 {
                prop_assert!((size - friction * force.x).abs() < 1e-7 * (1.0 + size), "slipping on the cone");
                // Friction opposes slip: t . s = -|t| |s|, here within 1e-6 rad.
                let along = (force.y * measure.y + force.z * measure.z) / (size * slip);
                prop_assert!(friction < 1e-6 || along < -1.0 + 1e-8, "direction {along}");
            }
            let scale = [w.x_axis.x, w.y_axis.y.max(w.z_axis.z)];
            prop_assert!(law.violation(force, measure, scale).length() < 1e-6, "natural map vanishes at the solution");
        }
    }

    #[test]
    fn strong_anisotropy_keeps_friction_against_the_slip() {
        // W_tt = diag(1, 1000): sticking, then projecting on the disc would be wrong by many degrees.
        let w = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 1000.0));
        for angle in [0.1f64, 0.7, 1.2, 2.9, -2.0] {
            let free = DVec3::new(-1.0, 50.0 * angle.cos(), 50.0 * angle.sin());
            let force = Coulomb { friction: 0.4 }.resolve(&w, free);
            let slip = free + w * force;
            let cross = force.y * slip.z - force.z * slip.y;
            let error =
                (cross / (force.y.hypot(force.z) * slip.y.hypot(slip.z))).asin().to_degrees();
            assert!(error.abs() < 1e-4, "{error} degrees");
        }
    }

    #[test]
    fn violation_reports_each_kind_of_wrong() {
        let law = Coulomb { friction: 0.5 };
        let scale = [2.0, 2.0];
        assert!(
            law.violation(DVec3::ZERO, DVec3::new(-1.0, 0.0, 0.0), scale).x < 0.0,
            "penetration"
        );
        assert!(
            law.violation(DVec3::X, DVec3::new(1.0, 0.0, 0.0), scale).x > 0.0,
            "pushing at a distance"
        );
        assert!(
            law.violation(DVec3::new(1.0, 0.9, 0.0), DVec3::ZERO, scale).y > 0.3,
            "outside the cone"
        );
        assert!(
            law.violation(DVec3::new(1.0, 0.1, 0.0), DVec3::new(0.0, 1.0, 0.0), scale).length()
                > 0.1,
            "slip inside the cone"
        );
    }

    /// The change of a force that a linear law asks for where the measure answers with W, directions that are not free left out.
    fn change(law: &Linear, w: &DMat3) -> DVec3 {
        let mut matrix = DMat3::IDENTITY;
        let mut right = DVec3::ZERO;
        for i in 0..law.freedom {
            right[i] = -law.residual[i] - law.tests[i].dot(*w * law.offset);
            for j in 0..law.freedom {
                let own = if i == j { law.stiffness[i] } else { 0.0 };
                matrix.col_mut(j)[i] = law.tests[i].dot(*w * law.directions[j]) + own;
            }
        }
        let amounts = matrix.inverse() * right;
        law.offset + (0..law.freedom).map(|i| law.directions[i] * amounts[i]).sum::<DVec3>()
    }

    #[test]
    fn linearised_law_leads_to_the_solution() {
        // Newton's method on one contact, from afar: force and measure = free + W force end where resolve says.
        let law = Coulomb { friction: 0.5 };
        let w = matrix([0.9, 0.2, -0.1, 0.3, 0.8, 0.1, -0.2, 0.4, 0.7]);
        for free in [[-1.0, 0.1, 0.05], [-1.0, 2.0, -1.0], [-0.2, -3.0, 0.4]] {
            let free = DVec3::from_array(free);
            let scale = [w.x_axis.x, w.y_axis.y.max(w.z_axis.z)];
            let mut force = DVec3::new(0.5, 0.1, 0.0);
            for _ in 0..20 {
                let linear = law.linearise(force, free + w * force, scale);
                force += change(&linear, &w);
            }
            let expected = law.resolve(&w, free);
            assert!((force - expected).length() < 1e-9, "{force} {expected}");
        }
        let (pushed, apart) = (DVec3::new(1.0, 0.2, 0.0), DVec3::X * 3.0);
        let parted = law.linearise(pushed, apart, [1.0, 1.0]);
        assert_eq!((parted.freedom, change(&parted, &w)), (0, -pushed), "it has parted");
    }

    #[test]
    fn dissipation_is_smooth_and_its_derivatives_are_consistent() {
        let (law, e) = (Coulomb { friction: 0.7 }, 1e-7);
        for slip in [1e-5, 4e-4, 9.99e-4, 1.01e-3, 5e-3] {
            let at = |s: f64| law.dissipation(3.0, s, 1e-3);
            let [_, slope, curvature] = at(slip);
            assert!(((at(slip + e)[0] - at(slip - e)[0]) / (2.0 * e) - slope).abs() < 1e-5);
            assert!(
                ((at(slip + e)[1] - at(slip - e)[1]) / (2.0 * e) - curvature).abs()
                    < 1e-3 * (1.0 + curvature)
            );
        }
    }
}
