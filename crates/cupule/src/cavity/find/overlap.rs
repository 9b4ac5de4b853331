//! How much two parts of one triangle have in common.

/// A point of a triangle by two of its barycentric coordinates: an affine map, which keeps ratios of areas.
type Point = [f64; 2];

/// Fraction of the first triangle that lies in the second; both by barycentric corners in the same source triangle.
pub(super) fn overlap_fraction(of: &[[f64; 3]; 3], within: &[[f64; 3]; 3]) -> f64 {
    // Most parts are whole triangles.
    if of == within {
        return 1.0;
    }
    let flat = |corners: &[[f64; 3]; 3]| corners.map(|[x, y, _]| [x, y]);
    let (of, within) = (flat(of), flat(within));
    let (whole, turn) = (doubled_area(&of), doubled_area(&within));
    let apart = |i: usize| {
        let range =
            |t: &[Point; 3]| (t[0][i].min(t[1][i]).min(t[2][i]), t[0][i].max(t[1][i]).max(t[2][i]));
        let ((low, high), (other_low, other_high)) = (range(&of), range(&within));
        high <= other_low || other_high <= low
    };
    if whole == 0.0 || turn == 0.0 || apart(0) || apart(1) {
        return 0.0;
    }
    let mut common = of.to_vec();
    for k in 0..3 {
        common = cut(&common, within[k], within[(k + 1) % 3], turn.signum());
    }
    (doubled_area(&common) / whole).clamp(0.0, 1.0)
}

/// What of a convex polygon lies on the inner side of a line (Sutherland and Hodgman 1974).
fn cut(polygon: &[Point], from: Point, to: Point, turn: f64) -> Vec<Point> {
    let side = |p: Point| turn * cross(from, to, p);
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &here) in polygon.iter().enumerate() {
        let next = polygon[(k + 1) % polygon.len()];
        let (a, b) = (side(here), side(next));
        if a >= 0.0 {
            kept.push(here);
        }
        if (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0) {
            let t = a / (a - b);
            kept.push([0, 1].map(|i| here[i] + t * (next[i] - here[i])));
        }
    }
    kept
}

fn cross(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn doubled_area(polygon: &[Point]) -> f64 {
    let fan = |pair: &[Point]| cross(polygon[0], pair[0], pair[1]);
    polygon.get(1..).map_or(0.0, |rest| rest.windows(2).map(fan).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thirds and quarters by hand, whichever way round the triangles run.
    #[test]
    fn fractions_of_cut_triangles() {
        let whole = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let tip = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]];
        let side = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]];
        let other_tip = [[0.0, 1.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.5, 0.0]];
        let turned = |t: [[f64; 3]; 3]| [t[0], t[2], t[1]];
        // The tip is a quarter, the side a third; the tip and the side share the triangle (1,0,0), (1/2,1/2,0), (1/2,1/4,1/4).
        let cases = [
            (whole, tip, 0.25),
            (tip, whole, 1.0),
            (whole, side, 1.0 / 3.0),
            (tip, side, 0.5),
            (tip, other_tip, 0.0),
        ];
        for (of, within, share) in cases {
            for (of, within) in [(of, within), (turned(of), within), (of, turned(within))] {
                let found = overlap_fraction(&of, &within);
                assert!((found - share).abs() < 1e-14, "{found} instead of {share}");
            }
        }
    }
}
