//! The live page: a simulation that runs on a thread of its own, and pages that see and steer it over web sockets.
//!
//! ```text
//!  simulation ──> Shared: latest snapshot, rows of the series ──> one thread a page ──> socket
//!      ^                                                                   |
//!      └────────────────────────── commands ───────────────────────────────┘
//! ```
//!
//! The simulation never waits for a page. It leaves its latest state where the threads of the pages find it, at most
//! sixty times a second and only if one of them has asked; a page that is slow misses frames, not rows of the series.
//!
//! # What goes over a socket
//!
//! At first a text, the [`Hello`]: bodies, layers and controls. Then the header of a `frames.bin`
//! ([`cupule_record::frames`]), binary. Then, whenever the page has said `ready`, an update, binary: u32 length of a JSON
//! text, the text ([`Update`]), then so many f32 as it says there are new figures in the series (row by row), then a
//! frame of a `frames.bin`. All little-endian. From the page come texts: a [`Command`] each. What cannot be understood
//! is answered with a text `{"refused": "why"}` and changes nothing.
//!
//! The server listens on the loopback interface only, and takes web sockets from its own page only: the `Host` and the
//! `Origin` of a request must be its own address.

mod client;
mod controls;
mod hand;
mod http;
mod message;
mod pace;
mod server;
mod shared;
mod simulation;

pub use controls::Control;
pub use message::{Command, ControlState, EventText, Hello, HelloBody, PullState, Update};
pub use server::{LiveError, Options, Pages, Server};
