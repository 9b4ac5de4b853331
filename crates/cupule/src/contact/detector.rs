//! The detector: surfaces in, contacts out, sorted by id.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::edges::{edge_contacts, held_contacts};
use super::frame::Frame;
use super::merge::merge;
use super::penetration::{Penetration, deepest};
use super::record::{Contact, ContactId};
use super::settings::{ContactError, ContactSettings};
use super::surface::{SearchSurface, SurfacePose};
use super::vertices::vertex_contacts;

/// One surface of a pair, with its motion.
pub(super) struct Side<'a> {
    pub(super) index: u32,
    pub(super) surface: &'a SearchSurface,
    pub(super) pose: SurfacePose<'a>,
}

impl Side<'_> {
    /// The surface at a moment between x (0) and x_free (1).
    pub(super) fn at(&self, time: f64) -> Frame<'_> {
        Frame::new(self.surface, &self.pose, time)
    }
}

/// Finds contacts between surfaces, step after step.
#[derive(Debug, Clone)]
pub struct Detector {
    settings: ContactSettings,
    surfaces: Vec<SearchSurface>,
}

impl Detector {
    /// A detector over surfaces, which are named by their index from then on.
    ///
    /// # Errors
    /// A setting that makes no sense.
    pub fn new(
        settings: ContactSettings,
        surfaces: Vec<SearchSurface>,
    ) -> Result<Self, ContactError> {
        settings.check()?;
        Ok(Self { settings, surfaces })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &ContactSettings {
        &self.settings
    }

    /// The surfaces.
    #[must_use]
    pub fn surfaces(&self) -> &[SearchSurface] {
        &self.surfaces
    }

    /// The contacts of the listed pairs of surfaces ((i, i) is self-contact), sorted by id.
    ///
    /// `pushed` are the contacts that pushed in the last step, ascending: edges among them are let go a little later than they
    /// are found. The result depends on the arguments only: not on earlier calls, nor on the number of threads.
    ///
    /// # Errors
    /// Poses that do not fit the surfaces or are not finite, or a pair that names an unknown surface.
    pub fn detect(
        &mut self,
        poses: &[SurfacePose],
        pairs: &[(usize, usize)],
        pushed: &[ContactId],
    ) -> Result<Vec<Contact>, ContactError> {
        let pairs = self.follow(poses, pairs)?;
        let mut of_pair: BTreeMap<(u32, u32), Vec<ContactId>> = BTreeMap::new();
        for id in pushed {
            of_pair.entry((id.surface_a, id.surface_b)).or_default().push(*id);
        }
        let pushed = |i: usize, j: usize| of_pair.get(&(i as u32, j as u32));
        let reach = self.settings.reach();
        let near = |(i, j): &&(usize, usize)| {
            let (a, b) = (self.surfaces[*i].swept(), self.surfaces[*j].swept());
            a.near(&b, reach) || pushed(*i, *j).is_some()
        };
        let found: Vec<Vec<Contact>> = (pairs.par_iter().filter(near))
            .map(|(i, j)| self.pair(poses, *i, *j, pushed(*i, *j).map_or(&[], Vec::as_slice)))
            .collect();
        let mut contacts: Vec<Contact> = found.into_iter().flatten().collect();
        contacts.sort_by_key(|contact| contact.id);
        Ok(contacts)
    }

    /// The deepest intersection of the listed pairs at the current positions, or none: a check of start states.
    ///
    /// Closed surfaces are tested for vertices inside each other and for edges through triangles, open ones and surfaces
    /// against themselves for edges through triangles only. Less than 1e-4 of the alarm distance counts as touching.
    ///
    /// # Errors
    /// As for [`Detector::detect`].
    pub fn initial_penetration(
        &mut self,
        poses: &[SurfacePose],
        pairs: &[(usize, usize)],
    ) -> Result<Option<Penetration>, ContactError> {
        let still: Vec<SurfacePose> = (poses.iter())
            .map(|pose| SurfacePose { current: pose.current, free: pose.current })
            .collect();
        let pairs = self.follow(&still, pairs)?;
        let tolerance = 1e-4 * self.settings.alarm_distance;
        let found: Vec<Option<Penetration>> = (pairs.par_iter())
            .map(|(i, j)| deepest(&self.side(&still, *i), &self.side(&still, *j), tolerance))
            .collect();
        Ok(found.into_iter().flatten().reduce(Penetration::deeper))
    }

    /// Checks the input and moves the trees; returns the pairs in ascending order, each once.
    fn follow(
        &mut self,
        poses: &[SurfacePose],
        pairs: &[(usize, usize)],
    ) -> Result<Vec<(usize, usize)>, ContactError> {
        let count = self.surfaces.len();
        if poses.len() != count {
            return Err(ContactError::PoseCount { expected: count, given: poses.len() });
        }
        if let Some((a, b)) = pairs.iter().find(|(a, b)| *a >= count || *b >= count) {
            return Err(ContactError::UnknownSurface { a: *a, b: *b, count });
        }
        for (index, (surface, pose)) in self.surfaces.iter().zip(poses).enumerate() {
            surface.check(index, pose)?;
        }
        let mut pairs: Vec<_> = pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for (index, _) in pairs.iter().filter(|(a, b)| a == b) {
            self.surfaces[*index].prepare_self_contact(&self.settings);
        }
        let angle = self.settings.sharp_edge_angle;
        self.surfaces
            .par_iter_mut()
            .zip(poses)
            .for_each(|(surface, pose)| surface.follow(pose, angle));
        Ok(pairs)
    }

    fn side<'a>(&'a self, poses: &[SurfacePose<'a>], index: usize) -> Side<'a> {
        Side { index: index as u32, surface: &self.surfaces[index], pose: poses[index] }
    }

    /// Contacts of a pair; `pushed` are those between the two that pushed in the last step.
    fn pair(
        &self,
        poses: &[SurfacePose],
        i: usize,
        j: usize,
        pushed: &[ContactId],
    ) -> Vec<Contact> {
        let (a, b) = (self.side(poses, i), self.side(poses, j));
        let back = || if i == j { Vec::new() } else { vertex_contacts(&self.settings, &b, &a) };
        let (mut contacts, (others, found)) = rayon::join(
            || vertex_contacts(&self.settings, &a, &b),
            || rayon::join(back, || edge_contacts(&self.settings, &a, &b)),
        );
        contacts.extend(others);
        let lost = |id: &&ContactId| found.binary_search_by(|c| c.id.cmp(*id)).is_err();
        let pushed = pushed.iter().filter(lost).copied();
        contacts.extend(held_contacts(&self.settings, &a, &b, pushed));
        contacts.extend(found);
        let point =
            |stencil: &super::Stencil| stencil.point(poses[stencil.surface as usize].current);
        let middle = |contact: &Contact| (point(&contact.a) + point(&contact.b)) * 0.5;
        merge(contacts, self.settings.merge_distance, self.settings.equal_distance(), middle)
    }
}
