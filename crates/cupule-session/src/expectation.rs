//! What a scene expects of its run: names are checked before it, values after it.

use cupule_scene::expect::{Figures, Outcome, evaluate, unknown_names};
use cupule_scene::{LoadedScene, Problem, SceneError};

/// Refuses expectations of values that the run will not have; `columns` are those that it will have.
pub fn check_names(loaded: &LoadedScene, columns: &[String]) -> Result<(), SceneError> {
    let scene = serde_json::to_value(&loaded.scene).unwrap_or_default();
    let mut problems = Vec::new();
    for (index, expect) in loaded.scene.expect.iter().enumerate() {
        for message in unknown_names(expect, columns, &scene) {
            let key = format!("expect.{index}.value");
            problems.push(Problem::new(loaded.origin_of(&key), key, message));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(SceneError { file: loaded.file.clone(), problems })
    }
}

/// The recorded values of a run.
pub trait Values {
    /// Times of the steps, s.
    fn times(&self) -> &[f64];

    /// A column by name.
    fn column(&self, name: &str) -> Option<&[f64]>;
}

/// How the expectations of a scene came out, from the recorded values and the summary of its run.
pub fn outcomes(
    loaded: &LoadedScene,
    values: &impl Values,
    summary: &impl serde::Serialize,
) -> Vec<Outcome> {
    let scene = serde_json::to_value(&loaded.scene).unwrap_or_default();
    let summary = serde_json::to_value(summary).unwrap_or_default();
    let column = |name: &str| values.column(name);
    let figures =
        Figures { times: values.times(), column: &column, summary: &summary, scene: &scene };
    loaded.scene.expect.iter().map(|expect| evaluate(expect, &figures)).collect()
}
