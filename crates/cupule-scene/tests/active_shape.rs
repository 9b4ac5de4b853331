//! The shape of the active cups under vacuum on two meshes: Hausdorff distance between the surfaces, at rest and deformed.
//!
//! `cargo test --release -p cupule-scene --test active_shape -- --nocapture` prints the distances.
#![allow(clippy::unwrap_used)] // a test may panic

use cupule_geometry::DVec3;
use cupule_geometry::distance::point_triangle;
use cupule_scene::{assemble, load};

/// A surface at rest and at the end of the run.
struct Shape {
    rest: Vec<DVec3>,
    end: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

fn shape(variant: &str, nodes: u32) -> Shape {
    let loaded =
        load(&format!("active-shape@{variant}"), &[format!("bodies.cup.nodes={nodes}")]).unwrap();
    let mut world = assemble(&loaded).unwrap().world;
    let cup = world.find_body("cup").unwrap();
    let (rest, triangles) = (world.surface_positions(cup), world.surface_triangles(cup).to_vec());
    let steps = (loaded.scene.duration / loaded.scene.solver.time_step).round() as usize;
    for _ in 0..steps {
        world.step(&mut ()).unwrap();
    }
    Shape { rest, end: world.surface_positions(cup), triangles }
}

/// Largest distance of a vertex of one surface from the other surface, both ways, m.
fn hausdorff(a: (&[DVec3], &[[u32; 3]]), b: (&[DVec3], &[[u32; 3]])) -> f64 {
    let farthest = |from: &[DVec3], (points, triangles): (&[DVec3], &[[u32; 3]])| {
        let corners = |t: &[u32; 3]| t.map(|v| points[v as usize]);
        let nearest = |p: &DVec3| {
            let distances =
                triangles.iter().map(|t| point_triangle(*p, corners(t)).distance_squared.sqrt());
            distances.fold(f64::MAX, f64::min)
        };
        from.iter().map(nearest).fold(0.0, f64::max)
    };
    farthest(a.0, b).max(farthest(b.0, a))
}

/// How far the top has sunk, m: a figure that does not see the facets.
fn sink(shape: &Shape) -> f64 {
    let top = shape.rest.iter().map(|p| p.z).fold(f64::MIN, f64::max);
    let highest = shape.end.iter().map(|p| p.z).fold(f64::MIN, f64::max);
    top - highest
}

#[test]
fn two_meshes_have_the_same_shape() {
    for (variant, source) in [("a20", 1.59e-3), ("a30", 3.29e-3)] {
        let (coarse, fine) = (shape(variant, 900), shape(variant, 1800));
        let between = |of: fn(&Shape) -> &Vec<DVec3>| {
            hausdorff((of(&coarse), &coarse.triangles), (of(&fine), &fine.triangles))
        };
        let (rest, end) = (between(|s| &s.rest), between(|s| &s.end));
        let moved = |s: &Shape| {
            let each = s.rest.iter().zip(&s.end).map(|(a, b)| a.distance(*b));
            each.fold(0.0, f64::max)
        };
        let millimetres = |v: f64| 1e3 * v;
        println!(
            "{variant}: {:.3} mm at rest, {:.3} mm under vacuum (the source's, to a photograph: {:.2} mm); moved by {:.3} and \
             {:.3} mm, sunk by {:.3} and {:.3} mm",
            millimetres(rest),
            millimetres(end),
            millimetres(source),
            millimetres(moved(&coarse)),
            millimetres(moved(&fine)),
            millimetres(sink(&coarse)),
            millimetres(sink(&fine)),
        );
        // What the vacuum adds to the distance that the facets have already is a small part of what it does.
        assert!(end - rest < 0.1 * moved(&fine), "{variant}: {rest} at rest, {end} under vacuum");
        assert!((sink(&coarse) / sink(&fine) - 1.0).abs() < 0.05, "{variant}");
        assert!(end < 0.3 * source, "{variant}: {end}");
    }
}
