//! Viscous flow through the gap of a seal (Reynolds' equation).
//!
//! Air creeps through a narrow gap g with g^3 / (12 eta) times the slope of the pressure per width; isothermal gas of changing
//! density carries n R T with that slope of P^2 / 2. So the flow between two pressures is K (P_a^2 - P_b^2) / 2, where K (m3/(Pa s))
//! is the conductance of a network over the seal's vertices. Along an edge the gap is taken as straight between its ends,
//! which gives w / (12 eta L) * 2 g_a^2 g_b^2 / (g_a + g_b), the exact conductance of such a wedge; w / L by cotangents, as in
//! finite volumes.
//!
//! Gaps are those beyond the contact distance (and beyond the film, on wet surfaces). Roughness is not part of them, so what touches
//! conducts nothing. The channels that asperities leave between surfaces pressed together are far narrower than their
//! height (a gap of 5 um would empty a cup in a second, and real cups hold for hours); for that there is `leak_conductance`.
//! Inertia, slip at the walls and choking are left out: gaps of more than some 0.1 mm conduct less than this says.

use super::conductance_network::ConductanceNetwork;
use super::graph::{Node, SealGraph, Side};

/// Conductances of seals, m3/(Pa s).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SealConductances {
    /// From every cavity to the outside.
    pub to_outside: Vec<f64>,
    /// Between cavities: the two, and the conductance.
    pub between: Vec<(usize, usize, f64)>,
}

impl SealConductances {
    /// Adds those of other seals of the same cavities.
    pub fn add(&mut self, other: Self) {
        self.to_outside.iter_mut().zip(other.to_outside).for_each(|(sum, k)| *sum += k);
        self.between.extend(other.between);
    }
}

/// Conductances of the seals between `count` cavities, for a viscosity (Pa s) and the gap (m) at every node: 0 where it is
/// closed, infinite where it is out of reach. `is_flat` says which cavities have no open part: their air comes from
/// everywhere in them, and K is flow over the mean pressure.
pub fn conductances(
    seal: &SealGraph,
    gap: impl Fn(&Node) -> f64,
    viscosity: f64,
    is_flat: &[bool],
) -> SealConductances {
    let count = is_flat.len();
    let network = network(seal, gap, viscosity, count);
    let reached = network.reached();
    let mut found = SealConductances { to_outside: vec![0.0; count], between: Vec::new() };
    let mut flat = Vec::new();
    for cavity in (0..count).filter(|c| is_flat[*c]) {
        let sources = sources(seal, cavity, &reached, count);
        if !sources.is_empty() {
            let reduced = network.clone().reduce(&sources);
            let to = |terminal: usize| reduced.arriving[terminal] / reduced.resistance;
            found.to_outside[cavity] = to(0);
            let others = (0..count).filter(|b| *b != cavity).map(|b| (cavity, b, to(1 + b)));
            found.between.extend(others.filter(|(.., k)| *k > 0.0));
            flat.push(reduced);
        }
    }
    let reduced = network.reduce(&[]);
    // What flows from a to b through the air of a flat cavity is in the two conductances of that cavity. Its pressure is the mean of those
    // around it, weighted by the parts of its flow that arrive there. So arriving_a arriving_b / R of what joins a and b is that flow.
    let beside_flat = |a: usize, b: usize| {
        let through = flat.iter().map(|f| f.arriving[a] * f.arriving[b] / f.resistance);
        (reduced.between(a, b) - through.sum::<f64>()).max(0.0)
    };
    for a in (0..count).filter(|a| !is_flat[*a]) {
        found.to_outside[a] = beside_flat(0, 1 + a);
        let others = (0..a).map(|b| (a, b, beside_flat(1 + a, 1 + b)));
        found.between.extend(others.filter(|(.., k)| *k > 0.0));
    }
    found
}

/// Terminal 0 is the outside; the cavities follow, then the nodes of the seal.
fn network(
    seal: &SealGraph,
    gap: impl Fn(&Node) -> f64,
    viscosity: f64,
    count: usize,
) -> ConductanceNetwork {
    let gaps: Vec<f64> = seal.nodes.iter().map(gap).collect();
    let mut network = ConductanceNetwork::new(1 + count, seal.nodes.len());
    let number = |node: usize| match seal.nodes[node].side {
        Side::Outside => 0,
        Side::Inside(cavity) => 1 + cavity,
        Side::Seal => 1 + count + node,
    };
    for edge in &seal.edges {
        let [a, b] = edge.ends;
        let flow = edge.shape * wedge(gaps[a], gaps[b], edge.length) / (12.0 * viscosity);
        network.join(number(a), number(b), flow);
    }
    network
}

/// Length over the integral of 1 / g^3 along a straight wedge, m3. A gap out of reach is as wide as the length allows:
/// distances grow no faster than the length.
fn wedge(a: f64, b: f64, length: f64) -> f64 {
    let (a, b) = (a.min(b), a.max(b).min(a.min(b) + length));
    if a > 0.0 && a.is_finite() { 2.0 * a * a * b * b / (a + b) } else { 0.0 }
}

/// The nodes of a flat cavity from which air can get out, with their parts of its area.
fn sources(seal: &SealGraph, cavity: usize, reached: &[bool], count: usize) -> Vec<(usize, f64)> {
    let own = seal.nodes.iter().enumerate();
    let own = own.map(|(i, node)| (1 + count + i, node));
    let own = own.filter(|(i, n)| n.side == Side::Seal && n.within == Some(cavity) && reached[*i]);
    let areas: Vec<(usize, f64)> = own.map(|(i, node)| (i, node.area)).collect();
    let total: f64 = areas.iter().map(|(_, area)| area).sum();
    areas.into_iter().map(|(i, area)| (i, area / total)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Edge, Group};
    use super::*;
    use crate::cavity::{BodySurface, DetectedCavity, Patch, Wall};
    use cupule_geometry::DVec3;
    use std::f64::consts::TAU;

    const VISCOSITY: f64 = 1.8e-5;

    /// A flat disc of rings with the given radii (m), the middle a single vertex.
    struct Disc {
        positions: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        radii: Vec<f64>,
        segments: usize,
    }

    fn disc(radii: Vec<f64>, segments: usize) -> Disc {
        let mut positions = vec![DVec3::ZERO];
        for r in &radii {
            let angle = |k: usize| TAU * k as f64 / segments as f64;
            positions.extend(
                (0..segments).map(|k| DVec3::new(angle(k).cos(), angle(k).sin(), 0.0) * *r),
            );
        }
        let at = |ring: usize, k: usize| (1 + ring * segments + k % segments) as u32;
        let mut triangles: Vec<[u32; 3]> =
            (0..segments).map(|k| [0, at(0, k), at(0, k + 1)]).collect();
        for ring in 1..radii.len() {
            for k in 0..segments {
                triangles.push([at(ring - 1, k), at(ring, k), at(ring, k + 1)]);
                triangles.push([at(ring - 1, k), at(ring, k + 1), at(ring - 1, k + 1)]);
            }
        }
        Disc { positions, triangles, radii, segments }
    }

    impl Disc {
        /// Its seal, with sealing vertices between the two radii (m) and the open wall inside.
        fn seal(&self, from: f64, to: f64, flat: bool) -> SealGraph {
            let points: Vec<usize> = (0..self.positions.len()).collect();
            let body = BodySurface {
                body: 0,
                points: &points,
                triangles: &self.triangles,
                positions: &self.positions,
                folds: false,
            };
            let seals = |x: &DVec3| (from - 1e-9..to + 1e-9).contains(&x.length());
            let sealing = vec![self.positions.iter().map(seals).collect()];
            let nearest = vec![vec![None; self.positions.len()]];
            let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let reach = if flat { to } else { from };
            let inside = |t: &[u32; 3]| {
                t.iter().all(|v| self.positions[*v as usize].length() < reach + 1e-9)
            };
            let of = (0..self.triangles.len()).filter(|t| inside(&self.triangles[*t]));
            let patch = |t: usize| Patch {
                body: 0,
                triangle: t as u32,
                corners,
                touching: flat,
                area: DVec3::Z,
            };
            let found = DetectedCavity { patches: of.map(patch).collect(), wall: Wall::default() };
            let group = Group { bodies: &[body], sealing: &sealing, nearest: &nearest };
            SealGraph::new(group, &[&found])
        }

        fn gap_at(&self, node: &Node, gap: impl Fn(DVec3) -> f64) -> f64 {
            gap(self.positions[node.vertex as usize])
        }
    }

    /// Radii of the middle, of `rings` steps between two radii, and of a margin outside.
    fn radii(from: f64, to: f64, rings: usize) -> Vec<f64> {
        let step = (to - from) / rings as f64;
        (0..=rings).map(|i| from + step * i as f64).collect()
    }

    /// Ratio of the network's conductance of a parallel annulus to 2 pi g^3 / (12 eta ln(R_o / R_i)).
    fn annulus_ratio(rings: usize) -> f64 {
        let (inner, outer, gap) = (0.01, 0.015, 2e-5);
        let disc = disc(radii(inner, outer, rings), 24 * rings);
        // The innermost and outermost rings are the borders at which the pressures are given.
        let step = (outer - inner) / rings as f64;
        let seal = disc.seal(inner + step, outer - step, false);
        let found = conductances(&seal, |n| disc.gap_at(n, |_| gap), VISCOSITY, &[false]);
        assert_eq!(disc.radii.len() * disc.segments + 1, disc.positions.len());
        found.to_outside[0] / (TAU * gap.powi(3) / (12.0 * VISCOSITY * f64::ln(outer / inner)))
    }

    #[test]
    fn parallel_annulus_converges_to_its_logarithm() {
        let errors = [2, 4, 8].map(|rings| annulus_ratio(rings) - 1.0);
        println!("errors {errors:?}");
        assert!(errors[2].abs() < 5e-3, "{errors:?}");
        // Second order: a quarter of the error at half the edges.
        for pair in errors.windows(2) {
            assert!((3.0..5.0).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
    }

    #[test]
    fn cone_of_straight_gaps_is_exact_in_the_limit_of_a_thin_ring() {
        // A gap from g to 3 g across a thin ring: w / (12 eta L) * 2 g^2 (3 g)^2 / (4 g).
        let (inner, outer, gap) = (0.02, 0.0201, 1e-5);
        let disc = disc(radii(inner, outer, 4), 192);
        let seal = disc.seal(inner + 2e-5, outer - 2e-5, false);
        let at = |x: DVec3| gap * (1.0 + 2.0 * (x.length() - inner) / (outer - inner));
        let found = conductances(&seal, |n| disc.gap_at(n, at), VISCOSITY, &[false]);
        let width = TAU * 0.5 * (inner + outer);
        let expected = width / (12.0 * VISCOSITY * (outer - inner)) * 4.5 * gap.powi(3);
        assert!(
            (found.to_outside[0] / expected - 1.0).abs() < 5e-3,
            "{}",
            found.to_outside[0] / expected
        );
    }

    #[test]
    fn touching_loop_is_tight_and_a_notch_in_it_is_not() {
        let disc = disc(radii(0.01, 0.015, 5), 48);
        let seal = disc.seal(0.011, 0.014, false);
        // One ring touches all around.
        let tight = |x: DVec3| if (x.length() - 0.012).abs() < 1e-6 { 0.0 } else { 3e-5 };
        let k = |at: &dyn Fn(DVec3) -> f64| {
            conductances(&seal, |n| disc.gap_at(n, at), VISCOSITY, &[false]).to_outside[0]
        };
        assert_eq!(k(&tight), 0.0);
        // But for one of its 48 vertices.
        let notched = |x: DVec3| if x.y.abs() < 1e-9 && x.x > 0.0 { 3e-5 } else { tight(x) };
        let through = k(&notched);
        let whole = k(&|_| 3e-5);
        assert!(through > 0.01 * whole && through < 0.1 * whole, "{}", through / whole);
    }

    #[test]
    fn flat_disc_gives_off_its_air_by_its_mean_pressure() {
        // Air comes from the disc of radius a, evenly, and is outside at R: mean pressure Q / (2 pi k) (ln(R / a) + 1/4),
        // k = g^3 / (12 eta).
        let (radius, gap) = (0.01, 1e-5);
        let error = |rings: usize| {
            let step = radius / rings as f64;
            let disc = disc((1..=rings).map(|i| step * i as f64).collect(), 12 * rings);
            let seal = disc.seal(0.0, 0.75 * radius, true);
            let found = conductances(&seal, |n| disc.gap_at(n, |_| gap), VISCOSITY, &[true]);
            // The outside begins at the first ring that does not seal.
            let around = f64::ln((0.75 * radius + step) / (0.75 * radius)) + 0.25;
            found.to_outside[0] / (TAU * gap.powi(3) / (12.0 * VISCOSITY * around)) - 1.0
        };
        let errors = [8, 16].map(error);
        println!("errors {errors:?}");
        assert!(errors[1].abs() < 0.02 && errors[1].abs() < 0.4 * errors[0].abs(), "{errors:?}");
    }

    #[test]
    fn flat_cavity_gives_off_its_air_to_where_it_flows() {
        // One node of a flat cavity, with a connection to the outside and one three times as wide to another cavity: conductances that join
        // it to equal pressures on both sides add up to that of both, and the air divides by them.
        let node = |side: Side, within: Option<usize>| Node {
            body: 0,
            vertex: 0,
            side,
            area: 1.0,
            within,
        };
        let nodes =
            vec![node(Side::Outside, None), node(Side::Seal, Some(0)), node(Side::Inside(1), None)];
        let edge = |ends: [usize; 2], shape: f64| Edge { ends, shape, length: 1.0 };
        let seal = SealGraph { nodes, edges: vec![edge([0, 1], 1.0), edge([1, 2], 3.0)] };
        let found = conductances(&seal, |_| 1e-5, VISCOSITY, &[true, false]);
        let one = 1e-15 / (12.0 * VISCOSITY);
        assert!((found.to_outside[0] / one - 1.0).abs() < 1e-12, "{found:?}");
        let [(from, to, k)] = found.between[..] else {
            panic!("one connection between the two: {found:?}")
        };
        assert_eq!((from, to), (0, 1));
        assert!((k / (3.0 * one) - 1.0).abs() < 1e-12, "{found:?}");
        // From the other cavity to the outside there is no path but through the flat one, which has its own two.
        assert!(found.to_outside[1] < 1e-12 * one, "{found:?}");
    }

    #[test]
    fn wedge_is_the_mean_of_the_inverse_cube() {
        // L / integral of dx / g^3, against the midpoint rule.
        let (a, b) = (1e-5, 4e-5);
        let steps = 10_000;
        let at = |i: usize| a + (b - a) * (i as f64 + 0.5) / f64::from(steps);
        let mean = (0..steps as usize).map(|i| at(i).powi(-3)).sum::<f64>() / f64::from(steps);
        assert!((wedge(a, b, 1.0) * mean - 1.0).abs() < 1e-6);
        assert_eq!((wedge(0.0, b, 1.0), wedge(f64::INFINITY, f64::INFINITY, 1.0)), (0.0, 0.0));
        // Out of reach, a millimetre away: no wider than that.
        assert_eq!(wedge(a, f64::INFINITY, 1e-3), wedge(a, a + 1e-3, 1e-3));
    }
}
