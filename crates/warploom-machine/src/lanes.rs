//! Lane loops: how a lane operation's one definition becomes work on whole register rows.
//!
//! An operation of the table is a function of one lane's values. The loops here read its sources
//! from the register files, apply it to all lanes, and write the result to the lanes that execute.
//! They are plain loops over fixed arrays, inlined into the interpreter, which is compiled once per
//! host instruction set; the compiler turns them into vector code.

use warploom_isa::{Inst, LaneResult, LaneType, Mods, NO_SLOT, Slot};

use crate::warp::Row;

/// The register files as a frame sees them. The pointers are valid for every slot that
/// [`crate::Program`] has checked.
#[derive(Clone, Copy)]
pub(crate) struct Regs<const L: usize> {
    /// First row of the frame.
    pub(crate) rows: *mut Row<L>,
    /// First row of the constant file.
    pub(crate) constants: *const Row<L>,
    /// First mask of the frame.
    pub(crate) masks: *mut u64,
    /// The warp's expanded mask.
    pub(crate) select: *mut Select<L>,
}

/// A mask spread out to one word per lane, all ones or zero. Kept in memory and reused while the
/// mask stays, because a merge with it is plain vector logic: merges with a mask computed on the
/// spot become masked stores, which many processors execute slowly and cannot forward.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Select<const L: usize> {
    lanes: [u32; L],
    mask: u64,
}

impl<const L: usize> Select<L> {
    pub(crate) fn new() -> Select<L> {
        Select {
            lanes: [0; L],
            mask: 0,
        }
    }

    #[inline(always)]
    fn lanes(&mut self, mask: u64) -> &[u32; L] {
        if self.mask != mask {
            self.spread(mask);
        }
        &self.lanes
    }

    #[inline(never)]
    fn spread(&mut self, mask: u64) {
        self.mask = mask;
        for lane in 0..L {
            self.lanes[lane] = select32(mask, lane);
        }
    }
}

/// All ones if the lane is in the mask, else zero. Arithmetic, not a condition, so that loops over
/// lanes become vector code rather than a branch per lane.
#[inline(always)]
pub(crate) fn select32(mask: u64, lane: usize) -> u32 {
    let half = (mask >> (lane & 32)) as u32;
    0u32.wrapping_sub(half >> (lane & 31) & 1)
}

/// As [`select32`], in 64 bits.
#[inline(always)]
pub(crate) fn select64(mask: u64, lane: usize) -> u64 {
    0u64.wrapping_sub(mask >> lane & 1)
}

/// All lanes of a row.
pub(crate) const fn full_mask<const L: usize>() -> u64 {
    if L >= 64 { !0 } else { (1 << L) - 1 }
}

impl<const L: usize> Regs<L> {
    /// A row to read.
    ///
    /// # Safety
    /// The slot was checked for the function of this frame.
    #[inline(always)]
    pub(crate) unsafe fn row(&self, slot: Slot) -> *const u32 {
        let base = if slot.is_constant() {
            self.constants
        } else {
            self.rows
        };
        // SAFETY: the caller's promise.
        unsafe { base.add(slot.row()).cast() }
    }

    /// A row to write.
    ///
    /// # Safety
    /// As for [`Regs::row`]; the slot is not a constant.
    #[inline(always)]
    pub(crate) unsafe fn row_mut(&self, slot: Slot) -> *mut u32 {
        // SAFETY: the caller's promise.
        unsafe { self.rows.add(slot.row()).cast() }
    }

    /// A mask register.
    ///
    /// # Safety
    /// As for [`Regs::row`].
    #[inline(always)]
    pub(crate) unsafe fn mask(&self, slot: Slot) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { *self.masks.add(slot.0 as usize) }
    }

    /// Writes the executing lanes' bits of a mask register.
    ///
    /// # Safety
    /// As for [`Regs::row`].
    #[inline(always)]
    pub(crate) unsafe fn set_mask(&self, slot: Slot, exec: u64, bits: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            let mask = self.masks.add(slot.0 as usize);
            *mask = *mask & !exec | bits & exec;
        }
    }

    /// One lane of a 32-bit row, or of a 64-bit pair.
    ///
    /// # Safety
    /// As for [`Regs::row`]; `lane < L`.
    #[inline(always)]
    pub(crate) unsafe fn lane(&self, slot: Slot, wide: bool, lane: usize) -> u64 {
        // SAFETY: the caller's promise; rows are aligned for both.
        unsafe {
            let row = self.row(slot);
            if wide {
                *row.cast::<u64>().add(lane)
            } else {
                u64::from(*row.add(lane))
            }
        }
    }

    /// Writes one lane.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`]; `lane < L`.
    #[inline(always)]
    pub(crate) unsafe fn set_lane(&self, slot: Slot, wide: bool, lane: usize, value: u64) {
        // SAFETY: the caller's promise; rows are aligned for both.
        unsafe {
            let row = self.row_mut(slot);
            if wide {
                *row.cast::<u64>().add(lane) = value;
            } else {
                *row.add(lane) = value as u32;
            }
        }
    }

    /// The value of an operand that is the same in all lanes of `exec`, or the first lane's.
    ///
    /// # Safety
    /// As for [`Regs::row`]; `exec` is not zero.
    #[inline(always)]
    pub(crate) unsafe fn first(&self, slot: Slot, wide: bool, exec: u64) -> u64 {
        debug_assert!(slot != NO_SLOT);
        // SAFETY: the caller's promise.
        unsafe { self.lane(slot, wide, exec.trailing_zeros() as usize % L) }
    }

    /// Writes 32-bit values to the executing lanes of a row.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`].
    #[inline(always)]
    pub(crate) unsafe fn write32(&self, slot: Slot, exec: u64, values: &[u32; L]) {
        // SAFETY: the caller's promise.
        let row = unsafe { &mut *self.row_mut(slot).cast::<[u32; L]>() };
        if exec == full_mask::<L>() {
            *row = *values;
            return;
        }
        // SAFETY: the warp outlives the call.
        let on = unsafe { (*self.select).lanes(exec) };
        for lane in 0..L {
            row[lane] = values[lane] & on[lane] | row[lane] & !on[lane];
        }
    }

    /// Writes 64-bit values to the executing lanes of a pair of rows.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`].
    #[inline(always)]
    pub(crate) unsafe fn write64(&self, slot: Slot, exec: u64, values: &[u64; L]) {
        // SAFETY: the caller's promise.
        let row = unsafe { &mut *self.row_mut(slot).cast::<[u64; L]>() };
        if exec == full_mask::<L>() {
            *row = *values;
            return;
        }
        // SAFETY: the warp outlives the call.
        let on = unsafe { (*self.select).lanes(exec) };
        for lane in 0..L {
            let on = on[lane] as i32 as i64 as u64;
            row[lane] = values[lane] & on | row[lane] & !on;
        }
    }
}

/// A source that a lane loop reads.
pub(crate) trait LaneSource<const L: usize>: LaneType {
    /// The opened operand.
    type Source: Copy;

    /// Finds the operand's row or mask.
    ///
    /// # Safety
    /// As for [`Regs::row`].
    unsafe fn open(regs: &Regs<L>, slot: Slot) -> Self::Source;

    /// One lane's value.
    ///
    /// # Safety
    /// `lane < L`.
    unsafe fn get(source: Self::Source, lane: usize) -> Self;
}

macro_rules! row_sources {
    ($($ty:ty, $row:ty, |$v:ident| $from:expr;)*) => { $(
        impl<const L: usize> LaneSource<L> for $ty {
            type Source = *const $row;

            #[inline(always)]
            unsafe fn open(regs: &Regs<L>, slot: Slot) -> *const $row {
                // SAFETY: the caller's promise.
                unsafe { regs.row(slot).cast() }
            }

            #[inline(always)]
            unsafe fn get(source: *const $row, lane: usize) -> $ty {
                // SAFETY: a row has L lanes.
                let $v = unsafe { *source.add(lane) };
                $from
            }
        }
    )* };
}

row_sources! {
    u16, u32, |v| v as u16;
    i16, u32, |v| v as i16;
    u32, u32, |v| v;
    i32, u32, |v| v as i32;
    f32, u32, |v| f32::from_bits(v);
    u64, u64, |v| v;
    i64, u64, |v| v as i64;
    f64, u64, |v| f64::from_bits(v);
}

impl<const L: usize> LaneSource<L> for bool {
    type Source = u64;

    #[inline(always)]
    unsafe fn open(regs: &Regs<L>, slot: Slot) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { regs.mask(slot) }
    }

    #[inline(always)]
    unsafe fn get(source: u64, lane: usize) -> bool {
        let half = (source >> (lane & 32)) as u32;
        half & (1 << (lane & 31)) != 0
    }
}

/// A result that a lane loop writes.
pub(crate) trait LaneSink<const L: usize>: LaneResult {
    /// Results of all lanes before they are written.
    type Buffer;

    /// An empty buffer.
    fn buffer() -> Self::Buffer;

    /// Notes one lane's result.
    fn put(buffer: &mut Self::Buffer, lane: usize, value: Self);

    /// Writes the executing lanes.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`], for the instruction's destinations.
    unsafe fn commit(buffer: &Self::Buffer, regs: &Regs<L>, inst: &Inst, exec: u64);
}

macro_rules! row_sinks {
    ($($ty:ty, $row:ty, $write:ident, |$v:ident| $into:expr;)*) => { $(
        impl<const L: usize> LaneSink<L> for $ty {
            type Buffer = [$row; L];

            #[inline(always)]
            fn buffer() -> [$row; L] {
                [0; L]
            }

            #[inline(always)]
            fn put(buffer: &mut [$row; L], lane: usize, $v: $ty) {
                buffer[lane] = $into;
            }

            #[inline(always)]
            unsafe fn commit(buffer: &[$row; L], regs: &Regs<L>, inst: &Inst, exec: u64) {
                // SAFETY: the caller's promise.
                unsafe { regs.$write(inst.dst, exec, buffer) }
            }
        }

        impl<const L: usize> LaneSink<L> for ($ty, bool) {
            type Buffer = ([$row; L], u64);

            #[inline(always)]
            fn buffer() -> Self::Buffer {
                ([0; L], 0)
            }

            #[inline(always)]
            fn put(buffer: &mut Self::Buffer, lane: usize, ($v, bit): Self) {
                buffer.0[lane] = $into;
                buffer.1 |= u64::from(bit) << lane;
            }

            #[inline(always)]
            unsafe fn commit(buffer: &Self::Buffer, regs: &Regs<L>, inst: &Inst, exec: u64) {
                // SAFETY: the caller's promise.
                unsafe {
                    regs.$write(inst.dst, exec, &buffer.0);
                    regs.set_mask(inst.dst2, exec, buffer.1);
                }
            }
        }
    )* };
}

row_sinks! {
    u16, u32, write32, |v| u32::from(v);
    i16, u32, write32, |v| u32::from(v as u16);
    u32, u32, write32, |v| v;
    i32, u32, write32, |v| v as u32;
    f32, u32, write32, |v| v.to_bits();
    u64, u64, write64, |v| v;
    i64, u64, write64, |v| v as u64;
    f64, u64, write64, |v| v.to_bits();
}

impl<const L: usize> LaneSink<L> for bool {
    type Buffer = [u32; L];

    #[inline(always)]
    fn buffer() -> [u32; L] {
        [0; L]
    }

    #[inline(always)]
    fn put(buffer: &mut [u32; L], lane: usize, value: bool) {
        buffer[lane] = if value { 1 << (lane & 31) } else { 0 };
    }

    #[inline(always)]
    unsafe fn commit(buffer: &[u32; L], regs: &Regs<L>, inst: &Inst, exec: u64) {
        // SAFETY: the caller's promise.
        unsafe { regs.set_mask(inst.dst, exec, gather_bits(buffer)) }
    }
}

impl<const L: usize> LaneSink<L> for (bool, bool) {
    type Buffer = ([u32; L], [u32; L]);

    #[inline(always)]
    fn buffer() -> Self::Buffer {
        ([0; L], [0; L])
    }

    #[inline(always)]
    fn put(buffer: &mut Self::Buffer, lane: usize, value: (bool, bool)) {
        let bit = 1 << (lane & 31);
        buffer.0[lane] = if value.0 { bit } else { 0 };
        buffer.1[lane] = if value.1 { bit } else { 0 };
    }

    #[inline(always)]
    unsafe fn commit(buffer: &Self::Buffer, regs: &Regs<L>, inst: &Inst, exec: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            regs.set_mask(inst.dst, exec, gather_bits(&buffer.0));
            regs.set_mask(inst.dst2, exec, gather_bits(&buffer.1));
        }
    }
}

/// Collects one bit per lane, each already at its place in a 32-bit half.
#[inline(always)]
fn gather_bits<const L: usize>(bits: &[u32; L]) -> u64 {
    let low = bits[..L.min(32)].iter().fold(0, |all, bit| all | bit);
    let high = bits[L.min(32)..].iter().fold(0, |all, bit| all | bit);
    u64::from(low) | u64::from(high) << 32
}

macro_rules! loops {
    ($($name:ident, $cold:ident, ($($arg:ident $ty:ident $field:ident),*);)*) => { $(
        /// Applies a lane operation to all lanes and keeps the executing ones' results.
        ///
        /// # Safety
        /// The instruction was checked for this frame's function, with these operand types.
        #[allow(dead_code, reason = "a form exists for every arity, used or not")]
        #[inline(always)]
        pub(crate) unsafe fn $name<$($ty: LaneSource<L>,)* R: LaneSink<L>, const L: usize>(
            regs: Regs<L>,
            inst: &Inst,
            exec: u64,
            f: impl Fn(Mods $(, $ty)*) -> R,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $( let $arg = $ty::open(&regs, inst.$field); )*
                let mut buffer = R::buffer();
                for lane in 0..L {
                    R::put(&mut buffer, lane, f(inst.mods $(, $ty::get($arg, lane))*));
                }
                R::commit(&buffer, &regs, inst, exec);
            }
        }

        /// The same for an operation that is called rather than inlined; idle lanes are skipped.
        ///
        /// # Safety
        /// As for the inlined form.
        #[inline(never)]
        pub(crate) unsafe fn $cold<$($ty: LaneSource<L>,)* R: LaneSink<L>, const L: usize>(
            regs: Regs<L>,
            inst: &Inst,
            exec: u64,
            f: impl Fn(Mods $(, $ty)*) -> R,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $( let $arg = $ty::open(&regs, inst.$field); )*
                let mut buffer = R::buffer();
                for lane in 0..L {
                    if exec >> lane & 1 != 0 {
                        R::put(&mut buffer, lane, f(inst.mods $(, $ty::get($arg, lane))*));
                    }
                }
                R::commit(&buffer, &regs, inst, exec);
            }
        }
    )* };
}

loops! {
    lanes1, cold_lanes1, (a A a);
    lanes2, cold_lanes2, (a A a, b B b);
    lanes3, cold_lanes3, (a A a, b B b, c C c);
    lanes4, cold_lanes4, (a A a, b B b, c C c, d D d);
}
