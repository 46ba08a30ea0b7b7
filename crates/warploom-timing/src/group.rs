//! SMs that one host thread takes through an epoch, one after the other.

use warploom_machine::Steps;

use crate::chip::Given;
use crate::sm::lsu::{Outgoing, Token};
use crate::sm::{Dispatcher, End, Shared, Sm};
use crate::tally::Tally;
use crate::trace::Trace;

/// Neighbouring SMs, and the part of the launch that runs on them.
pub struct Group<'a> {
    sms: Vec<Sm>,
    /// Their blocks in the functional machine.
    pub steps: &'a mut dyn Steps,
    /// Their counts.
    pub tally: Tally,
    /// What has left them in an epoch: cycle, SM, request.
    pub out: Vec<(u64, u32, Outgoing)>,
    /// Where there has come to be room for a block: cycle, SM.
    pub room: Vec<(u64, u32)>,
    /// Why the run ends early.
    pub end: Option<End>,
    leaving: Vec<Outgoing>,
}

impl<'a> Group<'a> {
    /// At least one SM; their numbers follow each other.
    pub fn new(sms: Vec<Sm>, steps: &'a mut dyn Steps, tally: Tally) -> Group<'a> {
        Group {
            sms,
            steps,
            tally,
            out: Vec::new(),
            room: Vec::new(),
            end: None,
            leaving: Vec::new(),
        }
    }

    /// Its SMs.
    pub fn sms(&self) -> &[Sm] {
        &self.sms
    }

    /// The first cycle in which one of them can do something.
    pub fn next_at(&self) -> u64 {
        self.sms.iter().map(Sm::next_at).min().unwrap_or(u64::MAX)
    }

    /// Whether a warp is there.
    pub fn is_busy(&self) -> bool {
        self.sms.iter().any(Sm::is_busy)
    }

    /// Gives one of them the next block, as [`Sm::admit`].
    pub fn admit(&mut self, sm: u32, at: u64, until: u64, blocks: &mut Dispatcher) -> bool {
        self.sm(sm).admit(at, until, blocks)
    }

    /// Announces the answer to a request of one of them.
    pub fn expect(&mut self, sm: u32, token: Token, at: u64) {
        self.sm(sm).expect(token, at);
    }

    fn sm(&mut self, number: u32) -> &mut Sm {
        let first = self.sms[0].number();
        &mut self.sms[(number - first) as usize]
    }

    /// Takes each through an epoch that ends with `until`, as [`Sm::run`].
    pub fn run(
        &mut self,
        given: Given<'_>,
        until: u64,
        alone: bool,
        output: &mut dyn FnMut(&[u8]),
        mut trace: Option<&mut Trace<'_>>,
    ) {
        for sm in self.sms.iter_mut().filter(|sm| sm.next_at() < until) {
            let mut shared = Shared {
                device: given.device,
                costs: given.costs,
                stream: given.stream,
                steps: &mut *self.steps,
                output: &mut *output,
                tally: &mut self.tally,
                trace: trace.as_deref_mut(),
            };
            let ran = sm.run(until, alone, &mut shared, &mut self.leaving);
            let number = sm.number();
            let requests = self.leaving.drain(..);
            self.out
                .extend(requests.map(|o| (o.request.issue_cycle, number, o)));
            self.room.extend(sm.room().map(|at| (at, number)));
            if let Err(end) = ran {
                self.end = Some(end);
                return;
            }
        }
    }
}
