//! Borders, where free pieces of two bodies meet, and junctions, where those of three or more do.

use super::engine::{Union, next};
use super::region::Buried;
use super::{Border, Corner, Junction};

/// The union with everything that places its half-edges on the bodies and in the air.
pub(super) struct Placed<'a> {
    pub union: &'a Union,
    /// Weights of each half-edge's origin.
    pub located: &'a [[f64; 3]],
    /// Component of each triangle.
    pub component: &'a [u32],
    pub buried: &'a Buried,
}

impl Placed<'_> {
    /// The origin of a half-edge as its triangle's body carries it.
    fn corner(&self, half: u32) -> Corner {
        let [body, triangle] = self.union.source[half as usize / 3];
        Corner { body, triangle, barycentric: self.located[half as usize] }
    }

    pub fn borders(&self) -> Vec<Border> {
        let halves = 0..self.union.opposite.len() as u32;
        halves.filter_map(|half| self.border(half)).collect()
    }

    /// The border along a half-edge of the lower of its two bodies. The triangle lies on the left of its half-edges.
    fn border(&self, half: u32) -> Option<Border> {
        let back = self.union.opposite[half as usize];
        let bodies = [half, back].map(|h| self.union.body(h));
        if bodies[0] >= bodies[1] {
            return None;
        }
        let ends = [
            [self.corner(half), self.corner(next(back))],
            [self.corner(next(half)), self.corner(back)],
        ];
        let component = self.component[half as usize / 3];
        Some(Border { component, region: self.buried.region_behind(half)?, bodies, ends })
    }

    pub fn junctions(&self) -> Vec<Junction> {
        let mut meetings: Vec<(u32, u32, u32)> = (0..self.union.opposite.len() as u32)
            .filter(|half| {
                self.union.body(*half) != self.union.body(self.union.opposite[*half as usize])
            })
            .flat_map(|half| {
                let body = self.union.body(half);
                // A border half-edge shows its body at both ends; each is entered where it starts.
                [(self.union.origin(half), body, half), (self.union.target(half), body, next(half))]
            })
            .collect();
        meetings.sort_unstable();
        meetings.dedup_by_key(|meeting| (meeting.0, meeting.1));
        let points = meetings.chunk_by(|a, b| a.0 == b.0).filter(|bodies| bodies.len() >= 3);
        points.filter_map(|bodies| self.junction(bodies[0].2)).collect()
    }

    /// Walks counter-clockwise round the origin of `start`, one corner for every run of triangles of one body.
    fn junction(&self, start: u32) -> Option<Junction> {
        let mut corners = Vec::new();
        let mut region = None;
        let mut half = start;
        for _ in 0..self.union.opposite.len() {
            let incoming = next(next(half));
            let onward = self.union.opposite[incoming as usize];
            if self.union.body(onward) != self.union.body(half) {
                corners.push(self.corner(half));
                region = region.or(self.buried.region_behind(incoming));
            }
            half = onward;
            if half == start {
                break;
            }
        }
        let component = self.component[start as usize / 3];
        Some(Junction { component, region: region?, corners })
    }
}
