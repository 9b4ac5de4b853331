//! Gas trapped in a cavity: pressure follows volume.
//!
//! Isothermal: P V = n R T. Polytropic with exponent k > 1: P = P_atm (n R T / (P_atm V))^k, so that air taken in at
//! atmospheric pressure has P V = n R T at that moment. Above a limit P_max the seal gives way and air escapes: P stays at
//! P_max.
//!
//! Flows during a step are implicit, or they would explode as V -> 0: a conductance and a pump of the step's length act like a
//! little more volume and a little more gas, P (V + V_flow) = N + N_flow (isothermal; a polytropic gas takes them in
//! the same place). What they are is the caller's business; the law only sees their sum.
//!
//! Deviations from 000 (eq. 11-14): only gauge pressure acts on walls, so that the constant of the quadratic is
//! b = V_free - W P_atm, which can be negative; both signs are solved without cancellation. The amount of gas is that of
//! the start of the step in every evaluation, and changes only afterwards.

/// Universal gas constant, J/(mol K).
pub const GAS_CONSTANT: f64 = 8.314_462_618;

/// The gas of one cavity during one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gas {
    /// n R T with what implicit flows add, J.
    pub energy: f64,
    /// Volume that implicit flows add, m3.
    pub flow_volume: f64,
    /// Atmospheric pressure, Pa.
    pub atmosphere: f64,
    /// Pressure at which the seal gives way, Pa.
    pub limit: f64,
    /// Polytropic exponent: 1 isothermal, 1.4 adiabatic air.
    pub exponent: f64,
}

impl Gas {
    /// Pressure at a volume (m3), Pa; not above the limit.
    pub fn pressure(&self, volume: f64) -> f64 {
        if self.energy <= 0.0 {
            return 0.0;
        }
        let room = volume + self.flow_volume;
        if room <= self.venting_room() {
            return self.limit;
        }
        if self.exponent == 1.0 {
            self.energy / room
        } else {
            self.atmosphere * (self.energy / (self.atmosphere * room)).powf(self.exponent)
        }
    }

    /// -dP/dV (Pa/m3) at a pressure and a volume; none where the gas vents or there is none, because pressure then does not
    /// follow volume.
    pub fn slope(&self, pressure: f64, volume: f64) -> Option<f64> {
        let room = volume + self.flow_volume;
        let follows = pressure > 0.0 && pressure < self.limit && room > 0.0;
        follows.then(|| self.exponent * pressure / room)
    }

    /// Complementarity face: the pressure (Pa) for which gas law and walls agree, where the walls let the volume be
    /// `free + compliance * (P - P_atm)` (m3, m3/Pa).
    pub fn resolve(&self, compliance: f64, free: f64) -> f64 {
        if self.energy <= 0.0 {
            return 0.0;
        }
        let unlimited = if self.exponent == 1.0 {
            self.quadratic(compliance, free)
        } else {
            self.bisect(compliance, free)
        };
        unlimited.min(self.limit)
    }

    /// a P^2 + b P - N = 0, without cancellation for either sign of b.
    fn quadratic(&self, compliance: f64, free: f64) -> f64 {
        let b = free + self.flow_volume - compliance * self.atmosphere;
        let root = (b * b + 4.0 * compliance * self.energy).sqrt();
        if b >= 0.0 { 2.0 * self.energy / (b + root) } else { (root - b) / (2.0 * compliance) }
    }

    /// The root of P - p(V(P)), which rises with P, between vacuum and the limit.
    fn bisect(&self, compliance: f64, free: f64) -> f64 {
        let excess = |p: f64| p - self.pressure(free + compliance * (p - self.atmosphere));
        // The bracket grows from atmospheric pressure: a limit may be far above, or infinite.
        let (mut low, mut high) = (0.0, self.atmosphere.min(self.limit));
        while excess(high) <= 0.0 {
            if high >= self.limit {
                return self.limit;
            }
            (low, high) = (high, (2.0 * high).min(self.limit));
        }
        while high - low > 1e-14 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if excess(middle) > 0.0 { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    }

    /// V + V_flow at which the pressure reaches the limit, m3.
    fn venting_room(&self) -> f64 {
        if self.exponent == 1.0 {
            self.energy / self.limit
        } else {
            self.energy / self.atmosphere * (self.atmosphere / self.limit).powf(1.0 / self.exponent)
        }
    }

    /// Incremental-potential face: value (J), slope (Pa) and curvature (Pa/m3) over the volume (m3). The slope is
    /// P_atm - P; where the gas vents, the potential goes on as a straight line. The value is measured from that at
    /// another volume: flows add so much room that the potential itself, 1e5 J for a strong pump, would round away what
    /// moving walls change of it.
    pub fn potential(&self, volume: f64, from: f64) -> [f64; 3] {
        let kink = self.venting_room() - self.flow_volume;
        let slope = self.atmosphere - self.limit;
        let below = volume.min(kink) - from.min(kink);
        // A vessel that never vents has no limit: infinity times nothing.
        let straight = if below == 0.0 { 0.0 } else { slope * below };
        let value = straight + self.rise(from.max(kink), volume.max(kink));
        if volume <= kink {
            return [value, slope, 0.0];
        }
        let (pressure, room) = (self.pressure(volume), volume + self.flow_volume);
        [value, self.atmosphere - pressure, self.exponent * pressure / room]
    }

    /// What the potential rises by between two volumes (m3) at which the gas does not vent, J.
    fn rise(&self, from: f64, to: f64) -> f64 {
        let (grown, room) = (to - from, from + self.flow_volume);
        let outside = self.atmosphere * grown;
        if self.energy <= 0.0 {
            return outside;
        }
        // ln(room after / room before)
        let ratio = (grown / room).ln_1p();
        if self.exponent == 1.0 {
            outside - self.energy * ratio
        } else {
            let less = 1.0 - self.exponent;
            outside - self.pressure(from) * room / less * (less * ratio).exp_m1()
        }
    }
}

/// Work that enclosed gas would do on its way back to atmospheric pressure, over P_atm V, at `ratio` = P / P_atm: the integral of
/// (P_atm - P) dV from where it is at rest, along P V^k = const.
pub fn stored_work(ratio: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        let expansion = if ratio > 0.0 { ratio * ratio.ln() } else { 0.0 };
        return expansion - (ratio - 1.0);
    }
    let rest = ratio.powf(1.0 / exponent);
    1.0 - rest + (ratio - rest) / (exponent - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ATMOSPHERE: f64 = 101_325.0;

    /// Air that filled `volume` (m3) at atmospheric pressure.
    fn air(volume: f64, exponent: f64, limit: f64) -> Gas {
        Gas {
            energy: ATMOSPHERE * volume,
            flow_volume: 0.0,
            atmosphere: ATMOSPHERE,
            limit,
            exponent,
        }
    }

    proptest! {
        #[test]
        fn resolved_pressure_satisfies_gas_and_walls(
            log_volume in -12.0..-3.0f64,
            log_compliance in -20.0..-6.0f64,
            squeeze in -3.0..3.0f64,
            exponent in prop::sample::select(vec![1.0, 1.2, 1.4]),
            limit in prop::sample::select(vec![ATMOSPHERE, 2.0 * ATMOSPHERE, 1e9, f64::INFINITY]),
        ) {
            // P = min(P_max, p(V)) with V = V_free + W (P - P_atm), also when V_free is negative.
            let volume = 10f64.powf(log_volume);
            let (gas, w, free) = (air(volume, exponent, limit), 10f64.powf(log_compliance), volume * squeeze);
            let pressure = gas.resolve(w, free);
            prop_assert!((0.0..=limit).contains(&pressure), "{pressure}");
            // P less the gas's pressure rises with P: the root lies within 1e-9 of what was found, or at the limit.
            let excess = |p: f64| p - gas.pressure(free + w * (p - ATMOSPHERE));
            let margin = 1e-9 * pressure;
            prop_assert!(excess(pressure - margin) <= 0.0, "too high: {pressure}");
            prop_assert!(excess(pressure + margin) >= 0.0 || pressure == limit, "too low: {pressure}");
        }

        #[test]
        fn potential_has_the_slope_of_the_gauge_pressure(
            ratio in 0.2..4.0f64,
            exponent in prop::sample::select(vec![1.0, 1.4]),
            limit in prop::sample::select(vec![1.5 * ATMOSPHERE, 1e9]),
        ) {
            let gas = Gas { flow_volume: 1e-7, ..air(1e-6, exponent, limit) };
            let (volume, e) = (1e-6 * ratio, 1e-11);
            let [_, slope, curvature] = gas.potential(volume, 1e-6);
            prop_assert!((slope - (ATMOSPHERE - gas.pressure(volume))).abs() < 1e-9 * ATMOSPHERE);
            let [plus, minus] = [gas.potential(volume + e, volume), gas.potential(volume - e, volume)];
            prop_assert!(((plus[0] - minus[0]) / (2.0 * e) - slope).abs() < 1e-4 * ATMOSPHERE);
            let kink = (gas.venting_room() - gas.flow_volume - volume).abs() < 2.0 * e;
            prop_assert!(kink || ((plus[1] - minus[1]) / (2.0 * e) - curvature).abs() < 1e-3 * ATMOSPHERE / 1e-6);
        }
    }

    /// E(b) - E(a) + E(c) - E(b) = E(c) - E(a), also across the volume at which gas vents and with exponents.
    #[test]
    fn potentials_add_up_from_any_volume() {
        let laws = [(1.0, f64::INFINITY), (1.4, 1e9), (1.0, 1.5 * ATMOSPHERE), (1.4, ATMOSPHERE)];
        for (exponent, limit) in laws {
            let gas = Gas { flow_volume: 1e-7, ..air(1e-6, exponent, limit) };
            let value = |to: f64, from: f64| gas.potential(to, from)[0];
            let [a, b, c] = [0.3e-6, 0.8e-6, 1.9e-6];
            let off = value(b, a) + value(c, b) - value(c, a);
            assert!(off.abs() < 1e-14, "{exponent} {limit}: {off}");
            assert!((value(a, b) + value(b, a)).abs() < 1e-14);
        }
    }

    /// A pump of 1 m3 a step: a change of 1e-12 m3 is 8e-8 J of 1e5 J, and is seen to ten digits.
    #[test]
    fn small_changes_are_seen_beside_strong_pumps() {
        let gas = Gas { energy: 0.8 * ATMOSPHERE, flow_volume: 1.0, ..air(1e-6, 1.0, 1e9) };
        let [value, slope, _] = gas.potential(1e-6 + 1e-12, 1e-6);
        assert!((value / (slope * 1e-12) - 1.0).abs() < 1e-9, "{value}");
    }

    #[test]
    fn both_faces_find_the_same_piston() {
        // A rigid piston on trapped air: free energy of walls (V - V_free)^2 / (2 W) + E(V) is least where resolve says.
        let (gas, w, free) = (air(1e-6, 1.0, 1e9), 4e-12, 0.7e-6);
        let pressure = gas.resolve(w, free);
        let volume = free + w * (pressure - ATMOSPHERE);
        let [_, slope, _] = gas.potential(volume, free);
        assert!(((volume - free) / w + slope).abs() < 1e-9 * ATMOSPHERE);
    }

    #[test]
    fn boyle_and_the_adiabat() {
        // Half the volume: twice the pressure, or 2^1.4 times.
        assert!((air(1e-6, 1.0, 1e9).pressure(0.5e-6) / ATMOSPHERE - 2.0).abs() < 1e-14);
        assert!((air(1e-6, 1.4, 1e9).pressure(0.5e-6) / ATMOSPHERE - 2f64.powf(1.4)).abs() < 1e-13);
    }

    #[test]
    fn implicit_flows_stay_finite_when_the_volume_vanishes() {
        // A leak of conductance G over h: P = (N + h G R T P_atm) / (V + h G R T) -> P_atm as h grows or V vanishes.
        let flow = 1e-3;
        let gas = Gas { energy: 0.0 + flow * ATMOSPHERE, flow_volume: flow, ..air(1e-9, 1.0, 1e9) };
        assert!((gas.pressure(0.0) / ATMOSPHERE - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_gas_is_a_vacuum() {
        let empty = Gas { energy: 0.0, ..air(1e-6, 1.0, 1e9) };
        assert_eq!((empty.pressure(1e-6), empty.resolve(1e-12, 1e-6)), (0.0, 0.0));
    }

    /// Against the sum of (P_atm - P) dV over small steps, from the volume at rest to one that is larger or smaller.
    #[test]
    fn stored_work_is_the_integral_over_the_volume() {
        for exponent in [1.0, 1.2, 1.4] {
            for end in [0.5f64, 0.9, 1.5, 4.0] {
                // P = V^-k with P_atm = 1 and V = 1 at rest; midpoint rule, error of order 1e-8.
                let steps = 20_000;
                let step = (end - 1.0) / f64::from(steps);
                let gauge = |i: i32| 1.0 - (1.0 + (f64::from(i) + 0.5) * step).powf(-exponent);
                let work: f64 = (0..steps).map(|i| gauge(i) * step).sum();
                let told = stored_work(end.powf(-exponent), exponent) * end;
                assert!((told - work).abs() < 1e-6 * work, "{exponent} {end}: {told} {work}");
            }
        }
    }
}
