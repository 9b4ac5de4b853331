//! Linear elasticity in the rotated frame of each element (Mueller and Gross 2004). Its elements know it whole (`element/corotated.rs`).

use super::Model;

pub(super) static MODEL: Model = Model {
    name: "corotated",
    about: "Linear elasticity in the rotated frame of each cell.",
    elements: |moduli, domain| domain.corotated(moduli),
};
