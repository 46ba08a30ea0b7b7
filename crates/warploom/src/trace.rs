//! A trace of timed launches as a file: the trace event format of Chrome, which Perfetto shows.
//!
//! A process of the trace is an SM, a track of it a slot for warps; the chip is a process with the
//! launches and the memory that SMs share. A microsecond of the trace is a cycle of an SM's clock.
//! Events go to the file as they come, so that a long run needs no more memory than a short one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;

use serde_json::{Value, json};
use warploom_timing::Reason;
use warploom_timing::trace::{Gauge, Reading, Slice, TraceSink};

use crate::error::InputError;
use crate::plan::FilePlan;
use crate::report::Traced;

/// Events of a trace that asks for no other number.
pub const DEFAULT_EVENTS: u64 = 1_000_000;
/// SMs of a trace that asks for no others.
pub const DEFAULT_SMS: Range<u32> = 0..2;

/// A trace that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePlan {
    /// Where it goes.
    pub file: FilePlan,
    /// SMs that are shown.
    pub sms: Range<u32>,
    /// Cycles that are shown, counted from the first launch on.
    pub window: Range<u64>,
    /// Events that are written at most.
    pub most_events: u64,
}

/// What a source instruction is called.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The instruction or source line, as JSON.
    name: String,
    /// File and line, as JSON.
    place: String,
}

impl Label {
    pub(crate) fn new(name: &str, place: &str) -> Label {
        let quoted = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            Value::from(words.join(" ")).to_string()
        };
        Label {
            name: quoted(name),
            place: quoted(place),
        }
    }
}

/// The process of the chip; an SM's is its number and one more.
const CHIP: u32 = 0;

/// A trace on its way into a file.
pub(crate) struct Tracer<W = BufWriter<File>> {
    plan: TracePlan,
    out: W,
    failed: Option<io::Error>,
    /// Cycles of the launches before.
    offset: u64,
    labels: BTreeMap<u32, Label>,
    named: BTreeSet<(u32, u32)>,
    comma: &'static str,
    events: u64,
    left_out: u64,
    /// Before this cycle nothing was left out.
    complete_to: Option<u64>,
}

impl Tracer {
    /// Opens the file.
    pub(crate) fn create(plan: &TracePlan) -> Result<Tracer, InputError> {
        let file = &plan.file;
        let open = File::create(&file.path);
        let open = open
            .map_err(|error| InputError::file("write", &file.shown, &error, file.spot.as_ref()))?;
        Ok(Tracer::new(plan, BufWriter::new(open)))
    }
}

impl<W: Write> Tracer<W> {
    fn new(plan: &TracePlan, out: W) -> Tracer<W> {
        let mut tracer = Tracer {
            plan: plan.clone(),
            out,
            failed: None,
            offset: 0,
            labels: BTreeMap::new(),
            named: BTreeSet::new(),
            comma: "",
            events: 0,
            left_out: 0,
            complete_to: None,
        };
        tracer.text(format_args!("{{\"traceEvents\":["));
        tracer.name_process(CHIP, "chip: launches and memory");
        tracer
    }

    fn text(&mut self, text: std::fmt::Arguments<'_>) {
        if self.failed.is_none() {
            self.failed = self.out.write_fmt(text).err();
        }
    }

    fn event(&mut self, event: std::fmt::Arguments<'_>) {
        let comma = std::mem::replace(&mut self.comma, ",");
        self.text(format_args!("{comma}\n{event}"));
    }

    /// Whether one more event may go into the file.
    fn takes(&mut self, cycle: u64) -> bool {
        if self.events < self.plan.most_events {
            self.events += 1;
            return true;
        }
        self.left_out += 1;
        let least = self.complete_to.map_or(cycle, |least| least.min(cycle));
        self.complete_to = Some(least);
        false
    }

    fn name_process(&mut self, process: u32, name: &str) {
        let name =
            json!({"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}});
        let order = json!({
            "ph": "M", "pid": process, "name": "process_sort_index", "args": {"sort_index": process},
        });
        self.event(format_args!("{name}"));
        self.event(format_args!("{order}"));
    }

    /// Names a slot's track, and its SM, the first time.
    fn name_slot(&mut self, sm: u32, scheduler: u32, slot: u32) {
        let process = sm + 1;
        if !self.named.insert((process, slot)) {
            return;
        }
        if self.named.range((process, 0)..=(process, u32::MAX)).count() == 1 {
            self.name_process(process, &format!("SM {sm}"));
        }
        for (what, key, value) in [
            (
                "thread_name",
                "name",
                json!(format!("partition {scheduler}, slot {slot}")),
            ),
            ("thread_sort_index", "sort_index", json!(slot)),
        ] {
            let name = json!({
                "ph": "M", "pid": process, "tid": slot, "name": what, "args": {key: value},
            });
            self.event(format_args!("{name}"));
        }
    }

    /// SMs that are shown.
    pub(crate) fn sms(&self) -> Range<u32> {
        self.plan.sms.clone()
    }

    /// The cycles of the next launch that are shown.
    pub(crate) fn window(&self) -> Range<u64> {
        let Range { start, end } = self.plan.window;
        start.saturating_sub(self.offset)..end.saturating_sub(self.offset)
    }

    /// A launch begins, whose instructions are called so.
    pub(crate) fn begin(&mut self, labels: BTreeMap<u32, Label>) {
        self.labels = labels;
    }

    /// It has ended after so many cycles.
    pub(crate) fn end(&mut self, kernel: &str, cycles: u64) {
        let launch = json!({
            "ph": "X", "pid": CHIP, "tid": 0, "ts": self.offset, "dur": cycles, "name": kernel,
            "cat": "launch",
        });
        self.event(format_args!("{launch}"));
        self.offset += cycles;
    }

    /// Completes the file, and says what is in it.
    pub(crate) fn finish(mut self) -> Result<Traced, InputError> {
        let traced = Traced {
            path: self.plan.file.shown.clone(),
            sms: [self.plan.sms.start, self.plan.sms.end],
            window: [
                self.plan.window.start,
                self.plan.window.end.min(self.offset),
            ],
            cycles: self.offset,
            events: self.events,
            left_out: self.left_out,
            complete_to: self.complete_to,
        };
        let about = json!({
            "time": "1 microsecond is 1 SM cycle",
            "events left out": self.left_out,
        });
        self.text(format_args!("\n],\"otherData\":{about}}}\n"));
        let flushed = self.out.flush();
        match self.failed.map_or(flushed, Err) {
            Ok(()) => Ok(traced),
            Err(error) => {
                let file = &self.plan.file;
                let spot = file.spot.as_ref();
                Err(InputError::file("write", &file.shown, &error, spot))
            }
        }
    }
}

impl<W: Write> TraceSink for Tracer<W> {
    fn slice(&mut self, slice: &Slice) {
        let Slice {
            place,
            reason,
            cycles: (from, to),
        } = *slice;
        let start = from + self.offset;
        if !self.takes(start) {
            return;
        }
        self.name_slot(place.sm, place.scheduler, place.slot);
        let unnamed = || Label::new(&format!("instruction {}", place.source), "");
        let label = self.labels.get(&place.source).cloned();
        let Label { name, place: line } = label.unwrap_or_else(unnamed);
        let head = format!(
            "\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{start},\"dur\":{}",
            place.sm + 1,
            place.slot,
            to - from
        );
        let tail = format!(
            "\"block\":{},\"warp\":{},\"line\":{line}",
            place.block, place.warp
        );
        match reason {
            Reason::Selected => self.event(format_args!(
                "{{{head},\"cat\":\"issue\",\"name\":{name},\"args\":{{{tail}}}}}"
            )),
            stall => self.event(format_args!(
                "{{{head},\"cat\":\"stall\",\"name\":\"{}\",\"args\":{{\"before\":{name},{tail}}}}}",
                stall.name()
            )),
        }
    }

    fn reading(&mut self, reading: &Reading) {
        let at = reading.cycle + self.offset;
        if !self.takes(at) {
            return;
        }
        let process = reading.sm.map_or(CHIP, |sm| sm + 1);
        let (name, unit) = gauge_name(reading.gauge);
        // A tenth of a cycle is near enough.
        let value = (reading.value * 10.0).round() / 10.0;
        self.event(format_args!(
            "{{\"ph\":\"C\",\"pid\":{process},\"ts\":{at},\"name\":\"{name}\",\
             \"args\":{{\"{unit}\":{value}}}}}"
        ));
    }
}

/// A counter's name and what it is counted in.
fn gauge_name(gauge: Gauge) -> (&'static str, &'static str) {
    match gauge {
        Gauge::ResidentWarps => ("resident warps", "warps"),
        Gauge::MemoryQueue => ("memory instructions in the queue", "instructions"),
        Gauge::OutstandingSectors => ("L1 misses on the way", "sectors"),
        Gauge::OutstandingStores => ("stores and atomics on the way", "requests"),
        Gauge::L2Backlog => ("L2 ports: work that waits", "cycles"),
        Gauge::DramBacklog => ("DRAM channels: work that waits", "cycles"),
    }
}

#[cfg(test)]
mod tests {
    use warploom_timing::trace::WarpPlace;

    use super::*;

    fn slice(reason: Reason, from: u64, to: u64) -> Slice {
        let place = WarpPlace {
            sm: 3,
            scheduler: 1,
            slot: 17,
            block: 5,
            warp: 2,
            source: 9,
        };
        Slice {
            place,
            reason,
            cycles: (from, to),
        }
    }

    fn plan(most_events: u64) -> TracePlan {
        TracePlan {
            file: FilePlan::new("trace.json"),
            sms: 3..4,
            window: 0..1000,
            most_events,
        }
    }

    /// Two launches of 100 cycles: the second one's events lie behind the first one's.
    #[test]
    fn launches_follow_each_other() {
        let mut bytes = Vec::new();
        let mut tracer = Tracer::new(&plan(3), &mut bytes);
        let label = Label::new("ld.u32 \t\"x\"", "k.ptx:7");
        assert_eq!(tracer.window(), 0..1000);
        tracer.begin(BTreeMap::from([(9, label)]));
        tracer.slice(&slice(Reason::Wait, 10, 14));
        tracer.slice(&slice(Reason::Selected, 14, 15));
        tracer.end("k", 100);
        assert_eq!(tracer.window(), 0..900);
        tracer.begin(BTreeMap::new());
        tracer.slice(&slice(Reason::Selected, 20, 21));
        // One too many.
        tracer.slice(&slice(Reason::Selected, 30, 31));
        tracer.end("k", 100);
        let traced = tracer.finish().unwrap();
        assert_eq!((traced.events, traced.left_out, traced.cycles), (3, 1, 200));
        assert_eq!((traced.window, traced.complete_to), ([0, 200], Some(130)));
        let parsed: Value = serde_json::from_slice(&bytes).unwrap();
        let events = parsed["traceEvents"].as_array().unwrap();
        let slices = events.iter().filter(|event| event["ph"] == "X");
        let found: Vec<_> = slices
            .map(|e| {
                (
                    e["pid"].clone(),
                    e["ts"].clone(),
                    e["dur"].clone(),
                    e["name"].clone(),
                )
            })
            .collect();
        let expected = [
            (4, 10, 4, "wait"),
            (4, 14, 1, "ld.u32 \"x\""),
            (0, 0, 100, "k"),
            (4, 120, 1, "instruction 9"),
            (0, 100, 100, "k"),
        ];
        let json = |(pid, ts, dur, name): (u32, u64, u64, &str)| {
            (json!(pid), json!(ts), json!(dur), json!(name))
        };
        assert_eq!(found, expected.map(json));
        let tracks = events.iter().filter(|event| event["name"] == "thread_name");
        let tracks: Vec<_> = tracks.map(|event| event["args"]["name"].clone()).collect();
        assert_eq!(tracks, ["partition 1, slot 17"]);
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told_at_the_end() {
        let mut tracer = Tracer::new(&plan(1), Full);
        tracer.slice(&slice(Reason::Wait, 1, 2));
        let error = tracer.finish().unwrap_err().to_string();
        assert!(error.contains("cannot write `trace.json`"), "{error}");
    }
}
