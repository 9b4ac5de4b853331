//! A cable as an elastic part: a polyline through points, along which it slides without friction.
//!
//! Its energy is a function of its length L = sum |x_{i+1} - x_i| alone: T L for a given tension T, or k (L - L0)^2 / 2 for one
//! of stiffness k = E A / l0, where it is longer than L0; a slack cable pushes nothing. So the tension is the same along the
//! whole cable, every bend presses on its point with the difference of the two directions times the tension, and the
//! forces on all points sum to zero. L is convex, so that the exact Hessian is positive semidefinite.

use super::{ElementPool, StiffnessSink};
use crate::math::outer;
use cupule_geometry::{DMat3, DVec3};

/// How tension follows length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CableLaw {
    /// A tension, N, whatever the length.
    Tension {
        /// Now, N.
        now: f64,
        /// The largest that it will ever be, N: against which a change is small or large.
        largest: f64,
    },
    /// A one-sided spring.
    Spring {
        /// E A / l0, N/m.
        stiffness: f64,
        /// Length at which it becomes taut, m.
        rest: f64,
    },
}

impl CableLaw {
    /// Tension at a length (m), N.
    pub fn tension(&self, length: f64) -> f64 {
        match *self {
            Self::Tension { now, .. } => now,
            Self::Spring { stiffness, rest } => stiffness * (length - rest).max(0.0),
        }
    }

    fn energy(&self, length: f64) -> f64 {
        match *self {
            Self::Tension { now, .. } => now * length,
            Self::Spring { stiffness, rest } => 0.5 * stiffness * (length - rest).max(0.0).powi(2),
        }
    }

    /// dT/dL, N/m.
    fn slope(&self, length: f64) -> f64 {
        match *self {
            Self::Spring { stiffness, rest } if length > rest => stiffness,
            _ => 0.0,
        }
    }
}

/// One cable.
pub struct CableElements {
    /// Number of points.
    count: usize,
    law: CableLaw,
}

/// Length (m) of a cable through points (m).
pub fn cable_length(x: &[DVec3]) -> f64 {
    x.windows(2).map(|s| s[0].distance(s[1])).sum()
}

impl CableElements {
    /// A cable through so many points, at least two.
    pub fn new(count: usize, law: CableLaw) -> Self {
        Self { count, law }
    }

    /// With a given tension only neighbours act on each other: a segment is an element. A spring feels all points at once.
    fn in_segments(&self) -> bool {
        matches!(self.law, CableLaw::Tension { .. })
    }
}

/// Directions of the segments; none where two points coincide.
fn directions(x: &[DVec3]) -> Vec<DVec3> {
    x.windows(2).map(|s| (s[1] - s[0]).normalize_or_zero()).collect()
}

/// dL/dx of every point.
fn slopes(x: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; x.len()];
    for (i, d) in directions(x).into_iter().enumerate() {
        out[i] -= d;
        out[i + 1] += d;
    }
    out
}

/// T (1 - d d^T) / l of a segment: what turning it takes, N/m.
fn turning(segment: &[DVec3], tension: f64) -> DMat3 {
    let (d, length) = (segment[1] - segment[0]).normalize_and_length();
    if length > 0.0 { (DMat3::IDENTITY - outer(d, d)) * (tension / length) } else { DMat3::ZERO }
}

impl ElementPool for CableElements {
    fn nodes_per_element(&self) -> usize {
        if self.in_segments() { 2 } else { self.count }
    }

    fn connectivity(&self) -> Vec<u32> {
        let count = self.count as u32;
        if self.in_segments() {
            (1..count).flat_map(|i| [i - 1, i]).collect()
        } else {
            (0..count).collect()
        }
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        self.law.energy(cable_length(x))
    }

    fn add_forces(&self, x: &[DVec3], forces: &mut [DVec3]) {
        let tension = self.law.tension(cable_length(x));
        forces.iter_mut().zip(slopes(x)).for_each(|(f, slope)| *f -= slope * tension);
    }

    fn add_stiffness(&self, x: &[DVec3], sink: &mut dyn StiffnessSink) {
        let length = cable_length(x);
        let tension = self.law.tension(length);
        let turnings = x.windows(2).map(|segment| turning(segment, tension));
        if self.in_segments() {
            for (element, block) in turnings.enumerate() {
                sink.add(element, &[block, -block, block]);
            }
            return;
        }
        let turnings: Vec<DMat3> = turnings.collect();
        let (g, slope) = (slopes(x), self.law.slope(length));
        let mut blocks = Vec::with_capacity(self.count * (self.count + 1) / 2);
        for i in 0..self.count {
            for j in 0..=i {
                let mut block = outer(g[i], g[j]) * slope;
                if i == j {
                    let [left, right] = [i.checked_sub(1), Some(i)]
                        .map(|s| s.and_then(|s| turnings.get(s)).copied().unwrap_or(DMat3::ZERO));
                    block += left + right;
                } else if i == j + 1 {
                    block -= turnings[j];
                }
                blocks.push(block);
            }
        }
        sink.add(0, &blocks);
    }

    /// The direction of every segment, and how taut it is.
    fn configuration(&self, x: &[DVec3]) -> Vec<DMat3> {
        let length = cable_length(x);
        let taut = match self.law {
            CableLaw::Tension { now, largest } if largest > 0.0 => now / largest,
            CableLaw::Tension { .. } => 0.0,
            CableLaw::Spring { rest, .. } => f64::from(u8::from(length > rest)),
        };
        directions(x).into_iter().map(|d| DMat3::from_cols(d, d * taut, DVec3::ZERO)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 4] =
        [[0.0, 0.0, 0.0], [0.05, 0.01, 0.0], [0.08, -0.01, 0.02], [0.13, 0.0, 0.05]];

    fn laws() -> [CableLaw; 3] {
        let rest = 0.9 * cable_length(&POINTS.map(DVec3::from));
        [
            CableLaw::Tension { now: 3.0, largest: 4.0 },
            CableLaw::Spring { stiffness: 700.0, rest },
            CableLaw::Spring { stiffness: 700.0, rest: 2.0 * rest },
        ]
    }

    fn forces(pool: &CableElements, x: &[DVec3]) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; x.len()];
        pool.add_forces(x, &mut out);
        out
    }

    /// Moves coordinate `c` by `e` and gives back the points.
    fn moved(x: &[DVec3], c: usize, e: f64) -> Vec<DVec3> {
        let mut x = x.to_vec();
        x[c / 3][c % 3] += e;
        x
    }

    /// f = -dE/dx against central differences; the error of those is of second order.
    #[test]
    fn forces_are_minus_the_gradient() {
        let x = POINTS.map(DVec3::from);
        for law in laws() {
            let pool = CableElements::new(4, law);
            let f = forces(&pool, &x);
            for c in 0..12 {
                let e = 1e-6;
                let slope =
                    (pool.energy(&moved(&x, c, e)) - pool.energy(&moved(&x, c, -e))) / (2.0 * e);
                assert!((slope + f[c / 3][c % 3]).abs() < 1e-7, "{law:?} {c}: {slope}");
            }
        }
    }

    /// K = -df/dx against central differences, all of it: L is convex, nothing is left out.
    #[test]
    fn stiffness_is_the_slope_of_the_forces() {
        struct Columns<'a>(&'a CableElements, Vec<DVec3>, Vec<DVec3>);
        impl StiffnessSink for Columns<'_> {
            fn add(&mut self, element: usize, blocks: &[DMat3]) {
                let Columns(pool, unit, out) = self;
                let mut product = crate::element::StiffnessProduct::new(&**pool, 1.0, unit, out);
                product.add(element, blocks);
            }
        }
        let x = POINTS.map(DVec3::from);
        for law in laws() {
            let pool = CableElements::new(4, law);
            for c in 0..12 {
                let mut unit = vec![DVec3::ZERO; 4];
                unit[c / 3][c % 3] = 1.0;
                let mut column = Columns(&pool, unit, vec![DVec3::ZERO; 4]);
                pool.add_stiffness(&x, &mut column);
                let e = 1e-6;
                let [up, down] = [e, -e].map(|e| forces(&pool, &moved(&x, c, e)));
                for i in 0..4 {
                    let slope = (down[i] - up[i]) / (2.0 * e);
                    let off = (slope - column.2[i]).length();
                    assert!(off < 1e-4, "{law:?} {c} {i}: {slope} {}", column.2[i]);
                }
            }
        }
    }

    /// Along random directions at 1 000 random cables of two to five points, taut, slack and with a tension: force and stiffness
    /// against central differences. Every fourth lies on a coarse grid, where segments are parallel, folded back or have no length;
    /// there length has a kink, and only what stays finite can be said.
    #[test]
    fn derivatives_agree_with_differences_at_a_thousand_cables() {
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let mut taut = 0;
        for (case, numbers) in crate::math::samples(31_000).chunks_exact(31).enumerate() {
            let count = 2 + case % 4;
            let place = |v: &[f64]| {
                let v = DVec3::from_slice(v);
                if case / 4 % 4 == 3 { (v * 2.0).round() * 0.05 } else { v * 0.1 }
            };
            let points: Vec<DVec3> = numbers[..30].chunks_exact(3).map(place).collect();
            let (x, way) = (&points[..count], &points[5..5 + count]);
            let law = match case % 3 {
                0 => CableLaw::Tension { now: 3.0 * (1.0 + numbers[30]), largest: 6.0 },
                _ => CableLaw::Spring {
                    stiffness: 700.0,
                    rest: cable_length(x) * (0.9 + 0.5 * numbers[30]),
                },
            };
            let pool = CableElements::new(count, law);
            let mut product = vec![DVec3::ZERO; count];
            let mut sink = crate::element::StiffnessProduct::new(&pool, 1.0, way, &mut product);
            pool.add_stiffness(x, &mut sink);
            let f = forces(&pool, x);
            assert!(f.iter().chain(&product).all(|v| v.is_finite()), "case {case}");
            let shortest = x.windows(2).map(|s| s[0].distance(s[1])).fold(f64::INFINITY, f64::min);
            let e = 1e-6;
            let [there, back] =
                [e, -e].map(|e| x.iter().zip(way).map(|(x, d)| *x + *d * e).collect::<Vec<_>>());
            let kink = law.slope(cable_length(&there)) != law.slope(cable_length(&back));
            if shortest < 1e-3 || kink {
                continue;
            }
            taut += usize::from(law.tension(cable_length(x)) > 0.0);
            let slope = (pool.energy(&there) - pool.energy(&back)) / (2.0 * e);
            // Energies of up to 100 J rounded, over 2e-6.
            assert!((slope + dot(&f, way)).abs() < 1e-7, "case {case}: {slope} {}", dot(&f, way));
            let [there, back] = [there, back].map(|x| forces(&pool, &x));
            for i in 0..count {
                let slope = (back[i] - there[i]) / (2.0 * e);
                let off = (slope - product[i]).length();
                let near = 1e-6 * (1.0 + product[i].length());
                assert!(off < near, "case {case}, point {i}: {slope} {}", product[i]);
            }
        }
        assert!(taut > 400, "{taut}");
    }

    /// Forces sum to zero, and so do their moments: length does not change when all moves rigidly.
    #[test]
    fn a_cable_exerts_no_net_force_or_torque() {
        let x = POINTS.map(DVec3::from);
        for law in laws() {
            let f = forces(&CableElements::new(4, law), &x);
            let sum: DVec3 = f.iter().sum();
            let torque: DVec3 = x.iter().zip(&f).map(|(x, f)| x.cross(*f)).sum();
            assert!(sum.length() < 1e-12 && torque.length() < 1e-13, "{law:?}");
        }
    }

    /// C(R x) = R C(x), as of all elements; and a cable that slackens or tightens counts as turned.
    #[test]
    fn configurations_turn_with_the_cable_and_tell_how_taut_it_is() {
        let (x, turn) = (POINTS.map(DVec3::from), DMat3::from_rotation_y(1.1));
        let of = |law, x: &[DVec3]| CableElements::new(4, law).configuration(x);
        for law in laws() {
            for (before, after) in of(law, &x).iter().zip(of(law, &x.map(|x| turn * x))) {
                assert!(after.abs_diff_eq(turn * *before, 1e-12), "{law:?}");
            }
        }
        let pulled = |now| of(CableLaw::Tension { now, largest: 4.0 }, &x);
        assert!(!pulled(3.0)[0].abs_diff_eq(pulled(2.0)[0], 0.2));
    }

    /// A slack cable does nothing, and points that coincide are no direction.
    #[test]
    fn slack_and_folded_cables_are_harmless() {
        let slack = laws()[2];
        let x = POINTS.map(DVec3::from);
        assert!(forces(&CableElements::new(4, slack), &x).iter().all(|f| *f == DVec3::ZERO));
        let folded = [DVec3::X, DVec3::X, DVec3::ZERO];
        let f = forces(&CableElements::new(3, laws()[0]), &folded);
        assert!(f.iter().all(|f| f.is_finite()) && f[0] == DVec3::ZERO);
    }
}
