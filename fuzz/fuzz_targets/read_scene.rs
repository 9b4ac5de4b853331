//! Whatever the text, the scene reader returns.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let folder = std::path::Path::new(".");
    let _ = cupule_scene::read(text, "fuzz.toml", "fuzz", folder, &[]).map_err(|error| error.to_string());
});
