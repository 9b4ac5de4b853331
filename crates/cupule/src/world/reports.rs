//! What a step reports: bodies, contacts, attachments.

use super::assembly::Assembly;
use super::builder::Hold;
use super::engine::Proposal;
use super::moment::Moment;
use crate::contact::{PlacedSurface, intersections};
use crate::report::{BodyReport, ContactReport, StepReport, Wrench, worse};
use crate::solver::{Outcome, WorldContact};
use cupule_geometry::DVec3;

impl Assembly {
    /// For every pair of bodies that contact keeps apart, how many pairs of triangles and wires have a point in common with all points at `x`
    /// (m).
    pub(super) fn intersections(&self, x: &[DVec3]) -> Vec<usize> {
        let positions = self.surfaces_at(x);
        let surfaces: Vec<PlacedSurface> = (self.bodies.iter().zip(&positions))
            .map(|(body, positions)| PlacedSurface { positions, surface: &body.surface })
            .collect();
        intersections(&surfaces, &self.pairs)
    }
}

impl Moment<'_> {
    /// Where a body is and how it moves, as a whole.
    pub(super) fn body_report(&self, body: usize) -> BodyReport {
        let b = &self.assembly.bodies[body];
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in &b.surface.points {
            let z = self.state.at.points[*p].z;
            let radius = b.surface.radius;
            (lowest, highest) = (lowest.min(z - radius), highest.max(z + radius));
        }
        let points = &self.state.at.points[b.points.clone()];
        let velocities = &self.state.point_velocities[b.points.clone()];
        let base = BodyReport { lowest, highest, ..BodyReport::default() };
        match b.frame {
            Some(f) => {
                let (rigid, frame) = (&self.assembly.model.rigid[f], &self.state.at.frames[f]);
                let [v, w] = [frame.block, frame.block + 1].map(|i| self.state.velocities[i]);
                let spin = rigid.world_inertia(frame.orientation) * w;
                let momentum = v * rigid.mass;
                let angular_momentum = frame.position.cross(momentum) + spin;
                BodyReport {
                    centre: frame.position,
                    velocity: v,
                    momentum,
                    angular_momentum,
                    ..base
                }
            }
            None if b.has_nodes() => {
                let masses = &self.assembly.model.masses[b.carriers.clone()];
                let points = &self.state.at.points[b.carriers.clone()];
                let velocities = &self.state.point_velocities[b.carriers.clone()];
                let centre = super::builder::weighted_mean(points, masses);
                let momentum: DVec3 = velocities.iter().zip(masses).map(|(v, m)| *v * *m).sum();
                let angular_momentum = points
                    .iter()
                    .zip(velocities)
                    .zip(masses)
                    .map(|((x, v), m)| x.cross(*v) * *m)
                    .sum();
                BodyReport {
                    centre,
                    velocity: momentum / b.mass,
                    momentum,
                    angular_momentum,
                    ..base
                }
            }
            None => {
                let n = points.len().max(1) as f64;
                let mean = |v: &[DVec3]| v.iter().sum::<DVec3>() / n;
                BodyReport { centre: mean(points), velocity: mean(velocities), ..base }
            }
        }
    }

    /// Bodies and cables where they are before the first step. No force is known yet.
    pub(super) fn start_report(&self) -> StepReport {
        StepReport {
            time: self.state.time,
            bodies: (0..self.assembly.bodies.len()).map(|i| self.body_report(i)).collect(),
            attachments: vec![Wrench::default(); self.assembly.attachments.len()],
            cables: self.cable_reports(),
            ..StepReport::default()
        }
    }

    pub(super) fn report(
        &self,
        length: f64,
        proposal: &Proposal,
        elastic_gain: Option<f64>,
    ) -> StepReport {
        let Proposal { contacts: solved, outcome, .. } = proposal;
        let contacts: Vec<ContactReport> = solved
            .iter()
            .zip(outcome.forces.iter().zip(&outcome.measures))
            .map(|(contact, (force, measure))| self.contact_report(contact, *force, *measure))
            .collect();
        let mut bodies: Vec<BodyReport> =
            (0..self.assembly.bodies.len()).map(|i| self.body_report(i)).collect();
        for contact in &contacts {
            bodies[contact.bodies[0]].contact_force += contact.force;
            bodies[contact.bodies[1]].contact_force -= contact.force;
        }
        let bonds = self.bond_reports(outcome);
        for bond in &bonds {
            bodies[bond.bodies[0]].bond_force += bond.force;
            bodies[bond.bodies[1]].bond_force -= bond.force;
        }
        // Along the normals that the step kept; and as it truly was at its start, which tells what turning bodies have missed of the last one.
        let depth = |c: &ContactReport| -(c.gap + self.assembly.settings.contact_distance);
        let depths = contacts.iter().map(depth).chain(solved.iter().map(|c| -c.contact.distance));
        StepReport {
            time: self.state.time,
            time_step: length,
            iterations: outcome.iterations,
            rows: outcome.rows,
            residual: outcome.residual,
            max_penetration: depths.fold(0.0, worse),
            intersecting_pairs: (self.assembly.settings.audit)
                .then(|| self.assembly.intersections(self.points()).iter().sum()),
            elastic_gain,
            bodies,
            attachments: (0..self.assembly.attachments.len())
                .map(|a| self.attachment_wrench(a, outcome))
                .collect(),
            cables: self.cable_reports(),
            contacts,
            bonds,
            factorisations: proposal.factorisations,
            ..StepReport::default()
        }
    }

    fn contact_report(
        &self,
        WorldContact { contact, touch }: &WorldContact,
        force: DVec3,
        measure: DVec3,
    ) -> ContactReport {
        let at = |sign: f64| -> DVec3 {
            touch
                .points
                .iter()
                .filter(|(_, w)| w * sign > 0.0)
                .map(|&(p, w)| self.state.at.points[p] * w.abs())
                .sum()
        };
        ContactReport {
            bodies: [contact.a.surface as usize, contact.b.surface as usize],
            at: (at(1.0) + at(-1.0)) * 0.5,
            normal: contact.normal,
            force: touch.to_world(force),
            gap: measure.x + touch.distance - self.assembly.settings.contact_distance,
            slip: touch.to_world(DVec3::new(0.0, measure.y, measure.z)),
            area: contact.area,
            points: [contact.a, contact.b],
        }
    }

    /// Force and torque that an attachment exerts on the body it holds.
    fn attachment_wrench(&self, index: usize, outcome: &Outcome) -> Wrench {
        let attachment = &self.assembly.attachments[index];
        if let Hold::Wrench(path) = &attachment.hold {
            return path.at(self.state.time);
        }
        let centre = self.centre(&attachment.points);
        let mut wrench = Wrench::default();
        for (point, force) in
            outcome.reactions.iter().filter(|(p, _)| attachment.points.contains(p))
        {
            wrench.force += *force;
            wrench.torque += (self.state.at.points[*point] - centre).cross(*force);
        }
        wrench
    }
}
