//! The incremental potential of one step over points and nodes, J:
//!
//! sum m / (2 h'^2) |x - x~|^2 + elasticity + (1 / 2h') (x - x^)^T D (x - x^) - f . x, and the same inertia for affine bodies with
//! their k V |A^T A - I|^2. (physics section 4 divided by h^2: islands may have different h'.) x^, x~ = x^ + h' v^ and h' are those
//! of the step's scheme. D = alpha M + beta K with K at the start of the step, so that damping is a potential too.

use super::coordinates::Coordinates;
use crate::element::{StiffnessProduct, StiffnessSink};
use crate::integrator::TimeStep;
use crate::model::{Loads, Model, Soft};
use cupule_geometry::{DMat3, DVec3};

/// Everything of the potential but contact, with what is fixed during the step.
pub(super) struct Increment<'a> {
    pub model: &'a Model,
    pub coordinates: &'a Coordinates,
    start: &'a [DVec3],
    /// h' of every soft part, s.
    pub effective: Vec<f64>,
    /// h' of every rigid body, s.
    pub body_effective: Vec<f64>,
    /// x^ of every point of a soft part, m.
    history: Vec<DVec3>,
    /// x~, m.
    target: Vec<DVec3>,
    /// Constant forces, N.
    forces: Vec<DVec3>,
    /// Largest weight or load, N: to tell a small force from a large one.
    largest_load: f64,
    /// Targets of the nodes of rigid bodies, m.
    body_targets: Vec<[DVec3; 4]>,
    /// Stiffness of every soft part with stiffness damping at the start of the step.
    stiffness: Vec<Option<Kept>>,
}

/// Element stiffness as it was handed over.
struct Kept {
    per_element: usize,
    blocks: Vec<DMat3>,
}

impl StiffnessSink for Kept {
    fn add(&mut self, _element: usize, blocks: &[DMat3]) {
        self.blocks.extend_from_slice(blocks);
    }
}

impl Kept {
    fn new(soft: &Soft, start: &[DVec3]) -> Option<Self> {
        let n = soft.elements.nodes_per_element();
        let mut kept = Self { per_element: n * (n + 1) / 2, blocks: Vec::new() };
        (soft.damping.stiffness > 0.0).then(|| {
            soft.elements.add_stiffness(&start[soft.points.clone()], &mut kept);
            kept
        })
    }
}

impl<'a> Increment<'a> {
    pub(super) fn new(
        model: &'a Model,
        coordinates: &'a Coordinates,
        step: &TimeStep<'a>,
        loads: &Loads,
    ) -> Self {
        let count = model.ties.len();
        let (mut history, mut target) = (vec![DVec3::ZERO; count], vec![DVec3::ZERO; count]);
        let mut forces = vec![DVec3::ZERO; count];
        let mut effective = Vec::new();
        for part in &model.soft {
            let scheme = step.point_scheme(part.points.start);
            for point in part.points.clone().chain(part.carriers.clone()) {
                history[point] = step.history_position(point, scheme);
                let drift = step.history_velocity(point) * scheme.effective_step;
                target[point] = history[point] + drift;
                forces[point] = loads.gravity * model.masses[point];
            }
            effective.push(scheme.effective_step);
        }
        loads.points.iter().for_each(|(p, f)| forces[*p] += *f);
        let weights = model.rigid.iter().map(|r| loads.gravity.length() * r.mass);
        let loaded = loads.frames.iter().map(|(_, force, _)| force.length());
        let point_loads = forces.iter().map(|f| f.length());
        let largest_load = point_loads.chain(weights).chain(loaded).fold(0.0, f64::max);
        let body = |(i, body): (usize, &super::affine::Affine)| {
            body.target(&model.rigid[i], i, step, loads)
        };
        let body_effective = step
            .now
            .at
            .frames
            .iter()
            .map(|frame| step.scheme(frame.block).effective_step)
            .collect();
        Self {
            model,
            coordinates,
            start: &step.now.at.points,
            effective,
            body_effective,
            history,
            target,
            forces,
            largest_load,
            stiffness: model.soft.iter().map(|s| Kept::new(s, &step.now.at.points)).collect(),
            body_targets: coordinates.bodies.iter().enumerate().map(body).collect(),
        }
    }

    /// 1 / h'^2 + alpha / h' of a soft part, N/(m kg).
    pub(super) fn inertia_of_mass(&self, part: usize) -> f64 {
        let h = self.effective[part];
        1.0 / (h * h) + self.model.soft[part].damping.mass / h
    }

    /// beta K (x - x^) / h' of a soft part, K at the start of the step, N.
    fn damping(&self, part: usize, x: &[DVec3]) -> Option<Vec<DVec3>> {
        let soft = &self.model.soft[part];
        let kept = self.stiffness[part].as_ref()?;
        let range = soft.points.clone();
        let moved: Vec<DVec3> = range.clone().map(|p| x[p] - self.history[p]).collect();
        let mut out = vec![DVec3::ZERO; moved.len()];
        let scale = soft.damping.stiffness / self.effective[part];
        let mut product = StiffnessProduct::new(&*soft.elements, scale, &moved, &mut out);
        let per_element = kept.per_element;
        for (element, blocks) in kept.blocks.chunks_exact(per_element).enumerate() {
            product.add(element, blocks);
        }
        Some(out)
    }

    /// K u of all soft parts, with damping and with the inertia of points that hang on others, for displacements u of points, N.
    pub(super) fn stiffness_times(&self, x: &[DVec3], moves: &[DVec3]) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; x.len()];
        for (part, soft) in self.model.soft.iter().enumerate() {
            let range = soft.points.clone();
            if moves[range.clone()].iter().all(|m| *m == DVec3::ZERO) {
                continue;
            }
            for p in soft.carriers.clone() {
                out[p] += moves[p] * (self.model.masses[p] * self.inertia_of_mass(part));
            }
            let scale = 1.0 + soft.damping.stiffness / self.effective[part];
            let (moves, out) = (&moves[range.clone()], &mut out[range.clone()]);
            let mut product = StiffnessProduct::new(&*soft.elements, scale, moves, out);
            soft.elements.add_stiffness(&x[range], &mut product);
        }
        out
    }

    /// Its value with points at `x` and nodes at `nodes`, J.
    pub(super) fn energy(&self, nodes: &[DVec3], x: &[DVec3]) -> f64 {
        let mut total = 0.0;
        for (part, soft) in self.model.soft.iter().enumerate() {
            let range = soft.points.clone();
            let h = self.effective[part];
            total += soft.elements.energy(&x[range.clone()]);
            let alpha = soft.damping.mass;
            for p in soft.carriers.clone() {
                let mass = self.model.masses[p];
                total += 0.5 * mass / (h * h) * x[p].distance_squared(self.target[p]);
                total += 0.5 * alpha * mass / h * x[p].distance_squared(self.history[p]);
            }
            if let Some(damping) = self.damping(part, x) {
                let work = range.zip(damping).map(|(p, f)| f.dot(x[p] - self.history[p]));
                total += 0.5 * work.sum::<f64>();
            }
        }
        let loaded = self.forces.iter().enumerate().filter(|(_, f)| **f != DVec3::ZERO);
        // Measured from the start, so that little is lost to rounding.
        total -= loaded.map(|(p, f)| f.dot(x[p] - self.start[p])).sum::<f64>();
        for (i, body) in self.coordinates.bodies.iter().enumerate() {
            let away = self.away(i, nodes);
            let pairs = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
            let inertia: f64 = pairs.map(|(a, b)| body.inertia[a][b] * away[a].dot(away[b])).sum();
            total += 0.5 * inertia / self.body_effective[i].powi(2) + body.energy(nodes);
        }
        total
    }

    fn away(&self, body: usize, nodes: &[DVec3]) -> [DVec3; 4] {
        let first = self.coordinates.bodies[body].first;
        std::array::from_fn(|k| nodes[first + k] - self.body_targets[body][k])
    }

    /// Its gradient over points, N: what is left of the balance of forces at each. And the largest force in that balance.
    pub(super) fn point_gradient(&self, x: &[DVec3]) -> (Vec<DVec3>, f64) {
        let mut out: Vec<DVec3> = self.forces.iter().map(|f| -*f).collect();
        let mut largest = self.largest_load;
        for (part, soft) in self.model.soft.iter().enumerate() {
            let range = soft.points.clone();
            let h = self.effective[part];
            let mut elastic = vec![DVec3::ZERO; range.len()];
            soft.elements.add_forces(&x[range.clone()], &mut elastic);
            for (p, f) in range.clone().zip(elastic) {
                largest = largest.max(f.length());
                out[p] -= f;
            }
            for p in soft.carriers.clone() {
                let mass = self.model.masses[p];
                out[p] += (x[p] - self.target[p]) * (mass / (h * h));
                out[p] += (x[p] - self.history[p]) * (soft.damping.mass * mass / h);
            }
            if let Some(damping) = self.damping(part, x) {
                range.zip(damping).for_each(|(p, f)| out[p] += f);
            }
        }
        (out, largest)
    }

    /// Adds the gradient of rigid bodies over their nodes, N.
    pub(super) fn add_body_gradient(&self, nodes: &[DVec3], out: &mut [DVec3]) {
        for (i, body) in self.coordinates.bodies.iter().enumerate() {
            let (away, shape) = (self.away(i, nodes), body.gradient(nodes));
            let scale = 1.0 / self.body_effective[i].powi(2);
            for a in 0..4 {
                let inertia: DVec3 = (0..4).map(|b| away[b] * body.inertia[a][b]).sum();
                out[body.first + a] += inertia * scale + shape[a];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Formulation, pool};
    use crate::integrator::Scheme;
    use crate::mapping::Tie;
    use crate::material::{Isotropic, Material};
    use crate::math::samples;
    use crate::model::{Configuration, Rayleigh, State};
    use cupule_geometry::structured::cuboid_hexes;

    /// A damped block of eight cells, all of whose points are free.
    fn block() -> (Model, Vec<DVec3>) {
        let mesh = cuboid_hexes(DVec3::splat(0.1), [2, 2, 2]).expect("a block");
        let count = mesh.nodes.len();
        let moduli = Isotropic::new(1e4, 0.3).expect("moduli");
        let soft = Soft {
            points: 0..count,
            carriers: 0..count,
            shares_nodes: false,
            elements: pool(
                &mesh,
                &Material::stable_neo_hookean(moduli),
                Formulation::Default,
                None,
            ),
            modulus: Some(1e4),
            damping: Rayleigh { mass: 3.0, stiffness: 0.02 },
            body: 0,
        };
        let model = Model {
            ties: (0..count).map(Tie::Free).collect(),
            masses: (0..count).map(|i| 0.01 + 0.001 * i as f64).collect(),
            soft: vec![soft],
            body_of_block: vec![0; count],
            ..Model::default()
        };
        (model, mesh.nodes)
    }

    fn vectors(numbers: &[f64], size: f64) -> Vec<DVec3> {
        numbers.chunks_exact(3).map(|v| DVec3::from_slice(v) * size).collect()
    }

    fn moved(x: &[DVec3], by: &[DVec3], share: f64) -> Vec<DVec3> {
        x.iter().zip(by).map(|(x, d)| *x + *d * share).collect()
    }

    fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
    }

    /// Inertia, elasticity, both dampings and loads: along random directions from random states the gradient is the slope of the
    /// energy, and the Hessian that of the gradient, for both schemes. The Hessian is taken where everything is in tension, so that
    /// nothing of it is projected away.
    #[test]
    fn gradient_and_hessian_are_slopes_at_a_thousand_states() {
        let (model, rest) = block();
        let swollen: Vec<DVec3> = rest.iter().map(|x| *x * 1.05).collect();
        let coordinates = Coordinates::new(&model, 1e8);
        let count = rest.len();
        let numbers = samples(1000 * 12 * count);
        for (case, numbers) in numbers.chunks_exact(12 * count).enumerate() {
            let of =
                |k: usize, size: f64| vectors(&numbers[3 * count * k..3 * count * (k + 1)], size);
            let state = |x: Vec<DVec3>, v: Vec<DVec3>| State {
                at: Configuration { points: x, frames: Vec::new() },
                velocities: v.clone(),
                point_velocities: v,
                ..State::default()
            };
            let now = state(moved(&swollen, &of(0, 2e-4), 1.0), of(1, 0.1));
            let before = state(rest.clone(), of(1, 0.05));
            let islands = model.islands(&[]);
            let h = [1e-3, 0.05][case % 2];
            let schemes = [[Scheme::backward_euler(h), Scheme::bdf2(h)][case / 2 % 2]];
            let step = TimeStep {
                length: h,
                now: &now,
                before: &before,
                schemes: &schemes,
                islands: &islands,
                about: None,
            };
            let loads = Loads {
                gravity: DVec3::new(1.0, 2.0, -9.8),
                points: vec![(3, DVec3::X)],
                ..Loads::default()
            };
            let potential = Increment::new(&model, &coordinates, &step, &loads);
            let (x, way, e) = (moved(&rest, &of(2, 1e-3), 1.0), of(3, 1e-3), 1e-4);
            let [there, back] = [e, -e].map(|e| moved(&x, &way, e));
            let energy = |x: &[DVec3]| potential.energy(x, x);
            let gradient = |x: &[DVec3]| potential.point_gradient(x).0;

            let slope = (energy(&there) - energy(&back)) / (2.0 * e);
            let expected = dot(&gradient(&x), &way);
            let size = dot(&way, &way).sqrt() * dot(&gradient(&x), &gradient(&x)).sqrt();
            assert!((slope - expected).abs() < 1e-7 * size, "case {case}: {slope} for {expected}");

            // Damping has the stiffness of the start, so there it is the whole Hessian.
            let start = &now.at.points;
            let product = potential.stiffness_times(start, &way);
            let [there, back] = [e, -e].map(|e| gradient(&moved(start, &way, e)));
            let error = moved(&product, &moved(&there, &back, -1.0), -0.5 / e);
            let (error, size) = (dot(&error, &error).sqrt(), dot(&product, &product).sqrt());
            assert!(error < 1e-5 * size, "case {case}: off by {error} of {size}");
        }
    }
}
