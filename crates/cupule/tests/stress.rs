//! Stress of a bar in tension.

mod common;

use common::{attach, bar, corotated, drive, neo_hookean, nodes_where, run_to, soft};
use cupule::WorldBuilder;
use cupule::model::Rayleigh;
use cupule::motion::Profile;
use cupule::settings::Settings;
use cupule_geometry::DVec3;

#[test]
fn von_mises_of_a_pulled_bar_is_force_over_area() {
    // sigma = F / A = 0.4 N / 4e-4 m2 = 1 kPa where the ends are far; nu = 0 leaves no other stress at all. The strain is
    // 1e-3, by which the present area differs from that at rest.
    for material in [corotated(1e6, 0.0), neo_hookean(1e6, 0.0)] {
        let mut builder =
            WorldBuilder::new(Settings { gravity: DVec3::ZERO, ..Settings::default() });
        let mesh = bar(0.0, 0.1, [10, 2, 2]);
        let held = nodes_where(&mesh, |x| x.x < 1e-9);
        let end = nodes_where(&mesh, |x| x.x > 0.0999);
        let mut spec = soft("bar", mesh, material, 1000.0);
        spec.damping = Rayleigh { mass: 50.0, stiffness: 0.01 };
        let body = builder.add_fem(spec).unwrap();
        attach(&mut builder, "wall", body, held, drive(DVec3::ZERO, 1.0, Profile::Linear));
        builder.add_traction(body, &end, DVec3::X * 1e3);
        let mut world = builder.build().expect("a world");
        run_to(&mut world, 2.0);
        let (x, stress) = (world.surface_positions(body), world.von_mises(body).unwrap().vertices);
        for (x, stress) in x.iter().zip(&stress).filter(|(x, _)| (0.03..0.07).contains(&x.x)) {
            assert!((stress / 1e3 - 1.0).abs() < 3e-3, "{stress} Pa at {x}");
        }
    }
}
