//! Detection without any consequence: to compare detectors, or sealing distances.

use super::detected::DetectedCavity;
use super::detection::DetectionResult;
use super::input::{BodySurface, DetectionSettings, Distances, RoughPairs};
use super::isolate::{DetectionContext, detect_isolated};
use super::last_detection::GroupHistory;
use super::proximity::Proximity;
use crate::solver::Walls;
use cupule_geometry::{DVec3, GeometryError};
use rayon::prelude::*;

/// How often cavities were detected since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DetectionCounts {
    /// Detections for a group of bodies.
    pub taken: usize,
    /// Of these, by the other detector because the first refused.
    pub refused: usize,
}

/// What a detector finds at a moment.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// How many groups of near bodies there were, and how many the detector refused.
    pub looks: DetectionCounts,
    /// What is enclosed or touches.
    pub zones: Vec<Zone>,
}

/// Enclosed air, or a touching part without any.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Its wall.
    pub found: DetectedCavity,
    /// Gas volume, m3.
    pub volume: f64,
}

impl Survey {
    /// What a detector finds in groups of near bodies, with all points of the world at `x` (m).
    ///
    /// # Errors
    /// Where the detector fails on the bodies as they are.
    pub(in crate::cavity) fn new(
        groups: &[(Vec<BodySurface>, GroupHistory)],
        distances: &Distances,
        settings: DetectionSettings,
        rough: &RoughPairs,
        x: &[DVec3],
    ) -> Result<Self, GeometryError> {
        let detect = |(group, history): &(Vec<BodySurface>, GroupHistory)| {
            let (held, before) = (&history.held, &history.cavities[..]);
            let proximity = Proximity::new(group, distances, held, rough)?;
            let context = DetectionContext { distances, settings, rough, held, before };
            detect_isolated(proximity, group, context)
        };
        let results: Vec<DetectionResult> =
            groups.par_iter().map(detect).collect::<Result<_, _>>()?;
        let refused = results.iter().filter(|r| r.refused).count();
        let cavities = results.into_iter().flat_map(|r| r.open.into_iter().chain(r.flat));
        let zone = |found: DetectedCavity| Zone { volume: found.wall.volume(x), found };
        let looks = DetectionCounts { taken: groups.len(), refused };
        Ok(Self { looks, zones: cavities.map(zone).collect() })
    }
}
