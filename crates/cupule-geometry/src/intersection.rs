//! Whether two triangles have a point in common, decided exactly (adaptive-precision predicates of Shewchuk).
//!
//! Two triangles meet if an edge of one meets the other. An edge meets a triangle if its ends do not lie strictly on one side of
//! the triangle's plane and the line passes between the triangle's edges; where all lies in one plane, the same is asked in a
//! projection. Touching counts. Triangles must have an area.

use crate::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Whether triangles `a` and `b` have a point in common.
#[must_use]
pub fn triangles_meet(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    (0..3).any(|i| segment_meets_triangle(a[i], a[(i + 1) % 3], b))
        || (0..3).any(|i| segment_meets_triangle(b[i], b[(i + 1) % 3], a))
}

/// Whether the segment from `p` to `q` and the triangle `t` have a point in common.
#[must_use]
pub fn segment_meets_triangle(p: DVec3, q: DVec3, t: [DVec3; 3]) -> bool {
    let [above, below] = [p, q].map(|x| side(t[0], t[1], t[2], x));
    if above * below > 0.0 {
        return false;
    }
    if above == 0.0 && below == 0.0 {
        return meets_in_plane(p, q, t);
    }
    // The line passes on one side of all three edges, or through one of them.
    let turns = [side(p, q, t[0], t[1]), side(p, q, t[1], t[2]), side(p, q, t[2], t[0])];
    turns.iter().all(|s| *s >= 0.0) || turns.iter().all(|s| *s <= 0.0)
}

/// -1, 0 or 1: the side of the plane of the first three points on which the last lies.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let at = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    sign(orient3d(at(a), at(b), at(c), at(d)))
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// The segment lies in the plane of the triangle: all three projections must meet.
fn meets_in_plane(p: DVec3, q: DVec3, t: [DVec3; 3]) -> bool {
    (0..3).all(|dropped| {
        let flat = |v: DVec3| match dropped {
            0 => Coord { x: v.y, y: v.z },
            1 => Coord { x: v.z, y: v.x },
            _ => Coord { x: v.x, y: v.y },
        };
        let (p, q, t) = (flat(p), flat(q), t.map(flat));
        (0..3).any(|i| segments_meet([p, q], [t[i], t[(i + 1) % 3]])) || inside(p, t)
    })
}

fn inside(p: Coord<f64>, t: [Coord<f64>; 3]) -> bool {
    let turns: [f64; 3] = std::array::from_fn(|i| sign(orient2d(t[i], t[(i + 1) % 3], p)));
    let in_box = |get: fn(&Coord<f64>) -> f64| {
        let (low, high) = (
            t.iter().map(get).fold(f64::MAX, f64::min),
            t.iter().map(get).fold(f64::MIN, f64::max),
        );
        (low..=high).contains(&get(&p))
    };
    (turns.iter().all(|s| *s >= 0.0) || turns.iter().all(|s| *s <= 0.0))
        && in_box(|c| c.x)
        && in_box(|c| c.y)
}

fn segments_meet(a: [Coord<f64>; 2], b: [Coord<f64>; 2]) -> bool {
    let across = |s: [Coord<f64>; 2], o: [Coord<f64>; 2]| {
        sign(orient2d(s[0], s[1], o[0])) * sign(orient2d(s[0], s[1], o[1])) <= 0.0
    };
    let overlap = |get: fn(&Coord<f64>) -> f64| {
        let range = |s: [Coord<f64>; 2]| (get(&s[0]).min(get(&s[1])), get(&s[0]).max(get(&s[1])));
        let ((low, high), (other_low, other_high)) = (range(a), range(b));
        low <= other_high && other_low <= high
    };
    across(a, b) && across(b, a) && overlap(|c| c.x) && overlap(|c| c.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{edge_edge, point_triangle};
    use proptest::array::uniform3;
    use proptest::prelude::*;

    fn grid() -> impl Strategy<Value = DVec3> {
        (-2i8..=2, -2i8..=2, -2i8..=2)
            .prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()))
    }

    /// Least distance of vertices to triangles and of edges to edges: zero if the borders meet.
    fn border_distance(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
        let mut least = f64::MAX;
        for i in 0..3 {
            least = least.min(point_triangle(a[i], b).distance_squared);
            least = least.min(point_triangle(b[i], a).distance_squared);
            for j in 0..3 {
                let found = edge_edge([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
                least = least.min(found.distance_squared);
            }
        }
        least.sqrt()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Small integer coordinates make every degenerate case. A proper crossing has an edge through a face, so that
        /// either the borders are apart and no edge crosses a face, or the triangles meet; moving one through the other along
        /// an axis, the answer agrees with sampled distances.
        #[test]
        fn agrees_with_distances(a in uniform3(grid()), b in uniform3(grid())) {
            let area = |t: [DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).length();
            prop_assume!(area(a) > 0.0 && area(b) > 0.0);
            let meets = triangles_meet(a, b);
            prop_assert_eq!(meets, triangles_meet(b, a));
            prop_assert_eq!(meets, triangles_meet([a[2], a[1], a[0]], b));
            let distance = border_distance(a, b);
            if distance < 1e-12 {
                prop_assert!(meets, "borders touch");
            }
            if !meets {
                prop_assert!(distance > 1e-3, "apart by no more than {}", distance);
            } else if distance > 1e-3 {
                // Borders are apart, so an edge passes through a face: its ends are on both sides of it.
                let through = |p: DVec3, q: DVec3, t: [DVec3; 3]| {
                    (0..=2000).map(|k| point_triangle(p.lerp(q, f64::from(k) / 2000.0), t).distance_squared.sqrt()).fold(f64::MAX, f64::min) < 5e-3
                };
                let crossed = (0..3).any(|i| through(a[i], a[(i + 1) % 3], b) || through(b[i], b[(i + 1) % 3], a));
                prop_assert!(crossed, "said to meet, but nothing comes close");
            }
        }
    }

    #[test]
    fn a_hair_apart_is_apart() {
        let floor =
            [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
        let above = |z: f64| floor.map(|v| v * 0.5 + DVec3::Z * z);
        assert!(triangles_meet(floor, above(0.0)) && !triangles_meet(floor, above(5e-324)));
        let spike = |z: f64| [DVec3::Z * z, DVec3::new(0.1, 0.0, 1.0), DVec3::new(-0.1, 0.1, 1.0)];
        assert!(!triangles_meet(floor, spike(1e-300)) && triangles_meet(floor, spike(-1e-300)));
    }
}
