//! The contract that every element and material passes: zero at rest, zero under rigid motion, force = -dE/dx,
//! stiffness = -df/dx at rest, positive semidefinite stiffness, no net force or torque.

use super::*;
use crate::material::{Isotropic, MODELS};
use cupule_geometry::Cells;
use cupule_geometry::DQuat;

/// A slightly distorted two-hex bar, as hexes and cut into tets.
fn meshes() -> Vec<VolumeMesh> {
    let mut nodes = Vec::new();
    for k in 0..2 {
        for j in 0..2 {
            for i in 0..3 {
                let p = DVec3::new(f64::from(i), f64::from(j), f64::from(k))
                    * DVec3::new(0.02, 0.01, 0.012);
                nodes.push(
                    p + DVec3::new(
                        (p.y * 90.0).sin(),
                        (p.x * 70.0 + p.z * 50.0).cos(),
                        (p.x * 40.0).sin(),
                    ) * 8e-4,
                );
            }
        }
    }
    let at = |i: u32, j: u32, k: u32| i + 3 * j + 6 * k;
    let hex = |i| {
        [
            at(i, 0, 0),
            at(i + 1, 0, 0),
            at(i + 1, 1, 0),
            at(i, 1, 0),
            at(i, 0, 1),
            at(i + 1, 0, 1),
            at(i + 1, 1, 1),
            at(i, 1, 1),
        ]
    };
    let hexes = vec![hex(0), hex(1)];
    let tets: Vec<[u32; 4]> = hexes
        .iter()
        .flat_map(|h| {
            [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
                .map(|t| t.map(|i| h[i]))
        })
        .collect();
    vec![
        VolumeMesh { nodes: nodes.clone(), cells: Cells::Hex8(hexes) },
        quadratic(&nodes, &tets),
        VolumeMesh { nodes, cells: Cells::Tet4(tets) },
    ]
}

fn quadratic(nodes: &[DVec3], tets: &[[u32; 4]]) -> VolumeMesh {
    let mut nodes = nodes.to_vec();
    let cells = tets
        .iter()
        .map(|t| {
            let mut mid = |a: u32, b: u32| {
                let p = (nodes[a as usize] + nodes[b as usize]) * 0.5;
                nodes.push(p);
                nodes.len() as u32 - 1
            };
            let mids = [
                mid(t[0], t[1]),
                mid(t[1], t[2]),
                mid(t[2], t[0]),
                mid(t[0], t[3]),
                mid(t[1], t[3]),
                mid(t[2], t[3]),
            ];
            [t[0], t[1], t[2], t[3], mids[0], mids[1], mids[2], mids[3], mids[4], mids[5]]
        })
        .collect();
    VolumeMesh { nodes, cells: Cells::Tet10(cells) }
}

/// Springs between any two nodes: like a solid they have no zero modes but rigid motion.
fn springs() -> (String, Vec<DVec3>, Arc<dyn ElementPool>) {
    let nodes = meshes().swap_remove(0).nodes;
    let count = nodes.len() as u32;
    let spring = |ends: [u32; 2]| {
        let [a, b] = ends.map(|end| nodes[end as usize]);
        Spring { ends, stiffness: 700.0, rest: a.distance(b) }
    };
    let pairs = (0..count).flat_map(|i| (0..i).map(move |j| [i, j]));
    let springs = pairs.map(spring).collect();
    ("springs".into(), nodes, Arc::new(SpringElements::new(springs)))
}

/// Every element, material and formulation.
fn cases() -> Vec<(String, Vec<DVec3>, Arc<dyn ElementPool>)> {
    let mut cases = Vec::new();
    for nu in [0.3, 0.45] {
        let moduli = Isotropic::new(1e5, nu).expect("valid moduli");
        for material in MODELS.map(|model| Material::named(model.name, moduli).expect("a model")) {
            for mesh in meshes() {
                for f in [Formulation::Default, Formulation::Standard, Formulation::Bbar] {
                    let name = format!("{material:?} {f:?} {} nodes", mesh.nodes.len());
                    cases.push((name, mesh.nodes.clone(), pool(&mesh, &material, f, None)));
                }
            }
        }
    }
    cases.push(springs());
    cases
}

fn deformed(x: &[DVec3]) -> Vec<DVec3> {
    let wave = |x: &DVec3| {
        DVec3::new((60.0 * x.y).sin(), (50.0 * x.z + 1.0).cos(), (40.0 * x.x).sin()) * 2e-3
    };
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.8);
    x.iter().map(|x| turn * (*x + wave(x))).collect()
}

fn forces(pool: &dyn ElementPool, x: &[DVec3]) -> Vec<DVec3> {
    let mut f = vec![DVec3::ZERO; x.len()];
    pool.add_forces(x, &mut f);
    f
}

struct Dense {
    connectivity: Vec<u32>,
    per_element: usize,
    size: usize,
    k: Vec<f64>,
}

impl StiffnessSink for Dense {
    fn add(&mut self, element: usize, blocks: &[DMat3]) {
        let nodes =
            &self.connectivity[element * self.per_element..(element + 1) * self.per_element];
        let pairs = (0..nodes.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        for (block, (i, j)) in blocks.iter().zip(pairs) {
            let (a, b) = (3 * nodes[i] as usize, 3 * nodes[j] as usize);
            for r in 0..3 {
                for c in 0..3 {
                    self.k[(a + r) * self.size + b + c] += block.col(c)[r];
                    if i != j {
                        self.k[(b + c) * self.size + a + r] += block.col(c)[r];
                    }
                }
            }
        }
    }
}

fn stiffness(pool: &dyn ElementPool, x: &[DVec3]) -> Dense {
    let size = 3 * x.len();
    let mut dense = Dense {
        connectivity: pool.connectivity(),
        per_element: pool.nodes_per_element(),
        size,
        k: vec![0.0; size * size],
    };
    pool.add_stiffness(x, &mut dense);
    dense
}

fn stiffness_scale(k: &Dense) -> f64 {
    k.k.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

#[test]
fn rigid_motion_makes_no_force() {
    // |f| <= 1e-9 k_max L for rotations by any angle.
    for (name, x, pool) in cases() {
        let scale = stiffness_scale(&stiffness(&*pool, &x)) * 0.04;
        for angle in [0.0, 0.1, 1.0, 2.0, 3.0, std::f64::consts::PI] {
            let turn = DQuat::from_axis_angle(DVec3::new(-1.0, 0.3, 0.5).normalize(), angle);
            let moved: Vec<DVec3> =
                x.iter().map(|x| turn * *x + DVec3::new(1.0, -2.0, 3.0)).collect();
            let largest = forces(&*pool, &moved).iter().map(|f| f.length()).fold(0.0, f64::max);
            assert!(largest < 1e-9 * scale, "{name}: {largest} N of {scale} N at {angle} rad");
        }
    }
}

#[test]
fn force_is_minus_the_slope_of_the_energy() {
    for (name, rest, pool) in cases() {
        let x = deformed(&rest);
        let f = forces(&*pool, &x);
        let (step, largest) = (1e-6, f.iter().map(|f| f.length()).fold(0.0, f64::max));
        for i in 0..x.len() {
            for axis in 0..3 {
                let moved = |by: f64| {
                    let mut x = x.clone();
                    x[i][axis] += by;
                    pool.energy(&x)
                };
                let slope = (moved(step) - moved(-step)) / (2.0 * step);
                // Central differences: error of order step^2 k / L^2 and rounding of E / step.
                assert!(
                    (slope + f[i][axis]).abs() < 1e-6 * largest,
                    "{name} node {i}: {slope} {}",
                    f[i]
                );
            }
        }
    }
}

/// Configurations of a mesh, all of them wild: every node displaced at random, the whole stretched, turned, and every fourth time flattened to
/// a thousandth or turned inside out.
fn configurations(rest: &[DVec3], count: usize) -> Vec<Vec<DVec3>> {
    let per = 3 * rest.len() + 4;
    let of = |(k, numbers): (usize, &[f64])| {
        let (places, turn) = numbers.split_at(3 * rest.len());
        let axis = DVec3::from_slice(turn).normalize_or(DVec3::X);
        let turn = DQuat::from_axis_angle(axis, 3.0 * turn[3]);
        let squash = match k % 8 {
            3 => DVec3::new(1.0, 1.0, 1e-3),
            7 => DVec3::new(1.0, -1.0, 0.7),
            _ => DVec3::new(1.2, 0.8, 1.1),
        };
        let place =
            |(x, by): (&DVec3, &[f64])| turn * ((*x + DVec3::from_slice(by) * 3e-3) * squash);
        rest.iter().zip(places.chunks_exact(3)).map(place).collect()
    };
    crate::math::samples(count * per).chunks_exact(per).enumerate().map(of).collect()
}

/// Force against energy along random directions, at 60 configurations for each of the 18 kinds of element a material has: more than a
/// thousand each. Where an element is folded so that two rotations are equally near, its energy has a kink; such a
/// configuration, found by how far rotations turn along the way, is left out.
#[test]
fn forces_are_slopes_at_a_thousand_configurations() {
    let mut counted = [0, 0];
    for (name, rest, pool) in cases() {
        let scale = stiffness_scale(&stiffness(&*pool, &rest));
        let all = configurations(&rest, 61);
        for pair in all.windows(2) {
            let (x, direction) = (&pair[0], &pair[1]);
            let along = |t: f64| -> Vec<DVec3> {
                x.iter().zip(direction).map(|(x, d)| *x + *d * t).collect()
            };
            let e = 1e-5;
            let ends = [along(e), along(-e)];
            let [plus, minus] = [&ends[0], &ends[1]].map(|x| pool.configuration(x));
            let turned = plus.iter().zip(&minus).map(|(a, b)| {
                let difference = *a - *b;
                crate::math::double_dot(&difference, &difference).sqrt()
            });
            if turned.fold(0.0, f64::max) > 2e-3 {
                continue;
            }
            let slope = (pool.energy(&ends[0]) - pool.energy(&ends[1])) / (2.0 * e);
            let work: f64 = forces(&*pool, x).iter().zip(direction).map(|(f, d)| f.dot(*d)).sum();
            // Forces of k L over ways of L, L = 0.02 m.
            let error = (slope + work).abs() / (scale * 0.02 * 0.02);
            assert!(error < 1e-4, "{name}: {slope} {work}, {error:e}");
            counted[usize::from(name.starts_with("stable"))] += 1;
        }
    }
    assert!(counted.iter().all(|n| *n > 1000), "{counted:?}");
}

/// Stiffness against forces along random directions at a thousand turned rests for each material: there, kept rotations and projection change
/// nothing. (Of the neo-Hookean solid the Hessian is held against differences at all deformations in `material`.)
#[test]
fn stiffness_is_the_slope_of_the_force_however_turned() {
    for (name, rest, pool) in cases() {
        let scale = stiffness_scale(&stiffness(&*pool, &rest));
        let numbers = crate::math::samples(60 * 4);
        for (numbers, direction) in numbers.chunks_exact(4).zip(configurations(&rest, 60)) {
            let axis = DVec3::from_slice(numbers).normalize_or(DVec3::X);
            let turn = DQuat::from_axis_angle(axis, 3.0 * numbers[3]);
            let x: Vec<DVec3> = rest.iter().map(|x| turn * *x).collect();
            let e = 1e-5;
            let at = |t: f64| {
                let moved: Vec<DVec3> =
                    x.iter().zip(&direction).map(|(x, d)| *x + *d * t).collect();
                forces(&*pool, &moved)
            };
            let (plus, minus) = (at(e), at(-e));
            let k = stiffness(&*pool, &x);
            for i in 0..k.size {
                let product: f64 =
                    (0..k.size).map(|j| k.k[i * k.size + j] * direction[j / 3][j % 3]).sum();
                let slope = (minus[i / 3][i % 3] - plus[i / 3][i % 3]) / (2.0 * e);
                assert!((slope - product).abs() < 1e-5 * scale * 0.02, "{name} {i}");
            }
        }
    }
}

/// C(R x) = R C(x): what counts as turned is told from a common turn by it.
#[test]
fn configurations_turn_with_the_body() {
    let turn = DQuat::from_axis_angle(DVec3::new(0.2, -0.7, 0.4).normalize(), 0.8);
    for (name, rest, pool) in cases() {
        let x = deformed(&rest);
        let turned: Vec<DVec3> = x.iter().map(|x| turn * *x).collect();
        for (before, after) in pool.configuration(&x).iter().zip(pool.configuration(&turned)) {
            let off = after - DMat3::from_quat(turn) * *before;
            assert!(crate::math::double_dot(&off, &off).sqrt() < 1e-9, "{name}: {off}");
        }
    }
}

/// Forces with damping are f - beta K v, with the K that is handed over, to rounding.
#[test]
fn damping_taken_along_is_the_product_with_the_stiffness() {
    let mut taken = 0;
    for (name, rest, pool) in cases() {
        let Some(damped) = pool.as_damped() else { continue };
        taken += 1;
        let (x, beta) = (deformed(&rest), 0.03);
        let velocities: Vec<DVec3> =
            rest.iter().map(|x| DVec3::new(x.z, -x.x, 2.0 * x.y)).collect();
        let mut together = vec![DVec3::ZERO; x.len()];
        let damping = Damping { velocities: &velocities, beta };
        damped.add_damped_forces(&x, &pool.configuration(&x), damping, &mut together);
        let mut apart = forces(&*pool, &x);
        let still = apart.clone();
        let mut product = StiffnessProduct::new(&*pool, -beta, &velocities, &mut apart);
        pool.add_stiffness(&x, &mut product);
        let largest = apart.iter().map(|f| f.length()).fold(0.0, f64::max);
        for (a, b) in together.iter().zip(&apart) {
            assert!((*a - *b).length() < 1e-12 * largest, "{name}: {a} {b}");
        }
        let by = together.iter().zip(&still).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(by > 1e-3 * largest, "{name}: no damping");
    }
    assert_eq!(taken, 18, "corotated elements of every kind");
}

#[test]
fn elastic_forces_have_no_resultant() {
    for (name, rest, pool) in cases() {
        let x = deformed(&rest);
        let f = forces(&*pool, &x);
        let total: DVec3 = f.iter().sum();
        let torque: DVec3 = x.iter().zip(&f).map(|(x, f)| x.cross(*f)).sum();
        let largest = f.iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(total.length() < 1e-10 * largest, "{name}: force {total}");
        assert!(torque.length() < 1e-10 * largest, "{name}: torque {torque} N m");
    }
}

#[test]
fn stiffness_is_minus_the_slope_of_the_force_at_rest() {
    // At rest the kept rotation and the projection change nothing, and K is the exact Hessian.
    for (name, x, pool) in cases() {
        let k = stiffness(&*pool, &x);
        let (step, scale) = (1e-7, stiffness_scale(&k));
        for column in 0..k.size {
            let moved = |by: f64| {
                let mut x = x.clone();
                x[column / 3][column % 3] += by;
                forces(&*pool, &x)
            };
            let (plus, minus) = (moved(step), moved(-step));
            for row in 0..k.size {
                let slope = (minus[row / 3][row % 3] - plus[row / 3][row % 3]) / (2.0 * step);
                assert!(
                    (slope - k.k[row * k.size + column]).abs() < 1e-5 * scale,
                    "{name} ({row}, {column})"
                );
            }
        }
    }
}

#[test]
fn stiffness_is_positive_semidefinite_when_deformed() {
    for (name, rest, pool) in cases() {
        let k = stiffness(&*pool, &deformed(&rest));
        let dense = faer::Mat::from_fn(k.size, k.size, |i, j| k.k[i * k.size + j]);
        let values = dense.self_adjoint_eigenvalues(faer::Side::Lower).expect("finite stiffness");
        assert!(
            values[0] > -1e-10 * values[k.size - 1],
            "{name}: smallest eigenvalue {}",
            values[0]
        );
        let zero = values.iter().filter(|v| **v < 1e-9 * values[k.size - 1]).count();
        assert!(zero <= 6, "{name}: {zero} modes without stiffness, more than rigid motion has");
    }
}

#[test]
fn stress_is_what_the_forces_say_under_a_uniform_deformation() {
    // Virial: sum over nodes of -f x^T = present volume times the stress, which is the same in every element.
    let turn = DMat3::from_rotation_y(0.7);
    let deformation =
        turn * DMat3::from_cols_array(&[1.1, 0.02, 0.0, 0.05, 0.93, 0.01, -0.03, 0.0, 1.04]);
    for mesh in meshes() {
        let moduli = Isotropic::new(1e5, 0.4).expect("valid moduli");
        for material in MODELS.map(|model| Material::named(model.name, moduli).expect("a model")) {
            let pool = pool(&mesh, &material, Formulation::Default, None);
            let x: Vec<DVec3> = mesh.nodes.iter().map(|x| deformation * *x).collect();
            let volume = lumped_masses(&mesh).iter().sum::<f64>() * deformation.determinant();
            let virial = forces(pool.as_ref(), &x)
                .iter()
                .zip(&x)
                .fold(DMat3::ZERO, |sum, (f, x)| sum - crate::math::outer(*f, *x) * (1.0 / volume));
            for stress in pool.stresses(&x).expect("a solid has stresses") {
                let difference = (stress - virial).to_cols_array();
                assert!(
                    difference.iter().all(|d| d.abs() < 1e-6 * 1e5),
                    "{stress} {virial} {material:?}"
                );
            }
        }
    }
}
