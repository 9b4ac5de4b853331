//! A hand that pulls on a body: a damped spring between a point of its surface and the pointer.
//!
//! The spring is a force within a step that is otherwise implicit, so that it must be soft against what it pulls: for a
//! free body k = m w^2 with w at most 30 rad/s (a body of any mass then hangs 11 mm below the pointer) and far below the
//! 2/h at which it would swing up; and for a soft one no more than a share of E times its size, which is how the point
//! itself resists. A body that is held somewhere gets a little of the latter in any case. The damping looks at the
//! body as a whole: the mass of a single point is too small for it.

use cupule_session::DVec3;
use cupule_session::Session;
use cupule_session::physics::cavity::SurfacePoint;
use cupule_session::physics::world::{BodyId, Hold, World, WorldError};

use crate::message::PullState;

/// Largest angular frequency of a free body on the spring, rad/s.
const FASTEST: f64 = 30.0;
/// The same over one step, rad: the limit of stability is 2.
const FASTEST_IN_A_STEP: f64 = 0.4;
/// Stiffness of the spring for a held body, over Young's modulus times size.
const SHARE_OF_STIFFNESS: f64 = 0.02;
/// The largest for a soft body; a point of a coarse mesh yields by about 1 / (E size).
const LARGEST_SHARE: f64 = 0.2;
/// Damping over critical damping.
const DAMPING: f64 = 0.7;

/// What the hand holds.
#[derive(Debug, Clone, Copy)]
pub struct Hand {
    point: SurfacePoint,
    to: DVec3,
    stiffness: f64,
    damping: f64,
    force: f64,
}

impl Hand {
    /// Takes hold of a body near a point (m).
    pub fn grab(world: &World, body: usize, at: DVec3) -> Result<Self, String> {
        let (id, count) = (BodyId(body), world.body_count());
        if body >= count {
            return Err(format!("there is no body {body}: there are {count}"));
        }
        if !world.capabilities(id).moves_freely {
            return Err(format!("{} cannot be pulled: it goes its own way", world.body_name(id)));
        }
        let point = at.is_finite().then(|| world.nearest_surface_point(id, at)).flatten();
        let point = point.ok_or("there is no such point")?;
        let to = world.surface_point(&point).map_or(at, |(x, _)| x);
        let (stiffness, damping) = spring(world, id);
        Ok(Self { point, to, stiffness, damping, force: 0.0 })
    }

    /// Pulls towards a place, m.
    pub fn pull(&mut self, to: DVec3) {
        self.to = to;
    }

    /// Lets the world feel the spring in the next step.
    pub fn act(&mut self, session: &mut Session) -> Result<(), WorldError> {
        let world = session.world();
        let Some((at, _)) = world.surface_point(&self.point) else { return Ok(()) };
        let velocity = world.body_report(BodyId(self.point.body)).velocity;
        let force = (self.to - at) * self.stiffness - velocity * self.damping;
        self.force = force.length();
        session.pull(vec![(self.point, force)])
    }

    /// What a page is told.
    pub fn state(&self, world: &World) -> PullState {
        let at = world.surface_point(&self.point).map_or(self.to, |(x, _)| x);
        PullState {
            body: self.point.body,
            at: at.to_array(),
            to: self.to.to_array(),
            force: self.force,
        }
    }
}

/// Stiffness (N/m) and damping (N s/m) for a body.
fn spring(world: &World, body: BodyId) -> (f64, f64) {
    let mass = world.body_mass(body);
    let fast = FASTEST.min(FASTEST_IN_A_STEP / world.settings().time_step);
    let held = (0..world.attachment_count()).any(|index| {
        let id = cupule_session::physics::world::AttachmentId(index);
        world.attachment(id).body == body && !matches!(world.attachment(id).hold, Hold::Wrench(_))
    });
    let x = world.surface_positions(body);
    let low = x.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = x.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let elastic = world.youngs_modulus(body).map(|modulus| modulus * (high - low).max_element());
    let free = mass * fast * fast;
    let stiffness = elastic.map_or(free, |elastic| {
        let least = if held { SHARE_OF_STIFFNESS * elastic } else { 0.0 };
        (free + least).min(LARGEST_SHARE * elastic)
    });
    (stiffness, 2.0 * DAMPING * (mass * stiffness).sqrt().min(mass * fast))
}
