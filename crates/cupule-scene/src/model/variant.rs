//! Variants: one scene file that stands for several runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Expect;

/// One of several runs of a scene: what it changes, and what must come out then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variant {
    /// Short name: the variant `heavy` of the scene `masses` runs as `masses@heavy`.
    pub name: String,
    /// What is different, in one line.
    #[serde(default)]
    pub title: String,
    /// Keys of the scene with other values. Tables are merged, unless they have a `type`; all else is replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub change: BTreeMap<String, serde_json::Value>,
    /// What must come out of this one, besides what the scene expects of all.
    #[serde(default)]
    pub expect: Vec<Expect>,
}
