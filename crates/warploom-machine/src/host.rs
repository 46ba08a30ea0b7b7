//! Functions that kernels call and the host carries out: `printf`, `malloc`, assertions.

use warploom_isa::access::HostFunction;
use warploom_isa::address::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use warploom_isa::{FrameRange, Inst};

use crate::block::Block;
use crate::env::LaunchEnv;
use crate::exec::FaultAt;
use crate::fault::FaultKind;
use crate::memory::{AllocationKind, Memory};
use crate::printf;
use crate::program::Program;

/// Longest string that a kernel can hand to the host.
const STRING_LIMIT_BYTES: usize = 1 << 16;

/// Carries out the host call at the current group of a warp, lane by lane.
pub(crate) fn call<const L: usize>(
    program: &Program,
    env: &LaunchEnv<L>,
    memory: &mut Memory,
    heap_limit_bytes: u64,
    output: &mut dyn FnMut(&[u8]),
    block: &mut Block<L>,
    warp_number: usize,
) -> Result<(), Box<FaultAt>> {
    let warp = &block.warps[warp_number];
    let group = warp.groups[warp.current];
    let inst: Inst = program.code[group.pc as usize];
    let site = &program.module.call_sites[inst.high as usize];
    let function = HostFunction::from_code(inst.low);
    for lane in (0..L).filter(|lane| group.mask >> lane & 1 != 0) {
        let fault = |kind| {
            Err(Box::new(FaultAt {
                kind,
                lanes: 1 << lane,
            }))
        };
        let wrong = |what: &str| {
            fault(FaultKind::HostCall {
                what: what.to_owned(),
            })
        };
        let argument = |block: &Block<L>, n: usize| {
            site.arguments
                .get(n)
                .map_or(0, |&range| read_frame(block, warp_number, lane, range))
        };
        match function {
            HostFunction::Vprintf => {
                let (format, values) = (argument(block, 0), argument(block, 1));
                let Some(text) = read_string(env, memory, block, warp_number, lane, format) else {
                    return wrong("printf: the format is not a readable string");
                };
                let read = |offset: u64, into: &mut [u8]| {
                    read_generic(env, memory, block, warp_number, lane, values + offset, into)
                };
                let string = |at: u64| read_string(env, memory, block, warp_number, lane, at);
                match printf::format(&text, read, string) {
                    Ok(bytes) => {
                        output(&bytes);
                        let count = printf::conversions(&text) as u64;
                        write_return(block, warp_number, lane, site.returns.first(), count);
                    }
                    Err(what) => return wrong(&what),
                }
            }
            HostFunction::AssertFail => {
                let text = |n: usize| {
                    let at = argument(block, n);
                    let bytes = read_string(env, memory, block, warp_number, lane, at);
                    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
                };
                let line = argument(block, 2) as u32;
                let message = format!("{}:{line}: {}: '{}'", text(1), text(3), text(0));
                return fault(FaultKind::Assert { message });
            }
            HostFunction::Malloc => {
                let bytes = argument(block, 0);
                let room = heap_limit_bytes.saturating_sub(memory.heap_bytes());
                let address = if bytes == 0 || bytes > room {
                    0
                } else {
                    memory
                        .allocate(bytes, 16, AllocationKind::Heap)
                        .unwrap_or(0)
                };
                write_return(block, warp_number, lane, site.returns.first(), address);
            }
            HostFunction::Free => {
                let address = argument(block, 0);
                if address != 0 {
                    if !memory.is_heap(address) {
                        return fault(FaultKind::BadFree { address });
                    }
                    // It is there: it was just looked up.
                    let _ = memory.free(address);
                }
            }
        }
    }
    let warp = &mut block.warps[warp_number];
    let current = warp.current;
    warp.groups[current].pc += 1;
    Ok(())
}

fn frame_base<const L: usize>(block: &Block<L>, warp: usize, lane: usize) -> u64 {
    let warp = &block.warps[warp];
    let frame = warp.groups[warp.current].frame as usize;
    warp.frames[frame].base_bytes[lane].into()
}

fn read_frame<const L: usize>(
    block: &Block<L>,
    warp: usize,
    lane: usize,
    range: FrameRange,
) -> u64 {
    let mut raw = [0; 8];
    let bytes = range.bytes.min(8) as usize;
    let at = frame_base(block, warp, lane) + u64::from(range.offset);
    read_local(block, warp, lane, at, &mut raw[..bytes]);
    u64::from_le_bytes(raw)
}

fn write_return<const L: usize>(
    block: &mut Block<L>,
    warp: usize,
    lane: usize,
    range: Option<&FrameRange>,
    value: u64,
) {
    let Some(&FrameRange { offset, bytes }) = range else {
        return;
    };
    let at = frame_base(block, warp, lane) + u64::from(offset);
    let warp = &mut block.warps[warp];
    let stride = warp.local_stride_bytes as usize;
    let bytes = bytes.min(8) as usize;
    let start = lane * stride + at as usize;
    if at as usize + bytes <= stride {
        warp.local[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

fn read_local<const L: usize>(
    block: &Block<L>,
    warp: usize,
    lane: usize,
    at: u64,
    into: &mut [u8],
) -> bool {
    let warp = &block.warps[warp];
    let stride = u64::from(warp.local_stride_bytes);
    if at
        .checked_add(into.len() as u64)
        .is_none_or(|end| end > stride)
    {
        return false;
    }
    let start = (lane as u64 * stride + at) as usize;
    into.copy_from_slice(&warp.local[start..start + into.len()]);
    true
}

fn read_generic<const L: usize>(
    env: &LaunchEnv<L>,
    memory: &Memory,
    block: &Block<L>,
    warp: usize,
    lane: usize,
    address: u64,
    into: &mut [u8],
) -> bool {
    if address.wrapping_sub(LOCAL_WINDOW) <= WINDOW_BYTES {
        return read_local(block, warp, lane, address - LOCAL_WINDOW, into);
    }
    if address.wrapping_sub(SHARED_WINDOW) <= WINDOW_BYTES {
        let start = address - SHARED_WINDOW;
        if start + into.len() as u64 > u64::from(env.shared_bytes) {
            return false;
        }
        block.parts.read_shared(start as usize, into);
        return true;
    }
    memory.read(address, into).is_ok()
}

fn read_string<const L: usize>(
    env: &LaunchEnv<L>,
    memory: &Memory,
    block: &Block<L>,
    warp: usize,
    lane: usize,
    address: u64,
) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    while text.len() < STRING_LIMIT_BYTES {
        let mut byte = [0];
        let at = address.checked_add(text.len() as u64)?;
        if !read_generic(env, memory, block, warp, lane, at, &mut byte) {
            return None;
        }
        if byte[0] == 0 {
            return Some(text);
        }
        text.push(byte[0]);
    }
    None
}
