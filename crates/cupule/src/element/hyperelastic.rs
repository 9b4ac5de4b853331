//! Elements of a hyperelastic solid, integrated at quadrature points.
//!
//! Hexahedra average the volume change: E = sum_q w_q psi(F_q) + V U(Jbar), Jbar = sum_q w_q det F_q / V (mean dilatation,
//! Nagtegaal, Parks and Rice 1974), so that rubber does not lock. Forces are exact gradients; the stiffness is the Hessian
//! with its indefinite parts projected away at every quadrature point.

use super::shape::{samples, samples_within};
use super::stiffness::Formulation;
use super::{ElementPool, StiffnessSink};
use crate::material::Hyperelastic;
use crate::math::{cofactor, outer};
use cupule_geometry::cage::Filling;
use cupule_geometry::{DMat3, DVec3};

/// Elements of `N` nodes of one hyperelastic solid.
pub struct HyperelasticElements<const N: usize, L: Hyperelastic> {
    law: L,
    nodes: Vec<[u32; N]>,
    points: Vec<Vec<Point<N>>>,
    averaged: bool,
}

struct Point<const N: usize> {
    gradients: [DVec3; N],
    weight: f64,
}

impl<const N: usize> Point<N> {
    fn deformation(&self, x: &[DVec3; N]) -> DMat3 {
        x.iter().zip(&self.gradients).fold(DMat3::ZERO, |f, (x, g)| f + outer(*x, *g))
    }
}

impl<const N: usize, L: Hyperelastic> HyperelasticElements<N, L> {
    /// Elements with corners `cells` of the rest nodes `x`; `fillings` say what of each is made of the material, by default
    /// all of it.
    pub fn new(
        x: &[DVec3],
        cells: &[[u32; N]],
        law: L,
        formulation: Formulation,
        fillings: Option<&[Filling]>,
    ) -> Self {
        let points = |(e, cell): (usize, &[u32; N])| {
            let at_rest = cell.map(|i| x[i as usize]);
            let point = |s: super::shape::Sample| Point {
                gradients: std::array::from_fn(|i| s.gradients[i]),
                weight: s.weight,
            };
            let filling = fillings.and_then(|f| f.get(e));
            let made = filling.map_or_else(|| samples(&at_rest), |f| samples_within(&at_rest, f));
            made.into_iter().map(point).collect()
        };
        Self {
            law,
            nodes: cells.to_vec(),
            points: cells.iter().enumerate().map(points).collect(),
            averaged: N == 8 && formulation != Formulation::Standard,
        }
    }

    fn gather(&self, e: usize, x: &[DVec3]) -> [DVec3; N] {
        self.nodes[e].map(|i| x[i as usize])
    }

    /// The J at which the volumetric part is taken at each point: its own, or the element's mean.
    fn dilatations(&self, e: usize, deformations: &[DMat3]) -> Vec<f64> {
        let own: Vec<f64> = deformations.iter().map(|f| f.determinant()).collect();
        if !self.averaged {
            return own;
        }
        let volume: f64 = self.points[e].iter().map(|p| p.weight).sum();
        let mean = self.points[e].iter().zip(&own).map(|(p, j)| p.weight * j).sum::<f64>() / volume;
        vec![mean; own.len()]
    }

    fn deformations(&self, e: usize, x: &[DVec3; N]) -> Vec<DMat3> {
        self.points[e].iter().map(|p| p.deformation(x)).collect()
    }

    fn element_forces(&self, e: usize, x: &[DVec3; N]) -> [DVec3; N] {
        let deformations = self.deformations(e, x);
        let dilatations = self.dilatations(e, &deformations);
        let mut forces = [DVec3::ZERO; N];
        for ((p, f), j) in self.points[e].iter().zip(&deformations).zip(dilatations) {
            let stress = self.law.pointwise_stress(f) + cofactor(*f) * self.law.volumetric_slope(j);
            for (force, g) in forces.iter_mut().zip(&p.gradients) {
                *force -= stress * *g * p.weight;
            }
        }
        forces
    }

    fn element_stiffness(&self, e: usize, x: &[DVec3; N]) -> Vec<DMat3> {
        let deformations = self.deformations(e, x);
        let dilatations = self.dilatations(e, &deformations);
        let mut blocks = vec![DMat3::ZERO; N * (N + 1) / 2];
        let mut volume_gradient = [DVec3::ZERO; N];
        for ((p, f), &j) in self.points[e].iter().zip(&deformations).zip(&dilatations) {
            if self.averaged {
                let c = cofactor(*f) * p.weight;
                volume_gradient.iter_mut().zip(&p.gradients).for_each(|(v, g)| *v += c * *g);
            }
            let curvature = if self.averaged { 0.0 } else { self.law.volumetric_curvature(j) };
            let hessian = self.law.projected_hessian(f, self.law.volumetric_slope(j), curvature);
            add_point_stiffness(&mut blocks, &hessian, p);
        }
        if self.averaged {
            let volume: f64 = self.points[e].iter().map(|p| p.weight).sum();
            let weight = self.law.volumetric_curvature(dilatations[0]) / volume;
            let pairs = (0..N).flat_map(|i| (0..=i).map(move |j| (i, j)));
            for (block, (i, j)) in blocks.iter_mut().zip(pairs) {
                *block += outer(volume_gradient[i], volume_gradient[j]) * weight;
            }
        }
        blocks
    }
}

/// K_ij += w (d2Psi/dF2) contracted with grad N_i and grad N_j.
fn add_point_stiffness<const N: usize>(
    blocks: &mut [DMat3],
    hessian: &crate::math::Matrix9,
    p: &Point<N>,
) {
    let part = |a: usize, b: usize| {
        let column = |c: usize| {
            DVec3::new(
                hessian[3 * a][3 * b + c],
                hessian[3 * a + 1][3 * b + c],
                hessian[3 * a + 2][3 * b + c],
            )
        };
        DMat3::from_cols(column(0), column(1), column(2))
    };
    let parts: [[DMat3; 3]; 3] = std::array::from_fn(|a| std::array::from_fn(|b| part(a, b)));
    let mut out = blocks.iter_mut();
    for i in 0..N {
        let g = p.gradients[i] * p.weight;
        let row: [DMat3; 3] =
            std::array::from_fn(|b| parts[0][b] * g.x + parts[1][b] * g.y + parts[2][b] * g.z);
        for (h, block) in p.gradients[..=i].iter().zip(&mut out) {
            *block += row[0] * h.x + row[1] * h.y + row[2] * h.z;
        }
    }
}

impl<const N: usize, L: Hyperelastic> ElementPool for HyperelasticElements<N, L> {
    fn nodes_per_element(&self) -> usize {
        N
    }

    fn connectivity(&self) -> Vec<u32> {
        self.nodes.iter().flatten().copied().collect()
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let element = |e: usize| {
            let deformations = self.deformations(e, &self.gather(e, x));
            let dilatations = self.dilatations(e, &deformations);
            let density =
                |f: &DMat3, j: f64| self.law.pointwise_energy(f) + self.law.volumetric_energy(j);
            self.points[e]
                .iter()
                .zip(&deformations)
                .zip(dilatations)
                .map(|((p, f), j)| p.weight * density(f, j))
                .sum::<f64>()
        };
        (0..self.nodes.len()).map(element).sum()
    }

    fn add_forces(&self, x: &[DVec3], forces: &mut [DVec3]) {
        for (e, nodes) in self.nodes.iter().enumerate() {
            let element = self.element_forces(e, &self.gather(e, x));
            for (&i, f) in nodes.iter().zip(element) {
                forces[i as usize] += f;
            }
        }
    }

    fn add_stiffness(&self, x: &[DVec3], sink: &mut dyn StiffnessSink) {
        for e in 0..self.nodes.len() {
            sink.add(e, &self.element_stiffness(e, &self.gather(e, x)));
        }
    }

    fn stresses(&self, x: &[DVec3]) -> Option<Vec<DMat3>> {
        // sigma = P F^T / J, averaged over the present volume: sum w P F^T / sum w J.
        let stress = |e: usize| {
            let deformations = self.deformations(e, &self.gather(e, x));
            let dilatations = self.dilatations(e, &deformations);
            let (mut sum, mut volume) = (DMat3::ZERO, 0.0);
            for ((p, f), j) in self.points[e].iter().zip(&deformations).zip(dilatations) {
                let first =
                    self.law.pointwise_stress(f) + cofactor(*f) * self.law.volumetric_slope(j);
                sum += first * f.transpose() * p.weight;
                volume += p.weight * f.determinant();
            }
            if volume == 0.0 { DMat3::ZERO } else { sum * (1.0 / volume) }
        };
        Some((0..self.nodes.len()).map(stress).collect())
    }

    fn configuration(&self, x: &[DVec3]) -> Vec<DMat3> {
        let mean = |e: usize| {
            let volume: f64 = self.points[e].iter().map(|p| p.weight).sum();
            let x = self.gather(e, x);
            self.points[e]
                .iter()
                .fold(DMat3::ZERO, |f, p| f + p.deformation(&x) * (p.weight / volume))
        };
        (0..self.nodes.len()).map(mean).collect()
    }
}
