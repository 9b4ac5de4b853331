//! Gas trapped in a cavity: pressure follows volume.
//!
//! Isothermal: P V = n R T. Polytropic with exponent k > 1: P = P_atm (n R T / (P_atm V))^k, so that air taken in at
//! atmospheric pressure has P V = n R T at that moment. Above a limit P_max the seal gives way and air escapes: P stays at
//! P_max.
//!
//! Flows during a step are implicit, or they would explode as V -> 0. With the amount that a pressure packs into a volume,
//! n R T / V = d(P) = P_atm (P / P_atm)^(1/k), and flows that bring in less the higher the pressure is,
//!
//! ```text
//! d(P) (V + V_beside) + V_flow P = N
//! ```
//!
//! Isothermal, d(P) = P, and flows act like a little more volume and a little more gas. What they are is the caller's business; the
//! law only sees their sum.
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
    /// Room that the gas has beside the cavity, m3: muscles.
    pub beside: f64,
    /// What implicit flows take for every pascal, m3.
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
        if volume <= self.venting_volume() {
            return self.limit;
        }
        let room = volume + self.beside;
        if self.exponent == 1.0 {
            self.energy / (room + self.flow_volume)
        } else if self.flow_volume == 0.0 {
            self.atmosphere * (self.energy / (self.atmosphere * room)).powf(self.exponent)
        } else {
            self.with_flows(room)
        }
    }

    /// The root of d(P) V + V_flow P = N. The left side is concave in P and rises, so that Newton's method climbs to it from below;
    /// where a trial volume is negative it is convex, and Newton's method comes down from above.
    fn with_flows(&self, room: f64) -> f64 {
        let missing = |pressure: f64| {
            self.energy - self.density(pressure) * room - self.flow_volume * pressure
        };
        let open = self.energy / self.flow_volume;
        let mut pressure = if room > 0.0 {
            let closed =
                self.atmosphere * (self.energy / (self.atmosphere * room)).powf(self.exponent);
            // Neither term alone may exceed N; at a quarter of that, both together do not.
            0.25 * closed.min(open)
        } else {
            let mut above = open;
            while missing(above) > 0.0 {
                above *= 2.0;
            }
            above
        };
        for _ in 0..100 {
            let step = missing(pressure) * self.answer(pressure, room - self.beside);
            pressure += step;
            if step.abs() <= 1e-15 * pressure {
                break;
            }
        }
        pressure
    }

    /// n R T in a cubic metre at a pressure (Pa), J/m3.
    pub fn density(&self, pressure: f64) -> f64 {
        if self.exponent == 1.0 {
            pressure
        } else {
            self.atmosphere * (pressure / self.atmosphere).powf(1.0 / self.exponent)
        }
    }

    /// By how much the pressure rises for a joule of n R T that is brought in at this pressure (Pa) and volume (m3), Pa/J.
    pub fn answer(&self, pressure: f64, volume: f64) -> f64 {
        let packed = self.density(pressure) / (self.exponent * pressure);
        1.0 / (packed * (volume + self.beside) + self.flow_volume)
    }

    /// -dP/dV (Pa/m3) at a pressure and a volume; none where the gas vents or there is none, because pressure then does not
    /// follow volume.
    pub fn slope(&self, pressure: f64, volume: f64) -> Option<f64> {
        let slope = self.density(pressure) * self.answer(pressure, volume);
        (pressure > 0.0 && pressure < self.limit && slope > 0.0).then_some(slope)
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
        // Not `min`, which would hide what is not a number behind the limit.
        if unlimited > self.limit { self.limit } else { unlimited }
    }

    /// a P^2 + b P - N = 0, without cancellation for either sign of b.
    fn quadratic(&self, compliance: f64, free: f64) -> f64 {
        let b = free + self.beside + self.flow_volume - compliance * self.atmosphere;
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
        if excess(high).is_nan() {
            return f64::NAN;
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

    /// Volume at which the pressure reaches the limit, m3; without a limit, that at which it would be infinite.
    fn venting_volume(&self) -> f64 {
        if self.limit == f64::INFINITY {
            let flows = if self.exponent == 1.0 || self.flow_volume == 0.0 {
                self.flow_volume
            } else {
                f64::INFINITY
            };
            return -self.beside - flows;
        }
        (self.energy - self.flow_volume * self.limit) / self.density(self.limit) - self.beside
    }

    /// Incremental-potential face: value (J), slope (Pa) and curvature (Pa/m3) over the volume (m3). The slope is
    /// P_atm - P; where the gas vents, the potential goes on as a straight line. The value is measured from that at
    /// another volume: flows add so much room that the potential itself, 1e5 J for a strong pump, would round away what
    /// moving walls change of it.
    pub fn potential(&self, volume: f64, from: f64) -> [f64; 3] {
        let kink = self.venting_volume();
        let slope = self.atmosphere - self.limit;
        // A vessel that never vents has no limit: infinity times nothing.
        let straight = if volume.min(from) >= kink {
            0.0
        } else {
            slope * (volume.min(kink) - from.min(kink))
        };
        let value = straight + self.rise(from.max(kink), volume.max(kink));
        if volume <= kink {
            return [value, slope, 0.0];
        }
        let pressure = self.pressure(volume);
        [value, self.atmosphere - pressure, self.slope(pressure, volume).unwrap_or(0.0)]
    }

    /// What the potential rises by between two volumes (m3) at which the gas does not vent, J.
    fn rise(&self, from: f64, to: f64) -> f64 {
        let (grown, room) = (to - from, from + self.beside);
        let outside = self.atmosphere * grown;
        if self.energy <= 0.0 {
            return outside;
        }
        if self.exponent == 1.0 {
            // ln(room after / room before)
            return outside - self.energy * (grown / (room + self.flow_volume)).ln_1p();
        }
        if self.flow_volume == 0.0 {
            let less = 1.0 - self.exponent;
            let growth = (less * (grown / room).ln_1p()).exp_m1();
            return outside - self.pressure(from) * room / less * growth;
        }
        self.integral(from, to)
    }

    /// The integral of P_atm - P between two volumes (m3), J, in parts over which the pressure changes by a tenth or so: Gauss' rule
    /// of five points is then exact to rounding, and loses nothing where flows make the potential itself huge.
    fn integral(&self, from: f64, to: f64) -> f64 {
        const POINTS: [(f64, f64); 5] = [
            (0.0, 0.568_888_888_888_888_9),
            (-0.538_469_310_105_683, 0.478_628_670_499_366_47),
            (0.538_469_310_105_683, 0.478_628_670_499_366_47),
            (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
            (0.906_179_845_938_664, 0.236_926_885_056_189_08),
        ];
        let [first, last] = [from, to].map(|volume| self.pressure(volume));
        let parts = (10.0 * (last / first).ln().abs()).ceil().clamp(1.0, 1000.0);
        let half = 0.5 * (to - from) / parts;
        let part = |i: usize| {
            let middle = from + (2.0 * i as f64 + 1.0) * half;
            let gauge = |(at, weight): (f64, f64)| {
                weight * (self.atmosphere - self.pressure(middle + at * half))
            };
            POINTS.into_iter().map(gauge).sum::<f64>() * half
        };
        (0..parts as usize).map(part).sum()
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
            beside: 0.0,
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
            flow in prop::sample::select(vec![0.0, 1e-2, 1.0, 1e4]),
            outside in 0.1..2.0f64,
            beside in prop::sample::select(vec![0.0, 0.3]),
        ) {
            // P = min(P_max, p(V)) with V = V_free + W (P - P_atm), also when V_free is negative, and where air flows, from a place of
            // another pressure, or has room beside.
            let volume = 10f64.powf(log_volume);
            let (flow_volume, beside) = (flow * volume, beside * volume);
            let still = air(volume, exponent, limit);
            let energy = still.energy + flow_volume * outside * ATMOSPHERE;
            let gas = Gas { energy, beside, flow_volume, ..still };
            let (w, free) = (10f64.powf(log_compliance), volume * squeeze);
            let pressure = gas.resolve(w, free);
            prop_assert!((0.0..=limit).contains(&pressure), "{pressure}");
            // P less the gas's pressure rises with P: the root lies within 1e-9 of what was found, or at the limit.
            let excess = |p: f64| p - gas.pressure(free + w * (p - ATMOSPHERE));
            let margin = 1e-9 * pressure;
            prop_assert!(excess(pressure - margin) <= 0.0, "too high: {pressure}");
            prop_assert!(excess(pressure + margin) >= 0.0 || pressure == limit, "too low: {pressure}");
        }

        #[test]
        fn amount_is_what_was_there_and_what_flows_leave(
            log_flow in -12.0..3.0f64,
            log_ratio in -1.0..1.0f64,
            beside in prop::sample::select(vec![0.0, 3e-7]),
            outside in 0.1..2.0f64,
            exponent in prop::sample::select(vec![1.0, 1.2, 1.4]),
        ) {
            // d(P) (V + V_beside) + V_flow P = N, also where flows are far larger than what is there; -dP/dV is its slope.
            let flow_volume = 10f64.powf(log_flow);
            let still = air(1e-6, exponent, f64::INFINITY);
            let energy = still.energy + flow_volume * outside * ATMOSPHERE;
            let (gas, volume) = (Gas { energy, beside, flow_volume, ..still }, 10f64.powf(-6.0 + log_ratio));
            let pressure = gas.pressure(volume);
            let amount = ATMOSPHERE * (pressure / ATMOSPHERE).powf(1.0 / exponent) * (volume + beside);
            prop_assert!(((amount + flow_volume * pressure) / energy - 1.0).abs() < 1e-13, "{pressure}");
            let e = 1e-3 * volume;
            let difference = (gas.pressure(volume - e) - gas.pressure(volume + e)) / (2.0 * e);
            let slope = gas.slope(pressure, volume).expect("it follows");
            prop_assert!((difference - slope).abs() < 1e-4 * slope + 1e-12 * pressure / e, "{difference} {slope}");
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
            let kink = (gas.venting_volume() - volume).abs() < 2.0 * e;
            prop_assert!(kink || ((plus[1] - minus[1]) / (2.0 * e) - curvature).abs() < 1e-3 * ATMOSPHERE / 1e-6);
        }
    }

    /// E(b) - E(a) + E(c) - E(b) = E(c) - E(a), also across the volume at which gas vents and with exponents.
    #[test]
    fn potentials_add_up_from_any_volume() {
        let without = f64::INFINITY;
        let laws = [
            (1.0, without),
            (1.4, without),
            (1.4, 1e9),
            (1.0, 1.5 * ATMOSPHERE),
            (1.4, ATMOSPHERE),
        ];
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
        for exponent in [1.0, 1.4] {
            let gas =
                Gas { energy: 0.8 * ATMOSPHERE, flow_volume: 1.0, ..air(1e-6, exponent, 1e9) };
            let [value, slope, _] = gas.potential(1e-6 + 1e-12, 1e-6);
            assert!((value / (slope * 1e-12) - 1.0).abs() < 1e-9, "{exponent}: {value}");
        }
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
