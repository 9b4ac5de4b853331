//! Why a cavity let go.

use super::moment::Moment;
use crate::cavity::{AirSpace, BodySurface, Cavity, Leak, Leaked, Loss};
use crate::event::{Cause, Event, EventKind, ForceBudget, LeakHistory, LeakPath, SealPlace};

impl Moment<'_> {
    /// Why a cavity let go: its vacuum had leaked away, or there was none, or its seal opened and where; and what pulled on its
    /// bodies then.
    pub(super) fn detachment(
        &self,
        cavity: &Cavity,
        air: &AirSpace,
        surfaces: &[BodySurface],
    ) -> Event {
        let (pressure, atmosphere) = (cavity.pressure, air.settings().atmosphere);
        let leaked = cavity.loss.leaked(pressure, cavity.amount, atmosphere);
        let weakest = air.weakest(&cavity.found, surfaces);
        let breach = self.breach_of(cavity, air, surfaces);
        let opening = breach.map(|b| SealPlace { body: b.body, at: b.at, gap: b.gap });
        let cause = Cause {
            exhausted: Loss::is_exhausted(pressure, atmosphere),
            leak: leaked.map(|leaked| self.leak_history(cavity, &leaked, air)),
            weakest: weakest.map(|(body, vertex, gap)| self.place_before(body, vertex, gap)),
            opening,
            slid_over: breach.and_then(|breach| self.edge_slid_over(&breach, cavity)),
        };
        let bodies = cavity.found.bodies();
        Event {
            cavity: Some(cavity.id),
            pressure: Some(pressure),
            place: opening.or(cause.weakest).map(|place| place.at),
            cause: Some(Box::new(cause)),
            budget: bodies.iter().filter_map(|body| self.budget(*body, cavity)).collect(),
            bodies,
            ..Event::new(self.state.time, EventKind::Detach)
        }
    }

    /// From when to when the vacuum leaked away, and by which way.
    fn leak_history(&self, cavity: &Cavity, leaked: &Leaked, air: &AirSpace) -> LeakHistory {
        let settings = air.settings();
        let path = match leaked.by {
            Leak::Rate => LeakPath::Rate(settings.leak_rate),
            Leak::Conductance => LeakPath::Conductance(settings.leak_conductance),
            Leak::Line => LeakPath::Line,
            Leak::Gap => LeakPath::Gap {
                conductance: cavity.seal_conductance,
                widest: cavity.widest.map(|n| self.place_before(n.body, n.vertex, n.gap)),
            },
        };
        LeakHistory {
            path,
            amount: leaked.amount,
            since: leaked.since,
            deepest: (settings.atmosphere - leaked.from).max(0.0),
            left: settings.atmosphere - cavity.pressure,
            gone: leaked.gone,
        }
    }

    /// Where a vertex of a body was while the seal still held.
    fn place_before(&self, body: usize, vertex: u32, gap: f64) -> SealPlace {
        let point = self.assembly.bodies[body].surface.points[vertex as usize];
        SealPlace { body, at: self.before.at.points[point], gap }
    }

    /// Forces on a body along the pull of a cavity at the last step; none for a body without mass.
    fn budget(&self, body: usize, cavity: &Cavity) -> Option<ForceBudget> {
        let budget = self.memory.budgets.get(body)?;
        let mass = self.assembly.bodies[body].mass;
        if mass == 0.0 {
            return None;
        }
        let pull = cavity.found.pull_area(body, false).normalize_or_zero();
        let weight = self.assembly.settings.gravity * mass;
        let before = self.memory.velocities_before.get(body).copied().unwrap_or(budget.velocity);
        let inertia = (budget.velocity - before) * (mass / self.memory.last_length.max(1e-12));
        let [gas, contact, weight, inertia] =
            [budget.gas, budget.contact, weight, inertia].map(|f| f.dot(pull));
        Some(ForceBudget { body, gas, contact, weight, inertia })
    }
}
