//! Finding the spacing at which a mesher gives a wanted number of nodes.

use crate::{GeometryError, VolumeMesh};

/// A mesh within this fraction of the wanted number of nodes ends the search.
const CLOSE: f64 = 0.03;
/// The same after the first trials: the number of nodes jumps with the spacing, and closer may not exist.
const CLOSE_ENOUGH: f64 = 0.1;
const FIRST_TRIALS: usize = 8;
/// Meshes tried at most.
const TRIALS: usize = 24;

/// The mesh whose number of nodes is nearest to `target`, and its spacing (m). `build` gives `None` where the spacing
/// is too coarse for any cell; `first` is a guess of the spacing.
pub(super) fn search(
    target: usize,
    first: f64,
    build: impl Fn(f64) -> Result<Option<VolumeMesh>, GeometryError>,
) -> Result<(VolumeMesh, f64), GeometryError> {
    let mut best: Option<(f64, VolumeMesh, f64)> = None;
    let (mut too_fine, mut too_coarse) = (None, None);
    let mut spacing = first;
    for trial in 0..TRIALS {
        let mesh = build(spacing)?;
        let count = mesh.as_ref().map_or(0, |mesh| mesh.nodes.len());
        let ratio = count as f64 / target as f64;
        let miss = ratio.ln().abs();
        if let Some(mesh) = mesh
            && best.as_ref().is_none_or(|(least, ..)| miss < *least)
        {
            best = Some((miss, mesh, spacing));
        }
        let close = if trial < FIRST_TRIALS { CLOSE } else { CLOSE_ENOUGH };
        if best.as_ref().is_some_and(|(least, ..)| *least <= close.ln_1p()) {
            break;
        }
        *(if ratio > 1.0 { &mut too_fine } else { &mut too_coarse }) = Some(spacing);
        // The number of nodes goes about as the cube of the spacing; between known bounds, bisect where that leads out.
        let guess = spacing * ratio.cbrt().clamp(0.5, 2.0);
        spacing = match (too_fine, too_coarse) {
            (Some(fine), Some(coarse)) if guess <= fine || guess >= coarse => {
                f64::sqrt(fine * coarse)
            }
            _ => guess,
        };
    }
    best.map(|(_, mesh, spacing)| (mesh, spacing)).ok_or(GeometryError::BadParameter {
        shape: "cage",
        parameter: "target_nodes",
        value: target as f64,
        expected: "ask for more nodes, the walls are too thin for so few",
    })
}
