//! Deviations of initial values and declarations of variables, as the assembler has them and as they are misread.

use super::deviation::Deviation;
use super::entry::Origin::{Project, Ptxas, Reading};
use super::entry::{Contrast, Entry, family};
use crate::MismatchClass;

/// Why no generated program shows a deviation of this family.
const NO_INITIAL_VALUES: Option<&str> = Some(
    "generated programs have no addresses as initial values, nor values of which the assembler makes other bytes",
);

family! { "variables", from super::spa::END;
    /// The values of lists that are shorter than their dimension stand without gaps: what ptxas emits.
    PtxasPackedLists = "ptxas.packed-lists" {
        is: Layout,
        origin: [Ptxas],
        breaks: ["init.incomplete"],
        shown_by: ["noted"],
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.4.4: as in C, array initializers may be incomplete, with remaining array locations initialized to the default value: a short inner list leaves the rest of its row at zero",
            assembler: "writes the values of all lists one after another, without gaps",
            example: ".global .u8 a[3][2] = {{1}, {2}, {3}};",
        }),
    }
    /// An address in a variable of 32 bits overwrites the four bytes behind it with its upper half: what ptxas emits.
    PtxasWideAddress = "ptxas.wide-address" {
        is: Layout,
        origin: [Ptxas, Project("llvm/llvm-project #201217")],
        breaks: ["init.address"],
        shown_by: ["noted"],
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.4.4: variables that hold addresses should be of type .u8, .u32 or .u64; what 32 bits hold of an address of 64 is not specified",
            assembler: "emits a relocation of eight bytes, so that the upper half of the address overwrites the four bytes behind the variable",
            example: ".global .u32 x; .global .u32 p[2] = {generic(x), 7};",
        }),
    }
    /// `%` in a constant expression is unsigned, and `?:` has the sign of the branch taken: what ptxas makes of them.
    PtxasExpressionSign = "ptxas.expression-sign" {
        is: Conversion,
        origin: [Ptxas],
        breaks: ["init.expressions.sign"],
        shown_by: ["noted"],
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "4.5.5, 4.5.6: `%` gives .s64, and `?:` the type that usual conversions give its branches",
            assembler: "gives `%` of whatever operands .u64, and `?:` the sign of the branch taken",
            example: ".global .u32 a = (1 ? -1 : 1U) < 5;",
        }),
    }
    /// The address of a `.const` variable in an initialiser is its generic one.
    InitConstGeneric = "init.const-generic" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.address.space"],
        shown_by: ["address .const :offset"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// `generic()` in an initialiser changes nothing: the address is the offset in the variable's space.
    InitGenericIgnored = "init.generic-ignored" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.generic"],
        shown_by: ["address .const :generic"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// `mask()` of an address in a variable of 32 or 64 bits keeps the bits above the byte.
    InitMaskKeepsUpper = "init.mask-keeps-upper" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.mask.extract"],
        shown_by: ["address :masked :wide"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// Before PTX 3.1 the address of a `.global` variable in an initialiser is its offset in global memory, which no access takes for a
    /// generic address.
    InitImplicitGenericIgnored = "init.implicit-generic-ignored" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.legacy-generic"],
        shown_by: ["address :implicit"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// A floating-point literal is an initial value of 8, 16 or 128 bits: the low bytes of its binary64, and chance in the upper eight of
    /// sixteen.
    PtxasOddFloat = "ptxas.odd-float" {
        is: Layout,
        origin: [Ptxas],
        breaks: ["init.float-literals"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "4.5.2: a floating-point constant is converted to the appropriate floating-point size; there is none of 8, 16 or 128 bits for a bit-size type",
            assembler: "writes the low bytes of the binary64; into 128 bits it writes eight of them and leaves the upper eight to chance",
            example: ".global .b16 a = 300.7;",
        }),
    }
    /// A variable of type `.f16x2` takes initial values, each of which is made 32 bits wide.
    PtxasHalfPair = "ptxas.f16x2-values" {
        is: Legality,
        origin: [Ptxas],
        breaks: ["init.types"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.4.4: initializers are allowed for all types except .f16, .f16x2 and .pred",
            assembler: "takes a list of up to two values for each element, makes each of them 32 bits wide and cuts the whole off at the size of the variable",
            example: ".global .f16x2 a = {1, 2};",
        }),
    }
    /// `name = value` stands for an element of an array, and nothing is emitted for it.
    PtxasNamedValue = "ptxas.named-value" {
        is: Legality,
        origin: [Ptxas],
        breaks: ["opaque.init"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.3: named members are those of opaque types",
            assembler: "takes `name = value` for an element and emits nothing for it",
            example: ".global .u32 a[2] = {b = 1, 2};",
        }),
    }
    /// An opaque variable appears in an initialiser, and its address is that of any other variable.
    PtxasOpaqueAddress = "ptxas.opaque-address" {
        is: Legality,
        origin: [Ptxas],
        breaks: ["opaque.init.address"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.3: opaque variables may not appear in initializers",
            assembler: "emits a relocation as for any other variable",
            example: ".global .surfref s; .global .u64 p = s;",
        }),
    }
    /// An array of opaque type is plain memory, whose zero bytes show how large an element is.
    PtxasOpaqueArray = "ptxas.opaque-array" {
        is: Legality,
        origin: [Ptxas],
        breaks: ["opaque.array"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.3: the use of opaque types is limited to variables and kernel parameters; all information about their size is hidden",
            assembler: "makes an array of them plain zero bytes: 52 for each .texref, 28 for each .surfref, 20 for each .samplerref",
            example: ".global .surfref s[2];",
        }),
    }
    /// A variable of `v<N>` that the program never names does not exist.
    PtxasUnnamedVariable = "ptxas.unnamed-variables" {
        is: Layout,
        origin: [Ptxas],
        breaks: ["names.parameterised"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.4.6: the syntax creates a set of variables, with any state space",
            assembler: "makes each of them where the program first names it, and those that it never names not at all",
            example: ".global .u32 v<2>; .global .u64 p[2] = {v1, v1};",
        }),
    }
    /// `v<N>` declares opaque variables.
    PtxasOpaqueNames = "ptxas.opaque-names" {
        is: Legality,
        origin: [Ptxas],
        breaks: ["names.parameterised.space"],
        shown_by: ["noted"],
        runs: false,
        not_generated: NO_INITIAL_VALUES,
        contrast: Some(Contrast {
            specification: "5.4.6: the shorthand may be used with any of the fundamental types, of which .texref, .samplerref and .surfref are none",
            assembler: "takes it with opaque types as well, and makes an object of each name that the program uses",
            example: ".global .surfref s<1>; .entry k() { .reg .u64 %p; mov.u64 %p, s0; ret; }",
        }),
    }
    /// Variables begin with zeros whatever their initial values.
    InitIgnored = "init.ignored" {
        is: Layout,
        origin: [

            Project("gpuocelot/gpuocelot commit 06c9f76e; gpgpu-sim bug 47, commit 233aa682: initialised variables live in another section"),
        ],
        breaks: ["init.scalar", "init.array"],
        shown_by: ["initialised"],
    }
    /// Of an initial value the first eight bytes count.
    InitFirstEightBytes = "init.first-eight-bytes" {
        is: Layout,
        origin: [Project("CHIP-SPV/chipStar #370")],
        breaks: ["init.array"],
        shown_by: ["initialised"],
    }
    /// The elements of an initial value are copied from the last one on.
    InitElementsReversed = "init.elements-reversed" {
        is: Layout,
        origin: [Project("NVIDIA/numba-cuda #589")],
        breaks: ["init.array"],
        shown_by: ["initialised"],
    }
    /// The bytes of initial values stand with the highest first.
    InitBigEndian = "init.big-endian" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.little-endian"],
        shown_by: ["initialised"],
    }
    /// Addresses in initial values are zero.
    InitAddressZero = "init.address-zero" {
        is: Layout,
        origin: [Project("gpuocelot/gpuocelot commit e40499d6")],
        breaks: ["init.address"],
        shown_by: ["address"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// The bytes behind the name of a variable in an initial value are lost.
    InitAddendLost = "init.addend-lost" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.address.offset"],
        shown_by: ["address"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// Variables without an initial value hold what was in their place before.
    InitAbsent = "init.absent-undefined" {
        is: Layout,
        origin: [Project("vosen/ZLUDA #588")],
        breaks: ["init.default-zero"],
        shown_by: ["variable .global|.const :uninitialised"],
    }
    /// The last byte of an initial value of more than four bytes is zero where their number is no multiple of four.
    InitLastByte = "init.last-byte-zero" {
        is: Layout,
        origin: [Project("llvm/llvm-project #201184; SemiAnalysisAI/FuzzX NVPTX 014")],
        breaks: ["init.array"],
        shown_by: ["initialised"],
    }
    /// Octal numbers in initial values are decimal: 017 is seventeen.
    InitOctalDecimal = "init.octal-as-decimal" {
        is: Layout,
        origin: [Project("gpuocelot commit c514fa73")],
        breaks: ["init.integer-literals"],
        shown_by: ["initialised"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// Hexadecimal numbers in initial values end before their first letter: 0x1f is 1.
    InitHexCut = "init.hex-cut-at-letter" {
        is: Layout,
        origin: [Project("gpgpu-sim commit b6661da8")],
        breaks: ["init.integer-literals"],
        shown_by: ["initialised"],
    }
    /// Nested lists of initial values fill the last dimension last.
    InitTransposed = "init.nested-transposed" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.array"],
        shown_by: ["initialised"],
    }
    /// In `var+offset` the offset counts elements of the variable.
    InitAddendInElements = "init.addend-in-elements" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.address.offset"],
        shown_by: ["address"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// `mask()` counts the bytes of an address from the highest.
    InitMaskFromTop = "init.mask-from-top" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.mask.extract"],
        shown_by: ["address :masked"],
        not_generated: NO_INITIAL_VALUES,
    }
    /// Negative numbers of 32 bits that initialise 64 bits leave the upper half zero.
    InitWideUnextended = "init.negative-unextended" {
        is: Layout,
        origin: [Reading],
        breaks: ["init.expressions"],
        shown_by: ["initialised"],
    }
    /// `.align` of a variable in shared memory is read and forgotten.
    AlignIgnored = "align.clause-ignored" {
        is: Alignment,
        origin: [Project("gpuocelot commit 4965a3b1")],
        breaks: ["align.specified"],
        shown_by: ["variable .shared :aligned"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
    /// Variables in local and shared memory lie one behind the other without padding.
    AlignUnpadded = "align.unpadded" {
        is: Alignment,
        origin: [Project("gpgpu-sim commit 3f232f6b")],
        breaks: ["align.scalar"],
        shown_by: ["variable .local|.shared"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
    /// Arrays in shared memory are aligned to one byte where nothing else is stated.
    AlignArrayOne = "align.shared-array-one" {
        is: Alignment,
        origin: [Project("numba/numba #2393")],
        breaks: ["align.scalar"],
        shown_by: ["variable .shared :array"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
    /// Vectors are aligned as their elements.
    AlignVectorElement = "align.vector-as-element" {
        is: Alignment,
        origin: [Project("pocl/pocl #2174")],
        breaks: ["vectors.aligned"],
        shown_by: ["variable :vector"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
    /// Dynamic shared memory begins at the next multiple of 16 whatever its alignment.
    AlignDynamicPacked = "align.dynamic-packed" {
        is: Alignment,
        origin: [Project("intel/llvm #5007")],
        breaks: ["shared.dynamic"],
        shown_by: ["variable .shared :dynamic"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
    /// `.align` counts bits.
    AlignInBits = "align.in-bits" {
        is: Alignment,
        origin: [Reading],
        breaks: ["align.specified"],
        shown_by: ["variable :aligned"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
    /// Alignments above 16 are 16.
    AlignAtMost16 = "align.at-most-16" {
        is: Alignment,
        origin: [Reading],
        breaks: ["align.specified"],
        shown_by: ["variable :aligned"],
        not_generated: Some("generated programs neither take the addresses of variables nor access them beyond their alignment"),
    }
}
