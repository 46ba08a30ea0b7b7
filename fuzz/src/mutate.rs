//! Mutations: small changes of bytes, words and lines.

use crate::MAX_INPUT_BYTES;

/// Numbers that programs often get wrong.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "31",
    "32",
    "33",
    "63",
    "64",
    "255",
    "256",
    "1024",
    "65535",
    "65536",
    "0x7fffffff",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x7fffffffffffffff",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0f7f800000",
    "0d7ff8000000000000",
    "0.5",
    "1e308",
    "nan",
];

/// A pseudo-random sequence (xorshift), the same in every run.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed; 0 stands for another one.
    pub fn new(seed: u64) -> Random {
        Random(if seed == 0 {
            0x9e37_79b9_7f4a_7c15
        } else {
            seed
        })
    }

    /// A number below `limit`, and 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize % limit.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// A range of at most `longest` bytes of something that is `length` long.
    fn range(&mut self, length: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let end = start + self.below(longest.min(length - start) + 1);
        start..end
    }
}

/// A mutant of one of the inputs, with pieces of another.
pub fn mutant(random: &mut Random, pool: &[Vec<u8>]) -> Vec<u8> {
    let mut input = random.pick(pool).cloned().unwrap_or_default();
    let other = random.pick(pool).cloned().unwrap_or_default();
    for _ in 0..1 + random.below(4) {
        change(random, &mut input, &other);
    }
    input.truncate(MAX_INPUT_BYTES);
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    match random.below(12) {
        0 => {
            let bit = 1 << random.below(8);
            let at = random.below(input.len());
            if let Some(byte) = input.get_mut(at) {
                *byte ^= bit;
            }
        }
        1 => {
            let at = random.below(input.len() + 1);
            input.insert(at, random.below(256) as u8);
        }
        2 => drop(input.drain(random.range(input.len(), 16))),
        3 => {
            let piece = other[random.range(other.len(), 64)].to_vec();
            let place = random.range(input.len(), 64);
            input.splice(place, piece);
        }
        4..=6 => {
            let piece = random.pick(&words(other)).cloned().unwrap_or_default();
            replace(random, input, words, &other[piece]);
        }
        7 => {
            let number = random.pick(NUMBERS).copied().unwrap_or_default();
            replace(random, input, numbers, number.as_bytes());
        }
        8 | 9 => {
            let line = random.pick(&lines(other)).cloned().unwrap_or_default();
            let places = lines(input);
            let at = random.pick(&places).map_or(0, |line| line.start);
            input.splice(at..at, other[line].iter().copied());
        }
        10 => replace(random, input, lines, b""),
        _ => {
            let own = input.clone();
            let line = random.pick(&lines(&own)).cloned().unwrap_or_default();
            replace(random, input, lines, &own[line]);
        }
    }
}

type Ranges = Vec<std::ops::Range<usize>>;

/// Puts `piece` where one of the parts is that `parts` finds.
fn replace(random: &mut Random, input: &mut Vec<u8>, parts: fn(&[u8]) -> Ranges, piece: &[u8]) {
    if let Some(place) = random.pick(&parts(input)).cloned() {
        input.splice(place, piece.iter().copied());
    }
}

/// Runs of bytes that belong together.
fn runs(input: &[u8], belongs: impl Fn(u8) -> bool) -> Ranges {
    let mut found = Ranges::new();
    let mut start = None;
    for (at, &byte) in input.iter().enumerate() {
        match (start, belongs(byte)) {
            (None, true) => start = Some(at),
            (Some(first), false) => {
                found.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|first| first..input.len()));
    found
}

/// Names, numbers and opcodes.
fn words(input: &[u8]) -> Ranges {
    runs(input, |byte| {
        byte.is_ascii_alphanumeric() || b"_.%$".contains(&byte)
    })
}

fn numbers(input: &[u8]) -> Ranges {
    runs(input, |byte| byte.is_ascii_digit())
}

/// Lines with their ends.
fn lines(input: &[u8]) -> Ranges {
    let mut start = 0;
    let lines = input.split_inclusive(|&byte| byte == b'\n').map(|line| {
        start += line.len();
        start - line.len()..start
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_text() {
        let text = b"add.s32 %r1, 12;\n\nx";
        assert_eq!(words(text), [0..7, 8..11, 13..15, 18..19]);
        assert_eq!(numbers(text), [5..7, 10..11, 13..15]);
        assert_eq!(lines(text), [0..17, 17..18, 18..19]);
        assert!(words(b"").is_empty() && lines(b"").is_empty());
    }

    #[test]
    fn mutants_repeat_and_stay_small() {
        let pool = [
            b"a = 1\nb = 2\n".to_vec(),
            Vec::new(),
            vec![b'x'; MAX_INPUT_BYTES],
        ];
        let mutants = |seed| {
            let mut random = Random::new(seed);
            (0..2000)
                .map(|_| mutant(&mut random, &pool))
                .collect::<Vec<_>>()
        };
        assert_eq!(mutants(1), mutants(1));
        assert_ne!(mutants(1), mutants(2));
        assert!(
            mutants(1)
                .iter()
                .all(|mutant| mutant.len() <= MAX_INPUT_BYTES)
        );
    }
}
