//! ARCHITECTURE.md is held to what it claims: crates and arrows, module tables, and what a world may do.
#![allow(clippy::unwrap_used, reason = "what a test cannot read fails it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// Names of the folders and of the Rust files in a folder, without their endings.
fn modules(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_module = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|e| e == "rs");
    let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    entries.filter(is_module).map(name).filter(|name| name != "lib" && name != "main").collect()
}

/// Words in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The rows of the first table after a heading, cell by cell.
fn table_after<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, section) = page.split_once(heading).unwrap_or_else(|| panic!("no heading {heading:?}"));
    let lines = section.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The crates of the workspace that a crate needs to be built, by its Cargo.toml.
fn needs(name: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let (_, rest) = manifest.split_once("[dependencies]").unwrap();
    let own = rest.split("\n[").next().unwrap();
    let dependency = |line: &str| line.split(['.', ' ', '=']).next().unwrap().to_string();
    own.lines().map(dependency).filter(|name| name.starts_with("cupule")).collect()
}

#[test]
fn crates_and_arrows_are_as_drawn() {
    let page = page();
    let drawn: BTreeMap<String, BTreeSet<String>> = table_after(&page, "\n## Crates\n")
        .into_iter()
        .map(|row| {
            let uses = quoted(row[2]).into_iter().map(String::from).collect();
            (quoted(row[0])[0].to_string(), uses)
        })
        .collect();
    let crates = modules(&root().join("crates"));
    let built = crates.into_iter().map(|name| (name.clone(), needs(&name))).collect();
    assert_eq!(drawn, built);
}

#[test]
fn module_tables_list_every_module_and_no_other() {
    let page = page();
    for name in modules(&root().join("crates")) {
        let listed: BTreeSet<String> = table_after(&page, &format!("\n### {name}\n"))
            .iter()
            .flat_map(|row| quoted(row[0]))
            // A part of a module stands under its own name: `solver/ncp`.
            .map(|module| module.split('/').next().unwrap().to_string())
            .collect();
        let built = modules(&root().join("crates").join(&name).join("src"));
        assert_eq!(listed, built, "{name}");
    }
}

/// Every file that the page names by its path is there; `foo` stands for what is to be added.
#[test]
fn named_files_exist() {
    let page = page();
    let is_path =
        |word: &&str| word.contains('/') && word.ends_with(".rs") && !word.contains("foo");
    for path in quoted(&page).into_iter().filter(is_path) {
        let sources =
            ["cupule", "cupule-scene", "cupule-session"].map(|c| format!("crates/{c}/src"));
        let places = ["".into(), "crates".into()].into_iter().chain(sources);
        let found = places.into_iter().any(|place| root().join(place).join(path).exists());
        assert!(found, "{path}");
    }
}

/// Files of a folder and of those below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// A world steps and can be read; it is built by something else, and changed between steps by something else.
#[test]
fn a_world_stays_small() {
    let mut methods = Vec::new();
    for file in sources(&root().join("crates/cupule/src/world")) {
        let text = fs::read_to_string(&file).unwrap();
        for block in text.split("\nimpl World {\n").skip(1) {
            let own = block.split("\n}").next().unwrap();
            let public = own.lines().filter_map(|line| line.strip_prefix("    pub fn "));
            methods.extend(public.map(|line| line.split(['(', '<']).next().unwrap().to_string()));
        }
    }
    assert!(methods.len() <= 42, "{} public methods: {methods:?}", methods.len());
}

/// One file and one line for each kind of actuator and of sensor.
#[test]
fn actuators_and_sensors_are_a_file_and_a_line_each() {
    // `path` is shared by attachments and bodies.
    for (folder, shared) in [("actuator", &["mod", "path"][..]), ("sensor", &["mod"][..])] {
        let folder = root().join("crates/cupule-session/src").join(folder);
        let list = fs::read_to_string(folder.join("mod.rs")).unwrap();
        let (_, kinds) = list.split_once("\nconst KINDS: ").unwrap();
        let kinds = kinds.split("\n];").next().unwrap();
        let listed: BTreeSet<String> = kinds
            .lines()
            .filter_map(|line| line.trim().split_once("::"))
            .map(|(module, _)| module.to_string())
            .filter(|module| !module.contains(' '))
            .collect();
        let mut files = modules(&folder);
        shared.iter().for_each(|module| assert!(files.remove(*module), "{module}"));
        assert_eq!(listed, files);
    }
}
