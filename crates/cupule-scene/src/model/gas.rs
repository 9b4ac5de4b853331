//! Air between bodies, and the lines that move it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which loop of a wide seal bounds the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ring {
    /// The outermost closed loop of touching contact.
    #[default]
    Outer,
    /// The inner border of what touches.
    Inner,
}

/// Above which pressure a seal lets air out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum VentPressure {
    /// A constant, Pa, absolute.
    Constant(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    /// By a rule.
    Rule(VentRule),
    /// By the elastic energy of the bodies around the cavity.
    Elastic(ElasticLimit),
}

impl Default for VentPressure {
    fn default() -> Self {
        Self::Rule(VentRule::default())
    }
}

/// A rule for the pressure above which a seal lets air out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VentRule {
    /// Atmospheric pressure.
    #[default]
    Atmosphere,
    /// What the contact pressure along the weakest way out withstands.
    Seal,
}

/// A limit by the elastic energy of the bodies around a cavity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElasticLimit {
    /// Pairs [energy J, gauge pressure Pa], ascending in energy, straight between.
    pub elastic_energy: Vec<[f64; 2]>,
}

/// How enclosed air is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Detector {
    /// As components of the union of thickened bodies.
    #[default]
    Union,
    /// By flood fill of the gap field; where it refuses (three bodies that meet along a line), by the union.
    Flood,
}

/// Air: with this table, cavities that bodies close by touching hold gas; without it, there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Gas {
    /// Atmospheric pressure, Pa.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub atmosphere: f64,
    /// Temperature, K.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub temperature: f64,
    /// Surfaces seal where their gap beyond the contact distance is below this, m; a sealed gap opens at twice this.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub sealing_distance: f64,
    /// Height of the roughness, m: the air that even touching surfaces hold.
    #[schemars(range(min = 0))]
    pub roughness: f64,
    /// Thickness of a wet film that fills gaps up to it, m: it seals, and is not air.
    #[schemars(range(min = 0))]
    pub film_thickness: f64,
    /// How enclosed air is found.
    pub detector: Detector,
    /// Which loop of a wide seal bounds the air.
    pub ring: Ring,
    /// Pressure above which a seal lets air out: a number (Pa, absolute), `"atmosphere"`, `"seal"`, or a table over the elastic energy.
    pub vent_pressure: VentPressure,
    /// Polytropic exponent: 1 isothermal, 1.4 adiabatic.
    #[schemars(range(min = 1))]
    pub exponent: f64,
    /// Air that leaks into every cavity, mol/s.
    #[schemars(range(min = 0))]
    pub leak_rate: f64,
    /// Conductance of every seal to the outside, m3/s.
    #[schemars(range(min = 0))]
    pub leak_conductance: f64,
    /// Whether air creeps through the gaps of seals (Reynolds' equation).
    pub viscous_leak: bool,
    /// Dynamic viscosity of air, Pa s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub viscosity: f64,
    /// Whether every cavity is open to the outside: seals are found, but hold nothing.
    pub vented: bool,
    /// Lines of tubes by name.
    pub lines: BTreeMap<String, Line>,
    /// Muscles by name.
    pub muscles: BTreeMap<String, Muscle>,
}

impl Default for Gas {
    fn default() -> Self {
        let air = cupule::settings::AirSettings::default();
        Self {
            atmosphere: air.atmosphere,
            temperature: air.temperature,
            sealing_distance: air.sealing_distance,
            roughness: air.roughness,
            film_thickness: air.film_thickness,
            detector: Detector::default(),
            ring: Ring::default(),
            vent_pressure: VentPressure::default(),
            exponent: air.exponent,
            leak_rate: air.leak_rate,
            leak_conductance: air.leak_conductance,
            viscous_leak: air.viscous_leak,
            viscosity: air.viscosity,
            vented: air.vented,
            lines: BTreeMap::new(),
            muscles: BTreeMap::new(),
        }
    }
}

/// Tubes that join at one vessel: one cup on a regulator, or several cups on one pump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Where it opens.
    pub ports: Vec<Port>,
    /// Volume of vessel and tubes, m3.
    #[serde(default = "small_volume")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub volume: f64,
    /// Keeps the line at a gauge pressure over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulator: Option<Regulator>,
    /// Takes air out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump: Option<Pump>,
    /// Conductance of a valve to the atmosphere over time, m3/s: pairs [time s, m3/s].
    #[serde(default)]
    pub valve: Vec<[f64; 2]>,
}

/// A chamber behind a wall that widens on command and takes air from the cavity before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Muscle {
    /// Body.
    pub body: String,
    /// Near which point of its surface it opens, in the body's own frame, m.
    pub at: [f64; 3],
    /// Its volume over time: pairs [time s, m3], straight between.
    pub volume: Vec<[f64; 2]>,
}

/// A hole in a surface at which a line ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Port {
    /// Body.
    pub body: String,
    /// Near which point of its surface, in the body's own frame, m.
    pub at: [f64; 3],
    /// Conductance of the tube to it, m3/s.
    #[serde(default = "wide_tube")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub conductance: f64,
}

/// A pressure regulator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regulator {
    /// Gauge pressure over time, negative for vacuum: pairs [time s, Pa], straight between.
    pub gauge_pressure: Vec<[f64; 2]>,
}

/// A vacuum pump: takes air at speed * (P - ultimate).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pump {
    /// Speed over time: pairs [time s, m3/s], straight between.
    pub speed: Vec<[f64; 2]>,
    /// Lowest absolute pressure it reaches, Pa.
    #[schemars(range(min = 0))]
    pub ultimate: f64,
}

fn small_volume() -> f64 {
    1e-6
}

fn wide_tube() -> f64 {
    1e-3
}
