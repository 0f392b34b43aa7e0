//! `warpdiff show CASE`: a case in full.

use std::fmt::Write;

use warpdiff_corpus::Corpus;
use warpdiff_corpus::bytes::{hex, is_float, kind_name, number};
use warpdiff_corpus::filter::Filter;
use warpdiff_corpus::plan::{Column, Expectation, Expected, Legality, PlannedLaunch, Variant, Work};
use warpdiff_emulator::Checked;
use warpdiff_judge::exit_code::Exit;
use warpdiff_judge::golden_text;
use warpdiff_judge::hazards;
use warpdiff_judge::judgement::covers;
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_model::allowed::Permits;
use warpdiff_model::{Allowed, Permitted, RegionKind, Semantics, ToleranceUnit};
use warpdiff_recordings::meaning::part;
use warpdiff_targets::translation::{Translation, Untranslatable, inexact, translate};
use warpdiff_terminal::style::Style;

use super::run::select;
use crate::failure::Failure;
use crate::shared_options::SharedOptions;
use crate::standard_output::emit;

/// Most other matches that are named below the variant.
const NAMED: usize = 8;

/// Options of `show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// Id of a variant, or text found in it; the first match is shown
    case: String,
}

impl Show {
    pub(crate) fn execute(&self, shared: &SharedOptions) -> Result<Exit, Failure> {
        let corpus = shared.load_for(&Filter::new(std::slice::from_ref(&self.case)))?;
        let exact = corpus.variants.iter().find(|v| v.id == self.case);
        let matches = select(&corpus, std::slice::from_ref(&self.case));
        let matches = match exact {
            Some(variant) => vec![variant],
            None => matches?,
        };
        let style = shared.style();
        let mut text = String::new();
        if let Some(variant) = matches.first() {
            show(&mut text, &corpus, variant, style);
        }
        others(&mut text, &matches, style);
        emit(&text)?;
        Ok(Exit::Conforms)
    }
}

fn others(text: &mut String, matches: &[&Variant], style: Style) {
    let Some((_, rest)) = matches.split_first() else { return };
    if rest.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", style.faint().paint(format!("{} more variants match:", rest.len())));
    rest.iter().take(NAMED).for_each(|v| {
        let _ = writeln!(text, "  {}", v.id);
    });
    if rest.len() > NAMED {
        text.push_str("  …\n");
    }
}

fn title(text: &mut String, words: &str, style: Style) {
    let _ = writeln!(text, "\n{}", style.strong().paint(words));
}

fn show(text: &mut String, corpus: &Corpus, variant: &Variant, style: Style) {
    let _ = writeln!(text, "{}", style.strong().paint(&variant.id));
    let _ = writeln!(text, "  {}", variant.location);
    for (name, value) in &variant.bindings {
        let _ = writeln!(text, "  {name} = {value}");
    }
    requirements(text, corpus, variant, style);
    match &variant.work {
        Work::Launches(launches) => launched(text, launches, style),
        Work::Legality(it) => legality(text, it, style),
        Work::Unsupported(unsupported) => {
            title(text, "not run by the reference", style);
            let _ = writeln!(text, "{}", unsupported.problem.render(style.color()));
            if !unsupported.launches.is_empty() {
                text.push_str("  targets are asked it, and judged by what it states alone\n");
                stated(text, &unsupported.launches, style);
            }
        }
    }
}

fn requirements(text: &mut String, corpus: &Corpus, variant: &Variant, style: Style) {
    if variant.covers.is_empty() {
        return;
    }
    title(text, "covers", style);
    for id in variant.covers.iter() {
        let known = corpus.requirements.iter().find(|r| r.id == *id);
        let words =
            known.map(|r| format!("{} ({}): {}", r.kind.name(), r.section, r.text)).unwrap_or_default();
        let _ = writeln!(text, "  {id}  {words}");
    }
}

fn program(text: &mut String, program: &str, style: Style) {
    numbered(text, "program", program, style);
}

fn numbered(text: &mut String, words: &str, program: &str, style: Style) {
    title(text, words, style);
    for (index, line) in program.lines().enumerate() {
        let _ = writeln!(text, "{} {line}", style.faint().paint(format!("{:4} |", index + 1)));
    }
}

/// The programs, inputs and expectations of launches.
fn stated(text: &mut String, launches: &[PlannedLaunch], style: Style) {
    let mut last: Option<&PlannedLaunch> = None;
    for planned in launches {
        if last.is_none_or(|l| l.launch.program != planned.launch.program) {
            program(text, &planned.launch.program, style);
        }
        last = Some(planned);
    }
    let launches: Vec<_> = launches.iter().flat_map(PlannedLaunch::launches).collect();
    title(text, "inputs", style);
    launches.iter().for_each(|planned| inputs(text, planned));
    title(text, "expectations", style);
    for planned in &launches {
        planned.expectations.iter().for_each(|stated| expectation(text, planned, &stated));
    }
}

fn launched(text: &mut String, launches: &[PlannedLaunch], style: Style) {
    stated(text, launches, style);
    if launches.iter().all(PlannedLaunch::states_nothing) {
        text.push_str("  none: the reference alone decides what is allowed\n");
    }
    title(text, "allowed (`?` is undefined and not compared; memory that is not listed is unchanged)", style);
    let mut programs = Programs::default();
    let mut asked = Vec::new();
    for planned in launches {
        match units(planned, &mut programs) {
            Ok(units) => asked.extend(units),
            Err(error) => {
                let _ = writeln!(text, "  {error}");
            }
        }
    }
    text.push_str(&golden_text::launches_with_numbers(&asked));
    bounds(text, &asked, style);
    unawaited(text, &asked, style);
    as_ptx(text, &asked, style);
}

/// The PTX translation for targets that do not take SPA 5.0, and the launches that it does not reproduce.
fn as_ptx(text: &mut String, units: &[Unit<'_>], style: Style) {
    let mut last: Option<(&str, Result<Translation, Untranslatable>)> = None;
    let mut inexact_in = String::new();
    for unit in units {
        let Checked::Spa(spa) = &unit.compiled.checked else { return };
        let launch = &unit.planned.launch;
        let known = last.take().filter(|(program, _)| *program == &*launch.program);
        let (_, translation) = last.insert(match known {
            Some(known) => known,
            None => {
                let translation = translate(spa, launch);
                let words = "PTX translation, for targets that do not take SPA 5.0";
                match &translation {
                    Ok(Translation { text: ptx, .. }) => numbered(text, words, ptx, style),
                    Err(why) => {
                        title(text, words, style);
                        let _ = writeln!(text, "  {why}");
                    }
                }
                (&unit.compiled.text, translation)
            }
        });
        let Ok(translation) = translation else { continue };
        if let Some(why) = inexact(translation, &unit.compiled.program, launch) {
            let _ = writeln!(inexact_in, "  {}: {why}", part(&unit.planned));
        }
    }
    if !inexact_in.is_empty() {
        title(text, "launches that the PTX translation does not reproduce (unsupported there)", style);
        text.push_str(&inexact_in);
    }
}

/// The allowed errors of results: documented bounds of instructions, or the case's tolerance.
fn bounds(text: &mut String, units: &[Unit<'_>], style: Style) {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for unit in units {
        let (program, planned) = (&unit.compiled.program, &unit.planned);
        // Documented bounds do not depend on the case.
        let Ok(documented) = warpdiff_emulator::allowed(program, &planned.launch, &Semantics::default())
        else {
            continue;
        };
        for tolerance in &planned.tolerances {
            let mut instead = Vec::new();
            for (region, at, by) in documented_bounds(&documented) {
                if region == tolerance.region && covers(tolerance, at) && !instead.contains(&by) {
                    instead.push(by);
                }
            }
            let far = match tolerance.unit {
                ToleranceUnit::Ulps(ulps) => format!("{ulps} ulp"),
                ToleranceUnit::Absolute(distance) => format!("{distance} absolute"),
            };
            let whose = field_name(planned, &documented, tolerance.region, tolerance.offset);
            let instead = match instead.as_slice() {
                [] => String::new(),
                _ => format!(", in place of the documented bound: {}", instead.join("; ")),
            };
            add(format!("{whose}: the case's tolerance, {far}{instead}"));
        }
        for (region, at, by) in documented_bounds(&documented) {
            if !planned.tolerances.iter().any(|t| t.region == region && covers(t, at)) {
                let whose = field_name(planned, &documented, region, at);
                add(format!("{whose}: the documented bound, {by}"));
            }
        }
    }
    if lines.is_empty() {
        return;
    }
    title(text, "tolerances of results", style);
    lines.iter().for_each(|line| {
        let _ = writeln!(text, "  {line}");
    });
}

/// Every value with a documented bound: its region, its offset, and the bound.
fn documented_bounds(allowed: &Allowed) -> impl Iterator<Item = (usize, usize, &'static str)> {
    let states = allowed.outcomes.iter().filter_map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => Some(state),
        _ => None,
    });
    states.flat_map(|state| state.regions.iter().enumerate()).flat_map(|(index, region)| {
        region.values.iter().filter_map(move |value| match value.permitted {
            Permits::Between(interval) => Some((index, value.offset, interval.by)),
            Permits::Either(_) | Permits::Nan(_) => None,
        })
    })
}

/// The output column that a byte of a region belongs to, or the region.
fn field_name(planned: &PlannedLaunch, allowed: &Allowed, region: usize, at: usize) -> String {
    let state = allowed.outcomes.iter().find_map(|outcome| match &outcome.permitted {
        Permitted::Completed { state } => Some(state),
        _ => None,
    });
    let Some(masked) = state.and_then(|state| state.regions.get(region)) else { return "?".into() };
    let name = &masked.region.name;
    if masked.region.kind != RegionKind::Buffer || name != PlannedLaunch::OUTPUTS {
        return format!("{} {name}", kind_name(masked.region.kind));
    }
    let within = at.checked_rem(masked.stride as usize).unwrap_or(at);
    let holds = |column: &&Column| {
        (column.offset as usize..column.offset as usize + column.size as usize).contains(&within)
    };
    planned.columns.iter().find(holds).map_or_else(|| format!("buffer {name}"), |column| column.name.clone())
}

/// The hazards of a scheduled program.
fn unawaited(text: &mut String, units: &[Unit<'_>], style: Style) {
    let mut known = Vec::new();
    for hazard in units.iter().flat_map(hazards::of) {
        if !known.contains(&hazard) {
            known.push(hazard);
        }
    }
    if known.is_empty() {
        return;
    }
    title(text, "hazards", style);
    known.iter().for_each(|hazard| {
        let _ = writeln!(text, "  {hazard}");
    });
}

fn inputs(text: &mut String, planned: &PlannedLaunch) {
    let launch = &planned.launch;
    let _ = writeln!(text, "  entry `{}`, grid {:?}, block {:?}", launch.entry, launch.grid, launch.block);
    for surface in &launch.surfaces {
        let [w, h, d] = surface.extent;
        let _ = writeln!(
            text,
            "  surface {}: {w} x {h} x {d}, {} layers, {}",
            surface.name, surface.layers, surface.format
        );
    }
    for warpdiff_model::Texture { image, sampler } in &launch.textures {
        let [w, h, d] = image.extent;
        let _ = writeln!(
            text,
            "  texture {}: {w} x {h} x {d}, {} layers, {}, {sampler:?}",
            image.name, image.layers, image.format
        );
    }
    for buffer in &launch.buffers {
        let head = hex(&buffer.bytes[..buffer.bytes.len().min(16)]);
        let more = if buffer.bytes.len() > 16 { " …" } else { "" };
        let numbers = first_floats(planned, &buffer.name, &buffer.bytes);
        let _ =
            writeln!(text, "  buffer {}: {} bytes: {head}{more}{numbers}", buffer.name, buffer.bytes.len());
    }
    for write in &launch.host_writes {
        let _ = writeln!(text, "  the host writes {}: {}", write.variable, shortened(&write.bytes));
    }
    for row in &planned.rows {
        let inputs = planned.inputs_with_bits(row);
        let words: Vec<_> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "  row {}: {}", row.index, words.join(", "));
    }
}

/// The first numbers of a buffer of floating-point numbers, as ` = 0.5, 1.5, …`.
fn first_floats(planned: &PlannedLaunch, name: &str, bytes: &[u8]) -> String {
    let Some(elements) = planned.elements(RegionKind::Buffer, name).filter(|e| is_float(e.ty)) else {
        return String::new();
    };
    let first = bytes.chunks_exact(elements.size).take(4).filter_map(|bytes| number(bytes, elements.ty));
    let more = if bytes.len() > 4 * elements.size { ", …" } else { "" };
    format!(" = {}{more}", first.collect::<Vec<_>>().join(", "))
}

fn expectation(text: &mut String, planned: &PlannedLaunch, expectation: &Expectation) {
    let says = match &expectation.what {
        Expected::Bytes { region, name, offset, alternatives, or_undefined, .. } => {
            let decoded = |bytes: &[u8]| float(planned, *region, name, *offset, bytes);
            let mut values: Vec<_> =
                alternatives.iter().map(|bytes| shortened(bytes) + &decoded(bytes)).collect();
            values.extend(or_undefined.then(|| "undefined".to_owned()));
            format!("{} {name} byte {offset}: {}", kind_name(*region), values.join(" or "))
        }
        Expected::Undefined { region, name, range } => {
            format!("{} {name} bytes {range:?}: undefined", kind_name(*region))
        }
        Expected::Nan { region, name, range } => {
            format!("{} {name} bytes {range:?}: a NaN", kind_name(*region))
        }
        Expected::Between { region, name, offset, ends: [least, greatest] } => {
            let end = |bytes: &[u8]| hex(bytes) + &float(planned, *region, name, *offset, bytes);
            format!("{} {name} byte {offset}: from {} to {}", kind_name(*region), end(least), end(greatest))
        }
        Expected::Permutation(one) => one.words(),
        Expected::Fault(class) => format!("must fault: {class}"),
        Expected::MayFault(class) => format!("may fault: {class}"),
        Expected::TimedOut => "times out".into(),
    };
    let _ = writeln!(text, "  {} ({}): {says}", expectation.subject, expectation.location);
}

/// A floating-point number of a column or an element, as ` = 1.5 (0x3fc00000)`; nothing for other values, whose bytes say enough.
fn float(planned: &PlannedLaunch, region: RegionKind, name: &str, offset: usize, bytes: &[u8]) -> String {
    let ty = planned.type_at(region, name, offset..offset + bytes.len());
    let number = ty.filter(|ty| is_float(ty)).and_then(|ty| number(bytes, ty));
    number.map(|number| format!(" = {number}")).unwrap_or_default()
}

fn shortened(bytes: &[u8]) -> String {
    if bytes.len() > 32 { format!("{} … ({} bytes)", hex(&bytes[..32]), bytes.len()) } else { hex(bytes) }
}

fn legality(text: &mut String, legality: &Legality, style: Style) {
    program(text, &legality.program, style);
    title(text, "expectations", style);
    for who in &legality.accept {
        let _ = writeln!(text, "  {who} accepts");
    }
    for (who, fragment) in &legality.reject {
        let why = if fragment.is_empty() { String::new() } else { format!(", saying `{fragment}`") };
        let _ = writeln!(text, "  {who} rejects{why}");
    }
    if let Some(at) = &legality.at {
        let _ = writeln!(text, "  with the caret at `{at}`");
    }
    for name in legality.bytes.keys() {
        let _ = writeln!(text, "  the initial bytes of `{name}`");
    }
    title(text, "answers of warpdiff's front end", style);
    let verdict = warpdiff_judge::legality::verdict(legality);
    text.push_str(&verdict.recording);
}
