//! One linear system: the blocks that elasticity and ties connect.

use super::assembly::System;
use super::coupling::Coupling;
use super::layout::{add_element_pairs, block_positions, by_limb, moved_by};
use super::rows::BlockRow;

use crate::integrator::TimeStep;
use crate::mapping::Tie;
use crate::model::{Configuration, Islands, Loads, Model, Soft};
use crate::settings::Settings;
use crate::solver::{SolveError, TooLarge, absurd};
use crate::sparse::{
    BlockMatrix, BlockPattern, Cholesky, SparseRow, TripleRow, Use, compliance, row_order,
};
use cupule_geometry::{DMat3, DVec3};
use std::collections::{BTreeMap, BTreeSet};

mod impulses;
mod limb;
mod masses;

use limb::{Fate, Limb, Moment, SoftPart, Tolerance};

/// Touches that spread over more blocks each, as patches of many do, are fewer than what the inverse between their blocks would ask for.
const BLOCKS_A_TOUCH: usize = 2;

/// A system with its kept factor.
#[derive(Clone)]
pub(super) struct Island {
    index: usize,
    /// Blocks, ascending; local block i is `blocks[i]`.
    blocks: Vec<usize>,
    limbs: Vec<Limb>,
    /// Limb of every block; none for rigid bodies.
    limb_of: Vec<Option<usize>>,
    frames: Vec<usize>,
    matrix: BlockMatrix,
    cholesky: Cholesky,
    /// Right-hand side at tied points in the last free motion, N s.
    tied_impulses: BTreeMap<usize, DVec3>,
    effective_step: f64,
}

/// What of a system a step has renewed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Renewal {
    /// How many limbs were factored anew.
    pub(super) limbs: usize,
    /// Whether the stiffness of any limb is an older one.
    pub(super) keeps: bool,
}

impl Island {
    pub(super) fn new(
        model: &Model,
        islands: &Islands,
        at: &Configuration,
        index: usize,
    ) -> Result<Self, TooLarge> {
        let frames = &at.frames[..];
        let blocks = islands.blocks[index].clone();
        let local = |block: usize| blocks.partition_point(|b| *b < block);
        let members: Vec<usize> =
            (0..frames.len()).filter(|f| islands.of_block[frames[*f].block] == index).collect();
        let soft: Vec<usize> = (0..model.soft.len())
            .filter(|s| islands.of_point[model.soft[*s].points.start] == Some(index))
            .collect();
        let joints: Vec<usize> =
            members.iter().map(|f| local(frames[*f].block)).flat_map(|b| [b, b + 1]).collect();
        let mut pairs: Vec<(usize, usize)> = joints.chunks(2).map(|b| (b[0], b[1])).collect();
        soft.iter().for_each(|s| add_element_pairs(model, frames, *s, &local, &mut pairs));
        let positions = block_positions(model, at, &blocks);
        let pattern = BlockPattern::with_joints(&positions, pairs, &joints, Use::Lasting);
        let mut limb_of = vec![None; blocks.len()];
        let mut limb = |(i, soft): (usize, Vec<usize>)| {
            for block in soft.iter().flat_map(|s| moved_by(model, frames, *s)) {
                limb_of[local(block)] = Some(i);
            }
            Limb::new(model, frames, &soft, &local, &pattern)
        };
        let limbs = by_limb(model, frames, &soft).into_iter().enumerate().map(&mut limb).collect();
        joints.iter().for_each(|b| limb_of[*b] = None);
        let matrix = BlockMatrix::zeros(&pattern);
        let cholesky = Cholesky::new(pattern).map_err(|_| TooLarge::of(model, &blocks))?;
        Ok(Self {
            index,
            blocks,
            limbs,
            limb_of,
            frames: members,
            matrix,
            cholesky,
            tied_impulses: BTreeMap::new(),
            effective_step: 1.0,
        })
    }

    pub(super) fn forget_factor(&mut self) {
        self.limbs.iter_mut().for_each(Limb::forget);
    }

    fn parts(&self) -> impl Iterator<Item = &SoftPart> {
        self.limbs.iter().flat_map(|limb| &limb.parts)
    }

    fn local(&self, block: usize) -> usize {
        self.blocks.partition_point(|b| *b < block)
    }

    /// Velocity changes of the island's blocks without contact, and what was renewed for them.
    pub(super) fn free_motion(
        &mut self,
        model: &Model,
        step: &TimeStep,
        loads: &Loads,
        predicted: &Configuration,
        base: &[DVec3],
        settings: &Settings,
    ) -> Result<(Vec<(usize, DVec3)>, Renewal), SolveError> {
        let scheme = step.schemes[self.index];
        self.effective_step = scheme.effective_step;
        let mut rhs = vec![DVec3::ZERO; self.blocks.len()];
        self.limbs.iter_mut().for_each(|limb| limb.look(model, predicted));
        if self.blocks.is_empty() {
            self.add_soft_impulses(model, step, loads, predicted, base, &mut rhs);
            return Ok((Vec::new(), Renewal::default()));
        }
        let at = Moment { model, scheme, predicted, base };
        let renewal = self.factor_if_needed(&at, settings.refactor_rotation)?;
        self.add_soft_impulses(model, step, loads, predicted, base, &mut rhs);
        self.add_rigid_impulses(model, step, loads, predicted, &mut rhs);
        self.solve(&mut rhs);
        self.check_finite(model, step, &rhs)?;
        Ok((self.blocks.iter().copied().zip(rhs).collect(), renewal))
    }

    /// Renews the limbs that have turned by more than the given angle (rad), less for those stiffer than the softest.
    fn factor_if_needed(&mut self, at: &Moment, angle: f64) -> Result<Renewal, SolveError> {
        let moduli = self.parts().filter_map(|part| at.model.soft[part.soft].modulus);
        let tolerance = Tolerance::new(angle, &moduli.collect::<Vec<f64>>());
        let (blocks, pattern) = (&self.blocks, self.cholesky.pattern());
        let local = |block: usize| blocks.partition_point(|b| *b < block);
        let limbs = self.limbs.iter_mut();
        let fates: Vec<Fate> =
            limbs.map(|limb| limb.renew(at, tolerance, &local, pattern)).collect();
        let limbs = fates.iter().filter(|fate| **fate == Fate::Renewed).count();
        let keeps = limbs < fates.len();
        // Rigid bodies have few unknowns, and an old inertia would not keep angular momentum however short the step.
        if limbs == 0 && self.frames.is_empty() {
            return Ok(Renewal { limbs, keeps });
        }
        self.sum_up(at);
        let fate = |block: usize| self.limb_of[block].map(|limb| fates[limb]);
        self.cholesky.turn_pieces(|block| match fate(block) {
            Some(Fate::Kept(by)) => by,
            _ => DMat3::IDENTITY,
        });
        let has_changed = |block: usize| fate(block) == Some(Fate::Renewed);
        if let Err(error) = self.cholesky.factor_changed(&self.matrix, has_changed) {
            self.forget_factor();
            let body = |local: usize| at.model.body_of_block[self.blocks[local]];
            return Err(SolveError::of_factor(error, body));
        }
        Ok(Renewal { limbs, keeps })
    }

    /// The system: the limbs' shares, and the inertia of rigid bodies with what they carry.
    fn sum_up(&mut self, at: &Moment) {
        let blocks = &self.blocks;
        let local = |block: usize| blocks.partition_point(|b| *b < block);
        self.matrix.clear();
        let mut system = System { pattern: self.cholesky.pattern(), matrix: &mut self.matrix };
        self.limbs.iter().for_each(|limb| limb.add_to(&mut system));
        self.limbs.iter().for_each(|limb| limb.add_carried_masses(at, &local, &mut system));
        for &f in &self.frames {
            let (rigid, frame) = (&at.model.rigid[f], &at.predicted.frames[f]);
            let i = local(frame.block);
            system.add(i, i, &DMat3::from_diagonal(DVec3::splat(rigid.mass)));
            system.add(i + 1, i + 1, &rigid.world_inertia(frame.orientation));
        }
    }

    /// From the world to the axes along which the unknowns of a block are counted: they turn with its limb.
    fn along_limb(&self, block: usize) -> DMat3 {
        self.limb_of[block].map_or(DMat3::IDENTITY, |limb| self.limbs[limb].turn.transpose())
    }

    /// x <- A^-1 x, by local block.
    fn solve(&self, x: &mut [DVec3]) {
        x.iter_mut().enumerate().for_each(|(b, x)| *x = self.along_limb(b) * *x);
        self.cholesky.solve(x);
        x.iter_mut().enumerate().for_each(|(b, x)| *x = self.along_limb(b).transpose() * *x);
    }

    /// Compliance of the given touches' rows, three a touch; those of a soft body may be reordered to make it cheap.
    pub(super) fn couple(
        &mut self,
        of_block: &[usize],
        index: usize,
        rows: &[[BlockRow; 3]],
        touches: Vec<usize>,
    ) -> Coupling {
        let h = self.effective_step;
        let local_row = |row: &BlockRow| -> SparseRow {
            row.iter()
                .filter(|(b, _)| of_block[*b] == index)
                .map(|(b, c)| (self.local(*b), self.along_limb(self.local(*b)) * *c * h))
                .collect()
        };
        let local = |touches: &[usize]| -> Vec<SparseRow> {
            touches.iter().flat_map(|t| rows[*t].iter().map(local_row)).collect()
        };
        if self.limbs.is_empty() {
            let rows = local(&touches);
            let solve = |x: &mut [DVec3]| self.cholesky.solve(x);
            return Coupling::slim(touches, &rows, self.blocks.len(), solve);
        }
        let contacts: Vec<TripleRow> =
            touches.iter().map(|t| side_by_side(rows[*t].each_ref().map(local_row))).collect();
        if count_blocks(&contacts) <= BLOCKS_A_TOUCH * touches.len() {
            return Coupling::dense(touches, self.cholesky.kept_compliance(&contacts));
        }
        let order = row_order(&self.cholesky, &local(&touches), 3);
        let touches: Vec<usize> = order.into_iter().map(|i| touches[i]).collect();
        let w = compliance(&self.cholesky, &local(&touches));
        Coupling::dense(touches, w)
    }

    /// velocities += A^-1 impulses, for this island's blocks.
    pub(super) fn add_response(&self, impulses: &[DVec3], velocities: &mut [DVec3]) {
        let mut x: Vec<DVec3> = self.blocks.iter().map(|b| impulses[*b]).collect();
        if x.iter().all(|x| *x == DVec3::ZERO) {
            return;
        }
        self.solve(&mut x);
        self.blocks.iter().zip(x).for_each(|(b, x)| velocities[*b] += x);
    }

    /// Force that holds each tied point: (A dv - b) / h' - contact, with the part J dq of every point's velocity change, and the changes
    /// of blocks.
    pub(super) fn reactions(
        &self,
        model: &Model,
        changes: &[DVec3],
        of_block: &dyn Fn(usize) -> DVec3,
        contact: &[DVec3],
    ) -> Vec<(usize, DVec3)> {
        if self.tied_impulses.is_empty() {
            return Vec::new();
        }
        let mut products = BTreeMap::new();
        let limbs = self.limbs.iter();
        limbs.for_each(|limb| limb.add_products(model, changes, of_block, &mut products));
        let h = self.effective_step;
        let mut reactions = Vec::new();
        for part in self.parts() {
            let part = &model.soft[part.soft];
            if part.shares_nodes {
                continue;
            }
            let mass = |point: usize| (1.0 + h * part.damping.mass) * model.masses[point];
            // Nodes of a cage feel the inertia and the weight of what hangs on them.
            let mut carried: BTreeMap<usize, DVec3> = BTreeMap::new();
            for point in carriers_apart(part) {
                let impulse = self.tied_impulses.get(&point).copied().unwrap_or_default();
                if let Tie::Combined(parts) = &model.ties[point] {
                    let left = changes[point] * mass(point) - impulse;
                    parts.iter().for_each(|(p, w)| *carried.entry(*p).or_default() += left * *w);
                }
            }
            for (&point, impulse) in self.tied_impulses.range(part.points.clone()) {
                let own = products.get(&point).copied().unwrap_or_default();
                let product = own + changes[point] * mass(point);
                let hanging = carried.get(&point).copied().unwrap_or_default();
                let force = (product - *impulse + hanging) / h - contact[point];
                reactions.push((point, force * model.ties[point].held_axes()));
            }
        }
        reactions
    }

    fn check_finite(
        &self,
        model: &Model,
        step: &TimeStep,
        changes: &[DVec3],
    ) -> Result<(), SolveError> {
        let velocity =
            |(block, dv): (&usize, &DVec3)| (*block, step.base_block_velocity(*block) + *dv);
        let velocities = self.blocks.iter().zip(changes).map(velocity);
        match absurd(velocities, &step.now.at.frames) {
            None => Ok(()),
            Some((block, speed)) => {
                Err(SolveError::Diverged { body: model.body_of_block[block], speed })
            }
        }
    }
}

/// The three rows of a touch, which are over the same blocks.
fn side_by_side([normal, one, other]: [SparseRow; 3]) -> TripleRow {
    let same = |other: &SparseRow| other.iter().map(|(b, _)| b).eq(normal.iter().map(|(b, _)| b));
    assert!(same(&one) && same(&other), "the rows of a touch are over the same blocks");
    let rows = normal.into_iter().zip(one).zip(other);
    rows.map(|(((block, n), (_, s)), (_, t))| (block, [n, s, t])).collect()
}

/// How many blocks contacts touch.
fn count_blocks(contacts: &[TripleRow]) -> usize {
    contacts.iter().flatten().map(|(block, _)| *block).collect::<BTreeSet<usize>>().len()
}

/// The points that carry the mass of a part, where they are not its nodes.
fn carriers_apart(part: &Soft) -> std::ops::Range<usize> {
    if part.carriers == part.points { 0..0 } else { part.carriers.clone() }
}
