//! The mass of a soft part in its island's system, J^T m J of all points that carry it.

use super::super::assembly::{System, jacobians};
use super::super::layout::is_rigid;
use super::limb::Moment;
use crate::mapping::Frame;
use crate::model::Model;
use crate::sparse::{BlockPattern, Slot};
use cupule_geometry::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Where the mass of a part is.
#[derive(Clone, Default)]
pub(super) struct Masses {
    /// On free nodes alone, by block of the system, kg: the same at all times.
    fixed: Vec<(Slot, f64)>,
    /// Points whose mass is on nodes that slide, or on free nodes and rigid bodies, in cells of a cage that is glued in part: as old as the
    /// stiffness.
    between: Vec<usize>,
    /// Points whose mass is on rigid bodies alone.
    carried: Vec<usize>,
}

impl Masses {
    pub(super) fn new(
        model: &Model,
        frames: &[Frame],
        soft: usize,
        local: &dyn Fn(usize) -> usize,
        pattern: &BlockPattern,
    ) -> Self {
        let (mut sums, mut out) = (BTreeMap::<(usize, usize), f64>::new(), Self::default());
        for point in model.soft[soft].carriers.clone() {
            let parts = jacobians(&model.ties, frames, point);
            let on_rigid = parts.iter().filter(|(block, _)| is_rigid(frames, *block)).count();
            if on_rigid > 0 || parts.iter().any(|(_, j)| *j != j.x_axis.x * DMat3::IDENTITY) {
                let is_carried = on_rigid > 0 && on_rigid == parts.len();
                if is_carried { &mut out.carried } else { &mut out.between }.push(point);
                continue;
            }
            for (i, (a, ja)) in parts.iter().enumerate() {
                for (b, jb) in &parts[..=i] {
                    let pair = (local(*a).max(local(*b)), local(*a).min(local(*b)));
                    // Where free nodes alone move it, J is a multiple of the identity.
                    let share = ja.x_axis.x * jb.x_axis.x;
                    *sums.entry(pair).or_default() += share * model.masses[point];
                }
            }
        }
        let slot =
            |(a, b)| pattern.slot(a, b).expect("the pattern holds the nodes that carry a point");
        out.fixed = sums.into_iter().map(|(pair, mass)| (slot(pair), mass)).collect();
        out
    }

    /// Adds what is not on rigid bodies alone.
    pub(super) fn add_own(
        &self,
        soft: usize,
        at: &Moment,
        local: &dyn Fn(usize) -> usize,
        system: &mut System,
    ) {
        for (slot, mass) in &self.fixed {
            let mass = damped(soft, at) * mass;
            system.matrix.add(*slot, &DMat3::from_diagonal(DVec3::splat(mass)));
        }
        add(&self.between, soft, at, local, system);
    }

    /// Adds what is on rigid bodies alone, as they are now.
    pub(super) fn add_carried(
        &self,
        soft: usize,
        at: &Moment,
        local: &dyn Fn(usize) -> usize,
        system: &mut System,
    ) {
        add(&self.carried, soft, at, local, system);
    }
}

/// Adds J^T m J of some points.
fn add(
    points: &[usize],
    soft: usize,
    at: &Moment,
    local: &dyn Fn(usize) -> usize,
    system: &mut System,
) {
    for &point in points {
        let mass = damped(soft, at) * at.model.masses[point];
        let parts = jacobians(&at.model.ties, &at.predicted.frames, point);
        for (i, (a, ja)) in parts.iter().enumerate() {
            for (b, jb) in &parts[..=i] {
                system.add(local(*a), local(*b), &(ja.transpose() * *jb * mass));
            }
        }
    }
}

/// 1 + h' alpha of a soft part.
fn damped(soft: usize, at: &Moment) -> f64 {
    1.0 + at.scheme.effective_step * at.model.soft[soft].damping.mass
}
