//! Small worlds that the physics tests share.
#![allow(dead_code, reason = "every test file uses its own part")]

use cupule::element::Formulation;
use cupule::material::{Isotropic, Material};
use cupule::model::Rayleigh;
use cupule::motion::{Key, Motion, Profile};
use cupule::report::StepReport;
use cupule::settings::SolverChoice;
use cupule::world::{AttachmentSpec, BodyId, FemSpec, Hold, KinematicSpec, MassSpec, RigidSpec};
use cupule::{World, WorldBuilder};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3, TriMesh, VolumeMesh};

pub const GRAVITY: f64 = 9.81;

/// Every solver there is: what is true of the physics is true of both.
pub const SOLVERS: [SolverChoice; 2] = [SolverChoice::Ncp, SolverChoice::Ipc];

/// Every case with every solver.
pub fn both_with<T: Copy>(
    cases: impl IntoIterator<Item = T>,
) -> impl Iterator<Item = (SolverChoice, T)> {
    cases.into_iter().flat_map(|case| SOLVERS.map(|solver| (solver, case)))
}

pub fn corotated(youngs_modulus: f64, poissons_ratio: f64) -> Material {
    Material::corotated(Isotropic::new(youngs_modulus, poissons_ratio).expect("valid moduli"))
}

pub fn neo_hookean(youngs_modulus: f64, poissons_ratio: f64) -> Material {
    Material::stable_neo_hookean(
        Isotropic::new(youngs_modulus, poissons_ratio).expect("valid moduli"),
    )
}

pub fn soft(name: &str, mesh: VolumeMesh, material: Material, density: f64) -> FemSpec {
    FemSpec {
        name: name.into(),
        mesh,
        material,
        mass: MassSpec::Density(density),
        damping: Rayleigh::default(),
        formulation: Formulation::Default,
        surface: None,
        caged: false,
        self_contact: false,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    }
}

pub fn rigid(name: &str, surface: TriMesh, mass: f64) -> RigidSpec {
    RigidSpec {
        name: name.into(),
        surface,
        mass: MassSpec::Total(mass),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    }
}

pub fn fixed(name: &str, surface: TriMesh) -> KinematicSpec {
    KinematicSpec { name: name.into(), surface, motion: Motion::fixed() }
}

/// Steps to `time` and returns the last report.
pub fn run_to(world: &mut World, time: f64) -> StepReport {
    let mut last = None;
    while world.time() < time - 0.5 * world.settings().time_step {
        last = Some(world.step(&mut ()).unwrap_or_else(|e| panic!("{e}")));
    }
    last.expect("at least one step")
}

/// The nodes of a mesh for which `pick` is true.
pub fn nodes_where(mesh: &VolumeMesh, pick: impl Fn(DVec3) -> bool) -> Vec<u32> {
    (0..mesh.nodes.len() as u32).filter(|i| pick(mesh.nodes[*i as usize])).collect()
}

pub fn centre(world: &World, body: BodyId) -> DVec3 {
    world.body_report(body).centre
}

/// Side of the square section of test bars, m.
pub const WIDTH: f64 = 0.02;

/// A bar of square section along x, from `from` to `to` (m).
pub fn bar(from: f64, to: f64, divisions: [usize; 3]) -> VolumeMesh {
    let size = DVec3::new(to - from, WIDTH, WIDTH);
    cuboid_hexes(size, divisions).expect("bar").translated(DVec3::X * 0.5 * (from + to))
}

pub fn attach(builder: &mut WorldBuilder, name: &str, body: BodyId, points: Vec<u32>, hold: Hold) {
    builder
        .add_attachment(AttachmentSpec { name: name.into(), body, points, hold })
        .unwrap_or_else(|e| panic!("{e}"));
}

pub fn drive(shift: DVec3, time: f64, profile: Profile) -> Hold {
    let key = |time, translation| Key { time, translation, rotation: DQuat::IDENTITY };
    Hold::Drive(Motion::new(vec![key(0.0, DVec3::ZERO), key(time, shift)], profile, DVec3::ZERO))
}
