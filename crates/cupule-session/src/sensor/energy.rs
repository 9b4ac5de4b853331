//! Energies of the whole world.

use cupule::World;
use cupule::report::Energy;

use super::Sensor;

/// Key and getter.
type Value = (&'static str, fn(&Energy) -> f64);

const ENERGIES: [Value; 6] = [
    ("kinetic", |energy| energy.kinetic),
    ("elastic", |energy| energy.elastic),
    ("gravity", |energy| energy.gravity),
    ("gas", |energy| energy.gas),
    ("interfaces", |energy| energy.interfaces),
    ("dissipated", |energy| energy.dissipated),
];

pub(super) fn sensors(_world: &World) -> Vec<Sensor> {
    let of = |(key, value): Value| {
        Sensor::one(format!("energy.{key}"), "J", format!("energy.{key}_j"), move |now| {
            value(&now.report.energy)
        })
    };
    ENERGIES.into_iter().map(of).collect()
}
