//! Lane efficiency: lanes that work over lanes that are issued, in a region of code.

use serde::Serialize;

/// Efficiency of a branch that a share of the lanes takes: both sides are issued, each for its own
/// lanes. 1 if neither side has instructions.
pub fn branch_efficiency(taken_share: f64, then_issues: u32, else_issues: u32) -> f64 {
    let (then, other) = (f64::from(then_issues), f64::from(else_issues));
    match then + other {
        0.0 => 1.0,
        issued => (taken_share * then + (1.0 - taken_share) * other) / issued,
    }
}

/// Efficiency of a region inside others: each keeps its share of what is left.
pub fn nested_efficiency(regions: impl IntoIterator<Item = f64>) -> f64 {
    regions.into_iter().product()
}

/// A branch within a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    /// Lanes of a warp.
    pub width: u32,
    /// Lanes that take the branch, at most `width`.
    pub taken: u32,
    /// Instructions of the side that is taken.
    pub then_issues: u32,
    /// Instructions of the other side.
    pub else_issues: u32,
    /// Instructions of all lanes, before and after.
    pub common_issues: u32,
}

/// What a branch costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BranchCost {
    /// Instructions issued.
    pub issues: u64,
    /// Lanes that worked, summed over them.
    pub lanes_used: u64,
    /// Lanes there were, summed over them.
    pub lane_slots: u64,
}

impl BranchCost {
    /// Lanes that worked over lanes there were; 1 for no instructions.
    pub fn efficiency(&self) -> f64 {
        match self.lane_slots {
            0 => 1.0,
            slots => self.lanes_used as f64 / slots as f64,
        }
    }
}

impl Branch {
    /// Of one warp. A side that no lane takes is not issued.
    pub fn cost(&self) -> BranchCost {
        let [width, taken, then, other, common] = [
            self.width,
            self.taken.min(self.width),
            self.then_issues,
            self.else_issues,
            self.common_issues,
        ]
        .map(u64::from);
        let side = |lanes: u64, issues: u64| if lanes == 0 { 0 } else { issues };
        let issues = common + side(taken, then) + side(width - taken, other);
        BranchCost {
            issues,
            lanes_used: common * width + taken * then + (width - taken) * other,
            lane_slots: issues * width,
        }
    }

    /// Of one warp whose sides are predicated instead: both are issued, whoever takes them.
    pub fn predicated_issues(&self) -> u64 {
        [self.common_issues, self.then_issues, self.else_issues]
            .map(u64::from)
            .iter()
            .sum()
    }

    /// Instructions of `warps` such warps as they are.
    pub fn issues_of(&self, warps: u32) -> u64 {
        self.cost().issues.saturating_mul(warps.into())
    }

    /// The same after their lanes were sorted by side: whole warps of each, and at most one mixed.
    pub fn sorted_issues_of(&self, warps: u32) -> u64 {
        let width = u64::from(self.width.max(1));
        let taken = u64::from(self.taken.min(self.width)) * u64::from(warps);
        let lanes = width * u64::from(warps);
        let of = |taken: u64, warps: u64| {
            let uniform = Branch {
                taken: u32::try_from(taken).unwrap_or(self.width),
                ..*self
            };
            uniform.cost().issues.saturating_mul(warps)
        };
        let mixed = taken % width;
        let whole = taken / width;
        let others = (lanes - taken) / width;
        of(width, whole)
            .saturating_add(of(0, others))
            .saturating_add(if mixed > 0 { of(mixed, 1) } else { 0 })
    }
}

/// Warps of a block of `threads`, and active lanes of the last one.
pub fn warps_of_block(threads: u32, width: u32) -> (u32, u32) {
    let width = width.max(1);
    let last = match threads % width {
        0 => width.min(threads),
        rest => rest,
    };
    (threads.div_ceil(width), last)
}
