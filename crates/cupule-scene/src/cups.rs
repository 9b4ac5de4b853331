//! The library of cups: one file each in `cups/`, embedded in the program. A body that says `cup = "s20"` gets what
//! the file says, wherever the scene says nothing itself.

use std::collections::BTreeMap;

use crate::error::{Origin, Problem};
use crate::model::{Material, Scale, Shape};
use crate::nearest::suggestion;
use crate::source::{Node, Value};

/// Name and text of every shipped cup, sorted by name.
const CUPS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cups.rs"));

/// What a body takes over from its cup.
const PARTS: [&str; 5] = ["shape", "scale", "material", "mass", "nodes"];

/// A cup of the library.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CupFile {
    /// One line: what it is.
    pub title: String,
    /// Where its dimensions were published, and which.
    pub source: String,
    /// What was chosen where the source is silent.
    pub chosen: String,
    /// Number of nodes that it is meant to be cut into.
    pub nodes: u32,
    /// Total mass, kg, unless its material has a density.
    pub mass: Option<f64>,
    /// Its dimensions.
    pub shape: Shape,
    /// By what they are multiplied, along each axis.
    #[serde(default)]
    pub scale: Scale,
    /// What it is made of.
    pub material: Material,
}

/// The names of the shipped cups, sorted.
pub fn cup_names() -> impl Iterator<Item = &'static str> {
    CUPS.iter().map(|(name, _)| *name)
}

/// A cup of the library by its name; none if there is no such cup.
pub fn cup(name: &str) -> Option<Result<CupFile, String>> {
    let text = cup_text(name)?;
    Some(toml::from_str(text).map_err(|error| format!("cups/{name}.toml: {error}")))
}

fn cup_text(name: &str) -> Option<&'static str> {
    CUPS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Whether an override chooses a cup, which must be known before any other override of its body is understood.
pub(crate) fn chooses_cup(assignment: &str) -> bool {
    let path = assignment.split('=').next().unwrap_or_default().trim();
    let segments: Vec<&str> = path.split('.').collect();
    matches!(segments.as_slice(), ["bodies", _, "cup"])
}

/// Adds to every body that names a cup what the cup's file says. What the scene says itself stays.
pub(crate) fn fill_in(scene: &mut Node) -> Result<(), Problem> {
    for (name, body) in bodies(scene) {
        let Some((origin, wanted)) = body.get("cup") else { continue };
        // Any other kind of value is refused by the schema.
        let (origin, Value::Text(wanted)) = (*origin, &wanted.value) else { continue };
        let key = format!("bodies.{name}.cup");
        let text = cup_text(wanted).ok_or_else(|| {
            let names: Vec<&str> = cup_names().collect();
            let hint = suggestion(wanted, &names);
            Problem::new(origin, &key, format!("no cup is named `{wanted}`{hint}"))
        })?;
        let file = Node::parse(text).map_err(|p| Problem::new(origin, &key, p.message))?;
        let Value::Table(mut file) = file.value else { continue };
        file.retain(|part, _| PARTS.contains(&part.as_str()));
        merge(body, file);
    }
    Ok(())
}

/// Where the scene has decided otherwise than its cup (a density against the cup's mass), takes the cup's choice out.
pub(crate) fn settle(scene: &mut Node) {
    for (_, body) in bodies(scene) {
        let from_cup = |body: &Table, key: &str| {
            body.get(key).is_some_and(|(origin, _)| *origin == Origin::Cup)
        };
        let density = body.get("material").and_then(|(_, material)| match &material.value {
            Value::Table(material) => material.get("density").map(|(origin, _)| *origin),
            _ => None,
        });
        if body.contains_key("mass") && density == Some(Origin::Cup) {
            if let Some((_, Node { value: Value::Table(material), .. })) = body.get_mut("material")
            {
                material.remove("density");
            }
        } else if density.is_some() && from_cup(body, "mass") {
            body.remove("mass");
        }
        for (own, of_cup) in [("subdivisions", "nodes"), ("mesh", "shape")] {
            if body.contains_key(own) && from_cup(body, of_cup) {
                body.remove(of_cup);
            }
        }
    }
}

type Table = BTreeMap<String, (Origin, Node)>;

/// The bodies of a scene, as far as they are tables.
fn bodies(scene: &mut Node) -> impl Iterator<Item = (&String, &mut Table)> {
    let bodies = match &mut scene.value {
        Value::Table(scene) => scene.get_mut("bodies").map(|(_, bodies)| &mut bodies.value),
        _ => None,
    };
    let bodies = match bodies {
        Some(Value::Table(bodies)) => Some(bodies.iter_mut()),
        _ => None,
    };
    bodies.into_iter().flatten().filter_map(|(name, (_, body))| match &mut body.value {
        Value::Table(body) => Some((name, body)),
        _ => None,
    })
}

/// Adds what `own` does not have; tables that both have are merged. A shape of another type replaces the cup's.
fn merge(own: &mut Table, of_cup: Table) {
    for (key, (_, mut node)) in of_cup {
        match (own.get_mut(&key), node.value) {
            (None, value) => {
                node = Node { origin: Origin::Cup, value };
                mark(&mut node);
                own.insert(key, (Origin::Cup, node));
            }
            (Some((_, Node { value: Value::Table(mine), .. })), Value::Table(theirs)) => {
                if !mine.contains_key("type") {
                    merge(mine, theirs);
                }
            }
            (Some(_), _) => {}
        }
    }
}

fn mark(node: &mut Node) {
    node.origin = Origin::Cup;
    match &mut node.value {
        Value::Table(table) => table.values_mut().for_each(|(origin, node)| {
            *origin = Origin::Cup;
            mark(node);
        }),
        Value::List(list) => list.iter_mut().for_each(mark),
        _ => {}
    }
}
