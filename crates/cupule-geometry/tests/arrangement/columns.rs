//! An independent look at enclosed air: rays on a grid, exact along each ray, joined to their neighbours.
//!
//! Along a ray the air is a list of intervals. Intervals of neighbouring rays that overlap are one air. What is not
//! joined to the rim of the grid or to the far ends is enclosed. Only across the rays does the grid's spacing matter.

use cupule_geometry::{DVec3, TriMesh};

/// The family of rays.
#[derive(Clone, Copy)]
pub enum Rays {
    /// Along z at (u, v) = (x, y), |u|, |v| up to the half width (m).
    Vertical { half: f64 },
    /// From the axis (0, y, -radius) outwards at angle u from the vertical and v = y.
    Radial { radius: f64, half_angle: f64, half: f64 },
}

impl Rays {
    fn place(self, p: DVec3) -> [f64; 2] {
        match self {
            Self::Vertical { .. } => [p.x, p.y],
            Self::Radial { radius, .. } => [p.x.atan2(p.z + radius), p.y],
        }
    }

    fn halves(self) -> [f64; 2] {
        match self {
            Self::Vertical { half } => [half, half],
            Self::Radial { half_angle, half, .. } => [half_angle, half],
        }
    }

    fn ray(self, [u, v]: [f64; 2]) -> [DVec3; 2] {
        match self {
            Self::Vertical { .. } => [DVec3::new(u, v, 0.0), DVec3::Z],
            Self::Radial { radius, .. } => {
                [DVec3::new(0.0, v, -radius), DVec3::new(u.sin(), 0.0, u.cos())]
            }
        }
    }

    /// Rays start here; nearer air is outside.
    fn start(self) -> f64 {
        match self {
            Self::Vertical { .. } => f64::NEG_INFINITY,
            Self::Radial { radius, .. } => 0.5 * radius,
        }
    }

    /// Volume of a column per unit of grid area between two places on its ray.
    fn column(self, from: f64, to: f64) -> f64 {
        match self {
            Self::Vertical { .. } => to - from,
            Self::Radial { .. } => 0.5 * (to * to - from * from),
        }
    }
}

/// Volumes (m3) of the enclosed airs, on a grid of `count` by `count` rays.
pub fn enclosed(bodies: &[TriMesh], rays: Rays, count: usize) -> Vec<f64> {
    let halves = rays.halves();
    let step = halves.map(|half| 2.0 * half / count as f64);
    // Off every symmetry, so that no ray meets an edge.
    let at = |k: usize, axis: usize| {
        -halves[axis] + (k as f64 + 0.5137 + 0.0311 * axis as f64) * step[axis]
    };
    let mut hits: Vec<Vec<(f64, i32, usize)>> = vec![Vec::new(); count * count];
    for (body, mesh) in bodies.iter().enumerate() {
        for triangle in 0..mesh.triangles.len() {
            let corners = mesh.corners(triangle).unwrap();
            let places = corners.map(|p| rays.place(p));
            let range = |axis: usize| {
                let values = places.map(|p| p[axis]);
                let low = values.into_iter().fold(f64::MAX, f64::min);
                let high = values.into_iter().fold(f64::MIN, f64::max);
                let index =
                    |x: f64| ((x + halves[axis]) / step[axis]).clamp(-1.0, count as f64) as isize;
                (index(low) - 1).max(0) as usize..((index(high) + 1).max(0) as usize).min(count)
            };
            for i in range(0) {
                for j in range(1) {
                    let [origin, direction] = rays.ray([at(i, 0), at(j, 1)]);
                    if let Some((t, sign)) = meet(origin, direction, corners) {
                        hits[i * count + j].push((t, sign, body));
                    }
                }
            }
        }
    }
    let airs: Vec<Vec<[f64; 2]>> =
        hits.iter_mut().map(|h| air(h, bodies.len(), rays.start())).collect();
    flood(&airs, count, step[0] * step[1], rays)
}

/// Where a line meets a triangle, and +1 if it leaves the body there.
fn meet(origin: DVec3, direction: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, i32)> {
    let [a, b, c] = [a - origin, b - origin, c - origin];
    let sides = [b.cross(c), c.cross(a), a.cross(b)].map(|normal| normal.dot(direction));
    let leaves = sides.iter().all(|side| *side > 0.0);
    let enters = sides.iter().all(|side| *side < 0.0);
    if !leaves && !enters {
        return None;
    }
    let normal = (b - a).cross(c - a);
    Some((a.dot(normal) / direction.dot(normal), if leaves { 1 } else { -1 }))
}

/// Air intervals of a ray, from the far end inwards to `start`.
fn air(hits: &mut [(f64, i32, usize)], bodies: usize, start: f64) -> Vec<[f64; 2]> {
    hits.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut winding = vec![0; bodies];
    let mut intervals = Vec::new();
    let mut open_from = Some(f64::INFINITY);
    for &(t, sign, body) in hits.iter().filter(|hit| hit.0 > start) {
        winding[body] += sign;
        let solid = winding.iter().any(|w| *w > 0);
        match (open_from, solid) {
            (Some(far), true) => {
                intervals.push([t, far]);
                open_from = None;
            }
            (None, false) => open_from = Some(t),
            _ => {}
        }
    }
    if let Some(far) = open_from {
        intervals.push([f64::NEG_INFINITY, far]);
    }
    intervals
}

fn flood(airs: &[Vec<[f64; 2]>], count: usize, cell: f64, rays: Rays) -> Vec<f64> {
    let mut seen: Vec<Vec<bool>> = airs.iter().map(|air| vec![false; air.len()]).collect();
    let mut volumes = Vec::new();
    for column in 0..airs.len() {
        for first in 0..airs[column].len() {
            if seen[column][first] {
                continue;
            }
            seen[column][first] = true;
            let mut stack = vec![(column, first)];
            let (mut volume, mut outside) = (0.0, false);
            while let Some((column, index)) = stack.pop() {
                let [from, to] = airs[column][index];
                let (i, j) = (column / count, column % count);
                outside |= i == 0 || j == 0 || i + 1 == count || j + 1 == count;
                outside |= from.is_infinite() || to.is_infinite();
                volume += cell * rays.column(from, to);
                let beside =
                    [(i > 0, count), (j > 0, 1)].map(|(there, by)| there.then(|| column - by));
                let beyond = [(i + 1 < count, count), (j + 1 < count, 1)]
                    .map(|(there, by)| there.then_some(column + by));
                for neighbour in beside.into_iter().chain(beyond).flatten() {
                    for (k, other) in airs[neighbour].iter().enumerate() {
                        if !seen[neighbour][k] && other[0] < to && from < other[1] {
                            seen[neighbour][k] = true;
                            stack.push((neighbour, k));
                        }
                    }
                }
            }
            if !outside {
                volumes.push(volume);
            }
        }
    }
    volumes
}
