//! The embedded page is what the sources in `viewer/` build: a stamp of all sources stands in it.
//!
//! This notices a forgotten build with Rust alone; `npm run verify` in `viewer/` builds anew and compares every byte.

use std::fs;
use std::path::{Path, PathBuf};

fn viewer() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer")
}

/// All files under a folder, with names from the viewer on.
fn files(folder: &Path, prefix: &str, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the viewer has sources") {
        let entry = entry.expect("a source can be listed");
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().expect("a source has a type").is_dir() {
            files(&entry.path(), &name, into);
        } else {
            into.push(name);
        }
    }
}

/// FNV-1a, 64 bits, over names and texts: `build.mjs` computes the same.
fn stamp() -> String {
    let mut names: Vec<String> =
        ["build.mjs", "package.json", "package-lock.json"].map(String::from).to_vec();
    files(&viewer().join("src"), "src", &mut names);
    names.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for name in names {
        let text = fs::read(viewer().join(&name)).expect("a source can be read");
        for byte in format!("{name}\n").bytes().chain(text).filter(|byte| *byte != b'\r') {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[test]
fn the_embedded_page_was_built_from_these_sources() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/report.html");
    let page = fs::read_to_string(page).unwrap();
    let stamp = stamp();
    assert!(
        page.contains(&format!("viewer sources {stamp}\"")),
        "the viewer's sources have changed: run `npm ci && npm run build` in viewer/ (stamp {stamp})"
    );
}

#[test]
fn the_embedded_page_asks_nothing_of_the_network() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/report.html");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("default-src 'none'"));
    for tag in ["<link", "<script src", "<iframe", "@import", "url(http"] {
        assert!(!page.contains(tag), "{tag}");
    }
}
