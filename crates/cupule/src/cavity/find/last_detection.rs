//! The last detection for a group of bodies, and whether it still holds.
//!
//! Hysteresis: a vertex closes when its own gap falls to the sealing distance, and opens at twice that. Where a ring seals, it seals or
//! opens as one: the other corners of its triangles are held with those that have closed. A corner that is merely held takes no
//! others along, and a ring that encloses nothing holds no corners. Otherwise what seals would creep over every gap below
//! twice the sealing distance, a triangle at every detection, and close rings that never came near enough.

use super::border_drift::{BorderDrift, GapField};
use super::detected::{DetectedCavity, Patch};
use super::detection::DetectionResult;
use super::film::TouchingFilm;
use super::input::{BodySurface, DetectionSettings, Distances, RoughPairs, SealingVertices};
use super::isolate::{DetectionContext, detect_isolated};
use super::proximity::Proximity;
use crate::solver::Walls;
use cupule_geometry::{DVec3, GeometryError};

/// What came of a check whether the last detection still holds.
pub enum DetectionUpdate {
    /// It holds: nothing that matters has changed.
    Unchanged(CurrentGaps),
    /// The cavities were detected again.
    Detected(LastDetection),
}

/// What changes while a detection holds.
pub struct CurrentGaps {
    /// Gap of every vertex of every body, m.
    pub gaps: Vec<Vec<f64>>,
    /// Vertices that closed by their own gap and have not opened since.
    pub closed: SealingVertices,
}

/// The last detection for a group of bodies.
#[derive(Debug, Clone)]
pub struct LastDetection {
    pub bodies: Vec<usize>,
    /// Vertices that sealed.
    pub sealing: SealingVertices,
    /// Vertices that closed by their own gap and have not opened since.
    pub closed: SealingVertices,
    /// Vertices that open only at the opening distance: those that closed, and the rest of the triangles of a ring that seals.
    pub held: SealingVertices,
    /// Gap of every vertex of every body, m.
    pub gaps: Vec<Vec<f64>>,
    /// Body of the group that is nearest to every vertex.
    pub nearest: Vec<Vec<Option<u32>>>,
    pub result: DetectionResult,
    /// The borders of all cavities, of open ones first.
    borders: Vec<BorderDrift>,
}

/// What is known of the bodies of a group from the last detections, with whatever bodies they were grouped then.
#[derive(Debug, Default)]
pub struct GroupHistory<'a> {
    /// The last detection for just these bodies.
    pub last: Option<&'a LastDetection>,
    /// Vertices that had closed, and vertices that were held.
    closed: SealingVertices,
    pub held: SealingVertices,
    /// The cavities that these bodies bounded.
    pub cavities: Vec<&'a DetectedCavity>,
}

impl<'a> GroupHistory<'a> {
    /// The history of a group, out of the last detections and the cavities of all.
    pub fn of(
        group: &[BodySurface],
        last: &'a [LastDetection],
        cavities: impl Iterator<Item = &'a DetectedCavity>,
    ) -> Self {
        let known = |body: usize, of: fn(&LastDetection) -> &SealingVertices| {
            let with_body = last.iter().find_map(|d| Some((d, d.place(body)?)));
            with_body.map_or(Vec::new(), |(d, place)| of(d)[place].clone())
        };
        let all = |of: fn(&LastDetection) -> &SealingVertices| {
            group.iter().map(|b| known(b.body, of)).collect()
        };
        let bounds = |cavity: &&DetectedCavity| {
            let is_of = |patch: &Patch| group.iter().any(|b| b.body == patch.body);
            cavity.patches.iter().any(is_of)
        };
        Self {
            last: last.iter().find(|d| d.is_of(group)),
            closed: all(|d| &d.closed),
            held: all(|d| &d.held),
            cavities: cavities.filter(bounds).collect(),
        }
    }

    /// Vertices that have closed by their own gap (m) and not opened since.
    fn closed_now(&self, gaps: &[Vec<f64>], distances: &Distances) -> SealingVertices {
        let closed = |body: usize, vertex: usize, gap: f64| {
            let before = self.closed[body].get(vertex).copied().unwrap_or(false);
            gap <= if before { distances.opening() } else { distances.closing() }
        };
        let of_body = |(body, gaps): (usize, &Vec<f64>)| {
            gaps.iter().enumerate().map(|(vertex, gap)| closed(body, vertex, *gap)).collect()
        };
        gaps.iter().enumerate().map(of_body).collect()
    }
}

/// Detects the cavities of a group again, unless the last detection still holds.
pub fn detect_if_changed(
    group: &[BodySurface],
    history: &GroupHistory,
    distances: &Distances,
    settings: DetectionSettings,
    x: &[DVec3],
    rough: &RoughPairs,
) -> Result<DetectionUpdate, GeometryError> {
    let proximity = Proximity::new(group, distances, &history.held, rough)?;
    let (sealing, gaps) = (proximity.sealing.clone(), proximity.gaps().to_vec());
    let (nearest, levels) = (proximity.nearest_bodies().to_vec(), proximity.levels.clone());
    let field = GapField { gaps: &gaps, levels: &levels };
    let closed = history.closed_now(&gaps, distances);
    if history.last.is_some_and(|d| d.sealing == sealing && d.still_holds(x, field)) {
        return Ok(DetectionUpdate::Unchanged(CurrentGaps { gaps, closed }));
    }
    let (held, before) = (&history.held, &history.cavities[..]);
    let context = DetectionContext { distances, settings, rough, held, before };
    let result = detect_isolated(proximity, group, context)?;
    let volume = |c: &DetectedCavity| c.wall.volume(x) + pressed_out(c, group, &gaps, distances);
    let border =
        |c: &DetectedCavity| BorderDrift::new(c, group, field, x, volume(c), distances.sealing);
    let borders = result.open.iter().chain(&result.flat).map(border).collect();
    let bodies = group.iter().map(|b| b.body).collect();
    let held = closed.clone();
    let now = LastDetection { bodies, sealing, closed, held, gaps, nearest, result, borders };
    Ok(DetectionUpdate::Detected(now))
}

/// What a wet film does not take of the volume of a cavity, m3.
fn pressed_out(
    cavity: &DetectedCavity,
    group: &[BodySurface],
    gaps: &[Vec<f64>],
    distances: &Distances,
) -> f64 {
    if distances.film == 0.0 {
        return 0.0;
    }
    let place = |body: usize| group.iter().position(|b| b.body == body);
    let triangle = |body, index: u32| Some(group[place(body)?].triangles[index as usize]);
    let gap = |body, vertex: u32| {
        let gap = place(body).map_or(f64::INFINITY, |place| gaps[place][vertex as usize]);
        gap - (distances.contact - distances.film)
    };
    TouchingFilm::of(cavity, triangle).pressed_out(distances.film, gap)
}

impl LastDetection {
    pub fn is_of(&self, group: &[BodySurface]) -> bool {
        self.bodies.iter().eq(group.iter().map(|b| &b.body))
    }

    fn place(&self, body: usize) -> Option<usize> {
        self.bodies.iter().position(|b| *b == body)
    }

    pub fn gap(&self, body: usize, vertex: u32) -> Option<f64> {
        self.gaps[self.place(body)?].get(vertex as usize).copied()
    }

    /// Whether no border has moved too far.
    fn still_holds(&self, x: &[DVec3], field: GapField) -> bool {
        let cavities = self.result.open.iter().chain(&self.result.flat);
        !cavities.zip(&self.borders).any(|(cavity, border)| border.is_stale(cavity, field, x))
    }
}
