//! Lane loops: how a lane operation's one definition becomes work on whole register rows.
//!
//! An operation of the table is a function of one lane's values. The loops here read its sources
//! from the register files, apply it to all lanes, and write the result to the lanes that execute.
//! They are plain loops over short fixed arrays, inlined into the interpreter, which is compiled
//! once per host instruction set; the compiler turns them into vector code.
//!
//! They go by [`CHUNK`] lanes: a chunk's results stay in vector registers and are written before the
//! next chunk is read. Collecting a whole row first would pass it through a buffer in memory, and a
//! chain of dependent instructions would wait for two stores instead of one. So a destination may
//! be the same row as a source, lane for lane, but must not overlap it in another way; register
//! allocation sees to that (rows of 64-bit pairs are never reused for 32-bit values).

use warploom_isa::arith::{AnyNanF32, canonical_f32};
use warploom_isa::{Inst, LaneResult, LaneType, Mods, NO_SLOT, Slot};

use crate::warp::Row;

/// The register files as a frame sees them. The pointers are valid for every slot that
/// [`crate::Program`] has checked.
#[derive(Clone, Copy)]
pub(crate) struct Regs<const L: usize> {
    /// Where row 0 of the frame is; and where slot 0 would be if the constant file's slots, which
    /// have their highest bit set, were counted from there. So a slot needs no masking.
    bases: [*mut Row<L>; 2],
    /// First mask of the frame.
    masks: *mut u64,
    /// The warp's expanded mask.
    select: *mut Select<L>,
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

/// Stands between reading a chunk and writing its merge with new values. Without it the compiler
/// makes a masked store of the two, which many processors execute slowly and cannot forward to the
/// next load.
#[inline(always)]
fn keep_blend() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: no instruction at all; only the optimizer sees it.
    unsafe {
        std::arch::asm!("", options(nostack, preserves_flags));
    }
}

/// All lanes of a row.
pub(crate) const fn full_mask<const L: usize>() -> u64 {
    if L >= 64 { !0 } else { (1 << L) - 1 }
}

impl<const L: usize> Regs<L> {
    /// The registers of a frame. The pointers stay good while these are not touched otherwise.
    pub(crate) fn new(
        rows: &mut [Row<L>],
        constants: &[Row<L>],
        masks: &mut [u64],
        select: &mut Select<L>,
    ) -> Regs<L> {
        let slot_0 = constants
            .as_ptr()
            .wrapping_sub(Slot::constant(0).0 as usize);
        Regs {
            bases: [rows.as_mut_ptr(), slot_0.cast_mut()],
            masks: masks.as_mut_ptr(),
            select,
        }
    }

    /// Registers that nobody may touch.
    pub(crate) fn dangling() -> Regs<L> {
        Regs {
            bases: [std::ptr::null_mut(); 2],
            masks: std::ptr::null_mut(),
            select: std::ptr::null_mut(),
        }
    }

    /// A row to read.
    ///
    /// # Safety
    /// The slot was checked for the function of this frame.
    #[inline(always)]
    pub(crate) unsafe fn row(&self, slot: Slot) -> *const u32 {
        let base = self.bases[usize::from(slot.0 >> 15)];
        base.wrapping_add(usize::from(slot.0)).cast()
    }

    /// A row to write.
    ///
    /// # Safety
    /// As for [`Regs::row`]; the slot is not a constant.
    #[inline(always)]
    pub(crate) unsafe fn row_mut(&self, slot: Slot) -> *mut u32 {
        // SAFETY: the caller's promise.
        unsafe { self.bases[0].add(usize::from(slot.0)).cast() }
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

    /// Writes a 32-bit value to the executing lanes of a row.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`].
    #[inline(always)]
    pub(crate) unsafe fn fill32(&self, slot: Slot, exec: u64, value: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            if exec == full_mask::<L>() {
                *self.row_mut(slot).cast::<[u32; L]>() = [value; L];
            } else {
                self.write32(slot, exec, &[value; L]);
            }
        }
    }

    /// Writes a 64-bit value to the executing lanes of a pair of rows.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`].
    #[inline(always)]
    pub(crate) unsafe fn fill64(&self, slot: Slot, exec: u64, value: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if exec == full_mask::<L>() {
                *self.row_mut(slot).cast::<[u64; L]>() = [value; L];
            } else {
                self.write64(slot, exec, &[value; L]);
            }
        }
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

/// Lanes that are worked out before any of them is written: a vector register of 64 bytes.
pub(crate) const CHUNK: usize = 16;

/// Mask of the first chunk's lanes.
const CHUNK_MASK: u64 = (1 << CHUNK) - 1;

/// A result that a lane loop writes.
pub(crate) trait LaneSink<const L: usize>: LaneResult + Copy + Default {
    /// The opened destinations.
    type Sink;

    /// Finds the destinations.
    ///
    /// # Safety
    /// As for [`Regs::row_mut`], for the instruction's destinations.
    unsafe fn open(regs: &Regs<L>, inst: &Inst) -> Self::Sink;

    /// Takes the results of the lanes from `start` on; all of them execute.
    ///
    /// # Safety
    /// `start + CHUNK <= L`.
    unsafe fn put(sink: &mut Self::Sink, start: usize, values: [Self; CHUNK]);

    /// The same where only the lanes execute whose word of `on` is all ones; the others' are zero.
    ///
    /// # Safety
    /// As for [`LaneSink::put`].
    unsafe fn merge(sink: &mut Self::Sink, start: usize, values: [Self; CHUNK], on: &[u32; L]);

    /// Writes what is kept until all lanes are there.
    ///
    /// # Safety
    /// As for [`LaneSink::open`].
    unsafe fn close(sink: Self::Sink, regs: &Regs<L>, inst: &Inst, exec: u64);
}

macro_rules! row_sinks {
    ($($ty:ty, $row:ty, |$v:ident| $into:expr;)*) => { $(
        impl<const L: usize> LaneSink<L> for $ty {
            type Sink = *mut $row;

            #[inline(always)]
            unsafe fn open(regs: &Regs<L>, inst: &Inst) -> *mut $row {
                // SAFETY: the caller's promise.
                unsafe { regs.row_mut(inst.dst).cast() }
            }

            #[inline(always)]
            unsafe fn put(sink: &mut *mut $row, start: usize, values: [$ty; CHUNK]) {
                let mut chunk: [$row; CHUNK] = [0; CHUNK];
                for lane in 0..CHUNK {
                    let $v = values[lane];
                    chunk[lane] = $into;
                }
                // SAFETY: the caller's promise.
                unsafe { sink.add(start).cast::<[$row; CHUNK]>().write(chunk) }
            }

            #[inline(always)]
            unsafe fn merge(
                sink: &mut *mut $row,
                start: usize,
                values: [$ty; CHUNK],
                on: &[u32; L],
            ) {
                // SAFETY: the caller's promise.
                unsafe {
                    let row = sink.add(start).cast::<[$row; CHUNK]>();
                    let mut chunk = row.read();
                    for lane in 0..CHUNK {
                        let $v = values[lane];
                        let on = (on[start + lane] as i32) < 0;
                        chunk[lane] = if on { $into } else { chunk[lane] };
                    }
                    keep_blend();
                    row.write(chunk);
                }
            }

            #[inline(always)]
            unsafe fn close(_: *mut $row, _: &Regs<L>, _: &Inst, _: u64) {}
        }
    )* };
}

row_sinks! {
    u16, u32, |v| u32::from(v);
    i16, u32, |v| u32::from(v as u16);
    u32, u32, |v| v;
    i32, u32, |v| v as u32;
    f32, u32, |v| v.to_bits();
    u64, u64, |v| v;
    i64, u64, |v| v as u64;
    f64, u64, |v| v.to_bits();
}

impl<const L: usize> LaneSink<L> for AnyNanF32 {
    type Sink = *mut u32;

    #[inline(always)]
    unsafe fn open(regs: &Regs<L>, inst: &Inst) -> *mut u32 {
        // SAFETY: the caller's promise.
        unsafe { regs.row_mut(inst.dst) }
    }

    #[inline(always)]
    unsafe fn put(sink: &mut *mut u32, start: usize, values: [AnyNanF32; CHUNK]) {
        let values = values.map(|value| value.0);
        // SAFETY: the caller's promise.
        unsafe {
            <f32 as LaneSink<L>>::put(sink, start, values);
            if any_nan(&values) {
                make_canonical(&mut *sink.add(start).cast::<[u32; CHUNK]>(), &[!0; CHUNK]);
            }
        }
    }

    #[inline(always)]
    unsafe fn merge(sink: &mut *mut u32, start: usize, values: [AnyNanF32; CHUNK], on: &[u32; L]) {
        let values = values.map(|value| value.0);
        // SAFETY: the caller's promise.
        unsafe {
            <f32 as LaneSink<L>>::merge(sink, start, values, on);
            let on = &*on.as_ptr().add(start).cast::<[u32; CHUNK]>();
            let mut executing = values;
            for lane in 0..CHUNK {
                executing[lane] = f32::from_bits(values[lane].to_bits() & on[lane]);
            }
            if any_nan(&executing) {
                make_canonical(&mut *sink.add(start).cast::<[u32; CHUNK]>(), on);
            }
        }
    }

    #[inline(always)]
    unsafe fn close(_: *mut u32, _: &Regs<L>, _: &Inst, _: u64) {}
}

/// Whether there is a NaN, two values to a comparison.
#[inline(always)]
fn any_nan(values: &[f32; CHUNK]) -> bool {
    let (low, high) = values.split_at(CHUNK / 2);
    let mut any = false;
    for (low, high) in low.iter().zip(high) {
        any |= low.is_nan() | high.is_nan();
    }
    any
}

/// Makes the NaNs of a chunk canonical, in the lanes whose word of `on` is all ones.
#[cold]
#[inline(never)]
fn make_canonical(chunk: &mut [u32; CHUNK], on: &[u32; CHUNK]) {
    for (bits, on) in chunk.iter_mut().zip(on) {
        if *on != 0 {
            *bits = canonical_f32(f32::from_bits(*bits)).to_bits();
        }
    }
}

/// Bits of a mask in the making: each lane's at its place in a 32-bit half, spread over the lanes of
/// a chunk, so that collecting them is vector logic until the end.
pub(crate) struct Bits {
    low: [u32; CHUNK],
    high: [u32; CHUNK],
}

impl Bits {
    #[inline(always)]
    fn new() -> Bits {
        Bits {
            low: [0; CHUNK],
            high: [0; CHUNK],
        }
    }

    #[inline(always)]
    fn put(&mut self, start: usize, values: [bool; CHUNK]) {
        let half = if start < 32 {
            &mut self.low
        } else {
            &mut self.high
        };
        for lane in 0..CHUNK {
            half[lane] |= if values[lane] {
                1 << ((start & 31) + lane)
            } else {
                0
            };
        }
    }

    #[inline(always)]
    fn gather(&self) -> u64 {
        let gather = |half: &[u32; CHUNK]| u64::from(half.iter().fold(0, |all, bit| all | bit));
        gather(&self.low) | gather(&self.high) << 32
    }
}

impl<const L: usize> LaneSink<L> for bool {
    type Sink = Bits;

    #[inline(always)]
    unsafe fn open(_: &Regs<L>, _: &Inst) -> Bits {
        Bits::new()
    }

    #[inline(always)]
    unsafe fn put(sink: &mut Bits, start: usize, values: [bool; CHUNK]) {
        sink.put(start, values);
    }

    #[inline(always)]
    unsafe fn merge(sink: &mut Bits, start: usize, values: [bool; CHUNK], _: &[u32; L]) {
        sink.put(start, values);
    }

    #[inline(always)]
    unsafe fn close(sink: Bits, regs: &Regs<L>, inst: &Inst, exec: u64) {
        // SAFETY: the caller's promise.
        unsafe { regs.set_mask(inst.dst, exec, sink.gather()) }
    }
}

/// Two results, the second of which is a mask.
impl<const L: usize, T: LaneSink<L>> LaneSink<L> for (T, bool)
where
    (T, bool): LaneResult,
{
    type Sink = (T::Sink, Bits);

    #[inline(always)]
    unsafe fn open(regs: &Regs<L>, inst: &Inst) -> Self::Sink {
        // SAFETY: the caller's promise.
        (unsafe { T::open(regs, inst) }, Bits::new())
    }

    #[inline(always)]
    unsafe fn put(sink: &mut Self::Sink, start: usize, values: [Self; CHUNK]) {
        sink.1.put(start, values.map(|(_, bit)| bit));
        // SAFETY: the caller's promise.
        unsafe { T::put(&mut sink.0, start, values.map(|(value, _)| value)) }
    }

    #[inline(always)]
    unsafe fn merge(sink: &mut Self::Sink, start: usize, values: [Self; CHUNK], on: &[u32; L]) {
        sink.1.put(start, values.map(|(_, bit)| bit));
        // SAFETY: the caller's promise.
        unsafe { T::merge(&mut sink.0, start, values.map(|(value, _)| value), on) }
    }

    #[inline(always)]
    unsafe fn close(sink: Self::Sink, regs: &Regs<L>, inst: &Inst, exec: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            T::close(sink.0, regs, inst, exec);
            regs.set_mask(inst.dst2, exec, sink.1.gather());
        }
    }
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
            regs: &Regs<L>,
            inst: &Inst,
            exec: u64,
            f: impl Fn(Mods $(, $ty)*) -> R,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $( let $arg = $ty::open(regs, inst.$field); )*
                let mut sink = R::open(regs, inst);
                for start in (0..L).step_by(CHUNK) {
                    let part = exec >> start & CHUNK_MASK;
                    if part == 0 {
                        continue;
                    }
                    let mut values = [R::default(); CHUNK];
                    for lane in 0..CHUNK {
                        values[lane] = f(inst.mods $(, $ty::get($arg, start + lane))*);
                    }
                    if part == CHUNK_MASK {
                        R::put(&mut sink, start, values);
                    } else {
                        R::merge(&mut sink, start, values, (*regs.select).lanes(exec));
                    }
                }
                R::close(sink, regs, inst, exec);
            }
        }

        /// The same for an operation that is called rather than inlined; idle lanes are skipped.
        ///
        /// # Safety
        /// As for the inlined form.
        #[inline(never)]
        pub(crate) unsafe fn $cold<$($ty: LaneSource<L>,)* R: LaneSink<L>, const L: usize>(
            regs: &Regs<L>,
            inst: &Inst,
            exec: u64,
            f: impl Fn(Mods $(, $ty)*) -> R,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                $( let $arg = $ty::open(regs, inst.$field); )*
                let mut sink = R::open(regs, inst);
                let on = (*regs.select).lanes(exec);
                for start in (0..L).step_by(CHUNK) {
                    if exec >> start & CHUNK_MASK == 0 {
                        continue;
                    }
                    let mut values = [R::default(); CHUNK];
                    for lane in 0..CHUNK {
                        if exec >> (start + lane) & 1 != 0 {
                            values[lane] = f(inst.mods $(, $ty::get($arg, start + lane))*);
                        }
                    }
                    R::merge(&mut sink, start, values, on);
                }
                R::close(sink, regs, inst, exec);
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
