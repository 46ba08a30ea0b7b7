//! Since when the instructions without rows exist.
//!
//! The figures are those of the notes at the end of each instruction in the PTX manual, or less
//! where NVIDIA's assembler asks for less. What depends on operands is not here.

use super::Needs;
use crate::ast::Opcode;

/// What a form needs: the operation, its modifiers, and what a module must declare.
///
/// Each word of the modifiers is one that must be there, or several with `|` between them of which
/// one must; a word with `!` must not be there.
pub(super) struct Rule {
    pub(super) operation: &'static str,
    pub(super) modifiers: &'static str,
    pub(super) needs: Needs,
}

const fn rule(
    operation: &'static str,
    modifiers: &'static str,
    version: u16,
    architecture: u32,
) -> Rule {
    Rule {
        operation,
        modifiers,
        needs: Needs::since(version, architecture),
    }
}

/// For targets with a suffix only.
const fn specific(rule: Rule) -> Rule {
    Rule {
        needs: Needs {
            suffix: true,
            ..rule.needs
        },
        ..rule
    }
}

const SHARED: &str = "shared|shared::cta|shared::cluster";
const GENERIC: &str = "!global !shared !shared::cta !shared::cluster";
const GENERIC_MEMORY: &str =
    "!global !shared !shared::cta !shared::cluster !local !const !param !param::entry !param::func";
const SCOPES: &str = "cta|cluster|gpu|sys";

/// All rules; the strictest of each kind that fits counts.
pub(super) const RULES: &[Rule] = &[
    rule("mov", "b128", 83, 70),
    // Loads and stores.
    rule("ld", "volatile", 11, 0),
    rule("ld", GENERIC_MEMORY, 20, 20),
    rule("ld", "ca|cg|cs|lu|cv", 20, 20),
    rule("ld", "nc", 31, 32),
    rule("ld", "weak|relaxed|acquire", 60, 70),
    rule("ld", L1, 74, 70),
    rule("ld", "L2::64B|L2::128B", 74, 75),
    rule("ld", "L2::256B|L2::cache_hint", 74, 80),
    rule("ld", "shared::cta", 78, 30),
    rule("ld", "shared::cluster|cluster", 78, 90),
    rule("ld", "mmio", 82, 70),
    rule("ld", "param::entry|param::func", 83, 0),
    rule("ld", "b128", 83, 70),
    rule("ld", "b128 sys", 84, 70),
    rule("ld", L2, 88, 100),
    rule("ld", EIGHT_WORDS, 88, 100),
    rule("ld", FOUR_PAIRS, 88, 100),
    rule("ldu", "", 20, 20),
    rule("ldu", "b128", 83, 70),
    rule("st", "volatile", 11, 0),
    rule("st", GENERIC_MEMORY, 20, 20),
    rule("st", "wb|cg|cs|wt", 20, 20),
    rule("st", "weak|relaxed|release", 60, 70),
    rule("st", L1, 74, 70),
    rule("st", "L2::cache_hint", 74, 80),
    rule("st", "shared::cta", 78, 30),
    rule("st", "shared::cluster|cluster", 78, 90),
    rule("st", "mmio", 82, 70),
    rule("st", "param::func", 83, 0),
    rule("st", "b128", 83, 70),
    rule("st", "b128 sys", 84, 70),
    rule("st", L2, 88, 100),
    rule("st", EIGHT_WORDS, 88, 100),
    rule("st", FOUR_PAIRS, 88, 100),
    rule("prefetch", "", 20, 20),
    rule("prefetch", "L2::evict_last|L2::evict_normal", 74, 80),
    rule("prefetchu", "", 20, 20),
    // Generic addresses.
    rule("cvta", "", 20, 20),
    rule("cvta", "const", 31, 20),
    rule("cvta", "param|param::entry", 77, 70),
    rule("cvta", "shared::cta", 78, 30),
    rule("cvta", "shared::cluster", 78, 90),
    rule("cvta", "param::entry", 83, 70),
    rule("isspacep", "", 20, 20),
    rule("isspacep", "const", 31, 20),
    rule("isspacep", "param|param::entry", 77, 70),
    rule("isspacep", "shared::cta", 78, 30),
    rule("isspacep", "shared::cluster", 78, 90),
    rule("isspacep", "param::entry", 83, 70),
    // Atomics.
    rule("atom", "", 11, 11),
    rule("atom", SHARED, 12, 12),
    rule("atom", "add|cas|exch u64|b64", 12, 12),
    rule(
        "atom",
        "shared|shared::cta|shared::cluster add|cas|exch u64|b64",
        20,
        20,
    ),
    rule("atom", GENERIC, 20, 20),
    rule("atom", "add f32", 20, 20),
    rule("atom", "and|or|xor|min|max b64|u64|s64", 31, 32),
    rule("atom", "add f64", 50, 60),
    rule("atom", SCOPES, 50, 60),
    rule("atom", "relaxed|acquire|release|acq_rel", 60, 70),
    rule("atom", "add f16x2", 62, 60),
    rule("atom", "add f16", 63, 70),
    rule("atom", "cas b16", 63, 70),
    rule("atom", "L2::cache_hint", 74, 80),
    rule("atom", "bf16|bf16x2", 78, 90),
    rule("atom", "shared::cta", 78, 30),
    rule("atom", "shared::cluster|cluster", 78, 90),
    rule("atom", "v2|v4|v8", 81, 90),
    rule("atom", "b128", 83, 90),
    rule("atom", "b128 sys", 84, 90),
    rule("red", "", 12, 11),
    rule("red", SHARED, 12, 12),
    rule("red", "add u64", 12, 12),
    rule("red", "shared|shared::cta|shared::cluster add u64", 20, 20),
    rule("red", GENERIC, 20, 20),
    rule("red", "add f32", 20, 20),
    rule("red", "and|or|xor|min|max b64|u64|s64", 31, 32),
    rule("red", "add f64", 50, 60),
    rule("red", SCOPES, 50, 60),
    rule("red", "relaxed|release", 60, 70),
    rule("red", "add f16x2", 62, 60),
    rule("red", "add f16", 63, 70),
    rule("red", "L2::cache_hint", 74, 80),
    rule("red", "bf16|bf16x2", 78, 90),
    rule("red", "shared::cta", 78, 30),
    rule("red", "shared::cluster|cluster", 78, 90),
    rule("red", "v2|v4|v8", 81, 90),
    // Control flow and the stack.
    rule("brx", "", 60, 30),
    rule("brkpt", "", 10, 11),
    rule("nanosleep", "", 62, 70),
    rule("pmevent", "", 14, 0),
    rule("pmevent", "mask", 30, 20),
    rule("griddepcontrol", "", 78, 90),
    rule("alloca", "", 73, 52),
    rule("stacksave", "", 73, 52),
    rule("stackrestore", "", 73, 52),
    // Barriers and fences.
    rule("bar", "arrive|red", 20, 20),
    rule("bar", "warp", 60, 30),
    rule("bar", "cta", 78, 0),
    rule("barrier", "", 60, 30),
    rule("barrier", "cta", 78, 30),
    rule("membar", "cta|gl", 14, 0),
    rule("membar", "sys", 20, 20),
    rule("membar", "proxy", 75, 60),
    rule("fence", "", 60, 70),
    rule("fence", "proxy", 75, 70),
    rule("fence", "cluster", 78, 90),
    rule("fence", "async", 80, 90),
    rule("fence", "async::generic", 83, 90),
    rule(
        "fence",
        "sync_restrict::shared::cta|sync_restrict::shared::cluster",
        86,
        90,
    ),
    // Warps.
    rule("shfl", "", 30, 30),
    rule("shfl", "sync", 60, 30),
    rule("vote", "", 12, 12),
    rule("vote", "ballot", 20, 20),
    rule("vote", "sync", 60, 30),
    rule("match", "", 60, 70),
    rule("activemask", "", 62, 30),
    rule("redux", "", 70, 80),
    specific(rule("redux", "f32", 86, 100)),
    rule("elect", "", 80, 90),
    // Families that the machine does not have.
    rule("wmma", "", 60, 70),
    rule("mma", "", 64, 70),
    rule("ldmatrix", "", 65, 75),
    rule("movmatrix", "", 78, 75),
    rule("stmatrix", "", 78, 90),
    specific(rule("wgmma", "", 80, 90)),
    specific(rule("tcgen05", "", 86, 100)),
    specific(rule("setmaxnreg", "", 80, 90)),
    rule("cp", "async", 70, 80),
    rule("cp", "bulk", 80, 90),
    rule("mbarrier", "", 70, 80),
    rule("createpolicy", "", 74, 80),
    rule("applypriority", "", 74, 80),
    rule("discard", "", 74, 80),
    rule("mapa", "", 78, 90),
    rule("getctarank", "", 78, 90),
    rule("barrier", "cluster", 78, 90),
    rule("fence", "mbarrier_init", 80, 90),
    rule("fence", "tensormap::generic", 83, 90),
    rule("prefetch", "tensormap", 80, 90),
    specific(rule("tensormap", "", 83, 90)),
    rule("multimem", "", 81, 90),
    rule("red", "async", 81, 90),
    rule("st", "async", 81, 90),
    rule("st", "bulk", 86, 100),
    rule("clusterlaunchcontrol", "", 86, 100),
];

const L1: &str =
    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate";
const L2: &str = "L2::evict_normal|L2::evict_first|L2::evict_last";
/// The two vectors of 32 bytes.
const EIGHT_WORDS: &str = "v8 b32|u32|s32|f32";
const FOUR_PAIRS: &str = "v4 b64|u64|s64|f64";

/// What an opcode without rows needs; nothing for others.
pub(crate) fn requirements(opcode: &Opcode<'_>) -> Needs {
    let rules = RULES.iter().filter(|rule| rule.fits(opcode));
    rules.fold(Needs::NOTHING, |all, rule| all.and(rule.needs))
}

impl Rule {
    fn fits(&self, opcode: &Opcode<'_>) -> bool {
        let has = |word: &str| opcode.modifiers().any(|modifier| modifier == word);
        self.operation == opcode.base()
            && self
                .modifiers
                .split_whitespace()
                .all(|words| match words.strip_prefix('!') {
                    Some(word) => !has(word),
                    None => words.split('|').any(has),
                })
    }

    /// The modifiers for the support table.
    pub(super) fn with(&self) -> String {
        let words = self.modifiers.split_whitespace();
        let (absent, present): (Vec<_>, Vec<_>) = words.partition(|words| words.starts_with('!'));
        let mut all: Vec<String> = present
            .iter()
            .map(|words| format!("`.{}`", words.replace('|', "` or `.")))
            .collect();
        if !absent.is_empty() {
            all.push("no state space".to_owned());
        }
        all.join(", ")
    }
}
