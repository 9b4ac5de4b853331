//! What happens: seals that close and open, bodies that are lifted and dropped.

use super::World;
use super::moment::Moment;
use crate::cavity::{AirSpace, BodySurface, Cavity, Change};
use crate::event::{Event, EventKind};
use crate::report::StepReport;
use cupule_geometry::DVec3;

/// Steps without a standing support before a body counts as lifted.
const STEPS_IN_THE_AIR: usize = 3;

/// Forces on a body at the end of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Budget {
    pub(super) gas: DVec3,
    pub(super) contact: DVec3,
    pub(super) velocity: DVec3,
}

/// How a free body is held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Support {
    /// Whether it ever stood on a body that does not move.
    stood: bool,
    /// Steps since it last did.
    steps_off: usize,
    /// Whether it was reported as lifted.
    lifted: bool,
}

impl Moment<'_> {
    /// What a change of the cavities means; `before` are the cavities before it.
    pub(super) fn events_of(
        &self,
        change: Change,
        before: &[Cavity],
        air: &AirSpace,
        surfaces: &[BodySurface],
    ) -> Vec<Event> {
        let event = |kind, cavity| Event {
            cavity: Some(cavity),
            bodies: bodies_of(cavity, air.cavities())
                .or(bodies_of(cavity, before))
                .unwrap_or_default(),
            ..Event::new(self.state.time, kind)
        };
        let joined =
            |kind, cavity, other| Event { other_cavity: Some(other), ..event(kind, cavity) };
        match change {
            Change::Sealed(id) => vec![event(EventKind::Seal, id)],
            Change::Unsealed(id, pressure) => {
                let opened = Event { pressure: Some(pressure), ..event(EventKind::Unseal, id) };
                let cavity = before.iter().find(|c| c.id == id);
                let mut events = vec![opened];
                events.extend(cavity.map(|cavity| self.detachment(cavity, air, surfaces)));
                events
            }
            Change::Merged(from, into) => vec![joined(EventKind::Merge, from, into)],
            Change::Split(from, id) => vec![joined(EventKind::Split, id, from)],
            Change::Flattened(id) => vec![event(EventKind::Flatten, id)],
            Change::Reopened(id) => vec![event(EventKind::Reopen, id)],
        }
    }

    /// Whether nothing but contact, gas and weight moves a body.
    fn is_free(&self, body: usize) -> bool {
        self.assembly.bodies[body].moves_freely()
            && !self.assembly.attachments.iter().any(|a| a.body == body)
    }
}

impl World {
    /// Objects that were lifted off what they stood on, or dropped.
    pub(super) fn watch_supports(&mut self, report: &mut StepReport) {
        let mut standing = vec![false; self.assembly.bodies.len()];
        for contact in report.contacts.iter().filter(|c| c.force.length() > 0.0) {
            for [body, other] in [contact.bodies, [contact.bodies[1], contact.bodies[0]]] {
                standing[body] |= self.assembly.bodies[other].is_fixed();
            }
        }
        self.memory.supports.resize(self.assembly.bodies.len(), Support::default());
        for (body, stands) in standing.into_iter().enumerate() {
            if !self.moment().is_free(body) {
                continue;
            }
            let held = report.cavities.iter().any(|c| c.bodies.contains(&body));
            let support = &mut self.memory.supports[body];
            support.stood |= stands;
            support.steps_off = if stands { 0 } else { support.steps_off + 1 };
            let lifted = held && support.stood && support.steps_off == STEPS_IN_THE_AIR;
            let kind = if lifted && !support.lifted {
                support.lifted = true;
                Some(EventKind::Lift)
            } else if support.lifted && !held {
                *support = Support { stood: stands, ..Support::default() };
                Some(EventKind::Drop)
            } else {
                None
            };
            let event = |kind| Event { bodies: vec![body], ..Event::new(report.time, kind) };
            report.events.extend(kind.map(event));
        }
    }
}

/// The bodies that bound a cavity, if it is one of these.
fn bodies_of(id: u32, cavities: &[Cavity]) -> Option<Vec<usize>> {
    cavities.iter().find(|cavity| cavity.id == id).map(|cavity| cavity.found.bodies())
}
