//! The embedded page is what the sources in `viewer/` build: a stamp of all sources stands in it.
//!
//! This notices a forgotten build with Rust alone; `npm run verify` in `viewer/` builds anew and compares every byte.

#[path = "../../cupule-record/tests/viewer_sources/mod.rs"]
mod viewer_sources;

use std::fs;
use std::path::Path;

use viewer_sources::stamp;

#[test]
fn the_embedded_page_was_built_from_these_sources() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/live.html");
    let page = fs::read_to_string(page).unwrap();
    let stamp = stamp();
    assert!(
        page.contains(&format!("viewer sources {stamp}\"")),
        "the viewer's sources have changed: run `npm ci && npm run build` in viewer/ (stamp {stamp})"
    );
}

#[test]
fn the_embedded_page_asks_only_its_own_server() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/live.html");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("default-src 'none'") && page.contains("connect-src 'self'"));
    for tag in ["<link", "<script src", "<iframe", "@import", "url(http"] {
        assert!(!page.contains(tag), "{tag}");
    }
}
