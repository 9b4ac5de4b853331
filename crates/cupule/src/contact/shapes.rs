//! Small closed shapes for the tests.

use std::collections::BTreeMap;

use cupule_geometry::DVec3;

use super::{Contact, ContactSettings, Detector, SearchSurface, SurfacePose};

#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) points: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Shape {
    pub(super) fn map(&self, change: impl Fn(DVec3) -> DVec3) -> Self {
        let points = self.points.iter().map(|point| change(*point)).collect();
        Self { points, triangles: self.triangles.clone() }
    }

    pub(super) fn moved(&self, by: DVec3) -> Self {
        self.map(|point| point + by)
    }

    pub(super) fn surface(&self) -> SearchSurface {
        SearchSurface::new(self.triangles.clone(), self.points.clone()).expect("shapes are sound")
    }
}

/// A sheet of two triangles, 2 `half` wide, at height 0, facing up.
pub(super) fn ground(half: f64) -> Shape {
    let corner = |x: f64, y: f64| DVec3::new(x * half, y * half, 0.0);
    let points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Shape { points, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

/// A box of this size centred at the origin, its faces cut into `n` x `n` squares.
pub(super) fn block(size: DVec3, n: u32) -> Shape {
    cut_block(size, [n; 3])
}

/// A box with its edges cut into this many pieces along each axis.
pub(super) fn cut_block(size: DVec3, cuts: [u32; 3]) -> Shape {
    let mut shape = Shape { points: vec![], triangles: vec![] };
    let mut known = BTreeMap::new();
    for axis in 0..3 {
        for side in [false, true] {
            add_square(&mut shape, &mut known, cuts, axis, side);
        }
    }
    let cuts = DVec3::from_array(cuts.map(f64::from));
    shape.map(|point| (point / cuts - 0.5) * size)
}

fn add_square(
    shape: &mut Shape,
    known: &mut BTreeMap<[u32; 3], u32>,
    cuts: [u32; 3],
    axis: usize,
    side: bool,
) {
    let (u, w) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut index = |i: u32, j: u32| {
        let mut place = [0; 3];
        place[axis] = if side { cuts[axis] } else { 0 };
        place[u] = i;
        place[w] = j;
        *known.entry(place).or_insert_with(|| {
            shape.points.push(DVec3::from_array(place.map(f64::from)));
            shape.points.len() as u32 - 1
        })
    };
    let mut triangles = vec![];
    for i in 0..cuts[u] {
        for j in 0..cuts[w] {
            let (a, b, c, d) = (index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1));
            let turned = |[a, b, c]: [u32; 3]| if side { [a, b, c] } else { [a, c, b] };
            triangles.extend([turned([a, b, c]), turned([a, c, d])]);
        }
    }
    shape.triangles.extend(triangles);
}

/// A ball round the origin: a cut box, blown up.
pub(super) fn ball(radius: f64, n: u32) -> Shape {
    block(DVec3::ONE, n).map(|point| point.normalize() * radius)
}

pub(super) fn detector(settings: ContactSettings, rest: &[&Shape]) -> Detector {
    let surfaces = rest.iter().map(|shape| shape.surface()).collect();
    Detector::new(settings, surfaces).expect("test settings are sound")
}

/// All contacts between the shapes at rest in their places, self-contact left out.
pub(super) fn contacts(settings: ContactSettings, shapes: &[&Shape]) -> Vec<Contact> {
    moving(settings, shapes, &shapes.iter().map(|_| DVec3::ZERO).collect::<Vec<_>>())
}

/// Contacts between shapes that would move by `motion` within the step.
pub(super) fn moving(
    settings: ContactSettings,
    shapes: &[&Shape],
    motion: &[DVec3],
) -> Vec<Contact> {
    let free: Vec<Shape> = shapes.iter().zip(motion).map(|(s, by)| s.moved(*by)).collect();
    let poses: Vec<SurfacePose> = (shapes.iter().zip(&free))
        .map(|(shape, free)| SurfacePose { current: &shape.points, free: &free.points })
        .collect();
    let mut pairs = vec![];
    for i in 0..shapes.len() {
        pairs.extend((i + 1..shapes.len()).map(|j| (i, j)));
    }
    detector(settings, shapes).detect(&poses, &pairs, &[]).expect("test poses are sound")
}
