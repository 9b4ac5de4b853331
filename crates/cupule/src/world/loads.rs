//! Loads that act in a step, and the work of what drives it.

use super::builder::Hold;
use super::engine::Proposal;
use super::moment::Moment;
use super::step::Given;
use crate::mapping::Tie;
use crate::model::{Loads, State};
use crate::report::Wrench;
use crate::solver::WorldContact;
use cupule_geometry::{DMat3, DVec3};

impl Moment<'_> {
    /// Loads at a time, s.
    pub(super) fn loads(&self, time: f64) -> Loads {
        let mut loads = Loads {
            gravity: self.assembly.settings.gravity,
            points: self.assembly.point_forces.clone(),
            frames: Vec::new(),
        };
        for attachment in &self.assembly.attachments {
            if let Hold::Wrench(path) = &attachment.hold {
                let wrench = path.at(time);
                match self.assembly.bodies[attachment.body].frame {
                    Some(frame) => loads.frames.push((frame, wrench.force, wrench.torque)),
                    None => {
                        let x: Vec<DVec3> =
                            attachment.points.iter().map(|p| self.state.at.points[*p]).collect();
                        let forces = attachment.points.iter().copied().zip(share_out(&x, wrench));
                        loads.points.extend(forces);
                    }
                }
            }
        }
        self.add_pulls(&mut loads);
        loads
    }

    fn add_pulls(&self, loads: &mut Loads) {
        for (point, force) in &self.assembly.pulls {
            let body = &self.assembly.bodies[point.body];
            let corners = body.surface.triangles[point.triangle as usize];
            for (vertex, weight) in corners.iter().zip(point.at) {
                self.add_load(body.surface.points[*vertex as usize], *force * weight, loads);
            }
        }
    }

    /// A force on a point, taken to what the point follows.
    fn add_load(&self, point: usize, force: DVec3, loads: &mut Loads) {
        match &self.assembly.model.ties[point] {
            Tie::Free(_) | Tie::Sliding { .. } => loads.points.push((point, force)),
            Tie::Combined(parts) => {
                parts.iter().for_each(|(part, w)| self.add_load(*part, force * *w, loads));
            }
            Tie::Carried { frame, .. } => {
                let arm = self.state.at.points[point] - self.state.at.frames[*frame].position;
                loads.frames.push((*frame, force, arm.cross(force)));
            }
            // What holds a node feels it; a kinematic body does not.
            Tie::Driven { .. }
                if self.assembly.model.soft.iter().any(|s| s.points.contains(&point)) =>
            {
                loads.points.push((point, force))
            }
            Tie::Driven { .. } => {}
        }
    }

    /// Work of everything that moves as prescribed, of wrenches and of what pulls cables, during the step to `next`, J.
    pub(super) fn work_of_drives(&self, next: &State, proposal: &Proposal, given: &Given) -> f64 {
        let (outcome, length) = (&proposal.outcome, given.length);
        let moved = |p: usize| next.at.points[p] - self.state.at.points[p];
        let driven = |p: usize| matches!(self.assembly.model.ties[p], Tie::Driven { .. });
        let held: f64 = outcome
            .reactions
            .iter()
            .filter(|(p, _)| driven(*p))
            .map(|(p, f)| f.dot(moved(*p)))
            .sum();
        // What drives a kinematic body holds against contact and gas.
        let soft = |p: usize| self.assembly.model.soft.iter().any(|s| s.points.contains(&p));
        let kinematic = |p: usize| driven(p) && !soft(p);
        let mut pushed = 0.0;
        for (chamber, pressure) in given.chambers.list.iter().zip(&outcome.pressures) {
            let walls = chamber.gradient.iter().filter(|(p, _)| kinematic(*p));
            let swept: f64 = walls.map(|(p, area)| area.dot(moved(*p))).sum();
            pushed -= (pressure - chamber.gas.atmosphere) * swept;
        }
        for (WorldContact { touch, .. }, force) in proposal.contacts.iter().zip(&outcome.forces) {
            let force = touch.to_world(*force);
            pushed -= touch
                .points
                .iter()
                .filter(|(p, _)| kinematic(*p))
                .map(|&(p, w)| force.dot(moved(p)) * w)
                .sum::<f64>();
        }
        for (bond, force) in given.bonds.iter().zip(&outcome.bond_forces) {
            let points = bond.points.iter().map(|p| *p as usize).zip(bond.weights);
            let led = points.filter(|(p, _)| kinematic(*p));
            pushed -= led.map(|(p, w)| force.dot(moved(p)) * w).sum::<f64>();
        }
        let loads = self.loads(self.state.time + length);
        let loaded: f64 = loads.points.iter().map(|(p, f)| f.dot(moved(*p))).sum();
        let turned: f64 = loads
            .frames
            .iter()
            .map(|(f, force, torque)| {
                let block = self.state.at.frames[*f].block;
                let shift = next.at.frames[*f].position - self.state.at.frames[*f].position;
                force.dot(shift) + torque.dot(next.velocities[block + 1]) * length
            })
            .sum();
        held + pushed + loaded + turned + self.work_of_cables(length)
    }
}

/// Forces on points at `x` (m) with the resultant of a wrench about their centre: f_i = F / n + a x r_i, where a makes the torque.
pub(super) fn share_out(x: &[DVec3], wrench: Wrench) -> Vec<DVec3> {
    let centre = x.iter().sum::<DVec3>() / x.len() as f64;
    let arm = |x: &DVec3| *x - centre;
    // sum r x (a x r) = (sum |r|^2 - r r^T) a
    let second = x.iter().map(arm).fold(DMat3::ZERO, |sum, r| {
        sum + DMat3::from_diagonal(DVec3::splat(r.length_squared())) - crate::math::outer(r, r)
    });
    // Points on a line have no lever about it, and the matrix is singular: it is shifted, and the error of that is
    // taken back in two more rounds for the axes that do have a lever.
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let mut spin = DVec3::ZERO;
    if trace > 0.0 {
        let inverse = (second + DMat3::from_diagonal(DVec3::splat(1e-9 * trace))).inverse();
        (0..3).for_each(|_| spin += inverse * (wrench.torque - second * spin));
    }
    let count = x.len() as f64;
    x.iter().map(|x| wrench.force / count + spin.cross(arm(x))).collect()
}
