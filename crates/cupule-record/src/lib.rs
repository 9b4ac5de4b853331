//! Records a run: times of the phases, series, frames, summary and report page, in memory and in a run folder.
//!
//! Everything is written as the run goes, so that a run that fails or is stopped keeps what it computed.

mod folder;
pub mod frames;
pub mod palette;
pub mod picture;
mod recorder;
pub mod report;
mod series;
mod stopwatch;
mod summary;

pub use recorder::{About, RecordError, Recorder};
pub use series::Series;
pub use stopwatch::{PhaseTimes, Stopwatch};
pub use summary::{
    BodySummary, Bottleneck, ContactResidual, EnergySummary, Event, Expectation, Failure, Looks,
    MeanMax, Moles, Summary,
};
