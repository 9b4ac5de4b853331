//! A limb: soft parts of an island that hang together without its rigid bodies, and their share of the system.
//!
//! Limbs meet only in rigid bodies. A limb whose elements, and the rigid bodies that it hangs on, have hardly turned keeps its
//! share, and with it its piece of the factor, while others are renewed.

use super::super::assembly::{ScaledSink, Scatter, System, TiedBlocks, jacobians};
use super::super::damping::{Both, product_of};
use super::super::layout::moved_by;
use crate::integrator::Scheme;
use crate::mapping::Frame;
use crate::model::{Configuration, Model, Soft};
use crate::sparse::{BlockMatrix, BlockPattern, Slot};
use cupule_geometry::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Soft parts with their share of the system.
pub(super) struct Limb {
    pub(super) parts: Vec<Part>,
    /// The rigid bodies that its points hang on.
    frames: Vec<usize>,
    pub(super) tied: TiedBlocks,
    /// Its mass and stiffness, J^T (..) J, over the pattern of the island.
    pub(super) matrix: BlockMatrix,
    made: Option<Made>,
}

/// A soft part.
pub(super) struct Part {
    pub(super) soft: usize,
    scatter: Scatter,
    /// Its mass, where it hangs on free nodes alone: the same at all times.
    masses: Vec<(Slot, f64)>,
    /// Points whose mass hangs on rigid bodies too.
    turning: Vec<usize>,
    /// Of its elements in this step.
    pub(super) configuration: Vec<DMat3>,
    /// -beta K u, where the step has just assembled K and it does not come with the forces; N.
    pub(super) damping_forces: Option<Vec<DVec3>>,
}

/// What the share was made for.
struct Made {
    scheme: Scheme,
    configurations: Vec<Vec<DMat3>>,
    orientations: Vec<DMat3>,
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
    pub(super) angle: f64,
    /// Its modulus, Pa.
    pub(super) softest: f64,
}

impl Tolerance {
    /// A stiffness that is old by an angle a resists turning with a^2 of itself: little against the softest part only if a is below
    /// the square root of the ratio of the two.
    fn of(self, modulus: f64) -> f64 {
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
            let (masses, turning) = masses(model, frames, soft, local, pattern);
            let (configuration, damping_forces) = (Vec::new(), None);
            Part { soft, scatter, masses, turning, configuration, damping_forces }
        };
        let parts: Vec<Part> = soft.iter().map(part).collect();
        let blocks: Vec<usize> = soft.iter().flat_map(|s| moved_by(model, frames, *s)).collect();
        let frames = (0..frames.len()).filter(|f| blocks.contains(&frames[*f].block)).collect();
        Self { parts, frames, tied, matrix: BlockMatrix::zeros(pattern), made: None }
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

    /// Renews its share if it is too old, and tells whether it was.
    pub(super) fn renew(
        &mut self,
        at: &Moment,
        tolerance: Tolerance,
        local: &dyn Fn(usize) -> usize,
        pattern: &BlockPattern,
    ) -> bool {
        if self.is_current(at, tolerance) {
            return false;
        }
        self.make(at, local, pattern);
        self.made = Some(Made {
            scheme: at.scheme,
            configurations: self.parts.iter().map(|part| part.configuration.clone()).collect(),
            orientations: self.orientations(&at.predicted.frames),
        });
        true
    }

    fn is_current(&self, at: &Moment, tolerance: Tolerance) -> bool {
        let Some(made) = &self.made else { return false };
        let limit = |part: &Part| tolerance.of(at.model.soft[part.soft].modulus);
        let steady = |(part, before): (&Part, &Vec<DMat3>)| {
            turned(before, &part.configuration) <= limit(part)
        };
        let least = self.parts.iter().map(limit).fold(f64::INFINITY, f64::min);
        made.scheme == at.scheme
            && turned(&made.orientations, &self.orientations(&at.predicted.frames)) <= least
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
            part.add_masses(at, local, &mut System { pattern, matrix: &mut self.matrix });
            part.add_stiffness(at, &mut self.matrix, &mut self.tied);
        }
        let mut system = System { pattern, matrix: &mut self.matrix };
        self.tied.reduce(&model.ties, frames, local, &mut system);
    }
}

impl Part {
    /// J^T m J of all points that carry its mass.
    fn add_masses(&self, at: &Moment, local: &dyn Fn(usize) -> usize, system: &mut System) {
        let model = at.model;
        let damped = 1.0 + at.scheme.effective_step * model.soft[self.soft].damping.mass;
        for (slot, mass) in &self.masses {
            system.matrix.add(*slot, &DMat3::from_diagonal(DVec3::splat(damped * mass)));
        }
        for &point in &self.turning {
            let (mass, parts) =
                (damped * model.masses[point], jacobians(&model.ties, &at.predicted.frames, point));
            for (i, (a, ja)) in parts.iter().enumerate() {
                for (b, jb) in &parts[..=i] {
                    system.add(local(*a), local(*b), &(ja.transpose() * *jb * mass));
                }
            }
        }
    }

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

/// The mass of a soft part by block of the system, kg, where it hangs on free nodes alone, and the points where it does not.
fn masses(
    model: &Model,
    frames: &[Frame],
    soft: usize,
    local: &dyn Fn(usize) -> usize,
    pattern: &BlockPattern,
) -> (Vec<(Slot, f64)>, Vec<usize>) {
    let is_rigid = |block: usize| frames.iter().any(|f| [f.block, f.block + 1].contains(&block));
    let (mut sums, mut turning) = (BTreeMap::<(usize, usize), f64>::new(), Vec::new());
    for point in model.soft[soft].carriers.clone() {
        let parts = jacobians(&model.ties, frames, point);
        if parts.iter().any(|(block, _)| is_rigid(*block)) {
            turning.push(point);
            continue;
        }
        for (i, (a, ja)) in parts.iter().enumerate() {
            for (b, jb) in &parts[..=i] {
                let pair = (local(*a).max(local(*b)), local(*a).min(local(*b)));
                *sums.entry(pair).or_default() += ja.x_axis.x * jb.x_axis.x * model.masses[point];
            }
        }
    }
    let slot = |(a, b)| pattern.slot(a, b).expect("the pattern holds the nodes that carry a point");
    (sums.into_iter().map(|(pair, mass)| (slot(pair), mass)).collect(), turning)
}

/// Largest change of any configuration: for rotations, the angle in rad.
fn turned(before: &[DMat3], after: &[DMat3]) -> f64 {
    let distance = |(a, b): (&DMat3, &DMat3)| {
        let d = *a - *b;
        (0.5 * crate::math::double_dot(&d, &d)).sqrt()
    };
    before.iter().zip(after).map(distance).fold(0.0, f64::max)
}
