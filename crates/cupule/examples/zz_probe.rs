#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use cupule::World;
use cupule::motion::{Key, Motion, Profile};
use cupule::settings::Settings;
use cupule::report::{Observer, Phase};
use cupule::world::{AttachmentSpec, Hold};
use cupule_geometry::generate::cuboid;
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3};
use std::time::Instant;
struct Clock { last: Instant, phase: Phase, t: [f64; 6] }
impl Observer for Clock { fn enter(&mut self, p: Phase) { let n = Instant::now(); self.t[self.phase as usize] += (n - self.last).as_secs_f64(); self.last = n; self.phase = p; } }
fn main() {
    let time_step = 0.02;
    let mut world = World::new(Settings { time_step, friction: 1.0, ..Settings::default() });
    world.add_kinematic(fixed("ground", cuboid(DVec3::new(2.0, 2.0, 0.1), [1, 1, 1]).expect("box").translated(DVec3::Z * -0.05))).unwrap();
    let gap = world.settings().contact_distance;
    let side = 0.1;
    let mesh = cuboid_hexes(DVec3::splat(side), [6, 6, 6]).expect("block").translated(DVec3::Z * (0.5 * side + gap));
    world.add_fem(soft("block", mesh, corotated(5e4, 0.45), 1000.0)).expect("block");
    for (name, sign) in [("left", -1.0), ("right", 1.0)] {
        let at = DVec3::new(sign * (0.5 * side + 0.01 + gap), 0.0, 0.5 * side + gap);
        let mesh = cuboid_hexes(DVec3::new(0.02, 0.06, 0.06), [2, 4, 4]).expect("pad").translated(at);
        let back = nodes_where(&mesh, |x| (x.x - at.x) * sign > 0.01 - 1e-9);
        let pad = world.add_fem(soft(name, mesh, corotated(1e4, 0.45), 10.0)).expect("pad");
        let key = |time, x, z| Key { time, translation: DVec3::new(-sign * x, 0.0, z), rotation: DQuat::IDENTITY };
        let keys = vec![key(0.0, 0.0, 0.0), key(1.5, 8e-3, 0.0), key(3.0, 8e-3, 0.1)];
        let hold = Hold::Drive(Motion::new(keys, Profile::Smooth, DVec3::ZERO));
        world.add_attachment(AttachmentSpec { name: name.into(), body: pad, points: back, hold }).expect("drive");
    }
    let mut clock = Clock { last: Instant::now(), phase: Phase::Other, t: [0.0; 6] };
    let (mut sweeps, mut most, mut facts, mut capped) = (0, 0, 0, 0);
    let start = Instant::now();
    for k in 0..200 {
        let r = world.step(&mut clock).unwrap();
        sweeps += r.iterations; most = most.max(r.iterations); facts += r.factorisations;
        if r.iterations >= 1000 { capped += 1; }
        if k % 25 == 24 { println!("t {:.2} contacts {} sweeps {} res {:.1e} {:.1e}", r.time, r.contacts.len(), r.iterations, r.residual.gap_m, r.residual.force_n); }
    }
    println!("wall {:.3} s for 4 s; sweeps {sweeps} most {most} capped {capped}; factorisations {facts}; phases ms/step {:?}", start.elapsed().as_secs_f64(), clock.t.map(|t| (t * 1e6 / 200.0).round() / 1e3));
}
