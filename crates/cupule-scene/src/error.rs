//! What is wrong with a scene, said so that a person can mend it: file, line, key and what was expected.

use std::fmt;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A line of the scene file, from 1.
    Line(usize),
    /// A `--set` on the command line.
    Set,
    /// The file of a cup of the library.
    Cup,
    /// Nowhere: it is absent, or the whole file is meant.
    Unknown,
}

/// One thing that is wrong or looks wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it is written.
    pub origin: Origin,
    /// Dotted path of the key; empty when the file as a whole is meant.
    pub key: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Problem {
    /// A problem at a key.
    pub fn new(origin: Origin, key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { origin, key: key.into(), message: message.into() }
    }

    /// One line: `file:line: key: message`.
    pub fn describe(&self, file: &str) -> String {
        let place = match self.origin {
            Origin::Line(line) => format!("{file}:{line}: "),
            Origin::Set => "--set ".to_string(),
            Origin::Cup => format!("{file}: from its cup: "),
            Origin::Unknown => format!("{file}: "),
        };
        if self.key.is_empty() {
            format!("{place}{}", self.message)
        } else {
            format!("{place}{}: {}", self.key, self.message)
        }
    }
}

/// A scene that cannot be run, with everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// The scene file, or the name of a shipped scene.
    pub file: String,
    /// At least one.
    pub problems: Vec<Problem>,
}

impl SceneError {
    /// An error with one problem of the file as a whole.
    pub fn whole(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), problems: vec![Problem::new(Origin::Unknown, "", message)] }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", problem.describe(&self.file))?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}
