//! Reads URDF: links, joints and collision geometry of a robot.
//!
//! Of the format it takes what moves and what touches: `link` with at most one `collision`, `joint` of type fixed, revolute,
//! continuous and prismatic with `origin`, `axis` and `limit`. Inertia, visuals and transmissions are passed over: joints are driven
//! by position. Lengths are m and angles rad in both formats; `rpy` turns about the fixed x, then y, then z axis.

use cupule::motion::{JointKind, Pose};
use cupule_geometry::{DQuat, DVec3};
use roxmltree::{Document, Node};

use crate::model::Shape;

/// A robot as its file says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Urdf {
    /// Name and collision geometry of the link that is no joint's child.
    pub base: UrdfLink,
    /// The joints with the links that they carry, from the base outwards.
    pub joints: Vec<UrdfJoint>,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UrdfLink {
    pub name: String,
    /// What it touches with, and where that is in its frame.
    pub collision: Option<(Pose, Form)>,
}

/// What a link touches with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    Shape(Shape),
    /// Mesh file and its scale.
    Mesh(String, DVec3),
}

/// A joint and the link that it carries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UrdfJoint {
    pub name: String,
    /// Which joint carries the link on which it sits; none on the base.
    pub parent: Option<usize>,
    pub origin: Pose,
    pub axis: DVec3,
    pub kind: JointKind,
    /// Least and largest value, rad or m.
    pub limits: [f64; 2],
    pub link: UrdfLink,
}

/// Reads a robot; an error says what is wrong and at which line.
pub(crate) fn read(text: &str) -> Result<Urdf, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        return Err(format!("expected <robot>, found <{}>", robot.tag_name().name()));
    }
    let mut links = Vec::new();
    for node in children(robot, "link") {
        links.push(link(node)?);
    }
    let mut open: Vec<(String, String, UrdfJoint)> = Vec::new();
    for node in children(robot, "joint") {
        open.push(joint(node, &mut links)?);
    }
    order(links, open)
}

/// Sorts joints from the base outwards. What is left of the links is the base.
fn order(
    mut links: Vec<UrdfLink>,
    mut open: Vec<(String, String, UrdfJoint)>,
) -> Result<Urdf, String> {
    if links.len() != 1 {
        let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        return Err(format!(
            "one link must be no joint's child, the base; there are {}: {}",
            names.len(),
            names.join(", ")
        ));
    }
    let base = links.remove(0);
    let mut joints: Vec<UrdfJoint> = Vec::new();
    while !open.is_empty() {
        let carrier = |parent: &str| joints.iter().position(|joint| joint.link.name == parent);
        let next = open.iter().position(|(p, ..)| *p == base.name || carrier(p).is_some());
        let Some(next) = next else {
            let (parent, _, joint) = &open[0];
            return Err(format!(
                "joint `{}` sits on link `{parent}`, which no chain of joints leads to",
                joint.name
            ));
        };
        let (parent, _, mut joint) = open.remove(next);
        joint.parent = carrier(&parent);
        joints.push(joint);
    }
    Ok(Urdf { base, joints })
}

fn link(node: Node) -> Result<UrdfLink, String> {
    let name = text(node, "name")?.to_string();
    let mut collisions = children(node, "collision");
    let collision = collisions.next();
    if let Some(second) = collisions.next() {
        return Err(at(
            second,
            &format!("link `{name}` has several <collision>: join them in one mesh"),
        ));
    }
    let form = |node: Node| -> Result<(Pose, Form), String> {
        let geometry = child(node, "geometry")?;
        Ok((origin(node)?, form(geometry)?))
    };
    Ok(UrdfLink { collision: collision.map(form).transpose()?, name })
}

fn form(geometry: Node) -> Result<Form, String> {
    let Some(node) = geometry.children().find(Node::is_element) else {
        return Err(at(geometry, "<geometry> is empty"));
    };
    let number = |name: &str| -> Result<f64, String> { Ok(numbers::<1>(node, name)?[0]) };
    Ok(match node.tag_name().name() {
        "box" => Form::Shape(Shape::Box { size: numbers::<3>(node, "size")? }),
        "sphere" => Form::Shape(Shape::Sphere { radius: number("radius")? }),
        "cylinder" => {
            Form::Shape(Shape::Cylinder { radius: number("radius")?, height: number("length")? })
        }
        "mesh" => {
            let scale = if node.has_attribute("scale") {
                DVec3::from(numbers::<3>(node, "scale")?)
            } else {
                DVec3::ONE
            };
            Form::Mesh(text(node, "filename")?.to_string(), scale)
        }
        other => {
            return Err(at(node, &format!("<{other}>: expected box, sphere, cylinder or mesh")));
        }
    })
}

/// Names of parent and child, and the joint, which takes its child out of the links.
fn joint(node: Node, links: &mut Vec<UrdfLink>) -> Result<(String, String, UrdfJoint), String> {
    let name = text(node, "name")?.to_string();
    let kind = match text(node, "type")? {
        "fixed" => JointKind::Fixed,
        "revolute" | "continuous" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        other => {
            let message = format!(
                "joint `{name}` is {other}: expected fixed, revolute, continuous or prismatic"
            );
            return Err(at(node, &message));
        }
    };
    let parent = text(child(node, "parent")?, "link")?.to_string();
    let carried = text(child(node, "child")?, "link")?.to_string();
    let Some(index) = links.iter().position(|link| link.name == carried) else {
        let message = format!("link `{carried}` is not there, or the child of two joints");
        return Err(at(node, &message));
    };
    let axis = children(node, "axis").next().map(|axis| numbers::<3>(axis, "xyz")).transpose()?;
    let limited = text(node, "type")? != "continuous" && kind != JointKind::Fixed;
    let limits = match children(node, "limit").next().filter(|_| limited) {
        Some(limit) => [numbers::<1>(limit, "lower")?[0], numbers::<1>(limit, "upper")?[0]],
        None => [f64::NEG_INFINITY, f64::INFINITY],
    };
    let joint = UrdfJoint {
        name,
        parent: None,
        origin: origin(node)?,
        axis: axis.map_or(DVec3::X, DVec3::from),
        kind,
        limits,
        link: links.remove(index),
    };
    Ok((parent, carried, joint))
}

fn origin(node: Node) -> Result<Pose, String> {
    let Some(origin) = children(node, "origin").next() else { return Ok(Pose::default()) };
    let given = |name: &str| -> Result<DVec3, String> {
        if origin.has_attribute(name) {
            Ok(numbers::<3>(origin, name)?.into())
        } else {
            Ok(DVec3::ZERO)
        }
    };
    let turn = given("rpy")?;
    let rotation = DQuat::from_rotation_z(turn.z)
        * DQuat::from_rotation_y(turn.y)
        * DQuat::from_rotation_x(turn.x);
    Ok(Pose { rotation, translation: given("xyz")? })
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Result<Node<'a, 'a>, String> {
    children(node, name).next().ok_or_else(|| at(node, &format!("<{name}> is missing")))
}

fn text<'a>(node: Node<'a, 'a>, name: &str) -> Result<&'a str, String> {
    node.attribute(name).ok_or_else(|| at(node, &format!("`{name}` is missing")))
}

fn numbers<const N: usize>(node: Node, name: &str) -> Result<[f64; N], String> {
    let written = text(node, name)?;
    let values: Vec<f64> = written.split_whitespace().filter_map(|v| v.parse().ok()).collect();
    let values: Option<[f64; N]> = values.try_into().ok();
    let finite = values.filter(|values| values.iter().all(|v| v.is_finite()));
    finite.ok_or_else(|| at(node, &format!("`{name}`: expected {N} numbers, found `{written}`")))
}

fn at(node: Node, message: &str) -> String {
    let line = node.document().text_pos_at(node.range().start).row;
    format!("line {line}, <{}>: {message}", node.tag_name().name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    const ARM: &str = r#"<?xml version="1.0"?>
<robot name="two">
  <link name="tip"><collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.02" length="0.2"/></geometry></collision></link>
  <link name="base"/>
  <link name="middle"><visual/></link>
  <joint name="wrist" type="continuous">
    <parent link="middle"/><child link="tip"/>
    <origin xyz="0 0 0.3" rpy="1.5707963267948966 0 1.5707963267948966"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="base"/><child link="middle"/>
    <axis xyz="0 0 1"/><limit lower="-0.1" upper="0.4" effort="1" velocity="1"/>
  </joint>
</robot>"#;

    #[test]
    fn joints_are_sorted_from_the_base_outwards() {
        let robot = read(ARM).expect("a robot");
        assert_eq!(robot.base, UrdfLink { name: "base".into(), collision: None });
        let told: Vec<_> =
            robot.joints.iter().map(|j| (j.name.as_str(), j.parent, j.kind, j.limits)).collect();
        let free = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(
            told,
            [
                ("slide", None, JointKind::Prismatic, [-0.1, 0.4]),
                ("wrist", Some(0), JointKind::Revolute, free)
            ]
        );
        let (pose, form) = robot.joints[1].link.collision.clone().expect("a cylinder");
        assert_eq!(pose.translation, DVec3::new(0.0, 0.0, 0.1));
        assert_eq!(form, Form::Shape(Shape::Cylinder { radius: 0.02, height: 0.2 }));
    }

    #[test]
    fn rpy_turns_about_fixed_axes() {
        // A quarter about x takes y to z; then a quarter about the fixed z leaves it there, and takes x to y.
        let turn = read(ARM).expect("a robot").joints[1].origin.rotation;
        assert!((turn * DVec3::Y - DVec3::Z).length() < 1e-15, "{}", FRAC_PI_2);
        assert!((turn * DVec3::X - DVec3::Y).length() < 1e-15);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let cases = [
            (
                "type=\"continuous\"",
                "type=\"floating\"",
                "line 6, <joint>: joint `wrist` is floating",
            ),
            ("radius=\"0.02\"", "radius=\"wide\"", "`radius`: expected 1 numbers, found `wide`"),
            ("<child link=\"tip\"/>", "<child link=\"top\"/>", "link `top` is not there"),
            (
                "<parent link=\"base\"/>",
                "<parent link=\"tip\"/>",
                "which no chain of joints leads to",
            ),
            (
                "<link name=\"base\"/>",
                "<link name=\"base\"/><link name=\"spare\"/>",
                "there are 2: base, spare",
            ),
            (
                "<axis xyz=\"0 0 1\"/>",
                "<axis xyz=\"0 inf 1\"/>",
                "expected 3 numbers, found `0 inf 1`",
            ),
        ];
        for (from, to, expected) in cases {
            let said = read(&ARM.replace(from, to)).expect_err("refused");
            assert!(said.contains(expected), "{said}");
        }
    }
}
