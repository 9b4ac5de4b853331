//! The seal: how does air get out between the walls, how much of it, and at which pressure?
//!
//! | file | what |
//! | --- | --- |
//! | `graph` | the seal as a graph over surface vertices |
//! | `bottleneck` | the weakest place on the best path out, by any cost |
//! | `vent_pressure` | what pressure a seal withstands, by contact forces or elastic energy |
//! | `reynolds` | viscous flow through the gap: conductances of seals |
//! | `conductance_network` | a network of conductances, reduced to its terminals |

mod bottleneck;
mod conductance_network;
mod graph;
mod reynolds;
mod vent_pressure;

pub use vent_pressure::SealLoads;

pub(super) use bottleneck::bottleneck;
pub(super) use graph::{Group, Node, SealGraph};
pub(super) use reynolds::{SealConductances, conductances};
