//! One run from a scene to its summary: shared by `run`, `check` and `bench`.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cupule::World;
use cupule_record::{About, Expectation, Failure, RecordError, Recorder, Summary};
use cupule_scene::expect::{Figures, Outcome, evaluate, unknown_names};
use cupule_scene::model::Scene;
use cupule_scene::{LoadedScene, Problem, SceneError, assemble};

use crate::crew::Crew;
use crate::progress::Progress;

/// Set by ctrl-c; the run then ends after its current step.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Why there is no summary.
pub enum SessionError {
    /// The scene is wrong.
    Scene(SceneError),
    /// The results cannot be written.
    Record(RecordError),
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::Record(error) => error.fmt(f),
        }
    }
}

impl From<SceneError> for SessionError {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}

impl From<RecordError> for SessionError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

/// Runs a scene to its end, to a failure or to ctrl-c, and tests its expectations.
pub fn simulate(
    loaded: &LoadedScene,
    folder: Option<&Path>,
    progress: &mut Progress,
) -> Result<Summary, SessionError> {
    let mut assembled = assemble(loaded)?;
    for warning in loaded.warnings.iter().chain(&assembled.warnings) {
        progress.warn(&warning.describe(&loaded.file));
    }
    let world = &mut assembled.world;
    let scene = &loaded.scene;
    let crew = Crew::of(world);
    let mut recorder = Recorder::start(world, about(loaded, crew.size())?, folder)?;
    let scene_figures = serde_json::to_value(scene).unwrap_or_default();
    check_names(loaded, recorder.series().names(), &scene_figures)?;
    let failure = crew.run(|| run_to_the_end(scene, world, &mut recorder, progress))?;
    progress.finish();
    let mut summary = recorder.summary(world, failure, stopped());
    summary.expect = expectations(loaded, &recorder, &summary, &scene_figures);
    summary.expect.extend(laws_hold(&summary));
    summary.ok = summary.ok && summary.expect.iter().all(|expectation| expectation.ok);
    recorder.finish(world, &summary)?;
    Ok(summary)
}

/// Steps until the scene is over, fails or is stopped; returns the failure.
fn run_to_the_end(
    scene: &Scene,
    world: &mut World,
    recorder: &mut Recorder,
    progress: &mut Progress,
) -> Result<Option<Failure>, RecordError> {
    // Half a step of slack: the time is a sum of steps.
    let end = scene.duration - 0.5 * scene.solver.time_step;
    while !stopped() && world.time() < end {
        match recorder.step(world)? {
            Ok(report) => progress.step(report.time, &report),
            Err(error) => {
                return Ok(Some(Failure { time: world.time(), message: error.to_string() }));
            }
        }
    }
    Ok(None)
}

/// Violation of a contact's gap or stick condition that no run may exceed, m.
const LARGEST_GAP_ERROR: f64 = 1e-6;
/// Violation of a contact's force condition that no run may exceed, over the largest force of its step.
const LARGEST_FORCE_ERROR: f64 = 1e-3;

/// Deviation from the gas law with the final volume that no run may exceed.
const LARGEST_GAS_ERROR: f64 = 1e-3;
/// Air that may be lost or made, of all that was enclosed: rounding.
const LARGEST_BALANCE_ERROR: f64 = 1e-9;
/// Force on a body on its own that weight, contact and gas may leave unexplained, over the largest force: rounding under `ncp`, which
/// moves bodies by the very forces it reports; under `ipc` what its tolerance leaves at single nodes, added up over a body.
const LARGEST_UNEXPLAINED_FORCE: [(&str, f64); 2] = [("ncp", 1e-6), ("ipc", 1e-2)];

/// What every scene expects without saying so: that the solver solved its equations at every step, that bodies move as forces
/// say, and that no air is made or lost.
fn laws_hold(summary: &Summary) -> Vec<Expectation> {
    let expectation = |name: &str, value: f64, most: f64| Expectation {
        name: name.to_string(),
        ok: value <= most,
        value: Some(value),
        bound: format!("<= {most:.0e}"),
        found: None,
        why: None,
    };
    let residual = &summary.residual;
    let mut all = vec![
        expectation("gap and stick hold at every step (m)", residual.gap_m, LARGEST_GAP_ERROR),
        expectation("forces hold (of the largest)", residual.force_share, LARGEST_FORCE_ERROR),
    ];
    all.extend(summary.unexplained_force.map(|share| {
        let name = "bodies on their own move by weight, contact and gas (share unexplained)";
        let most = LARGEST_UNEXPLAINED_FORCE.iter().find(|(solver, _)| *solver == summary.solver);
        expectation(name, share, most.map_or(0.0, |(_, most)| *most))
    }));
    if summary.moles.created > 0.0 {
        let (error, books) = (summary.largest_gas_error, summary.moles.balance_error);
        all.push(expectation("P V = n R T at every step", error, LARGEST_GAS_ERROR));
        all.push(expectation("the books of the air balance", books, LARGEST_BALANCE_ERROR));
    }
    all.extend(summary.intersecting_pairs.map(|count| {
        expectation("pairs of triangles that intersect at any step", count as f64, 0.0)
    }));
    all
}

fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

fn about(loaded: &LoadedScene, threads: usize) -> Result<About, SceneError> {
    Ok(About {
        scene: loaded.scene.name.clone(),
        title: loaded.scene.title.clone(),
        solver: loaded.scene.solver.kind.name().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        threads,
        scene_toml: loaded.to_toml()?,
    })
}

/// An expectation about a figure that the run will not have is a mistake of the scene, told before the run.
fn check_names(
    loaded: &LoadedScene,
    columns: &[String],
    scene: &serde_json::Value,
) -> Result<(), SceneError> {
    let mut problems = Vec::new();
    for (index, expect) in loaded.scene.expect.iter().enumerate() {
        for message in unknown_names(expect, columns, scene) {
            let key = format!("expect.{index}.value");
            problems.push(Problem::new(loaded.origin_of(&key), key, message));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(SceneError { file: loaded.file.clone(), problems })
    }
}

fn expectations(
    loaded: &LoadedScene,
    recorder: &Recorder,
    summary: &Summary,
    scene: &serde_json::Value,
) -> Vec<Expectation> {
    let series = recorder.series();
    let summary = serde_json::to_value(summary).unwrap_or_default();
    let column = |name: &str| series.column(name);
    let figures = Figures { times: series.times(), column: &column, summary: &summary, scene };
    let outcomes = loaded.scene.expect.iter().map(|expect| evaluate(expect, &figures));
    outcomes.map(recorded).collect()
}

/// Scene and record do not know each other.
fn recorded(Outcome { name, ok, value, bound, found, why }: Outcome) -> Expectation {
    Expectation { name, ok, value, bound, found, why }
}
