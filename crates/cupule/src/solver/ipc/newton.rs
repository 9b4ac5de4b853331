//! Projected Newton's method on the incremental potential, on paths that collision detection has cleared.
//!
//! Driven points first go to where they should be, together with what the linear model says that the others do then. Where
//! something is in the way they go as far as is safe, the others make room, and they try again; a drive that is still blocked
//! after that stays behind, and nothing intersects.

use super::contacts::{Contacts, Near, near};
use super::gas::{AirPotential, woodbury};
use super::increment::Increment;
use super::pair::Pair;
use super::secants::Secants;
use super::surfaces::Surfaces;
use super::system::{PairStiffness, System};
use crate::mapping::Tie;
use crate::settings::IpcSettings;
use crate::sparse::FactorError;
use cupule_geometry::DVec3;

/// Attempts of a driven part to get where it should be in one step.
const ATTEMPTS: usize = 20;
/// Newton steps of the others between two attempts.
const RELAXATIONS: usize = 3;
/// Share of the way below which an attempt counts as failed; three in a row end the trying.
const NO_PROGRESS: f64 = 0.02;
/// Strain at which a rigid body stops a drive.
const RIGID_STRAIN: f64 = 1e-3;
/// Halvings of a step before the line search gives up.
const HALVINGS: usize = 40;
/// Share of the tolerance below which a move is none, whatever forces are left.
const NOTHING: f64 = 1e-6;
/// Steps that are longer than this share of the one before converge too slowly for Newton's method.
const SLOW: f64 = 0.4;
/// Share of the slope that a step must gain (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// The pattern of the system also holds pairs within this many times dhat, so that it need not change with every new contact.
const FORESIGHT: f64 = 2.0;

/// Where the method is.
#[derive(Clone)]
pub(super) struct State {
    pub nodes: Vec<DVec3>,
    pub points: Vec<DVec3>,
    /// The potential there, once it is known, J.
    pub energy: Option<f64>,
}

/// What came out.
pub(super) struct Solved {
    pub near: Vec<Near>,
    /// What is left of the balance of forces at every point, N: the reaction, where a point is not free.
    pub imbalance: Vec<DVec3>,
    pub iterations: usize,
    /// The last step of any surface point, m.
    pub last_move: f64,
    /// Largest imbalance of a node, N.
    pub force: f64,
    /// The same over the largest force at any point; where more is left than asked for, less what rounding explains.
    pub force_share: f64,
}

/// One step's minimisation.
pub(super) struct Newton<'a> {
    pub increment: &'a Increment<'a>,
    pub contacts: &'a Contacts<'a>,
    pub air: &'a AirPotential<'a>,
    pub surfaces: &'a mut Surfaces,
    pub system: &'a mut System,
    pub settings: &'a IpcSettings,
    /// Length of the step, s.
    pub length: f64,
    /// What the last steps have shown of the curvature.
    pub secants: Secants,
}

/// Where the last step began.
struct Before {
    nodes: Vec<DVec3>,
    slopes: Vec<DVec3>,
    /// Whether what it shows of the curvature is wanted.
    telling: bool,
}

/// Slopes at a state.
struct Slopes {
    near: Vec<Near>,
    points: Vec<DVec3>,
    nodes: Vec<DVec3>,
    /// Largest force of one kind at any point, N.
    scale: f64,
}

impl Newton<'_> {
    /// Minimises from `state`, driven points going through `targets` one after the other. `drift` is how nodes would move if
    /// everything went on as it does; it is only where the search begins.
    pub(super) fn run(
        &mut self,
        state: &mut State,
        targets: &[Vec<DVec3>],
        drift: &[DVec3],
    ) -> Result<Solved, FactorError> {
        let mut iterations = 0;
        // The last round's potential was another.
        state.energy = None;
        self.hold(state, true)?;
        if let [target] = targets {
            self.drift(state, target, drift);
        }
        for target in targets {
            iterations += self.drive(state, target)?;
        }
        let tolerance = self.settings.tolerance * self.length;
        let mut last_move = f64::INFINITY;
        let mut before: Option<Before> = None;
        let (mut keep, mut moved) = (false, 0.0);
        loop {
            let slopes = self.slopes(state);
            self.learn(state, &slopes, before.take());
            let force = largest(&slopes.nodes);
            let share = if slopes.scale > 0.0 { force / slopes.scale } else { 0.0 };
            let balanced =
                share <= self.settings.force_tolerance || last_move <= NOTHING * tolerance;
            let settled = last_move <= tolerance && balanced;
            if settled || iterations >= self.settings.max_iterations {
                let last_move = if last_move.is_finite() { last_move } else { 0.0 };
                // A load may be so small that rounding of stiff parts exceeds the tolerance; what exceeds rounding counts.
                let force_share = if share > self.settings.force_tolerance {
                    (force - self.system.rounding(&state.nodes)).max(0.0) / slopes.scale
                } else {
                    share
                };
                let Slopes { near, points: imbalance, .. } = slopes;
                return Ok(Solved { near, imbalance, iterations, last_move, force, force_share });
            }
            let (nodes, speed) = (state.nodes.clone(), last_move);
            let taken;
            (last_move, taken) = self.relax(state, &slopes, keep)?;
            // Steps that hardly shrink, though nothing cuts them short, have the wrong curvature.
            let slow = last_move > SLOW * speed;
            moved = last_move + if keep { moved } else { 0.0 };
            // Where nothing has moved far and steps shrink, the last factor is as good as a new one, and costs nothing.
            keep = taken >= 1.0 && !slow && moved <= self.contacts.reach.distance;
            let telling = taken >= 1.0 && (slow || keep);
            before = Some(Before { nodes, slopes: slopes.nodes.clone(), telling });
            iterations += 1;
        }
    }

    /// Remembers what the last step has shown, if steps shrink slowly or the factor is kept; otherwise Newton's method is at its best
    /// alone.
    fn learn(&mut self, state: &State, slopes: &Slopes, before: Option<Before>) {
        match before {
            Some(before) if before.telling => {
                let less =
                    |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| *a - *b).collect();
                self.secants.remember(
                    less(&state.nodes, &before.nodes),
                    less(&slopes.nodes, &before.slopes),
                );
            }
            _ => self.secants.clear(),
        }
    }

    /// Lets everything go on as it does, driven points to their target, as far as is safe. Where that would press a rigid body out of shape or,
    /// with nothing driven, raise the potential, it stays.
    fn drift(&mut self, state: &mut State, target: &[DVec3], drift: &[DVec3]) {
        let way = self.way(state, target);
        let driven = way.iter().any(|w| *w != DVec3::ZERO);
        let Increment { model, coordinates, .. } = self.increment;
        let moves = coordinates.place(model, drift, &way);
        let share = self.clear(&state.points, &moves);
        let before = state.clone();
        self.advance(state, drift, &way, share);
        let worse =
            if driven { self.squashed(state) } else { self.energy(state) > self.energy(&before) };
        if worse {
            *state = before;
        }
    }

    /// Takes driven points to `target` as far as they can go. Returns the number of Newton steps. A drive is as strong as it takes to
    /// deform what is soft, but a rigid body stops it.
    fn drive(&mut self, state: &mut State, target: &[DVec3]) -> Result<usize, FactorError> {
        let (mut iterations, mut failures, mut most) = (0, 0, 1.0);
        for _ in 0..ATTEMPTS {
            let way = self.way(state, target);
            if way.iter().all(|w| *w == DVec3::ZERO) || failures >= 3 {
                break;
            }
            let before = state.clone();
            let share = self.attempt(state, &way, most)?;
            iterations += 1;
            if share < 1.0 || self.squashed(state) {
                iterations += self.settle(state)?;
            }
            if self.squashed(state) {
                *state = before;
                most *= 0.25;
                failures += usize::from(most < NO_PROGRESS);
                continue;
            }
            if share >= 1.0 {
                break;
            }
            failures = if share < NO_PROGRESS { failures + 1 } else { 0 };
        }
        Ok(iterations)
    }

    /// Some Newton steps with driven points at rest. Returns how many.
    fn settle(&mut self, state: &mut State) -> Result<usize, FactorError> {
        for k in 1..=RELAXATIONS {
            let slopes = self.slopes(state);
            if self.relax(state, &slopes, false)?.0 <= self.settings.tolerance * self.length {
                return Ok(k);
            }
        }
        Ok(RELAXATIONS)
    }

    /// Whether a rigid body has lost its shape.
    fn squashed(&self, state: &State) -> bool {
        self.increment
            .coordinates
            .bodies
            .iter()
            .any(|body| body.strain(&state.nodes) > RIGID_STRAIN)
    }

    /// What driven points still have to go.
    fn way(&self, state: &State, target: &[DVec3]) -> Vec<DVec3> {
        let ties = &self.increment.model.ties;
        let driven = |p: usize| matches!(ties[p], Tie::Driven { .. });
        (0..ties.len())
            .map(|p| if driven(p) { target[p] - state.points[p] } else { DVec3::ZERO })
            .collect()
    }

    /// Moves driven points and, as the linear model says, all others; as far as is safe and at most
    /// the share `most`. Returns which share of the way.
    fn attempt(&mut self, state: &mut State, way: &[DVec3], most: f64) -> Result<f64, FactorError> {
        let slopes = self.slopes(state);
        let stiffness = self.contacts.stiffness(&slopes.near, &state.points);
        // What the driven points' way changes of the forces on the others.
        let Increment { model, coordinates, .. } = self.increment;
        let led = coordinates.place(model, &vec![DVec3::ZERO; coordinates.count], way);
        let mut pull = self.increment.stiffness_times(&state.points, &led);
        for pair in &stiffness {
            let moves = pair.points.map(|p| led[p as usize]);
            for a in 0..4 {
                pull[pair.points[a] as usize] +=
                    (0..4).map(|b| pair.blocks[a][b] * moves[b]).sum::<DVec3>();
            }
        }
        self.air.add_stiffness_times(&state.points, &led, &mut pull);
        let mut rhs = slopes.nodes;
        coordinates.reduce(&pull, &mut rhs);
        coordinates.project(&mut rhs);
        self.factor(state, &stiffness)?;
        let step = self.solve(state, rhs);
        let moves = coordinates.place(model, &step, way);
        let share = self.clear(&state.points, &moves).min(most);
        self.advance(state, &step, way, share);
        Ok(share)
    }

    /// One Newton step with driven points at rest and line search, with a new factor or the last one. Returns the largest move of
    /// a surface point (m), and which share of it was taken.
    fn relax(
        &mut self,
        state: &mut State,
        slopes: &Slopes,
        keep: bool,
    ) -> Result<(f64, f64), FactorError> {
        if !keep {
            let stiffness = self.contacts.stiffness(&slopes.near, &state.points);
            self.factor(state, &stiffness)?;
        }
        let step = self.solve(state, slopes.nodes.clone());
        let rest = vec![DVec3::ZERO; state.points.len()];
        let moves = self.increment.coordinates.place(self.increment.model, &step, &rest);
        let descent: f64 = step.iter().zip(&slopes.nodes).map(|(s, g)| s.dot(*g)).sum();
        let before = state.energy.unwrap_or_else(|| self.energy(state));
        let cleared = self.clear(&state.points, &moves);
        let mut share = cleared;
        // A decrease below rounding cannot be seen.
        let slack = 1e-13 * before.abs();
        for _ in 0..HALVINGS {
            let mut trial = state.clone();
            self.advance(&mut trial, &step, &rest, share);
            let energy = self.energy(&trial);
            if energy <= before + SUFFICIENT * share * descent + slack {
                *state = State { energy: Some(energy), ..trial };
                // A step cut short says little about how far the end is.
                return Ok((largest(&moves), share));
            }
            share *= 0.5;
        }
        let better = self.balance(state, slopes, &step, cleared);
        Ok((if better { largest(&moves) } else { 0.0 }, 0.0))
    }

    /// Where the fall of the potential is lost in rounding, the balance of forces tells whether a step is good; then it is
    /// taken.
    fn balance(&mut self, state: &mut State, slopes: &Slopes, step: &[DVec3], share: f64) -> bool {
        let mut trial = state.clone();
        self.advance(&mut trial, step, &vec![DVec3::ZERO; state.points.len()], share);
        let better = largest(&self.slopes(&trial).nodes) < largest(&slopes.nodes);
        if better {
            *state = trial;
        }
        better
    }

    /// Factors the Hessian at a state, without what air adds to it.
    fn factor(&mut self, state: &State, stiffness: &[PairStiffness]) -> Result<(), FactorError> {
        if !self.system.holds(self.increment.coordinates, stiffness) {
            self.hold(state, false)?;
        }
        self.system.assemble(self.increment, &state.nodes, &state.points, stiffness);
        self.system.factor()
    }

    /// The step against these slopes, with the last factor and what air and secants add to it.
    fn solve(&mut self, state: &State, mut slopes: Vec<DVec3>) -> Vec<DVec3> {
        slopes.iter_mut().for_each(|g| *g = -*g);
        let (system, terms) = (&mut *self.system, self.air.curvatures(&state.points));
        let coordinates = self.increment.coordinates;
        // What acts along held axes moves nothing.
        let mut answer = |x: &mut [DVec3]| {
            coordinates.project(x);
            system.solve(x);
        };
        self.secants.solve(&mut slopes, |rhs| {
            answer(rhs);
            woodbury(&terms, rhs, &mut answer);
        });
        slopes
    }

    /// Sees to it that the system can take all contacts at a state.
    fn hold(&mut self, state: &State, tidy: bool) -> Result<(), FactorError> {
        let rest = vec![DVec3::ZERO; state.points.len()];
        let distance = FORESIGHT * self.contacts.reach.distance;
        let candidates = self.surfaces.candidates(&state.points, &rest);
        let mut joined: Vec<[u32; 4]> =
            near(candidates, &state.points, distance).iter().map(|n| n.pair.points).collect();
        joined.extend(self.contacts.rubbing.iter().map(|r| r.pair.points));
        joined.extend(self.contacts.bonds.list.iter().map(|bond| bond.points));
        let Increment { model, coordinates, .. } = self.increment;
        self.system.hold(model, coordinates, &state.nodes, &joined, tidy)
    }

    /// The share of a motion that is certainly free of touch.
    fn clear(&mut self, x: &[DVec3], moves: &[DVec3]) -> f64 {
        let candidates = self.surfaces.candidates(x, moves);
        let safe = |pair: &Pair| pair.moving(x, moves).safe_time(pair.thickness);
        candidates.iter().map(safe).fold(1.0, f64::min)
    }

    fn advance(&self, state: &mut State, step: &[DVec3], way: &[DVec3], share: f64) {
        state.energy = None;
        state.nodes.iter_mut().zip(step).for_each(|(n, s)| *n += *s * share);
        let driven: Vec<DVec3> =
            state.points.iter().zip(way).map(|(x, w)| *x + *w * share).collect();
        let Increment { model, coordinates, .. } = self.increment;
        state.points = coordinates.place(model, &state.nodes, &driven);
    }

    fn energy(&mut self, state: &State) -> f64 {
        let rest = vec![DVec3::ZERO; state.points.len()];
        let candidates = self.surfaces.candidates(&state.points, &rest);
        self.increment.energy(&state.nodes, &state.points)
            + self.contacts.energy(candidates, &state.points)
            + self.air.energy(&state.points)
    }

    fn slopes(&mut self, state: &State) -> Slopes {
        let rest = vec![DVec3::ZERO; state.points.len()];
        let candidates = self.surfaces.candidates(&state.points, &rest);
        let near = near(candidates, &state.points, self.contacts.reach.distance);
        let (mut points, largest_force) = self.increment.point_gradient(&state.points);
        let mut pushes = vec![DVec3::ZERO; points.len()];
        self.contacts.add_gradient(&near, &state.points, &mut pushes);
        self.air.add_gradient(&state.points, &mut pushes);
        let scale = largest_force.max(largest(&pushes));
        points.iter_mut().zip(&pushes).for_each(|(g, p)| *g += *p);
        let mut nodes = vec![DVec3::ZERO; state.nodes.len()];
        self.increment.coordinates.reduce(&points, &mut nodes);
        self.increment.add_body_gradient(&state.nodes, &mut nodes);
        self.increment.coordinates.project(&mut nodes);
        Slopes { near, points, nodes, scale }
    }
}

fn largest(vectors: &[DVec3]) -> f64 {
    vectors.iter().map(|v| v.length()).fold(0.0, f64::max)
}
