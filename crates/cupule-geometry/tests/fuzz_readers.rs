//! Mutational fuzzing of the mesh readers on the stable toolchain: whatever the bytes, a reader returns; it neither
//! panics nor allocates out of proportion.
//!
//! Each reader gets a second by default; `CUPULE_FUZZ_SECONDS=60` makes it a minute. The generator is deterministic, so
//! a failure repeats: it prints the round and the input. The targets in `fuzz/` are the same entry points for
//! coverage-guided fuzzing.
#![allow(clippy::unwrap_used)] // a test may panic

use std::io::Write;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use cupule_geometry::files::{Format, read_surface_from_bytes, read_volume_from_bytes};

/// A small generator (SplitMix64), so that the inputs are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let longest = (length - start).min(64);
        start..start + self.below(longest + 1)
    }
}

/// Numbers that break parsers, in place of those of the file.
const HOSTILE: [&str; 16] = [
    "nan",
    "-inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "4294967295",
    "4294967296",
    "2147483648",
    "18446744073709551615",
    "99999999999999999999",
    "9223372036854775807",
    "0x10",
    "1.5",
    "",
];

/// The same in four and eight bytes.
const HOSTILE_BYTES: [u64; 6] =
    [0, u64::MAX, 0x7fff_ffff_ffff_ffff, 0x7fff_ffff_7fff_ffff, 0x7ff8_0000_0000_0000, 0x7f80_0000];

fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        mutate_once(random, &mut bytes, seeds);
    }
    bytes
}

fn mutate_once(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = random.below(bytes.len());
    match random.below(8) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(random.range(bytes.len()))),
        4 => {
            let copied = bytes[random.range(bytes.len())].to_vec();
            bytes.splice(at..at, copied);
        }
        5 => {
            let other = &seeds[random.below(seeds.len())];
            let piece = other[random.range(other.len())].to_vec();
            let replaced = random.range(bytes.len());
            bytes.splice(replaced, piece);
        }
        6 => {
            let value = HOSTILE_BYTES[random.below(HOSTILE_BYTES.len())].to_le_bytes();
            let count = [4, 8][random.below(2)].min(bytes.len() - at);
            bytes[at..at + count].copy_from_slice(&value[..count]);
        }
        _ => replace_number(random, bytes),
    }
}

fn replace_number(random: &mut Random, bytes: &mut Vec<u8>) {
    let numeric = |byte: &u8| byte.is_ascii_digit() || b"+-.e".contains(byte);
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&i| bytes[i].is_ascii_digit() && (i == 0 || !numeric(&bytes[i - 1])))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[random.below(starts.len())];
    let end =
        bytes[start..].iter().position(|byte| !numeric(byte)).map_or(bytes.len(), |n| start + n);
    bytes.splice(start..end, HOSTILE[random.below(HOSTILE.len())].bytes());
}

fn fuzz(format: Format, seeds: &[Vec<u8>]) {
    for seed in seeds {
        let read = read_surface_from_bytes(seed, format).is_ok()
            || read_volume_from_bytes(seed, format).is_ok();
        assert!(read, "{format:?}: a seed is not read: {}", String::from_utf8_lossy(seed));
    }
    let seconds = std::env::var("CUPULE_FUZZ_SECONDS").ok().and_then(|word| word.parse().ok());
    let limit = Duration::from_secs_f64(seconds.unwrap_or(1.0));
    let start = Instant::now();
    let mut random = Random(format as u64);
    let (mut rounds, mut accepted) = (0_u64, 0_u64);
    while start.elapsed() < limit {
        let bytes = mutate(&mut random, seeds);
        let good = catch_unwind(|| {
            let surface =
                read_surface_from_bytes(&bytes, format).map_err(|error| error.to_string());
            let volume = read_volume_from_bytes(&bytes, format).map_err(|error| error.to_string());
            surface.is_ok() || volume.is_ok()
        });
        let text = String::from_utf8_lossy(&bytes);
        assert!(good.is_ok(), "{format:?}, round {rounds}: {text}\n{bytes:?}");
        accepted += u64::from(good.is_ok_and(|good| good));
        rounds += 1;
    }
    println!("{format:?}: {rounds} inputs, {accepted} of them sound");
    // Both paths must be taken, or the mutations are too tame or too wild to test anything.
    assert!(accepted > 0 && accepted < rounds);
}

const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

#[test]
fn obj() {
    fuzz(
        Format::Obj,
        &[
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -2 -4 -1\n".into(),
            b"# c\nv 0 0 0 1\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1 2 \\\n3 4\n".into(),
        ],
    );
}

#[test]
fn stl() {
    let mut text = b"solid s\n".to_vec();
    let mut binary = vec![b'b'; 80];
    binary.extend(4_u32.to_le_bytes());
    for face in FACES {
        text.extend(b"facet normal 0 0 1\nouter loop\n");
        binary.extend([0; 12]);
        for [x, y, z] in face.map(|corner| POINTS[corner]) {
            writeln!(text, "vertex {x} {y} {z}").unwrap();
            binary.extend([x, y, z].iter().flat_map(|value| value.to_le_bytes()));
        }
        text.extend(b"endloop\nendfacet\n");
        binary.extend([0; 2]);
    }
    text.extend(b"endsolid s\n");
    fuzz(Format::Stl, &[text, binary]);
}

#[test]
fn msh() {
    let old = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
        $Elements\n3\n1 15 2 0 1 1\n2 2 2 0 1 1 3 2\n3 4 2 1 1 1 2 3 4\n$EndElements\n";
    let new = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 1 4\n2 1 1 1\n1\n0 0 0 0.5 0.5\n3 1 0 3\n2\n3\n4\n\
        1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 3 2\n3 1 4 1\n2 1 2 3 4\n$EndElements\n";
    let mut binary = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    let sizes = |list: &[u64]| list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let ints = |list: &[i32]| list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    binary.extend(sizes(&[1, 4, 1, 4]));
    binary.extend(ints(&[3, 1, 0]));
    binary.extend(sizes(&[4, 1, 2, 3, 4]));
    binary.extend(POINTS.as_flattened().iter().flat_map(|v| f64::from(*v).to_le_bytes()));
    binary.extend(b"\n$EndNodes\n$Elements\n");
    binary.extend(sizes(&[1, 1, 1, 1]));
    binary.extend(ints(&[3, 1, 4]));
    binary.extend(sizes(&[1, 7, 1, 2, 3, 4]));
    binary.extend(b"\n$EndElements\n");
    fuzz(Format::Msh, &[old.into(), new.into(), binary]);
}

#[test]
fn vtk() {
    let old = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
        0 0 0 1 0 0\n0 1 0\n0 0 1\nCELLS 2 9\n4 0 1 2 3\n3 0 2 1\nCELL_TYPES 2\n10\n5\nPOINT_DATA 4\n";
    let new = "# vtk DataFile Version 5.1\nt\nASCII\nDATASET POLYDATA\nFIELD F 1\nt 1 1 double\n1\nPOINTS 4 float\n\
        0 0 0 1 0 0 0 1 0 0 0 1\nMETADATA\nINFORMATION 0\n\nPOLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\n\
        CONNECTIVITY vtktypeint64\n0 2 1 2 0 3\nTRIANGLE_STRIPS 1 5\n4 0 1 3 2\n";
    let mut binary =
        b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
            .to_vec();
    binary.extend(POINTS.as_flattened().iter().flat_map(|value| value.to_be_bytes()));
    binary.extend(b"\nCELLS 1 5\n");
    binary.extend([4, 0, 1, 2, 3_i32].iter().flat_map(|value| value.to_be_bytes()));
    binary.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\n");
    fuzz(Format::Vtk, &[old.into(), new.into(), binary]);
}

#[test]
fn vtu() {
    let file = |attributes: &str, points: &str, tail: &str| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt32\" {attributes}>\n\
            <UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"2\"><Points>\n\
            <DataArray type=\"Float32\" NumberOfComponents=\"3\" {points}</DataArray></Points><Cells>\n\
            <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 0 2 1</DataArray>\n\
            <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4 7</DataArray>\n\
            <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10 5</DataArray>\n\
            </Cells></Piece></UnstructuredGrid>{tail}</VTKFile>"
        )
        .into_bytes()
    };
    let plain = "MAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw==";
    let packed = "AgAAACAAAAAQAAAAEAAAAA0AAAA=eJxjYEAGDfYMaHwADo4Bf3icY2BABg32AAFPAMA=";
    let appended = format!("<AppendedData encoding=\"base64\">_{plain}</AppendedData>");
    let polydata = "<VTKFile type=\"PolyData\"><PolyData><Piece><Points><DataArray>0 0 0 1 0 0 0 1 0 0 0 1</DataArray>\
        </Points><Polys><DataArray Name=\"connectivity\">0 1 2</DataArray><DataArray Name=\"offsets\">3</DataArray>\
        </Polys></Piece></PolyData></VTKFile>";
    fuzz(
        Format::Vtu,
        &[
            file("", "format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1", ""),
            file("", &format!("format=\"binary\">{plain}"), ""),
            file("", "format=\"appended\" offset=\"0\">", &appended),
            file(
                "compressor=\"vtkZLibDataCompressor\"",
                &format!("format=\"binary\">{packed}"),
                "",
            ),
            polydata.into(),
        ],
    );
}
