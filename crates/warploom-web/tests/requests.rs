//! Requests as the page makes them, and what they answer.

use serde_json::{Value, json};
use warploom_web::Engine;

fn ask(engine: &mut Engine, method: &str, params: Value) -> Value {
    let answer = engine.request(method, &params.to_string());
    serde_json::from_str(&answer).unwrap()
}

/// The answer to a request that succeeds.
fn given(engine: &mut Engine, method: &str, params: Value) -> Value {
    let mut answer = ask(engine, method, params);
    assert!(answer.get("error").is_none(), "{answer}");
    answer["ok"].take()
}

const LESSON: &str = "threads 32

x = i
if i < 16
  x = x * 2
  x = x + 1
else
  x = x * 3
  x = x + 2
end
x = x + 100
";

fn lesson(view: &str, text: &str) -> Value {
    json!({ "view": view, "text": text, "divergence": "ipdom" })
}

#[test]
fn a_lesson_is_recorded_and_stepped() {
    let mut engine = Engine::new();
    let run = given(&mut engine, "lesson", lesson("a", LESSON));
    assert_eq!(run["warp_width"], 32);
    assert_eq!(run["outcome"], "ok");
    assert_eq!(run["issues"]["line"], json!([3, 4, 5, 6, 8, 9, 11]));
    let (all, low, high) = ("FFFFFFFF", "0000FFFF", "FFFF0000");
    let active = json!([all, all, low, low, high, high, all]);
    assert_eq!(run["issues"]["active"], active);
    assert_eq!(run["lines"][4]["kind"], "then");
    assert_eq!(run["lines"][6]["issues"], false);

    let state = given(&mut engine, "state", json!({ "view": "a", "position": 7 }));
    let counts = json!({
        "issues": 7, "lanes_used": 160, "lane_slots": 224, "simt_efficiency": 160.0 / 224.0,
    });
    assert_eq!(state["all"], counts);
    assert_eq!(state["registers"][0]["values"][31], "195");
    let state = given(&mut engine, "state", json!({ "view": "a", "position": 4 }));
    let level = json!({
        "join_line": 11, "members": all, "waiting": low,
        "parts": [{ "lanes": high, "line": 8 }],
    });
    assert_eq!(state["stack"][1], level);
}

#[test]
fn launches_are_kept_by_their_name() {
    let mut engine = Engine::new();
    given(&mut engine, "lesson", lesson("a", "x = i\n"));
    given(&mut engine, "lesson", lesson("b", "x = i\ny = x\n"));
    let end = |engine: &mut Engine, view: &str| {
        given(engine, "state", json!({ "view": view, "position": 9 }))["position"].clone()
    };
    assert_eq!(end(&mut engine, "a"), 1);
    assert_eq!(end(&mut engine, "b"), 2);
    let missing = ask(&mut engine, "state", json!({ "view": "c", "position": 0 }));
    assert_eq!(missing["error"]["message"], "there is no such launch");
}

#[test]
fn a_wrong_text_is_refused_at_its_place() {
    let mut engine = Engine::new();
    let text = "x = i\nif x < 3\n  größe = 1\nend\n";
    let answer = ask(&mut engine, "lesson", lesson("a", text));
    let remark = &answer["error"]["diagnostics"][0];
    assert_eq!((&remark["line"], &remark["column"]), (&json!(3), &json!(5)));
    assert_eq!(remark["severity"], "error");
    let answer = ask(&mut engine, "lesson", lesson("a", "x = y + 1\n"));
    let remark = &answer["error"]["diagnostics"][0];
    let place = ["line", "column", "end_line", "end_column"].map(|key| remark[key].clone());
    assert_eq!(place, [json!(1), json!(5), json!(1), json!(6)]);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let mut engine = Engine::new();
    let refused = |engine: &mut Engine, method: &str, params: &str| {
        let answer: Value = serde_json::from_str(&engine.request(method, params)).unwrap();
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        refused(&mut engine, "fly", "null"),
        "there is no method `fly`"
    );
    assert!(refused(&mut engine, "state", "{").starts_with("a malformed request: "));
    let long = format!("\"{}\"", "x".repeat(5 << 20));
    assert_eq!(
        refused(&mut engine, "lesson", &long),
        "the request is too long"
    );
    let unknown = r#"{"view":"a","text":"","divergence":"ipdom","extra":1}"#;
    assert!(refused(&mut engine, "lesson", unknown).starts_with("a malformed request: "));
}

/// 512 threads of 64 registers fill a V100's file twice; with 65, rounded up to 72 a
/// thread, 28 warps fit, which is one block of 16.
#[test]
fn occupancy_has_a_cliff() {
    let mut engine = Engine::new();
    let mut at = |registers: u32| {
        let request = json!({
            "device": "v100", "threads": 512, "registers": registers, "shared_bytes": 0,
        });
        given(&mut engine, "occupancy", request)
    };
    let full = at(64);
    assert_eq!(full["held"]["blocks_per_sm"], 2);
    assert_eq!(full["held"]["warps_per_sm"], 32);
    assert_eq!(full["sm"]["registers"], 65_536);
    let steps = full["over_registers"].as_array().unwrap();
    let ends = |last: u32| steps.iter().any(|step| step["to"] == last);
    assert!(ends(64) && ends(128) && ends(255), "{steps:?}");
    let past = at(65);
    assert_eq!(past["held"]["blocks_per_sm"], 1);
    assert_eq!(past["held"]["rounded_registers"], 2304);
    assert_eq!(past["gain"]["registers"], 64);
    let never = at(200);
    assert_eq!(never["held"], Value::Null);
    assert_eq!(never["refused"]["limiter"], "registers");
}

#[test]
fn all_devices_are_listed() {
    let mut engine = Engine::new();
    let devices = given(&mut engine, "devices", Value::Null);
    let names: Vec<&str> = devices
        .as_array()
        .unwrap()
        .iter()
        .map(|device| device["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"h100") && names.contains(&"mi300x") && names.contains(&"lesson"));
}

/// Whether a number is this one, but for the last digits that its text may lose.
fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-12
}

fn latency_request() -> Value {
    json!({
        "warps": 16, "load_cycles": 200, "math": 16, "math_cycles": 4, "loads": 1,
        "divergent": false, "registers": null, "device": "v100", "scheduler": "gto",
        "group_warps": 4, "drawn_cycles": 300, "rounds": null, "steady": true,
    })
}

fn with(mut request: Value, key: &str, value: Value) -> Value {
    request[key] = value;
    request
}

/// 119/132 greedy, 34/57 in turn; 33 registers leave room for 15 warps.
#[test]
fn a_scheduler_over_time() {
    let mut engine = Engine::new();
    let mut used = |request: Value| {
        let answer = given(&mut engine, "latency", request);
        let used = answer["report"]["issue_slot_utilization"].as_f64().unwrap();
        (answer, used)
    };
    let (answer, greedy) = used(latency_request());
    assert!(near(greedy, 119.0 / 132.0), "{greedy}");
    assert_eq!(answer["report"]["loop_cycles"], 264);
    assert_eq!(answer["timeline"].as_array().unwrap().len(), 16);
    let (_, robin) = used(with(latency_request(), "scheduler", json!("lrr")));
    assert!(near(robin, 34.0 / 57.0), "{robin}");
    let (capped, _) = used(with(latency_request(), "registers", json!(33)));
    assert_eq!(
        (&capped["cap"], &capped["report"]["warps"]),
        (&json!(15), &json!(15))
    );
}

/// The load at cycle 0, the others from 8 to 10.
#[test]
fn one_warp_once() {
    let mut engine = Engine::new();
    let request = json!({
        "warps": 1, "load_cycles": 8, "math": 3, "math_cycles": 1, "loads": 1, "divergent": false,
        "registers": null, "device": "v100", "scheduler": "lrr", "group_warps": 1,
        "drawn_cycles": 100, "rounds": 1, "steady": false,
    });
    let answer = given(&mut engine, "latency", request.clone());
    assert_eq!(answer["timeline"], json!(["L.......MMM"]));
    assert_eq!(answer["report"]["issue_slot_utilization"], Value::Null);
    assert_eq!(
        (&answer["drawn_issues"], &answer["drawn_cycles"]),
        (&json!(4), &json!(11))
    );
    // Two warps fill at most 2 x 4 of 11 slots; three, all.
    let mut at = |warps: u32| {
        let point = with(request.clone(), "warps", json!(warps));
        given(&mut engine, "latency_point", point)["ideal"]
            .as_f64()
            .unwrap()
    };
    assert!(near(at(2), 8.0 / 11.0));
    assert!(near(at(3), 1.0));
    let wrong = ask(&mut engine, "latency", with(request, "warps", json!(65)));
    assert_eq!(
        wrong["error"]["message"],
        "`warps` is 65; it must be 1 to 64"
    );
}

#[test]
fn addresses_come_from_a_formula() {
    let mut engine = Engine::new();
    let pattern = |formula: &str| json!({ "device": "h100", "formula": formula, "bytes": 4 });
    let column = given(&mut engine, "pattern", pattern("lane * 128"));
    assert_eq!(column["addresses"][31], 31 * 128);
    assert_eq!(
        (&column["global"]["sectors"], &column["shared"]["passes"]),
        (&json!(32), &json!(32))
    );
    // A column mixed with the row number goes through all banks.
    let mixed = given(
        &mut engine,
        "pattern",
        pattern("lane * 128 + (lane ^ 5) * 4"),
    );
    assert_eq!(
        (&mixed["global"]["sectors"], &mixed["shared"]["passes"]),
        (&json!(32), &json!(1))
    );
    let wrong = ask(&mut engine, "pattern", pattern("lane *"));
    assert_eq!(wrong["error"]["diagnostics"][0]["line"], 3);
    let below = ask(&mut engine, "pattern", pattern("lane - 1"));
    assert_eq!(
        below["error"]["message"],
        "lane 0 has -1: an address is a whole number from 0"
    );
    let two = ask(&mut engine, "pattern", pattern("0\nx = 1"));
    assert_eq!(two["error"]["message"], "a formula is one line");
}

#[test]
fn a_chip_has_its_figures_with_their_sources() {
    let mut engine = Engine::new();
    let sheet = given(&mut engine, "sheet", json!({ "device": "v100" }));
    let figures = sheet["figures"].as_array().unwrap();
    let sms = figures
        .iter()
        .find(|figure| figure["path"] == "sms")
        .unwrap();
    assert_eq!(sms["value"], "80");
    assert!(!sms["sources"].as_array().unwrap().is_empty());
    assert!(!sms["meaning"].as_str().unwrap().is_empty());
    // 64 results of 2 operations per cycle on 80 SMs at 1530 MHz.
    let peaks = sheet["peaks"].as_array().unwrap();
    let fp32 = peaks
        .iter()
        .find(|peak| peak["precision"] == "fp32")
        .unwrap();
    assert_eq!(fp32["per_s"], 80.0 * 64.0 * 2.0 * 1530e6);

    let levels = given(&mut engine, "hierarchy", json!({ "device": "v100" }));
    let names: Vec<&str> = levels
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["registers", "shared memory", "L1", "L2", "device memory"]
    );
    // 65,536 registers of 4 bytes on 80 SMs.
    assert_eq!(levels[0]["capacity_bytes"], 80.0 * 65_536.0 * 4.0);
    let none = ask(&mut engine, "sheet", json!({ "device": "v101" }));
    assert!(
        none["error"]["message"].as_str().unwrap().contains("v101"),
        "{none}"
    );
}

/// Decode does one operation a byte, far below every ridge; a tile of 128 x 128 gives each
/// element 64 multiply-adds.
#[test]
fn kernels_meet_a_roof() {
    let mut engine = Engine::new();
    let request = json!({ "devices": ["h100", "k40"], "precision": "fp16", "flop_per_byte": 1.0 });
    let roofs = given(&mut engine, "roofline", request);
    assert_eq!(roofs[0]["bound"], "memory");
    assert_eq!(roofs[0]["attainable"], roofs[0]["bytes_per_s"]);
    // 989.4 TFLOP/s over 3.352 TB/s.
    assert!(
        (roofs[0]["ridge"].as_f64().unwrap() - 295.0).abs() < 1.0,
        "{}",
        roofs[0]
    );
    assert_eq!(roofs[1]["attainable"], Value::Null);

    let tile = json!({
        "device": "h100", "precision": "fp16", "m": 128, "n": 128, "k": 32, "threads": 256,
        "stages": 4,
    });
    let gemm = given(&mut engine, "gemm", tile.clone());
    assert_eq!(gemm["report"]["macs_per_element"], 64.0);
    // (128 + 128) x 32 elements of 2 bytes, four times.
    assert_eq!(gemm["report"]["shared_bytes"], 4 * 256 * 32 * 2);
    let wrong = ask(&mut engine, "gemm", with(tile, "m", json!(0)));
    assert!(
        wrong["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("a tile has sides")
    );

    let matrix = given(&mut engine, "matrix", Value::Null);
    let rates = matrix["rates"].as_array().unwrap();
    let v100 = rates.iter().find(|rate| rate["device"] == "v100").unwrap();
    // 8 matrix units of 64 multiply-adds against 64 lanes.
    assert_eq!(
        (&v100["matrix_per_cycle"], &v100["vector_per_cycle"]),
        (&json!(512), &json!(64))
    );
    // 2048 operations a cycle in the matrix units against 256 on the lanes.
    let mi300x = rates
        .iter()
        .find(|rate| rate["device"] == "mi300x")
        .unwrap();
    assert_eq!(mi300x["ratio"], 8.0);
    assert_eq!(matrix["overheads"].as_array().unwrap().len(), 4);
}
