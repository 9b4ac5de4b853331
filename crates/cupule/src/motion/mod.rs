//! Prescribed rigid motions: key poses over time, joined by straight or smooth profiles, or the links of an [`Arm`].
//!
//! The smooth profile is the quintic 10 s^3 - 15 s^4 + 6 s^5: velocity and acceleration vanish at both ends, so that
//! a driven part starts and stops without a jerk that would shake what it holds.

mod arm;

pub use arm::{Arm, Joint, JointKind, JointPath, Pose};

use cupule_geometry::{DQuat, DVec3};
use std::sync::Arc;

/// How two keys are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Quintic: at rest at both ends.
    #[default]
    Smooth,
    /// Constant speed between keys.
    Linear,
}

/// A displacement to be reached at a time, relative to the start pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Time, s.
    pub time: f64,
    /// Translation from the start, m.
    pub translation: DVec3,
    /// Rotation about the pivot from the start.
    pub rotation: DQuat,
}

/// A rigid motion over time: before the first key the first pose, after the last key the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    path: Path,
    pivot: DVec3,
    offset: DVec3,
    commanded: Commanded,
}

/// What a controller says in place of a path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Commanded {
    /// m.
    translation: Option<DVec3>,
    rotation: Option<DQuat>,
}

#[derive(Debug, Clone, PartialEq)]
enum Path {
    Keys(Vec<Key>, Profile),
    /// The link that a joint of an arm carries; without a joint its base.
    Link(Arc<Arm>, Option<usize>),
}

/// A displacement x -> pivot + rotation (x - pivot) + translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Displacement {
    /// Rotation about the pivot.
    pub rotation: DQuat,
    /// Translation, m.
    pub translation: DVec3,
    /// Point that the rotation leaves in place, m.
    pub pivot: DVec3,
}

impl Displacement {
    /// Where a point of the start pose is now, m.
    pub fn apply(&self, start: DVec3) -> DVec3 {
        self.pivot + self.rotation * (start - self.pivot) + self.translation
    }
}

impl Motion {
    /// A motion through `keys`; they are sorted by time. No key means no motion.
    pub fn new(mut keys: Vec<Key>, profile: Profile, pivot: DVec3) -> Self {
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self::along(Path::Keys(keys, profile), pivot)
    }

    /// The motion of the link that a joint of an arm carries; without a joint that of its base.
    pub fn of_link(arm: Arc<Arm>, joint: Option<usize>) -> Self {
        Self::along(Path::Link(arm, joint), DVec3::ZERO)
    }

    fn along(path: Path, pivot: DVec3) -> Self {
        Self { path, pivot, offset: DVec3::ZERO, commanded: Commanded::default() }
    }

    /// No motion at all.
    pub fn fixed() -> Self {
        Self::new(Vec::new(), Profile::default(), DVec3::ZERO)
    }

    /// Shifts the whole path, m: what a hand adds to it.
    pub fn set_offset(&mut self, offset: DVec3) {
        self.offset = offset;
    }

    /// Commands a translation from the start (m) in place of that of the path; none leaves it to the path again.
    pub fn command_translation(&mut self, translation: Option<DVec3>) {
        self.commanded.translation = translation;
    }

    /// Commands a rotation from the start about the pivot in place of that of the path; none leaves it to the path again.
    pub fn command_rotation(&mut self, rotation: Option<DQuat>) {
        self.commanded.rotation = rotation;
    }

    /// The arm that moves it, if it is a link.
    pub fn arm(&self) -> Option<&Arc<Arm>> {
        match &self.path {
            Path::Keys(..) => None,
            Path::Link(arm, _) => Some(arm),
        }
    }

    /// Makes a link follow another arm in place of its own; other motions stay as they are.
    pub(crate) fn set_arm(&mut self, other: Arc<Arm>) {
        if let Path::Link(arm, _) = &mut self.path {
            *arm = other;
        }
    }

    /// Whether its path ever moves.
    pub fn is_fixed(&self) -> bool {
        match &self.path {
            Path::Keys(keys, _) => {
                keys.iter().all(|k| k.translation == DVec3::ZERO && k.rotation == DQuat::IDENTITY)
            }
            Path::Link(arm, joint) => joint.is_none() || arm.is_fixed(),
        }
    }

    /// The displacement at a time, s.
    pub fn at(&self, time: f64) -> Displacement {
        let (rotation, translation) = match &self.path {
            Path::Keys(keys, profile) => through_keys(keys, *profile, time),
            Path::Link(arm, joint) => {
                let (begin, now) = (arm.pose(*joint, 0.0), arm.pose(*joint, time));
                let rotation = (now.rotation * begin.rotation.inverse()).normalize();
                (rotation, now.translation - rotation * begin.translation)
            }
        };
        let translation = self.commanded.translation.unwrap_or(translation) + self.offset;
        let rotation = self.commanded.rotation.unwrap_or(rotation);
        Displacement { rotation, translation, pivot: self.pivot }
    }
}

fn through_keys(keys: &[Key], profile: Profile, time: f64) -> (DQuat, DVec3) {
    profile
        .between(keys, |key| key.time, time)
        .map_or((DQuat::IDENTITY, DVec3::ZERO), |(a, b, s)| {
            (a.rotation.slerp(b.rotation, s), a.translation.lerp(b.translation, s))
        })
}

impl Profile {
    /// The keys before and after a time (s), and the share of the way from the one to the other; at either end the same key
    /// twice. None without keys, which ascend in time.
    pub(crate) fn between<K>(
        self,
        keys: &[K],
        time_of: impl Fn(&K) -> f64,
        time: f64,
    ) -> Option<(&K, &K, f64)> {
        let next = keys.partition_point(|key| time_of(key) <= time);
        match (next.checked_sub(1).map(|before| &keys[before]), keys.get(next)) {
            (Some(a), Some(b)) => {
                let share = (time - time_of(a)) / (time_of(b) - time_of(a));
                Some((a, b, self.shape(share)))
            }
            (a, b) => a.or(b).map(|key| (key, key, 0.0)),
        }
    }

    fn shape(self, s: f64) -> f64 {
        match self {
            Profile::Linear => s,
            Profile::Smooth => s * s * s * (10.0 + s * (-15.0 + 6.0 * s)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lift() -> Motion {
        let key =
            |time, z| Key { time, translation: DVec3::new(0.0, 0.0, z), rotation: DQuat::IDENTITY };
        Motion::new(vec![key(1.0, 0.0), key(3.0, 0.1)], Profile::Smooth, DVec3::ZERO)
    }

    #[test]
    fn keys_are_reached_and_held() {
        let motion = lift();
        for (time, z) in [(0.0, 0.0), (1.0, 0.0), (2.0, 0.05), (3.0, 0.1), (9.0, 0.1)] {
            assert!((motion.at(time).translation.z - z).abs() < 1e-15, "z({time})");
        }
    }

    #[test]
    fn smooth_profile_starts_with_zero_velocity_and_acceleration() {
        // s(e) = 10 e^3 + O(e^4): both first derivatives vanish at the key.
        let motion = lift();
        let e = 1e-3;
        assert!(motion.at(1.0 + 2.0 * e).translation.z < 0.1 * 10.0 * e.powi(3) * 1.01);
    }

    #[test]
    fn rotation_turns_about_the_pivot() {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let keys = vec![
            Key { time: 0.0, translation: DVec3::ZERO, rotation: DQuat::IDENTITY },
            Key { time: 1.0, translation: DVec3::ZERO, rotation: quarter },
        ];
        let motion = Motion::new(keys, Profile::Linear, DVec3::X);
        let moved = motion.at(1.0).apply(DVec3::new(2.0, 0.0, 0.0));
        assert!((moved - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
    }
}
