//! Air that passes walls during a step: leaks, lines, pumps, regulators and valves.
//!
//! All flows are implicit: a conductance C to a place of pressure P' adds h C to the volume and h C P' to n R T of the law, so
//! that a vanishing volume cannot make them explode. What passed is booked afterwards at the pressures that came out.

use super::found::SurfacePoint;
use crate::law::Gas;
use crate::settings::AirSettings;

/// A conductance so large that the other end decides the pressure, m3 in one step: a cavity of 1 cm3 follows to 1e-6.
const WIDE_OPEN: f64 = 1.0;

/// A value over time: (time s, value), ascending; straight between, constant before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule(pub Vec<(f64, f64)>);

impl Schedule {
    /// The value at a time, s.
    pub fn at(&self, time: f64) -> f64 {
        let keys = &self.0;
        let next = keys.partition_point(|(t, _)| *t <= time);
        match (next.checked_sub(1).map(|i| keys[i]), keys.get(next)) {
            (None, None) => 0.0,
            (Some((_, value)), None) | (None, Some(&(_, value))) => value,
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * (time - t0) / (t1 - t0),
        }
    }
}

/// What drives the air of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Nothing: the line only connects.
    Closed,
    /// Keeps the line at an absolute pressure (Pa) over time, whatever flows.
    Regulator(Schedule),
    /// Takes air at S0 (P - P_ult), S0 (m3/s) over time, down to its ultimate pressure (Pa).
    Pump {
        /// Speed over time, m3/s; 0 is off.
        speed: Schedule,
        /// Lowest pressure it reaches, Pa.
        ultimate: f64,
    },
}

/// A hole in a body's surface at which a line ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// Where it opens.
    pub at: SurfacePoint,
    /// Conductance of the tube to it, m3/s.
    pub conductance: f64,
}

/// Tubes that join at one vessel, with what drives them: one cup on a regulator, or several cups on one pump.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name, for messages and reports.
    pub name: String,
    /// Where it opens.
    pub ports: Vec<Port>,
    /// Volume of vessel and tubes, m3.
    pub volume: f64,
    /// What drives it.
    pub source: Source,
    /// Conductance of a valve to the atmosphere over time, m3/s; 0 is shut.
    pub valve: Schedule,
}

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
        passed(&self.driven, pressure) + brought - air.most(pressure, volume) * air.thermal_energy()
    }
}

fn passed(ends: &[(f64, f64)], pressure: f64) -> f64 {
    ends.iter().map(|(swept, there)| swept * (there - pressure)).sum()
}
