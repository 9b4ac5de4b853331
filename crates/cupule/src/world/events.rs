//! What happens, in words: seals that close and open, air that goes, objects that are lifted and dropped, and why.

use super::World;
use super::assembly::BodyKind;
use super::moment::Moment;
use crate::cavity::{AirSpace, BodySurface, Cavity, Change};
use crate::report::{Event, StepReport};
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
        let place = |id: u32, cavities: &[Cavity]| {
            let cavity = cavities.iter().find(|c| c.id == id);
            let bodies = cavity.map(|c| c.found.bodies()).unwrap_or_default();
            let names: Vec<&str> =
                bodies.iter().map(|b| self.assembly.bodies[*b].name.as_str()).collect();
            let word = if names.len() == 1 { "in a fold of" } else { "between" };
            format!("{word} {}", names.join(", "))
        };
        let event = |kind, what| Event { time: self.state.time, kind, what };
        match change {
            Change::Sealed(id) => {
                vec![event("seal", format!("cavity {id} closed {}", place(id, air.cavities())))]
            }
            Change::Unsealed(id, pressure) => {
                let what = format!("cavity {id} opened at {pressure:.0} Pa");
                let cavity = before.iter().find(|c| c.id == id);
                let cause = cavity.map(|c| self.cause(c, air, surfaces));
                let mut events = vec![event("unseal", what)];
                events.extend(cause.map(|cause| event("detach", cause)));
                events
            }
            Change::Merged(from, into) => {
                vec![event("merge", format!("cavity {from} joined cavity {into}"))]
            }
            Change::Split(from, id) => {
                vec![event("split", format!("cavity {id} broke away from cavity {from}"))]
            }
            Change::Flattened(id) => {
                vec![event("flatten", format!("cavity {id} has no open part left"))]
            }
            Change::Reopened(id) => {
                vec![event("reopen", format!("cavity {id} has an open part again"))]
            }
        }
    }

    /// Whether nothing but contact, gas and weight moves a body.
    fn is_free(&self, body: usize) -> bool {
        let kind = self.assembly.bodies[body].kind;
        matches!(kind, BodyKind::Fem | BodyKind::Rigid)
            && !self.assembly.attachments.iter().any(|a| a.body == body)
    }
}

impl World {
    /// Objects that were lifted off what they stood on, or dropped.
    pub(super) fn watch_supports(&mut self, report: &mut StepReport) {
        let mut standing = vec![false; self.assembly.bodies.len()];
        for contact in report.contacts.iter().filter(|c| c.force.length() > 0.0) {
            for [body, other] in [contact.bodies, [contact.bodies[1], contact.bodies[0]]] {
                standing[body] |= self.assembly.bodies[other].kind == BodyKind::Static;
            }
        }
        self.memory.supports.resize(self.assembly.bodies.len(), Support::default());
        for (body, stands) in standing.into_iter().enumerate() {
            if !self.moment().is_free(body) {
                continue;
            }
            let held = report.cavities.iter().any(|c| c.bodies.contains(&body));
            let name = &self.assembly.bodies[body].name;
            let support = &mut self.memory.supports[body];
            support.stood |= stands;
            support.steps_off = if stands { 0 } else { support.steps_off + 1 };
            let event = if !support.lifted
                && held
                && support.stood
                && support.steps_off == STEPS_IN_THE_AIR
            {
                support.lifted = true;
                Some(("lift", format!("{name} left its support, held by suction")))
            } else if support.lifted && !held {
                *support = Support { stood: stands, ..Support::default() };
                Some(("drop", format!("{name} is no longer held by suction")))
            } else {
                None
            };
            let time = report.time;
            report.events.extend(event.map(|(kind, what)| Event { time, kind, what }));
        }
    }
}
