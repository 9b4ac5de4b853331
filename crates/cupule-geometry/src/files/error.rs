//! What can be wrong with a mesh file: which file, where in it, what was expected and what stood there.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Format;
use crate::GeometryError;

/// A mesh file that could not be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}: {problem}", name_of(.file))]
pub struct MeshFileError {
    /// The file, or `None` when the bytes came from memory.
    pub file: Option<PathBuf>,
    /// What is wrong with it.
    pub problem: MeshFileProblem,
}

fn name_of(file: &Option<PathBuf>) -> String {
    file.as_ref().map_or_else(|| "mesh data".into(), |path| path.display().to_string())
}

/// Where in a file something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, from 1.
    Line(usize),
    /// Byte of a binary file, from 0.
    Byte(usize),
    /// Item of a list in the file (a cell, a point), from 0.
    Item(&'static str, usize),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(formatter, "line {line}"),
            Place::Byte(byte) => write!(formatter, "byte {byte}"),
            Place::Item(name, index) => write!(formatter, "{name} {index}"),
        }
    }
}

/// The kinds of trouble with a mesh file.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MeshFileProblem {
    /// The file does not exist or may not be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The extension names no format that can be read.
    #[error("unknown mesh file extension \"{extension}\"; supported are {}", Format::list())]
    UnknownExtension {
        /// The extension found, without the dot; empty when there is none.
        extension: String,
    },
    /// The text or bytes do not follow the format.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        /// Where.
        place: Place,
        /// What the format asks for there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A legal file that uses something this reader does not take.
    #[error("{place}: {what} is not supported; {advice}")]
    Unsupported {
        /// Where.
        place: Place,
        /// What is not supported.
        what: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// A sound file that does not hold what was asked for.
    #[error("holds no {wanted}: it has {found}")]
    WrongContent {
        /// "surface" or "volume mesh".
        wanted: &'static str,
        /// What the file has instead.
        found: String,
    },
    /// The mesh in the file breaks an invariant.
    #[error("{0}")]
    Defect(#[from] GeometryError),
}

impl MeshFileProblem {
    pub(super) fn malformed(place: Place, expected: impl Into<String>, found: &str) -> Self {
        Self::Malformed { place, expected: expected.into(), found: found.into() }
    }

    pub(super) fn in_file(self, file: Option<&Path>) -> MeshFileError {
        MeshFileError { file: file.map(Path::to_path_buf), problem: self }
    }
}
