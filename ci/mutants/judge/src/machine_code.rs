//! The machine code of the corpus, which runs in place of its PTX.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_emulator::{Checked, Compiled, Program, compile};
use warpdiff_judge::reference::Programs;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_ptx::checked::Module;
use warpdiff_sass::cubin::Cubin;
use warpdiff_targets::{CompiledName, CompiledTarget, MachineWords};

/// What the compiler made of programs at its usual level, by their texts.
pub(crate) struct MachineCode(HashMap<Arc<str>, (Arc<Module>, Arc<Cubin>)>);

impl MachineCode {
    /// Reads what is kept of the programs of these variants.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub(crate) fn read(folder: &Path, variants: &[Variant]) -> Result<Self, String> {
        let target = CompiledTarget::of_kept(MachineWords::read(folder)?, &CompiledName::default());
        let mut known = HashMap::new();
        for planned in variants.iter().flat_map(|variant| launches(variant)) {
            let program = &planned.launch.program;
            if known.contains_key(program) {
                continue;
            }
            if let (Ok(cubin), Ok(Compiled { checked: Checked::Ptx(module), .. })) =
                (target.cubin(program), compile(program))
            {
                known.insert(Arc::clone(program), (module, cubin));
            }
        }
        Ok(Self(known))
    }

    /// Whether it has all programs of a variant, each with one kernel that is launched.
    pub(crate) fn has(&self, variant: &Variant) -> bool {
        let mut entries = HashMap::new();
        launches(variant).iter().all(|planned| {
            let (program, entry) = (&planned.launch.program, &planned.launch.entry);
            self.0.contains_key(program) && *entries.entry(program).or_insert(entry) == entry
        })
    }

    /// Gives the launches of a variant their machine code, decoded anew: the decoder may have the mutant.
    ///
    /// # Errors
    /// The verdict if it has no machine code, or the engine does not run it.
    pub(crate) fn put(&self, launches: &[PlannedLaunch], programs: &mut Programs<'_>) -> Result<(), Raw> {
        for PlannedLaunch { launch, .. } in launches {
            let Some((module, cubin)) = self.0.get(&launch.program) else { return Err(Raw::NotRun) };
            let program = Program::of_cubin(cubin, &launch.entry).map_err(|_| Raw::Unsupported)?;
            let (text, checked) = (Arc::clone(&launch.program), Checked::Ptx(Arc::clone(module)));
            programs.put(Arc::new(Compiled { text, checked, program }));
        }
        Ok(())
    }
}

fn launches(variant: &Variant) -> &[PlannedLaunch] {
    match &variant.work {
        Work::Launches(launches) => launches,
        _ => &[],
    }
}
