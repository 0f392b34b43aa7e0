//! Calls ptxas on programs that have been fitted to it: on one, or on many at once, in modules of many. A module that it does not take is halved, down to the program
//! that is the reason; so a rejection or a crash is always that of one program alone.

use std::collections::BTreeMap;

use rayon::prelude::*;
use warpdiff_judge::assembled::Assembled;
use warpdiff_model::Observation;
use warpdiff_ptx::checked::Module;
use warpdiff_sass::cubin::Cubin;

use super::batch::{Member, joined, member, taken_out};
use super::name::Level;
use crate::ptxas::assembler::Assembler;

/// The architecture that it compiles for: the instructions of sm_50 are SPA 5.0.
pub(super) const ARCHITECTURE: u32 = 50;

/// Programs in a module, at most. A call costs about 6 ms, a generated program in a module less than 1 ms; more than so many are no faster,
/// and leave a processor without work at the end.
const PROGRAMS: usize = 64;

/// The cubin that ptxas makes of a program for sm_50.
///
/// # Errors
/// The observation that takes its place: a rejection, or a crash.
pub(super) fn compile(assembler: &Assembler, program: &str, level: Level) -> Result<Vec<u8>, Observation> {
    let option = level.option();
    let options = [option.as_str(), "-lineinfo"];
    match assembler.cubin(program, &format!("sm_{ARCHITECTURE}"), &options) {
        Ok(Ok(file)) => Ok(file),
        Ok(Err(Assembled::Rejected { message })) => Err(Observation::rejected("load", message)),
        Ok(Err(Assembled::Crashed { why } | Assembled::NoVerdict { why })) | Err(why) => {
            Err(Observation::NotRun { why })
        }
        Ok(Err(Assembled::Accepted { .. })) => Err(Observation::NotRun { why: "ptxas made no cubin".into() }),
    }
}

/// Reads a cubin.
pub(super) fn read(file: &[u8]) -> Result<Cubin, Observation> {
    Cubin::read(file).map_err(|what| Observation::Unsupported { what })
}

/// A program to compile among others.
pub(super) struct Wanted {
    text: String,
    member: Option<Member>,
}

impl Wanted {
    /// The program with that text. One that was not checked is compiled by itself.
    pub(super) fn new(text: String, module: Option<&Module>) -> Self {
        Self { member: module.and_then(|module| member(&text, module)), text }
    }
}

/// The machine code of many programs, in their order, with a call of ptxas for many of them. It has no lines.
pub(super) fn compile_all(
    assembler: &Assembler,
    programs: &[Wanted],
    level: Level,
) -> Vec<Result<Cubin, Observation>> {
    let mut alone = Vec::new();
    let mut by_head: BTreeMap<&str, Vec<(usize, &Wanted, &Member)>> = BTreeMap::new();
    for (place, wanted) in programs.iter().enumerate() {
        match &wanted.member {
            Some(member) => by_head.entry(&member.head).or_default().push((place, wanted, member)),
            None => alone.push((place, wanted)),
        }
    }
    let modules: Vec<&[_]> = by_head.values().flat_map(|members| members.chunks(PROGRAMS)).collect();
    let mut made: Vec<_> =
        modules.into_par_iter().flat_map_iter(|module| together(assembler, module, level)).collect();
    made.par_extend(alone.into_par_iter().map(|(place, wanted)| (place, one(assembler, wanted, level))));
    made.sort_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, made)| made).collect()
}

type Made = Result<Cubin, Observation>;

fn one(assembler: &Assembler, wanted: &Wanted, level: Level) -> Made {
    read(&compile(assembler, &wanted.text, level)?)
}

/// The machine code of programs in one module, with their places.
fn together(
    assembler: &Assembler,
    members: &[(usize, &Wanted, &Member)],
    level: Level,
) -> Vec<(usize, Made)> {
    if let [(place, wanted, _)] = members {
        return vec![(*place, one(assembler, wanted, level))];
    }
    let text = joined(&members.iter().map(|(.., member)| *member).collect::<Vec<_>>());
    let option = level.option();
    let file = assembler.cubin(&text, &format!("sm_{ARCHITECTURE}"), &[&option]);
    if let Ok(Ok(file)) = file
        && let Ok(cubin) = Cubin::read(&file)
    {
        let own = |(number, (place, ..)): (usize, &(usize, _, _))| (*place, Ok(taken_out(&cubin, number)));
        return members.iter().enumerate().map(own).collect();
    }
    let (front, back) = members.split_at(members.len() / 2);
    let mut made = together(assembler, front, level);
    made.extend(together(assembler, back, level));
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Taker, fit};

    fn program(body: &str) -> String {
        format!(
            ".version 8.1\n.target sm_50\n.address_size 64\n.global .u32 a = 7;\n.global .surfref image;\n\
             .visible .entry k(.param .u64 out) {{ .reg .b32 %r<4>; .reg .b64 %d<2>; {body} ret; }}\n"
        )
    }

    /// Against the real ptxas, where there is one: a program makes the same words in company as alone.
    #[test]
    fn programs_are_compiled_together_as_they_are_alone() {
        let assembler = match Assembler::find(None) {
            Ok(assembler) if assembler.release.0 == 12 => assembler,
            Ok(_) => return eprintln!("skipped: only ptxas 12 is known to take both sm_50 and PTX 8.1"),
            Err(why) => return eprintln!("skipped: {why}"),
        };
        let store = "ld.param.u64 %d0, [out]; st.global.u32 [%d0], %r0;";
        let texts = [
            program(&format!("ld.global.u32 %r0, [a]; {store}")),
            program(&format!("mov.u32 %r0, %tid.x; mul.lo.u32 %r0, %r0, 12345; {store}")),
            // Rejected by ptxas alone: it takes no literal beyond 255 here.
            program(&format!("mov.u32 %r1, 1; bfe.u32 %r0, %r1, 256, 1; {store}")),
            program(&format!("mov.u32 %r1, 0; suld.b.1d.b32.trap %r0, [image, {{%r1}}]; {store}")),
            program(&format!("mov.u64 %d1, a; cvt.u32.u64 %r0, %d1; {store}")),
        ];
        let wanted: Vec<Wanted> = texts
            .iter()
            .map(|text| {
                Wanted::new(text.clone(), fit(text, Taker::new(ARCHITECTURE, 12090)).unwrap().module.as_ref())
            })
            .collect();
        assert!(wanted.iter().all(|wanted| wanted.member.is_some()));
        for level in Level::ALL {
            let together = compile_all(&assembler, &wanted, level);
            assert_eq!(together.len(), texts.len());
            for (text, together) in texts.iter().zip(together) {
                let alone = compile(&assembler, text, level).and_then(|file| read(&file));
                let (together, alone) = match (together, alone) {
                    (Ok(together), Ok(alone)) => (together, alone),
                    (together, alone) => {
                        let (together, alone) = (together.unwrap_err(), alone.unwrap_err());
                        assert!(matches!(together, Observation::Rejected { .. }), "{together:?}");
                        assert_eq!(together, alone);
                        continue;
                    }
                };
                let [ours, theirs] = [&together, &alone].map(|cubin| cubin.kernel("k").unwrap());
                assert_eq!(ours.header, theirs.header);
                // Where a variable lies in its section depends on the others.
                let contents = |cubin: &Cubin| {
                    let variables = cubin.variables.iter();
                    variables.map(|it| (it.name.clone(), it.bytes.clone())).collect::<Vec<_>>()
                };
                assert_eq!(contents(&together), contents(&alone));
                assert_eq!(together.opaque, alone.opaque);
                if together.addresses.relocations.is_empty() {
                    assert_eq!(ours.words, theirs.words, "{level}: {text}");
                }
                // Addresses lie elsewhere in their bank, so that the words that read them differ.
                let symbols = |cubin: &Cubin| {
                    let relocations = cubin.addresses.relocations.iter();
                    relocations.map(|relocation| relocation.symbol.clone()).collect::<Vec<_>>()
                };
                assert_eq!(symbols(&together), symbols(&alone));
            }
        }
    }
}
