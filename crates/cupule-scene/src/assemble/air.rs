//! Air, its lines and muscles, from their tables.

use cupule::cavity::{Line, Muscle, Port, Schedule, Source, SurfacePoint};
use cupule::settings::{AirSettings, Detector, Ring, VentLimit};
use cupule_geometry::DVec3;
use cupule_geometry::tree::Bounds;

use super::Builder;
use crate::error::SceneError;
use crate::geometry::orientation;
use crate::model::{self, Body, VentPressure, VentRule};

/// A port or muscle farther from its body than this share of its longest side is a mistake.
const FARTHEST: f64 = 0.1;

impl Builder<'_> {
    pub(super) fn line(&mut self, name: &str, line: &model::Line) -> Result<(), SceneError> {
        let mut ports = Vec::new();
        for (index, port) in line.ports.iter().enumerate() {
            let key = format!("gas.lines.{name}.ports.{index}.at");
            let at = self.surface_point(&key, &port.body, port.at)?;
            ports.push(Port { at, conductance: port.conductance });
        }
        let atmosphere = self.loaded.scene.gas.as_ref().map_or(0.0, |gas| gas.atmosphere);
        let absolute = |keys: &[[f64; 2]]| keys.iter().map(|[t, p]| (*t, p + atmosphere)).collect();
        let source = match (&line.regulator, &line.pump) {
            (Some(r), _) => Source::Regulator(Schedule(absolute(&r.gauge_pressure))),
            (None, Some(pump)) => {
                Source::Pump { speed: schedule(&pump.speed), ultimate: pump.ultimate }
            }
            (None, None) => Source::Closed,
        };
        let (name, volume, valve) = (name.to_string(), line.volume, schedule(&line.valve));
        self.world.add_line(Line { name, ports, volume, source, valve });
        Ok(())
    }

    pub(super) fn muscle(&mut self, name: &str, muscle: &model::Muscle) -> Result<(), SceneError> {
        let at = self.surface_point(&format!("gas.muscles.{name}.at"), &muscle.body, muscle.at)?;
        let (name, volume) = (name.to_string(), schedule(&muscle.volume));
        self.world.add_muscle(Muscle { name, at, volume });
        Ok(())
    }

    /// The point of a body's surface that is nearest to a place in the body's own frame, m.
    fn surface_point(
        &self,
        key: &str,
        body: &str,
        at: [f64; 3],
    ) -> Result<SurfacePoint, SceneError> {
        let placed = self.loaded.scene.bodies.get(body).map(Body::geometry);
        let (Some(id), Some(placed)) = (self.id(body), placed) else {
            return Err(self.loaded.error(key, format!("no body is named `{body}`")));
        };
        let rotation = orientation(placed.rotation.as_ref());
        let at = rotation * DVec3::from(at) + DVec3::from(placed.position);
        let Some(found) = self.world.nearest_surface_point(id, at) else {
            return Err(self.loaded.error(key, "the body has no surface".to_string()));
        };
        let x = self.world.surface_positions(id);
        let corners = self.world.surface_triangles(id)[found.triangle as usize];
        let there: DVec3 =
            corners.iter().zip(found.at).map(|(corner, weight)| x[*corner as usize] * weight).sum();
        let bounds = Bounds::of(&x);
        let size = (bounds.max - bounds.min).max_element();
        let off = there.distance(at);
        if off > FARTHEST * size {
            let message = format!(
                "the place is {:.1} mm from the surface of `{body}`; expected one on it, in the body's own frame (m)",
                1e3 * off
            );
            return Err(self.loaded.error(key, message));
        }
        Ok(found)
    }
}

pub(super) fn schedule(keys: &[[f64; 2]]) -> Schedule {
    Schedule(keys.iter().map(|[time, value]| (*time, *value)).collect())
}

pub(super) fn settings(gas: &model::Gas) -> AirSettings {
    AirSettings {
        atmosphere: gas.atmosphere,
        temperature: gas.temperature,
        sealing_distance: gas.sealing_distance,
        roughness: gas.roughness,
        film_thickness: gas.film_thickness,
        detector: match gas.detector {
            model::Detector::Union => Detector::Union,
            model::Detector::Flood => Detector::Flood,
        },
        ring: match gas.ring {
            model::Ring::Outer => Ring::Outer,
            model::Ring::Inner => Ring::Inner,
        },
        limit: match &gas.vent_pressure {
            VentPressure::Constant(pressure) => VentLimit::Constant(*pressure),
            VentPressure::Rule(VentRule::Atmosphere) => VentLimit::Atmosphere,
            VentPressure::Rule(VentRule::Seal) => VentLimit::Seal,
            VentPressure::Elastic(table) => {
                VentLimit::ElasticEnergy(schedule(&table.elastic_energy))
            }
        },
        exponent: gas.exponent,
        leak_rate: gas.leak_rate,
        leak_conductance: gas.leak_conductance,
        viscous_leak: gas.viscous_leak,
        viscosity: gas.viscosity,
        vented: gas.vented,
    }
}
