//! The second reading of the frames: packs them, block by block.

use std::io::{self, Read};

use rayon::prelude::*;

use super::numbers::Numbers;
use super::page::{Sections, deflate};
use super::scan::Scan;
use super::{FRAMES_PER_BLOCK, layers, motion};
use crate::frames::{Frame, FrameReader};

/// Adds all blocks; as many as there are threads are packed at a time, and added in order.
pub fn add<R: Read>(
    mut reader: FrameReader<R>,
    scan: &Scan,
    sections: &mut Sections,
) -> io::Result<()> {
    let mut index = 0;
    for _ in 0..scan.blocks().div_ceil(rayon::current_num_threads()) {
        let mut batch = Vec::new();
        while batch.len() < rayon::current_num_threads() * FRAMES_PER_BLOCK {
            let Some(frame) = reader.next_frame()? else { break };
            if scan.keeps(index) {
                batch.push(frame);
            }
            index += 1;
        }
        let blocks: Vec<Vec<u8>> =
            batch.par_chunks(FRAMES_PER_BLOCK).map(|frames| deflate(&pack(frames, scan))).collect();
        blocks.iter().for_each(|block| sections.add_block(block));
    }
    Ok(())
}

fn pack(frames: &[Frame], scan: &Scan) -> Vec<u8> {
    let mut numbers = Numbers::default();
    for (index, body) in scan.bodies.iter().enumerate() {
        let places: Vec<motion::Place> = frames
            .iter()
            .map(|frame| {
                let points = frame.positions[index].iter();
                points.map(|p| [0, 1, 2].map(|axis| body.grid.number(p[axis], axis))).collect()
            })
            .collect();
        motion::pack(&places, &body.reference, &mut numbers);
    }
    for (index, layer) in scan.layers.iter().enumerate() {
        let shown = frames.iter().map(|frame| &frame.layers[index]);
        layers::pack(shown, layer, &scan.grid, &mut numbers);
    }
    numbers.bytes()
}
