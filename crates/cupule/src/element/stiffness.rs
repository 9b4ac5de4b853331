//! Linear stiffness of one element at rest, in the formulations that matter for thin rubber walls.
//!
//! | formulation | what it does | locks |
//! | --- | --- | --- |
//! | standard | full integration | in bending, and near nu = 0.5 |
//! | B-bar | volume change averaged over the element (Hughes 1980) | in bending of elements longer than thick |
//! | enhanced strain | nine incompatible modes, condensed (Wilson; Taylor, Beresford and Wilson 1976; the enhanced strain of Simo and Rifai 1990) | no |
//!
//! Enhanced strain is condensed here, once, at rest: the step never sees it, so that it costs nothing at run time.

use super::shape::{Sample, jacobian, reference_gradients};
use crate::material::Isotropic;
use cupule_geometry::{DMat3, DVec3};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// How hexahedra avoid locking. Tetrahedra are always standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulation {
    /// Enhanced strain where the material is corotated linear, B-bar (mean dilatation) where it is hyperelastic.
    #[default]
    Default,
    /// Full integration; for comparison.
    Standard,
    /// Volume change averaged over the element.
    Bbar,
    /// Nine incompatible modes, condensed. Only for the corotated material.
    EnhancedStrain,
}

/// The 3x3 blocks K_ij (row-major over i, j) of an element with rest nodes `x` and quadrature `points`, N/m.
pub(super) fn linear_stiffness(
    x: &[DVec3],
    points: &[Sample],
    moduli: &Isotropic,
    formulation: Formulation,
) -> Vec<DMat3> {
    let c = Mat::from_fn(6, 6, |i, j| moduli.elasticity_matrix()[i][j]);
    let mean = (x.len() == 8 && formulation == Formulation::Bbar).then(|| mean_gradients(points));
    let enhanced =
        x.len() == 8 && matches!(formulation, Formulation::Default | Formulation::EnhancedStrain);
    let n = 3 * x.len();
    let modes = if enhanced { 9 } else { 0 };
    let mut k = Mat::<f64>::zeros(n + modes, n + modes);
    let slopes = if enhanced { mode_slopes(x, points) } else { Vec::new() };
    for (i, p) in points.iter().enumerate() {
        let strain = strain_matrix(p, mean.as_deref());
        let b = if enhanced { with_modes(strain, &slopes[i]) } else { strain };
        k += b.transpose() * &c * &b * p.weight;
    }
    blocks(condense(k, n), x.len())
}

/// Volume-averaged shape gradients.
pub(super) fn mean_gradients(points: &[Sample]) -> Vec<DVec3> {
    let volume: f64 = points.iter().map(|p| p.weight).sum();
    let mut mean = vec![DVec3::ZERO; points[0].gradients.len()];
    for p in points {
        for (m, g) in mean.iter_mut().zip(&p.gradients) {
            *m += *g * (p.weight / volume);
        }
    }
    mean
}

/// Engineering strain (xx, yy, zz, xy, yz, zx) over nodal displacements; with `mean`, its trace is the averaged one.
fn strain_matrix(p: &Sample, mean: Option<&[DVec3]>) -> Mat<f64> {
    let mut b = Mat::zeros(6, 3 * p.gradients.len());
    for (i, g) in p.gradients.iter().enumerate() {
        add_gradient_strain(&mut b, 3 * i, *g);
        if let Some(mean) = mean {
            let difference = (mean[i] - *g) / 3.0;
            for row in 0..3 {
                for axis in 0..3 {
                    b[(row, 3 * i + axis)] += difference[axis];
                }
            }
        }
    }
    b
}

/// Writes the strain of a displacement field a(x) with gradient a g^T into three columns, one per component of a.
fn add_gradient_strain(b: &mut Mat<f64>, column: usize, g: DVec3) {
    for axis in 0..3 {
        b[(axis, column + axis)] = g[axis];
    }
    for (row, i, j) in [(3, 0, 1), (4, 1, 2), (5, 2, 0)] {
        b[(row, column + i)] = g[j];
        b[(row, column + j)] = g[i];
    }
}

/// Gradients of the three incompatible modes at every point. They are taken with the Jacobian at the centre and scaled
/// by j0 / j, so that their mean vanishes and constant strain is met exactly on any shape (patch test); what is left of
/// the mean where the points are not Gauss's is taken off.
fn mode_slopes(x: &[DVec3], points: &[Sample]) -> Vec<[DVec3; 3]> {
    let centre = jacobian(x, &reference_gradients(8, DVec3::ZERO));
    let slopes = |p: &Sample| {
        let here = jacobian(x, &reference_gradients(8, p.at)).determinant();
        let to_rest = centre.inverse().transpose() * (centre.determinant() / here);
        [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| to_rest * (axis * (-2.0 * p.at.dot(axis))))
    };
    let mut all: Vec<[DVec3; 3]> = points.iter().map(slopes).collect();
    let volume: f64 = points.iter().map(|p| p.weight).sum();
    for axis in 0..3 {
        let weighted = points.iter().zip(&all).map(|(p, s)| s[axis] * p.weight);
        let (sum, size) =
            weighted.fold((DVec3::ZERO, 0.0), |(sum, size), v| (sum + v, size + v.length()));
        // Gauss's points leave nothing but rounding.
        if sum.length() > 1e-12 * size {
            all.iter_mut().for_each(|s| s[axis] -= sum / volume);
        }
    }
    all
}

/// Appends the nine incompatible modes: three components along each slope.
fn with_modes(strain: Mat<f64>, slopes: &[DVec3; 3]) -> Mat<f64> {
    let n = strain.ncols();
    let mut b = Mat::zeros(6, n + 9);
    b.as_mut().subcols_mut(0, n).copy_from(&strain);
    for (mode, slope) in slopes.iter().enumerate() {
        add_gradient_strain(&mut b, n + 3 * mode, *slope);
    }
    b
}

/// Static condensation of all unknowns from `n` on: K_uu - K_ua K_aa^-1 K_au.
fn condense(k: Mat<f64>, n: usize) -> Mat<f64> {
    let modes = k.nrows() - n;
    if modes == 0 {
        return k;
    }
    let (outer, coupling, inner) =
        (k.submatrix(0, 0, n, n), k.submatrix(n, 0, modes, n), k.submatrix(n, n, modes, modes));
    match inner.llt(Side::Lower) {
        Ok(factor) => outer - coupling.transpose() * factor.solve(coupling),
        Err(_) => outer.to_owned(),
    }
}

fn blocks(k: Mat<f64>, nodes: usize) -> Vec<DMat3> {
    let block = |i: usize, j: usize| {
        let column = |c: usize| {
            DVec3::new(k[(3 * i, 3 * j + c)], k[(3 * i + 1, 3 * j + c)], k[(3 * i + 2, 3 * j + c)])
        };
        DMat3::from_cols(column(0), column(1), column(2))
    };
    (0..nodes).flat_map(|i| (0..nodes).map(move |j| (i, j))).map(|(i, j)| block(i, j)).collect()
}
