//! The wall of a cavity: a closed surface that bodies carry.
//!
//! Its corners are material points of surface triangles, so that it follows the bodies without being recomputed. Where two bodies
//! meet at the seal, the border runs twice, once on each body, with a band of triangles between (Bernardin et al. 2022, sec. 4.2).
//!
//! V comes from the divergence theorem; dV/dx is exact. The solver holds bodies apart by the contact distance, which is not air, and
//! real surfaces are rough: half the contact distance on every wall is skin, half the roughness height is air. Both are
//! amounts of the patch, not of the moment, so that they shift V and leave its slope alone.

use crate::solver::Walls;
use cupule_geometry::DVec3;

/// A material point of a surface triangle: a weighted mean of three points of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Points of the world.
    pub points: [usize; 3],
    /// Their weights; sum 1.
    pub weights: [f64; 3],
}

impl Corner {
    /// Where it is, m.
    pub fn at(&self, x: &[DVec3]) -> DVec3 {
        (0..3).map(|i| x[self.points[i]] * self.weights[i]).sum()
    }
}

/// A closed surface around air; the normals of its triangles point into the air.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wall {
    /// Triangles on bodies, then bands.
    pub triangles: Vec<[Corner; 3]>,
    /// How many lie on bodies.
    pub on_bodies: usize,
    /// What is added to the volume inside: roughness less skin, m3.
    pub offset: f64,
}

impl Wall {
    /// Gas volume (m3) and its slope over the points of the world (m2), each point once, ascending.
    pub fn measure(&self, x: &[DVec3]) -> (f64, Vec<(usize, DVec3)>) {
        let origin = self.centre(x);
        let mut volume = 0.0;
        let mut slopes: Vec<Option<DVec3>> = vec![None; x.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.each_ref().map(|corner| corner.at(x) - origin);
            volume -= a.dot(b.cross(c)) / 6.0;
            let of_corners = [b.cross(c), c.cross(a), a.cross(b)];
            for (corner, slope) in triangle.iter().zip(of_corners) {
                let parts = corner.points.iter().zip(corner.weights).filter(|(_, w)| *w != 0.0);
                for (p, w) in parts {
                    *slopes[*p].get_or_insert(DVec3::ZERO) += slope * (-w / 6.0);
                }
            }
        }
        let touched = slopes.into_iter().enumerate();
        (volume + self.offset, touched.filter_map(|(p, slope)| Some((p, slope?))).collect())
    }

    /// Area of the bands with all points at `x` (m), m2: it grows as the border slides or opens.
    pub fn band_area(&self, x: &[DVec3]) -> f64 {
        let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        self.triangles[self.on_bodies..].iter().map(|t| area(t.each_ref().map(|c| c.at(x)))).sum()
    }

    /// A point near the wall, about which products of coordinates keep their digits, m.
    fn centre(&self, x: &[DVec3]) -> DVec3 {
        let count = self.triangles.len().max(1) as f64;
        self.triangles.iter().map(|[a, ..]| a.at(x)).sum::<DVec3>() / count
    }
}

impl Walls for Wall {
    fn volume(&self, x: &[DVec3]) -> f64 {
        let origin = self.centre(x);
        let of = |triangle: &[Corner; 3]| {
            let [a, b, c] = triangle.each_ref().map(|corner| corner.at(x) - origin);
            a.dot(b.cross(c)) / 6.0
        };
        self.offset - self.triangles.iter().map(of).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Air inside a box of unit cells whose corners are points of the world; normals point inwards.
    fn room() -> (Wall, Vec<DVec3>) {
        let mesh = cupule_geometry::generate::cuboid(DVec3::new(2.0, 1.0, 0.5), [2, 1, 1])
            .expect("a box")
            .translated(DVec3::new(40.0, -3.0, 7.0));
        let corner = |v: u32| Corner { points: [v as usize; 3], weights: [1.0, 0.0, 0.0] };
        let triangles = mesh.triangles.iter().map(|[a, b, c]| [corner(*a), corner(*c), corner(*b)]);
        let triangles: Vec<[Corner; 3]> = triangles.collect();
        let on_bodies = triangles.len();
        (Wall { triangles, on_bodies, offset: 0.0 }, mesh.vertices)
    }

    #[test]
    fn volume_of_a_box_far_from_the_origin() {
        let (wall, x) = room();
        assert!((wall.volume(&x) - 1.0).abs() < 1e-13);
        assert!((wall.measure(&x).0 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn slope_is_the_derivative_of_the_volume() {
        let (wall, mut x) = room();
        x.iter_mut().enumerate().for_each(|(i, x)| x.x += 0.05 * (i as f64).sin());
        let (_, slopes) = wall.measure(&x);
        let e = 1e-6;
        for (point, slope) in &slopes {
            for axis in 0..3 {
                let at = |sign: f64| {
                    let mut x = x.clone();
                    x[*point][axis] += sign * e;
                    wall.volume(&x)
                };
                let difference = (at(1.0) - at(-1.0)) / (2.0 * e);
                assert!((difference - slope[axis]).abs() < 1e-8, "{difference} {}", slope[axis]);
            }
        }
        let total: DVec3 = slopes.iter().map(|(_, s)| *s).sum();
        assert!(total.length() < 1e-12, "a closed wall does not push itself away: {total}");
    }

    /// Along random directions at 1 000 random walls, crumpled and through each other, whose corners are random means of three
    /// points: the slope against central differences of the volume, no net force, and no net torque on air that is only turned.
    #[test]
    fn slope_is_the_derivative_of_the_volume_at_a_thousand_walls() {
        let mesh = cupule_geometry::generate::sphere(1.0, 1).expect("a ball");
        let (corners, points) = (mesh.vertices.len(), 60);
        let size = 6 * corners + 6 * points;
        for (case, numbers) in crate::math::samples(1000 * size).chunks_exact(size).enumerate() {
            let (of_corners, of_points) = numbers.split_at(6 * corners);
            let carried: Vec<Corner> = of_corners
                .chunks_exact(6)
                .map(|n| {
                    let point = |i: usize| ((n[i] + 1.0) * 0.5 * points as f64) as usize;
                    let raw = [n[3].abs() + 0.01, n[4].abs(), n[5].abs()];
                    let sum: f64 = raw.iter().sum();
                    Corner { points: [point(0), point(1), point(2)], weights: raw.map(|w| w / sum) }
                })
                .collect();
            let triangles: Vec<[Corner; 3]> =
                mesh.triangles.iter().map(|t| t.map(|v| carried[v as usize])).collect();
            let wall = Wall { on_bodies: triangles.len(), triangles, offset: 0.3 };
            let vectors: Vec<DVec3> = of_points.chunks_exact(3).map(DVec3::from_slice).collect();
            let (x, way) = vectors.split_at(points);
            let (volume, slopes) = wall.measure(x);
            assert!((volume - wall.volume(x)).abs() < 1e-13, "case {case}");
            let at = |e: f64| -> f64 {
                let moved: Vec<DVec3> = x.iter().zip(way).map(|(x, d)| *x + *d * e).collect();
                wall.volume(&moved)
            };
            let e = 1e-5;
            let difference = (at(e) - at(-e)) / (2.0 * e);
            let slope: f64 = slopes.iter().map(|(p, g)| g.dot(way[*p])).sum();
            // V is cubic: e^2 of its third derivative, and 1e-15 of rounding over 2e-5.
            assert!((difference - slope).abs() < 1e-8, "case {case}: {difference} {slope}");
            let force: DVec3 = slopes.iter().map(|(_, g)| *g).sum();
            let torque: DVec3 = slopes.iter().map(|(p, g)| x[*p].cross(*g)).sum();
            assert!(
                force.length() < 1e-13 && torque.length() < 1e-13,
                "case {case}: {force} {torque}"
            );
        }
    }
}
