//! Whether a body only moves as a whole, and how: the motion that takes its first shape to another.

use cupule_geometry::{DMat3, DQuat, DVec3};

/// Vertices that span a body: their directions from its middle tell how it is turned.
#[derive(Debug, Clone, Copy)]
pub struct Rig {
    far: usize,
    aside: usize,
    rest: DMat3,
    centre: DVec3,
}

/// x -> centre + rotation (X - rest centre).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Turn from the first shape.
    pub rotation: DQuat,
    /// Where the middle is, m.
    pub centre: DVec3,
}

impl Rig {
    /// Chooses the vertices; none where all lie on a line.
    pub fn new(rest: &[DVec3]) -> Option<Self> {
        let centre = middle(rest);
        let away = |x: &DVec3| x.distance_squared(centre);
        let far = largest(rest.iter().map(away))?;
        let along = (rest[far] - centre).normalize_or_zero();
        let aside = largest(rest.iter().map(|x| (*x - centre).cross(along).length_squared()))?;
        let span = (rest[far] - centre).cross(rest[aside] - centre).length();
        (span > 1e-6 * away(&rest[far])).then(|| Self {
            far,
            aside,
            rest: basis(rest[far] - centre, rest[aside] - centre),
            centre,
        })
    }

    /// Middle of the first shape, m.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// The motion to the present shape, as far as it is one.
    pub fn pose(&self, now: &[DVec3]) -> Pose {
        let centre = middle(now);
        let turned = basis(now[self.far] - centre, now[self.aside] - centre);
        Pose { rotation: DQuat::from_mat3(&(turned * self.rest.transpose())).normalize(), centre }
    }

    /// How far any vertex is from where the motion takes it, m.
    pub fn error(&self, rest: &[DVec3], now: &[DVec3], pose: &Pose) -> f64 {
        let moved = |x: &DVec3| pose.centre + pose.rotation * (*x - self.centre);
        rest.iter().zip(now).map(|(x, y)| moved(x).distance(*y)).fold(0.0, f64::max)
    }
}

fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

fn largest(values: impl Iterator<Item = f64>) -> Option<usize> {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}

fn basis(first: DVec3, second: DVec3) -> DMat3 {
    let x = first.normalize_or_zero();
    let z = x.cross(second).normalize_or_zero();
    DMat3::from_cols(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_and_shifted_body_gives_its_motion_back_and_a_bent_one_an_error() {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.5, 0.0), DVec3::new(0.0, 0.5, 0.2)];
        let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 2.0));
        let now = rest.map(|x| turn * x + DVec3::new(3.0, 2.0, 1.0));
        let rig = Rig::new(&rest).unwrap();
        let pose = rig.pose(&now);
        assert!(pose.rotation.angle_between(turn) < 1e-7);
        assert!(rig.error(&rest, &now, &pose) < 1e-14);
        let mut bent = now;
        bent[0].z += 0.1;
        assert!(rig.error(&rest, &bent, &rig.pose(&bent)) > 0.02);
        assert!(Rig::new(&[DVec3::ZERO, DVec3::X, DVec3::X * 2.0]).is_none(), "a line has no turn");
    }
}
