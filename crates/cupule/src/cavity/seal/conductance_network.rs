//! A network of conductances, reduced to its terminals.
//!
//! Inner nodes are eliminated one by one, and every pair of their neighbours is joined by what flowed through them, c_a c_b / sum c
//! (star-mesh transform; the Schur complement of the network's Laplacian). All terms are positive, so nothing cancels, whatever
//! the ratio of the conductances, and nodes without a path to a terminal need no special care.

use std::collections::{BTreeMap, BTreeSet};

/// Nodes joined by conductances; the first ones are terminals. Units are the caller's.
#[derive(Debug, Clone)]
pub(super) struct ConductanceNetwork {
    terminals: usize,
    links: Vec<BTreeMap<usize, f64>>,
}

/// What is left of a network between its terminals.
#[derive(Debug, Clone)]
pub(super) struct Reduced {
    links: Vec<BTreeMap<usize, f64>>,
    /// Mean rise of the sources' own nodes per unit of flow from them to the terminals.
    pub(super) resistance: f64,
    /// Parts of that flow that arrive at the terminals.
    pub(super) arriving: Vec<f64>,
}

impl ConductanceNetwork {
    pub(super) fn new(terminals: usize, nodes: usize) -> Self {
        Self { terminals, links: vec![BTreeMap::new(); terminals + nodes] }
    }

    /// Adds a conductance between two nodes; those of one pair add up.
    pub(super) fn join(&mut self, a: usize, b: usize, conductance: f64) {
        if a != b && conductance > 0.0 {
            *self.links[a].entry(b).or_default() += conductance;
            *self.links[b].entry(a).or_default() += conductance;
        }
    }

    /// Nodes with a path to a terminal.
    pub(super) fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.links.len()];
        let mut open: Vec<usize> = (0..self.terminals).collect();
        open.iter().for_each(|t| reached[*t] = true);
        while let Some(node) = open.pop() {
            for &next in self.links[node].keys().filter(|n| **n >= self.terminals) {
                if !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        reached
    }

    /// Eliminates all inner nodes. `sources` are parts of a unit flow that enters at inner nodes, each with a path to a
    /// terminal; their sum is 1, or there are none.
    pub(super) fn reduce(mut self, sources: &[(usize, f64)]) -> Reduced {
        let mut entering = vec![0.0; self.links.len()];
        sources.iter().for_each(|(node, share)| entering[*node] += share);
        // Those with the fewest neighbours first, so that few new pairs arise.
        let mut queue: BTreeSet<(usize, usize)> =
            (self.terminals..self.links.len()).map(|n| (self.links[n].len(), n)).collect();
        let mut resistance = 0.0;
        while let Some((_, node)) = queue.pop_first() {
            let star: Vec<(usize, f64)> =
                std::mem::take(&mut self.links[node]).into_iter().collect();
            let sum: f64 = star.iter().map(|(_, c)| c).sum();
            if star.is_empty() {
                continue;
            }
            resistance += entering[node] * entering[node] / sum;
            for &(neighbour, c) in &star {
                queue.remove(&(self.links[neighbour].len(), neighbour));
                self.links[neighbour].remove(&node);
                entering[neighbour] += entering[node] * c / sum;
            }
            for (i, &(a, c)) in star.iter().enumerate() {
                star[..i].iter().for_each(|&(b, d)| self.join(a, b, c * d / sum));
            }
            let inner = star.iter().filter(|(n, _)| *n >= self.terminals);
            queue.extend(inner.map(|(n, _)| (self.links[*n].len(), *n)));
        }
        self.links.truncate(self.terminals);
        entering.truncate(self.terminals);
        Reduced { links: self.links, resistance, arriving: entering }
    }
}

impl Reduced {
    /// Conductance between two terminals.
    pub(super) fn between(&self, a: usize, b: usize) -> f64 {
        self.links[a].get(&b).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_parallel() {
        // 0 -2- 2 -3- 1 beside 0 -5- 1: 1 / (1/2 + 1/3) + 5.
        let mut network = ConductanceNetwork::new(2, 1);
        network.join(0, 2, 2.0);
        network.join(2, 1, 3.0);
        network.join(0, 1, 5.0);
        assert!((network.reduce(&[]).between(0, 1) - 6.2).abs() < 1e-14);
    }

    #[test]
    fn three_terminals_of_a_star() {
        // c_a c_b / sum c for each pair.
        let mut network = ConductanceNetwork::new(3, 1);
        [1.0, 2.0, 3.0].iter().enumerate().for_each(|(t, c)| network.join(t, 3, *c));
        let reduced = network.reduce(&[]);
        let expected = [(0, 1, 2.0 / 6.0), (0, 2, 3.0 / 6.0), (1, 2, 6.0 / 6.0)];
        for (a, b, c) in expected {
            assert!((reduced.between(a, b) - c).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn dead_ends_and_islands_carry_nothing() {
        let mut network = ConductanceNetwork::new(2, 4);
        network.join(0, 2, 1.0);
        network.join(2, 1, 1.0);
        network.join(2, 3, 7.0);
        network.join(4, 5, 1.0);
        assert_eq!(network.reached(), [true, true, true, true, false, false]);
        assert!((network.reduce(&[]).between(0, 1) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn sources_around_a_loop() {
        // Three nodes in a loop with the terminal, unit conductances, each with a third of the flow: rises 1/2, 2/3, 1/2,
        // of which the mean is 5/9.
        let mut network = ConductanceNetwork::new(1, 3);
        (0..4).for_each(|i| network.join(i, (i + 1) % 4, 1.0));
        let sources = [1, 2, 3].map(|n| (n, 1.0 / 3.0));
        let reduced = network.reduce(&sources);
        assert!((reduced.resistance - 5.0 / 9.0).abs() < 1e-14);
        assert!((reduced.arriving[0] - 1.0).abs() < 1e-14, "all of it arrives");
    }
}
