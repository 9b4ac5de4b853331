//! The page and the pictures of a run, as a person asks for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BOX: &str = r#"version = 1
duration = 0.1
[bodies.ground]
kind = "static"
shape = { type = "box", size = [1, 1, 0.1] }
position = [0, 0, -0.05]
[bodies.block]
kind = "rigid"
shape = { type = "box", size = [0.1, 0.1, 0.1] }
position = [0, 0, 0.06]
mass = 1
"#;

fn cupule(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupule"));
    command.current_dir(folder).args(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with a finished run in `out`.
fn run(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pages-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the test folder can be made");
    fs::write(folder.join("scene.toml"), BOX).expect("the test folder can be written");
    let output = cupule(&folder, &["run", "scene.toml", "--out", "out", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    folder
}

#[track_caller]
fn assert_refused(output: &Output, parts: &[&str]) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for part in parts {
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

#[test]
fn a_run_has_a_page_and_view_names_it() {
    let folder = run("view");
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("\"scene\":\"scene\"") && page.contains("\"name\":\"block\""));
    let output = cupule(&folder, &["view", "out", "--print"]);
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    assert!(Path::new(printed.trim()).is_absolute() && printed.trim().ends_with("report.html"));
}

#[test]
fn a_run_that_was_killed_gets_its_page_when_it_is_viewed() {
    let folder = run("killed");
    for name in ["report.html", "summary.json"] {
        fs::remove_file(folder.join("out").join(name)).unwrap();
    }
    assert_eq!(cupule(&folder, &["view", "out", "--print"]).status.code(), Some(0));
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("\"summary\":null"));
    assert_refused(
        &cupule(&folder, &["view", "elsewhere"]),
        &["elsewhere", "frames.bin", "cupule run"],
    );
}

#[test]
fn pictures_and_animations_are_made_in_the_size_asked_for() {
    let folder = run("render");
    let render = |more: &[&str]| {
        let output = cupule(&folder, &[&["render", "out", "--size", "64x40"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    render(&["--at", "0.05", "--out", "a.png", "--camera=-90,10,2"]);
    let png = fs::read(folder.join("a.png")).unwrap();
    // Signature, then the header's width and height.
    assert_eq!((&png[1..4], &png[16..24]), (&b"PNG"[..], &[0, 0, 0, 64, 0, 0, 0, 40][..]));
    render(&["--animate", "--out", "a.gif", "--speed", "0.5"]);
    let gif = fs::read(folder.join("a.gif")).unwrap();
    assert_eq!((&gif[..6], &gif[6..10]), (&b"GIF89a"[..], &[64, 0, 40, 0][..]));
    render(&["--out", "c.png", "--colour", "contact_pressure", "--with", "contacts,attachments"]);
    render(&["--animate", "--out", "b.png", "--colour", "displacement"]);
    let apng = fs::read(folder.join("b.png")).unwrap();
    assert!(apng.windows(4).any(|word| word == b"acTL"));
}

#[test]
fn wrong_wishes_are_refused_with_what_was_expected() {
    let folder = run("wrong");
    let render = |more: &[&str]| cupule(&folder, &[&["render", "out"], more].concat());
    assert_refused(&render(&["--at", "7", "--out", "a.png"]), &["--at 7", "0 s to 0.1 s"]);
    assert_refused(&render(&["--at", "0", "--out", "a.jpg"]), &["a.jpg", ".png"]);
    assert_refused(&render(&["--animate", "--out", "a.webm"]), &["a.webm", ".gif"]);
    assert_refused(&render(&["--animate", "--speed", "0", "--out", "a.gif"]), &["--speed 0"]);
    assert_refused(&render(&["--colour", "mood", "--out", "a.png"]), &["mood", "contact_pressure"]);
    assert_refused(&render(&["--with", "ghosts", "--out", "a.png"]), &["ghosts", "contacts"]);
    assert_refused(&render(&["--with", "von_mises", "--out", "a.png"]), &["von_mises", "contacts"]);
    assert_refused(&render(&["--size", "0x9", "--out", "a.png"]), &["0x9", "1280x800"]);
    assert_refused(&render(&["--camera", "up", "--out", "a.png"]), &["up", "AZIMUTH,ELEVATION"]);
    assert_refused(&render(&["--out", "no/such/folder/a.png"]), &["no/such/folder/a.png"]);
    assert_refused(
        &cupule(&folder, &["render", "nothing", "--out", "a.png"]),
        &["nothing", "frames.bin"],
    );
}

#[test]
fn exports_go_where_they_are_told_and_say_what_to_open() {
    let folder = run("export");
    let export = |more: &[&str]| cupule(&folder, &[&["export", "out", "--to"], more].concat());
    for (to, first) in [
        ("vtu", "vtu/bodies.pvd"),
        ("glb", "run.glb"),
        ("obj", "obj/frame_00000.obj"),
        ("csv", "csv/series.csv"),
    ] {
        let output = export(&[to]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(first), "{}", text(&output.stdout));
        assert!(folder.join("out").join(first).is_file());
    }
    assert_eq!(export(&["glb", "--out", "elsewhere.glb"]).status.code(), Some(0));
    assert_eq!(&fs::read(folder.join("elsewhere.glb")).unwrap()[..4], b"glTF");
    assert_refused(&export(&["fbx"]), &["fbx", "vtu"]);
    assert_refused(&export(&["glb", "--out", "no/such/a.glb"]), &["no/such/a.glb"]);
    let nothing = cupule(&folder, &["export", "nothing", "--to", "obj"]);
    assert_refused(&nothing, &["nothing", "frames.bin"]);
}

#[test]
fn live_refuses_a_wrong_scene_and_a_port_that_is_taken() {
    let folder = run("live");
    assert_refused(&cupule(&folder, &["live", "grund", "--print"]), &["grund", "ground"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = cupule(&folder, &["live", "scene.toml", "--print", "--port", &port]);
    assert_refused(&output, &[&port, "--port"]);
}

#[test]
fn every_cup_has_its_pictures_in_the_book() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let page = fs::read_to_string(book.join("cup-pictures.md")).expect("the book has the cups");
    for name in cupule_scene::cup_names() {
        for end in [".png", "-below.png", "-section.svg"] {
            let picture = format!("images/cups/{name}{end}");
            let there = page.contains(&format!("]({picture})")) && book.join(&picture).is_file();
            assert!(there, "run scripts/cups: {picture} is missing");
        }
    }
}

#[test]
fn every_shipped_scene_has_its_picture_in_the_gallery() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let gallery = fs::read_to_string(book.join("gallery.md")).expect("the book has a gallery");
    let listed = text(&cupule(&book, &["list"]).stdout);
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let missing: Vec<&str> = names
        .filter(|name| !name.starts_with('@'))
        .filter(|name| {
            let picture = format!("images/gallery/{name}.png");
            !gallery.contains(&format!("]({picture})")) || !book.join(picture).is_file()
        })
        .collect();
    assert!(missing.is_empty(), "run scripts/gallery: {missing:?} are not in docs/src/gallery.md");
}
