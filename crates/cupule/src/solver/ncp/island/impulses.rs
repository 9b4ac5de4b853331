//! The right-hand side of an island: what forces and history give to its unknowns in a step, N s.

use super::super::damping::add_stiffness_damping;
use super::limb::SoftPart;
use super::{Island, carriers_apart};
use crate::element::Damping;
use crate::integrator::TimeStep;
use crate::mapping::{Tie, for_each_block};
use crate::model::{Configuration, Loads, Model, Soft};
use cupule_geometry::{DMat3, DVec3};

impl Island {
    /// b of soft parts, through the ties: M (v^ - u) + h' (f(x*) + f_ext - D u), u the velocity if no unknown changed.
    pub(super) fn add_soft_impulses(
        &mut self,
        model: &Model,
        step: &TimeStep,
        loads: &Loads,
        predicted: &Configuration,
        base: &[DVec3],
        rhs: &mut [DVec3],
    ) {
        let h = self.effective_step;
        let blocks = &self.blocks;
        let local = |block: usize| blocks.partition_point(|b| *b < block);
        self.tied_impulses.clear();
        for SoftPart { soft, configuration, damping_forces, .. } in
            self.limbs.iter_mut().flat_map(|limb| &mut limb.parts)
        {
            let part = &model.soft[*soft];
            let range = part.points.clone();
            let (x, velocities) = (&predicted.points[range.clone()], &base[range.clone()]);
            let known = damping_forces.take();
            let mut forces = inner_forces(part, x, configuration, velocities, known);
            if !part.shares_nodes {
                let own = loads.points.iter().filter(|(p, _)| range.contains(p));
                own.for_each(|(p, f)| forces[p - range.start] += *f);
            }
            let apart = carriers_apart(part).map(|point| (point, DVec3::ZERO));
            for (point, force) in range.zip(forces).chain(apart) {
                let mass = if part.shares_nodes { 0.0 } else { model.masses[point] };
                let base = base[point];
                let impulse = (step.history_velocity(point) - base) * mass
                    + (force + (loads.gravity - base * part.damping.mass) * mass) * h;
                if let Tie::Free(block) = model.ties[point] {
                    rhs[local(block)] += impulse;
                } else {
                    let known = self.tied_impulses.get(&point).filter(|_| part.shares_nodes);
                    let whole = known.map_or(impulse, |known| *known + impulse);
                    self.tied_impulses.insert(point, whole);
                    for_each_block(&model.ties, &predicted.frames, point, &mut |block, j| {
                        rhs[local(block)] += j.transpose() * impulse;
                    });
                }
            }
        }
    }

    /// b of rigid bodies; the spin's is L^ - I* omega + h' torque, with the spin omega that the step starts from, so that angular momentum
    /// is kept exactly.
    pub(super) fn add_rigid_impulses(
        &self,
        model: &Model,
        step: &TimeStep,
        loads: &Loads,
        predicted: &Configuration,
        rhs: &mut [DVec3],
    ) {
        let h = self.effective_step;
        for &f in &self.frames {
            let (rigid, frame, i) =
                (&model.rigid[f], &step.now.at.frames[f], self.local(step.now.at.frames[f].block));
            let momentum = |state: &crate::model::State| {
                rigid.world_inertia(state.at.frames[f].orientation)
                    * state.velocities[frame.block + 1]
            };
            let (now, before) = (momentum(step.now), momentum(step.before));
            let carried = now + (now - before) * step.scheme(frame.block).carry;
            let predicted_inertia = rigid.world_inertia(predicted.frames[f].orientation);
            rhs[i] += (step.history_block_velocity(frame.block)
                - step.base_block_velocity(frame.block))
                * rigid.mass
                + loads.gravity * (rigid.mass * h);
            rhs[i + 1] += carried - predicted_inertia * step.base_block_velocity(frame.block + 1);
            for (_, force, torque) in loads.frames.iter().filter(|(g, ..)| *g == f) {
                rhs[i] += *force * h;
                rhs[i + 1] += *torque * h;
            }
        }
    }
}

/// f(x) - beta K u of a part, N; the second is `known` where it has just been made.
fn inner_forces(
    part: &Soft,
    x: &[DVec3],
    configuration: &[DMat3],
    velocities: &[DVec3],
    known: Option<Vec<DVec3>>,
) -> Vec<DVec3> {
    let beta = part.damping.stiffness;
    let is_known = known.is_some();
    let mut forces = known.unwrap_or_else(|| vec![DVec3::ZERO; x.len()]);
    if let Some(elements) = part.elements.as_damped() {
        elements.add_damped_forces(x, configuration, Damping { velocities, beta }, &mut forces);
        return forces;
    }
    part.elements.add_forces(x, &mut forces);
    if beta > 0.0 && !is_known {
        add_stiffness_damping(part, x, velocities, &mut forces);
    }
    forces
}
