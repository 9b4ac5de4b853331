//! Ellipsoids joined smoothly, as a field whose zero is the surface: soft toys, fruit, pebbles.
//!
//! The distance to one ellipsoid is k0 (k0 - 1) / k1 with k0 = |p / r|, k1 = |p / r^2| (exact for a ball, right to first
//! order near any surface); several are joined by -s ln sum exp(-d / s), which rounds every crease over a length of
//! about s and swells the parts a little where they meet.

use super::{require, require_positive};
use crate::tree::Bounds;
use crate::{DVec3, GeometryError};

/// One ellipsoid with its axes along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    /// Centre, m.
    pub centre: DVec3,
    /// Half axes, m.
    pub radii: DVec3,
}

/// Ellipsoids joined smoothly.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipsoids {
    parts: Vec<Ellipsoid>,
    smoothing: f64,
}

impl Ellipsoids {
    /// Joins parts, rounding creases over about `smoothing` (m, positive).
    pub fn new(parts: Vec<Ellipsoid>, smoothing: f64) -> Result<Self, GeometryError> {
        let shape = "solid of ellipsoids";
        require(!parts.is_empty(), shape, "parts", 0.0, "at least 1 is needed")?;
        require_positive(shape, "smoothing", smoothing)?;
        for part in &parts {
            let least = part.radii.min_element();
            require_positive(
                shape,
                "radii",
                if part.radii.is_finite() { least } else { f64::NAN },
            )?;
            let finite = part.centre.is_finite();
            require(finite, shape, "centre", part.centre.x, "it must be finite")?;
        }
        Ok(Self { parts, smoothing })
    }

    /// About the distance from the surface, m; negative inside.
    pub fn distance(&self, at: DVec3) -> f64 {
        let distances: Vec<f64> = self.parts.iter().map(|part| part.distance(at)).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        // Measured from the least, so that no exponential overflows.
        let sum: f64 = distances.iter().map(|d| (-(d - least) / self.smoothing).exp()).sum();
        least - self.smoothing * sum.ln()
    }

    /// A box that holds the solid.
    pub(crate) fn bounds(&self) -> Bounds {
        let swelling = DVec3::splat(self.smoothing * (self.parts.len() as f64).ln());
        self.parts.iter().fold(Bounds::EMPTY, |all, part| {
            let reach = part.radii + swelling;
            all.join(Bounds { min: part.centre - reach, max: part.centre + reach })
        })
    }

    /// About the volume, m3: that of the parts, as if they did not overlap.
    pub(crate) fn rough_volume(&self) -> f64 {
        let volume = |part: &Ellipsoid| part.radii.element_product();
        4.0 / 3.0 * std::f64::consts::PI * self.parts.iter().map(volume).sum::<f64>()
    }
}

impl Ellipsoid {
    fn distance(&self, at: DVec3) -> f64 {
        let place = (at - self.centre) / self.radii;
        let (k0, k1) = (place.length(), (place / self.radii).length());
        // The middle is about as deep as the shortest half axis.
        if k1 > 0.0 { k0 * (k0 - 1.0) / k1 } else { -self.radii.min_element() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_has_its_distance_and_two_are_joined_smoothly() {
        let ball = |x: f64| Ellipsoid { centre: DVec3::X * x, radii: DVec3::splat(1.0) };
        let one = Ellipsoids::new(vec![ball(0.0)], 0.1).unwrap();
        assert!((one.distance(DVec3::new(0.0, 3.0, 4.0)) - 4.0).abs() < 1e-14);
        let two = Ellipsoids::new(vec![ball(-1.0), ball(1.0)], 0.1).unwrap();
        // Where both are equally far, d - s ln 2.
        let between = DVec3::new(0.0, 0.5, 0.0);
        let alone = 1.25f64.sqrt() - 1.0;
        assert!((two.distance(between) - (alone - 0.1 * 2f64.ln())).abs() < 1e-12);
        assert!(Ellipsoids::new(vec![], 0.1).is_err());
        assert!(Ellipsoids::new(vec![ball(0.0)], 0.0).is_err());
    }
}
