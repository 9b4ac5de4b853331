//! The gas: how much air is in which chamber, and what flows in and out during a step?
//!
//! | file | what |
//! | --- | --- |
//! | `chambers` | the chambers of a step, as a solver sees them; afterwards the mole balance |
//! | `flows` | what passes into one chamber during a step: leaks, pumps, regulators, valves |
//! | `line` | lines, ports and what drives them; values over time |
//! | `muscle` | chambers behind a wall that widen on command |

mod chambers;
mod flows;
mod line;
mod muscle;

pub use chambers::Chambers;
pub use line::{Line, Port, Schedule, Source, Vessel};
pub use muscle::Muscle;

pub(super) use muscle::MuscleState;
