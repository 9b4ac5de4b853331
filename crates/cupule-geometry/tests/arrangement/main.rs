//! Air cavities between bodies: known scenes, then random ones.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod checks;
mod columns;
mod degenerate;
mod known;
mod random;
mod scenes;
