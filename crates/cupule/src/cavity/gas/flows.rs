//! Air that passes into one chamber during a step: leaks, lines, pumps, regulators and valves.
//!
//! All flows are implicit: a conductance C to a place of pressure P' adds h C to the volume and h C P' to n R T of the law, so
//! that a vanishing volume cannot make them explode. What passed is added up afterwards, at the pressures that came out.

use super::line::{Line, Source};
use crate::law::Gas;
use crate::settings::AirSettings;

/// A conductance so large that the other end decides the pressure, m3 in one step: a cavity of 1 cm3 follows to 1e-6.
const WIDE_OPEN: f64 = 1.0;

/// What passes into one chamber during a step.
#[derive(Debug, Clone, Default)]
pub struct Flows {
    /// (h C m3, pressure at the other end Pa): valves and openings.
    pub outside: Vec<(f64, f64)>,
    /// h C of the given conductance and of the seal's gap, m3: openings to the atmosphere.
    pub leaks: [f64; 2],
    /// Pumps and regulators likewise.
    pub driven: Vec<(f64, f64)>,
    /// n R T that enters at a given rate, J.
    pub given: f64,
    /// n R T that muscles bring along (J), and their volume at the end of the step (m3).
    pub muscles: (f64, f64),
}

impl Flows {
    /// Leaks of a cavity; `viscous` is the conductance of its seal's gap at present pressures, m3/s.
    pub fn of_seal(air: &AirSettings, viscous: f64, length: f64) -> Self {
        let mut flows = Self {
            given: air.leak_rate * length * air.thermal_energy(),
            leaks: [air.leak_conductance * length, viscous * length],
            ..Self::default()
        };
        if air.vented {
            flows.outside.push((WIDE_OPEN, air.atmosphere));
        }
        flows
    }

    /// Source and valve of a line at the end of a step.
    pub fn of_line(line: &Line, air: &AirSettings, time: f64, length: f64) -> Self {
        let driven = match &line.source {
            Source::Closed => Vec::new(),
            Source::Regulator(pressure) => vec![(WIDE_OPEN, pressure.at(time))],
            Source::Pump { speed, ultimate } => vec![(speed.at(time) * length, *ultimate)],
        };
        let outside = vec![(line.valve.at(time) * length, air.atmosphere)];
        Self { outside, driven, ..Self::default() }
    }

    /// The law of a chamber that holds n R T (J), with these flows.
    pub fn gas(&self, energy: f64, air: &AirSettings, limit: f64) -> Gas {
        let leaks = self.leaks.map(|swept| (swept, air.atmosphere));
        let all = || self.outside.iter().chain(&self.driven).chain(&leaks);
        Gas {
            energy: energy
                + self.given
                + self.muscles.0
                + all().map(|(swept, p)| swept * p).sum::<f64>(),
            beside: self.muscles.1,
            flow_volume: all().map(|(swept, _)| swept).sum(),
            atmosphere: air.atmosphere,
            limit,
            exponent: air.exponent,
        }
    }

    /// n R T that came in from outside during a step that ended at this pressure, J: at the given rate, through the
    /// given conductance, through the gap of the seal, and through other openings.
    pub fn leaked(&self, pressure: f64, air: &AirSettings) -> [f64; 4] {
        let [conductance, gap] = self.leaks.map(|swept| swept * (air.atmosphere - pressure));
        [self.given, conductance, gap, passed(&self.outside, pressure)]
    }

    /// n R T that pumps, regulators and muscles brought in, J; negative when they take air away.
    pub fn driven_in(&self, pressure: f64, air: &AirSettings) -> f64 {
        let (brought, volume) = self.muscles;
        passed(&self.driven, pressure) + brought
            - air.amount_in(pressure, volume) * air.thermal_energy()
    }
}

fn passed(ends: &[(f64, f64)], pressure: f64) -> f64 {
    ends.iter().map(|(swept, there)| swept * (there - pressure)).sum()
}
