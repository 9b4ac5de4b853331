//! What a finished minimisation means: where everything is, which force acts at which contact, what holds the attachments.

use super::contacts::Contacts;
use super::coordinates::Coordinates;
use super::newton::{Solved, State};
use super::pair::{Kind, Pair};
use super::surfaces::Surfaces;
use crate::contact::{Contact, ContactId, Stencil};
use crate::law::ContactLaw;
use crate::mapping::Tie;
use crate::model::{Configuration, Model};
use crate::report::Residual;
use crate::solver::{Outcome, Problem, Touch, WorldContact};
use cupule_geometry::DVec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A contact of the report while it is put together.
struct Entry {
    contact: WorldContact,
    force: DVec3,
    slip: DVec3,
    /// Gap at the end, m.
    gap: f64,
}

/// Contacts of the end state and of friction, sorted by identity, and the outcome with their forces.
pub(super) fn outcome(
    problem: &Problem,
    coordinates: &Coordinates,
    surfaces: &Surfaces,
    contacts: &Contacts,
    state: State,
    solved: Solved,
) -> (Vec<WorldContact>, Outcome) {
    let Problem { model, step, .. } = *problem;
    let entries = entries(problem, surfaces, contacts, &state, &solved);
    let mut outcome = Outcome {
        rows: solved.near.len(),
        iterations: solved.iterations,
        residual: Residual {
            gap_m: solved.last_move,
            force_n: solved.force,
            force_share: solved.force_share,
            gas: 0.0,
        },
        reactions: reactions(model, solved.imbalance),
        bond_forces: contacts.bonds.forces(&state.points).collect(),
        ..Outcome::default()
    };
    let mut ends = Vec::new();
    for entry in entries.into_values() {
        let touch = &entry.contact.touch;
        let slip = touch.to_local(entry.slip);
        let measure = DVec3::new(entry.gap - contacts.reach.distance, slip.y, slip.z);
        outcome.forces.push(touch.to_local(entry.force));
        outcome.measures.push(measure);
        ends.push(entry.contact);
    }
    outcome.solved_measures.clone_from(&outcome.measures);
    let frames = coordinates.frames(&state.nodes, &step.now.at.frames);
    outcome.end = Configuration { points: state.points, frames };
    outcome.velocities = step.velocities_to(model, &outcome.end);
    (ends, outcome)
}

fn entries(
    problem: &Problem,
    surfaces: &Surfaces,
    contacts: &Contacts,
    state: &State,
    solved: &Solved,
) -> BTreeMap<ContactId, Entry> {
    let distance = contacts.reach.distance;
    let velocities = &problem.step.now.point_velocities;
    let mut entries = BTreeMap::new();
    for near in &solved.near {
        let (pair, measure) = (&near.pair, &near.measure);
        let force = measure.normal * pair.normal_force(&near.at, measure, contacts.reach);
        let gap = measure.distance - pair.thickness;
        let law = problem.laws.of(&pair.id(), || near.slip_speed(velocities));
        let contact =
            contact(surfaces, pair, measure.weights, measure.normal, [gap, distance], law);
        let entry = Entry { contact, force, slip: DVec3::ZERO, gap };
        entries.insert(entry.contact.contact.id, entry);
    }
    for rubbing in &contacts.rubbing {
        let (pair, lagged) = (&rubbing.pair, &rubbing.measure);
        let slip = contacts.slip(rubbing, &state.points);
        let force = rubbing.force(slip, contacts.threshold);
        let gap = lagged.distance - pair.thickness;
        let (weights, law) = (lagged.weights, rubbing.law);
        let contact = contact(surfaces, pair, weights, lagged.normal, [gap, distance], law);
        let entry = entries.entry(contact.contact.id).or_insert_with(|| {
            let apart = pair.measure(&pair.gather(&state.points)).distance;
            let gap = apart - pair.thickness;
            Entry { contact, force: DVec3::ZERO, slip: DVec3::ZERO, gap }
        });
        (entry.force, entry.slip) = (entry.force + force, slip);
    }
    entries
}

fn contact(
    surfaces: &Surfaces,
    pair: &Pair,
    w: [f64; 4],
    normal: DVec3,
    [gap, distance]: [f64; 2],
    law: &Arc<dyn ContactLaw>,
) -> WorldContact {
    let [a, b] = pair.surfaces;
    let [f, g] = pair.features;
    let (first, second) = match pair.kind {
        Kind::VertexFace => (
            Stencil::vertex(a, f),
            Stencil::face(b, surfaces.triangle(b, g), [-w[1], -w[2], -w[3]]),
        ),
        Kind::VertexEdge => (Stencil::vertex(a, f), Stencil::edge(b, surfaces.edge(b, g), -w[2])),
        Kind::EdgeEdge => (
            Stencil::edge(a, surfaces.edge(a, f), w[1]),
            Stencil::edge(b, surfaces.edge(b, g), -w[3]),
        ),
    };
    let id = pair.id();
    let touch = Touch {
        points: pair.points.iter().zip(w).map(|(p, w)| (*p as usize, w)).collect(),
        normal,
        distance,
        law: law.clone(),
        warm_start: DVec3::ZERO,
        slip_before: DVec3::ZERO,
    };
    let contact = Contact { id, a: first, b: second, normal, distance: gap, area: pair.area };
    WorldContact { contact, touch }
}

/// What holds each tied point of a soft part: what is left of the balance of forces there, with what the points that hang on
/// it hand on.
fn reactions(model: &Model, mut imbalance: Vec<DVec3>) -> Vec<(usize, DVec3)> {
    for (point, tie) in model.ties.iter().enumerate() {
        if let Tie::Combined(parts) = tie {
            let force = imbalance[point];
            parts.iter().for_each(|&(p, w)| imbalance[p] += force * w);
        }
    }
    model
        .soft
        .iter()
        .filter(|part| !part.shares_nodes)
        .flat_map(|part| part.points.clone())
        .filter(|p| !matches!(model.ties[*p], Tie::Free(_)))
        .map(|p| (p, imbalance[p] * model.ties[p].held_axes()))
        .collect()
}
