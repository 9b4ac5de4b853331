//! Corotated linear elements (Mueller and Gross): E = 1/2 u^T K u with u = R^T x - X, R the rotation of the element's mean
//! deformation gradient.
//!
//! Deviation from the usual form f = -R K u: for elements with more than four nodes that is not a gradient, because R moves
//! with x and the couple sum_i u_i x (K u)_i does not vanish. The missing term is added, so that force is exactly -dE/dx and
//! elastic forces exert no net torque at any deformation. The stiffness keeps R fixed (positive semidefinite).

use super::shape::{samples, samples_within};
use super::stiffness::{Formulation, linear_stiffness, mean_gradients};
use super::{ElementPool, StiffnessSink};
use crate::material::Isotropic;
use crate::math::{nearest_rotation, outer, rotation_derivative_matrix};
use cupule_geometry::cage::Filling;
use cupule_geometry::{DMat3, DVec3};

/// Elements of `N` nodes of one corotated linear solid.
pub struct CorotatedElements<const N: usize> {
    nodes: Vec<[u32; N]>,
    /// Rest positions less the element's rest centroid, m.
    rest: Vec<[DVec3; N]>,
    /// Mean shape gradients, 1/m.
    gradients: Vec<[DVec3; N]>,
    /// Blocks K_ij of every element, row-major, N/m.
    stiffness: Vec<DMat3>,
    moduli: Isotropic,
}

/// What a deformed element looks like in its own frame.
struct Corotation<const N: usize> {
    rotation: DMat3,
    deformation: DMat3,
    /// u = R^T x - X, m.
    displacement: [DVec3; N],
    /// K u, N.
    force: [DVec3; N],
}

impl<const N: usize> CorotatedElements<N> {
    /// Elements with corners `cells` of the rest nodes `x`; `fillings` say what of each is made of the material, by default
    /// all of it.
    pub fn new(
        x: &[DVec3],
        cells: &[[u32; N]],
        moduli: &Isotropic,
        formulation: Formulation,
        fillings: Option<&[Filling]>,
    ) -> Self {
        let corners = |cell: &[u32; N]| cell.map(|i| x[i as usize]);
        let centred = |cell: &[u32; N]| {
            let x = corners(cell);
            let centre = x.iter().sum::<DVec3>() / N as f64;
            x.map(|x| x - centre)
        };
        let mean = |cell: &[u32; N]| -> [DVec3; N] {
            let mean = mean_gradients(&samples(&corners(cell)));
            std::array::from_fn(|i| mean[i])
        };
        Self {
            nodes: cells.to_vec(),
            rest: cells.iter().map(centred).collect(),
            gradients: cells.iter().map(mean).collect(),
            stiffness: cells
                .iter()
                .enumerate()
                .flat_map(|(e, c)| {
                    let (x, filling) = (corners(c), fillings.and_then(|f| f.get(e)));
                    let points = filling.map_or_else(|| samples(&x), |f| samples_within(&x, f));
                    linear_stiffness(&x, &points, moduli, formulation)
                })
                .collect(),
            moduli: *moduli,
        }
    }

    fn gather(&self, e: usize, x: &[DVec3]) -> [DVec3; N] {
        self.nodes[e].map(|i| x[i as usize])
    }

    fn deformation(&self, e: usize, x: &[DVec3; N]) -> DMat3 {
        x.iter().zip(&self.gradients[e]).fold(DMat3::ZERO, |f, (x, g)| f + outer(*x, *g))
    }

    fn corotate(&self, e: usize, x: &[DVec3]) -> Corotation<N> {
        let x = self.gather(e, x);
        let deformation = self.deformation(e, &x);
        let rotation = nearest_rotation(deformation);
        let back = rotation.transpose();
        let centre = x.iter().sum::<DVec3>() / N as f64;
        let displacement = std::array::from_fn(|i| back * (x[i] - centre) - self.rest[e][i]);
        let k = &self.stiffness[e * N * N..(e + 1) * N * N];
        let force = std::array::from_fn(|i| {
            k[i * N..(i + 1) * N]
                .iter()
                .zip(&displacement)
                .fold(DVec3::ZERO, |f, (k, u)| f + *k * *u)
        });
        Corotation { rotation, deformation, displacement, force }
    }
}

impl<const N: usize> Corotation<N> {
    fn energy(&self) -> f64 {
        0.5 * self.displacement.iter().zip(&self.force).map(|(u, f)| u.dot(*f)).sum::<f64>()
    }

    /// -dE/dx_i in the world: -R (K u)_i and, from the turning of R, the couple carried to the nodes.
    fn forces(&self, gradients: &[DVec3; N]) -> [DVec3; N] {
        // K annihilates rotations of X, so that sum X_i x (K u)_i = 0 and only u contributes.
        let couple = self
            .displacement
            .iter()
            .zip(&self.force)
            .fold(DVec3::ZERO, |t, (u, f)| t + u.cross(*f));
        let turn = rotation_derivative_matrix(self.rotation, self.deformation);
        let spread = if turn.determinant().abs() > 1e-12 {
            turn.inverse().transpose() * couple
        } else {
            DVec3::ZERO
        };
        std::array::from_fn(|i| self.rotation * (spread.cross(gradients[i]) - self.force[i]))
    }
}

impl<const N: usize> ElementPool for CorotatedElements<N> {
    fn nodes_per_element(&self) -> usize {
        N
    }

    fn connectivity(&self) -> Vec<u32> {
        self.nodes.iter().flatten().copied().collect()
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        (0..self.nodes.len()).map(|e| self.corotate(e, x).energy()).sum()
    }

    fn add_forces(&self, x: &[DVec3], forces: &mut [DVec3]) {
        for (e, nodes) in self.nodes.iter().enumerate() {
            let element = self.corotate(e, x).forces(&self.gradients[e]);
            for (&i, f) in nodes.iter().zip(element) {
                forces[i as usize] += f;
            }
        }
    }

    fn add_stiffness(&self, x: &[DVec3], sink: &mut dyn StiffnessSink) {
        let mut rotated = vec![DMat3::ZERO; N * (N + 1) / 2];
        for e in 0..self.nodes.len() {
            let r = nearest_rotation(self.deformation(e, &self.gather(e, x)));
            let back = r.transpose();
            let k = &self.stiffness[e * N * N..(e + 1) * N * N];
            let mut slot = rotated.iter_mut();
            for i in 0..N {
                for (block, out) in k[i * N..=i * N + i].iter().zip(&mut slot) {
                    *out = r * *block * back;
                }
            }
            sink.add(e, &rotated);
        }
    }

    fn stresses(&self, x: &[DVec3]) -> Vec<DMat3> {
        let (lambda, mu) = (self.moduli.lame_lambda(), self.moduli.shear_modulus());
        let stress = |e: usize| {
            let deformation = self.deformation(e, &self.gather(e, x));
            let rotation = nearest_rotation(deformation);
            // P = R (2 mu e + lambda tr(e)) for the mean strain e = R^T F - 1, and sigma = P F^T / J.
            let stretch = rotation.transpose() * deformation;
            let strain = (stretch + stretch.transpose()) * 0.5 - DMat3::IDENTITY;
            let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
            let local = strain * (2.0 * mu) + DMat3::from_diagonal(DVec3::splat(lambda * trace));
            let volume = deformation.determinant();
            let first = rotation * local;
            if volume == 0.0 {
                DMat3::ZERO
            } else {
                first * deformation.transpose() * (1.0 / volume)
            }
        };
        (0..self.nodes.len()).map(stress).collect()
    }

    fn configuration(&self, x: &[DVec3]) -> Vec<DMat3> {
        (0..self.nodes.len())
            .map(|e| nearest_rotation(self.deformation(e, &self.gather(e, x))))
            .collect()
    }
}
