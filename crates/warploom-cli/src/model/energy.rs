//! `warploom model energy`.

use serde_json::json;
use warploom::device::model::energy::{
    Budget, GAINS, Work, budget, dram_over_sram, fp32_fma_pj, overheads,
};
use warploom::device::schema::Energy;
use warploom::report::SCHEMA_VERSION;

use super::args::EnergyArgs;
use super::chosen;
use super::quantity::{digits, optional, scaled};
use crate::output::{Done, Failure, Output};
use crate::table::{Align, Rows, percent};

/// Says what operations cost.
pub fn run(args: &EnergyArgs, output: &mut Output) -> Done {
    let device = chosen(&args.device)?;
    let energy = &device.energy;
    let budget = work(args)?.map(|work| budget(energy, &work));
    let mut text = accesses(energy);
    text.push('\n');
    text.push_str(&instructions(energy));
    if let Some(budget) = &budget {
        text.push('\n');
        text.push_str(&parts(budget));
    }
    output.text(&text)?;
    output.json(&json!({
        "schema_version": SCHEMA_VERSION,
        "energy": energy,
        "dram_over_sram": dram_over_sram(energy),
        "fp32_fma_pj": fp32_fma_pj(energy),
        "overheads": overheads(energy),
        "gains_2012_to_2023": GAINS,
        "budget": budget,
    }))?;
    Ok(0)
}

fn work(args: &EnergyArgs) -> Result<Option<Work>, Failure> {
    let fmas = optional("--fmas", args.fmas.as_ref())?;
    let instructions = optional("--instructions", args.instructions.as_ref())?;
    let sram = optional("--sram-words", args.sram_words.as_ref())?;
    let dram = optional("--dram-words", args.dram_words.as_ref())?;
    let given = [fmas, instructions, sram, dram].iter().any(Option::is_some);
    Ok(given.then(|| Work {
        fp32_fmas: fmas.unwrap_or(0.0),
        instructions: instructions.unwrap_or(0.0),
        sram_words: sram.unwrap_or(0.0),
        dram_words: dram.unwrap_or(0.0),
    }))
}

fn accesses(energy: &Energy) -> String {
    let mut rows = Rows::new(&[
        ("operation", Align::Left),
        ("pJ", Align::Right),
        ("of a 32-bit multiply-add", Align::Right),
    ]);
    let fma = fp32_fma_pj(energy);
    for (name, pj) in [
        ("8-bit integer add", energy.int8_add_pj),
        ("32-bit integer add", energy.int32_add_pj),
        ("32-bit integer multiply", energy.int32_mul_pj),
        ("16-bit float add", energy.fp16_add_pj),
        ("16-bit float multiply", energy.fp16_mul_pj),
        ("32-bit float add", energy.fp32_add_pj),
        ("32-bit float multiply", energy.fp32_mul_pj),
        ("32-bit float multiply-add", fma),
        ("word from an 8 KiB SRAM", energy.sram_word_pj),
        ("an instruction's overhead", energy.instruction_pj),
        ("word from DRAM", energy.dram_word_pj),
    ] {
        rows.row([name.to_owned(), digits(pj), digits(pj / fma)]);
    }
    format!(
        "{}\na word from DRAM costs {:.0} times one from an SRAM\n",
        rows.draw(),
        dram_over_sram(energy)
    )
}

fn instructions(energy: &Energy) -> String {
    let mut rows = Rows::new(&[
        ("instruction", Align::Left),
        ("does", Align::Left),
        ("math pJ", Align::Right),
        ("overhead/math", Align::Right),
        ("overhead/total", Align::Right),
        ("published", Align::Right),
    ]);
    for found in overheads(energy) {
        rows.row([
            found.instruction.to_owned(),
            found.does.to_owned(),
            digits(found.math_pj),
            percent(found.over_math),
            percent(found.over_total),
            percent(found.published),
        ]);
    }
    rows.draw()
}

fn parts(budget: &Budget) -> String {
    let mut rows = Rows::new(&[
        ("part", Align::Left),
        ("J", Align::Right),
        ("share", Align::Right),
    ]);
    for (name, pj) in [
        ("arithmetic", budget.math_pj),
        ("instructions", budget.instruction_pj),
        ("SRAM", budget.sram_pj),
        ("DRAM", budget.dram_pj),
        ("total", budget.total_pj),
    ] {
        let share = pj / budget.total_pj.max(f64::MIN_POSITIVE);
        rows.row([name.to_owned(), scaled(pj * 1e-12), percent(share)]);
    }
    rows.draw()
}
