//! What a person sees while a run goes: a bar on a terminal, plain lines elsewhere, nothing when asked for silence.

use std::io::{IsTerminal, stderr, stdout};
use std::time::{Duration, Instant};

use cupule_session::physics::report::StepReport;
use indicatif::{ProgressBar, ProgressStyle};

/// Plain lines come at most this often.
const LINE_INTERVAL: Duration = Duration::from_secs(2);

/// Shows how far a run is.
pub struct Progress {
    name: String,
    duration: f64,
    began: Instant,
    view: View,
}

enum View {
    Bar(ProgressBar),
    Lines { last: Instant },
    Nothing,
}

impl Progress {
    /// A bar or lines for a run of `duration` seconds; silent if `quiet`.
    pub fn new(name: &str, duration: f64, quiet: bool) -> Self {
        let began = Instant::now();
        let view = if quiet {
            View::Nothing
        } else if stdout().is_terminal() && stderr().is_terminal() {
            View::Bar(bar())
        } else {
            View::Lines { last: began }
        };
        Self { name: name.to_string(), duration, began, view }
    }

    /// Tells of a step that ended at `time`, s.
    pub fn step(&mut self, time: f64, report: &StepReport) {
        let factor = time / self.began.elapsed().as_secs_f64().max(1e-9);
        let share = (time / self.duration).clamp(0.0, 1.0);
        match &mut self.view {
            View::Bar(bar) => {
                bar.set_position((share * 1000.0) as u64);
                let contacts = report.contacts.len();
                bar.set_message(format!(
                    "t = {time:.3} s, {factor:.2} x real time, {contacts} contacts"
                ));
            }
            View::Lines { last } => {
                if last.elapsed() >= LINE_INTERVAL {
                    *last = Instant::now();
                    let (name, percent) = (&self.name, share * 100.0);
                    tell!("{name}: {percent:.0} %, t = {time:.3} s, {factor:.2} x real time");
                }
            }
            View::Nothing => {}
        }
    }

    /// A warning, above the bar.
    pub fn warn(&self, message: &str) {
        match &self.view {
            View::Bar(bar) => bar.suspend(|| tell!("warning: {message}")),
            View::Lines { .. } => tell!("warning: {message}"),
            View::Nothing => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let View::Bar(bar) = &self.view {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}  (left: {eta})");
    ProgressBar::new(1000).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
