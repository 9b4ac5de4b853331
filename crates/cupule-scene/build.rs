//! Lists scenes/*.toml, scenes/meshes/* and cups/*.toml, so that a shipped scenario or cup costs one file and no line of
//! code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let is_toml = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    for (list, folder) in [("scenes.rs", scenes.clone()), ("cups.rs", scenes.join("../cups"))] {
        write_list(list, files_of(&folder, is_toml)?, |file| {
            (file.file_stem().unwrap_or_default().to_string_lossy().into_owned(), "include_str!")
        })?;
    }
    write_list("meshes.rs", files_of(&scenes.join("meshes"), |_| true)?, |file| {
        (file.file_name().unwrap_or_default().to_string_lossy().into_owned(), "include_bytes!")
    })
}

fn files_of(folder: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && wanted(&path) {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path.canonicalize()?);
        }
    }
    files.sort();
    Ok(files)
}

fn write_list(
    name: &str,
    files: Vec<PathBuf>,
    item: impl Fn(&Path) -> (String, &'static str),
) -> io::Result<()> {
    let mut list = String::from("&[\n");
    for file in files {
        let (name, include) = item(&file);
        let path = file.to_string_lossy().into_owned();
        writeln!(list, "    ({name:?}, {include}({path:?})),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join(name), list)
}
