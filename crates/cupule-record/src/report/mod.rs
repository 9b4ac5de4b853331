//! The report page, `report.html`: one self-contained file made from the files of a run folder.
//!
//! The page is the built viewer (`assets/report.html`, sources in `viewer/`) with two blocks of data in it, neither of
//! which a browser runs: a JSON header and, in base64, a binary that holds what is large.
//!
//! # The container
//!
//! The header is an object with
//!
//! - `format`: 2;
//! - `summary`: what `summary.json` says, or null; `scene`: the text of `scene.toml`;
//! - `bodies`: `name`, `kind`, `colour`, `vertices`, `triangles`, `cells`, `cell_size` (vertices per cell), and `quantum`
//!   and `origin`: a coordinate is origin + quantum * whole number;
//! - `layers`: `kind` (`field`, `arrows`, `volumes`), `name`, `title`, `unit`, `min` and `max` of its figures over the
//!   run (of arrows: of their lengths; of volumes: from 0 to the atmosphere at least), and `quantum` and `origin` for the
//!   positions of arrows and volumes;
//! - `frames`: `count`, `per_block`, and `stride`: 1, or n when only every n-th recorded frame is in the page;
//! - `scale`: colours of figures, from the least to the largest, at equal steps;
//! - `largest_displacement`: of any vertex that moves with a body, m;
//! - `columns` (names) and `rows` of the series;
//! - `sections`: `[offset, length]` in the binary of `shape`, `frame_times`, `series_times`, `series`, and of each of
//!   `blocks`.
//!
//! Each section is packed by itself with raw deflate, so that the page unpacks what it shows and no more. Times are
//! f64, little-endian. Everything else is one row of whole numbers, each a zigzag varint of 32 bits (`numbers.rs`):
//!
//! - `shape`: per body the first frame (x of all vertices, then y, then z; each less the one before), then the indices
//!   of its triangles and those of its cells, each less the one before;
//! - `series`: per column the bits of its f32 values, mapped so that order is kept, each less the one before;
//! - a block of frames: per body its motion (`motion.rs`), then per layer its frames (`layers.rs`).
//!
//! A new field, arrow or volume needs no change here: it is a layer of `frames.bin`. A new column of the series needs
//! none either.

mod blocks;
mod layers;
mod motion;
mod numbers;
mod page;
mod scan;
mod table;

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::frames::FrameReader;
use crate::recorder::RecordError;
use page::{Header, Sections};
pub(crate) use scan::{Bounds, figures, scale};

/// Why a run folder cannot be read.
#[derive(Debug, Error)]
#[error("{}: cannot be read: {source}; expected the folder of a run, as `cupule run` writes it", file.display())]
pub struct RunError {
    /// The file.
    pub file: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Frames per block: few enough to unpack within a picture of the animation, enough to profit from their likeness.
const FRAMES_PER_BLOCK: usize = 32;

/// Makes the page of a run from its folder; what a run that was cut short did not write is left out.
pub fn page(folder: &Path) -> Result<Vec<u8>, RunError> {
    let file = folder.join("frames.bin");
    let failed = |source| RunError { file: file.clone(), source };
    let summary = summary(folder)?;
    let scan = scan::scan(open(&file)?, summary.as_ref()).map_err(failed)?;
    let mut sections = Sections::default();
    sections.add("shape", &scan.shape());
    sections.add("frame_times", &table::bytes(&scan.times));
    let table = table::read(&folder.join("series.csv"))?;
    sections.add("series_times", &table::bytes(table.times()));
    sections.add("series", &table.packed());
    blocks::add(open(&file)?, &scan, &mut sections).map_err(failed)?;
    let scene = fs::read_to_string(folder.join("scene.toml")).unwrap_or_default();
    Ok(page::fill(&Header { summary, scene, scan: &scan, table: &table }, &sections))
}

/// Makes the page of a run and writes it to its folder; returns its path.
pub fn write(folder: &Path) -> Result<PathBuf, WriteError> {
    let page = page(folder)?;
    let file = folder.join("report.html");
    match fs::write(&file, page) {
        Ok(()) => Ok(file),
        Err(source) => Err(RecordError { file, source }.into()),
    }
}

/// Why a page cannot be made.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The page cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Opens the frames of a run.
pub(crate) fn open(file: &Path) -> Result<FrameReader<BufReader<File>>, RunError> {
    let open = || FrameReader::new(BufReader::with_capacity(1 << 16, File::open(file)?));
    open().map_err(|source| RunError { file: file.to_path_buf(), source })
}

/// `summary.json`, or none if the run never got that far.
pub(crate) fn summary(folder: &Path) -> Result<Option<serde_json::Value>, RunError> {
    let file = folder.join("summary.json");
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(RunError { file, source }),
    };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| RunError { file, source: io::Error::other(error) })
}

#[cfg(test)]
mod tests;
