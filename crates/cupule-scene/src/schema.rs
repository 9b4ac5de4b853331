//! The JSON Schema of the scene file, made from the types that read it.

use schemars::schema_for;
use serde_json::Value;

use crate::model::Scene;

/// The schema, for editors (`cupule schema`) and for the check of every scene.
pub fn schema() -> Value {
    let mut schema = schema_for!(Scene).to_value();
    let definitions = schema.get("$defs").cloned().unwrap_or_default();
    inline_tagged(&mut schema, &definitions);
    tidy(&mut schema);
    schema
}

/// Closes every table to unknown keys and drops `null`, which TOML does not have.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    object.extend(only);
                }
            }
            if object.contains_key("properties") && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".into(), Value::Bool(false));
            }
            object.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

/// A variant that is a tag and a reference to a table becomes one table, because whoever follows the reference would lose
/// the tag.
fn inline_tagged(part: &mut Value, definitions: &Value) {
    match part {
        Value::Array(list) => list.iter_mut().for_each(|part| inline_tagged(part, definitions)),
        Value::Object(object) => {
            let target = object
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|name| definitions.get(name.trim_start_matches("#/$defs/")))
                .filter(|_| object.contains_key("properties"))
                .cloned();
            if let Some(target) = target {
                object.remove("$ref");
                merge_table(object, &target);
            }
            object.values_mut().for_each(|part| inline_tagged(part, definitions));
        }
        _ => {}
    }
}

fn merge_table(table: &mut serde_json::Map<String, Value>, other: &Value) {
    if let (Some(Value::Object(mine)), Some(Value::Object(theirs))) =
        (table.get_mut("properties"), other.get("properties"))
    {
        mine.extend(theirs.clone());
    }
    if let (Some(Value::Array(mine)), Some(Value::Array(theirs))) =
        (table.get_mut("required"), other.get("required"))
    {
        mine.extend(theirs.iter().cloned());
    }
}

/// A part of the schema with references followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    root: &'a Value,
    here: &'a Value,
    /// Where the reference stood: its description is nearer to the reader's key than the type's own.
    outer: &'a Value,
}

impl<'a> View<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, here: root, outer: root }
    }

    pub(crate) fn at(self, part: &'a Value) -> Self {
        let mut here = part;
        // Types do not refer to each other in circles without a table between; the bound guards against a mistake.
        for _ in 0..8 {
            let Some(name) = here.get("$ref").and_then(Value::as_str) else { break };
            let name = name.trim_start_matches("#/$defs/");
            let Some(target) = self.root.get("$defs").and_then(|defs| defs.get(name)) else {
                break;
            };
            here = target;
        }
        Self { root: self.root, here, outer: part }
    }

    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.here.get(key)
    }

    pub(crate) fn number(self, key: &str) -> Option<f64> {
        self.outer.get(key).or_else(|| self.here.get(key)).and_then(Value::as_f64)
    }

    pub(crate) fn kind(self) -> Option<&'a str> {
        self.get("type").and_then(Value::as_str)
    }

    /// First sentence of the description.
    pub(crate) fn description(self) -> Option<&'a str> {
        let text = self
            .outer
            .get("description")
            .or_else(|| self.get("description"))
            .and_then(Value::as_str)?;
        Some(
            text.split(". ")
                .next()
                .unwrap_or(text)
                .split("\n\n")
                .next()
                .unwrap_or(text)
                .trim_end_matches('.'),
        )
    }

    /// The variants of a choice.
    pub(crate) fn choices(self) -> Option<Vec<View<'a>>> {
        let list = self.get("oneOf").or_else(|| self.get("anyOf")).and_then(Value::as_array)?;
        Some(list.iter().map(|part| self.at(part)).collect())
    }

    /// The words of a choice among words.
    pub(crate) fn words(self) -> Option<Vec<&'a str>> {
        if let Some(list) = self.get("enum").and_then(Value::as_array) {
            return list.iter().map(Value::as_str).collect();
        }
        let choices = self.choices()?;
        choices
            .iter()
            .map(|c| match c.get("enum").and_then(Value::as_array) {
                Some(list) => list.iter().map(Value::as_str).collect(),
                None => c.get("const").and_then(Value::as_str).map(|word| vec![word]),
            })
            .collect::<Option<Vec<_>>>()
            .map(|lists| lists.concat())
    }

    /// The key whose word tells which variant of a table is meant, if the variants have one.
    pub(crate) fn tag(self) -> Option<&'a str> {
        let first = self.choices()?.into_iter().next()?;
        let properties = first.get("properties")?.as_object()?;
        properties.iter().find(|(_, part)| part.get("const").is_some()).map(|(key, _)| key.as_str())
    }

    /// The variant whose tag is `word`.
    pub(crate) fn variant(self, tag: &str, word: &str) -> Option<View<'a>> {
        self.choices()?.into_iter().find(|choice| choice.tag_word(tag) == Some(word))
    }

    pub(crate) fn tag_word(self, tag: &str) -> Option<&'a str> {
        self.get("properties")?.get(tag)?.get("const")?.as_str()
    }

    /// The schema of a key in the first kind that has it. Kinds of one thing, told apart by `kind`, share most of their keys;
    /// what a `type` tells apart shares few, and a list of its own keys says more there.
    pub(crate) fn of_another_kind(self, key: &str) -> Option<View<'a>> {
        self.tag().filter(|tag| *tag == "kind")?;
        self.choices()?.into_iter().find_map(|choice| choice.child(key))
    }

    /// What a table of this type is called in messages: `body` for `Body`.
    pub(crate) fn noun(self) -> String {
        let name = self.outer.get("$ref").and_then(Value::as_str).unwrap_or("table");
        name.trim_start_matches("#/$defs/").to_lowercase()
    }

    /// The known keys of a table.
    pub(crate) fn keys(self) -> Vec<&'a str> {
        self.get("properties")
            .and_then(Value::as_object)
            .map_or(Vec::new(), |p| p.keys().map(String::as_str).collect())
    }

    /// The schema of a key of a table, of any entry of a map, or of an item of a list.
    pub(crate) fn child(self, key: &str) -> Option<View<'a>> {
        if let Some(part) = self.get("properties").and_then(|p| p.get(key)) {
            return Some(self.at(part));
        }
        if let Some(items) = self.get("items") {
            return key.parse::<usize>().is_ok().then(|| self.at(items));
        }
        self.get("additionalProperties").filter(|part| part.is_object()).map(|part| self.at(part))
    }
}
