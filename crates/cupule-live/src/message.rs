//! What pages and server say to each other.

use serde::{Deserialize, Serialize};

use crate::controls::Control;

/// What a page asks for; as JSON, `{"do": "pause"}` and so on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// The page has shown the last update and wants the next.
    Ready,
    /// Let time go on.
    Play,
    /// Stop time.
    Pause,
    /// One step, then stop.
    Step,
    /// Begin the scene anew, with the parameters as they are.
    Reset,
    /// How fast time goes.
    Speed {
        /// Simulated seconds a second; none is as fast as can be.
        value: Option<f64>,
    },
    /// Move a control.
    Set {
        /// Which.
        control: usize,
        /// To what, SI.
        value: f64,
    },
    /// Leave a control to the scene again.
    Release {
        /// Which; none means all parameters.
        control: Option<usize>,
    },
    /// Take hold of a body with a spring.
    Grab {
        /// Which.
        body: usize,
        /// Near which point of its surface, m.
        at: [f64; 3],
    },
    /// Pull what was grabbed to a place.
    Pull {
        /// Where to, m.
        to: [f64; 3],
    },
    /// Let go of it.
    LetGo,
}

/// What a page is told at first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hello {
    /// Name of the scene.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// The scene with all defaults, TOML.
    pub text: String,
    /// Version of the program.
    pub version: String,
    /// Time step, s.
    pub time_step: f64,
    /// Bodies in the order of the frames: name, kind, colour.
    pub bodies: Vec<HelloBody>,
    /// Colours of figures, from the least to the largest, at equal steps.
    pub scale: Vec<String>,
    /// What can be moved.
    pub controls: Vec<Control>,
}

/// A body as a page names and colours it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HelloBody {
    /// Name.
    pub name: String,
    /// fem, rigid, kinematic or static.
    pub kind: String,
    /// Colour, as in style sheets.
    pub colour: String,
}

/// The text of an update.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Update {
    /// Counts how often the scene was begun; the series of an earlier one is over.
    pub generation: u32,
    /// Time, s.
    pub time: f64,
    /// Steps since the beginning.
    pub steps: u64,
    /// Whether time goes on.
    pub playing: bool,
    /// Simulated seconds a second that are wished for; none is as fast as can be.
    pub speed: Option<f64>,
    /// Simulated seconds a second that there are.
    pub real_time_factor: f64,
    /// What a step takes, ms.
    pub step_ms: f64,
    /// Why it cannot go on.
    pub failure: Option<String>,
    /// How the controls stand, in their order.
    pub controls: Vec<ControlState>,
    /// What is being pulled.
    pub pull: Option<PullState>,
    /// Columns of the series, if they have changed.
    pub columns: Option<Vec<String>>,
    /// New rows of the series.
    pub rows: usize,
    /// New events.
    pub events: Vec<EventText>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventText {
    /// When, s.
    pub time: f64,
    /// What kind.
    pub kind: &'static str,
    /// In words.
    pub what: String,
}

/// How a control stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ControlState {
    /// Its value, SI.
    pub value: f64,
    /// Whether it was moved by hand; else the scene says.
    pub by_hand: bool,
}

/// What is being pulled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PullState {
    /// The body.
    pub body: usize,
    /// Where it is held, m.
    pub at: [f64; 3],
    /// Where it is pulled to, m.
    pub to: [f64; 3],
    /// Size of the force, N.
    pub force: f64,
}
