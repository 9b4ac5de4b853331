//! Contacts that stick, taken out of Newton's equations once.
//!
//! A contact that sticks has the same linear law at every step of Newton's method: its gap and slip are to vanish. Most contacts
//! of a cup do, and which ones hardly changes on the way. With K those that stick, M the others that push and the chambers that
//! respond, and C what joins them,
//!
//! ```text
//! W_KK dK + C dM = -r_K,    W_KK = L L^T,    Z = L^-1 C
//! ```
//!
//! leaves W_MM - Z^T Z for the others, a fraction of all, which each step of Newton's method factors anew. Chambers count as
//! unknowns of their own: their slope changes from step to step, and K must not know.

use super::air::Air;
use super::coupling::Coupling;
use crate::law::Linear;
use crate::sparse::factor_panel;
use cupule_geometry::DVec3;
use faer::linalg::{matmul, triangular_solve};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// What answers forces and pressures.
pub(super) struct Answers<'a> {
    pub(super) couplings: &'a [Coupling],
    pub(super) air: &'a Air<'a>,
    /// Number of all touches.
    pub(super) touches: usize,
    /// Added to the diagonal of the compliance of every touch, m/N.
    pub(super) softening: f64,
    /// Pressures are counted in these, Pa, so that they are of the order of forces.
    pub(super) units: &'a [f64],
}

impl Answers<'_> {
    /// W between touches, three rows and columns each.
    fn between(&self, rows: &[usize], columns: &[usize]) -> Mat<f64> {
        let places = |touches: &[usize]| {
            let mut places = vec![usize::MAX; self.touches];
            touches.iter().enumerate().for_each(|(place, touch)| places[*touch] = place);
            places
        };
        let mut w = Mat::zeros(3 * rows.len(), 3 * columns.len());
        let (rows, columns) = (places(rows), places(columns));
        self.couplings.iter().for_each(|coupling| coupling.add_to(&mut w, &rows, &columns));
        w
    }

    /// What a unit of pressure in every chamber does to touches, one column a chamber.
    fn of_chambers(&self, touches: &[usize]) -> Mat<f64> {
        let mut w = Mat::zeros(3 * touches.len(), self.units.len());
        for (k, touch) in touches.iter().enumerate() {
            for (p, moved) in self.air.of_touch(*touch).enumerate() {
                let moved = moved * self.units[p];
                (0..3).for_each(|c| w[(3 * k + c, p)] = moved[c]);
            }
        }
        w
    }
}

/// Contacts that stick, eliminated.
pub(super) struct Sticking {
    /// Those contacts, ascending.
    pub(super) touches: Vec<usize>,
    /// The softening it was made with.
    pub(super) softening: f64,
    /// The units of pressure it was made with, Pa.
    pub(super) units: Vec<f64>,
    /// Contacts that are not eliminated, as they were first asked for.
    members: Vec<usize>,
    /// L, by columns.
    factor: Vec<f64>,
    /// Z: chambers, then members with three columns each.
    columns: Mat<f64>,
    /// W - Z^T Z over chambers and members; between chambers -Z^T Z only.
    left: Mat<f64>,
}

impl Sticking {
    /// Takes contacts out; none where rounding has made their compliance indefinite.
    pub(super) fn new(answers: &Answers, touches: Vec<usize>) -> Option<Self> {
        let size = 3 * touches.len();
        let mut w = answers.between(&touches, &touches);
        (0..size).for_each(|i| w[(i, i)] += answers.softening);
        let mut factor: Vec<f64> = (0..size).flat_map(|j| w.col_as_slice(j).to_vec()).collect();
        if size > 0 {
            factor_panel(&mut factor, size).ok()?;
        }
        let mut columns = answers.of_chambers(&touches);
        let lower = MatRef::from_column_major_slice(&factor, size, size);
        triangular_solve::solve_lower_triangular_in_place(lower, columns.as_mut(), Par::Seq);
        let chambers = columns.ncols();
        let mut left = Mat::zeros(chambers, chambers);
        let (z, par) = (columns.as_ref(), Par::Seq);
        matmul::matmul(left.as_mut(), Accum::Replace, z.transpose(), z, -1.0, par);
        let (softening, units) = (answers.softening, answers.units.to_vec());
        Some(Self { touches, softening, units, members: Vec::new(), factor, columns, left })
    }

    /// Takes in contacts that are not eliminated; those it knows cost nothing.
    pub(super) fn add(&mut self, answers: &Answers, touches: impl Iterator<Item = usize>) {
        let new: Vec<usize> = touches.filter(|touch| !self.members.contains(touch)).collect();
        if new.is_empty() {
            return;
        }
        let (before, size) = (self.columns.ncols(), 3 * self.touches.len());
        let after = before + 3 * new.len();
        let mut z = answers.between(&self.touches, &new);
        triangular_solve::solve_lower_triangular_in_place(self.lower(), z.as_mut(), Par::Seq);
        self.columns.resize_with(size, after, |_, _| 0.0);
        self.columns.subcols_mut(before, z.ncols()).copy_from(&z);
        self.members.extend(new.iter().copied());
        let mut own = Mat::zeros(after, z.ncols());
        let chambers = answers.units.len();
        own.subrows_mut(0, chambers).copy_from(answers.of_chambers(&new).transpose());
        let among = answers.between(&self.members, &new);
        own.subrows_mut(chambers, among.nrows()).copy_from(&among);
        (0..z.ncols()).for_each(|i| own[(before + i, i)] += self.softening);
        let known = self.columns.transpose();
        matmul::matmul(own.as_mut(), Accum::Add, known, z.as_ref(), -1.0, Par::Seq);
        self.left.resize_with(after, after, |_, _| 0.0);
        self.left.subcols_mut(before, z.ncols()).copy_from(&own);
        let mut below = self.left.subrows_mut(before, z.ncols());
        below.copy_from(own.transpose());
    }

    /// Whether everything that is eliminated still sticks.
    pub(super) fn fits(&self, laws: &[(usize, Linear)]) -> bool {
        let sticks = |touch: &usize| {
            let found = laws.binary_search_by_key(touch, |(i, _)| *i);
            found.is_ok_and(|k| laws[k].1.sticks())
        };
        self.touches.iter().all(sticks)
    }

    /// The first of the three columns of a contact that is not eliminated.
    pub(super) fn place(&self, touch: usize) -> Option<usize> {
        let first = self.columns.ncols() - 3 * self.members.len();
        self.members.iter().position(|m| *m == touch).map(|m| first + 3 * m)
    }

    /// Number of columns: chambers, then three for every member.
    pub(super) fn len(&self) -> usize {
        self.columns.ncols()
    }

    /// What a column does to all rows, with the contacts that stick following, m.
    pub(super) fn left(&self, column: usize) -> &[f64] {
        self.left.col_as_slice(column)
    }

    /// L^-1 r for the measures (m) of the contacts that stick.
    pub(super) fn reduce(&self, measures: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut r: Vec<f64> = measures.collect();
        let column = MatMut::from_column_major_slice_mut(&mut r, 3 * self.touches.len(), 1);
        triangular_solve::solve_lower_triangular_in_place(self.lower(), column, Par::Seq);
        r
    }

    /// What reduced measures do to a column's row: Z^T L^-1 r.
    pub(super) fn carry(&self, column: usize, reduced: &[f64]) -> f64 {
        self.columns.col_as_slice(column).iter().zip(reduced).map(|(z, r)| z * r).sum()
    }

    /// Changes of the eliminated forces (N), from the reduced measures and the changes of all columns: -L^-T (L^-1 r + Z dM).
    pub(super) fn follow(&self, mut reduced: Vec<f64>, changes: &[f64]) -> Vec<DVec3> {
        for (column, change) in changes.iter().enumerate().filter(|(_, change)| **change != 0.0) {
            let z = self.columns.col_as_slice(column);
            reduced.iter_mut().zip(z).for_each(|(sum, z)| *sum += z * change);
        }
        let column = MatMut::from_column_major_slice_mut(&mut reduced, 3 * self.touches.len(), 1);
        let upper = self.lower().transpose();
        triangular_solve::solve_upper_triangular_in_place(upper, column, Par::Seq);
        reduced.chunks_exact(3).map(|c| -DVec3::from_slice(c)).collect()
    }

    fn lower(&self) -> MatRef<'_, f64> {
        let size = 3 * self.touches.len();
        MatRef::from_column_major_slice(&self.factor, size, size)
    }
}

#[cfg(test)]
mod tests {
    use super::super::air::WallCompliance;
    use super::super::unknowns::{Freedom, Unknowns};
    use super::*;
    use crate::law::{ContactLaw, Coulomb, Gas};
    use crate::solver::Chamber;
    use faer::linalg::solvers::Solve;

    const TOUCHES: usize = 5;

    /// A made-up compliance: positive definite, every contact joined to every other.
    fn compliance() -> Mat<f64> {
        let half = Mat::from_fn(15, 15, |i, j| ((7 * i + 3 * j * j) as f64).sin());
        let mut w = Mat::from_fn(15, 15, |i, j| if i == j { 0.5 } else { 0.0 });
        matmul::matmul(w.as_mut(), Accum::Add, half.as_ref(), half.transpose(), 0.1, Par::Seq);
        w
    }

    /// One contact lets go, one slips, three stick.
    fn laws() -> Vec<(usize, Linear)> {
        let law = Coulomb { friction: 0.5 };
        let force =
            [[1.0, 0.1, 0.0], [1.0, 0.4, 0.3], [2.0, 0.0, 0.1], [1.0, 0.0, 0.0], [1.5, 0.2, 0.0]];
        let gap = [-0.1, 0.02, -0.3, 9.0, 0.1];
        (0..TOUCHES)
            .map(|i| {
                let measure = DVec3::new(gap[i], 0.01 * i as f64, -0.02);
                (i, law.linearise(DVec3::from_array(force[i]), measure, [1.0, 1.0]))
            })
            .collect()
    }

    /// Changes of all forces where `stuck` of those that stick are eliminated, with one chamber that answers.
    fn changes(stuck: &[usize]) -> Vec<DVec3> {
        let gas = Gas {
            energy: 1.0,
            beside: 0.0,
            flow_volume: 0.0,
            atmosphere: 1.0,
            limit: f64::INFINITY,
            exponent: 1.0,
        };
        let chambers = [Chamber {
            walls: None,
            volume: 1.0,
            gradient: Vec::new(),
            gas,
            tubes: Vec::new(),
            warm_start: 1.0,
        }];
        let of_touch = |i: usize| DVec3::new(0.3, 0.1 * i as f64, -0.2);
        let walls = WallCompliance {
            of_touches: vec![(0..TOUCHES).map(of_touch).collect()],
            of_volumes: vec![0.4],
        };
        let air = Air::new(&chambers, vec![1.0], walls, vec![1.0], true);
        let couplings = [Coupling::dense((0..TOUCHES).collect(), compliance())];
        let (softening, units) = (0.0, [2.0]);
        let (couplings, units) = (&couplings[..], &units[..]);
        let answers = Answers { couplings, air: &air, touches: TOUCHES, softening, units };
        let mut sticking = Sticking::new(&answers, stuck.to_vec()).expect("it is definite");
        let (held, others): (Vec<_>, Vec<_>) =
            laws().into_iter().partition(|(i, _)| stuck.contains(i));
        // One after the other, as Newton's method comes to need them.
        others.iter().for_each(|(i, _)| sticking.add(&answers, [*i].into_iter()));
        let mut unknowns = Unknowns { sticking: &sticking, free: Vec::new(), fixed: Vec::new() };
        unknowns.free.push(Freedom::pressure(0));
        for (i, law) in &others {
            unknowns.add(sticking.place(*i).expect("it is a member"), law);
        }
        let reduced = sticking.reduce(held.iter().flat_map(|(_, law)| law.residual));
        let (mut matrix, right) = unknowns.equations(&reduced);
        matrix[(0, 0)] += air.stiffness().0[(0, 0)] * 4.0;
        let amounts = matrix.partial_piv_lu().solve(&right);
        let moved = unknowns.moved(amounts.col_as_slice(0));
        let mut changes = vec![DVec3::ZERO; TOUCHES];
        for (i, _) in &others {
            let at = sticking.place(*i).expect("it is a member");
            changes[*i] = DVec3::from_slice(&moved[at..at + 3]);
        }
        let followed = sticking.follow(reduced, &moved);
        stuck.iter().zip(followed).for_each(|(i, by)| changes[*i] = by);
        changes
    }

    #[test]
    fn taking_out_what_sticks_changes_nothing() {
        let sticks: Vec<bool> = laws().iter().map(|(_, law)| law.sticks()).collect();
        assert_eq!(sticks, [true, false, true, false, true]);
        let whole = changes(&[]);
        assert!(
            whole.iter().all(|by| by.length() > 1e-3),
            "there is something to solve: {whole:?}"
        );
        for stuck in [&[0][..], &[2, 4], &[0, 2, 4]] {
            let apart =
                changes(stuck).iter().zip(&whole).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{stuck:?}: {apart}");
        }
    }

    #[test]
    fn the_laws_hold_where_their_equations_do() {
        // For contacts that stick the measure vanishes: r + W dlambda + w dP = 0, with dP = -w . dlambda / (W_pp + V / P).
        let by = changes(&[0, 2]);
        let flat: Vec<f64> = by.iter().flat_map(|b| b.to_array()).collect();
        let of_touch = |i: usize| DVec3::new(0.3, 0.1 * i as f64, -0.2);
        let swept: f64 = by.iter().enumerate().map(|(i, b)| of_touch(i).dot(*b)).sum();
        let pressure = -swept / (0.4 + 1.0);
        let w = compliance();
        for (i, law) in laws().iter().filter(|(_, law)| law.sticks()) {
            for c in 0..3 {
                let answer: f64 = (0..15).map(|j| w[(3 * i + c, j)] * flat[j]).sum();
                let left = law.residual[c] + answer + of_touch(*i)[c] * pressure;
                assert!(left.abs() < 1e-12, "contact {i}, row {c}: {left}");
            }
        }
        assert_eq!(by[3], DVec3::new(-1.0, 0.0, 0.0), "what has parted lets go");
    }
}
