//! What a launch takes of an SM, and whether a device can run it at all.

use warploom_device::{Device, Occupancy, OccupancyRefusal, occupancy};
use warploom_isa::{FunctionId, Module};

use crate::error::{InputError, InputErrorKind};
use crate::metrics::Footprint;
use crate::plan::LaunchPlan;
use crate::text::Diagnostic;

/// Registers of a thread and static shared bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub registers_per_thread: u32,
    pub shared_static_bytes: u64,
}

impl Need {
    /// What `kernel` and all that it reaches need.
    pub(crate) fn of(module: &Module, kernel: FunctionId, device: &Device) -> Need {
        let reachable = module.reachable(kernel);
        let functions = || reachable.iter().map(|&id| module.function(id));
        let live = functions()
            .map(|function| function.live_registers)
            .max()
            .unwrap_or(0);
        let bound = module
            .function(kernel)
            .bounds
            .max_registers
            .unwrap_or(u32::MAX);
        Need {
            registers_per_thread: live.min(bound).min(device.registers.max_per_thread),
            shared_static_bytes: module.shared_layout(&reachable).static_bytes,
        }
    }
}

/// Checks a launch against the device and the kernel's bounds; its residency if it can run.
pub(crate) fn admit(
    module: &Module,
    kernel: FunctionId,
    launch: &LaunchPlan,
    device: &Device,
) -> Result<(Need, Occupancy), InputError> {
    let name = &module.function(kernel).name;
    let refuse = |diagnostic: Diagnostic| Err(InputError::new(InputErrorKind::Limits, diagnostic));
    let whose = format!("device `{}`", device.name);
    let limits = &device.limits;
    let block_spot = launch.block.spot.as_ref();
    let axes = [
        (&launch.grid, limits.grid, "blocks", "the grid"),
        (&launch.block, limits.block, "threads", "a block"),
    ];
    for (extent, limit, unit, what) in axes {
        for ((axis, &size), limit) in ["x", "y", "z"].iter().zip(&extent.size).zip(limit) {
            if size > limit {
                let message =
                    format!("{what} of {size} {unit} along {axis}: {whose} takes at most {limit}");
                return refuse(Diagnostic::error(message).maybe_at(extent.spot.as_ref(), ""));
            }
        }
    }
    let threads = launch.block.count();
    if threads > limits.threads_per_block.into() {
        let most = limits.threads_per_block;
        let message = format!("a block of {threads} threads: {whose} takes at most {most}");
        return refuse(Diagnostic::error(message).maybe_at(block_spot, ""));
    }
    let bounds = &module.function(kernel).bounds;
    if let Some(required) = bounds.required_block
        && required.map(|n| n.max(1)) != launch.block.size
    {
        let message = format!(
            "kernel `{name}` requires a block of {} threads (`.reqntid`)",
            extent(required)
        );
        return refuse(Diagnostic::error(message).maybe_at(block_spot, ""));
    }
    if let Some(most) = bounds.max_block
        && threads > most.iter().map(|&n| u128::from(n.max(1))).product()
    {
        let message = format!(
            "kernel `{name}` takes at most {} threads in a block (`.maxntid`), not {threads}",
            extent(most)
        );
        return refuse(Diagnostic::error(message).maybe_at(block_spot, ""));
    }
    let params = module.function(kernel).param_bytes;
    if params > limits.param_bytes {
        let most = limits.param_bytes;
        let message =
            format!("kernel `{name}` takes {params} bytes of parameters; {whose} has {most}");
        return refuse(Diagnostic::error(message).maybe_at(launch.args_spot.as_ref(), ""));
    }
    let need = Need::of(module, kernel, device);
    let shared = need
        .shared_static_bytes
        .saturating_add(launch.shared_bytes.into());
    let most = device.shared.per_block_optin_bytes;
    if shared > most.into() {
        let message = format!(
            "kernel `{name}` takes {shared} bytes of shared memory in a block, {} of them \
             declared; {whose} takes at most {most}",
            need.shared_static_bytes
        );
        let kernel = launch.kernel.as_ref().and_then(|named| named.spot.as_ref());
        let spot = launch.shared_spot.as_ref().or(kernel);
        return refuse(Diagnostic::error(message).maybe_at(spot, ""));
    }
    Ok((need, need.residency(name, launch, device)?))
}

impl Need {
    /// The same with another number of registers of a thread.
    pub(crate) fn with_registers(self, registers_per_thread: u32) -> Need {
        Need {
            registers_per_thread,
            ..self
        }
    }

    /// How many blocks an SM holds, if a block fits at all. `kernel` is the kernel's name.
    pub(crate) fn residency(
        self,
        kernel: &str,
        launch: &LaunchPlan,
        device: &Device,
    ) -> Result<Occupancy, InputError> {
        occupancy(device, &self.footprint(launch)).map_err(|refusal| {
            let OccupancyRefusal {
                message,
                needed,
                available,
                help,
                ..
            } = refusal;
            let message = format!(
                "kernel `{kernel}`: {message}: needs {needed}, device `{}` has {available}",
                device.name
            );
            let diagnostic = Diagnostic::error(message).maybe_at(launch.block.spot.as_ref(), "");
            InputError::new(InputErrorKind::Limits, diagnostic.help(help))
        })
    }

    fn footprint(self, launch: &LaunchPlan) -> warploom_device::Footprint {
        let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        warploom_device::Footprint {
            threads_per_block: u32::try_from(launch.block.count()).unwrap_or(u32::MAX),
            registers_per_thread: self.registers_per_thread,
            shared_static_bytes: narrow(self.shared_static_bytes),
            shared_dynamic_bytes: launch.shared_bytes,
            ..warploom_device::Footprint::default()
        }
    }

    /// The part of a launch's metrics that is known before it runs.
    pub(crate) fn metrics(self, occupancy: &Occupancy, shared_bytes_per_block: u32) -> Footprint {
        Footprint {
            registers_per_thread: self.registers_per_thread,
            shared_bytes_per_block,
            theoretical_occupancy: occupancy.theoretical_occupancy,
            occupancy_limiter: occupancy.occupancy_limiter,
            blocks_per_sm: occupancy.blocks_per_sm,
        }
    }
}

fn extent([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (0 | 1, 0 | 1) => x.to_string(),
        (_, 0 | 1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Named;
    use crate::text::Spot;
    use warploom_isa::{Function, LaunchBounds, Space, Variable, VariableId};

    fn module(bounds: LaunchBounds) -> Module {
        let shared = |name: &str, bytes, align_bytes| Variable {
            name: name.into(),
            space: Space::Shared,
            bytes,
            align_bytes,
            init: Vec::new(),
            relocations: Vec::new(),
            external: false,
            dynamic_shared: bytes == 0,
            visible: false,
        };
        Module {
            functions: vec![Function {
                name: "k".into(),
                kernel: true,
                live_registers: 65,
                bounds,
                variables: vec![VariableId(0), VariableId(1), VariableId(2)],
                ..Function::default()
            }],
            variables: vec![shared("a", 5, 1), shared("b", 16, 8), shared("d", 0, 16)],
            ..Module::default()
        }
    }

    fn check(bounds: LaunchBounds, change: impl Fn(&mut LaunchPlan)) -> Result<Footprint, String> {
        let device = Device::by_name("h100").unwrap();
        let mut launch = LaunchPlan {
            block: [512, 1, 1].into(),
            ..LaunchPlan::default()
        };
        change(&mut launch);
        let module = module(bounds);
        match admit(&module, FunctionId(0), &launch, &device) {
            Ok((need, occupancy)) => Ok(need.metrics(&occupancy, 0)),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn registers_limit_residency_with_the_vendors_rounding() {
        // 65 x 32 is rounded up to 2304 registers a warp: 28 warps, so one block of 16.
        let found = check(LaunchBounds::default(), |_| {}).unwrap();
        assert_eq!((found.registers_per_thread, found.blocks_per_sm), (65, 1));
        assert_eq!(
            (
                found.theoretical_occupancy,
                found.occupancy_limiter.to_string()
            ),
            (0.25, "registers".into())
        );
        // A bound of the source comes first: 64 x 32 = 2048 a warp gives 32 warps.
        let bounds = LaunchBounds {
            max_registers: Some(64),
            ..LaunchBounds::default()
        };
        assert_eq!(check(bounds, |_| {}).unwrap().blocks_per_sm, 2);
    }

    #[test]
    fn static_shared_memory_is_aligned() {
        let device = Device::by_name("h100").unwrap();
        let need = Need::of(&module(LaunchBounds::default()), FunctionId(0), &device);
        // 5 bytes, 3 of padding, 16 bytes, 8 of padding before the dynamic array.
        assert_eq!(need.shared_static_bytes, 32);
    }

    #[test]
    fn too_much_shared_memory_is_where_it_was_asked_for() {
        let place = |change: fn(&mut LaunchPlan)| {
            let error = check(LaunchBounds::default(), |launch| {
                launch.grid.spot = Some(Spot::whole("--grid", "1"));
                launch.shared_bytes = 232_449;
                change(launch);
            });
            error.unwrap_err().split(": ").next().map(str::to_owned)
        };
        let asked = place(|launch| launch.shared_spot = Some(Spot::whole("--shared", "232449")));
        assert_eq!(asked.as_deref(), Some("--shared:1:1"));
        let kernel = |launch: &mut LaunchPlan| {
            let spot = Some(Spot::whole("--kernel", "k"));
            launch.kernel = Some(Named {
                spot,
                ..Named::new("k")
            });
        };
        assert_eq!(place(kernel).as_deref(), Some("--kernel:1:1"));
    }

    #[test]
    fn launches_beyond_the_limits_are_refused() {
        let none = LaunchBounds::default;
        type Change = fn(&mut LaunchPlan);
        let cases: [(&str, LaunchBounds, Change); 6] = [
            (
                "the grid of 65536 blocks along y: device `h100` takes at most 65535",
                none(),
                |l| l.grid = [1, 65536, 1].into(),
            ),
            (
                "a block of 65 threads along z: device `h100` takes at most 64",
                none(),
                |l| l.block = [1, 1, 65].into(),
            ),
            (
                "a block of 2048 threads: device `h100` takes at most 1024",
                none(),
                |l| l.block = [64, 32, 1].into(),
            ),
            (
                "kernel `k` requires a block of 16 x 2 threads (`.reqntid`)",
                LaunchBounds {
                    required_block: Some([16, 2, 1]),
                    ..none()
                },
                |_| {},
            ),
            (
                "kernel `k` takes at most 256 threads in a block (`.maxntid`), not 512",
                LaunchBounds {
                    max_block: Some([256, 1, 1]),
                    ..none()
                },
                |_| {},
            ),
            (
                "kernel `k` takes 232449 bytes of shared memory in a block, 32 of them declared; \
                 device `h100` takes at most 232448",
                none(),
                |l| l.shared_bytes = 232_417,
            ),
        ];
        for (wanted, bounds, change) in cases {
            assert_eq!(check(bounds, change).unwrap_err(), wanted);
        }
    }
}
