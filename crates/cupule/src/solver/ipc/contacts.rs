//! Contact at one state: pairs within reach with their barrier, and pairs that rub.

use super::bonds::Bonds;
use super::friction::Rubbing;
use super::measure::Measure;
use super::pair::{Pair, Reach};
use super::system::PairStiffness;
use crate::law::Laws;
use crate::model::State;
use crate::solver::Bond;
use cupule_geometry::DVec3;
use std::collections::BTreeMap;

/// A pair within reach at some state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub pair: Pair,
    pub at: [DVec3; 4],
    pub measure: Measure,
}

impl Near {
    /// How fast its surfaces slide along each other, m/s, with points at these velocities.
    pub(super) fn slip_speed(&self, velocities: &[DVec3]) -> f64 {
        let Measure { weights, normal, .. } = self.measure;
        let at = self.pair.gather(velocities);
        let velocity: DVec3 = (0..4).map(|i| at[i] * weights[i]).sum();
        velocity.reject_from_normalized(normal).length()
    }
}

/// The candidates whose gap is less than `distance` (m) at `x`.
pub(super) fn near(candidates: &[Pair], x: &[DVec3], distance: f64) -> Vec<Near> {
    candidates
        .iter()
        .filter_map(|pair| {
            let at = pair.gather(x);
            if apart(pair, &at, distance) {
                return None;
            }
            let measure = pair.measure(&at);
            (measure.distance - pair.thickness < distance).then_some(Near {
                pair: *pair,
                at,
                measure,
            })
        })
        .collect()
}

/// Whether boxes alone show that a pair is further apart.
fn apart(pair: &Pair, at: &[DVec3; 4], distance: f64) -> bool {
    let split = match pair.kind {
        super::pair::Kind::VertexFace | super::pair::Kind::VertexEdge => 1,
        super::pair::Kind::EdgeEdge => 2,
    };
    let low = |x: &[DVec3]| x.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = |x: &[DVec3]| x.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let (first, second) = at.split_at(split);
    let gap = (low(first) - high(second)).max(low(second) - high(first));
    gap.max_element() - pair.thickness > distance
}

/// Contact during one step.
pub(super) struct Contacts<'a> {
    pub reach: Reach,
    /// Pairs that rub, as the start of the step has them, or the end of the round before.
    pub rubbing: Vec<Rubbing<'a>>,
    /// Slip below which sticking is smoothed, m.
    pub threshold: f64,
    /// Where the step starts.
    pub start: &'a [DVec3],
    pub bonds: Bonds<'a>,
}

impl<'a> Contacts<'a> {
    /// Friction is lagged: forces, planes and places are those of `near`.
    pub(super) fn lag(
        reach: Reach,
        threshold: f64,
        start: &'a State,
        near: &[Near],
        laws: Laws<'a>,
        bonds: &'a [Bond],
    ) -> Self {
        let rubbing = near
            .iter()
            .filter_map(|n| {
                let law = laws.of(&n.pair.id(), || n.slip_speed(&start.point_velocities));
                let normal_force = n.pair.normal_force(&n.at, &n.measure, reach);
                let (pair, measure) = (n.pair, n.measure);
                (law.has_friction() && normal_force > 0.0).then_some(Rubbing {
                    pair,
                    measure,
                    normal_force,
                    law,
                })
            })
            .collect();
        let start = &start.at.points;
        Self { reach, rubbing, threshold, start, bonds: Bonds { list: bonds, start } }
    }

    /// Whether the normal forces between any two surfaces are others than those of `lagged`, by more than `share`.
    pub(super) fn differ(&self, lagged: &Self, share: f64) -> bool {
        let (now, before) = (self.normal_forces(), lagged.normal_forces());
        let largest = now.values().chain(before.values()).fold(0.0, |a: f64, b| a.max(*b));
        let of = |forces: &BTreeMap<[u32; 2], f64>, key| forces.get(key).copied().unwrap_or(0.0);
        // What is small against the largest need not be right to a share of itself.
        now.keys().chain(before.keys()).any(|key| {
            let (a, b) = (of(&now, key), of(&before, key));
            (a - b).abs() > share * a.max(b).max(0.05 * largest)
        })
    }

    fn normal_forces(&self) -> BTreeMap<[u32; 2], f64> {
        let mut out = BTreeMap::new();
        for r in &self.rubbing {
            let [a, b] = r.pair.surfaces;
            *out.entry([a.min(b), a.max(b)]).or_insert(0.0) += r.normal_force;
        }
        out
    }

    /// The slip of a rubbing pair with points at `x`, m.
    pub(super) fn slip(&self, rubbing: &Rubbing, x: &[DVec3]) -> DVec3 {
        let (now, start) = (rubbing.pair.gather(x), rubbing.pair.gather(self.start));
        rubbing.slip(&std::array::from_fn(|i| now[i] - start[i]))
    }

    /// Barrier, friction and bonds, J. Infinite where a pair touches.
    pub(super) fn energy(&self, candidates: &[Pair], x: &[DVec3]) -> f64 {
        let mut total = 0.0;
        for pair in candidates {
            let at = pair.gather(x);
            if !apart(pair, &at, self.reach.distance) {
                total += pair.energy(&at, self.reach);
            }
        }
        for rubbing in &self.rubbing {
            total += rubbing.energy(self.slip(rubbing, x), self.threshold);
        }
        total + self.bonds.energy(x)
    }

    /// Adds the gradient of barrier, friction and bonds, N.
    pub(super) fn add_gradient(&self, near: &[Near], x: &[DVec3], out: &mut [DVec3]) {
        for n in near {
            let gradient = n.pair.gradient(&n.at, &n.measure, self.reach);
            n.pair.points.iter().zip(gradient).for_each(|(p, g)| out[*p as usize] += g);
        }
        for rubbing in &self.rubbing {
            let force = rubbing.force(self.slip(rubbing, x), self.threshold);
            for (p, w) in rubbing.pair.points.iter().zip(rubbing.measure.weights) {
                out[*p as usize] -= force * w;
            }
        }
        self.bonds.add_gradient(x, out);
    }

    /// Positive semidefinite Hessians of all pairs and bonds, N/m.
    pub(super) fn stiffness(&self, near: &[Near], x: &[DVec3]) -> Vec<PairStiffness> {
        let barriers = near.iter().map(|n| PairStiffness {
            points: n.pair.points,
            blocks: n.pair.hessian(&n.at, &n.measure, self.reach, true),
        });
        let frictions = self.rubbing.iter().map(|r| PairStiffness {
            points: r.pair.points,
            blocks: r.hessian(self.slip(r, x), self.threshold),
        });
        barriers.chain(frictions).chain(self.bonds.stiffness(x)).collect()
    }
}
