//! A muscle at a cavity: a chamber behind its wall that widens on command, as in the suckers of an octopus.
//!
//! Bernardin et al. (2022, sec. 3.5) lower the amount of air under a sucker by a rate, and say what does it in nature: a second chamber,
//! above. That chamber is modelled here: its volume over time is the command. It is at the pressure of its cavity, so
//! P (V + V_m) = n R T with all the air of both. When it widens it takes air, when it narrows it gives it back, and no volume, however
//! small, makes it explode. What it takes counts as pumped. A muscle at no cavity breathes the atmosphere.

use super::line::Schedule;
use crate::cavity::find::SurfacePoint;
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
pub struct MuscleState {
    pub muscle: Muscle,
    /// Amount of gas, mol.
    pub amount: f64,
}

/// A muscle during one step.
#[derive(Debug, Clone, Copy)]
pub struct MuscleStep {
    /// The cavity that it opens into.
    pub cavity: Option<usize>,
    /// Volume at the end of the step, m3.
    pub volume: f64,
}

impl MuscleState {
    /// Before the first step it holds air of the atmosphere.
    pub fn new(muscle: Muscle, air: &AirSettings) -> Self {
        let volume = muscle.volume.at(0.0).max(0.0);
        Self { amount: air.amount_in(air.atmosphere, volume), muscle }
    }
}
