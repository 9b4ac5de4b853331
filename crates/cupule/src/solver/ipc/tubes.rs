//! Chambers that tubes join: their pressures at given volumes, and the law by which each then follows its own volume.
//!
//! With h C much larger than the volumes, as in any wide tube, chambers solved in turn creep towards each other by V / (h C) a turn. So
//! all pressures are found at once, P_i = p_i(V_i, N_i + sum swept P_j), and every chamber gets the law that is left when the
//! others answer it with their volumes as they are: those bring in swept r P_i of it, with r the answer of their pressures to its own, so
//! that it has that much less room for flows. Of one cavity on lines this is the whole truth; cavities on one line still miss how the
//! others' volumes move, until they are measured again.

use super::gas::eliminate;
use crate::law::Gas;
use crate::solver::Chamber;

/// Pressures are found when none is further from its law than this share of the atmosphere.
const SETTLED: f64 = 1e-13;
/// Attempts at that: one suffices without venting and exponents.
const ATTEMPTS: usize = 100;

/// The laws of all chambers about these volumes (m3), from a guess of their pressures (Pa).
pub(super) fn joined_laws(chambers: &[Chamber], volumes: &[f64], guess: Vec<f64>) -> Vec<Gas> {
    if chambers.iter().all(|chamber| chamber.tubes.is_empty()) {
        return chambers.iter().map(|chamber| chamber.gas).collect();
    }
    let network = Network { chambers, volumes };
    let pressures = network.settle(guess);
    (0..chambers.len()).map(|i| network.law(i, &pressures)).collect()
}

struct Network<'a> {
    chambers: &'a [Chamber],
    volumes: &'a [f64],
}

impl Network<'_> {
    /// The law of a chamber with what its tubes bring at these pressures (Pa).
    fn fed(&self, chamber: usize, pressures: &[f64]) -> Gas {
        let Chamber { mut gas, ref tubes, .. } = self.chambers[chamber];
        for tube in tubes {
            gas.energy += tube.swept * pressures[tube.to];
            gas.flow_volume += tube.swept;
        }
        gas
    }

    fn lawful(&self, chamber: usize, pressures: &[f64]) -> f64 {
        self.fed(chamber, pressures).pressure(self.volumes[chamber])
    }

    /// What every law misses, Pa.
    fn misfits(&self, pressures: &[f64]) -> Vec<f64> {
        (0..pressures.len()).map(|i| self.lawful(i, pressures) - pressures[i]).collect()
    }

    /// Pressures (Pa) that satisfy all laws. Newton's method: without exponents the misfits are concave and straight in pieces, so that
    /// it cannot fail; with them, where it does not help, each chamber in turn.
    fn settle(&self, mut pressures: Vec<f64>) -> Vec<f64> {
        let size = |misfits: &[f64]| misfits.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let certain = self.chambers.iter().all(|c| c.gas.exponent == 1.0);
        let atmosphere = self.chambers.iter().fold(0.0, |p: f64, c| p.max(c.gas.atmosphere));
        for _ in 0..ATTEMPTS {
            let misfits = self.misfits(&pressures);
            if size(&misfits) <= SETTLED * atmosphere {
                break;
            }
            let (mut matrix, mut steps) = (self.couplings(&pressures), misfits.clone());
            eliminate(&mut matrix, &mut steps);
            let trial: Vec<f64> = pressures.iter().zip(steps).map(|(p, s)| p + s).collect();
            if certain || size(&self.misfits(&trial)) < size(&misfits) {
                pressures = trial;
            } else {
                (0..pressures.len()).for_each(|i| pressures[i] = self.lawful(i, &pressures));
            }
        }
        pressures
    }

    /// 1 - dp/dP of all chambers; dominated by its diagonal. A chamber that vents answers nothing.
    fn couplings(&self, pressures: &[f64]) -> Vec<Vec<f64>> {
        let n = pressures.len();
        (0..n)
            .map(|i| {
                let gas = self.fed(i, pressures);
                let pressure = gas.pressure(self.volumes[i]);
                let follows = gas.slope(pressure, self.volumes[i]).is_some();
                let mut row: Vec<f64> = (0..n).map(|j| f64::from(u8::from(i == j))).collect();
                for tube in self.chambers[i].tubes.iter().filter(|_| follows) {
                    row[tube.to] -= tube.swept * gas.answer(pressure, self.volumes[i]);
                }
                row
            })
            .collect()
    }

    /// How a chamber follows its own volume while all others answer.
    fn law(&self, chamber: usize, pressures: &[f64]) -> Gas {
        let mut gas = self.fed(chamber, pressures);
        let pressure = gas.pressure(self.volumes[chamber]);
        if gas.slope(pressure, self.volumes[chamber]).is_none() {
            return gas;
        }
        let unit = |j: usize| f64::from(u8::from(j == chamber));
        let mut matrix = self.couplings(pressures);
        matrix[chamber] = (0..pressures.len()).map(unit).collect();
        let mut answers = matrix[chamber].clone();
        eliminate(&mut matrix, &mut answers);
        let tubes = self.chambers[chamber].tubes.iter();
        let answered: f64 = tubes.map(|t| t.swept * answers[t.to]).sum();
        gas.flow_volume -= answered;
        // The same pressure at this volume.
        gas.energy -= answered * pressure;
        gas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::samples;
    use crate::solver::Tube;

    const ATMOSPHERE: f64 = 101_325.0;

    /// Four chambers of some cm3 in a ring, with a tube from each to the next: from far narrower to far wider than they are.
    fn ring(numbers: &[f64], limit: f64) -> (Vec<Chamber>, Vec<f64>) {
        let volumes: Vec<f64> = (0..4).map(|i| 1e-6 * 10f64.powf(numbers[i])).collect();
        let swept: Vec<f64> = (0..4).map(|i| 1e-6 * 1e4f64.powf(numbers[4 + i])).collect();
        let chamber = |i: usize| Chamber {
            walls: None,
            volume: volumes[i],
            gradient: vec![],
            gas: Gas {
                energy: ATMOSPHERE * volumes[i] * (1.0 + 0.9 * numbers[8 + i]),
                beside: 0.0,
                flow_volume: 0.0,
                atmosphere: ATMOSPHERE,
                limit,
                exponent: 1.0,
            },
            tubes: vec![
                Tube { to: (i + 1) % 4, swept: swept[i] },
                Tube { to: (i + 3) % 4, swept: swept[(i + 3) % 4] },
            ],
            warm_start: ATMOSPHERE,
        };
        ((0..4).map(chamber).collect(), volumes)
    }

    /// P_i = p_i(V_i, N_i + sum swept P_j) for all i at once, n R T is kept, and dP_i/dV_i of the law that is left is that of all
    /// together, at 1 000 random rings; also with a limit at which some vent.
    #[test]
    fn joined_chambers_satisfy_all_laws_and_answer_as_one() {
        let mut venting = 0;
        for (case, numbers) in samples(12_000).chunks_exact(12).enumerate() {
            let limit = [f64::INFINITY, 1.3 * ATMOSPHERE][case % 2];
            let (chambers, volumes) = ring(numbers, limit);
            let pressures = |volumes: &[f64]| -> Vec<f64> {
                let laws = joined_laws(&chambers, volumes, vec![ATMOSPHERE; 4]);
                laws.iter().zip(volumes).map(|(law, v)| law.pressure(*v)).collect()
            };
            let p = pressures(&volumes);
            let network = Network { chambers: &chambers, volumes: &volumes };
            let off = network.misfits(&p).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(off < 1e-10 * ATMOSPHERE, "case {case}: off by {off} Pa");
            let vents = p.iter().any(|p| *p >= limit);
            venting += usize::from(vents);
            let held: f64 = p.iter().zip(&volumes).map(|(p, v)| p * v).sum();
            let given: f64 = chambers.iter().map(|c| c.gas.energy).sum();
            assert!(vents || (held / given - 1.0).abs() < 1e-9, "case {case}: {held} {given}");
            let laws = joined_laws(&chambers, &volumes, vec![ATMOSPHERE; 4]);
            for i in 0..4 {
                let e = 1e-5 * volumes[i];
                let at = |e: f64| {
                    let mut moved = volumes.clone();
                    moved[i] += e;
                    pressures(&moved)
                };
                let (more, less) = (at(e), at(-e));
                if p.iter().chain(&more).chain(&less).any(|p| (p / limit - 1.0).abs() < 1e-4) {
                    continue;
                }
                let slope = laws[i].slope(p[i], volumes[i]).expect("it does not vent");
                let difference = (less[i] - more[i]) / (2.0 * e);
                // Tubes 1e5 times as wide as chambers leave 11 digits of the pressures, and steps of 1e-5 five of their slope.
                let near = 2e-5 * slope;
                assert!((difference - slope).abs() < near, "case {case}: {difference} {slope}");
            }
        }
        assert!((100..900).contains(&venting), "{venting}");
    }
}
