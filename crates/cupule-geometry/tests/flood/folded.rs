//! A body folded on itself: a spool whose two rims meet encloses the air round its core.

use std::f64::consts::TAU;

use cupule_geometry::TriMesh;
use cupule_geometry::arrangement::{CavityMesh, Side, Surface};
use cupule_geometry::flood::{Flooded, flood_each};
use cupule_geometry::generate::revolved;

const LEVEL: f64 = 1e-4;
const SEGMENTS: usize = 32;

/// Core of 4 mm radius, flanges of 10 mm radius with rims 2 mm wide that leave a gap (m); 6 mm between the flanges.
fn spool(gap: f64) -> TriMesh {
    let (half, rim) = (3e-3, 0.5 * gap);
    let upper = [
        [4e-3, half],
        [8e-3, half],
        [8e-3, rim],
        [9e-3, rim],
        [10e-3, rim],
        [10e-3, 5e-3],
        [0.0, 5e-3],
    ];
    let mirrored = upper.iter().rev().map(|[r, z]| [*r, -z]);
    let profile: Vec<[f64; 2]> = upper.iter().copied().chain(mirrored).collect();
    revolved(&profile, SEGMENTS).unwrap()
}

fn flooded(spool: &TriMesh) -> Flooded {
    let surface = Surface { positions: &spool.vertices, triangles: &spool.triangles };
    flood_each(&[surface], LEVEL, |_, _| LEVEL, |_, _| true).unwrap()
}

/// Room between core, flanges and the inner walls of the rims, and the gap over the rims; a polygon for a circle.
fn room(gap: f64, with_rims: bool) -> f64 {
    let polygon = SEGMENTS as f64 / TAU * (TAU / SEGMENTS as f64).sin();
    let ring =
        |outer: f64, inner: f64, height: f64| 0.5 * TAU * (outer.powi(2) - inner.powi(2)) * height;
    polygon * (ring(8e-3, 4e-3, 6e-3) + if with_rims { ring(10e-3, 8e-3, gap) } else { 0.0 })
}

#[test]
fn rims_that_meet_enclose_the_air_round_the_core() {
    for gap in [0.2 * LEVEL, 0.5 * LEVEL, 0.9 * LEVEL] {
        let spool = spool(gap);
        let found = flooded(&spool);
        let enclosed: Vec<u32> = (0..)
            .zip(&found.arrangement.components)
            .filter(|(_, c)| c.signed_volume < 0.0)
            .map(|(c, _)| c)
            .collect();
        assert_eq!(enclosed.len(), 1, "gap {gap}");
        assert_eq!(found.arrangement.regions.len(), 1);
        let surface = [Surface { positions: &spool.vertices, triangles: &spool.triangles }];
        // Without the rims the border lies within a level of their edges, at the height of the gap.
        let open = CavityMesh::of(&found.arrangement, |side| side == Side::Free(enclosed[0]))
            .volume(&surface);
        let slack = TAU * 8e-3 * LEVEL * gap;
        assert!(
            (open - room(gap, false)).abs() < slack + 1e-12 * open,
            "{open} of {}",
            room(gap, false)
        );
        let all = CavityMesh::of(&found.arrangement, |side| {
            side == Side::Free(enclosed[0]) || matches!(side, Side::Buried(_))
        });
        let slack = TAU * 10e-3 * LEVEL * gap;
        assert!(
            (all.volume(&surface) - room(gap, true)).abs() < slack,
            "{} of {}",
            all.volume(&surface),
            room(gap, true)
        );
        let bottleneck = found.bottlenecks[enclosed[0] as usize].unwrap();
        assert!((bottleneck.gap - gap).abs() < 1e-3 * gap, "{bottleneck:?}");
    }
}

#[test]
fn rims_further_apart_than_the_level_enclose_nothing() {
    let found = flooded(&spool(1.1 * LEVEL));
    assert_eq!(found.arrangement.components.len(), 1);
    assert!(found.arrangement.regions.is_empty());
    assert!(
        (found.gaps[0].iter().copied().fold(f64::INFINITY, f64::min) / (1.1 * LEVEL) - 1.0).abs()
            < 1e-12
    );
}

/// What does not seal with itself has no gaps to itself either, however near its parts are.
#[test]
fn a_body_that_does_not_seal_with_itself_is_not_asked() {
    let spool = spool(0.2 * LEVEL);
    let surface = Surface { positions: &spool.vertices, triangles: &spool.triangles };
    let found = flood_each(&[surface], LEVEL, |_, _| LEVEL, |a, b| a != b).unwrap();
    assert!(found.gaps[0].iter().all(|gap| gap.is_infinite()));
    assert!(found.arrangement.regions.is_empty());
}
