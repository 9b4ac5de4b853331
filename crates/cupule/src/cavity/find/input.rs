//! What cavity detection is given: surfaces, distances that decide about sealing, and which detector to run.

use crate::settings::{Detector, Ring};
use cupule_geometry::DVec3;
use cupule_geometry::arrangement::GAP_REACH;

/// Surfaces that have sealed open at this many sealing distances. At 1 a seal would flicker whenever its gap wavers about the
/// sealing distance; a gap of twice as much is still far from open against the size of a cup.
const OPENING: f64 = 2.0;

/// Pairs of bodies that never seal, because one of them is rough; the lower index first.
pub type RoughPairs = std::collections::BTreeSet<(usize, usize)>;

/// Which vertices of every body of a group seal.
pub type SealingVertices = Vec<Vec<bool>>;

/// The surface of a body, as detection needs it.
#[derive(Debug, Clone, Copy)]
pub struct BodySurface<'a> {
    /// Index of the body.
    pub body: usize,
    /// Point of the world of every surface vertex.
    pub points: &'a [usize],
    /// Surface triangles.
    pub triangles: &'a [[u32; 3]],
    /// Where the vertices are, m.
    pub positions: &'a [DVec3],
    /// Whether it seals where it is folded on itself.
    pub folds: bool,
}

/// Distances that decide about sealing, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// What is between walls and not air: the distance at which the solver holds bodies apart, and a wet film.
    pub contact: f64,
    /// The part of it that is film, as long as it is not pressed out.
    pub film: f64,
    /// Gap beyond it that still seals.
    pub sealing: f64,
    /// Height of the roughness.
    pub roughness: f64,
}

impl Distances {
    /// Gap at which surfaces begin to seal, m.
    pub fn closing(&self) -> f64 {
        self.contact + self.sealing
    }

    /// Gap at which surfaces that seal open again, m.
    pub fn opening(&self) -> f64 {
        self.contact + OPENING * self.sealing
    }

    /// Gap up to which gaps are measured, m: bodies further apart are of different groups.
    pub fn reach(&self) -> f64 {
        GAP_REACH * self.opening()
    }
}

/// How cavities are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DetectionSettings {
    /// How enclosed air is found.
    pub detector: Detector,
    /// Which loop of a wide seal bounds it.
    pub ring: Ring,
}
