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
    use crate::cavity::{Corner, Wall};
    use crate::mapping::Tie;
    use crate::math::samples;
    use crate::model::Model;
    use crate::solver::{Tube, Walls};
    use std::sync::Arc;

    const ATMOSPHERE: f64 = 101_325.0;

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
            let gas = Gas {
                energy,
                beside: 0.0,
                flow_volume: 1e-5,
                atmosphere: 101_325.0,
                limit: 1.1e5,
                exponent,
            };
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

    /// The air of a closed ball of 42 points, turned inside out; about 1e-6 m3.
    fn ball() -> (Wall, Vec<DVec3>) {
        let mesh = cupule_geometry::generate::sphere(6.2e-3, 1).expect("a ball");
        let corner = |v: u32| Corner { points: [v as usize; 3], weights: [1.0, 0.0, 0.0] };
        let triangles: Vec<[Corner; 3]> =
            mesh.triangles.iter().map(|[a, b, c]| [corner(*a), corner(*c), corner(*b)]).collect();
        (Wall { on_bodies: triangles.len(), triangles, offset: 0.0 }, mesh.vertices)
    }

    /// Two such balls that bend by as much as half their size, and a stiff vessel: tubes, flows, exponents and limits at random.
    struct Case {
        chambers: Vec<Chamber>,
        start: Vec<DVec3>,
        limit: f64,
    }

    impl Case {
        fn new(case: usize, numbers: &[f64]) -> Self {
            let (wall, rest) = ball();
            let count = rest.len();
            let bent = |k: usize| -> Vec<DVec3> {
                let by = numbers[3 * count * k..].chunks_exact(3);
                rest.iter().zip(by).map(|(x, d)| *x + DVec3::from_slice(d) * 2e-3).collect()
            };
            let start = [bent(0), bent(1)].concat();
            let shares = &numbers[6 * count..];
            let positive = |k: usize| 1.0 + shares[k];
            let exponent = [1.0, 1.4][case % 2];
            let limit = [1e9, 1.05 * ATMOSPHERE][case / 2 % 2];
            let gas = |volume: f64, k: usize, limit: f64| Gas {
                energy: ATMOSPHERE * volume * (0.5 + 0.8 * positive(k)),
                beside: 0.0,
                flow_volume: volume
                    * positive(k + 1)
                    * f64::from(u8::from(!case.is_multiple_of(3))),
                atmosphere: ATMOSPHERE,
                limit,
                exponent,
            };
            let cavity = |k: usize| {
                let moved = |corner: Corner| Corner {
                    points: corner.points.map(|p| p + k * count),
                    ..corner
                };
                let triangles = wall.triangles.iter().map(|t| t.map(moved)).collect();
                let wall = Wall { triangles, ..wall.clone() };
                let (volume, gradient) = wall.measure(&start);
                Chamber {
                    walls: Some(Arc::new(wall)),
                    volume,
                    gradient,
                    gas: gas(volume, 2 * k, limit),
                    tubes: vec![],
                    warm_start: ATMOSPHERE,
                }
            };
            let vessel = Chamber {
                walls: None,
                volume: 1e-7,
                gradient: vec![],
                gas: gas(1e-7, 4, f64::INFINITY),
                tubes: vec![],
                warm_start: ATMOSPHERE,
            };
            let mut chambers = vec![cavity(0), cavity(1), vessel];
            for (i, k) in [(0, 6), (1, 7)].into_iter().filter(|_| !case.is_multiple_of(5)) {
                let swept = 1e-6 * positive(k);
                chambers[i].tubes.push(Tube { to: 2, swept });
                chambers[2].tubes.push(Tube { to: i, swept });
            }
            Self { chambers, start, limit }
        }
    }

    /// Coordinates of so many free points.
    fn free(count: usize) -> Coordinates {
        let ties = (0..count).map(Tie::Free).collect();
        Coordinates::new(&Model { ties, body_of_block: vec![0; count], ..Model::default() }, 1e8)
    }

    fn moved(x: &[DVec3], by: &[DVec3], share: f64) -> Vec<DVec3> {
        x.iter().zip(by).map(|(x, d)| *x + *d * share).collect()
    }

    fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
    }

    fn vectors(numbers: &[f64]) -> Vec<DVec3> {
        numbers.chunks_exact(3).map(DVec3::from_slice).collect()
    }

    /// Along random directions from 1 000 random places of two soft chambers: the gradient is the slope of the energy, both
    /// the stiffness and the rank-one terms of Woodbury are that of the gradient; after a correction the potential has the true
    /// volumes.
    #[test]
    fn derivatives_agree_with_differences_for_joined_chambers_with_walls() {
        let count = 2 * ball().1.len();
        let (size, coordinates) = (9 * count + 8, free(count));
        let (mut venting, mut following) = (0, 0);
        for (case, numbers) in samples(1000 * size).chunks_exact(size).enumerate() {
            let Case { chambers, start, limit } = Case::new(case, numbers);
            let numbers = &numbers[3 * count + 8..];
            let mut potential = AirPotential::new(&chambers, &start, &coordinates);
            let x = moved(&start, &vectors(&numbers[..3 * count]), 1e-3);
            if case / 4 % 2 == 1 {
                potential.correct(&x);
                for (air, volume) in potential.chambers.iter().zip(potential.volumes(&x)) {
                    let linear = potential.volume(air, &x);
                    assert!(
                        (linear / volume - 1.0).abs() < 1e-12,
                        "case {case}: {linear} {volume}"
                    );
                }
            }
            // 0.1 m a unit: a step of 1e-6 changes volumes by 1e-5 of them.
            let way: Vec<DVec3> =
                vectors(&numbers[3 * count..6 * count]).into_iter().map(|d| d * 0.1).collect();
            let e = 1e-6;
            let [there, back] = [e, -e].map(|e| moved(&x, &way, e));
            let gradient = |x: &[DVec3]| {
                let mut out = vec![DVec3::ZERO; count];
                potential.add_gradient(x, &mut out);
                out
            };
            let slope = dot(&gradient(&x), &way);
            let difference = (potential.energy(&there) - potential.energy(&back)) / (2.0 * e);
            let size = dot(&gradient(&x), &gradient(&x)).sqrt() * dot(&way, &way).sqrt();
            // Energies of 0.1 J rounded, over 2e-6; and what a third derivative leaves.
            let near = 1e-6 * size + 1e-10;
            assert!((difference - slope).abs() < near, "case {case}: {difference} {slope} {size}");

            // Where venting begins, the Hessian jumps.
            let vents = |x: &[DVec3]| -> Vec<bool> {
                potential.pressures(x).iter().map(|p| *p >= limit).collect()
            };
            venting += usize::from(vents(&x).contains(&true));
            following += usize::from(vents(&x).contains(&false));
            if vents(&there) != vents(&back) {
                continue;
            }
            let mut product = vec![DVec3::ZERO; count];
            potential.add_stiffness_times(&x, &way, &mut product);
            let mut ranked = vec![DVec3::ZERO; count];
            for (factor, row) in potential.curvatures(&x) {
                let along = factor * dot(row, &way);
                ranked.iter_mut().zip(row).for_each(|(out, u)| *out += *u * along);
            }
            let [there, back] = [there, back].map(|x| gradient(&x));
            let differences: Vec<DVec3> =
                moved(&there, &back, -1.0).iter().map(|d| *d / (2.0 * e)).collect();
            // Gradients of some newtons rounded, over 2e-6.
            let near = 1e-5 * dot(&product, &product).sqrt() + 1e-7;
            for found in [&product, &ranked] {
                let error = moved(&differences, found, -1.0);
                let error = dot(&error, &error).sqrt();
                assert!(error < near, "case {case}: off by {error} of {near}");
            }
        }
        assert!(venting > 100 && following > 100, "{venting} {following}");
    }

    /// Of the potential of the true volume, G(V(x)), the linear model has the slope at its start; of its second derivative along a way,
    /// w (G'' g g^T + G' V'') w, it leaves out G' w V'' w and nothing else. At 1 000 random walls.
    #[test]
    fn linear_volume_leaves_out_the_curvature_of_the_wall_only() {
        let count = 2 * ball().1.len();
        let (size, coordinates) = (6 * count + 8, free(count));
        for (case, numbers) in samples(1000 * size).chunks_exact(size).enumerate() {
            let Case { mut chambers, start, limit } = Case::new(case, numbers);
            // Tubes answer to other chambers' volumes only from round to round.
            chambers.truncate(1);
            chambers[0].tubes.clear();
            let potential = AirPotential::new(&chambers, &start, &coordinates);
            let (wall, volume) = (ball().0, chambers[0].volume);
            let way: Vec<DVec3> =
                vectors(&numbers[3 * count + 8..]).into_iter().map(|d| d * 0.1).collect();
            let e = 1e-5;
            let [there, back] = [e, -e].map(|e| moved(&start, &way, e));
            let value = |x: &[DVec3]| chambers[0].gas.potential(wall.volume(x), volume);
            let mut gradient = vec![DVec3::ZERO; count];
            potential.add_gradient(&start, &mut gradient);
            let (slope, scale) = (dot(&gradient, &way), dot(&gradient, &gradient).sqrt());
            let difference = (value(&there)[0] - value(&back)[0]) / (2.0 * e);
            let near = 1e-5 * scale * dot(&way, &way).sqrt() + 1e-10;
            assert!((difference - slope).abs() < near, "case {case}: {difference} {slope}");

            let pressures = [&there, &back, &start].map(|x| potential.pressures(x)[0]);
            if pressures.iter().any(|p| (p / limit - 1.0).abs() < 1e-3) {
                continue;
            }
            let mut product = vec![DVec3::ZERO; count];
            potential.add_stiffness_times(&start, &way, &mut product);
            // dV/dx is quadratic: its central difference is its derivative.
            let along = |x: &[DVec3]| -> f64 {
                wall.measure(x).1.iter().map(|(p, g)| g.dot(way[*p])).sum()
            };
            let bend = value(&start)[1] * (along(&there) - along(&back)) / (2.0 * e);
            let second = dot(&product, &way) + bend;
            let difference = (value(&there)[0] + value(&back)[0]) / (e * e);
            // Fourth derivatives, and 1e-17 J of rounding over 1e-10.
            let near = 1e-4 * (dot(&product, &way).abs() + bend.abs()) + 1e-6;
            assert!((difference - second).abs() < near, "case {case}: {difference} {second}");
        }
    }
}
