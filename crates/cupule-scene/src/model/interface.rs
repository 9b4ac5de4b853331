//! `[[interfaces]]`: what lies between two bodies. The words of every contact law stand here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What happens between two bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interface {
    /// The two bodies; the same name twice means self-contact.
    pub between: [String; 2],
    /// Coulomb friction coefficient; by default that of `contact`. With `kinetic_friction`, the static coefficient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Friction coefficient while surfaces slip; by default that at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub kinetic_friction: Option<f64>,
    /// Slip speed above which `kinetic_friction` holds, m/s; by default twice the solver's `stick_speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub switch_speed: Option<f64>,
    /// Whether they seal where they are near enough; false for a rough surface.
    #[serde(default = "yes")]
    pub seals: bool,
}

impl Interface {
    /// What lies between the two; none where it is what `contact` says. `friction` is the coefficient there, `stick_speed` (m/s) the solver's.
    pub fn interface(
        &self,
        friction: f64,
        stick_speed: f64,
    ) -> Option<Arc<dyn cupule::law::Interface>> {
        let at_rest = self.friction.unwrap_or(friction);
        match self.kinetic_friction {
            Some(kinetic) => {
                // Under `ipc` a sticking contact creeps at up to the stick speed: the switch must not take that for slip.
                let switch_speed = self.switch_speed.unwrap_or(2.0 * stick_speed);
                Some(Arc::new(cupule::law::StickSlip::new(at_rest, kinetic, switch_speed)))
            }
            None => self.friction.map(cupule::law::coulomb),
        }
    }

    /// Keys that contradict each other or the scene, each with a message; the arguments are those of `interface`.
    pub fn faults(&self, friction: f64, stick_speed: f64) -> Vec<(&'static str, String)> {
        let at_rest = self.friction.unwrap_or(friction);
        let mut found = Vec::new();
        if let Some(kinetic) = self.kinetic_friction.filter(|kinetic| *kinetic > at_rest) {
            let message = format!("{kinetic} must not exceed the coefficient at rest, {at_rest}");
            found.push(("kinetic_friction", message));
        }
        if let Some(speed) = self.switch_speed {
            if self.kinetic_friction.is_none() {
                let message = "it goes with `kinetic_friction`, which is missing".to_string();
                found.push(("switch_speed", message));
            } else if speed < stick_speed {
                let message = format!(
                    "{speed} m/s is below `solver.stick_speed`, {stick_speed} m/s, at which contacts that stick may creep"
                );
                found.push(("switch_speed", message));
            }
        }
        found
    }
}

fn yes() -> bool {
    true
}
