//! Damaged scenes never panic the reader: shipped scenes with random edits, the same on every run.
//!
//! About a second by default; `CUPULE_FUZZ_SECONDS=60 cargo test -p cupule-scene --test fuzz` for longer.

use std::path::Path;
use std::time::{Duration, Instant};

use cupule_scene::{read, shipped_names, shipped_text};

/// xorshift64*: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(value).unwrap_or(0) % sides.max(1)
    }
}

/// Pieces that tend to break readers.
const PIECES: &[&str] = &[
    "=",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\n",
    ".",
    ",",
    "-1",
    "0",
    "1e308",
    "-1e-308",
    "nan",
    "inf",
    "99999999999999999999",
    "true",
    "é",
    "\u{0}",
    "[[",
    "[bodies.x]",
    "kind = \"fem\"",
    "((((",
    "min(",
    "scene.",
    "1979-05-27",
    "'''",
    "#",
    "select = {}",
    "nodes = 4294967295",
    "subdivisions = [0]",
    "rotation = { angle = 1 }",
];

fn damage(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + dice.roll(40)).min(bytes.len());
        match dice.roll(5) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, PIECES[dice.roll(PIECES.len())].bytes())),
            2 => drop(bytes.splice(at..end, PIECES[dice.roll(PIECES.len())].bytes())),
            3 => {
                let from = dice.roll(other.len());
                let to = (from + dice.roll(80)).min(other.len());
                bytes.splice(at..at, other.as_bytes()[from..to].iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_scenes_are_read_or_refused_but_never_panic() {
    let seconds =
        std::env::var("CUPULE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let scenes: Vec<&str> = shipped_names().filter_map(shipped_text).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut good, mut refused) = (0_usize, 0_usize);
    while Instant::now() < until {
        let (text, other) = (scenes[dice.roll(scenes.len())], scenes[dice.roll(scenes.len())]);
        let text = damage(text, other, &mut dice);
        let set =
            [format!("{}={}", PIECES[dice.roll(PIECES.len())], PIECES[dice.roll(PIECES.len())])];
        let set = if dice.roll(4) == 0 { &set[..] } else { &[] };
        match read(&text, "fuzz.toml", "fuzz", Path::new("."), set) {
            Ok(loaded) => {
                // What was accepted can be written out and read back.
                let again =
                    read(&loaded.to_toml().unwrap(), "again.toml", "fuzz", Path::new("."), &[])
                        .unwrap();
                assert_eq!(again.scene, loaded.scene, "{text}");
                good += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    println!("{good} read, {refused} refused");
    assert!(
        good > 0 && refused > 0,
        "the damage must be neither too light nor too heavy: {good}, {refused}"
    );
}
