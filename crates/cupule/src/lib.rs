//! cupule
