//! Bodies as a whole: place, motion, momentum, and what acts on them.

use cupule::World;
use cupule::report::BodyReport;
use cupule::world::BodyId;
use cupule_geometry::DVec3;

use super::Sensor;

/// Key of the sensor, its unit, columns before and after the axis, and getter.
type Vector = (&'static str, &'static str, [&'static str; 2], fn(&BodyReport) -> DVec3);

const VECTORS: [Vector; 5] = [
    ("position", "m", ["", "_m"], |body| body.centre),
    ("velocity", "m/s", ["v", "_mps"], |body| body.velocity),
    ("momentum", "kg m/s", ["momentum_", "_kgmps"], |body| body.momentum),
    ("angular_momentum", "kg m2/s", ["angular_momentum_", "_kgm2ps"], |b| b.angular_momentum),
    ("contact_force", "N", ["contact_force_", "_n"], |body| body.contact_force),
];

const GAS_FORCE: Vector = ("gas_force", "N", ["gas_force_", "_n"], |body| body.gas_force);

pub(super) fn sensors(world: &World) -> Vec<Sensor> {
    let with_air = world.settings().air.is_some();
    let of = |index| {
        let body = format!("body.{}", world.body_name(BodyId(index)));
        let gas = with_air.then_some(GAS_FORCE);
        let vectors = VECTORS.into_iter().chain(gas).map(|(key, unit, [before, after], value)| {
            let columns = [&format!("{body}.{before}"), after];
            Sensor::vector(format!("{body}.{key}"), unit, columns, move |now| {
                value(&now.report.bodies[index])
            })
        });
        let mut all: Vec<Sensor> = vectors.collect();
        all.push(height(&body, "lowest", move |now| now.lowest, index));
        all.push(height(&body, "highest", move |now| now.highest, index));
        all.extend(world.orientation(BodyId(index)).map(|_| orientation(&body, index)));
        all.extend(world.angular_velocity(BodyId(index)).map(|_| spin(&body, index)));
        all
    };
    (0..world.body_count()).flat_map(of).collect()
}

fn height(body: &str, key: &str, value: fn(&BodyReport) -> f64, index: usize) -> Sensor {
    let column = format!("{body}.{key}_m");
    Sensor::one(format!("{body}.{key}"), "m", column, move |now| value(&now.report.bodies[index]))
}

fn orientation(body: &str, index: usize) -> Sensor {
    let keys = ["w", "x", "y", "z"].map(String::from);
    Sensor::unrecorded(format!("{body}.orientation"), "", &keys, move |now, out| {
        let q = now.world.orientation(BodyId(index)).unwrap_or_default();
        out.extend([q.w, q.x, q.y, q.z]);
    })
    .within([-1.0, 1.0])
}

fn spin(body: &str, index: usize) -> Sensor {
    let keys = super::AXES.map(String::from);
    Sensor::unrecorded(format!("{body}.angular_velocity"), "rad/s", &keys, move |now, out| {
        let spin = now.world.angular_velocity(BodyId(index)).unwrap_or_default();
        out.extend(spin.to_array());
    })
}
