//! Points and how they follow the unknowns.
//!
//! Unknowns come in blocks of three: the velocity of a free node, the velocity and the spin of a rigid body. Every material
//! point of the world (a node, a surface vertex, a glued node) has a position and a tie: x = phi(q). Forces on a point go
//! back to the blocks through the transposed Jacobian of its tie, whoever the point belongs to.

use crate::math::skew;
use cupule_geometry::{DMat3, DQuat, DVec3};

/// How a point follows the unknowns.
#[derive(Debug, Clone, PartialEq)]
pub enum Tie {
    /// It has a block of its own.
    Free(usize),
    /// A fixed combination of points that are not combinations themselves: glued or embedded.
    Combined(Vec<(usize, f64)>),
    /// Carried by a rigid body at a fixed arm in the body's frame, m.
    Carried {
        /// Index of the rigid body among the frames.
        frame: usize,
        /// Arm from the body's centre of mass, in its own frame, m.
        arm: DVec3,
    },
    /// It has a block of its own, of which some axes are held at where it started: a symmetry plane, a slider.
    Sliding {
        /// The block.
        block: usize,
        /// For every axis of the world 1 where it is free and 0 where it is held.
        free: DVec3,
    },
    /// Its motion is prescribed: no unknown.
    Driven {
        /// Index of the drive that says where it is.
        drive: usize,
        /// Where it was at the start, m.
        start: DVec3,
    },
}

impl Tie {
    /// The block of its own that it has, if it has one.
    pub fn own_block(&self) -> Option<usize> {
        match self {
            Self::Free(block) | Self::Sliding { block, .. } => Some(*block),
            Self::Combined(_) | Self::Carried { .. } | Self::Driven { .. } => None,
        }
    }

    /// For every axis of the world 1 where something else than its own block says where it goes, and 0 where not.
    pub fn held_axes(&self) -> DVec3 {
        match self {
            Self::Free(_) => DVec3::ZERO,
            Self::Sliding { free, .. } => DVec3::ONE - *free,
            Self::Combined(_) | Self::Carried { .. } | Self::Driven { .. } => DVec3::ONE,
        }
    }
}

/// Pose and motion of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Centre of mass, m.
    pub position: DVec3,
    /// Orientation from the body frame to the world.
    pub orientation: DQuat,
    /// Block of its velocity; its spin is the next one.
    pub block: usize,
    /// How far it is from its own shape, in its own frame: a solver may take a rigid body as a very stiff one. The identity
    /// where it does not.
    pub stretch: DMat3,
}

impl Frame {
    /// World position of a point at an arm, m.
    pub fn place(&self, arm: DVec3) -> DVec3 {
        self.position + self.orientation * (self.stretch * arm)
    }
}

/// Calls `visit(block, J)` for every block that moves the point: dx = sum J dq.
pub fn for_each_block(
    ties: &[Tie],
    frames: &[Frame],
    point: usize,
    visit: &mut dyn FnMut(usize, DMat3),
) {
    scaled_blocks(ties, frames, point, 1.0, visit);
}

fn scaled_blocks(
    ties: &[Tie],
    frames: &[Frame],
    point: usize,
    weight: f64,
    visit: &mut dyn FnMut(usize, DMat3),
) {
    let identity = DMat3::from_diagonal(DVec3::splat(weight));
    match &ties[point] {
        Tie::Free(block) => visit(*block, identity),
        Tie::Combined(parts) => {
            parts.iter().for_each(|&(p, w)| scaled_blocks(ties, frames, p, weight * w, visit));
        }
        Tie::Carried { frame, arm } => {
            let frame = &frames[*frame];
            visit(frame.block, identity);
            // v = omega x r = -[r] omega
            visit(frame.block + 1, skew(frame.orientation * *arm) * -weight);
        }
        Tie::Sliding { block, free } => visit(*block, DMat3::from_diagonal(*free * weight)),
        Tie::Driven { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carried_point_moves_as_the_jacobian_says() {
        // x(p + v e, exp(omega e) R) = x + e (J_v v + J_omega omega) + O(e^2)
        let frame = Frame {
            position: DVec3::X,
            orientation: DQuat::from_rotation_x(0.4),
            block: 0,
            stretch: DMat3::IDENTITY,
        };
        let ties = [Tie::Carried { frame: 0, arm: DVec3::new(0.1, 0.2, -0.3) }];
        let (velocity, spin, e) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-0.5, 0.2, 0.9), 1e-7);
        let moved = Frame {
            position: frame.position + velocity * e,
            orientation: DQuat::from_scaled_axis(spin * e) * frame.orientation,
            ..frame
        };
        let Tie::Carried { arm, .. } = ties[0] else { unreachable!("made above") };
        let rate = (moved.place(arm) - frame.place(arm)) / e;
        let mut predicted = DVec3::ZERO;
        for_each_block(&ties, &[frame], 0, &mut |block, j| {
            predicted += j * [velocity, spin][block]
        });
        assert!((rate - predicted).length() < 1e-6);
    }

    #[test]
    fn a_sliding_point_hands_on_what_acts_along_its_free_axes() {
        let free = DVec3::new(1.0, 0.0, 1.0);
        let ties = [Tie::Sliding { block: 3, free }, Tie::Combined(vec![(0, 0.5)])];
        let force = DVec3::new(1.0, 2.0, 3.0);
        let handed = |point: usize| {
            let mut sum = DVec3::ZERO;
            for_each_block(&ties, &[], point, &mut |_, j| sum += j.transpose() * force);
            sum
        };
        assert_eq!([handed(0), handed(1)], [DVec3::new(1.0, 0.0, 3.0), DVec3::new(0.5, 0.0, 1.5)]);
        assert_eq!(ties[0].held_axes(), DVec3::Y);
    }

    #[test]
    fn combination_shares_out_to_its_points() {
        let ties = [Tie::Free(4), Tie::Free(7), Tie::Combined(vec![(0, 0.25), (1, 0.75)])];
        let mut seen = Vec::new();
        for_each_block(&ties, &[], 2, &mut |block, j| seen.push((block, j.x_axis.x)));
        assert_eq!(seen, [(4, 0.25), (7, 0.75)]);
    }
}
