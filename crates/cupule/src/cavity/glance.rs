//! A first glance at bodies that are near each other, and the choice of the detector that looks closely.
//!
//! Two detectors say which parts of surfaces bound which air and which parts touch: the union of the thickened bodies
//! (`cupule_geometry::arrangement`) and the flood of their gap field (`cupule_geometry::flood`), with one interface. The
//! flood refuses three bodies that meet along a line; the union then answers.

use super::found::Found;
use super::look::{BodySurface, Distances, Looker, Sight};
use crate::settings::{Detector, Ring};
use cupule_geometry::GeometryError;
use cupule_geometry::arrangement::{Arrangement, Surface, Thickened, arrange, thicken_each};
use cupule_geometry::flood::flood_each;

/// Pairs of bodies that never seal, the lower index first.
pub type Rough = std::collections::BTreeSet<(usize, usize)>;

/// How to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    /// How enclosed air is found.
    pub detector: Detector,
    /// Which loop of a wide seal bounds it.
    pub ring: Ring,
}

/// Which vertices of every body of a group seal: those nearer than the closing distance, and those that sealed before and
/// are nearer than the opening distance.
pub type Touching = Vec<Vec<bool>>;

/// A first glance at a group of bodies that are near each other: gaps, and what touches.
pub struct Glance<'a> {
    bodies: &'a [BodySurface<'a>],
    surfaces: Vec<Surface<'a>>,
    thick: Thickened,
    /// Gap up to which every vertex seals, m.
    levels: Vec<Vec<f64>>,
    /// Which pairs of bodies seal at all.
    seals: Vec<Vec<bool>>,
    /// What touches.
    pub touching: Touching,
}

impl<'a> Glance<'a> {
    /// Measures the gaps; `before` is what touched at the last glance at the same bodies, `rough` what never seals.
    pub fn new(
        bodies: &'a [BodySurface<'a>],
        distances: &Distances,
        before: Option<&Touching>,
        rough: &Rough,
    ) -> Result<Self, GeometryError> {
        let surface =
            |b: &BodySurface<'a>| Surface { positions: b.positions, triangles: b.triangles };
        let surfaces: Vec<Surface> = bodies.iter().map(surface).collect();
        let touched = |body: usize, vertex: usize| {
            before.is_some_and(|b| b[body].get(vertex).copied().unwrap_or(false))
        };
        let level = |body: usize, vertex: usize| {
            if touched(body, vertex) { distances.opening() } else { distances.closing() }
        };
        let levels: Vec<Vec<f64>> = (surfaces.iter().enumerate())
            .map(|(body, s)| (0..s.positions.len()).map(|vertex| level(body, vertex)).collect())
            .collect();
        let seals = sealing_pairs(bodies, rough);
        let thick = thicken_each(&surfaces, distances.opening(), level, |a, b| seals[a][b])?;
        let touches = |(gaps, levels): (&Vec<f64>, &Vec<f64>)| -> Vec<bool> {
            gaps.iter().zip(levels).map(|(gap, level)| gap <= level).collect()
        };
        let touching = thick.gaps.iter().zip(&levels).map(touches).collect();
        Ok(Self { bodies, surfaces, thick, levels, seals, touching })
    }

    /// Gap of every vertex to the nearest other body, m; infinite out of reach.
    pub fn gaps(&self) -> &[Vec<f64>] {
        &self.thick.gaps
    }

    /// Which body of the group that is, for every vertex; none out of reach.
    pub fn partners(&self) -> &[Vec<Option<u32>>] {
        &self.thick.nearest
    }

    /// Looks closely: the air that the bodies enclose; `before` is what the last look at them saw.
    pub fn look(
        self,
        distances: &Distances,
        manner: Manner,
        before: &[Found],
    ) -> Result<Sight, GeometryError> {
        let (by, arrangement) = match manner.detector {
            Detector::Union => (Detector::Union, self.union()?),
            Detector::Flood => match self.flood(distances) {
                Ok(arrangement) => (Detector::Flood, arrangement),
                Err(GeometryError::FloodFailed { .. }) => (Detector::Union, self.union()?),
                Err(other) => return Err(other),
            },
        };
        let (bodies, surfaces) = (self.bodies, self.surfaces);
        let looker = Looker { bodies, distances, surfaces, arrangement: &arrangement, before };
        Ok(Sight { by, ..looker.sight(manner.ring, distances.closing()) })
    }

    fn union(&self) -> Result<Arrangement, GeometryError> {
        arrange(&self.surfaces, &self.thick.positions)
    }

    fn flood(&self, distances: &Distances) -> Result<Arrangement, GeometryError> {
        let level = |body: usize, vertex: usize| self.levels[body][vertex];
        let seals = |a: usize, b: usize| self.seals[a][b];
        Ok(flood_each(&self.surfaces, distances.opening(), level, seals)?.arrangement)
    }
}

fn sealing_pairs(bodies: &[BodySurface], rough: &Rough) -> Vec<Vec<bool>> {
    let seals = |a: usize, b: usize| !rough.contains(&(a.min(b), a.max(b)));
    bodies.iter().map(|a| bodies.iter().map(|b| seals(a.body, b.body)).collect()).collect()
}
