//! A limb: soft parts of an island that hang together without its rigid bodies, and their share of the system.
//!
//! Limbs meet only in rigid bodies. A limb whose elements, and the rigid bodies that it hangs on, have hardly turned against each other keeps
//! its share, and with it its piece of the factor, while others are renewed. The inertia of rigid bodies is no limb's and always that of the
//! moment.
//!
//! A limb that nothing holds takes its share along as it turns as a whole, R: elasticity does not know where it looks. Its unknowns are
//! counted along axes that turn with it, in which its own part of the share is as it was; what it has with rigid bodies turns, A R^T, and
//! what it adds to theirs, R A R^T. A stiffness that stayed behind by an angle a would instead turn the forces that bend its way by a, and
//! take about a of the spin for every radian.

use super::super::assembly::{ScaledSink, Scatter, System, TiedBlocks, jacobians};
use super::super::damping::{Both, product_of};
use super::super::layout::{is_rigid, moved_by};
use super::masses::Masses;
use crate::integrator::Scheme;
use crate::mapping::{Frame, Tie};
use crate::math::{double_dot, nearest_rotation, outer};
use crate::model::{Configuration, Model, Soft};
use crate::report::worse;
use crate::sparse::{BlockMatrix, BlockPattern};
use cupule_geometry::{DMat3, DQuat, DVec3};
use std::collections::{BTreeMap, BTreeSet};

/// A limb that has turned by less lies still, rad: above the rounding of rotations, and far below what any tolerance sees.
const STILL: f64 = 1e-12;

/// Soft parts with their share of the system.
#[derive(Clone)]
pub(super) struct Limb {
    pub(super) parts: Vec<SoftPart>,
    /// The rigid bodies that its points hang on, and their blocks in the island.
    frames: Vec<usize>,
    joints: Vec<usize>,
    /// Whether any of its points is driven: it does not turn freely.
    is_held: bool,
    tied: TiedBlocks,
    /// Points of `tied` that hang on rigid bodies.
    hanging: Vec<usize>,
    /// Its mass and stiffness, J^T (..) J, over the columns of its own blocks and of its rigid bodies, as they were when it was made.
    matrix: BlockMatrix,
    made: Option<Made>,
    /// How it has turned as a whole since then.
    pub(super) turn: DMat3,
}

/// A soft part.
#[derive(Clone)]
pub(super) struct SoftPart {
    pub(super) soft: usize,
    scatter: Scatter,
    masses: Masses,
    /// Of its elements in this step.
    pub(super) configuration: Vec<DMat3>,
    /// -beta K u, where the step has just assembled K and it does not come with the forces; N.
    pub(super) damping_forces: Option<Vec<DVec3>>,
}

/// What the share was made for.
#[derive(Clone)]
struct Made {
    scheme: Scheme,
    configurations: Vec<Vec<DMat3>>,
    /// All rigid bodies as they were.
    frames: Vec<Frame>,
    /// Its points as they were, from their middle, m.
    points: Vec<DVec3>,
}

/// What became of a share in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fate {
    Renewed,
    /// Kept, and turned by this since the last step.
    Kept(DMat3),
}

/// Where and when a share is made.
pub(super) struct Moment<'a> {
    pub(super) model: &'a Model,
    pub(super) scheme: Scheme,
    pub(super) predicted: &'a Configuration,
    /// Velocity of every point if no unknown changed, m/s.
    pub(super) base: &'a [DVec3],
}

/// How far may be turned what is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerance {
    /// Of the softest part of the island, rad.
    angle: f64,
    /// Its modulus, Pa.
    softest: f64,
    /// Modulus of the stiffest part, Pa.
    stiffest: f64,
}

impl Tolerance {
    /// For an island whose parts have these moduli (Pa).
    pub(super) fn new(angle: f64, moduli: &[f64]) -> Self {
        let softest = moduli.iter().copied().fold(f64::INFINITY, f64::min);
        Self { angle, softest, stiffest: moduli.iter().copied().fold(0.0, f64::max) }
    }

    /// A stiffness that is old by an angle a resists turning with a^2 of itself: little against the softest part only if a is below
    /// the square root of the ratio of the two.
    ///
    /// What has no modulus may be as stiff as anything.
    fn of(self, modulus: Option<f64>) -> f64 {
        let modulus = modulus.unwrap_or(self.stiffest);
        if modulus == 0.0 {
            return self.angle;
        }
        self.angle * (self.softest / modulus).sqrt()
    }
}

impl Limb {
    /// The limb of the given soft parts; `local` numbers the blocks of its island.
    pub(super) fn new(
        model: &Model,
        frames: &[Frame],
        soft: &[usize],
        local: &dyn Fn(usize) -> usize,
        pattern: &BlockPattern,
    ) -> Self {
        let mut tied = TiedBlocks::default();
        let part = |&soft: &usize| {
            let Soft { elements, points, .. } = &model.soft[soft];
            let scatter =
                Scatter::new(&**elements, points.start, &model.ties, local, pattern, &mut tied);
            let masses = Masses::new(model, frames, soft, local, pattern);
            SoftPart { soft, scatter, masses, configuration: Vec::new(), damping_forces: None }
        };
        let parts: Vec<SoftPart> = soft.iter().map(part).collect();
        let blocks: BTreeSet<usize> =
            soft.iter().flat_map(|s| moved_by(model, frames, *s)).collect();
        let columns: BTreeSet<usize> =
            blocks.iter().map(|block| pattern.place(local(*block))).collect();
        let matrix = BlockMatrix::over(pattern, |column| columns.contains(&column));
        let hangs = |point: &usize| {
            jacobians(&model.ties, frames, *point).iter().any(|(block, _)| is_rigid(frames, *block))
        };
        let hanging = tied.points().into_iter().filter(hangs).collect();
        let joints = blocks.iter().filter(|b| is_rigid(frames, **b)).map(|b| local(*b)).collect();
        let frames = (0..frames.len()).filter(|f| blocks.contains(&frames[*f].block)).collect();
        let is_held = soft.iter().any(|s| is_held(model, *s));
        let (made, turn) = (None, DMat3::IDENTITY);
        Self { parts, frames, joints, is_held, tied, hanging, matrix, made, turn }
    }

    /// Makes the next step renew it.
    pub(super) fn forget(&mut self) {
        self.made = None;
    }

    /// Looks where its elements are in this step.
    pub(super) fn look(&mut self, model: &Model, predicted: &Configuration) {
        for part in &mut self.parts {
            let Soft { elements, points, .. } = &model.soft[part.soft];
            part.configuration = elements.configuration(&predicted.points[points.clone()]);
            part.damping_forces = None;
        }
    }

    /// Turns its share with it, or renews it if it is too old.
    pub(super) fn renew(
        &mut self,
        at: &Moment,
        tolerance: Tolerance,
        local: &dyn Fn(usize) -> usize,
        pattern: &BlockPattern,
    ) -> Fate {
        let points = self.points(at);
        if let Some(turn) = self.made.as_ref().map(|made| self.turn_since(made, &points))
            && self.is_current(at, tolerance, turn)
        {
            return Fate::Kept(self.turn_to(turn));
        }
        self.make(at, local, pattern);
        self.turn = DMat3::IDENTITY;
        self.made = Some(Made {
            scheme: at.scheme,
            configurations: self.parts.iter().map(|part| part.configuration.clone()).collect(),
            frames: at.predicted.frames.clone(),
            points,
        });
        Fate::Renewed
    }

    /// Turns its share, and tells by how much. What lies still does not turn by rounding: in every step the same way, that would add up.
    fn turn_to(&mut self, turn: DMat3) -> DMat3 {
        if turn.abs_diff_eq(self.turn, STILL) {
            return DMat3::IDENTITY;
        }
        let before = std::mem::replace(&mut self.turn, turn);
        turn * before.transpose()
    }

    /// Its points, from their middle.
    fn points(&self, at: &Moment) -> Vec<DVec3> {
        let ranges = self.parts.iter().map(|part| at.model.soft[part.soft].points.clone());
        let mut points: Vec<DVec3> =
            ranges.flat_map(|range| at.predicted.points[range].iter().copied()).collect();
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        points.iter_mut().for_each(|x| *x -= middle);
        points
    }

    /// The rotation that brings its points nearest to where they are now.
    fn turn_since(&self, made: &Made, points: &[DVec3]) -> DMat3 {
        if self.is_held {
            return DMat3::IDENTITY;
        }
        let pairs = points.iter().zip(&made.points);
        nearest_rotation(pairs.fold(DMat3::ZERO, |sum, (now, then)| sum + outer(*now, *then)))
    }

    fn is_current(&self, at: &Moment, tolerance: Tolerance, turn: DMat3) -> bool {
        let Some(made) = &self.made else { return false };
        let limit = |part: &SoftPart| tolerance.of(at.model.soft[part.soft].modulus);
        let steady = |(part, before): (&SoftPart, &Vec<DMat3>)| {
            turned(turn, before, &part.configuration) <= limit(part)
        };
        let (then, now) =
            (self.orientations(&made.frames), self.orientations(&at.predicted.frames));
        let least = self.parts.iter().map(limit).fold(f64::INFINITY, f64::min);
        made.scheme == at.scheme
            && turned(turn, &then, &now) <= least
            && self.parts.iter().zip(&made.configurations).all(steady)
    }

    fn orientations(&self, frames: &[Frame]) -> Vec<DMat3> {
        self.frames.iter().map(|f| DMat3::from_quat(frames[*f].orientation)).collect()
    }

    /// Its share at the predicted configuration, and, while its stiffness is at hand, the damping forces.
    fn make(&mut self, at: &Moment, local: &dyn Fn(usize) -> usize, pattern: &BlockPattern) {
        let (model, frames) = (at.model, &at.predicted.frames);
        self.matrix.clear();
        self.tied.clear();
        for part in &mut self.parts {
            let mut system = System { pattern, matrix: &mut self.matrix };
            part.masses.add_own(part.soft, at, local, &mut system);
            part.add_stiffness(at, &mut self.matrix, &mut self.tied);
        }
        let mut system = System { pattern, matrix: &mut self.matrix };
        self.tied.reduce(&model.ties, frames, local, &mut system);
        for part in self.parts.iter().filter(|part| !model.soft[part.soft].shares_nodes) {
            hold_axes(model, part.soft, local, &mut system);
        }
    }

    /// Adds its share, and what it adds to rigid bodies turned. What its own nodes have with them is as it was made: where the share is
    /// kept, nobody reads it, and the factor has it turned.
    pub(super) fn add_to(&self, system: &mut System) {
        let joints: Vec<usize> = self.joints.iter().map(|b| system.pattern.place(*b)).collect();
        system.matrix.add_columns(&self.matrix, |column| !joints.contains(&column));
        for (i, a) in self.joints.iter().enumerate() {
            for b in &self.joints[..=i] {
                if let Some(slot) = system.pattern.slot(*a, *b) {
                    let turned = self.turn * self.matrix.block(slot) * self.turn.transpose();
                    system.matrix.add(slot, &turned);
                }
            }
        }
    }

    /// Adds the mass that is on rigid bodies alone, as they are now.
    pub(super) fn add_carried_masses(
        &self,
        at: &Moment,
        local: &dyn Fn(usize) -> usize,
        system: &mut System,
    ) {
        self.parts.iter().for_each(|part| part.masses.add_carried(part.soft, at, local, system));
    }

    /// Adds K dv of its tied points and their neighbours, K scaled as in the system and dv as its share has it: where rigid bodies
    /// move its points, as they were when it was made. `changes` are those of points, `of_block` those of blocks, m/s and rad/s.
    pub(super) fn add_products(
        &self,
        model: &Model,
        changes: &[DVec3],
        of_block: &dyn Fn(usize) -> DVec3,
        out: &mut BTreeMap<usize, DVec3>,
    ) {
        let Some(made) = &self.made else { return };
        let turn = DQuat::from_mat3(&self.turn);
        let turned = |frame: &Frame| Frame { orientation: turn * frame.orientation, ..*frame };
        let frames: Vec<Frame> = made.frames.iter().map(turned).collect();
        let moved = |point: &usize| {
            let parts = jacobians(&model.ties, &frames, *point);
            (*point, parts.iter().map(|(block, j)| *j * of_block(*block)).sum())
        };
        let hanging: BTreeMap<usize, DVec3> = self.hanging.iter().map(moved).collect();
        let change = |point: usize| hanging.get(&point).copied().unwrap_or(changes[point]);
        let mut own = BTreeMap::new();
        self.tied.products(|point| self.turn.transpose() * change(point), &mut own);
        own.into_iter()
            .for_each(|(point, force)| *out.entry(point).or_default() += self.turn * force);
    }
}

impl SoftPart {
    fn add_stiffness(&mut self, at: &Moment, matrix: &mut BlockMatrix, tied: &mut TiedBlocks) {
        let (part, h) = (&at.model.soft[self.soft], at.scheme.effective_step);
        let scale = h * (h + part.damping.stiffness);
        let mut sink = ScaledSink { scatter: &self.scatter, scale, matrix, tied };
        let range = part.points.clone();
        let x = &at.predicted.points[range.clone()];
        if part.damping.stiffness == 0.0 || part.elements.as_damped().is_some() {
            return part.elements.add_stiffness(x, &mut sink);
        }
        let mut forces = vec![DVec3::ZERO; range.len()];
        let mut product = product_of(part, &at.base[range], &mut forces);
        part.elements.add_stiffness(x, &mut Both(&mut sink, &mut product));
        self.damping_forces = Some(forces);
    }
}

/// Gives held axes of points that slide, which have no mass and no stiffness in the system, an equation of their own: dv = 0.
fn hold_axes(model: &Model, soft: usize, local: &dyn Fn(usize) -> usize, system: &mut System) {
    for tie in &model.ties[model.soft[soft].points.clone()] {
        if let Tie::Sliding { block, .. } = tie {
            let i = local(*block);
            system.add(i, i, &DMat3::from_diagonal(tie.held_axes()));
        }
    }
}

/// Whether the world holds any point of a soft part.
fn is_held(model: &Model, soft: usize) -> bool {
    let is_driven =
        |point: usize| matches!(model.ties[point], Tie::Driven { .. } | Tie::Sliding { .. });
    let holds = |point: usize| match &model.ties[point] {
        Tie::Combined(parts) => parts.iter().any(|(p, _)| is_driven(*p)),
        _ => is_driven(point),
    };
    model.soft[soft].points.clone().any(holds)
}

/// Largest change of any configuration but for a common turn: of rotations, the angle in rad.
fn turned(turn: DMat3, before: &[DMat3], after: &[DMat3]) -> f64 {
    let distance = |(a, b): (&DMat3, &DMat3)| {
        let d = turn * *a - *b;
        (0.5 * double_dot(&d, &d)).sqrt()
    };
    before.iter().zip(after).map(distance).fold(0.0, worse)
}
