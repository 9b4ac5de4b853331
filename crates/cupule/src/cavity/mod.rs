//! Air cavities that close and open by contact.
//!
//! A cavity is a region of air enclosed by body surfaces that meet within the sealing distance. Four rooms deal with it:
//!
//! | room | what |
//! | --- | --- |
//! | `find` | finds cavities on the bodies as they are, and notices when they have to be found again |
//! | `track` | follows cavities through time, and keeps their moles |
//! | `seal` | the gap between the walls: how air gets out, and at which pressure |
//! | `gas` | chambers with their gas laws and flows |
//!
//! [`AirSpace`] (`space`) joins them: what is found is tracked, and what is tracked becomes the chambers that a solver sees.
//!
//! Arrows between rooms point one way: `find` knows no other room, `track` knows `find`, `seal` knows both, and `gas` all three. Two
//! rooms hold methods of [`AirSpace`] that belong there: `seal` its vent limits, and `gas` its chambers.

mod find;
mod gas;
mod seal;
mod space;
mod track;

pub use find::{
    BodySurface, Breach, Corner, DetectedCavity, DetectionCounts, Distances, Patch, SurfacePoint,
    Survey, Wall, Zone, find_breach,
};
pub use gas::{Chambers, Line, Muscle, Port, Schedule, Source, Vessel};
pub use seal::SealLoads;
pub use space::{AirSpace, CavityChanges};
pub use track::{Cavity, Change, Constriction, Leak, Leaked, Loss, Moles, Tracker};
