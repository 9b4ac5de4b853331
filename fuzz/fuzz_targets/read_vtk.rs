//! Whatever the bytes, the .vtk reader returns.
#![no_main]

use cupule_geometry::files::{Format, read_surface_from_bytes, read_volume_from_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = read_surface_from_bytes(bytes, Format::Vtk).map_err(|error| error.to_string());
    let _ = read_volume_from_bytes(bytes, Format::Vtk).map_err(|error| error.to_string());
});
