//! Events as the summary has them: as data, with names of bodies, and in words.

use cupule::World;
use cupule::event;
use cupule::world::BodyId;
use cupule_session::sentence;
use serde::Serialize;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// When, s.
    pub time: f64,
    /// seal, unseal, vent, merge, split, flatten, reopen, detach, lift or drop.
    pub kind: &'static str,
    /// Who, where and why, in words.
    pub what: String,
    /// Bodies that take part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<String>,
    /// The cavity that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cavity: Option<u32>,
    /// The cavity that it was merged into, or that it broke away from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_cavity: Option<u32>,
    /// Absolute pressure of the cavity then, Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure_pa: Option<f64>,
    /// Where, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place_m: Option<[f64; 3]>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Forces along the pull on every free body that takes part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget: Vec<Budget>,
}

/// Why a cavity let go.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// Whether no vacuum was left to hold with.
    pub exhausted: bool,
    /// How the vacuum leaked away, if it did.
    pub leak: Option<Leak>,
    /// The weakest place of the seal, a step before it opened.
    pub weakest: Option<Place>,
    /// Where it is open now.
    pub opening: Option<Place>,
    /// The body over whose edge the seal slid, if it did.
    pub slid_over: Option<String>,
}

/// How a vacuum leaked away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Leak {
    /// By which way most air came in: rate, conductance, line or gap.
    pub by: &'static str,
    /// How much came in that way, mol.
    pub amount_mol: f64,
    /// When the pressure was lowest, s.
    pub since: f64,
    /// Vacuum then, Pa below the atmosphere.
    pub deepest_pa: f64,
    /// When the vacuum was exhausted, s; none if it was not quite.
    pub gone: Option<f64>,
}

/// A place of a seal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// The body that has it.
    pub on: String,
    /// Where it is, m.
    pub at_m: [f64; 3],
    /// Gap there, m.
    pub gap_m: f64,
}

/// Forces on a body along the pull of a cavity, N. Positive is away from the body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Budget {
    /// The body.
    pub body: String,
    /// Of gauge pressure.
    pub gas_n: f64,
    /// Of contact.
    pub contact_n: f64,
    /// Its weight.
    pub weight_n: f64,
    /// Its mass times its acceleration.
    pub inertia_n: f64,
}

impl Event {
    /// An event of a world.
    pub fn of(event: &event::Event, world: &World) -> Self {
        let name = |body: usize| world.body_name(BodyId(body)).to_string();
        let place = |place: event::SealPlace| Place {
            on: name(place.body),
            at_m: place.at.to_array(),
            gap_m: place.gap,
        };
        let cause = |cause: &event::Cause| Cause {
            exhausted: cause.exhausted,
            leak: cause.leak.map(Leak::from),
            weakest: cause.weakest.map(place),
            opening: cause.opening.map(place),
            slid_over: cause.slid_over.map(name),
        };
        let budget = |budget: &event::ForceBudget| Budget {
            body: name(budget.body),
            gas_n: budget.gas,
            contact_n: budget.contact,
            weight_n: budget.weight,
            inertia_n: budget.inertia,
        };
        Self {
            time: event.time,
            kind: event.kind.name(),
            what: sentence(event, world),
            bodies: event.bodies.iter().map(|body| name(*body)).collect(),
            cavity: event.cavity,
            other_cavity: event.other_cavity,
            pressure_pa: event.pressure,
            place_m: event.place.map(|place| place.to_array()),
            cause: event.cause.as_deref().map(cause),
            budget: event.budget.iter().map(budget).collect(),
        }
    }
}

impl From<event::LeakHistory> for Leak {
    fn from(leak: event::LeakHistory) -> Self {
        let by = match leak.path {
            event::LeakPath::Rate(_) => "rate",
            event::LeakPath::Conductance(_) => "conductance",
            event::LeakPath::Line => "line",
            event::LeakPath::Gap { .. } => "gap",
        };
        let event::LeakHistory { amount, since, deepest, gone, .. } = leak;
        Self { by, amount_mol: amount, since, deepest_pa: deepest, gone }
    }
}
