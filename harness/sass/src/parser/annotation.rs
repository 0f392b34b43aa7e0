//! The syntax of annotations: the schedule of an instruction, and the registers it keeps.

use warpdiff_ptx::source::Span;

use super::statement::{Parsed, Parser};
use crate::control::Control;
use crate::lexer::{Token, error};
use crate::reuse;

impl Parser<'_, '_> {
    /// `&req={0,1} &rd=0x2 &wr=0x0 &reuse=8 ?WAIT4`, in any order, each at most once: the schedule, and the registers that are kept,
    /// which alone are no schedule.
    pub(super) fn annotations(&mut self) -> Parsed<(Option<Control>, u8)> {
        let mut control = Control::default();
        let mut reuse = 0;
        let mut seen: Vec<&str> = Vec::new();
        while let Some(Token::Mark(mark @ ('&' | '?'))) = self.peek() {
            self.at += 1;
            let (name, span) =
                self.word(if mark == '&' { "`req`, `rd`, `wr` or `reuse`" } else { "`WAIT0` to `WAIT15`" })?;
            let kind = if mark == '?' { "?" } else { name };
            if seen.contains(&kind) {
                return Err(error(span, format!("`{mark}{name}`: a second annotation of its kind"), None));
            }
            seen.push(kind);
            match kind {
                "?" => (control.stall, control.stay) = schedule(name, span)?,
                "req" => control.wait = self.required_barriers()?,
                "rd" => control.read_barrier = self.one_barrier()?,
                "wr" => control.write_barrier = self.one_barrier()?,
                "reuse" => reuse = self.kept_registers()?,
                _ => {
                    return Err(error(
                        span,
                        format!("unknown annotation `&{name}`"),
                        Some("`&req`, `&rd`, `&wr` or `&reuse`"),
                    ));
                }
            }
        }
        let is_schedule = seen.iter().any(|kind| *kind != "reuse");
        Ok((is_schedule.then_some(control), reuse))
    }

    /// The bits of the field, as a number.
    fn kept_registers(&mut self) -> Parsed<u8> {
        self.expect('=')?;
        let expected = "the four bits of the field, 0 to 15";
        let (value, span) = self.number(expected)?;
        let bits = u8::try_from(value).ok().filter(|bits| *bits <= reuse::ALL);
        bits.ok_or_else(|| error(span, format!("{value} is more than four bits"), Some(expected)))
    }

    fn one_barrier(&mut self) -> Parsed<u8> {
        self.expect('=')?;
        self.barrier()
    }

    fn barrier(&mut self) -> Parsed<u8> {
        let (value, span) = self.number("a barrier, 0 to 5")?;
        let barrier = u8::try_from(value).ok().filter(|barrier| *barrier < 6);
        barrier.ok_or_else(|| error(span, format!("there is no barrier {value}"), Some("a barrier, 0 to 5")))
    }

    fn required_barriers(&mut self) -> Parsed<u8> {
        self.expect('=')?;
        self.expect('{')?;
        self.barriers()
    }

    /// `0,1}`: a bit each.
    pub(super) fn barriers(&mut self) -> Parsed<u8> {
        let mut set = 0;
        if self.eat('}') {
            return Ok(set);
        }
        loop {
            set |= 1 << self.barrier()?;
            if !self.eat(',') {
                self.expect('}')?;
                return Ok(set);
            }
        }
    }
}

/// `WAIT4`: the next instruction four cycles later; `WAIT4_YIELD`: and another warp may be preferred meanwhile.
fn schedule(name: &str, span: Span) -> Parsed<(u8, bool)> {
    let (wait, stay) = name.strip_suffix("_YIELD").map_or((name, true), |wait| (wait, false));
    let cycles = wait.strip_prefix("WAIT").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let stall = cycles.and_then(|digits| digits.parse::<u8>().ok()).filter(|stall| *stall < 16);
    let expected = "`WAIT0` to `WAIT15`, with `_YIELD` or without";
    stall
        .map(|stall| (stall, stay))
        .ok_or_else(|| error(span, format!("unknown schedule `?{name}`"), Some(expected)))
}
