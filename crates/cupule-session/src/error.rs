//! What a session refuses.

use cupule::world::WorldError;
use thiserror::Error;

/// A command or a question that cannot be meant.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SessionError {
    /// A name that nothing has.
    #[error("no {what} is named `{name}`{}", nearest.as_ref().map_or(String::new(), |near| format!("; is `{near}` meant?")))]
    NoSuch {
        /// `actuator` or `sensor`.
        what: &'static str,
        /// The name.
        name: String,
        /// The known name that is most like it.
        nearest: Option<String>,
    },
    /// Not as many values as it has.
    #[error("`{name}` takes {expected} values, not {count}")]
    Shape {
        /// The actuator.
        name: String,
        /// How many there are.
        count: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A value that is NaN, infinite or out of range.
    #[error("`{name}` = {value} {unit} must be between {low} and {high}", low = range[0], high = range[1])]
    Range {
        /// The actuator.
        name: String,
        /// The value.
        value: f64,
        /// Its unit.
        unit: &'static str,
        /// Least and largest value.
        range: [f64; 2],
    },
    /// The world refuses the command.
    #[error("`{name}`: {reason}")]
    Refused {
        /// The actuator.
        name: String,
        /// Why.
        reason: String,
    },
    /// A snapshot of another scene.
    #[error("the snapshot is of scene `{theirs}`, this session runs `{ours}`")]
    OtherScene {
        /// The scene of the session.
        ours: String,
        /// That of the snapshot.
        theirs: String,
    },
}

impl SessionError {
    /// A name that none of the known ones is.
    pub(crate) fn no_such<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let like = |known: &str| strsim::jaro_winkler(known, name);
        let nearest = known.into_iter().max_by(|a, b| like(a).total_cmp(&like(b)));
        // Below this two names have little in common, and naming one would mislead.
        let nearest = nearest.filter(|near| like(near) > 0.75).map(str::to_string);
        Self::NoSuch { what, name: name.to_string(), nearest }
    }

    /// The world's refusal of a command.
    pub(crate) fn refused(name: &str, error: WorldError) -> Self {
        Self::Refused { name: name.to_string(), reason: error.to_string() }
    }
}
