//! A session that is recorded to its end, and held to the laws and to what its scene expects.

use std::path::Path;

use cupule::report::StepReport;
use cupule_scene::SceneError;
use cupule_scene::expect::Outcome;
use cupule_session::{Crew, Session, expectation};
use thiserror::Error;

use crate::recorder::{RecordError, Recorder};
use crate::summary::{Expectation, Failure, Summary};

/// Why there is no summary.
#[derive(Debug, Error)]
pub enum RunError {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The results cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Steps a session until its scene is over, a step fails, or it is interrupted, and tests what the scene expects. `each_step` is called
/// after every step.
pub fn record(
    session: &mut Session,
    folder: Option<&Path>,
    each_step: &mut (dyn FnMut(&StepReport) + Send),
) -> Result<Summary, RunError> {
    let crew = Crew::of(session.world());
    let mut recorder = Recorder::start(session, crew.size(), folder)?;
    expectation::check_names(session.loaded(), recorder.series().names())?;
    let failure = crew.run(|| run_to_the_end(session, &mut recorder, each_step))?;
    let interrupted = session.interrupt().is_requested();
    let mut summary = recorder.summary(session, failure, interrupted);
    let outcomes = expectation::outcomes(session.loaded(), recorder.series(), &summary);
    summary.expect = outcomes.into_iter().map(recorded).collect();
    summary.expect.extend(laws_hold(&summary));
    summary.ok = summary.ok && summary.expect.iter().all(|expectation| expectation.ok);
    recorder.finish(session, &summary)?;
    Ok(summary)
}

/// Steps until the scene is over, fails or is interrupted; returns the failure.
fn run_to_the_end(
    session: &mut Session,
    recorder: &mut Recorder,
    each_step: &mut (dyn FnMut(&StepReport) + Send),
) -> Result<Option<Failure>, RecordError> {
    while !session.interrupt().is_requested() && !session.is_over() {
        match recorder.step(session)? {
            Ok(()) => each_step(session.report()),
            Err(error) => {
                return Ok(Some(Failure { time: session.time(), message: error.to_string() }));
            }
        }
    }
    Ok(None)
}

/// The summary's form of an outcome.
fn recorded(Outcome { name, ok, value, bound, found, why }: Outcome) -> Expectation {
    Expectation { name, ok, value, bound, found, why }
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
