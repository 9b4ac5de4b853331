//! `cupule render`: pictures and animations of a run, without a browser.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use cupule_record::frames::LayerKind;
use cupule_record::picture::{Animation, Colouring, Film, FilmLayer, Format, Picture, Shot};
use cupule_session::scene::expect::short;
use rayon::prelude::*;

use crate::Status;
use crate::arguments::{PictureSize, RenderOptions};

/// More pictures than this are a mistake in --speed or --fps rather than a wish.
const MOST_PICTURES: usize = 5000;

/// Makes a picture or an animation.
pub fn render(options: &RenderOptions) -> Status {
    match draw(options) {
        Ok(()) => {
            say!("{}", options.out.display());
            Status::Done
        }
        Err(message) => {
            tell!("error: {message}");
            Status::BadInput
        }
    }
}

fn draw(options: &RenderOptions) -> Result<(), String> {
    let format = format_of(&options.out, options.animate)?;
    let film = Film::open(&options.run).map_err(|error| error.to_string())?;
    let times = times(options, film.times())?;
    let frames = film.frames(&times).map_err(|error| error.to_string())?;
    let shot = shot(options, &film)?;
    let pictures: Vec<Picture> = frames.par_iter().map(|frame| film.shoot(frame, &shot)).collect();
    let write = |out: &mut BufWriter<File>| match (options.animate, pictures.first()) {
        (false, Some(picture)) => picture.write_png(&mut *out),
        _ => Animation { pictures: pictures.clone(), delay: delay(options.fps) }
            .write(format, &mut *out),
    };
    save(&options.out, write).map_err(|error| format!("{}: {error}", options.out.display()))
}

fn save(file: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    write(&mut out)?;
    out.flush()
}

fn shot(options: &RenderOptions, film: &Film) -> Result<Shot, String> {
    let size = options.size.unwrap_or(if options.animate {
        PictureSize { width: 640, height: 400 }
    } else {
        PictureSize { width: 1280, height: 800 }
    });
    let colouring = match options.colour.as_str() {
        "body" => Colouring::Body,
        "displacement" => Colouring::Displacement,
        name => Colouring::Field(layer(film, "--colour", name, "body, displacement", true)?),
    };
    let layers = options.with.iter().map(|name| layer(film, "--with", name, "", false));
    Ok(Shot {
        width: size.width,
        height: size.height,
        camera: options.camera.unwrap_or_default(),
        colouring,
        layers: layers.collect::<Result<_, _>>()?,
    })
}

/// The layer of a name, a field or another; else what there is.
fn layer(film: &Film, option: &str, name: &str, known: &str, field: bool) -> Result<usize, String> {
    let fits = |layer: &FilmLayer| (layer.layer.kind == LayerKind::Field) == field;
    let found = film.layers().iter().position(|layer| fits(layer) && layer.layer.name == name);
    found.ok_or_else(|| {
        let names = film.layers().iter().filter(|layer| fits(layer));
        let names = names.map(|layer| layer.layer.name.as_str());
        let all: Vec<&str> = [known].into_iter().filter(|k| !k.is_empty()).chain(names).collect();
        format!("{option} {name}: this run has {}", all.join(", "))
    })
}

fn format_of(out: &Path, animate: bool) -> Result<Format, String> {
    let end = out.extension().map(|end| end.to_string_lossy().to_lowercase());
    match (end.as_deref(), animate) {
        (Some("png"), _) => Ok(Format::Apng),
        (Some("gif"), true) => Ok(Format::Gif),
        (_, true) => {
            Err(format!("--out {}: expected a name that ends in .gif or .png", out.display()))
        }
        (_, false) => Err(format!("--out {}: expected a name that ends in .png", out.display())),
    }
}

/// The times of the pictures, s.
fn times(options: &RenderOptions, frames: &[f64]) -> Result<Vec<f64>, String> {
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else {
        return Err(format!("{}: the run has no frame", options.run.display()));
    };
    if !options.animate {
        let at = options.at.unwrap_or(*last);
        if !(*first..=*last + 1e-9).contains(&at) {
            let (first, last) = (short(*first), short(*last));
            return Err(format!("--at {at}: the run goes from {first} s to {last} s"));
        }
        return Ok(vec![at]);
    }
    let step = options.speed * f64::from(delay(options.fps)) / 100.0;
    let count = (last - first) / step;
    if !(step > 0.0 && count < MOST_PICTURES as f64) {
        let speed = options.speed;
        return Err(format!(
            "--speed {speed}: expected a number above 0 with at most {MOST_PICTURES} pictures"
        ));
    }
    Ok((0..=count.ceil() as usize).map(|index| (first + index as f64 * step).min(*last)).collect())
}

/// Hundredths of a second per picture: what both formats count in.
fn delay(fps: u16) -> u16 {
    (100 + fps / 2) / fps
}
