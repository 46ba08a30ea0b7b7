//! Comparing what a buffer holds with what it should hold, a piece at a time.

use crate::element::{Class, ElementType, Value};
use crate::report::{Difference, ExpectationReport};
use crate::shape::ArrayType;

/// Differences that a report names.
const NAMED_DIFFERENCES: usize = 8;

/// A comparison under way.
pub(crate) struct Comparison<'a> {
    found: &'a ArrayType,
    expected: ElementType,
    report: ExpectationReport,
    largest: f64,
    incomparable: bool,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(
        buffer: &str,
        found: &'a ArrayType,
        expected: ElementType,
        rtol: f64,
        atol: f64,
    ) -> Comparison<'a> {
        Comparison {
            found,
            expected,
            report: ExpectationReport {
                buffer: buffer.to_owned(),
                ok: true,
                elements: 0,
                differing: 0,
                rtol,
                atol,
                largest_error: None,
                first_differences: Vec::new(),
            },
            largest: 0.0,
            incomparable: false,
        }
    }

    /// Compares the next elements of both sides.
    pub(crate) fn piece(&mut self, found: &[u8], expected: &[u8]) {
        // Equal bits of one type need no look, unless they are NaN, which equals itself here.
        let same_type = self.found.element == self.expected;
        if same_type && found == expected {
            self.report.elements += (found.len() / self.expected.bytes()) as u64;
            return;
        }
        let found = found.chunks_exact(self.found.element.bytes());
        for (found, expected) in found.zip(expected.chunks_exact(self.expected.bytes())) {
            let found = self.found.element.decode(found);
            self.element(found, self.expected.decode(expected));
        }
    }

    fn element(&mut self, found: Value, expected: Value) {
        let index = self.report.elements;
        self.report.elements += 1;
        let (holds, error) = close(found, expected, self.report.rtol, self.report.atol);
        match error {
            Some(error) => self.largest = self.largest.max(error),
            None => self.incomparable = true,
        }
        if holds {
            return;
        }
        self.report.ok = false;
        self.report.differing += 1;
        if self.report.first_differences.len() < NAMED_DIFFERENCES {
            self.report.first_differences.push(Difference {
                index: self.found.index(index),
                found: found.to_string(),
                expected: expected.to_string(),
            });
        }
    }

    pub(crate) fn finish(mut self) -> ExpectationReport {
        self.report.largest_error = (!self.incomparable).then_some(self.largest);
        self.report
    }
}

/// Whether elements of the two types can be compared.
pub(crate) fn comparable(found: ElementType, expected: ElementType) -> bool {
    (found.class() == Class::Float) == (expected.class() == Class::Float)
}

/// Whether `found` is within `atol + rtol * |expected|` of `expected`, and how far off it is.
///
/// A NaN stands for any NaN, an infinity for itself; neither is any distance from a number.
fn close(found: Value, expected: Value, rtol: f64, atol: f64) -> (bool, Option<f64>) {
    if let (Value::Integer(a), Value::Integer(b)) = (found, expected) {
        let error = a.abs_diff(b);
        let exact = error == 0;
        let error = error as f64;
        return (
            exact || error <= atol + rtol * (b.unsigned_abs() as f64),
            Some(error),
        );
    }
    let (a, b) = (found.as_f64(), expected.as_f64());
    if a == b || (a.is_nan() && b.is_nan()) {
        return (true, Some(0.0));
    }
    if !a.is_finite() || !b.is_finite() {
        return (false, None);
    }
    let error = (a - b).abs();
    (error <= atol + rtol * b.abs(), Some(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{F32, S32};

    fn compare(
        ty: ElementType,
        found: &[f64],
        expected: &[f64],
        rtol: f64,
        atol: f64,
    ) -> ExpectationReport {
        let shape = vec![found.len() as u64 / 2, 2];
        let array = ArrayType { element: ty, shape };
        let encode = |values: &[f64]| -> Vec<u8> {
            let one = |&x: &f64| match ty.class() {
                Class::Float => (x as f32).to_le_bytes(),
                _ => (x as i32).to_le_bytes(),
            };
            values.iter().flat_map(one).collect()
        };
        let mut comparison = Comparison::new("y", &array, ty, rtol, atol);
        comparison.piece(&encode(found), &encode(expected));
        comparison.finish()
    }

    #[test]
    fn differences_are_named_with_both_values() {
        let report = compare(S32, &[1.0, 2.0, 3.0, -4.0], &[1.0, 5.0, 3.0, 4.0], 0.0, 3.0);
        assert!(!report.ok);
        assert_eq!((report.elements, report.differing), (4, 1));
        assert_eq!(report.largest_error, Some(8.0));
        let difference = Difference {
            index: "[1,1]".into(),
            found: "-4".into(),
            expected: "4".into(),
        };
        assert_eq!(report.first_differences, [difference]);
    }

    #[test]
    fn tolerances_are_relative_to_the_expected_value() {
        // 0.25 of 2 is 0.5; of 1.5 it is less.
        assert!(compare(F32, &[1.5, 0.0], &[2.0, 0.0], 0.25, 0.0).ok);
        assert!(!compare(F32, &[2.0, 0.0], &[1.5, 0.0], 0.25, 0.0).ok);
        assert!(compare(F32, &[2.0, 0.0], &[1.5, 0.0], 0.25, 0.125).ok);
        assert_eq!(
            compare(F32, &[2.0, 0.0], &[1.5, 0.0], 1.0, 0.0).largest_error,
            Some(0.5)
        );
    }

    #[test]
    fn nan_equals_nan_and_infinity_itself() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        let report = compare(F32, &[nan, inf], &[-nan, inf], 0.0, 0.0);
        assert!(report.ok);
        assert_eq!(report.largest_error, Some(0.0));
        assert!(compare(F32, &[0.0, 0.0], &[-0.0, 0.0], 0.0, 0.0).ok);
        for (found, expected) in [(nan, 1.0), (1.0, nan), (inf, 1.0), (inf, -inf), (1.0, inf)] {
            let report = compare(F32, &[found, 0.0], &[expected, 0.0], 1.0, 1e30);
            assert_eq!(
                (report.ok, report.largest_error),
                (false, None),
                "{found} {expected}"
            );
        }
    }

    #[test]
    fn eight_differences_are_named_and_all_counted() {
        let found: Vec<f64> = (0..40).map(f64::from).collect();
        let report = compare(S32, &found, &[-1.0; 40], 0.0, 0.0);
        assert_eq!((report.differing, report.first_differences.len()), (40, 8));
        assert_eq!(report.first_differences[7].index, "[3,1]");
        assert_eq!(report.largest_error, Some(40.0));
    }

    #[test]
    fn large_integers_are_compared_exactly() {
        let wide = |bits: u64| Value::Integer(i128::from(bits));
        assert!(!close(wide(u64::MAX), wide(u64::MAX - 1), 0.0, 0.0).0);
        assert!(close(wide(u64::MAX), wide(u64::MAX), 0.0, 0.0).0);
    }
}
