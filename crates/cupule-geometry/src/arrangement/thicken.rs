//! The gap field of a contact group, and the thickening that turns a gap below the sealing level into an overlap.
//!
//! A vertex that faces another body moves towards its closest point there. Bodies take turns, the finest first: what an
//! earlier body already closes at that point, interpolated over its triangles, is not closed again. So the linearly interpolated gap
//! sinks by the level once, whichever of the two bodies has the vertices: a fine rim on a ground of two triangles
//! moves by the whole level. A vertex that faces nothing moves along with its neighbours that do: where a body overhangs
//! the edge of another, the thickening would otherwise sag to nothing over the last triangle before that edge.

use super::target::{FOLDED, Nearest, Target};
use super::{GAP_REACH, Surface};
use crate::distance::PointTriangle;
use crate::tree::Bounds;
use crate::{DVec3, GeometryError};

/// Up to this many levels a vertex faces another body and moves; beyond it only follows. More than 1, so that the gap field sinks on whole
/// triangles about the border, and not only where it seals.
const FACING: f64 = 2.0;
/// A vertex does not follow into the body, at more than this sine (30 degrees) below one of its faces: rounded edges may follow,
/// the far face of a thin plate may not.
const INWARD: f64 = 0.5;
/// Fraction of the level below which the direction to the closest point is mostly rounding, so that the normal there replaces it.
const TOUCHING: f64 = 1e-3;

/// Thickened bodies and the gap field that shaped them.
#[derive(Debug, Clone, PartialEq)]
pub struct Thickened {
    /// Per body, the thickened vertex positions, m.
    pub positions: Vec<Vec<DVec3>>,
    /// Per body and vertex, the distance to the nearest other body, m: negative inside it, infinite beyond four levels.
    pub gaps: Vec<Vec<f64>>,
    /// Per body and vertex, which body that is; none beyond four levels.
    pub nearest: Vec<Vec<Option<u32>>>,
}

/// Thickens the bodies of a contact group where they face each other, so that their gap sinks by `level` (m): the
/// contact offset plus the sealing distance. Bodies that were less than `level` apart then overlap.
///
/// # Errors
/// A level that is not positive, or a surface with broken indices or coordinates.
pub fn thicken(surfaces: &[Surface<'_>], level: f64) -> Result<Thickened, GeometryError> {
    thicken_each(surfaces, level, |_, _| level, |a, b| a != b)
}

/// The same with a level for every vertex, `level_of(body, vertex)` (m), none above `level`, for those pairs of bodies
/// that seal at all. A body that seals with itself has gaps to what of itself it faces, but is not thickened there: the union
/// does not see folds.
///
/// # Errors
/// As for [`thicken`].
pub fn thicken_each(
    surfaces: &[Surface<'_>],
    level: f64,
    level_of: impl Fn(usize, usize) -> f64,
    seals: impl Fn(usize, usize) -> bool,
) -> Result<Thickened, GeometryError> {
    if !(level > 0.0 && level.is_finite()) {
        return Err(GeometryError::BadParameter {
            shape: "thickened body",
            parameter: "sealing level",
            value: level,
            expected: "it must be positive and finite",
        });
    }
    surfaces.iter().try_for_each(Surface::check)?;
    let bounds: Vec<Bounds> =
        surfaces.iter().map(|surface| Bounds::of(surface.positions)).collect();
    let near =
        |a: usize, b: usize| a != b && bounds[a].near(&bounds[b], GAP_REACH * level) && seals(a, b);
    let targets = (0..surfaces.len())
        .map(|b| {
            let others: Vec<&Bounds> =
                (0..surfaces.len()).filter(|a| near(*a, b)).map(|a| &bounds[a]).collect();
            // Of a body of many triangles only a few are near another.
            let wanted = |triangle: &Bounds| {
                seals(b, b) || others.iter().any(|other| other.near(triangle, GAP_REACH * level))
            };
            let asked = seals(b, b) || !others.is_empty();
            asked.then(|| Target::new(&surfaces[b], wanted))
        })
        .collect::<Vec<Option<Target>>>();
    let mut displacements: Vec<Vec<DVec3>> =
        surfaces.iter().map(|surface| vec![DVec3::ZERO; surface.positions.len()]).collect();
    let mut gaps: Vec<Vec<f64>> =
        surfaces.iter().map(|surface| vec![f64::INFINITY; surface.positions.len()]).collect();
    let mut nearest: Vec<Vec<Option<u32>>> =
        surfaces.iter().map(|surface| vec![None; surface.positions.len()]).collect();
    let facing: Vec<Vec<(usize, usize, Facing)>> = (0..surfaces.len())
        .map(|a| {
            let seen = (0..surfaces.len()).filter(|b| near(a, *b)).flat_map(|b| {
                let target = targets[b].as_ref();
                let points = surfaces[a].positions.iter().enumerate();
                points.filter_map(move |(v, x)| Some((v, b, target?.facing(*x, level)?)))
            });
            seen.collect()
        })
        .collect();
    // The finest body moves first: its vertices are close enough together to carry the closing along its edges. What a
    // coarse body closed between two of its few vertices would sag away from a fine one.
    let mut order: Vec<usize> = (0..surfaces.len()).collect();
    let fineness: Vec<f64> =
        (0..surfaces.len()).map(|a| edge_length(&surfaces[a], &facing[a])).collect();
    order.sort_by(|a, b| fineness[*a].total_cmp(&fineness[*b]));
    for a in order {
        let mut moves = vec![false; surfaces[a].positions.len()];
        for (vertex, b, facing) in &facing[a] {
            if facing.gap < gaps[a][*vertex] {
                gaps[a][*vertex] = facing.gap;
                nearest[a][*vertex] = Some(*b as u32);
            }
            if facing.gap.abs() <= FACING * level {
                let step = facing.step(&surfaces[*b], &displacements[*b], level_of(a, *vertex));
                displacements[a][*vertex] += step;
                moves[*vertex] = true;
            }
        }
        follow(&surfaces[a], &moves, &mut displacements[a]);
    }
    for (a, target) in targets.iter().enumerate().filter(|(a, _)| seals(*a, *a)) {
        for (vertex, x) in surfaces[a].positions.iter().enumerate() {
            let gap =
                target.as_ref().map_or(f64::INFINITY, |t| t.own_gap(*x, vertex as u32, level));
            if gap < gaps[a][vertex] {
                (gaps[a][vertex], nearest[a][vertex]) = (gap, Some(a as u32));
            }
        }
    }
    let moved = |(surface, by): (&Surface<'_>, &Vec<DVec3>)| {
        surface.positions.iter().zip(by).map(|(point, by)| *point + *by).collect()
    };
    let positions = surfaces.iter().zip(&displacements).map(moved).collect();
    Ok(Thickened { positions, gaps, nearest })
}

/// Moves every vertex that does not move by itself with those of its neighbours that do: by their mean, if that does not
/// draw back another face that the vertex belongs to. (The upper face of a thin plate must stay where it is when the
/// lower one closes on the ground.)
fn follow(surface: &Surface<'_>, moves: &[bool], displacements: &mut [DVec3]) {
    let mut sums = vec![(DVec3::ZERO, 0.0); moves.len()];
    for triangle in surface.triangles {
        for k in 0..3 {
            let [from, to] = [triangle[k], triangle[(k + 1) % 3]].map(|v| v as usize);
            // The neighbouring triangle has the edge the other way round: each edge counts once in each direction.
            if moves[from] && !moves[to] {
                sums[to].0 += displacements[from];
                sums[to].1 += 1.0;
            }
        }
    }
    for (displacement, (sum, count)) in displacements.iter_mut().zip(&sums) {
        if *count > 0.0 {
            *displacement = *sum / *count;
        }
    }
    let mut draws_back = vec![false; moves.len()];
    for (index, triangle) in surface.triangles.iter().enumerate() {
        let [a, b, c] = surface.corners(index as u32);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for vertex in triangle.map(|v| v as usize).into_iter().filter(|v| sums[*v].1 > 0.0) {
            let by = displacements[vertex];
            draws_back[vertex] |= by.dot(normal) < -INWARD * by.length();
        }
    }
    for (displacement, draws_back) in displacements.iter_mut().zip(draws_back) {
        if draws_back {
            *displacement = DVec3::ZERO;
        }
    }
}

/// Mean length (m) of the edges at vertices that face another body; infinite where there are none.
fn edge_length(surface: &Surface<'_>, facing: &[(usize, usize, Facing)]) -> f64 {
    let mut faces = vec![false; surface.positions.len()];
    facing.iter().for_each(|(vertex, ..)| faces[*vertex] = true);
    let (mut sum, mut count) = (0.0, 0.0);
    for triangle in surface.triangles {
        for k in 0..3 {
            let ends = [triangle[k] as usize, triangle[(k + 1) % 3] as usize];
            if ends.iter().any(|v| faces[*v]) {
                sum += surface.positions[ends[0]].distance(surface.positions[ends[1]]);
                count += 1.0;
            }
        }
    }
    if count > 0.0 { sum / count } else { f64::INFINITY }
}

impl Target<'_> {
    /// Gap (m) of a vertex of this body, at `x` (m), to what of the same body it faces; infinite beyond reach.
    fn own_gap(&self, x: DVec3, vertex: u32, level: f64) -> f64 {
        let limit = (GAP_REACH * level).powi(2);
        let found = self.nearest_facing(x, self.vertex_normal(vertex), limit, FOLDED);
        found.map_or(f64::INFINITY, |found| found.gap)
    }

    /// What a point sees of this body within reach.
    fn facing(&self, point: DVec3, level: f64) -> Option<Facing> {
        let Nearest { gap, triangle, closest, outward } =
            self.nearest(point, (GAP_REACH * level).powi(2))?;
        let away = point - closest.point;
        let direction = if gap.abs() < TOUCHING * level { -outward } else { -away / gap };
        Some(Facing { gap, direction, triangle, closest })
    }
}

struct Facing {
    gap: f64,
    /// Unit vector into the other body.
    direction: DVec3,
    triangle: u32,
    closest: PointTriangle,
}

impl Facing {
    /// How the point moves so that the gap sinks by `level` in all.
    fn step(&self, other: &Surface<'_>, moved: &[DVec3], level: f64) -> DVec3 {
        let corners = other.triangles[self.triangle as usize];
        let carried: DVec3 =
            (0..3).map(|k| moved[corners[k] as usize] * self.closest.weights[k]).sum();
        let closed = -carried.dot(self.direction);
        self.direction * (level - closed).clamp(0.0, level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriMesh;
    use crate::generate::cuboid;

    fn surface(mesh: &TriMesh) -> Surface<'_> {
        Surface { positions: &mesh.vertices, triangles: &mesh.triangles }
    }

    const LEVEL: f64 = 1e-4;

    /// Two equal blocks 1.5 levels apart: the facing sides close by exactly one level, once, in either order.
    #[test]
    fn facing_sides_close_by_one_level_together() {
        let lower = cuboid(DVec3::splat(0.02), [3; 3]).unwrap();
        for turned in [false, true] {
            let upper = lower.clone().translated(DVec3::Z * (0.02 + 1.5 * LEVEL));
            let bodies = if turned {
                [surface(&upper), surface(&lower)]
            } else {
                [surface(&lower), surface(&upper)]
            };
            let thick = thicken(&bodies, LEVEL).unwrap();
            let (low, high) = if turned { (1, 0) } else { (0, 1) };
            let top = thick.positions[low].iter().map(|p| p.z).fold(f64::MIN, f64::max);
            let bottom = thick.positions[high].iter().map(|p| p.z).fold(f64::MAX, f64::min);
            assert!((bottom - top - 0.5 * LEVEL).abs() < 1e-15, "{}", bottom - top);
            let least = thick.gaps[low].iter().copied().fold(f64::INFINITY, f64::min);
            assert!((least - 1.5 * LEVEL).abs() < 1e-15);
        }
    }

    /// A small block on a huge two-triangle ground: only the block has vertices there, and it moves by the whole level;
    /// a block inside the ground by half a level is pushed deeper, not back.
    #[test]
    fn the_finer_body_moves_by_the_whole_level() {
        let ground =
            cuboid(DVec3::new(1.0, 1.0, 0.1), [1; 3]).unwrap().translated(DVec3::Z * -0.05);
        for gap in [0.7 * LEVEL, -0.5 * LEVEL, 0.0, 3.0 * LEVEL, 5.0 * LEVEL] {
            let block = cuboid(DVec3::splat(0.02), [2; 3]).unwrap();
            let block = block.translated(DVec3::new(0.013, 0.007, 0.01 + gap));
            let thick = thicken(&[surface(&ground), surface(&block)], LEVEL).unwrap();
            assert_eq!(thick.positions[0], ground.vertices);
            let bottom = thick.positions[1].iter().map(|p| p.z).fold(f64::MAX, f64::min);
            let by = if gap < FACING * LEVEL { LEVEL } else { 0.0 };
            assert!((bottom - gap + by).abs() < 1e-15, "gap {gap}: {bottom}");
        }
    }

    /// A block that overhangs the edge of another by half of its cells: up to that edge its whole face sinks by the level,
    /// not only its vertices over the other.
    #[test]
    fn overhanging_vertices_follow() {
        let lower = cuboid(DVec3::splat(0.02), [1; 3]).unwrap();
        let by = DVec3::new(0.0075, 0.001, 0.02 + 0.5 * LEVEL);
        let upper = cuboid(DVec3::new(0.02, 0.01, 0.02), [4, 2, 2]).unwrap().translated(by);
        let thick = thicken(&[surface(&lower), surface(&upper)], LEVEL).unwrap();
        let edge = 0.01;
        let beyond = |x: &DVec3| x.x > edge && x.x < edge + 0.005 && x.z < 0.011;
        let moved = upper.vertices.iter().zip(&thick.positions[1]).filter(|(x, _)| beyond(x));
        let moves: Vec<f64> = moved.map(|(from, to)| to.z - from.z).collect();
        assert_eq!(moves.len(), 3);
        assert!(moves.iter().all(|z| (z + LEVEL).abs() < 1e-15), "{moves:?}");
    }

    #[test]
    fn bad_input_is_refused() {
        let block = cuboid(DVec3::ONE, [1; 3]).unwrap();
        assert!(thicken(&[surface(&block)], f64::NAN).is_err());
        let missing = [[0, 1, 99]];
        let broken = Surface { positions: &block.vertices, triangles: &missing };
        assert!(matches!(thicken(&[broken], LEVEL), Err(GeometryError::IndexOutOfRange { .. })));
    }
}
