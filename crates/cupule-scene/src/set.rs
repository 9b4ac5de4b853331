//! Overrides from the command line: `a.b.c=value` sets one number, word or truth value of a scene.

use std::collections::BTreeMap;

use crate::error::{Origin, Problem};
use crate::nearest::suggestion;
use crate::schema::View;
use crate::source::{Node, Value};

/// Sets one key of `root`, which must exist in the scene or in the schema. `assignment` is `KEY=VALUE`.
pub(crate) fn apply(root: &mut Node, schema: View<'_>, assignment: &str) -> Result<(), Problem> {
    let Some((path, text)) = assignment.split_once('=') else {
        return Err(Problem::new(
            Origin::Set,
            assignment,
            "expected KEY=VALUE, such as solver.time_step=0.005",
        ));
    };
    let path = path.trim();
    let segments: Vec<&str> = path.split('.').collect();
    let value = parse_value(text.trim());
    place(root, schema, &segments, 0, value)
        .map_err(|message| Problem::new(Origin::Set, path, message))
}

/// A TOML value, or else bare text, so that words need no quotes in a shell.
fn parse_value(text: &str) -> Value {
    let parsed = Node::parse(&format!("value = {text}"));
    let value = parsed.ok().and_then(|node| node.get("value").cloned()).map(|node| node.value);
    let mut value = value.unwrap_or_else(|| Value::Text(text.to_string()));
    mark(&mut value);
    value
}

fn mark(value: &mut Value) {
    match value {
        Value::List(list) => list.iter_mut().for_each(|node| {
            node.origin = Origin::Set;
            mark(&mut node.value);
        }),
        Value::Table(table) => table.values_mut().for_each(|(origin, node)| {
            (*origin, node.origin) = (Origin::Set, Origin::Set);
            mark(&mut node.value);
        }),
        _ => {}
    }
}

fn place(
    node: &mut Node,
    schema: View<'_>,
    segments: &[&str],
    depth: usize,
    value: Value,
) -> Result<(), String> {
    let Some(segment) = segments.get(depth) else {
        *node = Node { origin: Origin::Set, value };
        return Ok(());
    };
    let (whole, schema) = (schema, narrow(node, schema));
    match &mut node.value {
        Value::Table(table) => {
            // A key of another kind is placed all the same: the kind may be set next, and if not, the check says what is wrong.
            let other = whole.of_another_kind(segment);
            let child = child_schema(table, schema, segment).or_else(|e| other.ok_or(e))?;
            let empty = || {
                (Origin::Set, Node { origin: Origin::Set, value: Value::Table(BTreeMap::new()) })
            };
            let (origin, entry) = table.entry((*segment).to_string()).or_insert_with(empty);
            if depth + 1 == segments.len() {
                *origin = Origin::Set;
            }
            place(entry, child, segments, depth + 1, value)
        }
        Value::List(list) => {
            let count = list.len();
            let child = schema.child(segment);
            let item = segment.parse::<usize>().ok().and_then(|index| list.get_mut(index));
            match (item, child) {
                (Some(item), Some(child)) => place(item, child, segments, depth + 1, value),
                _ => Err(format!(
                    "`{segment}` is not an index of this list of {count} (they count from 0)"
                )),
            }
        }
        other => {
            Err(format!("`{}` is {}, it has no parts", segments[..depth].join("."), other.kind()))
        }
    }
}

/// The schema of an entry: any known key of a table, but only existing names of a map.
fn child_schema<'a>(
    table: &BTreeMap<String, (Origin, Node)>,
    schema: View<'a>,
    segment: &str,
) -> Result<View<'a>, String> {
    let mut known = schema.keys();
    if known.is_empty() {
        known = table.keys().map(String::as_str).collect();
    }
    let exists = known.contains(&segment);
    let child = schema.child(segment).filter(|_| exists);
    child.ok_or_else(|| format!("unknown key `{segment}`{}", suggestion(segment, &known)))
}

/// The variant that a tagged table has chosen.
fn narrow<'a>(node: &Node, schema: View<'a>) -> View<'a> {
    let Some(tag) = schema.tag() else { return schema };
    match node.get(tag).map(|word| &word.value) {
        Some(Value::Text(word)) => schema.variant(tag, word).unwrap_or(schema),
        _ => schema,
    }
}
