//! Making a failing program smaller.

use super::program::{Program, Stmt, has};

/// Attempts that shrinking may take.
const ATTEMPTS: usize = 3000;

/// Changes the statement at a place; whether it could.
type Edit = fn(&mut Vec<Stmt>, usize) -> bool;

/// A program that still fails and from which no statement can be taken away.
pub fn shrink(program: &Program, fails: impl Fn(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    let mut attempts = 0;
    loop {
        let mut changed = false;
        let mut position = 0;
        while position < smallest.statements() && attempts < ATTEMPTS {
            let before = smallest.statements();
            for edit in [remove as Edit, open, unguard] {
                attempts += 1;
                let mut candidate = smallest.clone();
                let mut left = position;
                let edited = candidate
                    .bodies_mut()
                    .into_iter()
                    .any(|body| visit(body, &mut left, edit));
                if edited && fails(&candidate) {
                    smallest = candidate;
                    changed = true;
                    break;
                }
            }
            if smallest.statements() == before {
                position += 1;
            }
        }
        let alone = Program {
            functions: Vec::new(),
            ..smallest.clone()
        };
        if !smallest.functions.is_empty() && fails(&alone) {
            smallest = alone;
            changed = true;
        }
        for (blocks, threads) in [(1, smallest.threads), (smallest.blocks, 1), (1, 1), (1, 32)] {
            let candidate = Program {
                blocks,
                threads,
                ..smallest.clone()
            };
            let fewer = blocks * threads < smallest.blocks * smallest.threads;
            // Shuffles are defined in full warps.
            let together = |stmt: &Stmt| matches!(stmt, Stmt::Together(_));
            let full = threads % 32 == 0 || !has(&smallest.kernel, &together);
            if fewer && full && fails(&candidate) {
                smallest = candidate;
                changed = true;
            }
        }
        if !changed || attempts >= ATTEMPTS {
            return smallest;
        }
    }
}

/// Edits the statement at a position in reading order; whether it could be.
fn visit(body: &mut Vec<Stmt>, left: &mut usize, edit: Edit) -> bool {
    let mut at = 0;
    while at < body.len() {
        if *left == 0 {
            return edit(body, at);
        }
        *left -= 1;
        for inner in body[at].bodies_mut() {
            let before = *left;
            if visit(inner, left, edit) {
                return true;
            }
            if before == 0 && !inner.is_empty() {
                return false;
            }
        }
        at += 1;
    }
    false
}

fn remove(body: &mut Vec<Stmt>, at: usize) -> bool {
    body.remove(at);
    true
}

/// Puts what is inside a statement in its place.
fn open(body: &mut Vec<Stmt>, at: usize) -> bool {
    let inside: Vec<Stmt> = body[at].bodies().into_iter().flatten().cloned().collect();
    let jumps = |stmt: &Stmt| matches!(stmt, Stmt::Break(_) | Stmt::Continue(_));
    let leaves_a_loop = matches!(body[at], Stmt::Loop { .. }) && has(&inside, &jumps);
    if inside.is_empty() || leaves_a_loop {
        return false;
    }
    body.splice(at..=at, inside);
    true
}

#[allow(
    clippy::ptr_arg,
    reason = "one of the edits, which take a list to change"
)]
fn unguard(body: &mut Vec<Stmt>, at: usize) -> bool {
    match &mut body[at] {
        Stmt::Op(guard @ Some(_), _) | Stmt::Chain(guard @ Some(_), _) => *guard = None,
        Stmt::Reduce {
            guard: guard @ Some(_),
            ..
        } => *guard = None,
        Stmt::Access(access) if access.guard.is_some() => access.guard = None,
        _ => return false,
    }
    true
}
