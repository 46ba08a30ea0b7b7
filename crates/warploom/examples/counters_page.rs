//! Prints docs/counters.md: every key of a report, the counters from their one definition.

use warploom::metrics::COUNTERS;

const HEAD: &str = "\
# Counters and reports

What the tables of `warploom run` show and what `--json PATH` writes. This page is written by
`cargo xtask docs`; do not edit it.

Counters are exact: the same run counts the same, on every machine and with any number of host
threads. Each is there for the whole launch and for every source line.

## Instructions here and in a profiler

`warp_instructions` counts the instructions of the PTX (or of the lesson). Nsight Compute counts
machine instructions, which the assembler makes from the PTX: it fuses, adds and removes some, so
the two numbers of one kernel differ, often by a factor of one to two. The same holds for
`thread_instructions` and `branches`. Memory requests, sectors, wavefronts and conflicts are
comparable as they are, as long as the assembler keeps the accesses. The column \"closest Nsight
Compute metric\" names what comes nearest, not what is equal.

## Counters

Requests, branches, atomics and barriers count warp instructions that at least one active lane
executes, its guard being true.

| key | counts | closest Nsight Compute metric |
| --- | --- | --- |
";

/// Metrics beside the counters: key, meaning, the profiler's name.
const DERIVED: &[(&str, &str, &str)] = &[
    (
        "simt_efficiency",
        "`thread_instructions` over `warp_instructions` times the lanes of a warp, 0 to 1",
        "smsp__thread_inst_executed_per_inst_executed.pct",
    ),
    (
        "registers_per_thread",
        "32-bit registers live at once, at most; the assembler may use a few more",
        "launch__registers_per_thread",
    ),
    (
        "shared_bytes_per_block",
        "static and dynamic shared memory of a block, bytes",
        "launch__shared_mem_per_block",
    ),
    (
        "theoretical_occupancy",
        "resident warps over the warps that an SM has room for, 0 to 1",
        "sm__maximum_warps_per_active_cycle_pct",
    ),
    (
        "occupancy_limiter",
        "what keeps more blocks out: `warps`, `registers`, `shared_memory`, `blocks`, `barriers` or \
         `cluster`",
        "launch__occupancy_limit_*",
    ),
];

/// Metrics of a timed launch: key, meaning, the profiler's name.
const TIMED: &[(&str, &str, &str)] = &[
    (
        "machine_instructions",
        "machine instructions issued, after lowering",
        "smsp__inst_issued.sum",
    ),
    (
        "cycles",
        "SM clocks from the first issue to the last retirement",
        "sm__cycles_elapsed.max",
    ),
    (
        "time_us",
        "the same at the device's clock, microseconds",
        "gpu__time_duration.sum",
    ),
    (
        "ipc",
        "machine instructions per cycle, all SMs together",
        "sm__inst_executed.sum.per_cycle_elapsed",
    ),
    (
        "issue_slot_utilization",
        "issues over the issue slots of all schedulers, 0 to 1",
        "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
    ),
    (
        "achieved_occupancy",
        "resident warps over warp slots, on average over all SMs and cycles, 0 to 1",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
    ),
    (
        "eligible_warps",
        "warps that could issue, per scheduler and cycle",
        "smsp__warps_eligible.avg.per_cycle_active",
    ),
    (
        "stalls",
        "warp-cycles by what the warp did or waited for; below",
        "smsp__average_warps_issue_stalled_*",
    ),
    (
        "dram_bytes",
        "bytes read from and written to device memory",
        "dram__bytes.sum",
    ),
    (
        "l1_hit_rate",
        "sectors of loads that the L1 had over those asked for, 0 to 1",
        "l1tex__t_sector_hit_rate.pct",
    ),
    (
        "l2_hit_rate",
        "the same for the L2",
        "lts__t_sector_hit_rate.pct",
    ),
];

const STALLS: &str = "
A resident warp spends each cycle in one of these: it issues (`selected`) or another warp is preferred
(`not_selected`); it waits for a result whose time is fixed (`wait`), for global, local or texture
memory (`long_scoreboard`), for shared memory, a special function, a conversion or another lane
(`short_scoreboard`), at a barrier (`barrier`), for a busy pipeline (`math_pipe_throttle`), for room in
the queue of shared memory (`mio_throttle`) or of global and local memory (`lg_throttle`), for its next
instruction (`no_instruction`), for a constant (`imc_miss`), for the target of a branch
(`branch_resolving`), at a fence (`membar`), asleep (`sleeping`), or for its last stores (`drain`).
Cycles are booked at the instruction that comes next.
";

const REPORT: &str = "
## The JSON report

One object. A key in brackets is left out when there is nothing to say.

| key | value |
| --- | --- |
| `schema_version` | 1; it grows when a key is renamed or changes its meaning, not when one is added |
| `outcome` | `ok`, `fault`, `expectation`, `unsupported` or `limit` |
| `device` | name of the device |
| `divergence` | `ipdom` or `its` |
| [`error`] | why the run ended early; below |
| [`notes`] | remarks: `message`, [`file`, `line`, `text`] |
| `launches` | the launches in order, the one that failed included; below |
| [`expectations`] | for each: `buffer`, `ok`, `elements`, `differing`, `rtol`, `atol`, `largest_error` (`null` when a NaN or infinity stands against a number), [`first_differences`]: `index`, `found`, `expected` |
| [`saved`] | buffers that were saved: `buffer`, `path` |
| [`trace`] | the trace that was written: `path`, `sms` and `window` (each from the first to before the second), `cycles` of all launches, `events` in the file, those `left_out` because they were too many, [`complete_to`]: the cycle before which none is missing |

A launch:

| key | value |
| --- | --- |
| `kernel` | its name in the PTX |
| `grid`, `block` | three numbers each: blocks and threads of a block along x, y, z |
| `outcome` | as above, of this launch |
| [`error`], [`notes`] | as above |
| `blocks_done` | blocks that finished |
| `metrics` | every key of the first two tables above, zero or not; those of the third where the launch was timed |
| [`advice`] | what limits a timed launch, in sentences |
| `lines` | the counters by source line: `file`, `line` (from 1; 0 if unknown), [`text`], and the counters that are not zero there; with timing `machine_instructions` and `stalls` |

**In `lines` a counter that is not there is 0.** The lines are in the order of the source and add up
to `metrics`. Without line information in the input, a line is one of the PTX text. Code that was
inlined from a header of a toolkit, package or system counts at the line of the call.

An `error`:

| key | value |
| --- | --- |
| `kind` | `out_of_bounds`, `misaligned`, `deadlock` and other faults; `unsupported`, `instruction_limit`, `interrupted` |
| `message` | what happened, with everything that is known |
| `kernel`, `file`, `line`, [`text`] | where |
| [`instruction`] | the PTX instruction, where that is not the source line |
| [`block`, `thread`, `lanes`] | block and thread index of the first lane at fault; all lanes at fault as a mask in hexadecimal |
| [`access`] | the memory access: `kind`, `space`, `address`, `bytes` |
| [`waits`] | in a deadlock, who waits: `block`, `warp`, `lanes`, `reason`, [`access`], `file`, `line`, [`text`] |
";

fn main() {
    print!("{HEAD}");
    for counter in COUNTERS {
        row(counter.key, counter.meaning.trim(), counter.nsight);
    }
    print!(
        "
\"They\" are the requests of the row before. Sectors are 32 bytes; the ideal number is what the same
lanes would touch if their bytes lay side by side. A wavefront is a pass through the banks of shared
memory; the minimum is what the number of bytes takes.

## Other metrics of a launch

| key | value | closest Nsight Compute metric |
| --- | --- | --- |
"
    );
    for (key, meaning, nsight) in DERIVED {
        row(key, meaning, nsight);
    }
    print!(
        "
## Metrics of a timed launch

With `--timing` a launch has these as well.

| key | value | closest Nsight Compute metric |
| --- | --- | --- |
"
    );
    for (key, meaning, nsight) in TIMED {
        row(key, meaning, nsight);
    }
    print!("{STALLS}{REPORT}");
}

fn row(key: &str, meaning: &str, nsight: &str) {
    let nsight = match nsight {
        "" => String::new(),
        name => format!("`{name}`"),
    };
    println!("| `{key}` | {meaning} | {nsight} |");
}
