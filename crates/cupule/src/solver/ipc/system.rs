//! The Newton system over all nodes: one sparse matrix, because contact joins what elasticity does not.
//!
//! The pattern holds what elements and rigid bodies join, for ever, and what contact joins, for as long as it suffices: a pair
//! that the pattern does not hold makes a new one with all pairs then in reach. Small systems become a single dense front.

use super::coordinates::Coordinates;
use super::increment::Increment;
use super::measure::PairBlocks;
use crate::element::StiffnessSink;
use crate::model::Model;
use crate::sparse::{BlockMatrix, BlockPattern, Cholesky, FactorError, Slot, Use};
use cupule_geometry::{DMat3, DVec3};
use std::collections::BTreeMap;

/// A pattern with more than this many times the contact pairs that are needed is made anew at the next step.
const WASTE: usize = 3;

/// Relative error of a place and of what is computed from it: some units in the last place.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Where a block between two points goes: a share of it at a slot.
#[derive(Debug, Clone, Copy)]
struct Share {
    slot: Slot,
    weight: f64,
    /// Both points hang on this one node: the block and its transpose count.
    both: bool,
}

/// Four points of a contact and its Hessian over them.
pub(super) struct PairStiffness {
    pub points: [u32; 4],
    pub blocks: PairBlocks,
}

/// The matrix with its factor.
#[derive(Clone)]
pub(super) struct System {
    /// Node pairs that elements and bodies join.
    fixed: Vec<(usize, usize)>,
    pattern: BlockPattern,
    matrix: BlockMatrix,
    cholesky: Cholesky,
    /// Shares of every element block, by soft part.
    scatters: Vec<Scatter>,
    /// J^T M J of every soft part: where, and kg.
    masses: Vec<Vec<(Slot, f64)>>,
    /// Node pairs of contacts in the pattern.
    contact_pairs: usize,
}

#[derive(Clone)]
struct Scatter {
    per_element: usize,
    starts: Vec<u32>,
    shares: Vec<Share>,
}

impl System {
    pub(super) fn new(
        model: &Model,
        coordinates: &Coordinates,
        nodes: &[DVec3],
    ) -> Result<Self, FactorError> {
        let fixed = fixed_pairs(model, coordinates);
        let pattern = BlockPattern::new(nodes, fixed.iter().copied(), Use::Passing);
        let mut system = Self {
            matrix: BlockMatrix::zeros(&pattern),
            cholesky: Cholesky::new(pattern.clone())?,
            pattern,
            fixed,
            scatters: Vec::new(),
            masses: Vec::new(),
            contact_pairs: 0,
        };
        system.scatter_all(model, coordinates);
        Ok(system)
    }

    fn scatter_all(&mut self, model: &Model, coordinates: &Coordinates) {
        let parts = 0..model.soft.len();
        self.scatters = parts.clone().map(|part| self.scatter(model, coordinates, part)).collect();
        self.masses = parts.map(|part| self.scatter_masses(model, coordinates, part)).collect();
    }

    /// J^T M J of a soft part, summed by node pairs.
    fn scatter_masses(
        &self,
        model: &Model,
        coordinates: &Coordinates,
        part: usize,
    ) -> Vec<(Slot, f64)> {
        let mut sums: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for point in model.soft[part].carriers.clone() {
            let mass = model.masses[point];
            for_each_share(coordinates, point, point, |a, b, weight, _| {
                *sums.entry((a, b)).or_default() += mass * weight;
            });
        }
        let slot = |a: usize, b: usize| self.pattern.slot(a, b).expect("cells are in the pattern");
        sums.into_iter().map(|((a, b), mass)| (slot(a, b), mass)).collect()
    }

    fn scatter(&self, model: &Model, coordinates: &Coordinates, part: usize) -> Scatter {
        let soft = &model.soft[part];
        let n = soft.elements.nodes_per_element();
        let mut out = Scatter { per_element: n * (n + 1) / 2, starts: vec![0], shares: Vec::new() };
        for nodes in soft.elements.connectivity().chunks_exact(n) {
            for i in 0..n {
                for j in 0..=i {
                    let point = |k: usize| soft.points.start + nodes[k] as usize;
                    let shares = &mut out.shares;
                    for_each_share(coordinates, point(i), point(j), |a, b, weight, both| {
                        let slot = self.pattern.slot(a, b).expect("elements are in the pattern");
                        shares.push(Share { slot, weight, both });
                    });
                    out.starts.push(out.shares.len() as u32);
                }
            }
        }
        out
    }

    /// Whether the pattern holds everything that these contacts join.
    pub(super) fn holds(&self, coordinates: &Coordinates, contacts: &[PairStiffness]) -> bool {
        let joined = |p: u32, q: u32| {
            let (left, right) = (coordinates.of(p as usize), coordinates.of(q as usize));
            left.iter().all(|(a, _)| {
                right.iter().all(|(b, _)| self.pattern.slot(*a as usize, *b as usize).is_some())
            })
        };
        contacts.iter().all(|c| (0..4).all(|i| (0..i).all(|j| joined(c.points[i], c.points[j]))))
    }

    /// Makes the pattern hold everything that these contacts join, and little that none does.
    pub(super) fn hold(
        &mut self,
        model: &Model,
        coordinates: &Coordinates,
        nodes: &[DVec3],
        contacts: &[[u32; 4]],
        tidy: bool,
    ) -> Result<(), FactorError> {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for points in contacts {
            let joined: Vec<usize> = points
                .iter()
                .flat_map(|p| coordinates.of(*p as usize))
                .map(|(node, _)| *node as usize)
                .collect();
            for (i, a) in joined.iter().enumerate() {
                pairs.extend(joined[..i].iter().map(|b| (*a.min(b), *a.max(b))));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|(a, b)| a != b);
        let held = pairs.iter().all(|(a, b)| self.pattern.slot(*a, *b).is_some());
        let wasteful = tidy && self.contact_pairs > WASTE * (pairs.len() + 50);
        if held && !wasteful {
            return Ok(());
        }
        self.contact_pairs = pairs.len();
        pairs.extend(&self.fixed);
        self.pattern = BlockPattern::new(nodes, pairs, Use::Passing);
        self.matrix = BlockMatrix::zeros(&self.pattern);
        self.cholesky = Cholesky::new(self.pattern.clone())?;
        self.scatter_all(model, coordinates);
        Ok(())
    }

    /// Assembles the Hessian at a state: inertia, elasticity with its damping, bodies, contacts.
    pub(super) fn assemble(
        &mut self,
        increment: &Increment,
        nodes: &[DVec3],
        x: &[DVec3],
        contacts: &[PairStiffness],
    ) {
        self.matrix.clear();
        let Increment { model, coordinates, .. } = increment;
        for (part, soft) in model.soft.iter().enumerate() {
            let inertia = increment.inertia_of_mass(part);
            for (slot, mass) in &self.masses[part] {
                self.matrix.add(*slot, &DMat3::from_diagonal(DVec3::splat(mass * inertia)));
            }
            let scale = 1.0 + soft.damping.stiffness / increment.effective[part];
            let scatter = &self.scatters[part];
            let mut sink = Sink { scatter, scale, matrix: &mut self.matrix };
            soft.elements.add_stiffness(&x[soft.points.clone()], &mut sink);
        }
        for (i, body) in coordinates.bodies.iter().enumerate() {
            let (shape, h) = (body.hessian(nodes, true), increment.body_effective[i]);
            for (a, row) in shape.iter().enumerate() {
                for (b, block) in row[..=a].iter().enumerate() {
                    let inertia = DVec3::splat(body.inertia[a][b] / (h * h));
                    let block = *block + DMat3::from_diagonal(inertia);
                    self.add_nodes(body.first + a, body.first + b, &block);
                }
            }
        }
        for contact in contacts {
            for a in 0..4 {
                for b in 0..=a {
                    let [p, q] = [a, b].map(|k| contact.points[k] as usize);
                    self.add(coordinates, p, q, &contact.blocks[a][b]);
                }
            }
        }
        if let Some(free) = coordinates.free_axes() {
            self.matrix.project(&self.pattern, &free);
        }
    }

    /// Adds J^T K J of a block between two points.
    fn add(&mut self, coordinates: &Coordinates, p: usize, q: usize, block: &DMat3) {
        if let ([(a, wa)], [(b, wb)]) = (coordinates.of(p), coordinates.of(q))
            && a != b
        {
            return self.add_nodes(*a as usize, *b as usize, &(*block * (wa * wb)));
        }
        let mut shares: Vec<(usize, usize, f64, bool)> = Vec::new();
        for_each_share(coordinates, p, q, |a, b, weight, both| shares.push((a, b, weight, both)));
        for (a, b, weight, both) in shares {
            let scaled = *block * weight;
            let value = if both { scaled + scaled.transpose() } else { scaled };
            self.add_nodes(a, b, &value);
        }
    }

    fn add_nodes(&mut self, a: usize, b: usize, block: &DMat3) {
        let slot = self.pattern.slot(a, b).expect("`hold` has seen every contact");
        self.matrix.add(slot, block);
    }

    /// What rounding alone leaves of the balance of forces, N: places are known to some units in the last place, and what was assembled
    /// last makes forces of that.
    pub(super) fn rounding(&self, nodes: &[DVec3]) -> f64 {
        let known: Vec<f64> = nodes.iter().map(|x| ROUNDING * x.abs().max_element()).collect();
        self.matrix.largest_row(&self.pattern, &known)
    }

    /// Factors what was assembled.
    pub(super) fn factor(&mut self) -> Result<(), FactorError> {
        self.cholesky.factor(&self.matrix)
    }

    /// Solves for the nodes with the last factor.
    pub(super) fn solve(&mut self, rhs: &mut [DVec3]) {
        self.cholesky.solve(rhs);
    }
}

/// Calls `visit(a, b, weight, both)` for the node pairs over which a block between points p and q spreads.
fn for_each_share(
    coordinates: &Coordinates,
    p: usize,
    q: usize,
    mut visit: impl FnMut(usize, usize, f64, bool),
) {
    let (left, right) = (coordinates.of(p), coordinates.of(q));
    for (i, (a, wa)) in left.iter().enumerate() {
        for (j, (b, wb)) in right.iter().enumerate() {
            // The block of a point with itself is symmetric: its mirrored half is the same entry.
            if p != q || j <= i {
                visit(*a as usize, *b as usize, wa * wb, p != q && a == b);
            }
        }
    }
}

/// Node pairs that elements and bodies join.
fn fixed_pairs(model: &Model, coordinates: &Coordinates) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut join = |nodes: &mut Vec<usize>| {
        nodes.sort_unstable();
        nodes.dedup();
        for (i, a) in nodes.iter().enumerate() {
            pairs.extend(nodes[..i].iter().map(|b| (*b, *a)));
        }
    };
    for body in &coordinates.bodies {
        join(&mut (body.first..body.first + 4).collect());
    }
    for soft in &model.soft {
        let n = soft.elements.nodes_per_element();
        for element in soft.elements.connectivity().chunks_exact(n) {
            let points = element.iter().map(|i| soft.points.start + *i as usize);
            join(&mut points.flat_map(|p| coordinates.of(p)).map(|(n, _)| *n as usize).collect());
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Adds element stiffness, scaled, to the matrix.
struct Sink<'a> {
    scatter: &'a Scatter,
    scale: f64,
    matrix: &'a mut BlockMatrix,
}

impl StiffnessSink for Sink<'_> {
    fn add(&mut self, element: usize, blocks: &[DMat3]) {
        let first = element * self.scatter.per_element;
        for (k, block) in blocks.iter().enumerate() {
            let range = self.scatter.starts[first + k] as usize
                ..self.scatter.starts[first + k + 1] as usize;
            for share in &self.scatter.shares[range] {
                let scaled = *block * (share.weight * self.scale);
                let value = if share.both { scaled + scaled.transpose() } else { scaled };
                self.matrix.add(share.slot, &value);
            }
        }
    }
}
