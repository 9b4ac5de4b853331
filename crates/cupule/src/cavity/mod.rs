//! Air cavities that close and open by contact.
//!
//! A cavity is a region of air enclosed by body surfaces that meet within the sealing distance. [`Glance`] finds them on the
//! bodies as they are, [`Tracker`] follows them through time and keeps the books of their air, [`AirSpace`] turns them into
//! the chambers that a solver sees.

mod apart;
mod breach;
mod chambers;
mod film;
mod flow;
mod found;
mod fringe;
mod glance;
mod handover;
mod limit;
mod look;
mod loss;
mod memory;
mod muscle;
mod network;
mod overlap;
mod remnant;
mod reynolds;
mod seal;
mod space;
mod survey;
mod track;
mod wall;

pub use breach::{Breach, breach};
pub use chambers::Chambers;
pub use flow::{Line, Port, Schedule, Source};
pub use found::{Found, Patch, SurfacePoint};
pub use glance::{Glance, Manner, Rough, Touching};
pub use limit::Pressing;
pub use look::{BodySurface, Distances, Sight};
pub use loss::{Leak, Leaked, Loss};
pub use muscle::Muscle;
pub use space::{AirSpace, Looked, Vessel};
pub use survey::{Looks, Survey, Zone};
pub use track::{Cavity, Change, Moles, Narrow, Tracker};
pub use wall::{Corner, Wall};
