//! What does not change while a kernel runs.

use warploom_isa::{FunctionId, VariableId};

use crate::memory::{AllocationKind, Neighbour, Window};
use crate::warp::{Entry, Row};

/// How lanes that part meet again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Divergence {
    /// A reconvergence stack; no progress for lanes off its top.
    Ipdom,
    /// Independent threads.
    Its,
}

/// A shared variable's place in a block's shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedRange {
    /// The variable.
    pub variable: VariableId,
    /// First byte.
    pub start: u32,
    /// Past the last byte.
    pub end: u32,
    /// Its name.
    pub name: String,
}

/// A launch, resolved.
#[derive(Debug)]
pub struct LaunchEnv<const L: usize> {
    /// The kernel.
    pub kernel: FunctionId,
    /// Its entry.
    pub entry: Entry,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Lanes of a warp.
    pub warp_width: u32,
    /// The divergence model.
    pub divergence: Divergence,
    /// Thread indices, three rows a warp: x, y, z.
    pub(crate) thread_rows: Vec<Row<L>>,
    /// The constant file.
    pub(crate) constants: Vec<Row<L>>,
    /// The parameter block, padded.
    pub(crate) params: Vec<u8>,
    /// Bytes of the parameter block.
    pub(crate) param_bytes: u64,
    /// Shared variables by address.
    pub(crate) shared: Vec<SharedRange>,
    /// Bytes of static and dynamic shared memory.
    pub shared_bytes: u32,
    /// Of them, dynamic.
    pub dynamic_shared_bytes: u32,
    /// Shared bytes that the system reserves per block.
    pub reserved_shared_bytes: u32,
    /// Most bytes of local memory per thread.
    pub local_limit_bytes: u32,
    /// SMs of the device.
    pub sms: u32,
    /// Warps that an SM holds.
    pub max_warps_per_sm: u32,
    /// Number of the launch.
    pub grid_id: u64,
    /// Address of the grid barrier's workspace, for cooperative launches.
    pub workspace: u64,
}

/// Indices of a block's threads, three rows a warp: x, y, z.
pub(crate) fn thread_rows<const L: usize>(block: [u32; 3], warp_width: u32) -> Vec<Row<L>> {
    let warps = block.iter().product::<u32>().div_ceil(warp_width);
    let [width, height, _] = block;
    let index = |thread: u32, axis| match axis {
        0 => thread % width,
        1 => thread / width % height,
        _ => thread / width / height,
    };
    let row = |n: u32| {
        let first = n / 3 * warp_width;
        Row(std::array::from_fn(|lane| {
            index(first + lane as u32, n % 3)
        }))
    };
    (0..3 * warps).map(row).collect()
}

impl<const L: usize> LaunchEnv<L> {
    /// Threads of a block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a block.
    pub fn warps_per_block(&self) -> u32 {
        self.threads_per_block().div_ceil(self.warp_width)
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Index of block number `n`.
    pub fn block_index(&self, n: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
    }

    /// Index of a thread of a block.
    pub fn thread_index(&self, thread: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [thread % x, thread / x % y, thread / x / y]
    }

    /// The lanes of a warp that exist.
    pub fn warp_lanes(&self, warp: u32) -> u64 {
        let threads = self.threads_per_block() - warp * self.warp_width;
        if threads >= 64 {
            !0 >> (64 - self.warp_width.min(64))
        } else {
            mask_of(threads.min(self.warp_width))
        }
    }

    pub(crate) fn params_host(&self) -> *mut u8 {
        self.params.as_ptr().cast_mut()
    }

    /// The shared variable around an address, as a window of offsets (its host address unused).
    pub(crate) fn shared_window(&self, address: u64) -> Option<Window> {
        let range = self
            .shared
            .iter()
            .rev()
            .find(|r| u64::from(r.start) <= address)?;
        (address < u64::from(range.end)).then_some(Window {
            low: range.start.into(),
            high: range.end.into(),
            host: std::ptr::null_mut(),
            writable: true,
        })
    }

    pub(crate) fn shared_neighbour(&self, address: u64) -> Option<Neighbour> {
        let near = |range: &SharedRange| {
            let (start, end) = (u64::from(range.start), u64::from(range.end));
            let kind = AllocationKind::Variable(range.name.clone());
            Neighbour::new(kind, start, end - start, address)
        };
        self.shared
            .iter()
            .map(near)
            .min_by_key(|n| n.distance_bytes.unsigned_abs())
    }
}

fn mask_of(lanes: u32) -> u64 {
    if lanes >= 64 { !0 } else { (1 << lanes) - 1 }
}
