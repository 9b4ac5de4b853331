//! Steps a session and records what every step tells.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cupule::report::{Energy, Residual, StepReport, worse};
use cupule::world::{BodyId, SealReport, StepError, World};
use cupule_session::Session;
use thiserror::Error;

use crate::balance::ForceBalance;
use crate::event::Event;
use crate::folder::RunFolder;
use crate::run::RunError;
use crate::scenery::kind_word;
use crate::series::Series;
use crate::stopwatch::{PhaseTimes, Stopwatch};
use crate::summary::{
    Barrier, BodySummary, Bottleneck, EnergySummary, Failure, Looks, MeanMax, Moles, Seal, Summary,
};

/// Why a run cannot be recorded.
#[derive(Debug, Error)]
#[error("{}: cannot be written: {source}; choose another folder with --out", file.display())]
pub struct RecordError {
    /// The file or folder.
    pub file: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Steps a session, times it, and keeps what the steps report; writes the run folder if there is one.
pub struct Recorder {
    threads: usize,
    series: Series,
    tally: Tally,
    balance: ForceBalance,
    began: Instant,
    folder: Option<RunFolder>,
}

/// Sums over the steps.
#[derive(Debug, Default)]
struct Tally {
    steps: usize,
    phases: PhaseTimes,
    contacts: Count,
    rows: Count,
    iterations: Count,
    residual: Residual,
    elastic_gain: Option<f64>,
    max_penetration: f64,
    intersecting_pairs: Option<usize>,
    energy: Energy,
    moles: cupule::cavity::Moles,
    detections: cupule::cavity::DetectionCounts,
    redetection_jump: f64,
    gas_error: f64,
    events: Vec<Event>,
}

#[derive(Debug, Default)]
struct Count {
    sum: usize,
    max: usize,
}

impl Count {
    fn add(&mut self, count: usize) {
        self.sum += count;
        self.max = self.max.max(count);
    }

    fn over(&self, steps: usize) -> MeanMax {
        MeanMax { mean: self.sum as f64 / steps.max(1) as f64, max: self.max }
    }
}

impl Tally {
    fn add(&mut self, report: &StepReport, world: &World, times: &PhaseTimes) {
        self.steps += 1;
        self.phases.add(times);
        self.contacts.add(report.contacts.len());
        self.rows.add(report.rows);
        self.iterations.add(report.iterations);
        self.residual = self.residual.worst(report.residual);
        if let Some(gain) = report.elastic_gain {
            self.elastic_gain = Some(worse(self.elastic_gain.unwrap_or(0.0), gain));
        }
        self.max_penetration = worse(self.max_penetration, report.max_penetration);
        self.intersecting_pairs = self.intersecting_pairs.max(report.intersecting_pairs);
        self.energy = report.energy;
        self.moles = report.moles;
        self.detections = report.detections;
        self.redetection_jump = worse(self.redetection_jump, report.redetection_jump);
        let gas_errors = report.cavities.iter().map(|cavity| cavity.gas_error);
        self.gas_error = gas_errors.fold(self.gas_error, worse);
        self.events.extend(report.events.iter().map(|event| Event::of(event, world)));
    }
}

impl Recorder {
    /// Starts a record, in a folder or only in memory; `threads` is how many the run has.
    pub fn start(
        session: &Session,
        threads: usize,
        folder: Option<&Path>,
    ) -> Result<Self, RunError> {
        let (world, series) = (session.world(), Series::new(session.sensors()));
        let text = session.loaded().to_toml()?;
        let folder =
            folder.map(|path| RunFolder::create(path, world, &series, &text)).transpose()?;
        let (tally, balance) = (Tally::default(), ForceBalance::new(world));
        Ok(Self { threads, series, tally, balance, began: Instant::now(), folder })
    }

    /// The series so far.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Advances the session by one step and records it. The inner error is the world's: the record stays as it is.
    pub fn step(&mut self, session: &mut Session) -> Result<Result<(), StepError>, RecordError> {
        let mut watch = Stopwatch::start();
        if let Err(error) = session.step(&mut watch) {
            return Ok(Err(error));
        }
        let times = watch.stop();
        let (world, report) = (session.world(), session.report());
        self.tally.add(report, world, &times);
        self.balance.add(report, world.settings().gravity);
        let new_columns = self.series.push(session.sensors(), session.reading(), &times);
        if let Some(folder) = &mut self.folder {
            folder.add(world, report, &self.series, new_columns)?;
        }
        Ok(Ok(()))
    }

    /// Mean milliseconds per step so far.
    pub fn phases_ms(&self) -> PhaseTimes {
        self.tally.phases.scaled(1.0 / self.tally.steps.max(1) as f64)
    }

    /// The summary of what was recorded, without expectations.
    pub fn summary(
        &self,
        session: &Session,
        failure: Option<Failure>,
        interrupted: bool,
    ) -> Summary {
        let (tally, world, scene) = (&self.tally, session.world(), &session.loaded().scene);
        let (sim_time, wall_time) = (world.time(), self.began.elapsed().as_secs_f64());
        let energy = tally.energy;
        Summary {
            scene: scene.name.clone(),
            title: scene.title.clone(),
            solver: scene.solver.kind.name().to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            dt: world.settings().time_step,
            steps: tally.steps,
            sim_time,
            wall_time,
            real_time_factor: sim_time / wall_time.max(1e-9),
            threads: self.threads,
            phases_ms: self.phases_ms(),
            contacts: tally.contacts.over(tally.steps),
            rows: tally.rows.over(tally.steps),
            iterations: tally.iterations.over(tally.steps),
            residual: tally.residual.into(),
            largest_elastic_gain: tally.elastic_gain,
            max_penetration_m: tally.max_penetration,
            intersecting_pairs: tally.intersecting_pairs,
            barrier: Barrier::of(world.settings()),
            atmosphere_pa: world.settings().air.as_ref().map(|air| air.atmosphere),
            moles: Moles::from(&tally.moles),
            seals: seals(world),
            looks: Looks { taken: tally.detections.taken, refused: tally.detections.refused },
            largest_relook_jump: tally.redetection_jump,
            largest_gas_error: tally.gas_error,
            unexplained_force: self.balance.worst(),
            energy: EnergySummary {
                kinetic: energy.kinetic,
                elastic: energy.elastic,
                gravity: energy.gravity,
                gas: energy.gas,
                interfaces: energy.interfaces,
                dissipated: energy.dissipated,
            },
            events: tally.events.clone(),
            bodies: bodies(world),
            expect: Vec::new(),
            ok: failure.is_none() && !interrupted,
            interrupted,
            failure,
            state_hash: format!("{:016x}", world.state_hash()),
        }
    }

    /// Writes the summary and the report page, and closes the folder.
    pub fn finish(self, session: &Session, summary: &Summary) -> Result<(), RecordError> {
        self.folder.map_or(Ok(()), |folder| folder.finish(session.world(), summary))
    }
}

fn bodies(world: &World) -> BTreeMap<String, BodySummary> {
    (0..world.body_count())
        .map(BodyId)
        .map(|id| {
            let kind = kind_word(world.body_kind(id));
            let (nodes, triangles) = (world.nodes(id).len(), world.surface_triangles(id).len());
            let body = BodySummary { kind, mass_kg: world.body_mass(id), nodes, triangles };
            (world.body_name(id).to_string(), body)
        })
        .collect()
}

fn seals(world: &World) -> Vec<Seal> {
    let name = |body: BodyId| world.body_name(body).to_string();
    let seal = |report: SealReport| Seal {
        bodies: report.bodies.map(name),
        sealed: report.sealed,
        bottleneck: report.breach.map(|breach| Bottleneck {
            time: report.time,
            gap_m: breach.gap,
            at_m: breach.at.to_array(),
            on: name(BodyId(breach.body)),
        }),
    };
    world.seals().into_iter().map(seal).collect()
}
