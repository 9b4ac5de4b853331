//! Pictures of a small run.

use std::fs::{self, File};
use std::path::PathBuf;

use super::*;
use crate::frames::{FrameBody, FrameWriter};

/// A tetrahedron that moves to the right by its size in ten frames.
fn run(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cupule-picture-{}-{test}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let body = FrameBody::of_surface("a".into(), 4, triangles);
    let file = File::create(folder.join("frames.bin")).unwrap();
    let mut writer = FrameWriter::new(file, &[body], &[]).unwrap();
    for step in 0..=10 {
        let shift = 0.01 * f64::from(step) * DVec3::X;
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|x| 0.1 * x + shift).to_vec();
        writer.write(0.1 * f64::from(step), &[points], &[]).unwrap();
    }
    folder
}

fn shot(colouring: Colouring) -> Shot {
    let camera = "-90,0".parse().unwrap();
    Shot { width: 60, height: 40, camera, colouring, layers: Vec::new() }
}

/// Mean column of the pixels that are not background (which is grey).
fn middle(picture: &Picture) -> f64 {
    let body = |p: &[u8; 3]| p.iter().max().unwrap() - p.iter().min().unwrap() > 40;
    let columns: Vec<f64> = picture
        .pixels
        .iter()
        .enumerate()
        .filter(|(_, p)| body(p))
        .map(|(i, _)| (i % 60) as f64)
        .collect();
    columns.iter().sum::<f64>() / columns.len() as f64
}

#[test]
fn a_body_that_moves_right_is_drawn_further_right_in_its_colour() {
    let film = Film::open(&run("move")).unwrap();
    let frames = film.frames(&[0.0, 0.55, 99.0]).unwrap();
    assert_eq!(
        frames.iter().map(|f| (f.time * 10.0).round()).collect::<Vec<_>>(),
        [0.0, 5.0, 10.0]
    );
    let pictures: Vec<Picture> =
        frames.iter().map(|f| film.shoot(f, &shot(Colouring::Body))).collect();
    let [a, b, c] = [0, 1, 2].map(|i| middle(&pictures[i]));
    assert!(b - a > 3.0 && c - b > 3.0, "{a} {b} {c}");
    let blue = pictures[0].pixels.iter().filter(|[r, _, b]| b.saturating_sub(*r) > 60).count();
    assert!(blue > 60, "{blue}");
    assert_eq!(film.shoot(&frames[1], &shot(Colouring::Body)), pictures[1], "a picture repeats");
}

#[test]
fn displacement_goes_from_dark_to_bright() {
    let film = Film::open(&run("displacement")).unwrap();
    let frames = film.frames(&[0.0, 1.0]).unwrap();
    let [dark, bright] = [0, 1].map(|i| film.shoot(&frames[i], &shot(Colouring::Displacement)));
    let yellow =
        |p: &Picture| p.pixels.iter().filter(|[r, g, b]| *r > 120 && *g > 120 && *b < 90).count();
    assert!(yellow(&dark) == 0 && yellow(&bright) > 60);
}

#[test]
fn files_are_what_their_readers_expect() {
    let film = Film::open(&run("files")).unwrap();
    let frames = film.frames(&[0.0, 0.0, 0.5, 1.0]).unwrap();
    let pictures: Vec<Picture> =
        frames.iter().map(|f| film.shoot(f, &shot(Colouring::Body))).collect();
    let mut bytes = Vec::new();
    pictures[0].write_png(&mut bytes).unwrap();
    let mut reader = png::Decoder::new(io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, pictures[0].pixels.as_flattened());
    let animation = Animation { pictures, delay: 4 };
    let mut apng = Vec::new();
    animation.write(Format::Apng, &mut apng).unwrap();
    let reader = png::Decoder::new(io::Cursor::new(&apng)).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 4);
    let mut packed = Vec::new();
    animation.write(Format::Gif, &mut packed).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(packed.as_slice()).unwrap();
    let mut count = 0;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 4);
        count += 1;
    }
    assert_eq!((count, decoder.width(), decoder.height()), (4, 60, 40));
}

/// The pixels above the bars that tell the colours.
fn above_bars(picture: &Picture) -> &[[u8; 3]] {
    let rows = picture.height * 4 / 5;
    &picture.pixels[..(rows * picture.width) as usize]
}

/// A flat square with a field, an arrow that stands on it, and air below it.
fn run_with_layers() -> PathBuf {
    use crate::frames::{Arrow, Layer, LayerFrame, LayerKind, Volume};
    let folder = std::env::temp_dir().join(format!("cupule-picture-{}-layers", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let square = |z: f64| {
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, z)).to_vec()
    };
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let body = FrameBody::of_surface("a".into(), 4, triangles.clone());
    let heads = [
        Layer::new(LayerKind::Field, "stress", "Stress", "Pa"),
        Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N"),
        Layer::new(LayerKind::Volumes, "cavities", "Air", "Pa"),
    ];
    let file = File::create(folder.join("frames.bin")).unwrap();
    let mut writer = FrameWriter::new(file, &[body], &heads).unwrap();
    for (time, level) in [(0.0, 0.0), (1.0, 5.0)] {
        let arrow = Arrow { at: [0.5, 0.5, 0.0], vector: [0.0, 0.0, 3.0] };
        let positions = square(0.5).iter().map(|x| x.to_array().map(|c| c as f32)).collect();
        let air = Volume { identity: 0, value: level, positions, triangles: triangles.clone() };
        let shown = [
            LayerFrame::Field(vec![Some(vec![level; 4])]),
            LayerFrame::Arrows(vec![arrow]),
            LayerFrame::Volumes(vec![air]),
        ];
        writer.write(time, &[square(0.0)], &shown).unwrap();
    }
    folder
}

#[test]
fn fields_colour_bodies_and_layers_are_drawn_when_asked_for() {
    let film = Film::open(&run_with_layers()).unwrap();
    assert_eq!((film.layers()[0].min, film.layers()[0].max), (0.0, 5.0));
    assert_eq!(film.layers()[1].max, 3.0);
    let frames = film.frames(&[0.0, 1.0]).unwrap();
    let shoot = |frame: usize, colouring, layers: &[usize]| {
        let camera = "-90,30".parse().unwrap();
        let shot = Shot { width: 240, height: 160, camera, colouring, layers: layers.to_vec() };
        film.shoot(&frames[frame], &shot)
    };
    let count = |picture: &Picture, is: fn(&[u8; 3]) -> bool| {
        above_bars(picture).iter().filter(|p| is(p)).count()
    };
    let yellow: fn(&[u8; 3]) -> bool = |[r, g, b]| *r > 120 && *g > 120 && *b < 90;
    let magenta: fn(&[u8; 3]) -> bool = |[r, g, b]| *r > 120 && *g < 100 && *b > 50 && *b < 160;
    assert_eq!(count(&shoot(0, Colouring::Field(0), &[]), yellow), 0, "dark for the least");
    assert!(count(&shoot(1, Colouring::Field(0), &[]), yellow) > 50, "bright for the largest");
    let plain = shoot(1, Colouring::Body, &[]);
    assert_eq!(count(&plain, magenta), 0);
    assert!(count(&shoot(1, Colouring::Body, &[1]), magenta) > 10, "an arrow");
    let veiled = shoot(1, Colouring::Body, &[2]);
    let changed = plain.pixels.iter().zip(&veiled.pixels).filter(|(a, b)| a != b).count();
    assert!(changed > 100, "air lies over {changed} pixels");
    assert_eq!(shoot(1, Colouring::Body, &[99]), plain, "a layer that is not there draws nothing");
}

/// A run of one frame with a square of air at a pressure (Pa) in an atmosphere of 100 kPa.
fn run_with_air(pressure: f32) -> PathBuf {
    use crate::frames::{Layer, LayerFrame, LayerKind, Volume};
    let name = format!("cupule-picture-{}-air-{pressure}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("summary.json"), r#"{"atmosphere_pa": 100000.0}"#).unwrap();
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let body = FrameBody::of_surface("a".into(), 4, triangles.clone());
    let heads = [Layer::new(LayerKind::Volumes, "cavities", "Air", "Pa")];
    let file = File::create(folder.join("frames.bin")).unwrap();
    let mut writer = FrameWriter::new(file, &[body], &heads).unwrap();
    let positions = corners.map(|[x, y]| [x, y, 0.1]).to_vec();
    let air = Volume { identity: 0, value: pressure, positions, triangles };
    let square = corners.map(|[x, y]| DVec3::new(f64::from(x), f64::from(y), 0.0)).to_vec();
    writer.write(0.0, &[square], &[LayerFrame::Volumes(vec![air])]).unwrap();
    folder
}

#[test]
fn air_has_the_colour_of_its_pressure_whatever_else_the_run_shows() {
    let look = |pressure: f32| {
        let film = Film::open(&run_with_air(pressure)).unwrap();
        let frame = film.frames(&[0.0]).unwrap().remove(0);
        let (camera, colouring) = ("-90,60".parse().unwrap(), Colouring::Body);
        let shot = Shot { width: 240, height: 160, camera, colouring, layers: vec![0] };
        let plain = film.shoot(&frame, &Shot { layers: Vec::new(), ..shot.clone() });
        let head = &film.layers()[0];
        ([head.min, head.max], film.shoot(&frame, &shot), plain)
    };
    let ([low, high], thin, plain) = look(20e3);
    assert_eq!([low, high], [0.0, 100e3]);
    let (_, dense, _) = look(95e3);
    let middle = |picture: &Picture| picture.pixels[(80 * 240 + 120) as usize];
    let ([_, g, _], [_, more, _]) = (middle(&thin), middle(&dense));
    assert!(more > g + 60, "green {g} at 20 kPa, {more} at 95 kPa");
    assert_eq!(look(130e3).0, [0.0, 130e3], "above the atmosphere the scale reaches further");
    let bars = |picture: &Picture| picture.pixels[above_bars(picture).len()..].to_vec();
    assert_eq!(bars(&thin)[..240 * 5], bars(&plain)[..240 * 5], "no higher than it must be");
    assert_ne!(bars(&thin), bars(&plain), "a bar");
    assert_eq!(bars(&thin), bars(&dense), "the same for both");
}
