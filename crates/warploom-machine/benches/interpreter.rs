//! How many warp instructions a second the interpreter's loop executes, on one host thread.
//!
//! `cargo bench -p warploom-machine` prints a line per loop; the best of many short runs counts. The loops are built by hand, so that
//! nothing but the interpreter is measured.

use std::sync::Arc;
use std::time::Instant;

use warploom_isa::access::Access;
use warploom_isa::builder::{FunctionBuilder, ModuleBuilder, Src, VInst, VReg};
use warploom_isa::{Function, Module, Op, Origin, RegClass, Space, Variable};
use warploom_machine::{Host, LaunchSpec, Limits, Machine, MachineConfig, Outcome};

/// A kernel that runs `body` in a loop, with the lanes below `lanes` active.
fn looping(iterations: u32, lanes: u32, body: impl Fn(&mut FunctionBuilder, VReg)) -> Module {
    let mut module = ModuleBuilder::new("bench");
    let tile = module.variable(Variable {
        name: "tile".to_owned(),
        space: Space::Shared,
        bytes: 4096,
        align_bytes: 16,
        init: Vec::new(),
        relocations: Vec::new(),
        external: false,
        dynamic_shared: false,
        visible: false,
    });
    let kernel = Function {
        name: "bench".to_owned(),
        kernel: true,
        variables: vec![tile],
        ..Function::default()
    };
    let id = module.declare(kernel);
    let mut f = FunctionBuilder::new(id);
    let at = Origin::default();
    let lane = f.reg(RegClass::Lane32);
    let idle = f.reg(RegClass::Mask);
    let (top, end) = (f.label(), f.label());
    let special = warploom_isa::access::Special::LaneId.code() as u16;
    let mods = warploom_isa::Mods::NONE.with_high(special);
    f.push(VInst::new(Op::Special, at).dst(lane).mods(mods));
    f.push(
        VInst::new(Op::SetLeU32, at)
            .dst(idle)
            .src(&[lanes.into(), lane.into()]),
    );
    let mut skip = VInst::new(Op::Bra, at);
    skip.guard = Some((idle, false));
    skip.targets = vec![end];
    f.push(skip);
    let counter = f.reg(RegClass::Lane32);
    f.push(VInst::new(Op::MovB32, at).dst(counter).src(&[0u32.into()]));
    f.place(top);
    body(&mut f, lane);
    let more = f.reg(RegClass::Mask);
    f.push(
        VInst::new(Op::AddI32, at)
            .dst(counter)
            .src(&[counter.into(), 1u32.into()]),
    );
    f.push(
        VInst::new(Op::SetLtU32, at)
            .dst(more)
            .src(&[counter.into(), iterations.into()]),
    );
    let mut back = VInst::new(Op::Bra, at);
    back.guard = Some((more, false));
    back.targets = vec![top];
    f.push(back);
    f.place(end);
    f.push(VInst::new(Op::Ret, at));
    f.finish(&mut module).expect("a small kernel");
    module.finish()
}

fn fma_chain(f: &mut FunctionBuilder, _lane: VReg) {
    let x = f.reg(RegClass::Lane32);
    for _ in 0..64 {
        let (a, b) = (Src::from(0.5f32.to_bits()), Src::from(1.25f32.to_bits()));
        f.push(
            VInst::new(Op::FmaF32, Origin::default())
                .dst(x)
                .src(&[x.into(), a, b]),
        );
    }
}

fn integer_mix(f: &mut FunctionBuilder, _lane: VReg) {
    let x = f.reg(RegClass::Lane32);
    for _ in 0..16 {
        let c = Src::from(0x9e37_79b9u32);
        for op in [Op::AddI32, Op::XorB32, Op::MulLoI32, Op::ShrU32] {
            let b = if op == Op::ShrU32 { Src::from(7u32) } else { c };
            f.push(VInst::new(op, Origin::default()).dst(x).src(&[x.into(), b]));
        }
    }
}

/// The inner product of a 16 by 16 tiled matrix product: a warp is two rows of a block.
fn tile_product(f: &mut FunctionBuilder, lane: VReg) {
    let at = Origin::default();
    let (row, column) = (f.reg(RegClass::Lane32), f.reg(RegClass::Lane32));
    let sum = f.reg(RegClass::Lane32);
    f.push(
        VInst::new(Op::ShrU32, at)
            .dst(row)
            .src(&[lane.into(), 4u32.into()]),
    );
    f.push(
        VInst::new(Op::ShlB32, at)
            .dst(row)
            .src(&[row.into(), 6u32.into()]),
    );
    f.push(
        VInst::new(Op::AndB32, at)
            .dst(column)
            .src(&[lane.into(), 15u32.into()]),
    );
    f.push(
        VInst::new(Op::ShlB32, at)
            .dst(column)
            .src(&[column.into(), 2u32.into()]),
    );
    let shared = Access {
        narrow_address: true,
        ..Access::plain(Space::Shared, 2)
    }
    .pack();
    for k in 0..16 {
        let (a, b) = (f.reg(RegClass::Lane32), f.reg(RegClass::Lane32));
        let load = |reg, from: VReg, offset| {
            VInst::new(Op::Ld, at)
                .dst(reg)
                .src(&[from.into()])
                .mods(shared)
                .low(offset)
        };
        f.push(load(a, row, 4 * k));
        f.push(load(b, column, 1024 + 64 * k));
        f.push(
            VInst::new(Op::FmaF32, at)
                .dst(sum)
                .src(&[a.into(), b.into(), sum.into()]),
        );
    }
}

fn measure(name: &str, repetitions: u32, module: Module) {
    let module = Arc::new(module);
    let mut machine = Machine::load(module.clone(), MachineConfig::default()).expect("loads");
    let spec = LaunchSpec {
        kernel: module.kernel("bench").expect("is there"),
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared_bytes: 0,
        params: Vec::new(),
        cooperative: false,
        resident_blocks: 1,
    };
    let limits = Limits {
        max_thread_instructions: u64::MAX,
        interrupt: None,
    };
    let mut best: f64 = 0.0;
    for _ in 0..repetitions {
        let launch = machine.prepare(&spec).expect("fits");
        let start = Instant::now();
        let host = &mut Host {
            output: &mut |_| {},
            progress: &mut |_| {},
        };
        let result = machine.run_serial(&launch, limits, host);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(result.outcome, Outcome::Completed);
        let issues: u64 = result
            .counters
            .issues(&module)
            .iter()
            .map(|i| i.entries)
            .sum();
        best = best.max(issues as f64 / seconds);
    }
    println!("{name:<28} {:8.1} M warp instructions/s", best / 1e6);
}

/// `cargo bench -p warploom-machine -- ITERATIONS REPETITIONS`: small numbers suit a profiler.
fn main() {
    let numbers: Vec<u32> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let iterations = numbers.first().copied().unwrap_or(20_000);
    let repetitions = numbers.get(1).copied().unwrap_or(60);
    for lanes in [32, 17] {
        type Body = fn(&mut FunctionBuilder, VReg);
        let loops: [(&str, Body); 3] = [
            ("fma chain", fma_chain),
            ("integer mix", integer_mix),
            ("tile product", tile_product),
        ];
        for (name, body) in loops {
            let name = format!("{name}, {lanes} lanes");
            measure(&name, repetitions, looping(iterations, lanes, body));
        }
    }
}
