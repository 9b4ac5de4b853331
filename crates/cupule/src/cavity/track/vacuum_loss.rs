//! How a cavity lost its vacuum: what came in since the vacuum was deepest, and by which path.

/// A path by which air comes into a cavity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leak {
    /// At the given rate.
    Rate,
    /// Through the given conductance.
    Conductance,
    /// Through the gap of the seal.
    Gap,
    /// Through a line, or from a muscle.
    Line,
}

/// All of them, in the order in which amounts are kept.
const LEAKS: [Leak; 4] = [Leak::Rate, Leak::Conductance, Leak::Gap, Leak::Line];

/// Gauge pressure below which a vacuum counts as exhausted, relative to atmospheric pressure: it holds a
/// fiftieth of what a full vacuum holds.
const EXHAUSTED: f64 = 0.02;

/// A vacuum that is kept wavers, by less than this relative to atmospheric pressure: the last time that is as near to the lowest
/// counts as the deepest.
const AS_LOW: f64 = 1e-3;

/// What became of the vacuum of a cavity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// Lowest pressure so far (Pa), and the amount of gas (mol) and the time (s) when it was last that low.
    lowest: [f64; 3],
    /// What came in since, by [`LEAKS`], mol.
    entered: [f64; 4],
    /// Since when the vacuum is exhausted, s.
    gone: Option<f64>,
}

/// A vacuum that leaked away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaked {
    /// The path by which most came in.
    pub by: Leak,
    /// How much came in by it, mol.
    pub amount: f64,
    /// Lowest pressure, Pa.
    pub from: f64,
    /// When that was, s.
    pub since: f64,
    /// When it was exhausted, s; none if it was not quite.
    pub gone: Option<f64>,
}

impl Default for Loss {
    fn default() -> Self {
        Self { lowest: [f64::INFINITY, 0.0, 0.0], entered: [0.0; 4], gone: None }
    }
}

impl Loss {
    /// Whether a cavity of this pressure has nothing left to hold with.
    pub fn is_exhausted(pressure: f64, atmosphere: f64) -> bool {
        (pressure / atmosphere - 1.0).abs() < EXHAUSTED
    }

    /// Takes in a step: pressure (Pa), amount (mol) and time (s) at its end, and what came in, by [`LEAKS`], mol.
    pub(in crate::cavity) fn note(
        &mut self,
        [pressure, amount, time]: [f64; 3],
        entered: [f64; 4],
        atmosphere: f64,
    ) {
        if pressure < self.lowest[0] + AS_LOW * atmosphere {
            let lowest = [pressure.min(self.lowest[0]), amount, time];
            *self = Self { lowest, ..Self::default() };
            return;
        }
        self.entered.iter_mut().zip(entered).for_each(|(sum, amount)| *sum += amount);
        let exhausted = pressure > (1.0 - EXHAUSTED) * atmosphere;
        self.gone = if exhausted { self.gone.or(Some(time)) } else { None };
    }

    /// How the vacuum leaked away, if that is why it is less than it was: P rises with n and with 1 / V, and more than
    /// half of ln P came from n.
    pub fn leaked(&self, pressure: f64, amount: f64, atmosphere: f64) -> Option<Leaked> {
        let [from, least, since] = self.lowest;
        let fell = pressure - from > EXHAUSTED * atmosphere;
        // A perfect vacuum has no logarithm.
        let grown = |now: f64, then: f64| (now / then.max(AS_LOW * now)).ln();
        let by_amount = grown(amount, least) > 0.5 * grown(pressure, from);
        let most = (0..LEAKS.len()).max_by(|a, b| self.entered[*a].total_cmp(&self.entered[*b]))?;
        let amount = self.entered[most];
        let leaked = Leaked { by: LEAKS[most], amount, from, since, gone: self.gone };
        (fell && by_amount && amount > 0.0).then_some(leaked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATMOSPHERE: f64 = 1e5;

    /// A vacuum of 0.2 bar in 1 mmol at 1 s.
    fn deep() -> Loss {
        let mut loss = Loss::default();
        loss.note([1e5, 1e-3, 0.0], [0.0; 4], ATMOSPHERE);
        loss.note([2e4, 1e-3, 1.0], [0.0; 4], ATMOSPHERE);
        loss
    }

    #[test]
    fn the_largest_leak_is_named_with_its_time() {
        let mut loss = deep();
        loss.note([2.005e4, 1e-3, 1.5], [0.0; 4], ATMOSPHERE);
        loss.note([6e4, 3e-3, 2.0], [0.0, 0.5e-3, 1.5e-3, 0.0], ATMOSPHERE);
        loss.note([9.9e4, 5e-3, 3.0], [0.0, 1.5e-3, 0.5e-3, 0.0], ATMOSPHERE);
        loss.note([9.95e4, 5e-3, 4.0], [0.0, 0.0, 0.1e-3, 0.0], ATMOSPHERE);
        let leaked = loss.leaked(9.95e4, 5e-3, ATMOSPHERE).expect("it leaked");
        assert_eq!((leaked.by, leaked.since, leaked.gone), (Leak::Gap, 1.5, Some(3.0)));
        assert!((leaked.amount - 2.1e-3).abs() < 1e-15 && leaked.from == 2e4);
    }

    #[test]
    fn a_cup_that_is_pushed_back_has_not_leaked() {
        // P rises fivefold with the same air: its room is a fifth.
        let mut loss = deep();
        loss.note([1e5, 1.01e-3, 2.0], [1e-5, 0.0, 0.0, 0.0], ATMOSPHERE);
        assert_eq!(loss.leaked(1e5, 1.01e-3, ATMOSPHERE), None);
    }

    #[test]
    fn a_perfect_vacuum_can_leak_too() {
        let mut loss = Loss::default();
        loss.note([0.0, 0.0, 1.0], [0.0; 4], ATMOSPHERE);
        loss.note([1e5, 5e-3, 2.0], [5e-3, 0.0, 0.0, 0.0], ATMOSPHERE);
        let leaked = loss.leaked(1e5, 5e-3, ATMOSPHERE).expect("it leaked");
        assert_eq!((leaked.by, leaked.from, leaked.gone), (Leak::Rate, 0.0, Some(2.0)));
    }

    #[test]
    fn a_cup_that_holds_has_not_leaked() {
        assert_eq!(deep().leaked(2e4, 1e-3, ATMOSPHERE), None);
    }
}
