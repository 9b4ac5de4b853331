//! Suction cups by their dimensions: a conical cavity under a roof, a wall down to a flat rim, a stem on top.
//!
//! The cup opens downwards: the rim's face is the ring between the cavity and the outside at z = 0, the cavity's
//! ceiling lies at z = cavity height, the roof above it, the stem on the roof. In the half-plane (r, z):
//!
//! ```text
//!  z  +--------+              stem: stem diameter x stem height
//!  |  |        |
//!  |  |        +-------+      top: outer diameter at the top
//!  |  |                 \
//!  |  +----------+       \    ceiling: cavity diameter at the top
//!  |   (cavity)   \       \
//!  0---------------+-------+  rim: cavity and outer diameter at the rim
//! ```

use super::revolve::{Stem, revolved_node_count, revolved_with_stem};
use super::section::Section;
use crate::generate::{require, require_count, require_positive};
use crate::{GeometryError, VolumeMesh};

const SHAPE: &str = "cup";

/// The dimensions of a cup, m. See [`CupShape::new`] for a start from five of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CupShape {
    /// Outer diameter at the rim.
    pub outer_diameter: f64,
    /// Outer diameter where the wall meets the top.
    pub outer_diameter_top: f64,
    /// Diameter of the cavity at the rim.
    pub cavity_diameter_rim: f64,
    /// Diameter of the cavity's flat ceiling.
    pub cavity_diameter_top: f64,
    /// Height of the cavity above the rim.
    pub cavity_height: f64,
    /// Thickness of the roof above the cavity.
    pub top_thickness: f64,
    /// Diameter of the stem; 0 for none.
    pub stem_diameter: f64,
    /// Height of the stem above the top; 0 for none.
    pub stem_height: f64,
}

impl CupShape {
    /// A cup without a stem whose wall is as wide (horizontally) at the top as at the rim.
    ///
    /// The thickness of the rim is half the difference of the first and the second: outer 40 mm and cavity 32 mm make
    /// a rim of 4 mm.
    pub fn new(
        outer_diameter: f64,
        cavity_diameter_rim: f64,
        cavity_diameter_top: f64,
        cavity_height: f64,
        top_thickness: f64,
    ) -> Self {
        Self {
            outer_diameter,
            outer_diameter_top: cavity_diameter_top + outer_diameter - cavity_diameter_rim,
            cavity_diameter_rim,
            cavity_diameter_top,
            cavity_height,
            top_thickness,
            stem_diameter: 0.0,
            stem_height: 0.0,
        }
    }

    /// The same cup with a stem, m.
    pub fn with_stem(self, stem_diameter: f64, stem_height: f64) -> Self {
        Self { stem_diameter, stem_height, ..self }
    }

    /// Width of the rim's face, m.
    pub fn rim_thickness(&self) -> f64 {
        0.5 * (self.outer_diameter - self.cavity_diameter_rim)
    }

    /// From the rim to the highest point, m.
    pub fn height(&self) -> f64 {
        self.top_height() + self.stem_height
    }

    /// Volume of the conical cavity while the rim lies on a plane, m3.
    pub fn cavity_volume(&self) -> f64 {
        let [low, high] = [self.cavity_diameter_rim, self.cavity_diameter_top].map(|d| 0.5 * d);
        std::f64::consts::PI / 3.0 * self.cavity_height * (low * low + low * high + high * high)
    }

    pub(crate) fn has_stem(&self) -> bool {
        self.stem_height > 0.0
    }

    fn top_height(&self) -> f64 {
        self.cavity_height + self.top_thickness
    }

    /// Refuses dimensions that make no cup.
    pub fn check(&self) -> Result<(), GeometryError> {
        require_positive(SHAPE, "outer diameter", self.outer_diameter)?;
        require_positive(SHAPE, "outer diameter at the top", self.outer_diameter_top)?;
        require_positive(SHAPE, "cavity diameter at the rim", self.cavity_diameter_rim)?;
        require_positive(SHAPE, "cavity diameter at the top", self.cavity_diameter_top)?;
        require_positive(SHAPE, "cavity height", self.cavity_height)?;
        require_positive(SHAPE, "top thickness", self.top_thickness)?;
        let at_most = |parameter, value: f64, bound: f64, expected| {
            require(value <= bound * (1.0 + 1e-9), SHAPE, parameter, value, expected)
        };
        let rim = self.cavity_diameter_rim;
        let expected = "it must be below the outer diameter: the rim needs a width";
        require(rim < self.outer_diameter, SHAPE, "cavity diameter at the rim", rim, expected)?;
        let expected = "it must not exceed the cavity diameter at the rim";
        at_most("cavity diameter at the top", self.cavity_diameter_top, rim, expected)?;
        let expected = "it must not exceed the outer diameter at the top";
        at_most(
            "cavity diameter at the top",
            self.cavity_diameter_top,
            self.outer_diameter_top,
            expected,
        )?;
        let expected = "it must not exceed the outer diameter at the rim";
        at_most(
            "outer diameter at the top",
            self.outer_diameter_top,
            self.outer_diameter,
            expected,
        )?;
        if self.stem_height != 0.0 || self.stem_diameter != 0.0 {
            require_positive(SHAPE, "stem height", self.stem_height)?;
            require_positive(SHAPE, "stem diameter", self.stem_diameter)?;
            let expected = "it must not exceed the outer diameter at the top";
            at_most("stem diameter", self.stem_diameter, self.outer_diameter_top, expected)?;
        }
        Ok(())
    }

    /// Into how many stretches roof and wall fall from the axis to the rim; see [`CupDivisions`].
    pub fn stretches(&self) -> Result<usize, GeometryError> {
        self.check()?;
        Ok(self.band()?.section.columns())
    }

    /// Whether the stem is as wide as the top, so that no ledge remains around it.
    pub(crate) fn stem_covers_top(&self) -> bool {
        self.has_stem() && self.stem_diameter >= self.outer_diameter_top * (1.0 - 1e-6)
    }

    /// The closed outline in (r, z), m.
    pub fn profile(&self) -> Vec<[f64; 2]> {
        let top = self.top_height();
        let mut points = vec![
            [0.0, self.cavity_height],
            [0.5 * self.cavity_diameter_top, self.cavity_height],
            [0.5 * self.cavity_diameter_rim, 0.0],
            [0.5 * self.outer_diameter, 0.0],
            [0.5 * self.outer_diameter_top, top],
        ];
        if self.has_stem() {
            let radius = 0.5 * self.stem_diameter;
            if !self.stem_covers_top() {
                points.push([radius, top]);
            }
            points.extend([[radius, self.height()], [0.0, self.height()]]);
        } else {
            points.push([0.0, top]);
        }
        points
    }

    /// The roof and wall as a coarse band; see [`Band`].
    pub(crate) fn band(&self) -> Result<Band, GeometryError> {
        let (ceiling, edge) = (0.5 * self.cavity_diameter_top, 0.5 * self.outer_diameter_top);
        let top = self.top_height();
        let (above_ceiling, under_edge) = self.matched_corners();
        // Radii on the top where a column ends: over the ceiling's edge, at the stem, at the edge of the top.
        let mut stops = vec![above_ceiling, edge];
        let stem = 0.5 * self.stem_diameter;
        if self.has_stem() && !self.stem_covers_top() {
            stops.push(stem);
        }
        stops.sort_by(f64::total_cmp);
        stops.dedup_by(|a, b| (*a - *b).abs() <= 1e-6 * edge);
        let under = |x: f64| {
            if x <= above_ceiling {
                [ceiling * x / above_ceiling, self.cavity_height]
            } else {
                self.on_inner_wall(under_edge * (x - above_ceiling) / (edge - above_ceiling))
            }
        };
        let (mut lower, mut upper) = (vec![[0.0, self.cavity_height]], vec![[0.0, top]]);
        lower.extend(stops.iter().map(|&x| under(x)));
        upper.extend(stops.iter().map(|&x| [x, top]));
        lower.push(self.on_inner_wall(1.0));
        upper.push([0.5 * self.outer_diameter, 0.0]);
        let stem_columns =
            1 + stops.iter().position(|&x| x >= stem * (1.0 - 1e-6)).unwrap_or(stops.len() - 1);
        Ok(Band { section: Section::between(&lower, &upper)?, stem_columns })
    }

    /// The radius on the top that stands over the ceiling's edge, and how far down the inner wall (0 to 1) the edge
    /// of the top looks. Usually the two corners face each other; where the top reaches far beyond the ceiling, each
    /// faces the point on its bisector, or the cells between would be sheared flat.
    fn matched_corners(&self) -> (f64, f64) {
        let (ceiling, edge) = (0.5 * self.cavity_diameter_top, 0.5 * self.outer_diameter_top);
        let (run, drop) = (0.5 * self.cavity_diameter_rim - ceiling, self.cavity_height);
        let slope = run.hypot(drop);
        let above_ceiling = ceiling + self.top_thickness * (drop / slope) / (1.0 + run / slope);
        if edge - above_ceiling <= 1.5 * self.top_thickness {
            return (edge, 0.0);
        }
        // From the edge (edge, top) along the bisector (-1, 0) + (flare, -top) / |..| to the line of the inner wall.
        let (flare, top) = (0.5 * self.outer_diameter - edge, self.top_height());
        let (right, down) = (flare / flare.hypot(top) - 1.0, -top / flare.hypot(top));
        let across = (edge - ceiling) * down - (top - drop) * right;
        let under_edge = across / (run * down + drop * right);
        let stem = 0.5 * self.stem_diameter;
        let near_stem = self.has_stem() && (above_ceiling - stem).abs() < 0.2 * stem;
        (if near_stem { stem } else { above_ceiling }, under_edge.clamp(0.1, 0.8))
    }

    fn on_inner_wall(&self, fraction: f64) -> [f64; 2] {
        let [ceiling, rim] = [self.cavity_diameter_top, self.cavity_diameter_rim].map(|d| 0.5 * d);
        [ceiling + fraction * (rim - ceiling), self.cavity_height * (1.0 - fraction)]
    }
}

/// Roof and wall of a cup as one row of quads. A column ends at the stem's edge, over the ceiling's edge, at the edge
/// of the top and at the rim; coinciding ends count once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Band {
    pub section: Section,
    /// How many of the columns lie under the stem, if there is one.
    pub stem_columns: usize,
}

/// How finely a cup is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CupDivisions {
    /// Segments in a quarter turn.
    pub quarter: usize,
    /// Cells along each stretch of roof and wall from the axis to the rim. The stretches end at the edge of the stem,
    /// over the edge of the cavity's ceiling where the top reaches far beyond it, at the edge of the top, at the rim;
    /// [`CupShape::stretches`] says how many there are.
    pub along: Vec<usize>,
    /// Cells through the roof, the wall and the rim.
    pub through: usize,
    /// Cells along the stem; without effect when there is no stem.
    pub stem_layers: usize,
}

impl CupDivisions {
    fn stem(&self, cup: &CupShape, band: &Band) -> Option<Stem> {
        let columns = self.along.iter().take(band.stem_columns).sum();
        let stem = Stem { columns, height: cup.stem_height, layers: self.stem_layers };
        cup.has_stem().then_some(stem)
    }

    /// The divisions from a flat list: quarter, cells along each stretch, through, stem layers (if any).
    pub(crate) fn from_list(cup: &CupShape, band: &Band, list: &[usize]) -> Option<Self> {
        let (&quarter, rest) = list.split_first()?;
        let (along, rest) = rest.split_at_checked(band.section.columns())?;
        let (&through, rest) = rest.split_first()?;
        let stem_layers = match (cup.has_stem(), rest) {
            (true, &[layers]) => layers,
            (false, &[]) => 0,
            _ => return None,
        };
        Some(Self { quarter, along: along.to_vec(), through, stem_layers })
    }

    /// Nodes of the cup, found without making it.
    pub(crate) fn node_count(&self, cup: &CupShape, band: &Band) -> usize {
        let Ok(section) = band.section.refined(&[1], &self.along) else { return usize::MAX };
        revolved_node_count(&section, self.through, 4 * self.quarter, self.stem(cup, band))
    }
}

/// A cup of hexahedra, its rim at z = 0, opening downwards, its axis on z.
pub fn cup_hexes(cup: &CupShape, divisions: &CupDivisions) -> Result<VolumeMesh, GeometryError> {
    cup.check()?;
    let band = cup.band()?;
    require_count(SHAPE, "segments in a quarter", divisions.quarter, 1)?;
    require_count(SHAPE, "cells through the wall", divisions.through, 1)?;
    let (given, needed) = (divisions.along.len(), band.section.columns());
    let expected = "it must be the cup's number of stretches (see CupShape::stretches)";
    require(given == needed, SHAPE, "stretches of roof and wall", given as f64, expected)?;
    for &count in &divisions.along {
        require_count(SHAPE, "cells along a stretch", count, 1)?;
    }
    let stem = divisions.stem(cup, &band);
    if let Some(stem) = stem {
        require_count(SHAPE, "cells along the stem", stem.layers, 1)?;
    }
    let section = band.section.refined(&[divisions.through], &divisions.along)?;
    revolved_with_stem(&section, divisions.quarter.saturating_mul(4), stem)
}
