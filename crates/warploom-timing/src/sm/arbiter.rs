//! A scheduler's turns: when it has one, and what may issue in it.
//!
//! On most chips a scheduler has a turn in each cycle, for one instruction. A compute unit of AMD serves
//! its SIMDs one after the other, so that each has a turn in one cycle of four; in it, one instruction
//! goes to each type of unit, all from different waves.

use warploom_device::schema::Issue;

/// Cycles until a partition's next turn, 0 if it is now. Partitions have their turns in their order.
pub fn cycles_to_turn(partition: usize, now: u64, turn_cycles: u64) -> u64 {
    if turn_cycles == 1 {
        return 0;
    }
    (partition as u64 + turn_cycles - now % turn_cycles) % turn_cycles
}

/// A turn that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Instructions that may still issue.
    left: u32,
    one_per_unit: bool,
    /// Types of units that have got one, a bit each.
    taken: u32,
}

impl Turn {
    /// A turn in which nothing has issued.
    pub fn new(issue: &Issue) -> Turn {
        Turn {
            left: issue.per_turn,
            one_per_unit: issue.one_per_unit,
            taken: 0,
        }
    }

    /// Whether another instruction may issue.
    pub fn is_open(&self) -> bool {
        self.left > 0
    }

    /// Whether one for a type of unit may; what needs no unit, type 0, always does.
    pub fn takes(&self, unit_bit: impl FnOnce() -> u32) -> bool {
        self.taken == 0 || self.taken & unit_bit() == 0
    }

    /// An instruction issues.
    pub fn issue(&mut self, unit_bit: impl FnOnce() -> u32) {
        self.left -= 1;
        if self.one_per_unit {
            self.taken |= unit_bit();
        }
    }
}

#[cfg(test)]
mod tests {
    use warploom_device::Device;

    use super::*;

    #[test]
    fn simds_go_round_in_four_cycles() {
        let turns = |partition| {
            let turns = (0..8).filter(move |&now| cycles_to_turn(partition, now, 4) == 0);
            turns.collect::<Vec<_>>()
        };
        assert_eq!(turns(0), [0, 4]);
        assert_eq!(turns(1), [1, 5]);
        assert_eq!(turns(3), [3, 7]);
        assert_eq!(cycles_to_turn(1, 2, 4), 3);
        assert!((0..8).all(|now| cycles_to_turn(3, now, 1) == 0));
    }

    #[test]
    fn five_types_have_one_each() {
        let device = Device::by_name("mi100").unwrap();
        let mut turn = Turn::new(&device.timing.issue);
        for unit in 0..5 {
            assert!(turn.is_open() && turn.takes(|| 1 << unit));
            turn.issue(|| 1 << unit);
            assert!(!turn.takes(|| 1 << unit), "a second one of type {unit}");
        }
        assert!(!turn.is_open());
    }

    /// Waits and barriers are only taken out of their wave's buffer.
    #[test]
    fn what_needs_no_unit_keeps_nobody_away() {
        let device = Device::by_name("mi300x").unwrap();
        let mut turn = Turn::new(&device.timing.issue);
        turn.issue(|| 0);
        assert!(turn.takes(|| 0) && turn.takes(|| 1));
    }

    #[test]
    fn other_chips_issue_one() {
        let device = Device::by_name("v100").unwrap();
        let mut turn = Turn::new(&device.timing.issue);
        assert!(turn.is_open());
        turn.issue(|| 1);
        assert!(!turn.is_open());
    }
}
