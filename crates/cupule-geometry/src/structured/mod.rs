//! Solids cut into well-shaped hexahedra without meshing software: a flat sheet of quads carried through layers.
//!
//! Round shapes have no wedge at the axis: the middle of a disc is a grid of squares, blended towards the circle
//! (an O-grid), and the middle of a ball is a cube with six shells around it. All nodes of a round boundary lie on
//! the true surface, so volumes are approached from below with the square of the cell size.

mod ball;
mod choose;
mod cuboid;
mod cup;
mod divide;
mod fin_ray;
mod helix;
mod profile;
mod revolve;
mod section;
mod shape;
mod sheet;
mod tets;

pub use ball::ball_hexes;
pub use cuboid::cuboid_hexes;
pub use cup::{CupDivisions, CupShape, cup_hexes};
pub use fin_ray::{FinRayDivisions, FinRayShape, fin_ray_hexes};
pub use helix::{HelixShape, WireSection, helix_cage, helix_hexes};
pub use profile::Profile;
pub use revolve::{cylinder_hexes, revolved_hexes, tube_hexes};
pub use section::Section;
pub use shape::Shape;
