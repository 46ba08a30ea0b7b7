//! Releases that wait in memory to be acquired.
//!
//! A release is a fence before a strong write, or a releasing write. Who reads that write strongly,
//! or an atomic's result that follows from it, and acquires, learns what the releasing thread knew.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use warploom_isa::access::Scope;

use crate::clock::{Clock, Thread};

/// What a thread knew, and had done, when it released.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// What it knew.
    pub(crate) clock: Clock,
    /// The thread.
    pub(crate) thread: Thread,
    /// Its epoch, which ended with the release.
    pub(crate) epoch: u32,
    /// Whom it is meant for.
    pub(crate) scope: Scope,
}

/// Whether two threads see each other's operations of these scopes. Clusters count as blocks.
pub(crate) fn reaches(block: u64, scope: Scope, other_block: u64, other: Scope) -> bool {
    let wide = |scope| matches!(scope, Scope::Gpu | Scope::Sys);
    block == other_block || wide(scope) && wide(other)
}

/// The narrower scope.
pub(crate) fn narrower(a: Scope, b: Scope) -> Scope {
    if (a as u8) < b as u8 { a } else { b }
}

/// Releases of a chain among which a repetition is looked for: as many as lanes of a warp that take
/// turns.
const RECENT: usize = 64;

/// A write with releases, and the atomics that followed it.
type Chain = Rc<RefCell<Vec<Published>>>;

/// Releases that a thread has seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    chain: Chain,
    /// The first that it has not acquired.
    start: usize,
    /// Past the last that it has seen.
    end: usize,
    /// The scope of its read.
    scope: Scope,
}

impl Seen {
    /// Lets a thread of `block` learn what it has seen, through a fence of `scope`.
    pub(crate) fn acquire(&mut self, block: u64, scope: Scope, clock: &mut Clock) {
        let scope = narrower(scope, self.scope);
        let start = std::mem::replace(&mut self.start, self.end);
        for published in &self.chain.borrow()[start..self.end] {
            if reaches(block, scope, published.thread.block, published.scope) {
                clock.join(&published.clock);
                let Thread { block, index } = published.thread;
                clock.learn(block, &[(index, published.epoch)]);
            }
        }
    }

    /// Takes in a later view of the same chain; whether it is one. A thread looks at few places
    /// again and again.
    pub(crate) fn extend(&mut self, later: &Seen) -> bool {
        let same = Rc::ptr_eq(&self.chain, &later.chain) && self.scope == later.scope;
        if same {
            self.end = later.end;
        }
        same
    }

    /// Whether there is something that was not acquired.
    pub(crate) fn pending(&self) -> bool {
        self.start < self.end
    }
}

/// The releases in a space, by address.
#[derive(Default)]
pub(crate) struct Releases(FxHashMap<u64, Chain>);

impl Releases {
    /// What a strong read of a place sees.
    pub(crate) fn read(&self, address: u64, scope: Scope) -> Option<Seen> {
        let chain = self.0.get(&address)?;
        Some(Seen {
            chain: chain.clone(),
            start: 0,
            end: chain.borrow().len(),
            scope,
        })
    }

    /// A strong write, with its release if it has one. An atomic continues what was there; any
    /// other write replaces it.
    pub(crate) fn write(&mut self, address: u64, release: Option<Published>, atomic: bool) {
        match release {
            Some(published) if atomic => {
                let mut chain = self.0.entry(address).or_default().borrow_mut();
                // Who tries again and again has nothing new to tell.
                let known = |last: &Published| {
                    last.thread == published.thread && last.epoch == published.epoch
                };
                if !chain.iter().rev().take(RECENT).any(known) {
                    chain.push(published);
                }
            }
            Some(published) => {
                self.0
                    .insert(address, Rc::new(RefCell::new(vec![published])));
            }
            None if atomic => {}
            None => {
                self.0.remove(&address);
            }
        }
    }
}
