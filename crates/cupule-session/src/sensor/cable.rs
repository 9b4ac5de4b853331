//! Cables: length and tension.

use cupule::World;

use super::Sensor;

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    let of = |(index, (name, _)): (usize, (&str, _))| {
        let name = format!("cable.{name}");
        [
            Sensor::one(format!("{name}.length"), "m", format!("{name}.length_m"), move |now| {
                now.report.cables[index].length
            }),
            Sensor::one(format!("{name}.tension"), "N", format!("{name}.tension_n"), move |now| {
                now.report.cables[index].tension
            }),
        ]
    };
    world.cables().enumerate().flat_map(of).collect()
}
