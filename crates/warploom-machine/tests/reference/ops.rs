//! The table of instructions: how PTX writes them and what they compute, in plain wide integers.
//!
//! Semantics follow the words of the PTX manual. Where it leaves a result open, the machine's
//! documented choice stands: a division by zero gives all ones.

use super::floats;
use super::program::{Class, Kind};

/// A name and what it stands for.
pub type Named<F> = (&'static str, F);
pub type One<T> = fn(T) -> T;
pub type Two<T> = fn(T, T) -> T;
pub type Three<T> = fn(T, T, T) -> T;
/// Two results of an instruction, the second for those with two destinations.
pub type Results = [u64; 2];
/// Computes results from sources; the carry goes in and out.
pub type Eval = Box<dyn Fn(&[u64], &mut bool) -> Results>;

pub struct OpDef {
    /// The instruction with `$0`, `$1`… for its operands, destinations first.
    pub text: String,
    pub dst: Vec<Class>,
    pub src: Vec<Kind>,
    pub eval: Eval,
}

/// All instructions, in families that are equally likely.
#[derive(Default)]
pub struct Ops {
    pub list: Vec<OpDef>,
    /// Ranges of the list.
    pub families: Vec<std::ops::Range<usize>>,
    /// Those that set the carry, and those that take it, by width.
    pub carry_out: [Vec<usize>; 2],
    pub carry_in: [Vec<usize>; 2],
}

/// The product of two numbers, of which the low 128 bits are right for either sign.
fn product(int: Int, s: &[u64]) -> i128 {
    int.value(s[0]).wrapping_mul(int.value(s[1]))
}

/// The upper half of the product.
fn high(int: Int, s: &[u64]) -> i128 {
    match int.signed {
        true => product(int, s) >> int.bits,
        false => (product(int, s) as u128 >> int.bits) as i128,
    }
}

/// The low `bits` of a value, as a signed number.
pub fn signed(value: u64, bits: u32) -> i128 {
    let value = unsigned(value, bits);
    if value >> (bits - 1) & 1 == 1 {
        value - (1i128 << bits)
    } else {
        value
    }
}

/// The low `bits` of a value.
pub fn unsigned(value: u64, bits: u32) -> i128 {
    i128::from(value) & ((1i128 << bits) - 1)
}

pub fn cut(value: i128, bits: u32) -> u64 {
    (value & ((1i128 << bits) - 1)) as u64
}

/// An integer type.
#[derive(Clone, Copy)]
pub struct Int {
    pub bits: u32,
    pub signed: bool,
}

impl Int {
    pub const fn new(bits: u32, signed: bool) -> Int {
        Int { bits, signed }
    }

    pub fn name(self) -> String {
        format!("{}{}", if self.signed { 's' } else { 'u' }, self.bits)
    }

    pub fn value(self, raw: u64) -> i128 {
        match self.signed {
            true => signed(raw, self.bits),
            false => unsigned(raw, self.bits),
        }
    }

    pub fn range(self) -> (i128, i128) {
        match self.signed {
            true => (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1),
            false => (0, (1i128 << self.bits) - 1),
        }
    }

    pub fn limit(self, value: i128) -> i128 {
        let (least, most) = self.range();
        value.clamp(least, most)
    }
}

pub fn kind_of(bits: u32) -> Kind {
    match bits {
        8 | 16 => Kind::B16,
        32 => Kind::B32,
        _ => Kind::B64,
    }
}

pub const ALL_INTS: [Int; 6] = [
    Int::new(16, false),
    Int::new(16, true),
    Int::new(32, false),
    Int::new(32, true),
    Int::new(64, false),
    Int::new(64, true),
];

impl Ops {
    pub fn new() -> Ops {
        let mut ops = Ops::default();
        ops.arithmetic();
        ops.products();
        ops.bits();
        ops.fields();
        ops.permutations();
        ops.comparisons();
        ops.moves();
        ops.conversions();
        floats::add(&mut ops);
        ops.carries();
        ops
    }

    /// Begins a family of at most so many instructions: the rest of the list so far.
    pub fn family(&mut self) {
        let start = self.families.last().map_or(0, |range| range.end);
        if self.list.len() > start {
            self.families.push(start..self.list.len());
        }
    }

    pub fn add(
        &mut self,
        text: impl Into<String>,
        dst: &[Class],
        src: &[Kind],
        eval: impl Fn(&[u64]) -> u64 + 'static,
    ) {
        self.add_full(text, dst, src, move |s, _| [eval(s), 0]);
    }

    fn add_full(
        &mut self,
        text: impl Into<String>,
        dst: &[Class],
        src: &[Kind],
        eval: impl Fn(&[u64], &mut bool) -> Results + 'static,
    ) {
        self.list.push(OpDef {
            text: text.into(),
            dst: dst.to_vec(),
            src: src.to_vec(),
            eval: Box::new(eval),
        });
    }

    fn arithmetic(&mut self) {
        let two: [Named<Two<i128>>; 4] = [
            ("add", |a, b| a + b),
            ("sub", |a, b| a - b),
            ("min", |a, b| a.min(b)),
            ("max", |a, b| a.max(b)),
        ];
        for (name, f) in two {
            for int in ALL_INTS {
                let (kind, bits) = (kind_of(int.bits), int.bits);
                let text = format!("{name}.{} $0, $1, $2", int.name());
                self.add(text, &[kind.class()], &[kind, kind], move |s| {
                    cut(f(int.value(s[0]), int.value(s[1])), bits)
                });
            }
            self.family();
        }
        let s32 = Int::new(32, true);
        for (name, f) in &two[..2] {
            let f = *f;
            self.add(
                format!("{name}.sat.s32 $0, $1, $2"),
                &[Class::W],
                &[Kind::B32; 2],
                move |s| cut(s32.limit(f(s32.value(s[0]), s32.value(s[1]))), 32),
            );
        }
        self.family();
        for int in ALL_INTS {
            let (kind, bits) = (kind_of(int.bits), int.bits);
            let all = u64::MAX >> (64 - bits);
            let ops: [Named<Two<i128>>; 2] = [("div", |a, b| a / b), ("rem", |a, b| a % b)];
            for (name, f) in ops {
                let text = format!("{name}.{} $0, $1, $2", int.name());
                self.add(text, &[kind.class()], &[kind, kind], move |s| {
                    match int.value(s[1]) {
                        0 => all,
                        b => cut(f(int.value(s[0]), b), bits),
                    }
                });
            }
        }
        self.family();
        for int in ALL_INTS {
            let (kind, bits) = (kind_of(int.bits), int.bits);
            self.add(
                format!("sad.{} $0, $1, $2, $3", int.name()),
                &[kind.class()],
                &[kind; 3],
                move |s| {
                    let distance = (int.value(s[0]) - int.value(s[1])).abs();
                    cut(distance + int.value(s[2]), bits)
                },
            );
            if int.signed {
                let one: [Named<One<i128>>; 2] = [("abs", i128::abs), ("neg", |a| -a)];
                for (name, f) in one {
                    let text = format!("{name}.{} $0, $1", int.name());
                    self.add(text, &[kind.class()], &[kind], move |s| {
                        cut(f(int.value(s[0])), bits)
                    });
                }
            }
        }
        self.family();
    }

    fn products(&mut self) {
        for int in ALL_INTS {
            let (kind, bits, name) = (kind_of(int.bits), int.bits, int.name());
            let class = [kind.class()];
            self.add(
                format!("mul.lo.{name} $0, $1, $2"),
                &class,
                &[kind; 2],
                move |s| cut(product(int, s), bits),
            );
            self.add(
                format!("mad.lo.{name} $0, $1, $2, $3"),
                &class,
                &[kind; 3],
                move |s| cut(product(int, s).wrapping_add(int.value(s[2])), bits),
            );
            self.add(
                format!("mul.hi.{name} $0, $1, $2"),
                &class,
                &[kind; 2],
                move |s| cut(high(int, s), bits),
            );
            self.add(
                format!("mad.hi.{name} $0, $1, $2, $3"),
                &class,
                &[kind; 3],
                move |s| cut(high(int, s) + int.value(s[2]), bits),
            );
        }
        self.family();
        for int in &ALL_INTS[..4] {
            let int = *int;
            let (kind, wide, name) = (kind_of(int.bits), kind_of(2 * int.bits), int.name());
            let bits = 2 * int.bits;
            let class = [wide.class()];
            self.add(
                format!("mul.wide.{name} $0, $1, $2"),
                &class,
                &[kind; 2],
                move |s| cut(product(int, s), bits),
            );
            self.add(
                format!("mad.wide.{name} $0, $1, $2, $3"),
                &class,
                &[kind, kind, wide],
                move |s| cut(product(int, s) + unsigned(s[2], bits), bits),
            );
        }
        self.family();
        let s32 = Int::new(32, true);
        self.add(
            "mad.hi.sat.s32 $0, $1, $2, $3",
            &[Class::W],
            &[Kind::B32; 3],
            move |s| cut(s32.limit(high(s32, s) + s32.value(s[2])), 32),
        );
        for is_signed in [false, true] {
            let name = Int::new(32, is_signed).name();
            let int = Int::new(24, is_signed);
            // The low or the high 32 of the product's 48 bits.
            for (half, shift) in [("lo", 0), ("hi", 16)] {
                self.add(
                    format!("mul24.{half}.{name} $0, $1, $2"),
                    &[Class::W],
                    &[Kind::B32; 2],
                    move |s| cut(product(int, s) >> shift, 32),
                );
                self.add(
                    format!("mad24.{half}.{name} $0, $1, $2, $3"),
                    &[Class::W],
                    &[Kind::B32; 3],
                    move |s| cut((product(int, s) >> shift) + unsigned(s[2], 32), 32),
                );
            }
        }
        for (a_signed, b_signed) in [(false, false), (false, true), (true, false), (true, true)] {
            let (a, b) = (Int::new(8, a_signed), Int::new(8, b_signed));
            let name = |int: bool| if int { "s32" } else { "u32" };
            self.add(
                format!("dp4a.{}.{} $0, $1, $2, $3", name(a_signed), name(b_signed)),
                &[Class::W],
                &[Kind::B32; 3],
                move |s| {
                    let terms = (0..4).map(|i| a.value(s[0] >> (8 * i)) * b.value(s[1] >> (8 * i)));
                    cut(terms.sum::<i128>() + unsigned(s[2], 32), 32)
                },
            );
        }
        self.family();
    }

    fn bits(&mut self) {
        for bits in [16, 32, 64] {
            let kind = kind_of(bits);
            let class = [kind.class()];
            let two: [Named<Two<u64>>; 3] = [
                ("and", |a, b| a & b),
                ("or", |a, b| a | b),
                ("xor", |a, b| a ^ b),
            ];
            for (name, f) in two {
                let text = format!("{name}.b{bits} $0, $1, $2");
                self.add(text, &class, &[kind; 2], move |s| f(s[0], s[1]));
            }
            let all = u64::MAX >> (64 - bits);
            self.add(format!("not.b{bits} $0, $1"), &class, &[kind], move |s| {
                !s[0] & all
            });
            self.add(format!("cnot.b{bits} $0, $1"), &class, &[kind], move |s| {
                u64::from(s[0] & all == 0)
            });
        }
        self.family();
        for bits in [16, 32, 64] {
            let kind = kind_of(bits);
            let class = [kind.class()];
            let amount = move |s: &[u64]| unsigned(s[1], 32).min(i128::from(bits)) as u32;
            let sources = [kind, Kind::Shift];
            self.add(
                format!("shl.b{bits} $0, $1, $2"),
                &class,
                &sources,
                move |s| cut(unsigned(s[0], bits) << amount(s), bits),
            );
            self.add(
                format!("shr.u{bits} $0, $1, $2"),
                &class,
                &sources,
                move |s| cut(unsigned(s[0], bits) >> amount(s), bits),
            );
            self.add(
                format!("shr.s{bits} $0, $1, $2"),
                &class,
                &sources,
                move |s| cut(signed(s[0], bits) >> amount(s), bits),
            );
        }
        self.family();
        let sources = [Kind::B32, Kind::B32, Kind::Shift];
        for clamps in [true, false] {
            let mode = if clamps { "clamp" } else { "wrap" };
            let amount = move |s: &[u64]| if clamps { s[2].min(32) } else { s[2] & 31 } as u32;
            let both = |s: &[u64]| unsigned(s[1], 32) << 32 | unsigned(s[0], 32);
            self.add(
                format!("shf.l.{mode}.b32 $0, $1, $2, $3"),
                &[Class::W],
                &sources,
                move |s| cut(both(s) << amount(s) >> 32, 32),
            );
            self.add(
                format!("shf.r.{mode}.b32 $0, $1, $2, $3"),
                &[Class::W],
                &sources,
                move |s| cut(both(s) >> amount(s), 32),
            );
        }
        // One bit of the table for each combination of bits.
        self.add(
            "lop3.b32 $0, $1, $2, $3, $4",
            &[Class::W],
            &[Kind::B32, Kind::B32, Kind::B32, Kind::Byte],
            |s| {
                let bit = |i: u32| {
                    let row = (s[0] >> i & 1) << 2 | (s[1] >> i & 1) << 1 | s[2] >> i & 1;
                    (s[3] >> row & 1) << i
                };
                (0..32).map(bit).sum()
            },
        );
        self.family();
    }

    fn fields(&mut self) {
        for bits in [32, 64] {
            let kind = kind_of(bits);
            let bit = |value: u64, i: u32| value >> i & 1;
            self.add(
                format!("popc.b{bits} $0, $1"),
                &[Class::W],
                &[kind],
                move |s| (0..bits).map(|i| bit(s[0], i)).sum(),
            );
            self.add(
                format!("clz.b{bits} $0, $1"),
                &[Class::W],
                &[kind],
                move |s| (0..bits).rev().take_while(|&i| bit(s[0], i) == 0).count() as u64,
            );
            self.add(
                format!("brev.b{bits} $0, $1"),
                &[kind.class()],
                &[kind],
                move |s| (0..bits).map(|i| bit(s[0], i) << (bits - 1 - i)).sum(),
            );
            for is_signed in [false, true] {
                let name = Int::new(bits, is_signed).name();
                for shift in [false, true] {
                    let amount = if shift { ".shiftamt" } else { "" };
                    let find = move |s: &[u64]| {
                        let negative = is_signed && bit(s[0], bits - 1) == 1;
                        let wanted = u64::from(!negative);
                        match (0..bits).rev().find(|&i| bit(s[0], i) == wanted) {
                            None => 0xffff_ffff,
                            Some(i) if shift => u64::from(bits - 1 - i),
                            Some(i) => u64::from(i),
                        }
                    };
                    let text = format!("bfind{amount}.{name} $0, $1");
                    self.add(text, &[Class::W], &[kind], find);
                }
                let sources = [kind, Kind::Shift, Kind::Shift];
                self.add(
                    format!("bfe.{name} $0, $1, $2, $3"),
                    &[kind.class()],
                    &sources,
                    move |s| {
                        let (from, length) = ((s[1] & 0xff) as u32, (s[2] & 0xff) as u32);
                        let last = bits - 1;
                        let fill = match is_signed && length > 0 {
                            true => bit(s[0], (from + length - 1).min(last)),
                            false => 0,
                        };
                        let field = |i: u32| match i < length && from + i <= last {
                            true => bit(s[0], from + i),
                            false => fill,
                        };
                        (0..bits).map(|i| field(i) << i).sum()
                    },
                );
            }
            self.add(
                format!("bfi.b{bits} $0, $1, $2, $3, $4"),
                &[kind.class()],
                &[kind, kind, Kind::Shift, Kind::Shift],
                move |s| {
                    let (to, length) = ((s[2] & 0xff) as u32, (s[3] & 0xff) as u32);
                    let insert = |i: u32| match i >= to && i - to < length {
                        true => bit(s[0], i - to),
                        false => bit(s[1], i),
                    };
                    (0..bits).map(|i| insert(i) << i).sum()
                },
            );
        }
        self.family();
    }

    fn permutations(&mut self) {
        let byte = |s: &[u64], n: u64| {
            let all = s[0] | s[1] << 32;
            all >> (8 * n) & 0xff
        };
        self.add(
            "prmt.b32 $0, $1, $2, $3",
            &[Class::W],
            &[Kind::B32; 3],
            move |s| {
                let pick = |i: u64| {
                    let selector = s[2] >> (4 * i) & 15;
                    let value = byte(s, selector & 7);
                    let replicated = if value & 0x80 != 0 { 0xff } else { 0 };
                    if selector & 8 != 0 { replicated } else { value }
                };
                (0..4).map(|i| pick(i) << (8 * i)).sum()
            },
        );
        // Source bytes, the lowest first, for each of the four values of the selector.
        let modes: [(&str, [[u64; 4]; 4]); 6] = [
            (
                "f4e",
                [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
            ),
            (
                "b4e",
                [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
            ),
            ("rc8", [[0; 4], [1; 4], [2; 4], [3; 4]]),
            (
                "ecl",
                [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
            ),
            (
                "ecr",
                [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
            ),
            (
                "rc16",
                [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
            ),
        ];
        for (mode, rows) in modes {
            self.add(
                format!("prmt.b32.{mode} $0, $1, $2, $3"),
                &[Class::W],
                &[Kind::B32; 3],
                move |s| {
                    let row = rows[(s[2] & 3) as usize];
                    (0..4).map(|i| byte(s, row[i]) << (8 * i)).sum()
                },
            );
        }
        self.family();
    }

    fn comparisons(&mut self) {
        type Compare = fn(i128, i128) -> bool;
        let compares: [(&str, Compare); 6] = [
            ("eq", |a, b| a == b),
            ("ne", |a, b| a != b),
            ("lt", |a, b| a < b),
            ("le", |a, b| a <= b),
            ("gt", |a, b| a > b),
            ("ge", |a, b| a >= b),
        ];
        for int in ALL_INTS {
            let kind = kind_of(int.bits);
            for (name, f) in compares {
                let holds = move |s: &[u64]| f(int.value(s[0]), int.value(s[1]));
                self.compare(name, "", &int.name(), kind, holds);
            }
        }
        let unsigned_names: [(&str, Compare); 4] = [
            ("lo", |a, b| a < b),
            ("ls", |a, b| a <= b),
            ("hi", |a, b| a > b),
            ("hs", |a, b| a >= b),
        ];
        for int in [ALL_INTS[0], ALL_INTS[2], ALL_INTS[4]] {
            for (name, f) in unsigned_names {
                let holds = move |s: &[u64]| f(int.value(s[0]), int.value(s[1]));
                self.compare(name, "", &int.name(), kind_of(int.bits), holds);
            }
        }
        self.family();
        for bits in [16, 32, 64] {
            let kind = kind_of(bits);
            self.add(
                format!("selp.b{bits} $0, $1, $2, $3"),
                &[kind.class()],
                &[kind, kind, Kind::Pred],
                |s| if s[2] == 1 { s[0] } else { s[1] },
            );
            self.add(
                format!("slct.b{bits}.s32 $0, $1, $2, $3"),
                &[kind.class()],
                &[kind, kind, Kind::B32],
                |s| if signed(s[2], 32) >= 0 { s[0] } else { s[1] },
            );
        }
        self.family();
        let two: [Named<Two<u64>>; 3] = [
            ("and", |a, b| a & b),
            ("or", |a, b| a | b),
            ("xor", |a, b| a ^ b),
        ];
        for (name, f) in two {
            let text = format!("{name}.pred $0, $1, $2");
            self.add(text, &[Class::P], &[Kind::Pred; 2], move |s| f(s[0], s[1]));
        }
        self.add("not.pred $0, $1", &[Class::P], &[Kind::Pred], |s| s[0] ^ 1);
        self.add("mov.pred $0, $1", &[Class::P], &[Kind::Pred], |s| s[0]);
        self.family();
    }

    /// All forms of `setp` and `set` with one comparison.
    pub fn compare(
        &mut self,
        name: &str,
        ftz: &str,
        ty: &str,
        kind: Kind,
        holds: impl Fn(&[u64]) -> bool + Clone + 'static,
    ) {
        let h = holds.clone();
        let text = format!("setp.{name}{ftz}.{ty} $0, $1, $2");
        self.add(text, &[Class::P], &[kind; 2], move |s| h(s).into());
        let h = holds.clone();
        let text = format!("setp.{name}{ftz}.{ty} $0|$1, $2, $3");
        self.add_full(text, &[Class::P; 2], &[kind; 2], move |s, _| {
            [h(s).into(), (!h(s)).into()]
        });
        let two: [Named<Two<bool>>; 3] = [
            ("and", |a, b| a & b),
            ("or", |a, b| a | b),
            ("xor", |a, b| a ^ b),
        ];
        for (operation, f) in two {
            let h = holds.clone();
            self.add_full(
                format!("setp.{name}.{operation}{ftz}.{ty} $0|$1, $2, $3, $4"),
                &[Class::P; 2],
                &[kind, kind, Kind::Pred],
                move |s, _| [f(h(s), s[2] == 1).into(), f(!h(s), s[2] == 1).into()],
            );
        }
        let h = holds.clone();
        let text = format!("set.{name}{ftz}.u32.{ty} $0, $1, $2");
        self.add(text, &[Class::W], &[kind; 2], move |s| {
            if h(s) { 0xffff_ffff } else { 0 }
        });
        let h = holds;
        self.add(
            format!("set.{name}.xor{ftz}.f32.{ty} $0, $1, $2, $3"),
            &[Class::W],
            &[kind, kind, Kind::Pred],
            move |s| if h(s) ^ (s[2] == 1) { 0x3f80_0000 } else { 0 },
        );
    }

    fn moves(&mut self) {
        use Class::{D, H, W};
        use Kind::{B16, B32, B64};
        self.add("mov.b16 $0, $1", &[H], &[B16], |s| s[0]);
        self.add("mov.b32 $0, $1", &[W], &[B32], |s| s[0]);
        self.add("mov.b64 $0, $1", &[D], &[B64], |s| s[0]);
        self.add("mov.b32 $0, {$1, $2}", &[W], &[B16; 2], |s| {
            s[0] | s[1] << 16
        });
        self.add("mov.b64 $0, {$1, $2}", &[D], &[B32; 2], |s| {
            s[0] | s[1] << 32
        });
        self.add("mov.b64 $0, {$1, $2, $3, $4}", &[D], &[B16; 4], |s| {
            s[0] | s[1] << 16 | s[2] << 32 | s[3] << 48
        });
        let halves = |bits: u32| {
            move |s: &[u64], _: &mut bool| [cut(unsigned(s[0], 64), bits), s[0] >> bits]
        };
        self.add_full("mov.b32 {$0, $1}, $2", &[H; 2], &[B32], halves(16));
        self.add_full("mov.b64 {$0, $1}, $2", &[W; 2], &[B64], halves(32));
        self.add("mov.b64 {_, $0}, $1", &[W], &[B64], |s| s[0] >> 32);
        self.family();
    }

    fn conversions(&mut self) {
        let bytes = [Int::new(8, false), Int::new(8, true)];
        let all: Vec<Int> = bytes.into_iter().chain(ALL_INTS).collect();
        for &from in &all {
            for &to in &all {
                let (source, target) = (kind_of(from.bits), kind_of(to.bits));
                let width = target.class().bits();
                // Where nothing can be out of range, `.sat` is not allowed.
                let (fits, room) = (from.range(), to.range());
                let can_saturate = fits.0 < room.0 || fits.1 > room.1;
                for saturates in [false, true] {
                    if saturates && !can_saturate {
                        continue;
                    }
                    let sat = if saturates { ".sat" } else { "" };
                    let text = format!("cvt{sat}.{}.{} $0, $1", to.name(), from.name());
                    self.add(text, &[target.class()], &[source], move |s| {
                        let value = from.value(s[0]);
                        let value = if saturates { to.limit(value) } else { value };
                        // A byte in a 16-bit register is extended.
                        cut(to.value(cut(value, 64)), width)
                    });
                }
            }
        }
        self.family();
    }

    fn carries(&mut self) {
        for (w, bits) in [(0, 32), (1, 64)] {
            let kind = kind_of(bits);
            let class = [kind.class()];
            let n = Int::new(bits, false);
            let finish = move |sum: i128, carry: &mut bool, keeps: bool| {
                if keeps {
                    *carry = sum < 0 || sum >> bits != 0;
                }
                [cut(sum, bits), 0]
            };
            for (base, sign) in [("add", 1), ("sub", -1)] {
                self.carry_out[w].push(self.list.len());
                let text = format!("{base}.cc.u{bits} $0, $1, $2");
                self.add_full(text, &class, &[kind; 2], move |s, carry| {
                    finish(n.value(s[0]) + sign * n.value(s[1]), carry, true)
                });
                for keeps in [false, true] {
                    let cc = if keeps { ".cc" } else { "" };
                    self.carry_in[w].push(self.list.len());
                    let text = format!("{base}c{cc}.u{bits} $0, $1, $2");
                    self.add_full(text, &class, &[kind; 2], move |s, carry| {
                        let old = i128::from(*carry);
                        finish(n.value(s[0]) + sign * (n.value(s[1]) + old), carry, keeps)
                    });
                }
            }
            for (half, is_signed) in [("lo", false), ("hi", false), ("hi", true)] {
                let int = Int::new(bits, is_signed);
                let part = move |s: &[u64]| {
                    let product = int.value(s[0]).wrapping_mul(int.value(s[1]));
                    unsigned(
                        match half {
                            "lo" => product as u64,
                            _ => (product as u128 >> bits) as u64,
                        },
                        bits,
                    )
                };
                let name = int.name();
                self.carry_out[w].push(self.list.len());
                let text = format!("mad.{half}.cc.{name} $0, $1, $2, $3");
                self.add_full(text, &class, &[kind; 3], move |s, carry| {
                    finish(part(s) + n.value(s[2]), carry, true)
                });
                for keeps in [false, true] {
                    let cc = if keeps { ".cc" } else { "" };
                    self.carry_in[w].push(self.list.len());
                    let text = format!("madc.{half}{cc}.{name} $0, $1, $2, $3");
                    self.add_full(text, &class, &[kind; 3], move |s, carry| {
                        let old = i128::from(*carry);
                        finish(part(s) + n.value(s[2]) + old, carry, keeps)
                    });
                }
            }
        }
    }
}
