//! The rows of a case: their inputs, what the case states of them by hand, and what the reference allows.

use std::collections::BTreeMap;

use warpdiff_corpus::byte_strings::EcoBytes;
use warpdiff_corpus::bytes::{hex, kind_name, masked_hex, number};
use warpdiff_corpus::elements::Elements;
use warpdiff_corpus::plan::{Column, Expected, PlannedLaunch, Variant, Work};
use warpdiff_judge::reference::{Programs, Unit, units};
use warpdiff_model::allowed::{MaskedRegion, Value};
use warpdiff_model::{Buffer, FaultKind, Launch, Outcome, Permitted, RegionKind};

/// Most rows that are shown of a case.
pub(crate) const SHOWN: usize = 48;
/// Most places of an object that are named, and most bytes of a place.
const PLACES: usize = 8;
const BYTES: usize = 16;
/// Most values that are named of one output.
const VALUES: usize = 6;

/// A row, or what a whole launch does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowShown {
    /// Its number; `None` for what several rows, or the threads of a whole program, do together.
    pub(crate) index: Option<usize>,
    /// `x = 16`, for each input.
    pub(crate) inputs: Vec<String>,
    /// What the case states: `d = 11`, `must fault: surface-trap`.
    pub(crate) stated: Vec<String>,
    /// What the reference allows, likewise.
    pub(crate) allowed: Vec<String>,
}

/// The rows of a variant, and how many there are besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The first rows.
    pub(crate) shown: Vec<RowShown>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// The rows of a variant, each launch of several rows with what these do together at its end, and that alone of a whole program; nothing if
/// the reference cannot run it.
pub(crate) fn of(variant: &Variant) -> Rows {
    let mut rows = Rows::default();
    let Work::Launches(launches) = &variant.work else { return rows };
    let mut programs = Programs::default();
    for planned in launches {
        if rows.shown.len() >= SHOWN {
            rows.more += planned.rows.len();
            continue;
        }
        let Ok(units) = units(planned, &mut programs) else { return Rows::default() };
        for unit in &units {
            let count = unit.planned.rows.len();
            for place in 0..count {
                match rows.shown.len() < SHOWN {
                    true => rows.shown.push(shown(unit, Some(place))),
                    false => rows.more += 1,
                }
            }
            if count != 1 {
                let together = shown(unit, None);
                rows.shown
                    .extend(Some(together).filter(|it| !it.stated.is_empty() || !it.allowed.is_empty()));
            }
        }
    }
    rows
}

/// The row at that place of a launch, or what all rows do together.
fn shown(unit: &Unit<'_>, place: Option<usize>) -> RowShown {
    let planned: &PlannedLaunch = &unit.planned;
    let row = place.and_then(|place| planned.rows.get(place));
    let inputs = row.map(|row| planned.inputs_with_bits(row)).unwrap_or_default();
    let inputs = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let stride = stride(planned);
    // What several rows did together belongs to none of them.
    let whole = place.is_none() || planned.rows.len() == 1;
    let mut stated = Vec::new();
    // What is stated of other objects, by object.
    let mut elsewhere: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for expectation in planned.expectations.iter() {
        match here(&expectation.what, stride, place) {
            Here::Column(at) => {
                let column = planned.columns.iter().find(|column| column.bytes().contains(&at));
                stated.extend(
                    column.map(|column| format!("{} = {}", column.name, values(&expectation.what, column))),
                );
            }
            Here::Elsewhere(object) if whole => {
                elsewhere.entry(object).or_default().push(bytes_words(&expectation.what, planned))
            }
            Here::Ending(words) if whole => stated.push(words),
            Here::OtherRow | Here::Elsewhere(_) | Here::Ending(_) => {}
        }
    }
    for (object, places) in elsewhere {
        match places.len() {
            ..=PLACES => stated.extend(places.iter().map(|words| format!("{object}, {words}"))),
            many => stated.push(format!("{many} places of {object}")),
        }
    }
    RowShown { index: row.map(|row| row.index), inputs, stated, allowed: allowed(unit, place, stride, whole) }
}

/// Bytes of a row of outputs.
fn stride(planned: &PlannedLaunch) -> usize {
    let outputs = planned.launch.buffers.iter().find(|buffer| buffer.name == PlannedLaunch::OUTPUTS);
    outputs.map_or(0, |buffer| buffer.stride as usize)
}

/// What an expectation is about, seen from a row.
enum Here {
    /// A byte within the row of outputs.
    Column(usize),
    /// An output of another row.
    OtherRow,
    /// Another object.
    Elsewhere(String),
    /// How the launch ends.
    Ending(String),
}

fn here(what: &Expected, stride: usize, place: Option<usize>) -> Here {
    let (region, name, offset) = match what {
        Expected::Bytes { region, name, offset, .. } | Expected::Between { region, name, offset, .. } => {
            (*region, &**name, *offset)
        }
        Expected::Undefined { region, name, range } | Expected::Nan { region, name, range } => {
            (*region, &**name, range.start)
        }
        // It is about all rows alike.
        Expected::Permutation(one) if one.buffer == PlannedLaunch::OUTPUTS => {
            return if place.is_some() { Here::Column(one.offset) } else { Here::OtherRow };
        }
        Expected::Permutation(one) => (RegionKind::Buffer, one.buffer.as_str(), one.offset),
        Expected::Fault(class) => return Here::Ending(format!("must fault: {class}")),
        Expected::MayFault(class) => return Here::Ending(format!("may fault: {class}")),
        Expected::TimedOut => return Here::Ending("does not end".into()),
    };
    if region != RegionKind::Buffer || name != PlannedLaunch::OUTPUTS {
        return Here::Elsewhere(format!("{} {name}", kind_name(region)));
    }
    match offset.checked_div(stride) {
        Some(row) if Some(row) != place => Here::OtherRow,
        Some(_) => Here::Column(offset % stride),
        None => Here::Elsewhere(format!("{} {name}", kind_name(region))),
    }
}

/// Stated bytes of an object that is no output.
fn bytes_words(what: &Expected, planned: &PlannedLaunch) -> String {
    let launch = &planned.launch;
    match what {
        Expected::Bytes { region, name, offset, alternatives, mask, or_undefined } => {
            let elements = planned.elements(*region, name);
            let elements = elements.filter(|of| offset % of.size == 0 && mask.len() % of.size == 0);
            let place = place_words(elements.as_ref(), *offset, mask.len());
            // Behind single elements a case states everything else of their object.
            let holes = mask.iter().any(|bits| *bits != 0xFF);
            if let (true, [rest], Some(before)) = (holes, &**alternatives, contents(launch, *region, name)) {
                let same =
                    |at: usize| before.get(offset + at).is_some_and(|old| (old ^ rest[at]) & mask[at] == 0);
                if (0..mask.len()).all(same) {
                    return "nothing else changes".into();
                }
            }
            if mask.len() > BYTES {
                return place;
            }
            let written = |bytes: &EcoBytes| match &elements {
                Some(of) => {
                    let values = bytes.chunks(of.size).zip(mask.chunks(of.size));
                    let is_stated = |mask: &[u8]| mask.iter().any(|bits| *bits != 0);
                    let words = |(bytes, mask): (&[u8], &[u8])| match is_stated(mask) {
                        true => of.stated(bytes, mask),
                        false => "anything".into(),
                    };
                    values.map(words).collect::<Vec<_>>().join(", ")
                }
                None => masked_hex(bytes, mask),
            };
            let mut all: Vec<String> = alternatives.iter().map(written).collect();
            all.extend(or_undefined.then(|| "undefined".to_owned()));
            format!("{place}: {}", all.join(" or "))
        }
        Expected::Undefined { region, name, range } => {
            let elements = planned.elements(*region, name);
            format!("{}: undefined", place_words(elements.as_ref(), range.start, range.len()))
        }
        Expected::Nan { region, name, range } => {
            let elements = planned.elements(*region, name);
            format!("{}: a NaN", place_words(elements.as_ref(), range.start, range.len()))
        }
        Expected::Between { region, name, offset, ends: [least, greatest] } => {
            let elements = planned.elements(*region, name);
            let place = place_words(elements.as_ref(), *offset, least.len());
            let ty = elements.map_or("", |of| of.ty);
            let written = |bytes: &EcoBytes| number(bytes, ty).unwrap_or_else(|| hex(bytes));
            format!("{place}: from {} to {}", written(least), written(greatest))
        }
        Expected::Permutation(one) => one.words(),
        Expected::Fault(_) | Expected::MayFault(_) | Expected::TimedOut => String::new(),
    }
}

/// A place of an object: the elements that it consists of, with the coordinates of a single texel, or its bytes.
fn place_words(elements: Option<&Elements<'_>>, start: usize, length: usize) -> String {
    match elements.filter(|of| start.is_multiple_of(of.size) && length.is_multiple_of(of.size)) {
        Some(of) if length == of.size => of.words(start / of.size),
        Some(of) => format!("elements {} to {}", start / of.size, (start + length) / of.size - 1),
        None if length == 1 => format!("byte {start}"),
        None => format!("bytes {start} to {}", start + length - 1),
    }
}

/// The bytes of an object before the launch.
fn contents<'l>(launch: &'l Launch, region: RegionKind, name: &str) -> Option<&'l [u8]> {
    match region {
        RegionKind::Surface => launch.surfaces.iter().find(|it| it.name == name).map(|it| &*it.bytes),
        RegionKind::Buffer => launch.buffers.iter().find(|it| it.name == name).map(|it| &*it.bytes),
        RegionKind::Guard | RegionKind::Variable => None,
    }
}

/// The stated values of an output.
fn values(what: &Expected, column: &Column) -> String {
    match what {
        Expected::Bytes { alternatives, or_undefined, mask, .. } => {
            let whole = mask.iter().all(|bits| *bits == 0xFF);
            let written = |bytes: &EcoBytes| {
                let number =
                    number(bytes, &column.ty).filter(|_| whole && bytes.len() == column.size as usize);
                number.unwrap_or_else(|| if whole { hex(bytes) } else { masked_hex(bytes, mask) })
            };
            let mut all: Vec<String> = alternatives.iter().map(written).collect();
            all.extend(or_undefined.then(|| "undefined".to_owned()));
            all.join(" or ")
        }
        Expected::Undefined { .. } => "undefined".into(),
        Expected::Nan { .. } => "a NaN".into(),
        Expected::Between { ends: [least, greatest], .. } => {
            let written = |bytes: &EcoBytes| number(bytes, &column.ty).unwrap_or_else(|| hex(bytes));
            format!("from {} to {}", written(least), written(greatest))
        }
        Expected::Permutation(one) => one.words(),
        Expected::Fault(_) | Expected::MayFault(_) | Expected::TimedOut => String::new(),
    }
}

/// What the reference allows: of a row each output with its values in all outcomes; if it is the `whole` launch, other objects and the
/// endings.
fn allowed(unit: &Unit<'_>, place: Option<usize>, stride: usize, whole: bool) -> Vec<String> {
    let planned: &PlannedLaunch = &unit.planned;
    let columns = if place.is_some() { &*planned.columns } else { &[] };
    let mut found: Vec<(String, Vec<String>)> =
        columns.iter().map(|column| (column.name.clone(), Vec::new())).collect();
    let mut endings: Vec<String> = Vec::new();
    let note = |list: &mut Vec<String>, words: String| {
        if !list.contains(&words) {
            list.push(words);
        }
    };
    for outcome in &unit.allowed.outcomes {
        match &outcome.permitted {
            Permitted::Completed { state } => {
                let outputs = state.regions.iter().find(|region| {
                    region.region.kind == RegionKind::Buffer && region.region.name == PlannedLaunch::OUTPUTS
                });
                if let (Some(outputs), Some(place)) = (outputs, place) {
                    for (column, (_, values)) in columns.iter().zip(&mut found) {
                        note(values, value(outputs, place * stride, column));
                    }
                }
                if whole {
                    for (object, words) in changes(&state.regions, planned) {
                        match found.iter_mut().find(|(name, _)| *name == object) {
                            Some((_, values)) => note(values, words),
                            None => found.push((object, vec![words])),
                        }
                    }
                }
            }
            Permitted::Faulted { faults } => {
                faults
                    .iter()
                    .for_each(|fault| note(&mut endings, fault_words(fault.kind, &fault.class.to_string())));
            }
            Permitted::TimedOut => note(&mut endings, "does not end".into()),
            Permitted::Indeterminate { .. } => note(&mut endings, "is not decided".into()),
        }
        may_words(outcome).into_iter().for_each(|words| note(&mut endings, words));
    }
    let outputs = found.into_iter().filter(|(_, values)| !values.is_empty()).map(|(name, mut values)| {
        let more = values.len().saturating_sub(VALUES);
        values.truncate(VALUES);
        let more = if more == 0 { String::new() } else { format!(" or {more} others") };
        // An object has a place behind its name, a column has not.
        let is = if name.contains(' ') { ":" } else { " =" };
        format!("{name}{is} {}{more}", values.join(" or "))
    });
    if !whole {
        endings.clear();
    }
    let mut all: Vec<String> = outputs.chain(endings).collect();
    if all.is_empty() && planned.rows.len() == 1 {
        all.push("nothing changes".into());
    }
    all
}

/// What a launch changed of objects that are no outputs: the object, and its changed bytes.
fn changes(regions: &[MaskedRegion], planned: &PlannedLaunch) -> Vec<(String, String)> {
    let launch = &planned.launch;
    let mut found = Vec::new();
    for region in regions {
        let name = &region.region.name;
        let kind = region.region.kind;
        // Of undefined contents nothing can be told apart.
        let undefined = |it: &Buffer| it.name == *name && !it.defined.is_empty();
        // A whole program may have a buffer of the name that outputs have.
        let outputs = name == PlannedLaunch::OUTPUTS && !planned.columns.is_empty();
        if kind == RegionKind::Buffer && (outputs || launch.buffers.iter().any(undefined)) {
            continue;
        }
        let Some(before) = contents(launch, kind, name) else { continue };
        let bytes = &region.region.bytes;
        let differs = |at: usize| {
            let fixed = region.defined[at] & !region.unordered[at];
            fixed != 0xFF || before.get(at) != Some(&bytes[at])
        };
        let object = format!("{} {name}", kind_name(kind));
        // Elements of several bytes are a place each; single bytes that follow each other are one.
        let elements = planned.elements(kind, name).filter(|elements| elements.size > 1);
        let step = elements.as_ref().map_or(1, |elements| elements.size);
        let mut at = 0;
        let mut places = 0;
        while at < bytes.len() {
            let value = |at: usize| region.values.iter().find(|value| value.offset == at);
            let start = at;
            if let Some(value) = value(at) {
                at = value.range().end;
            } else if step > 1 && (at..bytes.len().min(at + step)).any(differs) {
                at = bytes.len().min(at + step);
            } else if step == 1 && differs(at) {
                // A value that is fixed further than its bits is a place of its own.
                while at < bytes.len()
                    && differs(at)
                    && at - start < BYTES
                    && (at == start || value(at).is_none())
                {
                    at += 1;
                }
            } else {
                at += step;
                continue;
            }
            places += 1;
            if places > PLACES {
                found.push((object.clone(), "further places".to_owned()));
                break;
            }
            let values = region.values.iter().find(|value| value.range() == (start..at));
            let fixed = (start..at).map(|at| region.defined[at] & !region.unordered[at]).collect::<Vec<_>>();
            let written = || match &elements {
                Some(of) if at - start == of.size => of.value(&bytes[start..at], &fixed),
                _ => masked_hex(&bytes[start..at], &fixed),
            };
            let words = values.map_or_else(written, Value::words);
            let place = place_words(elements.as_ref(), start, at - start);
            found.push((format!("{object}, {place}"), words));
        }
    }
    found
}

fn may_words(outcome: &Outcome) -> Vec<String> {
    outcome.may.iter().map(|fault| fault_words(fault.kind, &fault.class.to_string())).collect()
}

fn fault_words(kind: FaultKind, class: &str) -> String {
    match kind {
        FaultKind::Must => format!("must fault: {class}"),
        FaultKind::May => format!("may fault: {class}"),
    }
}

/// The value of an output in one outcome.
fn value(outputs: &MaskedRegion, row: usize, column: &Column) -> String {
    let range = row + column.offset as usize..row + (column.offset + column.size) as usize;
    if let Some(value) = outputs.values.iter().find(|value| value.range() == range) {
        return value.words();
    }
    let part = |bytes: &[u8]| bytes.get(range.clone()).map(<[u8]>::to_vec).unwrap_or_default();
    let (bytes, defined) = (part(&outputs.region.bytes), part(&outputs.defined));
    if part(&outputs.unordered).iter().any(|bits| *bits != 0) {
        return "what the order of atomics gives".into();
    }
    if outputs.values.iter().any(|value| value.offset < range.end && range.start < value.range().end) {
        return "part of it fixed further than by its bits".into();
    }
    if defined.iter().all(|bits| *bits == 0xFF) {
        return number(&bytes, &column.ty).unwrap_or_else(|| hex(&bytes));
    }
    match defined.iter().all(|bits| *bits == 0) {
        true => "undefined".into(),
        false => format!("{} (`?` is undefined)", masked_hex(&bytes, &defined)),
    }
}
