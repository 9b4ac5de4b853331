//! The series of a run: one row a step, named columns in SI units.
//!
//! Cavities come and go: each gets its columns when it first appears, empty (NaN) where it is not there.

use std::borrow::Cow;
use std::fmt::Write as _;

use cupule::report::{CAVITY_FIGURES, StepReport};
use cupule::world::{AttachmentId, BodyId, World};
use cupule_geometry::DVec3;

use crate::stopwatch::PhaseTimes;

/// Columns of figures over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// Columns that every step has; those of cavities come after.
    fixed: usize,
    with_air: bool,
}

/// Air of the whole run, mol; columns are `moles.<figure>`, in worlds with air.
const MOLES: [&str; 6] = ["created", "in_cavities", "vented", "leaked_in", "pumped", "released"];

const AXES: [&str; 3] = ["x", "y", "z"];
const PHASES: [&str; 6] = ["free_motion", "collision", "cavities", "compliance", "solve", "other"];

impl Series {
    /// The empty series of a world.
    pub fn new(world: &World) -> Self {
        let mut names = vec!["time_s".to_string()];
        let with_air = world.settings().air.is_some();
        for index in 0..world.body_count() {
            let body = format!("body.{}", world.body_name(BodyId(index)));
            let vectors: [(&str, &str); 5] = [
                ("", "_m"),
                ("v", "_mps"),
                ("momentum_", "_kgmps"),
                ("angular_momentum_", "_kgm2ps"),
                ("contact_force_", "_n"),
            ];
            for (before, after) in vectors {
                names.extend(AXES.map(|axis| format!("{body}.{before}{axis}{after}")));
            }
            if with_air {
                names.extend(AXES.map(|axis| format!("{body}.gas_force_{axis}_n")));
            }
            names.extend(["lowest_m", "highest_m"].map(|key| format!("{body}.{key}")));
        }
        for index in 0..world.attachment_count() {
            let attachment = format!("attachment.{}", world.attachment_name(AttachmentId(index)));
            names.extend(AXES.map(|axis| format!("{attachment}.force_{axis}_n")));
            names.extend(AXES.map(|axis| format!("{attachment}.torque_{axis}_nm")));
        }
        for name in (0..world.cable_count()).filter_map(|index| world.cable_name(index)) {
            names.extend(["length_m", "tension_n"].map(|key| format!("cable.{name}.{key}")));
        }
        let energies = ["kinetic", "elastic", "gravity", "gas", "interfaces", "dissipated"];
        names.extend(energies.map(|kind| format!("energy.{kind}_j")));
        names.extend(
            [
                "contacts",
                "rows",
                "iterations",
                "residual_gap_m",
                "residual_force_n",
                "max_penetration_m",
                "factorisations",
                "step_ms",
            ]
            .map(String::from),
        );
        names.extend(PHASES.map(|phase| format!("phase.{phase}_ms")));
        if with_air {
            names.extend(MOLES.map(|figure| format!("moles.{figure}_mol")));
            names.push("relook_jump".into());
            for line in world.lines() {
                let line = format!("line.{}", line.line.name);
                names.extend(["pressure_pa", "amount_mol"].map(|key| format!("{line}.{key}")));
            }
        }
        let columns = vec![Vec::new(); names.len()];
        Self { fixed: names.len(), names, columns, with_air }
    }

    /// Names of the columns, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|known| known == name)?;
        self.columns.get(index).map(Vec::as_slice)
    }

    /// Times of the rows, s.
    pub fn times(&self) -> &[f64] {
        self.columns.first().map_or(&[], Vec::as_slice)
    }

    /// Appends the figures of a step and its times, ms. Returns whether columns were added.
    pub fn push(&mut self, report: &StepReport, times: &PhaseTimes) -> bool {
        let mut row = Vec::with_capacity(self.names.len());
        let vector = |row: &mut Vec<f64>, v: DVec3| row.extend(v.to_array());
        row.push(report.time);
        for body in &report.bodies {
            for v in [
                body.centre,
                body.velocity,
                body.momentum,
                body.angular_momentum,
                body.contact_force,
            ] {
                vector(&mut row, v);
            }
            if self.with_air {
                vector(&mut row, body.gas_force);
            }
            row.extend([body.lowest, body.highest]);
        }
        for wrench in &report.attachments {
            vector(&mut row, wrench.force);
            vector(&mut row, wrench.torque);
        }
        row.extend(report.cables.iter().flat_map(|cable| [cable.length, cable.tension]));
        let e = &report.energy;
        row.extend([e.kinetic, e.elastic, e.gravity, e.gas, e.interfaces, e.dissipated]);
        let counts = [report.contacts.len(), report.rows, report.iterations];
        row.extend(counts.map(|count| count as f64));
        row.extend([report.residual.gap_m, report.residual.force_n, report.max_penetration]);
        row.extend([report.factorisations as f64, times.total]);
        let t = times;
        row.extend([t.free_motion, t.collision, t.cavities, t.compliance, t.solve, t.other]);
        if self.with_air {
            let m = &report.moles;
            let figures = [m.created, m.in_cavities, m.vented, m.leaked_in, m.pumped, m.released];
            row.extend(figures);
            row.push(report.relook_jump);
            row.extend(report.lines.iter().flat_map(|line| [line.pressure, line.amount]));
        }
        let rows = self.times().len();
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.push_cavities(report, rows)
    }

    fn push_cavities(&mut self, report: &StepReport, rows: usize) -> bool {
        let before = self.names.len();
        for cavity in &report.cavities {
            let first = format!("cavity.{}.{}", cavity.id, CAVITY_FIGURES[0]);
            let place = self.names[self.fixed..].iter().position(|name| *name == first);
            let place = place.map_or(self.names.len(), |place| self.fixed + place);
            if place == self.names.len() {
                self.names.extend(CAVITY_FIGURES.map(|f| format!("cavity.{}.{f}", cavity.id)));
                self.columns.resize(self.names.len(), vec![f64::NAN; rows]);
            }
            let figures = [
                cavity.pressure,
                cavity.volume,
                cavity.amount,
                cavity.area,
                cavity.touching_area,
                cavity.inner_area,
                cavity.outer_area,
                cavity.limit,
                cavity.seal_conductance,
                cavity.gas_error,
            ];
            self.columns[place..].iter_mut().zip(figures).for_each(|(column, v)| column.push(v));
        }
        for column in &mut self.columns[self.fixed..] {
            column.resize(rows + 1, f64::NAN);
        }
        self.names.len() > before
    }

    /// The figures of the last row, in the order of the columns.
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

/// A name as a cell of the file: in quotes if it would break the line otherwise (RFC 4180).
pub(crate) fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}
