//! Mesh files as files: round trips, and messages that name the file.
#![allow(clippy::unwrap_used)] // a test may panic

use std::path::PathBuf;

use cupule_geometry::files::{
    Format, MeshFileProblem, PointField, read_surface, read_surface_from_bytes, read_volume,
    read_volume_from_bytes, write_obj, write_vtu,
};
use cupule_geometry::generate::{sphere, tube};
use cupule_geometry::structured::cuboid_hexes;
use cupule_geometry::{DQuat, DVec3};

/// Writing and reading gives the same bits: numbers are written with as many digits as they need.
#[test]
fn surfaces_survive_obj() {
    for mesh in [sphere(1.0 / 3.0, 3).unwrap(), tube(1e-3, 2e-3, 1e5, 9, 2, 1).unwrap()] {
        let mut bytes = Vec::new();
        write_obj(&mut bytes, &mesh).unwrap();
        assert_eq!(read_surface_from_bytes(&bytes, Format::Obj).unwrap(), mesh);
    }
}

#[test]
fn volumes_of_every_cell_kind_survive_vtu() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let hexes = cuboid_hexes(DVec3::new(0.1, 0.2, 0.3), [2, 1, 3]).unwrap().rotated(turn);
    for mesh in [hexes.to_tet4(), hexes.to_tet10(), hexes] {
        let heights: Vec<f64> = mesh.nodes.iter().map(|node| node.z).collect();
        let moved: Vec<f64> = mesh.nodes.iter().flat_map(|node| (*node * 2.0).to_array()).collect();
        let fields = [
            PointField { name: "height \"z\" < 1 & m", values: &heights },
            PointField { name: "displacement", values: &moved },
        ];
        let mut bytes = Vec::new();
        write_vtu(&mut bytes, &mesh, &fields).unwrap();
        assert_eq!(read_volume_from_bytes(&bytes, Format::Vtu).unwrap(), mesh);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("Name=\"displacement\" NumberOfComponents=\"3\""));
    }
}

#[test]
fn a_field_of_the_wrong_length_is_refused() {
    let mesh = cuboid_hexes(DVec3::ONE, [1, 1, 1]).unwrap();
    let field = PointField { name: "pressure", values: &[1.0; 7] };
    let mut bytes = Vec::new();
    let error = write_vtu(&mut bytes, &mesh, &[field]).unwrap_err();
    assert_eq!(error.to_string(), "field \"pressure\" has 7 values for 8 nodes");
    assert!(bytes.is_empty());
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn the_extension_decides_in_any_letter_case() {
    let mesh = sphere(0.1, 1).unwrap();
    let path = scratch("ball.OBJ");
    let mut file = std::fs::File::create(&path).unwrap();
    write_obj(&mut file, &mesh).unwrap();
    assert_eq!(read_surface(&path).unwrap(), mesh);
}

#[test]
fn messages_name_the_file_and_what_to_do() {
    let missing = read_surface("no/such.stl").unwrap_err();
    assert!(matches!(missing.problem, MeshFileProblem::Unreadable(_)));
    assert!(missing.to_string().starts_with("no/such.stl: cannot be read: "), "{missing}");

    let unknown = read_volume("cup.step").unwrap_err().to_string();
    let expected = "cup.step: unknown mesh file extension \"step\"; \
        supported are .obj, .stl, .msh, .vtk, .vtu, .vtp";
    assert_eq!(unknown, expected);

    let path = scratch("broken.obj");
    std::fs::write(&path, "v 0 0 0\nv 1 0\n").unwrap();
    let broken = read_surface(&path).unwrap_err().to_string();
    let expected = "broken.obj: line 2: expected three finite coordinates after \"v\", found the end of the line";
    assert!(broken.ends_with(expected), "{broken}");
}
