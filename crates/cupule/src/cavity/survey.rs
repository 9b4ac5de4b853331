//! Asking a detector what it sees, without any consequence: the way to compare detectors, or sealing distances.

use super::apart::{Manners, look_closely};
use super::found::Found;
use super::glance::{Glance, Manner, near_groups};
use super::look::{BodySurface, Distances, Sight};
use super::space::AirSpace;
use crate::settings::Detector;
use crate::solver::Walls;
use cupule_geometry::{DVec3, GeometryError};
use rayon::prelude::*;

/// How often a detector was asked since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Looks {
    /// Looks at a group of bodies.
    pub taken: usize,
    /// Of these, by the other detector because the first refused.
    pub refused: usize,
}

/// What a detector sees at a moment.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// How many groups of near bodies it looked at, and how many it refused.
    pub looks: Looks,
    /// What is enclosed or touches.
    pub zones: Vec<Zone>,
}

/// Enclosed air, or a touching part without any.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Its wall.
    pub found: Found,
    /// Gas volume, m3.
    pub volume: f64,
}

impl AirSpace {
    /// How often a detector was asked since the start.
    pub fn looks(&self) -> Looks {
        self.looks
    }

    /// What a detector sees of all bodies now, with seals that close at a gap of `sealing` (m) beyond the contact distance;
    /// what is held since the last look opens at twice that. All points of the world are at `x` (m).
    ///
    /// # Errors
    /// Where the detector fails on the bodies as they are.
    pub fn survey(
        &self,
        bodies: &[BodySurface],
        detector: Detector,
        sealing: f64,
        x: &[DVec3],
    ) -> Result<Survey, GeometryError> {
        let distances = Distances { sealing, ..self.distances() };
        let manner = Manner { detector, ring: self.settings.ring };
        let look = |group: &Vec<BodySurface>| {
            let past = self.past_of(group);
            let glance = Glance::new(group, &distances, &past.held, &self.rough)?;
            let (distances, rough) = (&distances, &self.rough);
            let (held, before) = (&past.held, &past.cavities[..]);
            look_closely(glance, group, Manners { distances, manner, rough, held, before })
        };
        let groups = near_groups(bodies, 4.0 * distances.opening(), &self.rough);
        let sights: Vec<Sight> = groups.par_iter().map(look).collect::<Result<_, _>>()?;
        let refused = sights.iter().filter(|s| s.refused).count();
        let found = sights.into_iter().flat_map(|s| s.open.into_iter().chain(s.flat));
        let zone = |found: Found| Zone { volume: found.wall.volume(x), found };
        let looks = Looks { taken: groups.len(), refused };
        Ok(Survey { looks, zones: found.map(zone).collect() })
    }
}
