//! Robots of scene files: links that touch become bodies and follow their joints; what is wrong is said where it is.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;

use cupule_scene::{SceneError, assemble, read};

/// The shipped arm with joint keys, and a box whose side is glued to its flange.
fn scene(keys: &str, glue: &str) -> String {
    format!(
        "version = 1\nduration = 0.2\ngravity = [0, 0, 0]\n[solver]\ntime_step = 0.01\n\
         [robots.arm]\nurdf = \"shipped:arm6.urdf\"\nposition = [0, 0, 0.5]\njoints = {{ keys = [{keys}], profile = \"linear\" }}\n\
         [bodies.pad]\nkind = \"fem\"\nshape = {{ type = \"box\", size = [0.02, 0.02, 0.02] }}\nnodes = 27\n\
         material = {{ youngs_modulus = 1e5, poissons_ratio = 0.3, density = 1000 }}\nposition = [0, 0, 1.3605]\n\
         [attachments.hand]\nbody = \"pad\"\nselect = {{ face = \"z-min\" }}\nglue = \"{glue}\"\n"
    )
}

fn error(keys: &str, glue: &str) -> String {
    let loaded = read(&scene(keys, glue), "test.toml", "test", Path::new("."), &[]);
    let failed = |error: SceneError| error.to_string();
    loaded.map_or_else(failed, |loaded| {
        assemble(&loaded).map_or_else(failed, |_| panic!("refused: {keys} {glue}"))
    })
}

#[test]
fn what_is_glued_to_the_flange_goes_where_the_joints_take_it() {
    // Upright, the flange ends 0.1 + 0.08 + 0.28 + 0.25 + 0.06 + 0.06 + 0.02 = 0.85 m above the base; the shoulder's joint is at 0.18 m. A
    // quarter turn of it lays the arm down along x: what was h above the shoulder is h ahead of it.
    let keys = format!(
        "{{ time = 0.0, values = [0, 0, 0, 0, 0, 0] }}, {{ time = 0.2, values = [0, {FRAC_PI_2}, 0, 0, 0, 0] }}"
    );
    let loaded =
        read(&scene(&keys, "arm_flange"), "test.toml", "test", Path::new("."), &[]).expect("read");
    let mut world = assemble(&loaded).expect("assembled").world;
    let flange = world.find_body("arm_flange").expect("the flange is a body");
    let pad = world.find_body("pad").expect("the pad");
    let lowest = |world: &cupule::World, z: f64| -> Vec<u32> {
        let near = |x: &cupule_geometry::DVec3| (x.z - z).abs() < 1e-9;
        let nodes = world.nodes(pad);
        (0..nodes.len()).filter(|i| near(&nodes[*i])).map(|i| i as u32).collect()
    };
    let (glued, before) = (lowest(&world, 1.3505), world.nodes(pad).to_vec());
    assert!(glued.len() > 3 && world.find_body("arm_base").is_some());
    while world.time() < 0.2 - 1e-9 {
        world.step(&mut ()).expect("a step");
    }
    let shoulder = 0.5 + 0.18;
    for node in glued {
        let (x, now) = (before[node as usize], world.nodes(pad)[node as usize]);
        let ahead = cupule_geometry::DVec3::new(x.z - shoulder, x.y, shoulder - x.x);
        assert!((now - ahead).length() < 1e-9, "{now} {ahead}");
    }
    assert_eq!(world.body_name(flange), "arm_flange");
}

#[test]
fn wrong_joints_and_links_are_named() {
    let upright = "{ time = 0.0, values = [0, 0, 0, 0, 0, 0] }";
    let cases = [
        ("{ time = 0.0, values = [0, 0] }", "arm_flange", "has 2 values, and there are 6 movable"),
        (
            "{ time = 1.0, values = [0, 2, 0, 0, 0, 0] }",
            "arm_flange",
            "joint `lift` goes from -1.8 to 1.8",
        ),
        (upright, "arm_claw", "no body is named `arm_claw`; there are arm_base, arm_flange"),
        (upright, "robot_flange", "no body is named `robot_flange`"),
    ];
    for (keys, glue, expected) in cases {
        let said = error(keys, glue);
        assert!(said.contains(expected), "{said}");
    }
}

/// A box of 1 x 1 x 1 about the origin.
const CUBE: &str = "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5\nv -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 0.5\n\
v -0.5 0.5 0.5\nf 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";

/// One joint about y, and a link that is a mesh, scaled to 20 x 20 x 10 mm, 50 mm ahead of it.
const ONE_JOINT: &str = r#"<robot name="one"><link name="base"/>
<link name="flange"><collision><origin xyz="0.05 0 0"/><geometry><mesh filename="cube.obj" scale="0.01 0.02 0.02"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="flange"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint></robot>"#;

#[test]
fn the_flange_reads_force_and_torque_of_what_hangs_on_a_mesh_link() {
    // A pad sticks out from the link along x: at rest the flange carries its weight, and the torque of it about the glued face.
    let folder = std::env::temp_dir().join(format!("cupule-robot-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("cube.obj"), CUBE).expect("the mesh");
    std::fs::write(folder.join("one.urdf"), ONE_JOINT).expect("the robot");
    let text = "version = 1\nduration = 1.0\n[solver]\ntime_step = 0.01\n\
         [robots.arm]\nurdf = \"one.urdf\"\njoints = { keys = [{ time = 0.0, values = [0] }] }\n\
         [bodies.pad]\nkind = \"fem\"\nshape = { type = \"box\", size = [0.03, 0.02, 0.02] }\nnodes = 60\n\
         material = { youngs_modulus = 1e7, poissons_ratio = 0.3, density = 1000, damping = { stiffness = 0.01 } }\n\
         position = [0.0701, 0, 0]\n\
         [attachments.hand]\nbody = \"pad\"\nselect = { face = \"x-min\" }\nglue = \"arm_flange\"\n";
    let loaded = read(text, "test.toml", "test", &folder, &[]).expect("read");
    let mut world = assemble(&loaded).expect("assembled").world;
    let flange = world.find_body("arm_flange").expect("the mesh is a body");
    let xs: Vec<f64> = world.surface_positions(flange).iter().map(|x| x.x).collect();
    let ends =
        [xs.iter().copied().fold(f64::INFINITY, f64::min), xs.iter().copied().fold(0.0, f64::max)];
    assert!(
        (ends[0] - 0.045).abs() < 1e-12 && (ends[1] - 0.055).abs() < 1e-12,
        "scaled and placed: {ends:?}"
    );
    let mut hand = cupule::report::Wrench::default();
    while world.time() < 1.0 - 1e-9 {
        hand = world.step(&mut ()).expect("a step").attachments[0];
    }
    let (weight, arm) = (9.81 * 1000.0 * 0.03 * 0.02 * 0.02, 0.015);
    // What bends by its own weight moves its centre by less than 1e-4 of the arm.
    assert!(
        (hand.force.z / weight - 1.0).abs() < 1e-6 && hand.force.x.abs() < 1e-6 * weight,
        "{hand:?}"
    );
    assert!((hand.torque.y / (-weight * arm) - 1.0).abs() < 1e-4, "{hand:?} {}", weight * arm);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
