//! Times of the phases of a step, taken with a clock that the physics does not have.

use std::time::{Duration, Instant};

use cupule::report::{Observer, Phase, Watch};
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
    /// From begin to end: less than the sum, since air is looked for while bodies move freely and contacts are found.
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
    begin: Instant,
    /// The present phase and its begin; none while two others watch.
    phase: Option<(Phase, Instant)>,
    times: [Times; 2],
}

/// Time in every phase.
type Times = [Duration; 6];

impl Stopwatch {
    /// Starts now; what comes before the first phase counts as other.
    pub fn start() -> Self {
        let begin = Instant::now();
        Self { begin, phase: Some((Phase::Other, begin)), times: Default::default() }
    }

    /// Ends the last phase and gives the times of all.
    pub fn stop(mut self) -> PhaseTimes {
        book(&mut self.times[0], self.phase);
        let total = self.begin.elapsed().as_secs_f64() * 1e3;
        let sum = |slot: usize| (self.times[0][slot] + self.times[1][slot]).as_secs_f64() * 1e3;
        let [free_motion, collision, cavities, compliance, solve, other] =
            [0, 1, 2, 3, 4, 5].map(sum);
        PhaseTimes { free_motion, collision, cavities, compliance, solve, other, total }
    }
}

/// Adds the time since a phase began.
fn book(times: &mut Times, phase: Option<(Phase, Instant)>) {
    if let Some((phase, since)) = phase {
        let slot = match phase {
            Phase::FreeMotion => 0,
            Phase::Collision => 1,
            Phase::Cavities => 2,
            Phase::Compliance => 3,
            Phase::Solve => 4,
            Phase::Other => 5,
        };
        times[slot] += since.elapsed();
    }
}

impl Watch for Stopwatch {
    fn enter(&mut self, phase: Phase) {
        book(&mut self.times[0], self.phase.replace((phase, Instant::now())));
    }
}

impl Observer for Stopwatch {
    fn split(&mut self) -> [Box<dyn Watch + '_>; 2] {
        book(&mut self.times[0], self.phase.take());
        self.times
            .each_mut()
            .map(|times| -> Box<dyn Watch> { Box::new(Lap { phase: None, times }) })
    }
}

/// Times one of two parts that go on at once, until it is dropped.
struct Lap<'a> {
    phase: Option<(Phase, Instant)>,
    times: &'a mut Times,
}

impl Watch for Lap<'_> {
    fn enter(&mut self, phase: Phase) {
        book(self.times, self.phase.replace((phase, Instant::now())));
    }
}

impl Drop for Lap<'_> {
    fn drop(&mut self) {
        book(self.times, self.phase);
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

    /// Two phases of 50 ms that go on at once count 50 ms each, and nothing else counts them again.
    #[test]
    fn what_goes_on_at_once_counts_in_both_phases() {
        let mut watch = Stopwatch::start();
        let pause = || std::thread::sleep(Duration::from_millis(50));
        let [mut one, mut other] = watch.split();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                one.enter(Phase::Cavities);
                pause();
            });
            scope.spawn(move || {
                other.enter(Phase::Collision);
                pause();
            });
        });
        watch.enter(Phase::Solve);
        let times = watch.stop();
        assert!(times.cavities >= 50.0 && times.collision >= 50.0);
        assert!(times.total < times.cavities + times.collision && times.other + times.solve < 40.0);
    }
}
