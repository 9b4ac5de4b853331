//! How the contacts of one island answer each other's forces: W over their rows, three a contact.
//!
//! A soft body has a dense W. A rigid body has six unknowns, and its W has rank six: what a force does goes through them, and
//! nothing of the size of W is ever stored or read.

use crate::sparse::SparseRow;
use cupule_geometry::{DMat3, DVec3};
use faer::Mat;
use faer::traits::pulp::Arch;

/// Compliance of the contacts of one island.
pub(super) struct Coupling {
    pub(super) touches: Vec<usize>,
    form: Form,
    /// What is linear in the forces: W lambda, three entries a touch, or where the unknowns go.
    pub(super) response: Vec<f64>,
    /// What the processor can do at once.
    arch: Arch,
}

enum Form {
    Dense(Mat<f64>),
    /// Rows H over the unknowns and their answers A^-1 H^T, row by row.
    Slim {
        unknowns: usize,
        rows: Vec<f64>,
        answers: Vec<f64>,
    },
}

impl Coupling {
    /// From W over the rows of the touches, three each.
    pub(super) fn dense(touches: Vec<usize>, w: Mat<f64>) -> Self {
        let response = vec![0.0; 3 * touches.len()];
        Self { touches, form: Form::Dense(w), response, arch: Arch::new() }
    }

    /// From the rows over a few blocks and the solution of the island's equations.
    pub(super) fn slim(
        touches: Vec<usize>,
        rows: &[SparseRow],
        blocks: usize,
        solve: impl Fn(&mut [DVec3]),
    ) -> Self {
        let unknowns = 3 * blocks;
        // A^-1, one solve an unknown: there are mostly far fewer of them than rows.
        let mut inverse = Vec::with_capacity(unknowns * blocks);
        for unknown in 0..unknowns {
            let mut x = vec![DVec3::ZERO; blocks];
            x[unknown / 3][unknown % 3] = 1.0;
            solve(&mut x);
            inverse.extend(x);
        }
        let size = unknowns * rows.len();
        let (mut flat, mut answers) = (vec![0.0; size], vec![0.0; size]);
        let of_rows = flat.chunks_exact_mut(unknowns).zip(answers.chunks_exact_mut(unknowns));
        for (row, (own, answer)) in rows.iter().zip(of_rows) {
            for (block, c) in row {
                own[3 * block..3 * block + 3]
                    .iter_mut()
                    .zip(c.to_array())
                    .for_each(|(o, c)| *o += c);
            }
            for (column, amount) in inverse.chunks_exact(blocks).zip(own.iter()) {
                let column = column.iter().flat_map(|x| x.to_array());
                answer.iter_mut().zip(column).for_each(|(answer, x)| *answer += x * amount);
            }
        }
        let form = Form::Slim { unknowns, rows: flat, answers };
        Self { touches, form, response: vec![0.0; unknowns], arch: Arch::new() }
    }

    /// How touch `moved` answers a force on touch `pushed`, m/N; both by their place here.
    #[inline]
    pub(super) fn block(&self, moved: usize, pushed: usize) -> DMat3 {
        match &self.form {
            Form::Dense(w) => {
                let at = 3 * moved;
                let column =
                    |c: usize| DVec3::from_slice(&w.col_as_slice(3 * pushed + c)[at..at + 3]);
                DMat3::from_cols(column(0), column(1), column(2))
            }
            Form::Slim { unknowns, rows, answers } => {
                let row = |r: usize| &rows[(3 * moved + r) * unknowns..][..*unknowns];
                let column = |c: usize| {
                    let answer = &answers[(3 * pushed + c) * unknowns..][..*unknowns];
                    DVec3::new(dot(row(0), answer), dot(row(1), answer), dot(row(2), answer))
                };
                DMat3::from_cols(column(0), column(1), column(2))
            }
        }
    }

    /// What all forces add to the measure of a touch, m.
    pub(super) fn measure(&self, local: usize) -> DVec3 {
        match &self.form {
            Form::Dense(_) => DVec3::from_slice(&self.response[3 * local..3 * local + 3]),
            Form::Slim { unknowns, rows, .. } => {
                let along = |r: usize| {
                    dot(&rows[(3 * local + r) * unknowns..][..*unknowns], &self.response)
                };
                DVec3::new(along(0), along(1), along(2))
            }
        }
    }

    /// Takes in a change of the force of a touch.
    pub(super) fn change(&mut self, local: usize, by: DVec3) {
        let [a, b, c] = match &self.form {
            Form::Dense(w) => [0, 1, 2].map(|c| w.col_as_slice(3 * local + c)),
            Form::Slim { unknowns, answers, .. } => {
                [0, 1, 2].map(|c| &answers[(3 * local + c) * unknowns..][..*unknowns])
            }
        };
        let response = &mut self.response;
        self.arch.dispatch(
            #[inline(always)]
            || {
                for (out, ((a, b), c)) in response.iter_mut().zip(a.iter().zip(b).zip(c)) {
                    *out += a * by.x + b * by.y + c * by.z;
                }
            },
        );
    }

    /// Adds this island's compliance between contacts that have a place, by touch, among the rows and among the columns.
    pub(super) fn add_to(&self, w: &mut Mat<f64>, rows: &[usize], columns: &[usize]) {
        let placed = |places: &[usize]| -> Vec<(usize, usize)> {
            (self.touches.iter().enumerate())
                .filter(|(_, touch)| places[**touch] != usize::MAX)
                .map(|(local, touch)| (local, 3 * places[*touch]))
                .collect()
        };
        let (moved, pushed) = (placed(rows), placed(columns));
        let (answers, mut own) = (self.answers_of(&moved), vec![0.0; 3 * moved.len()]);
        for (local, to) in pushed {
            for c in 0..3 {
                answers(3 * local + c, &mut own);
                let column = w.col_as_slice_mut(to + c);
                for (&(_, at), moved) in moved.iter().zip(own.chunks_exact(3)) {
                    column[at..at + 3].iter_mut().zip(moved).for_each(|(w, m)| *w += m);
                }
            }
        }
    }

    /// What a unit of force along a row does to the rows of some contacts, by their local places: written to what it is given.
    fn answers_of(&self, moved: &[(usize, usize)]) -> impl Fn(usize, &mut [f64]) {
        let rows = || moved.iter().flat_map(|(local, _)| 3 * local..3 * local + 3);
        // Of a slim form the coefficients by unknown, so that a column is a sum of a few long rows.
        let by_unknown: Vec<Vec<f64>> = match &self.form {
            Form::Dense(_) => Vec::new(),
            Form::Slim { unknowns, rows: all, .. } => {
                (0..*unknowns).map(|u| rows().map(|r| all[r * unknowns + u]).collect()).collect()
            }
        };
        let places: Vec<usize> = rows().collect();
        move |row, out| match &self.form {
            Form::Dense(w) => {
                let own = w.col_as_slice(row);
                out.iter_mut().zip(&places).for_each(|(out, place)| *out = own[*place]);
            }
            Form::Slim { unknowns, answers, .. } => {
                out.fill(0.0);
                for (coefficients, answer) in by_unknown.iter().zip(&answers[row * unknowns..]) {
                    out.iter_mut().zip(coefficients).for_each(|(sum, c)| *sum += c * answer);
                }
            }
        }
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    // One rigid body: six unknowns, and no loop.
    if let (Ok(a), Ok(b)) = (<&[f64; 6]>::try_from(a), <&[f64; 6]>::try_from(b)) {
        let [x, y] = [0, 3].map(|k| a[k] * b[k] + a[k + 1] * b[k + 1] + a[k + 2] * b[k + 2]);
        return x + y;
    }
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two blocks that answer with known factors: both forms must say the same of every figure.
    #[test]
    fn the_slim_form_is_the_dense_one() {
        let coefficient =
            |i: usize| DVec3::new((i as f64).sin(), (2.0 * i as f64).cos(), 0.3 * i as f64);
        let rows: Vec<SparseRow> =
            (0..9).map(|i| vec![(0, coefficient(i)), (1, coefficient(i + 9))]).collect();
        let solve = |x: &mut [DVec3]| {
            x[0] /= 2.0;
            x[1] = DVec3::new(x[1].x / 3.0, x[1].y / 5.0, x[1].z / 7.0);
        };
        let answer = |row: &SparseRow| {
            let mut x = vec![row[0].1, row[1].1];
            solve(&mut x);
            x
        };
        let w = Mat::from_fn(9, 9, |i, j| {
            let x = answer(&rows[j]);
            rows[i][0].1.dot(x[0]) + rows[i][1].1.dot(x[1])
        });
        let mut dense = Coupling::dense(vec![4, 0, 7], w);
        let mut slim = Coupling::slim(vec![4, 0, 7], &rows, 2, solve);
        for (local, force) in [(0, DVec3::new(1.0, -2.0, 0.5)), (2, DVec3::new(0.3, 0.0, 4.0))] {
            dense.change(local, force);
            slim.change(local, force);
        }
        for i in 0..3 {
            assert!((dense.measure(i) - slim.measure(i)).length() < 1e-12);
            for j in 0..3 {
                let apart = dense.block(i, j) - slim.block(i, j);
                assert!(apart.to_cols_array().iter().all(|x| x.abs() < 1e-12));
            }
        }
        // Touch 4 comes first, touch 0 second, touch 7 has no place.
        let mut place = [usize::MAX; 8];
        (place[4], place[0]) = (0, 1);
        let sum = |coupling: &Coupling| {
            let mut w = Mat::<f64>::zeros(6, 6);
            coupling.add_to(&mut w, &place, &place);
            w
        };
        let (one, other) = (sum(&dense), sum(&slim));
        assert!((0..36).all(|k| (one[(k / 6, k % 6)] - other[(k / 6, k % 6)]).abs() < 1e-12));
        let first = dense.block(0, 0);
        assert!((one[(0, 0)] - first.x_axis.x).abs() < 1e-12);
    }
}
