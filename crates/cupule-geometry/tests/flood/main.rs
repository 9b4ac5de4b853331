//! Cavities by flood fill against cavities by union: two detectors that share only the gap query check each other.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

#[path = "../arrangement/scenes.rs"]
#[allow(dead_code)] // this suite needs only some of them
mod scenes;

#[path = "../arrangement/checks.rs"]
#[allow(dead_code)]
mod checks;

mod compare;
mod folded;
mod known;
mod random;
