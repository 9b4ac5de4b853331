//! Air: amounts since the start, jumps at detections, and the lines. Cavities are read by their numbers (`sensor/mod.rs`).

use cupule::World;
use cupule::cavity::Moles;
use cupule::report::LineReport;

use super::{NOT_NEGATIVE, Sensor};

/// Key and getter.
type AmountValue = (&'static str, fn(&Moles) -> f64);

const AMOUNTS: [AmountValue; 6] = [
    ("created", |moles| moles.created),
    ("in_cavities", |moles| moles.in_cavities),
    ("vented", |moles| moles.vented),
    ("leaked_in", |moles| moles.leaked_in),
    ("pumped", |moles| moles.pumped),
    ("released", |moles| moles.released),
];

/// Key, unit, column and getter.
type LineValue = (&'static str, &'static str, &'static str, fn(&LineReport) -> f64);

const LINE: [LineValue; 2] = [
    ("pressure", "Pa", "pressure_pa", |line| line.pressure),
    ("amount", "mol", "amount_mol", |line| line.amount),
];

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    if world.settings().air.is_none() {
        return Vec::new();
    }
    let amount = |(key, value): AmountValue| {
        Sensor::one(format!("moles.{key}"), "mol", format!("moles.{key}_mol"), move |now| {
            value(&now.report.moles)
        })
    };
    let jump =
        Sensor::one("relook_jump", "", "relook_jump".into(), |now| now.report.redetection_jump);
    let mut all: Vec<Sensor> = AMOUNTS.into_iter().map(amount).collect();
    all.push(jump);
    for (index, vessel) in world.lines().iter().enumerate() {
        let line = format!("line.{}", vessel.line.name);
        all.extend(LINE.map(|(key, unit, column, value)| {
            Sensor::one(format!("{line}.{key}"), unit, format!("{line}.{column}"), move |now| {
                value(&now.report.lines[index])
            })
            .within(NOT_NEGATIVE)
        }));
    }
    all
}
