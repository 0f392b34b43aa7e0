//! `warpdiff schema`: JSON Schemas of case files, requirements, expectations, profiles, results and the protocol.

use clap::ValueEnum;
use warpdiff_judge::exit_code::Exit;
use warpdiff_report::history::data;
use warpdiff_report::results::line;

use crate::failure::Failure;
use crate::standard_output::emit;

/// Options of `schema`.
#[derive(Debug, clap::Args)]
pub(crate) struct Schema {
    /// What the schema describes
    #[arg(value_enum, default_value_t)]
    of: Of,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Of {
    /// Case files
    #[default]
    Cases,
    /// `requirements.yaml`
    Requirements,
    /// Files of expectations
    Expectations,
    /// Profiles of targets
    Profile,
    /// A line of the results that `run --results` writes and `run --json` prints
    Results,
    /// What `history --json` prints
    History,
    /// The messages between warpdiff and a worker
    Protocol,
}

impl Schema {
    pub(crate) fn execute(&self) -> Result<Exit, Failure> {
        let schema = match self.of {
            Of::Cases => warpdiff_corpus::schema::cases(),
            Of::Requirements => warpdiff_corpus::schema::requirements(),
            Of::Expectations => warpdiff_expectations::schema::schema(),
            Of::Profile => warpdiff_expectations::profile_schema::schema(),
            Of::Results => line::schema(),
            Of::History => data::schema(),
            Of::Protocol => warpdiff_worker::protocol::schema(),
        };
        let text = serde_json::to_string_pretty(&schema);
        emit(&(text.map_err(|e| Failure::broken(format!("cannot write the schema: {e}")))? + "\n"))?;
        Ok(Exit::Conforms)
    }
}
