//! Which modifiers and operands an instruction may have, by the form tables, and the errors where none fits.

use super::forms::{self, By, Form, Pattern, Role, Slot, UNMODELLED};
use super::matched_forms::MatchedForms;
use super::overlooked::{Places, overlooked};
use super::words::{Words, sort, words_span};
use super::{Checked, Checker};
use crate::ast::{self, Operand, Word, WordKind};
use crate::checked::{self, AddressBase, Guard, Instruction, Subject};
use crate::vocabulary::{Modifier, Opcode, Space};
use crate::word_kind::WordSet;

/// How far the words of an instruction match a form.
struct Attempt {
    /// Number of matched words.
    matched: usize,
    complete: bool,
}

impl<'t> Checker<'t> {
    /// Checks an instruction, resolves its operands and adds it to the body of the function.
    pub(super) fn instruction(&mut self, instruction: &'t ast::Instruction) -> Checked<()> {
        let ast = self.ast;
        let words = ast.words_of(instruction.words);
        let guard = match instruction.guard {
            Some(guard) => Some(self.guard(guard)?),
            None => None,
        };
        // Sorted once they are known to match: no form has more words than the lists have places.
        let (subject, operands, sorted) = if instruction.opcode == Opcode::Call {
            let operands = self.call(instruction, words)?;
            (Subject::Control, operands, sort(instruction, words))
        } else {
            let (form, sorted) = self.form(instruction, words)?;
            if instruction.opcode == Opcode::Cvta && sorted.types.first().is_some_and(|ty| ty.size() == 4) {
                self.narrow_addresses(sorted.span)?;
            }
            if form.unsupported {
                let what = format!("`{}`", self.text_of(sorted.span));
                self.form_operands(form, &sorted, ast.operands_of(instruction.operands))?;
                let failed = self.unsupported(sorted.span, what);
                self.explain(form.why, "");
                return failed;
            }
            let written = ast.operands_of(instruction.operands);
            let operands = self.form_operands(form, &sorted, written)?;
            self.residency(instruction.opcode, written)?;
            if let Some(guard) = instruction.guard {
                self.passed_always(guard, instruction.opcode, &operands)?;
            }
            (form.subject, operands, sorted)
        };
        if let Some(current) = &mut self.function {
            current.body.push(Instruction {
                subject,
                guard,
                opcode: instruction.opcode,
                modifiers: sorted.modifiers,
                spaces: sorted.spaces,
                types: sorted.types,
                operands,
                span: instruction.span,
            });
        }
        Ok(())
    }

    /// A predicate behind a tuple: tex and tld4 have it behind their result (9.7.10.3, 9.7.10.4), and no other instruction has it.
    fn residency(&mut self, opcode: Opcode, operands: &[ast::Operand]) -> Checked<()> {
        for (index, operand) in operands.iter().enumerate() {
            let ast::Operand::Vector { resident: Some(name), .. } = *operand else { continue };
            if index > 0 || !matches!(opcode, Opcode::Tex | Opcode::Tld4) {
                return self.fail(name, format!("`{opcode}` has no predicate here"));
            }
            self.predicate(name)?;
            self.gate(name, "a predicate beside the result", 71, 60)?;
            return self
                .unsupported(name, "a predicate beside the result, for whether the texels are resident");
        }
        Ok(())
    }

    /// "st.param and ld.param instructions used for argument passing cannot be predicated" (7.1). What a caller passes stands in `.param` variables of
    /// its own; its own parameters may be accessed under a guard. ptxas 11.8, 12.4 and 12.9 agree.
    fn passed_always(
        &mut self,
        guard: ast::Guard,
        opcode: Opcode,
        operands: &[checked::Operand],
    ) -> Checked<()> {
        let passed = operands.iter().find_map(|operand| match operand {
            checked::Operand::Address { base: AddressBase::Variable(id), .. } => Some(*id),
            _ => None,
        });
        let Some(id) = passed.filter(|_| matches!(opcode, Opcode::Ld | Opcode::St)) else { return Ok(()) };
        let variable = &self.out.variables[id.0 as usize];
        if variable.space != Space::Param || self.is_parameter(id) || self.is_returned(id) {
            return Ok(());
        }
        let message = format!("a guard before `{opcode}` of `{}`, which is passed in a call", variable.name);
        self.fail_expected(guard.name, message, "the instruction without a guard")
    }

    fn guard(&mut self, guard: ast::Guard) -> Checked<Guard> {
        let register = self.predicate(guard.name)?;
        Ok(Guard { register, negated: guard.negated })
    }

    /// The form that the words match, and the words sorted. The same words match the same form in the whole module, so that most
    /// instructions find it without a search.
    fn form(&mut self, instruction: &ast::Instruction, words: &[Word]) -> Checked<(&'static Form, Words)> {
        let key = MatchedForms::key(instruction.opcode, words);
        if let Some((form, sorted)) = self.matched_forms.get(key)
            && form.takes(instruction.operands.len())
        {
            return Ok((form, Words { span: words_span(instruction, words), ..sorted }));
        }
        let form = self.search_form(instruction, words)?;
        let unheard = self.unheard(instruction.opcode, words);
        let sorted = if unheard == 0 {
            sort(instruction, words)
        } else {
            let heard = (0..).zip(words).filter(|(i, _)| unheard >> i & 1 == 0).map(|(_, word)| *word);
            sort(instruction, &heard.collect::<Vec<Word>>())
        };
        self.matched_forms.put(key, form, sorted);
        Ok((form, sorted))
    }

    fn search_form(&mut self, instruction: &ast::Instruction, words: &[Word]) -> Checked<&'static Form> {
        let opcode = instruction.opcode;
        let opcode_forms = forms::opcode_forms(opcode);
        if opcode_forms.forms.is_empty() {
            return self.unchecked(instruction.opcode_span, format!("instruction `{opcode}`"));
        }
        let by_assembler = self.by_assembler();
        let mine = |by: By| match by {
            By::Both => true,
            By::Text => !by_assembler,
            By::Assembler => by_assembler,
        };
        let unheard = self.unheard(opcode, words);
        let heard = (0..).zip(words).filter(|(i, _)| unheard == 0 || unheard >> i & 1 == 0);
        let given: WordSet = heard.map(|(_, word)| word.kind).collect();
        let operands = instruction.operands.len();
        // The first form that the words alone match, and the oldest that is too new.
        let (mut miscounted, mut refused): (Option<&Form>, Option<&Form>) = (None, None);
        for form in opcode_forms.forms.iter().filter(|form| mine(form.by)) {
            if !given.is_within(&form.words) {
                continue;
            }
            let complete = match_in_order(form, words).complete;
            if !(complete || by_assembler && match_in_any_order(form, words, unheard)) {
                continue;
            }
            if let Some((version, target)) = form.until
                && self.version >= version
                && self.out.target >= target
            {
                let span = words_span(instruction, words);
                return self.fail_expected(
                    span,
                    format!(
                        "`{}` on sm_{target} and newer, from PTX {}.{} on",
                        self.text_of(span),
                        version / 10,
                        version % 10
                    ),
                    "the form with `.sync`",
                );
            }
            if self.version >= form.version && self.out.target >= form.target && self.has_target(form) {
                if form.takes(operands) {
                    self.word_gates(opcode_forms, words, &given, mine)?;
                    self.priority_in_l2(instruction, words)?;
                    return Ok(form);
                }
                miscounted = miscounted.or(Some(form));
                continue;
            }
            // Of several forms that are too new, the oldest is the one to name; before all, one that takes as many operands.
            let order = |form: &Form| (!form.takes(operands), form.version, form.target);
            if refused.is_none_or(|other| order(form) < order(other)) {
                refused = Some(form);
            }
        }
        if let Some(form) = refused.filter(|form| form.takes(operands) || miscounted.is_none()) {
            let span = words_span(instruction, words);
            let what = format!("`{}`", self.text_of(span));
            self.gate(span, &what, form.version, form.target)?;
            return self.fail_expected(
                span,
                format!("{what} for sm_{}", self.target_name),
                format!("`.target sm_{}`", form.only.replace(' ', "`, `sm_")),
            );
        }
        if let Some(form) = miscounted {
            self.word_gates(opcode_forms, words, &given, mine)?;
            return Ok(form);
        }
        let failed = self.no_such_form(instruction, words);
        // What the other of text and assembler has is not merely wrong.
        let mut other = opcode_forms.forms.iter().filter(|form| !mine(form.by) && !form.why.is_empty());
        let fits = |form: &&Form| {
            match_in_order(form, words).complete
                || form.by == By::Assembler && match_in_any_order(form, words, 0)
        };
        if let Some(form) = other.find(fits) {
            self.explain(form.why, form.why);
        }
        failed
    }

    /// The words that mean nothing.
    fn unheard(&self, opcode: Opcode, words: &[Word]) -> Places {
        if self.by_assembler() { overlooked(opcode, words) } else { 0 }
    }

    /// Whether the form is one of every target from its first on, or the module's target is named.
    fn has_target(&self, form: &Form) -> bool {
        form.only.is_empty() || form.only.split(' ').any(|name| name == self.target_name)
    }

    /// A priority in the second cache is for accesses of 256 bits in global memory alone (PTX ISA 9.7.9.8, 9.7.9.11).
    fn priority_in_l2(&mut self, instruction: &ast::Instruction, words: &[Word]) -> Checked<()> {
        let is_priority =
            |word: &&Word| matches!(word.kind, WordKind::Modifier(modifier) if modifier.is_priority_in_l2());
        let Some(priority) = words.iter().find(is_priority) else { return Ok(()) };
        let sorted = sort(instruction, words);
        let Some(ty) = sorted.types.first() else { return Ok(()) };
        if ty.size() as usize * sorted.vector == 32 {
            return Ok(());
        }
        let what = format!(
            "`{}` of an access of {} bits",
            self.text_of(priority.span),
            8 * ty.size() as usize * sorted.vector
        );
        self.fail_expected(priority.span, what, "an access of 256 bits: `.v8` of 32 bits or `.v4` of 64")
    }

    fn word_gates(
        &mut self,
        opcode_forms: &forms::OpcodeForms,
        words: &[Word],
        given: &WordSet,
        mine: impl Fn(By) -> bool,
    ) -> Checked<()> {
        for gate in opcode_forms.gates.iter().filter(|gate| gate.words.meets(given) && mine(gate.by)) {
            if let Some(word) = words.iter().find(|word| gate.words.contains(word.kind)) {
                let what = format!("`{}`", self.text_of(word.span));
                self.gate(word.span, &what, gate.version, gate.target)?;
            }
        }
        Ok(())
    }

    /// Reports the word that fits no form, and the words that would fit.
    fn no_such_form(&mut self, instruction: &ast::Instruction, words: &[Word]) -> Checked<&'static Form> {
        let opcode = instruction.opcode;
        let (matched, expected) = self.closest(opcode, words);
        let expected = list_words(&expected);
        let unknown = words.iter().find(|word| word.kind == WordKind::Other);
        if let Some(word) = unknown {
            let text = self.text_of(word.span);
            if UNMODELLED.contains(&&text[1..]) {
                return self.unchecked(words_span(instruction, words), format!("`{text}` of `{opcode}`"));
            }
            let kind = if looks_like_type(text) { "type" } else { "modifier" };
            self.report(word.span, format!("unknown {kind} `{text}` of `{opcode}`"), expected, false);
            return Err(super::Failed);
        }
        if let Some(missing) = self.missing_word(opcode, words) {
            let span = words_span(instruction, words);
            let message = format!("`{}` lacks a modifier", self.text_of(span));
            self.report(span, message, list_words(&missing.words), false);
            return Err(super::Failed);
        }
        let (span, message) = match words.get(matched) {
            Some(word) => {
                (word.span, format!("`{}` does not fit here in `{opcode}`", self.text_of(word.span)))
            }
            None => {
                let span = words_span(instruction, words);
                (span, format!("`{}` is incomplete", self.text_of(span)))
            }
        };
        let expected = expected.or_else(|| self.second_of_a_kind(opcode, words, matched));
        self.report(span, message, expected.or(Some("the operands".to_string())), false);
        Err(super::Failed)
    }

    /// How many words match the forms that come closest, and the words that these have next.
    fn closest(&self, opcode: Opcode, words: &[Word]) -> (usize, Vec<WordKind>) {
        let by_assembler = self.by_assembler();
        let other = if by_assembler { By::Text } else { By::Assembler };
        let mut best = (0, Vec::new());
        for form in forms::opcode_forms(opcode).forms.iter().filter(|form| form.by != other) {
            let attempt = match_in_order(form, words);
            if attempt.complete
                || by_assembler && match_in_any_order(form, words, 0)
                || attempt.matched < best.0
            {
                continue;
            }
            if attempt.matched > best.0 {
                best = (attempt.matched, Vec::new());
            }
            best.1.extend(expected_words(form, words));
        }
        best
    }

    /// "one of `.trap` and `.clamp`" if the instruction already has a word of the same kind as the word at `index`.
    fn second_of_a_kind(&self, opcode: Opcode, words: &[Word], index: usize) -> Option<String> {
        let (before, second) = (words.get(..index)?, words.get(index)?);
        let slots = || forms::opcode_forms(opcode).forms.iter().flat_map(|form| &form.slots);
        let same_kind = |first: &&Word| {
            slots().any(|slot| slot.set.contains(first.kind) && slot.set.contains(second.kind))
        };
        let (first, second) = (before.iter().find(same_kind)?.span, second.span);
        let (first, second) = (self.text_of(first), self.text_of(second));
        Some(if first == second {
            format!("`{first}` once")
        } else {
            format!("one of `{first}` and `{second}` alone")
        })
    }

    /// The one required word whose addition would make the words match a form.
    fn missing_word(&self, opcode: Opcode, words: &[Word]) -> Option<&'static Slot> {
        let by_assembler = self.by_assembler();
        let forms = forms::opcode_forms(opcode).forms.iter();
        forms.filter(|form| by_assembler || form.by != By::Assembler).find_map(|form| {
            let mut required = form.slots.iter().filter(|slot| !slot.optional);
            required.find(|missing| matches_without(form, missing, words))
        })
    }

    /// Matches operands with the patterns of the form; optional patterns are filled from the left.
    fn form_operands(
        &mut self,
        form: &Form,
        words: &Words,
        operands: &'t [Operand],
    ) -> Checked<Vec<crate::checked::Operand>> {
        let required = form.required;
        let most = form.operands.len();
        if operands.len() < required || operands.len() > most {
            let expected = if required == most {
                count_operands(most)
            } else {
                format!("{required} to {}", count_operands(most))
            };
            let span = match operands.get(most) {
                Some(first_extra) => first_extra.span(),
                None => words.span,
            };
            return self.fail_expected(
                span,
                format!("`{}` with {}", self.text_of(words.span), count_operands(operands.len())),
                expected,
            );
        }
        self.combining_operand(form, words, operands.len() > required)?;
        if form.subject == Subject::Texture {
            self.texture_options(form, operands)?;
        }
        let mut spare = operands.len() - required;
        let mut given = operands.iter();
        let mut out = Vec::with_capacity(operands.len());
        // All of them are looked at: what is legal but not run in one must not hide what is wrong in the next.
        let mut failed = None;
        for pattern in &form.operands {
            if pattern.optional {
                if spare == 0 {
                    continue;
                }
                spare -= 1;
            }
            if let Some(operand) = given.next() {
                if let Some(id) = self.plain_register(pattern, words, operand) {
                    out.push(crate::checked::Operand::Register { id, negated: false });
                    continue;
                }
                match self.operand(*pattern, words, operand) {
                    Ok(operand) => out.push(operand),
                    Err(failure) => failed = Some(failure),
                }
            }
        }
        if let Some(failure) = failed {
            return Err(failure);
        }
        if form.subject == Subject::Video && words.opcode != Opcode::Vmad {
            self.merged_operand(words, &out)?;
        }
        Ok(out)
    }

    /// `setp.lt.and p, a, b, c`: the third source and the boolean operator come together.
    fn combining_operand(&mut self, form: &Form, words: &Words, given: bool) -> Checked<()> {
        if !matches!(words.opcode, Opcode::Set | Opcode::Setp) {
            return Ok(());
        }
        debug_assert!(form.operands.last().is_some_and(|pattern: &Pattern| pattern.role == Role::Predicate));
        let combines =
            words.modifiers.iter().any(|m| matches!(m, Modifier::And | Modifier::Or | Modifier::Xor));
        match (combines, given) {
            (true, false) => self.fail_expected(
                words.span,
                "a boolean operator without a predicate to combine with",
                "a third source operand",
            ),
            (false, true) => self.fail_expected(
                words.span,
                "a third source operand without a boolean operator",
                "`.and`, `.or` or `.xor`",
            ),
            _ => Ok(()),
        }
    }
}

fn count_operands(count: usize) -> String {
    match count {
        0 => "no operands".to_string(),
        1 => "1 operand".to_string(),
        _ => format!("{count} operands"),
    }
}

fn match_in_order(form: &Form, words: &[Word]) -> Attempt {
    let mut matched = 0;
    for slot in &form.slots {
        if words.get(matched).is_some_and(|word| slot.set.contains(word.kind)) {
            matched += 1;
        } else if !slot.optional {
            return Attempt { matched, complete: false };
        }
    }
    Attempt { matched, complete: matched == words.len() }
}

/// The words that the form allows in place of the first that does not match it.
fn expected_words<'f>(form: &'f Form, words: &[Word]) -> Vec<&'f WordKind> {
    let mut matched = 0;
    let mut expected = Vec::new();
    for slot in &form.slots {
        if words.get(matched).is_some_and(|word| slot.set.contains(word.kind)) {
            matched += 1;
            expected.clear();
            continue;
        }
        expected.extend(&slot.words);
        if !slot.optional {
            break;
        }
    }
    expected
}

/// Whether the words match the form except for one slot.
fn matches_without(form: &Form, missing: &Slot, words: &[Word]) -> bool {
    let mut matched = 0;
    for slot in &form.slots {
        if std::ptr::eq(slot, missing) {
            continue;
        }
        if words.get(matched).is_some_and(|word| slot.set.contains(word.kind)) {
            matched += 1;
        } else if !slot.optional {
            return false;
        }
    }
    matched == words.len()
}

/// `.b24`, `.u33`: a letter of a type and a number.
fn looks_like_type(text: &str) -> bool {
    let digits = text.trim_start_matches(['.', 'b', 'u', 's', 'f']);
    text.len() - digits.len() == 2 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Matches as the assembler does: types in their order, words with a place of their own there, other words in any order; `unheard` ones mean
/// nothing.
fn match_in_any_order(form: &Form, words: &[Word], unheard: Places) -> bool {
    let mut taken = unheard;
    if words.len() > Places::BITS as usize {
        return false;
    }
    for (place, slot) in form.slots.iter().enumerate() {
        let found = words.iter().enumerate().find(|(i, word)| {
            taken & 1 << i == 0
                && if slot.is_type() {
                    matches!(word.kind, WordKind::Type(_))
                } else {
                    slot.set.contains(word.kind)
                }
        });
        match found {
            Some((i, word)) if slot.set.contains(word.kind) && (!slot.fixed || i == place) => taken |= 1 << i,
            _ if slot.optional => {}
            _ => return false,
        }
    }
    taken.count_ones() as usize == words.len()
}

/// "`.trap`, `.clamp` or `.zero`"; `None` if there is nothing to list.
fn list_words(words: &[WordKind]) -> Option<String> {
    let mut unique: Vec<&str> = Vec::new();
    for word in words {
        if !unique.contains(&word.text()) {
            unique.push(word.text());
        }
    }
    let quoted: Vec<String> = unique.iter().map(|word| format!("`.{word}`")).collect();
    let (last, rest) = quoted.split_last()?;
    Some(if rest.is_empty() { last.clone() } else { format!("{} or {last}", rest.join(", ")) })
}
