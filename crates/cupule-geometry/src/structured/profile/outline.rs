//! The outline of a plane region, cut into stretches at its corners and resampled at a wanted spacing.

/// A turn of this much (rad) is a corner and keeps its point; less is a curve and may be resampled.
const CORNER: f64 = 0.5;
/// A curve gets at least one edge for each turn of this much, rad.
const TURN_OF_AN_EDGE: f64 = 1.0;

/// A closed outline, counter-clockwise.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outline {
    points: Vec<[f64; 2]>,
    /// Edges (by their first point) that are sides of cores: cut evenly, and remembered.
    core_starts: Vec<usize>,
}

/// An outline as edges of about equal length, each with a point on the outline half way along it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resampled {
    /// Ends of the edges, counter-clockwise.
    pub ends: Vec<[f64; 2]>,
    /// The middle of the edge from each end to the next.
    pub middles: Vec<[f64; 2]>,
    /// First edge and number of edges of each core's side.
    pub cores: Vec<(usize, usize)>,
}

impl Outline {
    pub fn new(points: Vec<[f64; 2]>, core_starts: Vec<usize>) -> Self {
        Self { points, core_starts }
    }

    pub fn length(&self) -> f64 {
        perimeter(&self.points)
    }

    /// Edges of about `spacing`, m; corners and the ends of cores stay.
    pub fn resampled(&self, spacing: f64) -> Resampled {
        let mut result = Resampled { ends: Vec::new(), middles: Vec::new(), cores: Vec::new() };
        for stretch in self.stretches() {
            let edges = (length(&stretch.points) / spacing).round() as usize;
            let edges = edges.max((stretch.turn / TURN_OF_AN_EDGE).ceil() as usize).max(1);
            if stretch.is_core {
                result.cores.push((result.ends.len(), edges));
            }
            let step = length(&stretch.points) / (2 * edges) as f64;
            for edge in 0..edges {
                result.ends.push(point_at(&stretch.points, step * (2 * edge) as f64));
                result.middles.push(point_at(&stretch.points, step * (2 * edge + 1) as f64));
            }
        }
        result
    }

    /// From corner to corner.
    fn stretches(&self) -> Vec<Stretch> {
        let n = self.points.len();
        let is_core_end = |k: usize| {
            self.core_starts.contains(&k) || self.core_starts.contains(&((k + n - 1) % n))
        };
        let mut corners: Vec<usize> =
            (0..n).filter(|&k| is_core_end(k) || self.turn_at(k) >= CORNER).collect();
        // A smooth ring still has to begin somewhere, and a triangle is the least that encloses an area.
        if corners.len() < 3 {
            corners.extend([0, n / 3, 2 * n / 3]);
            corners.sort_unstable();
            corners.dedup();
        }
        (0..corners.len())
            .map(|c| {
                let (from, to) = (corners[c], corners[(c + 1) % corners.len()]);
                let steps = (to + n - from - 1) % n + 1;
                Stretch {
                    points: (0..=steps).map(|k| self.points[(from + k) % n]).collect(),
                    turn: (1..steps).map(|k| self.turn_at((from + k) % n)).sum(),
                    is_core: self.core_starts.contains(&from),
                }
            })
            .collect()
    }

    /// The change of direction at a point, rad, without its sign.
    fn turn_at(&self, k: usize) -> f64 {
        let n = self.points.len();
        let [a, b, c] = [self.points[(k + n - 1) % n], self.points[k], self.points[(k + 1) % n]];
        let [d, e] = [[b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]];
        (d[0] * e[1] - d[1] * e[0]).atan2(d[0] * e[0] + d[1] * e[1]).abs()
    }
}

struct Stretch {
    points: Vec<[f64; 2]>,
    /// The turns inside it, summed.
    turn: f64,
    is_core: bool,
}

fn perimeter(polygon: &[[f64; 2]]) -> f64 {
    length(polygon) + polygon.first().zip(polygon.last()).map_or(0.0, |(a, b)| distance(*a, *b))
}

fn length(line: &[[f64; 2]]) -> f64 {
    line.windows(2).map(|pair| distance(pair[0], pair[1])).sum()
}

/// The point of a polyline at a length from its start.
fn point_at(line: &[[f64; 2]], mut along: f64) -> [f64; 2] {
    for pair in line.windows(2) {
        let edge = distance(pair[0], pair[1]);
        if along <= edge {
            let share = along / edge;
            return [0, 1].map(|k| pair[0][k] + share * (pair[1][k] - pair[0][k]));
        }
        along -= edge;
    }
    line.last().copied().unwrap_or_default()
}

fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
    (q[0] - p[0]).hypot(q[1] - p[1])
}
