//! Why a cavity let go, in words.

use super::moment::Moment;
use crate::cavity::{AirSpace, BodySurface, Cavity, Leak, Leaked, Loss};

impl Moment<'_> {
    /// Why a cavity let go: its vacuum had leaked away, or there was none, or its seal opened and where; and what pulled on its
    /// bodies then.
    pub(super) fn cause(
        &self,
        cavity: &Cavity,
        air: &AirSpace,
        surfaces: &[BodySurface],
    ) -> String {
        let (id, pressure, atmosphere) = (cavity.id, cavity.pressure, air.settings().atmosphere);
        let leaked = cavity.loss.leaked(pressure, cavity.amount, atmosphere);
        let mut text = match (Loss::is_exhausted(pressure, atmosphere), leaked) {
            (true, Some(leaked)) => {
                let story = self.leak_story(cavity, &leaked, air);
                format!("cavity {id} lost its vacuum by leak: {story}")
            }
            (true, None) => format!("cavity {id} had no vacuum left ({pressure:.0} Pa)"),
            (false, Some(leaked)) => {
                let story = self.leak_story(cavity, &leaked, air);
                format!("cavity {id} lost its seal at {pressure:.0} Pa, weakened by leak: {story}")
            }
            (false, None) => format!("cavity {id} lost its seal at {pressure:.0} Pa"),
        };
        if let Some((body, vertex, gap)) = air.weakest(&cavity.found, surfaces) {
            let (place, width) = (self.place_before(body, vertex), width(gap));
            text.push_str(&format!("; the seal was weakest {place}, {width} a step before"));
        }
        if let Some(breach) = self.breach_of(cavity, air, surfaces) {
            let (at, gap) = (breach.at * 1e3, breach.gap * 1e6);
            let how = self.edge_slid_over(&breach, cavity).map_or("it is open".into(), |body| {
                format!("it slid over an edge of {}", self.assembly.bodies[body].name)
            });
            let name = &self.assembly.bodies[breach.body].name;
            text.push_str(&format!(
                "; {how} on {name} at ({:.1}, {:.1}, {:.1}) mm, {gap:.0} um wide",
                at.x, at.y, at.z
            ));
        }
        for body in cavity.found.bodies() {
            text.push_str(&self.budget(body, cavity));
        }
        text
    }

    /// From when to when the vacuum leaked away, and by which way.
    fn leak_story(&self, cavity: &Cavity, leaked: &Leaked, air: &AirSpace) -> String {
        let settings = air.settings();
        let deepest = (settings.atmosphere - leaked.from).max(0.0);
        let lasted = match leaked.gone {
            Some(gone) => format!("gone {:.3} s later", gone - leaked.since),
            None => format!("{:.0} Pa now", settings.atmosphere - cavity.pressure),
        };
        let by = match leaked.by {
            Leak::Rate => format!("by the leak rate of {:.3e} mol/s", settings.leak_rate),
            Leak::Conductance => {
                format!("through the leak conductance of {:.3e} m3/s", settings.leak_conductance)
            }
            Leak::Line => "through its line or muscle".to_string(),
            Leak::Gap => {
                let widest = cavity.widest.map_or(String::new(), |narrow| {
                    let place = self.place_before(narrow.body, narrow.vertex);
                    format!(", whose widest way is {:.0} um {place}", narrow.gap * 1e6)
                });
                format!(
                    "through the gap of its seal ({:.3e} m3/s){widest}",
                    cavity.seal_conductance
                )
            }
        };
        let (since, amount) = (leaked.since, leaked.amount * 1e6);
        format!(
            "{deepest:.0} Pa below the atmosphere at {since:.3} s, {lasted}, {by}; {amount:.3} umol"
        )
    }

    /// Where a vertex of a body was while the seal still held.
    fn place_before(&self, body: usize, vertex: u32) -> String {
        let point = self.assembly.bodies[body].surface_points[vertex as usize];
        let at = self.before.at.points[point] * 1e3;
        let name = &self.assembly.bodies[body].name;
        format!("on {name} at ({:.1}, {:.1}, {:.1}) mm", at.x, at.y, at.z)
    }

    /// Forces on a body along the pull of a cavity at the last step: away from the body is positive.
    fn budget(&self, body: usize, cavity: &Cavity) -> String {
        let Some(budget) = self.memory.budgets.get(body) else { return String::new() };
        let (mass, name) = (self.assembly.bodies[body].mass, &self.assembly.bodies[body].name);
        if mass == 0.0 {
            return String::new();
        }
        let pull = cavity.found.pull_area(body, false).normalize_or_zero();
        let weight = self.assembly.settings.gravity * mass;
        let before = self.memory.velocities_before.get(body).copied().unwrap_or(budget.velocity);
        let inertia = (budget.velocity - before) * (mass / self.memory.last_length.max(1e-12));
        let [gas, contact, weight, inertia] =
            [budget.gas, budget.contact, weight, inertia].map(|f| f.dot(pull));
        format!(
            "; {name}: gas {gas:.2} N, contact {contact:.2} N, weight {weight:.2} N, inertia {inertia:.2} N"
        )
    }
}

/// A gap (m) in words. Where even the weakest place was pressed deeper than the solver holds surfaces apart, it is below zero.
fn width(gap: f64) -> String {
    let micrometres = (gap * 1e6).round();
    if micrometres < 0.0 {
        format!("surfaces pressed {:.0} um into each other", -micrometres)
    } else {
        format!("{:.0} um wide", micrometres.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_width_is_below_zero() {
        assert_eq!(width(20.4e-6), "20 um wide");
        assert_eq!(width(-4.4e-6), "surfaces pressed 4 um into each other");
        assert_eq!(width(-0.4e-6), "0 um wide", "rounding leaves no sign");
    }
}
