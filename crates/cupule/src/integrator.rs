//! Time integration as both solvers use it: end-of-step positions are x^ + h' v, end-of-step momenta M v^ + h' f.
//!
//! | | x^ | v^ | h' |
//! | --- | --- | --- | --- |
//! | backward Euler | x_n | v_n | h |
//! | BDF2 | (4 x_n - x_{n-1}) / 3 | (4 v_n - v_{n-1}) / 3 | 2 h / 3 |
//!
//! Forces are linearised at x* = x^ + h' v*, where the bodies would be if velocities went on as they are: v* = v_n, and for
//! BDF2 v* = 2 v_n - v_{n-1}. That keeps the order of the method with one linear solve a step: rotations and stretches are
//! then those of the end of the step to the method's order. (Taken at x_n, as in 000, a spinning body swells and backward
//! Euler seems to lose no spin.)

use crate::mapping::{Frame, Tie};
use crate::model::{Configuration, Islands, Model, State};
use cupule_geometry::{DMat3, DQuat, DVec3};

/// How one island is advanced in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    /// h', s.
    pub effective_step: f64,
    /// Share of the last step's change that is carried on: 0 for backward Euler, 1/3 for BDF2.
    pub carry: f64,
}

impl Scheme {
    /// First order.
    pub fn backward_euler(time_step: f64) -> Self {
        Self { effective_step: time_step, carry: 0.0 }
    }

    /// Second order; needs a previous state one equal step ago.
    pub fn bdf2(time_step: f64) -> Self {
        Self { effective_step: 2.0 * time_step / 3.0, carry: 1.0 / 3.0 }
    }
}

/// The states a step starts from, and the scheme of every island.
pub struct TimeStep<'a> {
    /// Length of the whole step, s.
    pub length: f64,
    /// State at its start.
    pub now: &'a State,
    /// State one step earlier; the same as `now` where there is none.
    pub before: &'a State,
    /// One per island.
    pub schemes: &'a [Scheme],
    /// Which block is in which island.
    pub islands: &'a Islands,
    /// Block velocities about which the step is linearised, where they are not those of its start.
    pub about: Option<&'a [DVec3]>,
}

impl TimeStep<'_> {
    /// Scheme of a block's island.
    pub fn scheme(&self, block: usize) -> Scheme {
        self.schemes[self.islands.of_block[block]]
    }

    /// Block velocities about which the step is linearised: those of its start, carried on by the last change where the
    /// history is smooth.
    pub fn base_block_velocities(&self) -> Vec<DVec3> {
        (0..self.now.velocities.len()).map(|block| self.base_block_velocity(block)).collect()
    }

    /// The same of one block.
    pub fn base_block_velocity(&self, block: usize) -> DVec3 {
        if let Some(about) = self.about {
            return about[block];
        }
        let (now, before) = (self.now.velocities[block], self.before.velocities[block]);
        now + (now - before) * (3.0 * self.scheme(block).carry)
    }

    /// v^ of a block.
    pub fn history_block_velocity(&self, block: usize) -> DVec3 {
        let (now, before) = (self.now.velocities[block], self.before.velocities[block]);
        now + (now - before) * self.scheme(block).carry
    }

    /// End-of-step positions for end-of-step block velocities.
    pub fn advance(&self, model: &Model, velocities: &[DVec3]) -> Configuration {
        let frames: Vec<Frame> =
            (0..self.now.at.frames.len()).map(|i| self.advance_frame(i, velocities)).collect();
        let displacements: Vec<_> =
            model.drives.iter().map(|d| d.at(self.now.time + self.length)).collect();
        let mut points: Vec<DVec3> = model
            .ties
            .iter()
            .enumerate()
            .map(|(i, tie)| match tie {
                Tie::Free(block) | Tie::Sliding { block, .. } => {
                    let (scheme, x) = (self.scheme(*block), self.now.at.points[i]);
                    x + (x - self.before.at.points[i]) * scheme.carry
                        + velocities[*block] * scheme.effective_step
                }
                Tie::Carried { frame, arm } => frames[*frame].place(*arm),
                Tie::Driven { drive, start } => displacements[*drive].apply(*start),
                Tie::Combined(_) => DVec3::ZERO,
            })
            .collect();
        place_combined(&model.ties, &mut points);
        Configuration { points, frames }
    }

    /// Orientation that a frame would reach if no unknown changed: where its inertia is taken.
    pub fn predicted_orientation(&self, frame: usize) -> DQuat {
        let block = self.now.at.frames[frame].block;
        let own = [block, block + 1].map(|b| self.base_block_velocity(b));
        self.turned_frame(frame, own).orientation
    }

    /// A frame at the end of the step for end-of-step block velocities.
    pub fn advance_frame(&self, index: usize, velocities: &[DVec3]) -> Frame {
        let block = self.now.at.frames[index].block;
        self.turned_frame(index, [velocities[block], velocities[block + 1]])
    }

    /// The same for the frame's own velocity and spin.
    fn turned_frame(&self, index: usize, [velocity, spin]: [DVec3; 2]) -> Frame {
        let (now, before) = (&self.now.at.frames[index], &self.before.at.frames[index]);
        let scheme = self.scheme(now.block);
        let turn = spin * scheme.effective_step + self.carried_turn(index);
        Frame {
            position: now.position
                + (now.position - before.position) * scheme.carry
                + velocity * scheme.effective_step,
            orientation: (DQuat::from_scaled_axis(turn) * now.orientation).normalize(),
            block: now.block,
            stretch: DMat3::IDENTITY,
        }
    }

    /// The part of the last step's turn that a frame carries on, as a rotation vector.
    fn carried_turn(&self, index: usize) -> DVec3 {
        let (now, before) = (&self.now.at.frames[index], &self.before.at.frames[index]);
        let carry = self.scheme(now.block).carry;
        if carry == 0.0 {
            return DVec3::ZERO;
        }
        shortest(now.orientation * before.orientation.inverse()).to_scaled_axis() * carry
    }

    /// End-of-step block velocities that lead to `end`: what [`Self::advance`] takes there.
    pub fn velocities_to(&self, model: &Model, end: &Configuration) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; model.blocks()];
        for (i, (now, end)) in self.now.at.frames.iter().zip(&end.frames).enumerate() {
            let (scheme, before) = (self.scheme(now.block), self.before.at.frames[i].position);
            let history = now.position + (now.position - before) * scheme.carry;
            out[now.block] = (end.position - history) / scheme.effective_step;
            let turn = shortest(end.orientation * now.orientation.inverse()).to_scaled_axis();
            out[now.block + 1] = (turn - self.carried_turn(i)) / scheme.effective_step;
        }
        for (point, tie) in model.ties.iter().enumerate() {
            if let Some(block) = tie.own_block() {
                let scheme = self.scheme(block);
                out[block] = (end.points[point] - self.history_position(point, scheme))
                    / scheme.effective_step;
            }
        }
        out
    }

    /// x^ of a point under a scheme, m.
    pub fn history_position(&self, point: usize, scheme: Scheme) -> DVec3 {
        let (now, before) = (self.now.at.points[point], self.before.at.points[point]);
        now + (now - before) * scheme.carry
    }

    /// Scheme of a point: that of its soft part's island; kinematic bodies follow the first order.
    pub fn point_scheme(&self, point: usize) -> Scheme {
        let island = self.islands.of_point.get(point).copied().flatten();
        island.map_or(Scheme::backward_euler(self.length), |i| self.schemes[i])
    }

    /// v^ of a point, m/s.
    pub fn history_velocity(&self, point: usize) -> DVec3 {
        let (now, before) = (self.now.point_velocities[point], self.before.point_velocities[point]);
        now + (now - before) * self.point_scheme(point).carry
    }

    /// Velocity with which a point would end the step if no unknown changed: its Jacobian at `predicted` times the present
    /// unknowns, and for driven points the end velocity itself. The end velocity is this plus J dq.
    pub fn base_velocities(&self, model: &Model, predicted: &Configuration) -> Vec<DVec3> {
        self.velocities_at(model, predicted, &self.base_block_velocities())
    }

    /// Velocities of all points that end a step at `end`, consistent with the scheme: (x_{n+1} - x^) / h'.
    pub fn velocities_at(
        &self,
        model: &Model,
        end: &Configuration,
        velocities: &[DVec3],
    ) -> Vec<DVec3> {
        let mut out: Vec<DVec3> = model
            .ties
            .iter()
            .enumerate()
            .map(|(i, tie)| match tie {
                Tie::Free(block) | Tie::Sliding { block, .. } => velocities[*block],
                Tie::Carried { frame, arm } => {
                    let frame = &end.frames[*frame];
                    velocities[frame.block]
                        + velocities[frame.block + 1].cross(frame.orientation * *arm)
                }
                Tie::Driven { .. } => {
                    let (scheme, now) = (self.point_scheme(i), self.now.at.points[i]);
                    let history = now + (now - self.before.at.points[i]) * scheme.carry;
                    (end.points[i] - history) / scheme.effective_step
                }
                Tie::Combined(_) => DVec3::ZERO,
            })
            .collect();
        place_combined(&model.ties, &mut out);
        out
    }
}

/// The same rotation with a non-negative scalar part, whose logarithm is the short way round.
fn shortest(q: DQuat) -> DQuat {
    if q.w < 0.0 { -q } else { q }
}

/// Fills in the points that are combinations of others.
pub fn place_combined(ties: &[Tie], values: &mut [DVec3]) {
    for (i, tie) in ties.iter().enumerate() {
        if let Tie::Combined(parts) = tie {
            values[i] = parts.iter().map(|&(p, w)| values[p] * w).sum();
        }
    }
}
