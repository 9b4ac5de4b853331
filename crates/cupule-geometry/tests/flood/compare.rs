//! Both detectors on one group of bodies.

use cupule_geometry::TriMesh;
use cupule_geometry::arrangement::{Arrangement, CavityMesh, Side};
use cupule_geometry::flood::{Flooded, flood};

use crate::checks::{check_gradient, closed};
use crate::scenes::{LEVEL, Scene, surfaces};

/// A cavity as either detector sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub bodies: Vec<u32>,
    /// Without and with what touches, m3.
    pub volumes: [f64; 2],
    /// Area of its walls on bodies without and with what touches, m2.
    pub areas: [f64; 2],
}

/// The cavities of an arrangement that are larger than `least` (m3), by bodies and volume.
pub fn seen(arrangement: &Arrangement, bodies: &[TriMesh], least: f64) -> Vec<Seen> {
    let surfaces = surfaces(bodies);
    let mut seen: Vec<Seen> = (0..)
        .zip(&arrangement.components)
        .filter(|(_, component)| component.signed_volume < -least)
        .map(|(c, component)| {
            let beside =
                |r: u32| arrangement.regions[r as usize].borders.iter().any(|border| border.0 == c);
            let meshes = [false, true].map(|outer| {
                CavityMesh::of(arrangement, |side| match side {
                    Side::Free(air) => air == c,
                    Side::Buried(region) => outer && beside(region),
                })
            });
            Seen {
                bodies: component.bodies.clone(),
                volumes: meshes.each_ref().map(|mesh| mesh.volume(&surfaces)),
                areas: meshes.each_ref().map(|mesh| mesh.areas(&surfaces)[0]),
            }
        })
        .collect();
    seen.sort_by(|a, b| a.bodies.cmp(&b.bodies).then(b.volumes[0].total_cmp(&a.volumes[0])));
    seen
}

/// Why the two differ, if they do. Volumes may differ by 1 % and areas by 2 %: the union moves vertices by the level and
/// cuts there, the flood cuts at the true positions, and between edges both borders are straight where the true one
/// bends, so they differ by the square of the edge length (and by a level).
pub fn difference(union: &[Seen], flooded: &[Seen]) -> Option<String> {
    if union.len() != flooded.len() {
        return Some(format!("{} cavities by union, {} by flood", union.len(), flooded.len()));
    }
    for (a, b) in union.iter().zip(flooded) {
        let apart = |x: [f64; 2], y: [f64; 2], by: f64| {
            (0..2).any(|k| (x[k] - y[k]).abs() > by * x[k].abs())
        };
        let differ = a.bodies != b.bodies
            || apart(a.volumes, b.volumes, 0.01)
            || apart(a.areas, b.areas, 0.02);
        if differ {
            return Some(format!("union {a:?}\nflood {b:?}"));
        }
    }
    None
}

/// Floods bodies and demands the cavities of the union, and closed surfaces that move with the bodies; returns what was
/// found.
pub fn agree(bodies: Vec<TriMesh>) -> Flooded {
    let flooded = flood(&surfaces(&bodies), LEVEL).unwrap();
    let mut scene = Scene::new(bodies);
    let by_union = seen(&scene.arrangement, &scene.bodies, 0.0);
    let by_flood = seen(&flooded.arrangement, &scene.bodies, 0.0);
    if let Some(difference) = difference(&by_union, &by_flood) {
        panic!("{difference}");
    }
    scene.arrangement = flooded.arrangement.clone();
    for component in 0..scene.arrangement.components.len() as u32 {
        for outer in [false, true] {
            let mesh = scene.mesh(component, outer);
            closed(&mesh, &surfaces(&scene.bodies)).unwrap();
            if scene.arrangement.components[component as usize].signed_volume < 0.0 {
                check_gradient(&mesh, &scene.bodies);
            }
        }
    }
    flooded
}
