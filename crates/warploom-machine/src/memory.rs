//! Global memory: allocations with exact bounds, and host access to them.
//!
//! An allocation is a range of device addresses backed by its own host memory. Between two
//! allocations lies a red zone that no access may touch, so an overrun is always seen. Kernels
//! reach the bytes through a [`Window`] only: a range that was looked up once and is checked at
//! each access.
//!
//! Several host threads may run blocks of one launch over the same memory. A data race in the
//! simulated program must not be one in ours, so that every access to the bytes goes through
//! relaxed host atomics of the access's width ([`cell`]).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Arc;

use warploom_isa::address::GLOBAL_BASE;

/// Least alignment of an allocation.
pub const ALLOCATION_ALIGN_BYTES: u64 = 256;
/// Least size of the red zone behind an allocation. Addresses cost nothing, so it is wide: an index
/// that is off by a row or a block still hits no other allocation.
pub const RED_ZONE_BYTES: u64 = 1 << 20;

/// Why memory could not be handed out or reached by the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The host has no memory left for it.
    #[error("the host cannot provide {bytes} bytes of memory")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The range is not inside one allocation.
    #[error("{bytes} bytes at {address:#x} are not inside an allocation")]
    NotMapped {
        /// First address.
        address: u64,
        /// Bytes of the range.
        bytes: u64,
    },
    /// The address does not start an allocation.
    #[error("{address:#x} is not the start of an allocation")]
    NotAnAllocation {
        /// The address.
        address: u64,
    },
}

/// Host bytes of one allocation, zeroed lazily by the operating system.
struct Backing {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the bytes are only touched through the atomics of `cell`, or through `&mut Memory`.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    fn new(bytes: u64) -> Result<Backing, MemoryError> {
        let error = MemoryError::OutOfMemory { bytes };
        // Rounded up so that every aligned access of up to 32 bytes lies inside the host memory.
        let size = usize::try_from(bytes)
            .ok()
            .and_then(|b| b.checked_next_multiple_of(64));
        let size = size.ok_or(error.clone())?.max(64);
        let layout = Layout::from_size_align(size, 64).map_err(|_| error.clone())?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(error)?;
        Ok(Backing { start, layout })
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `new`.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// What an allocation is for; shown in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocationKind {
    /// Made by the host, with its name if it has one.
    Buffer(String),
    /// A variable of the module.
    Variable(String),
    /// Made by the kernel's `malloc`.
    Heap,
    /// Made by the machine itself, for example the grid barrier's word.
    System(&'static str),
}

/// A range of device addresses.
#[derive(Clone)]
pub struct Allocation {
    /// First address.
    pub base: u64,
    /// Size.
    pub bytes: u64,
    /// What it is for.
    pub kind: AllocationKind,
    /// Kernels may not write it.
    pub read_only: bool,
    backing: Arc<Backing>,
}

/// A range that was freed: kept to tell a use after free from a wild access.
#[derive(Clone, Debug)]
struct Freed {
    base: u64,
    bytes: u64,
    kind: AllocationKind,
}

/// Addresses that an instruction may touch without another look-up.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// First address.
    pub low: u64,
    /// Past the last address.
    pub high: u64,
    /// Host address of `low`.
    pub host: *mut u8,
    /// Kernels may write it.
    pub writable: bool,
}

impl Window {
    /// No address.
    pub const EMPTY: Window = Window {
        low: u64::MAX,
        high: 0,
        host: std::ptr::null_mut(),
        writable: false,
    };

    /// Whether the inclusive-exclusive range lies inside.
    #[inline(always)]
    pub fn holds(&self, low: u64, high: u64) -> bool {
        low >= self.low && high <= self.high && low <= high
    }
}

/// What lies at or near an address, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// What it is.
    pub kind: AllocationKind,
    /// Its first address.
    pub base: u64,
    /// Its size.
    pub bytes: u64,
    /// Bytes from the nearest end of it to the address: negative before, positive past its end.
    pub distance_bytes: i64,
    /// It was freed.
    pub freed: bool,
}

impl Neighbour {
    /// A live one, seen from an address.
    pub fn new(kind: AllocationKind, base: u64, bytes: u64, address: u64) -> Neighbour {
        // Addresses wrap: the highest lie before the lowest.
        let distance_bytes = match address.wrapping_sub(base) as i64 {
            before if before < 0 => before,
            offset => offset.saturating_sub(bytes.saturating_sub(1) as i64).max(0),
        };
        Neighbour {
            kind,
            base,
            bytes,
            distance_bytes,
            freed: false,
        }
    }
}

/// Distance up to which an allocation is worth naming as a neighbour of an address.
const NEAR_BYTES: u64 = 1 << 21;

/// The device's global memory.
#[derive(Clone, Default)]
pub struct Memory {
    /// Live allocations by address.
    allocations: Vec<Allocation>,
    freed: Vec<Freed>,
    next: u64,
    heap_bytes: u64,
}

impl Memory {
    /// Memory without allocations.
    pub fn new() -> Memory {
        Memory {
            next: GLOBAL_BASE,
            ..Memory::default()
        }
    }

    /// Hands out zeroed memory, aligned to `align_bytes` (a power of two) or 256, whichever is
    /// more.
    pub fn allocate(
        &mut self,
        bytes: u64,
        align_bytes: u64,
        kind: AllocationKind,
    ) -> Result<u64, MemoryError> {
        let error = MemoryError::OutOfMemory { bytes };
        let align = align_bytes.max(ALLOCATION_ALIGN_BYTES);
        let base = self
            .next
            .checked_next_multiple_of(align)
            .ok_or(error.clone())?;
        let next = base
            .checked_add(bytes)
            .and_then(|end| end.checked_add(RED_ZONE_BYTES));
        let backing = Arc::new(Backing::new(bytes)?);
        self.next = next.ok_or(error)?;
        if kind == AllocationKind::Heap {
            self.heap_bytes += bytes;
        }
        self.allocations.push(Allocation {
            base,
            bytes,
            kind,
            read_only: false,
            backing,
        });
        Ok(base)
    }

    /// Makes an allocation read-only for kernels.
    pub fn protect(&mut self, base: u64) -> Result<(), MemoryError> {
        let i = self.index_of(base)?;
        self.allocations[i].read_only = true;
        Ok(())
    }

    /// Takes an allocation back.
    pub fn free(&mut self, base: u64) -> Result<(), MemoryError> {
        let i = self.index_of(base)?;
        let Allocation { bytes, kind, .. } = self.allocations.remove(i);
        if kind == AllocationKind::Heap {
            self.heap_bytes -= bytes;
        }
        // Bounded, so that a kernel that allocates and frees for ever does not fill the host.
        if self.freed.len() == 4096 {
            self.freed.remove(0);
        }
        self.freed.push(Freed { base, bytes, kind });
        Ok(())
    }

    /// Bytes that kernels have allocated and not freed.
    pub fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }

    /// The live allocations, by address.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Whether `base` starts a live allocation of the device heap.
    pub fn is_heap(&self, base: u64) -> bool {
        self.index_of(base)
            .is_ok_and(|i| self.allocations[i].kind == AllocationKind::Heap)
    }

    fn index_of(&self, base: u64) -> Result<usize, MemoryError> {
        let error = MemoryError::NotAnAllocation { address: base };
        self.allocations
            .binary_search_by_key(&base, |a| a.base)
            .map_err(|_| error)
    }

    fn find(&self, address: u64) -> Option<&Allocation> {
        let after = self.allocations.partition_point(|a| a.base <= address);
        let allocation = self.allocations.get(after.checked_sub(1)?)?;
        (address - allocation.base < allocation.bytes).then_some(allocation)
    }

    /// The allocation around an address, as a window. Writing through the window needs
    /// [`Memory::unshare`] since the last clone.
    pub fn window(&self, address: u64) -> Option<Window> {
        let allocation = self.find(address)?;
        Some(Window {
            low: allocation.base,
            high: allocation.base + allocation.bytes,
            host: allocation.backing.start.as_ptr(),
            writable: !allocation.read_only,
        })
    }

    /// Copies what is shared with a clone, so that kernels may write. Cheap when nothing is.
    pub fn unshare(&mut self) -> Result<(), MemoryError> {
        for allocation in &mut self.allocations {
            if !allocation.read_only && Arc::get_mut(&mut allocation.backing).is_none() {
                let copy = Backing::new(allocation.bytes)?;
                // SAFETY: both are live, of this size, and distinct; nothing writes the shared
                // one, since writers unshare first.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        allocation.backing.start.as_ptr(),
                        copy.start.as_ptr(),
                        allocation.bytes as usize,
                    );
                }
                allocation.backing = Arc::new(copy);
            }
        }
        Ok(())
    }

    fn range(&self, address: u64, bytes: u64) -> Result<(usize, usize), MemoryError> {
        let error = MemoryError::NotMapped { address, bytes };
        let after = self.allocations.partition_point(|a| a.base <= address);
        let i = after.checked_sub(1).ok_or(error.clone())?;
        let allocation = &self.allocations[i];
        let offset = address - allocation.base;
        if offset
            .checked_add(bytes)
            .is_none_or(|end| end > allocation.bytes)
        {
            return Err(error);
        }
        Ok((i, offset as usize))
    }

    /// Reads bytes for the host.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        let (i, offset) = self.range(address, into.len() as u64)?;
        // SAFETY: the range was checked; no kernel runs while the host holds `&Memory` outside
        // of a launch, and inside one only the machine reads here, between instructions.
        unsafe {
            let start = self.allocations[i].backing.start.as_ptr().add(offset);
            std::ptr::copy_nonoverlapping(start, into.as_mut_ptr(), into.len());
        }
        Ok(())
    }

    /// Writes bytes for the host.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.bytes_mut(address, bytes.len() as u64)?
            .copy_from_slice(bytes);
        Ok(())
    }

    /// A range to fill in place.
    pub fn bytes_mut(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], MemoryError> {
        let (i, offset) = self.range(address, bytes)?;
        let allocation = &mut self.allocations[i];
        if Arc::get_mut(&mut allocation.backing).is_none() {
            let read_only = std::mem::replace(&mut allocation.read_only, false);
            self.unshare()?;
            self.allocations[i].read_only = read_only;
        }
        let start = self.allocations[i].backing.start.as_ptr();
        // SAFETY: the range was checked, and `&mut self` keeps everybody else out.
        Ok(unsafe { std::slice::from_raw_parts_mut(start.add(offset), bytes as usize) })
    }

    /// What lies nearest to an address that is not mapped.
    pub fn neighbour(&self, address: u64) -> Option<Neighbour> {
        let live = self
            .allocations
            .iter()
            .map(|a| (a.base, a.bytes, &a.kind, false));
        let freed = self.freed.iter().map(|f| (f.base, f.bytes, &f.kind, true));
        live.chain(freed)
            .map(|(base, bytes, kind, freed)| Neighbour {
                freed,
                ..Neighbour::new(kind.clone(), base, bytes, address)
            })
            .filter(|n| n.distance_bytes.unsigned_abs() < NEAR_BYTES)
            .min_by_key(|n| (n.distance_bytes.unsigned_abs(), n.freed))
    }
}

/// Access to simulated bytes that a simulated race cannot turn into a host one.
pub mod cell {
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

    macro_rules! cells {
        ($($load:ident, $store:ident, $exchange:ident, $ty:ty, $atomic:ty;)*) => { $(
            /// Loads a naturally aligned value.
            ///
            /// # Safety
            /// `at` is aligned and points to live simulated memory.
            #[inline(always)]
            pub unsafe fn $load(at: *mut u8) -> $ty {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(at.cast()) }.load(Relaxed)
            }

            /// Stores a naturally aligned value.
            ///
            /// # Safety
            /// `at` is aligned and points to live simulated memory.
            #[inline(always)]
            pub unsafe fn $store(at: *mut u8, value: $ty) {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(at.cast()) }.store(value, Relaxed);
            }

            /// Replaces a naturally aligned value by a function of it; returns the old one.
            ///
            /// # Safety
            /// `at` is aligned and points to live simulated memory.
            #[inline(always)]
            pub unsafe fn $exchange(at: *mut u8, f: impl Fn($ty) -> $ty) -> $ty {
                // SAFETY: the caller's promise.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                let mut old = cell.load(Relaxed);
                while let Err(now) = cell.compare_exchange_weak(old, f(old), Relaxed, Relaxed) {
                    old = now;
                }
                old
            }
        )* };
    }

    cells! {
        load8, store8, update8, u8, AtomicU8;
        load16, store16, update16, u16, AtomicU16;
        load32, store32, update32, u32, AtomicU32;
        load64, store64, update64, u64, AtomicU64;
    }

    /// Copies eight 32-bit elements that follow each other, each as by [`load32`] and [`store32`],
    /// between simulated memory and a register row.
    ///
    /// # Safety
    /// Both places are aligned for an element; 32 bytes are live from each.
    #[inline(always)]
    pub unsafe fn copy_octet(from: *const u8, to: *mut u8) {
        // A plain copy of vectors would be undefined where other host threads store there; eight
        // atomic copies compile to eight moves. The processor's own vector moves do the same as
        // those, since they move each aligned element whole, and the compiler takes no interest
        // in what they move.
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's promise.
        unsafe {
            std::arch::asm!(
                "movups {low}, [{from}]",
                "movups {high}, [{from} + 16]",
                "movups [{to}], {low}",
                "movups [{to} + 16], {high}",
                from = in(reg) from,
                to = in(reg) to,
                low = out(xmm_reg) _,
                high = out(xmm_reg) _,
                options(nostack, preserves_flags),
            );
        }
        #[cfg(not(target_arch = "x86_64"))]
        for element in 0..8 {
            // SAFETY: the caller's promise.
            unsafe {
                let value = load32(from.cast_mut().add(4 * element));
                store32(to.add(4 * element), value);
            }
        }
    }

    /// Loads `1 << width_log2` bytes, zero-extended.
    ///
    /// # Safety
    /// As for the fixed widths; `width_log2` is at most 3.
    #[inline(always)]
    pub unsafe fn load(at: *mut u8, width_log2: u8) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            match width_log2 {
                0 => u64::from(load8(at)),
                1 => u64::from(load16(at)),
                2 => u64::from(load32(at)),
                _ => load64(at),
            }
        }
    }

    /// Stores the low `1 << width_log2` bytes.
    ///
    /// # Safety
    /// As for the fixed widths; `width_log2` is at most 3.
    #[inline(always)]
    pub unsafe fn store(at: *mut u8, width_log2: u8, value: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            match width_log2 {
                0 => store8(at, value as u8),
                1 => store16(at, value as u16),
                2 => store32(at, value as u32),
                _ => store64(at, value),
            }
        }
    }

    /// Replaces `1 << width_log2` bytes by a function of them; returns the old ones.
    ///
    /// # Safety
    /// As for the fixed widths; `width_log2` is 1 to 3.
    #[inline(always)]
    pub unsafe fn update(at: *mut u8, width_log2: u8, f: impl Fn(u64) -> u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            match width_log2 {
                1 => u64::from(update16(at, |v| f(u64::from(v)) as u16)),
                2 => u64::from(update32(at, |v| f(u64::from(v)) as u32)),
                _ => update64(at, f),
            }
        }
    }
}
