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
use faer::{Accum, Mat, MatRef, Par};

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
        let (softening, members) = (answers.softening, Vec::new());
        Some(Self { touches, softening, members, factor, columns, left })
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

    /// Columns of chambers and members, those of the given touches.
    pub(super) fn places(&self, chambers: &[usize], touches: &[usize]) -> Vec<usize> {
        let first = self.columns.ncols() - 3 * self.members.len();
        let place = |touch: &usize| self.members.iter().position(|m| m == touch);
        let of_touches = touches.iter().filter_map(place).flat_map(|m| {
            let at = first + 3 * m;
            at..at + 3
        });
        chambers.iter().copied().chain(of_touches).collect()
    }

    /// What column `from` does to row `to`, with the contacts that stick following.
    pub(super) fn left(&self, to: usize, from: usize) -> f64 {
        self.left[(to, from)]
    }

    /// L^-1 r for the measures (m) of the contacts that stick.
    pub(super) fn reduce(&self, measures: impl Iterator<Item = DVec3>) -> Mat<f64> {
        let flat: Vec<f64> = measures.flat_map(|m| m.to_array()).collect();
        let mut r = Mat::from_fn(flat.len(), 1, |i, _| flat[i]);
        triangular_solve::solve_lower_triangular_in_place(self.lower(), r.as_mut(), Par::Seq);
        r
    }

    /// What reduced measures do to a column's row: Z^T L^-1 r.
    pub(super) fn carry(&self, column: usize, reduced: &Mat<f64>) -> f64 {
        let z = self.columns.col_as_slice(column);
        z.iter().zip(reduced.col_as_slice(0)).map(|(z, r)| z * r).sum()
    }

    /// Changes of the eliminated forces (N), from the reduced measures and the changes of the others: -L^-T (L^-1 r + Z dM).
    pub(super) fn follow(
        &self,
        mut reduced: Mat<f64>,
        changes: impl Iterator<Item = (usize, f64)>,
    ) -> Vec<DVec3> {
        let sum = reduced.col_as_slice_mut(0);
        for (column, change) in changes {
            let z = self.columns.col_as_slice(column);
            sum.iter_mut().zip(z).for_each(|(sum, z)| *sum += z * change);
        }
        let upper = self.lower().transpose();
        triangular_solve::solve_upper_triangular_in_place(upper, reduced.as_mut(), Par::Seq);
        reduced.col_as_slice(0).chunks_exact(3).map(|c| -DVec3::from_slice(c)).collect()
    }

    fn lower(&self) -> MatRef<'_, f64> {
        let size = 3 * self.touches.len();
        MatRef::from_column_major_slice(&self.factor, size, size)
    }
}
