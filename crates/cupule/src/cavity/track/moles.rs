//! The mole balance of a run.

/// Air since the start of the run, mol: in_cavities = created + leaked_in - vented - pumped - released.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moles {
    /// Enclosed when cavities closed.
    pub created: f64,
    /// In cavities now.
    pub in_cavities: f64,
    /// Pressed out through the seal.
    pub vented: f64,
    /// Leaked in (less what leaked out).
    pub leaked_in: f64,
    /// Taken by lines, pumps and muscles.
    pub pumped: f64,
    /// Let go when cavities opened.
    pub released: f64,
}

impl Moles {
    /// How far the mole balance is off, relative to what was ever enclosed.
    pub fn balance_error(&self) -> f64 {
        let expected = self.created + self.leaked_in - self.vented - self.pumped - self.released;
        let scale = self.created + self.leaked_in.abs();
        if scale > 0.0 {
            (self.in_cavities - expected).abs() / scale
        } else {
            self.in_cavities.abs()
        }
    }
}
