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

/// Name and bytes of every shipped mesh file, sorted by name.
const MESHES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/meshes.rs"));

/// How a scene names a mesh that ships with the program: `shipped:NAME`.
pub(crate) const SHIPPED_MESH: &str = "shipped:";

/// The bytes of a shipped mesh file, and its name, for a path that begins with `shipped:`; none for other paths.
pub(crate) fn shipped_mesh(path: &str) -> Option<Result<(&'static str, &'static [u8]), String>> {
    let wanted = path.strip_prefix(SHIPPED_MESH)?;
    let known = MESHES.iter().find(|(name, _)| *name == wanted);
    Some(known.copied().ok_or_else(|| {
        let names: Vec<&str> = MESHES.iter().map(|(name, _)| *name).collect();
        format!("no mesh named `{wanted}` ships with the program; there are {}", names.join(", "))
    }))
}
