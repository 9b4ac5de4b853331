//! Helical springs: a bar of square or round section swept along a helix, its ends cut square.

use std::f64::consts::TAU;

use super::sheet::{Disc, Sheet};
use crate::generate::{require, require_count, require_elements, require_positive};
use crate::{DVec3, GeometryError, TriMesh, VolumeMesh};

const SHAPE: &str = "helix";

/// The section of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireSection {
    /// A square whose side is the wire's diameter.
    Square,
    /// A disc, drawn as a polygon of four sides for each cell across: one cell makes it a square inscribed in the disc.
    Round,
}

/// A right-handed helical spring about z, centred at the origin, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HelixShape {
    /// Diameter of the wire, or the side of its square section, m.
    pub wire_diameter: f64,
    /// Diameter of the helix that the middle of the wire follows, m.
    pub coil_diameter: f64,
    /// Rise of the middle of the wire from end to end, m.
    pub height: f64,
    /// Number of turns; need not be whole.
    pub turns: f64,
    /// Section of the wire.
    pub section: WireSection,
}

impl HelixShape {
    /// Rise per turn, m.
    pub fn pitch(&self) -> f64 {
        self.height / self.turns
    }

    /// Length of the wire's middle line, m.
    pub fn wire_length(&self) -> f64 {
        (self.turns * TAU * 0.5 * self.coil_diameter).hypot(self.height)
    }

    /// Refuses dimensions that make no spring or one whose turns overlap.
    pub fn check(&self) -> Result<(), GeometryError> {
        require_positive(SHAPE, "wire diameter", self.wire_diameter)?;
        require_positive(SHAPE, "coil diameter", self.coil_diameter)?;
        require_positive(SHAPE, "height", self.height)?;
        let expected = "it must be a positive number of turns";
        require(self.turns > 0.0 && self.turns.is_finite(), SHAPE, "turns", self.turns, expected)?;
        let expected = "it must be below 0.9 of the coil diameter, or the wire folds over the axis";
        let bend = self.wire_diameter <= 0.9 * self.coil_diameter;
        require(bend, SHAPE, "wire diameter", self.wire_diameter, expected)?;
        let girth = TAU * 0.5 * self.coil_diameter;
        let clearance = self.pitch() * girth / girth.hypot(self.pitch());
        let expected = "the turns would overlap: raise the height or take fewer turns";
        require(
            self.turns <= 1.0 || clearance > self.wire_diameter,
            SHAPE,
            "height",
            self.height,
            expected,
        )
    }

    /// The least number of layers: at least eight for each turn, or the polygon of the wire would be too rough.
    pub(crate) fn least_layers(&self) -> usize {
        (8.0 * self.turns).ceil() as usize
    }

    /// Where a point of the section (`across` away from the axis, `aside` towards the bottom; m) stands at `fraction`
    /// of the wire's length.
    fn place(&self, fraction: f64, across: f64, aside: f64) -> DVec3 {
        let radius = 0.5 * self.coil_diameter;
        let angle = TAU * self.turns * fraction;
        let outward = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let girth = TAU * radius * self.turns;
        let tangent =
            DVec3::new(-angle.sin() * girth, angle.cos() * girth, self.height).normalize();
        let middle = radius * outward + DVec3::Z * self.height * (fraction - 0.5);
        middle + across * outward + aside * tangent.cross(outward)
    }
}

/// The disc of a round wire with `across` cells along a side of its core.
fn wire_disc(across: usize) -> Disc {
    let columns = across.div_ceil(2);
    Disc { quarter: across, columns, round_from: columns }
}

/// Nodes of [`helix_hexes`].
pub(crate) fn helix_node_count(section: WireSection, across: usize, along: usize) -> usize {
    let points = match section {
        WireSection::Square => (across + 1) * (across + 1),
        WireSection::Round => wire_disc(across).points_within(across.div_ceil(2)),
    };
    points * (along + 1)
}

/// A spring of hexahedra: `across` cells over the section, `along` cells along the wire (at least 8 for each turn).
pub fn helix_hexes(
    helix: &HelixShape,
    across: usize,
    along: usize,
) -> Result<VolumeMesh, GeometryError> {
    helix.check()?;
    require_count(SHAPE, "cells across the wire", across, 1)?;
    require_count(SHAPE, "cells along the wire", along, 1)?;
    require_elements(SHAPE, &[5, across, across, along])?;
    let enough = along >= helix.least_layers();
    require(
        enough,
        SHAPE,
        "cells along the wire",
        along as f64,
        "at least 8 for each turn are needed",
    )?;
    let width = helix.wire_diameter;
    let fraction = |level: usize| level as f64 / along as f64;
    let mesh = match helix.section {
        WireSection::Square => Sheet::grid(across, across).sweep(
            along,
            |_, _| true,
            |level, [u, v]| helix.place(fraction(level), width * (u - 0.5), width * (v - 0.5)),
        ),
        WireSection::Round => {
            let disc = wire_disc(across);
            Sheet::disc(&disc).sweep(
                along,
                |_, _| true,
                |level, [column, angle]| {
                    let r = 0.5 * width * column / disc.columns as f64;
                    helix.place(fraction(level), r * angle.cos(), r * angle.sin())
                },
            )
        }
    };
    mesh.check()?;
    Ok(mesh)
}

/// How much wider than the wire its cage is: the twisted faces of its cells are cut into flat triangles where it is
/// counted what they hold, and nothing of the wire may stand out.
const CAGE_WIDTH: f64 = 1.2;

/// A round wire of eight sides, and around it a cage of about `nodes` nodes, one cell across.
///
/// The cells follow the wire, so that its turns stay apart however near they are; a grid of bricks would join them. The
/// sides stand off the circle so far that the second moment of the section is that of the disc, and with it the
/// stiffness (its area is then too: to 0.1 %).
pub fn helix_cage(
    helix: &HelixShape,
    nodes: usize,
) -> Result<(VolumeMesh, TriMesh), GeometryError> {
    let along = (nodes / 4).saturating_sub(1).max(helix.least_layers());
    let wide = |factor: f64, section: WireSection| HelixShape {
        wire_diameter: factor * helix.wire_diameter,
        section,
        ..*helix
    };
    // An octagon with corners at distance 1 has a polar moment of 8 sin(45) (2 + cos(45)) / 12, a disc pi / 2.
    let (sin, cos) = (TAU / 8.0).sin_cos();
    let factor = (3.0 * TAU / (8.0 * sin * (2.0 + cos))).powf(0.25);
    let wire = helix_hexes(&wide(factor, WireSection::Round), 2, along)?;
    let cage = helix_hexes(&wide(CAGE_WIDTH, WireSection::Square), 1, along)?;
    Ok((cage, wire.boundary().0))
}
