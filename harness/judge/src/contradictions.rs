//! Which expectations of a launch the reference contradicts, and with which elements.

use std::borrow::Cow;
use std::ops::Range;

use warpdiff_corpus::byte_strings::EcoBytes;
use warpdiff_corpus::bytes;
use warpdiff_corpus::elements::Elements;
use warpdiff_corpus::expectation_list::Entry;
use warpdiff_corpus::plan::{Column, Expectation, Expected, PlannedLaunch};
use warpdiff_model::allowed::{MaskedState, Permits, Value};
use warpdiff_model::{FaultClass, Outcome, Permitted, Permutation, RegionKind, Tolerance};

use crate::judgement::{covers, describe, inside, is_nan, near};
use crate::open_choices::{self, Given};
use crate::outputs_of_outcomes::OutputsOfOutcomes;
use crate::reference::{Unit, must_classes};

/// An expectation that the reference contradicts.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// The expectation.
    pub expectation: Expectation,
    /// The reference's value or ending, as a lowercase fragment.
    pub instead: String,
    /// The elements concerned, of an expectation that states many.
    pub notes: Vec<String>,
}

/// What the reference has in place of an expectation.
struct Instead {
    words: String,
    notes: Vec<String>,
}

impl From<String> for Instead {
    fn from(words: String) -> Self {
        Self { words, notes: Vec::new() }
    }
}

/// Every expectation of the launch that the reference contradicts. If the launch does not complete, and so has no memory, only the
/// first expectation is listed.
pub fn contradictions(unit: &Unit<'_>) -> Vec<Contradiction> {
    let stopped = unit.allowed.outcomes.iter().any(|o| !matches!(o.permitted, Permitted::Completed { .. }));
    let valued = OutcomesWithValues::of(unit);
    let mut found: Vec<Contradiction> = Vec::new();
    let outputs = OutputsOfOutcomes::of(unit, valued.outcomes.iter().chain(&valued.orders).copied());
    for entry in unit.planned.expectations.entries() {
        let expectation = match &entry {
            Entry::Output(stated) if outputs.have(stated) => continue,
            Entry::Output(stated) => Cow::Owned(stated.expectation()),
            Entry::Other(expectation) => Cow::Borrowed(*expectation),
        };
        let expectation = expectation.as_ref();
        let Some(Instead { words: instead, notes }) = contradiction(unit, &valued, expectation) else {
            continue;
        };
        if !(stopped && found.iter().any(|known| known.instead == instead)) {
            let mut notes = notes;
            if found.len() < WITH_CHOICES {
                notes.extend(open_choices(unit, expectation));
            }
            found.push(Contradiction { expectation: expectation.clone(), instead, notes });
        }
    }
    found
}

/// Contradictions of a launch that say what the choices give at their place: nobody reads more of them.
const WITH_CHOICES: usize = 20;

/// What the reference has at the place of an expectation under each alternative of the choices, if that differs.
fn open_choices(unit: &Unit<'_>, expectation: &Expectation) -> Vec<String> {
    let (field, exact);
    let field = match &expectation.what {
        Expected::Bytes { region, name, offset, mask, .. } => {
            field = Field::new(unit, *region, name, *offset, mask);
            Some(&field)
        }
        Expected::Undefined { region, name, range } | Expected::Nan { region, name, range } => {
            exact = vec![0xFF; range.len()];
            field = Field::new(unit, *region, name, range.start, &exact);
            Some(&field)
        }
        Expected::Permutation(_) | Expected::Fault(_) | Expected::MayFault(_) | Expected::TimedOut => None,
    };
    // Values of many elements would fill pages.
    if field.is_some_and(|field| field.several().is_some()) {
        return Vec::new();
    }
    let given = |outcome: &Outcome| -> Vec<Given> {
        let ends = || Given {
            words: format!("the launch {}", describe(outcome)),
            value: None,
            fault: must_classes(outcome).first().copied(),
        };
        let Some((field, Ok(readings))) = field.map(|field| (field, field.readings(outcome))) else {
            return vec![ends()];
        };
        let one = |bits: FieldBits<'_>| match undefined_bits(&bits, field.mask) {
            Some(_) => {
                let words = format!("undefined bits, {}", bytes::masked_hex(&bits.bytes, &bits.defined));
                Given { words, value: Some("undefined".into()), fault: None }
            }
            None => {
                let number = field.number(unit, &bits.bytes);
                let value = number.strip_prefix(", ").and_then(|number| number.split(" (").next());
                let digits = || bits.bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
                let value = value.map_or_else(|| format!("0x{}", digits()), str::to_owned);
                let words = format!("{}{number}", bytes::hex(&bits.bytes));
                Given { words, value: Some(value), fault: None }
            }
        };
        readings.into_iter().map(one).collect()
    };
    let outcomes = unit.allowed.outcomes.iter();
    let all = outcomes.flat_map(|outcome| given(outcome).into_iter().map(move |given| (outcome, given)));
    open_choices::notes(&all.collect::<Vec<_>>())
}

fn contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    expectation: &Expectation,
) -> Option<Instead> {
    let outcomes = &unit.allowed.outcomes;
    let all = |range: &Range<usize>| vec![0xFF; range.len()];
    match &expectation.what {
        Expected::Bytes { region, name, offset, alternatives, mask, or_undefined } => {
            let field = Field::new(unit, *region, name, *offset, mask);
            let stated = Alternatives { values: alternatives, or_undefined: *or_undefined };
            if let Some(memory) = &unit.memory_after_fault {
                return after_fault_contradiction(unit, &field, memory, &stated, expectation);
            }
            bytes_contradiction(unit, valued, &field, &stated, expectation)
        }
        Expected::Undefined { region, name, range } => {
            let mask = all(range);
            let field = Field::new(unit, *region, name, range.start, &mask);
            undefined_contradiction(unit, valued, &field).map(|words| field.located(words))
        }
        Expected::Nan { region, name, range } => {
            let mask = all(range);
            let field = Field::new(unit, *region, name, range.start, &mask);
            nan_contradiction(valued, &field).map(|words| field.located(words))
        }
        Expected::Permutation(one) => permutation_contradiction(unit, valued, one).map(Instead::from),
        Expected::Fault(class) => {
            let other = outcomes.iter().find(|o| !must_classes(o).contains(class))?;
            Some(format!("the reference {}", describe(other)).into())
        }
        Expected::MayFault(class) => {
            let permits =
                |o: &Outcome| must_classes(o).contains(class) || o.may.iter().any(|f| f.class == *class);
            if outcomes.iter().any(permits) {
                return None;
            }
            Some(format!("the reference {} and permits no such fault", describe(outcomes.first()?)).into())
        }
        Expected::TimedOut => {
            let other = outcomes.iter().find(|o| o.permitted != Permitted::TimedOut)?;
            Some(format!("the reference {}", describe(other)).into())
        }
    }
}

/// The bytes of a region that an expectation states.
struct Field<'a> {
    region: RegionKind,
    name: &'a str,
    offset: usize,
    mask: &'a [u8],
    /// The elements of the region, if the field consists of whole ones.
    elements: Option<Elements<'a>>,
}

/// The stated values of a field.
struct Alternatives<'a> {
    values: &'a [EcoBytes],
    /// Undefined bits are an alternative too.
    or_undefined: bool,
}

/// The bits of an outcome in a field.
#[derive(Clone)]
struct FieldBits<'a> {
    bytes: Cow<'a, [u8]>,
    defined: Cow<'a, [u8]>,
    /// Index of the region in the state.
    region: usize,
    state: &'a MaskedState,
}

/// Most combinations of values of a field that are tried.
const READINGS: usize = 64;

impl FieldBits<'_> {
    /// All bits that the field may have, if some of its values have two permitted ones. Offsets of `values` are in the region; the
    /// field begins at `offset`.
    fn readings(self, values: &[Value], offset: usize) -> Vec<Self> {
        let end = offset + self.bytes.len();
        let inside = values.iter().filter(|value| offset <= value.offset && value.offset + value.size <= end);
        let mut readings = vec![self];
        for value in inside {
            let either = match value.permitted {
                Permits::Either(either) => either,
                // One number stands for the interval.
                Permits::Between(interval) => [interval.reference; 2],
                Permits::Nan(_) => continue,
            };
            let numbers = if either[0] == either[1] { &either[..1] } else { &either[..] };
            if readings.len() * numbers.len() > READINGS {
                break;
            }
            let range = value.offset - offset..value.offset - offset + value.size;
            let with = |bits: &Self, number: u64| {
                let mut bits = bits.clone();
                bits.bytes.to_mut()[range.clone()].copy_from_slice(&number.to_le_bytes()[..value.size]);
                bits.defined.to_mut()[range.clone()].fill(0xFF);
                bits
            };
            readings =
                readings.iter().flat_map(|bits| numbers.iter().map(|number| with(bits, *number))).collect();
        }
        readings
    }
}

impl Field<'_> {
    /// The field of a region of this launch.
    fn new<'a>(
        unit: &'a Unit<'_>,
        region: RegionKind,
        name: &'a str,
        offset: usize,
        mask: &'a [u8],
    ) -> Field<'a> {
        let whole = |elements: &Elements<'_>| {
            offset.is_multiple_of(elements.size) && mask.len().is_multiple_of(elements.size)
        };
        Field { region, name, offset, mask, elements: unit.planned.elements(region, name).filter(whole) }
    }

    /// Its elements, if it has several.
    fn several(&self) -> Option<Elements<'_>> {
        self.elements.filter(|elements| self.mask.len() > elements.size)
    }

    /// These words with the texel of its only element, which the subject of the expectation does not name.
    fn located(&self, words: String) -> Instead {
        let only = self.elements.filter(|elements| self.mask.len() == elements.size);
        let place = only.and_then(|elements| {
            let index = self.offset / elements.size;
            Some(format!("element {index} is at {}", elements.texel(index)?.words()))
        });
        Instead { words, notes: place.into_iter().collect() }
    }

    /// The bytes as a number, if the field is an output column or an element.
    fn number(&self, unit: &Unit<'_>, bytes: &[u8]) -> String {
        let stride =
            unit.planned.launch.buffers.iter().find(|b| b.name == self.name).map_or(0, |b| b.stride as usize);
        let within = self.offset.checked_rem(stride).unwrap_or(self.offset);
        let is_it = |c: &&Column| c.offset as usize == within && c.size as usize == bytes.len();
        let column = unit.planned.columns.iter().find(is_it).filter(|_| self.name == PlannedLaunch::OUTPUTS);
        let element = self.elements.filter(|elements| elements.size == bytes.len());
        let ty = column.map(|column| column.ty.as_str()).or(element.map(|elements| elements.ty));
        let number = ty.and_then(|ty| bytes::number(bytes, ty));
        number.map(|number| format!(", {number}")).unwrap_or_default()
    }

    /// The bits of the outcome there; `Err` says why there are none.
    fn of<'o>(&self, outcome: &'o Outcome) -> Result<FieldBits<'o>, String> {
        match &outcome.permitted {
            Permitted::Completed { state } => self.within(state),
            _ => Err(format!("the reference {}", describe(outcome))),
        }
    }

    /// All bits that the outcome permits there; `Err` says why there are none.
    fn readings<'o>(&self, outcome: &'o Outcome) -> Result<Vec<FieldBits<'o>>, String> {
        let bits = self.of(outcome)?;
        Ok(match self.values(outcome, bits.region) {
            [] => vec![bits],
            values => bits.readings(values, self.offset),
        })
    }

    /// The values with a set of permitted values, in the region of the field.
    fn values<'o>(&self, outcome: &'o Outcome, region: usize) -> &'o [Value] {
        match &outcome.permitted {
            Permitted::Completed { state } => &state.regions[region].values,
            _ => &[],
        }
    }

    /// The bits of a state there; `Err` says why there are none.
    fn within<'o>(&self, state: &'o MaskedState) -> Result<FieldBits<'o>, String> {
        let same = |r: &warpdiff_model::allowed::MaskedRegion| {
            r.region.kind == self.region && r.region.name == self.name
        };
        let Some(region) = state.regions.iter().position(same) else {
            return Err(format!("the launch has no {} `{}`", bytes::kind_name(self.region), self.name));
        };
        let found = &state.regions[region];
        let range = self.offset..self.offset + self.mask.len();
        match (found.region.bytes.get(range.clone()), found.defined.get(range)) {
            (Some(bytes), Some(defined)) => {
                Ok(FieldBits { bytes: bytes.into(), defined: defined.into(), region, state })
            }
            _ => Err(format!("`{}` has only {} bytes", self.name, found.region.bytes.len())),
        }
    }
}

/// "After the fault one of the alternatives", all bits of the mask defined.
fn after_fault_contradiction(
    unit: &Unit<'_>,
    field: &Field<'_>,
    memory: &MaskedState,
    stated: &Alternatives<'_>,
    expectation: &Expectation,
) -> Option<Instead> {
    let bits = match field.within(memory) {
        Ok(bits) => bits,
        Err(why) => return Some(why.into()),
    };
    if let Some(found) = among_elements(unit, field, &bits, stated, expectation) {
        return found;
    }
    if let Some(why) = undefined_bits(&bits, field.mask) {
        return (!stated.or_undefined).then(|| field.located(why));
    }
    let found = stated.values.iter().any(|a| agrees(a, &bits, field, &unit.allowed.tolerances));
    (!found).then(|| {
        let number = field.number(unit, &bits.bytes);
        field.located(format!("the reference has {}{number} after the fault", bytes::hex(&bits.bytes)))
    })
}

/// "In every outcome one of the alternatives, and each alternative in some outcome", all bits of the mask defined or undefined
/// bits an alternative.
fn bytes_contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    field: &Field<'_>,
    stated: &Alternatives<'_>,
    expectation: &Expectation,
) -> Option<Instead> {
    let alternatives = stated.values;
    let mut seen = vec![false; alternatives.len()];
    let mut seen_undefined = false;
    for outcome in valued.outcomes.iter().chain(&valued.orders) {
        let readings = match field.readings(outcome) {
            Ok(readings) => readings,
            Err(why) => return Some(why.into()),
        };
        for bits in readings {
            match among_elements(unit, field, &bits, stated, expectation) {
                Some(Some(found)) => return Some(found),
                Some(None) => {
                    seen.fill(true);
                    continue;
                }
                None => {}
            }
            if let Some(why) = undefined_bits(&bits, field.mask) {
                if !stated.or_undefined {
                    return Some(field.located(why + derived(&bits, field)));
                }
                seen_undefined = true;
                continue;
            }
            // An exact alternative counts before one within the tolerance.
            let index = alternatives.iter().position(|a| is_exact(a, &bits, field)).or_else(|| {
                alternatives.iter().position(|a| agrees(a, &bits, field, &unit.allowed.tolerances))
            });
            match index {
                // Alternatives that differ elsewhere may agree here, such as on the upper half of a narrow load.
                Some(index) => {
                    let shown = alternatives.iter().map(|a| *a == alternatives[index]);
                    seen.iter_mut().zip(shown).for_each(|(seen, shown)| *seen |= shown);
                }
                None => {
                    let number = field.number(unit, &bits.bytes);
                    return Some(
                        field.located(format!("the reference has {}{number}", bytes::hex(&bits.bytes))),
                    );
                }
            }
        }
    }
    if valued.outcomes.is_empty() && valued.orders.is_empty() {
        let first = unit.allowed.outcomes.first()?;
        return Some(format!("the reference {} under every choice", describe(first)).into());
    }
    if stated.or_undefined && !seen_undefined {
        let words = "no alternative of the reference leaves bits undefined there";
        return Some(field.located(words.into()));
    }
    let missing = seen.iter().position(|seen| !seen)?;
    let never = bytes::hex(&alternatives[missing]);
    let number = field.number(unit, &alternatives[missing]);
    (alternatives.len() > 1 || stated.or_undefined)
        .then(|| field.located(format!("no alternative of the reference gives {never}{number}")))
}

/// Elements that are named when many are contradicted.
const NAMED: usize = 8;

/// The elements that the reference contradicts, of a field that states one value for each of many; `None` for any other field.
fn among_elements(
    unit: &Unit<'_>,
    field: &Field<'_>,
    bits: &FieldBits<'_>,
    stated: &Alternatives<'_>,
    expectation: &Expectation,
) -> Option<Option<Instead>> {
    let (Some(elements), [alternative]) = (field.several(), stated.values) else { return None };
    let size = elements.size;
    let first = field.offset / size;
    let (mut undefined, mut other, mut notes) = (0, 0, Vec::new());
    for (number, mask) in field.mask.chunks(size).enumerate() {
        let range = number * size..number * size + mask.len();
        let defined = &bits.defined[range.clone()];
        let is_open = defined.iter().zip(mask).any(|(defined, mask)| !defined & mask != 0);
        if !is_open && element_agrees(alternative, bits, field, &unit.allowed.tolerances, range.clone()) {
            continue;
        }
        *if is_open { &mut undefined } else { &mut other } += 1;
        if notes.len() < NAMED {
            let index = first + number;
            let at = expectation.file.as_ref().map(|file| format!(" ({})", file.place(index, size)));
            notes.push(format!(
                "{}{}: expected {}, the reference has {}",
                elements.words(index),
                at.unwrap_or_default(),
                elements.value(&alternative[range.clone()], mask),
                elements.value(&bits.bytes[range], defined)
            ));
        }
    }
    let more = undefined + other - notes.len();
    if more > 0 {
        notes.push(format!("… and {more} more elements"));
    }
    let of = field.mask.len() / size;
    let words = match (undefined, other) {
        (0, 0) => return Some(None),
        (0, other) => format!("the reference has another value in {other} of {of} elements"),
        (open, 0) => format!("the reference leaves bits undefined in {open} of {of} elements"),
        (open, other) => format!(
            "the reference has another value in {other} of {of} elements, and leaves bits undefined in {open}"
        ),
    };
    let advice = if undefined > 0 { derived(bits, field) } else { "" };
    Some(Some(Instead { words: words + advice, notes }))
}

/// "Under every order the numbers from 0 on, each once."
fn permutation_contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    one: &Permutation,
) -> Option<String> {
    if valued.outcomes.is_empty() {
        let first = unit.allowed.outcomes.first()?;
        return Some(format!("the reference {} under every choice", describe(first)));
    }
    valued.outcomes.iter().chain(&valued.orders).find_map(|outcome| {
        let Permitted::Completed { state } = &outcome.permitted else {
            return Some(format!("the reference {}", describe(outcome)));
        };
        let why = match one.permitted(state) {
            Ok(found) => one.difference(state, &one.stated(), &found)?,
            Err(why) => why,
        };
        Some(format!("in the reference {why}"))
    })
}

/// The outcomes that must have the stated values: an outcome with a fault that the case permits is excused. Computed once for all
/// expectations of a launch.
struct OutcomesWithValues<'a> {
    outcomes: Vec<&'a Outcome>,
    orders: Vec<&'a Outcome>,
}

impl<'a> OutcomesWithValues<'a> {
    fn of(unit: &'a Unit<'_>) -> Self {
        let permitted: Vec<FaultClass> = unit
            .planned
            .expectations
            .others()
            .filter_map(|expectation| match expectation.what {
                Expected::MayFault(class) => Some(class),
                _ => None,
            })
            .collect();
        let demanded =
            |outcome: &&Outcome| !must_classes(outcome).iter().any(|class| permitted.contains(class));
        Self {
            outcomes: unit.allowed.outcomes.iter().filter(demanded).collect(),
            orders: unit.orders.iter().filter(demanded).collect(),
        }
    }
}

fn undefined_bits(bits: &FieldBits<'_>, mask: &[u8]) -> Option<String> {
    let undefined = bits.defined.iter().zip(mask).any(|(defined, mask)| !defined & mask != 0);
    undefined.then(|| {
        format!(
            "the reference leaves bits undefined there: {}",
            bytes::masked_hex(&bits.bytes, &bits.defined)
        )
    })
}

/// Advice about undefined bits that come from approximations.
fn derived(bits: &FieldBits<'_>, field: &Field<'_>) -> &'static str {
    let bytes = field.offset..field.offset + bits.bytes.len();
    let overlaps = bits.state.derived.iter().any(|derived| {
        let end = derived.offset + derived.bytes.len();
        derived.region == bits.region && derived.offset < bytes.end && bytes.start < end
    });
    match overlaps {
        true => {
            " (they are computed from an approximate result, which has a range of values: state a `tolerance:`)"
        }
        false => "",
    }
}

/// Whether the field has this alternative, in the bits of the mask.
fn is_exact(alternative: &[u8], bits: &FieldBits<'_>, field: &Field<'_>) -> bool {
    alternative.iter().zip(bits.bytes.iter()).zip(field.mask).all(|((a, b), m)| (a ^ b) & m == 0)
}

/// Whether the field has this alternative: exactly in the bits of the mask, within its tolerance, or within the documented bounds
/// of its values.
fn agrees(alternative: &[u8], bits: &FieldBits<'_>, field: &Field<'_>, tolerances: &[Tolerance]) -> bool {
    is_exact(alternative, bits, field)
        || tolerances
            .iter()
            .any(|t| t.region == bits.region && within(t, alternative, &bits.bytes, field.offset))
        || within_bounds(alternative, bits, field)
}

/// As [`agrees`], for the bytes of one element of the field.
fn element_agrees(
    alternative: &[u8],
    bits: &FieldBits<'_>,
    field: &Field<'_>,
    tolerances: &[Tolerance],
    element: Range<usize>,
) -> bool {
    let (stated, own) = (&alternative[element.clone()], &bits.bytes[element.clone()]);
    let exact = stated.iter().zip(own).zip(&field.mask[element.clone()]).all(|((a, b), m)| (a ^ b) & m == 0);
    exact
        || tolerances.iter().any(|tolerance| {
            tolerance.region == bits.region
                && tolerance.size == element.len()
                && covers(tolerance, field.offset + element.start)
                && near(tolerance.unit, stated, own)
        })
        || within_bounds_in(alternative, bits, field, element)
}

/// Whether every byte of the alternative is that of the reference, or belongs to a value that lies wholly in the field and within its
/// documented bound.
fn within_bounds(alternative: &[u8], bits: &FieldBits<'_>, field: &Field<'_>) -> bool {
    within_bounds_in(alternative, bits, field, 0..bits.bytes.len().min(alternative.len()))
}

/// The same for some bytes of the field.
fn within_bounds_in(
    alternative: &[u8],
    bits: &FieldBits<'_>,
    field: &Field<'_>,
    mut range: Range<usize>,
) -> bool {
    let differs = |i: &usize| (alternative[*i] ^ bits.bytes[*i]) & field.mask[*i] != 0;
    range.all(|i| {
        if !differs(&i) {
            return true;
        }
        let Some(value) = bits.state.regions[bits.region].value_at(field.offset + i) else { return false };
        let Permits::Between(interval) = value.permitted else { return false };
        let start = value.offset.checked_sub(field.offset);
        let stated = start.and_then(|start| alternative.get(start..start + value.size));
        stated.is_some_and(|stated| inside(interval, stated))
    })
}

/// Whether every value of the field lies within the tolerance; the field must consist of whole values of its kind.
fn within(tolerance: &Tolerance, expected: &[u8], bits: &[u8], offset: usize) -> bool {
    let whole =
        expected.len() == bits.len() && expected.len().is_multiple_of(tolerance.size) && !expected.is_empty();
    let values = expected.chunks(tolerance.size).zip(bits.chunks(tolerance.size));
    whole
        && values.enumerate().all(|(i, (a, b))| {
            let at = offset + i * tolerance.size;
            a == b || (covers(tolerance, at) && near(tolerance.unit, a, b))
        })
}

/// "Some bit of the field is undefined, or differs between outcomes", of those that have values.
fn undefined_contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    field: &Field<'_>,
) -> Option<String> {
    let mut first: Option<FieldBits<'_>> = None;
    for outcome in &valued.outcomes {
        let readings = match field.readings(outcome) {
            Ok(readings) => readings,
            Err(why) => return Some(why),
        };
        if let [_, _, ..] = &readings[..] {
            let all: Vec<_> = readings.iter().map(|bits| bytes::hex(&bits.bytes)).collect();
            return Some(format!("the reference permits only {} there", all.join(" or ")));
        }
        for bits in readings {
            if bits.defined.iter().any(|defined| *defined != 0xFF) {
                return None;
            }
            match &first {
                Some(first) if first.bytes != bits.bytes => return None,
                Some(_) => {}
                None => first = Some(bits),
            }
        }
    }
    let shown = |bits: FieldBits<'_>| bytes::hex(&bits.bytes) + &field.number(unit, &bits.bytes);
    Some(format!("the reference defines every bit there: {}", first.map(shown).unwrap_or_default()))
}

/// "A NaN, quiet or signalling, in every outcome".
fn nan_contradiction(valued: &OutcomesWithValues<'_>, field: &Field<'_>) -> Option<String> {
    for outcome in &valued.outcomes {
        let bits = match field.of(outcome) {
            Ok(bits) => bits,
            Err(why) => return Some(why),
        };
        let range = field.offset..field.offset + field.mask.len();
        let values = field.values(outcome, bits.region);
        let certain = values.iter().any(|v| v.range() == range && matches!(v.permitted, Permits::Nan(_)));
        let fixed: Vec<u8> =
            bits.bytes.iter().zip(bits.defined.iter()).map(|(byte, mask)| byte & mask).collect();
        if !certain && !is_nan(&fixed) {
            let masked = bytes::masked_hex(&bits.bytes, &bits.defined);
            return Some(format!("the reference has {masked}, which need not be a NaN"));
        }
    }
    None
}
