//! Surfaces of revolution about z: any closed profile, and from it cylinders and tubes.

use std::f64::consts::TAU;

use super::{counter_clockwise, require, require_count, require_elements, require_positive};
use crate::{DVec3, GeometryError, TriMesh};

/// Revolves a closed profile of points (r, z) in m, r >= 0, about the z axis in `segments` steps.
///
/// The profile may run either way round and may touch or follow the axis; its last point joins its first. The
/// vertices lie on the surface of revolution, which makes the solid a little too slender.
pub fn revolved(profile: &[[f64; 2]], segments: usize) -> Result<TriMesh, GeometryError> {
    require_count("revolved shape", "segments around", segments, 3)?;
    require_elements("revolved shape", &[2, segments, profile.len()])?;
    let profile = counter_clockwise(profile)?;
    let mut vertices = Vec::new();
    // First vertex and how many vertices stand in the ring of each profile point: one on the axis.
    let rings: Vec<(usize, usize)> = profile
        .iter()
        .map(|&[r, z]| {
            let (start, count) = (vertices.len(), if r == 0.0 { 1 } else { segments });
            vertices.extend((0..count).map(|k| on_circle(r, z, k, segments)));
            (start, count)
        })
        .collect();
    let mut triangles = Vec::new();
    for (k, &lower) in rings.iter().enumerate() {
        let upper = rings[(k + 1) % rings.len()];
        for segment in 0..segments {
            let at = |(start, count): (usize, usize), step: usize| {
                (start + (segment + step) % count) as u32
            };
            if lower.1 > 1 {
                triangles.push([at(lower, 0), at(lower, 1), at(upper, 1)]);
            }
            if upper.1 > 1 {
                triangles.push([at(lower, 0), at(upper, 1), at(upper, 0)]);
            }
        }
    }
    Ok(TriMesh { vertices, triangles })
}

/// The point at radius `r` and height `z` in half-plane `k` of `segments`.
pub(crate) fn on_circle(r: f64, z: f64, k: usize, segments: usize) -> DVec3 {
    let angle = TAU * k as f64 / segments as f64;
    DVec3::new(r * angle.cos(), r * angle.sin(), z)
}

/// A cylinder about z, centred at the origin: `around` segments, `along` layers, `radial` rings on each cap.
pub fn cylinder(
    radius: f64,
    height: f64,
    around: usize,
    along: usize,
    radial: usize,
) -> Result<TriMesh, GeometryError> {
    require_positive("cylinder", "radius", radius)?;
    require_positive("cylinder", "height", height)?;
    check_counts("cylinder", around, along, radial)?;
    let z = 0.5 * height;
    let corners = [[0.0, -z], [radius, -z], [radius, z], [0.0, z]];
    // The edge along the axis makes no surface and stays whole.
    revolved(&subdivided(&corners, &[radial, along, radial, 1]), around)
}

/// A tube about z, centred at the origin: `around` segments, `along` layers, `radial` rings on each end.
pub fn tube(
    inner_radius: f64,
    outer_radius: f64,
    height: f64,
    around: usize,
    along: usize,
    radial: usize,
) -> Result<TriMesh, GeometryError> {
    check_tube(inner_radius, outer_radius, height)?;
    check_counts("tube", around, along, radial)?;
    let z = 0.5 * height;
    let corners = [[inner_radius, -z], [outer_radius, -z], [outer_radius, z], [inner_radius, z]];
    revolved(&subdivided(&corners, &[radial, along, radial, along]), around)
}

pub(crate) fn check_tube(inner: f64, outer: f64, height: f64) -> Result<(), GeometryError> {
    require_positive("tube", "inner radius", inner)?;
    require_positive("tube", "outer radius", outer)?;
    require_positive("tube", "height", height)?;
    require(inner < outer, "tube", "inner radius", inner, "it must be below the outer radius")
}

fn check_counts(
    shape: &'static str,
    around: usize,
    along: usize,
    radial: usize,
) -> Result<(), GeometryError> {
    require_count(shape, "segments around", around, 3)?;
    require_count(shape, "layers along the height", along, 1)?;
    require_count(shape, "rings on an end", radial, 1)?;
    require_elements(shape, &[2, around, along.saturating_add(radial).saturating_mul(2)])
}

/// The closed polyline with each edge cut in as many parts as `parts` says.
pub(crate) fn subdivided(corners: &[[f64; 2]], parts: &[usize]) -> Vec<[f64; 2]> {
    let next = corners.iter().cycle().skip(1);
    let edges = corners.iter().zip(next).zip(parts);
    edges
        .flat_map(|((p, q), &n)| {
            (0..n).map(move |k| {
                let t = k as f64 / n as f64;
                [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]
            })
        })
        .collect()
}
