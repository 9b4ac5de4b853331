//! Pressures in the Gauss-Seidel sweeps.
//!
//! Every chamber has one unknown, its pressure P, and one measure, its volume V = V_f + W_pc lambda + W_pp (P - P_atm). A
//! contact that is resolved with all pressures fixed sees walls that are far too soft where the gas is stiff, and hundreds of
//! sweeps follow. So the pressures are condensed into the contact blocks: linearised gas laws and walls give
//! dP = -Q W_pc dlambda with Q = (D + W_pp)^-1, and the contact is resolved with W_ii - W_ip Q W_pi. D is minus the slope of the volume
//! over the pressure by the gas law: diag((V + V_flow) / (k P)) for gas without muscles and tubes. The exact laws are solved for P after
//! every contact whose force changed, and until they settle after every sweep. A chamber that vents does not respond: its row and column
//! of Q are zero.

use crate::report::worse;
use crate::solver::Chamber;
use cupule_geometry::{DMat3, DVec3};
use faer::Mat;
use faer::linalg::solvers::{DenseSolveCore, Solve};

/// Chambers are solved until none changes by more than this share.
const SETTLED: f64 = 1e-13;
/// Rounds of that: each chamber in turn, then all together by Newton's method, without which chambers that wide tubes join would take
/// thousands of turns.
const ROUNDS: usize = 50;

/// The chambers of one solve.
pub(super) struct Air<'a> {
    chambers: &'a [Chamber],
    /// Absolute pressures, Pa.
    pub(super) pressures: Vec<f64>,
    /// Volumes without contact forces and gauge pressure, m3.
    free: Vec<f64>,
    /// What contact forces add to the volumes, m3.
    pub(super) from_contacts: Vec<f64>,
    compliance: WallCompliance,
    /// Response of pressures to volumes, Pa/m3, row by row.
    condensed: Vec<f64>,
    /// Whether that is used at all.
    condenses: bool,
}

/// How walls and contacts answer a gauge pressure.
#[derive(Debug, Clone, Default)]
pub(super) struct WallCompliance {
    /// Change of every touch's measure per pascal of every chamber, m/Pa.
    pub(super) of_touches: Vec<Vec<DVec3>>,
    /// Change of every chamber's volume per pascal of every other, m3/Pa, row by row.
    pub(super) of_volumes: Vec<f64>,
}

impl<'a> Air<'a> {
    pub(super) fn new(
        chambers: &'a [Chamber],
        free: Vec<f64>,
        compliance: WallCompliance,
        pressures: Vec<f64>,
        condenses: bool,
    ) -> Self {
        let count = chambers.len();
        let (from_contacts, condensed) = (vec![0.0; count], vec![0.0; count * count]);
        Self { chambers, pressures, free, from_contacts, compliance, condensed, condenses }
    }

    fn gauge(&self, chamber: usize) -> f64 {
        self.pressures[chamber] - self.chambers[chamber].gas.atmosphere
    }

    /// What the pressures add to the measure of a touch, m.
    pub(super) fn measure(&self, touch: usize) -> DVec3 {
        let columns = self.compliance.of_touches.iter().enumerate();
        columns.map(|(p, column)| column[touch] * self.gauge(p)).sum()
    }

    /// Volume of a chamber, m3.
    pub(super) fn volume(&self, chamber: usize) -> f64 {
        let walls: f64 =
            (0..self.pressures.len()).map(|q| self.coupling(chamber, q) * self.gauge(q)).sum();
        self.free[chamber] + self.from_contacts[chamber] + walls
    }

    fn coupling(&self, p: usize, q: usize) -> f64 {
        self.compliance.of_volumes[p * self.pressures.len() + q]
    }

    /// Books what a change of a contact's force does to the volumes.
    pub(super) fn push(&mut self, touch: usize, change: DVec3) {
        for (volume, column) in self.from_contacts.iter_mut().zip(&self.compliance.of_touches) {
            *volume += column[touch].dot(change);
        }
    }

    /// Renews Q at the present pressures and volumes.
    pub(super) fn condense(&mut self) {
        let n = self.pressures.len();
        if n == 0 || !self.condenses {
            return;
        }
        let (system, responds) = self.stiffness();
        let inverse = if n == 1 {
            Mat::from_fn(1, 1, |_, _| 1.0 / system[(0, 0)])
        } else {
            system.partial_piv_lu().inverse()
        };
        for (p, q) in (0..n * n).map(|i| (i / n, i % n)) {
            let response = if responds[p] && responds[q] { inverse[(p, q)] } else { 0.0 };
            self.condensed[p * n + q] = if response.is_finite() { response } else { 0.0 };
        }
    }

    /// Q^-1, m3/Pa: how much every chamber must shrink for the pressures to rise, and which chambers respond at all. From
    /// dP / slope + dV = 0, with what tubes bring in; a venting chamber stands aside with a row of the identity.
    pub(super) fn stiffness(&self) -> (Mat<f64>, Vec<bool>) {
        self.linear(self.condenses)
    }

    /// The same, with no chamber responding unless asked to.
    fn linear(&self, asked: bool) -> (Mat<f64>, Vec<bool>) {
        let n = self.pressures.len();
        let slope = |p: usize| self.gas(p).slope(self.pressures[p], self.volume(p));
        let slopes: Vec<Option<f64>> =
            (0..n).map(|p| if asked { slope(p) } else { None }).collect();
        let responds: Vec<bool> = slopes.iter().map(Option::is_some).collect();
        let system = Mat::from_fn(n, n, |p, q| match slopes[p] {
            Some(slope) if p == q => self.coupling(p, p) + 1.0 / slope,
            Some(_) if responds[q] => self.coupling(p, q) - self.tube(p, q) / self.density(p),
            _ => f64::from(u8::from(p == q)),
        });
        (system, responds)
    }

    /// What a pascal in every chamber does to the measure of a touch, m/Pa.
    pub(super) fn of_touch(&self, touch: usize) -> impl Iterator<Item = DVec3> {
        self.compliance.of_touches.iter().map(move |column| column[touch])
    }

    /// The block of a contact with the pressures condensed into it, m/N.
    pub(super) fn stiffened(&self, touch: usize, block: &DMat3) -> DMat3 {
        let (n, columns) = (self.pressures.len(), &self.compliance.of_touches);
        let mut block = *block;
        for p in 0..n {
            for q in 0..n {
                let response = 0.5 * (self.condensed[p * n + q] + self.condensed[q * n + p]);
                block -= crate::math::outer(columns[p][touch], columns[q][touch]) * response;
            }
        }
        block
    }

    /// Moves the pressures as a change of a contact's force asks: as the linearised laws answer, then once exactly. Where a
    /// chamber begins or ceases to vent, the next contact must see it, or sweeps that vent and sweeps that do not
    /// take turns for ever.
    pub(super) fn follow(&mut self, touch: usize, change: DVec3) {
        let n = self.pressures.len();
        if change == DVec3::ZERO || n == 0 || !self.condenses {
            return;
        }
        if n > 1 {
            let columns = self.compliance.of_touches.iter();
            let swept: Vec<f64> = columns.map(|column| column[touch].dot(change)).collect();
            for p in 0..n {
                let answer: f64 = (0..n).map(|q| self.condensed[p * n + q] * swept[q]).sum();
                self.pressures[p] = (self.pressures[p] - answer).max(0.0);
            }
        }
        let mut changed = false;
        for p in 0..n {
            let before = self.responds(p);
            self.resolve(p);
            changed |= before != self.responds(p);
        }
        if changed {
            self.condense();
        }
    }

    fn responds(&self, chamber: usize) -> bool {
        let gas = &self.chambers[chamber].gas;
        self.pressures[chamber] > 0.0 && self.pressures[chamber] < gas.limit
    }

    /// Pressures that satisfy every gas law with the contact forces as they are.
    pub(super) fn settle(&mut self) {
        for _ in 0..ROUNDS {
            if self.turn() < SETTLED || self.pressures.len() == 1 {
                return;
            }
            self.step_together();
        }
        self.turn();
    }

    /// A step of Newton's method over all chambers that respond, from the laws linearised where they are:
    /// Q^-1 dP = (P(V) - P) / slope.
    fn step_together(&mut self) {
        let (system, responds) = self.linear(true);
        let short = |p: usize| {
            let (gas, volume) = (self.gas(p), self.volume(p));
            let slope = gas.slope(self.pressures[p], volume);
            slope.map_or(0.0, |slope| (gas.pressure(volume) - self.pressures[p]) / slope)
        };
        let right = Mat::from_fn(responds.len(), 1, |p, _| short(p));
        let change = system.partial_piv_lu().solve(&right);
        for p in (0..responds.len()).filter(|p| responds[*p]) {
            let next = self.pressures[p] + change[(p, 0)];
            if next.is_finite() {
                self.pressures[p] = next.clamp(0.0, self.chambers[p].gas.limit);
            }
        }
    }

    /// Solves every chamber once with the others as they are; returns the largest relative change.
    fn turn(&mut self) -> f64 {
        let mut largest: f64 = 0.0;
        for p in 0..self.pressures.len() {
            let before = self.pressures[p];
            let pressure = self.resolve(p);
            largest = worse(largest, (pressure - before).abs() / pressure.max(1.0));
        }
        largest
    }

    /// The pressure of a chamber with the others as they are, Pa.
    fn resolve(&mut self, chamber: usize) -> f64 {
        let own = self.coupling(chamber, chamber);
        let free = self.volume(chamber) - own * self.gauge(chamber);
        self.pressures[chamber] = self.gas(chamber).resolve(own, free);
        self.pressures[chamber]
    }

    /// Largest deviation from a gas law, as a share of atmospheric pressure.
    pub(super) fn residual(&self) -> f64 {
        let deviation = |p: usize| {
            let gas = self.gas(p);
            (self.pressures[p] - gas.pressure(self.volume(p))).abs() / gas.atmosphere
        };
        (0..self.pressures.len()).map(deviation).fold(0.0, worse)
    }

    /// The gas of a chamber with what its tubes bring in at the present pressures.
    fn gas(&self, chamber: usize) -> crate::law::Gas {
        let Chamber { mut gas, ref tubes, .. } = self.chambers[chamber];
        for tube in tubes {
            gas.energy += tube.swept * self.pressures[tube.to];
            gas.flow_volume += tube.swept;
        }
        gas
    }

    /// n R T in a cubic metre of a chamber, J/m3.
    fn density(&self, chamber: usize) -> f64 {
        self.chambers[chamber].gas.density(self.pressures[chamber])
    }

    fn tube(&self, from: usize, to: usize) -> f64 {
        let tubes = self.chambers[from].tubes.iter();
        tubes.filter(|t| t.to == to).map(|t| t.swept).sum()
    }

    /// Moves the volumes that no force has changed yet, m3.
    pub(super) fn shift(&mut self, by: &[f64]) {
        self.free.iter_mut().zip(by).for_each(|(free, by)| *free += by);
        self.settle();
    }

    pub(super) fn volumes(&self) -> Vec<f64> {
        (0..self.pressures.len()).map(|p| self.volume(p)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Gas;
    use crate::solver::Tube;

    /// Chambers that tubes join, each a million times wider than a chamber, come to one pressure: sum n R T / sum V. Solved in turn they
    /// would go a millionth of the way in each.
    #[test]
    fn chambers_on_wide_tubes_are_solved_together() {
        let chamber = |index: usize| {
            let gas = Gas {
                energy: 0.1 * (index + 1) as f64,
                beside: 0.0,
                flow_volume: 0.0,
                atmosphere: 101_325.0,
                limit: f64::INFINITY,
                exponent: 1.0,
            };
            let others = (0..3).filter(|other| *other != index);
            let tubes = others.map(|to| Tube { to, swept: 1.0 }).collect();
            let gradient = Vec::new();
            Chamber { walls: None, volume: 1e-6, gradient, gas, tubes, warm_start: 1e5 }
        };
        let chambers: Vec<Chamber> = (0..3).map(chamber).collect();
        let stiff = WallCompliance { of_touches: vec![Vec::new(); 3], of_volumes: vec![0.0; 9] };
        let mut air = Air::new(&chambers, vec![1e-6; 3], stiff, vec![1e5; 3], true);
        air.settle();
        let expected = (0.1 + 0.2 + 0.3) / 3e-6;
        for pressure in &air.pressures {
            assert!((pressure / expected - 1.0).abs() < 1e-5, "{:?}, {expected}", air.pressures);
        }
        assert!(air.residual() < 1e-9, "{}", air.residual());
    }
}
