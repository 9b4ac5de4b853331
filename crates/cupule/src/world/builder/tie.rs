//! Points that hang on bodies: on the cells of a soft one, on a rigid one, on one that is led, or on the world.

use super::spec::BodyId;
use super::{WorldBuilder, embedded_parts};
use crate::mapping::Tie;
use crate::motion::Motion;
use cupule_geometry::DVec3;
use cupule_geometry::cage::embed;

/// How far outside a soft body a point on it may lie, as a share of the body's size: rounding of a boundary.
const OUTSIDE: f64 = 1e-3;

impl WorldBuilder {
    /// Ties of points (m) in the cells of a soft body.
    ///
    /// # Errors
    /// Where the body is not soft, or a point lies outside it.
    pub(super) fn ties_in(&self, body: BodyId, points: &[DVec3]) -> Result<Vec<Tie>, String> {
        let body = &self.bodies[body.0];
        let Some(mesh) = &body.mesh else {
            return Err(format!("body \"{}\" is not soft", body.name));
        };
        let low = mesh.nodes.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = mesh.nodes.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let embedding = embed(points, mesh).map_err(|e| e.to_string())?;
        if embedding.max_distance > OUTSIDE * (high - low).max_element() {
            return Err(format!(
                "a point lies {:.3e} m outside body \"{}\": its points are inside",
                embedding.max_distance, body.name
            ));
        }
        let parts = embedded_parts(&embedding, mesh, body.points.start);
        Ok(parts.map(Tie::Combined).collect())
    }

    /// Tie of a point (m) on a body that has no cells, or on the world; none on a soft body.
    pub(super) fn tie_on(&mut self, body: Option<BodyId>, at: DVec3) -> Option<Tie> {
        let Some(body) = body else {
            return Some(Tie::Driven { drive: self.push_drive(Motion::fixed()), start: at });
        };
        let body = &self.bodies[body.0];
        if let Some(drive) = body.drive {
            return Some(Tie::Driven { drive, start: at });
        }
        let frame = body.frame?;
        Some(Tie::Carried { frame, arm: at - self.frames[frame].0.position })
    }
}
