//! The world at one moment, to be read: what is simulated, where it is, where it was a step ago, and what the last step left.

use super::Memory;
use super::assembly::Assembly;
use crate::law::Laws;
use crate::model::State;
use cupule_geometry::DVec3;

/// A read-only view. Solver and air are not part of it, so that a step can change them while it reads.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) assembly: &'a Assembly,
    pub(super) state: &'a State,
    /// One step ago; the same as `state` before the first.
    pub(super) before: &'a State,
    pub(super) memory: &'a Memory,
}

impl<'a> Moment<'a> {
    /// How contacts behave in the next step.
    pub(super) fn laws(&self) -> Laws<'a> {
        Laws { interfaces: &self.assembly.interfaces, histories: &self.memory.histories }
    }

    /// Where all points are, m.
    pub(super) fn points(&self) -> &'a [DVec3] {
        &self.state.at.points
    }

    /// Vertices (m) of a body's collision surface.
    pub(super) fn surface_of(&self, body: usize) -> Vec<DVec3> {
        self.assembly.bodies[body].surface_at(self.points())
    }

    /// The mean of some points, m.
    pub(super) fn centre(&self, points: &[usize]) -> DVec3 {
        points.iter().map(|p| self.state.at.points[*p]).sum::<DVec3>() / points.len() as f64
    }
}
