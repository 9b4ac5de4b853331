//! Solids of revolution about z: a section carried round, and from it cylinders and tubes.

use super::section::Section;
use super::sheet::{Disc, Sheet};
use crate::generate::{check_tube, require, require_count, require_elements, require_positive};
use crate::{DVec3, GeometryError, VolumeMesh};

/// Carries a section round the z axis in `around` segments. If the section touches the axis, `around` must be a
/// multiple of 4 and the middle is an O-grid core in place of the first columns.
pub fn revolved_hexes(section: &Section, around: usize) -> Result<VolumeMesh, GeometryError> {
    revolved_with_stem(section, around, None)
}

/// A round stem on the upper side of a section that touches the axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stem {
    /// The stem stands on the columns before this one.
    pub columns: usize,
    /// Its height, m.
    pub height: f64,
    /// Its layers of cells.
    pub layers: usize,
}

/// [`revolved_hexes`] with an optional stem. The upper side must be level under the stem.
pub(crate) fn revolved_with_stem(
    section: &Section,
    around: usize,
    stem: Option<Stem>,
) -> Result<VolumeMesh, GeometryError> {
    const SHAPE: &str = "revolved shape";
    let rows = section.rows();
    let stem_layers = stem.map_or(0, |stem| stem.layers);
    require_count(SHAPE, "segments around", around, if section.touches_axis() { 4 } else { 3 })?;
    require_elements(
        SHAPE,
        &[around, section.columns() + around / 4, rows.saturating_add(stem_layers)],
    )?;
    let sheet = if section.touches_axis() {
        let expected = "with a section that touches the axis, it must be a multiple of 4";
        require(around.is_multiple_of(4), SHAPE, "segments around", around as f64, expected)?;
        Sheet::disc(&disc_of(section, around / 4, stem.map(|stem| stem.columns)))
    } else {
        Sheet::ring(section.columns(), around)
    };
    let under_stem = |point: u32| {
        let column = sheet.points[point as usize][0];
        stem.is_some_and(|stem| column < stem.columns as f64 + 1e-6)
    };
    let keep = |layer: usize, quad: &[u32; 4]| layer < rows || quad.iter().all(|&p| under_stem(p));
    let place = |level: usize, [column, angle]: [f64; 2]| {
        let [r, z] = section.along_row(level.min(rows), column);
        let rise = stem.map_or(0.0, |stem| {
            stem.height * level.saturating_sub(rows) as f64 / stem.layers.max(1) as f64
        });
        DVec3::new(r * angle.cos(), r * angle.sin(), z + rise)
    };
    let mesh = sheet.sweep(rows + stem_layers, keep, place);
    // A section with strongly uneven columns could still fold the core: better an error than a bad mesh.
    mesh.check()?;
    Ok(mesh)
}

fn disc_of(section: &Section, quarter: usize, stem_columns: Option<usize>) -> Disc {
    let straight = section.straight_columns();
    let round_from = stem_columns.map_or(straight, |columns| straight.min(columns.max(1)));
    Disc { quarter, columns: section.columns(), round_from }
}

/// Nodes of [`revolved_with_stem`] for a section of `rows` rows; the rows of `section` itself do not count, so a
/// search need not refine them.
pub(crate) fn revolved_node_count(
    section: &Section,
    rows: usize,
    around: usize,
    stem: Option<Stem>,
) -> usize {
    if !section.touches_axis() {
        return (section.columns() + 1) * around * (rows + 1);
    }
    let disc = disc_of(section, around / 4, stem.map(|stem| stem.columns));
    let on_stem = stem.map_or(0, |stem| disc.points_within(stem.columns) * stem.layers);
    disc.points_within(section.columns()) * (rows + 1) + on_stem
}

/// A cylinder about z, centred at the origin: `4 * quarter` segments around, `columns` from the axis to the mantle,
/// `along` layers.
pub fn cylinder_hexes(
    radius: f64,
    height: f64,
    quarter: usize,
    columns: usize,
    along: usize,
) -> Result<VolumeMesh, GeometryError> {
    require_positive("cylinder", "radius", radius)?;
    require_positive("cylinder", "height", height)?;
    require_count("cylinder", "segments in a quarter", quarter, 1)?;
    require_count("cylinder", "columns", columns, 1)?;
    require_count("cylinder", "layers along the height", along, 1)?;
    let z = 0.5 * height;
    let section = Section::between(&[[0.0, -z], [radius, -z]], &[[0.0, z], [radius, z]])?;
    revolved_hexes(&section.refined(&[along], &[columns])?, 4 * quarter)
}

/// Nodes of [`cylinder_hexes`].
pub(crate) fn cylinder_node_count(quarter: usize, columns: usize, along: usize) -> usize {
    Disc { quarter, columns, round_from: columns }.points_within(columns) * (along + 1)
}

/// A tube about z, centred at the origin: `around` segments, `columns` through the wall, `along` layers.
pub fn tube_hexes(
    inner_radius: f64,
    outer_radius: f64,
    height: f64,
    around: usize,
    columns: usize,
    along: usize,
) -> Result<VolumeMesh, GeometryError> {
    check_tube(inner_radius, outer_radius, height)?;
    require_count("tube", "segments around", around, 3)?;
    require_count("tube", "columns through the wall", columns, 1)?;
    require_count("tube", "layers along the height", along, 1)?;
    let z = 0.5 * height;
    let [lower, upper] = [-z, z].map(|z| [[inner_radius, z], [outer_radius, z]]);
    let section = Section::between(&lower, &upper)?;
    revolved_hexes(&section.refined(&[along], &[columns])?, around)
}
