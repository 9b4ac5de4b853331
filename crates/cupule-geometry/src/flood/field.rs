//! The gap field of a contact group: how far any point of one body is from another, against the sealing level.

use crate::adjacency::Adjacency;
use crate::arrangement::{FOLDED, GAP_REACH, Nearest, Surface, Target};
use crate::tree::Bounds;
use crate::{DVec3, GeometryError};

/// A foot on the same body may be turned away further than what seals: a border runs along the edge of what faces.
const FOOT_FOLDED: f64 = 0.5 * FOLDED;

/// A point of a body that asks what it faces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe {
    pub body: usize,
    /// m
    pub point: DVec3,
    /// Its own sealing level, m.
    pub level: f64,
    /// Unit vector out of its body; needed only for what it faces of the same body.
    pub normal: DVec3,
}

/// What a point of one body sees of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// Distance, negative inside the other body, infinite beyond reach, m.
    pub gap: f64,
    /// Gap less level, at most what it is at the end of the reach, m: sealed where it is not positive.
    pub excess: f64,
    /// The nearest triangle of the other body, within reach.
    pub triangle: Option<u32>,
}

impl Sample {
    pub fn is_sealed(&self) -> bool {
        self.excess <= 0.0
    }
}

/// The bodies of a group, ready to be asked.
pub(super) struct Field<'a> {
    pub surfaces: &'a [Surface<'a>],
    pub adjacency: Vec<Adjacency>,
    /// Per body and vertex, m.
    pub levels: Vec<Vec<f64>>,
    /// Factor of all levels.
    pub scale: f64,
    /// The largest level, m.
    pub level: f64,
    /// Pairs of bodies that seal and whose boxes are within reach.
    pub pairs: Vec<[usize; 2]>,
    targets: Vec<Target<'a>>,
    bounds: Vec<Bounds>,
}

impl<'a> Field<'a> {
    /// No level may be above `level`.
    pub fn new(
        surfaces: &'a [Surface<'a>],
        level: f64,
        level_of: impl Fn(usize, usize) -> f64,
        seals: impl Fn(usize, usize) -> bool,
    ) -> Result<Self, GeometryError> {
        if !(level > 0.0 && level.is_finite()) {
            return Err(GeometryError::BadParameter {
                shape: "gap field",
                parameter: "sealing level",
                value: level,
                expected: "it must be positive and finite",
            });
        }
        surfaces.iter().try_for_each(Surface::check)?;
        let adjacency = surfaces
            .iter()
            .map(|s| Adjacency::new(s.triangles, s.positions.len()))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(body) = adjacency.iter().position(|a| !a.is_closed()) {
            return Err(super::failed(format!("the surface of body {body} is not closed")));
        }
        let of_body = |(body, surface): (usize, &Surface<'_>)| {
            (0..surface.positions.len()).map(|vertex| level_of(body, vertex)).collect()
        };
        let bounds: Vec<Bounds> = surfaces.iter().map(|s| Bounds::of(s.positions)).collect();
        let near =
            |a: usize, b: usize| bounds[a].near(&bounds[b], GAP_REACH * level) && seals(a, b);
        let count = surfaces.len();
        // A pair of a body with itself: where it is folded.
        let all = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
        let pairs = all.filter(|[a, b]| near(*a, *b)).collect();
        Ok(Self {
            surfaces,
            adjacency,
            levels: surfaces.iter().enumerate().map(of_body).collect(),
            scale: 1.0,
            level,
            targets: surfaces.iter().map(|surface| Target::new(surface, |_| true)).collect(),
            pairs,
            bounds,
        })
    }

    /// What a point sees of a body, perhaps its own. The larger of the two levels counts.
    pub fn sample(&self, probe: &Probe, other: usize) -> Sample {
        let reach = GAP_REACH * self.level;
        let Some(nearest) = self.nearest(probe, other).filter(|n| n.gap <= reach) else {
            let excess = reach - probe.level;
            return Sample { gap: f64::INFINITY, excess, triangle: None };
        };
        let corners = self.surfaces[other].triangles[nearest.triangle as usize];
        let other_level: f64 = (0..3)
            .map(|k| self.levels[other][corners[k] as usize] * nearest.closest.weights[k])
            .sum();
        let excess = nearest.gap - self.scale * probe.level.max(other_level);
        Sample { gap: nearest.gap, excess, triangle: Some(nearest.triangle) }
    }

    fn nearest(&self, probe: &Probe, other: usize) -> Option<Nearest> {
        let (target, reach_squared) = (&self.targets[other], (GAP_REACH * self.level).powi(2));
        if probe.body == other {
            return target.nearest_facing(probe.point, probe.normal, reach_squared, FOLDED);
        }
        // Inside the box of the other body the point may lie deep within it, however far its surface is.
        let within = self.bounds[other].distance_squared(probe.point) == 0.0;
        target.nearest(probe.point, if within { f64::INFINITY } else { reach_squared })
    }

    /// The point of a body nearest to a point, however far: its triangle and weights. Of the point's own body, the nearest that
    /// it faces.
    pub fn foot(&self, probe: &Probe, body: usize) -> Option<(u32, [f64; 3])> {
        let (target, far) = (&self.targets[body], f64::INFINITY);
        let nearest = if probe.body == body {
            target.nearest_facing(probe.point, probe.normal, far, FOOT_FOLDED)?
        } else {
            target.nearest(probe.point, far)?
        };
        Some((nearest.triangle, nearest.closest.weights))
    }

    /// Unit vector out of a body at weights in one of its triangles.
    pub fn normal(&self, body: usize, triangle: u32, weights: [f64; 3]) -> DVec3 {
        let corners = self.surfaces[body].triangles[triangle as usize];
        let sum: DVec3 = (0..3).map(|k| self.vertex_normal(body, corners[k]) * weights[k]).sum();
        sum.normalize_or_zero()
    }

    /// Unit vector out of a body at a vertex.
    pub fn vertex_normal(&self, body: usize, vertex: u32) -> DVec3 {
        self.targets[body].vertex_normal(vertex)
    }

    /// Where weights in a triangle of a body are, m.
    pub fn point(&self, body: usize, triangle: u32, weights: [f64; 3]) -> DVec3 {
        let [a, b, c] = self.surfaces[body].corners(triangle);
        a * weights[0] + b * weights[1] + c * weights[2]
    }
}
