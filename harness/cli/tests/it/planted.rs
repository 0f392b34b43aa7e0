//! Mistakes that no deviation of the catalogue is: a diagnosis must not put them down to one that happens to fit some rows, and must
//! say what they are a matter of.
//!
//! The target is the emulator with the mistake planted in it from outside: in the program that it is given, or in the state that it
//! leaves. The specification does not permit them, whatever it leaves open.

use crate::cases::corpus;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use warpdiff_corpus::plan::{PlannedLaunch, Variant, Work};
use warpdiff_emulator::compile;
use warpdiff_judge::diagnose::{ObservedLaunch, diagnose};
use warpdiff_judge::finding::{Finding, RefutedBy, counterexample};
use warpdiff_judge::narrower::is_narrower;
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_model::{Deviation, MismatchClass, Observation, Semantics};
use warpdiff_session::causes;
use warpdiff_session::session::{self, Session};
use warpdiff_session::watch::VerdictsAlone;
use warpdiff_targets::{EmulatorTarget, Question, Target};

/// What is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// y and z of 3d surfaces change places.
    SwappedYAndZ,
    /// The third element of a vector of four is not loaded.
    ThirdElementNotLoaded,
    /// x of `sured.p` counts units of four bytes, of eight-byte data, too.
    ReductionScaledByFour,
    /// `.trap` lets pass a y that is the height.
    TrapOffByOneInY,
    /// `.trap` lets pass a z that is the depth.
    TrapOffByOneInZ,
    /// `sust.p` to unsigned normalised formats rounds up from three quarters of a step only.
    RoundsUpLate,
    /// `sust.p` to 16-bit unsigned normalised formats adds a half to the binary32 product, and truncates.
    AddsHalfAndTruncates,
}

/// The emulator with a mistake.
struct Planted(Mistake);

impl Target for Planted {
    fn name(&self) -> &str {
        "planted"
    }

    fn observe(&self, question: Question<'_>) -> Observation {
        let planned = question.planned;
        let right = run(planned, &planned.launch.program);
        match self.0 {
            Mistake::SwappedYAndZ => run(planned, &each_line(planned, swap_y_and_z)),
            Mistake::ThirdElementNotLoaded => run(planned, &each_line(planned, lose_third_element)),
            Mistake::ReductionScaledByFour => {
                let signed = planned.launch.surfaces.iter().any(|s| s.format.to_string().starts_with('s'));
                run(planned, &each_line(planned, if signed { scale_signed_by_four } else { scale_by_four }))
            }
            Mistake::TrapOffByOneInY => past_trap(planned, right, "y", |extent| extent[1]),
            Mistake::TrapOffByOneInZ => past_trap(planned, right, "z", |extent| extent[2]),
            Mistake::RoundsUpLate => rounded(planned, right, &["unorm8", "unorm16"], |v, steps| {
                // Exact: a binary32 times 2^16 - 1 has 40 bits.
                (f64::from(v) * f64::from(steps) + 0.25).floor() as u32
            }),
            Mistake::AddsHalfAndTruncates => {
                rounded(planned, right, &["unorm16"], |v, steps| (v * steps as f32 + 0.5) as u32)
            }
        }
    }
}

fn run(planned: &PlannedLaunch, program: &str) -> Observation {
    let compiled = compile(&program.into()).unwrap_or_else(|error| panic!("{error:?}\n{program}"));
    let launch = warpdiff_model::Launch { program: Arc::from(program), ..planned.launch.clone() };
    warpdiff_emulator::observe(&compiled.program, &launch, &Semantics::default()).unwrap()
}

fn each_line(planned: &PlannedLaunch, change: fn(&str) -> Option<String>) -> String {
    let lines = planned.launch.program.lines();
    lines.map(|line| change(line).unwrap_or_else(|| line.to_string()) + "\n").collect()
}

/// What stands before the coordinates of a surface access, the coordinates, and what stands behind.
fn coordinates(line: &str) -> Option<(&str, Vec<&str>, &str)> {
    let bracket = line.find('[')?;
    let open = bracket + line[bracket..].find('{')? + 1;
    let close = open + line[open..].find('}')?;
    Some((&line[..open], line[open..close].split(',').map(str::trim).collect(), &line[close..]))
}

fn swap_y_and_z(line: &str) -> Option<String> {
    let is_access = ["suld.", "sust.", "sured."].iter().any(|opcode| line.contains(opcode));
    let (before, mut elements, behind) = coordinates(line).filter(|_| is_access && line.contains(".3d"))?;
    elements.swap(1, 2);
    Some(format!("{before}{}{behind}", elements.join(", ")))
}

fn lose_third_element(line: &str) -> Option<String> {
    if !line.contains("suld.") || !line.contains(".v4.") {
        return None;
    }
    let open = line.find('{')? + 1;
    let third = line[open..line.find('}')?].split(',').nth(2)?.trim();
    let size = match third.as_bytes().get(1)? {
        b'h' => 16,
        b'e' | b'q' => 64,
        _ => 32,
    };
    Some(format!("{line} mov.b{size} {third}, 0;"))
}

fn scale_by_four(line: &str) -> Option<String> {
    scaled_by_four(line, ".u64.")
}

fn scale_signed_by_four(line: &str) -> Option<String> {
    scaled_by_four(line, ".s64.")
}

/// `sured.b`, whose x counts bytes, at four times the x of `sured.p`.
fn scaled_by_four(line: &str, ty: &str) -> Option<String> {
    let wide = line.contains("sured.p.") && line.contains(".b64.");
    let (before, mut elements, behind) = coordinates(line).filter(|_| wide)?;
    let x = elements.iter().position(|element| *element == "%x")?;
    elements[x] = "%x_times_4";
    let before = before.replace("sured.p.", "sured.b.").replace(".b64.", ty);
    let access = format!("{before}{}{behind}", elements.join(", "));
    Some(format!("{{ .reg .b32 %x_times_4; shl.b32 %x_times_4, %x, 2;\n{access}\n}}"))
}

/// Where a coordinate is the first beyond the surface, what `.zero` does instead of trapping: nothing else is out of bounds.
fn past_trap(
    planned: &PlannedLaunch,
    right: Observation,
    name: &str,
    limit: fn([u32; 3]) -> u32,
) -> Observation {
    let [row] = planned.rows.as_slice() else { return right };
    let Some(surface) = planned.launch.surfaces.first() else { return right };
    let at_limit =
        row.inputs.iter().any(|(column, v)| column == name && *v == limit(surface.extent).to_string());
    if !at_limit || !planned.launch.program.contains(".trap ") {
        return right;
    }
    // The same with the coordinate inside traps only if another coordinate is outside.
    let inside = |line: &str| {
        let (before, elements, behind) = coordinates(line)?;
        let of = |e: &str| if e == "%y" || e == "%z" { "0".into() } else { e.to_string() };
        Some(format!("{before}{}{behind}", elements.into_iter().map(of).collect::<Vec<_>>().join(", ")))
    };
    match run(planned, &each_line(planned, inside)) {
        Observation::Completed { .. } => run(planned, &planned.launch.program.replace(".trap ", ".zero ")),
        _ => right,
    }
}

/// The state with the texels that were stored rounded anew: `steps` of the format, from the inputs of the row.
fn rounded(
    planned: &PlannedLaunch,
    right: Observation,
    formats: &[&str],
    round: fn(f32, u32) -> u32,
) -> Observation {
    let (Observation::Completed { mut state }, [row]) = (right.clone(), planned.rows.as_slice()) else {
        return right;
    };
    if !planned.launch.program.contains("sust.p.") {
        return right;
    }
    let bits = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let inputs: Vec<f32> =
        row.inputs.iter().filter_map(|(_, text)| Some(f32::from_bits(bits(text)?))).collect();
    for surface in &planned.launch.surfaces {
        let format = surface.format.to_string();
        let channel = format.split('x').next().unwrap_or_default();
        if !formats.contains(&channel) {
            continue;
        }
        let size = surface.format.channel.size() as usize;
        let steps = (1_u32 << (8 * size)) - 1;
        let region =
            state.regions.iter_mut().find(|r| r.name == surface.name && r.bytes.len() == surface.bytes.len());
        let Some(region) = region else { continue };
        for (texel, before) in region.bytes.chunks_mut(size).zip(surface.bytes.chunks(size)) {
            let mut wide = [0; 4];
            wide[..size].copy_from_slice(texel);
            let stored = u32::from_le_bytes(wide);
            let source = inputs.iter().find(|v| {
                (0.0..=1.0).contains(*v)
                    && (f64::from(**v) * f64::from(steps)).round_ties_even() as u32 == stored
            });
            if let Some(source) = source.filter(|_| *texel != *before) {
                texel.copy_from_slice(&round(*source, steps).to_le_bytes()[..size]);
            }
        }
    }
    Observation::Completed { state }
}

/// The variants of these files, every so many of each.
fn of_files(files: &[&str], every: usize) -> Vec<&'static Variant> {
    let of = |file: &&str| {
        let prefix = format!("{file}/");
        let found: Vec<_> = corpus().variants.iter().filter(|v| v.id.starts_with(&prefix)).collect();
        assert!(!found.is_empty(), "no case in {file}");
        found.into_iter().step_by(every)
    };
    files.iter().flat_map(of).collect()
}

fn against<'v>(variants: &[&'v Variant], target: impl Target + 'static) -> Session<'v> {
    session::run(variants, &[Box::new(target)], &VerdictsAlone)
}

fn findings<'s>(session: &'s Session<'_>) -> impl Iterator<Item = (&'s str, &'s Finding)> {
    let verdicts = session.verdicts.iter();
    verdicts.flat_map(|v| v.targets[0].findings.iter().map(|finding| (v.variant.id.as_str(), finding)))
}

/// Runs the mistake, and says which classes its findings have. None of them is put down to anything, and whatever comes nearest is
/// refuted by an example.
#[track_caller]
fn unnamed(mistake: Mistake, files: &[&str], every: usize) -> BTreeMap<MismatchClass, usize> {
    let variants = of_files(files, every);
    let session = against(&variants, Planted(mistake));
    let mut classes = BTreeMap::new();
    for (id, finding) in findings(&session) {
        assert!(finding.explained.is_empty(), "{mistake:?}, {id}: {:?}", finding.explained);
        if let Some(refuted) = &finding.refuted {
            let example = refuted.example.as_ref().unwrap_or_else(|| panic!("{id}: {refuted:?}"));
            assert!(example.expected != example.observed || example.expected.is_empty(), "{id}: {example:?}");
        }
        *classes.entry(finding.class()).or_default() += 1;
    }
    for (cause, _) in causes::of(&session, 0) {
        assert!(cause.ends_with("reproduced by no known deviation"), "{mistake:?}: {cause}");
    }
    println!("{mistake:?}: {classes:?} in {} variants", variants.len());
    classes
}

#[test]
fn swapped_coordinates_are_a_matter_of_addressing() {
    let files = ["suld/bounds-3d", "suld/sweep-3d", "sust/bounds-3d", "suld/coordinates"];
    let session = of_files(&files, 7);
    let session = against(&session, Planted(Mistake::SwappedYAndZ));
    let mut wrong = 0;
    for (id, finding) in findings(&session) {
        wrong += 1;
        assert_eq!(finding.class(), MismatchClass::Addressing, "{id}");
        // It differs from the deviation of that name beside the edges, where nothing is named.
        let is_it = |one: &Deviation| *one == Deviation::SurfaceYZSwapped;
        assert!(finding.explained.iter().all(is_it), "{id}: {:?}", finding.explained);
    }
    assert!(wrong > 10, "{wrong}");
}

#[test]
fn an_element_that_is_not_loaded_is_no_matter_of_packing() {
    let files = ["suld/bounds-3d", "suld/sweep-3d"];
    let session = of_files(&files, 3);
    let session = against(&session, Planted(Mistake::ThirdElementNotLoaded));
    for (id, finding) in findings(&session) {
        let site = finding.site.as_ref().unwrap();
        assert!(site.text.starts_with("suld.b."), "{id}: {}", site.text);
    }
    let classes = unnamed(Mistake::ThirdElementNotLoaded, &files, 3);
    // "One it fixes was not written": so the class is described.
    assert_eq!(classes.keys().collect::<Vec<_>>(), [&MismatchClass::UnpredictableComponent], "{classes:?}");
}

#[test]
fn a_reduction_at_a_wrong_place_is_a_matter_of_addressing() {
    let files = ["sured/p-operations", "sured/bounds", "sured/coordinates"];
    let classes = unnamed(Mistake::ReductionScaledByFour, &files, 1);
    assert_eq!(classes.keys().collect::<Vec<_>>(), [&MismatchClass::Addressing], "{classes:?}");
}

#[test]
fn a_bound_that_is_one_too_far_is_a_matter_of_bounds() {
    let files = ["suld/bounds-2d", "suld/bounds-3d", "suld/sweep-3d", "sust/bounds-3d", "sust/p-bounds"];
    for mistake in [Mistake::TrapOffByOneInY, Mistake::TrapOffByOneInZ] {
        let classes = unnamed(mistake, &files, 5);
        assert_eq!(
            classes.keys().collect::<Vec<_>>(),
            [&MismatchClass::OutOfBounds],
            "{mistake:?}: {classes:?}"
        );
    }
}

#[test]
fn wrong_rounding_is_a_matter_of_conversion() {
    let files = ["sust/p-normalised", "sust/p-bounds"];
    for mistake in [Mistake::RoundsUpLate, Mistake::AddsHalfAndTruncates] {
        let classes = unnamed(mistake, &files, 1);
        // A sum in binary32 is off by little: what is off by no more than a rounding may be, is none.
        let none = mistake == Mistake::AddsHalfAndTruncates && classes.is_empty();
        let conversion = classes.keys().eq([&MismatchClass::Conversion]);
        assert!(none || conversion, "{mistake:?}: {classes:?}");
    }
}

/// A case of sust.p to unorm8 in which one row came out truncated, and all others are right: those where truncating would show refute
/// that the target truncates.
#[test]
fn rows_that_are_right_refute_a_deviation() {
    let variant =
        corpus().variants.iter().find(|v| v.id.starts_with("sust/p-normalised/sust.p to unorm8[")).unwrap();
    let Work::Launches(launches) = &variant.work else { panic!("it launches") };
    let mut programs = Programs::default();
    let units: Vec<_> = launches.iter().flat_map(|launch| units(launch, &mut programs).unwrap()).collect();
    let of_row = |unit: &Unit<'_>| unit.planned.rows[0].inputs.iter().next().unwrap().1.to_owned();
    let right = |unit: &Unit<'_>| run(&unit.planned, &unit.planned.launch.program);
    // 1 - 2^-24 times 255 is 254.99998: the nearest integer is 255.
    let wrong = |unit: &Unit<'_>| {
        let Observation::Completed { mut state } = right(unit) else { panic!("it completes") };
        let image = state.regions.iter_mut().find(|r| r.name == "img").unwrap();
        assert_eq!(image.bytes[1], 255);
        image.bytes[1] = 254;
        Observation::Completed { state }
    };
    let seen = |unit: &Unit<'_>| if of_row(unit) == "0x3f7fffff" { wrong(unit) } else { right(unit) };
    let observations: Vec<Observation> = units.iter().map(seen).collect();
    let all: Vec<ObservedLaunch<'_>> = units
        .iter()
        .zip(&observations)
        .map(|(unit, observation)| ObservedLaunch { unit, observation })
        .collect();

    let alone: Vec<ObservedLaunch<'_>> =
        all.iter().copied().filter(|s| of_row(s.unit) == "0x3f7fffff").collect();
    assert_eq!(diagnose(&alone).exact, [Deviation::SustPTruncates], "the wrong row by itself says so");

    let found = diagnose(&all);
    assert_eq!(found.exact, []);
    let nearest = found.nearest.unwrap();
    assert_eq!(nearest.deviation, Deviation::SustPTruncates);
    let refuting = all[nearest.launch];
    let example = counterexample(refuting.unit, refuting.observation, &nearest.refutation).unwrap();
    let bits = u32::from_str_radix(of_row(refuting.unit).strip_prefix("0x").unwrap(), 16).unwrap();
    let product = f64::from(f32::from_bits(bits)) * 255.0;
    assert_eq!(example.expected, [product.floor() as u8], "what truncating predicts of {product}");
    assert_eq!(example.observed, [product.round_ties_even() as u8]);
}

/// Each of these planted by itself is what everything is put down to, in every variant that it makes wrong; what is named beside it
/// fits everything that was seen as well.
#[test]
fn a_deviation_by_itself_is_named_throughout() {
    for (name, files) in [
        ("suld.clamp-as-zero", &["suld/bounds-1d", "suld/bounds-3d", "suld/widths"][..]),
        ("sust.clamp-as-zero", &["sust/bounds-1d", "sust/p-bounds"]),
        ("surface.x-as-texel", &["suld/bounds-2d", "sust/bounds-1d", "sured/coordinates"]),
        ("surface.y-wraps", &["suld/bounds-2d", "sust/bounds-2d"]),
        ("surface.vector-reversed", &["suld/bounds-1d", "sust/bounds-1d", "suld/widths"]),
        ("surface.layer-signed", &["suld/bounds-a1d", "suld/bounds-a2d"]),
        ("surface.bound-first-byte", &["suld/bounds-1d", "suld/straddle"]),
        ("suld.b8-sign-extended", &["suld/bounds-1d", "suld/widths"]),
        ("sust.p-truncates", &["sust/p-normalised", "sust/p-bounds"]),
        ("sust.p-reversed", &["sust/p-components", "sust/p-bounds"]),
        ("sured.p-sign-from-opcode", &["sured/p-operations"]),
        ("surface.sample-x-as-byte", &["sust/p-bounds", "sured/bounds"]),
        // With these some contended launches race, or have histories that are none: there they speak for themselves.
        ("st.predicate-ignored", &["memory/load-store", "atomics/contended", "atomics/histories"]),
        ("atom.dec-ignores-greater", &["atomics/single", "atomics/contended"]),
        ("spa.cast-returns-old", &["spa/atoms", "spa/contention", "spa/histories"]),
    ] {
        let deviation = Deviation::from_name(name).unwrap();
        let target = EmulatorTarget::new(Semantics::default().with(deviation));
        // Files of surface instructions have hundreds of variants.
        let variants = of_files(files, if name.starts_with("su") { 5 } else { 1 });
        let session = against(&variants, target);
        let mut wrong = 0;
        for (id, finding) in findings(&session) {
            wrong += 1;
            // Where a narrower one fits all that was observed of the family, that one is named.
            let is_it = |one: &Deviation| *one == deviation || is_narrower(*one, deviation);
            assert!(finding.explained.iter().any(is_it), "{name}, {id}: {:?}", finding.explained);
            assert!(!finding.together && finding.refuted.is_none(), "{name}, {id}");
            if finding.explained.contains(&deviation) {
                assert_eq!(finding.class(), deviation.class(), "{name}, {id}: {:?}", finding.explained);
            }
        }
        assert!(wrong > 0, "{name} is not caught");
    }
}

#[test]
fn two_deviations_of_one_instruction_are_both_named() {
    let (a, b) = (Deviation::SuldClampAsZero, Deviation::SurfaceVectorReversed);
    let target = EmulatorTarget::new(Semantics::default().with(a).with(b));
    let variants = of_files(&["suld/bounds-1d", "suld/bounds-2d"], 3);
    let session = against(&variants, target);
    let mut seen = [0; 3];
    for (id, finding) in findings(&session) {
        let explained = (finding.explained.contains(&a), finding.explained.contains(&b), finding.together);
        let kind = match explained {
            (true, false, false) => 0,
            (false, true, false) => 1,
            // Where both show, neither will do alone.
            (true, true, true) => 2,
            _ => panic!("{id}: {:?}", finding.explained),
        };
        seen[kind] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

/// What fits one case is not named in a run in which another case of the instruction refutes it, and that case is.
#[test]
fn what_another_case_refutes_is_not_named_for_a_group() {
    /// Truncates to unorm8, and rounds right to all other formats.
    struct TruncatesBytes;
    impl Target for TruncatesBytes {
        fn name(&self) -> &str {
            "truncates-bytes"
        }

        fn observe(&self, question: Question<'_>) -> Observation {
            let bytes = question.planned.launch.surfaces.iter().any(|s| s.format.to_string() == "unorm8");
            let truncating = Semantics::default().with(Deviation::SustPTruncates);
            let semantics = if bytes { truncating } else { Semantics::default() };
            warpdiff_emulator::observe(question.program.unwrap(), &question.planned.launch, &semantics)
                .unwrap()
        }
    }
    let is_8 = |v: &&Variant| v.id.starts_with("sust/p-normalised/sust.p to unorm8[");
    let all = of_files(&["sust/p-normalised"], 1);
    let only_8: Vec<_> = all.iter().copied().filter(|v| is_8(v)).collect();

    let session = against(&only_8, TruncatesBytes);
    assert!(findings(&session).count() > 0);
    for (id, finding) in findings(&session) {
        assert_eq!(finding.explained, [Deviation::SustPTruncates], "{id}: it is exact on what ran");
    }

    let session = against(&all, TruncatesBytes);
    assert!(findings(&session).count() > 0);
    for (id, finding) in findings(&session) {
        assert_eq!(finding.explained, [], "{id}");
        assert_eq!(finding.class(), MismatchClass::Conversion, "{id}");
        let refuted = finding.refuted.as_ref().unwrap();
        assert_eq!(refuted.deviation, Deviation::SustPTruncates);
        let RefutedBy::Variant { id: by, instruction } = &refuted.by else { panic!("{id}: {refuted:?}") };
        assert!(!by.contains("unorm8["), "{by}");
        assert_eq!(instruction.as_deref(), Some("sust.p"));
        let example = refuted.example.as_ref().unwrap();
        assert!(example.row.is_some() && example.expected != example.observed, "{example:?}");
    }
    let causes = causes::of(&session, 0);
    assert_eq!(causes.len(), 1, "{causes:?}");
    assert_eq!(causes[0].0, "conversion in sust.p, reproduced by no known deviation");
}

/// What goes wrong in a surface, beside outputs that are right and shorter than the offset in the surface.
#[test]
fn a_wrong_surface_beside_right_outputs_is_diagnosed() {
    let text = "\
- case: a store and an output
  covers: []
  surfaces: {img: {geometry: 1d, extent: [4], format: u32, texels: zero}}
  inputs: {x: s32}
  outputs: {d: b32}
  body: |
    suld.b.1d.b32.zero %d, [img, {%x}];
    sust.b.1d.b32.clamp [img, {%x}], 7;
  rows: [{x: 16, d: 0, image: {img: {3: 7}}}]
";
    let folder = tempfile::tempdir().unwrap();
    let variants =
        warpdiff_corpus::load_text_as(Path::new("cases/a/b.yaml"), text.into(), folder.path()).unwrap();
    let semantics = Semantics::default().with(Deviation::SustClampAsZero);
    let session = against(&[&variants[0]], EmulatorTarget::new(semantics));
    let (_, finding) = findings(&session).next().unwrap();
    assert_eq!(
        finding.explained,
        [Deviation::SustClampAsZero],
        "surface.mode-ignored fits as well, and is wider"
    );
    assert_eq!(finding.class(), MismatchClass::Clamp);
}
