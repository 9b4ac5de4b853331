//! Sparse symmetric systems of 3x3 blocks: assembly, Cholesky factorisation, and the compliance of constraint rows.
//!
//! Everything in a body comes in blocks of three (a node, a velocity, a spin), so that orderings and patterns are those of
//! blocks, and only the numbers are scalar.

mod cholesky;
mod compliance;
mod factor;
#[cfg(test)]
mod fixtures;
mod fronts;
mod gram;
mod inverse;
mod ordering;
mod panel;
mod pattern;
mod pieces;
mod separator;
mod solve;
mod supernodes;
mod tree;

pub use cholesky::{Cholesky, FactorError};
pub use compliance::{SparseRow, compliance, row_order};
pub use inverse::TripleRow;
pub use ordering::Use;
pub(crate) use panel::factor_panel;
pub use pattern::{BlockMatrix, BlockPattern, Slot};
