//! Any closed half-profile in (r, z), carried round the axis and cut into hexahedra.
//!
//! Where the profile follows the axis, a straight core is set apart and becomes an O-grid; the rest is cut into quads
//! (see `plane`) and each quad carried round. Every coarse quad or triangle of the plane is halved both ways, so that
//! a wall has at least two cells through it however thin it is.

mod outline;
mod plane;
mod solid;

use crate::GeometryError;
use crate::generate::{counter_clockwise, require};
use outline::Outline;

pub(crate) const SHAPE: &str = "revolved profile";
/// How much of the straight stretch at the axis the core may take; the rest is left to the rings around it.
const CORE_SHARE: f64 = 0.7;

/// A closed profile in the half-plane r >= 0, checked: no edges cross, and it is nowhere pinched to a point on the
/// axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Counter-clockwise (r, z), m.
    points: Vec<[f64; 2]>,
    /// The cores along the axis.
    cores: Vec<Core>,
}

/// A part of the solid around the axis whose lower and upper side are straight, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Core {
    pub radius: f64,
    /// Heights of the lower side on the axis and at the core's radius.
    pub lower: [f64; 2],
    /// The same of the upper side.
    pub upper: [f64; 2],
}

impl Profile {
    /// A profile from its points (r, z) in m, either way round; the last joins the first.
    pub fn new(points: &[[f64; 2]]) -> Result<Self, GeometryError> {
        let points = without_idle_points(&counter_clockwise(points)?);
        check_pinches(&points)?;
        let cores = cores(&points);
        Ok(Self { points, cores })
    }

    /// The points (r, z), m, counter-clockwise, without those inside straight edges.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Whether the solid reaches the axis.
    pub fn touches_axis(&self) -> bool {
        !self.cores.is_empty()
    }

    pub(crate) fn widest(&self) -> f64 {
        self.points.iter().map(|p| p[0]).fold(0.0, f64::max)
    }

    /// The outline of what lies around the cores, with the cores' sides in place of the axis.
    fn outline(&self) -> Outline {
        let n = self.points.len();
        let (mut corners, mut core_starts) = (Vec::new(), Vec::new());
        let mut cores = self.cores.iter();
        for k in 0..n {
            let (here, next) = (self.points[k], self.points[(k + 1) % n]);
            if here[0] > 0.0 {
                corners.push(here);
            } else if next[0] == 0.0
                && let Some(core) = cores.next()
            {
                // The axis is followed downwards: the core's side begins on top.
                core_starts.push(corners.len());
                corners.extend([[core.radius, core.upper[1]], [core.radius, core.lower[1]]]);
            }
        }
        Outline::new(corners, core_starts)
    }
}

/// Drops points in the middle of straight edges: they are no corners of the solid.
fn without_idle_points(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let n = points.len();
    let idle = |k: usize| {
        let [a, b, c] = [points[(k + n - 1) % n], points[k], points[(k + 1) % n]];
        let [d, e] = [[b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]];
        (d[0] * e[1] - d[1] * e[0]).abs() <= 1e-12 * d[0].hypot(d[1]) * e[0].hypot(e[1])
    };
    (0..n).filter(|&k| !idle(k)).map(|k| points[k]).collect()
}

/// A point on the axis needs a stretch of axis beside it: else the solid has no thickness there.
fn check_pinches(points: &[[f64; 2]]) -> Result<(), GeometryError> {
    let n = points.len();
    for k in 0..n {
        let beside = [points[(k + n - 1) % n], points[(k + 1) % n]];
        let pinched = points[k][0] == 0.0 && beside.iter().all(|p| p[0] > 0.0);
        let expected = "the profile touches the axis at this height in one point only, where the solid would have no \
                        thickness: let it follow the axis for a while, or keep away from it";
        require(!pinched, SHAPE, "height on the axis", points[k][1], expected)?;
    }
    Ok(())
}

fn cores(points: &[[f64; 2]]) -> Vec<Core> {
    let n = points.len();
    let on_axis = |k: &usize| points[*k][0] == 0.0 && points[(k + 1) % n][0] == 0.0;
    (0..n)
        .filter(on_axis)
        .map(|k| {
            let [before, top, bottom, after] = [n - 1, 0, 1, 2].map(|step| points[(k + step) % n]);
            let height = |from: [f64; 2], to: [f64; 2], radius: f64| {
                from[1] + (to[1] - from[1]) * radius / to[0]
            };
            let core = |radius: f64| Core {
                radius,
                lower: [bottom[1], height(bottom, after, radius)],
                upper: [top[1], height(top, before, radius)],
            };
            let mut found = core(CORE_SHARE * before[0].min(after[0]));
            // Nothing else of the profile may reach into the core; halving ends, because nothing else is on the axis.
            for _ in 0..60 {
                let inside = |p: &[f64; 2]| {
                    let share = p[0] / found.radius;
                    let between = |[a, b]: [f64; 2]| a + (b - a) * share;
                    p[0] > 0.0
                        && share <= 1.1
                        && (between(found.lower)..=between(found.upper)).contains(&p[1])
                };
                if !points.iter().any(inside) {
                    break;
                }
                found = core(0.5 * found.radius);
            }
            found
        })
        .collect()
}

/// Pappus: 2 pi times the first moment of the polygon about the axis, m3.
pub(crate) fn volume_of_revolution(polygon: &[[f64; 2]]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    let moment = |(p, q): (&[f64; 2], &[f64; 2])| (p[0] + q[0]) * (p[0] * q[1] - q[0] * p[1]) / 6.0;
    std::f64::consts::TAU * polygon.iter().zip(next).map(moment).sum::<f64>().abs()
}
