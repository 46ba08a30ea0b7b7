//! Special registers of PTX as the machine numbers them.

use warploom_isa::Mods;
use warploom_isa::access::Special;

use super::context::Lower;
use super::error;
use super::table::Needs;
use crate::ast::{Name, Selector, Target};
use crate::diagnostic::{Diagnostic, Span};
use crate::special::SpecialRegister;
use crate::types::ScalarType;

/// How to read a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpecialRead {
    pub(crate) register: Special,
    /// Which one of `%pm` and `%envreg`.
    pub(crate) number: u32,
    /// Gives 64 bits.
    pub(crate) wide: bool,
    /// PTX has it as a predicate; the machine gives 0 or 1.
    pub(crate) predicate: bool,
}

impl SpecialRead {
    /// The type of what the machine gives.
    pub(crate) fn ty(self) -> ScalarType {
        if self.wide {
            ScalarType::U64
        } else {
            ScalarType::U32
        }
    }

    /// Modifier word of the operation.
    pub(crate) fn mods(self) -> Mods {
        Mods::NONE
            .with_high(self.register.code() as u16)
            .with_variant(self.wide)
    }
}

impl Lower<'_> {
    /// How to read the special register behind `name`, which the module's header must promise.
    pub(crate) fn special(&self, name: &Name, span: Span) -> Result<SpecialRead, Diagnostic> {
        let found = read(name, span)?;
        if let Target::Special(register) = name.target {
            let (version, architecture) = register.since();
            let needs = Needs::since(version, architecture);
            if !needs.met_by(self.module.version, &self.module.target) {
                return Err(error::too_new(span, register.name(), &needs.text()));
            }
        }
        Ok(found)
    }
}

fn read(name: &Name, span: Span) -> Result<SpecialRead, Diagnostic> {
    let Target::Special(register) = name.target else {
        return Err(error::operand_kind(span, "a special register"));
    };
    let dimension = match (register.has_dimensions(), name.selector) {
        (true, Some(Selector::Element(n))) => n,
        (false, None) => 0,
        (true, _) => return Err(error::operand_kind(span, "one dimension: .x, .y or .z")),
        (false, _) => return Err(error::operand_kind(span, "written without a selector")),
    };
    let number = match register {
        SpecialRegister::Pm(n) | SpecialRegister::Pm64(n) | SpecialRegister::Envreg(n) => n,
        _ => 0,
    };
    Ok(SpecialRead {
        register: machine_register(register, dimension),
        number: u32::from(number),
        wide: register.ty() == ScalarType::U64,
        predicate: register.ty() == ScalarType::Pred,
    })
}

fn machine_register(register: SpecialRegister, dimension: u8) -> Special {
    use SpecialRegister as R;
    let of = |xyz: [Special; 3]| {
        xyz.get(usize::from(dimension))
            .copied()
            .unwrap_or(Special::Zero)
    };
    match register {
        R::Tid => of([Special::TidX, Special::TidY, Special::TidZ]),
        R::Ntid => of([Special::NtidX, Special::NtidY, Special::NtidZ]),
        R::Laneid => Special::LaneId,
        R::Warpid => Special::WarpId,
        R::Nwarpid => Special::NwarpId,
        R::Ctaid => of([Special::CtaidX, Special::CtaidY, Special::CtaidZ]),
        R::Nctaid => of([Special::NctaidX, Special::NctaidY, Special::NctaidZ]),
        R::Smid => Special::SmId,
        R::Nsmid => Special::NsmId,
        R::Gridid => Special::GridId,
        R::IsExplicitCluster => Special::IsExplicitCluster,
        R::Clusterid => of([
            Special::ClusterIdX,
            Special::ClusterIdY,
            Special::ClusterIdZ,
        ]),
        R::Nclusterid => of([
            Special::NclusterIdX,
            Special::NclusterIdY,
            Special::NclusterIdZ,
        ]),
        R::ClusterCtaid => of([
            Special::ClusterCtaIdX,
            Special::ClusterCtaIdY,
            Special::ClusterCtaIdZ,
        ]),
        R::ClusterNctaid => of([
            Special::ClusterNctaIdX,
            Special::ClusterNctaIdY,
            Special::ClusterNctaIdZ,
        ]),
        R::ClusterCtarank => Special::ClusterCtaRank,
        R::ClusterNctarank => Special::ClusterNctaRank,
        R::LanemaskEq => Special::LaneMaskEq,
        R::LanemaskLe => Special::LaneMaskLe,
        R::LanemaskLt => Special::LaneMaskLt,
        R::LanemaskGe => Special::LaneMaskGe,
        R::LanemaskGt => Special::LaneMaskGt,
        R::Clock => Special::Clock,
        R::ClockHi => Special::ClockHi,
        R::Clock64 => Special::Clock64,
        R::Globaltimer => Special::GlobalTimer,
        R::GlobaltimerLo => Special::GlobalTimerLo,
        R::GlobaltimerHi => Special::GlobalTimerHi,
        R::ReservedSmemOffsetBegin => Special::ReservedSmemBegin,
        R::ReservedSmemOffsetEnd => Special::ReservedSmemEnd,
        R::ReservedSmemOffsetCap => Special::ReservedSmemCap,
        R::ReservedSmemOffset0 => Special::ReservedSmem0,
        R::ReservedSmemOffset1 => Special::ReservedSmem1,
        R::TotalSmemSize => Special::TotalSmemSize,
        R::AggrSmemSize => Special::AggrSmemSize,
        R::DynamicSmemSize => Special::DynamicSmemSize,
        // No graph launches kernels here.
        R::CurrentGraphExec => Special::Zero,
        R::Pm(_) | R::Pm64(_) => Special::Pm,
        R::Envreg(_) => Special::EnvReg,
    }
}
