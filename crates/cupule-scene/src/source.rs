//! The text of a scene as a tree of values that remember the line they are written on.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::check::join;
use crate::error::{Origin, Problem};

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The line of the value (of a table: of its header or brace).
    pub origin: Origin,
    /// The value.
    pub value: Value,
}

/// A TOML value; dates do not occur in scenes and are kept as text so that the check refuses them by type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// true or false.
    Bool(bool),
    /// Whole number.
    Integer(i64),
    /// Number with a point or an exponent.
    Float(f64),
    /// Text.
    Text(String),
    /// List.
    List(Vec<Node>),
    /// Table; each key with the line on which it is written.
    Table(BTreeMap<String, (Origin, Node)>),
}

impl Value {
    /// What kind of value it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a truth value",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    /// Reads the text of a scene.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let lines = Lines::new(text);
        let table = DeTable::parse(text).map_err(|error| {
            let origin = error.span().map_or(Origin::Unknown, |span| lines.origin(span.start));
            Problem::new(origin, "", format!("not valid TOML: {}", error.message()))
        })?;
        let origin = Origin::Unknown;
        Ok(Self { origin, value: convert_table(table.get_ref(), &lines)? })
    }

    /// The entry of a table, or the item of a list when the segment is its index.
    pub fn get(&self, segment: &str) -> Option<&Node> {
        match &self.value {
            Value::Table(table) => table.get(segment).map(|(_, node)| node),
            Value::List(list) => list.get(segment.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Where a dotted path, or the nearest existing part of it, is written.
    pub fn origin_of(&self, path: &str) -> Origin {
        let mut node = self;
        let mut origin = Origin::Unknown;
        for segment in path.split('.') {
            let key_origin = match &node.value {
                Value::Table(table) => table.get(segment).map(|(origin, _)| *origin),
                _ => None,
            };
            let Some(next) = node.get(segment) else { return origin };
            origin = key_origin.unwrap_or(next.origin);
            node = next;
        }
        origin
    }

    /// The same data without origins. Numbers must be finite, which the check makes sure of.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Bool(value) => (*value).into(),
            Value::Integer(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Text(value) => value.as_str().into(),
            Value::List(list) => list.iter().map(Node::to_json).collect(),
            Value::Table(table) => {
                table.iter().map(|(key, (_, node))| (key.clone(), node.to_json())).collect()
            }
        }
    }
}

/// Byte offsets at which lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn origin(&self, offset: usize) -> Origin {
        Origin::Line(self.0.partition_point(|start| *start <= offset))
    }
}

fn convert_table(table: &DeTable<'_>, lines: &Lines) -> Result<Value, Problem> {
    let mut entries = BTreeMap::new();
    for (key, value) in table.iter() {
        let name = key.get_ref().to_string();
        let inside = |problem: Problem| Problem { key: join(&name, &problem.key), ..problem };
        let node = convert(value, lines).map_err(inside)?;
        entries.insert(name, (lines.origin(key.span().start), node));
    }
    Ok(Value::Table(entries))
}

fn convert(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Result<Node, Problem> {
    let origin = lines.origin(value.span().start);
    let refuse = |message: String| Problem::new(origin, "", message);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Integer(number) => Value::Integer(
            i64::from_str_radix(number.as_str(), number.radix())
                .map_err(|_| refuse(format!("`{number}` is too large a whole number")))?,
        ),
        DeValue::Float(number) => Value::Float(
            number.as_str().parse().map_err(|_| refuse(format!("`{number}` is not a number")))?,
        ),
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| convert(item, lines)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => convert_table(table, lines)?,
    };
    Ok(Node { origin, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_remember_their_lines() {
        let root =
            Node::parse("a = 1\n[b]\nc = [\n 2.5,\n \"x\"]\n[[d]]\ne = true\n[[d]]\ne = 1e3\n")
                .unwrap();
        assert_eq!(root.origin_of("a"), Origin::Line(1));
        assert_eq!(root.origin_of("b.c"), Origin::Line(3));
        assert_eq!(root.origin_of("b.c.1"), Origin::Line(5));
        assert_eq!(root.origin_of("d.1.e"), Origin::Line(9));
        assert_eq!(root.origin_of("b.missing"), Origin::Line(2));
        assert_eq!(
            root.get("d").and_then(|d| d.get("1")).and_then(|d| d.get("e")).map(|n| &n.value),
            Some(&Value::Float(1e3))
        );
    }

    #[test]
    fn a_syntax_error_names_its_line() {
        let problem = Node::parse("a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(problem.origin, Origin::Line(2));
        let problem = Node::parse("a = 1\nb = 99999999999999999999\n").unwrap_err();
        assert_eq!((problem.origin, problem.key.as_str()), (Origin::Line(2), "b"));
    }
}
