//! The world as a solver sees it: points, ties, masses, elasticity. No names, no scene, no concrete body.

use crate::element::ElementPool;
use crate::mapping::{Frame, Tie, for_each_block};
use crate::motion::Motion;
use cupule_geometry::disjoint::DisjointSets;
use cupule_geometry::{DMat3, DQuat, DVec3};
use std::ops::Range;
use std::sync::Arc;

/// Rayleigh damping D = mass * M + stiffness * K.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rayleigh {
    /// Factor of the mass, 1/s.
    pub mass: f64,
    /// Factor of the stiffness, s.
    pub stiffness: f64,
}

/// A pool of elements over a range of points. The points of a body's cells are its nodes. A pool between bodies has points of its own, which
/// hang on those bodies: so it joins their islands, and no solver asks whose it is.
#[derive(Clone)]
pub struct Soft {
    /// Its nodes among the points; element node i is point `points.start + i`.
    pub points: Range<usize>,
    /// The points that carry its mass: the nodes themselves, or points tied to them.
    pub carriers: Range<usize>,
    /// Whether its nodes are those of another part, which sees to their inertia and loads: it then only adds forces and stiffness.
    pub shares_nodes: bool,
    /// Its elements.
    pub elements: Arc<dyn ElementPool>,
    /// Young's modulus at rest, Pa: to weigh the parts of an island against each other. None for elements that have none, such as springs.
    pub modulus: Option<f64>,
    /// Its damping.
    pub damping: Rayleigh,
    /// The body it belongs to, for messages.
    pub body: usize,
}

/// Mass of a rigid body about its centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMass {
    /// Mass, kg.
    pub mass: f64,
    /// Inertia in the body frame, kg m2.
    pub inertia: DMat3,
    /// The body it belongs to, for messages.
    pub body: usize,
}

impl RigidMass {
    /// Inertia in the world at an orientation, kg m2.
    pub fn world_inertia(&self, orientation: DQuat) -> DMat3 {
        let r = DMat3::from_quat(orientation);
        r * self.inertia * r.transpose()
    }
}

/// What does not change while the world runs.
#[derive(Clone, Default)]
pub struct Model {
    /// Tie of every point.
    pub ties: Vec<Tie>,
    /// Mass of every point, kg; zero for points that carry none.
    pub masses: Vec<f64>,
    /// Element pools, of bodies and between them.
    pub soft: Vec<Soft>,
    /// One per frame.
    pub rigid: Vec<RigidMass>,
    /// Motions of driven points.
    pub drives: Vec<Motion>,
    /// The body that every unknown block moves.
    pub body_of_block: Vec<usize>,
}

/// Blocks that elasticity or ties connect: each island is one linear system. That of a soft part that is held everywhere has no block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Islands {
    /// Island of every block.
    pub of_block: Vec<usize>,
    /// Blocks of every island, ascending.
    pub blocks: Vec<Vec<usize>>,
    /// Island of every node and carrier of a soft part; none for others.
    pub of_point: Vec<Option<usize>>,
}

impl Model {
    /// Number of unknown blocks.
    pub fn blocks(&self) -> usize {
        self.body_of_block.len()
    }

    /// Groups blocks into islands; numbered by their first block.
    pub fn islands(&self, frames: &[Frame]) -> Islands {
        let mut sets = DisjointSets::new(self.blocks());
        for frame in frames {
            sets.join(frame.block as u32, frame.block as u32 + 1);
        }
        for soft in &self.soft {
            let mut first = None;
            for point in soft.points.clone() {
                for_each_block(&self.ties, frames, point, &mut |block, _| {
                    let anchor = *first.get_or_insert(block);
                    sets.join(anchor as u32, block as u32);
                });
            }
        }
        let (count, numbers) = sets.numbered();
        let of_block: Vec<usize> = numbers.into_iter().map(|island| island as usize).collect();
        let mut blocks = vec![Vec::new(); count];
        of_block.iter().enumerate().for_each(|(block, island)| blocks[*island].push(block));
        let mut islands = Islands { of_block, blocks, of_point: vec![None; self.ties.len()] };
        for soft in &self.soft {
            let mut island = None;
            for point in soft.points.clone() {
                for_each_block(&self.ties, frames, point, &mut |block, _| {
                    island = Some(islands.of_block[block])
                });
            }
            // A part that is held everywhere has no unknown, but what holds it still feels it.
            let island = island.or_else(|| {
                islands.blocks.push(Vec::new());
                Some(islands.blocks.len() - 1)
            });
            islands.of_point[soft.points.clone()].fill(island);
            islands.of_point[soft.carriers.clone()].fill(island);
        }
        islands
    }
}

/// Positions of everything at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Configuration {
    /// Every point, m.
    pub points: Vec<DVec3>,
    /// Every rigid body.
    pub frames: Vec<Frame>,
}

/// Positions and velocities at one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Where everything is.
    pub at: Configuration,
    /// Velocity of every block: m/s, or rad/s for spins.
    pub velocities: Vec<DVec3>,
    /// Velocity of every point, m/s.
    pub point_velocities: Vec<DVec3>,
}

/// Loads that act during a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loads {
    /// Gravity, m/s2.
    pub gravity: DVec3,
    /// Forces on points (index, N).
    pub points: Vec<(usize, DVec3)>,
    /// Force (N) and torque about the centre of mass (N m) on frames.
    pub frames: Vec<(usize, DVec3, DVec3)>,
}
