//! How each shape is cut into hexahedra: by given subdivisions, or for a wanted number of nodes.

use std::f64::consts::TAU;

use super::choose::Choice;
use super::cup::{CupDivisions, CupShape};
use super::fin_ray::{FinRayDivisions, fin_ray_hexes};
use super::helix::{WireSection, helix_hexes, helix_node_count};
use super::revolve::{
    cylinder_hexes, cylinder_node_count, revolved_hexes, revolved_node_count, tube_hexes,
};
use super::{Section, Shape, ball, cuboid_hexes, cup_hexes};
use crate::{GeometryError, VolumeMesh};

/// One direction of subdivision: the length it divides (m), the least count, and the least count that is wanted
/// where the node budget allows.
type Direction = (f64, usize, usize);

/// The node count that subdivisions give.
type NodeCounter<'a> = Box<dyn Fn(&[usize]) -> usize + 'a>;

impl Shape {
    /// Hexahedra with about `target_nodes` nodes: within 10 % wherever the shape has such a subdivision.
    pub fn hexes(&self, target_nodes: usize) -> Result<VolumeMesh, GeometryError> {
        self.hexes_by(&self.subdivisions_for(target_nodes)?)
    }

    /// The subdivisions that [`Shape::hexes`] takes, in the order of [`Shape::hexes_by`]. The choice is the same on
    /// every run.
    pub fn subdivisions_for(&self, target_nodes: usize) -> Result<Vec<usize>, GeometryError> {
        self.check()?;
        if let Shape::Profile(profile) = self {
            return Ok(profile.divisions_for(target_nodes)?.to_vec());
        }
        let directions = self.directions()?;
        let lengths: Vec<f64> = directions.iter().map(|d| d.0).collect();
        let least: Vec<usize> = directions.iter().map(|d| d.1).collect();
        let preferred: Vec<usize> = directions.iter().map(|d| d.2).collect();
        let nodes = self.node_counter()?;
        let choice = Choice {
            shape: self.name(),
            lengths: &lengths,
            least: &least,
            preferred: &preferred,
            nodes: &*nodes,
        };
        choice.for_nodes(target_nodes)
    }

    /// Hexahedra with given subdivisions:
    ///
    /// | shape | subdivisions |
    /// | --- | --- |
    /// | box | along x, y, z |
    /// | sphere | core, shells |
    /// | cylinder | segments in a quarter turn, from axis to mantle, along |
    /// | tube | segments around, through the wall, along |
    /// | cup | segments in a quarter turn, along each stretch of roof and wall ([`CupShape::stretches`]), through, along the stem (with stem) |
    /// | helix | across, along |
    /// | fin-ray | through a wall, between the walls, along a cut-out, through a rib, along the depth |
    /// | revolved | segments in a quarter turn (around, if the axis is not touched), parts of each column, parts of each row |
    /// | profile | segments in a quarter turn (around, if the axis is not touched), about how many cells along the outline |
    pub fn hexes_by(&self, subdivisions: &[usize]) -> Result<VolumeMesh, GeometryError> {
        let wrong = GeometryError::BadParameter {
            shape: self.name(),
            parameter: "number of subdivisions",
            value: subdivisions.len() as f64,
            expected: "box: x, y, z; sphere: core, shells; cylinder: in a quarter turn, to the mantle, along; tube: around, through, \
                       along; cup: in a quarter turn, along each stretch of roof and wall, through, along the stem; helix: across, \
                       along; see the book for others",
        };
        match (self, subdivisions) {
            (Shape::Box { size }, &[x, y, z]) => cuboid_hexes(*size, [x, y, z]),
            (Shape::Sphere { radius }, &[core, shells]) => ball::ball_hexes(*radius, core, shells),
            (Shape::Cylinder { radius, height }, &[quarter, columns, along]) => {
                cylinder_hexes(*radius, *height, quarter, columns, along)
            }
            (Shape::Tube { inner_radius, outer_radius, height }, &[around, columns, along]) => {
                tube_hexes(*inner_radius, *outer_radius, *height, around, columns, along)
            }
            (Shape::Cup(cup), list) => {
                cup.check()?;
                let divisions = CupDivisions::from_list(cup, &cup.band()?, list).ok_or(wrong)?;
                cup_hexes(cup, &divisions)
            }
            (Shape::Helix(helix), &[across, along]) => helix_hexes(helix, across, along),
            (Shape::FinRay(finger), &[wall, between, cut_out, rib, depth]) => {
                fin_ray_hexes(finger, &FinRayDivisions { wall, between, cut_out, rib, depth })
            }
            (Shape::Revolved(section), list)
                if list.len() == 1 + section.columns() + section.rows() =>
            {
                let (columns, rows) = list[1..].split_at(section.columns());
                revolved_hexes(&section.refined(rows, columns)?, segments(section, list[0]))
            }
            (Shape::Profile(profile), &[segments, outline]) => profile.hexes(segments, outline),
            _ => Err(wrong),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Shape::Box { .. } => "box",
            Shape::Sphere { .. } => "sphere",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Tube { .. } => "tube",
            Shape::Cup(_) => "cup",
            Shape::Helix(_) => "helix",
            Shape::FinRay(_) => "fin-ray finger",
            Shape::Revolved(_) => "revolved shape",
            Shape::Profile(_) => "revolved profile",
        }
    }

    fn directions(&self) -> Result<Vec<Direction>, GeometryError> {
        Ok(match self {
            Shape::Box { size } => size.to_array().map(|length| (length, 1, 1)).to_vec(),
            // The core's side spans a quarter of the girth at nine tenths of the radius; the shells fill what the
            // core leaves of the radius.
            Shape::Sphere { radius } => vec![(1.4 * radius, 1, 2), (0.3 * radius, 1, 1)],
            Shape::Cylinder { radius, height } => {
                vec![(0.8 * TAU / 4.0 * radius, 1, 2), (*radius, 1, 2), (*height, 1, 1)]
            }
            Shape::Tube { inner_radius, outer_radius, height } => {
                let girth = TAU * 0.5 * (inner_radius + outer_radius);
                vec![(girth, 3, 12), (outer_radius - inner_radius, 1, 1), (*height, 1, 1)]
            }
            Shape::Cup(cup) => cup_directions(cup)?,
            Shape::FinRay(finger) => vec![
                (finger.wall, 1, 1),
                (finger.room(), 1, 2),
                (finger.cut_out(), 1, 2),
                (finger.rib, 1, 1),
                (finger.depth, 1, 1),
            ],
            Shape::Helix(helix) => {
                // A quarter of the girth of a round wire, at nine tenths of its radius.
                let share = if helix.section == WireSection::Round { 0.9 * TAU / 8.0 } else { 1.0 };
                let wanted = if helix.section == WireSection::Round { 2 } else { 1 };
                let layers = helix.least_layers();
                vec![
                    (share * helix.wire_diameter, 1, wanted),
                    (helix.wire_length(), layers, layers),
                ]
            }
            Shape::Revolved(section) => section_directions(section),
            // A profile has no lattice of cells; see Profile::divisions_for.
            Shape::Profile(_) => Vec::new(),
        })
    }

    fn node_counter(&self) -> Result<NodeCounter<'_>, GeometryError> {
        Ok(match self {
            Shape::Box { .. } => Box::new(|n| n.iter().map(|n| n + 1).product()),
            Shape::Sphere { .. } => Box::new(|n| ball::ball_node_count(n[0], n[1])),
            Shape::Cylinder { .. } => Box::new(|n| cylinder_node_count(n[0], n[1], n[2])),
            Shape::Tube { .. } => Box::new(|n| n[0] * (n[1] + 1) * (n[2] + 1)),
            Shape::Cup(cup) => {
                let band = cup.band()?;
                Box::new(move |n| {
                    CupDivisions::from_list(cup, &band, n)
                        .map_or(usize::MAX, |d| d.node_count(cup, &band))
                })
            }
            Shape::FinRay(finger) => Box::new(|n| {
                let (wall, between, cut_out, rib, depth) = (n[0], n[1], n[2], n[3], n[4]);
                FinRayDivisions { wall, between, cut_out, rib, depth }.node_count(finger.ribs)
            }),
            Shape::Helix(helix) => Box::new(|n| helix_node_count(helix.section, n[0], n[1])),
            Shape::Profile(_) => Box::new(|_| usize::MAX),
            Shape::Revolved(section) => Box::new(|n| {
                let (columns, rows) = n[1..].split_at(section.columns());
                let across = section.refined(&[], columns);
                let around = segments(section, n[0]);
                across.map_or(usize::MAX, |s| {
                    revolved_node_count(&s, rows.iter().sum(), around, None)
                })
            }),
        })
    }
}

/// A section that touches the axis has its segments counted by the quarter turn.
fn segments(section: &Section, count: usize) -> usize {
    if section.touches_axis() { count.saturating_mul(4) } else { count }
}

fn cup_directions(cup: &CupShape) -> Result<Vec<Direction>, GeometryError> {
    let band = cup.band()?;
    let mut directions = vec![(0.75 * TAU / 8.0 * cup.outer_diameter, 1, 3)];
    directions.extend(band.section.column_lengths().into_iter().map(|length| (length, 1, 1)));
    // One cell through the rim would bend too stiffly and seal badly.
    let thickness = 0.5 * (cup.rim_thickness() + cup.top_thickness);
    directions.push((thickness, 1, 2));
    if cup.has_stem() {
        directions.push((cup.stem_height, 1, 1));
    }
    Ok(directions)
}

fn section_directions(section: &Section) -> Vec<Direction> {
    let widest = section.outline().iter().map(|p| p[0]).fold(0.0, f64::max);
    let turn = if section.touches_axis() {
        (0.75 * TAU / 4.0 * widest, 1, 2)
    } else {
        (0.9 * TAU * widest, 3, 12)
    };
    let each = section.column_lengths().into_iter().chain(section.row_lengths());
    std::iter::once(turn).chain(each.map(|length| (length, 1, 1))).collect()
}
