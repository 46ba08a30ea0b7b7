//! Options of a trace.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use warploom::plan::FilePlan;
use warploom::text::Spot;
use warploom::trace::{DEFAULT_EVENTS, DEFAULT_SMS, TracePlan};

/// Options of a trace.
#[derive(Args, Debug)]
#[command(next_help_heading = "Trace")]
pub struct TraceArgs {
    /// Write what each warp did in each cycle to PATH, with --timing: a Chrome trace, which
    /// ui.perfetto.dev shows; 1 microsecond of it is 1 cycle
    #[arg(long, value_name = "PATH", requires = "timing")]
    pub trace: Option<PathBuf>,
    /// SMs in the trace, such as `3` or `0-7` [default: 0-1]
    #[arg(long, value_name = "FIRST[-LAST]", requires = "trace", value_parser = sms)]
    pub trace_sms: Option<Range<u32>>,
    /// Cycles in the trace, counted over all launches; either end may be left out [default: all]
    #[arg(long, value_name = "FROM:TO", requires = "trace", value_parser = window)]
    pub trace_window: Option<Range<u64>>,
    /// Events in the trace at most
    #[arg(long, value_name = "N", requires = "trace", default_value_t = DEFAULT_EVENTS)]
    pub trace_events: u64,
}

impl TraceArgs {
    /// The trace that is wanted, if one is.
    pub fn plan(&self) -> Option<TracePlan> {
        let mut file = FilePlan::new(self.trace.as_ref()?);
        file.spot = Some(Spot::whole("--trace", file.shown.as_str()));
        Some(TracePlan {
            file,
            sms: self.trace_sms.clone().unwrap_or(DEFAULT_SMS),
            window: self.trace_window.clone().unwrap_or(0..u64::MAX),
            most_events: self.trace_events,
        })
    }
}

/// `3` or `0-7`.
fn sms(text: &str) -> Result<Range<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last && last < u32::MAX => Ok(first..last + 1),
        _ => Err("expected an SM or two, such as `3` or `0-7`".to_owned()),
    }
}

/// `1000:2000`, `:2000` or `1000:`.
fn window(text: &str) -> Result<Range<u64>, String> {
    let bound = |text: &str, default| match text {
        "" => Some(default),
        number => number.parse::<u64>().ok(),
    };
    let both = text.split_once(':');
    let both = both.and_then(|(from, to)| Some((bound(from, 0)?, bound(to, u64::MAX)?)));
    match both {
        Some((from, to)) if from < to => Ok(from..to),
        _ => Err("expected two cycles, such as `1000:2000` or `:2000`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_sms() {
        assert_eq!(sms("3"), Ok(3..4));
        assert_eq!(sms("0-7"), Ok(0..8));
        for wrong in ["", "x", "7-0", "-1", "1-", "0-4294967295"] {
            assert!(sms(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn windows_of_cycles() {
        assert_eq!(window("10:20"), Ok(10..20));
        assert_eq!(window(":20"), Ok(0..20));
        assert_eq!(window("10:"), Ok(10..u64::MAX));
        for wrong in ["", "10", "20:10", "10:10", "a:b"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}
