//! Constraint rows over the blocks, and the measures they start from.

use super::FreeMotion;
use super::sweep::Sweeps;
use crate::model::Configuration;
use crate::report::worse;
use crate::settings::NcpSettings;
use crate::solver::{Outcome, Problem, Touch, block_row, contact_frame};
use cupule_geometry::DVec3;
use std::collections::BTreeSet;

/// Contacts whose gap is expected to stay above this share of the alarm distance get no row at first.
const ROW_MARGIN: f64 = 0.02;

/// Relative error of a volume above which its row is corrected.
const VOLUME_TOLERANCE: f64 = 1e-5;

/// A contact whose unknowns have less than this weight in its gap cannot be solved for.
const SOLVABLE: f64 = 1e-3;

/// Slope of a measure over the blocks, ascending.
pub(super) type BlockRow = Vec<(usize, DVec3)>;

/// The rows of a problem.
pub(super) struct Rows {
    /// Normal and two tangents of every touch.
    pub(super) touches: Vec<[BlockRow; 3]>,
    /// Volume of every chamber.
    pub(super) chambers: Vec<BlockRow>,
    solvable: Vec<bool>,
}

impl Rows {
    pub(super) fn new(problem: &Problem, touches: &[&Touch]) -> Self {
        let (ties, frames) = (&problem.model.ties, &problem.step.now.at.frames);
        let of_touch = |t: &&Touch| {
            contact_frame(t.normal)
                .map(|d| block_row(ties, frames, t.points.iter().map(|(p, w)| (*p, d * *w))))
        };
        let touches: Vec<[BlockRow; 3]> = touches.iter().map(of_touch).collect();
        let spins: BTreeSet<usize> = frames.iter().map(|f| f.block + 1).collect();
        // A patch spreads its weight over many blocks.
        let weight = |row: &BlockRow| -> f64 {
            row.iter().filter(|(block, _)| !spins.contains(block)).map(|(_, c)| c.length()).sum()
        };
        Self {
            solvable: touches.iter().map(|[normal, ..]| weight(normal) > SOLVABLE).collect(),
            touches,
            chambers: (problem.chambers.iter())
                .map(|c| block_row(ties, frames, c.gradient.iter().copied()))
                .collect(),
        }
    }

    /// Where both sides are prescribed nothing can be solved for, nor where what is free has next to no weight: nodes far
    /// from the contact on a face whose other nodes are held, or two points that one rigid body carries.
    pub(super) fn is_solvable(&self, touch: usize) -> bool {
        self.solvable[touch]
    }
}

/// Where a solve begins.
pub(super) struct Start {
    pub(super) forces: Vec<DVec3>,
    pub(super) pressures: Vec<f64>,
    /// Measures if no contact pushed and no gauge pressure acted.
    pub(super) measures: Vec<DVec3>,
    /// Volumes likewise.
    pub(super) volumes: Vec<f64>,
}

impl Start {
    pub(super) fn new(
        problem: &Problem,
        touches: &[&Touch],
        free: &FreeMotion,
        rows: &Rows,
    ) -> Self {
        let start = |(i, touch): (usize, &&Touch)| {
            if rows.is_solvable(i) { initial_force(touch) } else { DVec3::ZERO }
        };
        let forces: Vec<DVec3> = touches.iter().enumerate().map(start).collect();
        Self {
            forces,
            pressures: problem.chambers.iter().map(|c| c.warm_start).collect(),
            measures: measures_at(touches, &problem.step.now.at, &free.end),
            volumes: linear_volumes(problem, &free.end),
        }
    }

    /// Which touches take part: those that acted in the last step, and those whose law would act if all forces and pressures
    /// stayed what they were then, where `expected` are the gaps.
    pub(super) fn active(
        &self,
        problem: &Problem,
        touches: &[&Touch],
        rows: &Rows,
        expected: &[DVec3],
    ) -> Vec<bool> {
        let margin = ROW_MARGIN * problem.settings.alarm_distance;
        let close = |i: usize| {
            let law = &touches[i].law;
            expected[i].x < law.reach() + margin || law.acts(self.forces[i])
        };
        (0..self.forces.len()).map(|i| rows.is_solvable(i) && close(i)).collect()
    }
}

/// What the rows did not know: true less linear measures (m) and volumes (m3).
pub(super) struct Missed {
    pub(super) measures: Vec<DVec3>,
    pub(super) volumes: Vec<f64>,
}

impl Missed {
    pub(super) fn new(sweeps: &Sweeps, outcome: &Outcome) -> Self {
        let mut measures = vec![DVec3::ZERO; outcome.measures.len()];
        for &i in &sweeps.chosen {
            measures[i] = outcome.measures[i] - outcome.solved_measures[i];
        }
        let volumes = outcome.volumes.iter().zip(sweeps.air.volumes());
        Self { measures, volumes: volumes.map(|(truth, linear)| truth - linear).collect() }
    }

    /// The largest share of a volume (m3) that is missed.
    pub(super) fn share(&self, volumes: &[f64]) -> f64 {
        let shares = self.volumes.iter().zip(volumes).map(|(missed, volume)| missed / volume);
        shares.map(f64::abs).fold(0.0, worse)
    }

    pub(super) fn is_small(&self, settings: &NcpSettings, volumes: &[f64]) -> bool {
        self.measures.iter().all(|m| m.length() <= settings.gap_tolerance)
            && (self.volumes.iter().zip(volumes))
                .all(|(m, v)| m.abs() <= VOLUME_TOLERANCE * v.abs())
    }
}

/// The last step's force, in the present contact frame; zero where the law exerts none like it.
fn initial_force(touch: &Touch) -> DVec3 {
    let force = touch.to_local(touch.warm_start);
    if touch.law.acts(force) { force } else { DVec3::ZERO }
}

/// Gap (less the distance that the touch asks for) and slip of every touch if the step goes from `start` to `end`.
pub(super) fn measures_at(
    touches: &[&Touch],
    start: &Configuration,
    end: &Configuration,
) -> Vec<DVec3> {
    let measure = |touch: &&Touch| {
        let sum = |x: &[DVec3]| touch.points.iter().map(|&(p, w)| x[p] * w).sum::<DVec3>();
        let (start, end) = (sum(&start.points), sum(&end.points));
        let gap = touch.normal.dot(end) - touch.distance;
        let slip = touch.to_local(end - start + touch.slip_before);
        DVec3::new(gap, slip.y, slip.z)
    };
    touches.iter().map(measure).collect()
}

/// Volume of every chamber if the step ends at `end`, m3.
pub(super) fn volumes_at(problem: &Problem, end: &Configuration) -> Vec<f64> {
    let chambers = problem.chambers.iter();
    chambers.map(|c| c.walls.as_ref().map_or(c.volume, |w| w.volume(&end.points))).collect()
}

/// The same by the slopes at the start of the step.
fn linear_volumes(problem: &Problem, end: &Configuration) -> Vec<f64> {
    let now = &problem.step.now.at.points;
    let linear = |c: &crate::solver::Chamber| {
        c.volume + c.gradient.iter().map(|(p, g)| g.dot(end.points[*p] - now[*p])).sum::<f64>()
    };
    problem.chambers.iter().map(linear).collect()
}
