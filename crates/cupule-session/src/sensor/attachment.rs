//! Attachments: the force and torque that they exert on the bodies they hold, and where they are.

use cupule::World;
use cupule::world::AttachmentId;

use super::Sensor;

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    let of = |index| {
        let name = format!("attachment.{}", world.attachment(AttachmentId(index)).name);
        let keys = super::AXES.map(String::from);
        let vector = |key: &str, unit, after: &str, value: fn(&cupule::report::Wrench) -> _| {
            let columns = [&format!("{name}.{key}_"), after];
            Sensor::vector(format!("{name}.{key}"), unit, columns, move |now| {
                value(&now.report.attachments[index])
            })
        };
        [
            vector("force", "N", "_n", |wrench| wrench.force),
            vector("torque", "N m", "_nm", |wrench| wrench.torque),
            Sensor::unrecorded(format!("{name}.position"), "m", &keys, move |now, out| {
                out.extend(now.world.attachment(AttachmentId(index)).centre.to_array());
            }),
        ]
    };
    (0..world.attachment_count()).flat_map(of).collect()
}
