//! What each class of instructions costs on a device: the device's figures, looked up once.

use warploom_device::Device;
use warploom_device::rates::PipeClass;
use warploom_device::schema::{Scope, Unit};

use crate::stream::Class;

/// The type of unit that instructions of shared memory go to, as a bit beside those of the pipelines.
const SHARED_MEMORY_BIT: u32 = 1 << UNITS;

/// Units that a scope can have.
pub const UNITS: usize = 8;

/// One class of instructions in its pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The unit, below [`UNITS`].
    pub unit: usize,
    /// The unit serves all partitions of the SM.
    pub shared: bool,
    /// Copies of the unit.
    pub units: u64,
    /// Cycles for which an instruction occupies one of them.
    pub initiation_cycles: u64,
    /// Cycles until an instruction of the same class can use the result.
    pub same_cycles: u64,
    /// The same for another class.
    pub other_cycles: u64,
    /// The cycles are known when the instruction issues.
    pub fixed: bool,
}

/// The costs of a device.
#[derive(Clone, Debug)]
pub struct Costs {
    /// By [`Class`], in its order.
    by_class: Vec<Option<Cost>>,
}

fn unit_number(unit: Unit) -> usize {
    match unit {
        Unit::Alu => 0,
        Unit::Fma => 1,
        Unit::Fp64 => 2,
        Unit::Half => 3,
        Unit::Sfu => 4,
        Unit::Scalar => 5,
        Unit::Branch => 6,
        Unit::Lsu => 7,
    }
}

/// The pipeline of a class; `None` for what a pipeline does not do.
pub fn pipe_class(class: Class) -> Option<PipeClass> {
    Some(match class {
        Class::Int32 => PipeClass::Int32,
        Class::IntMul => PipeClass::IntMul,
        Class::Fp32 => PipeClass::Fp32,
        Class::Half => PipeClass::Half,
        Class::Fp64 => PipeClass::Fp64,
        Class::Sfu => PipeClass::Sfu,
        Class::Convert => PipeClass::Convert,
        Class::Convert64 => PipeClass::Convert64,
        Class::Bit => PipeClass::Bit,
        Class::Shuffle => PipeClass::Shuffle,
        Class::Vote => PipeClass::Vote,
        Class::Uniform | Class::Constant => PipeClass::Uniform,
        Class::Branch | Class::Check | Class::Exit => PipeClass::Branch,
        Class::Memory
        | Class::SpillStore
        | Class::SpillLoad
        | Class::Barrier
        | Class::WarpBarrier
        | Class::Fence
        | Class::Sleep
        | Class::SharedMemory
        | Class::ScalarMemory
        | Class::WaitCount => return None,
    })
}

impl Costs {
    /// The costs of a device.
    pub fn new(device: &Device) -> Costs {
        let cost = |class: Class| {
            let pipeline = device.pipeline(pipe_class(class)?);
            Some(Cost {
                unit: unit_number(pipeline.pipe.unit),
                shared: pipeline.pipe.scope == Scope::Sm,
                units: pipeline.units.into(),
                initiation_cycles: pipeline.initiation_cycles.into(),
                same_cycles: pipeline.pipe.latency_cycles.into(),
                other_cycles: pipeline.pipe.other_cycles.into(),
                fixed: pipeline.pipe.fixed,
            })
        };
        Costs {
            by_class: Class::ALL.map(cost).to_vec(),
        }
    }

    /// The unit that a class goes to, as a bit; none of what needs no unit.
    pub fn unit_bit(&self, class: Class) -> u32 {
        match class {
            Class::Memory | Class::SpillStore | Class::SpillLoad => 1 << unit_number(Unit::Lsu),
            Class::SharedMemory => SHARED_MEMORY_BIT,
            Class::ScalarMemory => 1 << unit_number(Unit::Scalar),
            _ => self.of(class).map_or(0, |cost| 1 << cost.unit),
        }
    }

    /// What a class costs in its pipeline.
    pub fn of(&self, class: Class) -> Option<&Cost> {
        self.by_class[class as usize].as_ref()
    }
}

/// When a unit with several copies can take its next instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnitClock {
    free_at: u64,
    /// Parts of a cycle beyond `free_at`, of which there are as many in it as copies.
    rest: u64,
    copies: u64,
}

impl UnitClock {
    /// The first cycle from `now` on in which it takes an instruction.
    pub fn free_at(self, now: u64) -> u64 {
        now.max(self.free_at)
    }

    /// It takes one.
    pub fn take(&mut self, cost: &Cost, now: u64) {
        if now > self.free_at || self.copies != cost.units {
            // Classes that share a unit may count its copies differently: then in whole cycles.
            self.free_at = self.free_at.max(now);
            (self.rest, self.copies) = (0, cost.units);
        }
        let parts = self.rest + cost.initiation_cycles;
        self.free_at += parts / cost.units;
        self.rest = parts % cost.units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_warp_of_lanes_takes_two_cycles() {
        let device = Device::by_name("v100").unwrap();
        let costs = Costs::new(&device);
        // 64 lanes for four partitions: 16 each.
        let fp32 = costs.of(Class::Fp32).unwrap();
        assert_eq!((fp32.initiation_cycles, fp32.same_cycles), (2, 4));
        let mut clock = UnitClock::default();
        assert_eq!(clock.free_at(10), 10);
        clock.take(fp32, 10);
        assert_eq!(clock.free_at(11), 12);
    }

    #[test]
    fn two_copies_take_two_in_a_cycle() {
        let cost = Cost {
            unit: 0,
            shared: true,
            units: 2,
            initiation_cycles: 1,
            same_cycles: 1,
            other_cycles: 1,
            fixed: true,
        };
        let mut clock = UnitClock::default();
        clock.take(&cost, 5);
        assert_eq!(clock.free_at(5), 5);
        clock.take(&cost, 5);
        assert_eq!(clock.free_at(5), 6);
    }
}
