//! Bonds between material points: a vertex of one body and a point of a triangle of another, held together elastically.
//!
//! The displacement across is kept in the frame of the triangle, so that a bond turns with what it holds.

use super::assembly::Assembly;
use super::moment::Moment;
use super::{BodyId, WorldError};
use crate::cavity::SurfacePoint;
use crate::law::ElasticBond;
use crate::report::BondReport;
use crate::solver::{Bond, Outcome};
use cupule_geometry::DVec3;

/// A bond to be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BondSpec {
    /// The body whose vertex it holds.
    pub body: BodyId,
    /// The vertex of its collision surface.
    pub vertex: u32,
    /// The material point that it is bonded to.
    pub to: SurfacePoint,
    /// Force over opening, and over displacement across, N/m.
    pub stiffness: f64,
}

/// A bond as the world keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorldBond {
    /// The body and the point of its vertex.
    body: usize,
    point: usize,
    to: SurfacePoint,
    /// Where the vertex was across the triangle when the bond was made, along its first edge and across that, m.
    anchor: [f64; 2],
    law: ElasticBond,
}

/// The frame of a triangle: normal, first edge, across.
fn frame([a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let along = (b - a).normalize_or_zero();
    [normal, along, normal.cross(along)]
}

impl Assembly {
    /// World points of the corners of a triangle.
    fn corners(&self, at: &SurfacePoint) -> [usize; 3] {
        let body = &self.bodies[at.body];
        body.surface.triangles[at.triangle as usize].map(|v| body.surface.points[v as usize])
    }

    /// Checks a bond and finds its anchor with all points at `x` (m).
    pub(super) fn bond(&self, spec: &BondSpec, x: &[DVec3]) -> Result<WorldBond, WorldError> {
        let unknown = |what, index: usize, count: usize| {
            if index < count { Ok(()) } else { Err(WorldError::Unknown { what, index, count }) }
        };
        let BondSpec { body, vertex, to, stiffness } = *spec;
        unknown("body", body.0, self.bodies.len())?;
        unknown("body", to.body, self.bodies.len())?;
        unknown("vertex", vertex as usize, self.bodies[body.0].surface.points.len())?;
        unknown("triangle", to.triangle as usize, self.bodies[to.body].surface.triangles.len())?;
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            let (key, expected) = ("bond stiffness", "positive (N/m)");
            return Err(WorldError::Setting { key, value: stiffness, expected });
        }
        let point = self.bodies[body.0].surface.points[vertex as usize];
        let law = ElasticBond { stiffness };
        let mut bond = WorldBond { body: body.0, point, to, anchor: [0.0; 2], law };
        let across = self.now(&bond, x).displacement;
        let [_, along, beside] = frame(self.corners(&to).map(|p| x[p]));
        bond.anchor = [along.dot(across), beside.dot(across)];
        Ok(bond)
    }

    /// A bond with all points at `x` (m), for a step that starts there.
    fn now(&self, bond: &WorldBond, x: &[DVec3]) -> Bond {
        let corners = self.corners(&bond.to);
        let [normal, along, beside] = frame(corners.map(|p| x[p]));
        let [a, b, c] = bond.to.at;
        let points = [bond.point, corners[0], corners[1], corners[2]].map(|p| p as u32);
        let mut now = Bond {
            points,
            weights: [1.0, -a, -b, -c],
            normal,
            distance: self.settings.contact_distance,
            displacement: DVec3::ZERO,
            law: bond.law,
        };
        let across = now.opening(x).reject_from(normal);
        now.displacement = across - along * bond.anchor[0] - beside * bond.anchor[1];
        now
    }

    /// All bonds, for a step that starts with points at `x` (m).
    pub(super) fn bonds_at(&self, x: &[DVec3]) -> Vec<Bond> {
        self.bonds.iter().map(|bond| self.now(bond, x)).collect()
    }

    /// Energy stored in bonds with all points at `x` (m), J.
    pub(super) fn bond_energy(&self, x: &[DVec3]) -> f64 {
        let bonds = self.bonds.iter().map(|bond| self.now(bond, x));
        bonds.map(|bond| bond.law.energy(bond.measure(x, x))).sum()
    }
}

impl Moment<'_> {
    /// What bonds did in the step that ended here.
    pub(super) fn bond_reports(&self, outcome: &Outcome) -> Vec<BondReport> {
        let bonds = self.assembly.bonds.iter().zip(&outcome.bond_forces);
        let report = |(bond, force): (&WorldBond, &DVec3)| {
            let now = self.assembly.now(bond, self.points());
            let gap = now.measure(self.points(), self.points()).x;
            BondReport {
                bodies: [bond.body, bond.to.body],
                at: self.points()[bond.point],
                force: *force,
                opening: gap.max(0.0),
                displacement: now.displacement,
            }
        };
        bonds.map(report).collect()
    }
}
