//! Triangular solves of one vector with the panels of the factor.
//!
//! Every number of L is read once a pass, so that memory sets the pace; three columns go at a time, as a node has three.

use super::supernodes::Supernode;
use faer::traits::pulp::Arch;

/// x <- L^-1 x.
pub(super) fn forward<'a>(nodes: &[Supernode], panel: impl Fn(usize) -> &'a [f64], x: &mut [f64]) {
    let (arch, mut front) = (Arch::new(), Vec::new());
    for (s, node) in nodes.iter().enumerate() {
        let own = 3 * node.begin..3 * node.end;
        front.clear();
        front.extend_from_slice(&x[own.clone()]);
        front.resize(node.width() + node.below(), 0.0);
        arch.dispatch(
            #[inline(always)]
            || forward_panel(panel(s), node.width(), &mut front),
        );
        let (top, bottom) = front.split_at(node.width());
        x[own].copy_from_slice(top);
        for (row, value) in node.rows.iter().zip(bottom.chunks_exact(3)) {
            let x = &mut x[3 * *row as usize..][..3];
            x.iter_mut().zip(value).for_each(|(x, v)| *x += v);
        }
    }
}

/// x <- L^-T x.
pub(super) fn backward<'a>(nodes: &[Supernode], panel: impl Fn(usize) -> &'a [f64], x: &mut [f64]) {
    let (arch, mut front) = (Arch::new(), Vec::new());
    for (s, node) in nodes.iter().enumerate().rev() {
        let own = 3 * node.begin..3 * node.end;
        front.clear();
        front.extend_from_slice(&x[own.clone()]);
        node.rows.iter().for_each(|r| front.extend_from_slice(&x[3 * *r as usize..][..3]));
        arch.dispatch(
            #[inline(always)]
            || backward_panel(panel(s), node.width(), &mut front),
        );
        x[own].copy_from_slice(&front[..node.width()]);
    }
}

/// Solves the columns' rows of a front and subtracts them from the rows below.
#[inline(always)]
fn forward_panel(panel: &[f64], width: usize, front: &mut [f64]) {
    let height = front.len();
    for (node, columns) in panel.chunks_exact(3 * height).enumerate().take(width / 3) {
        let at = 3 * node;
        let [a, b, c] = three(columns, at, height);
        let below = &mut front[at..];
        let x = below[0] / a[0];
        let y = (below[1] - a[1] * x) / b[1];
        let z = (below[2] - a[2] * x - b[2] * y) / c[2];
        below[..3].copy_from_slice(&[x, y, z]);
        let rest = below[3..].iter_mut().zip(&a[3..]).zip(&b[3..]).zip(&c[3..]);
        rest.for_each(|(((f, a), b), c)| *f -= a * x + b * y + c * z);
    }
}

/// Solves the columns' rows of a front, whose rows below are solved.
#[inline(always)]
fn backward_panel(panel: &[f64], width: usize, front: &mut [f64]) {
    let height = front.len();
    for node in (0..width / 3).rev() {
        let at = 3 * node;
        let [a, b, c] = three(&panel[at * height..][..3 * height], at, height);
        let (own, below) = front[at..].split_at_mut(3);
        let [x, y, z] = dots(&a[3..], &b[3..], &c[3..], below);
        own[2] = (own[2] - z) / c[2];
        own[1] = (own[1] - y - b[2] * own[2]) / b[1];
        own[0] = (own[0] - x - a[1] * own[1] - a[2] * own[2]) / a[0];
    }
}

/// Three columns from row `at` on.
#[inline(always)]
fn three(columns: &[f64], at: usize, height: usize) -> [&[f64]; 3] {
    [&columns[at..height], &columns[height + at..2 * height], &columns[2 * height + at..]]
}

/// Dot products of three columns with x, in four lanes.
#[inline(always)]
fn dots(a: &[f64], b: &[f64], c: &[f64], x: &[f64]) -> [f64; 3] {
    let mut sums = [[0.0; 4]; 3];
    let whole = x.len() / 4 * 4;
    let (x4, a4) = (x.chunks_exact(4), a.chunks_exact(4));
    for (((x, a), b), c) in x4.zip(a4).zip(b.chunks_exact(4)).zip(c.chunks_exact(4)) {
        for lane in 0..4 {
            sums[0][lane] += a[lane] * x[lane];
            sums[1][lane] += b[lane] * x[lane];
            sums[2][lane] += c[lane] * x[lane];
        }
    }
    for i in whole..x.len() {
        sums[0][i - whole] += a[i] * x[i];
        sums[1][i - whole] += b[i] * x[i];
        sums[2][i - whole] += c[i] * x[i];
    }
    sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]))
}
