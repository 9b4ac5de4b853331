//! A scene that runs: the layer between the physics and everything that drives it.
//!
//! A [`Session`] loads a scene, steps its world, and names all that can be commanded ([`Actuator`]) and read ([`Sensor`]), with
//! unit and shape. The command, the live page and the recorder go through it.
//!
//! | file | what it does |
//! | --- | --- |
//! | `session` | loads, steps, resets; snapshots; commands and readings by name |
//! | `actuator/` | what can be commanded, a kind a file |
//! | `sensor/` | what can be read, a kind a file; the series has their columns |
//! | `sentence` | events in words |
//! | `expectation` | what a scene expects of its run |
//! | `interrupt` | a request to stop |
//! | `threads` | how many threads a run is worth |

/// The physics, for those who read the world of a session.
pub use cupule as physics;
pub use cupule_geometry::DVec3;
/// Scene files, for those who load a session.
pub use cupule_scene as scene;

pub mod actuator;
mod error;
pub mod expectation;
mod interrupt;
mod sensor;
mod sentence;
mod session;
mod threads;

pub use actuator::{Actuator, Role, Scale, Slider};
pub use error::SessionError;
pub use interrupt::Interrupt;
pub use sensor::{Reading, Sensor, Sensors};
pub use sentence::sentence;
pub use session::{Session, Snapshot};
pub use threads::Crew;
