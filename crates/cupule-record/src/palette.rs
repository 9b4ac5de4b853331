//! Colours of bodies, the same in the page and in pictures; and the scale that shows figures as colours.

/// A colour as a screen shows it (sRGB).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// As in style sheets, such as `#4c8dd6`.
    pub fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Amounts of light, 0 to 1.
    pub fn linear(self) -> [f32; 3] {
        self.0.map(|c| {
            let c = f32::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }
}

/// Told apart side by side and by most colour-blind people, with white text readable on each.
const BODIES: [Colour; 10] = [
    Colour([0x3f, 0x83, 0xd1]),
    Colour([0xe2, 0x6d, 0x4f]),
    Colour([0x1f, 0x9e, 0x89]),
    Colour([0xe0, 0xa0, 0x30]),
    Colour([0x8b, 0x68, 0xcc]),
    Colour([0xcf, 0x5c, 0x92]),
    Colour([0x76, 0xa9, 0x3f]),
    Colour([0x2f, 0xa3, 0xc2]),
    Colour([0xa2, 0x74, 0x4e]),
    Colour([0x5f, 0x6f, 0xb8]),
];

/// What stands still keeps in the background.
const STATIC: Colour = Colour([0xc4, 0xca, 0xd1]);

/// The colour of the body of this index and kind.
pub fn body_colour(index: usize, kind: &str) -> Colour {
    if kind == "static" { STATIC } else { BODIES[index % BODIES.len()] }
}

/// Arrows of the first layer, the second, and so on; `viewer/src/view/theatre.ts` has the same.
const ARROWS: [Colour; 4] = [
    Colour([0xd6, 0x33, 0x6c]),
    Colour([0x70, 0x48, 0xe8]),
    Colour([0x0c, 0x85, 0x99]),
    Colour([0xe6, 0x77, 0x00]),
];

/// The colour of the layer of arrows of this number.
pub fn arrow_colour(number: usize) -> Colour {
    ARROWS[number % ARROWS.len()]
}

/// Steps of the scale of figures, dark to bright: viridis, even to the eye and readable without colours.
const SCALE: [Colour; 9] = [
    Colour([0x44, 0x01, 0x54]),
    Colour([0x47, 0x2d, 0x7b]),
    Colour([0x3b, 0x52, 0x8b]),
    Colour([0x2c, 0x72, 0x8e]),
    Colour([0x21, 0x91, 0x8c]),
    Colour([0x28, 0xae, 0x80]),
    Colour([0x5e, 0xc9, 0x62]),
    Colour([0xad, 0xdc, 0x30]),
    Colour([0xfd, 0xe7, 0x25]),
];

/// The steps of the scale, as in style sheets.
pub fn scale_hex() -> Vec<String> {
    SCALE.iter().map(|colour| colour.hex()).collect()
}

/// The colour of a figure, 0 (least) to 1 (largest), as amounts of light.
pub fn scale_colour(share: f32) -> [f32; 3] {
    let place = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f32;
    let below = (place as usize).min(SCALE.len() - 2);
    let (low, high) = (SCALE[below].linear(), SCALE[below + 1].linear());
    let part = place - below as f32;
    [0, 1, 2].map(|c| low[c] + (high[c] - low[c]) * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_gets_brighter_all_the_way() {
        let light = |share: f32| {
            let [r, g, b] = scale_colour(share);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        assert!((1..=100).all(|i| light(i as f32 / 100.0) > light((i - 1) as f32 / 100.0)));
        assert_eq!(body_colour(0, "fem").hex(), "#3f83d1");
    }
}
