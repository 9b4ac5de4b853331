//! The `cupule` command.
fn main() {}
