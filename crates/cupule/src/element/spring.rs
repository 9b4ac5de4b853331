//! Springs: elements of two nodes that pull and push along the line between them.
//!
//! Energy k (l - l0)^2 / 2 of the distance l. Its Hessian is k d d^T + k (1 - l0 / l) (1 - d d^T) along the direction d. The second part, what
//! turning a spring under load takes, is negative in a compressed spring and left out there, so that the stiffness that is handed over is
//! positive semidefinite. Damping in proportion to that stiffness is a dashpot along the spring; in a taut one it resists turning too.

use super::{ElementPool, StiffnessSink};
use crate::math::outer;
use cupule_geometry::{DMat3, DVec3};

/// One spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// The nodes that it joins.
    pub ends: [u32; 2],
    /// k, N/m.
    pub stiffness: f64,
    /// Length without force, m; 0 or more.
    pub rest: f64,
}

impl Spring {
    /// Direction from the first end to the second (none where they coincide) and length, m.
    fn line(&self, x: &[DVec3]) -> (DVec3, f64) {
        let [a, b] = self.ends.map(|end| x[end as usize]);
        let line = b - a;
        (line.normalize_or_zero(), line.length())
    }

    /// 1 - l0 / l where it is in tension, else 0: how much of k resists turning.
    fn tautness(&self, length: f64) -> f64 {
        if self.rest == 0.0 {
            1.0
        } else if length > self.rest {
            1.0 - self.rest / length
        } else {
            0.0
        }
    }
}

/// Springs between nodes.
pub struct SpringElements {
    springs: Vec<Spring>,
}

impl SpringElements {
    /// A pool of springs.
    pub fn new(springs: Vec<Spring>) -> Self {
        Self { springs }
    }
}

impl ElementPool for SpringElements {
    fn nodes_per_element(&self) -> usize {
        2
    }

    fn connectivity(&self) -> Vec<u32> {
        self.springs.iter().flat_map(|spring| spring.ends).collect()
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let energy = |s: &Spring| 0.5 * s.stiffness * (s.line(x).1 - s.rest).powi(2);
        self.springs.iter().map(energy).sum()
    }

    fn add_forces(&self, x: &[DVec3], forces: &mut [DVec3]) {
        for spring in &self.springs {
            let (direction, length) = spring.line(x);
            let pull = direction * (spring.stiffness * (length - spring.rest));
            forces[spring.ends[0] as usize] += pull;
            forces[spring.ends[1] as usize] -= pull;
        }
    }

    fn add_stiffness(&self, x: &[DVec3], sink: &mut dyn StiffnessSink) {
        for (element, spring) in self.springs.iter().enumerate() {
            let (d, length) = spring.line(x);
            let along = outer(d, d);
            let across = (DMat3::IDENTITY - along) * spring.tautness(length);
            let block = (along + across) * spring.stiffness;
            sink.add(element, &[block, -block, block]);
        }
    }

    /// The direction of every spring, and how taut it is.
    fn configuration(&self, x: &[DVec3]) -> Vec<DMat3> {
        let of = |spring: &Spring| {
            let (d, length) = spring.line(x);
            DMat3::from_cols(d, d * spring.tautness(length), DVec3::ZERO)
        };
        self.springs.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn force(rest: f64, x: [DVec3; 2]) -> DVec3 {
        let pool = SpringElements::new(vec![Spring { ends: [0, 1], stiffness: 200.0, rest }]);
        let mut forces = [DVec3::ZERO; 2];
        pool.add_forces(&x, &mut forces);
        assert_eq!(forces[0], -forces[1]);
        forces[0]
    }

    #[test]
    fn a_stretched_spring_pulls_and_a_compressed_one_pushes() {
        let along = DVec3::new(3.0, 0.0, 4.0) / 5.0;
        let at = |length: f64| force(0.1, [DVec3::ZERO, along * length]);
        assert!((at(0.15) - along * 10.0).length() < 1e-12);
        assert!((at(0.05) + along * 10.0).length() < 1e-12);
    }

    /// Ends that coincide give no direction: no force, and nothing that is not finite.
    #[test]
    fn coinciding_ends_are_harmless() {
        assert_eq!(force(0.1, [DVec3::X; 2]), DVec3::ZERO);
        let pool = SpringElements::new(vec![Spring { ends: [0, 1], stiffness: 1.0, rest: 0.0 }]);
        assert_eq!(pool.configuration(&[DVec3::X; 2]), [DMat3::ZERO]);
    }
}
