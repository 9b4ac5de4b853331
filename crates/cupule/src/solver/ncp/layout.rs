//! What belongs to an island: where its blocks are, which of them elements join, what falls apart without its rigid bodies, whose it is.

use crate::mapping::{Frame, for_each_block};
use crate::model::{Configuration, Model};
use cupule_geometry::DVec3;
use cupule_geometry::disjoint::DisjointSets;
use std::collections::BTreeMap;

/// Where the blocks of an island are: nodes at their points, both blocks of a rigid body at its centre.
pub(super) fn block_positions(model: &Model, at: &Configuration, blocks: &[usize]) -> Vec<DVec3> {
    let mut positions = vec![DVec3::ZERO; blocks.len()];
    let mut place = |block: usize, x: DVec3| {
        if let Ok(i) = blocks.binary_search(&block) {
            positions[i] = x;
        }
    };
    for (tie, x) in model.ties.iter().zip(&at.points) {
        if let Some(block) = tie.own_block() {
            place(block, *x);
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

/// The soft parts of an island by limb: those that share a block which is not a rigid body's.
pub(super) fn by_limb(model: &Model, frames: &[Frame], soft: &[usize]) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::new(soft.len());
    let mut first_part_of: BTreeMap<usize, u32> = BTreeMap::new();
    for (part, &s) in (0..).zip(soft) {
        let blocks = moved_by(model, frames, s);
        for block in blocks.into_iter().filter(|block| !is_rigid(frames, *block)) {
            sets.join(*first_part_of.entry(block).or_insert(part), part);
        }
    }
    let parts = |limb: Vec<u32>| limb.into_iter().map(|part| soft[part as usize]).collect();
    sets.members().into_iter().map(parts).collect()
}

/// Whether a block is a rigid body's.
pub(super) fn is_rigid(frames: &[Frame], block: usize) -> bool {
    frames.iter().any(|f| [f.block, f.block + 1].contains(&block))
}

/// The blocks that move the points of a soft part, ascending.
pub(super) fn moved_by(model: &Model, frames: &[Frame], soft: usize) -> Vec<usize> {
    let mut blocks = Vec::new();
    for point in model.soft[soft].points.clone() {
        for_each_block(&model.ties, frames, point, &mut |block, _| blocks.push(block));
    }
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Formulation, pool};
    use crate::mapping::Tie;
    use crate::material::{Isotropic, Material};
    use crate::model::{Rayleigh, Soft};
    use cupule_geometry::structured::cuboid_hexes;
    use cupule_geometry::{DMat3, DQuat};

    /// A hexahedron whose nodes start at the given point.
    fn hexahedron(start: usize) -> Soft {
        let mesh = cuboid_hexes(DVec3::ONE, [1, 1, 1]).expect("a cube");
        let material = Material::corotated(Isotropic::new(1e6, 0.3).expect("rubber"));
        Soft {
            points: start..start + 8,
            carriers: start..start + 8,
            shares_nodes: false,
            elements: pool(&mesh, &material, Formulation::default(), None),
            modulus: Some(1e6),
            damping: Rayleigh::default(),
            body: start / 8,
        }
    }

    #[test]
    fn limbs_meet_in_rigid_bodies_only() {
        // Four cubes: half of the first, the second and the third are on a rigid body, half of the last on the third and the first.
        let free = |blocks: std::ops::Range<usize>| blocks.map(Tie::Free);
        let on_frame = || (0..4).map(|_| Tie::Carried { frame: 0, arm: DVec3::X });
        let on_both = [20, 21, 4, 5].map(|point| Tie::Combined(vec![(point, 1.0)]));
        let mut ties: Vec<Tie> = Vec::new();
        for first in [2, 6, 10] {
            ties.extend(on_frame().chain(free(first..first + 4)));
        }
        ties.extend(on_both.into_iter().chain(free(14..18)));
        let soft = [0, 8, 16, 24].map(hexahedron).into();
        let model = Model { ties, soft, body_of_block: vec![0; 18], ..Model::default() };
        let frame = Frame {
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            block: 0,
            stretch: DMat3::IDENTITY,
        };
        assert_eq!(by_limb(&model, &[frame], &[0, 1, 2]), [vec![0], vec![1], vec![2]]);
        assert_eq!(by_limb(&model, &[frame], &[0, 1, 2, 3]), [vec![0, 2, 3], vec![1]]);
        assert_eq!(moved_by(&model, &[frame], 0), [0, 1, 2, 3, 4, 5]);
    }
}
