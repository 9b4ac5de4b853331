//! One name for all shapes that can be made as a surface or as hexahedra.

use std::f64::consts::{PI, TAU};

use super::cup::CupShape;
use super::fin_ray::{FinRayDivisions, FinRayShape, fin_ray_hexes};
use super::helix::{HelixShape, WireSection, helix_hexes};
use super::profile::{Profile, volume_of_revolution};
use super::section::Section;
use crate::generate::{self, check_cuboid, check_tube, require_positive, subdivided};
use crate::{DVec3, GeometryError, TriMesh};

/// A solid by its dimensions, m. All but the cup, the finger and what is revolved are centred at the origin; axes lie along z.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A box.
    Box {
        /// Edge lengths, m.
        size: DVec3,
    },
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A solid cylinder.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Height, m.
        height: f64,
    },
    /// A hollow cylinder.
    Tube {
        /// Radius of the hole, m.
        inner_radius: f64,
        /// Radius of the outside, m.
        outer_radius: f64,
        /// Height, m.
        height: f64,
    },
    /// A suction cup, its rim at z = 0, opening downwards.
    Cup(CupShape),
    /// A helical spring.
    Helix(HelixShape),
    /// A finger with ribs and cut-outs.
    FinRay(FinRayShape),
    /// A section carried round the axis.
    Revolved(Section),
    /// Any closed profile carried round the axis.
    Profile(Profile),
}

impl Shape {
    /// Refuses dimensions that make no shape.
    pub fn check(&self) -> Result<(), GeometryError> {
        match self {
            Shape::Box { size } => check_cuboid(*size, [1; 3]),
            Shape::Sphere { radius } => require_positive("sphere", "radius", *radius),
            Shape::Cylinder { radius, height } => {
                require_positive("cylinder", "radius", *radius)?;
                require_positive("cylinder", "height", *height)
            }
            Shape::Tube { inner_radius, outer_radius, height } => {
                check_tube(*inner_radius, *outer_radius, *height)
            }
            Shape::Cup(cup) => cup.check(),
            Shape::Helix(helix) => helix.check(),
            Shape::FinRay(finger) => finger.check(),
            Shape::Revolved(_) | Shape::Profile(_) => Ok(()),
        }
    }

    /// The exact volume of the smooth solid, m3; its meshes approach it from below.
    pub fn volume(&self) -> f64 {
        match self {
            Shape::Box { size } => size.x * size.y * size.z,
            Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Shape::Cylinder { radius, height } => PI * radius * radius * height,
            Shape::Tube { inner_radius, outer_radius, height } => {
                PI * (outer_radius * outer_radius - inner_radius * inner_radius) * height
            }
            Shape::Cup(cup) => volume_of_revolution(&cup.profile()),
            Shape::Helix(helix) => {
                // The middle of the section rides on the helix, so the bend adds and takes away the same.
                let filled = if helix.section == WireSection::Round { PI / 4.0 } else { 1.0 };
                filled * helix.wire_diameter.powi(2) * helix.wire_length()
            }
            Shape::FinRay(finger) => finger.volume(),
            Shape::Revolved(section) => volume_of_revolution(&section.outline()),
            Shape::Profile(profile) => volume_of_revolution(profile.points()),
        }
    }

    /// A closed, outward surface whose triangles have edges of at most about `resolution` (m).
    pub fn surface(&self, resolution: f64) -> Result<TriMesh, GeometryError> {
        self.check()?;
        require_positive("surface", "resolution", resolution)?;
        let parts = |length: f64| ((length / resolution).ceil() as usize).max(1);
        // Fewer segments would not look round, whatever the resolution.
        let around = |radius: f64| parts(TAU * radius).max(8);
        match self {
            Shape::Box { size } => generate::cuboid(*size, size.to_array().map(parts)),
            Shape::Sphere { radius } => {
                // An edge of the icosahedron spans 1.107 rad of the sphere.
                generate::sphere(*radius, parts(1.107 * radius).max(2))
            }
            Shape::Cylinder { radius: r, height } => {
                generate::cylinder(*r, *height, around(*r), parts(*height), parts(*r))
            }
            Shape::Tube { inner_radius: inner, outer_radius: outer, height } => generate::tube(
                *inner,
                *outer,
                *height,
                around(*outer),
                parts(*height),
                parts(outer - inner),
            ),
            Shape::Cup(cup) => revolved_surface(&cup.profile(), &parts, &around),
            Shape::Revolved(section) => revolved_surface(&section.outline(), &parts, &around),
            Shape::Profile(profile) => revolved_surface(profile.points(), &parts, &around),
            Shape::FinRay(finger) => {
                let divisions = FinRayDivisions {
                    wall: parts(finger.wall),
                    between: parts(finger.room()),
                    cut_out: parts(finger.cut_out()),
                    rib: parts(finger.rib),
                    depth: parts(finger.depth),
                };
                Ok(fin_ray_hexes(finger, &divisions)?.boundary().0)
            }
            Shape::Helix(helix) => {
                let across = match helix.section {
                    WireSection::Square => parts(helix.wire_diameter),
                    WireSection::Round => parts(TAU / 8.0 * helix.wire_diameter).max(2),
                };
                // The outside of the bend is longer than the middle line.
                let longest =
                    helix.wire_length() * (1.0 + helix.wire_diameter / helix.coil_diameter);
                let along = parts(longest).max(helix.least_layers());
                Ok(helix_hexes(helix, across, along)?.boundary().0)
            }
        }
    }
}

fn revolved_surface(
    profile: &[[f64; 2]],
    parts: &dyn Fn(f64) -> usize,
    around: &dyn Fn(f64) -> usize,
) -> Result<TriMesh, GeometryError> {
    let next = profile.iter().cycle().skip(1);
    let on_axis = |p: &[f64; 2], q: &[f64; 2]| p[0] == 0.0 && q[0] == 0.0;
    let cut = |(p, q): (&[f64; 2], &[f64; 2])| {
        if on_axis(p, q) { 1 } else { parts((q[0] - p[0]).hypot(q[1] - p[1])) }
    };
    let counts: Vec<usize> = profile.iter().zip(next).map(cut).collect();
    let total = counts.iter().fold(0_usize, |sum, &count| sum.saturating_add(count));
    generate::require_count("surface", "edges of the profile", total, 3)?;
    let radius = profile.iter().map(|p| p[0]).fold(0.0, f64::max);
    generate::revolved(&subdivided(profile, &counts), around(radius))
}
