//! What a proposal makes of the energy.

use super::engine::Proposal;
use super::moment::Moment;
use super::step::Given;
use crate::law::{ContactEnd, Histories};
use crate::math::plane_length;
use crate::model::{Islands, Soft, State};
use crate::report::{Energy, worse};
use crate::solver::{Outcome, WorldContact};
use cupule_geometry::DVec3;

/// Elastic energy that no step may make, as a share of what moves, is stored and is worked. Cups that let go make up to 0.1 in a step
/// of 10 ms, and are meant to be split, which makes less; runaway steps make 0.3 and more.
const ENERGY_REFUSED: f64 = 0.02;

/// A proposal with what it leads to.
pub(super) struct Weighed {
    pub(super) proposal: Proposal,
    pub(super) next: State,
    pub(super) stored: Energy,
    /// What contact laws remember from then on.
    pub(super) histories: Histories,
    /// Work of drives, wrenches and kinematic bodies, J.
    pub(super) work: f64,
    pub(super) gain: Gain,
}

impl Weighed {
    /// Whether it makes more elastic energy than any step may.
    pub(super) fn makes_energy(&self) -> bool {
        self.gain.elastic.is_nan() || self.gain.elastic > ENERGY_REFUSED
    }
}

/// Energy made out of nothing, as a share of what moved, was stored and was worked.
pub(super) struct Gain {
    /// In all: contacts that push bodies out of each other count too.
    pub(super) total: f64,
    /// What of it is stored in strained bodies.
    pub(super) elastic: f64,
}

impl Moment<'_> {
    /// The state that a proposal leads to, and what that makes of the energy.
    pub(super) fn weigh(
        &self,
        mut proposal: Proposal,
        given: &Given,
        islands: &Islands,
        work_of_air: f64,
    ) -> Weighed {
        let about = proposal.about.take();
        let step = self.time_step(given, about.as_deref(), islands);
        let next = self.next(&mut proposal, &step);
        let histories = self.next_histories(&proposal, given.length);
        let bonds = self.assembly.bond_energy(&next.at.points);
        let interfaces = histories.stored_energy() + bonds;
        let stored = Energy { interfaces, ..self.stored_energy(&next) };
        let work = self.work_of_drives(&next, &proposal, given);
        let gain = self.energy_gain(&stored, work, work_of_air, &proposal, given.length);
        Weighed { proposal, next, stored, histories, work, gain }
    }

    /// What contact laws remember if a proposal is accepted.
    fn next_histories(&self, proposal: &Proposal, length: f64) -> Histories {
        let Proposal { contacts, outcome, .. } = proposal;
        let ends = contacts.iter().zip(&outcome.forces).zip(&outcome.measures);
        self.laws().renewed(ends.map(|((WorldContact { contact, touch }, force), measure)| {
            let slip_speed = plane_length(measure.y, measure.z) / length;
            let slip = touch.to_world(DVec3::new(0.0, measure.y, measure.z));
            let before = touch.slip_velocity(&self.state.point_velocities);
            let (speed_before, reversed) = (before.length(), before.dot(slip) < 0.0);
            let end = ContactEnd { normal_force: force.x, slip_speed, speed_before, reversed };
            (contact.id, end, speed_before)
        }))
    }

    /// Energy that a step makes out of nothing. An honest one makes none; but a stiffness that is a little old, harmless in slow
    /// motion, leads elastic forces on a stiff light body that turns fast into directions that do not resist, and so does a fresh
    /// one where cells turn far or inside out within the step, as when a stretched cup snaps back.
    fn energy_gain(
        &self,
        after: &Energy,
        work_of_drives: f64,
        work_of_air: f64,
        proposal: &Proposal,
        length: f64,
    ) -> Gain {
        let before = self.stored_now();
        let total = |e: &Energy| e.kinetic + e.elastic + e.gravity + e.interfaces;
        let work = work_of_drives + work_of_air + work_of_parting(proposal);
        let scale = before.kinetic + before.elastic + work.abs() + self.unnoticed(proposal, length);
        let share = |energy: f64| if energy <= 0.0 { 0.0 } else { energy / scale };
        let total = total(after) - total(&before) - work;
        let elastic = -worse(-total, before.elastic - after.elastic);
        Gain { total: share(total), elastic: share(elastic) }
    }

    /// Energy below the solver's tolerance, J: of motion by it within the step, and of contacts that are wrong by it. A world at
    /// rest has none of its own, and rounding would look like a gain.
    fn unnoticed(&self, proposal: &Proposal, length: f64) -> f64 {
        let tolerance = self.assembly.settings.ncp.gap_tolerance;
        let mass: f64 = self.assembly.model.masses.iter().sum();
        let pressed: f64 = proposal.outcome.forces.iter().map(|force| force.x).sum();
        0.5 * mass * (tolerance / length).powi(2) + pressed * tolerance
    }

    /// The body whose elastic energy grows most on the way to another state; none where nothing is elastic.
    pub(super) fn most_strained(&self, next: &State) -> Option<usize> {
        let growth = |soft: &Soft| {
            let energy =
                |state: &State| soft.elements.energy(&state.at.points[soft.points.clone()]);
            energy(next) - energy(self.state)
        };
        let soft = self.assembly.model.soft.iter();
        soft.max_by(|a, b| growth(a).total_cmp(&growth(b))).map(|soft| soft.body)
    }

    /// Energies of the present state; a step has computed them already.
    pub(super) fn stored_now(&self) -> Energy {
        self.memory.stored.unwrap_or_else(|| self.stored_energy(self.state))
    }

    /// Energies of motion, strain and height, J.
    pub(super) fn stored_energy(&self, state: &State) -> Energy {
        let (points, velocities, gravity) =
            (&state.at.points, &state.point_velocities, self.assembly.settings.gravity);
        let model = &self.assembly.model;
        let bonds = self.assembly.bond_energy(points);
        let interfaces = self.memory.histories.stored_energy() + bonds;
        let mut energy = Energy { interfaces, ..Energy::default() };
        for (i, mass) in model.masses.iter().enumerate() {
            energy.kinetic += 0.5 * mass * velocities[i].length_squared();
            energy.gravity -= mass * gravity.dot(points[i]);
        }
        for (rigid, frame) in model.rigid.iter().zip(&state.at.frames) {
            let [v, w] = [frame.block, frame.block + 1].map(|i| state.velocities[i]);
            let spin = rigid.world_inertia(frame.orientation) * w;
            energy.kinetic += 0.5 * (rigid.mass * v.length_squared() + w.dot(spin));
            energy.gravity -= rigid.mass * gravity.dot(frame.position);
        }
        energy.elastic =
            model.soft.iter().map(|s| s.elements.energy(&points[s.points.clone()])).sum();
        energy
    }
}

/// Work of contacts that push bodies out of each other, J: bodies may start a little too near, or be moved there by a step that
/// stopped early.
fn work_of_parting(proposal: &Proposal) -> f64 {
    let Proposal { contacts, outcome: Outcome { forces, .. }, .. } = proposal;
    let depth = |c: &WorldContact| c.touch.distance - c.contact.distance;
    contacts.iter().zip(forces).map(|(contact, force)| force.x * depth(contact).max(0.0)).sum()
}
