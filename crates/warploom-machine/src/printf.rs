//! The device's `printf`: a format and a buffer of arguments, laid out as the compilers do.
//!
//! Each argument lies at a multiple of its size: 4 bytes for `int` and what is promoted to it, 8
//! for 64-bit integers, pointers and `double`.

/// Characters that end a conversion and what they take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
    Char,
    String,
    Pointer,
}

struct Conversion {
    flags: Vec<u8>,
    width: Option<Number>,
    precision: Option<Number>,
    /// Bits of an integer.
    bits: u32,
    kind: Kind,
    letter: u8,
}

#[derive(Clone, Copy)]
enum Number {
    Given(usize),
    /// `*`: taken from the arguments.
    Argument,
}

enum Piece<'f> {
    Text(&'f [u8]),
    Conversion(Conversion),
}

/// Widest field, so that a format cannot ask for unbounded memory.
const WIDTH_LIMIT: usize = 4096;

fn pieces(format: &[u8]) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let text = format[at..]
            .iter()
            .position(|&c| c == b'%')
            .map_or(format.len(), |n| at + n);
        if text > at {
            all.push(Piece::Text(&format[at..text]));
        }
        if text == format.len() {
            break;
        }
        if format.get(text + 1) == Some(&b'%') {
            all.push(Piece::Text(b"%"));
            at = text + 2;
            continue;
        }
        match conversion(&format[text + 1..]) {
            Some((conversion, length)) => {
                all.push(Piece::Conversion(conversion));
                at = text + 1 + length;
            }
            None => {
                // Not a conversion: printed as it stands.
                all.push(Piece::Text(b"%"));
                at = text + 1;
            }
        }
    }
    all
}

fn conversion(text: &[u8]) -> Option<(Conversion, usize)> {
    let mut at = 0;
    let mut flags = Vec::new();
    while let Some(&c) = text.get(at).filter(|c| b"-+ #0".contains(c)) {
        flags.push(c);
        at += 1;
    }
    let number = |at: &mut usize| {
        if text.get(*at) == Some(&b'*') {
            *at += 1;
            return Some(Number::Argument);
        }
        let start = *at;
        let mut value = 0usize;
        while let Some(digit) = text.get(*at).filter(|c| c.is_ascii_digit()) {
            value = (value * 10 + usize::from(digit - b'0')).min(WIDTH_LIMIT);
            *at += 1;
        }
        (*at > start).then_some(Number::Given(value))
    };
    let width = number(&mut at);
    let precision = if text.get(at) == Some(&b'.') {
        at += 1;
        Some(number(&mut at).unwrap_or(Number::Given(0)))
    } else {
        None
    };
    let mut bits = 32;
    while let Some(&c) = text.get(at).filter(|c| b"hlLqjzt".contains(c)) {
        bits = if c == b'h' { (bits / 2).max(8) } else { 64 };
        at += 1;
    }
    let letter = *text.get(at)?;
    let kind = match letter {
        b'd' | b'i' => Kind::Signed,
        b'u' | b'o' | b'x' | b'X' => Kind::Unsigned,
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Kind::Float,
        b'c' => Kind::Char,
        b's' => Kind::String,
        b'p' => Kind::Pointer,
        _ => return None,
    };
    Some((
        Conversion {
            flags,
            width,
            precision,
            bits,
            kind,
            letter,
        },
        at + 1,
    ))
}

/// Conversions of a format: what `printf` returns on the device.
pub(crate) fn conversions(format: &[u8]) -> usize {
    pieces(format)
        .iter()
        .filter(|piece| matches!(piece, Piece::Conversion(_)))
        .count()
}

/// Formats a line. `read` fills bytes from an offset of the argument buffer, `string` reads a
/// C string; both say no when that is not readable.
pub(crate) fn format(
    format: &[u8],
    read: impl Fn(u64, &mut [u8]) -> bool,
    string: impl Fn(u64) -> Option<Vec<u8>>,
) -> Result<Vec<u8>, String> {
    let mut offset = 0u64;
    let mut argument = |bytes: usize| {
        let at = offset.next_multiple_of(bytes as u64);
        offset = at + bytes as u64;
        let mut raw = [0; 8];
        if read(at, &mut raw[..bytes]) {
            Ok(u64::from_le_bytes(raw))
        } else {
            Err("printf: fewer arguments than its format asks for".to_owned())
        }
    };
    let mut out = Vec::new();
    for piece in pieces(format) {
        let conversion = match piece {
            Piece::Text(text) => {
                out.extend_from_slice(text);
                continue;
            }
            Piece::Conversion(conversion) => conversion,
        };
        let mut left = conversion.flags.contains(&b'-');
        let mut number = |number: Option<Number>| match number {
            Some(Number::Given(n)) => Ok(Some(n as i64)),
            Some(Number::Argument) => argument(4).map(|n| Some(i64::from(n as i32))),
            None => Ok(None),
        };
        let width = number(conversion.width)?.unwrap_or(0);
        let precision = number(conversion.precision)?.filter(|&n| n >= 0);
        let precision = precision.map(|n| (n as usize).min(WIDTH_LIMIT));
        left |= width < 0;
        let width = (width.unsigned_abs() as usize).min(WIDTH_LIMIT);
        // What is narrower than an int travels as one.
        let bytes = if conversion.bits == 64 { 8 } else { 4 };
        let unused = 64 - conversion.bits;
        let (sign, digits) = match conversion.kind {
            Kind::Signed => {
                let value = (argument(bytes)? << unused) as i64 >> unused;
                let digits = at_least(value.unsigned_abs().to_string(), precision);
                (sign_of(value < 0, &conversion.flags), digits.into_bytes())
            }
            Kind::Unsigned => {
                let value = argument(bytes)? << unused >> unused;
                let alternate = conversion.flags.contains(&b'#') && value != 0;
                let (prefix, digits) = match conversion.letter {
                    b'o' => ("0", format!("{value:o}")),
                    b'x' => ("0x", format!("{value:x}")),
                    b'X' => ("0X", format!("{value:X}")),
                    _ => ("", value.to_string()),
                };
                let prefix = if alternate { prefix } else { "" };
                (prefix.to_owned(), at_least(digits, precision).into_bytes())
            }
            Kind::Float => {
                let value = f64::from_bits(argument(8)?);
                let digits = float(value.abs(), conversion.letter, precision, &conversion.flags);
                (
                    sign_of(
                        value.is_sign_negative() && !value.is_nan(),
                        &conversion.flags,
                    ),
                    digits.into_bytes(),
                )
            }
            Kind::Char => (String::new(), vec![argument(4)? as u8]),
            Kind::Pointer => (String::new(), format!("{:#x}", argument(8)?).into_bytes()),
            Kind::String => {
                let at = argument(8)?;
                let text = string(at).ok_or("printf: %s is given no readable string")?;
                let text = &text[..text.len().min(precision.unwrap_or(usize::MAX))];
                (String::new(), text.to_vec())
            }
        };
        let length = sign.len() + digits.len();
        let padding = width.saturating_sub(length);
        let numeric = matches!(conversion.kind, Kind::Signed | Kind::Unsigned | Kind::Float);
        // Infinities and NaN are not padded with zeros; hexadecimal digits may all be letters.
        let finite = conversion.kind != Kind::Float || digits.iter().any(u8::is_ascii_digit);
        let exact = precision.is_none() || conversion.kind == Kind::Float;
        let zeros = conversion.flags.contains(&b'0') && !left && numeric && finite && exact;
        if !left && !zeros {
            out.extend(std::iter::repeat_n(b' ', padding));
        }
        out.extend_from_slice(sign.as_bytes());
        if zeros {
            out.extend(std::iter::repeat_n(b'0', padding));
        }
        out.extend_from_slice(&digits);
        if left {
            out.extend(std::iter::repeat_n(b' ', padding));
        }
    }
    Ok(out)
}

fn sign_of(negative: bool, flags: &[u8]) -> String {
    let sign = match negative {
        true => "-",
        false if flags.contains(&b'+') => "+",
        false if flags.contains(&b' ') => " ",
        false => "",
    };
    sign.to_owned()
}

fn at_least(digits: String, precision: Option<usize>) -> String {
    if precision == Some(0) && digits == "0" {
        return String::new();
    }
    let missing = precision.unwrap_or(1).saturating_sub(digits.len());
    "0".repeat(missing) + &digits
}

/// A float without its sign.
fn float(value: f64, letter: u8, precision: Option<usize>, flags: &[u8]) -> String {
    let upper = letter.is_ascii_uppercase();
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        match letter.to_ascii_lowercase() {
            b'f' => format!("{value:.*}", precision.unwrap_or(6)),
            b'e' => exponential(value, precision.unwrap_or(6)),
            b'a' => hexadecimal(value, precision),
            _ => general(value, precision.unwrap_or(6), flags.contains(&b'#')),
        }
    };
    if upper { text.to_uppercase() } else { text }
}

/// `%e`: at least two digits of exponent, with its sign.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

/// `%g`: the shorter of `%e` and `%f`, with `precision` significant digits.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let digits = precision.max(1);
    let scientific = exponential(value, digits - 1);
    let exponent: i32 = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    let trim = |text: &str| {
        if keep_zeros || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if exponent < -4 || exponent >= digits as i32 {
        match scientific.split_once('e') {
            Some((mantissa, exponent)) => format!("{}e{exponent}", trim(mantissa)),
            None => scientific,
        }
    } else {
        let places = (digits as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{value:.places$}"))
    }
}

/// `%a`: the exact binary value.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let mut mantissa = bits & ((1 << 52) - 1);
    let mut lead = u64::from(exponent != 0);
    let exponent = match (exponent, mantissa) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => exponent - 1023,
    };
    let mut digits = 13;
    if let Some(precision) = precision.filter(|&p| p < 13) {
        let drop = 4 * (13 - precision) as u32;
        let whole = lead << 52 | mantissa;
        let half = 1u64 << (drop - 1);
        let rest = whole & ((1 << drop) - 1);
        let mut kept = whole >> drop;
        kept += u64::from(rest > half || (rest == half && kept & 1 == 1));
        lead = kept >> (4 * precision);
        mantissa = kept & ((1u64 << (4 * precision)) - 1);
        digits = precision;
    }
    let mut text = format!("{mantissa:0digits$x}");
    match precision {
        None => text = text.trim_end_matches('0').to_owned(),
        Some(precision) => text.extend(std::iter::repeat_n('0', precision.saturating_sub(13))),
    }
    if digits == 0 || text.is_empty() {
        format!("0x{lead}p{exponent:+}")
    } else {
        format!("0x{lead}.{text}p{exponent:+}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str, values: &[u64], sizes: &[usize]) -> String {
        let mut buffer = Vec::new();
        for (value, &size) in values.iter().zip(sizes) {
            buffer.resize(buffer.len().next_multiple_of(size), 0);
            buffer.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        let read = |at: u64, into: &mut [u8]| {
            let range = at as usize..at as usize + into.len();
            buffer
                .get(range)
                .map(|bytes| into.copy_from_slice(bytes))
                .is_some()
        };
        let bytes = format(text.as_bytes(), read, |_| Some(b"text".to_vec()));
        String::from_utf8(bytes.unwrap_or_else(|e| e.into_bytes())).unwrap()
    }

    /// Expected texts are those of the C standard's own examples and of its rules.
    #[test]
    fn formats_as_c_does() {
        let minus = -7i32 as u32 as u64;
        assert_eq!(
            print("%d|%5d|%-5d|%05d", &[minus; 4], &[4; 4]),
            "-7|   -7|-7   |-0007"
        );
        assert_eq!(print("%x %#X %o %u", &[255; 4], &[4; 4]), "ff 0XFF 377 255");
        assert_eq!(print("%lld%%", &[u64::MAX], &[8]), "-1%");
        let pi = std::f64::consts::PI.to_bits();
        assert_eq!(
            print("%f %.2f %e %g", &[pi; 4], &[8; 4]),
            "3.141593 3.14 3.141593e+00 3.14159"
        );
        assert_eq!(
            print("%g %g", &[1e10f64.to_bits(), 1e-5f64.to_bits()], &[8; 2]),
            "1e+10 1e-05"
        );
        assert_eq!(print("%08.3f", &[(-1.5f64).to_bits()], &[8]), "-001.500");
        assert_eq!(print("%a", &[1.5f64.to_bits()], &[8]), "0x1.8p+0");
        assert_eq!(
            print("%c%s%.2s", &[u64::from(b'!'), 0, 0], &[4, 8, 8]),
            "!textte"
        );
        assert_eq!(print("%02x", &[13], &[4]), "0d");
        assert_eq!(print("%05f", &[f64::INFINITY.to_bits()], &[8]), "  inf");
        assert_eq!(print("%*d", &[4, 42], &[4, 4]), "  42");
        assert_eq!(
            print("%d %f", &[1, 2.0f64.to_bits()], &[4, 8]),
            "1 2.000000"
        );
        assert_eq!(print("50%! of %q", &[], &[]), "50%! of %q");
        assert!(print("%d", &[], &[]).contains("fewer arguments"));
    }
}
