//! A device that runs a kernel in time and says how long it took.

use std::fmt;
use std::sync::Arc;

use warploom::contents::ContentsPlan;
use warploom::device::{Device, DeviceError};
use warploom::element::ElementType;
use warploom::fill::Fill;
use warploom::metrics::{Metrics, TimingMetrics};
use warploom::plan::{ArgValue, LaunchPlan, Named};
use warploom::scalar::Scalar;
use warploom::{Control, DivergenceModel, Error, InputError, Outcome, Program, Session};

/// Why a point could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The device or an override of it is wrong.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The kernel or its arguments are wrong.
    #[error("{0}")]
    Input(#[from] InputError),
    /// The launch was refused.
    #[error("{0}")]
    Launch(#[from] Error),
    /// The kernel did not end well.
    #[error("`{kernel}` on {device} ended with {outcome:?}")]
    Ended {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// How it ended.
        outcome: Outcome,
    },
    /// The table of figures lacks what the target asks for.
    #[error("figures/{file}: {problem}")]
    Figures {
        /// The table.
        file: &'static str,
        /// What is missing.
        problem: String,
    },
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Arg {
    /// 32 bits.
    U32(u32),
    /// 64 bits.
    U64(u64),
    /// A float.
    F32(f32),
    /// A double.
    F64(f64),
    /// A buffer of so many bytes, all zero.
    Zeros(u64),
    /// A buffer with contents, made when its address is known.
    Made(Made),
}

/// Contents of a buffer that depend on where it lies.
#[derive(Clone)]
pub struct Made {
    /// Size.
    pub bytes: u64,
    /// Given the address, the bytes.
    pub make: Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>,
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Made({} bytes)", self.bytes)
    }
}

/// A launch.
#[derive(Clone, Debug)]
pub struct Shot<'a> {
    /// The kernel.
    pub entry: &'a str,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// All blocks are resident at once and may wait for each other.
    pub cooperative: bool,
}

/// What a timed launch gave.
#[derive(Clone, Debug)]
pub struct Timed {
    /// All metrics.
    pub metrics: Metrics,
    /// Those of time.
    pub timing: TimingMetrics,
}

/// Devices that only experiments are made on: name and file.
const OWN: &[(&str, &str)] = &[("gtx-480", include_str!("../devices/gtx-480.toml"))];

/// A device by its name: one of those that everybody can use, or one of `devices/`.
///
/// # Errors
/// When there is none of that name.
pub fn device(name: &str) -> Result<Device, DeviceError> {
    match OWN.iter().find(|(own, _)| *own == name) {
        Some((own, text)) => Device::from_toml(text, own),
        None => Device::by_name(name),
    }
}

/// A device ready to be measured.
#[derive(Clone, Debug)]
pub struct Rig {
    device: Device,
    registers: Option<u32>,
}

impl Rig {
    /// A device with some of its figures overridden, as `--set` does.
    ///
    /// # Errors
    /// When there is no such device or figure.
    pub fn new(name: &str, set: &[(&str, &str)]) -> Result<Rig, RigError> {
        let mut device = device(name)?;
        device.set_all(set.iter().copied())?;
        Ok(Rig {
            device,
            registers: None,
        })
    }

    /// With at most so many registers for a thread.
    pub fn with_registers(self, most: u32) -> Rig {
        Rig {
            registers: Some(most),
            ..self
        }
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Times one launch on a cold device. `name` is what messages call the text.
    ///
    /// # Errors
    /// When the launch is refused or the kernel does not end well.
    pub fn time(&self, name: &str, ptx: &str, shot: &Shot<'_>) -> Result<Timed, RigError> {
        let program = Program::from_ptx(&[(name, ptx)], Vec::new())?;
        let divergence = DivergenceModel::of(&self.device);
        let mut session = Session::new(program, self.device.clone(), divergence)?;
        session.set_timing(true);
        session.set_registers(self.registers);
        let mut args = Vec::new();
        for (i, arg) in shot.args.iter().enumerate() {
            let scalar = |ty, bits| ArgValue::Scalar(Scalar { ty, bits });
            let value = match arg {
                Arg::U32(value) => scalar(ElementType::U32, u64::from(*value)),
                Arg::U64(value) => scalar(ElementType::U64, *value),
                Arg::F32(value) => scalar(ElementType::F32, u64::from(value.to_bits())),
                Arg::F64(value) => scalar(ElementType::F64, value.to_bits()),
                Arg::Zeros(bytes) => buffer(&mut session, i, *bytes)?,
                Arg::Made(Made { bytes, make }) => {
                    let value = buffer(&mut session, i, *bytes)?;
                    let address = session.buffer(&buffer_name(i))?.address;
                    session.write(address, &make(address))?;
                    value
                }
            };
            args.push(value.into());
        }
        let launch = LaunchPlan {
            kernel: Some(Named::new(shot.entry)),
            grid: shot.grid.into(),
            block: shot.block.into(),
            shared_bytes: shot.shared_bytes,
            args,
            cooperative: shot.cooperative,
            ..LaunchPlan::default()
        };
        let mut silent = |_: &[u8]| {};
        let control = &mut Control {
            threads: 1,
            max_thread_instructions: u64::MAX,
            ..Control::new(&mut silent)
        };
        let report = session.launch(&launch, control)?;
        match (report.outcome, report.metrics.timing.clone()) {
            (Outcome::Ok, Some(timing)) => Ok(Timed {
                metrics: report.metrics,
                timing,
            }),
            (outcome, _) => Err(RigError::Ended {
                kernel: shot.entry.to_owned(),
                device: self.device.name.clone(),
                outcome,
            }),
        }
    }

    /// The cycles by which `long` takes more than `short`: what launch, warm-up and tail cost
    /// both drops out.
    ///
    /// # Errors
    /// As [`Rig::time`].
    pub fn cycles_between(
        &self,
        name: &str,
        ptx: &str,
        [short, long]: [&Shot<'_>; 2],
    ) -> Result<f64, RigError> {
        let short = self.time(name, ptx, short)?.timing.cycles;
        let long = self.time(name, ptx, long)?.timing.cycles;
        Ok(long as f64 - short as f64)
    }

    /// Cycles to seconds at the device's clock.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / (self.device.clock_mhz * 1e6)
    }
}

fn buffer_name(argument: usize) -> String {
    format!("argument{argument}")
}

/// A buffer of zeros as an argument.
fn buffer(session: &mut Session, argument: usize, bytes: u64) -> Result<ArgValue, RigError> {
    let name = buffer_name(argument);
    let ty = format!("u8[{bytes}]").parse()?;
    session.add_buffer(&name, &ContentsPlan::fill(Fill::Zeros, ty).open()?)?;
    let offset_bytes = 0;
    Ok(ArgValue::Buffer { name, offset_bytes })
}
