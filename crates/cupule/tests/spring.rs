//! A helical spring of round wire in a cage of hexahedra, one cell across, that follows the wire.

mod common;

use common::*;
use cupule::WorldBuilder;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::Settings;
use cupule::world::{AttachmentSpec, FemSpec, Hold};
use cupule_geometry::structured::helix_cage;
use cupule_geometry::{DQuat, DVec3, HelixShape, WireSection};

const SHEAR_MODULUS: f64 = 79e9;
const POISSONS_RATIO: f64 = 0.3;

/// The spring of the scene `toy`.
const SPRING: HelixShape = HelixShape {
    wire_diameter: 0.0024,
    coil_diameter: 0.048,
    height: 0.028,
    turns: 3.0,
    section: WireSection::Round,
};

/// k = G d^4 / (8 D^3 n), N/m.
fn stiffness(helix: &HelixShape) -> f64 {
    let (d, coil) = (helix.wire_diameter, helix.coil_diameter);
    SHEAR_MODULUS * d.powi(4) / (8.0 * coil.powi(3) * helix.turns)
}

/// Force at the foot over the way of the head, N/m, in a cage of so many nodes.
fn measured(helix: &HelixShape, nodes: usize) -> (usize, f64) {
    let (mesh, surface) = helix_cage(helix, nodes).expect("cage");
    let count = mesh.nodes.len();
    let modulus = 2.0 * (1.0 + POISSONS_RATIO) * SHEAR_MODULUS;
    let spec = soft("spring", mesh, corotated(modulus, POISSONS_RATIO), 7850.0);
    let spec = FemSpec { surface: Some(surface), caged: true, ..spec };
    // Long steps: inertia is gone after a few.
    let settings = Settings { time_step: 1.0, gravity: DVec3::ZERO, ..Settings::default() };
    let mut builder = WorldBuilder::new(settings);
    let body = builder.add_fem(spec).expect("spring");
    let shift = 1e-4;
    let key =
        |time: f64, z: f64| Key { time, translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
    let down = Motion::new(vec![key(0.0, 0.0), key(1.0, -shift)], Profile::Linear, DVec3::ZERO);
    for (name, points, motion) in [
        ("foot", [0, 1, 2, 3].to_vec(), Motion::fixed()),
        ("head", (count as u32 - 4..count as u32).collect(), down),
    ] {
        let hold = Hold::Drive(motion);
        builder
            .add_attachment(AttachmentSpec { name: name.into(), body, points, hold })
            .expect("end");
    }
    let mut world = builder.build().expect("a world");
    let report = run_to(&mut world, 20.0);
    (count, report.attachments[0].force.z / shift)
}

/// The cells follow the wire and hold what its section is, so that a spring of 196 nodes has the stiffness of theory: too
/// stiff by the chords of 16 cells a turn, an error of second order in their length.
#[test]
fn a_caged_spring_has_the_stiffness_of_theory() {
    let theory = stiffness(&SPRING);
    let mut off = Vec::new();
    for nodes in [196, 388, 772] {
        let (count, k) = measured(&SPRING, nodes);
        println!("{count} nodes: {k:.1} N/m, theory {theory:.1}");
        assert_eq!(count, nodes);
        off.push(k / theory - 1.0);
    }
    println!("{off:?}");
    assert!(off[0].abs() < 0.05 && off[1].abs() < 0.015, "{off:?}");
    let order = ((off[0] - off[2]) / (off[1] - off[2])).log2();
    assert!((1.7..2.6).contains(&order), "{order}");
}
