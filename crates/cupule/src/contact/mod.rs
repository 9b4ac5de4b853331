//! Proximity of deforming surfaces: which points of which surfaces may touch within the coming step.
//!
//! The contact set is the same for both solvers (physics section 3, item 3). It consists of vertex-face pairs, both
//! ways, and of edge-edge pairs, with their degenerate cases (a vertex over an edge or over a vertex), reduced to the
//! *local minima* of the distance between the two surfaces, so that a vertex over a flat patch of many triangles makes
//! one contact and a box on the ground makes four:
//!
//! - a face takes the vertices that project into it; an edge or vertex of the target takes a vertex only within its
//!   normal cone (the directions in which it is the closest feature of its neighbourhood);
//! - two edges touch only if both are convex by more than `sharp_edge_angle`, the closest points are inside both, and the
//!   direction between them lies in both normal cones. Almost parallel edges are left to vertex-face pairs. A pair that pushed in
//!   the last step is kept until its edges are concave by more than 10 degrees: its own push flattens soft edges;
//! - the normal of a vertex must not point the same way as the normal of the face it touches, which removes pairs
//!   through thin walls;
//! - what then still coincides (points within `merge_distance`, normals within 5 degrees) is merged.
//!
//! Surfaces are one-sided: outside is where the normals point. A vertex is outside or inside by the sign at the nearest
//! feature of the target at x. From inside it is pushed out through the nearest face that its own normal opposes,
//! up to a depth of alarm + contact distance. Pairs that come close only between x and x_free (at the end, at samples on
//! the way, or by crossing a face) are kept with the normal they have then, and with the distance along it at x.
//!
//! *Self-contact.* Two primitives of one surface are not in contact with each other if they are joined by a walk along rest edges
//! shorter than twice the alarm distance, if they were closer than the contact distance at rest, or if one lies behind
//! the other now as it did at rest (the two sides of a wall). So a crease may close on the last two alarm distances
//! next to its bottom unseen.
//!
//! *Areas.* A vertex brings its tributary area, a third of the adjacent triangles, projected on the contact plane. Two meshes over the same patch
//! would count it twice, so each side is weighted by the other's vertex area, A_u / (A_u + A_v): half each for
//! equal meshes, all to the fine side where the other is one huge triangle. Several contacts of one vertex with one
//! surface share its area; merged contacts add theirs. Edge pairs carry an eighth of the product of their lengths, in
//! addition to what vertices cover: sums are too large by that where edges cross edges.

mod audit;
mod collision;
mod detector;
mod edges;
mod frame;
mod merge;
mod neighbourhood;
mod penetration;
mod record;
mod settings;
mod surface;
mod vertices;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod tests;

pub use audit::{PlacedSurface, intersections};
pub use collision::CollisionSurface;
pub use detector::Detector;
pub use penetration::Penetration;
pub use record::{Contact, ContactId, Feature, PointKey, Stencil};
pub use settings::{ContactError, ContactSettings};
pub use surface::{SearchSurface, SurfacePose};
