//! The options of commands that run a part of the corpus: `--shard` and `--durations`.

use std::path::PathBuf;

use warpdiff_corpus::plan::Variant;
use warpdiff_report::results::line::ShardOf;
use warpdiff_report::results::reader::Results;
use warpdiff_session::shards::{Durations, Shard};

use crate::failure::Failure;

/// Options of running one of several parts.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ShardOptions {
    /// Run one of several parts: `3/8` is the third of eight. `warpdiff merge` joins their results
    #[arg(long, value_name = "NUMBER/OF")]
    shard: Option<Shard>,
    /// Results of an earlier run, by whose durations the shards are balanced; the same for all shards of a run
    #[arg(long, value_name = "FILE", requires = "shard")]
    durations: Option<PathBuf>,
}

impl ShardOptions {
    /// The variants of this part.
    pub(crate) fn of<'a>(&self, variants: Vec<&'a Variant>) -> Result<Vec<&'a Variant>, Failure> {
        let Some(shard) = self.shard else { return Ok(variants) };
        let durations = match &self.durations {
            Some(path) => {
                let results = Results::read(path).map_err(|e| Failure::broken(e.to_string()))?;
                results.variants.into_iter().map(|line| (line.id, line.seconds)).collect()
            }
            None => Durations::new(),
        };
        let ids: Vec<&str> = variants.iter().map(|variant| variant.id.as_str()).collect();
        let selected = shard.selects(&ids, &durations);
        Ok(variants.into_iter().zip(selected).filter_map(|(variant, mine)| mine.then_some(variant)).collect())
    }

    /// The shard in a line of results.
    pub(crate) fn line(&self) -> Option<ShardOf> {
        self.shard.map(|Shard { number, of }| ShardOf { number, of })
    }
}
