//! Supernodes: runs of block columns of the factor that share their rows, the units of dense work.
//!
//! Columns are merged where that stores few zeros, since three dofs a node make small supernodes otherwise. Small subtrees
//! become one supernode. Two wide separators that follow one another stay apart even where merging would store no zero:
//! constraint rows that touch one side of a body then skip the separators of its other side, and the sides are independent.
//! Joints are not merged with what they join.

use super::pattern::BlockPattern;
use super::tree::{ROOT, elimination_tree};

/// Zeros allowed in a merged supernode of at most so many block columns, as a part of its entries.
const RELAXATION: [(usize, f64); 4] = [(4, 0.5), (16, 0.2), (32, 0.08), (usize::MAX, 0.02)];
/// Subtrees of at most this many block columns become one supernode.
pub(super) const SMALL_SUBTREE: usize = 12;
/// Where the tree branches, supernodes of at least this many block columns are not merged.
const WIDE: usize = 5;

/// A run of block columns and the blocks below it.
#[derive(Debug, Clone)]
pub(super) struct Supernode {
    pub(super) begin: usize,
    pub(super) end: usize,
    /// Block rows below the columns, ascending.
    pub(super) rows: Vec<u32>,
    /// Supernodes whose first row below is in this one, ascending.
    pub(super) children: Vec<usize>,
    /// The first supernode of its subtree, which ends with itself.
    pub(super) first: usize,
    /// How its rows lie in its parent's front.
    pub(super) runs: Vec<Run>,
}

/// Scalar rows that follow one another both below a supernode and in the front of its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) len: usize,
}

impl Supernode {
    /// Scalar columns.
    pub(super) fn width(&self) -> usize {
        3 * (self.end - self.begin)
    }

    /// Scalar rows below.
    pub(super) fn below(&self) -> usize {
        3 * self.rows.len()
    }

    /// Block row in the front (columns first, then the rows below) of a block row of the matrix.
    pub(super) fn front_row(&self, row: usize) -> usize {
        if row < self.end {
            row - self.begin
        } else {
            self.end - self.begin + self.rows.partition_point(|r| (*r as usize) < row)
        }
    }
}

/// Supernodes of the factor in postorder, which the pattern must be in.
pub(super) fn supernodes(pattern: &BlockPattern) -> Vec<Supernode> {
    let tree = Tree::new(pattern);
    let mut merged: Vec<Columns> = Vec::new();
    for mut next in fundamental(pattern, &tree) {
        let subtree = tree.first[next.begin];
        let is_like = |column: usize| pattern.is_joint(column) == pattern.is_joint(next.begin);
        if next.end - subtree <= SMALL_SUBTREE && (subtree..next.begin).all(is_like) {
            merged.truncate(merged.partition_point(|c| c.begin < subtree));
            next.begin = subtree;
        } else if let Some(child) =
            merged.pop_if(|c| subtree < c.end && next.takes(c, &tree, pattern))
        {
            next.zeros = next.zeros_with(&child);
            next.begin = child.begin;
        }
        merged.push(next);
    }
    link(merged, pattern.blocks())
}

/// The elimination tree by block columns.
struct Tree {
    parent: Vec<u32>,
    children: Vec<u32>,
    /// First column of every subtree.
    first: Vec<usize>,
}

impl Tree {
    fn new(pattern: &BlockPattern) -> Self {
        let mut upper = vec![Vec::new(); pattern.blocks()];
        for column in 0..pattern.blocks() {
            pattern.below(column).iter().for_each(|r| upper[*r as usize].push(column as u32));
        }
        let parent = elimination_tree(&upper);
        let mut children = vec![0; parent.len()];
        let mut first: Vec<usize> = (0..parent.len()).collect();
        for column in (0..parent.len()).filter(|c| parent[*c] != ROOT) {
            let above = parent[column] as usize;
            children[above] += 1;
            first[above] = first[above].min(first[column]);
        }
        Self { parent, children, first }
    }
}

/// Columns that become a supernode.
struct Columns {
    begin: usize,
    end: usize,
    rows: Vec<u32>,
    zeros: usize,
}

impl Columns {
    fn zeros_with(&self, child: &Columns) -> usize {
        let grown = self.end - self.begin + self.rows.len() - child.rows.len();
        self.zeros + child.zeros + (child.end - child.begin) * grown
    }

    /// Whether to merge with the child just before.
    fn takes(&self, child: &Columns, tree: &Tree, pattern: &BlockPattern) -> bool {
        if pattern.is_joint(self.begin) != pattern.is_joint(child.begin) {
            return false;
        }
        let branches = tree.children[self.begin] > 1;
        let narrower = (self.end - self.begin).min(child.end - child.begin);
        if branches && narrower >= WIDE {
            return false;
        }
        let columns = self.end - child.begin;
        let entries = columns * (columns + 1) / 2 + columns * self.rows.len();
        let zeros = self.zeros_with(child) as f64;
        RELAXATION.iter().any(|(limit, part)| columns <= *limit && zeros <= part * entries as f64)
    }
}

/// The largest runs of columns with the same rows below, each but the first the only parent of the one before.
fn fundamental(pattern: &BlockPattern, tree: &Tree) -> Vec<Columns> {
    let mut out: Vec<Columns> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut seen_by = vec![usize::MAX; pattern.blocks()];
    for column in 0..pattern.blocks() {
        let mut rows: Vec<u32> = pattern.below(column).to_vec();
        rows.iter().for_each(|r| seen_by[*r as usize] = column);
        seen_by[column] = column;
        let below = |c: &Columns| tree.parent[c.end - 1] as usize == column;
        while let Some(child) = open.pop_if(|c| below(&out[*c])) {
            for &row in &out[child].rows {
                if std::mem::replace(&mut seen_by[row as usize], column) != column {
                    rows.push(row);
                }
            }
        }
        rows.sort_unstable();
        match out.last_mut() {
            Some(last)
                if tree.children[column] == 1
                    && pattern.is_joint(column) == pattern.is_joint(last.begin)
                    && below(last)
                    && last.rows.len() == rows.len() + 1 =>
            {
                (last.end, last.rows) = (column + 1, rows);
            }
            _ => out.push(Columns { begin: column, end: column + 1, rows, zeros: 0 }),
        }
        open.push(out.len() - 1);
    }
    out
}

/// Children, subtrees and how the rows of every supernode lie in its parent.
fn link(merged: Vec<Columns>, blocks: usize) -> Vec<Supernode> {
    let mut of_column = vec![0; blocks];
    let mut out: Vec<Supernode> = Vec::with_capacity(merged.len());
    for (s, Columns { begin, end, rows, .. }) in merged.into_iter().enumerate() {
        of_column[begin..end].fill(s);
        out.push(Supernode { begin, end, rows, children: vec![], first: s, runs: vec![] });
    }
    for s in 0..out.len() {
        let Some(&row) = out[s].rows.first() else { continue };
        let parent = of_column[row as usize];
        out[s].runs = runs(&out[s].rows, &out[parent]);
        out[parent].children.push(s);
        out[parent].first = out[parent].first.min(out[s].first);
    }
    out
}

fn runs(rows: &[u32], parent: &Supernode) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (i, &row) in rows.iter().enumerate() {
        let (source, target) = (3 * i, 3 * parent.front_row(row as usize));
        match runs.last_mut() {
            // Columns and rows below of the parent are stored apart.
            Some(run) if run.target + run.len == target && target != parent.width() => run.len += 3,
            _ => runs.push(Run { source, target, len: 3 }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::Grid;
    use super::*;

    #[test]
    fn both_sides_hang_on_the_separator_of_a_bar() {
        // The middle plane of 5 x 5 x 21 blocks comes last; its parts keep to their side.
        let nodes = supernodes(&Grid::new([5, 5, 21], 1).pattern());
        let root = &nodes[nodes.len() - 1];
        assert_eq!((root.width(), root.below(), root.children.len()), (75, 0, 2));
        let sides: Vec<usize> =
            root.children.iter().map(|c| nodes[*c].end - nodes[nodes[*c].first].begin).collect();
        assert_eq!(sides, [250, 250]);
    }

    #[test]
    fn rows_of_children_are_in_the_front_of_their_parent() {
        let nodes = supernodes(&Grid::new([4, 6, 5], 9).pattern());
        for parent in &nodes {
            for child in parent.children.iter().map(|c| &nodes[*c]) {
                let own = (parent.begin..parent.end).map(|r| r as u32);
                let front: Vec<u32> = own.chain(parent.rows.iter().copied()).collect();
                let mapped = child.runs.iter().flat_map(|run| {
                    (0..run.len).step_by(3).map(|i| ((run.source + i) / 3, (run.target + i) / 3))
                });
                let mapped: Vec<(usize, usize)> = mapped.collect();
                assert_eq!(mapped.len(), child.rows.len());
                assert!(mapped.iter().all(|(from, to)| child.rows[*from] == front[*to]));
            }
        }
    }
}
