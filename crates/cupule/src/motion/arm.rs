//! Arms: a tree of links joined by joints whose angles (or lengths) are prescribed over time.
//!
//! Every joint carries one link. Where a link is follows from the joints between it and the base:
//! pose = pose of the parent * origin of the joint * turn or slide by q along the joint's axis.

use super::Profile;
use cupule_geometry::{DQuat, DVec3};

/// A place and an orientation: x -> rotation x + translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Orientation.
    pub rotation: DQuat,
    /// Place of the origin, m.
    pub translation: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO }
    }
}

impl Pose {
    /// Where a point of the frame is, m.
    pub fn apply(&self, x: DVec3) -> DVec3 {
        self.rotation * x + self.translation
    }

    /// The pose of a frame that is at `next` in this one.
    pub fn then(&self, next: &Pose) -> Pose {
        let rotation = (self.rotation * next.rotation).normalize();
        Pose { rotation, translation: self.apply(next.translation) }
    }
}

/// What a joint lets its link do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// Turn about the axis, rad.
    Revolute,
    /// Slide along the axis, m.
    Prismatic,
}

/// A joint with the link that it carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Joint that carries the link on which this one sits; none on the base. It comes earlier in the list.
    pub parent: Option<usize>,
    /// Frame of the joint in that of the link on which it sits.
    pub origin: Pose,
    /// Unit axis in the frame of the joint.
    pub axis: DVec3,
    /// What it lets its link do.
    pub kind: JointKind,
}

/// Joint values over time.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPath {
    /// (time s, one value per movable joint, rad or m), ascending in time; constant before the first and after the last.
    pub keys: Vec<(f64, Vec<f64>)>,
    /// How keys are joined.
    pub profile: Profile,
}

impl JointPath {
    /// The values at a time, s; none without keys, which stands for zeros.
    fn at(&self, time: f64) -> Vec<f64> {
        let Some((a, b, s)) = self.profile.between(&self.keys, |key| key.0, time) else {
            return Vec::new();
        };
        a.1.iter().zip(&b.1).map(|(a, b)| a + s * (b - a)).collect()
    }
}

/// An arm on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    name: String,
    base: Pose,
    joints: Vec<Joint>,
    path: JointPath,
    /// What a controller says in place of the path.
    commanded: Option<Vec<f64>>,
}

impl Arm {
    /// An arm that stands at `base`. Refused, with the reason, if a joint sits on a later one, an axis has no direction, or a
    /// key has not one value for every movable joint.
    pub fn new(
        name: String,
        base: Pose,
        mut joints: Vec<Joint>,
        mut path: JointPath,
    ) -> Result<Self, String> {
        for (index, joint) in joints.iter_mut().enumerate() {
            if joint.parent.is_some_and(|parent| parent >= index) {
                return Err(format!("joint {index} comes before the one it sits on"));
            }
            let axis = joint.axis.try_normalize();
            joint.axis =
                axis.ok_or_else(|| format!("the axis of joint {index} has no direction"))?;
        }
        let movable = joints.iter().filter(|j| j.kind != JointKind::Fixed).count();
        path.keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (time, values) in &path.keys {
            let count = values.len();
            if count != movable {
                return Err(format!(
                    "the key at {time} s has {count} values, and there are {movable} movable joints"
                ));
            }
            if !values.iter().all(|v| v.is_finite()) {
                return Err(format!("a value of the key at {time} s is not a finite number"));
            }
        }
        Ok(Self { name, base, joints, path, commanded: None })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Kinds of its movable joints, in the order of their values.
    pub fn movable(&self) -> impl Iterator<Item = JointKind> {
        self.joints.iter().map(|joint| joint.kind).filter(|kind| *kind != JointKind::Fixed)
    }

    /// The values of its movable joints at a time (s), rad or m.
    pub fn joint_values(&self, time: f64) -> Vec<f64> {
        let mut values = self.commanded.clone().unwrap_or_else(|| self.path.at(time));
        values.resize(self.movable().count(), 0.0);
        values
    }

    /// The values of its movable joints as its path has them at a time (s), whatever is commanded, rad or m.
    pub fn planned_values(&self, time: f64) -> Vec<f64> {
        Self { commanded: None, ..self.clone() }.joint_values(time)
    }

    /// The same arm with its joints commanded in place of the path; none leaves them to the path again.
    pub(crate) fn commanded(&self, values: Option<Vec<f64>>) -> Self {
        Self { commanded: values, ..self.clone() }
    }

    /// Whether it ever moves.
    pub fn is_fixed(&self) -> bool {
        self.path.keys.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }

    /// The pose at a time (s) of the link that a joint carries; of the base without one.
    pub fn pose(&self, link: Option<usize>, time: f64) -> Pose {
        let values = self.joint_values(time);
        let mut movable = values.iter();
        let mut poses: Vec<Pose> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let parent = joint.parent.map_or(self.base, |parent| poses[parent]);
            let frame = parent.then(&joint.origin);
            let mut value = || movable.next().copied().unwrap_or_default();
            let moved = match joint.kind {
                JointKind::Fixed => Pose::default(),
                JointKind::Revolute => Pose {
                    rotation: DQuat::from_axis_angle(joint.axis, value()),
                    ..Pose::default()
                },
                JointKind::Prismatic => {
                    Pose { translation: joint.axis * value(), ..Pose::default() }
                }
            };
            poses.push(frame.then(&moved));
        }
        link.and_then(|link| poses.get(link).copied()).unwrap_or(self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Motion;
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    /// Two links of 1 m in a plane, and a slide at the end, turned within a second.
    fn planar(profile: Profile) -> Arm {
        let joint = |parent, along: f64, kind| Joint {
            parent,
            origin: Pose { translation: DVec3::X * along, ..Pose::default() },
            axis: if kind == JointKind::Prismatic { DVec3::X } else { DVec3::Z },
            kind,
        };
        let joints = vec![
            joint(None, 0.0, JointKind::Revolute),
            joint(Some(0), 1.0, JointKind::Revolute),
            joint(Some(1), 1.0, JointKind::Fixed),
            joint(Some(2), 0.0, JointKind::Prismatic),
        ];
        let keys = vec![(0.0, vec![0.0; 3]), (1.0, vec![FRAC_PI_2, -FRAC_PI_2, 0.5])];
        let base = Pose { translation: DVec3::Z, ..Pose::default() };
        Arm::new("arm".into(), base, joints, JointPath { keys, profile }).expect("an arm")
    }

    #[test]
    fn links_are_where_their_joints_put_them() {
        let arm = planar(Profile::Linear);
        for time in [0.0, 0.3, 1.0, 5.0] {
            let t = f64::min(time, 1.0);
            let turn = t * FRAC_PI_2;
            // The second joint undoes the first: the last link stays level.
            let end = DVec3::new(turn.cos() + 1.0 + 0.5 * t, turn.sin(), 1.0);
            let pose = arm.pose(Some(3), time);
            assert!((pose.translation - end).length() < 1e-15, "{time}: {pose:?}");
            assert!(pose.rotation.angle_between(DQuat::IDENTITY) < 1e-7);
        }
        assert_eq!(arm.pose(None, 0.7).translation, DVec3::Z);
    }

    #[test]
    fn link_as_a_motion_is_displaced_from_where_it_began() {
        let arm = Arc::new(planar(Profile::Smooth));
        for link in 0..4 {
            let motion = Motion::of_link(arm.clone(), Some(link));
            let mark = DVec3::new(0.2, -0.1, 0.3);
            let (begin, now) = (arm.pose(Some(link), 0.0), arm.pose(Some(link), 0.6));
            let moved = motion.at(0.6).apply(begin.apply(mark));
            assert!((moved - now.apply(mark)).length() < 1e-15);
            assert!(!motion.is_fixed());
        }
    }

    #[test]
    fn arms_that_make_no_sense_are_refused() {
        let arm = planar(Profile::Linear);
        let refused = |joints: Vec<Joint>, keys: Vec<(f64, Vec<f64>)>| {
            let path = JointPath { keys, profile: Profile::Linear };
            Arm::new("arm".into(), Pose::default(), joints, path).expect_err("refused")
        };
        let mut later = arm.joints.clone();
        later[1].parent = Some(2);
        assert!(refused(later, vec![]).contains("joint 1 comes before"));
        let mut flat = arm.joints.clone();
        flat[0].axis = DVec3::ZERO;
        assert!(refused(flat, vec![]).contains("joint 0 has no direction"));
        let short = refused(arm.joints.clone(), vec![(0.5, vec![0.0; 2])]);
        assert!(short.contains("at 0.5 s has 2 values, and there are 3"), "{short}");
        let endless = refused(arm.joints.clone(), vec![(0.5, vec![0.0, f64::NAN, 0.0])]);
        assert!(endless.contains("at 0.5 s is not a finite number"), "{endless}");
    }
}
