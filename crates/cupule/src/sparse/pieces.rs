//! Pieces of a factorisation: what falls apart without the joints, which are eliminated last.
//!
//! A piece whose numbers are the same stays as it is while others are factored anew. So does one that has only turned: along
//! axes that turn with it nothing of it has changed but how the joints look at it.

use super::cholesky::Cholesky;
use super::pattern::BlockPattern;
use super::supernodes::Supernode;
use cupule_geometry::{DMat3, DVec3};

impl Cholesky {
    /// Turns what the unknowns of each piece have with joints, for a matrix in which joints look at them turned `by` so much (the same
    /// for all blocks of a piece): A_lj becomes A_lj R^T, and what the piece adds to joints, U, becomes R U R^T. To be followed by
    /// [`Self::factor_changed`] for the joints themselves.
    pub fn turn_pieces(&mut self, by: impl Fn(usize) -> DMat3) {
        let mut block_at = vec![0; self.pattern.blocks()];
        (0..block_at.len()).for_each(|block| block_at[self.pattern.place(block)] = block);
        for (s, node) in self.nodes.iter().enumerate() {
            let turn = by(block_at[node.begin]);
            if self.pattern.is_joint(node.begin) || turn == DMat3::IDENTITY {
                continue;
            }
            let first = node.rows.partition_point(|row| !self.pattern.is_joint(*row as usize));
            let (range, height) = (self.layout.panel(s), node.width() + node.below());
            for column in self.values[range].chunks_exact_mut(height) {
                turn_rows(&turn, &mut column[node.width() + 3 * first..]);
            }
            turn_square(&turn, &mut self.values[self.layout.kept(s)], node.below());
        }
    }

    /// The supernodes whose subtrees can stay.
    pub(super) fn staying(&self, changed: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut has_changed = vec![false; self.pattern.blocks()];
        (0..has_changed.len()).for_each(|b| has_changed[self.pattern.place(b)] = changed(b));
        let stays = |node: &Supernode| {
            let columns = self.nodes[node.first].begin..node.end;
            is_piece(node, &self.pattern) && !has_changed[columns].contains(&true)
        };
        self.nodes.iter().map(|node| self.is_factored && stays(node)).collect()
    }
}

/// Whether a subtree is a piece that falls off without the joints.
pub(super) fn is_piece(node: &Supernode, pattern: &BlockPattern) -> bool {
    let on_joint = node.rows.first().is_none_or(|parent| pattern.is_joint(*parent as usize));
    on_joint && !pattern.is_joint(node.begin)
}

/// Turns every three entries.
fn turn_rows(turn: &DMat3, rows: &mut [f64]) {
    for triple in rows.chunks_exact_mut(3) {
        triple.copy_from_slice(&(*turn * DVec3::from_slice(triple)).to_array());
    }
}

/// U <- R U R^T in blocks of three, of which the lower triangle counts; nothing where there is no U.
fn turn_square(turn: &DMat3, values: &mut [f64], size: usize) {
    if values.is_empty() {
        return;
    }
    for c in 0..size {
        (c + 1..size).for_each(|r| values[r * size + c] = values[c * size + r]);
        turn_rows(turn, &mut values[c * size..(c + 1) * size]);
    }
    for row in 0..size {
        for c in (0..size).step_by(3) {
            let at = [0, 1, 2].map(|k| (c + k) * size + row);
            let turned = *turn * DVec3::from_array(at.map(|i| values[i]));
            at.into_iter().zip(turned.to_array()).for_each(|(i, value)| values[i] = value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{Grid, threads};
    use super::*;

    /// A bar of 5 x 5 x 21 whose middle plane is a joint.
    fn jointed() -> Grid {
        Grid::new([5, 5, 21], 3).joined_at(|x| x.z == 10.0)
    }

    fn panels(cholesky: &Cholesky) -> Vec<Vec<u64>> {
        let bits = |s: usize| cholesky.panel(s).iter().map(|v| v.to_bits()).collect();
        (0..cholesky.nodes.len()).map(bits).collect()
    }

    #[test]
    fn one_side_of_a_joint_is_factored_anew_as_if_both_were() {
        let old = jointed();
        assert!(old.factored().layout.has_threads(), "large enough to be shared");
        for threads_at_work in [1, 2] {
            for is_changed in [|z: f64| z < 10.0, |z: f64| z > 10.0, |z: f64| z != 10.0] {
                let chosen = |b: usize| is_changed(old.position(b).z);
                let new = old.stiffened(chosen);
                let mut partly = old.factored();
                threads(threads_at_work, || partly.factor_changed(&new.matrix(), chosen))
                    .expect("positive definite");
                assert_eq!(panels(&partly), panels(&new.factored()));
            }
        }
    }

    #[test]
    fn a_side_that_is_said_to_be_the_same_is_not_looked_at() {
        let old = jointed();
        let is_low = |b: usize| old.position(b).z < 10.0;
        let new = old.stiffened(is_low);
        let (mut misled, is_high) = (old.factored(), |b: usize| old.position(b).z > 10.0);
        misled.factor_changed(&new.matrix(), is_high).expect("positive definite");
        let (before, whole, found) =
            (panels(&old.factored()), panels(&new.factored()), panels(&misled));
        let low = |s: &usize| is_low_piece(&misled, *s, is_low);
        let of_low: Vec<usize> = (0..found.len()).filter(low).collect();
        assert!(of_low.len() > 3, "a piece of several supernodes: {of_low:?}");
        assert!(of_low.iter().all(|s| found[*s] == before[*s] && found[*s] != whole[*s]));
    }

    /// Whether all columns of a supernode are of chosen blocks.
    fn is_low_piece(cholesky: &Cholesky, s: usize, chosen: impl Fn(usize) -> bool) -> bool {
        let pattern = cholesky.pattern();
        let columns = cholesky.nodes[s].begin..cholesky.nodes[s].end;
        let of = |column| (0..pattern.blocks()).find(|b| pattern.place(*b) == column);
        columns.into_iter().all(|column| of(column).is_some_and(&chosen))
    }

    #[test]
    fn a_piece_that_turns_is_not_factored_anew() {
        let grid = jointed();
        let is_low = |b: usize| grid.position(b).z < 10.0;
        let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_x(-0.4);
        let matrix = grid.turned_matrix(is_low, turn);
        let (mut turned, mut whole) = (grid.factored(), grid.factored());
        turned.turn_pieces(|b| if is_low(b) { turn } else { DMat3::IDENTITY });
        turned.factor_changed(&matrix, |_| false).expect("positive definite");
        whole.factor(&matrix).expect("positive definite");
        let apart = |s: usize| {
            let pairs = turned.panel(s).iter().zip(whole.panel(s));
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let largest = (0..turned.nodes.len()).map(apart).fold(0.0, f64::max);
        assert!(largest < 1e-12, "{largest}");
        assert_ne!(panels(&turned), panels(&grid.factored()), "something has turned");
    }

    #[test]
    fn nothing_stays_after_a_failure() {
        let good = jointed();
        let mut cholesky = good.factored();
        let pattern = good.pattern();
        let mut bad = good.matrix();
        bad.add(pattern.slot(0, 0).expect("diagonal"), &(DMat3::IDENTITY * -1e6));
        assert!(cholesky.factor_changed(&bad, |_| true).is_err());
        cholesky.factor_changed(&good.matrix(), |_| false).expect("positive definite");
        assert_eq!(panels(&cholesky), panels(&good.factored()));
    }
}
