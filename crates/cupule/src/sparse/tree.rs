//! The elimination tree of a symmetric block pattern, and its postorder.
//!
//! The parent of a column is the first row below the diagonal of the factor's column. In postorder the columns of every
//! subtree follow one another, so that subtrees own separate pieces of memory and can be worked on by separate threads.
//! Tree by path compression after Liu, "A compact row storage scheme for Cholesky factors using elimination trees", 1986.

/// Parent of a root.
pub(super) const ROOT: u32 = u32::MAX;

/// Parent of every column, for the rows above the diagonal in every column.
pub(super) fn elimination_tree(upper: &[Vec<u32>]) -> Vec<u32> {
    let (mut parent, mut ancestor) = (vec![ROOT; upper.len()], vec![ROOT; upper.len()]);
    for (column, rows) in upper.iter().enumerate() {
        for &row in rows {
            let mut at = row as usize;
            while at != column {
                let above = std::mem::replace(&mut ancestor[at], column as u32);
                if above == ROOT {
                    parent[at] = column as u32;
                    break;
                }
                at = above as usize;
            }
        }
    }
    parent
}

/// The columns with every subtree in one piece, children before parents and otherwise in their old order.
pub(super) fn postorder(parent: &[u32]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parent.len()];
    for (child, parent) in parent.iter().enumerate().filter(|(_, p)| **p != ROOT) {
        children[*parent as usize].push(child);
    }
    let mut order = Vec::with_capacity(parent.len());
    let mut open: Vec<usize> = (0..parent.len()).filter(|c| parent[*c] == ROOT).collect();
    // Parents before children and the last child first: a postorder read backwards.
    while let Some(column) = open.pop() {
        order.push(column);
        open.extend(&children[column]);
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_in_one_piece() {
        // Two chains 0-2-4 and 1-3-5 that meet in 6: their columns alternate before and do not after.
        let parent = [2, 3, 4, 5, 6, 6, ROOT];
        assert_eq!(postorder(&parent), [0, 2, 4, 1, 3, 5, 6]);
    }

    #[test]
    fn parent_is_the_first_row_of_the_factor() {
        // A cycle 0-1-2-3: eliminating 0 connects 1 and 3.
        let tree = elimination_tree(&[vec![], vec![0], vec![1], vec![0, 2]]);
        assert_eq!(tree, [1, 2, 3, ROOT]);
    }
}
