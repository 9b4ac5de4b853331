//! Cables: length and tension.

use cupule::World;

use super::{NOT_NEGATIVE, Sensor};

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    let of = |(index, (name, _)): (usize, (&str, _))| {
        let name = format!("cable.{name}");
        [
            Sensor::one(format!("{name}.length"), "m", format!("{name}.length_m"), move |now| {
                now.report.cables[index].length
            })
            .within(NOT_NEGATIVE),
            Sensor::one(format!("{name}.tension"), "N", format!("{name}.tension_n"), move |now| {
                now.report.cables[index].tension
            })
            .within(NOT_NEGATIVE),
        ]
    };
    world.cables().enumerate().flat_map(of).collect()
}
