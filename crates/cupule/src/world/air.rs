//! The air between bodies, as a step sees it.

use super::World;
use super::events::Budget;
use super::press::EndOfStep;
use crate::cavity::{
    AirSpace, BodySurface, Cavity, Chambers, Line, Looked, Moles, Muscle, SurfacePoint, Survey,
    Vessel,
};
use crate::law::stored_work;
use crate::report::{CavityReport, Event, LineReport, StepReport};
use crate::settings::Detector;
use crate::solver::{Outcome, SolveError, Touch};
use cupule_geometry::distance::point_triangle;
use cupule_geometry::{DVec3, GeometryError};

impl World {
    /// Adds a line of tubes; false where the world holds no air.
    pub fn add_line(&mut self, line: Line) -> bool {
        self.air.as_mut().map(|air| air.add_line(line)).is_some()
    }

    /// Adds a muscle; false where the world holds no air.
    pub fn add_muscle(&mut self, muscle: Muscle) -> bool {
        self.air.as_mut().map(|air| air.add_muscle(muscle)).is_some()
    }

    /// Present cavities, in the order of their numbers.
    pub fn cavities(&self) -> &[Cavity] {
        self.air.as_ref().map_or(&[], |air| air.cavities())
    }

    /// The point of a body's surface that is nearest to a place (m).
    pub fn nearest_surface_point(
        &self,
        body: crate::world::BodyId,
        to: DVec3,
    ) -> Option<SurfacePoint> {
        let x = self.surface_positions(body);
        let closest = |t: &[u32; 3]| point_triangle(to, t.map(|v| x[v as usize]));
        let triangles = self.surface_triangles(body).iter().map(closest).enumerate();
        let (triangle, near) =
            triangles.min_by(|a, b| a.1.distance_squared.total_cmp(&b.1.distance_squared))?;
        Some(SurfacePoint { body: body.0, triangle: triangle as u32, at: near.weights })
    }

    /// Air since the start.
    pub fn moles(&self) -> Moles {
        self.air.as_ref().map(|air| air.moles()).unwrap_or_default()
    }

    /// The open part of a cavity's wall as triangles (m), three corners each.
    pub fn open_wall(&self, cavity: &Cavity) -> Vec<[DVec3; 3]> {
        let open = cavity.found.patches.iter().filter(|p| !p.touching);
        open.map(|patch| {
            let body = &self.bodies[patch.body];
            let vertices = body.triangles[patch.triangle as usize];
            let x = vertices.map(|v| self.state.at.points[body.surface_points[v as usize]]);
            patch.corners.map(|at| x[0] * at[0] + x[1] * at[1] + x[2] * at[2])
        })
        .collect()
    }

    /// Lines of tubes, in the order in which they were added.
    pub fn lines(&self) -> &[Vessel] {
        self.air.as_ref().map_or(&[], |air| air.lines())
    }

    /// Finds the cavities of the present positions; `air` is that of the world, and what happened to it comes back.
    pub(super) fn look_at(&self, air: &mut AirSpace) -> Result<Vec<Event>, SolveError> {
        let x = &self.state.at.points;
        let positions = self.gathered(x);
        let surfaces = self.closed_surfaces(&positions);
        let failed = |error: GeometryError| SolveError::Air { cause: error.to_string() };
        let Looked { changes, before } = air.look(&surfaces, x).map_err(failed)?;
        let events = changes.iter().flat_map(|c| self.events_of(*c, &before, air, &surfaces));
        Ok(events.collect())
    }

    /// What a detector sees now; seals close at a gap of `sealing` (m) beyond the contact distance. Changes nothing: a way
    /// to compare detectors, or sealing distances.
    ///
    /// # Errors
    /// Where the detector fails on the bodies as they are.
    pub fn survey(&self, detector: Detector, sealing: f64) -> Result<Survey, GeometryError> {
        let Some(air) = &self.air else { return Ok(Survey::default()) };
        let x = &self.state.at.points;
        let positions = self.gathered(x);
        air.survey(&self.closed_surfaces(&positions), detector, sealing, x)
    }

    /// Per body, where the vertices of its surface are (m) with all points at `x`.
    pub(super) fn gathered(&self, x: &[DVec3]) -> Vec<Vec<DVec3>> {
        let of = |b: &super::Body| b.surface_points.iter().map(|p| x[*p]).collect();
        self.bodies.iter().map(of).collect()
    }

    /// The surfaces that can trap air.
    fn closed_surfaces<'a>(&'a self, positions: &'a [Vec<DVec3>]) -> Vec<BodySurface<'a>> {
        (self.bodies.iter().zip(positions).enumerate())
            .filter(|(_, (b, _))| b.closed)
            .map(|(i, (b, positions))| BodySurface {
                body: i,
                points: &b.surface_points,
                triangles: &b.triangles,
                positions,
                folds: b.self_contact,
            })
            .collect()
    }

    pub(super) fn chambers(&self, length: f64) -> Chambers {
        let time = self.state.time + length;
        let make =
            |air: &crate::cavity::AirSpace| air.chambers(&self.state.at.points, time, length);
        self.air.as_ref().map(make).unwrap_or_default()
    }

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

    /// Books the air of an accepted step and reports it.
    pub(super) fn commit_air(
        &mut self,
        chambers: &Chambers,
        touches: &[Touch],
        outcome: &Outcome,
        report: &mut StepReport,
    ) {
        let Some(mut air) = self.air.take() else { return };
        let began = air.commit(chambers, outcome);
        let pressing = EndOfStep::new(self, &air.settings().limit, touches, outcome);
        air.renew_limits(&pressing, report.time_step);
        let settings = air.settings();
        for id in began {
            let pressure = air.cavities().iter().find(|c| c.id == id).map_or(0.0, |c| c.pressure);
            let what = format!("cavity {id} lets air out at {pressure:.0} Pa");
            report.events.push(Event { time: self.state.time, kind: "vent", what });
        }
        for (chamber, pressure) in chambers.list.iter().zip(&outcome.pressures) {
            let gauge = pressure - settings.atmosphere;
            for (point, area) in &chamber.gradient {
                report.bodies[self.body_of_point[*point]].gas_force += *area * gauge;
            }
        }
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
        report.looks = air.looks();
        report.relook_jump = air.relook_jump();
        self.air = Some(air);
        self.memory.velocities_before = self.memory.budgets.iter().map(|b| b.velocity).collect();
        self.memory.budgets = (report.bodies.iter())
            .map(|b| Budget { gas: b.gas_force, contact: b.contact_force, velocity: b.velocity })
            .collect();
        self.watch_supports(report);
        self.watch_seals(report);
        report.energy = self.energy();
    }
}

/// |a / b - 1|; nothing where both are nothing, as in a cavity that a pump has emptied.
fn relative_error(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a / b - 1.0).abs() }
}
