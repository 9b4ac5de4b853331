//! Chooses one variant of a scene and puts its changes where they belong, before anything else looks at the scene. What a
//! variant changes keeps its line, so that a mistake is found where it is written.

use std::collections::BTreeMap;

use crate::error::{Origin, Problem};
use crate::nearest::suggestion;
use crate::source::{Node, Value};

type Table = BTreeMap<String, (Origin, Node)>;

/// Name and title of a variant.
pub(crate) type Chosen = (String, String);

/// Divides `masses@heavy` into the scene and the variant.
pub(crate) fn divide(reference: &str) -> (&str, Option<&str>) {
    reference.rsplit_once('@').map_or((reference, None), |(scene, name)| (scene, Some(name)))
}

/// Applies the variant that is wanted, or the first. None if the scene has no variants.
pub(crate) fn choose(scene: &mut Node, wanted: Option<&str>) -> Result<Option<Chosen>, Problem> {
    let problem = |origin, message: String| Problem::new(origin, "variants", message);
    let Value::Table(root) = &mut scene.value else { return Ok(None) };
    let (origin, mut variants) = match root.get_mut("variants") {
        // A list that is none is refused by the schema.
        Some((origin, Node { value: Value::List(list), .. })) => (*origin, std::mem::take(list)),
        _ => (Origin::Unknown, Vec::new()),
    };
    let names: Vec<String> = variants.iter().map(|v| text(v, "name")).collect();
    if let Some((index, name)) =
        names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
    {
        let message = format!("two variants are named `{name}`");
        return Err(problem(variants[index].origin, message));
    }
    let index = match wanted {
        None if variants.is_empty() => return Ok(None),
        None => 0,
        Some(wanted) => names
            .iter()
            .position(|name| name == wanted)
            .ok_or_else(|| problem(origin, no_such_variant(wanted, &names)))?,
    };
    let chosen = (names[index].clone(), text(&variants[index], "title"));
    let changes = variants.iter_mut().map(|variant| take(variant, "change"));
    if let Some(change) = changes.collect::<Vec<_>>().swap_remove(index) {
        if change.contains_key("variants") {
            return Err(problem(origin, "a variant cannot change the variants".into()));
        }
        overlay(root, change);
    }
    expect_more(root, &variants[index]);
    if let Some((_, node)) = root.get_mut("variants") {
        node.value = Value::List(variants);
    }
    Ok(Some(chosen))
}

fn no_such_variant(wanted: &str, names: &[String]) -> String {
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    match (wanted, known.is_empty()) {
        (_, true) => format!("the scene has no variants; leave out `@{wanted}`"),
        ("", false) => {
            format!("after `@` the name of a variant is missing; there are {}", known.join(", "))
        }
        _ => format!("the scene has no variant `{wanted}`{}", suggestion(wanted, &known)),
    }
}

fn text(variant: &Node, key: &str) -> String {
    match variant.get(key).map(|node| &node.value) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// Takes a table out of a variant, if it is one; anything else is left for the schema to refuse.
fn take(variant: &mut Node, key: &str) -> Option<Table> {
    let Value::Table(table) = &mut variant.value else { return None };
    if !matches!(table.get(key), Some((_, Node { value: Value::Table(_), .. }))) {
        return None;
    }
    match table.remove(key) {
        Some((_, Node { value: Value::Table(taken), .. })) => Some(taken),
        _ => None,
    }
}

/// Tables are merged, unless the new one says with `type` that it is something else; all else is replaced.
fn overlay(base: &mut Table, change: Table) {
    for (key, (origin, node)) in change {
        match (base.get_mut(&key), node) {
            (
                Some((_, Node { value: Value::Table(mine), .. })),
                Node { value: Value::Table(theirs), .. },
            ) if !theirs.contains_key("type") => overlay(mine, theirs),
            (_, node) => {
                base.insert(key, (origin, node));
            }
        }
    }
}

/// What the variant expects comes before what all of them must show.
fn expect_more(root: &mut Table, variant: &Node) {
    let Some(Node { value: Value::List(own), origin }) = variant.get("expect") else { return };
    let empty = || (*origin, Node { origin: *origin, value: Value::List(Vec::new()) });
    let (_, all) = root.entry("expect".into()).or_insert_with(empty);
    if let Value::List(all) = &mut all.value {
        all.splice(0..0, own.iter().cloned());
    }
}
