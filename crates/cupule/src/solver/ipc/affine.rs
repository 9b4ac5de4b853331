//! A rigid body as a very stiff affine one (003: the cage of one tetrahedron): x = p + A arm.
//!
//! Its coordinates are four points c, n_k = c + L a_k with a_k the columns of A, so that everything in the solver is a point in
//! metres and every surface vertex a fixed combination of them. k V |A^T A - I|^2 keeps A a rotation. The inertial target is
//! where the rigid body would go, not p + h v, A + h dA/dt: then a free body turns as a rigid one does and keeps its angular
//! momentum, which an affine body under backward Euler does not.

use crate::integrator::TimeStep;
use crate::mapping::Frame;
use crate::math::{nearest_rotation, outer, project_to_spd};
use crate::model::{Loads, RigidMass, State};
use cupule_geometry::{DMat3, DQuat, DVec3};

/// A rigid body in the solver's coordinates.
#[derive(Debug, Clone)]
pub(super) struct Affine {
    /// The first of its four nodes.
    pub first: usize,
    /// L, m: the body's radius of gyration.
    length: f64,
    /// Mass matrix over the four nodes, kg.
    pub inertia: [[f64; 4]; 4],
    /// k V, J.
    stiffness: f64,
}

impl Affine {
    /// The body of frame `index`, whose material resists a change of shape with `modulus` (Pa).
    pub(super) fn new(rigid: &RigidMass, index: usize, modulus: f64) -> Self {
        let trace = rigid.inertia.x_axis.x + rigid.inertia.y_axis.y + rigid.inertia.z_axis.z;
        // The integral of r r^T dm.
        let second = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - rigid.inertia;
        let length = (0.5 * trace / rigid.mass).sqrt();
        let mut inertia = [[0.0; 4]; 4];
        inertia[0][0] = rigid.mass;
        for k in 0..3 {
            for l in 0..3 {
                let share = second.col(k)[l] / (length * length);
                inertia[1 + k][1 + l] += share;
                inertia[1 + k][0] -= share;
                inertia[0][1 + l] -= share;
                inertia[0][0] += share;
            }
        }
        // The volume of the box with this second moment: m a^2 / 12 along each side a.
        let volume = (12f64.powi(3) * (second * (1.0 / rigid.mass)).determinant().max(0.0)).sqrt();
        Self { first: 4 * index, length, inertia, stiffness: modulus * volume }
    }

    /// Weights of the nodes for a material point at an arm (m) in the body's frame.
    pub(super) fn weights(&self, arm: DVec3) -> [(u32, f64); 4] {
        let place = arm / self.length;
        let node = |i: usize| (self.first + i) as u32;
        let centre = 1.0 - place.x - place.y - place.z;
        [(node(0), centre), (node(1), place.x), (node(2), place.y), (node(3), place.z)]
    }

    /// The four nodes of a body at `position` with the columns of `matrix`.
    pub(super) fn nodes(&self, position: DVec3, matrix: DMat3) -> [DVec3; 4] {
        let node = |k: usize| position + matrix.col(k) * self.length;
        [position, node(0), node(1), node(2)]
    }

    fn matrix(&self, nodes: &[DVec3]) -> DMat3 {
        let column = |k: usize| (nodes[self.first + 1 + k] - nodes[self.first]) / self.length;
        DMat3::from_cols(column(0), column(1), column(2))
    }

    /// The frame that the nodes describe.
    pub(super) fn frame(&self, nodes: &[DVec3], block: usize) -> Frame {
        let matrix = self.matrix(nodes);
        let rotation = nearest_rotation(matrix);
        Frame {
            position: nodes[self.first],
            orientation: DQuat::from_mat3(&rotation).normalize(),
            block,
            stretch: rotation.transpose() * matrix,
        }
    }

    /// Largest strain, 1/2 |A^T A - I|.
    pub(super) fn strain(&self, nodes: &[DVec3]) -> f64 {
        let a = self.matrix(nodes);
        let c = (a.transpose() * a - DMat3::IDENTITY).to_cols_array();
        0.5 * c.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()))
    }

    /// k V |A^T A - I|^2, J.
    pub(super) fn energy(&self, nodes: &[DVec3]) -> f64 {
        let a = self.matrix(nodes);
        let c = a.transpose() * a - DMat3::IDENTITY;
        self.stiffness * crate::math::double_dot(&c, &c)
    }

    /// Its gradient over the four nodes, N.
    pub(super) fn gradient(&self, nodes: &[DVec3]) -> [DVec3; 4] {
        let a = self.matrix(nodes);
        let slope =
            a * (a.transpose() * a - DMat3::IDENTITY) * (4.0 * self.stiffness / self.length);
        let [x, y, z] = [slope.x_axis, slope.y_axis, slope.z_axis];
        [-(x + y + z), x, y, z]
    }

    /// Its Hessian over the four nodes, N/m, made positive semidefinite if asked: d(a_k)d(a_l) is
    /// 4 k V [(C_kl I + a_l a_k^T) + delta_kl A A^T].
    pub(super) fn hessian(&self, nodes: &[DVec3], project: bool) -> [[DMat3; 4]; 4] {
        let a = self.matrix(nodes);
        let c = a.transpose() * a - DMat3::IDENTITY;
        let square = a * a.transpose();
        let mut dense = [[0.0; 9]; 9];
        for k in 0..3 {
            for l in 0..3 {
                let mut block =
                    DMat3::from_diagonal(DVec3::splat(c.col(l)[k])) + outer(a.col(l), a.col(k));
                if k == l {
                    block += square;
                }
                (0..9).for_each(|e| dense[3 * k + e / 3][3 * l + e % 3] = block.col(e % 3)[e / 3]);
            }
        }
        let dense = if project { project_to_spd(&dense) } else { dense };
        let scale = 4.0 * self.stiffness / (self.length * self.length);
        let column = |k: usize, l: usize| {
            let entry = |r: usize, c: usize| dense[3 * k + r][3 * l + c] * scale;
            DMat3::from_cols(
                DVec3::new(entry(0, 0), entry(1, 0), entry(2, 0)),
                DVec3::new(entry(0, 1), entry(1, 1), entry(2, 1)),
                DVec3::new(entry(0, 2), entry(1, 2), entry(2, 2)),
            )
        };
        // The centre takes the opposite of all three.
        let row = |i: usize, l: usize| match i {
            0 => (0..3).fold(DMat3::ZERO, |sum, k| sum - column(k, l)),
            _ => column(i - 1, l),
        };
        std::array::from_fn(|i| {
            std::array::from_fn(|j| match j {
                0 => (0..3).fold(DMat3::ZERO, |sum, l| sum - row(i, l)),
                _ => row(i, j - 1),
            })
        })
    }

    /// Where the rigid body would go without contact: the nodes' inertial target.
    pub(super) fn target(
        &self,
        rigid: &RigidMass,
        index: usize,
        step: &TimeStep,
        loads: &Loads,
    ) -> [DVec3; 4] {
        let block = step.now.at.frames[index].block;
        let scheme = step.scheme(block);
        let (mut force, mut torque) = (loads.gravity * rigid.mass, DVec3::ZERO);
        for (_, f, t) in loads.frames.iter().filter(|(frame, ..)| *frame == index) {
            (force, torque) = (force + *f, torque + *t);
        }
        let momentum = |state: &State| {
            rigid.world_inertia(state.at.frames[index].orientation) * state.velocities[block + 1]
        };
        let (now, before) = (momentum(step.now), momentum(step.before));
        let carried = now + (now - before) * scheme.carry + torque * scheme.effective_step;
        let mut velocities = step.base_block_velocities();
        let inertia = rigid.world_inertia(step.advance_frame(index, &velocities).orientation);
        velocities[block] =
            step.history_block_velocity(block) + force * (scheme.effective_step / rigid.mass);
        velocities[block + 1] = inertia.inverse() * carried;
        let end = step.advance_frame(index, &velocities);
        self.nodes(end.position, DMat3::from_quat(end.orientation))
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::{blocks_error, configurations, gradient_error};
    use super::*;
    use cupule_geometry::cage::{embed, fillings, mass_points, tetrahedral_cage};

    fn body() -> Affine {
        let inertia = DMat3::from_cols_array(&[2.0, 0.1, -0.2, 0.1, 1.8, 0.3, -0.2, 0.3, 2.4]);
        Affine::new(&RigidMass { mass: 1.3, inertia, body: 0 }, 0, 0.02)
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let body = body();
        for x in configurations(1000) {
            let (energy, gradient) =
                (|x: &[DVec3; 4]| body.energy(x), |x: &[DVec3; 4]| body.gradient(x));
            let scale = 1.0 + body.energy(&x);
            assert!(gradient_error(&x, energy, &gradient(&x)) < 1e-7 * scale, "at {x:?}");
            let error = blocks_error(&x, gradient, &body.hessian(&x, false), |_| true);
            assert!(error.expect("steady") < 1e-6 * scale, "{error:?} at {x:?}");
        }
    }

    #[test]
    fn mass_matrix_is_that_of_the_body() {
        // A turn w and a velocity v of the nodes carry 1/2 m v^2 + 1/2 w I w.
        let body = body();
        let inertia = DMat3::from_cols_array(&[2.0, 0.1, -0.2, 0.1, 1.8, 0.3, -0.2, 0.3, 2.4]);
        let (v, w) = (DVec3::new(0.3, -0.2, 0.5), DVec3::new(1.0, 0.4, -0.7));
        let rates = body.nodes(v, crate::math::skew(w)).map(|n| n);
        let kinetic: f64 = (0..4)
            .flat_map(|i| (0..4).map(move |j| (i, j)))
            .map(|(i, j)| 0.5 * body.inertia[i][j] * rates[i].dot(rates[j]))
            .sum();
        let expected = 0.5 * (1.3 * v.length_squared() + w.dot(inertia * w));
        assert!((kinetic - expected).abs() < 1e-12, "{kinetic} {expected}");
    }

    #[test]
    fn a_turned_body_has_no_energy_and_keeps_its_frame() {
        let body = body();
        let q = DQuat::from_rotation_y(0.8) * DQuat::from_rotation_x(-2.0);
        let nodes = body.nodes(DVec3::new(1.0, 2.0, 3.0), DMat3::from_quat(q));
        assert!(body.energy(&nodes) < 1e-25);
        let frame = body.frame(&nodes, 7);
        assert!(frame.orientation.angle_between(q) < 1e-7);
        let arm = DVec3::new(0.4, 0.1, -0.6);
        let placed: DVec3 = body.weights(arm).iter().map(|(n, w)| nodes[*n as usize] * *w).sum();
        assert!((placed - frame.place(arm)).length() < 1e-14);
    }

    /// The affine body is the cage of one tetrahedron in other coordinates. The cage's nodes are material points of the affine body, X = T q, with
    /// T their weights. Then J_affine = J_cage T for every surface vertex, and M_affine = T^T M_cage T with M_cage the sum of m w w^T over
    /// what the tetrahedron holds of the body. To rounding.
    #[test]
    fn it_is_the_cage_of_one_tetrahedron() {
        let density = 1000.0;
        let egg = cupule_geometry::generate::sphere(0.03, 2).expect("a ball");
        let egg = egg.scaled(DVec3::new(1.4, 1.0, 0.8)).rotated(DQuat::from_rotation_y(0.4));
        let surface = egg.translated(DVec3::new(0.2, -0.1, 0.5));
        let solid = surface.mass_properties().expect("a solid");
        let mass = density * solid.volume;
        let body =
            Affine::new(&RigidMass { mass, inertia: solid.inertia * density, body: 0 }, 0, 1e9);

        let cage = tetrahedral_cage(&surface, 4).expect("a cage").mesh;
        let held = mass_points(&cage, &fillings(&surface, &cage).expect("a filling"));
        let transform: Vec<[f64; 4]> =
            cage.nodes.iter().map(|x| body.weights(*x - solid.centroid).map(|(_, w)| w)).collect();
        // A row of weights over the cage's nodes, as weights over the affine body's.
        let through = |row: &[f64]| -> [f64; 4] {
            std::array::from_fn(|k| row.iter().zip(&transform).map(|(w, t)| w * t[k]).sum())
        };

        let embedding = embed(&surface.vertices, &cage).expect("an embedding");
        for (vertex, x) in surface.vertices.iter().enumerate() {
            let affine = body.weights(*x - solid.centroid).map(|(_, w)| w);
            let caged = through(embedding.weights_of(vertex));
            let off = (0..4).map(|k| (affine[k] - caged[k]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "vertex {vertex}: {affine:?} {caged:?}");
        }
        let mut inertia = [[0.0; 4]; 4];
        for ((_, volume), row) in held.points.iter().zip(held.weights.chunks_exact(4)) {
            let row = through(row);
            for (a, b) in (0..16).map(|k| (k / 4, k % 4)) {
                inertia[a][b] += density * volume * row[a] * row[b];
            }
        }
        for (a, b) in (0..16).map(|k| (k / 4, k % 4)) {
            let off = (inertia[a][b] - body.inertia[a][b]).abs();
            assert!(off < 1e-10 * mass, "{a} {b}: {} {}", inertia[a][b], body.inertia[a][b]);
        }
    }
}
