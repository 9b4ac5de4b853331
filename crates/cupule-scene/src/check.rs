//! Checks a scene against its schema: unknown keys, wrong types, missing keys, numbers out of range.

use crate::error::{Origin, Problem};
use crate::nearest::suggestion;
use crate::schema::View;
use crate::source::{Node, Value};

/// Everything about `node` that the schema does not allow.
pub(crate) fn check(node: &Node, schema: View<'_>) -> Vec<Problem> {
    let mut checker = Checker { problems: Vec::new() };
    checker.value(node, Origin::Unknown, schema, "");
    checker.problems
}

struct Checker {
    problems: Vec<Problem>,
}

impl Checker {
    fn report(&mut self, origin: Origin, path: &str, message: String) {
        self.problems.push(Problem::new(origin, path, message));
    }

    fn value(&mut self, node: &Node, key_origin: Origin, schema: View<'_>, path: &str) {
        let origin = if key_origin == Origin::Unknown { node.origin } else { key_origin };
        if let Some(words) = schema.words() {
            return self.word(node, origin, &words, path);
        }
        if let Some(tag) = schema.tag() {
            return self.tagged(node, origin, schema, tag, path);
        }
        if let Some(choices) = schema.choices() {
            match choices.iter().find(|choice| matches_kind(&node.value, **choice)) {
                Some(choice) => self.value(node, origin, *choice, path),
                None => self.wrong_kind(node, origin, schema, path),
            }
            return;
        }
        match &node.value {
            _ if !matches_kind(&node.value, schema) => self.wrong_kind(node, origin, schema, path),
            Value::Table(table) => {
                let unknown = |key: &str| unknown_key(key, schema);
                self.table(table, node.origin, schema, path, &unknown);
            }
            Value::List(list) => self.list(list, origin, schema, path),
            Value::Integer(number) => self.number(*number as f64, origin, schema, path),
            Value::Float(number) => self.number(*number, origin, schema, path),
            Value::Bool(_) | Value::Text(_) => {}
        }
    }

    fn word(&mut self, node: &Node, origin: Origin, words: &[&str], path: &str) {
        match &node.value {
            Value::Text(text) if words.contains(&text.as_str()) => {}
            Value::Text(text) => {
                let known = words.join(", ");
                let hint = crate::nearest::nearest(text, words.iter().copied())
                    .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                self.report(
                    origin,
                    path,
                    format!("`{text}` is not known; expected one of: {known}{hint}"),
                );
            }
            other => {
                self.report(
                    origin,
                    path,
                    format!("expected one of: {}; found {}", words.join(", "), other.kind()),
                );
            }
        }
    }

    fn tagged(&mut self, node: &Node, origin: Origin, schema: View<'_>, tag: &str, path: &str) {
        let Value::Table(table) = &node.value else {
            return self.wrong_kind(node, origin, schema, path);
        };
        let words: Vec<&str> =
            schema.choices().unwrap_or_default().iter().filter_map(|c| c.tag_word(tag)).collect();
        let Some((tag_origin, word)) = table.get(tag) else {
            let known = words.join(", ");
            return self.report(
                origin,
                path,
                format!("`{tag}` is missing; expected one of: {known}"),
            );
        };
        self.word(word, *tag_origin, &words, &join(path, tag));
        if let Value::Text(text) = &word.value
            && let Some(variant) = schema.variant(tag, text)
        {
            let unknown = |key: &str| {
                if schema.of_another_kind(key).is_some() {
                    format!("has no meaning for a {text} {}: remove it", schema.noun())
                } else {
                    unknown_key(key, variant)
                }
            };
            self.table(table, node.origin, variant, path, &unknown);
        }
    }

    fn table(
        &mut self,
        table: &std::collections::BTreeMap<String, (Origin, Node)>,
        origin: Origin,
        schema: View<'_>,
        path: &str,
        unknown: &dyn Fn(&str) -> String,
    ) {
        for (key, (key_origin, node)) in table {
            let here = join(path, key);
            match schema.child(key) {
                Some(part) => self.value(node, *key_origin, part, &here),
                None => self.report(*key_origin, &here, unknown(key)),
            }
        }
        let required = schema.get("required").and_then(serde_json::Value::as_array);
        for key in required.into_iter().flatten().filter_map(serde_json::Value::as_str) {
            if !table.contains_key(key) {
                let about = schema.child(key).map_or(String::new(), describe);
                self.report(origin, path, format!("`{key}` is missing{about}"));
            }
        }
    }

    fn list(&mut self, list: &[Node], origin: Origin, schema: View<'_>, path: &str) {
        let count = list.len() as f64;
        let (least, most) = (schema.number("minItems"), schema.number("maxItems"));
        if least.is_some_and(|n| count < n) || most.is_some_and(|n| count > n) {
            let expected = least.or(most).unwrap_or(0.0);
            self.report(
                origin,
                path,
                format!("expected {expected} items, found {count}{}", describe(schema)),
            );
        }
        for (index, item) in list.iter().enumerate() {
            if let Some(part) = schema.child(&index.to_string()) {
                self.value(item, Origin::Unknown, part, &join(path, &index.to_string()));
            }
        }
    }

    fn number(&mut self, number: f64, origin: Origin, schema: View<'_>, path: &str) {
        let bounds = [
            ("minimum", "at least", (|n, b| n >= b) as fn(f64, f64) -> bool),
            ("maximum", "at most", |n, b| n <= b),
            ("exclusiveMinimum", "greater than", |n, b| n > b),
            ("exclusiveMaximum", "less than", |n, b| n < b),
        ];
        if !number.is_finite() {
            return self.report(
                origin,
                path,
                format!("{number} is not a finite number{}", describe(schema)),
            );
        }
        for (key, words, holds) in bounds {
            if let Some(bound) = schema.number(key)
                && !holds(number, bound)
            {
                self.report(
                    origin,
                    path,
                    format!("{number} must be {words} {bound}{}", describe(schema)),
                );
                return;
            }
        }
    }

    fn wrong_kind(&mut self, node: &Node, origin: Origin, schema: View<'_>, path: &str) {
        let expected = expected_kind(schema);
        let found = node.value.kind();
        self.report(
            origin,
            path,
            format!("expected {expected}, found {found}{}", describe(schema)),
        );
    }
}

fn unknown_key(key: &str, schema: View<'_>) -> String {
    format!("unknown key{}", suggestion(key, &schema.keys()))
}

/// ` (Young's modulus, Pa)`.
fn describe(schema: View<'_>) -> String {
    schema.description().map_or(String::new(), |text| format!(" ({text})"))
}

fn expected_kind(schema: View<'_>) -> String {
    if let Some(choices) = schema.choices() {
        let mut kinds: Vec<String> = choices.into_iter().map(expected_kind).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    match schema.kind() {
        Some("object") => "a table".into(),
        Some("array") => match (schema.number("minItems"), schema.number("maxItems")) {
            (Some(least), Some(most)) if least == most => format!("a list of {least}"),
            _ => "a list".into(),
        },
        Some("number") => "a number".into(),
        Some("integer") => "a whole number".into(),
        Some("boolean") => "true or false".into(),
        _ => "text".into(),
    }
}

fn matches_kind(value: &Value, schema: View<'_>) -> bool {
    // A choice among words has no kind of its own.
    let kind = schema.kind().or_else(|| schema.words().map(|_| "string"));
    matches!(
        (value, kind),
        (Value::Table(_), Some("object"))
            | (Value::List(_), Some("array"))
            | (Value::Float(_) | Value::Integer(_), Some("number"))
            | (Value::Integer(_), Some("integer"))
            | (Value::Bool(_), Some("boolean"))
            | (Value::Text(_), Some("string"))
    )
}

/// Dotted path of a key inside a path.
pub(crate) fn join(path: &str, key: &str) -> String {
    let dot = if path.is_empty() || key.is_empty() { "" } else { "." };
    format!("{path}{dot}{key}")
}
