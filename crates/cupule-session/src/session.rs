//! A scene that runs.

use cupule::World;
use cupule::cavity::SurfacePoint;
use cupule::report::{Observer, StepReport};
use cupule::world::{StepError, WorldError};
use cupule_geometry::DVec3;
use cupule_scene::{Assembled, LoadedScene, Problem, SceneError, assemble, load};

use crate::actuator::{Actuator, Role, actuators};
use crate::sensor::{Reading, Sensors};
use crate::{Interrupt, SessionError};

/// A scene that runs: its world, what commands it, what it reports.
pub struct Session {
    loaded: LoadedScene,
    world: World,
    warnings: Vec<Problem>,
    actuators: Vec<Actuator>,
    /// For every actuator what is commanded; none leaves it to the scene.
    commands: Vec<Option<Vec<f64>>>,
    sensors: Sensors,
    report: StepReport,
    steps: u64,
    interrupt: Interrupt,
}

/// All on which the rest of a run depends. A session that is restored goes on with the same bits.
#[derive(Clone)]
pub struct Snapshot {
    scene: String,
    world: World,
    commands: Vec<Option<Vec<f64>>>,
    report: StepReport,
    steps: u64,
}

impl Session {
    /// Of a shipped scene by its name or of a file, with `key=value` overrides.
    pub fn load(scene: &str, set: &[String]) -> Result<Self, SceneError> {
        Self::new(load(scene, set)?)
    }

    /// Of a scene that has been read; builds its world.
    pub fn new(loaded: LoadedScene) -> Result<Self, SceneError> {
        let Assembled { world, warnings } = assemble(&loaded)?;
        let actuators = actuators(&loaded.scene, &world);
        Ok(Self {
            commands: vec![None; actuators.len()],
            sensors: Sensors::of(&world),
            report: world.start_report(),
            steps: 0,
            interrupt: Interrupt::default(),
            loaded,
            world,
            warnings,
            actuators,
        })
    }

    /// The scene.
    pub fn loaded(&self) -> &LoadedScene {
        &self.loaded
    }

    /// The world, to be read.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What was noticed while the scene was read and built, such as sizes that look like wrong units.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.loaded.warnings.iter().chain(&self.warnings)
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the scene's duration is over.
    pub fn is_over(&self) -> bool {
        // Half a step of slack: the time is a sum of steps.
        self.time() >= self.loaded.scene.duration - 0.5 * self.loaded.scene.solver.time_step
    }

    /// The request to stop this session; whoever steps it in a loop asks it.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Advances by one time step.
    ///
    /// # Errors
    /// Where the step fails; the session then stays where it was.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<&StepReport, StepError> {
        self.report = self.world.step(observer)?;
        self.steps += 1;
        Ok(&self.report)
    }

    /// The report of the last step; before the first that of the start.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// All that can be read.
    pub fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// What sensors read now.
    pub fn reading(&self) -> Reading<'_> {
        Reading { world: &self.world, report: &self.report }
    }

    /// The present values of a sensor, or of `cavity.<number>.<value>`.
    pub fn read(&self, sensor: &str) -> Result<Vec<f64>, SessionError> {
        self.sensors.read(sensor, self.reading())
    }

    /// All that can be commanded.
    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }

    /// The place of an actuator in the list.
    pub fn actuator(&self, name: &str) -> Result<usize, SessionError> {
        let known = self.actuators.iter().map(|actuator| actuator.name.as_str());
        let place = known.clone().position(|known| known == name);
        place.ok_or_else(|| SessionError::no_such("actuator", name, known))
    }

    /// Commands an actuator from the next step on.
    pub fn command(&mut self, actuator: &str, values: &[f64]) -> Result<(), SessionError> {
        self.command_at(self.actuator(actuator)?, Some(values))
    }

    /// Leaves an actuator to the scene again, from the next step on.
    pub fn release(&mut self, actuator: &str) -> Result<(), SessionError> {
        self.command_at(self.actuator(actuator)?, None)
    }

    /// Commands the actuator at a place of the list, or leaves it to the scene.
    pub fn command_at(&mut self, place: usize, values: Option<&[f64]>) -> Result<(), SessionError> {
        let Some(actuator) = self.actuators.get(place) else {
            return Err(SessionError::no_such("actuator", &place.to_string(), []));
        };
        if let Some(values) = values {
            actuator.check(values)?;
        }
        let told = actuator.drive.apply(values, &mut self.world);
        told.map_err(|error| SessionError::refused(&actuator.name, error))?;
        self.commands[place] = values.map(<[f64]>::to_vec);
        Ok(())
    }

    /// What is commanded of the actuator at a place of the list; none where the scene says.
    pub fn commanded(&self, place: usize) -> Option<&[f64]> {
        self.commands.get(place)?.as_deref()
    }

    /// Forces (N) by hand on points of surfaces from the next step on, in place of those of the last call.
    pub fn pull(&mut self, pulls: Vec<(SurfacePoint, DVec3)>) -> Result<(), WorldError> {
        self.world.controls().set_pulls(pulls)
    }

    /// Starts again: actuators do what the scene says, parameters stay as they were commanded.
    ///
    /// # Errors
    /// Where the scene cannot be built any more, because a file that it names has changed.
    pub fn reset(&mut self) -> Result<(), SceneError> {
        self.world = assemble(&self.loaded)?.world;
        self.report = self.world.start_report();
        self.steps = 0;
        for place in 0..self.actuators.len() {
            let parameter = self.actuators[place].role == Role::Parameter;
            let kept = self.commands[place].take().filter(|_| parameter);
            // The world before took the same value.
            let _ = kept.map(|values| self.command_at(place, Some(&values)));
        }
        Ok(())
    }

    /// All on which the rest of the run depends, in memory.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            scene: self.loaded.scene.name.clone(),
            world: self.world.clone(),
            commands: self.commands.clone(),
            report: self.report.clone(),
            steps: self.steps,
        }
    }

    /// Goes back (or forward) to a snapshot of this scene.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SessionError> {
        if snapshot.scene != self.loaded.scene.name {
            let (ours, theirs) = (self.loaded.scene.name.clone(), snapshot.scene.clone());
            return Err(SessionError::OtherScene { ours, theirs });
        }
        self.world.clone_from(&snapshot.world);
        self.commands.clone_from(&snapshot.commands);
        self.report.clone_from(&snapshot.report);
        self.steps = snapshot.steps;
        Ok(())
    }
}
