//! Which expectations of a launch the reference contradicts, and with which elements.

use std::borrow::Cow;
use std::ops::Range;

use warpdiff_corpus::byte_strings::EcoBytes;
use warpdiff_corpus::bytes;
use warpdiff_corpus::expectation_list::Entry;
use warpdiff_corpus::plan::{Expectation, Expected};
use warpdiff_model::allowed::{MaskedState, Permits};
use warpdiff_model::{FaultClass, Outcome, Permitted, Permutation, Tolerance};

use crate::judgement::{covers, describe, inside, is_nan, is_same_number, near};
use crate::open_choices;
use crate::outputs_of_outcomes::OutputsOfOutcomes;
use crate::reference::{Unit, must_classes};
use crate::stated_field::{Field, FieldBits, undefined_bits};
use crate::stated_tolerance::nearest_allowed;

/// An expectation that the reference contradicts.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// The expectation.
    pub expectation: Expectation,
    /// The reference's value or ending, as a lowercase fragment.
    pub instead: String,
    /// The elements concerned, of an expectation that states many.
    pub notes: Vec<String>,
    /// The reference leaves bits undefined that the case states.
    pub leaves_open: bool,
}

/// What the reference has in place of an expectation.
struct Instead {
    words: String,
    notes: Vec<String>,
    /// It leaves stated bits undefined.
    leaves_open: bool,
}

/// These words with the place of the only element that a field consists of.
fn located(field: &Field<'_>, words: String) -> Instead {
    Instead { words, notes: field.place().into_iter().collect(), leaves_open: false }
}

impl From<String> for Instead {
    fn from(words: String) -> Self {
        Self { words, notes: Vec::new(), leaves_open: false }
    }
}

/// Contradictions of a launch that say what the choices give at their place: nobody reads more of them.
const WITH_CHOICES: usize = 20;

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
        let Some(Instead { words: instead, notes, leaves_open }) = contradiction(unit, &valued, expectation)
        else {
            continue;
        };
        if !(stopped && found.iter().any(|known| known.instead == instead)) {
            let mut notes = notes;
            if found.len() < WITH_CHOICES {
                notes.extend(open_choices::notes(unit, expectation));
            }
            found.push(Contradiction { expectation: expectation.clone(), instead, notes, leaves_open });
        }
    }
    found
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
            undefined_contradiction(unit, valued, &field).map(|words| located(&field, words))
        }
        Expected::Nan { region, name, range } => {
            let mask = all(range);
            let field = Field::new(unit, *region, name, range.start, &mask);
            nan_contradiction(valued, &field).map(|words| located(&field, words))
        }
        Expected::Between { region, name, offset, ends } => {
            let mask = vec![0xFF; ends[0].len()];
            let field = Field::new(unit, *region, name, *offset, &mask);
            between_contradiction(unit, valued, &field, ends).map(|words| located(&field, words))
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

/// The stated values of a field.
struct Alternatives<'a> {
    values: &'a [EcoBytes],
    /// Undefined bits are an alternative too.
    or_undefined: bool,
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
        return (!stated.or_undefined).then(|| located(field, why));
    }
    let found = stated.values.iter().any(|a| agrees(a, &bits, field, &unit.allowed.tolerances));
    (!found).then(|| {
        let number = field.number(unit, &bits.bytes);
        let words = format!("the reference has {}{number} after the fault", bytes::hex(&bits.bytes));
        beside_tolerances(unit, field, &bits, stated.values, words)
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
                    let instead = located(field, why + derived(&bits, field));
                    return Some(Instead { leaves_open: true, ..instead });
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
                    let words = format!("the reference has {}{number}", bytes::hex(&bits.bytes));
                    return Some(beside_tolerances(unit, field, &bits, alternatives, words));
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
        return Some(located(field, words.into()));
    }
    let missing = seen.iter().position(|seen| !seen)?;
    let never = bytes::hex(&alternatives[missing]);
    let number = field.number(unit, &alternatives[missing]);
    (alternatives.len() > 1 || stated.or_undefined)
        .then(|| located(field, format!("no alternative of the reference gives {never}{number}")))
}

/// These words with the place of the element, and with what its tolerance allows.
fn beside_tolerances(
    unit: &Unit<'_>,
    field: &Field<'_>,
    bits: &FieldBits<'_>,
    alternatives: &[EcoBytes],
    words: String,
) -> Instead {
    let mut instead = located(field, words);
    let value = |bytes: &[u8]| field.decoded(unit, bytes).map(|number| number.words);
    for alternative in alternatives {
        let whole = 0..bits.bytes.len();
        let note = nearest_allowed(alternative, bits, field, &unit.allowed.tolerances, whole, value);
        instead.notes.extend(note);
    }
    instead
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
    if is_as_stated(alternative, bits, field.mask) {
        return Some(None);
    }
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
            let value = |bytes: &[u8]| Some(elements.value(bytes, mask));
            let allowed = &unit.allowed.tolerances;
            let near = nearest_allowed(alternative, bits, field, allowed, range.clone(), value)
                .filter(|_| !is_open)
                .map(|words| format!("; {words}"));
            notes.push(format!(
                "{}{}: expected {}, the reference has {}{}",
                elements.words(index),
                at.unwrap_or_default(),
                elements.stated(&alternative[range.clone()], mask),
                elements.value(&bits.bytes[range], defined),
                near.unwrap_or_default()
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
    Some(Some(Instead { words: words + advice, notes, leaves_open: undefined > 0 }))
}

/// Whether the field is defined and as stated in every bit of the mask. Mostly it is: asked of all bytes at once, which takes no time.
fn is_as_stated(alternative: &[u8], bits: &FieldBits<'_>, mask: &[u8]) -> bool {
    let own = bits.bytes.iter().zip(bits.defined.iter());
    let wrong = alternative.iter().zip(own).map(|(stated, (byte, defined))| (stated ^ byte) | !defined);
    let wrong = wrong.zip(mask).fold(0, |all, (wrong, mask)| all | (wrong & mask));
    alternative.len() == mask.len() && wrong == 0
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

/// "In every outcome all numbers from the least to the greatest, and no other".
fn between_contradiction(
    unit: &Unit<'_>,
    valued: &OutcomesWithValues<'_>,
    field: &Field<'_>,
    ends: &[EcoBytes; 2],
) -> Option<String> {
    for outcome in valued.outcomes.iter().chain(&valued.orders) {
        let bits = match field.of(outcome) {
            Ok(bits) => bits,
            Err(why) => return Some(why),
        };
        let range = field.offset..field.offset + field.mask.len();
        let values = field.values(outcome, bits.region);
        let found = values.iter().find(|value| value.range() == range);
        let Some(Permits::Between(interval)) = found.map(|value| value.permitted) else {
            if let Some(why) = undefined_bits(&bits, field.mask) {
                return Some(why);
            }
            let number = field.number(unit, &bits.bytes);
            return Some(format!("the reference permits only {}{number}", bytes::hex(&bits.bytes)));
        };
        let own =
            [interval.least, interval.greatest].map(|end| end.to_le_bytes()[..field.mask.len()].to_vec());
        if !own.iter().zip(ends).all(|(own, stated)| is_same_number(own, stated)) {
            let [least, greatest] = own.map(|end| bytes::hex(&end) + &field.number(unit, &end));
            return Some(format!("the reference permits what lies between {least} and {greatest}"));
        }
    }
    let first = unit.allowed.outcomes.first().filter(|_| valued.outcomes.is_empty())?;
    Some(format!("the reference {} under every choice", describe(first)))
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
