//! Bit fields, bit searches, funnel shifts, permutations and truth tables.

use super::int::Integer;

/// `bfe`: `len` bits of `a` from position `pos`, extended by sign if the type has one. Position
/// and length count modulo 256; bits beyond the type repeat the sign.
#[inline(always)]
pub fn bfe<T: Integer>(a: T, pos: u32, len: u32) -> T {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if len == 0 {
        return T::ZERO;
    }
    let above = (T::BITS - 1).saturating_sub(pos + len - 1);
    a.shift_left(above).shift_right(above + pos)
}

/// `bfi.b32`: `b` with the low `len` bits of `a` at position `pos`, both modulo 256.
#[inline(always)]
pub fn bfi_b32(a: u32, b: u32, pos: u32, len: u32) -> u32 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let field = !u32::MAX.unbounded_shl(len);
    let mask = field.unbounded_shl(pos);
    b & !mask | a.unbounded_shl(pos) & mask
}

/// `bfi.b64`.
#[inline(always)]
pub fn bfi_b64(a: u64, b: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let field = !u64::MAX.unbounded_shl(len);
    let mask = field.unbounded_shl(pos);
    b & !mask | a.unbounded_shl(pos) & mask
}

/// `bfind`: the position of the highest bit that differs from the sign, or 0xffffffff. With
/// `shift_amount`, the left shift that brings it to the top.
#[inline(always)]
pub fn bfind<T: Integer>(a: T, shift_amount: bool) -> u32 {
    let leading = a.leading_sign_bits();
    if leading == T::BITS {
        u32::MAX
    } else if shift_amount {
        leading
    } else {
        T::BITS - 1 - leading
    }
}

/// `fns`: the position of the `offset`-th set bit of `mask`, counted from `base` upward, or
/// downward if negative; 0xffffffff if there is none or `base` is above 31.
#[inline(always)]
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    // Counting down is counting up in the mirror.
    let (mut rest, start) = if offset < 0 {
        (mask.reverse_bits(), 31 - base)
    } else {
        (mask, base)
    };
    rest &= u32::MAX << start;
    if offset == 0 {
        rest &= 1 << start;
    }
    for _ in 1..offset.unsigned_abs().clamp(1, 33) {
        rest &= rest.wrapping_sub(1);
    }
    match (rest, offset < 0) {
        (0, _) => u32::MAX,
        (_, false) => rest.trailing_zeros(),
        (_, true) => 31 - rest.trailing_zeros(),
    }
}

/// `szext`: the low `n` bits, extended by sign or zero. Of 32 and more, `clamp` keeps `a` whole;
/// otherwise `n` counts modulo 32. No bits give zero.
#[inline(always)]
pub fn szext(a: u32, n: u32, signed: bool, clamp: bool) -> u32 {
    if clamp && n >= 32 {
        return a;
    }
    let n = n & 31;
    if n == 0 {
        return 0;
    }
    let top = a << (32 - n);
    if signed {
        (top as i32 >> (32 - n)) as u32
    } else {
        top >> (32 - n)
    }
}

/// `bmsk`: ones from position `pos`, `width` many. `clamp` limits both to 32, otherwise they count
/// modulo 32.
#[inline(always)]
pub fn bmsk(pos: u32, width: u32, clamp: bool) -> u32 {
    let (pos, width) = if clamp {
        (pos.min(32), width.min(32))
    } else {
        (pos & 31, width & 31)
    };
    (!u32::MAX.unbounded_shl(width)).unbounded_shl(pos)
}

/// Shift amount of `shf`: limited to 32 if `clamp`, else modulo 32.
#[inline(always)]
fn funnel_amount(n: u32, clamp: bool) -> u32 {
    if clamp { n.min(32) } else { n & 31 }
}

/// `shf.l`: the upper word of `b`:`a` (`b` above) shifted left.
#[inline(always)]
pub fn shf_left(a: u32, b: u32, n: u32, clamp: bool) -> u32 {
    let pair = u64::from(b) << 32 | u64::from(a);
    (pair << funnel_amount(n, clamp) >> 32) as u32
}

/// `shf.r`: the lower word of `b`:`a` (`b` above) shifted right.
#[inline(always)]
pub fn shf_right(a: u32, b: u32, n: u32, clamp: bool) -> u32 {
    let pair = u64::from(b) << 32 | u64::from(a);
    (pair >> funnel_amount(n, clamp)) as u32
}

/// `prmt`: each nibble of `control` picks one of the eight bytes of `b`:`a` (`b` above); its high
/// bit repeats that byte's sign instead.
#[inline(always)]
pub fn prmt(a: u32, b: u32, control: u32) -> u32 {
    let pair = u64::from(b) << 32 | u64::from(a);
    let mut result = 0;
    for i in 0..4 {
        let nibble = control >> (4 * i);
        let byte = (pair >> (8 * (nibble & 7))) as u8;
        let sign = (byte as i8 >> 7) as u8;
        let picked = if nibble & 8 == 0 { byte } else { sign };
        result |= u32::from(picked) << (8 * i);
    }
    result
}

coded_enum! {
    /// A special mode of `prmt`, in which two bits of the control say where to start.
    PermuteMode {
        F4e: "Four bytes upward.",
        B4e: "Four bytes downward.",
        Rc8: "One byte, replicated.",
        Ecl: "The lower word's bytes, none below the start.",
        Ecr: "The lower word's bytes, none above the start.",
        Rc16: "One half, replicated.",
    }
}

/// The control of [`prmt`] that a special mode stands for.
#[inline(always)]
pub fn permute_control(mode: PermuteMode, selector: u32) -> u32 {
    let controls: [u16; 4] = match mode {
        PermuteMode::F4e => [0x3210, 0x4321, 0x5432, 0x6543],
        PermuteMode::B4e => [0x5670, 0x6701, 0x7012, 0x0123],
        PermuteMode::Rc8 => [0x0000, 0x1111, 0x2222, 0x3333],
        PermuteMode::Ecl => [0x3210, 0x3211, 0x3222, 0x3333],
        PermuteMode::Ecr => [0x0000, 0x1110, 0x2210, 0x3210],
        PermuteMode::Rc16 => [0x1010, 0x3232, 0x1010, 0x3232],
    };
    u32::from(controls[(selector & 3) as usize])
}

/// `lop3`: the truth table `table`, indexed by the bits of `a`, `b` and `c`, `a` highest.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let row = |i: u32| 0u32.wrapping_sub(u32::from(table >> i & 1));
    let by_c = |i: u32| c & row(i + 1) | !c & row(i);
    let by_b = |i: u32| b & by_c(i + 2) | !b & by_c(i);
    a & by_b(4) | !a & by_b(0)
}
