//! Closed profiles in the half-plane (r, z), r >= 0, and what they must hold to be revolved.

use super::{require, require_count};
use crate::GeometryError;

const SHAPE: &str = "revolved shape";

/// The profile counter-clockwise with points near the axis put on it, or what is wrong with it: fewer than three
/// points, a point that is not finite, repeated or left of the axis, edges that cross or no area.
pub(crate) fn counter_clockwise(points: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, GeometryError> {
    require_count(SHAPE, "profile points", points.len(), 3)?;
    let extent = points.iter().flatten().fold(0.0_f64, |most, c| most.max(c.abs()));
    let mut profile = points.to_vec();
    for (index, point) in profile.iter_mut().enumerate() {
        let finite = point.iter().all(|c| c.is_finite());
        require(
            finite,
            SHAPE,
            "profile point",
            index as f64,
            "this point (counted from 0) is not a finite number",
        )?;
        if point[0].abs() <= 1e-12 * extent {
            point[0] = 0.0;
        }
        require(
            point[0] >= 0.0,
            SHAPE,
            "profile radius",
            point[0],
            "no point may lie left of the axis: give every point as (r, z) with r >= 0",
        )?;
    }
    check_simple(&profile, extent)?;
    let area = signed_area(&profile);
    require(area != 0.0, SHAPE, "profile area", area, "the profile must enclose an area")?;
    if area < 0.0 {
        profile.reverse();
    }
    Ok(profile)
}

/// Area inside the polygon, positive when it runs counter-clockwise.
fn signed_area(polygon: &[[f64; 2]]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    0.5 * polygon.iter().zip(next).map(|(p, q)| p[0] * q[1] - q[0] * p[1]).sum::<f64>()
}

/// Refuses repeated points, edges that fold back on the one before, and edges that cross or touch.
fn check_simple(profile: &[[f64; 2]], extent: f64) -> Result<(), GeometryError> {
    let n = profile.len();
    let at = |k: usize| profile[k % n];
    for i in 0..n {
        let [d, e] = [difference(at(i + 1), at(i)), difference(at(i + 2), at(i + 1))];
        let repeated = d[0].hypot(d[1]) <= 1e-12 * extent;
        require(
            !repeated,
            SHAPE,
            "profile point",
            i as f64,
            "this point (counted from 0) and the next one coincide: remove one (the last joins the first by itself)",
        )?;
        let folds = cross(d, e) == 0.0 && d[0] * e[0] + d[1] * e[1] < 0.0;
        require(
            !folds,
            SHAPE,
            "profile edge",
            i as f64,
            "the edge after this one (counted from 0) folds back on it: remove the point between them",
        )?;
        // Neighbours share a point, also the last edge with the first.
        for j in (i + 2)..(if i == 0 { n - 1 } else { n }) {
            let meets = segments_meet([at(i), at(i + 1)], [at(j), at(j + 1)]);
            require(
                !meets,
                SHAPE,
                "profile edge",
                i as f64,
                "this edge (counted from 0) meets a later one: order the points along the outline, and keep walls apart",
            )?;
        }
    }
    Ok(())
}

fn difference(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn segments_meet([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let side = |p: [f64; 2], q: [f64; 2], x: [f64; 2]| cross(difference(q, p), difference(x, p));
    let between = |p: [f64; 2], q: [f64; 2], x: [f64; 2]| {
        side(p, q, x) == 0.0 && (0..2).all(|k| x[k] >= p[k].min(q[k]) && x[k] <= p[k].max(q[k]))
    };
    let apart = |s: f64, t: f64| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
    let crossing = apart(side(a, b, c), side(a, b, d)) && apart(side(c, d, a), side(c, d, b));
    crossing || between(a, b, c) || between(a, b, d) || between(c, d, a) || between(c, d, b)
}
