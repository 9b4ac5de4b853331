//! The series of a run: one row a step, named columns in SI units.

use std::fmt::Write as _;

use cupule::report::StepReport;
use cupule::world::{AttachmentId, BodyId, World};
use cupule_geometry::DVec3;

/// Columns of figures over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Series {
    /// The empty series of a world.
    pub fn new(world: &World) -> Self {
        let mut names = vec!["time_s".to_string()];
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
            names.extend(["lowest_m", "highest_m"].map(|key| format!("{body}.{key}")));
        }
        for index in 0..world.attachment_count() {
            let attachment = format!("attachment.{}", world.attachment_name(AttachmentId(index)));
            names.extend(AXES.map(|axis| format!("{attachment}.force_{axis}_n")));
            names.extend(AXES.map(|axis| format!("{attachment}.torque_{axis}_nm")));
        }
        let energies = ["kinetic", "elastic", "gravity", "gas", "dissipated"];
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
        let columns = vec![Vec::new(); names.len()];
        Self { names, columns }
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

    /// Appends the figures of a step.
    pub fn push(&mut self, report: &StepReport, step_ms: f64) {
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
            row.extend([body.lowest, body.highest]);
        }
        for wrench in &report.attachments {
            vector(&mut row, wrench.force);
            vector(&mut row, wrench.torque);
        }
        let e = &report.energy;
        row.extend([e.kinetic, e.elastic, e.gravity, e.gas, e.dissipated]);
        let counts = [report.contacts.len(), report.rows, report.iterations];
        row.extend(counts.map(|count| count as f64));
        row.extend([report.residual.gap_m, report.residual.force_n, report.max_penetration]);
        row.extend([report.factorisations as f64, step_ms]);
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// The header line of the file.
    pub fn header(&self) -> String {
        self.names.join(",")
    }

    /// The last row as a line of the file; numbers read back as the same bits.
    pub fn last_line(&self) -> String {
        let mut line = String::new();
        for (index, column) in self.columns.iter().enumerate() {
            if index > 0 {
                line.push(',');
            }
            let value = column.last().copied().unwrap_or(f64::NAN);
            let plain = value == 0.0 || (1e-4..1e9).contains(&value.abs());
            // Writing to a String cannot fail.
            let _ = if plain { write!(line, "{value}") } else { write!(line, "{value:e}") };
        }
        line
    }
}
