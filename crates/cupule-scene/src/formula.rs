//! Small formulas for `expect`: numbers, names, `+ - * / ^`, parentheses and a few functions.
//!
//! Names are dotted words (`body.block.z_m`, `scene.gravity.2`); what they mean is the caller's business.

/// A parsed formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A number.
    Number(f64),
    /// A name to be looked up.
    Name(String),
    /// The opposite.
    Negate(Box<Formula>),
    /// Two operands and `+`, `-`, `*`, `/` or `^`.
    Binary(char, Box<Formula>, Box<Formula>),
    /// A function of one or two arguments.
    Call(&'static str, Vec<Formula>),
}

/// Functions and how many arguments they take.
const FUNCTIONS: [(&str, usize); 10] = [
    ("abs", 1),
    ("sqrt", 1),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("exp", 1),
    ("log", 1),
    ("hypot", 2),
    ("min", 2),
    ("max", 2),
];

/// Deeper nesting than any formula a person writes; with the length, it bounds the recursion.
const DEEPEST: usize = 50;
/// Characters of the longest formula: chains of operators are as deep as they are long.
const LONGEST: usize = 4000;

impl Formula {
    /// Reads a formula; the error says what was expected where.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("expected a formula of at most {LONGEST} characters"));
        }
        let mut parser = Parser { rest: text, depth: 0 };
        let formula = parser.sum()?;
        parser.skip();
        if parser.rest.is_empty() {
            Ok(formula)
        } else {
            Err(parser.unexpected("an operator or the end"))
        }
    }

    /// The names in it, in order of appearance.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name) => vec![name],
            Self::Negate(inner) => inner.names(),
            Self::Binary(_, a, b) => [a.names(), b.names()].concat(),
            Self::Call(_, arguments) => arguments.iter().flat_map(Self::names).collect(),
        }
    }

    /// Its value, with names looked up; an unknown name gives NaN, which fails every bound.
    pub fn evaluate(&self, look_up: &dyn Fn(&str) -> Option<f64>) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Name(name) => look_up(name).unwrap_or(f64::NAN),
            Self::Negate(inner) => -inner.evaluate(look_up),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.evaluate(look_up), b.evaluate(look_up));
                match operator {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => a.powf(b),
                }
            }
            Self::Call(function, arguments) => {
                let mut values = arguments.iter().map(|argument| argument.evaluate(look_up));
                let (a, b) = (values.next().unwrap_or(f64::NAN), values.next().unwrap_or(f64::NAN));
                call(function, a, b)
            }
        }
    }
}

fn call(function: &str, a: f64, b: f64) -> f64 {
    match function {
        "abs" => a.abs(),
        "sqrt" => a.sqrt(),
        "sin" => a.sin(),
        "cos" => a.cos(),
        "tan" => a.tan(),
        "exp" => a.exp(),
        "log" => a.ln(),
        "hypot" => a.hypot(b),
        // Not f64::min and max: those would hide a NaN.
        "min" => {
            if a < b || a.is_nan() {
                a
            } else {
                b
            }
        }
        _ => {
            if a > b || a.is_nan() {
                a
            } else {
                b
            }
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, options: &[char]) -> Option<char> {
        self.skip();
        let first = self.rest.chars().next().filter(|c| options.contains(c))?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn unexpected(&self, expected: &str) -> String {
        let found: String = self.rest.chars().take(20).collect();
        if found.is_empty() {
            format!("the formula ends where {expected} was expected")
        } else {
            format!("expected {expected} at `{found}`")
        }
    }

    fn sum(&mut self) -> Result<Formula, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the formula is nested too deeply".into());
        }
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            left = Formula::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Formula, String> {
        let mut left = self.signed()?;
        while let Some(operator) = self.take(&['*', '/']) {
            left = Formula::Binary(operator, Box::new(left), Box::new(self.signed()?));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Formula, String> {
        let mut negative = false;
        while let Some(sign) = self.take(&['-', '+']) {
            negative ^= sign == '-';
        }
        let value = self.power()?;
        Ok(if negative { Formula::Negate(Box::new(value)) } else { value })
    }

    fn power(&mut self) -> Result<Formula, String> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        let negative = self.take(&['-']).is_some();
        let exponent = self.atom()?;
        let exponent = if negative { Formula::Negate(Box::new(exponent)) } else { exponent };
        Ok(Formula::Binary('^', Box::new(base), Box::new(exponent)))
    }

    fn atom(&mut self) -> Result<Formula, String> {
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            self.take(&[')']).ok_or_else(|| self.unexpected("`)`"))?;
            return Ok(inner);
        }
        self.skip();
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn number(&mut self) -> Result<Formula, String> {
        let bytes = self.rest.as_bytes();
        let mut length = 0;
        while let Some(&byte) = bytes.get(length) {
            let exponent_sign =
                matches!(byte, b'+' | b'-') && matches!(bytes[length - 1], b'e' | b'E');
            if !(byte.is_ascii_digit()
                || matches!(byte, b'.' | b'e' | b'E')
                || (length > 0 && exponent_sign))
            {
                break;
            }
            length += 1;
        }
        let (text, rest) = self.rest.split_at(length);
        let number = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
        self.rest = rest;
        Ok(Formula::Number(number))
    }

    fn name(&mut self) -> Result<Formula, String> {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        let name = name.to_string();
        self.rest = rest;
        if name == "pi" {
            return Ok(Formula::Number(std::f64::consts::PI));
        }
        if self.take(&['(']).is_none() {
            return Ok(Formula::Name(name));
        }
        let known = FUNCTIONS.iter().find(|(function, _)| *function == name);
        let Some(&(function, count)) = known else {
            let words = FUNCTIONS.map(|(function, _)| function).join(", ");
            return Err(format!("`{name}` is not a function; there are {words}"));
        };
        let mut arguments = vec![self.sum()?];
        while self.take(&[',']).is_some() {
            arguments.push(self.sum()?);
        }
        self.take(&[')']).ok_or_else(|| self.unexpected("`)`"))?;
        if arguments.len() != count {
            return Err(format!(
                "`{function}` takes {count} argument(s), found {}",
                arguments.len()
            ));
        }
        Ok(Formula::Call(function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        Formula::parse(text).unwrap().evaluate(&|name| (name == "body.a.z_m").then_some(3.0))
    }

    #[test]
    fn arithmetic_has_the_usual_precedence() {
        assert_eq!(value("1 + 2*3 - 4/2"), 5.0);
        assert_eq!(value("-2^2"), -4.0);
        assert_eq!(value("2e-3*1e3"), 2.0);
        assert_eq!(value("2^-1"), 0.5);
        assert_eq!(value("(1+2)*body.a.z_m-1"), 8.0);
        assert_eq!(value("max(sqrt(16), hypot(3,4)) - abs(-1)"), 4.0);
        assert!((value("sin(pi/6)") - 0.5).abs() < 1e-15);
        assert!(value("unknown.name").is_nan());
    }

    #[test]
    fn mistakes_are_named_and_never_panic() {
        for text in
            ["", "1 +", "(1", "2 3", "f(1)", "min(1)", "1..2", "é", "a.é", "+-", "1e", "^2", "e5("]
        {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
        assert!(Formula::parse(&"(".repeat(10_000)).is_err());
        assert!(Formula::parse(&"-".repeat(100_000)).is_err());
        let chain = |terms: usize| vec!["1"; terms].join("+");
        assert!(Formula::parse(&chain(1_000_000)).is_err());
        assert_eq!(value(&chain(2000)), 2000.0);
    }
}
