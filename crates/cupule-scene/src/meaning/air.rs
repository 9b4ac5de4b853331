//! What the schema cannot say of air: limits below the atmosphere, tables out of order, valves that blow.

use super::Findings;
use crate::model::{Gas, Line, Scene, VentPressure};

impl Findings {
    pub(super) fn air(&mut self, scene: &Scene, gas: &Gas) {
        self.vent_pressure(gas);
        for (name, line) in &gas.lines {
            let path = format!("gas.lines.{name}");
            self.name("gas.lines", name);
            for (index, port) in line.ports.iter().enumerate() {
                self.known_body(scene, &format!("{path}.ports.{index}.body"), &port.body);
            }
            self.line(&path, line, gas.atmosphere);
        }
        for (name, muscle) in &gas.muscles {
            let path = format!("gas.muscles.{name}");
            self.name("gas.muscles", name);
            self.known_body(scene, &format!("{path}.body"), &muscle.body);
            let negative = "a volume cannot be negative";
            self.table(&format!("{path}.volume"), &muscle.volume, "times", 0.0, negative);
        }
    }

    fn vent_pressure(&mut self, gas: &Gas) {
        let path = "gas.vent_pressure";
        match &gas.vent_pressure {
            // A seal that let air out at less would make a vacuum out of nothing as soon as it closes.
            VentPressure::Constant(pressure) => self.when(
                *pressure < gas.atmosphere,
                path,
                &format!(
                    "{pressure} Pa is below the atmosphere ({} Pa): it is an absolute pressure",
                    gas.atmosphere
                ),
            ),
            VentPressure::Rule(_) => {}
            VentPressure::Elastic(table) => {
                let (path, keys) = (format!("{path}.elastic_energy"), &table.elastic_energy);
                let least = "at least one pair [energy J, gauge pressure Pa] is needed";
                self.when(keys.is_empty(), &path, least);
                let negative = "a seal withstands a gauge pressure of 0 or more";
                self.table(&path, keys, "energies", 0.0, negative);
                let twice = keys.windows(2).any(|pair| pair[1][0] == pair[0][0]);
                self.when(twice, &path, "energies must ascend: one comes twice");
            }
        }
    }

    fn line(&mut self, path: &str, line: &Line, atmosphere: f64) {
        let both = line.regulator.is_some() && line.pump.is_some();
        self.when(both, path, "expected either `regulator` or `pump`, found both");
        let negative = "a conductance cannot be negative";
        self.table(&format!("{path}.valve"), &line.valve, "times", 0.0, negative);
        if let Some(pump) = &line.pump {
            let negative = "a pump takes air out: its speed cannot be negative";
            self.table(&format!("{path}.pump.speed"), &pump.speed, "times", 0.0, negative);
        }
        if let Some(regulator) = &line.regulator {
            let path = format!("{path}.regulator.gauge_pressure");
            let below =
                "less than a vacuum: a gauge pressure is at least minus that of the atmosphere";
            self.table(&path, &regulator.gauge_pressure, "times", -atmosphere, below);
        }
    }

    /// Pairs whose first entries must ascend, and whose second ones must not be less than something. Times may come twice: a jump.
    fn table(&mut self, path: &str, keys: &[[f64; 2]], first: &str, least: f64, less: &str) {
        let falls = keys.windows(2).any(|pair| pair[1][0] < pair[0][0]);
        self.when(falls, path, &format!("{first} must ascend"));
        self.when(keys.iter().any(|[_, value]| *value < least), path, less);
    }
}
