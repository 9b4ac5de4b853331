//! One linear system: the blocks that elasticity and ties connect.

use super::assembly::{ScaledSink, Scatter, System, TiedBlocks, jacobians};
use super::coupling::Coupling;
use super::damping::{Both, product_of};
use super::layout::{add_element_pairs, block_positions, first_body};
use super::rows::BlockRow;

use crate::integrator::{Scheme, TimeStep};
use crate::mapping::Tie;
use crate::model::{Configuration, Islands, Loads, Model, Soft};
use crate::settings::Settings;
use crate::solver::{SolveError, absurd};
use crate::sparse::{
    BlockMatrix, BlockPattern, Cholesky, SparseRow, TripleRow, Use, compliance, row_order,
};
use cupule_geometry::{DMat3, DVec3};
use std::collections::{BTreeMap, BTreeSet};

mod impulses;

/// Touches that spread over more blocks each, as patches of many do, are fewer than what the inverse between their blocks would ask for.
const BLOCKS_A_TOUCH: usize = 2;

/// A system with its kept factor.
pub(super) struct Island {
    index: usize,
    /// Blocks, ascending; local block i is `blocks[i]`.
    blocks: Vec<usize>,
    soft: Vec<(usize, Scatter)>,
    frames: Vec<usize>,
    system: System,
    cholesky: Cholesky,
    tied: TiedBlocks,
    factored: Option<Factored>,
    /// Configuration of the elements of every soft part in this step.
    configurations: Vec<Vec<DMat3>>,
    /// -beta K u of every soft part, where the step has just assembled K and it does not come with the forces; N.
    damping_forces: Vec<Option<Vec<DVec3>>>,
    /// Right-hand side at tied points in the last free motion, N s.
    tied_impulses: BTreeMap<usize, DVec3>,
    effective_step: f64,
}

/// What the kept factor was made for.
struct Factored {
    scheme: Scheme,
    configurations: Vec<Vec<DMat3>>,
}

impl Island {
    pub(super) fn new(
        model: &Model,
        islands: &Islands,
        at: &Configuration,
        index: usize,
    ) -> Result<Self, SolveError> {
        let frames = &at.frames[..];
        let blocks = islands.blocks[index].clone();
        let in_island = |block: usize| islands.of_block[block] == index;
        let local = |block: usize| blocks.partition_point(|b| *b < block);
        let members: Vec<usize> =
            (0..frames.len()).filter(|f| in_island(frames[*f].block)).collect();
        let soft: Vec<usize> = (0..model.soft.len())
            .filter(|s| islands.of_point[model.soft[*s].points.start] == Some(index))
            .collect();
        let mut pairs: Vec<(usize, usize)> = members
            .iter()
            .map(|f| (local(frames[*f].block), local(frames[*f].block + 1)))
            .collect();
        for &s in &soft {
            add_element_pairs(model, frames, s, &local, &mut pairs);
        }
        let positions = block_positions(model, at, &blocks);
        let pattern = BlockPattern::new(&positions, pairs, Use::Lasting);
        let mut tied = TiedBlocks::default();
        let scatter = |s: usize, tied: &mut TiedBlocks| {
            let part = &model.soft[s];
            Scatter::new(&*part.elements, part.points.start, &model.ties, &local, &pattern, tied)
        };
        let soft = soft.into_iter().map(|s| (s, scatter(s, &mut tied))).collect();
        let body = first_body(model, &members, index, islands);
        let cholesky = Cholesky::new(pattern.clone()).map_err(|_| SolveError::Factor { body })?;
        let matrix = BlockMatrix::zeros(&pattern);
        Ok(Self {
            index,
            system: System { pattern, matrix },
            blocks,
            soft,
            frames: members,
            cholesky,
            tied,
            factored: None,
            configurations: Vec::new(),
            damping_forces: Vec::new(),
            tied_impulses: BTreeMap::new(),
            effective_step: 1.0,
        })
    }

    pub(super) fn forget_factor(&mut self) {
        self.factored = None;
    }

    fn local(&self, block: usize) -> usize {
        self.blocks.partition_point(|b| *b < block)
    }

    /// Velocity changes of the island's blocks without contact, and whether it was factored anew.
    pub(super) fn free_motion(
        &mut self,
        model: &Model,
        step: &TimeStep,
        loads: &Loads,
        predicted: &Configuration,
        base: &[DVec3],
        settings: &Settings,
    ) -> Result<(Vec<(usize, DVec3)>, bool), SolveError> {
        let scheme = step.schemes[self.index];
        self.effective_step = scheme.effective_step;
        let mut rhs = vec![DVec3::ZERO; self.blocks.len()];
        self.configurations = self.configurations_at(model, predicted);
        if self.blocks.is_empty() {
            self.add_soft_impulses(model, step, loads, predicted, base, &mut rhs);
            return Ok((Vec::new(), true));
        }
        let factored = self.factor_if_needed(model, scheme, predicted, base, settings)?;
        self.add_soft_impulses(model, step, loads, predicted, base, &mut rhs);
        self.add_rigid_impulses(model, step, loads, predicted, &mut rhs);
        self.cholesky.solve(&mut rhs);
        self.check_finite(model, step, &rhs)?;
        Ok((self.blocks.iter().copied().zip(rhs).collect(), factored))
    }

    fn factor_if_needed(
        &mut self,
        model: &Model,
        scheme: Scheme,
        predicted: &Configuration,
        base: &[DVec3],
        settings: &Settings,
    ) -> Result<bool, SolveError> {
        // A free rigid body's inertia turns with it, and a tied node's Jacobian too: those systems are always renewed.
        let steady = self.frames.is_empty();
        let limit = settings.refactor_rotation * self.softness(model);
        let current = self.factored.as_ref().is_some_and(|f| {
            steady && f.scheme == scheme && turned(&f.configurations, &self.configurations) <= limit
        });
        self.damping_forces.clear();
        if current {
            return Ok(false);
        }
        self.factored = None;
        self.assemble(model, scheme, predicted, base);
        let matrix = &self.system.matrix;
        self.cholesky.factor(matrix).map_err(|_| SolveError::Factor { body: self.body(model) })?;
        self.factored = Some(Factored { scheme, configurations: self.configurations.clone() });
        Ok(true)
    }

    fn configurations_at(&self, model: &Model, at: &Configuration) -> Vec<Vec<DMat3>> {
        let parts = self.soft.iter().map(|(s, _)| &model.soft[*s]);
        parts.map(|part| part.elements.configuration(&at.points[part.points.clone()])).collect()
    }

    /// A stiffness that is old by an angle a resists turning with a^2 of the stiffest part: little against the softest part only
    /// if a is below the square root of their ratio.
    fn softness(&self, model: &Model) -> f64 {
        let moduli = || self.soft.iter().map(|(s, _)| model.soft[*s].modulus);
        (moduli().fold(f64::INFINITY, f64::min) / moduli().fold(0.0, f64::max)).sqrt()
    }

    /// The system at the predicted configuration, and, while its stiffness is at hand, the damping forces.
    fn assemble(
        &mut self,
        model: &Model,
        scheme: Scheme,
        predicted: &Configuration,
        base: &[DVec3],
    ) {
        let h = scheme.effective_step;
        self.system.matrix.clear();
        self.tied.clear();
        for (s, scatter) in &self.soft {
            let part = &model.soft[*s];
            for point in part.carriers.clone() {
                let mass = (1.0 + h * part.damping.mass) * model.masses[point];
                match &model.ties[point] {
                    Tie::Free(block) => {
                        let i = self.blocks.partition_point(|b| b < block);
                        self.system.add(i, i, &DMat3::from_diagonal(DVec3::splat(mass)));
                    }
                    _ => {
                        add_tied_mass(model, predicted, point, mass, &self.blocks, &mut self.system)
                    }
                }
            }
            let mut sink = ScaledSink {
                scatter,
                scale: h * (h + part.damping.stiffness),
                matrix: &mut self.system.matrix,
                tied: &mut self.tied,
            };
            let range = part.points.clone();
            let x = &predicted.points[range.clone()];
            let apart = part.damping.stiffness > 0.0 && part.elements.as_damped().is_none();
            let mut damping = apart.then(|| vec![DVec3::ZERO; range.len()]);
            match &mut damping {
                None => part.elements.add_stiffness(x, &mut sink),
                Some(forces) => {
                    let mut product = product_of(part, &base[range], forces);
                    part.elements.add_stiffness(x, &mut Both(&mut sink, &mut product));
                }
            }
            self.damping_forces.push(damping);
        }
        let blocks = &self.blocks;
        let local = |block: usize| blocks.partition_point(|b| *b < block);
        self.tied.reduce(&model.ties, &predicted.frames, &local, &mut self.system);
        for &f in &self.frames {
            let (rigid, frame) = (&model.rigid[f], &predicted.frames[f]);
            let i = local(frame.block);
            self.system.add(i, i, &DMat3::from_diagonal(DVec3::splat(rigid.mass)));
            self.system.add(i + 1, i + 1, &rigid.world_inertia(frame.orientation));
        }
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
                .map(|(b, c)| (self.local(*b), *c * h))
                .collect()
        };
        let local = |touches: &[usize]| -> Vec<SparseRow> {
            touches.iter().flat_map(|t| rows[*t].iter().map(local_row)).collect()
        };
        if self.soft.is_empty() {
            let rows = local(&touches);
            let solve = |x: &mut [DVec3]| self.cholesky.solve(x);
            return Coupling::slim(touches, &rows, self.blocks.len(), solve);
        }
        let contacts: Vec<TripleRow> =
            touches.iter().map(|t| side_by_side(rows[*t].each_ref().map(local_row))).collect();
        if blocks_of(&contacts) <= BLOCKS_A_TOUCH * touches.len() {
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
        self.cholesky.solve(&mut x);
        self.blocks.iter().zip(x).for_each(|(b, x)| velocities[*b] += x);
    }

    /// Force that holds each tied point: (A dv - b) / h' - contact, with the part J dq of every point's velocity change.
    pub(super) fn reactions(
        &self,
        model: &Model,
        changes: &[DVec3],
        contact: &[DVec3],
    ) -> Vec<(usize, DVec3)> {
        if self.tied_impulses.is_empty() {
            return Vec::new();
        }
        let mut products = BTreeMap::new();
        self.tied.products(changes, &mut products);
        let h = self.effective_step;
        let mut reactions = Vec::new();
        for (s, _) in &self.soft {
            let part = &model.soft[*s];
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
                reactions.push((point, (product - *impulse + hanging) / h - contact[point]));
            }
        }
        reactions
    }

    fn body(&self, model: &Model) -> usize {
        let soft = self.soft.first().map(|(s, _)| model.soft[*s].body);
        soft.or_else(|| self.frames.first().map(|f| model.rigid[*f].body)).unwrap_or(0)
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
            Some((_, speed)) => Err(SolveError::Diverged { body: self.body(model), speed }),
        }
    }
}

/// The three rows of a touch, which are over the same blocks.
fn side_by_side([normal, one, other]: [SparseRow; 3]) -> TripleRow {
    let rows = normal.into_iter().zip(one).zip(other);
    rows.map(|(((block, n), (_, s)), (_, t))| (block, [n, s, t])).collect()
}

/// How many blocks contacts touch.
fn blocks_of(contacts: &[TripleRow]) -> usize {
    contacts.iter().flatten().map(|(block, _)| *block).collect::<BTreeSet<usize>>().len()
}

/// The points that carry the mass of a part, where they are not its nodes.
fn carriers_apart(part: &Soft) -> std::ops::Range<usize> {
    if part.carriers == part.points { 0..0 } else { part.carriers.clone() }
}

/// J^T m J of a tied point.
fn add_tied_mass(
    model: &Model,
    predicted: &Configuration,
    point: usize,
    mass: f64,
    blocks: &[usize],
    system: &mut System,
) {
    let parts = jacobians(&model.ties, &predicted.frames, point);
    for (i, (a, ja)) in parts.iter().enumerate() {
        for (b, jb) in &parts[..=i] {
            let local = |block: usize| blocks.partition_point(|b| *b < block);
            system.add(local(*a), local(*b), &(ja.transpose() * *jb * mass));
        }
    }
}

/// Largest change of any element's configuration: for rotations, the angle in rad.
fn turned(before: &[Vec<DMat3>], after: &[Vec<DMat3>]) -> f64 {
    let distance = |(a, b): (&DMat3, &DMat3)| {
        let d = *a - *b;
        (0.5 * crate::math::double_dot(&d, &d)).sqrt()
    };
    before.iter().flatten().zip(after.iter().flatten()).map(distance).fold(0.0, f64::max)
}
