//! Finding cavities: which air do the bodies enclose as they are, and has that changed since the last time?
//!
//! | file | what |
//! | --- | --- |
//! | `input` | what detection is given: surfaces, distances, settings |
//! | `proximity` | which bodies are near each other, their gaps, and which vertices seal |
//! | `detection` | detection for a group of near bodies, by the union or the flood |
//! | `classify` | what of an arrangement is one cavity, and who owns what touches |
//! | `isolate` | every cavity by itself, without bodies that merely touch its seal |
//! | `detected` | a detected cavity: patches of body surfaces, and its wall |
//! | `overlap` | how much two parts of one triangle have in common |
//! | `wall` | the closed wall, carried by the bodies: volume and dV/dx |
//! | `film` | the room that a wet film leaves inside the wall |
//! | `last_detection` | the last detection for a group, and whether it still holds |
//! | `border_drift` | how far the border of a seal has moved since it was detected |
//! | `survey` | detection without consequence, to compare detectors |
//! | `breach` | where bodies that enclose no air are nearest to it |
//!
//! Nothing here knows pressure, moles or time. Only hysteresis and ownership depend on what was before, and that is given.

mod border_drift;
mod breach;
mod classify;
mod detected;
mod detection;
mod film;
mod input;
mod isolate;
mod last_detection;
mod overlap;
mod proximity;
mod survey;
mod wall;

pub use breach::{Breach, find_breach};
pub use detected::{DetectedCavity, Patch, SurfacePoint};
pub use input::{BodySurface, Distances};
pub use survey::{DetectionCounts, Survey, Zone};
pub use wall::{Corner, Wall};

pub(super) use classify::MINOR;
pub(super) use detected::MAJORITY;
pub(super) use film::TouchingFilm;
pub(super) use input::{DetectionSettings, RoughPairs, SealingVertices};
pub(super) use last_detection::{DetectionUpdate, GroupHistory, LastDetection, detect_if_changed};
pub(super) use proximity::{held_vertices, near_groups};
