//! Loads that go in and figures that come out.

use super::spec::Hold;
use super::{BodyId, BodyKind, World};
use crate::contact::{PlacedSurface, intersections};
use crate::mapping::Tie;
use crate::model::{Loads, State};
use crate::report::{BodyReport, ContactReport, Energy, StepReport, Wrench, worse};
use crate::solver::{Chamber, Outcome, Touch};
use cupule_geometry::{DMat3, DVec3};

impl World {
    /// Loads at a time, s.
    pub(super) fn loads(&self, time: f64) -> Loads {
        let mut loads = Loads {
            gravity: self.settings.gravity,
            points: self.point_forces.clone(),
            frames: Vec::new(),
        };
        for attachment in &self.attachments {
            if let Hold::Wrench(path) = &attachment.hold {
                let wrench = path.at(time);
                match self.bodies[attachment.body].frame {
                    Some(frame) => loads.frames.push((frame, wrench.force, wrench.torque)),
                    None => loads.points.extend(self.share_out(&attachment.points, wrench)),
                }
            }
        }
        self.add_pulls(&mut loads);
        loads
    }

    /// Forces on points with the resultant of a wrench about their centre: f_i = F / n + a x r_i, where a makes the torque.
    pub(super) fn share_out(&self, points: &[usize], wrench: Wrench) -> Vec<(usize, DVec3)> {
        let centre = self.centre(points);
        let arm = |p: &usize| self.state.at.points[*p] - centre;
        // sum r x (a x r) = (sum |r|^2 - r r^T) a
        let second = points.iter().map(arm).fold(DMat3::ZERO, |sum, r| {
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
        points
            .iter()
            .map(|p| (*p, wrench.force / points.len() as f64 + spin.cross(arm(p))))
            .collect()
    }

    pub(super) fn centre(&self, points: &[usize]) -> DVec3 {
        points.iter().map(|p| self.state.at.points[*p]).sum::<DVec3>() / points.len() as f64
    }

    /// Work of everything that moves as prescribed, of wrenches and of what pulls cables, during the step to `next`, J.
    pub(super) fn work_of_drives(
        &self,
        next: &State,
        touches: &[Touch],
        chambers: &[Chamber],
        outcome: &Outcome,
        length: f64,
    ) -> f64 {
        let moved = |p: usize| next.at.points[p] - self.state.at.points[p];
        let driven = |p: usize| matches!(self.model.ties[p], Tie::Driven { .. });
        let held: f64 = outcome
            .reactions
            .iter()
            .filter(|(p, _)| driven(*p))
            .map(|(p, f)| f.dot(moved(*p)))
            .sum();
        // What drives a kinematic body holds against contact and gas.
        let soft = |p: usize| self.model.soft.iter().any(|s| s.points.contains(&p));
        let kinematic = |p: usize| driven(p) && !soft(p);
        let mut pushed = 0.0;
        for (chamber, pressure) in chambers.iter().zip(&outcome.pressures) {
            let walls = chamber.gradient.iter().filter(|(p, _)| kinematic(*p));
            let swept: f64 = walls.map(|(p, area)| area.dot(moved(*p))).sum();
            pushed -= (pressure - chamber.gas.atmosphere) * swept;
        }
        for (touch, force) in touches.iter().zip(&outcome.forces) {
            let force = touch.to_world(*force);
            pushed -= touch
                .points
                .iter()
                .filter(|(p, _)| kinematic(*p))
                .map(|&(p, w)| force.dot(moved(p)) * w)
                .sum::<f64>();
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

    pub(super) fn remember_start_energy(&mut self) {
        if self.memory.start_energy.is_none() {
            self.memory.start_energy = Some(self.stored_now());
        }
    }

    /// Energies of the present state; a step has computed them already.
    pub(super) fn stored_now(&self) -> Energy {
        self.memory.stored.unwrap_or_else(|| self.stored_energy(&self.state))
    }

    /// Energies now, J.
    pub fn energy(&self) -> Energy {
        let now = self.stored_now();
        let total = |e: &Energy| e.kinetic + e.elastic + e.gravity + e.gas;
        let start = self.memory.start_energy.unwrap_or(now);
        let now = Energy { gas: self.gas_energy(), ..now };
        Energy { dissipated: total(&start) + self.memory.work - total(&now), ..now }
    }

    pub(super) fn stored_energy(&self, state: &State) -> Energy {
        let (points, velocities, gravity) =
            (&state.at.points, &state.point_velocities, self.settings.gravity);
        let mut energy = Energy::default();
        for (i, mass) in self.model.masses.iter().enumerate() {
            energy.kinetic += 0.5 * mass * velocities[i].length_squared();
            energy.gravity -= mass * gravity.dot(points[i]);
        }
        for (rigid, frame) in self.model.rigid.iter().zip(&state.at.frames) {
            let [v, w] = [frame.block, frame.block + 1].map(|i| state.velocities[i]);
            let spin = rigid.world_inertia(frame.orientation) * w;
            energy.kinetic += 0.5 * (rigid.mass * v.length_squared() + w.dot(spin));
            energy.gravity -= rigid.mass * gravity.dot(frame.position);
        }
        energy.elastic =
            self.model.soft.iter().map(|s| s.elements.energy(&points[s.points.clone()])).sum();
        energy
    }

    /// How many pairs of triangles and wires that contact should keep apart have a point in common now, exactly; those of thin
    /// bodies to rounding, where their thickness is concerned.
    pub fn intersecting_pairs(&self) -> usize {
        let pairs = self.engine.as_ref().map_or(&[][..], |engine| &engine.pairs);
        self.intersections(pairs).iter().sum()
    }

    /// The same for every listed pair of bodies.
    pub(super) fn intersections(&self, pairs: &[(usize, usize)]) -> Vec<usize> {
        let positions: Vec<Vec<DVec3>> =
            (0..self.bodies.len()).map(|i| self.surface_positions(BodyId(i))).collect();
        let surfaces: Vec<PlacedSurface> = self
            .bodies
            .iter()
            .zip(&positions)
            .map(|(body, positions)| PlacedSurface {
                positions,
                triangles: &body.triangles,
                wires: &body.wires,
                radius: body.radius,
            })
            .collect();
        intersections(&surfaces, pairs)
    }

    /// Where a body is and how it moves, as a whole.
    pub fn body_report(&self, body: BodyId) -> BodyReport {
        let b = &self.bodies[body.0];
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in &b.surface_points {
            let z = self.state.at.points[*p].z;
            (lowest, highest) = (lowest.min(z - b.radius), highest.max(z + b.radius));
        }
        let (points, velocities) = (self.nodes(body), self.node_velocities(body));
        let base = BodyReport { lowest, highest, ..BodyReport::default() };
        match (b.kind, b.frame) {
            (BodyKind::Rigid, Some(f)) => {
                let (rigid, frame) = (&self.model.rigid[f], &self.state.at.frames[f]);
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
            (BodyKind::Fem, _) => {
                let masses = &self.model.masses[b.carriers.clone()];
                let points = &self.state.at.points[b.carriers.clone()];
                let velocities = &self.state.point_velocities[b.carriers.clone()];
                let centre = super::build::weighted_mean(points, masses);
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
            _ => {
                let n = points.len().max(1) as f64;
                let mean = |v: &[DVec3]| v.iter().sum::<DVec3>() / n;
                BodyReport { centre: mean(points), velocity: mean(velocities), ..base }
            }
        }
    }

    pub(super) fn report(
        &self,
        length: f64,
        touches: &[Touch],
        outcome: &Outcome,
        factorisations: usize,
    ) -> StepReport {
        let contacts: Vec<ContactReport> = touches
            .iter()
            .zip(outcome.forces.iter().zip(&outcome.measures))
            .map(|(touch, (force, measure))| self.contact_report(touch, *force, *measure))
            .collect();
        let mut bodies: Vec<BodyReport> =
            (0..self.bodies.len()).map(|i| self.body_report(BodyId(i))).collect();
        for contact in &contacts {
            bodies[contact.bodies[0]].contact_force += contact.force;
            bodies[contact.bodies[1]].contact_force -= contact.force;
        }
        // Along the normals that the step kept; and as it truly was at its start, which tells what turning bodies have missed of the last one.
        let depth = |c: &ContactReport| -(c.gap + self.settings.contact_distance);
        let depths = contacts.iter().map(depth).chain(touches.iter().map(|t| -t.contact.distance));
        StepReport {
            time: self.state.time,
            time_step: length,
            iterations: outcome.iterations,
            rows: outcome.rows,
            residual: outcome.residual,
            max_penetration: depths.fold(0.0, worse),
            intersecting_pairs: self.settings.audit.then(|| self.intersecting_pairs()),
            energy: self.energy(),
            bodies,
            attachments: (0..self.attachments.len())
                .map(|a| self.attachment_wrench(a, outcome))
                .collect(),
            cables: self.cable_reports(),
            contacts,
            factorisations,
            ..StepReport::default()
        }
    }

    fn contact_report(&self, touch: &Touch, force: DVec3, measure: DVec3) -> ContactReport {
        let at = |sign: f64| -> DVec3 {
            touch
                .points
                .iter()
                .filter(|(_, w)| w * sign > 0.0)
                .map(|&(p, w)| self.state.at.points[p] * w.abs())
                .sum()
        };
        ContactReport {
            bodies: [touch.contact.a.surface as usize, touch.contact.b.surface as usize],
            at: (at(1.0) + at(-1.0)) * 0.5,
            normal: touch.contact.normal,
            force: touch.to_world(force),
            gap: measure.x + touch.distance - self.settings.contact_distance,
            slip: touch.to_world(DVec3::new(0.0, measure.y, measure.z)),
            area: touch.contact.area,
            points: [touch.contact.a, touch.contact.b],
        }
    }

    /// Force and torque that an attachment exerts on the body it holds.
    fn attachment_wrench(&self, index: usize, outcome: &Outcome) -> Wrench {
        let attachment = &self.attachments[index];
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
