//! The state after an issue.

use serde::Serialize;
use warploom_isa::{RegClass, Space};
use warploom_machine::AccessEvent;

use super::open::COPIES;
use super::{Convergence, Level, Seen, Stepper};
use crate::element::ElementType;
use crate::error::Error;

/// Elements of an array that are shown at most.
pub const MAX_ELEMENTS: usize = 1024;
/// Bytes that memory moves at a time.
const SECTOR_BYTES: u64 = 32;

/// A register of a warp, or a variable of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Its type, as the source calls it.
    #[serde(rename = "type")]
    pub ty: String,
    /// What each lane holds, as text.
    pub values: Vec<String>,
}

/// A buffer that the launch was given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArrayState {
    /// Its name.
    pub name: String,
    /// Its type, as in `f32[64]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its first elements, as text.
    pub values: Vec<String>,
}

/// What an issue did to memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Access {
    /// `load`, `store` or `atomic`.
    pub kind: String,
    /// `global`, `shared`, …
    pub space: &'static str,
    /// Bytes of a lane.
    pub bytes: u32,
    /// The buffer that the first lane hits.
    pub buffer: Option<String>,
    /// By lane: bytes from the start of that buffer, or the address in another space.
    pub offsets: Vec<Option<i64>>,
    /// Distinct pieces of 32 bytes, for memory outside the SM.
    pub sectors: usize,
}

/// Everything there is to see after an issue.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Issues so far.
    pub position: usize,
    /// The block, and the warp of it, that this is about.
    pub warp: (u32, u32),
    /// Where its lanes stand.
    pub levels: Vec<Level>,
    /// Lanes that have not exited.
    pub live: u64,
    /// What its lanes hold.
    pub registers: Vec<Register>,
    /// The buffers.
    pub arrays: Vec<ArrayState>,
    /// What the last issue did to memory.
    pub accesses: Vec<Access>,
}

impl Stepper {
    /// The state after `position` issues, of the warp that made the last of them; before the first,
    /// of the one that will make it.
    ///
    /// # Errors
    /// Those of the launch, which was made before.
    pub fn state(&mut self, position: usize) -> Result<State, Error> {
        let position = position.min(self.issues.len());
        let shown = position.saturating_sub(1);
        let warp = self
            .issues
            .get(shown)
            .map_or((0, 0), |issued| (issued.issue.block, issued.issue.warp));
        let module = self.module().clone();
        let mut convergence = Convergence::new(&module, self.entry()?, self.lanes(warp.1));
        let mut accesses = Vec::new();
        let mut seen_issues = 0;
        let buffers = self.ranges();
        self.replay(position, &mut |seen: Seen<'_>| {
            seen_issues += 1;
            if (u32::try_from(seen.block), seen.warp) == (Ok(warp.0), warp.1) {
                convergence.issued(&module, &seen.event);
            }
            if seen_issues == position {
                let own = seen.accesses();
                accesses = own
                    .map(|(access, addresses)| describe(access, addresses, &buffers))
                    .collect();
            }
        })?;
        Ok(State {
            position,
            warp,
            levels: convergence.levels(),
            live: convergence.live(),
            registers: self.registers(warp)?,
            arrays: self.arrays()?,
            accesses,
        })
    }

    /// The buffers' names, addresses and ends.
    fn ranges(&self) -> Vec<(String, u64, u64)> {
        let known = self.buffers.iter();
        let range = |name: &String| {
            let buffer = self.session.buffer(name).ok()?;
            Some((name.clone(), buffer.address, buffer.address + buffer.bytes))
        };
        known.filter_map(range).collect()
    }

    fn registers(&self, (block, warp): (u32, u32)) -> Result<Vec<Register>, Error> {
        let program = self.session.program();
        let kernel = program.kernel(self.launch.kernel.as_ref())?;
        let Some(watch) = &program.module().function(kernel).watch else {
            return Ok(Vec::new());
        };
        let width = self.session.device().warp_width;
        let lanes = self.lanes(warp).count_ones();
        let first = u64::from(block) * u64::from(self.threads_per_block())
            + u64::from(warp) * u64::from(width);
        let stride = watch.thread_bytes as usize;
        let mut bytes = vec![0; stride * lanes as usize];
        let start = self.session.buffer(COPIES)?.address + first * stride as u64;
        self.session.read(start, &mut bytes)?;
        let registers = watch.registers.iter().map(|watched| Register {
            name: watched.name.clone(),
            ty: watched.ty.clone(),
            values: bytes
                .chunks_exact(stride.max(1))
                .map(|lane| {
                    let mut copy = [0; 8];
                    copy.copy_from_slice(&lane[watched.offset_bytes as usize..][..8]);
                    value(&watched.ty, watched.class, u64::from_le_bytes(copy))
                })
                .collect(),
        });
        Ok(registers.collect())
    }

    fn arrays(&self) -> Result<Vec<ArrayState>, Error> {
        let mut arrays = Vec::new();
        for name in &self.buffers {
            let buffer = self.session.buffer(name)?;
            let element = buffer.ty.element;
            let most = (MAX_ELEMENTS * element.bytes()) as u64;
            let mut bytes = vec![0; buffer.bytes.min(most) as usize];
            self.session.read(buffer.address, &mut bytes)?;
            let elements = bytes.chunks_exact(element.bytes());
            arrays.push(ArrayState {
                name: name.clone(),
                ty: buffer.ty.to_string(),
                values: elements.map(|bytes| element_text(element, bytes)).collect(),
            });
        }
        Ok(arrays)
    }
}

fn describe(access: &AccessEvent, addresses: &[u64], buffers: &[(String, u64, u64)]) -> Access {
    let lanes = access.lanes;
    let used = addresses.iter().enumerate();
    let used = used.filter(|(lane, _)| lanes >> lane & 1 != 0);
    let first = used.clone().next().map_or(0, |(_, &address)| address);
    let global = access.space == Space::Global;
    let hit = buffers
        .iter()
        .find(|(_, from, to)| (*from..*to).contains(&first));
    let hit = hit.filter(|_| global);
    let base = hit.map_or(0, |(_, from, _)| *from);
    let mut sectors: Vec<u64> = used
        .clone()
        .flat_map(|(_, &address)| {
            let last = address.saturating_add(u64::from(access.bytes.max(1)) - 1);
            address / SECTOR_BYTES..=last / SECTOR_BYTES
        })
        .collect();
    sectors.sort_unstable();
    sectors.dedup();
    let mut offsets = vec![None; addresses.len()];
    for (lane, &address) in used {
        offsets[lane] = Some(address.wrapping_sub(base).cast_signed());
    }
    Access {
        kind: access.kind.to_string(),
        space: space(access.space),
        bytes: access.bytes,
        buffer: hit.map(|(name, ..)| name.clone()),
        offsets,
        sectors: sectors.len(),
    }
}

fn space(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Const => "const",
        Space::Param => "param",
        Space::Generic => "generic",
    }
}

/// A register's bits as its type has them.
fn value(ty: &str, class: RegClass, bits: u64) -> String {
    let unsigned = ty.replacen('b', "u", 1);
    let element = match (ty, class) {
        (_, RegClass::Mask) => return (bits != 0).to_string(),
        ("int", _) => ElementType::S32,
        ("float", _) => ElementType::F32,
        ("b64", _) => return format!("{bits:#x}"),
        (_, RegClass::Lane64) => ElementType::by_name(&unsigned).unwrap_or(ElementType::U64),
        (_, RegClass::Lane32) => ElementType::by_name(&unsigned).unwrap_or(ElementType::U32),
    };
    element_text(element, &bits.to_le_bytes())
}

/// An element as its type has it.
fn element_text(element: ElementType, bytes: &[u8]) -> String {
    match (element, bytes) {
        // The shortest digits that mean this number among those of its own type.
        (ElementType::F32, &[a, b, c, d, ..]) => f32::from_le_bytes([a, b, c, d]).to_string(),
        _ => element.decode(bytes).to_string(),
    }
}
