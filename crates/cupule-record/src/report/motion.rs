//! The motion of a body over the frames of a block, as whole numbers.
//!
//! It begins with how it is coded:
//!
//! - 0: the body is where it was in the first frame of the run; nothing follows;
//! - 1: it rests elsewhere; its place follows;
//! - 2 to 5: its place in the first frame of the block follows, then the others: the difference to the frame before
//!   (2, 3), or the change of that difference from the second on (4, 5), which is small where motion is smooth; odd
//!   codes give each number less that of the vertex before, which is small where a body moves as a whole. The code
//!   that promises fewest bits is taken.
//!
//! A place is the difference to the first frame of the run, each number less that of the vertex before. Numbers come
//! axis by axis.

use super::numbers::{Numbers, bits};

/// Positions of a body in a frame: per vertex three whole numbers.
pub type Place = Vec<[i32; 3]>;

/// Appends the motion over the frames of a block.
pub fn pack(frames: &[Place], reference: &Place, numbers: &mut Numbers) {
    let Some((first, later)) = frames.split_first() else {
        return numbers.push(0);
    };
    let code = match (later.iter().all(|place| place == first), first == reference) {
        (true, true) => return numbers.push(0),
        (true, false) => 1,
        (false, _) => (2..=5).min_by_key(|code| cost(frames, *code)).unwrap_or(2),
    };
    numbers.push(code);
    for axis in 0..3 {
        let ways = first.iter().zip(reference).map(|(p, r)| p[axis].wrapping_sub(r[axis]));
        numbers.differences(ways);
    }
    if code > 1 {
        (1..frames.len()).for_each(|frame| {
            residuals(frames, frame, code, |number| numbers.push(number));
        });
    }
}

/// Bits of a code, from every fourth frame: near enough to choose.
fn cost(frames: &[Place], code: i32) -> u64 {
    let mut sum = 0;
    for frame in (1..frames.len()).skip(1 % (frames.len() - 1)).step_by(4) {
        residuals(frames, frame, code, |number| sum += bits(number));
    }
    sum
}

fn residuals(frames: &[Place], frame: usize, code: i32, mut each: impl FnMut(i32)) {
    let (now, before) = (&frames[frame], &frames[frame - 1]);
    let earlier = (code >= 4 && frame >= 2).then(|| &frames[frame - 2]);
    let along_vertices = code % 2 == 1;
    for axis in 0..3 {
        let mut last = 0_i32;
        for vertex in 0..now.len() {
            let mut way = now[vertex][axis].wrapping_sub(before[vertex][axis]);
            if let Some(earlier) = earlier {
                let way_before = before[vertex][axis].wrapping_sub(earlier[vertex][axis]);
                way = way.wrapping_sub(way_before);
            }
            each(if along_vertices { way.wrapping_sub(last) } else { way });
            last = way;
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::numbers::Reader;
    use super::*;
    use proptest::prelude::*;

    /// The motion read back: what the page does.
    pub fn unpack(reader: &mut Reader<'_>, count: usize, reference: &Place) -> Vec<Place> {
        let code = reader.next();
        if code == 0 {
            return vec![reference.clone(); count];
        }
        let mut first = reference.clone();
        for axis in 0..3 {
            let mut way = 0_i32;
            for point in &mut first {
                way = way.wrapping_add(reader.next());
                point[axis] = point[axis].wrapping_add(way);
            }
        }
        let mut frames = vec![first; if code == 1 { count } else { 1 }];
        while frames.len() < count {
            let frame = frames.len();
            let mut now = frames[frame - 1].clone();
            for axis in 0..3 {
                let mut last = 0_i32;
                for vertex in 0..now.len() {
                    let mut way = reader.next();
                    if code % 2 == 1 {
                        way = way.wrapping_add(last);
                    }
                    last = way;
                    if code >= 4 && frame >= 2 {
                        let before = frames[frame - 1][vertex][axis];
                        way =
                            way.wrapping_add(before.wrapping_sub(frames[frame - 2][vertex][axis]));
                    }
                    now[vertex][axis] = now[vertex][axis].wrapping_add(way);
                }
            }
            frames.push(now);
        }
        frames
    }

    fn places() -> impl Strategy<Value = (Place, Vec<Place>)> {
        let place = |n: usize| proptest::collection::vec(any::<[i32; 3]>(), n);
        (1_usize..5).prop_flat_map(move |n| (place(n), proptest::collection::vec(place(n), 1..7)))
    }

    proptest! {
        #[test]
        fn motion_reads_back_whatever_it_is((reference, frames) in places()) {
            let mut numbers = Numbers::default();
            pack(&frames, &reference, &mut numbers);
            let bytes = numbers.bytes();
            prop_assert_eq!(unpack(&mut Reader(&bytes), frames.len(), &reference), frames);
        }
    }

    #[test]
    fn rest_costs_a_byte_and_steady_motion_a_byte_per_number() {
        let reference: Place = vec![[5, 6, 7]; 10];
        let mut numbers = Numbers::default();
        pack(&vec![reference.clone(); 8], &reference, &mut numbers);
        assert_eq!(numbers.bytes().len(), 1);
        // x = 1000 t: constant differences of 1000 would take two bytes each.
        let steady: Vec<Place> = (0..8).map(|t| vec![[1000 * t, 0, 0]; 10]).collect();
        let mut numbers = Numbers::default();
        pack(&steady, &steady[0], &mut numbers);
        assert!(numbers.bytes().len() <= 1 + 8 * 30 + 10);
    }
}
