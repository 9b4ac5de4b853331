//! What can be asked of a world.

use super::assembly::{Attachment, Body, BodyKind};
use super::builder::nearest;
use super::{AttachmentId, BodyId, CableDrive, Hold, VonMises, World};
use crate::cavity::{Cavity, Moles, Schedule, SurfacePoint, Survey, Vessel};
use crate::motion::{Arm, Motion};
use crate::report::{BodyReport, Energy, StepReport};
use crate::settings::{Detector, Settings};
use cupule_geometry::{DVec3, GeometryError, ThinMesh, VolumeMesh};
use std::sync::Arc;

/// An attachment, as it is now.
#[derive(Debug, Clone, Copy)]
pub struct AttachmentView<'a> {
    /// Its name.
    pub name: &'a str,
    /// The body whose points it holds.
    pub body: BodyId,
    /// What holds them.
    pub hold: &'a Hold,
    /// Where it acts: the mean of its points, m.
    pub centre: DVec3,
}

impl World {
    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.assembly.settings
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.assembly.bodies.len()
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyId) -> &str {
        &self.assembly.bodies[body.0].name
    }

    /// Kind of a body.
    pub fn body_kind(&self, body: BodyId) -> BodyKind {
        self.assembly.bodies[body.0].kind
    }

    /// Mass of a body, kg; 0 for kinematic and static ones.
    pub fn body_mass(&self, body: BodyId) -> f64 {
        self.assembly.bodies[body.0].mass
    }

    /// A body by name.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        self.assembly.bodies.iter().position(|b| b.name == name).map(BodyId)
    }

    /// Number of attachments.
    pub fn attachment_count(&self) -> usize {
        self.assembly.attachments.len()
    }

    /// An attachment, as it is now.
    pub fn attachment(&self, attachment: AttachmentId) -> AttachmentView<'_> {
        let Attachment { name, body, points, hold, .. } = &self.assembly.attachments[attachment.0];
        AttachmentView { name, body: BodyId(*body), hold, centre: self.moment().centre(points) }
    }

    /// Whether nothing but weight, contact and gas acts on a body: it moves, and nothing holds, drives, loads or brakes it.
    pub fn is_on_its_own(&self, body: BodyId) -> bool {
        let held =
            |a: &Attachment| a.body == body.0 || matches!(a.hold, Hold::Glue(b) if b == body);
        let loaded = |(point, _): &(usize, DVec3)| self.assembly.body_of_point[*point] == body.0;
        self.assembly.bodies[body.0].moves_freely()
            && !self.assembly.attachments.iter().any(held)
            && !self.assembly.point_forces.iter().any(loaded)
            && !self.assembly.pulls.iter().any(|(point, _)| point.body == body.0)
            && !self.assembly.cables.iter().any(|cable| self.assembly.pulls_on(cable, body.0))
            && !self.assembly.is_tethered(body.0)
            && !self.assembly.pools_of(body.0).any(|pool| pool.damping.mass > 0.0)
    }

    /// Young's modulus of a soft body, Pa.
    pub fn youngs_modulus(&self, body: BodyId) -> Option<f64> {
        let material = self.assembly.bodies[body.0].material;
        material.map(|(material, _)| material.isotropic().youngs_modulus())
    }

    /// Vertices (m) of a body's collision surface now.
    pub fn surface_positions(&self, body: BodyId) -> Vec<DVec3> {
        self.moment().surface_of(body.0)
    }

    /// Triangles of a body's collision surface.
    pub fn surface_triangles(&self, body: BodyId) -> &[[u32; 3]] {
        &self.assembly.bodies[body.0].surface.triangles
    }

    /// A body's wires and sheets where they are now; none for one that has an inside.
    pub fn thin_mesh(&self, body: BodyId) -> Option<ThinMesh> {
        let b = &self.assembly.bodies[body.0];
        b.surface.is_thin().then(|| ThinMesh {
            vertices: self.surface_positions(body),
            triangles: b.surface.triangles.clone(),
            wires: b.surface.wires.clone(),
            radius: b.surface.radius,
        })
    }

    /// For every vertex of a body's collision surface the node that it is; none where several nodes carry it.
    pub fn surface_nodes(&self, body: BodyId) -> impl Iterator<Item = Option<usize>> {
        let Body { surface, points, .. } = &self.assembly.bodies[body.0];
        surface.points.iter().map(|p| points.contains(p).then(|| p - points.start))
    }

    /// Nodes of a soft body (vertices of another), m.
    pub fn nodes(&self, body: BodyId) -> &[DVec3] {
        &self.state.at.points[self.assembly.bodies[body.0].points.clone()]
    }

    /// Velocities of the nodes of a soft body (vertices of another), m/s.
    pub fn node_velocities(&self, body: BodyId) -> &[DVec3] {
        &self.state.point_velocities[self.assembly.bodies[body.0].points.clone()]
    }

    /// Cells of a soft body at rest.
    pub fn rest_mesh(&self, body: BodyId) -> Option<&VolumeMesh> {
        self.assembly.bodies[body.0].mesh.as_ref()
    }

    /// Orientation of a rigid body from its start, if it is one.
    pub fn orientation(&self, body: BodyId) -> Option<cupule_geometry::DQuat> {
        self.assembly.bodies[body.0].frame.map(|f| self.state.at.frames[f].orientation)
    }

    /// Spin of a rigid body, rad/s, if it is one.
    pub fn angular_velocity(&self, body: BodyId) -> Option<DVec3> {
        self.assembly.bodies[body.0]
            .frame
            .map(|f| self.state.velocities[self.state.at.frames[f].block + 1])
    }

    /// A hash of every position and velocity: equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        let at = &self.state.at;
        let poses = at
            .frames
            .iter()
            .flat_map(|f| f.position.to_array().into_iter().chain(f.orientation.to_array()));
        let vectors = at.points.iter().chain(&self.state.velocities).flat_map(|v| v.to_array());
        // FNV-1a over the bits.
        poses
            .chain(vectors)
            .flat_map(|v| v.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    }

    /// Present cavities, in the order of their numbers.
    pub fn cavities(&self) -> &[Cavity] {
        self.air.as_ref().map_or(&[], |air| air.cavities())
    }

    /// The point of a body's surface that is nearest to a place (m).
    pub fn nearest_surface_point(&self, body: BodyId, to: DVec3) -> Option<SurfacePoint> {
        nearest(body, &self.surface_positions(body), self.surface_triangles(body), to)
    }

    /// Position (m) and velocity (m/s) of a point of a surface.
    pub fn surface_point(&self, point: &SurfacePoint) -> Option<(DVec3, DVec3)> {
        let body = self.assembly.bodies.get(point.body)?;
        let corners = body.surface.triangles.get(point.triangle as usize)?;
        let (mut at, mut velocity) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, weight) in corners.iter().zip(point.at) {
            let index = body.surface.points[*vertex as usize];
            at += self.state.at.points[index] * weight;
            velocity += self.state.point_velocities[index] * weight;
        }
        Some((at, velocity))
    }

    /// Air since the start.
    pub fn moles(&self) -> Moles {
        self.air.as_ref().map(|air| air.moles()).unwrap_or_default()
    }

    /// The open part of a cavity's wall as triangles (m), three corners each.
    pub fn open_wall(&self, cavity: &Cavity) -> Vec<[DVec3; 3]> {
        let open = cavity.found.patches.iter().filter(|p| !p.touching);
        open.map(|patch| {
            let body = &self.assembly.bodies[patch.body];
            let vertices = body.surface.triangles[patch.triangle as usize];
            let x = vertices.map(|v| self.state.at.points[body.surface.points[v as usize]]);
            patch.corners.map(|at| x[0] * at[0] + x[1] * at[1] + x[2] * at[2])
        })
        .collect()
    }

    /// Lines of tubes, in the order in which they were added.
    pub fn lines(&self) -> &[Vessel] {
        self.air.as_ref().map_or(&[], |air| air.lines())
    }

    /// What a detector sees now; seals close at a gap of `sealing` (m) beyond the contact distance. Changes nothing: a way
    /// to compare detectors, or sealing distances.
    ///
    /// # Errors
    /// Where the detector fails on the bodies as they are.
    pub fn survey(&self, detector: Detector, sealing: f64) -> Result<Survey, GeometryError> {
        let Some(air) = &self.air else { return Ok(Survey::default()) };
        let x = &self.state.at.points;
        let positions = self.assembly.surfaces_at(x);
        air.survey(&self.assembly.closed_surfaces(&positions), detector, sealing, x)
    }

    /// Robots that have links with a surface, in the order in which they were added.
    pub fn robots(&self) -> Vec<&Arc<Arm>> {
        let mut robots: Vec<&Arc<Arm>> = Vec::new();
        for arm in self.assembly.model.drives.iter().filter_map(|drive| drive.arm()) {
            if !robots.iter().any(|known| Arc::ptr_eq(known, arm)) {
                robots.push(arm);
            }
        }
        robots
    }

    /// The path of a kinematic body.
    pub fn body_motion(&self, body: BodyId) -> Option<&Motion> {
        self.assembly.model.drives.get(self.assembly.bodies[body.0].path()?)
    }

    /// Muscles, with their volume (m3) over time.
    pub fn muscles(&self) -> impl Iterator<Item = (&str, &Schedule)> {
        self.air.iter().flat_map(|air| air.muscles()).map(|m| (m.name.as_str(), &m.volume))
    }

    /// What there is to report before the first step.
    pub fn start_report(&self) -> StepReport {
        let mut report = self.moment().start_report();
        report.energy = self.energy();
        if let Some(air) = &self.air {
            super::air::describe(air, &mut report);
        }
        report
    }

    /// Names of cables, and what pulls them, in the order in which they were added.
    pub fn cables(&self) -> impl ExactSizeIterator<Item = (&str, &CableDrive)> {
        self.assembly.cables.iter().map(|cable| (cable.name.as_str(), &cable.drive))
    }

    /// Energies now, J.
    pub fn energy(&self) -> Energy {
        let now = self.moment().stored_now();
        let total = |e: &Energy| e.kinetic + e.elastic + e.gravity + e.gas + e.interfaces;
        let start = self.memory.start_energy.unwrap_or(now);
        let now = Energy { gas: self.gas_energy(), ..now };
        Energy { dissipated: total(&start) + self.memory.work - total(&now), ..now }
    }

    /// How many pairs of triangles and wires that contact should keep apart have a point in common now, exactly; those of thin
    /// bodies to rounding, where their thickness is concerned.
    pub fn intersecting_pairs(&self) -> usize {
        self.assembly.intersections(&self.state.at.points).iter().sum()
    }

    /// Where a body is and how it moves, as a whole.
    pub fn body_report(&self, body: BodyId) -> BodyReport {
        self.moment().body_report(body.0)
    }

    /// Von Mises stress of a soft body; none for other bodies.
    pub fn von_mises(&self, body: BodyId) -> Option<VonMises> {
        self.moment().von_mises(body.0)
    }
}
