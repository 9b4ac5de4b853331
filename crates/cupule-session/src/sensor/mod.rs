//! Sensors: everything that can be read of a session after a step, by name.
//!
//! A sensor has a name, a unit, and one value per column. Those that are recorded have their columns in `series.csv`. A new kind of thing
//! to read is a file beside this one, and its name in `KINDS`.

mod attachment;
mod body;
mod cable;
mod energy;
mod gas;
mod robot;
mod solver;

use cupule::World;
use cupule::report::{CavityReport, StepReport};
use cupule_geometry::DVec3;

use crate::SessionError;
pub(crate) use robot::joint_unit;

/// All kinds, in the order of the columns of the series.
const KINDS: &[fn(&World) -> Vec<Sensor>] = &[
    |_| {
        let time = Sensor::one("time", "s", "time_s".into(), |now| now.report.time);
        vec![time.within(NOT_NEGATIVE)]
    },
    body::sensors,
    attachment::sensors,
    cable::sensors,
    energy::sensors,
    solver::sensors,
    gas::sensors,
    robot::sensors,
];

/// What a sensor reads: a world, and what its last step reported.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The world.
    pub world: &'a World,
    /// Of its last step.
    pub report: &'a StepReport,
}

type Read = Box<dyn Fn(Reading, &mut Vec<f64>) + Send + Sync>;

/// Something that can be read.
pub struct Sensor {
    /// Its name, such as `body.cup.velocity`.
    pub name: String,
    /// SI unit of its values; empty for counts and ratios.
    pub unit: &'static str,
    /// Names of its values, such as `body.cup.vx_mps`; those of the columns of the series where it is recorded.
    pub columns: Vec<String>,
    /// Least and largest value that it can have.
    pub range: [f64; 2],
    /// Whether the series has it.
    pub is_recorded: bool,
    read: Read,
}

const AXES: [&str; 3] = ["x", "y", "z"];
/// Any value.
const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// Not below zero.
const NOT_NEGATIVE: [f64; 2] = [0.0, f64::INFINITY];

impl Sensor {
    /// A sensor with one value.
    fn one(
        name: impl Into<String>,
        unit: &'static str,
        column: String,
        value: impl Fn(Reading) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            unit,
            columns: vec![column],
            range: ANY,
            is_recorded: true,
            read: Box::new(move |now, out| out.push(value(now))),
        }
    }

    /// A vector; its columns are `before`, axis, `after`.
    fn vector(
        name: String,
        unit: &'static str,
        [before, after]: [&str; 2],
        value: impl Fn(Reading) -> DVec3 + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            unit,
            columns: AXES.map(|axis| format!("{before}{axis}{after}")).to_vec(),
            range: ANY,
            is_recorded: true,
            read: Box::new(move |now, out| out.extend(value(now).to_array())),
        }
    }

    /// A sensor of several values that the series does not have; the columns are `name.key`.
    fn unrecorded(
        name: String,
        unit: &'static str,
        keys: &[String],
        read: impl Fn(Reading, &mut Vec<f64>) + Send + Sync + 'static,
    ) -> Self {
        let columns = keys.iter().map(|key| format!("{name}.{key}")).collect();
        Self { name, unit, columns, range: ANY, is_recorded: false, read: Box::new(read) }
    }

    fn within(self, range: [f64; 2]) -> Self {
        Self { range, ..self }
    }

    /// Adds its present values.
    pub fn read(&self, now: Reading, out: &mut Vec<f64>) {
        (self.read)(now, out);
    }
}

/// All sensors of a world.
pub struct Sensors(Vec<Sensor>);

impl Sensors {
    /// The sensors of a world.
    pub fn of(world: &World) -> Self {
        Self(KINDS.iter().flat_map(|kind| kind(world)).collect())
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Sensor> {
        self.0.iter()
    }

    /// Those that the series has.
    pub fn recorded(&self) -> impl Iterator<Item = &Sensor> {
        self.0.iter().filter(|sensor| sensor.is_recorded)
    }

    /// The present values of a sensor. Cavities come and go: `cavity.<number>.<value>` is NaN where there is none with that number.
    pub fn read(&self, name: &str, now: Reading) -> Result<Vec<f64>, SessionError> {
        if let Some(sensor) = self.0.iter().find(|sensor| sensor.name == name) {
            let mut values = Vec::with_capacity(sensor.columns.len());
            sensor.read(now, &mut values);
            return Ok(values);
        }
        match cavity_value(name, now.report) {
            Some(value) => Ok(vec![value]),
            None => {
                let known = self.0.iter().map(|sensor| sensor.name.as_str());
                Err(SessionError::no_such("sensor", name, known))
            }
        }
    }
}

/// The value of a cavity, by a name such as `cavity.0.pressure_pa`; none if there is no such value.
fn cavity_value(name: &str, report: &StepReport) -> Option<f64> {
    let (number, key) = name.strip_prefix("cavity.")?.split_once('.')?;
    let number: u32 = number.parse().ok()?;
    let (_, value) = CavityReport::VALUES.iter().find(|(known, _)| *known == key)?;
    let cavity = report.cavities.iter().find(|cavity| cavity.id == number);
    Some(cavity.map_or(f64::NAN, value))
}
