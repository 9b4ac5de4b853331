//! The simulation on its thread: takes commands between steps, keeps to its pace, leaves its state for the pages.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use cupule_record::{Series, Stopwatch, scenery};
use cupule_session::DVec3;
use cupule_session::{Session, sentence};

use crate::controls::Controls;
use crate::hand::Hand;
use crate::message::{Command, EventText, Update};
use crate::pace::Pace;
use crate::shared::{Shared, Snapshot};

/// Pages get no more than sixty states a second.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(16);
/// While time stands still, a page that comes waits no longer than this.
const IDLE: Duration = Duration::from_millis(30);
/// Rows after which the recorder's series, of which only the last row is read here, begins anew.
const SERIES_ROWS: usize = 512;

/// A simulation that can be steered.
pub struct Simulation {
    session: Session,
    controls: Controls,
    hand: Option<Hand>,
    pace: Pace,
    playing: bool,
    series: Series,
    generation: u32,
    failure: Option<String>,
    shared: Arc<Shared>,
    published: Option<Instant>,
    snapshots: u64,
    /// Whether something has changed that pages should see even while time stands still.
    changed: bool,
}

impl Simulation {
    /// Of a session.
    pub fn new(session: Session, shared: Arc<Shared>, playing: bool) -> Self {
        let controls = Controls::new(&session);
        let series = Series::new(session.sensors());
        shared.history().restart(1, series.names().to_vec());
        let mut simulation = Self {
            session,
            controls,
            hand: None,
            pace: Pace::new(),
            playing,
            series,
            generation: 1,
            failure: None,
            shared,
            published: None,
            snapshots: 0,
            changed: true,
        };
        simulation.publish();
        simulation
    }

    /// The session that runs.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What can be moved.
    pub fn controls(&self) -> &Controls {
        &self.controls
    }

    /// Runs until nobody is left who could send a command.
    pub fn run(mut self, commands: &Receiver<(Command, Answer)>) {
        loop {
            let now = Instant::now();
            let wait = if self.playing { self.pace.wait(self.session.time(), now) } else { IDLE };
            let until = now + wait;
            loop {
                let left = until.saturating_duration_since(Instant::now());
                match commands.recv_timeout(left) {
                    Ok((command, answer)) => {
                        if let Err(why) = self.obey(command) {
                            answer(why);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                // A command may have changed what to wait for.
                if self.changed {
                    break;
                }
            }
            let due = self.playing && Instant::now() >= until;
            if due {
                self.step();
            }
            self.publish_if_due();
        }
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        self.changed = true;
        match command {
            Command::Ready => self.changed = false,
            Command::Play => {
                self.playing = self.failure.is_none();
                self.pace.restart();
            }
            Command::Pause => self.playing = false,
            Command::Step => {
                self.playing = false;
                self.step();
            }
            Command::Reset => self.reset()?,
            Command::Speed { value } => {
                if !value.is_none_or(|speed| (1e-3..=1e3).contains(&speed)) {
                    return Err("a speed is between 0.001 and 1000, or none".into());
                }
                self.pace.speed = value;
                self.pace.restart();
            }
            Command::Set { control, value } => {
                self.controls.set(control, Some(value), &mut self.session)?;
            }
            Command::Release { control: Some(control) } => {
                self.controls.set(control, None, &mut self.session)?;
            }
            Command::Release { control: None } => {
                self.controls.release_parameters(&mut self.session)?;
            }
            Command::Grab { body, at } => {
                self.hand = Some(Hand::grab(self.session.world(), body, DVec3::from(at))?);
            }
            Command::Pull { to } => {
                let to =
                    Some(DVec3::from(to)).filter(|to| to.is_finite()).ok_or("no such place")?;
                self.hand.as_mut().ok_or("nothing is held")?.pull(to);
            }
            Command::LetGo => self.let_go(),
        }
        Ok(())
    }

    fn let_go(&mut self) {
        self.hand = None;
        // No force is always a valid list.
        let _ = self.session.pull(Vec::new());
    }

    fn reset(&mut self) -> Result<(), String> {
        self.session.reset().map_err(|error| error.to_string())?;
        self.hand = None;
        self.controls.take_over();
        self.series = Series::new(self.session.sensors());
        self.failure = None;
        self.generation += 1;
        self.pace.restart();
        self.shared.history().restart(self.generation, self.series.names().to_vec());
        Ok(())
    }

    fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let length = self.session.world().settings().time_step;
        let steered = self.controls.advance(length, &mut self.session);
        let steered = steered.map_err(|error| error.to_string());
        let pulled = self.hand.as_mut().map_or(Ok(()), |hand| hand.act(&mut self.session));
        let mut watch = Stopwatch::start();
        let stepped = (steered.and(pulled.map_err(|error| error.to_string())))
            .and_then(|()| self.session.step(&mut watch).map(drop).map_err(|e| e.to_string()));
        match stepped {
            Ok(()) => {
                let (times, session) = (watch.stop(), &self.session);
                self.pace.count(session.time(), times.total, Instant::now());
                self.series.push(session.sensors(), session.reading(), &times);
                self.remember();
            }
            Err(why) => {
                self.playing = false;
                self.failure = Some(why);
                self.changed = true;
            }
        }
    }

    /// Hands the row of the last step to the pages.
    fn remember(&mut self) {
        let row = self.series.last_row().map(|value| value as f32).collect();
        let (events, world) = (self.session.report().events.iter(), self.session.world());
        let events = events.map(|event| EventText {
            time: event.time,
            kind: event.kind.name(),
            what: sentence(event, world),
        });
        self.shared.history().push(row, self.series.names(), events.collect());
        self.series.keep_last(SERIES_ROWS);
    }

    fn publish_if_due(&mut self) {
        let early = self.published.is_some_and(|at| at.elapsed() < PUBLISH_INTERVAL);
        if !early && (self.playing || self.changed) && self.shared.is_asked() {
            self.publish();
        }
    }

    fn publish(&mut self) {
        self.snapshots += 1;
        self.published = Some(Instant::now());
        self.changed = false;
        let update = Update {
            generation: self.generation,
            time: self.session.time(),
            steps: self.session.steps(),
            playing: self.playing,
            speed: self.pace.speed,
            real_time_factor: self.pace.real_time_factor(),
            step_ms: self.pace.step_ms(),
            failure: self.failure.clone(),
            controls: self.controls.states(&self.session),
            pull: self.hand.as_ref().map(|hand| hand.state(self.session.world())),
            ..Update::default()
        };
        self.shared.publish(Snapshot {
            number: self.snapshots,
            time: self.session.time(),
            positions: scenery::positions(self.session.world()),
            layers: scenery::shown(self.session.world(), self.session.report()),
            update,
        });
    }
}

/// How a page learns why its command was refused.
pub type Answer = Box<dyn FnOnce(String) + Send>;
