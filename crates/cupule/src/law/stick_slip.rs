//! Static and kinetic friction: a contact that sticks starts to slip at mu_s times its normal force and slips against mu_k times it.
//!
//! The slip speed at the end of a step decides which coefficient the next step uses. It is fixed during a step, so each solver sees
//! plain Coulomb friction. A slipping contact sticks again below half the switch speed: without this hysteresis, a contact that
//! creeps near the switch speed would change its coefficient at every step. A contact that turns back within a step was at rest there: it
//! goes on with the static coefficient for as long as that slows it down, or a block that slides uphill would slide down again where it
//! should stay. Under `ipc` a sticking contact creeps at up to the stick speed;
//! the switch speed must be above that.

use super::interface::{ContactEnd, Fault, History, Interface};
use super::{ContactLaw, Coulomb};
use std::sync::Arc;

/// A slipping contact sticks again below this fraction of the switch speed.
const STICKS_AGAIN: f64 = 0.5;

/// Static and kinetic friction between two bodies.
#[derive(Debug, Clone)]
pub struct StickSlip {
    /// Static and kinetic coefficient.
    friction: [f64; 2],
    /// m/s.
    switch_speed: f64,
    sticking: Arc<dyn ContactLaw>,
    slipping: Arc<dyn ContactLaw>,
}

impl StickSlip {
    /// Static coefficient, kinetic coefficient, and the slip speed (m/s) above which the latter holds.
    pub fn new(static_friction: f64, kinetic_friction: f64, switch_speed: f64) -> Self {
        let sticking: Arc<dyn ContactLaw> = Arc::new(Coulomb { friction: static_friction });
        let slipping: Arc<dyn ContactLaw> = if kinetic_friction == static_friction {
            sticking.clone()
        } else {
            Arc::new(Coulomb { friction: kinetic_friction })
        };
        let friction = [static_friction, kinetic_friction];
        Self { friction, switch_speed, sticking, slipping }
    }

    /// The only entry of a history is 1 for a contact that slips.
    fn slips(history: History) -> bool {
        history.0[0] > 0.0
    }

    fn history(slips: bool) -> History {
        History([f64::from(u8::from(slips)), 0.0, 0.0, 0.0])
    }
}

impl Interface for StickSlip {
    fn law(&self, history: History) -> &Arc<dyn ContactLaw> {
        if Self::slips(history) { &self.slipping } else { &self.sticking }
    }

    fn fault(&self) -> Option<Fault> {
        let ([high, low], speed) = (self.friction, self.switch_speed);
        if !(high >= 0.0 && high.is_finite()) {
            return Some(("friction", high, "0 or more"));
        }
        if !(low >= 0.0 && low <= high) {
            return Some(("kinetic_friction", low, "between 0 and the static coefficient"));
        }
        let good = speed > 0.0 && speed.is_finite();
        (!good).then_some(("switch_speed", speed, "positive (m/s)"))
    }

    /// Sets the static coefficient; the ratio of the two stays.
    fn with_friction(&self, friction: f64) -> Arc<dyn Interface> {
        let [high, low] = self.friction;
        let ratio = if high > 0.0 { low / high } else { 1.0 };
        Arc::new(Self::new(friction, ratio * friction, self.switch_speed))
    }

    fn remembers(&self) -> bool {
        true
    }

    fn begin(&self, slip_speed: f64) -> History {
        Self::history(slip_speed > self.switch_speed)
    }

    fn renew(&self, history: History, end: ContactEnd) -> History {
        Self::history(if Self::slips(history) {
            !end.reversed && end.slip_speed > STICKS_AGAIN * self.switch_speed
        } else {
            end.slip_speed > self.switch_speed.max(end.speed_before)
        })
    }

    fn join(&self, one: History, other: History) -> History {
        Self::history(Self::slips(one) || Self::slips(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(slip_speed: f64, speed_before: f64, reversed: bool) -> ContactEnd {
        ContactEnd { normal_force: 1.0, slip_speed, speed_before, reversed }
    }

    #[test]
    fn it_slips_above_the_switch_speed_and_sticks_below_half_of_it() {
        let law = StickSlip::new(0.6, 0.4, 1e-3);
        let mut history = law.begin(0.0);
        let slips = |slip_speed| {
            history = law.renew(history, end(slip_speed, 0.0, false));
            StickSlip::slips(history)
        };
        let speeds = [0.9e-3, 1.1e-3, 0.6e-3, 0.4e-3, 0.6e-3];
        assert_eq!(speeds.map(slips), [false, true, true, false, false]);
    }

    #[test]
    fn it_sticks_where_it_turns_back() {
        let law = StickSlip::new(0.6, 0.4, 1e-3);
        let slips = |before, end| StickSlip::slips(law.renew(StickSlip::history(before), end));
        assert!(slips(true, end(0.1, 0.1, false)), "it slips on");
        assert!(!slips(true, end(0.1, 0.1, true)), "it was at rest on the way");
        assert!(!slips(false, end(0.08, 0.1, false)), "it is coming to rest");
        assert!(slips(false, end(0.12, 0.1, false)), "the static coefficient does not hold it");
    }

    #[test]
    fn bad_parameters_are_named() {
        let fault = |high, low, speed| StickSlip::new(high, low, speed).fault().map(|f| f.0);
        assert_eq!(fault(0.5, 0.5, 1e-3), None);
        assert_eq!(fault(0.4, 0.5, 1e-3), Some("kinetic_friction"));
        assert_eq!(fault(0.5, -0.1, 1e-3), Some("kinetic_friction"));
        assert_eq!(fault(0.5, f64::NAN, 1e-3), Some("kinetic_friction"));
        assert_eq!(fault(f64::NAN, 0.1, 1e-3), Some("friction"));
        assert_eq!(fault(0.5, 0.4, 0.0), Some("switch_speed"));
    }

    #[test]
    fn another_coefficient_keeps_the_ratio() {
        let halved = StickSlip::new(0.8, 0.4, 1e-3).with_friction(0.4);
        let slope = |history| halved.law(history).dissipation(1.0, 1.0, 1e-3)[1];
        assert_eq!([false, true].map(|slips| slope(StickSlip::history(slips))), [0.4, 0.2]);
    }
}
