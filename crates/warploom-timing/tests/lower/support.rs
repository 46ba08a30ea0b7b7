//! Short ways to a stream.

use warploom_isa::{FunctionId, Module};
use warploom_timing::lower::{LowerOptions, lower};
use warploom_timing::stream::{Class, Stream, TimedInst};

/// A kernel and its stream.
pub struct Lowered {
    pub module: Module,
    pub stream: Stream,
}

/// The text of a kernel with parameters `p` and `q` (pointers) and `n` and many registers.
pub fn kernel(bounds: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {bounds} {{\n\
         .reg .pred %p<100>;\n.reg .b16 %h<100>;\n.reg .b32 %r<100>;\n.reg .b64 %d<100>;\n\
         .reg .f32 %f<100>;\n.reg .f64 %g<100>;\n\
         .shared .align 16 .b8 tile[4096];\n{body}\n}}\n"
    )
}

pub fn lowered_with(options: LowerOptions, text: &str) -> Lowered {
    let loaded = warploom_ptx::load(&[("k.ptx", text)]).expect("the text is right");
    let module = loaded.module;
    let kernel: FunctionId = module.kernels().next().expect("a kernel").0;
    let stream = lower(&module, kernel, options);
    Lowered { module, stream }
}

/// The body of a kernel, lowered.
pub fn lowered(body: &str) -> Lowered {
    lowered_with(LowerOptions::default(), &kernel("", body))
}

/// Runs the body of a kernel through the lowering that leaves it as it is.
pub fn as_written(body: &str) -> Lowered {
    let options = LowerOptions {
        as_written: true,
        ..LowerOptions::default()
    };
    lowered_with(options, &kernel("", body))
}

impl Lowered {
    /// Classes in the order of issue.
    pub fn classes(&self) -> Vec<Class> {
        self.stream.insts.iter().map(|inst| inst.class).collect()
    }

    pub fn count(&self, class: Class) -> usize {
        self.classes().iter().filter(|&&c| c == class).count()
    }

    /// The machine instruction that leads the first source instruction named so in the listing.
    pub fn leader(&self, name: &str) -> Option<&TimedInst> {
        let named = |inst: &&TimedInst| self.name(inst).starts_with(name);
        self.stream
            .insts
            .iter()
            .find(|inst| inst.leads && named(inst))
    }

    /// The names of the source instructions that lead, in the order of issue.
    pub fn names(&self) -> Vec<&'static str> {
        let leading = self.stream.insts.iter().filter(|inst| inst.leads);
        leading.map(|inst| self.name(inst)).collect()
    }

    fn name(&self, inst: &TimedInst) -> &'static str {
        self.module.code[inst.source as usize].op.name()
    }

    /// Positions, in the order of issue, of the instructions of a class.
    pub fn positions(&self, class: Class) -> Vec<usize> {
        let classes = self.classes();
        (0..classes.len())
            .filter(|&at| classes[at] == class)
            .collect()
    }
}
