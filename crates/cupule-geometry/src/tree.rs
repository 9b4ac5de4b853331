//! A tree of bounding boxes over moving primitives (points, edges, triangles).
//!
//! Written here rather than taken from a collision library because contact of deforming surfaces needs three things
//! together: boxes swept over a step, refitting in place as the surface deforms, and the pairs of two trees (or of one
//! tree with itself) in a fixed order. The set of pairs depends on the boxes only, never on the tree's history.
//!
//! Nodes lie in depth-first order, so refitting is one backward pass. Splits are at the median of the longest axis of
//! the box centres. A tree is built anew only when its boxes have grown to twice the total area they had when built.

use crate::DVec3;

/// Primitives per leaf: fewer make more nodes, more make more pair tests.
const LEAF_SIZE: usize = 4;
/// Growth of the total box area at which a refitted tree is rebuilt.
const DEGRADED: f64 = 2.0;

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower corner, m.
    pub min: DVec3,
    /// Upper corner, m.
    pub max: DVec3,
}

impl Bounds {
    /// The box of nothing: touches no box, and joining it changes nothing.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box round some points.
    #[must_use]
    pub fn of(points: &[DVec3]) -> Self {
        points.iter().fold(Self::EMPTY, |bounds, point| Self {
            min: bounds.min.min(*point),
            max: bounds.max.max(*point),
        })
    }

    /// The smallest box round two boxes.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the boxes come within `reach` (m) of each other along every axis.
    #[must_use]
    pub fn near(&self, other: &Self, reach: f64) -> bool {
        self.min.x - reach <= other.max.x
            && other.min.x - reach <= self.max.x
            && self.min.y - reach <= other.max.y
            && other.min.y - reach <= self.max.y
            && self.min.z - reach <= other.max.z
            && other.min.z - reach <= self.max.z
    }

    /// Squared distance from a point to the box, 0 inside; infinite for the empty box, m2.
    #[must_use]
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        (self.min - point).max(point - self.max).max(DVec3::ZERO).length_squared()
    }

    /// Surface area, 0 for the empty box, m2.
    #[must_use]
    pub fn area(&self) -> f64 {
        let size = (self.max - self.min).max(DVec3::ZERO);
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Bounds,
    /// Range in `order`; the whole subtree's.
    first: u32,
    count: u32,
    /// Index of the right child; the left one follows its parent. 0 marks a leaf.
    right: u32,
}

/// A bounding-box tree; see the module head.
#[derive(Debug, Clone, Default)]
pub struct BoxTree {
    nodes: Vec<Node>,
    /// Primitive indices, leaf by leaf.
    order: Vec<u32>,
    /// Boxes in the order of `order`.
    boxes: Vec<Bounds>,
    built_area: f64,
}

impl BoxTree {
    /// Builds a tree over the primitives 0, 1, ... with these boxes.
    #[must_use]
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut tree = Self::default();
        tree.build(boxes);
        tree
    }

    /// Takes new boxes of the same primitives: refits, or rebuilds when the tree has degraded (or their number changed).
    /// Says whether it was rebuilt.
    pub fn update(&mut self, boxes: &[Bounds]) -> bool {
        if boxes.len() != self.order.len() {
            self.build(boxes);
            return true;
        }
        self.refit(boxes);
        let degraded = self.total_area() > DEGRADED * self.built_area;
        if degraded {
            self.build(boxes);
        }
        degraded
    }

    fn build(&mut self, boxes: &[Bounds]) {
        self.nodes.clear();
        self.order = (0..boxes.len() as u32).collect();
        if !boxes.is_empty() {
            let centres: Vec<DVec3> = boxes.iter().map(centre).collect();
            self.split(&centres, 0, boxes.len());
        }
        self.refit(boxes);
        self.built_area = self.total_area();
    }

    fn split(&mut self, centres: &[DVec3], first: usize, count: usize) {
        let node = self.nodes.len();
        self.nodes.push(Node {
            bounds: Bounds::EMPTY,
            first: first as u32,
            count: count as u32,
            right: 0,
        });
        if count <= LEAF_SIZE {
            return;
        }
        let range = &mut self.order[first..first + count];
        let spread = range.iter().fold(Bounds::EMPTY, |bounds, primitive| {
            let centre = centres[*primitive as usize];
            bounds.join(Bounds { min: centre, max: centre })
        });
        let axis = (spread.max - spread.min).max_position();
        let half = count / 2;
        // Ties by index: the same tree on every run and machine.
        range.select_nth_unstable_by(half, |a, b| {
            let (x, y) = (centres[*a as usize][axis], centres[*b as usize][axis]);
            x.total_cmp(&y).then(a.cmp(b))
        });
        self.split(centres, first, half);
        self.nodes[node].right = self.nodes.len() as u32;
        self.split(centres, first + half, count - half);
    }

    fn refit(&mut self, boxes: &[Bounds]) {
        self.boxes.clear();
        self.boxes.extend(self.order.iter().map(|primitive| boxes[*primitive as usize]));
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            self.nodes[index].bounds = if node.right == 0 {
                self.leaf(&node).iter().fold(Bounds::EMPTY, |all, each| all.join(*each))
            } else {
                self.nodes[index + 1].bounds.join(self.nodes[node.right as usize].bounds)
            };
        }
    }

    fn leaf(&self, node: &Node) -> &[Bounds] {
        &self.boxes[node.first as usize..(node.first + node.count) as usize]
    }

    fn total_area(&self) -> f64 {
        self.nodes.iter().map(|node| node.bounds.area()).sum()
    }

    /// Calls `visit(i, j)` for every primitive i of this tree and j of `other` whose boxes come within `reach` (m).
    pub fn pairs(&self, other: &Self, reach: f64, mut visit: impl FnMut(u32, u32)) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let mut stack = vec![(0, 0)];
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i], &other.nodes[j]);
            if !a.bounds.near(&b.bounds, reach) {
                continue;
            }
            match (a.right, b.right) {
                (0, 0) => self.leaf_pairs(a, other, b, reach, &mut visit),
                (right, 0) => stack.extend([(right as usize, j), (i + 1, j)]),
                (0, right) => stack.extend([(i, right as usize), (i, j + 1)]),
                (right, _) if a.count >= b.count => stack.extend([(right as usize, j), (i + 1, j)]),
                (_, right) => stack.extend([(i, right as usize), (i, j + 1)]),
            }
        }
    }

    fn leaf_pairs(
        &self,
        a: &Node,
        other: &Self,
        b: &Node,
        reach: f64,
        visit: &mut impl FnMut(u32, u32),
    ) {
        for (i, first) in self.leaf(a).iter().enumerate() {
            for (j, second) in other.leaf(b).iter().enumerate() {
                if first.near(second, reach) {
                    visit(self.order[a.first as usize + i], other.order[b.first as usize + j]);
                }
            }
        }
    }

    /// Calls `visit(i, j)`, i < j, once for every two primitives of this tree whose boxes come within `reach` (m).
    pub fn self_pairs(&self, reach: f64, mut visit: impl FnMut(u32, u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut ordered = |i: u32, j: u32| {
            if i != j {
                visit(i.min(j), i.max(j));
            }
        };
        let mut stack = vec![(0, 0)];
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i], &self.nodes[j]);
            if !a.bounds.near(&b.bounds, reach) {
                continue;
            }
            match (a.right as usize, b.right as usize) {
                (0, 0) if i == j => self.pairs_in_leaf(a, reach, &mut ordered),
                (0, 0) => self.leaf_pairs(a, self, b, reach, &mut ordered),
                (right, _) if i == j => {
                    stack.extend([(i + 1, right), (right, right), (i + 1, i + 1)]);
                }
                (right, other) if other == 0 || (right != 0 && a.count >= b.count) => {
                    stack.extend([(right, j), (i + 1, j)]);
                }
                (_, right) => stack.extend([(i, right), (i, j + 1)]),
            }
        }
    }

    fn pairs_in_leaf(&self, node: &Node, reach: f64, visit: &mut impl FnMut(u32, u32)) {
        let boxes = self.leaf(node);
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].near(&boxes[j], reach) {
                    let first = node.first as usize;
                    visit(self.order[first + i], self.order[first + j]);
                }
            }
        }
    }

    /// The primitive with the least `distance_squared(primitive)` (m2) from `point`, if below `limit_squared`.
    ///
    /// `distance_squared` must not be less than the distance to the primitive's box. Ties go to the lowest index.
    pub fn nearest(
        &self,
        point: DVec3,
        limit_squared: f64,
        mut distance_squared: impl FnMut(u32) -> f64,
    ) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        let mut stack = if self.nodes.is_empty() { vec![] } else { vec![0] };
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index];
            let bound = best.map_or(limit_squared, |best| best.1);
            if node.bounds.distance_squared(point) > bound {
                continue;
            }
            if node.right == 0 {
                let first = node.first as usize;
                for primitive in &self.order[first..first + node.count as usize] {
                    let found = distance_squared(*primitive);
                    let better = best.map_or(found <= limit_squared, |(index, least)| {
                        found < least || (found == least && *primitive < index)
                    });
                    if better {
                        best = Some((*primitive, found));
                    }
                }
            } else {
                // The nearer child last, so that it is looked at first and shrinks the bound.
                let (left, right) = (index + 1, node.right as usize);
                let to = |child: usize| self.nodes[child].bounds.distance_squared(point);
                let near_first = if to(left) <= to(right) { [right, left] } else { [left, right] };
                stack.extend(near_first);
            }
        }
        best
    }
}

fn centre(bounds: &Bounds) -> DVec3 {
    // Empty boxes have no centre; anywhere finite will do.
    if bounds.min.x > bounds.max.x { DVec3::ZERO } else { (bounds.min + bounds.max) * 0.5 }
}

#[cfg(test)]
mod tests;
