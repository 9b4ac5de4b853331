//! The complementarity step (physics after 000 sec. 3): free motion, compliance of the constraint rows, block Gauss-Seidel.
//!
//! Per island: A = (1 + h' alpha) M + (h'^2 + h' beta) K, free velocity v_f from A dv = b. With rows H of the contacts,
//! W = h'^2 H A^-1 H^T, the measures (gap, slip) at the end of the step are delta = delta_f + W lambda, and the laws close the
//! system. Then v = v_f + h' A^-1 H^T lambda.
//!
//! Deviations from 000: laws are solved exactly per contact (not normal and tangent in turn); the sweeps stop on the
//! residual of the complementarity conditions, not on a count; the factor is kept while elements have hardly turned
//! (forces stay exact, only the stiffness is a little old); contacts that stay apart get no row.

mod assembly;
mod damping;
mod island;
mod layout;
mod polish;
mod sweep;

use super::{Outcome, SolveError, Touch, block_row, contact_frame};
use crate::integrator::TimeStep;
use crate::mapping::for_each_block;
use crate::model::{Configuration, Islands, Loads, Model};
use crate::report::{Observer, Phase};
use crate::settings::Settings;
use cupule_geometry::DVec3;
use island::Island;
use rayon::prelude::*;
use sweep::{Coupling, Sweeps};

/// Contacts whose gap after free motion is above this share of the alarm distance get no row at first.
const ROW_MARGIN: f64 = 0.2;

/// The solver, with the factorisations it keeps from step to step.
pub struct Ncp {
    islands: Vec<Island>,
}

/// Contact-free motion of one step.
pub struct FreeMotion {
    /// End-of-step velocity of every block without contact.
    pub velocities: Vec<DVec3>,
    /// End-of-step positions without contact.
    pub end: Configuration,
    /// Where everything would be if no unknown changed: where forces and Jacobians are taken.
    pub predicted: Configuration,
    /// How many islands were factored anew.
    pub factorisations: usize,
}

impl Ncp {
    /// Analyses the islands of a model once.
    pub fn new(model: &Model, islands: &Islands, at: &Configuration) -> Result<Self, SolveError> {
        let islands = (0..islands.blocks.len())
            .map(|i| Island::new(model, islands, at, i))
            .collect::<Result<_, _>>()?;
        Ok(Self { islands })
    }

    /// Number of linear systems.
    pub fn island_count(&self) -> usize {
        self.islands.len()
    }

    /// Makes the next step factor every system anew.
    pub fn forget_factors(&mut self) {
        self.islands.iter_mut().for_each(Island::forget_factor);
    }

    /// Factors where needed and moves everything as if nothing touched.
    pub fn free_motion(
        &mut self,
        model: &Model,
        step: &TimeStep,
        loads: &Loads,
        settings: &Settings,
    ) -> Result<FreeMotion, SolveError> {
        let mut velocities = step.base_block_velocities();
        let predicted = step.advance(model, &velocities);
        let base = step.base_velocities(model, &predicted);
        let parts: Vec<Result<_, SolveError>> = self
            .islands
            .par_iter_mut()
            .map(|island| island.free_motion(model, step, loads, &predicted, &base, settings))
            .collect();
        let mut factorisations = 0;
        for part in parts {
            let (changes, factored) = part?;
            factorisations += usize::from(factored);
            changes.into_iter().for_each(|(block, dv)| velocities[block] += dv);
        }
        let end = step.advance(model, &velocities);
        Ok(FreeMotion { velocities, end, predicted, factorisations })
    }

    /// Finds the forces for which the laws hold, and moves everything accordingly.
    ///
    /// Contacts that stay well apart need no row: those within reach are solved, and if another one then closes, it is added
    /// and the solve goes on from there.
    pub fn resolve(
        &mut self,
        model: &Model,
        step: &TimeStep,
        free: &FreeMotion,
        touches: &[Touch],
        settings: &Settings,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let mut forces: Vec<DVec3> = touches.iter().map(initial_force).collect();
        let mut measures = measures_at(step, &free.end, touches, settings.contact_distance);
        let margin = ROW_MARGIN * settings.alarm_distance;
        let rows = contact_rows(model, step, touches);
        // Where both sides are prescribed nothing can be solved for.
        let solvable: Vec<bool> = rows.iter().map(|[normal, ..]| !normal.is_empty()).collect();
        forces.iter_mut().zip(&solvable).filter(|(_, s)| !**s).for_each(|(f, _)| *f = DVec3::ZERO);
        let mut active: Vec<bool> = (0..touches.len())
            .map(|i| solvable[i] && (measures[i].x < margin || forces[i].x > 0.0))
            .collect();
        let free_measures = measures.clone();
        let mut outcome = Outcome { velocities: free.velocities.clone(), ..Outcome::default() };
        loop {
            observer.enter(Phase::Compliance);
            let chosen: Vec<usize> = (0..touches.len()).filter(|i| active[*i]).collect();
            let couplings = self.couplings(step, &rows, &chosen);
            observer.enter(Phase::Solve);
            let mut sweeps = Sweeps::new(touches, chosen, free_measures.clone(), forces, couplings);
            let (iterations, residual) = sweeps.run(touches, &settings.ncp);
            (forces, outcome.solved_measures) = sweeps.finish();
            outcome.iterations += iterations;
            outcome.residual = residual;
            outcome.rows = 3 * active.iter().filter(|a| **a).count();
            outcome.velocities.clone_from(&free.velocities);
            self.apply_forces(step, &rows, &forces, &mut outcome.velocities);
            let end = step.advance(model, &outcome.velocities);
            measures = measures_at(step, &end, touches, settings.contact_distance);
            let closed: Vec<usize> = (0..touches.len())
                .filter(|i| {
                    solvable[*i] && !active[*i] && measures[*i].x < -settings.ncp.gap_tolerance
                })
                .collect();
            if closed.is_empty() {
                outcome.reactions =
                    self.reactions(model, step, touches, &forces, &outcome.velocities, free);
                outcome.end = end;
                break;
            }
            closed.into_iter().for_each(|i| active[i] = true);
        }
        Outcome { forces, measures, ..outcome }
    }

    /// The compliance of the rows of the chosen touches, by island.
    fn couplings(
        &self,
        step: &TimeStep,
        rows: &[[Vec<(usize, DVec3)>; 3]],
        chosen: &[usize],
    ) -> Vec<Coupling> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.islands.len()];
        for &touch in chosen {
            let mut islands: Vec<usize> =
                rows[touch][0].iter().map(|(b, _)| step.islands.of_block[*b]).collect();
            islands.sort_unstable();
            islands.dedup();
            islands.into_iter().for_each(|i| members[i].push(touch));
        }
        self.islands
            .par_iter()
            .zip(members)
            .enumerate()
            .filter(|(_, (_, members))| !members.is_empty())
            .map(|(i, (island, touches))| island.couple(&step.islands.of_block, i, rows, touches))
            .collect()
    }

    /// v += h' A^-1 H^T lambda.
    fn apply_forces(
        &mut self,
        step: &TimeStep,
        rows: &[[Vec<(usize, DVec3)>; 3]],
        forces: &[DVec3],
        velocities: &mut [DVec3],
    ) {
        let mut impulses = vec![DVec3::ZERO; velocities.len()];
        for (rows, force) in rows.iter().zip(forces) {
            for (row, f) in rows.iter().zip(force.to_array()) {
                row.iter().for_each(|(block, c)| {
                    impulses[*block] += *c * f * step.scheme(*block).effective_step
                });
            }
        }
        for island in &mut self.islands {
            island.add_response(&impulses, velocities);
        }
    }

    fn reactions(
        &self,
        model: &Model,
        step: &TimeStep,
        touches: &[Touch],
        forces: &[DVec3],
        velocities: &[DVec3],
        free: &FreeMotion,
    ) -> Vec<(usize, DVec3)> {
        let mut contact = vec![DVec3::ZERO; model.ties.len()];
        for (touch, force) in touches.iter().zip(forces) {
            let force = touch.to_world(*force);
            touch.points.iter().for_each(|&(p, w)| contact[p] += force * w);
        }
        spread_combined(&model.ties, &mut contact);
        let frames = &free.predicted.frames;
        let changes: Vec<DVec3> = (0..model.ties.len())
            .map(|point| {
                let mut change = DVec3::ZERO;
                for_each_block(&model.ties, frames, point, &mut |block, j| {
                    change += j * (velocities[block] - step.base_block_velocity(block));
                });
                change
            })
            .collect();
        self.islands.iter().flat_map(|island| island.reactions(model, &changes, &contact)).collect()
    }
}

/// Forces on combined (embedded) points act on the points that carry them.
fn spread_combined(ties: &[crate::mapping::Tie], forces: &mut [DVec3]) {
    for (i, tie) in ties.iter().enumerate() {
        if let crate::mapping::Tie::Combined(parts) = tie {
            let force = forces[i];
            parts.iter().for_each(|&(p, w)| forces[p] += force * w);
        }
    }
}

/// Rows of every touch over blocks: normal and two tangents.
fn contact_rows(
    model: &Model,
    step: &TimeStep,
    touches: &[Touch],
) -> Vec<[Vec<(usize, DVec3)>; 3]> {
    let frames = &step.now.at.frames;
    let rows = |t: &Touch| {
        contact_frame(t.contact.normal).map(|d| block_row(&model.ties, frames, &t.points, d))
    };
    touches.iter().map(rows).collect()
}

/// The last step's force, in the present contact frame; never pulling.
fn initial_force(touch: &Touch) -> DVec3 {
    let force = touch.to_local(touch.warm_start);
    if force.x > 0.0 { force } else { DVec3::ZERO }
}

/// Gap (less the contact distance) and slip of every touch if the step ends at `end`.
fn measures_at(
    step: &TimeStep,
    end: &Configuration,
    touches: &[Touch],
    contact_distance: f64,
) -> Vec<DVec3> {
    touches
        .iter()
        .map(|touch| {
            let sum = |x: &[DVec3]| touch.points.iter().map(|&(p, w)| x[p] * w).sum::<DVec3>();
            let (start, end) = (sum(&step.now.at.points), sum(&end.points));
            let gap = touch.contact.normal.dot(end) - contact_distance;
            let slip = touch.to_local(end - start + touch.unwanted_slip);
            DVec3::new(gap, slip.y, slip.z)
        })
        .collect()
}
