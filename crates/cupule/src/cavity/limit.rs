//! What pressure a seal withstands (P_max).
//!
//! From the contact pressure: air gets out along the way on which the strongest vertex is weakest, P_max = P_atm + min over ways of
//! (max over the way of the pressure between the walls). The total on a way, as 000 sec. 3.6 has it, would grow with the
//! number of vertices. Where the gas acts on the touching part too, the pressure between the walls is contact plus gauge
//! pressure of the gas.
//!
//! The gas unloads its own seal: gauge pressure p on the area A inside the loop takes p A off the contact, which is spread
//! over the touching area A_s. So a pressure q between the walls at the present p does not promise that p = q will
//! be held: a cup pressed by a force reaches both at p + (q - p) A_s / A, and has lost all contact C at p + C / A. The lesser is
//! where the limit goes. It is the same in the end, p = q, and without it a narrow seal would overshoot in every step.
//!
//! Where the walls have parted, air presses but nothing presses back. There the seal withstands less the farther it has parted,
//! and nothing when it has by the sealing distance and is open: p (1 - gap / s). So a limit that went too far comes
//! down before the seal is lost.
//!
//! Contact forces that share a load redundantly are not unique, so they are summed to vertices and divided by tributary areas; the
//! forces are those of the last step, so the limit goes [`APPROACH`] of the way, and no faster than [`FASTEST`].
//!
//! From the elastic energy of the bodies around the cavity (000 sec. 3.6): gauge pressure by a table.

use super::memory::Memory;
use super::seal::{Node, Seal, Side};
use super::space::AirSpace;
use super::track::Cavity;
use crate::settings::{Ring, VentLimit};
use cupule_geometry::disjoint::DisjointSets;

/// A limit that follows forces or energies changes no faster than this, Pa/s: an atmosphere in a tenth of a second.
const FASTEST: f64 = 1e6;
/// Share of the way to where the seal would give way that the limit goes in a step: all of it would leave no contact.
const APPROACH: f64 = 0.5;

/// What a limit may depend on, at the end of a step.
pub trait Pressing {
    /// Normal contact force on a vertex of a body's surface, N.
    fn contact_force(&self, body: usize, vertex: u32) -> f64;
    /// Elastic energy of a body, J.
    fn elastic_energy(&self, body: usize) -> f64;
}

impl AirSpace {
    /// Renews the limits of all cavities by what presses at the end of a step of `length` (s).
    pub fn renew_limits(&mut self, pressing: &dyn Pressing, length: f64) {
        let wanted: Vec<Option<f64>> = match &self.settings.limit {
            VentLimit::Atmosphere | VentLimit::Constant(_) => return,
            VentLimit::Seal => {
                (0..self.cavities().len()).map(|c| self.seal_limit(c, pressing)).collect()
            }
            VentLimit::ElasticEnergy(table) => {
                let energy = |c: &Cavity| -> f64 {
                    c.found.bodies().into_iter().map(|b| pressing.elastic_energy(b)).sum()
                };
                let gauge = |c: &Cavity| table.at(energy(c)).max(0.0);
                self.cavities().iter().map(|c| Some(self.settings.atmosphere + gauge(c))).collect()
            }
        };
        let most = FASTEST * length;
        for (cavity, wanted) in self.tracker.cavities.iter_mut().zip(wanted) {
            if let Some(wanted) = wanted {
                cavity.limit += (wanted - cavity.limit).clamp(-most, most);
            }
        }
    }

    /// What the weakest way out of a cavity withstands, Pa; none where there is no way to tell, as for a flat one.
    fn seal_limit(&self, cavity: usize, pressing: &dyn Pressing) -> Option<f64> {
        let Cavity { found, pressure, .. } = &self.cavities()[cavity];
        let gauge = pressure - self.settings.atmosphere;
        let outer = self.settings.ring == Ring::Outer;
        let ways = self.seals().filter_map(|seal| self.weakest_way(cavity, gauge, seal, pressing));
        let weakest = ways.min_by(|a, b| a.between.total_cmp(&b.between))?;
        let pulls = found.bodies().into_iter().map(|b| found.pull_area(b, false).length());
        let pull = pulls.fold(0.0, f64::max) + if outer { 0.0 } else { weakest.touching };
        let spare = ((weakest.between - gauge) * weakest.touching).min(weakest.contact);
        let held = gauge + APPROACH * spare / pull.max(weakest.touching);
        Some(self.settings.atmosphere + held.max(0.0))
    }

    /// The weakest way out of a cavity, at a gauge pressure (Pa), through one seal; none if there is no way.
    fn weakest_way(
        &self,
        cavity: usize,
        gauge: f64,
        (seal, memory): (&Seal, &Memory),
        pressing: &dyn Pressing,
    ) -> Option<Weakest> {
        let outer = self.settings.ring == Ring::Outer;
        let around = if outer { Vec::new() } else { seal.around(cavity) };
        let own = |i: usize| match outer {
            true => seal.nodes[i].side == Side::Seal && seal.nodes[i].within == Some(cavity),
            false => around[i],
        };
        let force = |node: &Node| pressing.contact_force(memory.bodies[node.body], node.vertex);
        let between = |node: &Node| {
            let air = if outer && node.within == Some(cavity) { gauge } else { 0.0 };
            match force(node) {
                contact if contact > 0.0 => contact / node.area + air,
                _ => {
                    let parted = self.open_gap(memory, node) / self.settings.sealing_distance;
                    air * (1.0 - parted).max(0.0)
                }
            }
        };
        let (between, _) = easiest_way(seal, cavity, between)?;
        let sum = |of: &dyn Fn(&Node) -> f64| -> f64 {
            let nodes = seal.nodes.iter().enumerate().filter(|(i, _)| own(*i));
            nodes.map(|(_, node)| of(node)).sum()
        };
        Some(Weakest { between, touching: sum(&|n| n.area), contact: sum(&force) })
    }
}

/// The weakest way through a seal.
struct Weakest {
    /// The largest pressure between the walls on it, Pa.
    between: f64,
    /// Area of the whole seal, m2.
    touching: f64,
    /// Contact force on the whole seal, N.
    contact: f64,
}

/// The way out of a cavity on which the largest cost is least: that cost, and the node that has it. None where
/// no way leads out, or the cavity has no open part.
pub(super) fn easiest_way(
    seal: &Seal,
    cavity: usize,
    cost: impl Fn(&Node) -> f64,
) -> Option<(f64, usize)> {
    // Terminals first: the outside, then cavities up to the last in the graph.
    let terminal = |node: &Node| match node.side {
        Side::Outside => Some(0),
        Side::Inside(cavity) => Some(1 + cavity),
        Side::Seal => None,
    };
    let terminals = 1 + seal.nodes.iter().filter_map(terminal).max().unwrap_or(0).max(1 + cavity);
    let number: Vec<usize> =
        seal.nodes.iter().enumerate().map(|(i, n)| terminal(n).unwrap_or(terminals + i)).collect();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); seal.nodes.len()];
    for [a, b] in seal.edges.iter().map(|e| e.ends) {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let inner = (0..seal.nodes.len()).filter(|i| seal.nodes[*i].side == Side::Seal);
    let mut order: Vec<(f64, usize)> = inner.map(|i| (cost(&seal.nodes[i]), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut joined = DisjointSets::new(terminals + seal.nodes.len());
    let mut passed = vec![false; seal.nodes.len()];
    seal.nodes.iter().enumerate().for_each(|(i, n)| passed[i] = n.side != Side::Seal);
    for (cost, node) in order {
        passed[node] = true;
        for &next in neighbours[node].iter().filter(|n| passed[**n]) {
            joined.join(number[node] as u32, number[next] as u32);
        }
        if joined.are_joined(0, 1 + cavity as u32) {
            return Some((cost, node));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cavity::seal::Edge;

    /// A strip of `width` columns and `depth` rows of sealing nodes between a cavity (row 0) and the outside.
    fn strip(width: usize, depth: usize) -> Seal {
        let side = |row: usize| match row {
            0 => Side::Inside(0),
            row if row == depth + 1 => Side::Outside,
            _ => Side::Seal,
        };
        let node = |i: usize| Node {
            body: 0,
            vertex: i as u32,
            side: side(i / width),
            area: 1e-6,
            within: None,
        };
        let nodes = (0..width * (depth + 2)).map(node).collect();
        let edge = |a: usize, b: usize| Edge { ends: [a, b], shape: 1.0, length: 1e-3 };
        let mut edges = Vec::new();
        for i in 0..width * (depth + 1) {
            edges.push(edge(i, i + width));
            if i >= width && i % width + 1 < width {
                edges.push(edge(i, i + 1));
            }
        }
        Seal { nodes, edges }
    }

    #[test]
    fn the_weakest_way_goes_around_the_strong_places() {
        // Rows from inside to outside; the best way is 1 2 3 4 (across) 2, and no straight one is below 8.
        #[rustfmt::skip]
        let pressures = [
            9.0, 1.0, 9.0, 9.0,
            9.0, 2.0, 9.0, 9.0,
            8.0, 3.0, 4.0, 5.0,
            9.0, 9.0, 9.0, 2.0,
        ];
        let seal = strip(4, 4);
        let found = easiest_way(&seal, 0, |n| pressures[n.vertex as usize - 4]);
        // Its strongest place is the 5 in the last column of row 3.
        assert_eq!(found, Some((5.0, 4 + 11)));
    }

    #[test]
    fn a_cavity_that_is_not_there_has_no_way_out() {
        assert_eq!(easiest_way(&strip(3, 2), 1, |_| 1.0), None);
    }
}
