//! The simulation on its thread: takes commands between steps, keeps to its pace, leaves its state for the pages.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use cupule::report::StepReport;
use cupule::world::World;
use cupule_geometry::DVec3;
use cupule_record::{Series, Stopwatch, scenery};
use cupule_scene::{LoadedScene, assemble};

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
    loaded: LoadedScene,
    world: World,
    controls: Controls,
    hand: Option<Hand>,
    pace: Pace,
    playing: bool,
    series: Series,
    report: StepReport,
    steps: u64,
    generation: u32,
    failure: Option<String>,
    shared: Arc<Shared>,
    published: Option<Instant>,
    snapshots: u64,
    /// Whether something has changed that pages should see even while time stands still.
    changed: bool,
}

impl Simulation {
    /// Of a scene whose world has been built.
    pub fn new(loaded: LoadedScene, world: World, shared: Arc<Shared>, playing: bool) -> Self {
        let controls = Controls::new(&loaded.scene, &world);
        let series = Series::new(&world);
        shared.history().restart(1, series.names().to_vec());
        let mut simulation = Self {
            loaded,
            world,
            controls,
            hand: None,
            pace: Pace::new(),
            playing,
            series,
            report: StepReport::default(),
            steps: 0,
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

    /// The world as it begins.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What can be moved.
    pub fn controls(&self) -> &Controls {
        &self.controls
    }

    /// Runs until nobody is left who could send a command.
    pub fn run(mut self, commands: &Receiver<(Command, Answer)>) {
        loop {
            let now = Instant::now();
            let wait = if self.playing { self.pace.wait(self.world.time(), now) } else { IDLE };
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
                self.controls.set(control, Some(value), &mut self.world)?;
            }
            Command::Release { control: Some(control) } => {
                self.controls.set(control, None, &mut self.world)?;
            }
            Command::Release { control: None } => {
                self.controls.release_parameters(&mut self.world)?;
            }
            Command::Grab { body, at } => {
                self.hand = Some(Hand::grab(&self.world, body, DVec3::from(at))?);
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
        let _ = self.world.controls().set_pulls(Vec::new());
    }

    fn reset(&mut self) -> Result<(), String> {
        self.world = assemble(&self.loaded).map_err(|error| error.to_string())?.world;
        self.hand = None;
        self.controls.take_over(&mut self.world);
        self.series = Series::new(&self.world);
        self.report = StepReport::default();
        (self.steps, self.failure) = (0, None);
        self.generation += 1;
        self.pace.restart();
        self.shared.history().restart(self.generation, self.series.names().to_vec());
        Ok(())
    }

    fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let length = self.world.settings().time_step;
        let steered = self.controls.advance(length, &mut self.world);
        let pulled = self.hand.as_mut().map_or(Ok(()), |hand| hand.act(&mut self.world));
        let mut watch = Stopwatch::start();
        let stepped = (steered.and(pulled).map_err(|error| error.to_string()))
            .and_then(|()| self.world.step(&mut watch).map_err(|error| error.to_string()));
        match stepped {
            Ok(report) => {
                let times = watch.stop();
                self.steps += 1;
                self.pace.count(report.time, times.total, Instant::now());
                self.series.push(&report, &times);
                self.remember(&report);
                self.report = report;
            }
            Err(why) => {
                self.playing = false;
                self.failure = Some(why);
                self.changed = true;
            }
        }
    }

    /// Hands the row of the last step to the pages.
    fn remember(&mut self, report: &StepReport) {
        let row = self.series.last_row().map(|value| value as f32).collect();
        let events = report.events.iter().map(|event| EventText {
            time: event.time,
            kind: event.kind,
            what: event.what.clone(),
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
            time: self.world.time(),
            steps: self.steps,
            playing: self.playing,
            speed: self.pace.speed,
            real_time_factor: self.pace.real_time_factor(),
            step_ms: self.pace.step_ms(),
            failure: self.failure.clone(),
            controls: self.controls.states(self.world.time()),
            pull: self.hand.as_ref().map(|hand| hand.state(&self.world)),
            ..Update::default()
        };
        self.shared.publish(Snapshot {
            number: self.snapshots,
            time: self.world.time(),
            positions: scenery::positions(&self.world),
            layers: scenery::shown(&self.world, &self.report),
            update,
        });
    }
}

/// How a page learns why its command was refused.
pub type Answer = Box<dyn FnOnce(String) + Send>;
