//! Corotated linear elements (Mueller and Gross): E = 1/2 u^T K u with u = R^T x - X, R the rotation of the element's mean
//! deformation gradient.
//!
//! Deviation from the usual form f = -R K u: for elements with more than four nodes that is not a gradient, because R moves
//! with x and the couple sum_i u_i x (K u)_i does not vanish. The missing term is added, so that force is exactly -dE/dx and
//! elastic forces exert no net torque at any deformation. The stiffness keeps R fixed (positive semidefinite).

use super::shape::{samples, samples_within};
use super::stiffness::{Formulation, linear_stiffness, mean_gradients};
use super::{DampedElements, Damping, ElementPool, StiffnessSink};
use crate::material::Isotropic;
use crate::math::{nearest_rotation, outer, rotation_derivative_matrix};
use cupule_geometry::cage::Filling;
use cupule_geometry::{DMat3, DVec3};
use faer::traits::pulp::Arch;

/// Scalar rows of the largest element, of ten nodes.
const MAX_ROWS: usize = 30;

/// Elements of `N` nodes of one corotated linear solid.
pub struct CorotatedElements<const N: usize> {
    nodes: Vec<[u32; N]>,
    /// Rest positions less the element's rest centroid, m.
    rest: Vec<[DVec3; N]>,
    /// Mean shape gradients, 1/m.
    gradients: Vec<[DVec3; N]>,
    /// K of every element over its 3 N scalar unknowns, by columns, N/m.
    stiffness: Vec<f64>,
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
    /// beta K R^T v, N.
    damping: [DVec3; N],
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
                    by_columns(&linear_stiffness(&x, &points, moduli, formulation), N)
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

    #[inline(always)]
    fn stiffness(&self, e: usize) -> &[f64] {
        let size = 9 * N * N;
        &self.stiffness[e * size..(e + 1) * size]
    }

    /// R K_ij R^T for j <= i, in the order of [`StiffnessSink::add`].
    #[inline(always)]
    fn rotate_stiffness(&self, e: usize, r: &DMat3, rotated: &mut [DMat3]) {
        let (back, mut out) = (r.transpose(), rotated.iter_mut());
        for i in 0..N {
            let rows = |column: &[f64]| *r * DVec3::from_slice(&column[3 * i..3 * i + 3]);
            let columns = self.stiffness(e).chunks_exact(9 * N).take(i + 1);
            for (three, out) in columns.zip(&mut out) {
                let [a, b, c] = [0, 1, 2].map(|c| rows(&three[3 * N * c..3 * N * (c + 1)]));
                *out = DMat3::from_cols(a, b, c) * back;
            }
        }
    }

    /// u = R^T x - X, m.
    #[inline(always)]
    fn displacement(&self, e: usize, x: &[DVec3; N], rotation: DMat3) -> [DVec3; N] {
        let (back, centre) = (rotation.transpose(), x.iter().sum::<DVec3>() / N as f64);
        std::array::from_fn(|i| back * (x[i] - centre) - self.rest[e][i])
    }
}

/// Blocks K_ij, row-major over i and j, as columns of scalars.
fn by_columns(blocks: &[DMat3], nodes: usize) -> Vec<f64> {
    let entry =
        |column: usize, row: usize| blocks[row / 3 * nodes + column / 3].col(column % 3)[row % 3];
    (0..3 * nodes).flat_map(|column| (0..3 * nodes).map(move |row| entry(column, row))).collect()
}

/// K u for each of a few vectors, in one pass over K.
#[inline(always)]
fn products<const N: usize, const M: usize>(k: &[f64], u: &[[DVec3; N]; M]) -> [[DVec3; N]; M] {
    let mut sums = [[0.0; MAX_ROWS]; M];
    for (column, k) in k.chunks_exact(3 * N).enumerate() {
        for (sums, u) in sums.iter_mut().zip(u) {
            let amount = u[column / 3][column % 3];
            sums[..3 * N].iter_mut().zip(k).for_each(|(sum, k)| *sum += k * amount);
        }
    }
    sums.map(|sums| std::array::from_fn(|i| DVec3::from_slice(&sums[3 * i..])))
}

impl<const N: usize> Corotation<N> {
    /// -dE/dx_i - beta K v in the world: -R (K u)_i and, from the turning of R, the couple carried to the nodes.
    #[inline(always)]
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
        let own = |i: usize| spread.cross(gradients[i]) - self.force[i] - self.damping[i];
        std::array::from_fn(|i| self.rotation * own(i))
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
        let energy = |(e, rotation): (usize, DMat3)| {
            let u = self.displacement(e, &self.gather(e, x), rotation);
            let [force] = products(self.stiffness(e), &[u]);
            0.5 * u.iter().zip(&force).map(|(u, f)| u.dot(*f)).sum::<f64>()
        };
        let rotations = self.configuration(x);
        Arch::new().dispatch(
            #[inline(always)]
            || rotations.into_iter().enumerate().map(energy).sum(),
        )
    }

    fn add_forces(&self, x: &[DVec3], forces: &mut [DVec3]) {
        let still = vec![DVec3::ZERO; x.len()];
        let damping = Damping { velocities: &still, beta: 0.0 };
        self.add_damped_forces(x, &self.configuration(x), damping, forces);
    }

    fn add_stiffness(&self, x: &[DVec3], sink: &mut dyn StiffnessSink) {
        let mut rotated = vec![DMat3::ZERO; N * (N + 1) / 2];
        let rotations = self.configuration(x);
        let hand_over = |(e, r): (usize, &DMat3)| {
            self.rotate_stiffness(e, r, &mut rotated);
            sink.add(e, &rotated);
        };
        Arch::new().dispatch(
            #[inline(always)]
            || rotations.iter().enumerate().for_each(hand_over),
        );
    }

    fn stresses(&self, x: &[DVec3]) -> Option<Vec<DMat3>> {
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
        Some((0..self.nodes.len()).map(stress).collect())
    }

    fn configuration(&self, x: &[DVec3]) -> Vec<DMat3> {
        (0..self.nodes.len())
            .map(|e| nearest_rotation(self.deformation(e, &self.gather(e, x))))
            .collect()
    }

    fn as_damped(&self) -> Option<&dyn DampedElements> {
        Some(self)
    }
}

impl<const N: usize> DampedElements for CorotatedElements<N> {
    fn add_damped_forces(
        &self,
        x: &[DVec3],
        configuration: &[DMat3],
        damping: Damping<'_>,
        forces: &mut [DVec3],
    ) {
        let element = |(e, rotation): (usize, &DMat3)| {
            let (rotation, x) = (*rotation, self.gather(e, x));
            let (displacement, back) =
                (self.displacement(e, &x, rotation), rotation.transpose() * damping.beta);
            let moving = self.nodes[e].map(|i| back * damping.velocities[i as usize]);
            let [force, damping] = products(self.stiffness(e), &[displacement, moving]);
            let deformation = self.deformation(e, &x);
            let own = Corotation { rotation, deformation, displacement, force, damping };
            for (&i, f) in self.nodes[e].iter().zip(own.forces(&self.gradients[e])) {
                forces[i as usize] += f;
            }
        };
        Arch::new().dispatch(
            #[inline(always)]
            || configuration.iter().enumerate().for_each(element),
        );
    }
}
