//! Bodies in the scene file: one file per kind, which holds the keys that have a meaning for that kind and what must hold
//! between them. [`Body`] is the list of kinds.

mod fem;
mod fixed;
mod geometry;
mod kinematic;
mod material;
mod rigid;

pub use fem::{Element, ElementFormulation, FemBody};
pub use fixed::StaticBody;
pub use geometry::{Geometry, Rotation, Scale};
pub use kinematic::KinematicBody;
pub use material::{Damping, Material, MaterialModel};
pub use rigid::RigidBody;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::assemble::{Builder, Placed};
use crate::check::join;
use crate::error::SceneError;

/// The kinds of bodies: what each is, its keys, and its name in scene files.
macro_rules! kinds {
    ($($(#[doc = $about:literal])+ $kind:ident($keys:ty) = $name:literal,)+) => {
        /// A body. Its geometry is a `shape` or a `mesh`; which other keys there are depends on its kind.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Body {
            $($(#[doc = $about])+ #[serde(rename = $name)] $kind($keys),)+
        }

        impl Body {
            /// The keys of its kind, and the name of the kind in scene files.
            fn keys(&self) -> (&dyn BodyKeys, &'static str) {
                match self {
                    $(Self::$kind(keys) => (&*keys, $name),)+
                }
            }

            fn keys_mut(&mut self) -> &mut dyn BodyKeys {
                match self {
                    $(Self::$kind(keys) => keys,)+
                }
            }
        }
    };
}

kinds! {
    /// Soft: finite elements.
    Fem(Box<FemBody>) = "fem",
    /// Rigid, moved by forces.
    Rigid(RigidBody) = "rigid",
    /// Rigid, moved along a given path.
    Kinematic(KinematicBody) = "kinematic",
    /// Never moves.
    Static(StaticBody) = "static",
}

impl Body {
    /// The name of its kind in scene files.
    pub fn kind(&self) -> &'static str {
        self.keys().1
    }

    /// Its geometry and place.
    pub fn geometry(&self) -> &Geometry {
        self.keys().0.geometry()
    }

    /// What it is made of, where that is given.
    pub fn material(&self) -> Option<&Material> {
        self.keys().0.material()
    }

    /// The keys of a soft body, if it is one.
    pub fn fem(&self) -> Option<&FemBody> {
        if let Self::Fem(keys) = self { Some(keys) } else { None }
    }

    /// The files that it names.
    pub(crate) fn files(&mut self) -> Vec<&mut String> {
        self.keys_mut().files()
    }

    /// Adds it to the world; `path` is its place in the scene file.
    pub(crate) fn add(
        &self,
        name: &str,
        path: &str,
        to: &mut Builder,
    ) -> Result<Placed, SceneError> {
        self.keys().0.add(name, path, to)
    }

    /// What is wrong between its keys.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let (keys, _) = self.keys();
        let mut found = keys.geometry().faults();
        found.extend(keys.faults());
        found
    }
}

/// What the keys of every kind can be asked.
trait BodyKeys {
    fn geometry(&self) -> &Geometry;

    /// The files that they name.
    fn files(&mut self) -> Vec<&mut String>;

    fn material(&self) -> Option<&Material> {
        None
    }

    /// What is wrong between the keys of this kind alone.
    fn faults(&self) -> Vec<Fault> {
        Vec::new()
    }

    /// Adds the body to the world.
    fn add(&self, name: &str, path: &str, to: &mut Builder) -> Result<Placed, SceneError>;
}

impl<K: BodyKeys> BodyKeys for Box<K> {
    fn geometry(&self) -> &Geometry {
        self.as_ref().geometry()
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.as_mut().files()
    }

    fn material(&self) -> Option<&Material> {
        self.as_ref().material()
    }

    fn faults(&self) -> Vec<Fault> {
        self.as_ref().faults()
    }

    fn add(&self, name: &str, path: &str, to: &mut Builder) -> Result<Placed, SceneError> {
        self.as_ref().add(name, path, to)
    }
}

/// Something that the schema cannot say is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Dotted path of the key inside the table; empty for the table itself.
    pub(crate) key: String,
    /// What is wrong and what was expected.
    pub(crate) message: &'static str,
}

impl Fault {
    pub(crate) fn new(key: impl Into<String>, message: &'static str) -> Self {
        Self { key: key.into(), message }
    }

    /// The same of the table around, in which this one has the name `key`.
    pub(crate) fn inside(self, key: &str) -> Self {
        Self { key: join(key, &self.key), message: self.message }
    }
}
