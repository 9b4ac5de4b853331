//! A contour of one body threaded over the surface of the other: each point goes to its nearest point there, and the
//! points are joined from triangle to triangle.

use std::collections::VecDeque;

use super::contour::Step;
use super::field::{Field, Probe};
use crate::distance::edge_edge;
use crate::{DVec3, GeometryError};

/// How often a part is halved whose ends lie on triangles that are not neighbours: down to a 32nd of it. If that is
/// not enough, the flood refuses.
const HALVINGS: u32 = 5;
/// Weights of nearest points are kept this far inside their triangle, because a point on an edge must belong to one side of it: far
/// above rounding, and far below what a border may be off.
const MARGIN: f64 = 1e-9;

/// A straight part of a border on one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub triangle: u32,
    /// Weights in the triangle.
    pub from: [f64; 3],
    pub to: [f64; 3],
}

/// The same part of a border on the body that carries it and on the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub on: [Place; 2],
}

/// A point of the other body.
#[derive(Debug, Clone, Copy)]
struct Foot {
    triangle: u32,
    weights: [f64; 3],
    point: DVec3,
}

pub(super) struct Threader<'a> {
    pub field: &'a Field<'a>,
    /// The body that carries the contour, and the other.
    pub bodies: [usize; 2],
}

impl Threader<'_> {
    /// Threads a closed contour over the other body.
    pub fn thread(&self, steps: &[Step]) -> Result<Vec<Link>, GeometryError> {
        let feet = steps
            .iter()
            .map(|step| self.foot(step, 0.0))
            .collect::<Option<Vec<Foot>>>()
            .ok_or_else(|| super::failed("a border has no point on the other body"))?;
        let mut links = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let ends = [feet[index], feet[(index + 1) % feet.len()]];
            self.join(step, [0.0, 1.0], ends, HALVINGS, &mut links)?;
        }
        Ok(links)
    }

    /// The foot of a place along a step.
    fn foot(&self, step: &Step, along: f64) -> Option<Foot> {
        let [carrier, other] = self.bodies;
        let weights = mixed(step, along);
        let point = self.field.point(carrier, step.triangle, weights);
        let normal = self.field.normal(carrier, step.triangle, weights);
        let probe = Probe { body: carrier, point, level: 0.0, normal };
        let (triangle, weights) = self.field.foot(&probe, other)?;
        let weights = weights.map(|weight| weight * (1.0 - 3.0 * MARGIN) + MARGIN);
        let point = self.field.point(other, triangle, weights);
        Some(Foot { triangle, weights, point })
    }

    fn join(
        &self,
        step: &Step,
        along: [f64; 2],
        feet: [Foot; 2],
        halvings: u32,
        links: &mut Vec<Link>,
    ) -> Result<(), GeometryError> {
        let triangles = feet.map(|foot| foot.triangle);
        let near = triangles[0] == triangles[1] || self.common_edge(triangles).is_some();
        if near || halvings == 0 {
            return self.walk(step, along, feet, links);
        }
        let middle = 0.5 * (along[0] + along[1]);
        let foot = self
            .foot(step, middle)
            .ok_or_else(|| super::failed("a border has no point on the other body"))?;
        self.join(step, [along[0], middle], [feet[0], foot], halvings - 1, links)?;
        self.join(step, [middle, along[1]], [foot, feet[1]], halvings - 1, links)
    }

    /// Joins two feet over the fewest triangles.
    fn walk(
        &self,
        step: &Step,
        along: [f64; 2],
        feet: [Foot; 2],
        links: &mut Vec<Link>,
    ) -> Result<(), GeometryError> {
        let path = self
            .path(feet[0].triangle, feet[1].triangle)
            .ok_or_else(|| super::failed("a border jumps between separate parts of a body"))?;
        let share = |k: usize| along[0] + (along[1] - along[0]) * k as f64 / path.len() as f64;
        let mut from = feet[0];
        for (k, triangle) in path.iter().enumerate() {
            let next = match path.get(k + 1) {
                Some(next) => self.gate(from.point, feet[1].point, [*triangle, *next]),
                None => Some([feet[1]; 2]),
            };
            let [to, entered] = next.ok_or_else(|| super::failed("a border lost its way"))?;
            let [start, end] = [k, k + 1].map(|k| mixed(step, share(k)));
            links.push(Link {
                on: [
                    Place { triangle: step.triangle, from: start, to: end },
                    Place { triangle: *triangle, from: from.weights, to: to.weights },
                ],
            });
            from = entered;
        }
        Ok(())
    }

    /// Where the way from one point to another leaves the first of two neighbours and enters the second.
    fn gate(&self, from: DVec3, to: DVec3, triangles: [u32; 2]) -> Option<[Foot; 2]> {
        let surface = &self.field.surfaces[self.bodies[1]];
        let edge = self.common_edge(triangles)?;
        let [u, v] = self.field.adjacency[self.bodies[1]].edges[edge as usize];
        let at = |vertex: u32| surface.positions[vertex as usize];
        let place = edge_edge([from, to], [at(u), at(v)]).t.clamp(MARGIN, 1.0 - MARGIN);
        let point = at(u).lerp(at(v), place);
        Some(triangles.map(|triangle| {
            let weight = |vertex| match vertex {
                vertex if vertex == u => 1.0 - place,
                vertex if vertex == v => place,
                _ => 0.0,
            };
            let weights = surface.triangles[triangle as usize].map(weight);
            Foot { triangle, weights, point }
        }))
    }

    fn common_edge(&self, [a, b]: [u32; 2]) -> Option<u32> {
        common_edge(self.field, self.bodies[1], [a, b])
    }

    /// The fewest triangles from one to another, both included.
    fn path(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        if from == to {
            return Some(vec![from]);
        }
        if self.common_edge([from, to]).is_some() {
            return Some(vec![from, to]);
        }
        let adjacency = &self.field.adjacency[self.bodies[1]];
        // Searched from the end, so that the way back to it reads forwards.
        let mut onward = vec![None; adjacency.triangle_edges.len()];
        onward[to as usize] = Some(to);
        let mut queue = VecDeque::from([to]);
        while let Some(triangle) = queue.pop_front().filter(|_| onward[from as usize].is_none()) {
            for edge in adjacency.triangle_edges[triangle as usize] {
                for beside in adjacency.edge_triangles[edge as usize].into_iter().flatten() {
                    if onward[beside as usize].is_none() {
                        onward[beside as usize] = Some(triangle);
                        queue.push_back(beside);
                    }
                }
            }
        }
        let mut path = vec![from];
        while *path.last()? != to {
            path.push(onward[*path.last()? as usize]?);
        }
        Some(path)
    }
}

/// The edge of a body that two of its triangles share.
pub(super) fn common_edge(field: &Field<'_>, body: usize, [a, b]: [u32; 2]) -> Option<u32> {
    let edges = &field.adjacency[body].triangle_edges;
    edges[a as usize].into_iter().find(|edge| edges[b as usize].contains(edge))
}

fn mixed(step: &Step, along: f64) -> [f64; 3] {
    if along == 1.0 {
        return step.to;
    }
    [0, 1, 2].map(|k| step.from[k] + along * (step.to[k] - step.from[k]))
}
