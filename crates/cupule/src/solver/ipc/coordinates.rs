//! The solver's coordinates: nodes in space, of which every point of the world is a fixed combination, x = J q.
//!
//! A free point is a node of its own, a rigid body has four (`affine`), a driven point none. So one code path serves full space,
//! embedded and affine bodies, as 003 sec. III-D has it.

use super::affine::Affine;
use crate::integrator::place_combined;
use crate::mapping::{Frame, Tie};
use crate::model::{Configuration, Model};
use cupule_geometry::{DMat3, DVec3};

/// How points follow nodes.
#[derive(Clone)]
pub(super) struct Coordinates {
    /// Number of nodes.
    pub count: usize,
    /// Rigid bodies, by frame.
    pub bodies: Vec<Affine>,
    starts: Vec<u32>,
    parts: Vec<(u32, f64)>,
    /// Nodes of which some axes are held: for every axis 1 where it is free, and 0 where not.
    sliding: Vec<(usize, DVec3)>,
}

impl Coordinates {
    pub(super) fn new(model: &Model, modulus: f64) -> Self {
        let bodies: Vec<Affine> =
            model.rigid.iter().enumerate().map(|(i, r)| Affine::new(r, i, modulus)).collect();
        let mut out = Self {
            // Each frame has two blocks, numbered first.
            count: model.blocks() + 2 * bodies.len(),
            bodies,
            starts: vec![0],
            parts: Vec::new(),
            sliding: Vec::new(),
        };
        let sliding = model.ties.iter().filter_map(|tie| match tie {
            Tie::Sliding { block, free } => Some((out.node(*block) as usize, *free)),
            _ => None,
        });
        out.sliding = sliding.collect();
        for point in 0..model.ties.len() {
            let mut parts = out.parts_of(model, point, 1.0);
            parts.sort_by_key(|(node, _)| *node);
            parts.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0.0 };
                same
            });
            out.parts.extend(parts);
            out.starts.push(out.parts.len() as u32);
        }
        out
    }

    fn parts_of(&self, model: &Model, point: usize, weight: f64) -> Vec<(u32, f64)> {
        match &model.ties[point] {
            Tie::Free(block) | Tie::Sliding { block, .. } => vec![(self.node(*block), weight)],
            Tie::Carried { frame, arm } => {
                self.bodies[*frame].weights(*arm).map(|(n, w)| (n, w * weight)).to_vec()
            }
            Tie::Combined(parts) => {
                parts.iter().flat_map(|&(p, w)| self.parts_of(model, p, weight * w)).collect()
            }
            Tie::Driven { .. } => Vec::new(),
        }
    }

    /// The node of a free point's block.
    pub(super) fn node(&self, block: usize) -> u32 {
        (block + 2 * self.bodies.len()) as u32
    }

    /// The body that a node moves.
    pub(super) fn body_of(&self, model: &Model, node: usize) -> usize {
        // Rigid bodies come first, four nodes for their two blocks.
        let carried = 4 * self.bodies.len();
        let block = if node < carried { node / 2 } else { node - 2 * self.bodies.len() };
        model.body_of_block[block]
    }

    /// Nodes and weights of a point; none for what is driven.
    pub(super) fn of(&self, point: usize) -> &[(u32, f64)] {
        &self.parts[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// The nodes of a configuration.
    pub(super) fn read(&self, model: &Model, at: &Configuration) -> Vec<DVec3> {
        let mut nodes = vec![DVec3::ZERO; self.count];
        for (body, frame) in self.bodies.iter().zip(&at.frames) {
            let matrix = DMat3::from_quat(frame.orientation) * frame.stretch;
            nodes[body.first..body.first + 4].copy_from_slice(&body.nodes(frame.position, matrix));
        }
        for (tie, x) in model.ties.iter().zip(&at.points) {
            if let Some(block) = tie.own_block() {
                nodes[self.node(block) as usize] = *x;
            }
        }
        nodes
    }

    /// Points for nodes, with the driven points where `driven` has them. Linear: displacements of points for
    /// displacements of nodes likewise.
    pub(super) fn place(&self, model: &Model, nodes: &[DVec3], driven: &[DVec3]) -> Vec<DVec3> {
        let mut out: Vec<DVec3> = model
            .ties
            .iter()
            .enumerate()
            .map(|(point, tie)| match tie {
                Tie::Free(block) | Tie::Sliding { block, .. } => nodes[self.node(*block) as usize],
                Tie::Driven { .. } => driven[point],
                Tie::Carried { .. } => {
                    self.of(point).iter().map(|(n, w)| nodes[*n as usize] * *w).sum()
                }
                Tie::Combined(_) => DVec3::ZERO,
            })
            .collect();
        place_combined(&model.ties, &mut out);
        out
    }

    /// J^T g: what forces on points are on nodes.
    pub(super) fn reduce(&self, points: &[DVec3], nodes: &mut [DVec3]) {
        for (point, g) in points.iter().enumerate() {
            for (node, weight) in self.of(point) {
                nodes[*node as usize] += *g * *weight;
            }
        }
    }

    /// Takes out what acts along held axes.
    pub(super) fn project(&self, nodes: &mut [DVec3]) {
        self.sliding.iter().for_each(|(node, free)| nodes[*node] *= *free);
    }

    /// For every node 1 along its free axes and 0 along its held ones; none where no axis of any node is held.
    pub(super) fn free_axes(&self) -> Option<Vec<DVec3>> {
        if self.sliding.is_empty() {
            return None;
        }
        let mut free = vec![DVec3::ONE; self.count];
        self.project(&mut free);
        Some(free)
    }

    /// The frames that nodes describe.
    pub(super) fn frames(&self, nodes: &[DVec3], like: &[Frame]) -> Vec<Frame> {
        self.bodies.iter().zip(like).map(|(body, frame)| body.frame(nodes, frame.block)).collect()
    }
}
