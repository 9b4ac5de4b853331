//! The sealed zone between two bodies, carried by the one that samples it better.

use super::contour::{Contour, contours};
use super::field::{Field, Sample};
use super::fine::{Fine, FineTriangle};
use super::label::Loop;
use super::thread::Threader;
use crate::GeometryError;
use crate::disjoint::DisjointSets;

/// How often a carrier is refined that misses what the other body sees: its edges there get down to an eighth, and every
/// further time would at least double their number.
const REFINEMENTS: usize = 3;

/// A sealed zone.
pub(super) struct Zone {
    pub fine: Fine,
    pub contours: Vec<Contour>,
}

impl Zone {
    /// The zone between two bodies, if any, on a carrier refined some times everywhere and where it needs to be; lowers
    /// `gaps` to what the bodies see of each other.
    pub fn new(
        field: &Field<'_>,
        [a, b]: [usize; 2],
        refinements: usize,
        gaps: &mut [Vec<f64>],
    ) -> Option<Self> {
        let both = [Fine::new(field, a, b), Fine::new(field, b, a)];
        for fine in &both {
            let samples = gaps[fine.body].iter_mut().zip(&fine.samples);
            samples.for_each(|(gap, sample)| *gap = gap.min(sample.gap));
        }
        if both.iter().all(|fine| fine.sealed_count() == 0) {
            return None;
        }
        let unseen = |own: usize| both[own].missed(&both[1 - own]) + both[own].aliased(field).len();
        let unseen = [unseen(0), unseen(1)];
        let counts = both.each_ref().map(Fine::sealed_count);
        // The body with more sealed vertices follows the zone more closely; what it misses is refined below.
        let second = (counts[0], unseen[1]) < (counts[1], unseen[0]);
        let [first, last] = both;
        let (mut fine, other) = if second { (last, first) } else { (first, last) };
        for round in 0..refinements + REFINEMENTS {
            let coarse = round < refinements || fine.missed(&other) > 0;
            let edges = if coarse { fine.near(field) } else { fine.aliased(field) };
            if edges.is_empty() {
                break;
            }
            fine.refine(field, &edges);
        }
        let contours = contours(field, &fine);
        Some(Self { fine, contours })
    }

    /// The zone in which a body is folded on itself, if any; lowers `gaps` to what its parts see of each other.
    ///
    /// # Errors
    /// Parts that hang together with what they face, or of which three meet.
    pub fn folded(
        field: &Field<'_>,
        body: usize,
        gaps: &mut [Vec<f64>],
    ) -> Result<Option<Self>, GeometryError> {
        let mut fine = Fine::new(field, body, body);
        let samples = gaps[body].iter_mut().zip(&fine.samples);
        samples.for_each(|(gap, sample)| *gap = gap.min(sample.gap));
        if fine.sealed_count() == 0 {
            return Ok(None);
        }
        leave_one_side(&mut fine, field.surfaces[body].triangles)?;
        let contours = contours(field, &fine);
        Ok(Some(Self { fine, contours }))
    }

    /// Marks the carrier's sealed vertices.
    pub fn mark(&self, sealed: &mut [Vec<bool>]) -> Result<(), GeometryError> {
        let own = &mut sealed[self.fine.body];
        for (vertex, (mark, sample)) in own.iter_mut().zip(&self.fine.samples).enumerate() {
            if sample.is_sealed() && *mark {
                let body = self.fine.body;
                return Err(super::failed(format!(
                    "vertex {vertex} of body {body} touches two other bodies"
                )));
            }
            *mark |= sample.is_sealed();
        }
        Ok(())
    }

    /// The borders of the zone on both bodies.
    pub fn loops(&self, field: &Field<'_>) -> Result<Vec<Loop>, GeometryError> {
        let bodies = [self.fine.body, self.fine.other];
        let threader = Threader { field, bodies };
        let threaded =
            |contour: &Contour| threader.thread(&contour.steps).map(|links| Loop { bodies, links });
        self.contours.iter().map(threaded).collect()
    }
}

/// Of every two parts of a surface that seal with each other, only the one with more vertices carries the zone.
fn leave_one_side(fine: &mut Fine, triangles: &[[u32; 3]]) -> Result<(), GeometryError> {
    let sealed: Vec<bool> = fine.samples.iter().map(Sample::is_sealed).collect();
    let mut sets = DisjointSets::new(sealed.len());
    for [a, b] in fine.triangles.iter().flat_map(FineTriangle::edges) {
        if sealed[a as usize] && sealed[b as usize] {
            sets.join(a, b);
        }
    }
    let (count, part) = sets.numbered();
    let mut sizes = vec![0_usize; count];
    (0..sealed.len()).filter(|v| sealed[*v]).for_each(|v| sizes[part[v] as usize] += 1);
    let faced = |vertex: &usize| {
        let triangle = fine.samples[*vertex].triangle.map(|t| triangles[t as usize]);
        let corners = triangle.into_iter().flatten().filter(|v| sealed[*v as usize]);
        corners.map(|v| part[v as usize] as usize).collect::<Vec<usize>>()
    };
    let mut order: Vec<usize> = (0..count).filter(|p| sizes[*p] > 0).collect();
    order.sort_by_key(|p| (std::cmp::Reverse(sizes[*p]), *p));
    let (mut carries, mut is_faced) = (vec![false; count], vec![false; count]);
    for own in order {
        if is_faced[own] {
            continue;
        }
        carries[own] = true;
        let vertices = (0..sealed.len()).filter(|v| sealed[*v] && part[*v] as usize == own);
        for other in vertices.flat_map(|v| faced(&v)) {
            if carries[other] {
                return Err(super::failed("folds of a body run into each other"));
            }
            is_faced[other] = true;
        }
    }
    for (vertex, sample) in fine.samples.iter_mut().enumerate() {
        if sealed[vertex] && !carries[part[vertex] as usize] {
            sample.excess = f64::MIN_POSITIVE;
        }
    }
    Ok(())
}
