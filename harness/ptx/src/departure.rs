//! Where NVIDIA's assembler gives variables other contents than the text specifies, or makes variables that the text does not
//! allow: a catalogue of named departures.
//!
//! The text decides what a program means, and the assembler what a program on hardware finds. [`checked::Variable`] has the
//! bytes of both, and [`checked::Module::departures`] says where in the program they part.
//!
//! [`checked::Variable`]: crate::checked::Variable
//! [`checked::Module::departures`]: crate::checked::Module::departures

use std::fmt;

use crate::source::{Diagnostic, Span};

/// A departure of the assembler from sections 5.3 and 5.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Departure {
    /// Lists that are shorter than their dimension leave no gap.
    PackedLists,
    /// An address of 64 bits in a variable of 32.
    WideAddress,
    /// A floating-point literal where the text has no format of that size.
    OddFloat,
    /// A constant expression whose value hangs on the sign of `&`, `|`, `^` or `?:`.
    ExpressionSign,
    /// Initial values of type `.f16x2`.
    HalfPair,
    /// `a = b = 1`
    NamedValue,
    /// The address of an opaque variable.
    OpaqueAddress,
    /// An array of opaque type.
    OpaqueArray,
    /// Variables of `v<N>` that the program does not name.
    UnnamedVariable,
    /// `v<N>` of opaque type.
    OpaqueNames,
}

/// What is known of a [`Departure`].
#[derive(Clone, Copy, Debug)]
pub struct DepartureInfo {
    /// Which.
    pub departure: Departure,
    /// Its name: `ptxas.packed-lists`.
    pub name: &'static str,
    /// What the text says, with its section.
    pub text: &'static str,
    /// What the assembler does (ptxas 11.8 to 13.5 alike, unless it says otherwise).
    pub assembler: &'static str,
    /// A declaration that shows it.
    pub example: &'static str,
}

impl Departure {
    /// Every departure, in the order of the enum.
    pub const ALL: &'static [DepartureInfo] = &[
        DepartureInfo {
            departure: Departure::PackedLists,
            name: "ptxas.packed-lists",
            text: "5.4.4: as in C, array initializers may be incomplete, with remaining array locations initialized to the default value: a short inner list leaves the rest of its row at zero",
            assembler: "writes the values of all lists one after another, without gaps",
            example: ".global .u8 a[3][2] = {{1}, {2}, {3}};",
        },
        DepartureInfo {
            departure: Departure::WideAddress,
            name: "ptxas.wide-address",
            text: "5.4.4: variables that hold addresses should be of type .u8, .u32 or .u64; what 32 bits hold of an address of 64 is not specified",
            assembler: "emits a relocation of eight bytes, so that the upper half of the address overwrites the four bytes behind the variable",
            example: ".global .u32 x; .global .u32 p[2] = {generic(x), 7};",
        },
        DepartureInfo {
            departure: Departure::OddFloat,
            name: "ptxas.odd-float",
            text: "4.5.2: a floating-point constant is converted to the appropriate floating-point size; there is none of 8, 16 or 128 bits for a bit-size type",
            assembler: "writes the low bytes of the binary64; into 128 bits it writes eight of them and leaves the upper eight to chance",
            example: ".global .b16 a = 300.7;",
        },
        DepartureInfo {
            departure: Departure::ExpressionSign,
            name: "ptxas.expression-sign",
            text: "4.5.5, 4.5.6: `%` gives .s64, and `?:` the type that usual conversions give its branches",
            assembler: "gives `%` of whatever operands .u64, and `?:` the sign of the branch taken",
            example: ".global .u32 a = (1 ? -1 : 1U) < 5;",
        },
        DepartureInfo {
            departure: Departure::HalfPair,
            name: "ptxas.f16x2-values",
            text: "5.4.4: initializers are allowed for all types except .f16, .f16x2 and .pred",
            assembler: "takes a list of up to two values for each element, makes each of them 32 bits wide and cuts the whole off at the size of the variable",
            example: ".global .f16x2 a = {1, 2};",
        },
        DepartureInfo {
            departure: Departure::NamedValue,
            name: "ptxas.named-value",
            text: "5.3: named members are those of opaque types",
            assembler: "takes `name = value` for an element and emits nothing for it",
            example: ".global .u32 a[2] = {b = 1, 2};",
        },
        DepartureInfo {
            departure: Departure::OpaqueAddress,
            name: "ptxas.opaque-address",
            text: "5.3: opaque variables may not appear in initializers",
            assembler: "emits a relocation as for any other variable",
            example: ".global .surfref s; .global .u64 p = s;",
        },
        DepartureInfo {
            departure: Departure::OpaqueArray,
            name: "ptxas.opaque-array",
            text: "5.3: the use of opaque types is limited to variables and kernel parameters; all information about their size is hidden",
            assembler: "makes an array of them plain zero bytes: 52 for each .texref, 28 for each .surfref, 20 for each .samplerref",
            example: ".global .surfref s[2];",
        },
        DepartureInfo {
            departure: Departure::UnnamedVariable,
            name: "ptxas.unnamed-variables",
            text: "5.4.6: the syntax creates a set of variables, with any state space",
            assembler: "makes each of them where the program first names it, and those that it never names not at all",
            example: ".global .u32 v<2>; .global .u64 p[2] = {v1, v1};",
        },
        DepartureInfo {
            departure: Departure::OpaqueNames,
            name: "ptxas.opaque-names",
            text: "5.4.6: the shorthand may be used with any of the fundamental types, of which .texref, .samplerref and .surfref are none",
            assembler: "takes it with opaque types as well, and makes an object of each name that the program uses",
            example: ".global .surfref s<1>; .entry k() { .reg .u64 %p; mov.u64 %p, s0; ret; }",
        },
    ];

    /// What is known of it.
    pub fn info(self) -> &'static DepartureInfo {
        &Self::ALL[self as usize]
    }

    /// Its name: `ptxas.packed-lists`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// A warning about it, with a caret at `span`.
    pub fn warning(self, span: Span) -> Diagnostic {
        let info = self.info();
        Diagnostic {
            span,
            message: format!("{}: text and assembler part here", info.name),
            expected: None,
            note: Some(format!("{}; ptxas {}", info.text, info.assembler)),
            unsupported: false,
        }
    }
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Rules, compile};

    /// The example of each departure shows that departure, and no other.
    #[test]
    fn the_examples_show_what_they_are_examples_of() {
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        for (index, info) in Departure::ALL.iter().enumerate() {
            assert_eq!(info.departure as usize, index, "{}", info.name);
            let text = format!(".version 8.8\n.target sm_90\n.address_size 64\n{}\n", info.example);
            let module = compile(&text, &rules).unwrap_or_else(|e| panic!("{}: {e:?}", info.name));
            let shown: Vec<_> = module.departures.iter().map(|(departure, _)| *departure).collect();
            assert_eq!(shown, [info.departure], "{}", info.name);
        }
    }
}
