//! A cavity as a detector finds it, before it has a history.

use super::overlap::overlap_fraction;
use super::wall::Wall;
use cupule_geometry::DVec3;

/// A corner of a part is a vertex if its weight there is 1 to this much: the union rounds weights at 1e-11, and the flood keeps
/// borders further away from vertices than this.
const AT_VERTEX: f64 = 1e-9;

/// How far outside a part, as twice an area in barycentric coordinates (a whole triangle has 1), a point still counts as in it: rounding of
/// products of coordinates that are at most 1, with room to spare, so that a point on a common edge is in at least one part.
const ON_EDGE: f64 = 1e-12;

/// Most of something: only one cavity can have more than half of it, so that the answer is never two.
pub const MAJORITY: f64 = 0.5;

/// A part of a body's surface triangle that belongs to a cavity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// The body.
    pub body: usize,
    /// Its surface triangle.
    pub triangle: u32,
    /// Corners of the part, barycentric in that triangle.
    pub corners: [[f64; 3]; 3],
    /// Whether it touches another wall: inside the seal, but not open.
    pub touching: bool,
    /// Area (m2) along the outward normal of the body, at the moment it was found.
    pub area: DVec3,
}

impl Patch {
    /// Barycentric centre of the part.
    pub fn centre(&self) -> [f64; 3] {
        [0, 1, 2].map(|i| self.corners.iter().map(|c| c[i]).sum::<f64>() / 3.0)
    }

    /// Whether a material point of the same triangle lies in the part.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        // Two barycentric coordinates are plane coordinates up to an affine map, which keeps sides.
        let [a, b, c] = self.corners;
        let side = |p: [f64; 3], q: [f64; 3]| {
            (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0])
        };
        let sides = [side(a, b), side(b, c), side(c, a)];
        sides.iter().all(|s| *s >= -ON_EDGE) || sides.iter().all(|s| *s <= ON_EDGE)
    }
}

/// Air that is enclosed at a moment, before it has a history; or a touching part that encloses none.
#[derive(Debug, Clone, Default)]
pub struct DetectedCavity {
    /// What bounds it on bodies.
    pub patches: Vec<Patch>,
    /// The closed wall.
    pub wall: Wall,
}

impl DetectedCavity {
    /// Whether it has no open part left.
    pub fn is_flat(&self) -> bool {
        self.patches.iter().all(|p| p.touching)
    }

    /// Area of all walls, m2.
    pub fn area(&self) -> f64 {
        self.patches.iter().map(|p| p.area.length()).sum()
    }

    /// Bodies that bound it, ascending.
    pub fn bodies(&self) -> Vec<usize> {
        let mut bodies: Vec<usize> = self.patches.iter().map(|p| p.body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// Bodies that bound its open part, ascending; all if it is flat.
    pub fn bounding_bodies(&self) -> Vec<usize> {
        let flat = self.is_flat();
        let mut bodies: Vec<usize> =
            self.patches.iter().filter(|p| flat || !p.touching).map(|p| p.body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// The area through which gauge pressure pulls a body, m2, as a vector out of the body; of its open part only, or of all.
    pub fn pull_area(&self, body: usize, open_only: bool) -> DVec3 {
        let counts = |p: &&Patch| p.body == body && !(open_only && p.touching);
        self.patches.iter().filter(counts).map(|p| p.area).sum()
    }

    /// How much of this one's wall (m2) lies in another's.
    pub fn area_within(&self, other: &Self) -> f64 {
        let key = |p: &Patch| (p.body, p.triangle);
        let mut rest = &other.patches[..];
        let within = |p: &Patch| {
            // Both are sorted: what is passed once is never asked for again.
            let before = rest.iter().take_while(|o| key(o) < key(p)).count();
            rest = &rest[before..];
            let others = rest.iter().take_while(|o| key(o) == key(p));
            let common: f64 = others.map(|o| overlap_fraction(&p.corners, &o.corners)).sum();
            common.min(1.0) * p.area.length()
        };
        self.patches.iter().map(within).sum()
    }

    /// Whether the open parts of two cavities have this fraction of the smaller one in common, by the centres of their patches.
    pub fn shares_open_part(&self, other: &Self, fraction: f64) -> bool {
        let open = |cavity: &Self, counts: &dyn Fn(&Patch) -> bool| -> f64 {
            let patches = cavity.patches.iter().filter(|p| !p.touching && counts(p));
            patches.map(|p| p.area.length()).sum()
        };
        let common = |a: &Self, b: &Self| open(a, &|p| b.holds_open(p));
        let smaller = open(self, &|_| true).min(open(other, &|_| true));
        common(self, other).max(common(other, self)) > fraction * smaller
    }

    /// Vertices of bodies on its wall, as (body, vertex), with whether they touch: corners of
    /// parts that are corners of their triangle.
    pub(in crate::cavity) fn whole_corners<'a>(
        &'a self,
        triangles: &'a dyn Fn(usize) -> Option<&'a [[u32; 3]]>,
    ) -> impl Iterator<Item = ((usize, u32), bool)> + 'a {
        self.patches.iter().flat_map(move |p| {
            let triangle = triangles(p.body).map(|t| t[p.triangle as usize]);
            let whole = move |corner: &[f64; 3]| corner.iter().position(|w| *w > 1.0 - AT_VERTEX);
            let corners = p.corners.iter().filter_map(move |c| Some(triangle?[whole(c)?]));
            corners.map(|vertex| ((p.body, vertex), p.touching))
        })
    }

    /// Which fraction of the core of this one lies in another. The core is what makes it a cavity: its open part, or all of it if
    /// it is flat.
    pub fn core_fraction_in(&self, other: &Self) -> f64 {
        let flat = self.is_flat();
        let core = || self.patches.iter().filter(|p| flat || !p.touching);
        let area = |p: &Patch| p.area.length();
        let total: f64 = core().map(area).sum();
        core().filter(|p| other.holds(p)).map(area).sum::<f64>() / total.max(f64::MIN_POSITIVE)
    }

    fn holds(&self, patch: &Patch) -> bool {
        let (range, centre) = (self.range_of(patch.body, patch.triangle), patch.centre());
        self.patches[range].iter().any(|p| p.contains(centre))
    }

    fn holds_open(&self, patch: &Patch) -> bool {
        let (range, centre) = (self.range_of(patch.body, patch.triangle), patch.centre());
        self.patches[range].iter().any(|p| !p.touching && p.contains(centre))
    }

    fn range_of(&self, body: usize, triangle: u32) -> std::ops::Range<usize> {
        let key = (body, triangle);
        let start = self.patches.partition_point(|p| (p.body, p.triangle) < key);
        let end = self.patches.partition_point(|p| (p.body, p.triangle) <= key);
        start..end
    }

    /// Sorts the parts by body and triangle, so that they are found quickly.
    pub fn sorted(mut self) -> Self {
        self.patches.sort_by_key(|p| (p.body, p.triangle));
        self
    }
}

/// A material point of the surface of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// The body.
    pub body: usize,
    /// Its surface triangle.
    pub triangle: u32,
    /// Barycentric coordinates in it.
    pub at: [f64; 3],
}

impl SurfacePoint {
    /// Whether it lies on the wall of a cavity.
    pub fn is_on(&self, cavity: &DetectedCavity) -> bool {
        let range = cavity.range_of(self.body, self.triangle);
        cavity.patches[range].iter().any(|p| p.contains(self.at))
    }
}
