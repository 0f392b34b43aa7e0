//! Modules of declarations with initialisers (PTX ISA 5.4), for `layout --random`.
//!
//! Everything that an initialiser may be is there: lists that are nested and cut short, vectors, a first extent left out, constant
//! expressions, literals of every base, addresses, masks, functions, parameterised names, attributes, linkage. What differs between
//! versions and targets is written only where it is legal ([`Setting`]).

use arbitrary::{Result, Unstructured};

use crate::builder::weighted;
use crate::constants;
use crate::seed;

/// Most declarations of a module.
const DECLARATIONS: u32 = 8;
/// Most elements of an array.
const ELEMENTS: u64 = 48;

/// The head of a module, and how it is assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `.version`, ten times the major number plus the minor one.
    pub version: u32,
    /// The number of `.target sm_…`.
    pub target: u32,
    /// The architecture assembled for.
    pub architecture: u32,
    /// Whether an object is made that is still to be linked.
    pub relocatable: bool,
}

/// Settings under which different modules are legal or different code is emitted.
pub const SETTINGS: &[Setting] = &[
    Setting { version: 88, target: 90, architecture: 90, relocatable: false },
    Setting { version: 88, target: 90, architecture: 90, relocatable: true },
    Setting { version: 88, target: 50, architecture: 50, relocatable: false },
    Setting { version: 80, target: 75, architecture: 75, relocatable: false },
    Setting { version: 80, target: 75, architecture: 75, relocatable: true },
    Setting { version: 73, target: 61, architecture: 61, relocatable: false },
    Setting { version: 50, target: 52, architecture: 52, relocatable: false },
    Setting { version: 31, target: 30, architecture: 50, relocatable: false },
    Setting { version: 30, target: 20, architecture: 50, relocatable: false },
];

/// A module of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarations {
    /// Its head.
    pub setting: Setting,
    /// The text behind the head.
    pub source: String,
}

/// What a variable is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Takes integers and addresses.
    Unsigned,
    /// Takes integers.
    Signed,
    /// Takes integers and floating-point numbers.
    Bits,
    /// Takes floating-point numbers.
    Float,
    /// Takes nothing.
    Bare,
}

/// Types of variables: name, bytes, what they take, how often.
const TYPES: &[(&str, u64, Kind, u32)] = &[
    ("u8", 1, Kind::Unsigned, 5),
    ("u16", 2, Kind::Unsigned, 3),
    ("u32", 4, Kind::Unsigned, 6),
    ("u64", 8, Kind::Unsigned, 8),
    ("s8", 1, Kind::Signed, 2),
    ("s16", 2, Kind::Signed, 2),
    ("s32", 4, Kind::Signed, 3),
    ("s64", 8, Kind::Signed, 3),
    ("b8", 1, Kind::Bits, 2),
    ("b16", 2, Kind::Bits, 2),
    ("b32", 4, Kind::Bits, 3),
    ("b64", 8, Kind::Bits, 3),
    ("f32", 4, Kind::Float, 4),
    ("f64", 8, Kind::Float, 4),
    ("f16", 2, Kind::Bare, 1),
];

/// Names that an initialiser may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// `.global` and `.const` variables declared before.
    pub(crate) variables: Vec<String>,
    /// Functions defined before.
    pub(crate) functions: Vec<String>,
}

/// The module of that index under that seed.
///
/// # Errors
/// Only if the generator asks for a choice among nothing, which is a defect of a table.
pub fn declarations(seed: u64, index: u64) -> Result<Declarations> {
    let mut bytes = [0; seed::SPECIMEN_BYTES];
    seed::fill(&mut bytes, seed, index);
    let mut u = Unstructured::new(&bytes);
    let setting = *u.choose(SETTINGS)?;
    let mut writer = Writer { setting, names: Names::default(), next: 0, source: String::new() };
    writer.functions(&mut u)?;
    for _ in 0..u.int_in_range(1..=DECLARATIONS)? {
        writer.declaration(&mut u)?;
    }
    writer.kernel(&mut u)?;
    Ok(Declarations { setting, source: writer.source })
}

struct Writer {
    setting: Setting,
    names: Names,
    next: u32,
    source: String,
}

impl Writer {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    /// Functions whose addresses can be taken. Kernels need PTX 3.1 and sm_35 for that.
    fn functions(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        for _ in 0..u.int_in_range(0..=2)? {
            self.next += 1;
            let name = format!("f{}", self.next);
            let kernel = u.ratio(1, 3)?;
            let head = if kernel { ".visible .entry" } else { ".func" };
            self.source += &format!("{head} {name}() {{ ret; }}\n");
            if !kernel || self.setting.version >= 31 && self.setting.target >= 35 {
                self.names.functions.push(name);
            }
        }
        Ok(())
    }

    fn declaration(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let constant = u.ratio(1, 4)?;
        let linkage = self.linkage(u, constant)?;
        let space = if constant { ".const" } else { ".global" };
        let text = self.variables(u, space, true)?;
        self.source += &format!("{linkage}{text}\n");
        Ok(())
    }

    fn linkage(&self, u: &mut Unstructured<'_>, constant: bool) -> Result<&'static str> {
        let version = self.setting.version;
        Ok(match u.int_in_range(0..=7)? {
            0 | 1 => ".visible ",
            2 if version >= 31 => ".weak ",
            3 if version >= 50 && !constant => ".common ",
            _ => "",
        })
    }

    /// A declaration from its space to its semicolon. The variables are `addressable` if later initialisers may name them.
    fn variables(&mut self, u: &mut Unstructured<'_>, space: &str, addressable: bool) -> Result<String> {
        let mut head = space.to_owned();
        if space == ".global" && self.setting.version >= 40 && u.ratio(1, 12)? {
            head += " .attribute(.managed)";
        }
        if u.ratio(1, 4)? {
            head += &format!(" .align {}", 1 << u.int_in_range(0..=7)?);
        }
        let (name, size, kind, _) = *weighted(u, TYPES, |row| row.3)?;
        let widest = (16 / size).min(4);
        let vector = if u.ratio(1, 5)? { *u.choose(&[2, 4])? } else { 1 };
        let vector = if vector <= widest { vector } else { 1 };
        if vector > 1 {
            head += &format!(" .v{vector}");
        }
        head += &format!(" .{name} ");
        let mut declarators = Vec::new();
        let mut declared = Vec::new();
        for _ in 0..1 + u32::from(u.ratio(1, 4)?) {
            let mut name = self.name();
            if u.ratio(1, 20)? {
                // As observed: where the stem ends in a digit, the names cannot be written.
                name += "n";
                let count = u.int_in_range(1..=3)?;
                declarators.push(format!("{name}<{count}>"));
                declared.extend((0..count).map(|number: u32| format!("{name}{number}")));
            } else {
                declarators.push(self.declarator(u, &name, (size, kind), vector)?);
                declared.push(name);
            }
        }
        if addressable {
            self.names.variables.extend(declared);
        }
        Ok(format!("{head}{};", declarators.join(", ")))
    }

    fn declarator(
        &mut self,
        u: &mut Unstructured<'_>,
        name: &str,
        (size, kind): (u64, Kind),
        vector: u64,
    ) -> Result<String> {
        let mut extents = Vec::new();
        while extents.len() < 3 && u.ratio(2, 5)? {
            let left = ELEMENTS / extents.iter().product::<u64>().max(1);
            extents.push(u.int_in_range(1..=left.clamp(1, 6))?);
        }
        let valued = kind != Kind::Bare && u.ratio(4, 5)?;
        let open = valued && !extents.is_empty() && u.ratio(1, 5)?;
        let mut text = name.to_owned();
        for (level, extent) in extents.iter().enumerate() {
            text += &if open && level == 0 { "[]".to_owned() } else { format!("[{extent}]") };
        }
        if !valued {
            return Ok(text);
        }
        let mut levels = extents.clone();
        if vector > 1 {
            levels.push(vector);
        }
        let value = self.list(u, &levels, vector > 1, open, (size, kind))?;
        Ok(format!("{text} = {value}"))
    }

    /// The value of `levels.len()` dimensions, the last of which is a vector, whose elements are all there. An `open` first one has
    /// at least one element.
    fn list(
        &mut self,
        u: &mut Unstructured<'_>,
        levels: &[u64],
        vector: bool,
        open: bool,
        element: (u64, Kind),
    ) -> Result<String> {
        let Some((extent, inner)) = levels.split_first() else {
            return constants::value(u, self.setting, &self.names, element.0, element.1);
        };
        let whole = vector && inner.is_empty();
        let least = if whole { *extent } else { u64::from(open) };
        let count = if u.ratio(1, 2)? { *extent } else { u.int_in_range(least..=*extent)? };
        let elements: Vec<String> =
            (0..count).map(|_| self.list(u, inner, vector, false, element)).collect::<Result<_>>()?;
        Ok(format!("{{{}}}", elements.join(", ")))
    }

    /// Now and then a kernel with variables of its own, which the assembler takes.
    fn kernel(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if !u.ratio(1, 5)? {
            return Ok(());
        }
        let space = if u.ratio(1, 3)? { ".const" } else { ".global" };
        // As observed: in an object that is to be linked the assembler now and then writes the address of nothing there.
        self.names.functions.clear();
        let text = self.variables(u, space, false)?;
        self.source += &format!(".visible .entry kernel() {{ {text} ret; }}\n");
        Ok(())
    }
}
