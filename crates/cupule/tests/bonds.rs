//! Bonds between material points: they carry load by opening and by displacement across, far beyond the reach of contact.
//!
//! A bond pulls with k times its opening and its displacement. So a block that hangs by bonds of stiffness k each opens them by
//! m g / sum k, and one that lies on a smooth slope is held after a displacement of m g sin / sum k, and does not creep.

mod common;

use common::*;
use cupule::report::StepReport;
use cupule::settings::{Settings, SolverChoice};
use cupule::world::{BodyId, BondSpec, WorldError};
use cupule::{World, WorldBuilder};
use cupule_geometry::DVec3;
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;

/// Of the block, kg.
const MASS: f64 = 0.5;
/// N/m.
const STIFFNESS: f64 = 400.0;

/// A plate above or below a block of 0.1 x 0.1 x 0.05 m, whose four corners on that side are bonded to it.
fn bonded(solver: SolverChoice, gravity: DVec3, is_soft: bool, above: bool) -> (World, BodyId) {
    let side = if above { 1.0 } else { -1.0 };
    let settings = Settings { solver, gravity, friction: 0.0, ..Settings::default() };
    let gap = 1.05 * settings.contact_distance;
    let mut builder = WorldBuilder::new(settings);
    let plate = cuboid(DVec3::new(0.4, 0.4, 0.1), [1, 1, 1]).expect("box");
    let plate = builder.add_kinematic(fixed("plate", plate.translated(DVec3::Z * side * 0.05)));
    let plate = plate.expect("plate");
    let size = DVec3::new(0.1, 0.1, 0.05);
    let at = DVec3::Z * -side * (0.025 + gap);
    let block = if is_soft {
        let mesh = cuboid_hexes(size, [4, 4, 2]).expect("box").translated(at);
        builder.add_fem(soft("block", mesh, corotated(1e5, 0.3), MASS / 5e-4))
    } else {
        let surface = cuboid(size, [1, 1, 1]).expect("box").translated(at);
        builder.add_rigid(rigid("block", surface, MASS))
    };
    let block = block.expect("block");
    let corner = |x: &DVec3| {
        (x.x.abs() - 0.05).abs() < 1e-9
            && (x.y.abs() - 0.05).abs() < 1e-9
            && (x.z + side * gap).abs() < 1e-9
    };
    let corners: Vec<(u32, DVec3)> =
        (0..).zip(builder.surface_positions(block)).filter(|(_, x)| corner(x)).collect();
    assert_eq!(corners.len(), 4);
    for (vertex, x) in corners {
        let to = builder.nearest_surface_point(plate, x).expect("a point of the plate");
        builder.add_bond(BondSpec { body: block, vertex, to, stiffness: STIFFNESS });
    }
    (builder.build().expect("a world"), block)
}

/// The sum of what bonds pull with, N.
fn pulled(report: &StepReport) -> DVec3 {
    report.bonds.iter().map(|bond| bond.force).sum()
}

#[test]
fn a_block_hangs_by_its_weight_over_the_stiffness() {
    let weight = MASS * GRAVITY;
    for (solver, is_soft) in both_with([false, true]) {
        let (mut world, block) = bonded(solver, DVec3::Z * -GRAVITY, is_soft, true);
        // 3 mm: beyond the alarm distance.
        let opening = weight / (4.0 * STIFFNESS);
        assert!(opening > world.settings().alarm_distance);
        let report = run_to(&mut world, 2.0);
        let told = format!("{solver:?}, soft {is_soft}: {:?}", report.bonds);
        assert!((pulled(&report) - DVec3::Z * weight).length() < 1e-3 * weight, "{told}");
        let mean = report.bonds.iter().map(|bond| bond.opening).sum::<f64>() / 4.0;
        // The frame of a bond is that of the start of its step; both solvers stop within 1e-3 of the forces.
        assert!((mean / opening - 1.0).abs() < 2e-3, "{mean} of {opening}: {told}");
        let stored: f64 = report
            .bonds
            .iter()
            .map(|b| 0.5 * STIFFNESS * (b.opening.powi(2) + b.displacement.length_squared()))
            .sum();
        assert!((report.energy.interfaces / stored - 1.0).abs() < 1e-9, "{told}");
        // It fell by the opening less what it began with. What bonds do not store of that work is lost in coming to rest; a soft block
        // stores some itself.
        let fell = opening - 0.05 * world.settings().contact_distance;
        let lost = report.energy.dissipated / (weight * (fell - 0.5 * opening));
        assert!(is_soft || (lost - 1.0).abs() < 1e-3, "lost {lost}: {told}");
        let speed = world.body_report(block).velocity.length();
        assert!(speed < 1e-4, "{speed:e} m/s: {told}");
    }
}

#[test]
fn a_block_on_a_smooth_slope_is_held_and_does_not_creep() {
    let angle = std::f64::consts::FRAC_PI_6;
    let gravity = DVec3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY;
    let across = MASS * GRAVITY * angle.sin();
    for (solver, is_soft) in both_with([false, true]) {
        let (mut world, block) = bonded(solver, gravity, is_soft, false);
        let report = run_to(&mut world, 2.0);
        let told = format!("{solver:?}, soft {is_soft}: {:?}", report.bonds);
        let pull = pulled(&report);
        assert!((pull.x + across).abs() < 1e-3 * across, "{told}");
        // Contact carries the rest: pressed bonds do not push.
        assert!(report.bonds.iter().all(|bond| bond.force.z < 1e-3 * across), "{told}");
        let mean = report.bonds.iter().map(|bond| bond.displacement.x).sum::<f64>() / 4.0;
        assert!((mean / (across / (4.0 * STIFFNESS)) - 1.0).abs() < 2e-3, "{mean}: {told}");
        let settled = centre(&world, block);
        run_to(&mut world, 4.0);
        let crept = (centre(&world, block) - settled).length();
        assert!(crept < 1e-7, "{crept:e} m in 2 s: {told}");
    }
}

/// What one body loses of its momentum the other gains, and both change by the force that is reported.
#[test]
fn bonds_pass_momentum_on() {
    for solver in SOLVERS {
        let settings =
            Settings { solver, gravity: DVec3::ZERO, friction: 0.0, ..Settings::default() };
        let mut builder = WorldBuilder::new(settings);
        let cube =
            |z: f64| cuboid(DVec3::splat(0.1), [1, 1, 1]).expect("cube").translated(DVec3::Z * z);
        let (one, other) = (rigid("one", cube(0.0), 1.0), rigid("other", cube(0.101), 2.0));
        let one = builder
            .add_rigid(cupule::world::RigidSpec { velocity: DVec3::new(0.3, 0.1, -0.5), ..one });
        let (one, other) = (one.expect("one"), builder.add_rigid(other).expect("other"));
        for vertex in 0..4 {
            let x = builder.surface_positions(one)[vertex];
            let to = builder.nearest_surface_point(other, x).expect("a point");
            builder.add_bond(BondSpec { body: one, vertex: vertex as u32, to, stiffness: 500.0 });
        }
        let mut world = builder.build().expect("a world");
        let momentum = |world: &World| [one, other].map(|id| world.body_report(id).momentum);
        let start: DVec3 = momentum(&world).iter().sum();
        for _ in 0..50 {
            let before = momentum(&world);
            let report = world.step(&mut ()).expect("a step");
            let after = momentum(&world);
            for (k, id) in [one, other].into_iter().enumerate() {
                let body = &report.bodies[id.0];
                let force = (after[k] - before[k]) / report.time_step;
                let told = body.bond_force + body.contact_force;
                assert!((force - told).length() < 1e-3 * (1.0 + force.length()), "{force} {told}");
            }
        }
        let drift = (momentum(&world).iter().sum::<DVec3>() - start).length() / start.length();
        assert!(drift < 1e-6, "{solver:?}: {drift:e}");
    }
}

#[test]
fn bonds_that_cannot_be_are_refused() {
    let build = |change: &dyn Fn(&mut BondSpec)| {
        let mut builder = WorldBuilder::new(Settings::default());
        let cube =
            |z: f64| cuboid(DVec3::splat(0.1), [1, 1, 1]).expect("cube").translated(DVec3::Z * z);
        let one = builder.add_rigid(rigid("one", cube(0.0), 1.0)).expect("one");
        let other = builder.add_rigid(rigid("other", cube(0.101), 1.0)).expect("other");
        let to = builder.nearest_surface_point(other, DVec3::ZERO).expect("a point");
        let mut bond = BondSpec { body: one, vertex: 0, to, stiffness: 1.0 };
        change(&mut bond);
        builder.add_bond(bond);
        builder.build().map(drop)
    };
    assert!(build(&|_| {}).is_ok());
    for stiffness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = build(&|bond| bond.stiffness = stiffness);
        assert!(matches!(refused, Err(WorldError::Setting { key: "bond stiffness", .. })));
    }
    let unknown = |refused, what| {
        assert!(matches!(refused, Err(WorldError::Unknown { what: w, .. }) if w == what))
    };
    unknown(build(&|bond| bond.vertex = 99), "vertex");
    unknown(build(&|bond| bond.to.triangle = 99), "triangle");
    unknown(build(&|bond| bond.to.body = 9), "body");
}
