//! What a body is made of.

use std::borrow::Cow;

use cupule::material::{Isotropic, MODELS, Model};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Fault;

/// What a body is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Material {
    /// Stress-strain law.
    #[serde(default)]
    pub model: MaterialModel,
    /// Young's modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub youngs_modulus: Option<f64>,
    /// Poisson's ratio, between -1 and 0.5, both excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 0.5))]
    pub poissons_ratio: Option<f64>,
    /// Density, kg/m3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Rayleigh damping.
    #[serde(default)]
    pub damping: Damping,
}

impl Material {
    /// What elements are made of.
    pub(super) fn elastic(&self) -> Result<cupule::material::Material, String> {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let moduli = Isotropic::new(number(self.youngs_modulus), number(self.poissons_ratio));
        let moduli = moduli.map_err(|error| error.to_string())?;
        let word = &self.model.0;
        cupule::material::Material::named(word, moduli)
            .ok_or_else(|| format!("there is no model `{word}`"))
    }

    /// What an elastic body misses in it.
    pub(super) fn elastic_faults(&self) -> Vec<Fault> {
        let needed = [
            (self.youngs_modulus, "`youngs_modulus` is missing (Young's modulus, Pa)"),
            (self.poissons_ratio, "`poissons_ratio` is missing (between -1 and 0.5)"),
        ];
        let missing = needed.into_iter().filter(|(value, _)| value.is_none());
        missing.map(|(_, message)| Fault::new("material", message)).collect()
    }
}

/// What is wrong with the mass of a body that has one: it comes from exactly one of two keys.
pub(super) fn mass_fault(mass: Option<f64>, material: Option<&Material>) -> Option<Fault> {
    let density = material.and_then(|material| material.density);
    let message = "expected either `mass` (kg) or the `density` of its `material` (kg/m3)";
    (mass.is_some() == density.is_some()).then(|| Fault::new("", message))
}

/// Stress-strain law, by its word: one of [`MODELS`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MaterialModel(pub String);

impl Default for MaterialModel {
    fn default() -> Self {
        Self(MODELS[0].name.into())
    }
}

impl JsonSchema for MaterialModel {
    fn schema_name() -> Cow<'static, str> {
        "MaterialModel".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let word = |model: &&Model| json!({ "description": model.about, "type": "string", "const": model.name });
        let words: Vec<_> = MODELS.iter().map(word).collect();
        json_schema!({ "description": "Stress-strain law.", "oneOf": words })
    }
}

/// Rayleigh damping D = mass M + stiffness K.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Damping {
    /// Factor on the mass matrix, 1/s.
    #[schemars(range(min = 0))]
    pub mass: f64,
    /// Factor on the stiffness matrix, s.
    #[schemars(range(min = 0))]
    pub stiffness: f64,
}
