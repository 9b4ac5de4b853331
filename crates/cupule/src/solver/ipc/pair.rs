//! A pair of surface primitives in reach of each other, and the barrier between them: A kappa dhat b(g / dhat), times the
//! mollifier for two edges. The gap g is their distance less what they have of thickness (Li, Kaufman, Jiang 2021, section 3).

use super::barrier::barrier;
use super::measure::{Measure, PairBlocks};
use super::mollifier::Mollifier;
use crate::contact::{ContactId, Feature};
use crate::math::{outer, project_small};
use cupule_geometry::ccd::MovingPair;
use cupule_geometry::distance::{edge_edge_fine, point_segment, point_triangle};
use cupule_geometry::{DMat3, DVec3};

/// Mollifier below which a pair of edges is so nearly parallel that the projection takes the parts of the Hessian that are positive
/// semidefinite by themselves, and leaves out the rest.
const FADED: f64 = 0.1;

/// Which primitives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A vertex of the first surface and a triangle of the second.
    VertexFace,
    /// Two edges.
    EdgeEdge,
    /// A vertex of the first surface and an edge of the second that is a wire: what parallel edges leave, no face carries there.
    VertexEdge,
}

/// Two primitives that may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub kind: Kind,
    /// The two surfaces.
    pub surfaces: [u32; 2],
    /// Vertex and triangle or edge, or edge and edge, by their numbers in their surfaces.
    pub features: [u32; 2],
    /// World points; of a vertex and an edge, the last twice.
    pub points: [u32; 4],
    /// Tributary area at rest, m2.
    pub area: f64,
    /// Below which |u x v|^2 edges are mollified, m4.
    pub parallel: f64,
    /// Distance at which they touch, m: what both have of thickness, half of each.
    pub thickness: f64,
}

/// How stiff the barrier is and how far it reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reach {
    /// kappa, Pa.
    pub stiffness: f64,
    /// dhat, m.
    pub distance: f64,
}

impl Pair {
    /// Its identity, as the rest of the world knows contacts.
    pub(super) fn id(&self) -> ContactId {
        let ([surface_a, surface_b], [f, g]) = (self.surfaces, self.features);
        let (feature_a, feature_b) = match self.kind {
            Kind::VertexFace => (Feature::Vertex(f), Feature::Face(g)),
            Kind::VertexEdge => (Feature::Vertex(f), Feature::Edge(g)),
            Kind::EdgeEdge => (Feature::Edge(f), Feature::Edge(g)),
        };
        ContactId { surface_a, feature_a, surface_b, feature_b }
    }

    /// The positions of its points.
    pub(super) fn gather(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.points.map(|p| x[p as usize])
    }

    /// Its closest points.
    pub(super) fn measure(&self, x: &[DVec3; 4]) -> Measure {
        match self.kind {
            Kind::VertexFace => Measure::vertex_face(x),
            Kind::VertexEdge => Measure::vertex_edge(x),
            Kind::EdgeEdge => Measure::edge_edge(x),
        }
    }

    fn mollifier(&self, x: &[DVec3; 4]) -> Option<Mollifier> {
        match self.kind {
            Kind::VertexFace | Kind::VertexEdge => None,
            Kind::EdgeEdge => Mollifier::new(x, self.parallel),
        }
    }

    /// The pair on its way.
    pub(super) fn moving(&self, start: &[DVec3], moves: &[DVec3]) -> MovingPair {
        let (start, moves) = (self.gather(start), self.gather(moves));
        match self.kind {
            Kind::VertexFace => MovingPair::PointTriangle { start, moves },
            Kind::VertexEdge => MovingPair::PointEdge { start, moves },
            Kind::EdgeEdge => MovingPair::EdgeEdge { start, moves },
        }
    }

    /// Value (J), slope (N) and curvature (N/m) of the unmollified barrier over the distance.
    fn barrier(&self, distance: f64, reach: Reach) -> [f64; 3] {
        let [value, slope, curvature] = barrier((distance - self.thickness) / reach.distance);
        let scale = self.area * reach.stiffness;
        [scale * reach.distance * value, scale * slope, scale * curvature / reach.distance]
    }

    /// Distance of its closest points, m.
    fn distance(&self, x: &[DVec3; 4]) -> f64 {
        let squared = match self.kind {
            Kind::VertexFace => point_triangle(x[0], [x[1], x[2], x[3]]).distance_squared,
            Kind::VertexEdge => {
                x[0].distance_squared(x[1].lerp(x[2], point_segment(x[0], x[1], x[2])))
            }
            Kind::EdgeEdge => edge_edge_fine([x[0], x[1]], [x[2], x[3]]).distance_squared,
        };
        squared.sqrt()
    }

    /// Energy of the barrier, J.
    pub(super) fn energy(&self, x: &[DVec3; 4], reach: Reach) -> f64 {
        let distance = self.distance(x);
        if distance - self.thickness >= reach.distance {
            return 0.0;
        }
        self.barrier(distance, reach)[0] * self.mollifier(x).map_or(1.0, |m| m.value)
    }

    /// The normal force with which the pair pushes apart, N.
    pub(super) fn normal_force(&self, x: &[DVec3; 4], measure: &Measure, reach: Reach) -> f64 {
        -self.barrier(measure.distance, reach)[1] * self.mollifier(x).map_or(1.0, |m| m.value)
    }

    /// Gradient of the barrier, N.
    pub(super) fn gradient(&self, x: &[DVec3; 4], measure: &Measure, reach: Reach) -> [DVec3; 4] {
        let [value, slope, _] = self.barrier(measure.distance, reach);
        let plain = measure.gradient().map(|g| g * slope);
        match self.mollifier(x) {
            None => plain,
            Some(m) => {
                let turning = m.gradient();
                std::array::from_fn(|i| plain[i] * m.value + turning[i] * value)
            }
        }
    }

    /// Hessian of the barrier, N/m, positive semidefinite if asked.
    pub(super) fn hessian(
        &self,
        x: &[DVec3; 4],
        measure: &Measure,
        reach: Reach,
        project: bool,
    ) -> PairBlocks {
        let [value, slope, curvature] = self.barrier(measure.distance, reach);
        let Some(m) = self.mollifier(x) else {
            return measure.hessian(slope, curvature, project);
        };
        if project && m.value < FADED {
            let (plain, bend) = (measure.hessian(slope, curvature, true), m.straight_hessian());
            return std::array::from_fn(|i| {
                std::array::from_fn(|j| plain[i][j] * m.value + bend[i][j] * value)
            });
        }
        let plain = measure.hessian(slope, curvature, false);
        let (away, turning) = (measure.gradient(), m.gradient());
        let bend = m.hessian();
        let full: PairBlocks = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                plain[i][j] * m.value
                    + (outer(away[i], turning[j]) + outer(turning[i], away[j])) * slope
                    + bend[i][j] * value
            })
        });
        if project { project_blocks(&full) } else { full }
    }
}

/// The nearest positive semidefinite matrix.
fn project_blocks(blocks: &PairBlocks) -> PairBlocks {
    let dense: [[f64; 12]; 12] =
        std::array::from_fn(|i| std::array::from_fn(|j| blocks[i / 3][j / 3].col(j % 3)[i % 3]));
    let projected = project_small(&dense);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let column = |c: usize| {
                DVec3::new(
                    projected[3 * i][3 * j + c],
                    projected[3 * i + 1][3 * j + c],
                    projected[3 * i + 2][3 * j + c],
                )
            };
            DMat3::from_cols(column(0), column(1), column(2))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::checks::{blocks_error, configurations, gradient_error, spread};
    use super::*;

    fn pair(kind: Kind, parallel: f64) -> Pair {
        Pair {
            kind,
            surfaces: [0, 1],
            features: [0, 0],
            points: [0, 1, 2, 3],
            area: 0.7,
            parallel,
            thickness: 0.02,
        }
    }

    /// Barrier with and without mollifier against central differences; the barrier reaches over all configurations.
    #[test]
    fn derivatives_agree_with_differences() {
        let reach = Reach { stiffness: 2.0, distance: 3.0 };
        let mut counted = 0;
        for x in configurations(1500) {
            for pair in [
                pair(Kind::VertexFace, 0.0),
                pair(Kind::EdgeEdge, 0.0),
                pair(Kind::EdgeEdge, 2.0),
                pair(Kind::VertexEdge, 0.0),
            ] {
                let at = |x: &[DVec3; 4]| pair.measure(x);
                let here = at(&x);
                let edges = pair.kind == Kind::EdgeEdge;
                let room = if pair.parallel > 0.0 { 1.0 } else { spread(&x, edges) };
                if here.distance < 0.07 || room < 1e-3 {
                    continue;
                }
                let error =
                    gradient_error(&x, |x| pair.energy(x, reach), &pair.gradient(&x, &here, reach));
                assert!(error < 1e-4, "gradient {error} at {x:?}");
                let gradient = |x: &[DVec3; 4]| pair.gradient(x, &at(x), reach);
                let signs = |m: &Measure| m.weights.map(|w| w == 0.0);
                let faded = pair.mollifier(&x).is_some();
                let steady = |y: &[DVec3; 4]| {
                    signs(&at(y)) == signs(&here) && pair.mollifier(y).is_some() == faded
                };
                let hessian = pair.hessian(&x, &here, reach, false);
                if spread(&x, edges) > 0.05
                    && let Some(error) = blocks_error(&x, gradient, &hessian, steady)
                {
                    let scale = hessian
                        .iter()
                        .flatten()
                        .map(|b| b.x_axis.length() + b.y_axis.length() + b.z_axis.length())
                        .fold(1.0, f64::max);
                    assert!(error < 1e-3 * scale, "Hessian {error} of {scale} at {x:?}");
                    counted += 1;
                }
            }
        }
        assert!(counted > 2500, "{counted}");
    }

    #[test]
    fn energy_is_continuous_as_a_vertex_walks_over_a_triangle() {
        // Over face, edge and corner: no jump larger than the step allows.
        let reach = Reach { stiffness: 1.0, distance: 1.0 };
        let pair = pair(Kind::VertexFace, 0.0);
        let at = |t: f64| {
            let p = DVec3::new(2.0 * t - 1.0, 0.31 * t - 0.1, 0.2);
            pair.energy(&[p, DVec3::ZERO, DVec3::X, DVec3::Y], reach)
        };
        for k in 0..10_000 {
            let t = f64::from(k) * 1e-4;
            assert!((at(t + 1e-4) - at(t)).abs() < 1e-2);
        }
    }
}
