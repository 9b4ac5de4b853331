//! Cables: length and tension.

use cupule::World;

use super::Sensor;

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    let of = |index| {
        let name = format!("cable.{}", world.cable_name(index).unwrap_or_default());
        [
            Sensor::one(format!("{name}.length"), "m", format!("{name}.length_m"), move |now| {
                now.report.cables[index].length
            }),
            Sensor::one(format!("{name}.tension"), "N", format!("{name}.tension_n"), move |now| {
                now.report.cables[index].tension
            }),
        ]
    };
    (0..world.cable_count()).flat_map(of).collect()
}
