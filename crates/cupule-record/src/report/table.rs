//! `series.csv` read back, and packed for the page: f32 is what a chart needs; the file has all digits.

use std::fs;
use std::io;
use std::path::Path;

use super::RunError;
use super::numbers::Numbers;

/// Named columns; the first is the time.
#[derive(Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Table {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.times().len()
    }

    /// Times of the rows, s.
    pub fn times(&self) -> &[f64] {
        self.columns.first().map_or(&[], Vec::as_slice)
    }

    /// The columns after the time, as whole numbers.
    pub fn packed(&self) -> Vec<u8> {
        let mut numbers = Numbers::default();
        for column in self.columns.iter().skip(1) {
            numbers.differences(column.iter().map(|value| ordered(*value as f32)));
        }
        numbers.bytes()
    }
}

/// The bits of a number such that greater numbers have greater bits: figures that differ little then do so here.
fn ordered(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// Numbers as little-endian bytes.
pub fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Reads a series; one that does not exist is empty, and a last line that was cut short is left out.
pub fn read(file: &Path) -> Result<Table, RunError> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(parse(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Table::default()),
        Err(source) => Err(RunError { file: file.to_path_buf(), source }),
    }
}

fn parse(text: &str) -> Table {
    let (header, rows) = header_and_rows(text);
    let names = fields(header);
    let mut columns = vec![Vec::new(); names.len()];
    for line in rows.lines() {
        let row: Vec<f64> = line.split(',').filter_map(|cell| cell.parse().ok()).collect();
        if row.len() == names.len() {
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    Table { names, columns }
}

/// A quoted name may hold a line break.
fn header_and_rows(text: &str) -> (&str, &str) {
    let mut quoted = false;
    for (index, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '\n' if !quoted => return (&text[..index], &text[index + 1..]),
            _ => {}
        }
    }
    (text, "")
}

/// The names of a header line; within quotes, two quotes are one.
fn fields(line: &str) -> Vec<String> {
    let (mut names, mut name, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                name.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => names.push(std::mem::take(&mut name)),
            _ => name.push(c),
        }
    }
    names.push(name);
    names
}

#[cfg(test)]
mod tests {
    use super::super::numbers::Reader;
    use super::*;

    #[test]
    fn names_with_commas_quotes_and_breaks_read_back() {
        let names = ["time_s", "body.a,b.x_m", "say \"x\"", "two\nlines", ""];
        let header: Vec<_> = names.iter().map(|name| crate::series::quoted(name)).collect();
        let table = parse(&format!("{}\n1,2,3,4,5\n1,2,", header.join(",")));
        assert_eq!(table.names, names);
        assert_eq!((table.rows(), table.columns[4][0]), (1, 5.0));
    }

    #[test]
    fn figures_keep_seven_digits() {
        let table = parse("time_s,a\n0,1.25\n1,-3.5e-7\n2,NaN\n3,-0\n4,1e30\n");
        let bytes = table.packed();
        let (mut reader, mut bits) = (Reader(&bytes), 0_i32);
        let mut next = || {
            bits = bits.wrapping_add(reader.next());
            f32::from_bits((if bits < 0 { bits ^ i32::MAX } else { bits }) as u32)
        };
        assert_eq!([next(), next()], [1.25, -3.5e-7]);
        assert!(next().is_nan());
        assert_eq!([next(), next()], [0.0, 1e30]);
    }

    #[test]
    fn greater_numbers_have_greater_bits() {
        let row = [f32::NEG_INFINITY, -2.0, -1e-9, -0.0, 0.0, 1e-9, 2.0, f32::INFINITY];
        assert!(row.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
    }
}
