//! Cavity detection for a group of near bodies, by one of two detectors.
//!
//! Both detectors say which parts of surfaces bound which air, and which parts touch. The union of the thickened bodies
//! (`cupule_geometry::arrangement`) and the flood fill of their gap field (`cupule_geometry::flood`) have one interface, and each
//! steps in where the other fails:
//!
//! - The flood refuses three bodies that meet along a line.
//! - The union fails where a surface crosses itself, as that of a crushed body may.
//! - The union does not see where a body is folded on itself. Where a body touches itself, the flood runs whatever the settings say.

use super::classify::Classifier;
use super::detected::DetectedCavity;
use super::input::{DetectionSettings, Distances};
use super::proximity::Proximity;
use crate::settings::Detector;
use cupule_geometry::GeometryError;
use cupule_geometry::arrangement::{Arrangement, arrange};
use cupule_geometry::flood::flood_each;

/// What a detection found: enclosed air, and sealed patches without an open part.
#[derive(Debug, Clone, Default)]
pub struct DetectionResult {
    /// Whether another detector answered than the wanted one, because that one refused.
    pub refused: bool,
    /// Enclosed air.
    pub open: Vec<DetectedCavity>,
    /// Sealed, but flat.
    pub flat: Vec<DetectedCavity>,
}

impl Proximity<'_> {
    /// Detects the air that the bodies enclose; `before` are the cavities that they bounded until now.
    pub(super) fn detect(
        self,
        distances: &Distances,
        settings: DetectionSettings,
        before: &[&DetectedCavity],
    ) -> Result<DetectionResult, GeometryError> {
        let detector = if self.is_folded() { Detector::Flood } else { settings.detector };
        let (answered, arrangement) = match detector {
            Detector::Union => match self.union() {
                Ok(arrangement) => (Detector::Union, arrangement),
                Err(failed @ GeometryError::UnionFailed { .. }) => {
                    (Detector::Flood, self.flood(distances).map_err(|_| failed)?)
                }
                Err(other) => return Err(other),
            },
            Detector::Flood => match self.flood(distances) {
                Ok(arrangement) => (Detector::Flood, arrangement),
                Err(GeometryError::FloodFailed { .. }) => (Detector::Union, self.union()?),
                Err(other) => return Err(other),
            },
        };
        let (bodies, surfaces) = (self.bodies, self.surfaces);
        let classifier =
            Classifier { bodies, distances, surfaces, arrangement: &arrangement, before };
        let (open, flat) = classifier.cavities(settings.ring, distances.closing());
        Ok(DetectionResult { refused: answered != detector, open, flat })
    }

    /// Whether a body touches itself.
    fn is_folded(&self) -> bool {
        let folded = |body: usize| {
            let own = self.thickened.nearest[body].iter().zip(&self.sealing[body]);
            own.into_iter().any(|(nearest, seals)| *seals && *nearest == Some(body as u32))
        };
        (0..self.bodies.len()).any(folded)
    }

    fn union(&self) -> Result<Arrangement, GeometryError> {
        arrange(&self.surfaces, &self.thickened.positions)
    }

    fn flood(&self, distances: &Distances) -> Result<Arrangement, GeometryError> {
        let level = |body: usize, vertex: usize| self.levels[body][vertex];
        let may_seal = |a: usize, b: usize| self.may_seal[a][b];
        Ok(flood_each(&self.surfaces, distances.opening(), level, may_seal)?.arrangement)
    }
}
