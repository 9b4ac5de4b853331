//! What an accepted step leaves, written in one place: the state, what the next step starts from, and the report.

use super::World;
use super::engine::Proposal;
use super::events::Budget;
use super::retry::Accepted;
use super::seal_loads::EndOfStep;
use super::step::Given;
use super::weigh::Weighed;
use crate::event::{Event, EventKind};
use crate::report::StepReport;
use crate::settings::Settings;
use crate::solver::WorldContact;
use cupule_geometry::DVec3;

impl World {
    /// Takes an accepted step: with and without air, in this order.
    pub(super) fn commit(&mut self, given: Given, accepted: Box<Accepted>) -> StepReport {
        let Accepted { weighed, restart, elastic_gain } = *accepted;
        let Weighed { proposal, next, stored, histories, work, .. } = weighed;
        self.memory.work += work;
        self.memory.stored = Some(stored);
        self.memory.restart = restart;
        self.memory.last_length = given.length;
        self.memory.histories = histories;
        self.memory.remember_contacts(&proposal, &self.assembly.settings);
        self.before = std::mem::replace(&mut self.state, next);
        let mut report = self.moment().report(given.length, &proposal, elastic_gain);
        report.events = std::mem::take(&mut self.memory.seen);
        self.commit_air(&given, &proposal, &mut report);
        self.memory.remember_budgets(&report);
        self.watch_supports(&mut report);
        self.watch_seals(&report);
        report.energy = self.energy();
        report
    }

    /// Takes the air of an accepted step and reports it.
    fn commit_air(&mut self, given: &Given, proposal: &Proposal, report: &mut StepReport) {
        let World { assembly, state, before, memory, air: Some(air), .. } = self else { return };
        let moment = super::moment::Moment { assembly, state, before, memory };
        let Proposal { contacts, outcome, .. } = proposal;
        let began = air.commit(&given.chambers, outcome);
        let pressing = EndOfStep::new(moment, &air.settings().limit, contacts, outcome);
        air.renew_limits(&pressing, given.length);
        for id in began {
            let pressure = air.cavities().iter().find(|c| c.id == id).map_or(0.0, |c| c.pressure);
            let (cavity, pressure) = (Some(id), Some(pressure));
            let event = Event::new(moment.state.time, EventKind::Vent);
            report.events.push(Event { cavity, pressure, ..event });
        }
        for (chamber, pressure) in given.chambers.list.iter().zip(&outcome.pressures) {
            let gauge = pressure - air.settings().atmosphere;
            for (point, area) in &chamber.gradient {
                report.bodies[assembly.body_of_point[*point]].gas_force += *area * gauge;
            }
        }
        super::air::describe(air, report);
    }
}

impl super::Memory {
    fn remember_contacts(&mut self, proposal: &Proposal, settings: &Settings) {
        let Proposal { contacts, outcome, .. } = proposal;
        self.forces.clear();
        self.unwanted_slips.clear();
        for (i, WorldContact { contact, touch }) in contacts.iter().enumerate() {
            if !touch.law.acts(outcome.forces[i]) {
                continue;
            }
            let (force, measure) = (outcome.forces[i], outcome.solved_measures[i]);
            let (id, in_world) = (contact.id, touch.to_world(force));
            self.forces.insert(id, in_world);
            if touch.law.sticks(force) {
                // No more than the tolerance leaves: slips of contacts that are redundant must not ask for what no motion can do.
                let slip = touch.to_world(DVec3::new(0.0, measure.y, measure.z));
                let slip = slip.clamp_length_max(0.5 * settings.ncp.gap_tolerance);
                self.unwanted_slips.insert(id, slip);
            }
        }
    }

    fn remember_budgets(&mut self, report: &StepReport) {
        self.velocities_before = self.budgets.iter().map(|b| b.velocity).collect();
        self.budgets = (report.bodies.iter())
            .map(|b| Budget { gas: b.gas_force, contact: b.contact_force, velocity: b.velocity })
            .collect();
    }
}
