//! What contact laws remember, per contact.
//!
//! Only an accepted step renews histories. A contact that is detected again keeps its own. A contact that replaces others (a vertex
//! that slides to the next face) inherits theirs: histories are also filed under the vertex or edge and the surface it touches.
//! If one contact splits, every part inherits; if one replaces several, the interface joins their histories.

use super::ContactLaw;
use super::interface::{ContactEnd, History, Interface, Interfaces};
use crate::contact::{ContactId, PointKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Histories of the contacts of the last accepted step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histories {
    contacts: BTreeMap<ContactId, History>,
    /// For contacts that replace others.
    points: BTreeMap<PointKey, History>,
    /// J.
    stored_energy: f64,
}

impl Histories {
    /// Energy that the contacts store, J.
    pub fn stored_energy(&self) -> f64 {
        self.stored_energy
    }
}

/// The contact laws of one step, for either solver.
#[derive(Debug, Clone, Copy)]
pub struct Laws<'a> {
    /// Per pair of bodies.
    pub interfaces: &'a Interfaces,
    /// Of the last accepted step.
    pub histories: &'a Histories,
}

impl<'a> Laws<'a> {
    /// The law of a contact. `slip_speed` (m/s, at the start of the step) is called only for a new contact whose interface remembers.
    pub fn of(&self, id: &ContactId, slip_speed: impl FnOnce() -> f64) -> &'a Arc<dyn ContactLaw> {
        let interface = self.interfaces.of(id);
        interface.law(self.history(interface, id, slip_speed))
    }

    fn history(
        &self,
        interface: &dyn Interface,
        id: &ContactId,
        slip_speed: impl FnOnce() -> f64,
    ) -> History {
        if !interface.remembers() {
            return History::default();
        }
        let own = self.histories.contacts.get(id);
        let known = own.or_else(|| self.histories.points.get(&id.point_key()));
        known.copied().unwrap_or_else(|| interface.begin(slip_speed()))
    }

    /// Histories after a step that ended with these contacts; the last entry is the slip speed at its start (m/s), for new ones.
    pub fn renewed(
        &self,
        ends: impl IntoIterator<Item = (ContactId, ContactEnd, f64)>,
    ) -> Histories {
        let mut next = Histories::default();
        if !self.interfaces.remember() {
            return next;
        }
        for (id, end, slip_speed) in ends {
            let interface = self.interfaces.of(&id);
            if !interface.remembers() {
                continue;
            }
            let history = interface.renew(self.history(interface, &id, || slip_speed), end);
            next.stored_energy += interface.stored_energy(history);
            next.contacts.insert(id, history);
            let join = |known: &mut History| *known = interface.join(*known, history);
            next.points.entry(id.point_key()).and_modify(join).or_insert(history);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StickSlip, interface::coulomb};
    use super::*;
    use crate::contact::Feature;

    fn id(vertex: u32, face: u32) -> ContactId {
        let (feature_a, feature_b) = (Feature::Vertex(vertex), Feature::Face(face));
        ContactId { surface_a: 0, feature_a, surface_b: 1, feature_b }
    }

    fn end(slip_speed: f64) -> ContactEnd {
        ContactEnd { normal_force: 1.0, slip_speed, speed_before: 0.0, reversed: false }
    }

    /// Bodies 0 and 1 with mu_s = 0.8 and mu_k = 0.5, all others with 0.3.
    fn interfaces() -> Interfaces {
        let mut interfaces = Interfaces::new(coulomb(0.3));
        interfaces.set(1, 0, Arc::new(StickSlip::new(0.8, 0.5, 1e-3)));
        interfaces
    }

    /// The friction coefficient of a contact: the slope of the dissipation of 1 N where it slips.
    fn friction(laws: &Laws, id: ContactId, slip_speed: f64) -> f64 {
        laws.of(&id, || slip_speed).dissipation(1.0, 1.0, 1e-3)[1]
    }

    #[test]
    fn a_history_survives_detection_and_passes_to_the_next_face() {
        let (interfaces, start) = (interfaces(), Histories::default());
        let laws = Laws { interfaces: &interfaces, histories: &start };
        let next = laws.renewed([(id(7, 3), end(0.1), 0.0), (id(8, 3), end(0.0), 0.0)]);
        let laws = Laws { interfaces: &interfaces, histories: &next };
        assert_eq!(friction(&laws, id(7, 3), 0.0), 0.5, "it keeps slipping");
        assert_eq!(friction(&laws, id(7, 4), 0.0), 0.5, "it slid to the next face");
        assert_eq!(friction(&laws, id(8, 3), 0.0), 0.8, "it sticks");
        assert_eq!(friction(&laws, id(9, 3), 0.0), 0.8, "it is new and at rest");
        assert_eq!(friction(&laws, id(9, 3), 0.2), 0.5, "it is new and moves");
        let other_pair = ContactId { surface_b: 2, ..id(7, 3) };
        assert_eq!(friction(&laws, other_pair, 0.0), 0.3, "another pair of bodies");
    }

    #[test]
    fn a_contact_that_replaces_a_slipping_one_slips() {
        let (interfaces, start) = (interfaces(), Histories::default());
        let laws = Laws { interfaces: &interfaces, histories: &start };
        for speeds in [[0.1, 0.0], [0.0, 0.1]] {
            let ends = [(id(7, 3), end(speeds[0]), 0.0), (id(7, 4), end(speeds[1]), 0.0)];
            let next = laws.renewed(ends);
            let laws = Laws { interfaces: &interfaces, histories: &next };
            assert_eq!(friction(&laws, id(7, 5), 0.0), 0.5);
        }
    }
}
