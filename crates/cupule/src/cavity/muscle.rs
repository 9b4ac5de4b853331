//! A muscle at a cavity: a chamber behind its wall that widens on command, as in the suckers of an octopus.
//!
//! 000 sec. 3.5 lowers the amount of air under a sucker by a rate, and says what does it in nature: a second chamber, above. That
//! chamber is modelled: its volume over time is the command. It is at the pressure of its cavity, so P (V + V_m) = n R T with
//! all the air of both; when it widens it takes air, when it narrows it gives it back, and no volume, however small, makes it
//! explode. What it takes is booked under `pumped`. At no cavity it breathes the atmosphere.

use super::flow::Schedule;
use super::found::SurfacePoint;
use crate::settings::AirSettings;

/// A chamber behind a wall that widens on command.
#[derive(Debug, Clone, PartialEq)]
pub struct Muscle {
    /// Name, for messages.
    pub name: String,
    /// Where it opens.
    pub at: SurfacePoint,
    /// Its volume over time, m3; what is below 0 counts as 0.
    pub volume: Schedule,
}

/// A muscle with the air in it.
#[derive(Debug, Clone)]
pub(super) struct Chest {
    pub(super) muscle: Muscle,
    /// Amount of gas, mol.
    pub(super) amount: f64,
}

/// A muscle during one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Breath {
    /// The cavity that it opens into.
    pub(super) cavity: Option<usize>,
    /// Volume at the end of the step, m3.
    pub(super) volume: f64,
}

impl Chest {
    /// Before the first step it holds air of the atmosphere.
    pub(super) fn new(muscle: Muscle, air: &AirSettings) -> Self {
        let volume = muscle.volume.at(0.0).max(0.0);
        Self { amount: air.most(air.atmosphere, volume), muscle }
    }
}
