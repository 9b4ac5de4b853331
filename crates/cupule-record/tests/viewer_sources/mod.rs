//! The stamp of the viewer's sources: the tests of both pages compare it with that in the built page.

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
pub fn stamp() -> String {
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
