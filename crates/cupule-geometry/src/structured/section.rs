//! A section in the half-plane (r, z): the quads that are carried round the axis.

use crate::GeometryError;
use crate::generate::{require, require_count, require_elements};

const SHAPE: &str = "section";

/// A structured mesh of quads in the half-plane r >= 0: `rows` x `columns` quads.
///
/// Columns run away from the axis, rows along it or through the wall. Column 0 lies wholly on the axis (then the
/// solid has a core of quads there) or wholly off it.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    rows: usize,
    columns: usize,
    points: Vec<[f64; 2]>,
}

impl Section {
    /// A section from its points (r, z) in m, row by row: `(rows + 1) * (columns + 1)` of them. The quads must be
    /// convex; they may run either way round.
    pub fn new(rows: usize, columns: usize, points: Vec<[f64; 2]>) -> Result<Self, GeometryError> {
        require_count(SHAPE, "rows", rows, 1)?;
        require_count(SHAPE, "columns", columns, 1)?;
        require_elements(SHAPE, &[rows, columns])?;
        let expected = "there must be (rows + 1) * (columns + 1) points";
        require(
            points.len() == (rows + 1) * (columns + 1),
            SHAPE,
            "points",
            points.len() as f64,
            expected,
        )?;
        let mut section = Self { rows, columns, points };
        section.check_points()?;
        if section.quad_area(0, 0) < 0.0 {
            section.turn_over();
        }
        section.check_quads()?;
        Ok(section)
    }

    /// The band between two polylines with the same number of points, one row of quads: from `lower` to `upper`.
    pub fn between(lower: &[[f64; 2]], upper: &[[f64; 2]]) -> Result<Self, GeometryError> {
        let expected = "both polylines need the same number of points, at least two";
        let fits = lower.len() == upper.len() && lower.len() >= 2;
        require(fits, SHAPE, "points of the upper polyline", upper.len() as f64, expected)?;
        Self::new(1, lower.len() - 1, [lower, upper].concat())
    }

    /// Quads from the lower to the upper side.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Quads from the axis side to the far side.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The point (r, z) at a row and column, m.
    pub(crate) fn at(&self, row: usize, column: usize) -> [f64; 2] {
        self.points[row * (self.columns + 1) + column]
    }

    /// Whether column 0 lies on the axis.
    pub fn touches_axis(&self) -> bool {
        self.at(0, 0)[0] == 0.0
    }

    /// The point of a row at a column that need not be whole, m.
    pub(crate) fn along_row(&self, row: usize, column: f64) -> [f64; 2] {
        let before = (column.max(0.0).floor() as usize).min(self.columns - 1);
        blend(self.at(row, before), self.at(row, before + 1), column - before as f64)
    }

    /// The same section with each column cut in `column_parts` and each row in `row_parts` equal parts (one count for
    /// each, missing ones count as 1).
    pub fn refined(
        &self,
        row_parts: &[usize],
        column_parts: &[usize],
    ) -> Result<Self, GeometryError> {
        let [down, across] =
            [fractions(row_parts, self.rows), fractions(column_parts, self.columns)];
        require_elements(SHAPE, &[down.len(), across.len()])?;
        let mut points = Vec::with_capacity(down.len() * across.len());
        for &row in &down {
            let low = (row.floor() as usize).min(self.rows - 1);
            for &column in &across {
                let [p, q] = [low, low + 1].map(|r| self.along_row(r, column));
                points.push(blend(p, q, row - low as f64));
            }
        }
        Self::new(down.len() - 1, across.len() - 1, points)
    }

    /// Mean length of each row interval (across the band), m.
    pub(crate) fn row_lengths(&self) -> Vec<f64> {
        let length = |row: usize| {
            let each = (0..=self.columns).map(|c| distance(self.at(row, c), self.at(row + 1, c)));
            each.sum::<f64>() / (self.columns + 1) as f64
        };
        (0..self.rows).map(length).collect()
    }

    /// Mean length of each column interval (along the band), m.
    pub(crate) fn column_lengths(&self) -> Vec<f64> {
        let length = |column: usize| {
            let each =
                (0..=self.rows).map(|r| distance(self.at(r, column), self.at(r, column + 1)));
            each.sum::<f64>() / (self.rows + 1) as f64
        };
        (0..self.columns).map(length).collect()
    }

    /// The outline, counter-clockwise: lower side, far side, upper side, axis side.
    pub fn outline(&self) -> Vec<[f64; 2]> {
        let (rows, columns) = (self.rows, self.columns);
        let lower = (0..columns).map(|c| self.at(0, c));
        let far = (0..rows).map(|r| self.at(r, columns));
        let upper = (0..columns).map(|c| self.at(rows, columns - c));
        let near = (0..rows).map(|r| self.at(rows - r, 0));
        lower.chain(far).chain(upper).chain(near).collect()
    }

    /// The first column at which a row bends or changes its spacing; the last one if none does. Up to it, points may
    /// slide along the rows without changing the solid.
    pub(crate) fn straight_columns(&self) -> usize {
        let bends = |column: usize| {
            (0..=self.rows).any(|row| {
                let [a, b, c] = [column - 1, column, column + 1].map(|k| self.at(row, k));
                distance(b, blend(a, c, 0.5)) > 1e-9 * distance(a, c)
            })
        };
        (1..self.columns).find(|&column| bends(column)).unwrap_or(self.columns)
    }

    fn check_points(&mut self) -> Result<(), GeometryError> {
        let extent = self.points.iter().flatten().fold(0.0_f64, |most, c| most.max(c.abs()));
        for (index, point) in self.points.iter_mut().enumerate() {
            let finite = point.iter().all(|c| c.is_finite());
            require(finite, SHAPE, "point", index as f64, "this point is not a finite number")?;
            if point[0].abs() <= 1e-12 * extent {
                point[0] = 0.0;
            }
        }
        let axis = self.touches_axis();
        for (index, point) in self.points.iter().enumerate() {
            let on_axis = axis && index % (self.columns + 1) == 0;
            let expected =
                "column 0 lies wholly on the axis or wholly off it, all else right of it";
            require(
                if on_axis { point[0] == 0.0 } else { point[0] > 0.0 },
                SHAPE,
                "radius",
                point[0],
                expected,
            )?;
        }
        Ok(())
    }

    fn check_quads(&self) -> Result<(), GeometryError> {
        for (row, column) in (0..self.rows).flat_map(|r| (0..self.columns).map(move |c| (r, c))) {
            let quad = self.quad(row, column);
            let corner = |k: usize| {
                let [p, q, r] = [quad[(k + 3) % 4], quad[k], quad[(k + 1) % 4]];
                (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0])
            };
            let convex = (0..4).all(|k| corner(k) > 0.0);
            let index = (row * self.columns + column) as f64;
            require(
                convex,
                SHAPE,
                "quad",
                index,
                "this quad (counted row by row) is folded or not convex",
            )?;
        }
        Ok(())
    }

    fn quad(&self, row: usize, column: usize) -> [[f64; 2]; 4] {
        [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(r, c)| self.at(row + r, column + c))
    }

    fn quad_area(&self, row: usize, column: usize) -> f64 {
        let [a, b, c, d] = self.quad(row, column);
        0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]))
    }

    /// Reverses the order of the rows, which turns every quad over.
    fn turn_over(&mut self) {
        let rows: Vec<&[[f64; 2]]> = self.points.chunks(self.columns + 1).rev().collect();
        self.points = rows.concat();
    }
}

/// Where the lines of a refined direction stand, in units of the coarse intervals.
fn fractions(parts: &[usize], intervals: usize) -> Vec<f64> {
    let mut lines = vec![0.0];
    for interval in 0..intervals {
        let count = parts.get(interval).copied().unwrap_or(1).max(1);
        lines.extend((1..=count).map(|k| interval as f64 + k as f64 / count as f64));
    }
    lines
}

fn blend(p: [f64; 2], q: [f64; 2], t: f64) -> [f64; 2] {
    [0, 1].map(|k| p[k] + t * (q[k] - p[k]))
}

fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
    (q[0] - p[0]).hypot(q[1] - p[1])
}
