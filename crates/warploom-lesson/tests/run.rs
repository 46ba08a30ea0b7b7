//! What the machine does with the lessons: issues, masks and results, against numbers worked out
//! by hand.

use std::path::Path as FilePath;
use std::sync::Arc;

use warploom_lesson::{KERNEL, Lesson, Path, parse};
use warploom_machine::{
    AllocationKind, Divergence, Host, Issue, LaunchSpec, Limits, Machine, MachineConfig, Observer,
    Outcome,
};

/// An issued line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    warp: u32,
    line: u32,
    active: u64,
    executing: u64,
}

struct Recorder<'a> {
    lesson: &'a Lesson,
    rows: Vec<Row>,
}

impl Observer for Recorder<'_> {
    const ACTIVE: bool = true;

    fn issue(&mut self, issue: &Issue) {
        self.rows.push(Row {
            warp: issue.warp,
            line: self.lesson.module.origins[issue.pc as usize].text_line,
            active: issue.active,
            executing: issue.executing,
        });
    }
}

struct Run {
    lesson: Lesson,
    rows: Vec<Row>,
    arrays: Vec<Vec<i32>>,
    outcome: Outcome,
}

fn run_text(text: &str, divergence: Divergence) -> Run {
    let lesson = match parse("test.simt", text) {
        Ok(lesson) => lesson,
        Err(errors) => panic!("{errors:#?}"),
    };
    let config = MachineConfig {
        warp_width: lesson.width,
        divergence,
        ..MachineConfig::default()
    };
    let mut machine = Machine::load(Arc::new(lesson.module.clone()), config).unwrap();
    let mut places = Vec::new();
    for array in &lesson.arrays {
        let bytes = array.initial_bytes();
        let kind = AllocationKind::Buffer(array.name.clone());
        let address = machine
            .memory
            .allocate(bytes.len() as u64, 4, kind)
            .unwrap();
        machine.memory.write(address, &bytes).unwrap();
        places.push((address, bytes.len()));
    }
    let spec = LaunchSpec {
        kernel: lesson.module.kernel(KERNEL).unwrap(),
        grid: [lesson.blocks, 1, 1],
        block: [lesson.threads, 1, 1],
        dynamic_shared_bytes: 0,
        params: places
            .iter()
            .flat_map(|(address, _)| address.to_le_bytes())
            .collect(),
        cooperative: false,
        resident_blocks: 1,
    };
    let launch = machine.prepare(&spec).unwrap();
    assert!(!launch.order_dependent);
    let mut recorder = Recorder {
        lesson: &lesson,
        rows: Vec::new(),
    };
    let limits = Limits {
        max_thread_instructions: 1_000_000,
        interrupt: None,
    };
    let mut host = Host {
        output: &mut |_| {},
        progress: &mut |_| {},
    };
    let result = machine.run_observed(&launch, limits, &mut host, &mut recorder);
    let mut rows = recorder.rows;
    if result.outcome == Outcome::Completed {
        // The counters must tell what the observer saw.
        let issues = result.counters.issues(&lesson.module);
        let (counted, lanes) = issues.iter().fold((0, 0), |(issues, lanes), count| {
            (issues + count.entries, lanes + count.lanes)
        });
        let seen = rows.iter().map(|row| u64::from(row.active.count_ones()));
        assert_eq!((counted, lanes), (rows.len() as u64, seen.sum()));
    }
    rows.sort_by_key(|row| row.warp);
    let arrays = places.iter().map(|&(address, length)| {
        let mut bytes = vec![0; length];
        machine.memory.read(address, &mut bytes).unwrap();
        bytes
            .chunks(4)
            .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    });
    Run {
        arrays: arrays.collect(),
        rows,
        outcome: result.outcome,
        lesson,
    }
}

/// Runs under both divergence models, which must agree, and gives the stack's.
fn run(text: &str) -> Run {
    let stack = run_text(text, Divergence::Ipdom);
    let threads = run_text(text, Divergence::Its);
    assert_eq!(stack.outcome, Outcome::Completed);
    assert_eq!(stack.rows, threads.rows);
    assert_eq!(stack.arrays, threads.arrays);
    stack
}

fn lesson(file: &str) -> Run {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../lessons")
        .join(file);
    run(&std::fs::read_to_string(path).unwrap())
}

/// Issues, lanes that worked in them, lane slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sum {
    issues: u64,
    used: u64,
    slots: u64,
}

const fn sum(issues: u64, used: u64, slots: u64) -> Sum {
    Sum {
        issues,
        used,
        slots,
    }
}

impl Sum {
    fn efficiency(self) -> f64 {
        self.used as f64 / self.slots as f64
    }
}

impl Run {
    fn sum_of(&self, mut counts: impl FnMut(&Row) -> bool) -> Sum {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| counts(row)).collect();
        sum(
            rows.len() as u64,
            rows.iter()
                .map(|row| u64::from(row.active.count_ones()))
                .sum(),
            rows.len() as u64 * u64::from(self.lesson.width),
        )
    }

    fn total(&self) -> Sum {
        self.sum_of(|_| true)
    }

    fn of_warp(&self, warp: u32) -> Sum {
        self.sum_of(|row| row.warp == warp)
    }

    fn path(&self, row: &Row) -> Path {
        self.lesson.line(row.line).unwrap().path
    }

    /// What is not common to all lanes.
    fn bodies(&self) -> Sum {
        self.sum_of(|row| self.path(row) != Path::Common)
    }

    fn warps(&self) -> u32 {
        self.rows.iter().map(|row| row.warp + 1).max().unwrap_or(0)
    }

    /// The issued lines with their masks.
    fn trace(&self) -> Vec<(&str, u64)> {
        let text = |row: &Row| self.lesson.line(row.line).unwrap().text.as_str();
        self.rows
            .iter()
            .map(|row| (text(row), row.active))
            .collect()
    }
}

const ALL: u64 = 0xffff_ffff;

/// The demo program's trace for a condition that parts the lanes.
fn divergent_trace(condition: &'static str, then: u64) -> Vec<(&'static str, u64)> {
    vec![
        ("x = i", ALL),
        (condition, ALL),
        ("x = x * 2", then),
        ("x = x + 1", then),
        ("x = x * 3", ALL & !then),
        ("x = x + 2", ALL & !then),
        ("x = x + 100", ALL),
    ]
}

#[test]
fn a7_uniform() {
    let run = lesson("01-uniform.simt");
    let expected = [
        ("x = i", ALL),
        ("if i < 32", ALL),
        ("x = x * 2", ALL),
        ("x = x + 1", ALL),
        ("x = x + 100", ALL),
    ];
    assert_eq!(run.trace(), expected);
    assert_eq!(run.total(), sum(5, 160, 160));
}

#[test]
fn a8_divergent() {
    let run = lesson("02-divergent.simt");
    assert_eq!(run.trace(), divergent_trace("if i < 16", 0x0000_ffff));
    assert_eq!(run.total(), sum(7, 160, 224));
    assert_eq!(format!("{:.2}", 100.0 * run.total().efficiency()), "71.43");
}

#[test]
fn a9_alternating() {
    let run = lesson("03-alternating.simt");
    assert_eq!(run.trace(), divergent_trace("if i % 2 == 0", 0x5555_5555));
    assert_eq!(run.total(), sum(7, 160, 224));
}

#[test]
fn a10_one_lane() {
    let run = lesson("04-one-lane.simt");
    assert_eq!(run.trace(), divergent_trace("if i == 0", 0x0000_0001));
    assert_eq!(run.total(), sum(7, 160, 224));
}

#[test]
fn a11_warp_uniform() {
    let run = lesson("05-warp-uniform.simt");
    assert_eq!(run.warps(), 4);
    for warp in 0..4 {
        assert_eq!(run.of_warp(warp), sum(5, 160, 160));
        let taken = run.rows.iter().filter(|row| row.warp == warp);
        let first = taken
            .map(|row| run.path(row))
            .find(|path| *path != Path::Common);
        let expected = if warp % 2 == 0 {
            Path::Then
        } else {
            Path::Else
        };
        assert_eq!(first, Some(expected));
    }
}

/// A program whose two paths have so many lines, the first for lanes below `split`.
fn two_paths(split: u32, then: usize, otherwise: usize) -> String {
    let line = "x = x + 1\n";
    format!(
        "x = i\nif i < {split}\n{}else\n{}end\nx = 0\n",
        line.repeat(then),
        line.repeat(otherwise)
    )
}

#[test]
fn a12_two_equal_long_bodies_tend_to_one_half() {
    for n in [1, 10, 900] {
        let run = run(&two_paths(16, n, n));
        let n = n as u64;
        assert_eq!(run.total(), sum(3 + 2 * n, 96 + 32 * n, 32 * (3 + 2 * n)));
        assert_eq!(run.bodies().efficiency(), 0.5);
    }
    let limit = run(&two_paths(16, 900, 900)).total().efficiency();
    assert!(0.5 < limit && limit < 0.501);
}

#[test]
fn a13_thirty_two_ways() {
    let run = lesson("12-switch.simt");
    assert_eq!(run.bodies(), sum(32 * 2, 64, 64 * 32));
    assert_eq!(run.bodies().efficiency(), 1.0 / 32.0);
    for case in 0..32 {
        let mut rows = run
            .rows
            .iter()
            .filter(|row| run.path(row) == Path::Case(case));
        assert!(rows.all(|row| row.active == 1 << case));
    }
    // x, the switch, the bodies, the last line.
    assert_eq!(run.total(), sum(3 + 64, 96 + 64, 67 * 32));
}

#[test]
fn d1_d2_efficiency_of_two_paths() {
    for (split, n_then, n_else) in [(1, 3, 3), (4, 20, 2), (8, 1, 7), (16, 5, 5), (31, 2, 9)] {
        let run = run(&two_paths(split, n_then, n_else));
        let (p, x, y) = (f64::from(split) / 32.0, n_then as f64, n_else as f64);
        let expected = (p * x + (1.0 - p) * y) / (x + y);
        assert!((run.bodies().efficiency() - expected).abs() < 1e-12);
        if n_then == n_else {
            assert_eq!(run.bodies().efficiency(), 0.5);
        }
    }
}

#[test]
fn d3_nested_halves_multiply() {
    let run = lesson("06-nested.simt");
    let innermost = run.sum_of(|row| run.lesson.line(row.line).unwrap().depth == 2);
    assert_eq!(innermost, sum(8, 64, 256));
    assert_eq!(innermost.efficiency(), 0.25);
    let masks: Vec<u64> = run.rows.iter().map(|row| row.active).collect();
    let (even, odd) = (0x5555_5555, 0xaaaa_aaaa);
    let quarters = [0x1111_1111, 0x4444_4444, 0x2222_2222, 0x8888_8888];
    let [a, b, c, d] = quarters;
    assert_eq!(masks, [ALL, ALL, even, a, a, b, b, odd, c, c, d, d, ALL]);
    assert_eq!(run.total(), sum(13, 192, 416));
}

#[test]
fn a_loop_of_different_lengths() {
    let run = lesson("07-loop.simt");
    let evaluated: Vec<u32> = run
        .rows
        .iter()
        .filter(|row| run.lesson.line(row.line).unwrap().text == "while k > 0")
        .map(|row| row.active.count_ones())
        .collect();
    assert_eq!(evaluated, [32, 24, 16, 8]);
    assert_eq!(run.total(), sum(13, 272, 416));
}

/// What the filter computes for an element that passes.
fn filtered(i: i32) -> i32 {
    let mut h = i + 17;
    for _ in 0..6 {
        h ^= h.wrapping_shl(5);
        h ^= h >> 9;
        h = h.wrapping_mul(7).wrapping_add(1);
    }
    h
}

fn filter_result(passes: impl Fn(i32) -> bool) -> Vec<i32> {
    (0..256)
        .map(|i| if passes(i) { filtered(i) } else { 0 })
        .collect()
}

#[test]
fn d4_filter_scattered() {
    let run = lesson("08-filter.simt");
    assert_eq!(run.warps(), 8);
    for warp in 0..8 {
        let of_warp = |path| run.sum_of(|row| row.warp == warp && run.path(row) == path);
        assert_eq!(of_warp(Path::Then), sum(20, 4 * 20, 20 * 32));
        assert_eq!(of_warp(Path::Else), sum(2, 28 * 2, 2 * 32));
        assert_eq!(of_warp(Path::Common), sum(2, 64, 64));
    }
    assert_eq!(run.bodies(), sum(8 * 22, 8 * 136, 8 * 704));
    assert_eq!(format!("{:.1}", 100.0 * run.bodies().efficiency()), "19.3");
    assert_eq!(run.total().issues, 192);
    assert_eq!(run.arrays[1], filter_result(|i| i % 8 == 0));
}

#[test]
fn d5_filter_clustered() {
    let run = lesson("08-filter-clustered.simt");
    assert_eq!(run.bodies(), sum(20 + 7 * 2, 34 * 32, 34 * 32));
    assert_eq!(run.total().issues, 50);
    let before = lesson("08-filter.simt").bodies().issues;
    assert_eq!(before, 176);
    assert_eq!(format!("{:.2}", before as f64 / 34.0), "5.18");
    assert_eq!(run.arrays[1], filter_result(|i| i < 32));
}

#[test]
fn d6_filter_predicated() {
    let run = lesson("08-filter-where.simt");
    let predicated = |row: &Row| run.lesson.line(row.line).unwrap().predicated;
    for warp in 0..8 {
        let of_warp = run.sum_of(|row| row.warp == warp && predicated(row));
        assert_eq!(of_warp, sum(22, 22 * 32, 22 * 32));
        assert_eq!(run.of_warp(warp).issues, 23);
    }
    let executing = run.rows.iter().filter(|row| predicated(row));
    let executing: u32 = executing.map(|row| row.executing.count_ones()).sum();
    assert_eq!(executing, 8 * 136);
    let branches = |text: &str| text.starts_with("if") || text.starts_with("while");
    assert!(run.trace().iter().all(|(text, _)| !branches(text)));
    assert_eq!(run.arrays[1], filter_result(|i| i % 8 == 0));
}

#[test]
fn d7_uniform_branches_take_one_path() {
    for (split, expected) in [(32, 20), (0, 2)] {
        let run = run(&two_paths(split, 20, 2));
        assert_eq!(run.bodies(), sum(expected, 32 * expected, 32 * expected));
    }
}

#[test]
fn d8_a_block_of_100_threads() {
    let run = run("threads 100\nx = i\nx = x + 1\n");
    assert_eq!(run.warps(), 4);
    for warp in 0..4 {
        let lanes = if warp == 3 { 4 } else { 32 };
        assert_eq!(run.of_warp(warp), sum(2, 2 * lanes, 64));
    }
    assert_eq!(run.rows.last().unwrap().active, 0xf);
}

#[test]
fn warps_of_other_widths() {
    for (width, warps) in [(4, 16), (8, 8), (16, 4), (32, 2), (64, 1)] {
        let text = format!(
            "threads 64\nwidth {width}\narray out n\nif lane < {half}\nstore out[i] = warp\n\
             else\nstore out[i] = lane\nend\n",
            half = width / 2
        );
        let run = run(&text);
        assert_eq!(run.warps(), warps);
        assert_eq!(run.total().issues, u64::from(warps) * 3);
        let expected = (0..64).map(|i| {
            if i % width < width / 2 {
                i / width
            } else {
                i % width
            }
        });
        assert_eq!(run.arrays[0], expected.collect::<Vec<i32>>());
    }
}

/// What a program stores for 64 threads, against a formula.
fn check_out(body: &str, expected: impl Fn(i32) -> i32) {
    let text = format!("threads 32\nblocks 2\narray out n\n{body}\nstore out[i] = x\n");
    let run = run(&text);
    let expected: Vec<i32> = (0..64).map(expected).collect();
    assert_eq!(run.arrays[0], expected, "{body}");
}

#[test]
fn results_of_statements() {
    check_out("x = i * i - 3", |i| i * i - 3);
    check_out("x = n + block * 1000", |i| 64 + i / 32 * 1000);
    check_out(
        "x = 0\nk = i % 5\nwhile k > 0\nx = x + k\nk = k - 1\nend",
        |i| (0..=i % 5).sum(),
    );
    check_out(
        "x = 0\nk = 0\nwhile k < i % 4\nj = 0\nwhile j < k\nx = x + 10 * k + j\nj = j + 1\nend\nk = k + 1\nend",
        |i| {
            (0..i % 4)
                .flat_map(|k| (0..k).map(move |j| 10 * k + j))
                .sum()
        },
    );
    check_out(
        "if i < 5\nif i < 3\nx = 1\nelse\nx = 2\nend\nelse\nx = 3\nend",
        |i| match i {
            0..3 => 1,
            3..5 => 2,
            _ => 3,
        },
    );
    check_out(
        "where i % 3 == 0: x = i\nwhere not i % 3 == 0: x = -i",
        |i| {
            if i % 3 == 0 { i } else { -i }
        },
    );
    check_out(
        "keep = i > 9 and i < 20 or i == 0\nx = 1\nif keep\nx = 2\nend",
        |i| {
            if i > 9 && i < 20 || i == 0 { 2 } else { 1 }
        },
    );
    check_out("half = i * 0.5\nx = int(half + 0.25)", |i| {
        (f64::from(i) / 2.0 + 0.25) as i32
    });
    check_out("x = select(i % 2 == 0, i / 2, 3 * i + 1)", |i| {
        if i % 2 == 0 { i / 2 } else { 3 * i + 1 }
    });
    // Only assigned on one path: 0 on the other.
    check_out("if i < 7\nx = 9\nend", |i| if i < 7 { 9 } else { 0 });
}

#[test]
fn results_of_switches() {
    let cases = "case 3\nx = 30\ncase 0\nx = 10\ncase 1\nend";
    check_out(&format!("x = -1\nswitch i % 5 - 1\n{cases}"), |i| {
        match i % 5 - 1 {
            3 => 30,
            0 => 10,
            _ => -1,
        }
    });
    check_out("switch i - 2\ncase 0\nx = 5\nelse\nx = 6\nend", |i| {
        if i == 2 { 5 } else { 6 }
    });
    check_out("switch i\nelse\nx = 6\nend", |_| 6);
    check_out("x = 1\nswitch i\nend", |_| 1);
}

#[test]
fn loads_and_stores_move_elements() {
    let text = "threads 64\narray data n = 100 - i\narray out n float\n\
                y = load data[n - 1 - i]\nstore out[i] = y / 2\n";
    let run = run(text);
    let expected: Vec<i32> = (0..64)
        .map(|i| ((37 + i) / 2) as f32)
        .map(|x| x.to_bits() as i32)
        .collect();
    assert_eq!(run.arrays[1], expected);
}

#[test]
fn an_element_outside_of_an_array_is_a_fault_at_its_line() {
    for text in [
        "array a 32\nx = load a[i + 1]\n",
        "array a 32\nstore a[i - 1] = 0\n",
    ] {
        let run = run_text(text, Divergence::Ipdom);
        let Outcome::Fault(fault) = run.outcome else {
            panic!("{text}");
        };
        assert_eq!(fault.origin.text_line, 2);
    }
}

#[test]
fn an_endless_loop_ends() {
    for divergence in [Divergence::Ipdom, Divergence::Its] {
        let run = run_text("x = 0\nwhile x == 0\ny = i\nend\n", divergence);
        assert_ne!(run.outcome, Outcome::Completed);
        let run = run_text("x = 1\nwhile x != 0\nx = x + 2\nend\n", divergence);
        assert_eq!(run.outcome, Outcome::Limit);
    }
}
