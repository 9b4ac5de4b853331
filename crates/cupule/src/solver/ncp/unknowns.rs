//! What is left to choose where contacts and chambers have linear laws, and the equations for it.
//!
//! A contact that slips has two unknowns, one that lets go has none: the directions and tests of its law (`Linear`) pick them
//! out of the three rows and columns it has in the compliance.

use super::sticking::Sticking;
use crate::law::Linear;
use cupule_geometry::DVec3;
use faer::Mat;

/// One unknown: an amount of a direction over one or three columns, and the test over the same rows that goes with it.
pub(super) struct Freedom {
    /// The first of its columns.
    pub(super) place: usize,
    columns: usize,
    direction: DVec3,
    test: DVec3,
    stiffness: f64,
    residual: f64,
}

impl Freedom {
    /// The pressure of a chamber, whose column this is.
    pub(super) fn pressure(place: usize) -> Self {
        let (direction, test) = (DVec3::X, DVec3::X);
        Self { place, columns: 1, direction, test, stiffness: 0.0, residual: 0.0 }
    }

    fn tested(&self, rows: &[f64]) -> f64 {
        let rows = &rows[self.place..self.place + self.columns];
        rows.iter().zip(self.test.to_array()).map(|(row, test)| row * test).sum()
    }
}

/// All unknowns, over the columns that are left of the compliance.
pub(super) struct Unknowns<'a> {
    pub(super) sticking: &'a Sticking,
    pub(super) free: Vec<Freedom>,
    /// Changes that laws ask for in any case: first column and amounts.
    pub(super) fixed: Vec<(usize, DVec3)>,
}

impl Unknowns<'_> {
    /// Takes in the law of a contact, whose columns start at `place`.
    pub(super) fn add(&mut self, place: usize, law: &Linear) {
        for i in 0..law.freedom {
            let (direction, test) = (law.directions[i], law.tests[i]);
            let (stiffness, residual) = (law.stiffness[i], law.residual[i]);
            self.free.push(Freedom { place, columns: 3, direction, test, stiffness, residual });
        }
        if law.offset != DVec3::ZERO {
            self.fixed.push((place, law.offset));
        }
    }

    /// Tests of what every unknown does, and what is still to be done: with the measures of what sticks reduced.
    pub(super) fn equations(&self, reduced: &[f64]) -> (Mat<f64>, Mat<f64>) {
        let n = self.free.len();
        let mut rows = vec![0.0; self.sticking.len()];
        let mut matrix = Mat::zeros(n, n);
        for (j, unknown) in self.free.iter().enumerate() {
            rows.fill(0.0);
            self.push(unknown.place, &unknown.direction.to_array()[..unknown.columns], &mut rows);
            let column = matrix.col_as_slice_mut(j);
            column.iter_mut().zip(&self.free).for_each(|(a, row)| *a = row.tested(&rows));
            column[j] += unknown.stiffness;
        }
        rows.iter_mut().enumerate().for_each(|(i, row)| *row = -self.sticking.carry(i, reduced));
        for (place, offset) in &self.fixed {
            self.push(*place, &offset.to_array(), &mut rows);
        }
        let right = |i: usize| -self.free[i].residual - self.free[i].tested(&rows);
        (matrix, Mat::from_fn(n, 1, |i, _| right(i)))
    }

    /// Adds what changes from a column on do to all rows.
    fn push(&self, place: usize, changes: &[f64], rows: &mut [f64]) {
        for (c, change) in changes.iter().enumerate().filter(|(_, change)| **change != 0.0) {
            let column = self.sticking.left(place + c);
            rows.iter_mut().zip(column).for_each(|(row, w)| *row += w * change);
        }
    }

    /// Changes of all columns for the amounts of the unknowns.
    pub(super) fn moved(&self, amounts: &[f64]) -> Vec<f64> {
        let mut moved = vec![0.0; self.sticking.len()];
        for (unknown, amount) in self.free.iter().zip(amounts) {
            let changes = unknown.direction.to_array();
            let own = &mut moved[unknown.place..unknown.place + unknown.columns];
            own.iter_mut().zip(changes).for_each(|(m, c)| *m += c * amount);
        }
        for (place, offset) in &self.fixed {
            let own = &mut moved[*place..place + 3];
            own.iter_mut().zip(offset.to_array()).for_each(|(m, c)| *m += c);
        }
        moved
    }
}
