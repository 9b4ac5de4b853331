//! What the tests of all kernels share: configurations, and differences to hold derivatives against.

use super::measure::PairBlocks;
use cupule_geometry::DVec3;

/// Positions of four points: random ones, and every fourth on a coarse grid, where primitives are often parallel, coplanar,
/// perpendicular or without extent.
pub(super) fn configurations(count: usize) -> Vec<[DVec3; 4]> {
    let numbers = crate::math::samples(12 * count);
    let points = |(k, numbers): (usize, &[f64])| {
        std::array::from_fn(|i| {
            let v = DVec3::from_slice(&numbers[3 * i..]);
            if k % 4 == 3 { (v * 2.0).round() * 0.5 } else { v }
        })
    };
    numbers.chunks_exact(12).enumerate().map(points).collect()
}

/// How far a pair is from being degenerate: the area spanned by two edges, or by two sides of the triangle x[1..4], m2. Distances have
/// kinks where it vanishes: between parallel edges (what the mollifier is for) and to triangles without an area (which no surface has).
/// Where it is small they bend faster than differences can tell.
pub(super) fn spread(x: &[DVec3; 4], edges: bool) -> f64 {
    let (u, v) = if edges { (x[1] - x[0], x[3] - x[2]) } else { (x[2] - x[1], x[3] - x[1]) };
    u.cross(v).length()
}

fn shifted(x: &[DVec3; 4], point: usize, axis: usize, by: f64) -> [DVec3; 4] {
    let mut y = *x;
    y[point][axis] += by;
    y
}

/// Largest difference between a gradient and central differences of a value.
pub(super) fn gradient_error(
    x: &[DVec3; 4],
    value: impl Fn(&[DVec3; 4]) -> f64,
    gradient: &[DVec3; 4],
) -> f64 {
    let e = 1e-6;
    let mut worst: f64 = 0.0;
    for (p, gradient) in gradient.iter().enumerate() {
        for (c, gradient) in gradient.to_array().into_iter().enumerate() {
            let slope = (value(&shifted(x, p, c, e)) - value(&shifted(x, p, c, -e))) / (2.0 * e);
            worst = worst.max((slope - gradient).abs());
        }
    }
    worst
}

/// Largest difference between a Hessian and central differences of a gradient; none if `steady` fails nearby.
pub(super) fn blocks_error(
    x: &[DVec3; 4],
    gradient: impl Fn(&[DVec3; 4]) -> [DVec3; 4],
    hessian: &PairBlocks,
    steady: impl Fn(&[DVec3; 4]) -> bool,
) -> Option<f64> {
    let e = 1e-5;
    let mut worst: f64 = 0.0;
    for p in 0..4 {
        for c in 0..3 {
            let (there, back) = (shifted(x, p, c, e), shifted(x, p, c, -e));
            if !steady(&there) || !steady(&back) {
                return None;
            }
            let (there, back) = (gradient(&there), gradient(&back));
            for (row, (there, back)) in hessian.iter().zip(there.iter().zip(&back)) {
                let slope = (*there - *back) / (2.0 * e);
                worst = worst.max((slope - row[p].col(c)).length());
            }
        }
    }
    Some(worst)
}
