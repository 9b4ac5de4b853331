//! The scenes that ship with the program, embedded in it.

/// Name and text of every shipped scene, sorted by name.
const SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// The names of the shipped scenes, sorted.
pub fn shipped_names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// The text of a shipped scene.
pub fn shipped_text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
