//! Fields that are recorded, on a block that stands on the ground.
#![allow(clippy::unwrap_used, reason = "what a test cannot set up fails it")]

use cupule::element::Formulation;
use cupule::material::{Isotropic, Material};
use cupule::model::Rayleigh;
use cupule::motion::Motion;
use cupule::report::StepReport;
use cupule::settings::Settings;
use cupule::world::{BodyId, FemSpec, KinematicSpec, MassSpec};
use cupule::{World, WorldBuilder};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{Cells, DVec3, VolumeMesh};
use cupule_record::frames::LayerFrame;
use cupule_record::scenery;

const SIZE: f64 = 0.1;
const MASS: f64 = 0.5;

fn standing() -> (World, StepReport) {
    let mut builder = WorldBuilder::new(Settings::default());
    let block = cuboid_hexes(DVec3::splat(SIZE), [4, 4, 4]).unwrap();
    let ground = cuboid_hexes(DVec3::new(0.5, 0.5, 0.1), [1, 1, 1]).unwrap().boundary().0;
    let material = Material::corotated(Isotropic::new(1e5, 0.3).unwrap());
    let spec = FemSpec {
        name: "block".into(),
        mesh: block.translated(DVec3::Z * (0.5 * SIZE + 3e-4)),
        material,
        mass: MassSpec::Total(MASS),
        damping: Rayleigh { mass: 5.0, stiffness: 0.005 },
        formulation: Formulation::Default,
        surface: None,
        caged: false,
        self_contact: false,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    builder.add_fem(spec).unwrap();
    let surface = ground.translated(DVec3::Z * -0.05);
    let fixed = KinematicSpec { name: "ground".into(), surface, motion: Motion::fixed() };
    builder.add_kinematic(fixed).unwrap();
    let mut world = builder.build().expect("a world");
    let mut last = StepReport::default();
    while world.time() < 2.0 {
        last = world.step(&mut ()).unwrap();
    }
    (world, last)
}

fn field(world: &World, report: &StepReport, name: &str) -> Vec<Option<Vec<f32>>> {
    let place = scenery::layers(world).iter().position(|layer| layer.name == name).unwrap();
    match &scenery::shown(world, report)[place] {
        LayerFrame::Field(values) => values.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contact_pressure_over_the_surface_is_the_weight() {
    let (world, report) = standing();
    let field = field(&world, &report, "contact_pressure");
    assert!(field[1].is_none(), "the ground has no mesh to speak of");
    let (x, pressures) = (world.surface_positions(BodyId(0)), field[0].as_ref().unwrap());
    let mut force = 0.0;
    for triangle in world.surface_triangles(BodyId(0)) {
        let [a, b, c] = triangle.map(|vertex| x[vertex as usize]);
        let mean: f32 =
            triangle.iter().map(|vertex| pressures[*vertex as usize]).sum::<f32>() / 3.0;
        force += f64::from(mean) * 0.5 * (b - a).cross(c - a).length();
    }
    // At rest to 1e-3 by then.
    assert!((force / (MASS * 9.81) - 1.0).abs() < 3e-3, "{force} N");
    let top = x.iter().zip(pressures).filter(|(x, _)| x.z > 0.5 * SIZE);
    assert!(top.into_iter().all(|(_, pressure)| *pressure == 0.0));
}

#[test]
fn stress_is_largest_at_the_foot_and_only_soft_bodies_have_it() {
    let (world, report) = standing();
    let field = field(&world, &report, "von_mises");
    assert!(field[1].is_none());
    let x = world.surface_positions(BodyId(0));
    let stress = field[0].as_ref().unwrap();
    let mean = |low: f64, high: f64| {
        let some = x.iter().zip(stress).filter(|(x, _)| (low..high).contains(&x.z));
        let (sum, count) = some.fold((0.0, 0), |(sum, n), (_, s)| (sum + f64::from(*s), n + 1));
        sum / f64::from(count)
    };
    // Its own weight: about rho g times the height of what is above.
    let weight = MASS * 9.81 / (SIZE * SIZE);
    let half = mean(0.4 * SIZE, 0.6 * SIZE);
    assert!((half / (0.5 * weight) - 1.0).abs() < 0.1, "{half} {weight}");
    assert!(mean(0.9 * SIZE, 1.1 * SIZE) < 0.3 * weight);
}

#[test]
fn cells_fill_the_surface_and_have_the_stress_within() {
    let (world, report) = standing();
    let (body, points) = (&scenery::bodies(&world)[0], &scenery::positions(&world)[0]);
    // 5 x 5 x 5 nodes, 3 x 3 x 3 of them within.
    assert_eq!((body.surface_vertices(), body.vertices), (98, 125));
    assert_eq!((points.len(), body.cells.size, body.cells.count()), (125, 8, 64));
    let hexahedra = body.cells.iter().map(|cell| cell.try_into().unwrap()).collect();
    let mesh = VolumeMesh { nodes: points.clone(), cells: Cells::Hex8(hexahedra) };
    mesh.check().unwrap();
    // Neighbours share the vertices of their faces: what is left over is the surface.
    let boundary = mesh.boundary().0;
    assert_eq!(boundary.vertices, points[..98], "the surface's vertices come first");
    // Half of the weight hangs on the middle, a bar under its own weight: sigma = m g / 2 A. The foot, which friction
    // holds, and the mean over elements change it by less than a fifth.
    let field = field(&world, &report, "von_mises");
    let stresses = field[0].as_ref().unwrap();
    let middle = (98..125).find(|v| points[*v].distance(DVec3::Z * 0.5 * SIZE) < 0.1 * SIZE);
    let ratio = f64::from(stresses[middle.unwrap()]) / (0.5 * MASS * 9.81 / SIZE.powi(2));
    assert!((ratio - 1.0).abs() < 0.2, "{ratio}");
    let pressures = self::field(&world, &report, "contact_pressure");
    assert!(pressures[0].as_ref().unwrap()[98..].iter().all(|pressure| *pressure == 0.0));
}
