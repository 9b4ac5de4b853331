//! Events in words.

use cupule::World;
use cupule::event::{Cause, Event, EventKind, ForceBudget, LeakHistory, LeakPath, SealPlace};
use cupule::world::BodyId;

/// An event of a world as a sentence: who, where and why.
pub fn sentence(event: &Event, world: &World) -> String {
    Words { world }.of(event)
}

/// Knows the names of bodies.
struct Words<'a> {
    world: &'a World,
}

impl Words<'_> {
    fn of(&self, event: &Event) -> String {
        let id = event.cavity.unwrap_or_default();
        let other = event.other_cavity.unwrap_or_default();
        let pressure = event.pressure.unwrap_or(f64::NAN);
        let body = || event.bodies.first().map_or("a body", |body| self.name(*body));
        match event.kind {
            EventKind::Seal => {
                let names: Vec<&str> = event.bodies.iter().map(|body| self.name(*body)).collect();
                let word = if names.len() == 1 { "in a fold of" } else { "between" };
                format!("cavity {id} closed {word} {}", names.join(", "))
            }
            EventKind::Unseal => format!("cavity {id} opened at {pressure:.0} Pa"),
            EventKind::Detach => self.detachment(event, id, pressure),
            EventKind::Vent => format!("cavity {id} lets air out at {pressure:.0} Pa"),
            EventKind::Merge => format!("cavity {id} joined cavity {other}"),
            EventKind::Split => format!("cavity {id} broke away from cavity {other}"),
            EventKind::Flatten => format!("cavity {id} has no open part left"),
            EventKind::Reopen => format!("cavity {id} has an open part again"),
            EventKind::Lift => format!("{} left its support, held by suction", body()),
            EventKind::Drop => format!("{} is no longer held by suction", body()),
        }
    }

    fn name(&self, body: usize) -> &str {
        self.world.body_name(BodyId(body))
    }

    fn detachment(&self, event: &Event, id: u32, pressure: f64) -> String {
        let Some(cause) = event.cause.as_deref() else {
            return format!("cavity {id} lost its seal at {pressure:.0} Pa");
        };
        let mut text = self.cause(cause, id, pressure);
        if let Some(weakest) = &cause.weakest {
            let (place, width) = (self.place(weakest), width(weakest.gap));
            text.push_str(&format!("; the seal was weakest {place}, {width} a step before"));
        }
        if let Some(opening) = &cause.opening {
            let how = cause.slid_over.map_or("it is open".into(), |body| {
                format!("it slid over an edge of {}", self.name(body))
            });
            let (place, gap) = (self.place(opening), opening.gap * 1e6);
            text.push_str(&format!("; {how} {place}, {gap:.0} um wide"));
        }
        event.budget.iter().for_each(|budget| text.push_str(&self.budget(budget)));
        text
    }

    fn cause(&self, cause: &Cause, id: u32, pressure: f64) -> String {
        match (cause.exhausted, &cause.leak) {
            (true, Some(leak)) => {
                format!("cavity {id} lost its vacuum by leak: {}", self.leak_story(leak))
            }
            (true, None) => format!("cavity {id} had no vacuum left ({pressure:.0} Pa)"),
            (false, Some(leak)) => {
                let story = self.leak_story(leak);
                format!("cavity {id} lost its seal at {pressure:.0} Pa, weakened by leak: {story}")
            }
            (false, None) => format!("cavity {id} lost its seal at {pressure:.0} Pa"),
        }
    }

    fn leak_story(&self, leak: &LeakHistory) -> String {
        let lasted = match leak.gone {
            Some(gone) => format!("gone {:.3} s later", gone - leak.since),
            None => format!("{:.0} Pa now", leak.left),
        };
        let by = match &leak.path {
            LeakPath::Rate(rate) => format!("by the leak rate of {rate:.3e} mol/s"),
            LeakPath::Conductance(c) => format!("through the leak conductance of {c:.3e} m3/s"),
            LeakPath::Line => "through its line or muscle".to_string(),
            LeakPath::Gap { conductance, widest } => {
                let widest = widest.map_or(String::new(), |place| {
                    let (gap, at) = (place.gap * 1e6, self.place(&place));
                    format!(", whose widest way is {gap:.0} um {at}")
                });
                format!("through the gap of its seal ({conductance:.3e} m3/s){widest}")
            }
        };
        let (deepest, since, amount) = (leak.deepest, leak.since, leak.amount * 1e6);
        format!(
            "{deepest:.0} Pa below the atmosphere at {since:.3} s, {lasted}, {by}; {amount:.3} umol"
        )
    }

    fn place(&self, place: &SealPlace) -> String {
        let (name, at) = (self.name(place.body), place.at * 1e3);
        format!("on {name} at ({:.1}, {:.1}, {:.1}) mm", at.x, at.y, at.z)
    }

    fn budget(&self, budget: &ForceBudget) -> String {
        let ForceBudget { gas, contact, weight, inertia, body } = *budget;
        let name = self.name(body);
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
