//! A row of whole numbers: each as a zigzag varint, small ones in one byte whatever their sign.
//!
//! Zigzag maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...; a varint has seven bits a byte, the lowest first, and the top bit
//! set on all bytes but the last. Differences wrap around, so that every row of i32 has one.

/// Numbers as bytes.
#[derive(Debug, Default)]
pub struct Numbers {
    bytes: Vec<u8>,
}

impl Numbers {
    /// Appends a number.
    pub fn push(&mut self, number: i32) {
        let mut rest = zigzag(number);
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// Appends a count; none of ours comes near the limit.
    pub fn count(&mut self, count: usize) {
        self.push(i32::try_from(count).unwrap_or(i32::MAX));
    }

    /// Appends numbers, each less the one before.
    pub fn differences(&mut self, numbers: impl IntoIterator<Item = i32>) {
        let mut before = 0_i32;
        for number in numbers {
            self.push(number.wrapping_sub(before));
            before = number;
        }
    }

    /// The bytes.
    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bits that a number needs after zigzag: what it costs, near enough.
pub fn bits(number: i32) -> u64 {
    u64::from(u32::BITS - zigzag(number).leading_zeros())
}

fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

/// Reads numbers back, for tests.
#[cfg(test)]
pub struct Reader<'a>(pub &'a [u8]);

#[cfg(test)]
impl Reader<'_> {
    /// The next number.
    pub fn next(&mut self) -> i32 {
        let (mut word, mut shift) = (0_u32, 0);
        loop {
            let (first, rest) = self.0.split_first().expect("there is another number");
            self.0 = rest;
            word |= u32::from(first & 0x7f) << shift;
            shift += 7;
            if *first < 0x80 {
                return (word >> 1) as i32 ^ -((word & 1) as i32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_take_one_byte() {
        let mut numbers = Numbers::default();
        (-64..64).for_each(|number| numbers.push(number));
        assert_eq!(numbers.bytes().len(), 128);
    }

    proptest! {
        #[test]
        fn numbers_and_differences_read_back(row in proptest::collection::vec(any::<i32>(), 0..50)) {
            let mut numbers = Numbers::default();
            row.iter().for_each(|number| numbers.push(*number));
            numbers.differences(row.iter().copied());
            let bytes = numbers.bytes();
            let mut reader = Reader(&bytes);
            for number in &row {
                prop_assert_eq!(reader.next(), *number);
            }
            let mut sum = 0_i32;
            for number in &row {
                sum = sum.wrapping_add(reader.next());
                prop_assert_eq!(sum, *number);
            }
        }
    }
}
