//! Work over the tree of supernodes from the leaves up, with independent subtrees on separate threads.
//!
//! The multifrontal method (Duff and Reid, 1983): every supernode has a panel, which stays, and an update, which its parent
//! takes in. Updates live on a stack whose layout depends on the tree alone, and a parent takes in its children in a fixed
//! order, so that every number is the same for any number of threads.

use super::supernodes::Supernode;
use std::ops::Range;

/// Subtrees with at least this many multiplications are worth a thread (0.1 ms).
const WORTH_A_THREAD: f64 = 1.5e6;

/// What is done at a supernode.
pub(super) trait Front: Sync {
    /// Whether the panels of the subtree of `s`, and the update that it has kept, are still those that they would become.
    fn stays(&self, _s: usize) -> bool {
        false
    }

    /// Finishes the panel of supernode `s` and computes its update, both of unknown content before.
    /// Err is the scalar column that failed.
    fn finish(
        &self,
        s: usize,
        panel: &mut [f64],
        update: &mut [f64],
        children: &Children<'_>,
    ) -> Result<(), usize>;
}

/// Where panels and updates are.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// Start of every panel, and the end of the last. The update of a subtree that may stay is kept behind its panel.
    starts: Vec<usize>,
    lengths: Vec<usize>,
    updates: Vec<usize>,
    /// Size of the stack that a subtree needs.
    stacks: Vec<usize>,
    /// Whether the subtrees below are worth separate threads.
    apart: Vec<bool>,
}

/// Sizes and work of one supernode.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) panel: usize,
    pub(super) update: usize,
    /// Multiplications.
    pub(super) work: f64,
    /// Whether its subtree may stay as it is while others change.
    pub(super) may_stay: bool,
}

impl Layout {
    pub(super) fn new(nodes: &[Supernode], size: impl Fn(usize) -> Size) -> Self {
        let mut layout = Self { starts: vec![0], ..Self::default() };
        let mut work: Vec<f64> = Vec::with_capacity(nodes.len());
        for (s, node) in nodes.iter().enumerate() {
            let own = size(s);
            let kept = if own.may_stay { own.update } else { 0 };
            layout.starts.push(layout.starts[s] + own.panel + kept);
            layout.lengths.push(own.panel);
            layout.updates.push(own.update);
            let heavy = node.children.iter().filter(|c| work[**c] >= WORTH_A_THREAD).count();
            layout.apart.push(heavy > 1);
            work.push(own.work + node.children.iter().map(|c| work[*c]).sum::<f64>());
            let (mut at, mut most) = (0, 0);
            for &child in &node.children {
                most = most.max(at + layout.stacks[child]);
                at += layout.room(child, heavy > 1);
            }
            layout.stacks.push(most.max(at + own.update));
        }
        layout
    }

    /// Length of the stack.
    pub(super) fn stack(&self) -> usize {
        self.stacks.iter().copied().max().unwrap_or(0)
    }

    /// Length of all panels, with what is kept behind them.
    pub(super) fn panels_len(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Where the panel of a supernode is.
    pub(super) fn panel(&self, s: usize) -> Range<usize> {
        self.starts[s]..self.starts[s] + self.lengths[s]
    }

    /// Where the update of a supernode is kept; empty where it is not.
    pub(super) fn kept(&self, s: usize) -> Range<usize> {
        self.panel(s).end..self.starts[s + 1]
    }

    /// Whether any subtrees go to separate threads.
    #[cfg(test)]
    pub(super) fn has_threads(&self) -> bool {
        self.apart.contains(&true)
    }

    /// Distance on the stack from the update of one child to that of the next.
    fn room(&self, child: usize, apart: bool) -> usize {
        if apart { self.stacks[child] } else { self.updates[child] }
    }
}

/// The updates of a supernode's children.
pub(super) struct Children<'a> {
    nodes: &'a [usize],
    layout: &'a Layout,
    apart: bool,
    side: Side,
    stack: &'a [f64],
}

impl<'a> Children<'a> {
    /// Every child with its update.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'a [f64])> {
        let (layout, apart, side) = (self.layout, self.apart, self.side);
        let mut stack = self.stack;
        self.nodes.iter().map(move |&child| {
            let (room, rest) = side.split(stack, layout.room(child, apart));
            stack = rest;
            (child, side.split(room, layout.updates[child]).0)
        })
    }
}

/// The end of a piece of the stack at which an update is left. Parents use the other end than their children, so that no
/// update has to be moved.
#[derive(Debug, Clone, Copy)]
enum Side {
    Low,
    High,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::High => Self::Low,
        }
    }

    /// `len` numbers at this end, and the others.
    fn split(self, stack: &[f64], len: usize) -> (&[f64], &[f64]) {
        match self {
            Self::Low => stack.split_at(len),
            Self::High => {
                let (rest, own) = stack.split_at(stack.len() - len);
                (own, rest)
            }
        }
    }

    fn split_mut(self, stack: &mut [f64], len: usize) -> (&mut [f64], &mut [f64]) {
        match self {
            Self::Low => stack.split_at_mut(len),
            Self::High => {
                let (rest, own) = stack.split_at_mut(stack.len() - len);
                (own, rest)
            }
        }
    }
}

/// Finishes all supernodes.
pub(super) fn run(
    nodes: &[Supernode],
    layout: &Layout,
    front: &impl Front,
    panels: &mut [f64],
    stack: &mut [f64],
) -> Result<(), usize> {
    let walk = Walk { nodes, layout, front };
    let mut panels = panels;
    let mut begin = 0;
    for s in (0..nodes.len()).filter(|s| nodes[*s].rows.is_empty()) {
        let len = layout.starts[s + 1] - layout.starts[begin];
        let (own, rest) = panels.split_at_mut(len);
        walk.subtree(s, own, stack, Side::Low)?;
        (panels, begin) = (rest, s + 1);
    }
    Ok(())
}

struct Walk<'a, F> {
    nodes: &'a [Supernode],
    layout: &'a Layout,
    front: &'a F,
}

impl<F: Front> Walk<'_, F> {
    /// `panels` are those of the subtree; its update is left at one side of the stack.
    fn subtree(
        &self,
        s: usize,
        panels: &mut [f64],
        stack: &mut [f64],
        side: Side,
    ) -> Result<(), usize> {
        let layout = self.layout;
        let own = layout.starts[s + 1] - layout.starts[s];
        if own == 0 {
            return Ok(());
        }
        let (below, own) = panels.split_at_mut(panels.len() - own);
        let (panel, kept) = own.split_at_mut(layout.lengths[s]);
        let (nodes, apart) = (&self.nodes[s].children[..], layout.apart[s]);
        let (stack, _) = side.split_mut(stack, layout.stacks[s]);
        if self.front.stays(s) {
            side.split_mut(stack, layout.updates[s]).0.copy_from_slice(kept);
            return Ok(());
        }
        self.forest(nodes, apart, below, stack, side.other())?;
        let (update, stack) = side.split_mut(stack, layout.updates[s]);
        let children = Children { nodes, layout, apart, side: side.other(), stack };
        self.front.finish(s, panel, update, &children)?;
        if !kept.is_empty() {
            kept.copy_from_slice(update);
        }
        Ok(())
    }

    fn forest(
        &self,
        roots: &[usize],
        apart: bool,
        panels: &mut [f64],
        stack: &mut [f64],
        side: Side,
    ) -> Result<(), usize> {
        let (left, right) = match roots {
            [] => return Ok(()),
            [only] => return self.subtree(*only, panels, stack, side),
            _ => roots.split_at(roots.len() / 2),
        };
        let starts = &self.layout.starts;
        let cut = starts[self.nodes[right[0]].first] - starts[self.nodes[left[0]].first];
        let (left_panels, right_panels) = panels.split_at_mut(cut);
        let taken = left.iter().map(|c| self.layout.room(*c, apart)).sum();
        if apart {
            let (left_stack, right_stack) = side.split_mut(stack, taken);
            let (first, second) = rayon::join(
                || self.forest(left, apart, left_panels, left_stack, side),
                || self.forest(right, apart, right_panels, right_stack, side),
            );
            return first.and(second);
        }
        self.forest(left, apart, left_panels, stack, side)?;
        let (_, right_stack) = side.split_mut(stack, taken);
        self.forest(right, apart, right_panels, right_stack, side)
    }
}
