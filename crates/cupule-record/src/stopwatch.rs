//! Times of the phases of a step, taken with a clock that the physics does not have.

use std::time::{Duration, Instant};

use cupule::report::{Observer, Phase};
use serde::Serialize;

/// Milliseconds per phase, of one step or as a mean.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PhaseTimes {
    /// Forces, stiffness, factorisation, contact-free motion.
    pub free_motion: f64,
    /// Proximity of surfaces.
    pub collision: f64,
    /// Air cavities.
    pub cavities: f64,
    /// Constraint rows and compliance.
    pub compliance: f64,
    /// Sweeps.
    pub solve: f64,
    /// Commit, sensors, report.
    pub other: f64,
    /// All of them.
    pub total: f64,
}

impl PhaseTimes {
    /// Adds the times of another step.
    pub fn add(&mut self, other: &PhaseTimes) {
        self.free_motion += other.free_motion;
        self.collision += other.collision;
        self.cavities += other.cavities;
        self.compliance += other.compliance;
        self.solve += other.solve;
        self.other += other.other;
        self.total += other.total;
    }

    /// The times times a factor.
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            free_motion: self.free_motion * factor,
            collision: self.collision * factor,
            cavities: self.cavities * factor,
            compliance: self.compliance * factor,
            solve: self.solve * factor,
            other: self.other * factor,
            total: self.total * factor,
        }
    }
}

/// An observer that times the phases of one step.
#[derive(Debug)]
pub struct Stopwatch {
    phase: Phase,
    since: Instant,
    times: [Duration; 6],
}

impl Stopwatch {
    /// Starts now; what comes before the first phase counts as other.
    pub fn start() -> Self {
        Self { phase: Phase::Other, since: Instant::now(), times: [Duration::ZERO; 6] }
    }

    /// Ends the last phase and gives the times of all.
    pub fn stop(mut self) -> PhaseTimes {
        self.enter(Phase::Other);
        let [free_motion, collision, cavities, compliance, solve, other] =
            self.times.map(|time| time.as_secs_f64() * 1e3);
        let total = free_motion + collision + cavities + compliance + solve + other;
        PhaseTimes { free_motion, collision, cavities, compliance, solve, other, total }
    }
}

impl Observer for Stopwatch {
    fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        let slot = match self.phase {
            Phase::FreeMotion => 0,
            Phase::Collision => 1,
            Phase::Cavities => 2,
            Phase::Compliance => 3,
            Phase::Solve => 4,
            Phase::Other => 5,
        };
        self.times[slot] += now - self.since;
        (self.phase, self.since) = (phase, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_gets_the_time_until_the_next() {
        let mut watch = Stopwatch::start();
        watch.enter(Phase::Solve);
        std::thread::sleep(Duration::from_millis(5));
        watch.enter(Phase::Other);
        let times = watch.stop();
        assert!(times.solve >= 5.0 && times.free_motion == 0.0);
        assert!(times.total >= times.solve);
    }
}
