//! Loads, stores and atomics.
//!
//! Addresses in windows count bytes from the start of the allocation, as in SPA 5.0. The address of the PTX array is added last,
//! since a device may place it anywhere. The sum has 32 bits and wraps.

use warpdiff_sass::mnemonic::Space;
use warpdiff_sass::{Mnemonic as M, Operand, Register};

use super::equivalent::Equivalent;
use super::writer::{Writer, Written};

/// The bits of an immediate offset.
const IMMEDIATE: u32 = 0xFF_FFFF;

impl Writer<'_> {
    /// Loads and stores.
    pub(super) fn memory(&mut self) -> Written {
        match self.instruction().form.mnemonic {
            M::LDL | M::LDS => self.load(),
            M::STL | M::STS => self.store(),
            M::LDG | M::STG => self.global(),
            _ => Err(self.no_translation()),
        }
    }

    /// Operations that read and write memory at once.
    pub(super) fn atomic(&mut self) -> Written {
        match self.instruction().form.mnemonic {
            M::ATOMS => self.shared_atomic(),
            M::ATOM | M::RED => self.global_atomic(),
            _ => Err(self.no_translation()),
        }
    }

    /// `LDL`, `LDS`.
    fn load(&mut self) -> Written {
        let equivalent = self.equivalent()?;
        let registers = self.destinations(self.register(0)?, words(self.modifier("size")))?;
        let address = self.window_address(1)?;
        self.act(format!("{} {}, {address};", equivalent.ptx, operand(&registers)));
        Ok(())
    }

    /// `STL`, `STS`.
    fn store(&mut self) -> Written {
        let equivalent = self.equivalent()?;
        let registers = self.sources(self.register(1)?, words(self.modifier("size")))?;
        let address = self.window_address(0)?;
        self.act(format!("{} {address}, {};", equivalent.ptx, operand(&registers)));
        Ok(())
    }

    /// `LDG`, `STG`: global memory has the same addresses in both.
    fn global(&mut self) -> Written {
        let is_load = self.instruction().form.mnemonic == M::LDG;
        let (data, place) = if is_load { (0, 1) } else { (1, 0) };
        let size = self.modifier("size");
        let Some(width) = ["u8", "s8", "u16", "s16", "b32", "v2.b32", "v4.b32"].get(usize::from(size)) else {
            return Err(self.untranslatable("this size"));
        };
        let register = self.register(data)?;
        let address = self.global_address(place)?;
        if is_load {
            let registers = self.destinations(register, words(size))?;
            let operator = [".ca", ".cg", ".nc", ".cv"][usize::from(self.modifier("cache operator")) % 4];
            let operator = if operator == ".ca" { "" } else { operator };
            self.act(format!("ld.global{operator}.{width} {}, {address};", operand(&registers)));
        } else {
            let registers = self.sources(register, words(size))?;
            let operator = ["", ".cg", ".cs", ".wt"][usize::from(self.modifier("cache operator")) % 4];
            let width = width.replace('s', "u");
            self.act(format!("st.global{operator}.{width} {address}, {};", operand(&registers)));
        }
        Ok(())
    }

    /// `ATOMS`.
    fn shared_atomic(&mut self) -> Written {
        let equivalent = self.equivalent()?;
        let address = self.window_address(1)?;
        let rd = self.register(0)?;
        let pair = self.is_fixed("CAS") || self.is_fixed("CAST");
        let wide = equivalent.ptx.ends_with("64");
        let mut data = vec![self.atomic_data(2, wide, "%wide1")?];
        if pair {
            data.push(self.atomic_data(3, wide, "%wide2")?);
        }
        let data = data.join(", ");
        if let (Register::RZ, Some(reduction)) = (rd, &equivalent.without_result) {
            self.act(format!("{reduction} {address}, {data};"));
            return Ok(());
        }
        // The old value goes to a temporary register first: the destination may also be a source.
        let found = if wide { "%wide0" } else { "%value" };
        self.act(format!("{} {found}, {address}, {data};", equivalent.ptx));
        if rd == Register::RZ {
            return Ok(());
        }
        if let [compare, select] = equivalent.then {
            let compared = data.split(", ").next().unwrap_or_default();
            self.prepare(format!("{compare} %first, {found}, {compared};"));
            // A truth is as wide as the location.
            let registers = operand(&self.destinations(rd, if wide { 2 } else { 1 })?);
            if wide {
                self.prepare(format!("{select} %wide1, 1, 0, %first;"));
                self.act(format!("mov.b64 {registers}, %wide1;"));
            } else {
                self.act(format!("{select} {registers}, 1, 0, %first;"));
            }
            return Ok(());
        }
        let registers = self.destinations(rd, if wide { 2 } else { 1 })?;
        let (opcode, registers) = (if wide { "mov.b64" } else { "mov.b32" }, operand(&registers));
        self.act(format!("{opcode} {registers}, {found};"));
        Ok(())
    }

    /// `ATOM.E` and `RED.E`: atomics on global memory.
    fn global_atomic(&mut self) -> Written {
        if self.is_fixed("CAS") {
            return self.global_swap();
        }
        if self.is_fixed("SAFEADD") {
            return Err(self.no_translation());
        }
        let returns = self.instruction().form.mnemonic == M::ATOM;
        let size = self.modifier("size");
        let names = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
        let operation = match self.is_fixed("EXCH") {
            true => "exch",
            false => names.get(usize::from(self.modifier("operation"))).copied().unwrap_or_default(),
        };
        let ty = match (operation, size) {
            ("and" | "or" | "xor" | "exch", 0 | 1) => "b32",
            ("and" | "or" | "xor" | "exch", 2) => "b64",
            ("add" | "min" | "max" | "inc" | "dec", 0) => "u32",
            ("add" | "min" | "max", 1) => "s32",
            ("add" | "min" | "max", 2) => "u64",
            ("min" | "max", 5) => "s64",
            _ => return Err(self.untranslatable("this size")),
        };
        let first = usize::from(returns);
        let is_wide = matches!(size, 2 | 5);
        let data = self.atomic_data(first + 1, is_wide, "%wide1")?;
        let address = self.global_address(first)?;
        if !returns {
            self.act(format!("red.global.{operation}.{ty} {address}, {data};"));
            return Ok(());
        }
        let registers = self.destinations(self.register(0)?, if is_wide { 2 } else { 1 })?;
        let (found, opcode) = if is_wide { ("%wide2", "mov.b64") } else { ("%value", "mov.b32") };
        self.act(format!("atom.global.{operation}.{ty} {found}, {address}, {data};"));
        self.act(format!("{opcode} {}, {found};", operand(&registers)));
        Ok(())
    }

    /// `ATOM.CAS`.
    fn global_swap(&mut self) -> Written {
        let is_wide = self.modifier("size") == 1;
        let compared = self.atomic_data(2, is_wide, "%wide1")?;
        let stored = self.atomic_data(3, is_wide, "%wide2")?;
        let address = self.global_address(1)?;
        let registers = self.destinations(self.register(0)?, if is_wide { 2 } else { 1 })?;
        let (found, opcode) = if is_wide { ("%wide1", "mov.b64") } else { ("%value", "mov.b32") };
        let ty = if is_wide { "b64" } else { "b32" };
        self.act(format!("atom.global.cas.{ty} {found}, {address}, {compared}, {stored};"));
        self.act(format!("{opcode} {}, {found};", operand(&registers)));
        Ok(())
    }

    /// Operand `n`, a datum of an atomic; a 64-bit one is assembled in `wide`.
    fn atomic_data(&mut self, n: usize, is_wide: bool, wide: &str) -> Written<String> {
        let register = self.register(n)?;
        if !is_wide {
            return Ok(self.sources(register, 1)?.remove(0));
        }
        let registers = self.sources(register, 2)?;
        self.prepare(format!("mov.b64 {wide}, {};", operand(&registers)));
        Ok(wide.to_owned())
    }

    fn equivalent(&self) -> Written<Equivalent> {
        Equivalent::of(self.instruction()).ok_or_else(|| self.untranslatable("it has no translation yet"))
    }

    /// Operand `n`, an address in a window. Without a register, or with one that the program does not have, the offset is the
    /// address, without a sign; otherwise it is added to the register, with its sign.
    fn window_address(&mut self, n: usize) -> Written<String> {
        let Operand::Address { base, offset } = self.operand(n)? else {
            return Err(self.untranslatable("this kind of address"));
        };
        let access = self.instruction().form.traits.access;
        let is_local = access.is_some_and(|access| access.space == Space::Local);
        let window = if is_local { "%local" } else { "%shared" };
        match (self.own(base), offset) {
            (None, _) => {
                let absolute = offset as u32 & IMMEDIATE;
                self.prepare(format!("add.u32 %address, {window}, {absolute};"));
            }
            (Some(base), 0) => self.prepare(format!("add.u32 %address, {base}, {window};")),
            (Some(base), _) => {
                self.prepare(format!("add.u32 %address, {base}, {offset};"));
                self.prepare(format!("add.u32 %address, %address, {window};"));
            }
        }
        Ok("[%address]".to_owned())
    }

    /// Operand `n`, an address of 64 bits in a pair of registers.
    fn global_address(&mut self, n: usize) -> Written<String> {
        let Operand::Address { base, offset } = self.operand(n)? else {
            return Err(self.untranslatable("this kind of address"));
        };
        if !self.is_fixed("E") {
            return Err(self.untranslatable("an address of 32 bits"));
        }
        let registers = self.sources(base, 2)?;
        self.prepare(format!("mov.b64 %wide0, {};", operand(&registers)));
        self.prepare("cvta.to.global.u64 %wide0, %wide0;");
        Ok(if offset == 0 { "[%wide0]".to_owned() } else { format!("[%wide0+{offset}]") })
    }
}

/// How many registers an access of that size takes.
fn words(size: u8) -> u8 {
    match size {
        5 => 2,
        6 => 4,
        _ => 1,
    }
}

/// One register, or a vector of them.
fn operand(registers: &[String]) -> String {
    match registers {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(", ")),
    }
}
