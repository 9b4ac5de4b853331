//! Whatever is dropped: no NaN, no panic, no penetration, laws within tolerance, the weight carried, the same bits again.

mod common;

use common::*;
use cupule::settings::Settings;
use cupule::world::{BodyId, FemSpec, StepError};
use cupule::{World, WorldBuilder};
use cupule_geometry::generate::{cuboid, cylinder, sphere};
use cupule_geometry::structured::{ball_hexes, cuboid_hexes, cylinder_hexes};
use cupule_geometry::{DQuat, DVec3, TriMesh, VolumeMesh};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[derive(Debug, Clone, Copy)]
enum Form {
    Box([f64; 3]),
    Cylinder([f64; 2]),
    Ball(f64),
}

#[derive(Debug, Clone, Copy)]
enum Element {
    Hex8,
    Tet4,
    Tet10,
    Rigid,
}

#[derive(Debug, Clone)]
struct Drop {
    form: Form,
    element: Element,
    turn: [f64; 4],
    youngs_modulus: f64,
    poissons_ratio: f64,
    density: f64,
    time_step: f64,
    speed: f64,
    friction: f64,
}

fn length() -> impl Strategy<Value = f64> {
    0.01..0.08
}

fn power(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|exponent| 10f64.powf(exponent))
}

fn drops() -> impl Strategy<Value = Drop> {
    let form = prop_oneof![
        [length(), length(), length()].prop_map(Form::Box),
        [length(), length()].prop_map(Form::Cylinder),
        length().prop_map(Form::Ball),
    ];
    let element = prop_oneof![
        Just(Element::Hex8),
        Just(Element::Tet4),
        Just(Element::Tet10),
        Just(Element::Rigid)
    ];
    let turn = [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0];
    let numbers =
        (power(3.0, 8.0), 0.0..0.49, power(1.0, 3.9), power(-3.0, -1.7), 0.0..1.0, 0.0..1.2);
    (form, element, turn, numbers).prop_map(
        |(form, element, turn, (e, nu, density, h, speed, friction))| Drop {
            form,
            element,
            turn,
            youngs_modulus: e,
            poissons_ratio: nu,
            density,
            time_step: h,
            speed,
            friction,
        },
    )
}

impl Drop {
    fn cells(&self) -> VolumeMesh {
        let mesh = match self.form {
            Form::Box(size) => cuboid_hexes(size.into(), [2, 2, 2]),
            Form::Cylinder([radius, height]) => cylinder_hexes(radius, height, 2, 2, 2),
            Form::Ball(radius) => ball_hexes(radius, 2, 1),
        };
        let mesh = mesh.expect("valid sizes");
        match self.element {
            Element::Tet4 => mesh.to_tet4(),
            Element::Tet10 => mesh.to_tet10(),
            _ => mesh,
        }
    }

    fn surface(&self) -> TriMesh {
        let surface = match self.form {
            Form::Box(size) => cuboid(size.into(), [1, 1, 1]),
            Form::Cylinder([radius, height]) => cylinder(radius, height, 12, 1, 1),
            Form::Ball(radius) => sphere(radius, 2),
        };
        surface.expect("valid sizes")
    }

    fn builder(&self) -> (WorldBuilder, BodyId) {
        let settings =
            Settings { time_step: self.time_step, friction: self.friction, ..Settings::default() };
        let mut builder = WorldBuilder::new(settings);
        let ground =
            cuboid(DVec3::new(2.0, 2.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05);
        builder.add_kinematic(fixed("ground", ground)).expect("ground");
        let turn = DQuat::from_array(self.turn).normalize();
        let lift = |lowest: f64| DVec3::Z * (2e-3 - lowest);
        let velocity = DVec3::new(0.3, 0.1, -1.0) * self.speed;
        let body = if let Element::Rigid = self.element {
            let surface = self.surface().rotated(turn);
            let lowest = surface.vertices.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
            let mass = self.density * surface.signed_volume();
            let mut spec = rigid("thing", surface.translated(lift(lowest)), mass);
            spec.velocity = velocity;
            builder.add_rigid(spec)
        } else {
            let mesh = self.cells().rotated(turn);
            let lowest = mesh.nodes.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
            let material = corotated(self.youngs_modulus, self.poissons_ratio);
            builder.add_fem(FemSpec {
                velocity,
                ..soft("thing", mesh.translated(lift(lowest)), material, self.density)
            })
        };
        (builder, body.expect("a sound body"))
    }

    fn world(&self) -> (World, BodyId) {
        let (builder, body) = self.builder();
        (builder.build().expect("a world"), body)
    }

    /// Whether it stands under its own weight: rho g L well below E. Otherwise it collapses, and only NaN and panic count.
    fn stands(&self) -> bool {
        matches!(self.element, Element::Rigid)
            || self.density * GRAVITY * self.size() < 0.05 * self.youngs_modulus
    }

    /// Longest side of its box, m.
    fn size(&self) -> f64 {
        match self.form {
            Form::Box(size) => size.into_iter().fold(0.0, f64::max),
            Form::Cylinder([radius, height]) => (2.0 * radius).max(height),
            Form::Ball(radius) => 2.0 * radius,
        }
    }

    /// How deep a vertex may go because the turn of a rigid body in a step is linearised, m: r (h omega)^2.
    fn bow(&self, spin: DVec3) -> f64 {
        self.size() * (self.time_step * spin.length()).powi(2)
    }

    fn check(&self, steps: usize) -> Result<Outcome, TestCaseError> {
        let (mut world, body) = self.world();
        let weight = world.body_mass(body) * GRAVITY;
        let mut outcome = Outcome::default();
        let spin = |world: &World| world.angular_velocity(body).unwrap_or_default();
        for step in 0..steps {
            let bow = self.bow(spin(&world));
            let report = match world.step(&mut ()) {
                Ok(report) => report,
                // A collapse may end in an error that says so; anything else may not.
                Err(StepError::Diverged { .. }) if !self.stands() => return Ok(outcome),
                Err(error) => return Err(TestCaseError::fail(format!("step {step}: {error}"))),
            };
            let here = &report.bodies[body.0];
            prop_assert!(
                here.centre.is_finite()
                    && here.contact_force.is_finite()
                    && world.energy().kinetic.is_finite()
            );
            outcome.gap = outcome.gap.max(report.residual.gap_m);
            let strongest = report.contacts.iter().map(|c| c.force.length()).fold(0.0, f64::max);
            let share = if strongest > 0.0 { report.residual.force_n / strongest } else { 0.0 };
            outcome.force = outcome.force.max(share);
            let held = world.settings().contact_distance - bow.max(self.bow(spin(&world)));
            outcome.sunk = outcome.sunk.max(held - here.lowest);
            let still = world.energy().kinetic < 1e-7 * weight * 0.01;
            outcome.at_rest = if still { outcome.at_rest + 1 } else { 0 };
            if outcome.at_rest == 20 {
                outcome.carried = Some(here.contact_force.z / weight);
                break;
            }
        }
        Ok(outcome)
    }
}

#[derive(Debug, Default)]
struct Outcome {
    gap: f64,
    force: f64,
    /// How far below the contact distance, m.
    sunk: f64,
    at_rest: usize,
    carried: Option<f64>,
}

fn runner(cases: u32) -> TestRunner {
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 20, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn whatever_is_dropped_lands_within_the_tolerances_and_is_carried() {
    let settled = std::cell::Cell::new(0);
    let result = runner(40).run(&drops(), |drop| {
        let outcome = drop.check(400)?;
        if drop.stands() {
            prop_assert!(outcome.gap < 1e-6, "residual gap: {outcome:?}");
            prop_assert!(outcome.force < 1e-3, "residual force: {outcome:?}");
            prop_assert!(outcome.sunk < 2e-5, "penetration: {outcome:?}");
            if let Some(carried) = outcome.carried {
                prop_assert!((carried - 1.0).abs() < 0.01, "weight: {outcome:?}");
                settled.set(settled.get() + 1);
            }
        }
        Ok(())
    });
    println!("{} of 40 came to rest", settled.get());
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(settled.get() > 15, "only {} came to rest", settled.get());
}

#[test]
fn the_same_bits_for_any_number_of_threads_and_again() {
    runner(4)
        .run(&drops(), |drop| {
            let run = |threads: usize| {
                let pool =
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| {
                    let (mut builder, _) = drop.builder();
                    let other = cuboid_hexes(DVec3::splat(0.03), [2, 2, 2])
                        .expect("box")
                        .translated(DVec3::Z * 0.2);
                    builder
                        .add_fem(soft("other", other, neo_hookean(1e5, 0.4), 500.0))
                        .expect("box");
                    let mut world = builder.build().expect("a world");
                    let steps = (0..60)
                        .map(|_| world.step(&mut ()).map(|_| world.state_hash()).unwrap_or(0));
                    steps.collect::<Vec<u64>>()
                })
            };
            let first = run(1);
            for threads in [1, 2, 3] {
                prop_assert_eq!(&first, &run(threads), "{} threads", threads);
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_stiff_light_body_is_not_thrown_up_by_a_kept_factor() {
    // Found by the drops: a factor kept over a small turn threw this cylinder up with 40 m/s (h^2 E / (rho L^2) = 1e6, so that
    // 0.01 rad of wrong rotation is not small). It falls with 0.3 m/s and can only get slower.
    for element in [Element::Tet4, Element::Hex8] {
        let drop = Drop {
            form: Form::Cylinder([0.0108, 0.0233]),
            element,
            turn: [0.397, 0.372, -0.773, 0.745],
            youngs_modulus: 7e7,
            poissons_ratio: 0.276,
            density: 12.8,
            time_step: 0.0104,
            speed: 0.278,
            friction: 0.843,
        };
        let (mut world, body) = drop.world();
        let mut fastest: f64 = 0.0;
        for _ in 0..40 {
            world.step(&mut ()).expect("a landing");
            fastest = fastest.max(world.body_report(body).velocity.length());
        }
        assert!(fastest < 0.6, "{element:?}: reaches {fastest} m/s");
    }
}
