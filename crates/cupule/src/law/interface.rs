//! The table of interfaces: what lies between two bodies, per pair. It yields the contact laws of a step to either solver.
//!
//! A law that remembers keeps a [`History`] per contact (`history`).

use super::{ContactLaw, Coulomb};
use crate::contact::ContactId;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// What an interface remembers of one contact; only the interface knows what the entries mean.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct History(pub [f64; 4]);

/// How a contact ended an accepted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactEnd {
    /// Normal force, N.
    pub normal_force: f64,
    /// Slip speed, m/s.
    pub slip_speed: f64,
    /// Slip speed at the start of the step, m/s.
    pub speed_before: f64,
    /// Whether it ended slipping against the way in which it began: within the step it was at rest.
    pub reversed: bool,
}

/// A parameter that makes no sense: its name, its value, and what is expected.
pub type Fault = (&'static str, f64, &'static str);

/// What lies between the surfaces of two bodies.
pub trait Interface: Debug + Send + Sync {
    /// The law of a contact with this history, fixed during a step. Contacts with equal laws share one object.
    fn law(&self, history: History) -> &Arc<dyn ContactLaw>;

    /// The first parameter that makes no sense.
    fn fault(&self) -> Option<Fault>;

    /// The same interface with another friction coefficient.
    fn with_friction(&self, friction: f64) -> Arc<dyn Interface>;

    /// Whether it keeps histories. The methods below are called only if it does.
    fn remembers(&self) -> bool {
        false
    }

    /// The history of a new contact that slips at this speed (m/s).
    fn begin(&self, slip_speed: f64) -> History {
        let _ = slip_speed;
        History::default()
    }

    /// The history after an accepted step.
    fn renew(&self, history: History, end: ContactEnd) -> History {
        let _ = end;
        history
    }

    /// The history of a contact that replaces two others.
    fn join(&self, one: History, other: History) -> History {
        let _ = other;
        one
    }

    /// Energy that a contact with this history stores, J.
    fn stored_energy(&self, history: History) -> f64 {
        let _ = history;
        0.0
    }
}

/// Coulomb friction without memory.
#[derive(Debug, Clone)]
struct PlainCoulomb {
    friction: f64,
    law: Arc<dyn ContactLaw>,
}

impl Interface for PlainCoulomb {
    fn law(&self, _history: History) -> &Arc<dyn ContactLaw> {
        &self.law
    }

    fn fault(&self) -> Option<Fault> {
        let good = self.friction >= 0.0 && self.friction.is_finite();
        (!good).then_some(("friction", self.friction, "0 or more"))
    }

    fn with_friction(&self, friction: f64) -> Arc<dyn Interface> {
        coulomb(friction)
    }
}

/// Coulomb friction with one coefficient, as an interface.
pub fn coulomb(friction: f64) -> Arc<dyn Interface> {
    Arc::new(PlainCoulomb { friction, law: Arc::new(Coulomb { friction }) })
}

/// The interfaces of all pairs of bodies.
#[derive(Debug, Clone)]
pub struct Interfaces {
    /// Of pairs that have no interface of their own.
    default: Arc<dyn Interface>,
    /// By body indices, the smaller first.
    pairs: BTreeMap<[usize; 2], Arc<dyn Interface>>,
}

impl Interfaces {
    /// One interface for all pairs.
    pub fn new(default: Arc<dyn Interface>) -> Self {
        Self { default, pairs: BTreeMap::new() }
    }

    /// Sets the interface of a pair of bodies, or of a body with itself.
    pub fn set(&mut self, a: usize, b: usize, interface: Arc<dyn Interface>) {
        self.pairs.insert([a.min(b), a.max(b)], interface);
    }

    /// Sets the interface of all pairs that have none of their own.
    pub fn set_default(&mut self, interface: Arc<dyn Interface>) {
        self.default = interface;
    }

    /// The interface of a pair of bodies.
    pub fn between(&self, a: usize, b: usize) -> &dyn Interface {
        self.pairs.get(&[a.min(b), a.max(b)]).unwrap_or(&self.default).as_ref()
    }

    /// The interface of a contact.
    pub(super) fn of(&self, id: &ContactId) -> &dyn Interface {
        self.between(id.surface_a as usize, id.surface_b as usize)
    }

    /// The first parameter that makes no sense.
    pub fn fault(&self) -> Option<Fault> {
        self.all().find_map(|interface| interface.fault())
    }

    /// Whether any keeps histories.
    pub(super) fn remember(&self) -> bool {
        self.all().any(|interface| interface.remembers())
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Interface>> {
        std::iter::once(&self.default).chain(self.pairs.values())
    }
}
