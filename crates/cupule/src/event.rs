//! What happens between steps of a world, as data. Sentences about it are made elsewhere, by whoever knows the reader.

use cupule_geometry::DVec3;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// A cavity closed.
    Seal,
    /// A cavity opened.
    Unseal,
    /// Why a cavity opened.
    Detach,
    /// A seal lets air out, because the pressure inside is at its limit.
    Vent,
    /// Two cavities became one.
    Merge,
    /// A cavity broke in two.
    Split,
    /// A cavity has no open part left.
    Flatten,
    /// A flat cavity has an open part again.
    Reopen,
    /// A free body left what it stood on, held by suction.
    Lift,
    /// A lifted body is no longer held.
    Drop,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Seal,
        Self::Unseal,
        Self::Detach,
        Self::Vent,
        Self::Merge,
        Self::Split,
        Self::Flatten,
        Self::Reopen,
        Self::Lift,
        Self::Drop,
    ];

    /// Its word in scenes and run folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::Unseal => "unseal",
            Self::Detach => "detach",
            Self::Vent => "vent",
            Self::Merge => "merge",
            Self::Split => "split",
            Self::Flatten => "flatten",
            Self::Reopen => "reopen",
            Self::Lift => "lift",
            Self::Drop => "drop",
        }
    }
}

impl std::fmt::Display for EventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// Bodies that take part, by index.
    pub bodies: Vec<usize>,
    /// The cavity that it is about.
    pub cavity: Option<u32>,
    /// The cavity that it was merged into, or that it broke away from.
    pub other_cavity: Option<u32>,
    /// Absolute pressure of the cavity then, Pa.
    pub pressure: Option<f64>,
    /// Where, m.
    pub place: Option<DVec3>,
    /// Why.
    pub cause: Option<Box<Cause>>,
    /// Forces on every free body that takes part.
    pub budget: Vec<ForceBudget>,
}

impl Event {
    /// An event of which nothing else is known yet.
    pub fn new(time: f64, kind: EventKind) -> Self {
        Self {
            time,
            kind,
            bodies: Vec::new(),
            cavity: None,
            other_cavity: None,
            pressure: None,
            place: None,
            cause: None,
            budget: Vec::new(),
        }
    }
}

/// Why a cavity let go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cause {
    /// Whether no vacuum was left to hold with.
    pub exhausted: bool,
    /// How the vacuum leaked away, if it did.
    pub leak: Option<LeakHistory>,
    /// The weakest place of the seal, a step before it opened.
    pub weakest: Option<SealPlace>,
    /// Where it is open now.
    pub opening: Option<SealPlace>,
    /// The body over whose edge the seal slid, if it did.
    pub slid_over: Option<usize>,
}

/// A place of a seal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SealPlace {
    /// The body that has it.
    pub body: usize,
    /// Where it is, m.
    pub at: DVec3,
    /// Gap there beyond the distance at which the solver holds bodies apart, m; negative where they are pressed closer.
    pub gap: f64,
}

/// How a vacuum leaked away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeakHistory {
    /// By which way most air came in.
    pub path: LeakPath,
    /// How much came in that way, mol.
    pub amount: f64,
    /// When the pressure was lowest, s.
    pub since: f64,
    /// Vacuum then, Pa below the atmosphere.
    pub deepest: f64,
    /// Vacuum left at the end, Pa below the atmosphere.
    pub left: f64,
    /// When the vacuum was exhausted, s; none if it was not quite.
    pub gone: Option<f64>,
}

/// A way by which air came in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeakPath {
    /// At a given rate, mol/s.
    Rate(f64),
    /// Through a given conductance, m3/s.
    Conductance(f64),
    /// Through a line, or from a muscle.
    Line,
    /// Through the gap of the seal.
    Gap {
        /// Its conductance, m3/s.
        conductance: f64,
        /// The narrowest place of the widest way through it.
        widest: Option<SealPlace>,
    },
}

/// Forces on a body along the pull of a cavity, N. Positive is away from the body, the way in which the cavity pulls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceBudget {
    /// The body.
    pub body: usize,
    /// Of gauge pressure on its walls.
    pub gas: f64,
    /// Of contact.
    pub contact: f64,
    /// Its weight.
    pub weight: f64,
    /// Its mass times its acceleration.
    pub inertia: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_its_own_word() {
        let words: BTreeSet<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(words.len(), EventKind::ALL.len());
    }
}
