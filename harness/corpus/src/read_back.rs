//! The kernel that reads the declared variables of a case back on a device, to judge the initial values that its loader makes.
//! Variables that other modules can see are also read through the driver (`cuModuleGetGlobal`).

use std::fmt::Write;
use std::ops::Range;

use warpdiff_model::{Argument, Buffer, Launch, RegionKind};
use warpdiff_ptx::Rules;
use warpdiff_ptx::ast::Linkage;
use warpdiff_ptx::checked::Variable;
use warpdiff_ptx::vocabulary::Space;

use super::kernel::{ENTRY, Source};
use super::reader::{Read, Reader};
use crate::plan::{Expectation, Expected, Legality, Location, PlannedLaunch, StatedSubject};

/// The buffer that the variables are copied to.
const OUT: &str = "out";
/// Most bytes of a variable that are read back.
const LARGEST: usize = 1 << 16;
/// The first PTX version with `cvta` and an address size.
const OLDEST: (u32, u32) = (2, 3);

/// The launch that reads back the stated bytes of a declare case; `None` if it states none, or its program cannot run.
pub(crate) fn launch(
    reader: &Reader<'_>,
    source: &Source,
    legality: &Legality,
    case: &Range<usize>,
) -> Read<Option<PlannedLaunch>> {
    if !legality.bytes.values().any(|bytes| bytes.len() <= LARGEST) {
        return Ok(None);
    }
    // The judge of legality reports errors in the declarations.
    let Ok(module) = warpdiff_ptx::compile(&legality.program, &Rules::TO_RUN) else { return Ok(None) };
    // Programs that the assembler rejects do not run, except for `.unified`, which a linker finishes.
    let linked = module.variables.iter().any(|variable| variable.unified);
    if legality.reject.iter().any(|(who, _)| who == "spec" || !linked) {
        return Ok(None);
    }
    if module.version < OLDEST || module.functions.iter().any(|function| function.name == ENTRY) {
        return Ok(None);
    }
    let mut kernel = ReadBackKernel::default();
    let mut observed = Vec::new();
    let mut expectations = Vec::new();
    for (name, bytes) in legality.bytes.iter().filter(|(_, bytes)| bytes.len() <= LARGEST) {
        // The judge of legality reports missing variables and wrong sizes.
        let of_name = |variable: &&Variable| variable.scope.is_none() && variable.name == *name;
        let Some(variable) = module.variables.iter().find(of_name) else { continue };
        if variable.ty.is_opaque() || variable.size != bytes.len() as u64 || bytes.is_empty() {
            continue;
        }
        let place = legality.byte_places.get(name).unwrap_or(&legality.location);
        let offset = kernel.copy(variable);
        expectations.push(expectation((RegionKind::Buffer, OUT), name, offset, bytes, place));
        let visible = matches!(variable.linkage, Some(Linkage::Visible | Linkage::Weak | Linkage::Common));
        // `.unified` variables are only defined through `ld` with the qualifier.
        if variable.space == Space::Global && visible && !variable.unified {
            observed.push(name.clone());
            expectations.push(expectation((RegionKind::Variable, name), name, 0, bytes, place));
        }
    }
    if kernel.size == 0 {
        return Ok(None);
    }
    let program = source.with_kernel(reader, case, &kernel.text())?;
    // A program that warpdiff cannot run cannot be read back.
    if warpdiff_emulator::compile(&program.text).is_err() {
        return Ok(None);
    }
    let mut launch = Launch::new(program.text, ENTRY);
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
    launch.buffers = vec![Buffer::new(OUT, vec![0; kernel.size])];
    launch.observed_variables = observed;
    Ok(Some(PlannedLaunch {
        expectations: expectations.into_iter().collect(),
        ..PlannedLaunch::bare(launch, program.map)
    }))
}

/// The expectation of a variable for its copy at `offset` of a region.
fn expectation(
    (region, holder): (RegionKind, &str),
    variable: &str,
    offset: usize,
    bytes: &[Option<u8>],
    location: &Location,
) -> Expectation {
    Expectation {
        what: Expected::Bytes {
            region,
            name: holder.into(),
            offset,
            alternatives: vec![bytes.iter().map(|byte| byte.unwrap_or(0)).collect()].into(),
            mask: bytes.iter().map(|byte| if byte.is_some() { 0xFF } else { 0 }).collect::<Vec<u8>>().into(),
            or_undefined: false,
        },
        location: location.clone(),
        subject: StatedSubject::Other(format!("variable `{variable}`").into()),
        row: None,
        file: None,
    }
}

/// The kernel: a loop for each variable.
#[derive(Default)]
struct ReadBackKernel {
    loops: String,
    /// Bytes copied so far.
    size: usize,
}

impl ReadBackKernel {
    /// Copies a variable behind the earlier ones; returns the offset of its copy.
    fn copy(&mut self, variable: &Variable) -> usize {
        let Variable { name, space, size, .. } = variable;
        let qualifier = if variable.unified { ".unified" } else { "" };
        let start = self.size;
        let _ = write!(
            self.loops,
            "
    // {name}
    mov.u64 %_wd_a, {name};
    mov.u32 %_wd_n, {size};
_wd_{start}:
    ld.{space}.u8 %_wd_b, [%_wd_a]{qualifier};
    st.global.u8 [%_wd_o], %_wd_b;
    add.u64 %_wd_a, %_wd_a, 1;
    add.u64 %_wd_o, %_wd_o, 1;
    sub.u32 %_wd_n, %_wd_n, 1;
    setp.ne.u32 %_wd_p, %_wd_n, 0;
    @%_wd_p bra _wd_{start};
"
        );
        self.size += *size as usize;
        start
    }

    fn text(&self) -> String {
        format!(
            "
// every byte of the variables, one after another
.visible .entry {ENTRY}(.param .u64 _wd_out)
{{
    .reg .pred %_wd_p;
    .reg .u16 %_wd_b;
    .reg .u32 %_wd_n;
    .reg .u64 %_wd_a, %_wd_o;

    ld.param.u64 %_wd_o, [_wd_out];
    cvta.to.global.u64 %_wd_o, %_wd_o;
{}    ret;
}}
",
            self.loops
        )
    }
}
