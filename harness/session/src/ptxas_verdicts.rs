//! Judges the answer of an assembler to a legality case: acceptance, and the bytes of variables.

use std::sync::Arc;

use warpdiff_corpus::plan::Legality;
use warpdiff_judge::assembled::Assembled;
use warpdiff_judge::assembled::InitialBytes;
use warpdiff_judge::dialect::DialectName;
use warpdiff_judge::difference::Difference;
use warpdiff_judge::evidence::Evidence;
use warpdiff_judge::finding::Finding;
use warpdiff_judge::verdict_table::Raw;
use warpdiff_model::{MismatchClass, RegionKind};
use warpdiff_ptx::Rules;
use warpdiff_ptx::checked::Variable;

use crate::verdict::TargetVerdict;

/// The verdict on an assembler of that dialect.
pub fn verdict(legality: &Legality, dialect: &str, answer: &Assembled) -> TargetVerdict {
    let accept = legality.accept.iter().any(|who| who == dialect);
    let reject = legality.reject.iter().any(|(who, _)| who == dialect);
    match answer {
        Assembled::Crashed { why } | Assembled::NoVerdict { why } => without(why.clone()),
        _ if !accept && !reject && legality.bytes.is_empty() => {
            let why = Some(format!("the case states nothing for {dialect}"));
            TargetVerdict { why, ..with(Raw::Characterised, Vec::new()) }
        }
        Assembled::Accepted { .. } if reject => {
            failure(legality, Raw::Violates, vec![in_words("accepts a program that it should reject".into())])
        }
        Assembled::Accepted { bytes } => layout(legality, dialect, bytes),
        Assembled::Rejected { .. } if reject => with(Raw::Conforms, Vec::new()),
        Assembled::Rejected { message } => {
            let words = format!("rejects a program that it should accept: {message}");
            failure(legality, Raw::Rejected, vec![in_words(words)])
        }
    }
}

fn without(why: String) -> TargetVerdict {
    TargetVerdict::without(why)
}

fn with(raw: Raw, findings: Vec<Finding>) -> TargetVerdict {
    TargetVerdict { findings, ..TargetVerdict::new(raw) }
}

fn failure(legality: &Legality, raw: Raw, differences: Vec<Difference>) -> TargetVerdict {
    let layout = differences.iter().any(|d| d.region.is_some());
    let symptom = if layout { MismatchClass::Layout } else { MismatchClass::Legality };
    let finding = Finding {
        raw,
        symptom,
        site: None,
        nearest: None,
        explained: Vec::new(),
        together: false,
        unchecked: None,
        applied: None,
        refuted: None,
        differences,
        program: Arc::clone(&legality.program),
        machine_code: None,
        evidence: Evidence::default(),
    };
    with(raw, vec![finding])
}

fn in_words(detail: String) -> Difference {
    Difference {
        row: None,
        column: None,
        element: None,
        region: None,
        offset: 0,
        expected: Vec::new(),
        defined: Vec::new(),
        observed: Vec::new(),
        detail,
        coordinates: None,
    }
}

/// Compares the initial bytes with those of the case. For part of an address the assembler may have a relocation or the number
/// itself. Bytes that known deviations explain are no failure: a kernel that reads them judges what the assembler emits.
fn layout(legality: &Legality, dialect: &str, bytes: &InitialBytes) -> TargetVerdict {
    let differing = legality.bytes.iter().filter_map(|(name, expected)| {
        let region = Some((RegionKind::Variable, name.clone()));
        let Some(found) = bytes.get(name) else {
            return Some(Difference { region, ..in_words("the assembler emits no such variable".into()) });
        };
        let values = |bytes: &[Option<u8>]| -> Vec<u8> { bytes.iter().map(|b| b.unwrap_or(0)).collect() };
        if expected.len() != found.len() {
            let words = format!("{} bytes instead of {}", found.len(), expected.len());
            return Some(Difference { region, ..in_words(words) });
        }
        let relocated = expected.iter().zip(found).position(|(e, f)| e.is_some() && f.is_none());
        if let Some(offset) = relocated {
            let words = format!("byte {offset} is part of an address instead of a number");
            return Some(Difference { region, offset, ..in_words(words) });
        }
        (!is_stated(expected, found)).then(|| Difference {
            region,
            expected: values(expected),
            defined: expected.iter().map(|b| if b.is_some() { 0xFF } else { 0 }).collect(),
            observed: values(found),
            ..in_words("different initial bytes".into())
        })
    });
    let differences: Vec<_> = differing.collect();
    if differences.is_empty() {
        return with(Raw::Conforms, Vec::new());
    }
    let differing = differences.iter().filter_map(|difference| difference.region.as_ref());
    let names = differing.map(|(_, name)| name.as_str()).collect::<Vec<_>>();
    match deviations(legality, dialect, bytes, &names) {
        Some(deviations) => {
            let why = format!("the specification and the assembler disagree here: {}", deviations.join(", "));
            TargetVerdict { why: Some(why), ..with(Raw::Characterised, Vec::new()) }
        }
        None => failure(legality, Raw::Violates, differences),
    }
}

/// Whether the bytes are the stated ones, where any are stated.
fn is_stated(stated: &[Option<u8>], found: &[Option<u8>]) -> bool {
    stated.len() == found.len() && stated.iter().zip(found).all(|(s, f)| s.is_none() || s == f)
}

/// The deviations of an assembler of that dialect that give these variables exactly the bytes found; `None` if they do not explain
/// all of them.
fn deviations(
    legality: &Legality,
    dialect: &str,
    bytes: &InitialBytes,
    names: &[&str],
) -> Option<Vec<&'static str>> {
    let DialectName(dialect) = dialect.parse().ok()?;
    let rules = Rules { dialect, ..Rules::default() };
    let module = warpdiff_ptx::compile(&legality.program, &rules).ok()?;
    let mut deviations = Vec::new();
    for name in names {
        let variable = module.variables.iter().find(|v| v.scope.is_none() && v.name == *name)?;
        if !is_stated(&emitted(variable)?, bytes.get(*name)?) {
            return None;
        }
        deviations.extend(variable.deviations.iter().map(|deviation| deviation.name()));
    }
    deviations.sort_unstable();
    deviations.dedup();
    Some(deviations)
}

/// The bytes that the assembler emits for a variable; `None` for bytes of an address and for arbitrary bytes.
fn emitted(variable: &Variable) -> Option<Vec<Option<u8>>> {
    let image = variable.emitted.as_ref()?;
    let mut bytes: Vec<_> = image.bytes.iter().copied().map(Some).collect();
    let addresses = image.relocations.iter().map(|r| r.offset..r.offset + u64::from(r.width));
    for range in addresses.chain(image.undefined.iter().cloned()) {
        let end = (range.end as usize).min(bytes.len());
        bytes[(range.start as usize).min(end)..end].fill(None);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use warpdiff_corpus::plan::{Location, ProgramMap, SourceFile};

    use super::*;

    fn legality(accept: &[&str], reject: &[&str], bytes: &[(&str, &[Option<u8>])]) -> Legality {
        let file = Arc::new(SourceFile::new("cases/a.yaml", String::new()));
        Legality {
            program: "".into(),
            map: Arc::new(ProgramMap::default()),
            accept: accept.iter().map(ToString::to_string).collect(),
            reject: reject.iter().map(|who| (who.to_string(), String::new())).collect(),
            at: None,
            bytes: bytes.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect(),
            byte_places: BTreeMap::new(),
            location: Location { file, range: 0..0 },
        }
    }

    fn accepted(bytes: &[(&str, &[Option<u8>])]) -> Assembled {
        let bytes: BTreeMap<_, _> = bytes.iter().map(|(n, b)| (n.to_string(), b.to_vec())).collect();
        Assembled::Accepted { bytes }
    }

    fn rejected() -> Assembled {
        Assembled::Rejected { message: "no".into() }
    }

    #[test]
    fn acceptance_is_held_against_what_the_case_says_of_that_dialect_alone() {
        let raw = |q: &Legality, answer: &Assembled| verdict(q, "ptxas-12.9", answer).raw;
        let (yes, no) =
            (legality(&["ptxas-12.9"], &["spec"], &[]), legality(&["spec"], &["ptxas-12.9"], &[]));
        assert_eq!(raw(&yes, &accepted(&[])), Raw::Conforms);
        assert_eq!(raw(&yes, &rejected()), Raw::Rejected);
        assert_eq!(raw(&no, &accepted(&[])), Raw::Violates);
        assert_eq!(raw(&no, &rejected()), Raw::Conforms);
        for answer in [accepted(&[]), rejected()] {
            assert_eq!(raw(&legality(&["spec"], &[], &[]), &answer), Raw::Characterised);
            assert_eq!(verdict(&no, "ptxas-13.5", &answer).raw, Raw::Characterised);
        }
        assert_eq!(raw(&yes, &Assembled::NoVerdict { why: "hang".into() }), Raw::NotRun);
        assert_eq!(raw(&yes, &Assembled::Crashed { why: "crash".into() }), Raw::NotRun);
    }

    #[test]
    fn initial_bytes_are_compared_where_they_are_no_address() {
        let q = legality(&[], &[], &[("x", &[Some(1), None])]);
        let raw = |found: &[Option<u8>]| verdict(&q, "ptxas-12.9", &accepted(&[("x", found)])).raw;
        assert_eq!(raw(&[Some(1), Some(9)]), Raw::Conforms);
        assert_eq!(raw(&[Some(1), None]), Raw::Conforms);
        assert_eq!(raw(&[Some(2), None]), Raw::Violates);
        assert_eq!(raw(&[None, None]), Raw::Violates);
        assert_eq!(raw(&[Some(1)]), Raw::Violates);
        assert_eq!(verdict(&q, "ptxas-12.9", &accepted(&[])).raw, Raw::Violates);
        assert_eq!(verdict(&q, "ptxas-12.9", &rejected()).raw, Raw::Rejected);
    }

    /// 5.4.4, "as in C": 01 00 02 00 03 00. As observed, the assembler packs: 01 02 03 00 00 00, and that alone has the name.
    #[test]
    fn bytes_of_a_deviation_are_no_failure() {
        let text = ".version 8.0\n.target sm_50\n.address_size 64\n.global .u8 a[3][2] = {{1}, {2}, {3}}; .global .u8 b = 1;\n";
        let stated = [1, 0, 2, 0, 3, 0].map(Some);
        let one = [Some(1)];
        let q = Legality {
            program: text.into(),
            ..legality(&["ptxas-12.9"], &[], &[("a", &stated), ("b", &one)])
        };
        let earned = |a: [u8; 6], b: u8, dialect: &str| {
            let q = Legality { accept: vec![dialect.into()], ..q.clone() };
            verdict(&q, dialect, &accepted(&[("a", &a.map(Some)), ("b", &[Some(b)])]))
        };
        let packed = [1, 2, 3, 0, 0, 0];
        let deviates = earned(packed, 1, "ptxas-12.9");
        assert_eq!(deviates.raw, Raw::Characterised);
        assert_eq!(
            deviates.why.as_deref(),
            Some("the specification and the assembler disagree here: ptxas.packed-lists")
        );
        assert_eq!(earned([1, 0, 2, 0, 3, 0], 1, "ptxas-12.9").raw, Raw::Conforms);
        assert_eq!(earned([1, 2, 3, 0, 0, 1], 1, "ptxas-12.9").raw, Raw::Violates);
        assert_eq!(earned(packed, 2, "ptxas-12.9").raw, Raw::Violates);
        // Of other releases nothing is known.
        assert_eq!(earned(packed, 1, "ptxas-13.5").raw, Raw::Violates);
    }
}
