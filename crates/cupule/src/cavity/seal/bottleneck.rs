//! The bottleneck of a seal: on the path out of a cavity on which the largest cost is least, the place that has it (a minimax path).
//!
//! With the pressure between the walls as cost, it is where the seal gives way first. With minus the gap as cost, it is the narrowest
//! place on the widest path out.
//!
//! Nodes are opened by rising cost and joined with their open neighbours. The node that first connects the cavity with the outside
//! is the bottleneck.

use super::graph::{Node, SealGraph, Side};
use cupule_geometry::disjoint::DisjointSets;

/// The bottleneck of a cavity: on the path out of it on which the largest cost is least, that cost and the node that has it. None where
/// no path leads out, or the cavity has no open part.
pub fn bottleneck(
    seal: &SealGraph,
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
    let mut is_open = vec![false; seal.nodes.len()];
    seal.nodes.iter().enumerate().for_each(|(i, n)| is_open[i] = n.side != Side::Seal);
    for (cost, node) in order {
        is_open[node] = true;
        for &next in neighbours[node].iter().filter(|n| is_open[**n]) {
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
    use super::super::graph::Edge;
    use super::*;

    /// A strip of `width` columns and `depth` rows of sealing nodes between a cavity (row 0) and the outside.
    fn strip(width: usize, depth: usize) -> SealGraph {
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
        SealGraph { nodes, edges }
    }

    #[test]
    fn the_weakest_path_goes_around_the_strong_places() {
        // Rows from inside to outside; the best path is 1 2 3 4 (across) 2, and no straight one is below 8.
        #[rustfmt::skip]
        let pressures = [
            9.0, 1.0, 9.0, 9.0,
            9.0, 2.0, 9.0, 9.0,
            8.0, 3.0, 4.0, 5.0,
            9.0, 9.0, 9.0, 2.0,
        ];
        let seal = strip(4, 4);
        let found = bottleneck(&seal, 0, |n| pressures[n.vertex as usize - 4]);
        // Its strongest place is the 5 in the last column of row 3.
        assert_eq!(found, Some((5.0, 4 + 11)));
    }

    #[test]
    fn a_cavity_that_is_not_there_has_no_path_out() {
        assert_eq!(bottleneck(&strip(3, 2), 1, |_| 1.0), None);
    }
}
