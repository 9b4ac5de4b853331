//! A first glance at bodies that are near each other, and the choice of the detector that looks closely.
//!
//! Two detectors say which parts of surfaces bound which air and which parts touch: the union of the thickened bodies
//! (`cupule_geometry::arrangement`) and the flood of their gap field (`cupule_geometry::flood`), with one interface. The
//! flood refuses three bodies that meet along a line; the union then answers. The union fails where a surface crosses itself, as that
//! of a crushed body may; the flood then answers. The union does not see where a body is folded on itself; where one is, the flood is asked.

use super::found::Found;
use super::look::{BodySurface, Distances, Looker, Sight};
use crate::settings::{Detector, Ring};
use cupule_geometry::GeometryError;
use cupule_geometry::arrangement::{Arrangement, Surface, Thickened, arrange, thicken_each};
use cupule_geometry::disjoint::DisjointSets;
use cupule_geometry::flood::flood_each;
use cupule_geometry::tree::Bounds;

/// Where the gap changes by more than this share of the way along an edge, the surface does not face the other one.
const STEEP: f64 = 0.7;

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

/// Which vertices of every body of a group seal: those nearer than the closing distance, and those that are held and nearer than the
/// opening distance.
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
    /// Measures the gaps; `held` is what opens only at the opening distance, `rough` what never seals.
    pub fn new(
        bodies: &'a [BodySurface<'a>],
        distances: &Distances,
        held: &Touching,
        rough: &Rough,
    ) -> Result<Self, GeometryError> {
        let surface =
            |b: &BodySurface<'a>| Surface { positions: b.positions, triangles: b.triangles };
        let surfaces: Vec<Surface> = bodies.iter().map(surface).collect();
        let level = |body: usize, vertex: usize| {
            let held = held[body].get(vertex) == Some(&true);
            if held { distances.opening() } else { distances.closing() }
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

    /// Gap up to which every vertex seals, m.
    pub fn levels(&self) -> &[Vec<f64>] {
        &self.levels
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
        before: &[&Found],
    ) -> Result<Sight, GeometryError> {
        // The union does not see folds.
        let detector = if self.is_folded() { Detector::Flood } else { manner.detector };
        let (by, arrangement) = match detector {
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
        let looker = Looker { bodies, distances, surfaces, arrangement: &arrangement, before };
        let refused = by != detector;
        Ok(Sight { by, refused, ..looker.sight(manner.ring, distances.closing()) })
    }

    /// Whether a body touches itself.
    fn is_folded(&self) -> bool {
        let folded = |body: usize| {
            let own = self.thick.nearest[body].iter().zip(&self.touching[body]);
            own.into_iter().any(|(nearest, touches)| *touches && *nearest == Some(body as u32))
        };
        (0..self.bodies.len()).any(folded)
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
    let seals = |a: &BodySurface, b: &BodySurface| {
        let smooth = !rough.contains(&(a.body.min(b.body), a.body.max(b.body)));
        if a.body == b.body { a.folds && smooth } else { smooth }
    };
    bodies.iter().map(|a| bodies.iter().map(|b| seals(a, b)).collect()).collect()
}

/// Bodies that may seal and whose boxes come within reach of each other, directly or through others; groups of one are left
/// out unless that one may fold.
pub(super) fn near_groups<'a>(
    bodies: &[BodySurface<'a>],
    reach: f64,
    rough: &Rough,
) -> Vec<Vec<BodySurface<'a>>> {
    let boxes: Vec<Bounds> = bodies.iter().map(|b| Bounds::of(b.positions)).collect();
    let mut sets = DisjointSets::new(bodies.len());
    for i in 0..bodies.len() {
        for j in 0..i {
            let (a, b) = (bodies[i].body, bodies[j].body);
            let seals = !rough.contains(&(a.min(b), a.max(b)));
            if seals && boxes[i].near(&boxes[j], reach) {
                sets.join(i as u32, j as u32);
            }
        }
    }
    let group = |members: Vec<u32>| members.into_iter().map(|i| bodies[i as usize]).collect();
    let mut groups: Vec<Vec<BodySurface>> = sets.members().into_iter().map(group).collect();
    groups.retain(|g| g.len() > 1 || g.iter().any(|b| b.folds));
    groups
}

/// What opens only at the opening distance: what has closed, and, where a ring seals, the other corners of its triangles that have one
/// such corner. Steep ones do not: the wall of a step would take its foot along. `cavities` are those that are tracked.
pub(super) fn held(
    group: &[BodySurface],
    closed: &Touching,
    gaps: &[Vec<f64>],
    cavities: &[&Found],
) -> Touching {
    let mut held = closed.clone();
    for patch in cavities.iter().flat_map(|found| &found.patches).filter(|patch| patch.touching) {
        if let Some(place) = group.iter().position(|b| b.body == patch.body) {
            let vertices = group[place].triangles[patch.triangle as usize].map(|v| v as usize);
            let (x, gaps) = (group[place].positions, &gaps[place]);
            let steep =
                |a: usize, b: usize| (gaps[a] - gaps[b]).abs() > STEEP * x[a].distance(x[b]);
            let [a, b, c] = vertices;
            let of_ring = vertices.iter().any(|vertex| closed[place][*vertex]);
            if of_ring && !(steep(a, b) || steep(b, c) || steep(c, a)) {
                vertices.into_iter().for_each(|vertex| held[place][vertex] = true);
            }
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cavity::Patch;
    use cupule_geometry::DVec3;

    /// Where a ring seals, one corner that has closed holds all three of its triangle, and no other vertex; but not where the surface
    /// rises steeply: at 3 mm over 4 mm, not at 2 mm. A triangle without such a corner holds none, and so does a ring that no
    /// cavity has.
    #[test]
    fn a_triangle_of_the_ring_opens_as_one() {
        let triangles = [[0, 1, 2], [1, 3, 2]];
        let x = [[0.0, 0.0], [4e-3, 0.0], [0.0, 4e-3], [4e-3, 4e-3]];
        let positions = x.map(|[x, y]| DVec3::new(x, y, 0.0));
        let body = BodySurface {
            body: 7,
            points: &[],
            triangles: &triangles,
            positions: &positions,
            folds: false,
        };
        let corners = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]];
        let patch = |triangle| Patch { body: 7, triangle, corners, touching: true, area: DVec3::Z };
        let cavity = Found { patches: vec![patch(0), patch(1)], ..Found::default() };
        let closed = vec![vec![true, false, false, false]];
        for (rise, corner) in [(2e-3, true), (3e-3, false)] {
            let gaps = vec![vec![0.0, rise, 0.0, 0.0]];
            let held_by = |cavities: &[&Found]| held(&[body], &closed, &gaps, cavities);
            assert_eq!(held_by(&[&cavity]), [[true, corner, corner, false]]);
            assert_eq!(held_by(&[]), closed);
        }
    }
}
