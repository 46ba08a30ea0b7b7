//! `warploom model`: closed forms beside the machine.
//!
//! | module | holds |
//! | --- | --- |
//! | `args` | the options of every form |
//! | `latency`, `lanes`, `roofline`, `gemm`, `energy` | a form each |
//! | `quantity` | numbers with prefixes and units |
//! | `chart` | lines of a terminal as a chart |

pub mod args;
pub mod chart;
mod energy;
mod gemm;
mod lanes;
mod latency;
pub mod quantity;
mod roofline;

use warploom::Options;
use warploom::device::Device;
use warploom::run::device;

use crate::args::{key_values, named_device};
use crate::output::{Done, Failure, Output};
use args::{DeviceArgs, ModelCommand};

/// Answers with a closed form.
pub fn run(command: &ModelCommand, output: &mut Output) -> Done {
    match command {
        ModelCommand::Latency(args) => latency::run(args, output),
        ModelCommand::Lanes(args) => lanes::run(args, output),
        ModelCommand::Roofline(args) => roofline::run(args, output),
        ModelCommand::Gemm(args) => gemm::run(args, output),
        ModelCommand::Energy(args) => energy::run(args, output),
    }
}

/// The device that the options name.
fn chosen(args: &DeviceArgs) -> Result<Device, Failure> {
    let options = Options {
        device: named_device(args.device.as_ref()),
        set: key_values(&args.set),
        ..Options::default()
    };
    Ok(device(&options, None)?)
}
