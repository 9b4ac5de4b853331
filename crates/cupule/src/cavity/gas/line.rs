//! Lines: tubes that join at one vessel, their ports, and what drives them.

use crate::cavity::find::SurfacePoint;

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

/// A line with the air in it.
#[derive(Debug, Clone)]
pub struct Vessel {
    /// The line.
    pub line: Line,
    /// Amount of gas, mol.
    pub amount: f64,
    /// Absolute pressure, Pa.
    pub pressure: f64,
}
