//! The air between bodies, as a step sees it.

use super::World;
use super::assembly::Assembly;
use super::moment::Moment;
use crate::cavity::{AirSpace, BodySurface, Cavity, CavityChanges};
use crate::event::Event;
use crate::law::stored_work;
use crate::report::{CavityReport, LineReport, StepReport};
use crate::solver::{Outcome, SolveError};
use cupule_geometry::{DVec3, GeometryError};

impl Moment<'_> {
    /// Finds the cavities of the present positions; `air` is that of the world, and what happened to it comes back.
    pub(super) fn look_at(&self, air: &mut AirSpace) -> Result<Vec<Event>, SolveError> {
        let x = &self.state.at.points;
        let positions = self.assembly.surfaces_at(x);
        let surfaces = self.assembly.closed_surfaces(&positions);
        let failed = |error: GeometryError| SolveError::Air { cause: error.to_string() };
        let CavityChanges { changes, before } =
            air.update_cavities(&surfaces, x).map_err(failed)?;
        let events = changes.iter().flat_map(|c| self.events_of(*c, &before, air, &surfaces));
        Ok(events.collect())
    }
}

impl Assembly {
    /// The surfaces that can trap air.
    pub(super) fn closed_surfaces<'a>(
        &'a self,
        positions: &'a [Vec<DVec3>],
    ) -> Vec<BodySurface<'a>> {
        (self.bodies.iter().zip(positions).enumerate())
            .filter(|(_, (b, _))| b.encloses_air())
            .map(|(i, (b, positions))| BodySurface {
                body: i,
                points: &b.surface.points,
                triangles: &b.surface.triangles,
                positions,
                folds: b.self_contact,
            })
            .collect()
    }
}

impl World {
    /// Work of gauge pressure on walls during a step, J.
    pub(super) fn work_of_air(&self, outcome: &Outcome) -> f64 {
        let Some(air) = &self.air else { return 0.0 };
        let atmosphere = air.settings().atmosphere;
        let of = |((cavity, p), v): ((&Cavity, &f64), &f64)| (p - atmosphere) * (v - cavity.volume);
        air.cavities().iter().zip(&outcome.pressures).zip(&outcome.volumes).map(of).sum()
    }

    /// Work that the trapped air could do on its way to atmospheric pressure, J; at constant temperature
    /// P V ln(P / P_atm) - (P - P_atm) V.
    pub(super) fn gas_energy(&self) -> f64 {
        let Some(air) = &self.air else { return 0.0 };
        let (atmosphere, exponent) = (air.settings().atmosphere, air.settings().exponent);
        let of =
            |c: &Cavity| stored_work(c.pressure / atmosphere, exponent) * atmosphere * c.volume;
        air.cavities().iter().map(of).sum()
    }
}

/// Reports cavities, lines and amounts of an air space.
pub(super) fn describe(air: &AirSpace, report: &mut StepReport) {
    let settings = air.settings();
    let describe = |cavity: &Cavity| {
        let touching = cavity.found.patches.iter().filter(|p| p.touching);
        let share = (cavity.pressure / settings.atmosphere).powf(1.0 / settings.exponent);
        let ideal = settings.atmosphere * share * cavity.volume;
        let bodies = cavity.found.bodies();
        // The body that closes the loop has the largest; one that floats inside has none.
        let pull = |open: bool| {
            let of = |body: &usize| cavity.found.pull_area(*body, open).length();
            bodies.iter().map(of).fold(0.0, f64::max)
        };
        CavityReport {
            id: cavity.id,
            pressure: cavity.pressure,
            volume: cavity.volume,
            amount: cavity.amount,
            area: cavity.found.area(),
            touching_area: touching.map(|p| p.area.length()).sum(),
            inner_area: pull(true),
            outer_area: pull(false),
            bodies: bodies.clone(),
            flat: cavity.found.is_flat(),
            limit: cavity.limit,
            seal_conductance: cavity.seal_conductance,
            gas_error: relative_error(ideal, cavity.amount * settings.thermal_energy()),
        }
    };
    report.cavities = air.cavities().iter().map(describe).collect();
    report.lines = (air.lines().iter())
        .map(|v| LineReport { pressure: v.pressure, amount: v.amount })
        .collect();
    report.moles = air.moles();
    report.detections = air.detections();
    report.redetection_jump = air.redetection_jump();
}

/// |a / b - 1|; nothing where both are nothing, as in a cavity that a pump has emptied.
fn relative_error(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a / b - 1.0).abs() }
}
