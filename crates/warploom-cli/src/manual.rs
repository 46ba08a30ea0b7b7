//! Shell completions and manual pages, from the definition of the command line.

use clap::CommandFactory;
use clap_mangen::Man;
use warploom::text::{Diagnostic, Spot};

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::{Done, Output, wrong_argument};

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs, output: &mut Output) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "warploom", &mut script);
    output.raw(&script)?;
    Ok(0)
}

/// Prints a manual page in roff.
pub fn page(args: &ManArgs, output: &mut Output) -> Done {
    let mut program = Cli::command();
    // Gives each command its full name and the options that all have.
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => {
            let Some(command) = program.find_subcommand(name) else {
                let spot = Spot::whole("COMMAND", name.as_str());
                let message = format!("there is no command `{name}`");
                return Err(wrong_argument(Diagnostic::error(message).at(&spot, "")));
            };
            command.clone()
        }
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    output.raw(&page)?;
    Ok(0)
}
