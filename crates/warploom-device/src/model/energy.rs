//! Energy of single operations and accesses, and what the instruction around them adds.

use serde::Serialize;

use crate::schema::Energy;

/// A 32-bit word from DRAM over one from a small SRAM.
pub fn dram_over_sram(energy: &Energy) -> f64 {
    energy.dram_word_pj / energy.sram_word_pj
}

/// A 32-bit fused multiply-add as a multiply and an add, picojoules.
pub fn fp32_fma_pj(energy: &Energy) -> f64 {
    energy.fp32_mul_pj + energy.fp32_add_pj
}

/// An instruction's arithmetic against what fetching, scheduling and operands cost beside it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Overhead {
    /// The instruction.
    pub instruction: &'static str,
    /// What it does.
    pub does: &'static str,
    /// Operations of a lane (a warp for matrix instructions: of a quad, as the figures are
    /// quoted).
    pub math_pj: f64,
    /// Overhead over arithmetic.
    pub over_math: f64,
    /// Overhead over arithmetic and overhead.
    pub over_total: f64,
    /// The figure in Dally's talks. For the matrix instructions it fits `over_total`, for the
    /// others `over_math`.
    pub published: f64,
}

/// The four instructions of Dally's comparison.
pub fn overheads(energy: &Energy) -> [Overhead; 4] {
    let of = |instruction, does, math_pj: f64, published| Overhead {
        instruction,
        does,
        math_pj,
        over_math: energy.instruction_pj / math_pj,
        over_total: energy.instruction_pj / (energy.instruction_pj + math_pj),
        published,
    };
    [
        of("HFMA", "one 16-bit multiply-add", energy.hfma_pj, 20.0),
        of("HDP4A", "a dot product of four", energy.hdp4a_pj, 5.0),
        of("HMMA", "a 16-bit matrix product", energy.hmma_pj, 0.22),
        of("IMMA", "an 8-bit matrix product", energy.imma_pj, 0.16),
    ]
}

/// A factor of the rise in inference performance per chip from 2012 to 2023, after Dally.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gain {
    /// What changed.
    pub from: &'static str,
    /// How much it gave.
    pub factor: f64,
}

/// The factors; their product is 1000.
pub const GAINS: [Gain; 4] = [
    Gain {
        from: "number formats",
        factor: 16.0,
    },
    Gain {
        from: "complex instructions",
        factor: 12.5,
    },
    Gain {
        from: "process",
        factor: 2.5,
    },
    Gain {
        from: "sparsity",
        factor: 2.0,
    },
];

/// Work whose energy is asked for: operations and 32-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// 32-bit fused multiply-adds.
    pub fp32_fmas: f64,
    /// Instructions of a lane, for their overhead.
    pub instructions: f64,
    /// Words from a small SRAM.
    pub sram_words: f64,
    /// Words from DRAM.
    pub dram_words: f64,
}

/// Where the energy of some work goes, picojoules.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Budget {
    /// Arithmetic.
    pub math_pj: f64,
    /// Instructions.
    pub instruction_pj: f64,
    /// SRAM.
    pub sram_pj: f64,
    /// DRAM.
    pub dram_pj: f64,
    /// All together.
    pub total_pj: f64,
}

/// The energy of some work.
pub fn budget(energy: &Energy, work: &Work) -> Budget {
    let math_pj = work.fp32_fmas * fp32_fma_pj(energy);
    let instruction_pj = work.instructions * energy.instruction_pj;
    let sram_pj = work.sram_words * energy.sram_word_pj;
    let dram_pj = work.dram_words * energy.dram_word_pj;
    Budget {
        math_pj,
        instruction_pj,
        sram_pj,
        dram_pj,
        total_pj: math_pj + instruction_pj + sram_pj + dram_pj,
    }
}
