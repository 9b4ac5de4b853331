//! Why a cup did not seal, or let go: a groove under its rim, an edge it slid over, a rough face.
#![allow(clippy::unwrap_used)] // a test may panic

use std::fs;
use std::path::{Path, PathBuf};

use cupule::event::{Event, EventKind};
use cupule::world::BodyId;
use cupule::world::World;
use cupule_geometry::files::write_obj;
use cupule_geometry::{DVec3, TriMesh};
use cupule_scene::{assemble, read};

const CUP: &str = r#"shape = { type = "cup", outer_diameter = 0.035, cavity_diameter_rim = 0.029, cavity_diameter_top = 0.008, cavity_height = 0.007, top_thickness = 0.003, stem_diameter = 0.012, stem_height = 0.005 }"#;

const HEAD: &str = r#"version = 1
duration = 1.0
[solver]
time_step = 0.01
[contact]
friction = 0.2
contact_distance = 2e-5
alarm_distance = 1e-3
[gas]
"#;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("seals");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The world after so many steps, and all that happened.
fn run(text: &str, steps: usize) -> (World, Vec<Event>) {
    let loaded = read(text, "test", "test.toml", &folder(), &[]).unwrap();
    let mut world = assemble(&loaded).unwrap().world;
    let events = (0..steps).flat_map(|_| world.step(&mut ()).unwrap().events).collect();
    (world, events)
}

/// A plate with its top at z = 0 and a groove along y, |x| < 2 mm, 0.3 mm deep.
fn grooved_plate() -> TriMesh {
    let (w, g, h, d) = (0.03, 0.002, 0.01, 0.0003);
    let outline = [
        [-w, -h],
        [-g, -h],
        [g, -h],
        [w, -h],
        [w, 0.0],
        [g, 0.0],
        [g, -d],
        [-g, -d],
        [-g, 0.0],
        [-w, 0.0],
    ];
    let count = outline.len() as u32;
    let at = |y: f64| outline.map(|[x, z]| DVec3::new(x, y, z));
    let vertices: Vec<DVec3> = at(-w).into_iter().chain(at(w)).collect();
    // Left, middle and right part of the section, counter-clockwise seen from -y.
    let parts: [&[u32]; 3] = [&[0, 1, 7, 8, 9], &[1, 2, 6, 7], &[3, 4, 5, 6, 2]];
    let mut triangles = Vec::new();
    for part in parts {
        for k in 2..part.len() {
            let [a, b, c] = [part[0], part[k - 1], part[k]];
            triangles.extend([[a, b, c], [a + count, c + count, b + count]]);
        }
    }
    for a in 0..count {
        let b = (a + 1) % count;
        triangles.extend([[a, a + count, b], [b, a + count, b + count]]);
    }
    let mesh = TriMesh { vertices, triangles };
    mesh.check_closed().unwrap();
    mesh
}

/// A rigid cup of 2 kg stands across a groove of 0.3 mm: it never seals, and the place is where the rim crosses the
/// groove. The gap is that of the groove, within what contact tolerance and the chords of the rim allow.
#[test]
fn groove_under_the_rim_is_named() {
    let path = folder().join("grooved.obj");
    write_obj(&mut fs::File::create(&path).unwrap(), &grooved_plate()).unwrap();
    let text = format!(
        "{HEAD}[bodies.cup]\nkind = \"rigid\"\n{CUP}\nresolution = 0.0015\nmass = 2.0\nposition = [0, 0, 3e-5]\n\
         [bodies.plate]\nkind = \"static\"\nmesh = \"grooved.obj\"\n"
    );
    let (world, events) = run(&text, 20);
    assert!(!events.iter().any(|e| e.kind == EventKind::Seal), "{events:?}");
    let seals = world.seals();
    let [seal] = &seals[..] else { panic!("{seals:?}") };
    let breach = seal.breach.unwrap();
    assert!(!seal.sealed);
    assert!((breach.gap - 3e-4).abs() < 2e-5, "{breach:?}");
    let radius = breach.at.truncate().length();
    assert!(breach.at.x.abs() < 0.002 && (0.0143..0.0177).contains(&radius), "{breach:?}");
}

/// A soft cup is pressed on a block of 50 mm and drawn sideways until its rim leaves the block.
#[test]
fn seal_slides_over_an_edge() {
    let scene = |last: &str| {
        format!(
            "{HEAD}[bodies.cup]\nkind = \"fem\"\n{CUP}\nnodes = 434\nmass = 0.02\nposition = [0, 0, 0.00012]\n\
             material = {{ youngs_modulus = 4e6, poissons_ratio = 0.45, damping = {{ stiffness = 0.001 }} }}\n\
             [bodies.block]\nkind = \"static\"\nshape = {{ type = \"box\", size = [0.05, 0.06, 0.02] }}\nposition = [0, 0, -0.01]\n\
             [attachments.hand]\nbody = \"cup\"\nselect = {{ face = \"z-max\" }}\n\
             drive = {{ keys = [{{ time = 0.2, translation = [0, 0, -0.003] }}, {{ time = 0.6, translation = {last} }}] }}\n"
        )
    };
    // For every detachment the body over whose edge the seal slid.
    let edges = |last: &str| -> Vec<Option<String>> {
        let (world, events) = run(&scene(last), 60);
        let name = |body: usize| world.body_name(BodyId(body)).to_string();
        let causes = events.into_iter().filter_map(|event| event.cause);
        causes.map(|cause| cause.slid_over.map(name)).collect()
    };
    let slid = edges("[0.02, 0, -0.003]");
    assert!(slid.contains(&Some("block".into())), "{slid:?}");
    let lifted = edges("[0, 0, 0.012]");
    assert!(!lifted.is_empty() && lifted.iter().all(Option::is_none), "{lifted:?}");
}

/// The same cup on a rough face closes nothing; on a smooth one it does.
#[test]
fn rough_faces_do_not_seal() {
    let scene = |interface: &str| {
        format!(
            "{HEAD}[bodies.cup]\nkind = \"rigid\"\n{CUP}\nmass = 2.0\nposition = [0, 0, 3e-5]\n\
             [bodies.table]\nkind = \"static\"\nshape = {{ type = \"box\", size = [0.06, 0.06, 0.02] }}\nposition = [0, 0, -0.01]\n{interface}"
        )
    };
    let seals = |interface: &str| run(&scene(interface), 10).0.cavities().len();
    assert_eq!(seals(""), 1);
    assert_eq!(seals("[[interfaces]]\nbetween = [\"cup\", \"table\"]\nseals = false\n"), 0);
}
