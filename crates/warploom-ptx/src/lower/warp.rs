//! Instructions that exchange values between the lanes of a warp.

use warploom_isa::Op;
use warploom_isa::access::{WarpKind, WarpOp};

use super::context::Lower;
use super::error;
use super::parts::Parts;
use crate::ast::Operand;
use crate::diagnostic::Diagnostic;
use crate::types::{ScalarType, TypeClass};

/// A warp opcode, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Shfl(WarpOp),
    Vote(WarpOp),
    Match(WarpOp, ScalarType),
    Redux(WarpOp, ScalarType),
    Elect,
    ActiveMask,
    Bar,
}

const SHFL: &[(&str, WarpKind)] = &[
    ("up", WarpKind::ShflUp),
    ("down", WarpKind::ShflDown),
    ("bfly", WarpKind::ShflBfly),
    ("idx", WarpKind::ShflIdx),
];

const VOTE: &[(&str, WarpKind)] = &[
    ("all", WarpKind::VoteAll),
    ("any", WarpKind::VoteAny),
    ("uni", WarpKind::VoteUni),
    ("ballot", WarpKind::VoteBallot),
];

const MATCH: &[(&str, WarpKind)] = &[("any", WarpKind::MatchAny), ("all", WarpKind::MatchAll)];

const REDUX: &[(&str, WarpKind)] = &[
    ("add", WarpKind::ReduxAdd),
    ("min", WarpKind::ReduxMin),
    ("max", WarpKind::ReduxMax),
    ("and", WarpKind::ReduxAnd),
    ("or", WarpKind::ReduxOr),
    ("xor", WarpKind::ReduxXor),
];

/// Decodes an opcode; nothing where it belongs to another family.
pub(crate) fn decode(parts: &mut Parts<'_>) -> Result<Option<Form>, Diagnostic> {
    let form = match parts.base() {
        "shfl" => {
            let sync = parts.take("sync");
            let kind = parts.require_one("mode", SHFL)?;
            parts.type_among(&[ScalarType::B32])?;
            Form::Shfl(WarpOp::new(kind, sync))
        }
        "vote" => {
            let sync = parts.take("sync");
            let kind = parts.require_one("mode", VOTE)?;
            parts.type_among(match kind {
                WarpKind::VoteBallot => &[ScalarType::B32],
                _ => &[ScalarType::Pred],
            })?;
            Form::Vote(WarpOp::new(kind, sync))
        }
        "match" => {
            require_sync(parts)?;
            let kind = parts.require_one("mode", MATCH)?;
            let ty = parts.type_among(&[ScalarType::B32, ScalarType::B64])?;
            let wide = ty == ScalarType::B64;
            let op = WarpOp {
                wide,
                ..WarpOp::new(kind, true)
            };
            Form::Match(op, ty)
        }
        "redux" => redux(parts)?,
        "elect" => {
            require_sync(parts)?;
            Form::Elect
        }
        "activemask" => {
            parts.type_among(&[ScalarType::B32])?;
            Form::ActiveMask
        }
        "bar" if parts.take("warp") => {
            require_sync(parts)?;
            Form::Bar
        }
        _ => return Ok(None),
    };
    parts.finish()?;
    Ok(Some(form))
}

fn require_sync(parts: &mut Parts<'_>) -> Result<(), Diagnostic> {
    parts.require_one("`.sync`", &[("sync", ())])
}

fn redux(parts: &mut Parts<'_>) -> Result<Form, Diagnostic> {
    require_sync(parts)?;
    let kind = parts.require_one("operation", REDUX)?;
    let abs = parts.take("abs");
    let nan = parts.take("NaN");
    let ty = parts.type_among(match kind {
        WarpKind::ReduxAdd => &[ScalarType::U32, ScalarType::S32],
        WarpKind::ReduxMin | WarpKind::ReduxMax => {
            &[ScalarType::U32, ScalarType::S32, ScalarType::F32]
        }
        _ => &[ScalarType::B32],
    })?;
    if (abs || nan) && ty != ScalarType::F32 {
        return Err(parts.combination("`.abs` and `.NaN` go with `.f32` only"));
    }
    let op = WarpOp {
        signed: ty.class() == TypeClass::Signed,
        float: ty == ScalarType::F32,
        abs,
        nan,
        ..WarpOp::new(kind, true)
    };
    Ok(Form::Redux(op, ty))
}

/// Writes the code of the current instruction of `ctx`.
pub(crate) fn lower(ctx: &mut Lower<'_>, form: &Form) -> Result<(), Diagnostic> {
    match *form {
        Form::Shfl(op) => ctx.shfl(op),
        Form::Vote(op) => ctx.vote(op),
        Form::Match(op, ty) => ctx.match_lanes(op, ty),
        Form::Redux(op, ty) => ctx.redux(op, ty),
        Form::Elect => ctx.elect(),
        Form::ActiveMask => {
            let [target] = ctx.exactly::<1>()?;
            let reg = ctx.dst(target, ScalarType::B32)?;
            ctx.emit_to(reg, Op::ActiveMask, &[]);
            Ok(())
        }
        Form::Bar => {
            let [members] = ctx.exactly::<1>()?;
            let mut inst = ctx.op(Op::BarWarp);
            inst.src[3] = ctx.src(members, ScalarType::B32)?;
            let op = WarpOp::new(WarpKind::Bar, true);
            ctx.emit(inst.mods(op.pack()));
            Ok(())
        }
    }
}

impl<'a> Lower<'a> {
    /// The operands of a form with `fixed` of them and, where it synchronises, a member mask.
    fn with_members(
        &self,
        fixed: usize,
        sync: bool,
    ) -> Result<(&'a [Operand], Option<&'a Operand>), Diagnostic> {
        let count = fixed + usize::from(sync);
        let operands = self.operands(count, count)?;
        let (values, members) = operands.split_at(fixed);
        Ok((values, members.first()))
    }

    fn shfl(&mut self, op: WarpOp) -> Result<(), Diagnostic> {
        let (operands, members) = self.with_members(4, op.sync)?;
        let [target, value, lane, clamp] = operands else {
            return Ok(());
        };
        let (target, in_range) = self.pair(target);
        let mut inst = self.op(Op::Shfl).mods(op.pack());
        inst.dst = Some(self.dst(target, ScalarType::B32)?);
        if let Some(in_range) = in_range {
            inst.dst2 = self.mask_dst(in_range)?;
        }
        inst.src[0] = self.src(value, ScalarType::B32)?;
        inst.src[1] = self.src(lane, ScalarType::B32)?;
        inst.src[2] = self.src(clamp, ScalarType::B32)?;
        if let Some(members) = members {
            inst.src[3] = self.src(members, ScalarType::B32)?;
        }
        self.emit(inst);
        Ok(())
    }

    fn vote(&mut self, op: WarpOp) -> Result<(), Diagnostic> {
        let (operands, members) = self.with_members(2, op.sync)?;
        let [target, predicate] = operands else {
            return Ok(());
        };
        let (mask, negated) = self.mask_operand(predicate)?;
        let op = WarpOp { negated, ..op };
        let mut inst = self.op(Op::Vote).mods(op.pack());
        inst.src[0] = mask.into();
        if let Some(members) = members {
            inst.src[3] = self.src(members, ScalarType::B32)?;
        }
        match op.kind {
            WarpKind::VoteBallot => inst.dst = Some(self.dst(target, ScalarType::B32)?),
            _ => inst.dst2 = self.mask_dst(target)?,
        }
        self.emit(inst);
        Ok(())
    }

    fn match_lanes(&mut self, op: WarpOp, ty: ScalarType) -> Result<(), Diagnostic> {
        let [target, value, members] = self.exactly::<3>()?;
        let (target, equal) = self.pair(target);
        let mut inst = self.op(Op::Match).mods(op.pack());
        inst.dst = Some(self.dst(target, ScalarType::B32)?);
        if let Some(equal) = equal {
            if op.kind == WarpKind::MatchAny {
                return Err(error::operand_kind(equal.span, "left out"));
            }
            inst.dst2 = self.mask_dst(equal)?;
        }
        inst.src[0] = self.src(value, ty)?;
        inst.src[3] = self.src(members, ScalarType::B32)?;
        self.emit(inst);
        Ok(())
    }

    fn redux(&mut self, op: WarpOp, ty: ScalarType) -> Result<(), Diagnostic> {
        let [target, value, members] = self.exactly::<3>()?;
        let mut inst = self.op(Op::Redux).mods(op.pack());
        inst.dst = Some(self.dst(target, ty)?);
        inst.src[0] = self.src(value, ty)?;
        inst.src[3] = self.src(members, ScalarType::B32)?;
        self.emit(inst);
        Ok(())
    }

    fn elect(&mut self) -> Result<(), Diagnostic> {
        let [target, members] = self.exactly::<2>()?;
        let (leader, elected) = self.pair(target);
        let Some(elected) = elected else {
            return Err(error::operand_kind(target.span, "a pair `d|p`"));
        };
        let op = WarpOp::new(WarpKind::Elect, true);
        let mut inst = self.op(Op::Elect).mods(op.pack());
        inst.dst = Some(self.dst(leader, ScalarType::B32)?);
        inst.dst2 = self.mask_dst(elected)?;
        inst.src[3] = self.src(members, ScalarType::B32)?;
        self.emit(inst);
        Ok(())
    }
}
