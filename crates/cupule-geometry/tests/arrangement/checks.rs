//! What every arrangement must hold, whatever the bodies.

use cupule_geometry::arrangement::{CavityMesh, Side, Surface};
use cupule_geometry::{DVec3, TriMesh};

use crate::scenes::{Scene, surfaces};

/// Pieces cover every triangle once; both copies of each border point coincide at the thickened positions; every mesh
/// is closed; the inner mesh has minus the component's volume.
pub fn check(scene: &Scene) -> Result<(), String> {
    covered(scene)?;
    let thick = scene.thick_bodies();
    let thick = surfaces(&thick);
    coincide(scene, &thick)?;
    let bodies = surfaces(&scene.bodies);
    for component in 0..scene.arrangement.components.len() as u32 {
        for outer in [false, true] {
            let mesh = scene.mesh(component, outer);
            closed(&mesh, &bodies)
                .map_err(|e| format!("component {component} outer {outer}: {e}"))?;
        }
        // Bodies are moved off exact coincidences by up to about 1e-10 of the scene, of at most 1 m.
        let nudge = 5e-10;
        let volume = -scene.mesh(component, false).volume(&thick);
        let expected = scene.arrangement.components[component as usize].signed_volume;
        let area = scene.mesh(component, false).areas(&thick)[0];
        if (volume - expected).abs() > 1e-6 * expected.abs() + nudge * area {
            return Err(format!("component {component}: {volume:e} instead of {expected:e}"));
        }
    }
    Ok(())
}

fn covered(scene: &Scene) -> Result<(), String> {
    let counts = scene.bodies.iter().map(|body| body.triangles.len());
    let mut area: Vec<Vec<f64>> = counts.map(|count| vec![0.0; count]).collect();
    for piece in &scene.arrangement.pieces {
        let [a, b, c] = piece.corners.map(DVec3::from_array);
        // In the plane of the weights the whole triangle has the normal (1, 1, 1).
        let signed = (b - a).cross(c - a).element_sum() / 3.0;
        area[piece.body as usize][piece.triangle as usize] += signed;
        let within = piece.corners.as_flattened().iter().all(|w| (0.0..=1.0).contains(w));
        if !within || signed < -1e-12 {
            return Err(format!("piece of body {} has area {signed:e}", piece.body));
        }
    }
    for (body, areas) in area.iter().enumerate() {
        if let Some(triangle) = areas.iter().position(|a| (a - 1.0).abs() > 1e-9) {
            let value = areas[triangle];
            return Err(format!("triangle {triangle} of body {body} is covered {value} times"));
        }
    }
    Ok(())
}

fn coincide(scene: &Scene, thick: &[Surface<'_>]) -> Result<(), String> {
    for border in &scene.arrangement.borders {
        for [a, b] in border.ends {
            let apart = a.position(thick).distance(b.position(thick));
            if apart > 1e-9 {
                return Err(format!("copies of a border point are {apart:e} m apart"));
            }
        }
    }
    Ok(())
}

/// A closed surface has no area vector, so its volume does not depend on the origin and its gradient sums to zero.
pub fn closed(mesh: &CavityMesh, bodies: &[Surface<'_>]) -> Result<(), String> {
    let areas = mesh.areas(bodies);
    let area = areas[0] + areas[1];
    let (volume, gradient) = mesh.volume_and_gradient(bodies);
    let sum: DVec3 = gradient.iter().map(|each| each.gradient).sum();
    if sum.length() > 1e-11 * area {
        return Err(format!("gradient sums to {:e} of the area", sum.length() / area));
    }
    // A rigid turn must not change the volume either: the sum of x cross dV/dx vanishes.
    let at = |body: u32, vertex: u32| bodies[body as usize].positions[vertex as usize];
    let turn: DVec3 = gradient.iter().map(|g| at(g.body, g.vertex).cross(g.gradient)).sum();
    if turn.length() > 1e-11 * area * area.sqrt().max(0.1) {
        return Err(format!("the volume depends on orientation: {:e}", turn.length()));
    }
    if !volume.is_finite() {
        return Err("the volume is not a number".to_owned());
    }
    Ok(())
}

/// dV/dx against central differences, at some of the vertices.
pub fn check_gradient(mesh: &CavityMesh, bodies: &[TriMesh]) {
    let (_, gradient) = mesh.volume_and_gradient(&surfaces(bodies));
    let largest = gradient.iter().map(|g| g.gradient.length()).fold(0.0, f64::max);
    for each in gradient.iter().step_by(7) {
        for axis in 0..3 {
            let step = 1e-5;
            let volume = |sign: f64| {
                let mut moved = bodies.to_vec();
                moved[each.body as usize].vertices[each.vertex as usize][axis] += sign * step;
                mesh.volume(&surfaces(&moved))
            };
            // The volume is linear in one coordinate: differences are exact to rounding.
            let slope = (volume(1.0) - volume(-1.0)) / (2.0 * step);
            let error = (slope - each.gradient[axis]).abs();
            assert!(error < 1e-8 * largest, "{slope:e} {:e}", each.gradient[axis]);
        }
    }
}

/// Area of the pieces of a body that look at a side, at true positions, m2.
pub fn area_of(scene: &Scene, body: u32, side: impl Fn(Side) -> bool) -> f64 {
    let mesh = &scene.bodies[body as usize];
    let own = scene.arrangement.pieces.iter().filter(|p| p.body == body && side(p.side));
    own.map(|piece| {
        let corners = mesh.corners(piece.triangle as usize).unwrap();
        let at = |w: [f64; 3]| corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
        let [a, b, c] = piece.corners.map(at);
        0.5 * (b - a).cross(c - a).length()
    })
    .sum()
}
