//! Triangular solves of one vector, or of four side by side, with the panels of the factor.
//!
//! Every number of L is read once a pass, so that memory sets the pace; three columns go at a time, as a node has three. Where
//! the tree of supernodes has two heavy sides, each goes to a thread of its own: what they add to the columns that are
//! eliminated after both is kept apart and added in a fixed order, so that every number is the same for any number of threads.

use super::supernodes::Supernode;
use faer::traits::pulp::Arch;
use glam::DVec4;
use std::ops::{Add, AddAssign, Div, Mul, Range, Sub, SubAssign};

/// Sides with at least so many numbers of L are worth a thread (20 us).
const WORTH_A_THREAD: usize = 30_000;

/// Two independent sides of the tree, `0..middle` and `middle..top`, and what is eliminated after both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides {
    middle: usize,
    top: usize,
}

impl Sides {
    /// The sides that are done soonest by two threads; none where that is not worth it.
    pub(super) fn of(nodes: &[Supernode]) -> Option<Self> {
        let mut before = vec![0];
        let size = |node: &Supernode| node.width() * (node.width() + node.below());
        nodes.iter().for_each(|node| before.push(before[before.len() - 1] + size(node)));
        let total = before[nodes.len()];
        let candidates = nodes.iter().enumerate().flat_map(|(top, node)| {
            node.children.iter().skip(1).map(move |c| Self { middle: nodes[*c].first, top })
        });
        let parts = |s: &Self| (before[s.middle], before[s.top] - before[s.middle]);
        let worth = |s: &Self| parts(s).0.min(parts(s).1) >= WORTH_A_THREAD;
        let time = |s: &Self| parts(s).0.max(parts(s).1) + total - before[s.top];
        candidates.filter(worth).min_by_key(time)
    }
}

/// An entry of what is solved for: a number of one vector, or those of four.
pub(super) trait Entry:
    Copy
    + Default
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + AddAssign
    + SubAssign
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
}

impl Entry for f64 {}
impl Entry for DVec4 {}

/// Supernodes with the panels of their factor.
pub(super) struct Triangle<'a, P> {
    pub(super) nodes: &'a [Supernode],
    pub(super) panel: P,
    pub(super) sides: Option<Sides>,
}

impl<'a, P: Fn(usize) -> &'a [f64] + Sync> Triangle<'_, P> {
    /// x <- L^-1 x.
    pub(super) fn forward<V: Entry>(&self, x: &mut [V]) {
        let Some(Sides { middle, top }) = self.sides else {
            return self.forward_range(0..self.nodes.len(), x, &mut []);
        };
        let [left, right, above] = self.split(x, middle, top);
        let mut carried = [vec![V::default(); above.len()], vec![V::default(); above.len()]];
        let [from_left, from_right] = &mut carried;
        rayon::join(
            || self.forward_range(0..middle, left, from_left),
            || self.forward_range(middle..top, right, from_right),
        );
        let sums = carried[0].iter().zip(&carried[1]);
        above.iter_mut().zip(sums).for_each(|(x, (l, r))| *x += *l + *r);
        self.forward_range(top..self.nodes.len(), above, &mut []);
    }

    /// x <- L^-T x.
    pub(super) fn backward<V: Entry>(&self, x: &mut [V]) {
        let Some(Sides { middle, top }) = self.sides else {
            return self.backward_range(0..self.nodes.len(), x, &[]);
        };
        let [left, right, above] = self.split(x, middle, top);
        self.backward_range(top..self.nodes.len(), above, &[]);
        rayon::join(
            || self.backward_range(0..middle, left, above),
            || self.backward_range(middle..top, right, above),
        );
    }

    fn split<'x, V>(&self, x: &'x mut [V], middle: usize, top: usize) -> [&'x mut [V]; 3] {
        let [middle, top] = [middle, top].map(|s| 3 * self.nodes[s].begin);
        let (sides, above) = x.split_at_mut(top);
        let (left, right) = sides.split_at_mut(middle);
        [left, right, above]
    }

    /// Solves for a range of supernodes, whose entries are `x`; what falls to later columns, the last of all, is added to `later`.
    fn forward_range<V: Entry>(&self, range: Range<usize>, x: &mut [V], later: &mut [V]) {
        let (arch, mut front) = (Arch::new(), Vec::new());
        let Some(first) = self.nodes.get(range.start) else { return };
        let (begin, end) = (3 * first.begin, 3 * first.begin + x.len());
        let after = self.len() - later.len();
        for s in range {
            let node = &self.nodes[s];
            let own = 3 * node.begin - begin..3 * node.end - begin;
            front.clear();
            front.extend_from_slice(&x[own.clone()]);
            front.resize(node.width() + node.below(), V::default());
            arch.dispatch(
                #[inline(always)]
                || forward_panel((self.panel)(s), node.width(), &mut front),
            );
            let (top, bottom) = front.split_at(node.width());
            x[own].copy_from_slice(top);
            for (row, value) in node.rows.iter().zip(bottom.chunks_exact(3)) {
                let row = 3 * *row as usize;
                let target =
                    if row < end { &mut x[row - begin..] } else { &mut later[row - after..] };
                target.iter_mut().zip(value).for_each(|(x, v)| *x += *v);
            }
        }
    }

    /// Solves for a range of supernodes, whose entries are `x`; those of later columns, the last of all, are `later`.
    fn backward_range<V: Entry>(&self, range: Range<usize>, x: &mut [V], later: &[V]) {
        let (arch, mut front) = (Arch::new(), Vec::new());
        let Some(first) = self.nodes.get(range.start) else { return };
        let (begin, end) = (3 * first.begin, 3 * first.begin + x.len());
        let after = self.len() - later.len();
        for s in range.rev() {
            let node = &self.nodes[s];
            let own = 3 * node.begin - begin..3 * node.end - begin;
            front.clear();
            front.extend_from_slice(&x[own.clone()]);
            for row in node.rows.iter().map(|row| 3 * *row as usize) {
                let source = if row < end { &x[row - begin..] } else { &later[row - after..] };
                front.extend_from_slice(&source[..3]);
            }
            arch.dispatch(
                #[inline(always)]
                || backward_panel((self.panel)(s), node.width(), &mut front),
            );
            x[own].copy_from_slice(&front[..node.width()]);
        }
    }

    /// Scalar columns of all.
    fn len(&self) -> usize {
        self.nodes.last().map_or(0, |node| 3 * node.end)
    }
}

/// Solves the columns' rows of a front and subtracts them from the rows below.
#[inline(always)]
fn forward_panel<V: Entry>(panel: &[f64], width: usize, front: &mut [V]) {
    let height = front.len();
    for (node, columns) in panel.chunks_exact(3 * height).enumerate().take(width / 3) {
        let at = 3 * node;
        let [a, b, c] = three(columns, at, height);
        let below = &mut front[at..];
        let x = below[0] / a[0];
        let y = (below[1] - x * a[1]) / b[1];
        let z = (below[2] - x * a[2] - y * b[2]) / c[2];
        below[..3].copy_from_slice(&[x, y, z]);
        let rest = below[3..].iter_mut().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]);
        rest.for_each(|(((f, a), b), c)| *f -= x * *a + y * *b + z * *c);
    }
}

/// Solves the columns' rows of a front, whose rows below are solved.
#[inline(always)]
fn backward_panel<V: Entry>(panel: &[f64], width: usize, front: &mut [V]) {
    let height = front.len();
    for node in (0..width / 3).rev() {
        let at = 3 * node;
        let [a, b, c] = three(&panel[at * height..][..3 * height], at, height);
        let (own, below) = front[at..].split_at_mut(3);
        let [x, y, z] = dots(&a[3..], &b[3..], &c[3..], below);
        own[2] = (own[2] - z) / c[2];
        own[1] = (own[1] - y - own[2] * b[2]) / b[1];
        own[0] = (own[0] - x - own[1] * a[1] - own[2] * a[2]) / a[0];
    }
}

/// Three columns from row `at` on.
#[inline(always)]
fn three(columns: &[f64], at: usize, height: usize) -> [&[f64]; 3] {
    [&columns[at..height], &columns[height + at..2 * height], &columns[2 * height + at..]]
}

/// Dot products of three columns with x, in four lanes.
#[inline(always)]
fn dots<V: Entry>(a: &[f64], b: &[f64], c: &[f64], x: &[V]) -> [V; 3] {
    let mut sums = [[V::default(); 4]; 3];
    let whole = x.len() / 4 * 4;
    let (x4, a4) = (x.chunks_exact(4), a.chunks_exact(4));
    for (((x, a), b), c) in x4.zip(a4).zip(b.chunks_exact(4)).zip(c.chunks_exact(4)) {
        for lane in 0..4 {
            sums[0][lane] += x[lane] * a[lane];
            sums[1][lane] += x[lane] * b[lane];
            sums[2][lane] += x[lane] * c[lane];
        }
    }
    for i in whole..x.len() {
        sums[0][i - whole] += x[i] * a[i];
        sums[1][i - whole] += x[i] * b[i];
        sums[2][i - whole] += x[i] * c[i];
    }
    sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]))
}
