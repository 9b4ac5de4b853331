//! Tracking cavities: which detected cavity is which of before, and what becomes of its air?
//!
//! | file | what |
//! | --- | --- |
//! | `cavity` | a cavity with its history, and what may happen to it |
//! | `tracker` | matches old and new cavities, divides and merges their air, numbers them |
//! | `transfer` | air that passes along with touching parts from one cavity to another |
//! | `residual_pockets` | pockets that are left where a cavity opened, which are no cavities |
//! | `moles` | the mole balance of a run |
//! | `vacuum_loss` | when and by which path a cavity lost its vacuum |
//!
//! All geometry that tracking knows is the overlap of patches.

mod cavity;
mod moles;
mod residual_pockets;
mod tracker;
mod transfer;
mod vacuum_loss;

pub use cavity::{Cavity, Change, Constriction};
pub use moles::Moles;
pub use tracker::Tracker;
pub use vacuum_loss::{Leak, Leaked, Loss};

/// Two open parts are of the same cavity if they have this fraction of the smaller one in common. Less than a half, so that a cavity stays
/// itself through a fast slide or a split; more than what a border gains or loses when it is recomputed (a tenth counts as new room).
const SAME_CAVITY: f64 = 0.2;
