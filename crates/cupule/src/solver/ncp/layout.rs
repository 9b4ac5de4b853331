//! What belongs to an island: where its blocks are, which of them elements join, whose it is.

use crate::mapping::{Frame, Tie, for_each_block};
use crate::model::{Configuration, Islands, Model};
use cupule_geometry::DVec3;

/// Where the blocks of an island are: nodes at their points, both blocks of a rigid body at its centre.
pub(super) fn block_positions(model: &Model, at: &Configuration, blocks: &[usize]) -> Vec<DVec3> {
    let mut positions = vec![DVec3::ZERO; blocks.len()];
    let mut place = |block: usize, x: DVec3| {
        if let Ok(i) = blocks.binary_search(&block) {
            positions[i] = x;
        }
    };
    for (tie, x) in model.ties.iter().zip(&at.points) {
        if let Tie::Free(block) = tie {
            place(*block, *x);
        }
    }
    for frame in &at.frames {
        place(frame.block, frame.position);
        place(frame.block + 1, frame.position);
    }
    positions
}

pub(super) fn add_element_pairs(
    model: &Model,
    frames: &[Frame],
    soft: usize,
    local: &dyn Fn(usize) -> usize,
    pairs: &mut Vec<(usize, usize)>,
) {
    let part = &model.soft[soft];
    let n = part.elements.nodes_per_element();
    for nodes in part.elements.connectivity().chunks_exact(n) {
        let mut blocks: Vec<usize> = Vec::new();
        for node in nodes {
            let point = part.points.start + *node as usize;
            for_each_block(&model.ties, frames, point, &mut |block, _| blocks.push(local(block)));
        }
        blocks.sort_unstable();
        blocks.dedup();
        for (i, a) in blocks.iter().enumerate() {
            pairs.extend(blocks[..i].iter().map(|b| (*a, *b)));
        }
    }
}

pub(super) fn first_body(
    model: &Model,
    frames: &[usize],
    index: usize,
    islands: &Islands,
) -> usize {
    let in_soft = model.soft.iter().find(|s| {
        s.points
            .clone()
            .any(|p| matches!(model.ties[p], Tie::Free(b) if islands.of_block[b] == index))
    });
    in_soft.map(|s| s.body).or_else(|| frames.first().map(|f| model.rigid[*f].body)).unwrap_or(0)
}
