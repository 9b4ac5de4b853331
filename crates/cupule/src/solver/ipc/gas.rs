//! Trapped air in the incremental potential: G(V) of every chamber, with V linear in the points about where it was last measured.
//!
//! G' = P_atm - P, and the Hessian is G'' (dV/dx)(dV/dx)^T, rank one: it is not filled into the sparse matrix but taken in by the formula of
//! Sherman, Morrison and Woodbury. The row dV/dx is that of the start of the step, as in `ncp`; what the true volume of the end differs
//! by is added and the step solved again. Chambers that tubes join answer each other with the volumes of the round before (`tubes`).

use super::coordinates::Coordinates;
use super::tubes::joined_laws;
use crate::law::Gas;
use crate::solver::Chamber;
use cupule_geometry::DVec3;

/// One chamber of the step.
struct Air<'a> {
    chamber: &'a Chamber,
    /// Its law with what tubes add to it.
    gas: Gas,
    /// Measured volume less that of the linear model, m3.
    shift: f64,
    /// dV/dq over nodes, m2.
    row: Vec<DVec3>,
}

/// All chambers of the step.
pub(super) struct AirPotential<'a> {
    chambers: Vec<Air<'a>>,
    given: &'a [Chamber],
    start: &'a [DVec3],
}

impl<'a> AirPotential<'a> {
    pub(super) fn new(
        chambers: &'a [Chamber],
        start: &'a [DVec3],
        coordinates: &Coordinates,
    ) -> Self {
        let row = |chamber: &Chamber| {
            let mut row = vec![DVec3::ZERO; coordinates.count];
            for (point, slope) in &chamber.gradient {
                for (node, weight) in coordinates.of(*point) {
                    row[*node as usize] += *slope * *weight;
                }
            }
            row
        };
        let air =
            |chamber: &'a Chamber| Air { chamber, gas: chamber.gas, shift: 0.0, row: row(chamber) };
        let mut out = Self { chambers: chambers.iter().map(air).collect(), given: chambers, start };
        let volumes: Vec<f64> = chambers.iter().map(|c| c.volume).collect();
        out.connect(&volumes, chambers.iter().map(|c| c.warm_start).collect());
        out
    }

    /// Joins chambers by their tubes, about these volumes (m3) and near these pressures (Pa).
    fn connect(&mut self, volumes: &[f64], pressures: Vec<f64>) {
        let laws = joined_laws(self.given, volumes, pressures);
        self.chambers.iter_mut().zip(laws).for_each(|(air, law)| air.gas = law);
    }

    /// The linear volume of a chamber with points at `x`, m3.
    fn volume(&self, air: &Air, x: &[DVec3]) -> f64 {
        let moved = air.chamber.gradient.iter().map(|(p, g)| g.dot(x[*p] - self.start[*p]));
        air.chamber.volume + air.shift + moved.sum::<f64>()
    }

    /// G of a chamber, from its start.
    fn potential(&self, air: &Air, x: &[DVec3]) -> [f64; 3] {
        air.gas.potential(self.volume(air, x), air.chamber.volume)
    }

    /// G of all chambers, J.
    pub(super) fn energy(&self, x: &[DVec3]) -> f64 {
        self.chambers.iter().map(|air| self.potential(air, x)[0]).sum()
    }

    /// Adds its gradient, N.
    pub(super) fn add_gradient(&self, x: &[DVec3], out: &mut [DVec3]) {
        for air in &self.chambers {
            let [_, slope, _] = self.potential(air, x);
            air.chamber.gradient.iter().for_each(|(p, g)| out[*p] += *g * slope);
        }
    }

    /// Rank-one terms of the Hessian at `x`: a factor (Pa/m3) and a row over nodes (m2).
    pub(super) fn curvatures(&self, x: &[DVec3]) -> Vec<(f64, &[DVec3])> {
        self.chambers
            .iter()
            .map(|air| (self.potential(air, x)[2], &air.row[..]))
            .filter(|(curvature, _)| *curvature > 0.0)
            .collect()
    }

    /// Adds what displacements of points change of the gas's forces, N.
    pub(super) fn add_stiffness_times(&self, x: &[DVec3], moves: &[DVec3], out: &mut [DVec3]) {
        for air in &self.chambers {
            let [_, _, curvature] = self.potential(air, x);
            let swept: f64 = air.chamber.gradient.iter().map(|(p, g)| g.dot(moves[*p])).sum();
            air.chamber.gradient.iter().for_each(|(p, g)| out[*p] += *g * (curvature * swept));
        }
    }

    /// Pressures with points at `x`, Pa.
    pub(super) fn pressures(&self, x: &[DVec3]) -> Vec<f64> {
        self.chambers.iter().map(|air| air.gas.pressure(self.volume(air, x))).collect()
    }

    /// True volumes with points at `x`, m3.
    pub(super) fn volumes(&self, x: &[DVec3]) -> Vec<f64> {
        let measured = |air: &Air| match &air.chamber.walls {
            Some(walls) => walls.volume(x),
            None => air.chamber.volume,
        };
        self.chambers.iter().map(measured).collect()
    }

    /// Takes in what the linear model missed at `x` and the pressures there. Returns the largest change of a pressure over that of the
    /// atmosphere that follows.
    pub(super) fn correct(&mut self, x: &[DVec3]) -> f64 {
        let (before, volumes) = (self.pressures(x), self.volumes(x));
        self.connect(&volumes, before.clone());
        for (i, volume) in volumes.into_iter().enumerate() {
            let linear = self.volume(&self.chambers[i], x);
            self.chambers[i].shift += volume - linear;
        }
        let changes = before.iter().zip(self.pressures(x)).zip(&self.chambers);
        changes.map(|((a, b), air)| (a - b).abs() / air.gas.atmosphere).fold(0.0, f64::max)
    }
}

/// Solves (A + sum c u u^T) x = b for x, given y = A^-1 b in `x` and a solver of A.
pub(super) fn woodbury(
    terms: &[(f64, &[DVec3])],
    x: &mut [DVec3],
    mut solve: impl FnMut(&mut [DVec3]),
) {
    if terms.is_empty() {
        return;
    }
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let solved: Vec<Vec<DVec3>> = terms
        .iter()
        .map(|(_, row)| {
            let mut z = row.to_vec();
            solve(&mut z);
            z
        })
        .collect();
    // (C^-1 + U^T A^-1 U) w = U^T y, then x = y - A^-1 U w.
    let n = terms.len();
    let mut matrix: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let own = |j: usize| if i == j { 1.0 / terms[i].0 } else { 0.0 };
            (0..n).map(|j| dot(terms[i].1, &solved[j]) + own(j)).collect()
        })
        .collect();
    let mut w: Vec<f64> = terms.iter().map(|(_, row)| dot(row, x)).collect();
    eliminate(&mut matrix, &mut w);
    for (z, w) in solved.iter().zip(&w) {
        x.iter_mut().zip(z).for_each(|(x, z)| *x -= *z * *w);
    }
}

/// Solves a small system in place: symmetric positive definite, or dominated by its diagonal.
pub(super) fn eliminate(a: &mut [Vec<f64>], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let (above, below) = a.split_at_mut(i);
            let entries = below[0][k..].iter_mut().zip(&above[k][k..]);
            entries.for_each(|(entry, above)| *entry -= factor * above);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::configurations;
    use super::*;

    #[test]
    fn woodbury_solves_the_filled_system() {
        // A diagonal; (A + sum c u u^T) x = b checked by multiplying out.
        let diagonal = [2.0, 3.0, 5.0];
        let b = [DVec3::new(1.0, -2.0, 0.5), DVec3::Y, DVec3::new(0.3, 0.0, 4.0)];
        let rows: Vec<Vec<DVec3>> = (0..2)
            .map(|k| {
                (0..3).map(|i| DVec3::new((i + k) as f64, 1.0 - k as f64, 0.4 * i as f64)).collect()
            })
            .collect();
        let terms = [(7.0, &rows[0][..]), (0.3, &rows[1][..])];
        let solve = |x: &mut [DVec3]| x.iter_mut().zip(diagonal).for_each(|(x, d)| *x /= d);
        let mut x = b;
        solve(&mut x);
        woodbury(&terms, &mut x, solve);
        for i in 0..3 {
            let mut product = x[i] * diagonal[i];
            for (c, row) in terms {
                let along: f64 = row.iter().zip(&x).map(|(r, x)| r.dot(*x)).sum();
                product += row[i] * (c * along);
            }
            assert!((product - b[i]).length() < 1e-12, "{product} {}", b[i]);
        }
    }

    /// Gradient and Hessian of three gases at 1 000 random places each and along random directions, from beyond venting to nearly
    /// nothing left; every fourth on a coarse grid, where volumes are the same to the last bit, nothing or less.
    #[test]
    fn derivatives_agree_with_differences() {
        let start = [DVec3::ZERO; 3];
        let gradient = vec![(0, DVec3::new(0.1, 0.2, -0.1)), (2, DVec3::new(-0.3, 0.1, 0.2))];
        let mut kinds = [0, 0];
        for (energy, exponent) in [(101.0, 1.0), (101.0, 1.4), (10.0, 1.0)] {
            let gas =
                Gas { energy, flow_volume: 1e-5, atmosphere: 101_325.0, limit: 1.1e5, exponent };
            let chambers = [Chamber {
                walls: None,
                volume: 1e-3,
                gradient: gradient.clone(),
                gas,
                tubes: vec![],
                warm_start: 0.0,
            }];
            let air = Air { chamber: &chambers[0], gas, shift: 0.0, row: vec![] };
            let potential = AirPotential { chambers: vec![air], given: &chambers, start: &start };
            for (k, pair) in configurations(2000).chunks_exact(2).enumerate() {
                let grid = if k % 4 == 3 { 2.0 } else { 0.0 };
                let place = |v: DVec3| if grid > 0.0 { (v * grid).round() / grid } else { v };
                let x: [DVec3; 3] = std::array::from_fn(|i| place(pair[0][i]) * 5e-3);
                let direction: [DVec3; 3] = std::array::from_fn(|i| pair[1][i]);
                let at =
                    |t: f64| -> [DVec3; 3] { std::array::from_fn(|i| x[i] + direction[i] * t) };
                let e = 1e-8;
                let along = |g: &[DVec3; 3]| -> f64 {
                    g.iter().zip(&direction).map(|(g, d)| g.dot(*d)).sum()
                };
                let slope = |t: f64| {
                    let mut g = [DVec3::ZERO; 3];
                    potential.add_gradient(&at(t), &mut g);
                    along(&g)
                };
                let first = (potential.energy(&at(e)) - potential.energy(&at(-e))) / (2.0 * e);
                // 1e-3 N is what rounding leaves of energies of 100 J at this step.
                let near = 1e-5 * (1.0 + slope(0.0).abs()) + 1e-3;
                assert!((first - slope(0.0)).abs() < near, "{first} {} at {x:?}", slope(0.0));
                let vents = |t: f64| potential.pressures(&at(t))[0] >= 1.1e5 * (1.0 - 1e-9);
                kinds[usize::from(vents(0.0))] += 1;
                let mut bent = [DVec3::ZERO; 3];
                potential.add_stiffness_times(&x, &direction, &mut bent);
                let (second, difference) = (along(&bent), (slope(e) - slope(-e)) / (2.0 * e));
                // Where venting begins, the Hessian jumps.
                let jumps = vents(e) != vents(-e);
                // 2e-3 N/m is what rounding leaves of slopes of 1e5 N.
                let near = 1e-4 * second.abs() + 2e-3;
                assert!(jumps || (difference - second).abs() < near, "{difference} {second}");
            }
        }
        assert!(kinds.iter().all(|n| *n > 300), "{kinds:?}");
    }
}
