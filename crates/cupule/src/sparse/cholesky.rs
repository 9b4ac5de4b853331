//! Sparse Cholesky A = L L^T with the symbolic analysis done once: multifrontal, with dense kernels at every supernode.

use super::factor::Factor;
use super::fronts::{self, Layout, Size};
use super::inverse::Known;
use super::pattern::{BlockMatrix, BlockPattern};
use super::pieces::is_piece;
use super::solve::{Entry, Sides, Triangle};
use super::supernodes::{Supernode, supernodes};
use cupule_geometry::DVec3;
use glam::DVec4;
use std::sync::Mutex;
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
    /// No memory.
    #[error("the system is too large to be factored")]
    TooLarge,
}

/// A factorisation whose pattern is fixed and whose numbers are renewed.
#[derive(Clone)]
pub struct Cholesky {
    pub(super) pattern: BlockPattern,
    pub(super) nodes: Vec<Supernode>,
    pub(super) layout: Layout,
    /// Block row in its column's front of every block below the diagonal, in the order of the pattern.
    front_rows: Vec<u32>,
    /// Columns of L, one column-major panel (columns first, then rows below) a supernode.
    pub(super) values: Vec<f64>,
    stack: Vec<f64>,
    /// Supernode of every block column.
    supernode_of: Vec<u32>,
    sides: Option<Sides>,
    /// Whether the numbers of a whole factorisation are there.
    pub(super) is_factored: bool,
    /// What has been asked of the inverse of the present numbers.
    pub(super) known: Known,
    /// Kept for [`super::compliance`], since new pages cost as much as some of its sums.
    memory: Memory,
}

/// Working memory; what is in it matters to nobody, so that a clone begins without.
#[derive(Default)]
struct Memory(Mutex<Vec<f64>>);

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Cholesky {
    /// Symbolic analysis.
    pub fn new(pattern: BlockPattern) -> Result<Self, FactorError> {
        let nodes = supernodes(&pattern);
        let (mut supernode_of, mut front_rows) = (Vec::new(), Vec::new());
        for (s, node) in nodes.iter().enumerate() {
            for column in node.begin..node.end {
                supernode_of.push(s as u32);
                let rows = pattern.below(column).iter();
                front_rows.extend(rows.map(|r| node.front_row(*r as usize) as u32));
            }
        }
        let layout = Layout::new(&nodes, |s| {
            let (width, below) = (nodes[s].width(), nodes[s].below());
            let (w, u) = (width as f64, below as f64);
            let work = w * w * w / 6.0 + w * w * u / 2.0 + w * u * u / 2.0;
            let may_stay = is_piece(&nodes[s], &pattern);
            Size { panel: width * (width + below), update: below * below, work, may_stay }
        });
        let (values, stack) = (zeros(layout.panels_len())?, zeros(layout.stack())?);
        let (sides, memory) = (Sides::of(&nodes), Memory::default());
        let known = Known::nothing(pattern.blocks());
        Ok(Self {
            pattern,
            nodes,
            layout,
            front_rows,
            values,
            stack,
            supernode_of,
            sides,
            is_factored: false,
            known,
            memory,
        })
    }

    /// The pattern it was made for.
    pub fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    /// Factors new numbers.
    pub fn factor(&mut self, a: &BlockMatrix) -> Result<(), FactorError> {
        self.factor_changed(a, |_| true)
    }

    /// Factors numbers that differ from those before only in columns of blocks that have `changed`, or of joints. What falls
    /// apart without the joints and has no changed block stays as it is.
    pub fn factor_changed(
        &mut self,
        a: &BlockMatrix,
        changed: impl Fn(usize) -> bool,
    ) -> Result<(), FactorError> {
        self.known = Known::nothing(self.pattern.blocks());
        let stay = self.staying(changed);
        self.is_factored = false;
        let (nodes, pattern) = (&self.nodes[..], &self.pattern);
        let front = Factor { nodes, pattern, front_rows: &self.front_rows, a, stay: &stay };
        fronts::run(nodes, &self.layout, &front, &mut self.values, &mut self.stack).map_err(
            |scalar| {
                let place = scalar / 3;
                let block = (0..pattern.blocks()).find(|b| pattern.place(*b) == place);
                FactorError::NotPositive { block: block.unwrap_or(place) }
            },
        )?;
        self.is_factored = true;
        Ok(())
    }

    /// x <- A^-1 x, over blocks in the caller's numbering.
    pub fn solve(&self, x: &mut [DVec3]) {
        let mut permuted = vec![0.0; 3 * x.len()];
        for (block, x) in x.iter().enumerate() {
            let at = 3 * self.pattern.place(block);
            permuted[at..at + 3].copy_from_slice(&x.to_array());
        }
        self.solve_in_order(&mut permuted);
        for (block, x) in x.iter_mut().enumerate() {
            let at = 3 * self.pattern.place(block);
            *x = DVec3::new(permuted[at], permuted[at + 1], permuted[at + 2]);
        }
    }

    /// The block column of A^-1 at a block: by scalar row in elimination order, the entries of its three columns (and a zero).
    pub(super) fn inverse_column(&self, block: usize) -> Vec<DVec4> {
        let mut x = vec![DVec4::ZERO; 3 * self.pattern.blocks()];
        let at = 3 * self.pattern.place(block);
        x[at..at + 3].copy_from_slice(&DVec4::AXES[..3]);
        self.solve_in_order(&mut x);
        x
    }

    fn solve_in_order<V: Entry>(&self, x: &mut [V]) {
        let triangle =
            Triangle { nodes: &self.nodes, panel: |s: usize| self.panel(s), sides: self.sides };
        triangle.forward(x);
        triangle.backward(x);
    }

    /// Memory of earlier calls of unknown content; empty if another thread has it.
    pub(super) fn take_memory(&self) -> Vec<f64> {
        self.memory.0.try_lock().map(|mut memory| std::mem::take(&mut *memory)).unwrap_or_default()
    }

    pub(super) fn return_memory(&self, used: Vec<f64>) {
        if let Ok(mut memory) = self.memory.0.try_lock() {
            *memory = used;
        }
    }

    pub(super) fn nodes(&self) -> &[Supernode] {
        &self.nodes
    }

    /// Columns of L of a supernode, column-major.
    pub(super) fn panel(&self, s: usize) -> &[f64] {
        &self.values[self.layout.panel(s)]
    }

    /// Supernode of a block in elimination order.
    pub(super) fn supernode_of(&self, place: usize) -> usize {
        self.supernode_of[place] as usize
    }
}

fn zeros(len: usize) -> Result<Vec<f64>, FactorError> {
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| FactorError::TooLarge)?;
    out.resize(len, 0.0);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{Grid, threads};
    use super::super::ordering::Use;
    use super::*;
    use cupule_geometry::DMat3;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn solution_satisfies_the_equations(
            size in [1usize..9, 1usize..6, 1usize..5], seed in 0u64..1000, dropped in 0usize..4,
        ) {
            // A x = b; with pairs left out the graph falls apart and the tree has several roots.
            let grid = Grid::with_dropped(size, seed, dropped);
            let b: Vec<DVec3> =
                (0..grid.blocks()).map(|i| DVec3::new(1.0, (i as f64).sin(), -0.3)).collect();
            let mut x = b.clone();
            grid.factored().solve(&mut x);
            let product = grid.times(&x);
            let error = product.iter().zip(&b).map(|(a, b)| (*a - *b).length());
            prop_assert!(error.fold(0.0, f64::max) < 1e-11);
        }
    }

    #[test]
    fn factor_is_the_same_for_any_number_of_threads() {
        let grid = Grid::new([9, 9, 12], 2);
        let factored = |n| threads(n, || grid.factored());
        let (one, two) = (factored(1), factored(2));
        assert!(one.layout.has_threads(), "large enough to be shared");
        let bits = |c: &Cholesky| c.values.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&one), bits(&two));
    }

    #[test]
    fn two_threads_solve_as_one_does() {
        let grid = Grid::new([9, 9, 12], 2);
        let factored = grid.factored();
        assert!(factored.sides.is_some(), "large enough to be shared");
        let b: Vec<DVec3> =
            (0..grid.blocks()).map(|i| DVec3::new(1.0, (i as f64).sin(), -0.3)).collect();
        let solved = |n| {
            let mut x = b.clone();
            threads(n, || factored.solve(&mut x));
            x
        };
        assert_eq!(solved(1), solved(2));
        let error = grid
            .times(&solved(2))
            .iter()
            .zip(&b)
            .map(|(a, b)| (*a - *b).length())
            .fold(0.0, f64::max);
        assert!(error < 1e-11, "{error}");
    }

    #[test]
    fn indefinite_or_unknown_system_names_the_block() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let pattern = BlockPattern::new(
                &[DVec3::ZERO, DVec3::X, DVec3::Y],
                [(0, 1), (1, 2)],
                Use::Lasting,
            );
            let mut a = BlockMatrix::zeros(&pattern);
            for b in 0..3 {
                let value = if b == 1 { bad } else { 1.0 };
                let block = DMat3::from_diagonal(DVec3::splat(value));
                a.add(pattern.slot(b, b).expect("diagonal"), &block);
            }
            let error = Cholesky::new(pattern).expect("small").factor(&a).expect_err("indefinite");
            assert_eq!(error, FactorError::NotPositive { block: 1 });
        }
    }

    #[test]
    fn nothing_is_solved_without_blocks() {
        let pattern = BlockPattern::new(&[], [], Use::Lasting);
        let a = BlockMatrix::zeros(&pattern);
        let mut cholesky = Cholesky::new(pattern).expect("empty");
        cholesky.factor(&a).expect("nothing to factor");
        cholesky.solve(&mut []);
    }
}
