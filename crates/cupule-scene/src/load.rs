//! From a name or path to a checked scene.

use std::fs;
use std::path::{Path, PathBuf};

use crate::check::check;
use crate::cups;
use crate::error::{Origin, Problem, SceneError};
use crate::library::{SHIPPED_MESH, shipped_names, shipped_text};
use crate::meaning;
use crate::model::{Body, Scene};
use crate::nearest::suggestion;
use crate::schema::{View, schema};
use crate::set;
use crate::source::Node;
use crate::variants;

/// Larger than any scene a person or a program writes; a mesh given by mistake is refused before it is read.
const LARGEST_FILE: u64 = 16 << 20;

/// A scene that has passed every check that needs no mesh.
#[derive(Debug, Clone)]
pub struct LoadedScene {
    /// The scene with all defaults.
    pub scene: Scene,
    /// What looks wrong but may be meant.
    pub warnings: Vec<Problem>,
    /// The scene file, or the name of a shipped scene.
    pub file: String,
    /// The scene's title without that of its variant.
    pub title: String,
    /// Name and title of every variant that the scene could have been read as, in their order.
    pub variants: Vec<(String, String)>,
    source: Node,
}

impl LoadedScene {
    /// Where a dotted path of the scene is written.
    pub fn origin_of(&self, path: &str) -> Origin {
        self.source.origin_of(path)
    }

    /// An error at a key of this scene.
    pub fn error(&self, key: &str, message: impl Into<String>) -> SceneError {
        SceneError {
            file: self.file.clone(),
            problems: vec![Problem::new(self.origin_of(key), key, message)],
        }
    }

    /// The scene as run: TOML with all defaults written out.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        toml::to_string(&self.scene)
            .map_err(|error| SceneError::whole(&self.file, error.to_string()))
    }
}

/// Reads a shipped scene by name or a file by path, and applies `KEY=VALUE` overrides. `SCENE@VARIANT` names one of the
/// scene's variants; without it the first is read.
pub fn load(reference: &str, set: &[String]) -> Result<LoadedScene, SceneError> {
    let whole = shipped_text(reference).is_some() || Path::new(reference).exists();
    let (scene, variant) = if whole { (reference, None) } else { variants::divide(reference) };
    if let Some(text) = shipped_text(scene) {
        return read_variant(text, scene, scene, Path::new("."), variant, set);
    }
    let path = Path::new(scene);
    let text = read_file(path, scene)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().map_or(PathBuf::new(), Path::to_path_buf);
    read_variant(&text, scene, &name, &folder, variant, set)
}

/// Everything that `reference` stands for: `SCENE@VARIANT` for each variant of a scene, or the reference itself.
pub fn runs_of(reference: &str) -> Result<Vec<String>, SceneError> {
    let (_, variant) = variants::divide(reference);
    let loaded = load(reference, &[])?;
    if loaded.variants.is_empty() || variant.is_some() {
        return Ok(vec![reference.to_string()]);
    }
    Ok(loaded.variants.iter().map(|(name, _)| format!("{reference}@{name}")).collect())
}

fn read_file(path: &Path, reference: &str) -> Result<String, SceneError> {
    let size = fs::metadata(path).map(|data| data.len());
    if size.is_ok_and(|size| size > LARGEST_FILE) {
        return Err(SceneError::whole(reference, "too large for a scene file (more than 16 MiB)"));
    }
    fs::read_to_string(path).map_err(|error| {
        let looks_like_a_name = !reference.contains(['/', '\\', '.']);
        let hint = if looks_like_a_name {
            let names: Vec<&str> = shipped_names().collect();
            format!("no shipped scene and no file has this name{}", suggestion(reference, &names))
        } else {
            format!("cannot be read: {error}; give the path of a scene file or a name from `cupule list`")
        };
        SceneError::whole(reference, hint)
    })
}

/// Reads the text of a scene; mesh paths are relative to `folder`, `name` is used when the scene gives none.
pub fn read(
    text: &str,
    file: &str,
    name: &str,
    folder: &Path,
    set: &[String],
) -> Result<LoadedScene, SceneError> {
    read_variant(text, file, name, folder, None, set)
}

fn read_variant(
    text: &str,
    file: &str,
    name: &str,
    folder: &Path,
    variant: Option<&str>,
    set: &[String],
) -> Result<LoadedScene, SceneError> {
    let fail = |problems: Vec<Problem>| SceneError { file: file.to_string(), problems };
    let mut source = Node::parse(text).map_err(|problem| fail(vec![problem]))?;
    let schema = schema();
    let view = View::new(&schema);
    let one = |problem| fail(vec![problem]);
    let chosen = variants::choose(&mut source, variant).map_err(one)?;
    let (cups, others): (Vec<_>, Vec<_>) = set.iter().partition(|s| cups::chooses_cup(s));
    for assignment in cups {
        set::apply(&mut source, view, assignment).map_err(one)?;
    }
    cups::fill_in(&mut source).map_err(one)?;
    for assignment in others {
        set::apply(&mut source, view, assignment).map_err(one)?;
    }
    cups::settle(&mut source);
    let problems = check(&source, view);
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    let mut scene: Scene = serde_json::from_value(source.to_json())
        .map_err(|error| fail(vec![Problem::new(Origin::Unknown, "", error.to_string())]))?;
    let problems = meaning::problems(&scene);
    if !problems.is_empty() {
        let locate =
            |(key, message): (String, String)| Problem::new(source.origin_of(&key), key, message);
        return Err(fail(problems.into_iter().map(locate).collect()));
    }
    let warnings = meaning::warnings(&scene);
    let warnings =
        warnings.into_iter().map(|(key, m)| Problem::new(source.origin_of(&key), key, m)).collect();
    resolve(&mut scene, name, folder);
    let variants = std::mem::take(&mut scene.variants);
    let variants = variants.into_iter().map(|variant| (variant.name, variant.title)).collect();
    let title = scene.title.clone();
    if let Some((variant, what)) = chosen {
        scene.name = format!("{}@{variant}", scene.name);
        scene.title = format!("{title}: {what}");
    }
    Ok(LoadedScene { scene, warnings, file: file.to_string(), title, variants, source })
}

/// Makes the scene independent of where its file lies.
fn resolve(scene: &mut Scene, name: &str, folder: &Path) {
    if scene.name.is_empty() {
        scene.name = name.to_string();
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let of_bodies = scene.bodies.values_mut().flat_map(Body::files);
    let of_robots = scene.robots.values_mut().map(|robot| &mut robot.urdf);
    for path in of_bodies.chain(of_robots).filter(|path| !path.starts_with(SHIPPED_MESH)) {
        *path = folder.join(path.as_str()).to_string_lossy().into_owned();
    }
}
