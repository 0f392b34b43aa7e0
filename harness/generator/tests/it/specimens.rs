//! What every generated program must satisfy, over a few thousand of them.

use std::collections::{BTreeMap, BTreeSet};

use warpdiff_generator::register_forms;
use warpdiff_generator::specimen::{
    Language, Object, Pointee, Reach, Register, Shape, Side, Space, Specimen, Step, WINDOW,
};
use warpdiff_model::AddressMode;
use warpdiff_ptx::vocabulary::Type;

const PROGRAMS: u64 = 3000;

fn specimens() -> impl Iterator<Item = Specimen> {
    (0..PROGRAMS).map(|index| warpdiff_generator::specimen(11, index).expect("a specimen"))
}

#[test]
fn registers_are_written_once_before_they_are_read() {
    for specimen in specimens() {
        let mut written: BTreeSet<u32> = BTreeSet::new();
        let mut write = |register: &Register| assert!(written.insert(register.number), "{register:?} twice");
        specimen.inputs.iter().for_each(|input| write(&input.register));
        for step in &specimen.steps {
            for read in step.reads() {
                // Of the run of a loop before, or what it was before the first.
                let is_own = step.results.contains(&read) && step.within.is_some();
                assert!(written.contains(&read.number) || is_own, "{} reads {read:?} too early", step.opcode);
            }
            for result in &step.results {
                assert!(written.insert(result.number), "{result:?} twice");
            }
        }
    }
}

#[test]
fn every_column_has_a_value_for_each_thread_that_fits_its_register() {
    for specimen in specimens() {
        for input in &specimen.inputs {
            assert_eq!(input.values.len(), specimen.threads as usize);
            let widest = u64::MAX >> (64 - 8 * input.register.class.size());
            assert!(input.values.iter().all(|value| *value <= widest), "{input:?}");
        }
    }
}

#[test]
fn memory_accesses_are_aligned_and_stay_in_their_window() {
    for specimen in specimens() {
        for step in &specimen.steps {
            let (offset, elements) = match step.shape {
                Shape::Load { offset, .. } | Shape::Atomic { offset, .. } => (offset, step.results.len()),
                Shape::Store { offset, .. } => (offset, step.sources.len()),
                _ => continue,
            };
            let ty =
                step.opcode.rsplit('.').next().and_then(Type::from_text).expect("a type ends the opcode");
            // The operands of an atomic are no vector.
            let vector = step.opcode.starts_with("ld") || step.opcode.starts_with("st");
            let size = ty.size() * if vector { elements as u32 } else { 1 };
            assert_eq!(offset % size, 0, "{} at {offset}", step.opcode);
            assert!(offset as usize + size as usize <= WINDOW, "{} at {offset}", step.opcode);
        }
    }
}

#[test]
fn no_program_is_undecided_by_construction() {
    for specimen in specimens() {
        // Two threads that store to one texel would race; one that loads what it stored to may see either.
        let stores = specimen.steps.iter().any(|step| step.side() == Some(Side::Sink));
        assert!(!stores || specimen.threads == 1);
        for side in [Side::Source, Side::Sink] {
            let used = specimen.steps.iter().any(|step| step.side() == Some(side));
            assert_eq!(used, specimen.image(side).is_some());
        }
        let samples = specimen.steps.iter().any(Step::is_of_picture);
        assert_eq!(samples, specimen.picture.is_some());
    }
}

#[test]
fn every_opcode_and_every_family_is_reached() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    // Rare combinations want more programs than the other tests.
    for specimen in
        (0..4 * PROGRAMS).map(|index| warpdiff_generator::specimen(11, index).expect("a specimen"))
    {
        for step in &specimen.steps {
            *seen.entry(step.opcode.to_string()).or_default() += 1;
        }
    }
    for of_one in register_forms() {
        let reached = of_one.forms.iter().any(|form| seen.contains_key(&form.text));
        assert!(reached, "no program has any form of {:?}", of_one.opcode);
    }
    for family in ["ld.", "st.", "atom.", "red."] {
        assert!(seen.keys().any(|opcode| opcode.starts_with(family)), "no program has {family}");
    }
    let has = |family: &str, word: &str| {
        let word = format!(".{word}.");
        seen.keys().any(|opcode| opcode.starts_with(family) && opcode.contains(&word))
    };
    for geometry in ["1d", "2d", "3d", "a1d", "a2d"] {
        for family in ["suld.b.", "sust.b.", "sust.p."] {
            assert!(has(family, geometry), "no program has {family} on {geometry}");
        }
    }
    for operation in ["add", "min", "max", "and", "or"] {
        for family in ["sured.b.", "sured.p."] {
            assert!(has(family, operation), "no program has {family} with {operation}");
        }
    }
    for geometry in ["1d", "2d", "3d", "a1d", "a2d"] {
        for types in ["f32.f32", "u32.f32", "s32.f32", "f32.s32", "u32.s32", "s32.s32"] {
            let lookup = format!("tex.{geometry}.v4.{types}");
            assert!(seen.contains_key(&lookup), "no program has {lookup}");
        }
    }
    for mode in ["tex.base", "tex.level", "tex.grad"] {
        for geometry in ["1d", "2d", "3d", "a1d", "a2d"] {
            assert!(has(mode, geometry), "no program has {mode} on {geometry}");
        }
    }
    for geometry in ["cube", "acube"] {
        for family in ["tex.", "tld4."] {
            assert!(has(family, geometry), "no program has {family} on {geometry}");
        }
    }
    for component in ["tld4.r.", "tld4.g.", "tld4.b.", "tld4.a."] {
        for geometry in ["2d", "a2d"] {
            assert!(has(component, geometry), "no program has {component} on {geometry}");
        }
    }
    let with_offset = |step: &Step| matches!(step.shape, Shape::TextureLoad { offset: true, .. });
    assert!(specimens().any(|s| s.steps.iter().any(with_offset)), "no program has an offset in texels");
    for space in ["global", "const"] {
        for ty in
            ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64"]
        {
            let load = format!("ld.{space}.{ty}");
            let of_table = |step: &Step| matches!(step.shape, Shape::TableLoad { .. }) && step.opcode == load;
            assert!(specimens().any(|s| s.steps.iter().any(of_table)), "no program has {load} of a variable");
        }
    }
    for space in Space::ALL {
        assert!(seen.keys().any(|opcode| opcode.starts_with("ld") && opcode.contains(space.name())));
    }
}

#[test]
fn the_range_of_a_step_holds_its_instruction() {
    for specimen in specimens().take(300) {
        let written = specimen.write();
        assert_eq!(written.places.steps.len(), specimen.steps.len());
        for (index, range) in written.places.steps.iter().enumerate() {
            let instruction = &written.launch.program[range.clone()];
            assert!(instruction.contains(&*specimen.steps[index].opcode), "{instruction}");
            assert!(!instruction.contains('\n'), "{instruction}");
        }
    }
}

#[test]
fn a_slot_names_the_step_that_fills_it() {
    for specimen in specimens().take(300) {
        let written = specimen.write();
        let results: Vec<usize> = specimen
            .steps
            .iter()
            .enumerate()
            .flat_map(|(index, step)| step.results.iter().map(move |_| index))
            .collect();
        assert_eq!(written.places.slots, results);
    }
}

#[test]
fn the_same_bytes_give_the_same_program() {
    for index in 0..50 {
        let once = warpdiff_generator::specimen(3, index).unwrap().write();
        let again = warpdiff_generator::specimen(3, index).unwrap().write();
        assert_eq!(once.launch, again.launch);
    }
}

#[test]
fn any_bytes_are_a_program_of_spa() {
    let random: Vec<u8> = (0..400_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let constant = [0x00, 0x01, 0x7f, 0x80, 0xff].map(|byte| vec![byte; 400]);
    let short = (0..200).map(|length| random[..length].to_vec());
    for bytes in constant.into_iter().chain(short).chain([Vec::new()]) {
        let (specimen, used) =
            warpdiff_generator::spa_specimen_of_bytes(&bytes, warpdiff_generator::Mix::All)
                .expect("a specimen");
        assert!(used <= bytes.len() && !specimen.steps.is_empty());
        let text = specimen.write().launch.program;
        let compiled = warpdiff_sass::compile(&text, &warpdiff_sass::Header::default());
        assert!(compiled.is_ok(), "{bytes:?}: {text}");
    }
}

#[test]
fn no_bytes_are_bytes_too() {
    let specimen =
        <Specimen as arbitrary::Arbitrary>::arbitrary(&mut arbitrary::Unstructured::new(&[])).unwrap();
    assert_eq!(specimen.steps.len(), 1);
}

#[test]
fn programs_of_spa_have_every_family_and_both_kinds_of_schedule() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut scheduled = [0; 2];
    for index in 0..PROGRAMS {
        let specimen = warpdiff_generator::spa_specimen(11, index).expect("a specimen");
        let Language::Spa { scheduled: states, .. } = specimen.language else { panic!("not of SPA 5.0") };
        scheduled[usize::from(states)] += 1;
        specimen.steps.iter().for_each(|step| *seen.entry(step.opcode.to_string()).or_default() += 1);
        let written = specimen.write();
        assert_eq!(written.launch.program.contains("&wr="), states);
        for (index, range) in written.places.steps.iter().enumerate() {
            assert!(written.launch.program[range.clone()].contains(&*specimen.steps[index].opcode));
        }
    }
    assert!(scheduled.iter().all(|count| *count > PROGRAMS / 3), "{scheduled:?}");
    for size in ["", ".U8", ".S8", ".U16", ".S16", ".64", ".128"] {
        for name in ["LDL", "LDL.LU", "LDL.CI", "LDS", "LDG.E"] {
            assert!(seen.contains_key(&format!("{name}{size}")), "{name}{size}");
        }
    }
    for name in [
        "ADD",
        "MIN.S32",
        "MAX",
        "INC",
        "DEC",
        "AND",
        "OR",
        "XOR",
        "EXCH.U64",
        "CAS",
        "CAST",
        "CAST.SPIN",
        "CAS.64",
    ] {
        assert!(seen.contains_key(&format!("ATOMS.{name}")), "{name}");
    }
}

/// What the cases of a corpus say of a sampler is to be seen here, too.
#[test]
fn textures_are_sampled_in_every_way() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for specimen in specimens() {
        let Some(picture) = &specimen.picture else { continue };
        let (normalized, filter, address) = picture.sampling();
        let sampler = if picture.beside.is_some() { "samplerref" } else { "texref" };
        seen.extend([format!("{sampler} {filter:?} {normalized}"), format!("{:?}", picture.image.reach)]);
        seen.extend(address.map(|mode| format!("{mode:?} {normalized}")));
        assert!(
            normalized || !address.iter().any(|mode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror))
        );
        let Some(beside) = picture.beside else { continue };
        // "Indirect access to textures is supported only in unified texture mode" (5.3).
        assert!(matches!(picture.image.reach, Reach::Variable | Reach::Parameter));
        seen.extend([format!("{:?} beside", picture.image.reach), format!("sampler {:?}", beside.reach)]);
    }
    for sampler in ["samplerref", "texref"] {
        for filter in ["Nearest", "Linear"] {
            for normalized in [true, false] {
                let way = format!("{sampler} {filter} {normalized}");
                assert!(seen.contains(&way), "no program has {way}");
            }
        }
    }
    let modes = ["Wrap true", "Mirror true", "Clamp true", "Border true", "Clamp false", "Border false"];
    let independent =
        ["Variable beside", "Parameter beside", "sampler Variable", "sampler Pointer", "sampler Parameter"];
    for way in modes.into_iter().chain(["Variable", "Pointer", "Parameter", "Handle"]).chain(independent) {
        assert!(seen.contains(way), "no program has {way}");
    }
}

/// How a program reaches an object, in words, with "independent" before them in that texture mode.
fn reaches(specimen: &Specimen, object: Object) -> Vec<String> {
    let picture = specimen.picture.as_ref();
    let beside = picture.and_then(|picture| picture.beside);
    let image = match object {
        Object::Image(side) => specimen.image(side),
        Object::Picture => picture.map(|picture| &picture.image),
        Object::Sampler => return vec![format!("{:?}", beside.expect("a sampler").reach)],
    };
    let image = image.expect("the object of the step");
    let mut all = vec![format!("{:?}", image.reach)];
    if beside.is_some() {
        all.push(format!("independent {:?}", image.reach));
    }
    if image.reach.is_variable() && image.has_members {
        all.push("members".to_owned());
    }
    all
}

/// What a step does to an object: the family, or of a question the object or the type of the array.
fn asks(specimen: &Specimen, step: &Step) -> String {
    let family = || step.opcode.chars().take(4).collect::<String>().trim_end_matches('.').to_owned();
    match step.shape {
        Shape::PointsTo { pointee: Pointee::Array(table) } => {
            format!("{} {}[]", step.opcode, specimen.tables[table as usize].ty)
        }
        Shape::PointsTo { pointee: Pointee::Object(object) } => format!("{} {object:?}", step.opcode),
        Shape::Query { object: Object::Sampler } => "txq Sampler".to_owned(),
        _ => family(),
    }
}

/// Every object by its variable, by a pointer to that, as a parameter of opaque type, and by a handle, where there is such a way; each with
/// accesses, queries and questions for its type. Questions of arrays for every type.
#[test]
fn opaque_objects_are_reached_in_every_way() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for specimen in
        (0..16 * PROGRAMS).map(|index| warpdiff_generator::specimen(13, index).expect("a specimen"))
    {
        for step in &specimen.steps {
            let asks = asks(&specimen, step);
            match step.object() {
                Some(object) => {
                    let ways = reaches(&specimen, object);
                    seen.extend(ways.iter().map(|way| format!("{asks} {way}")));
                }
                None if matches!(step.shape, Shape::PointsTo { .. }) => {
                    seen.insert(asks);
                }
                None => {}
            }
        }
    }
    let is_seen = |way: String| assert!(seen.contains(&way), "no program has {way}");
    let types = ["texref", "surfref", "samplerref"];
    for reach in ["Variable", "Pointer", "Parameter", "Handle", "members"] {
        for kind in ["suld", "sust", "sure", "suq", "tex", "txq"] {
            is_seen(format!("{kind} {reach}"));
        }
    }
    for reach in ["Variable", "Pointer", "Handle"] {
        for kind in ["suld", "sust", "sure", "suq"] {
            is_seen(format!("{kind} independent {reach}"));
        }
    }
    for reach in ["Variable", "Parameter"] {
        is_seen(format!("tex independent {reach}"));
        is_seen(format!("txq independent {reach}"));
    }
    let (source, picture) = ("Image(Source)", "Picture");
    for (opcode, own, other) in [("istypep.surfref", source, picture), ("istypep.texref", picture, source)] {
        for reach in ["Variable", "Pointer", "Handle"] {
            is_seen(format!("{opcode} {other} {reach}"));
        }
        is_seen(format!("{opcode} {own} Pointer"));
        // What is answered of a handle of that type is open.
        assert!(!seen.contains(&format!("{opcode} {own} Handle")), "{opcode}");
    }
    for reach in ["Variable", "Pointer", "Parameter"] {
        is_seen(format!("txq Sampler {reach}"));
        let is_asked =
            |way: &String| way.starts_with("istypep") && way.ends_with(&format!("Sampler {reach}"));
        assert!(seen.iter().any(is_asked), "no program asks for the type of a sampler: {reach}");
    }
    for ty in types {
        is_seen(format!("istypep.{ty} Sampler Variable"));
        types.iter().for_each(|array| is_seen(format!("istypep.{ty} {array}[]")));
    }
}

/// What comes behind the last byte is zero, so that the rest of such a program would be the same in all.
#[test]
fn no_program_uses_up_its_bytes() {
    use warpdiff_generator::seed::{SPECIMEN_BYTES, fill};
    use warpdiff_generator::{Mix, NEWEST_TARGET, spa_specimen_of_bytes, specimen_of_bytes};
    let mut bytes = vec![0; SPECIMEN_BYTES];
    let mut most = 0;
    for index in 0..2 * PROGRAMS {
        fill(&mut bytes, 7, index);
        let (_, used) = spa_specimen_of_bytes(&bytes, Mix::All).unwrap();
        most = most.max(used);
        for (mix, _) in Mix::ALL {
            let (_, used) = specimen_of_bytes(&bytes, NEWEST_TARGET, mix).unwrap();
            most = most.max(used);
        }
    }
    assert!(most < SPECIMEN_BYTES, "{most}");
}

#[test]
fn a_specimen_is_made_of_the_first_bytes_alone() {
    use arbitrary::{Arbitrary, Unstructured};
    use warpdiff_generator::seed::{SPECIMEN_BYTES, fill};
    use warpdiff_generator::{Mix, NEWEST_TARGET, spa_specimen_of_bytes, specimen_of_bytes};
    for index in 0..300 {
        let mut bytes = vec![0; SPECIMEN_BYTES];
        fill(&mut bytes, 1, index);
        let (specimen, used) = specimen_of_bytes(&bytes, NEWEST_TARGET, Mix::All).unwrap();
        assert_eq!(specimen, warpdiff_generator::specimen(1, index).unwrap());
        assert!(0 < used && used < bytes.len(), "{used}");
        let alone = specimen_of_bytes(&bytes[..used], NEWEST_TARGET, Mix::All).unwrap();
        // libFuzzer reads them as that.
        let arbitrary = Specimen::arbitrary(&mut Unstructured::new(&bytes[..used])).unwrap();
        assert_eq!(arbitrary, specimen, "program {index}");
        assert_eq!(alone, (specimen, used), "program {index}");
        let (specimen, used) = spa_specimen_of_bytes(&bytes, Mix::All).unwrap();
        assert_eq!(
            spa_specimen_of_bytes(&bytes[..used], Mix::All).unwrap(),
            (specimen, used),
            "SPA 5.0, program {index}"
        );
    }
}
