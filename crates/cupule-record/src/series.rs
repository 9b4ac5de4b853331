//! The series of a run: one row a step, named columns in SI units.
//!
//! Cavities come and go: each gets its columns when it first appears, empty (NaN) where it is not there.

use std::borrow::Cow;
use std::fmt::Write as _;

use cupule::report::{CavityReport, StepReport};
use cupule_session::expectation::Values;
use cupule_session::{Reading, Sensors};

use crate::stopwatch::PhaseTimes;

/// Columns of values over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// Columns that every step has; those of cavities come after.
    fixed: usize,
}

/// Column and getter of a time of a step, ms.
type Time = (&'static str, fn(&PhaseTimes) -> f64);

const TIMES: [Time; 7] = [
    ("step_ms", |times| times.total),
    ("phase.free_motion_ms", |times| times.free_motion),
    ("phase.collision_ms", |times| times.collision),
    ("phase.cavities_ms", |times| times.cavities),
    ("phase.compliance_ms", |times| times.compliance),
    ("phase.solve_ms", |times| times.solve),
    ("phase.other_ms", |times| times.other),
];

impl Series {
    /// The empty series of the sensors that are recorded.
    pub fn new(sensors: &Sensors) -> Self {
        let columns = sensors.recorded().flat_map(|sensor| sensor.columns.iter().cloned());
        let times = TIMES.iter().map(|(name, _)| name.to_string());
        let names: Vec<String> = columns.chain(times).collect();
        Self { fixed: names.len(), columns: vec![Vec::new(); names.len()], names }
    }

    /// Names of the columns, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Appends what sensors read after a step, and its times. Returns whether columns were added.
    pub fn push(&mut self, sensors: &Sensors, now: Reading, times: &PhaseTimes) -> bool {
        let mut row = Vec::with_capacity(self.names.len());
        sensors.recorded().for_each(|sensor| sensor.read(now, &mut row));
        row.extend(TIMES.iter().map(|(_, time)| time(times)));
        let rows = self.times().len();
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.push_cavities(now.report, rows)
    }

    fn push_cavities(&mut self, report: &StepReport, rows: usize) -> bool {
        let before = self.names.len();
        for cavity in &report.cavities {
            let name = |value: &str| format!("cavity.{}.{value}", cavity.id);
            let first = name(CavityReport::VALUES[0].0);
            let place = self.names[self.fixed..].iter().position(|known| *known == first);
            let place = place.map_or(self.names.len(), |place| self.fixed + place);
            if place == self.names.len() {
                self.names.extend(CavityReport::VALUES.map(|(value, _)| name(value)));
                self.columns.resize(self.names.len(), vec![f64::NAN; rows]);
            }
            for (column, (_, value)) in self.columns[place..].iter_mut().zip(CavityReport::VALUES) {
                column.push(value(cavity));
            }
        }
        for column in &mut self.columns[self.fixed..] {
            column.resize(rows + 1, f64::NAN);
        }
        self.names.len() > before
    }

    /// The values of the last row, in the order of the columns.
    pub fn last_row(&self) -> impl Iterator<Item = f64> {
        self.columns.iter().map(|column| column.last().copied().unwrap_or(f64::NAN))
    }

    /// Forgets all but the last rows, once there are twice as many: for runs without an end.
    pub fn keep_last(&mut self, rows: usize) {
        if self.times().len() > 2 * rows {
            self.columns.iter_mut().for_each(|column| {
                column.drain(..column.len() - rows);
            });
        }
    }

    /// Everything so far as the text of the file.
    pub fn text(&self) -> String {
        let lines = (0..self.times().len()).map(|row| self.line(row));
        std::iter::once(self.header()).chain(lines).map(|line| line + "\n").collect()
    }

    /// The header line of the file.
    pub fn header(&self) -> String {
        let names: Vec<_> = self.names.iter().map(|name| quoted(name)).collect();
        names.join(",")
    }

    /// The last row as a line of the file; numbers read back as the same bits.
    pub fn last_line(&self) -> String {
        self.line(self.times().len().saturating_sub(1))
    }

    fn line(&self, row: usize) -> String {
        let mut line = String::new();
        for (index, column) in self.columns.iter().enumerate() {
            if index > 0 {
                line.push(',');
            }
            let value = column.get(row).copied().unwrap_or(f64::NAN);
            let plain = value == 0.0 || (1e-4..1e9).contains(&value.abs());
            // Writing to a String cannot fail.
            let _ = if plain { write!(line, "{value}") } else { write!(line, "{value:e}") };
        }
        line
    }
}

impl Values for Series {
    fn times(&self) -> &[f64] {
        self.columns.first().map_or(&[], Vec::as_slice)
    }

    fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|known| known == name)?;
        self.columns.get(index).map(Vec::as_slice)
    }
}

/// A name as a cell of the file: in quotes if it would break the line otherwise (RFC 4180).
pub(crate) fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}
