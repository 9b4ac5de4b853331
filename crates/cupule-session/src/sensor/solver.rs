//! What the solver did: contacts, rows, iterations, and what is left of the laws' violation.

use cupule::World;
use cupule::report::StepReport;

use super::{NOT_NEGATIVE, Sensor};

/// Column, unit and getter; the sensor is called like its column.
type Value = (&'static str, &'static str, fn(&StepReport) -> f64);

const VALUES: [Value; 7] = [
    ("contacts", "", |report| report.contacts.len() as f64),
    ("rows", "", |report| report.rows as f64),
    ("iterations", "", |report| report.iterations as f64),
    ("residual_gap_m", "m", |report| report.residual.gap_m),
    ("residual_force_n", "N", |report| report.residual.force_n),
    ("max_penetration_m", "m", |report| report.max_penetration),
    ("factorisations", "", |report| report.factorisations as f64),
];

pub(super) fn sensors(_world: &World) -> Vec<Sensor> {
    let of = |(column, unit, value): Value| {
        Sensor::one(column, unit, column.into(), move |now| value(now.report)).within(NOT_NEGATIVE)
    };
    VALUES.into_iter().map(of).collect()
}
