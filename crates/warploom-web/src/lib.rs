//! The engine for the page: a method's name and JSON in, JSON out.
//!
//! The page runs it as WebAssembly in a worker; the tests call the same functions natively. Nothing
//! here computes: it reads a request, asks the library, and writes down what came.
//!
//! | module | methods |
//! | --- | --- |
//! | [`steps`] | `lesson`, `ptx`, `state`: a launch, issue by issue |
//! | [`occupancy`] | `occupancy`: what fits on an SM, and why no more |
//! | [`latency`] | `latency`, `latency_point`: one scheduler over time |
//! | [`memory`] | `pattern`, `hierarchy`: what an access costs, and the memories of a chip |
//! | [`roofline`] | `roofline`, `gemm`, `matrix`: what bounds a kernel, a tile, and what matrix units give |
//! | [`chips`] | `devices`, `sheet` |
//! | [`error`] | what a request that fails answers |
//!
//! A method is a row in [`Engine::request`]; what it takes and gives are types in its module, which
//! `web/src/engine/types.ts` repeats for the page.

pub mod chips;
pub mod error;
pub mod latency;
pub mod memory;
pub mod occupancy;
pub mod roofline;
pub mod steps;

#[cfg(target_arch = "wasm32")]
mod browser;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use error::Refusal;
use steps::Steppers;

/// Longest request.
const MAX_REQUEST_BYTES: usize = 4 << 20;

/// What the page talks to: it keeps the launches that are being stepped.
#[derive(Default)]
pub struct Engine {
    steppers: Steppers,
}

impl Engine {
    /// An engine without a launch.
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Answers a request: `{"ok": …}`, or `{"error": …}` as [`Refusal`] has it.
    pub fn request(&mut self, method: &str, params: &str) -> String {
        let answer = match method {
            "devices" => answer(params, |()| Ok(chips::devices())),
            "sheet" => answer(params, |request| chips::sheet(&request)),
            "pattern" => answer(params, |request| memory::pattern(&request)),
            "hierarchy" => answer(params, |request| memory::hierarchy(&request)),
            "lesson" => answer(params, |request| self.steppers.lesson(request)),
            "ptx" => answer(params, |request| self.steppers.ptx(request)),
            "state" => answer(params, |request| self.steppers.state(&request)),
            "occupancy" => answer(params, |request| occupancy::occupancy(&request)),
            "latency" => answer(params, |request| latency::latency(&request)),
            "latency_point" => answer(params, |request| latency::latency_point(&request)),
            "roofline" => answer(params, |request| roofline::roofline(&request)),
            "gemm" => answer(params, |request| roofline::gemm(&request)),
            "matrix" => answer(params, |()| Ok(roofline::matrix())),
            _ => Err(Refusal::new(format!("there is no method `{method}`"))),
        };
        let whole = match answer {
            Ok(value) => json!({ "ok": value }),
            Err(refusal) => json!({ "error": refusal }),
        };
        whole.to_string()
    }
}

fn answer<P: DeserializeOwned, A: Serialize>(
    params: &str,
    method: impl FnOnce(P) -> Result<A, Refusal>,
) -> Result<serde_json::Value, Refusal> {
    if params.len() > MAX_REQUEST_BYTES {
        return Err(Refusal::new("the request is too long"));
    }
    let wrong = |error: serde_json::Error| Refusal::new(format!("a malformed request: {error}"));
    let params = serde_json::from_str(params).map_err(wrong)?;
    serde_json::to_value(method(params)?).map_err(wrong)
}
