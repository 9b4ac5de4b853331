//! Which bodies are near each other, how wide their gaps are, and which of their vertices seal.

use super::detected::DetectedCavity;
use super::input::{BodySurface, Distances, RoughPairs, SealingVertices};
use cupule_geometry::GeometryError;
use cupule_geometry::arrangement::{Surface, Thickened, thicken_each};
use cupule_geometry::disjoint::DisjointSets;
use cupule_geometry::tree::Bounds;

/// Where the gap changes by more than this fraction of the way along an edge, the surface does not face the other one: it rises at
/// more than about 45 degrees.
const STEEP: f64 = 0.7;

/// The gaps of a group of bodies that are near each other, and what seals: vertices nearer than the closing distance, and those that
/// are held and nearer than the opening distance.
pub(super) struct Proximity<'a> {
    pub(super) bodies: &'a [BodySurface<'a>],
    pub(super) surfaces: Vec<Surface<'a>>,
    pub(super) thickened: Thickened,
    /// Gap up to which every vertex seals, m.
    pub(super) levels: Vec<Vec<f64>>,
    /// Which pairs of bodies seal at all.
    pub(super) may_seal: Vec<Vec<bool>>,
    /// Vertices that seal.
    pub(super) sealing: SealingVertices,
}

impl<'a> Proximity<'a> {
    /// Measures the gaps. `held` is what opens only at the opening distance, `rough` what never seals.
    pub(super) fn new(
        bodies: &'a [BodySurface<'a>],
        distances: &Distances,
        held: &SealingVertices,
        rough: &RoughPairs,
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
        let may_seal = pairs_that_may_seal(bodies, rough);
        let thickened = thicken_each(&surfaces, distances.opening(), level, |a, b| may_seal[a][b])?;
        let seals = |(gaps, levels): (&Vec<f64>, &Vec<f64>)| -> Vec<bool> {
            gaps.iter().zip(levels).map(|(gap, level)| gap <= level).collect()
        };
        let sealing = thickened.gaps.iter().zip(&levels).map(seals).collect();
        Ok(Self { bodies, surfaces, thickened, levels, may_seal, sealing })
    }

    /// Gap of every vertex to the nearest other body, m; infinite out of reach.
    pub(super) fn gaps(&self) -> &[Vec<f64>] {
        &self.thickened.gaps
    }

    /// Which body of the group is nearest to every vertex; none out of reach.
    pub(super) fn nearest_bodies(&self) -> &[Vec<Option<u32>>] {
        &self.thickened.nearest
    }
}

fn pairs_that_may_seal(bodies: &[BodySurface], rough: &RoughPairs) -> Vec<Vec<bool>> {
    let seals = |a: &BodySurface, b: &BodySurface| {
        let smooth = !rough.contains(&(a.body.min(b.body), a.body.max(b.body)));
        if a.body == b.body { a.folds && smooth } else { smooth }
    };
    bodies.iter().map(|a| bodies.iter().map(|b| seals(a, b)).collect()).collect()
}

/// Groups of bodies that may seal and whose boxes come within reach of each other, directly or through others. Groups of one body
/// are left out unless that body may fold.
pub fn near_groups<'a>(
    bodies: &[BodySurface<'a>],
    reach: f64,
    rough: &RoughPairs,
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

/// Which vertices open only at the opening distance: those that have closed, and, where a ring seals, the other corners of those of its
/// triangles that have a closed corner. Steep triangles hold none: the wall of a step would take its foot along. `cavities` are those
/// that are tracked.
pub fn held_vertices(
    group: &[BodySurface],
    closed: &SealingVertices,
    gaps: &[Vec<f64>],
    cavities: &[&DetectedCavity],
) -> SealingVertices {
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
        let cavity =
            DetectedCavity { patches: vec![patch(0), patch(1)], ..DetectedCavity::default() };
        let closed = vec![vec![true, false, false, false]];
        for (rise, corner) in [(2e-3, true), (3e-3, false)] {
            let gaps = vec![vec![0.0, rise, 0.0, 0.0]];
            let held_by =
                |cavities: &[&DetectedCavity]| held_vertices(&[body], &closed, &gaps, cavities);
            assert_eq!(held_by(&[&cavity]), [[true, corner, corner, false]]);
            assert_eq!(held_by(&[]), closed);
        }
    }
}
