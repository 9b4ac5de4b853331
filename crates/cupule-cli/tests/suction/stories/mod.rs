//! One test for each fault that was found in use, with its story: scenes that anybody may write, and what went wrong in them once.

mod air;
mod contact;
