//! What a body can do, in place of what kind it is: who drives, records or shows a world asks this.

use super::World;
use super::builder::BodyId;

impl World {
    /// Whether forces move a body; else it goes where its motion says, or stays.
    pub fn moves_freely(&self, body: BodyId) -> bool {
        self.assembly.bodies[body.0].moves_freely()
    }

    /// Whether a body never moves.
    pub fn is_fixed(&self, body: BodyId) -> bool {
        self.assembly.bodies[body.0].is_fixed()
    }

    /// Whether a body follows a path, which can be shifted ([`super::Controls::set_body_offset`]).
    pub fn has_path(&self, body: BodyId) -> bool {
        self.assembly.bodies[body.0].path().is_some()
    }

    /// Whether the points of a body are nodes of cells, which can be held and loaded one by one.
    pub fn has_nodes(&self, body: BodyId) -> bool {
        self.assembly.bodies[body.0].has_nodes()
    }

    /// Whether air can be trapped against a body: only a closed surface has an outside.
    pub fn encloses_air(&self, body: BodyId) -> bool {
        self.assembly.bodies[body.0].encloses_air()
    }
}
