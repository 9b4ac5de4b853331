//! Pictures one after the other: GIF, which everything shows, or APNG, which keeps all colours.

use std::borrow::Cow;
use std::io::{self, Write};

use color_quant::NeuQuant;

use super::Picture;

/// What an animation is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// 255 colours.
    Gif,
    /// All colours.
    Apng,
}

/// Pictures of one size and how long each is shown; repeated for ever.
#[derive(Debug, Clone)]
pub struct Animation {
    /// Pictures, at least one, all of one size.
    pub pictures: Vec<Picture>,
    /// Hundredths of a second that each is shown.
    pub delay: u16,
}

/// A part of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Patch {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl Animation {
    /// Writes it.
    pub fn write(&self, format: Format, out: impl Write) -> io::Result<()> {
        match format {
            Format::Gif => self.write_gif(out),
            Format::Apng => self.write_apng(out),
        }
    }

    fn size(&self) -> io::Result<(usize, usize)> {
        let first = self.pictures.first().ok_or_else(|| io::Error::other("no picture to show"))?;
        let alike = |p: &Picture| (p.width, p.height) == (first.width, first.height);
        if !self.pictures.iter().all(alike) {
            return Err(io::Error::other("pictures of different sizes"));
        }
        Ok((first.width as usize, first.height as usize))
    }

    fn write_apng(&self, out: impl Write) -> io::Result<()> {
        let (width, height) = self.size()?;
        let fail = |error: png::EncodingError| io::Error::other(error);
        let mut encoder = png::Encoder::new(out, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_animated(self.pictures.len() as u32, 0).map_err(fail)?;
        encoder.set_frame_delay(self.delay, 100).map_err(fail)?;
        let mut writer = encoder.write_header().map_err(fail)?;
        for (index, picture) in self.pictures.iter().enumerate() {
            let patch = match index.checked_sub(1) {
                None => Patch { left: 0, top: 0, width, height },
                Some(before) => changed(&self.pictures[before].pixels, &picture.pixels, width),
            };
            if index > 0 {
                // The size first: a place is only taken where the size fits.
                writer.reset_frame_position().map_err(fail)?;
                writer
                    .set_frame_dimension(patch.width as u32, patch.height as u32)
                    .map_err(fail)?;
                writer.set_frame_position(patch.left as u32, patch.top as u32).map_err(fail)?;
            }
            let pixels = cut(&picture.pixels, width, patch);
            writer.write_image_data(pixels.as_flattened()).map_err(fail)?;
        }
        writer.finish().map_err(fail)
    }

    fn write_gif(&self, out: impl Write) -> io::Result<()> {
        let (width, height) = self.size()?;
        let small =
            |size: usize| u16::try_from(size).map_err(|_| io::Error::other("too large for GIF"));
        let palette = Palette::of(&self.pictures);
        let mut encoder = gif::Encoder::new(out, small(width)?, small(height)?, &palette.colours())
            .map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        let mut before: Option<Vec<u8>> = None;
        for picture in &self.pictures {
            let now = palette.indices(picture);
            let patch = match &before {
                None => Patch { left: 0, top: 0, width, height },
                Some(before) => changed(before, &now, width),
            };
            let mut indices = cut(&now, width, patch);
            if let Some(before) = &before {
                // What stays is left see-through, which packs into nothing.
                let old = cut(before, width, patch);
                indices
                    .iter_mut()
                    .zip(old)
                    .filter(|(new, old)| **new == *old)
                    .for_each(|(new, _)| *new = CLEAR);
            }
            let frame = gif::Frame {
                delay: self.delay,
                left: small(patch.left)?,
                top: small(patch.top)?,
                width: small(patch.width)?,
                height: small(patch.height)?,
                transparent: Some(CLEAR),
                buffer: Cow::Owned(indices),
                dispose: gif::DisposalMethod::Keep,
                ..gif::Frame::default()
            };
            encoder.write_frame(&frame).map_err(io::Error::other)?;
            before = Some(now);
        }
        Ok(())
    }
}

/// The smallest part that holds all changes; one pixel if there are none.
fn changed<T: PartialEq>(before: &[T], now: &[T], width: usize) -> Patch {
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    for (place, _) in before.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b) {
        let (column, row) = (place % width, place / width);
        (left, right) = (left.min(column), right.max(column));
        (top, bottom) = (top.min(row), bottom.max(row));
    }
    if left == usize::MAX {
        return Patch { left: 0, top: 0, width: 1, height: 1 };
    }
    Patch { left, top, width: right - left + 1, height: bottom - top + 1 }
}

fn cut<T: Copy>(pixels: &[T], width: usize, patch: Patch) -> Vec<T> {
    let rows = patch.top..patch.top + patch.height;
    rows.flat_map(|row| {
        let start = row * width + patch.left;
        pixels[start..start + patch.width].iter().copied()
    })
    .collect()
}

/// The index that shows what was there before.
const CLEAR: u8 = 255;
/// Steps of a colour that share an entry of the table below.
const TABLE_BITS: u8 = 5;

/// One palette for all pictures, so that what does not move does not flicker.
struct Palette {
    quantiser: NeuQuant,
    table: Vec<u8>,
}

impl Palette {
    fn of(pictures: &[Picture]) -> Self {
        let step = pictures.len().div_ceil(8).max(1);
        let samples: Vec<u8> = pictures
            .iter()
            .step_by(step)
            .flat_map(|picture| picture.pixels.iter().step_by(3))
            .flat_map(|[r, g, b]| [*r, *g, *b, 255])
            .collect();
        let quantiser = NeuQuant::new(10, 255, &samples);
        let count = 1_usize << TABLE_BITS;
        let spread = |index: usize| (index << (8 - TABLE_BITS)) as u8 | (1 << (7 - TABLE_BITS));
        let table = (0..count * count * count)
            .map(|entry| {
                let (r, rest) = (entry / (count * count), entry % (count * count));
                let colour = [spread(r), spread(rest / count), spread(rest % count), 255];
                quantiser.index_of(&colour) as u8
            })
            .collect();
        Self { quantiser, table }
    }

    fn colours(&self) -> Vec<u8> {
        let mut colours = self.quantiser.color_map_rgb();
        colours.resize(3 * 256, 0);
        colours
    }

    /// Pixels as indices; a pattern that stays in place hides the steps between colours.
    fn indices(&self, picture: &Picture) -> Vec<u8> {
        const PATTERN: [[i16; 4]; 4] =
            [[-7, 1, -5, 3], [5, -3, 7, -1], [-4, 4, -6, 2], [8, 0, 6, -2]];
        let width = picture.width as usize;
        let pixels = picture.pixels.iter().enumerate();
        pixels
            .map(|(place, pixel)| {
                let shift = PATTERN[place / width % 4][place % width % 4] / 2;
                let [r, g, b] = pixel.map(|c| {
                    usize::from((i16::from(c) + shift).clamp(0, 255) as u8 >> (8 - TABLE_BITS))
                });
                self.table[(r << (2 * TABLE_BITS)) | (g << TABLE_BITS) | b]
            })
            .collect()
    }
}
