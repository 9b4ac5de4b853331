//! Records a run: times of the phases, series, frames, summary and report page, in memory and in a run folder.
//!
//! Everything is written as the run goes, so that a run that fails or is stopped keeps what it computed.

mod balance;
mod event;
pub mod export;
mod fields;
mod folder;
pub mod frames;
pub mod palette;
pub mod picture;
mod recorder;
pub mod report;
mod run;
pub mod scenery;
mod series;
mod stopwatch;
mod summary;

pub use event::Event;
pub use recorder::{RecordError, Recorder};
pub use run::{RunError, record};
pub use series::Series;
pub use stopwatch::{PhaseTimes, Stopwatch};
pub use summary::{
    Barrier, BodySummary, Bottleneck, ContactResidual, EnergySummary, Expectation, Failure, Looks,
    MeanMax, Moles, Seal, Summary,
};
