//! Distance of a vertex and a triangle or an edge, or of two edges, with gradient and Hessian, whichever features are closest.
//!
//! One form covers all cases. The vector between the closest points is r(x, t) = sum_i w_i(t) x_i, linear in the places t
//! on the features (none for vertex-vertex, one for vertex-edge, two for vertex-face and edge-edge), and the distance d is the least
//! |r| over t. So grad_i d = w_i n with n = r / d, and with r_a = dr/dt_a, their Gram matrix G and w_{i,a} = dw_i/dt_a,
//! Hess(d^2 / 2) = w w^T (x) I - C G^-1 C^T, C_{i,a} = w_i r_a + w_{i,a} r. With t_a orthonormal combinations of the r_a this
//! lives in the span of five vectors: (w, w~_1, w~_2) (x) n and w (x) (t_1, t_2). Projection to positive semidefinite is a 5x5 problem.

use crate::math::{outer, project_small};
use cupule_geometry::distance::{TriangleRegion, edge_edge_fine, point_segment, point_triangle};
use cupule_geometry::{DMat3, DVec3};

/// Below this sine of the angle between edges (or of a triangle's corner) the curvature along the features is left out: places on
/// almost parallel edges are not defined, and the mollifier has taken their weight away.
const SMALLEST_SINE: f64 = 1e-6;

/// Where the force of a pair, times how fast its normal turns, is below this share of its stiffness, the turning is left out of the
/// projected Hessian: what is left is positive semidefinite as it is, and Newton's method does not notice.
const NEGLIGIBLE: f64 = 1e-3;

/// 3x3 blocks (i, j) of a symmetric matrix over the four points of a pair.
pub(super) type PairBlocks = [[DMat3; 4]; 4];

/// The closest points of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    /// Distance, m.
    pub distance: f64,
    /// Unit vector from the second feature to the first.
    pub normal: DVec3,
    /// Signed weights: r = sum w_i x_i.
    pub weights: [f64; 4],
    /// Directions across the normal, those along which the closest points move first.
    pub tangents: [DVec3; 2],
    /// w~_a for each direction along the features, 1/m.
    slopes: [[f64; 4]; 2],
    /// How many of the tangents are such.
    places: usize,
}

impl Measure {
    /// Of the vertex x[0] and the triangle x[1..4].
    pub(super) fn vertex_face(x: &[DVec3; 4]) -> Self {
        let found = point_triangle(x[0], [x[1], x[2], x[3]]);
        let [a, b, c] = found.weights;
        let weights = [1.0, -a, -b, -c];
        let edge = |from: usize, to: usize| {
            let mut slope = [0.0; 4];
            (slope[1 + from], slope[1 + to]) = (1.0, -1.0);
            (x[1 + from] - x[1 + to], slope)
        };
        let r = x[0] - found.point;
        match found.region {
            TriangleRegion::Face => Self::new(r, weights, &[edge(0, 1), edge(0, 2)]),
            TriangleRegion::Edge(i) => {
                let i = usize::from(i);
                Self::new(r, weights, &[edge(i, (i + 1) % 3)])
            }
            TriangleRegion::Vertex(_) => Self::new(r, weights, &[]),
        }
    }

    /// Of the vertex x[0] and the edge x[1..3]; the last point has no weight.
    pub(super) fn vertex_edge(x: &[DVec3; 4]) -> Self {
        let t = point_segment(x[0], x[1], x[2]);
        let weights = [1.0, t - 1.0, -t, 0.0];
        let r = x[0] - x[1].lerp(x[2], t);
        let along = (x[1] - x[2], [0.0, 1.0, -1.0, 0.0]);
        let inside = t > 0.0 && t < 1.0;
        Self::new(r, weights, if inside { std::slice::from_ref(&along) } else { &[] })
    }

    /// Of the edges x[0..2] and x[2..4].
    pub(super) fn edge_edge(x: &[DVec3; 4]) -> Self {
        let found = edge_edge_fine([x[0], x[1]], [x[2], x[3]]);
        let (s, t) = (found.s, found.t);
        let weights = [1.0 - s, s, t - 1.0, -t];
        let inside = |place: f64| place > 0.0 && place < 1.0;
        let first = (x[1] - x[0], [-1.0, 1.0, 0.0, 0.0]);
        let second = (x[2] - x[3], [0.0, 0.0, 1.0, -1.0]);
        let r = found.first - found.second;
        match (inside(s), inside(t)) {
            (true, true) => Self::new(r, weights, &[first, second]),
            (true, false) => Self::new(r, weights, &[first]),
            (false, true) => Self::new(r, weights, &[second]),
            (false, false) => Self::new(r, weights, &[]),
        }
    }

    /// `features` are the pairs (r_a, w_{,a}).
    fn new(r: DVec3, weights: [f64; 4], features: &[(DVec3, [f64; 4])]) -> Self {
        let distance = r.length();
        let mut measure = Self {
            distance,
            normal: r / distance,
            weights,
            tangents: [DVec3::ZERO; 2],
            slopes: [[0.0; 4]; 2],
            places: 0,
        };
        // Gram and Schmidt: t_a = L^-1 r_a, and the weights follow.
        for (along, slope) in features {
            let (mut t, mut w) = (*along, *slope);
            for a in 0..measure.places {
                let share = t.dot(measure.tangents[a]);
                t -= measure.tangents[a] * share;
                (0..4).for_each(|i| w[i] -= share * measure.slopes[a][i]);
            }
            let length = t.length();
            if length > SMALLEST_SINE * along.length() {
                measure.tangents[measure.places] = t / length;
                measure.slopes[measure.places] = w.map(|w| w / length);
                measure.places += 1;
            }
        }
        match measure.places {
            0 => measure.tangents = crate::math::tangents(measure.normal),
            1 => measure.tangents[1] = measure.normal.cross(measure.tangents[0]),
            _ => {}
        }
        measure
    }

    /// Gradient of the distance over each of the four points.
    pub(super) fn gradient(&self) -> [DVec3; 4] {
        self.weights.map(|w| self.normal * w)
    }

    /// Hessian of a function of the distance with this slope and curvature, made positive semidefinite if asked.
    pub(super) fn hessian(&self, slope: f64, curvature: f64, project: bool) -> PairBlocks {
        let length = norm(&self.weights);
        let turning = self.slopes.iter().map(norm).fold(0.0, f64::max);
        if project && slope.abs() * turning <= NEGLIGIBLE * curvature * length {
            return self.straight(curvature);
        }
        let (basis, coordinates) = self.normal_basis();
        let mut core = [[0.0; 5]; 5];
        // curvature (w (x) n)(w (x) n)^T: w is the first basis vector times its length.
        core[0][0] = curvature * length * length;
        for a in 0..2 {
            if a >= self.places {
                core[3 + a][3 + a] = slope / self.distance * length * length;
                continue;
            }
            for k in 0..3 {
                core[k][3 + a] = -slope * length * coordinates[a][k];
                core[3 + a][k] = core[k][3 + a];
                for l in 0..3 {
                    core[k][l] -= slope * self.distance * coordinates[a][k] * coordinates[a][l];
                }
            }
        }
        let core = if project { project_small(&core) } else { core };
        self.expand(&core, &basis, length)
    }

    /// curvature grad d grad d^T.
    fn straight(&self, curvature: f64) -> PairBlocks {
        let (core, w) = (outer(self.normal, self.normal) * curvature, self.weights);
        std::array::from_fn(|i| std::array::from_fn(|j| core * (w[i] * w[j])))
    }

    /// An orthonormal basis of the span of w, w~_1, w~_2, beginning with w, and the coordinates of the latter two.
    fn normal_basis(&self) -> ([[f64; 4]; 3], [[f64; 3]; 2]) {
        let mut basis = [[0.0; 4]; 3];
        let mut coordinates = [[0.0; 3]; 2];
        let length = norm(&self.weights);
        basis[0] = self.weights.map(|w| w / length);
        for a in 0..self.places {
            let mut left = self.slopes[a];
            for k in 0..=a {
                let share: f64 = (0..4).map(|i| left[i] * basis[k][i]).sum();
                coordinates[a][k] = share;
                (0..4).for_each(|i| left[i] -= share * basis[k][i]);
            }
            let rest = norm(&left);
            coordinates[a][a + 1] = rest;
            if rest > 0.0 {
                basis[a + 1] = left.map(|v| v / rest);
            }
        }
        (basis, coordinates)
    }

    fn expand(&self, core: &[[f64; 5]; 5], basis: &[[f64; 4]; 3], length: f64) -> PairBlocks {
        let (n, t) = (self.normal, self.tangents);
        let w = self.weights.map(|w| w / length);
        let nn = outer(n, n);
        let across = [outer(n, t[0]), outer(n, t[1])];
        let along = outer(t[0], t[0]) * core[3][3]
            + outer(t[1], t[1]) * core[4][4]
            + (outer(t[0], t[1]) + outer(t[1], t[0])) * core[3][4];
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mut normal = 0.0;
                for k in 0..3 {
                    for l in 0..3 {
                        normal += core[k][l] * basis[k][i] * basis[l][j];
                    }
                }
                let mut block = nn * normal + along * (w[i] * w[j]);
                for a in 0..2 {
                    let mixed =
                        |p: usize| (0..3).map(|k| core[k][3 + a] * basis[k][p]).sum::<f64>();
                    block += across[a] * (mixed(i) * w[j]);
                    block += across[a].transpose() * (w[i] * mixed(j));
                }
                block
            })
        })
    }
}

fn norm(v: &[f64; 4]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::checks::{blocks_error, configurations, gradient_error, spread};
    use super::*;

    /// grad d and Hess d against central differences, at random and degenerate configurations of all kinds. Near the border
    /// between two regions the Hessian jumps, by 1/d at most: there a difference quotient of the gradient means nothing, and that
    /// of the distance is off by the step over d.
    #[test]
    fn derivatives_agree_with_differences() {
        type Kind = fn(&[DVec3; 4]) -> Measure;
        let kinds: [(Kind, bool); 3] = [
            (Measure::vertex_face, false),
            (Measure::edge_edge, true),
            (Measure::vertex_edge, false),
        ];
        let mut counted = 0;
        for x in configurations(1500) {
            for (at, edges) in kinds {
                let here = at(&x);
                if here.distance < 1e-3 || spread(&x, edges) < 1e-3 {
                    continue;
                }
                let error = gradient_error(&x, |x| at(x).distance, &here.gradient());
                assert!(error < 1e-5 / here.distance, "gradient {error} at {x:?}");
                let region = |m: &Measure| m.weights.map(|w| w == 0.0);
                let steady = |y: &[DVec3; 4]| region(&at(y)) == region(&here);
                let hessian = here.hessian(1.0, 0.0, false);
                if spread(&x, edges) > 0.05
                    && let Some(error) = blocks_error(&x, |x| at(x).gradient(), &hessian, steady)
                {
                    assert!(
                        error < 1e-4 / here.distance.min(1.0).powi(2),
                        "Hessian {error} at {x:?}"
                    );
                    counted += 1;
                }
            }
        }
        assert!(counted > 2500, "only {counted} configurations away from region borders");
    }

    /// The projection is positive semidefinite, keeps what is positive, and rests where nothing is negative.
    #[test]
    fn projection_keeps_the_positive_part() {
        for x in configurations(300) {
            let measure = Measure::vertex_face(&x);
            if measure.distance < 1e-3 {
                continue;
            }
            let (full, kept) =
                (measure.hessian(-1.0, 3.0, false), measure.hessian(-1.0, 3.0, true));
            for k in 0..40 {
                let v: [DVec3; 4] = std::array::from_fn(|i| {
                    let phase = f64::from(k) * 1.7 + i as f64;
                    DVec3::new(phase.sin(), (2.3 * phase).cos(), (3.1 * phase).sin())
                });
                let form = |h: &PairBlocks| -> f64 {
                    (0..4)
                        .flat_map(|i| (0..4).map(move |j| (i, j)))
                        .map(|(i, j)| v[i].dot(h[i][j] * v[j]))
                        .sum()
                };
                let scale = 1e-9 / measure.distance;
                assert!(form(&kept) >= -scale && form(&kept) >= form(&full) - scale);
            }
        }
    }
}
