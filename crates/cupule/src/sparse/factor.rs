//! The numbers of a factorisation, front by front.
//!
//! A front holds the matrix's columns of a supernode and what its children leave for it. Its columns become columns of L; of
//! the rows below, -B B^T and the rest of the children's updates go to the parent.

use super::fronts::{Children, Front};
use super::panel::factor_panel;
use super::pattern::{BlockMatrix, BlockPattern};
use super::supernodes::Supernode;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::pulp::Arch;
use faer::{Accum, MatMut, MatRef, Par};

/// A matrix on its way to the factor.
pub(super) struct Factor<'a> {
    pub(super) nodes: &'a [Supernode],
    pub(super) pattern: &'a BlockPattern,
    /// Block row in its column's front of every block below the diagonal, in the order of the pattern.
    pub(super) front_rows: &'a [u32],
    pub(super) a: &'a BlockMatrix,
    /// Supernodes whose subtrees hold the same numbers as before.
    pub(super) stay: &'a [bool],
}

impl Front for Factor<'_> {
    fn stays(&self, s: usize) -> bool {
        self.stay[s]
    }

    fn finish(
        &self,
        s: usize,
        panel: &mut [f64],
        update: &mut [f64],
        children: &Children<'_>,
    ) -> Result<(), usize> {
        let node = &self.nodes[s];
        let (width, below) = (node.width(), node.below());
        self.load(node, panel);
        let arch = Arch::new();
        for (child, values) in children.iter() {
            let child = &self.nodes[child];
            arch.dispatch(
                #[inline(always)]
                || add_to_panel(child, values, panel, width, width + below),
            );
        }
        factor_panel(panel, width + below).map_err(|column| 3 * node.begin + column)?;
        if below == 0 {
            return Ok(());
        }
        let lower = MatRef::from_column_major_slice(panel, width + below, width);
        let bottom = lower.subrows(width, below);
        subtract_square(bottom, update);
        for (child, values) in children.iter() {
            let child = &self.nodes[child];
            arch.dispatch(
                #[inline(always)]
                || add_to_update(child, values, update, width, below),
            );
        }
        Ok(())
    }
}

impl Factor<'_> {
    /// The matrix's columns of a supernode.
    fn load(&self, node: &Supernode, panel: &mut [f64]) {
        panel.fill(0.0);
        let height = node.width() + node.below();
        for column in node.begin..node.end {
            let rows = &self.front_rows[self.pattern.below_range(column)];
            let mut values = self.a.column(column);
            let diagonal = 3 * (column - node.begin);
            for c in 0..3 {
                let target = &mut panel[(diagonal + c) * height..][..height];
                let (own, rest) = values.split_at(3 - c);
                target[diagonal + c..diagonal + 3].copy_from_slice(own);
                let (below, rest) = rest.split_at(3 * rows.len());
                for (row, block) in rows.iter().zip(below.chunks_exact(3)) {
                    target[3 * *row as usize..][..3].copy_from_slice(block);
                }
                values = rest;
            }
        }
    }
}

/// Lower triangle of `out` <- -B B^T.
fn subtract_square(b: MatRef<'_, f64>, out: &mut [f64]) {
    triangular::matmul(
        MatMut::from_column_major_slice_mut(out, b.nrows(), b.nrows()),
        BlockStructure::TriangularLower,
        Accum::Replace,
        b,
        BlockStructure::Rectangular,
        b.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
}

/// Adds those columns of a child's update that are columns of the parent.
#[inline(always)]
fn add_to_panel(child: &Supernode, update: &[f64], panel: &mut [f64], width: usize, height: usize) {
    let size = child.below();
    for (r, run) in child.runs.iter().enumerate().take_while(|(_, run)| run.target < width) {
        for c in 0..run.len {
            let source = &update[(run.source + c) * size..][..size];
            let target = &mut panel[(run.target + c) * height..][..height];
            add_column(child, r, c, source, target, 0);
        }
    }
}

/// Adds those columns of a child's update that are rows below the parent.
#[inline(always)]
fn add_to_update(child: &Supernode, update: &[f64], out: &mut [f64], width: usize, below: usize) {
    let size = child.below();
    for (r, run) in child.runs.iter().enumerate().skip_while(|(_, run)| run.target < width) {
        for c in 0..run.len {
            let source = &update[(run.source + c) * size..][..size];
            let target = &mut out[(run.target - width + c) * below..][..below];
            add_column(child, r, c, source, target, width);
        }
    }
}

/// Adds a column from its diagonal down, which is `c` rows into run `r`; `target` starts at front row `first`.
#[inline(always)]
fn add_column(
    child: &Supernode,
    r: usize,
    c: usize,
    source: &[f64],
    target: &mut [f64],
    first: usize,
) {
    let mut skip = c;
    for run in &child.runs[r..] {
        let from = &source[run.source + skip..run.source + run.len];
        let to = &mut target[run.target - first + skip..][..from.len()];
        to.iter_mut().zip(from).for_each(|(t, s)| *t += s);
        skip = 0;
    }
}
