//! Calls: an instruction from registers to registers in a function of its own, to which its sources are passed, and which returns its results.

use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};

use crate::body;
use crate::forms::Form;
use crate::part::{Guard, Instructions, Part};
use crate::places::SLOT;
use crate::specimen::{Class, Operand, Passing, Register, Shape, Specimen, Step};
use crate::text::Writer;

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($writer:expr, $($argument:tt)*) => {
        $writer.text.write_fmt(format_args!($($argument)*)).expect("writing to a string cannot fail")
    };
}

/// How an instruction is called, now and then, if it can be: it has to have something to pass and to return, and the carry is not passed.
pub(crate) fn passing(u: &mut Unstructured<'_>, form: &Form, sources: &[Operand]) -> Result<Option<Passing>> {
    let is_callable = !form.reads_carry
        && !form.text.contains(".cc")
        && !form.results.is_empty()
        && sources.iter().any(|source| source.register().is_some());
    if !is_callable {
        return Ok(None);
    }
    let roll = u.arbitrary::<u8>()?;
    Ok(Some(Passing { together: roll % 2 == 0, indirect: (roll >> 1) % 2 == 0 }))
}

/// What is passed to a function or returned by it.
struct Parameters<'s> {
    /// The name of a parameter, with a number behind it where there are several.
    name: char,
    registers: Vec<Register>,
    passing: Passing,
    step: &'s Step,
}

impl<'s> Parameters<'s> {
    fn arguments(step: &'s Step, passing: Passing) -> Self {
        let registers = step.sources.iter().filter_map(|source| source.register()).collect();
        Self { name: 'a', registers, passing, step }
    }

    fn returns(step: &'s Step, passing: Passing) -> Self {
        // ptxas: "Multiple return parameters require .register state space".
        let together = passing.together || step.results.len() > 1;
        Self { name: 'r', registers: step.results.clone(), passing: Passing { together, ..passing }, step }
    }

    /// `.param .b32 a0, .param .b64 a1`, or `.param .align 8 .b8 a[16]`; without names where `_` stands for each.
    fn declarations(&self, named: bool) -> Vec<String> {
        let name = |number: &str| if named { format!("{}{number}", self.name) } else { "_".to_owned() };
        if self.passing.together {
            return vec![format!(".param .align 8 .b8 {}[{}]", name(""), SLOT * self.registers.len())];
        }
        let of_one = |(number, register): (usize, &Register)| {
            let bits = 8 * register.class.size();
            format!(".param .b{bits} {}", name(&number.to_string()))
        };
        self.registers.iter().enumerate().map(of_one).collect()
    }

    /// `a0, a1`
    fn names(&self) -> String {
        if self.passing.together {
            return self.name.to_string();
        }
        let names = (0..self.registers.len()).map(|number| format!("{}{number}", self.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Where the value of that number is.
    fn place(&self, number: usize) -> String {
        match self.passing.together {
            true => format!("[{}+{}]", self.name, SLOT * number),
            false => format!("[{}{number}]", self.name),
        }
    }

    /// The guard of instructions around the call.
    fn guard(&self) -> Option<Guard> {
        Guard::of(self.step)
    }
}

/// The letter and number of a step's function.
fn name(index: usize) -> String {
    format!("function{index}")
}

/// The last instruction of the function of a step.
pub(crate) fn end(index: usize) -> &'static str {
    if index.is_multiple_of(2) { "ret" } else { "ret.uni" }
}

impl Writer {
    /// The functions that steps call.
    pub(crate) fn functions(&mut self, specimen: &Specimen) {
        for (index, step) in specimen.steps.iter().enumerate() {
            if let Shape::Call(passing) = step.shape {
                self.function(specimen, step, index, passing);
            }
        }
    }

    fn function(&mut self, specimen: &Specimen, step: &Step, index: usize, passing: Passing) {
        let (arguments, returns) = (Parameters::arguments(step, passing), Parameters::returns(step, passing));
        put!(self, ".func ({}) {}(", returns.declarations(true).join(", "), name(index));
        put!(self, "{})\n{{\n", arguments.declarations(true).join(", "));
        self.registers(specimen);
        put!(self, "    .reg .b32 %word;\n");
        for (number, register) in arguments.registers.iter().enumerate() {
            self.take(*register, &arguments.place(number), None);
        }
        let operands = body::plain(step);
        let place = self.put(None, &step.opcode, &operands);
        self.in_functions.push((index, place));
        for (number, register) in returns.registers.iter().enumerate() {
            self.give(*register, &returns.place(number));
        }
        put!(self, "    {};\n}}\n", end(index));
    }

    /// The call of the function of a step, with what passes its arguments and takes its results.
    pub(crate) fn write_call(&mut self, step: &Step, index: usize) {
        let Shape::Call(passing) = step.shape else { return };
        let (arguments, returns) = (Parameters::arguments(step, passing), Parameters::returns(step, passing));
        put!(self, "    {{\n");
        if arguments.guard().is_some() {
            put!(
                self,
                "    .reg .b16 %returned16;\n    .reg .b32 %returned32;\n    .reg .b64 %returned64;\n"
            );
        }
        for declaration in arguments.declarations(true).iter().chain(&returns.declarations(true)) {
            put!(self, "    {declaration};\n");
        }
        for (number, register) in arguments.registers.iter().enumerate() {
            self.give(*register, &arguments.place(number));
        }
        let mut callee = name(index);
        let mut prototype = String::new();
        if passing.indirect {
            let of = |parameters: &Parameters<'_>| parameters.declarations(false).join(", ");
            put!(self, "    PROTOTYPE{index}: .callprototype ({}) _ ({});\n", of(&returns), of(&arguments));
            put!(self, "    .reg .b64 %callee;\n    mov.u64 %callee, {callee};\n");
            callee = "%callee".to_owned();
            prototype = format!(", PROTOTYPE{index}");
        }
        self.guarded(arguments.guard());
        let (returned, passed) = (returns.names(), arguments.names());
        put!(self, "call ({returned}), {callee}, ({passed}){prototype};\n");
        for (number, register) in returns.registers.iter().enumerate() {
            self.take(*register, &returns.place(number), arguments.guard());
        }
        put!(self, "    }}\n");
    }

    /// Stores a register to a parameter; a predicate as a word.
    fn give(&mut self, register: Register, to: &str) {
        if register.class == Class::Pred {
            put!(self, "    selp.b32 %word, 1, 0, ");
            self.part(Part::Own(register));
            put!(self, ";\n");
        }
        put!(self, "    st.param.b{} {to}, ", 8 * register.class.size());
        self.word_or(register);
        put!(self, ";\n");
    }

    /// Loads a register from a parameter, of lanes that called. An instruction that accesses a parameter takes no guard.
    fn take(&mut self, register: Register, from: &str, guard: Option<Guard>) {
        let bits = 8 * register.class.size();
        put!(self, "    ld.param.b{bits} ");
        match guard {
            Some(_) if register.class != Class::Pred => put!(self, "%returned{bits}"),
            _ => self.word_or(register),
        }
        put!(self, ", {from};\n");
        if register.class == Class::Pred {
            self.guarded(guard);
            put!(self, "setp.ne.u32 ");
            self.part(Part::Own(register));
            put!(self, ", %word, 0;\n");
        } else if guard.is_some() {
            self.guarded(guard);
            put!(self, "mov.b{bits} ");
            self.part(Part::Own(register));
            put!(self, ", %returned{bits};\n");
        }
    }

    fn word_or(&mut self, register: Register) {
        match register.class {
            Class::Pred => self.text.push_str("%word"),
            _ => self.part(Part::Own(register)),
        }
    }

    /// Begins an instruction.
    fn guarded(&mut self, guard: Option<Guard>) {
        self.text.push_str("    ");
        self.guard(guard);
    }
}
