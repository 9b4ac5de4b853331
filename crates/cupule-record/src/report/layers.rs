//! The layers of a block of frames, as whole numbers, one layer after the other, each frame by frame.
//!
//! - A field has per body 0, or 1 and one number per vertex: the value from 0 (least) to 4095 (largest of the run), less
//!   that of the same vertex in the frame before, or, if the block has none, less that of the vertex before. What is
//!   not finite counts as the least.
//! - Arrows: their count; x of all points, y, z, each less the one before; x of all vectors, y, z in 1/2047 of the
//!   longest.
//! - Volumes: their count; per volume identity, bits of its f32 value, counts of vertices and triangles; x, y, z as
//!   above, and the indices, each less the one before.

use super::numbers::Numbers;
use super::scan::{Grid, ScannedLayer};
use crate::frames::{Arrow, LayerFrame, Volume};

const FIELD_STEPS: f32 = 4095.0;
const ARROW_STEPS: f32 = 2047.0;

/// Appends what a layer shows in the frames of a block.
pub fn pack<'a>(
    frames: impl Iterator<Item = &'a LayerFrame>,
    layer: &ScannedLayer,
    grid: &Grid,
    numbers: &mut Numbers,
) {
    let mut before = Vec::new();
    for frame in frames {
        match frame {
            LayerFrame::Field(bodies) => before = pack_field(bodies, &before, layer, numbers),
            LayerFrame::Arrows(arrows) => pack_arrows(arrows, layer.max, grid, numbers),
            LayerFrame::Volumes(volumes) => {
                numbers.count(volumes.len());
                volumes.iter().for_each(|volume| pack_volume(volume, grid, numbers));
            }
        }
    }
}

fn pack_field(
    bodies: &[Option<Vec<f32>>],
    before: &[Option<Vec<i32>>],
    layer: &ScannedLayer,
    numbers: &mut Numbers,
) -> Vec<Option<Vec<i32>>> {
    let scale = FIELD_STEPS / (layer.max - layer.min).max(f32::MIN_POSITIVE);
    let level = |value: &f32| ((value - layer.min) * scale).clamp(0.0, FIELD_STEPS).round() as i32;
    let mut now = Vec::with_capacity(bodies.len());
    for (index, values) in bodies.iter().enumerate() {
        let levels: Option<Vec<i32>> =
            values.as_ref().map(|values| values.iter().map(level).collect());
        numbers.count(usize::from(levels.is_some()));
        if let Some(levels) = &levels {
            match before.get(index).and_then(Option::as_ref) {
                Some(before) => levels.iter().zip(before).for_each(|(a, b)| numbers.push(a - b)),
                None => numbers.differences(levels.iter().copied()),
            }
        }
        now.push(levels);
    }
    now
}

fn pack_arrows(arrows: &[Arrow], longest: f32, grid: &Grid, numbers: &mut Numbers) {
    numbers.count(arrows.len());
    for axis in 0..3 {
        numbers.differences(arrows.iter().map(|arrow| grid.number(arrow.at[axis], axis)));
    }
    let scale = ARROW_STEPS / longest.max(f32::MIN_POSITIVE);
    let steps = |c: f32| (c * scale).clamp(-ARROW_STEPS, ARROW_STEPS).round() as i32;
    for axis in 0..3 {
        arrows.iter().for_each(|arrow| numbers.push(steps(arrow.vector[axis])));
    }
}

fn pack_volume(volume: &Volume, grid: &Grid, numbers: &mut Numbers) {
    numbers.push(volume.identity as i32);
    numbers.push(volume.value.to_bits() as i32);
    numbers.count(volume.positions.len());
    numbers.count(volume.triangles.len());
    for axis in 0..3 {
        numbers.differences(volume.positions.iter().map(|point| grid.number(point[axis], axis)));
    }
    numbers.differences(volume.triangles.iter().flatten().map(|index| *index as i32));
}
