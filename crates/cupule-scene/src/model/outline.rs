//! Cups of named dimensions whose section is an outline: a dome and an octopus sucker.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parts of a quarter of an ellipse; the mesher resamples it to the size of the cells.
const PARTS: usize = 8;

/// The dimensions of a dome, m: a cup whose cavity and outside are quarters of ellipses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dome {
    /// Outer diameter at the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub outer_diameter: f64,
    /// Diameter of the cavity at the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cavity_diameter_rim: f64,
    /// Diameter of a flat part of the cavity's ceiling, m; 0 for none.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub cavity_diameter_top: f64,
    /// Height of the cavity above the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cavity_height: f64,
    /// Thickness of the crown above the cavity, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub top_thickness: f64,
    /// Diameter of the stem, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stem_diameter: f64,
    /// Height of the stem above the crown, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stem_height: f64,
}

impl Dome {
    /// Points (r, z) along the outline of the half-section, m.
    pub(crate) fn points(&self) -> Vec<[f64; 2]> {
        let [rim, flat, outer] =
            [self.cavity_diameter_rim, self.cavity_diameter_top, self.outer_diameter]
                .map(|diameter| 0.5 * diameter);
        let (stem, crown) = (0.5 * self.stem_diameter, self.cavity_height + self.top_thickness);
        let turn = |k: usize| (k as f64 / PARTS as f64 * std::f64::consts::FRAC_PI_2).sin_cos();
        let mut points = if flat > 0.0 { vec![[0.0, self.cavity_height]] } else { Vec::new() };
        points.extend(
            (0..=PARTS)
                .map(turn)
                .map(|(sin, cos)| [flat + (rim - flat) * sin, self.cavity_height * cos]),
        );
        let outside = (0..PARTS).map(turn).map(|(sin, cos)| [outer * cos, crown * sin]);
        points.extend(outside.take_while(|[r, _]| *r > stem));
        let foot = crown * (1.0 - (stem / outer).powi(2)).max(0.0).sqrt();
        let top = crown + self.stem_height;
        points.extend([[stem, foot], [stem, top], [0.0, top]]);
        points
    }
}

/// The dimensions of an octopus sucker, m: a flat funnel that leads through an opening to a round chamber.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sucker {
    /// Outer diameter at the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub outer_diameter: f64,
    /// Diameter of the funnel at the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub funnel_diameter: f64,
    /// Height of the funnel from the rim to the opening, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub funnel_height: f64,
    /// Diameter of the opening between funnel and chamber, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub opening_diameter: f64,
    /// Diameter of the chamber, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub chamber_diameter: f64,
    /// Height of the chamber, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub chamber_height: f64,
    /// Thickness of the wall around the chamber, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub wall_thickness: f64,
    /// Thickness of the roof above the chamber, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub top_thickness: f64,
    /// Diameter of the stem, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stem_diameter: f64,
    /// Height of the stem above the roof, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stem_height: f64,
}

impl Sucker {
    /// Points (r, z) along the outline of the half-section, m. The shares round off a chamber that is wider than high, and lead the outside
    /// from the rim to its wall.
    pub(crate) fn points(&self) -> Vec<[f64; 2]> {
        let [rim, funnel, opening, chamber, stem] = [
            self.outer_diameter,
            self.funnel_diameter,
            self.opening_diameter,
            self.chamber_diameter,
            self.stem_diameter,
        ]
        .map(|diameter| 0.5 * diameter);
        let (floor, height) = (self.funnel_height, self.chamber_height);
        let (wall, ceiling) = (chamber + self.wall_thickness, floor + height);
        let (roof, top) =
            (ceiling + self.top_thickness, ceiling + self.top_thickness + self.stem_height);
        vec![
            [0.0, ceiling],
            [chamber * 2.0 / 3.0, floor + 0.9 * height],
            [chamber * 17.0 / 18.0, floor + 0.6875 * height],
            [chamber, floor + 0.5 * height],
            [chamber * 17.0 / 18.0, floor + 0.275 * height],
            [opening, floor],
            [opening + (funnel - opening) * 4.0 / 9.0, 0.7 * floor],
            [funnel, 0.0],
            [rim, 0.0],
            [rim * 35.0 / 36.0, 0.55 * floor],
            [wall, floor + 0.3125 * height],
            [wall, floor + 0.75 * height],
            [0.84 * wall, ceiling + 0.4 * self.top_thickness],
            [0.6 * wall, roof],
            [stem, roof],
            [stem, top],
            [0.0, top],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupule_geometry::Profile;

    /// Sections as the cup library had them point by point, to a hundredth of a millimetre.
    #[test]
    fn outlines_have_the_named_dimensions() {
        let dome = Dome {
            outer_diameter: 0.055,
            cavity_diameter_rim: 0.051,
            cavity_diameter_top: 0.007,
            cavity_height: 0.021,
            top_thickness: 0.004,
            stem_diameter: 0.012,
            stem_height: 0.006,
        };
        let points = dome.points();
        let near = |[r, z]: [f64; 2]| {
            points.iter().any(|p| (p[0] - r).abs() < 1e-5 && (p[1] - z).abs() < 1e-5)
        };
        for point in
            [[0.0, 0.021], [0.0035, 0.021], [0.01572, 0.01746], [0.0255, 0.0], [0.0275, 0.0]]
        {
            assert!(near(point), "{point:?} of {points:?}");
        }
        for point in [[0.02541, 0.00957], [0.006, 0.0244], [0.006, 0.031], [0.0, 0.031]] {
            assert!(near(point), "{point:?} of {points:?}");
        }
        assert!(Profile::new(&points).is_ok());
        assert!(Profile::new(&Dome { cavity_diameter_rim: 0.06, ..dome }.points()).is_err());
    }
}
