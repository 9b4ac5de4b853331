//! Cables that pull on soft bodies: what pulls them, and what they do.
//!
//! A cable is an elastic part like any other (`element/cable.rs`): its points hang on the cells of its body, so that either
//! solver takes it implicitly, with the stiffness that its bends have. What its drive says holds at the end of a step;
//! the energy that a new command takes at the old place is work done on it.

use super::assembly::Assembly;
use super::builder::BodyId;
use super::moment::Moment;
use crate::cavity::Schedule;
use crate::element::{CableElements, CableLaw, ElementPool, cable_length};
use crate::mapping::Tie;
use crate::report::CableReport;
use cupule_geometry::DVec3;
use std::sync::Arc;

/// What pulls a cable.
#[derive(Debug, Clone, PartialEq)]
pub enum CableDrive {
    /// Its tension over time, N, whatever its length.
    Tension(Schedule),
    /// Its length is taken in over time; it resists only where it is taut.
    Shortening {
        /// How much shorter than at the start, m; negative pays out.
        by: Schedule,
        /// E A, N: it stretches by the share T / E A of its length.
        axial_stiffness: f64,
    },
}

/// A cable through points of a soft body.
#[derive(Debug, Clone)]
pub struct CableSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// The soft body that it pulls.
    pub body: BodyId,
    /// Points in the body through which it runs, in order, where they are at the start, m.
    pub points: Vec<DVec3>,
    /// Where it begins outside the body, m; without, at its first point.
    pub anchor: Option<DVec3>,
    /// What the anchor is fixed to: a rigid or kinematic body, or, without, the world.
    pub anchor_body: Option<BodyId>,
    /// What pulls it.
    pub drive: CableDrive,
}

/// A cable as the world keeps it.
#[derive(Clone)]
pub(super) struct Cable {
    pub(super) name: String,
    pub(super) drive: CableDrive,
    /// Its elastic part.
    pub(super) part: usize,
    /// Length at the start, m.
    pub(super) start: f64,
}

impl Cable {
    /// Its law at a time, s.
    pub(super) fn law(&self, time: f64) -> CableLaw {
        match &self.drive {
            CableDrive::Tension(schedule) => {
                let largest = schedule.0.iter().map(|(_, tension)| *tension).fold(0.0, f64::max);
                CableLaw::Tension { now: schedule.at(time), largest }
            }
            CableDrive::Shortening { by, axial_stiffness } => CableLaw::Spring {
                stiffness: axial_stiffness / self.start,
                rest: self.start - by.at(time),
            },
        }
    }
}

impl Assembly {
    /// Whether a cable runs through a body or begins on it.
    pub(super) fn pulls_on(&self, cable: &Cable, body: usize) -> bool {
        let (part, own) = (&self.model.soft[cable.part], self.bodies[body].frame);
        let carried = |point: usize| match self.model.ties[point] {
            Tie::Carried { frame, .. } => Some(frame) == own,
            _ => false,
        };
        part.body == body || part.points.clone().any(carried)
    }

    /// Gives every cable what its drive says at a time, s.
    pub(super) fn command_cables(&mut self, time: f64) {
        for cable in &self.cables {
            let part = &mut self.model.soft[cable.part];
            part.elements = Arc::new(CableElements::new(part.points.len(), cable.law(time)));
        }
    }
}

impl Moment<'_> {
    /// Work of the drives of cables in a step of this length, J: what the new commands add to the energy of the old place.
    pub(super) fn work_of_cables(&self, length: f64) -> f64 {
        let energy = |cable: &Cable, time: f64| {
            let points = &self.assembly.model.soft[cable.part].points;
            let x = &self.state.at.points[points.clone()];
            CableElements::new(x.len(), cable.law(time)).energy(x)
        };
        let (now, then) = (self.state.time, self.state.time + length);
        self.assembly.cables.iter().map(|cable| energy(cable, then) - energy(cable, now)).sum()
    }

    pub(super) fn cable_reports(&self) -> Vec<CableReport> {
        let report = |cable: &Cable| {
            let points = &self.assembly.model.soft[cable.part].points;
            let length = cable_length(&self.state.at.points[points.clone()]);
            CableReport { length, tension: cable.law(self.state.time).tension(length) }
        };
        self.assembly.cables.iter().map(report).collect()
    }
}
