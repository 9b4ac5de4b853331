//! How fast time goes: when the next step is due, and how fast it really went.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Simulated time that lags behind by more than this is not caught up with.
const MOST_LAG: Duration = Duration::from_millis(100);
/// Speed is measured over this long.
const WINDOW: Duration = Duration::from_millis(1000);

/// Keeps to a speed and measures it.
#[derive(Debug)]
pub struct Pace {
    /// Simulated seconds a second; none is as fast as can be.
    pub speed: Option<f64>,
    /// When simulated time and the clock were last set against each other.
    anchor: Option<(Instant, f64)>,
    steps: VecDeque<(Instant, f64)>,
    step_ms: f64,
}

impl Pace {
    /// A pace of real time.
    pub fn new() -> Self {
        Self { speed: Some(1.0), anchor: None, steps: VecDeque::new(), step_ms: 0.0 }
    }

    /// Forgets the past, as after a pause or at another speed.
    pub fn restart(&mut self) {
        self.anchor = None;
        self.steps.clear();
    }

    /// How long to wait before the step from `time` (s) begins.
    pub fn wait(&mut self, time: f64, now: Instant) -> Duration {
        let Some(speed) = self.speed else { return Duration::ZERO };
        let (since, from) = *self.anchor.get_or_insert((now, time));
        let due = since + Duration::from_secs_f64(((time - from) / speed).clamp(0.0, 1e6));
        if now.saturating_duration_since(due) > MOST_LAG {
            self.anchor = Some((now, time));
        }
        due.saturating_duration_since(now)
    }

    /// Counts a step that ended at `time` (s) and took so many milliseconds.
    pub fn count(&mut self, time: f64, ms: f64, now: Instant) {
        self.steps.push_back((now, time));
        while self.steps.len() > 2
            && self.steps.front().is_some_and(|(then, _)| now.duration_since(*then) > WINDOW)
        {
            self.steps.pop_front();
        }
        let share = if self.step_ms == 0.0 { 1.0 } else { 0.1 };
        self.step_ms += share * (ms - self.step_ms);
    }

    /// Simulated seconds a second over the last steps.
    pub fn real_time_factor(&self) -> f64 {
        match (self.steps.front(), self.steps.back()) {
            (Some((t0, a)), Some((t1, b))) if t1 > t0 => {
                (b - a) / t1.duration_since(*t0).as_secs_f64()
            }
            _ => 0.0,
        }
    }

    /// What a step takes, ms: a mean that forgets.
    pub fn step_ms(&self) -> f64 {
        self.step_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_due_when_the_clock_says_and_lag_is_not_caught_up_with() {
        let (mut pace, start) = (Pace { speed: Some(0.5), ..Pace::new() }, Instant::now());
        let ms = Duration::from_millis;
        assert_eq!(pace.wait(1.0, start), ms(0));
        assert_eq!(pace.wait(1.01, start + ms(5)), ms(15), "10 ms at half the speed are 20 ms");
        assert_eq!(pace.wait(1.02, start + ms(500)), ms(0));
        assert_eq!(pace.wait(1.03, start + ms(500)), ms(20), "counted from there");
        pace.speed = None;
        assert_eq!(pace.wait(9.0, start), ms(0));
    }

    #[test]
    fn the_factor_is_that_of_the_last_second() {
        let (mut pace, start) = (Pace::new(), Instant::now());
        for step in 0..300 {
            // Real time for two seconds, then twice as fast.
            let time = if step < 200 {
                0.01 * f64::from(step)
            } else {
                2.0 + 0.02 * f64::from(step - 200)
            };
            pace.count(time, 3.0, start + Duration::from_millis(10 * step as u64));
        }
        assert!((pace.real_time_factor() - 2.0).abs() < 0.03, "{}", pace.real_time_factor());
        assert!((pace.step_ms() - 3.0).abs() < 1e-12);
    }
}
