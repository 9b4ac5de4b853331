//! Scenes whose bodies come from mesh files, and what is said when a file or a start state is not good.
#![allow(clippy::unwrap_used)] // a test may panic

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cupule_geometry::files::{write_obj, write_vtu};
use cupule_geometry::generate::{cuboid, sphere};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{Cells, DVec3, TriMesh, VolumeMesh};
use cupule_scene::{Assembled, SceneError, assemble, read};

/// A folder of its own for each test, so that they may run side by side.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("meshes").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn save_obj(path: &Path, mesh: &TriMesh) {
    write_obj(&mut fs::File::create(path).unwrap(), mesh).unwrap();
}

fn save_vtu(path: &Path, mesh: &VolumeMesh) {
    write_vtu(&mut fs::File::create(path).unwrap(), mesh, &[]).unwrap();
}

fn save_stl(path: &Path, mesh: &TriMesh) {
    let mut text = String::from("solid part\n");
    for triangle in 0..mesh.triangles.len() {
        text += "facet normal 0 0 0\nouter loop\n";
        for x in mesh.corners(triangle).unwrap() {
            writeln!(text, "vertex {} {} {}", x.x, x.y, x.z).unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    fs::write(path, text + "endsolid part\n").unwrap();
}

/// Gmsh 2.2 text with four-node tetrahedra.
fn save_msh(path: &Path, mesh: &VolumeMesh) {
    let Cells::Tet4(cells) = &mesh.cells else { unreachable!("tetrahedra") };
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.nodes.len());
    for (i, x) in mesh.nodes.iter().enumerate() {
        writeln!(text, "{} {} {} {}", i + 1, x.x, x.y, x.z).unwrap();
    }
    write!(text, "$EndNodes\n$Elements\n{}\n", cells.len()).unwrap();
    for (i, cell) in cells.iter().enumerate() {
        let [a, b, c, d] = cell.map(|node| node + 1);
        writeln!(text, "{} 4 2 1 1 {a} {b} {c} {d}", i + 1).unwrap();
    }
    fs::write(path, text + "$EndElements\n").unwrap();
}

/// A fem body with these keys, 5 mm above the ground when its lowest point is 25 mm below its origin.
fn scene(keys: &str) -> String {
    format!(
        r#"version = 1
duration = 1.0
[solver]
time_step = 0.01
[bodies.part]
kind = "fem"
{keys}
position = [0, 0, 0.03]
[bodies.part.material]
youngs_modulus = 1e5
poissons_ratio = 0.4
density = 1000
damping = {{ stiffness = 0.005 }}
[bodies.ground]
kind = "static"
shape = {{ type = "box", size = [1, 1, 0.1] }}
position = [0, 0, -0.05]
"#
    )
}

fn build(text: &str, folder: &Path) -> Result<Assembled, SceneError> {
    assemble(&read(text, "part.toml", "part", folder, &[])?)
}

#[track_caller]
fn assert_refused(text: &str, folder: &Path, parts: &[&str]) {
    let message = build(text, folder).err().expect("it should be refused").to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

fn block() -> VolumeMesh {
    cuboid_hexes(DVec3::new(0.06, 0.06, 0.05), [3, 3, 2]).unwrap()
}

fn ball() -> TriMesh {
    sphere(0.025, 2).unwrap()
}

/// Runs until the part lies on the ground and the ground carries it.
fn assert_runs(name: &str, assembled: Assembled, mass: f64, tolerance: f64) {
    let mut world = assembled.world;
    let part = world.find_body("part").unwrap();
    assert!(
        (world.body_mass(part) / mass - 1.0).abs() < tolerance,
        "{name}: {} kg",
        world.body_mass(part)
    );
    let mut carried = 0.0;
    for _ in 0..80 {
        let report = world.step(&mut ()).unwrap_or_else(|error| panic!("{name}: {error}"));
        carried = report.bodies[part.0].contact_force.z / (world.body_mass(part) * 9.81);
    }
    let lowest = world.body_report(part).lowest;
    assert!((carried - 1.0).abs() < 0.02, "{name}: the ground carries {carried} of the weight");
    assert!(
        (lowest - world.settings().contact_distance).abs() < 2e-6,
        "{name}: lowest point {lowest} m"
    );
}

#[test]
fn soft_bodies_come_from_every_kind_of_mesh_file() {
    let folder = folder("good");
    save_msh(&folder.join("block.msh"), &block().to_tet4());
    save_vtu(&folder.join("block.vtu"), &block());
    save_obj(&folder.join("ball.obj"), &ball());
    save_stl(&folder.join("ball.stl"), &ball());
    save_vtu(&folder.join("cage.vtu"), &cuboid_hexes(DVec3::splat(0.06), [3, 3, 3]).unwrap());
    let millimetres = block().scaled(DVec3::splat(1e3));
    save_vtu(&folder.join("millimetres.vtu"), &millimetres);
    let (block_mass, ball_mass) = (0.18, 1000.0 * ball().signed_volume());
    // Lattice cages follow a ball to some percent of its volume; quadratic cells need more nodes for that, because only
    // their corners follow the surface. Bricks cover it, and the body weighs as much as its cells.
    let cases = [
        ("tetrahedra", r#"mesh = "block.msh""#, block_mass, 1e-9),
        ("quadratic", "mesh = \"block.msh\"\nelement = \"tet10\"", block_mass, 1e-9),
        ("hexahedra", r#"mesh = "block.vtu""#, block_mass, 1e-9),
        ("scaled", "mesh = \"millimetres.vtu\"\nscale = 0.001", block_mass, 1e-9),
        ("filled obj", "mesh = \"ball.obj\"\nnodes = 700", ball_mass, 1e-9),
        ("filled stl", "mesh = \"ball.stl\"\nnodes = 200\nelement = \"tet4\"", ball_mass, 1e-9),
        ("bricks", "mesh = \"ball.stl\"\nnodes = 200\nelement = \"hex8\"", ball_mass, 1e-9),
        ("embedded", "mesh = \"cage.vtu\"\nsurface = \"ball.obj\"", 0.216, 1e-9),
    ];
    for (name, keys, mass, tolerance) in cases {
        let assembled =
            build(&scene(keys), &folder).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(assembled.warnings.is_empty(), "{name}: {:?}", assembled.warnings);
        assert_runs(name, assembled, mass, tolerance);
    }
}

#[test]
fn rigid_and_static_bodies_come_from_surface_and_volume_files() {
    let folder = folder("rigid");
    save_stl(&folder.join("ball.stl"), &ball());
    save_vtu(&folder.join("block.vtu"), &block());
    for file in ["ball.stl", "block.vtu"] {
        let text = format!(
            "version = 1\nduration = 1.0\n[bodies.part]\nkind = \"rigid\"\nmesh = \"{file}\"\nmass = 0.2\n\
             position = [0, 0, 0.03]\n[bodies.ground]\nkind = \"static\"\nmesh = \"block.vtu\"\nscale = 10\n\
             position = [0, 0, -0.25]\n"
        );
        let assembled = build(&text, &folder).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_runs(file, assembled, 0.2, 1e-12);
    }
}

#[test]
fn defective_meshes_are_refused_with_file_body_and_element() {
    let folder = folder("bad");
    let mut open = ball();
    open.triangles.remove(7);
    save_obj(&folder.join("open.obj"), &open);
    let mut inside_out = ball();
    inside_out.flip();
    save_stl(&folder.join("inside-out.stl"), &inside_out);
    let mut inverted = block().to_tet4();
    if let Cells::Tet4(cells) = &mut inverted.cells {
        cells[5].swap(0, 1);
    }
    save_msh(&folder.join("inverted.msh"), &inverted);
    fs::write(folder.join("torn.msh"), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0\n")
        .unwrap();
    let cases: [(&str, &[&str]); 6] = [
        (
            "mesh = \"open.obj\"",
            &["part.toml:7: bodies.part.mesh", "open.obj", "the surface is open", "triangle"],
        ),
        ("mesh = \"inside-out.stl\"", &["bodies.part.mesh", "inside-out.stl", "inside out"]),
        (
            "mesh = \"inverted.msh\"",
            &["bodies.part.mesh", "inverted.msh", "tetrahedron 5 is inverted"],
        ),
        ("mesh = \"missing.vtu\"", &["bodies.part.mesh", "missing.vtu", "cannot be read"]),
        ("mesh = \"torn.msh\"", &["bodies.part.mesh", "torn.msh", "expected"]),
        ("mesh = \"part.step\"", &["bodies.part.mesh", "part.step", "supported are"]),
    ];
    for (keys, parts) in cases {
        assert_refused(&scene(keys), &folder, parts);
    }
}

#[test]
fn surfaces_that_cannot_be_embedded_are_refused_with_their_file() {
    let folder = folder("surface");
    save_vtu(&folder.join("cage.vtu"), &cuboid_hexes(DVec3::splat(0.06), [3, 3, 3]).unwrap());
    let mut open = ball();
    open.triangles.pop();
    save_obj(&folder.join("open.obj"), &open);
    let keys = |surface: &str| format!("mesh = \"cage.vtu\"\nsurface = \"{surface}\"");
    assert_refused(
        &scene(&keys("open.obj")),
        &folder,
        &["part.toml:8: bodies.part.surface", "open.obj", "open"],
    );
    assert_refused(
        &scene(&keys("gone.obj")),
        &folder,
        &["bodies.part.surface", "gone.obj", "cannot be read"],
    );
}

/// A box of 2 x 2 x 2 cells has 26 vertices; each of the 16 edges of the 8 triangles of its upper side gets one more. It weighs and runs as before.
#[test]
fn a_surface_is_split_where_the_scene_says() {
    let folder = folder("split");
    let text = |split: &str| {
        scene(&format!(
            "shape = {{ type = \"box\", size = [0.06, 0.06, 0.06] }}\nsubdivisions = [2, 2, 2]\n{split}"
        ))
    };
    let vertices = |split: &str| {
        let assembled = build(&text(split), &folder).unwrap_or_else(|error| panic!("{error}"));
        let part = assembled.world.find_body("part").expect("the body");
        let count = assembled.world.surface_positions(part).len();
        assert_runs(split, assembled, 0.216, 1e-9);
        count
    };
    assert_eq!(vertices(""), 26);
    assert_eq!(vertices("split_surface = { face = \"z-max\" }"), 26 + 16);
    let nowhere = "split_surface = { sphere = { centre = [1, 0, 0], radius = 0.01 } }";
    let missing = ["bodies.part.split_surface", "no triangle"];
    assert_refused(&text(nowhere), &folder, &missing);
    let unclear = "split_surface = { }";
    assert_refused(&text(unclear), &folder, &["bodies.part.split_surface", "exactly one of"]);
}

#[test]
fn a_cup_of_forty_metres_is_warned_of() {
    // Forty millimetres written as metres in a mesh file: it is built, but somebody must hear of it.
    let folder = folder("large");
    save_obj(&folder.join("cup.obj"), &cuboid(DVec3::new(40.0, 40.0, 20.0), [1, 1, 1]).unwrap());
    let text = scene("mesh = \"cup.obj\"\nnodes = 200").replace("0.03]", "30]");
    let warnings = build(&text, &folder).unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let message = format!("{}: {}", warnings[0].key, warnings[0].message);
    for part in ["bodies.part", "4.000e1 m", "scale = 0.001"] {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

#[test]
fn bodies_that_start_in_each_other_are_refused_with_both_names() {
    let folder = folder("penetrating");
    save_vtu(&folder.join("block.vtu"), &block());
    let text = scene("mesh = \"block.vtu\"").replace("0.03]", "0.02]");
    assert_refused(
        &text,
        &folder,
        &["part.toml:", "\"part\"", "\"ground\"", "penetration", "m deep", "move them apart"],
    );
}
