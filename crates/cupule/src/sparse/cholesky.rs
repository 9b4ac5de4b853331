//! Sparse Cholesky A = L L^T with the symbolic analysis done once.

use super::pattern::{BlockMatrix, BlockPattern};
use cupule_geometry::DVec3;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization};
use faer::sparse::linalg::SymbolicSupernodalParams;
use faer::sparse::linalg::cholesky::simplicial;
use faer::sparse::linalg::cholesky::supernodal::{
    self, SupernodalLltRef, SymbolicSupernodalCholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};
use thiserror::Error;

/// Why a system could not be factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FactorError {
    /// The matrix is not positive definite, or not finite, at this scalar row of this block.
    #[error("the system matrix is not positive definite at block {block}")]
    NotPositive {
        /// Block, in the caller's numbering.
        block: usize,
    },
    /// No memory, or an index overflow.
    #[error("the system is too large to be factored")]
    TooLarge,
}

/// Neighbouring columns are merged into supernodes even where that stores some zeros: three dofs a node make small
/// supernodes otherwise, and the dense kernels run on panels.
const RELAXATION: &[(usize, f64)] = &[(12, 1.0), (48, 0.4), (96, 0.15), (usize::MAX, 0.05)];

/// A factorisation whose pattern is fixed and whose numbers are renewed.
pub struct Cholesky {
    pattern: BlockPattern,
    symbolic: SymbolicSupernodalCholesky<usize>,
    column_starts: Vec<usize>,
    row_indices: Vec<usize>,
    values: Vec<f64>,
    /// Supernode of every scalar column.
    supernode_of: Vec<u32>,
    memory: MemBuffer,
}

impl Cholesky {
    /// Symbolic analysis.
    pub fn new(pattern: BlockPattern) -> Result<Self, FactorError> {
        let n = 3 * pattern.blocks();
        let (column_starts, row_indices) = pattern.scalar_columns();
        let symbolic = analyse(n, &column_starts, &row_indices)?;
        let mut supernode_of = vec![0; n];
        for s in 0..symbolic.n_supernodes() {
            supernode_of[symbolic.supernode_begin()[s]..symbolic.supernode_end()[s]].fill(s as u32);
        }
        let numeric = supernodal::factorize_supernodal_numeric_llt_scratch::<usize, f64>(
            &symbolic,
            Par::Seq,
            Spec::<LltParams, f64>::default(),
        );
        let scratch =
            StackReq::any_of(&[numeric, symbolic.solve_in_place_scratch::<f64>(1, Par::Seq)]);
        let (values, memory) = (vec![0.0; symbolic.len_val()], MemBuffer::new(scratch));
        Ok(Self { pattern, symbolic, column_starts, row_indices, values, supernode_of, memory })
    }

    /// The pattern it was made for.
    pub fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    /// Factors new numbers.
    pub fn factor(&mut self, a: &BlockMatrix) -> Result<(), FactorError> {
        let n = self.supernode_of.len();
        let pattern = SymbolicSparseColMatRef::new_checked(
            n,
            n,
            &self.column_starts,
            None,
            &self.row_indices,
        );
        let lower = SparseColMatRef::new(pattern, a.values());
        supernodal::factorize_supernodal_numeric_llt(
            &mut self.values,
            lower,
            LltRegularization::default(),
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        )
        .map_err(
            |faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index }| {
                let place = (index.min(n.saturating_sub(1))) / 3;
                let block = (0..self.pattern.blocks()).find(|b| self.pattern.place(*b) == place);
                FactorError::NotPositive { block: block.unwrap_or(place) }
            },
        )?;
        Ok(())
    }

    /// x <- A^-1 x, over blocks in the caller's numbering.
    pub fn solve(&mut self, x: &mut [DVec3]) {
        let mut permuted = vec![0.0; 3 * x.len()];
        for (block, x) in x.iter().enumerate() {
            let at = 3 * self.pattern.place(block);
            permuted[at..at + 3].copy_from_slice(&x.to_array());
        }
        let n = permuted.len();
        let factor = SupernodalLltRef::new(&self.symbolic, &self.values);
        let rhs = MatMut::from_column_major_slice_mut(&mut permuted, n, 1);
        factor.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, MemStack::new(&mut self.memory));
        for (block, x) in x.iter_mut().enumerate() {
            let at = 3 * self.pattern.place(block);
            *x = DVec3::new(permuted[at], permuted[at + 1], permuted[at + 2]);
        }
    }

    pub(super) fn lower(&self) -> SupernodalLltRef<'_, usize, f64> {
        SupernodalLltRef::new(&self.symbolic, &self.values)
    }

    pub(super) fn supernode_of(&self, scalar: usize) -> usize {
        self.supernode_of[scalar] as usize
    }
}

/// Elimination tree and supernodes; the analysis reads the upper triangle, the transpose of what is stored.
fn analyse(
    n: usize,
    starts: &[usize],
    rows: &[usize],
) -> Result<SymbolicSupernodalCholesky<usize>, FactorError> {
    let (upper_starts, upper_rows) = transpose(n, starts, rows);
    let upper = SymbolicSparseColMatRef::new_checked(n, n, &upper_starts, None, &upper_rows);
    let scratch = StackReq::any_of(&[
        simplicial::prefactorize_symbolic_cholesky_scratch::<usize>(n, rows.len()),
        supernodal::factorize_supernodal_symbolic_cholesky_scratch::<usize>(n),
    ]);
    let mut memory = MemBuffer::new(scratch);
    let (mut tree, mut counts) = (vec![0isize; n], vec![0usize; n]);
    let tree = simplicial::prefactorize_symbolic_cholesky(
        &mut tree,
        &mut counts,
        upper,
        MemStack::new(&mut memory),
    );
    let params = SymbolicSupernodalParams { relax: Some(RELAXATION) };
    supernodal::factorize_supernodal_symbolic_cholesky(
        upper,
        tree,
        &counts,
        MemStack::new(&mut memory),
        params,
    )
    .map_err(|_| FactorError::TooLarge)
}

fn transpose(n: usize, starts: &[usize], rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut out_starts = vec![0; n + 1];
    rows.iter().for_each(|r| out_starts[r + 1] += 1);
    (0..n).for_each(|c| out_starts[c + 1] += out_starts[c]);
    let (mut next, mut out_rows) = (out_starts.clone(), vec![0; rows.len()]);
    for column in 0..n {
        for &row in &rows[starts[column]..starts[column + 1]] {
            out_rows[next[row]] = column;
            next[row] += 1;
        }
    }
    (out_starts, out_rows)
}
