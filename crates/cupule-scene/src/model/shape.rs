//! Generated geometry in the scene file.

use super::outline::{Dome, Sucker};
use cupule_geometry::generate::{Ellipsoid, Ellipsoids, flat_sheet};
use cupule_geometry::{self as geometry, GeometryError, ThinMesh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shape by its dimensions, m. It stands centred at the origin of its body with its axis along z, unless it says
/// otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Shape {
    /// A box.
    Box {
        /// Lengths along x, y and z, m.
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
        /// Height, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
    },
    /// A tube along z.
    Tube {
        /// Inner radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        inner_radius: f64,
        /// Outer radius, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        outer_radius: f64,
        /// Height, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
    },
    /// A suction cup, its rim at z = 0, opening downwards.
    Cup(Cup),
    /// A cup like a plunger, its rim at z = 0, opening downwards.
    Dome(Dome),
    /// A cup like a sucker of an octopus, its rim at z = 0, opening downwards.
    Sucker(Sucker),
    /// The band between two polylines, turned about the z axis; it stays where its points are.
    Revolved {
        /// Points (r, z) of the lower (or inner) side, m, from the axis outwards, with r >= 0.
        lower: Vec<[f64; 2]>,
        /// Points (r, z) of the upper (or outer) side, m, as many as of the lower.
        upper: Vec<[f64; 2]>,
    },
    /// Any closed profile, turned about the z axis; it stays where its points are.
    Profile {
        /// Points (r, z) along the outline of the half-section, m, either way round, with r >= 0; the last joins the
        /// first.
        #[schemars(length(min = 3))]
        points: Vec<[f64; 2]>,
    },
    /// Ellipsoids joined smoothly: soft toys, fruit. Cut into tetrahedra; it stays where its parts are.
    Ellipsoids {
        /// The parts.
        #[schemars(length(min = 1))]
        parts: Vec<EllipsoidPart>,
        /// Length over which creases between parts are rounded, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        smoothing: f64,
    },
    /// A finger with ribs and cut-outs that bends towards what presses its front. It stands on z = 0, its front in the plane
    /// x = 0 looking along -x, its depth along y.
    FinRay(FinRay),
    /// Round wires along lines, joined where lines share a point: no fem body, and under the solver ipc only. It stays where its
    /// points are.
    Wires {
        /// Lines through points [x, y, z], m.
        #[schemars(length(min = 1))]
        lines: Vec<Vec<[f64; 3]>>,
        /// Radius of the wires, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A flat sheet without an inside, in the plane z = 0: no fem body, and under the solver ipc only.
    Sheet {
        /// Lengths along x and y, m.
        size: [f64; 2],
        /// Thickness, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        thickness: f64,
    },
    /// A right-handed helical spring about z.
    Helix {
        /// Diameter of the wire, or the side of its square section, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        wire_diameter: f64,
        /// Diameter of the helix that the middle of the wire follows, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        coil_diameter: f64,
        /// Rise of the middle of the wire from end to end, m.
        #[schemars(extend("exclusiveMinimum" = 0))]
        height: f64,
        /// Number of turns; need not be whole.
        #[schemars(extend("exclusiveMinimum" = 0))]
        turns: f64,
        /// Section of the wire.
        #[serde(default)]
        section: WireSection,
    },
}

/// An ellipsoid with its axes along x, y and z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EllipsoidPart {
    /// Centre, m.
    pub centre: [f64; 3],
    /// Half axes, m.
    pub radii: [f64; 3],
}

/// The dimensions of a FinRay finger, m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FinRay {
    /// From base to tip, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Along x at the base, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub base_width: f64,
    /// Along x at the tip, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tip_width: f64,
    /// Along y, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub depth: f64,
    /// Thickness of both walls, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub wall: f64,
    /// Thickness of the ribs, of base and tip, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rib: f64,
    /// Ribs between base and tip.
    pub ribs: u32,
}

/// The dimensions of a cup, m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cup {
    /// Outer diameter at the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub outer_diameter: f64,
    /// Outer diameter where the wall meets the top, m; by default the wall is as wide there as at the rim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub outer_diameter_top: Option<f64>,
    /// Diameter of the cavity at the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cavity_diameter_rim: f64,
    /// Diameter of the cavity's flat ceiling, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cavity_diameter_top: f64,
    /// Height of the cavity above the rim, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cavity_height: f64,
    /// Thickness of the roof above the cavity, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub top_thickness: f64,
    /// Diameter of the stem, m; 0 for none.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub stem_diameter: f64,
    /// Height of the stem above the top, m; 0 for none.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub stem_height: f64,
}

impl Cup {
    fn to_geometry(&self) -> geometry::CupShape {
        let cup = geometry::CupShape::new(
            self.outer_diameter,
            self.cavity_diameter_rim,
            self.cavity_diameter_top,
            self.cavity_height,
            self.top_thickness,
        );
        let outer_diameter_top = self.outer_diameter_top.unwrap_or(cup.outer_diameter_top);
        geometry::CupShape { outer_diameter_top, ..cup }
            .with_stem(self.stem_diameter, self.stem_height)
    }
}

/// Section of a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireSection {
    /// A disc.
    #[default]
    Round,
    /// A square.
    Square,
}

impl Shape {
    /// The ellipsoids, if it is made of them.
    pub(crate) fn ellipsoids(&self) -> Option<Result<Ellipsoids, GeometryError>> {
        let Self::Ellipsoids { parts, smoothing } = self else { return None };
        let part = |part: &EllipsoidPart| Ellipsoid {
            centre: part.centre.into(),
            radii: part.radii.into(),
        };
        Some(Ellipsoids::new(parts.iter().map(part).collect(), *smoothing))
    }

    /// Wires or a sheet, if it is one; `resolution` (m) is the longest edge of a sheet.
    pub(crate) fn thin(&self, resolution: Option<f64>) -> Option<Result<ThinMesh, GeometryError>> {
        match self {
            Self::Wires { lines, radius } => {
                let line = |points: &Vec<[f64; 3]>| points.iter().map(|p| (*p).into()).collect();
                let lines: Vec<Vec<geometry::DVec3>> = lines.iter().map(line).collect();
                Some(ThinMesh::of_lines(&lines, *radius))
            }
            Self::Sheet { size, thickness } => {
                let longest = resolution.unwrap_or(size[0].max(size[1]));
                Some(flat_sheet(*size, longest).and_then(|s| ThinMesh::of_sheet(s, *thickness)))
            }
            _ => None,
        }
    }

    /// The same shape for the generators.
    pub fn to_geometry(&self) -> Result<geometry::Shape, GeometryError> {
        Ok(match self {
            Self::Box { size } => geometry::Shape::Box { size: (*size).into() },
            Self::Sphere { radius } => geometry::Shape::Sphere { radius: *radius },
            Self::Cylinder { radius, height } => {
                geometry::Shape::Cylinder { radius: *radius, height: *height }
            }
            Self::Tube { inner_radius, outer_radius, height } => geometry::Shape::Tube {
                inner_radius: *inner_radius,
                outer_radius: *outer_radius,
                height: *height,
            },
            Self::Cup(cup) => geometry::Shape::Cup(cup.to_geometry()),
            Self::Dome(dome) => geometry::Shape::Profile(geometry::Profile::new(&dome.points())?),
            Self::Sucker(sucker) => {
                geometry::Shape::Profile(geometry::Profile::new(&sucker.points())?)
            }
            Self::Revolved { lower, upper } => {
                geometry::Shape::Revolved(geometry::Section::between(lower, upper)?)
            }
            Self::Profile { points } => geometry::Shape::Profile(geometry::Profile::new(points)?),
            Self::Ellipsoids { parts, .. } => {
                return Err(GeometryError::BadParameter {
                    shape: "mesh of hexahedra",
                    parameter: "ellipsoids",
                    value: parts.len() as f64,
                    expected: "they are cut into tetrahedra: leave out `subdivisions`, take element tet4 or tet10",
                });
            }
            Self::FinRay(finger) => geometry::Shape::FinRay(geometry::FinRayShape {
                height: finger.height,
                base_width: finger.base_width,
                tip_width: finger.tip_width,
                depth: finger.depth,
                wall: finger.wall,
                rib: finger.rib,
                ribs: finger.ribs as usize,
            }),
            Self::Wires { radius, .. } => return Err(thin_has_no_inside("radius", *radius)),
            Self::Sheet { thickness, .. } => {
                return Err(thin_has_no_inside("thickness", *thickness));
            }
            Self::Helix { wire_diameter, coil_diameter, height, turns, section } => {
                geometry::Shape::Helix(geometry::HelixShape {
                    wire_diameter: *wire_diameter,
                    coil_diameter: *coil_diameter,
                    height: *height,
                    turns: *turns,
                    section: match section {
                        WireSection::Round => geometry::WireSection::Round,
                        WireSection::Square => geometry::WireSection::Square,
                    },
                })
            }
        })
    }
}

fn thin_has_no_inside(parameter: &'static str, value: f64) -> GeometryError {
    GeometryError::BadParameter {
        shape: "solid",
        parameter,
        value,
        expected: "wires and sheets have no inside: make the body rigid, kinematic or static",
    }
}
