//! What a body can do, in place of what kind it is: who drives, records or shows a world asks this.

use super::World;
use super::assembly::Body;
use super::builder::BodyId;

/// What a body can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Forces move it; else it goes where its motion says, or stays.
    pub moves_freely: bool,
    /// It never moves.
    pub is_fixed: bool,
    /// Its points are nodes of cells, which can be held and loaded one by one.
    pub has_nodes: bool,
    /// Air can be trapped against it: only a closed surface has an outside.
    pub encloses_air: bool,
}

impl Body {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            moves_freely: self.moves_freely(),
            is_fixed: self.is_fixed(),
            has_nodes: self.has_nodes(),
            encloses_air: self.encloses_air(),
        }
    }
}

impl World {
    /// What a body can do.
    pub fn capabilities(&self, body: BodyId) -> Capabilities {
        self.assembly.bodies[body.0].capabilities()
    }
}
