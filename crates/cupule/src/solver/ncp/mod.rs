//! The complementarity step (physics after 000 sec. 3): free motion, compliance of the constraint rows, block Gauss-Seidel.
//!
//! Per island: A = (1 + h' alpha) M + (h'^2 + h' beta) K, free velocity v_f from A dv = b. With rows H of the contacts,
//! W = h'^2 H A^-1 H^T, the measures (gap, slip) at the end of the step are delta = delta_f + W lambda, and the laws close the
//! system. Then v = v_f + h' A^-1 H^T lambda.
//!
//! Deviations from 000: laws are solved exactly per contact (not normal and tangent in turn); the sweeps stop on the
//! residual of the complementarity conditions, not on a count; the factor is kept while elements have hardly turned
//! (forces stay exact, only the stiffness is a little old); contacts that stay apart get no row.

mod air;
mod assembly;
mod coupling;
mod damping;
mod island;
mod layout;
mod newton;
mod patches;
mod rows;
mod sticking;
mod sweep;
mod unknowns;

use super::{Chamber, Outcome, Problem, SolveError, TooLarge, Touch};
use crate::integrator::{TimeStep, place_combined};
use crate::mapping::Tie;
use crate::model::{Configuration, Islands, Model};
use crate::report::{Phase, Residual, Watch, worse};
use air::{Air, WallCompliance};
use coupling::Coupling;
use cupule_geometry::DVec3;
use island::Island;
pub use patches::Patches;
use rayon::prelude::*;
use rows::{BlockRow, Missed, Rows, Start};
use sweep::Sweeps;

/// How often the rows are corrected for what they do not know: turning bodies, bending volumes.
const CORRECTIONS: usize = 8;

/// The solver, with the factorisations it keeps from step to step.
#[derive(Clone)]
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
    /// How many soft limbs of islands were factored anew.
    pub factorisations: usize,
    /// Whether any stiffness is that of an earlier free motion.
    pub keeps_stiffness: bool,
}

impl Ncp {
    /// Analyses the islands of a model once.
    pub fn new(model: &Model, islands: &Islands, at: &Configuration) -> Result<Self, TooLarge> {
        let islands = (0..islands.blocks.len())
            .map(|i| Island::new(model, islands, at, i))
            .collect::<Result<_, _>>()?;
        Ok(Self { islands })
    }

    /// Makes the next step factor every system anew.
    pub fn forget_factors(&mut self) {
        self.islands.iter_mut().for_each(Island::forget_factor);
    }

    /// Factors where needed and moves everything as if nothing touched.
    pub fn free_motion(&mut self, problem: &Problem) -> Result<FreeMotion, SolveError> {
        let Problem { model, step, loads, settings, .. } = *problem;
        let mut velocities = step.base_block_velocities();
        let predicted = step.advance(model, &velocities);
        let base = step.base_velocities(model, &predicted);
        let parts: Vec<Result<_, SolveError>> = self
            .islands
            .par_iter_mut()
            .map(|island| island.free_motion(model, step, loads, &predicted, &base, settings))
            .collect();
        let (mut factorisations, mut keeps_stiffness) = (0, false);
        for part in parts {
            let (changes, renewal) = part?;
            factorisations += renewal.limbs;
            keeps_stiffness |= renewal.keeps;
            changes.into_iter().for_each(|(block, dv)| velocities[block] += dv);
        }
        let end = step.advance(model, &velocities);
        Ok(FreeMotion { velocities, end, predicted, factorisations, keeps_stiffness })
    }

    /// Finds the forces and pressures for which the laws hold, and moves everything accordingly.
    ///
    /// Contacts that stay well apart need no row: those within reach are solved, and if another one then closes, it is added
    /// and the solve goes on from there.
    pub fn resolve(
        &mut self,
        problem: &Problem,
        touches: &[&Touch],
        free: &FreeMotion,
        watch: &mut dyn Watch,
    ) -> Outcome {
        watch.enter(Phase::Compliance);
        let settings = problem.settings;
        let rows = Rows::new(problem, touches);
        let mut start = Start::new(problem, touches, free, &rows);
        let (expected, compliance) = rayon::join(
            || self.expected(problem, touches, free, &rows, &start),
            || self.wall_compliance(problem, &rows),
        );
        let mut active = start.active(problem, touches, &rows, &expected);
        let mut iterations = 0;
        loop {
            watch.enter(Phase::Compliance);
            let chosen: Vec<usize> = (0..touches.len()).filter(|i| active[*i]).collect();
            let couplings = self.couplings(problem.step, &rows.touches, &chosen);
            watch.enter(Phase::Solve);
            let pressures = std::mem::take(&mut start.pressures);
            let volumes = start.volumes.clone();
            let condenses = settings.ncp.condense_pressure;
            let air = Air::new(problem.chambers, volumes, compliance.clone(), pressures, condenses);
            let forces = std::mem::take(&mut start.forces);
            let measures = start.measures.clone();
            let sweeps = Sweeps::new(touches, chosen, measures, forces, couplings, air);
            let mut outcome = self.solve(problem, touches, free, &rows, sweeps);
            iterations += outcome.iterations;
            let acts = |i: usize| {
                outcome.measures[i].x < touches[i].law.reach() - settings.ncp.gap_tolerance
            };
            let missing: Vec<usize> = (0..touches.len())
                .filter(|i| rows.is_solvable(*i) && !active[*i] && acts(*i))
                .collect();
            if missing.is_empty() {
                outcome.rows += problem.chambers.len();
                outcome.iterations = iterations;
                outcome.reactions = self.reactions(problem, touches, &outcome, free);
                return outcome;
            }
            missing.into_iter().for_each(|i| active[i] = true);
            (start.forces, start.pressures) = (outcome.forces, outcome.pressures);
        }
    }

    /// Measures at the end of the step if forces and pressures stayed those of the last one. Free motion alone would tell little: a
    /// hanging object falls away from its cup in it.
    fn expected(
        &self,
        problem: &Problem,
        touches: &[&Touch],
        free: &FreeMotion,
        rows: &Rows,
        start: &Start,
    ) -> Vec<DVec3> {
        let mut velocities = free.velocities.clone();
        let gauge = gauge_pressures(problem.chambers, &start.pressures);
        self.apply(problem.step, rows, &start.forces, &gauge, &mut velocities);
        let end = problem.step.advance(problem.model, &velocities);
        rows::measures_at(touches, &problem.step.now.at, &end)
    }

    /// Sweeps, then looks where everything really ends: bodies turn and volumes bend, which the rows do not know. What they
    /// missed is added to the free measures, and the sweeps go on.
    fn solve(
        &self,
        problem: &Problem,
        touches: &[&Touch],
        free: &FreeMotion,
        rows: &Rows,
        mut sweeps: Sweeps,
    ) -> Outcome {
        let mut outcome =
            Outcome { rows: 3 * sweeps.chosen.len(), iterations: 0, ..Outcome::default() };
        for round in 0..=CORRECTIONS {
            let (iterations, residual) = sweeps.run(touches, &problem.settings.ncp);
            outcome.iterations += iterations;
            outcome.velocities.clone_from(&free.velocities);
            let gauge = gauge_pressures(problem.chambers, &sweeps.air.pressures);
            self.apply(problem.step, rows, &sweeps.forces, &gauge, &mut outcome.velocities);
            outcome.end = problem.step.advance(problem.model, &outcome.velocities);
            outcome.solved_measures = sweeps.measures();
            outcome.measures = rows::measures_at(touches, &problem.step.now.at, &outcome.end);
            outcome.volumes = rows::volumes_at(problem, &outcome.end);
            let missed = Missed::new(&sweeps, &outcome);
            // Gaps and slips as they really end. Forces as the sweeps know them: what corrections leave of a gap, below its tolerance, would
            // be a large force between stiff bodies.
            let gap_m = sweeps.residual_at(touches, |i| outcome.measures[i]).gap_m;
            let gas = worse(residual.gas, missed.share(&outcome.volumes));
            outcome.residual = Residual { gap_m: worse(residual.gap_m, gap_m), gas, ..residual };
            if round == CORRECTIONS || missed.is_small(&problem.settings.ncp, &outcome.volumes) {
                break;
            }
            sweeps.shift(&missed.measures, &missed.volumes);
        }
        (outcome.forces, outcome.pressures) = (sweeps.forces, sweeps.air.pressures);
        outcome
    }

    /// The compliance of the rows of the chosen touches, by island.
    fn couplings(
        &mut self,
        step: &TimeStep,
        rows: &[[BlockRow; 3]],
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
            .par_iter_mut()
            .zip(members)
            .enumerate()
            .filter(|(_, (_, members))| !members.is_empty())
            .map(|(i, (island, touches))| island.couple(&step.islands.of_block, i, rows, touches))
            .collect()
    }

    /// What one pascal in every chamber does to the measures of contacts and to volumes: h' A^-1 h' H_p^T, one solve a chamber.
    fn wall_compliance(&self, problem: &Problem, rows: &Rows) -> WallCompliance {
        let count = problem.chambers.len();
        let mut compliance =
            WallCompliance { of_touches: Vec::new(), of_volumes: vec![0.0; count * count] };
        for (p, row) in rows.chambers.iter().enumerate() {
            let moved = self.displacements(problem.step, row, problem.model.blocks());
            let along = |row: &BlockRow| row.iter().map(|(b, c)| c.dot(moved[*b])).sum::<f64>();
            let of_touch = |rows: &[BlockRow; 3]| {
                DVec3::new(along(&rows[0]), along(&rows[1]), along(&rows[2]))
            };
            compliance.of_touches.push(rows.touches.iter().map(of_touch).collect());
            for (q, other) in rows.chambers.iter().enumerate() {
                compliance.of_volumes[q * count + p] = along(other);
            }
        }
        compliance
    }

    /// Displacement of every block at the end of the step per unit of force along a row.
    fn displacements(&self, step: &TimeStep, row: &BlockRow, blocks: usize) -> Vec<DVec3> {
        let effective = |block: usize| step.scheme(block).effective_step;
        let (mut impulses, mut moved) = (vec![DVec3::ZERO; blocks], vec![DVec3::ZERO; blocks]);
        row.iter().for_each(|(block, c)| impulses[*block] += *c * effective(*block));
        self.islands.iter().for_each(|island| island.add_response(&impulses, &mut moved));
        moved.iter_mut().enumerate().for_each(|(block, x)| *x *= effective(block));
        moved
    }

    /// v += h' A^-1 (H^T lambda + H_p^T (P - P_atm)).
    fn apply(
        &self,
        step: &TimeStep,
        rows: &Rows,
        forces: &[DVec3],
        gauge: &[f64],
        velocities: &mut [DVec3],
    ) {
        let mut impulses = vec![DVec3::ZERO; velocities.len()];
        let mut add = |row: &BlockRow, amount: f64| {
            for (block, c) in row {
                impulses[*block] += *c * amount * step.scheme(*block).effective_step;
            }
        };
        for (rows, force) in rows.touches.iter().zip(forces).filter(|(_, f)| **f != DVec3::ZERO) {
            rows.iter().zip(force.to_array()).for_each(|(row, f)| add(row, f));
        }
        rows.chambers.iter().zip(gauge).for_each(|(row, p)| add(row, *p));
        for island in &self.islands {
            island.add_response(&impulses, velocities);
        }
    }

    fn reactions(
        &self,
        problem: &Problem,
        touches: &[&Touch],
        outcome: &Outcome,
        free: &FreeMotion,
    ) -> Vec<(usize, DVec3)> {
        let Problem { model, step, .. } = problem;
        let mut applied = vec![DVec3::ZERO; model.ties.len()];
        for (touch, force) in touches.iter().zip(&outcome.forces) {
            let force = touch.to_world(*force);
            touch.points.iter().for_each(|&(p, w)| applied[p] += force * w);
        }
        let gauge = gauge_pressures(problem.chambers, &outcome.pressures);
        for (chamber, pressure) in problem.chambers.iter().zip(gauge) {
            chamber.gradient.iter().for_each(|(p, area)| applied[*p] += *area * pressure);
        }
        spread_embedded(model, &mut applied);
        let dv = |block: usize| outcome.velocities[block] - step.base_block_velocity(block);
        let change = |tie: &Tie| match tie {
            Tie::Free(block) | Tie::Sliding { block, .. } => dv(*block),
            Tie::Carried { frame, arm } => {
                let frame = &free.predicted.frames[*frame];
                dv(frame.block) + dv(frame.block + 1).cross(frame.orientation * *arm)
            }
            Tie::Driven { .. } | Tie::Combined(_) => DVec3::ZERO,
        };
        let mut changes: Vec<DVec3> = model.ties.iter().map(change).collect();
        place_combined(&model.ties, &mut changes);
        let islands = self.islands.iter();
        let mut found: Vec<(usize, DVec3)> =
            islands.flat_map(|island| island.reactions(model, &changes, &dv, &applied)).collect();
        hand_on(model, &mut found);
        found
    }
}

/// What holds a point also holds the points of other parts that hang on it: glued nodes, cables.
fn hand_on(model: &Model, reactions: &mut [(usize, DVec3)]) {
    let mut hanging = vec![DVec3::ZERO; model.ties.len()];
    for (point, force) in reactions.iter() {
        if let Tie::Combined(parts) = &model.ties[*point] {
            parts.iter().for_each(|&(p, w)| hanging[p] += *force * w);
        }
    }
    reactions.iter_mut().for_each(|(point, force)| *force += hanging[*point]);
}

fn gauge_pressures(chambers: &[Chamber], pressures: &[f64]) -> Vec<f64> {
    chambers.iter().zip(pressures).map(|(c, p)| p - c.gas.atmosphere).collect()
}

/// Forces on embedded points act on the points that carry them. Nodes that hang on others have a reaction of their own,
/// which holds what acts on them.
fn spread_embedded(model: &Model, forces: &mut [DVec3]) {
    let node = |i: usize| model.soft.iter().any(|soft| soft.points.contains(&i));
    for (i, tie) in model.ties.iter().enumerate() {
        if let Tie::Combined(parts) = tie
            && !node(i)
        {
            let force = forces[i];
            parts.iter().for_each(|&(p, w)| forces[p] += force * w);
        }
    }
}
