//! Suction through the command, as a user runs it: no scene succeeds by a weld, forces balance, results do not hang on the step,
//! or on the facets of what is lifted, the moles of cavities that appear, split, merge and vanish can be followed by hand, cups pressed flat open again, no step makes
//! energy, and what once went wrong does not again.

mod active_pull;
mod energy;
mod flat;
mod moles;
mod resolutions;
mod run;
mod steps;
mod stories;
mod threads;
mod weld;
