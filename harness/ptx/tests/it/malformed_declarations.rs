//! Declarations that sections 5.3 and 5.4 of the PTX ISA do not allow: each is refused, with its caret at the token at fault and
//! words that say what is wrong. Where the caret belongs was worked out by hand from the rule that is broken.

use proptest::prelude::*;
use warpdiff_ptx::ptxas_deviation;
use warpdiff_ptx::source::line_column;
use warpdiff_ptx::{Dialect, Rules, compile, render, render_warnings};

/// Under which `.version` and `.target` a declaration stands.
type Head = (&'static str, &'static str);

const NEW: Head = ("8.8", "sm_90");
const INDEPENDENT: Head = ("8.8", "sm_90, texmode_independent");
const PTX30: Head = ("3.0", "sm_30");
const PTX20: Head = ("2.0", "sm_20");
const PTX14: Head = ("1.4", "sm_13");

/// A declaration with the token at fault between `⟨` and `⟩`, and part of what is said of it.
const MALFORMED: &[(Head, &str, &str)] = &[
    // 5.4.1: every variable has a state space, a type and a name.
    (NEW, "⟨.globl⟩ .u32 a;", "unknown state space or directive `.globl`"),
    (NEW, ".global ⟨.u33⟩ a;", "unknown type `.u33`"),
    (NEW, ".global ⟨a⟩;", "unexpected `a`"),
    (NEW, ".global ⟨;⟩", "unexpected `;`"),
    (NEW, "⟨.global .u32⟩;", "a declaration of nothing"),
    (NEW, ".global .u32 a⟨⟩", "unexpected end of the text"),
    (NEW, ".global .u32 ⟨5⟩;", "unexpected `5`"),
    (NEW, ".global .u32 a ⟨b⟩;", "unexpected `b`"),
    (NEW, ".global .u32 a, ⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 ⟨.u32⟩ a;", "unexpected `.u32`"),
    (NEW, ".global .u32 ⟨_⟩;", "`_` cannot be declared"),
    (NEW, ".global .u32 ⟨%⟩;", "`%`"),
    (NEW, ".global .u32 ⟨$⟩;", "`$`"),
    (NEW, ".global .u32 ⟨WARP_SZ⟩;", "`WARP_SZ`"),
    (NEW, ".global .u32 a⟨.b⟩;", "unexpected `.b`"),
    (NEW, ".global .u32 ⟨ä⟩;", "unexpected character"),
    (NEW, ".global .u32 a; .global .u64 ⟨a⟩;", "`a` is already declared"),
    (NEW, "⟨.param⟩ .u32 a;", "`.param` at module scope"),
    (NEW, "⟨.sreg⟩ .u32 a;", "`.sreg`"),
    (NEW, "⟨.tex⟩ .u32 a;", "`.tex` at module scope"),
    (NEW, ".global ⟨.pred⟩ p;", "a predicate in `.global`"),
    (NEW, ".const ⟨.pred⟩ p[4];", "a predicate in `.const`"),
    (NEW, ".shared ⟨.pred⟩ p;", "a predicate in `.shared`"),
    (NEW, ".global ⟨.bf16⟩ a;", "`.bf16` is a type of instructions only"),
    (NEW, ".global ⟨.bf16x2⟩ a;", "`.bf16x2` is a type of instructions only"),
    (NEW, ".global ⟨.tf32⟩ a;", "`.tf32` is a type of instructions only"),
    (("8.2", "sm_90"), ".global ⟨.b128⟩ a;", "`.b128` needs PTX 8.3"),
    (("8.8", "sm_50"), ".global ⟨.b128⟩ a;", "`.b128` needs sm_70"),
    // 5.4.2: vectors.
    (NEW, ".global .v4 ⟨.f64⟩ a;", "`.v4 .f64`"),
    (NEW, ".global .v4 ⟨.u64⟩ a;", "`.v4 .u64`"),
    (NEW, ".global .v2 ⟨.b128⟩ a;", "`.v2 .b128`"),
    (NEW, ".global ⟨.v3⟩ .f32 a;", "`.v3`"),
    (NEW, ".global ⟨.v8⟩ .b8 a;", "`.v8`"),
    (NEW, ".global .v2 ⟨.v2⟩ .b8 a;", "`.v2`"),
    (NEW, ".global .v2 ⟨.texref⟩ t;", "a vector of `.texref`"),
    (NEW, ".global .v2 ⟨.pred⟩ t;", "a predicate in `.global`"),
    // 5.4.3: arrays.
    (NEW, ".global .u32 ⟨a[]⟩;", "an array without extent"),
    (NEW, ".global .u32 ⟨a[0]⟩;", "an array without extent"),
    (NEW, ".global .u32 a[2]⟨[]⟩;", "an incomplete dimension"),
    (NEW, ".global .u32 a[]⟨[]⟩ = {{1}};", "an incomplete dimension"),
    (NEW, ".global .u32 a[⟨-1⟩];", "a negative array extent"),
    (NEW, ".global .u32 a[⟨1.5⟩];", "not an integer"),
    (NEW, ".global .u32 a[⟨b⟩];", "`b`"),
    (NEW, ".global .u32 a[4⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 a⟨]⟩;", "unexpected `]`"),
    (NEW, ".global .u32 a[⟨1/0⟩];", "division by zero"),
    (NEW, ".global .u32 a[] = ⟨{}⟩;", "without extent"),
    (NEW, ".const .u32 ⟨a[20000]⟩;", "bytes of `.const`"),
    // 5.1.3: of all variables together.
    (NEW, ".const .u8 a[40000]; .const .u8 ⟨b[40000]⟩;", "80000 bytes of `.const`"),
    (NEW, ".const .u8 a[40000], ⟨b[40000]⟩;", "80000 bytes of `.const`"),
    (NEW, ".const .u8 a[65533]; .const .u32 ⟨b⟩;", "bytes of `.const`, with"),
    (NEW, ".global .u64 a⟨[0xFFFFFFFFFFFFFFF]⟩[16];", "an array of more than 2^62 bytes"),
    // 5.4.4: initialisers.
    (NEW, ".shared .u32 a = ⟨1⟩;", "an initial value in `.shared`"),
    (NEW, ".extern .global .u32 a = ⟨1⟩;", "an initial value of an `.extern` variable"),
    (NEW, ".global .u32 a = ⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 a = ⟨{⟩1};", "a list where a value stands"),
    (NEW, ".global .u32 a[2] = ⟨1⟩;", "a value where a list stands"),
    (NEW, ".global .u32 a[2][2] = {⟨1⟩, 2, 3, 4};", "a value where a list stands"),
    (NEW, ".global .u32 a[2] = {⟨{⟩1}, {2}};", "a list where a value stands"),
    (NEW, ".global .u32 a[2] = {1, 2, ⟨3⟩};", "more elements than the dimension has"),
    (NEW, ".global .u32 a[2][1] = {{1}, {2}, ⟨{⟩3}};", "more elements than the dimension has"),
    (NEW, ".global .u32 a[2][1] = {{1, ⟨2⟩}};", "more elements than the dimension has"),
    (NEW, ".global .v2 .u32 a = {1⟨}⟩;", "a vector takes a value for each of its elements"),
    (NEW, ".global .v2 .u32 a = {1, 2, ⟨3⟩};", "more elements than the dimension has"),
    (NEW, ".global .v2 .u32 a = ⟨1⟩;", "a value where a list stands"),
    (NEW, ".global .u32 a[2] = {1, 2⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 a[2] = {1, ⟨}⟩;", "unexpected `}`"),
    (NEW, ".global .u32 a[2] = {1 ⟨2⟩};", "unexpected `2`"),
    (NEW, ".global .u32 a = ⟨1.0⟩;", "a floating-point initial value of type `.u32`"),
    (NEW, ".global .s64 a = ⟨0d3ff0000000000000⟩;", "a floating-point initial value of type `.s64`"),
    (NEW, ".global .u16 a = ⟨0f3f800000⟩;", "a floating-point initial value of type `.u16`"),
    (NEW, ".global .f32 a = ⟨0⟩;", "an integer as initial value of type `.f32`"),
    (NEW, ".global .f64 a[2] = {1.0, ⟨2⟩};", "an integer as initial value of type `.f64`"),
    (NEW, ".global .f16 a = ⟨1.0⟩;", "an initial value of type `.f16`"),
    (NEW, ".global .f16x2 a = ⟨{1, 2}⟩;", "an initial value of type `.f16x2`"),
    (NEW, ".global .u32 a = ⟨08⟩;", "malformed integer literal"),
    (NEW, ".global .u32 a = ⟨0x⟩;", "malformed integer literal"),
    (NEW, ".global .u32 a = ⟨0b12⟩;", "malformed integer literal"),
    (NEW, ".global .u32 a = ⟨12u⟩;", "malformed integer literal"),
    (NEW, ".global .u32 a = ⟨0x10000000000000000⟩;", "more than 64 bits"),
    (NEW, ".global .f32 a = ⟨0f3f8⟩;", "exactly 8 hexadecimal digits"),
    (NEW, ".global .f64 a = ⟨0d3f⟩;", "exactly 16 hexadecimal digits"),
    (NEW, ".global .f32 a = ⟨-0f3f800000⟩;", "a `0f` literal takes no operator"),
    (NEW, ".global .f32 a = (⟨0f3f800000+1.0⟩);", "a `0f` literal takes no operator"),
    (NEW, ".global .f32 a = ⟨1e999⟩;", "beyond the range of a double"),
    (NEW, ".global .u32 a = ⟨1/0⟩;", "division by zero"),
    (NEW, ".global .u32 a = ⟨1 % 0⟩;", "division by zero"),
    (NEW, ".global .f32 a = ⟨1.0+1⟩;", "an integer and a floating-point number in one operation"),
    (NEW, ".global .f32 a = ⟨1.0 & 2.0⟩;", "does not apply to floating-point numbers"),
    (NEW, ".global .u32 a = (1⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 a = 1 +⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 a = 1 ? 2 ⟨;⟩", "unexpected `;`"),
    (NEW, ".global .u32 a = (⟨.u32⟩) 1;", "`.u32`"),
    (NEW, ".global .u32 a = ⟨b⟩ = 1;", "a named member"),
    (NEW, ".global .u64 a = ⟨b⟩;", "`b` is not declared"),
    (NEW, ".global .u64 a = ⟨a⟩;", "`a` is not declared"),
    (NEW, ".global .u64 a = ⟨later⟩; .global .u32 later;", "`later` is not declared"),
    (NEW, ".shared .u32 s; .global .u64 a = ⟨s⟩;", "the address of a `.shared` variable"),
    (NEW, ".global .surfref s; .global .u64 a = ⟨s⟩;", "an opaque variable in an initial value"),
    (NEW, ".global .texref t; .global .u64 a = generic(⟨t⟩);", "an opaque variable in an initial value"),
    (NEW, ".global .u32 x; .global .s64 a = ⟨x⟩;", "an address as initial value of type `.s64`"),
    (NEW, ".global .u32 x; .global .b32 a = ⟨x⟩;", "an address as initial value of type `.b32`"),
    (NEW, ".global .u32 x; .global .u8 a = ⟨x⟩;", "an address as initial value of type `.u8`"),
    (NEW, ".global .u32 x; .global .u16 a = ⟨0xFF(x)⟩;", "an address as initial value of type `.u16`"),
    (NEW, ".global .u32 x; .global .f32 a = ⟨x⟩;", "an address as initial value of type `.f32`"),
    (NEW, ".global .u32 x; .global .u64 a = x⟨-⟩4;", "unexpected `-`"),
    (NEW, ".global .u32 x; .global .u64 a = ⟨x+1.0⟩;", "an address takes `+` and an integer on its right"),
    (NEW, ".global .u32 x; .global .u64 a = 4+⟨x⟩;", "unexpected `x`"),
    (NEW, ".global .u32 x; .global .u64 a = (⟨x⟩);", "unexpected `x`"),
    (NEW, ".global .u32 x[2]; .global .u64 a = x⟨[⟩1];", "unexpected `[`"),
    (NEW, ".global .u32 x; .global .u64 a = generic(x⟨+⟩4);", "unexpected `+`"),
    (NEW, ".global .u32 x; .global .u64 a = generic(⟨4⟩);", "unexpected `4`"),
    (NEW, ".func f() { ret; } .global .u64 a = ⟨f⟩+4;", "an offset with the name of a function"),
    (NEW, ".func f() { ret; } .global .u64 a = generic(⟨f⟩);", "`generic()`"),
    (NEW, ".global .u32 x; .global .u8 a = ⟨0xF(x)⟩;", "the mask is not one of"),
    (NEW, ".global .u32 x; .global .u8 a = ⟨0xFFFF(x)⟩;", "the mask is not one of"),
    (NEW, ".global .u32 x; .global .u8 a = ⟨0(x)⟩;", "the mask is not one of"),
    (NEW, ".global .u8 a = ⟨0xFF(1.0)⟩;", "the mask operator takes an integer or an address"),
    (NEW, ".global .u8 a = 0xFF(1⟨;⟩", "unexpected `;`"),
    (("7.0", "sm_50"), ".global .u32 x; .global .u8 a = ⟨0xFF(x)⟩;", "needs PTX 7.1"),
    (("7.2", "sm_50"), ".global .u8 a = ⟨0xFF(5)⟩;", "needs PTX 7.3"),
    (PTX20, ".global .u32 x; .global .u64 a = ⟨x⟩;", "an address as initial value needs PTX 2.1"),
    (PTX30, ".global .u32 x; .global .u64 a = ⟨generic(x)⟩;", "`generic()` needs PTX 3.1"),
    (
        PTX30,
        ".visible .entry k() { ret; } .global .u64 a = ⟨k⟩;",
        "a kernel name as initial value needs PTX 3.1",
    ),
    // 5.4.5: alignment.
    (NEW, ".global ⟨.align 3⟩ .u32 a;", "alignment of 3 bytes"),
    (NEW, ".global ⟨.align 0⟩ .u32 a;", "alignment of 0 bytes"),
    (NEW, ".global .align ⟨.u32⟩ a;", "unexpected `.u32`"),
    (NEW, ".global .align ⟨-⟩4 .u32 a;", "unexpected `-`"),
    (NEW, ".global ⟨.align 4294967296⟩ .u32 a;", "alignment of 4294967296 bytes"),
    // 5.4.6: parameterised names take no extents and no initial values.
    (NEW, ".global .u32 a<4>⟨[⟩2];", "unexpected `[`"),
    (NEW, ".global .u32 a<2> = ⟨1⟩;", "an initial value of parameterised names"),
    (NEW, ".global .u32 a<⟨-⟩1>;", "unexpected `-`"),
    (NEW, ".global .u32 a<4⟨;⟩", "unexpected `;`"),
    // Linkage.
    (NEW, ".visible ⟨.weak⟩ .global .u32 a;", "a second linkage directive"),
    (PTX30, "⟨.weak⟩ .global .u32 a;", "`.weak` needs PTX 3.1"),
    (("4.3", "sm_50"), "⟨.common⟩ .global .u32 a;", "`.common` needs PTX 5.0"),
    (NEW, "⟨.common⟩ .const .u32 a;", "`.common`"),
    // 5.4.8: attributes.
    (NEW, ".const .attribute(⟨.managed⟩) .u32 a;", "`.managed`"),
    (NEW, ".shared .attribute(⟨.managed⟩) .u32 a;", "`.managed`"),
    (PTX30, ".global .attribute(⟨.managed⟩) .u32 a;", "`.managed` needs PTX 4.0"),
    (("4.0", "sm_20"), ".global .attribute(⟨.managed⟩) .u32 a;", "`.managed` needs sm_30"),
    (("8.8", "sm_80"), ".global .attribute(⟨.unified(1, 2)⟩) .u32 a;", "`.unified` needs sm_90"),
    (("7.8", "sm_90"), ".global .attribute(⟨.unified(1, 2)⟩) .u32 a;", "`.unified` needs PTX 8.0"),
    (NEW, ".const .attribute(⟨.unified(1, 2)⟩) .u32 a;", "`.unified`"),
    (NEW, ".global .attribute(.unified(1⟨)⟩) .u32 a;", "unexpected `)`"),
    (NEW, ".global .attribute(⟨.shared⟩) .u32 a;", "unexpected `.shared`"),
    (NEW, ".global .attribute(.managed ⟨.u32⟩ a;", "unexpected `.u32`"),
    // 5.3: opaque types.
    (PTX14, ".global ⟨.texref⟩ t;", "an opaque type needs PTX 1.5"),
    (NEW, ".const ⟨.texref⟩ t;", "a variable of type `.texref` here"),
    (NEW, ".shared ⟨.surfref⟩ t;", "a variable of type `.surfref` here"),
    (NEW, ".global .texref t = ⟨1⟩;", "an initial value of opaque type"),
    (NEW, ".global .texref t = {⟨widht⟩ = 1};", "`.texref` has no member `widht`"),
    (NEW, ".global .surfref t = {⟨filter_mode⟩ = linear};", "`.surfref` has no member `filter_mode`"),
    (INDEPENDENT, ".global .samplerref t = {⟨width⟩ = 1};", "`.samplerref` has no member `width`"),
    (INDEPENDENT, ".global .samplerref t = {filter_mode = ⟨cubic⟩};", "unknown value `cubic`"),
    (INDEPENDENT, ".global .samplerref t = {addr_mode_0 = ⟨clamp⟩};", "unknown value `clamp`"),
    (NEW, ".global .texref t = {⟨width⟩};", "an initial value of opaque type"),
    (NEW, ".global .texref t = {width = ⟨}⟩;", "unexpected `}`"),
    (NEW, ".global .texref t = {width = 1 ⟨height⟩ = 2};", "unexpected `height`"),
    // What the assembler takes, and the text does not have.
    (NEW, "⟨.align 8⟩ .global .u32 a;", "`.align` before the state space"),
    (NEW, ".visible ⟨.align 8⟩ .global .u32 a;", "`.align` before the state space"),
    (NEW, ".global .align 4 ⟨.align 8⟩ .u32 a;", "a second `.align`"),
    (NEW, ".attribute(⟨.managed⟩) .global .u32 a;", "an attribute before the state space"),
    (NEW, "⟨.align 4⟩ .attribute(.managed) .global .u32 a;", "`.align` before"),
    (NEW, ".global .attribute(.unified(1, 2), ⟨.unified(3, 4)⟩) .u32 a;", "a second `.unified`"),
    (NEW, ".func f() { .reg .attribute(⟨.managed⟩) .u32 a; ret; }", "`.managed`"),
    (NEW, ".func f() { .reg .attribute(⟨.unified(1, 2)⟩) .u32 a; ret; }", "`.unified`"),
    (NEW, ".func f() { .reg ⟨.align 3⟩ .u32 a; ret; }", "alignment of 3 bytes"),
    (NEW, ".func f() { ⟨.align 8⟩ .local .u32 a; ret; }", "`.align` before the state space"),
    (NEW, ".func f() { .local .u64 ⟨.ptr⟩ .global a; ret; }", "unexpected `.ptr`"),
    (NEW, ".global .u64 ⟨.ptr⟩ .global a;", "unexpected `.ptr`"),
    (NEW, ".entry k(.param .u64 .ptr .align ⟨3⟩ a) { ret; }", "alignment of 3 bytes"),
    (NEW, ".entry k(.param .attribute(⟨.managed⟩) .u32 a) { ret; }", "`.managed`"),
    (NEW, ".entry k(⟨.align 4⟩ .param .u32 a) { ret; }", "`.align` before the state space"),
    (NEW, ".entry k(.param .u32 ⟨a[]⟩) { ret; }", "a parameter array without extent"),
    (NEW, ".func f(.param .u32 ⟨a[]⟩, .param .u32 b) { ret; }", "a parameter array without extent"),
    (NEW, ".func (.param .u32 ⟨a[]⟩) f() { ret; }", "a result without extent"),
    (NEW, ".entry k(⟨.param .u32⟩) { ret; }", "a parameter without a name"),
    (NEW, ".func f(.param .u32 ⟨_⟩) { ret; }", "`_` as a parameter"),
    (NEW, ".func f(.reg .u32 a⟨[2]⟩) { ret; }", "an array of registers"),
    (NEW, "⟨.extern⟩ .func f() { ret; }", "an `.extern` function with a body"),
    (NEW, ".extern .global .v2 .u32 a; .visible .global .u32 ⟨a⟩;", "`a` is already declared"),
    (NEW, ".func f() { ret; } .global .u64 a = ⟨f⟩+0;", "an offset with the name of a function"),
    (
        INDEPENDENT,
        ".global .samplerref t = {addr_mode_0 = ⟨nearest⟩};",
        "`nearest` as value of `addr_mode_0`",
    ),
    (INDEPENDENT, ".global .samplerref t = {filter_mode = ⟨wrap⟩};", "`wrap` as value of `filter_mode`"),
    (INDEPENDENT, ".global .samplerref t = {filter_mode = ⟨1⟩};", "`1` as value of `filter_mode`"),
    (INDEPENDENT, ".global .samplerref t = {force_unnormalized_coords = ⟨2⟩};", "`2` as value of"),
    (INDEPENDENT, ".global .samplerref t = {addr_mode_2 = ⟨wrap+0⟩};", "unknown value `wrap+0`"),
    (NEW, ".global .texref t = {width = ⟨wrap⟩};", "`wrap` as value of `width`"),
    (NEW, ".global .texref t = {height = ⟨1.5⟩};", "`1.5` as value of `height`"),
    (NEW, ".global .texref t = {depth = ⟨-1⟩};", "`-1` as value of `depth`"),
    (NEW, ".global .texref t = {normalized_coords = ⟨linear⟩};", "`linear` as value of"),
    (NEW, ".global .texref t = {normalized_coords = ⟨2⟩};", "`2` as value of `normalized_coords`"),
    (NEW, ".global .texref t = {channel_order = ⟨CL_R⟩};", "unknown value `CL_R`"),
    (NEW, ".global .surfref t = {memory_layout = ⟨2⟩};", "`2` as value of `memory_layout`"),
    // Arrays of opaque type: each element has its list, and none is an object that an instruction names.
    (NEW, ".global .texref t[2] = {⟨width⟩ = 1};", "a member where a list stands"),
    (NEW, ".global .texref t[1] = {{width = 1}, ⟨{⟩width = 2}};", "more elements than the dimension has"),
    (NEW, ".global .texref t[2] = ⟨1⟩;", "an initial value of opaque type"),
    (NEW, ".global .texref ⟨t[]⟩;", "an array without extent"),
    (NEW, ".const ⟨.surfref⟩ t[2];", "a variable of type `.surfref` here"),
    (NEW, ".func f(.param ⟨.surfref⟩ t[2]) { ret; }", "a function parameter of opaque type"),
    (NEW, ".global .surfref s[2]; .global .u64 a = ⟨s⟩;", "an opaque variable in an initial value"),
    (
        NEW,
        ".global .surfref s[2]; .func f() { .reg .b32 r; suld.b.1d.b32.trap r, [⟨s⟩, {0}]; ret; }",
        "`s` is an array of type `.surfref`",
    ),
    (NEW, ".global .surfref s[2]; .func f() { .reg .b32 r; suq.width.b32 r, [⟨s⟩]; ret; }", "is an array"),
    (NEW, ".global .surfref s[2]; .func f() { .reg .b32 r; ld.global.b32 r, [⟨s⟩]; ret; }", "opaque type"),
    (NEW, ".global .surfref s[2]; .func f() { .reg .u64 p; mov.u64 p, ⟨s+28⟩; ret; }", "opaque variable"),
    (NEW, ".global .surfref s; .func f() { .reg .u64 p; cvta.global.u64 p, ⟨s⟩; ret; }", "opaque type"),
];

/// The text of a program, and the range that is marked in it.
fn program((version, target): Head, marked: &str) -> (String, std::ops::Range<usize>) {
    let size = if version >= "2.3" { ".address_size 64\n" } else { "" };
    let head = format!(".version {version}\n.target {target}\n{size}");
    let start = marked.find('⟨').expect("a mark");
    let end = marked.find('⟩').expect("the end of a mark") - '⟨'.len_utf8();
    let text = format!("{head}{}", marked.replace(['⟨', '⟩'], ""));
    (text, head.len() + start..head.len() + end)
}

#[test]
fn the_caret_stands_at_the_token_at_fault() {
    assert!(MALFORMED.len() >= 100);
    let mut wrong = Vec::new();
    for (head, marked, words) in MALFORMED {
        let (text, range) = program(*head, marked);
        let Err(found) = compile(&text, &Rules::default()) else {
            wrong.push(format!("{marked}: accepted"));
            continue;
        };
        let first = &found[0];
        let at = line_column(&text, first.span.start);
        let wanted = line_column(&text, range.start as u32);
        // Where the program ends there is nothing to mark but the place.
        let same_end = range.is_empty() || first.span.range().end == range.end;
        if at != wanted || !same_end || !first.message.contains(words) || first.unsupported {
            let shown = text.get(first.span.range()).unwrap_or("?");
            wrong.push(format!("{marked}: {}:{} `{shown}`: {}", at.line, at.column, first.message));
        }
        assert!(render(&found, "test", &text, false).contains("-->"), "{marked}");
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), MALFORMED.len(), wrong.join("\n"));
}

/// What the text has nothing against, and the assembler refuses; each as observed with ptxas 12.9.
const REFUSED_BY_THE_ASSEMBLER: &[(Head, &str, &str)] = &[
    // As observed: what other modules can see comes first, and an `.extern` scalar is defined where there is no other module.
    (NEW, ".const .u8 ⟨a[65535]⟩; .extern .const .u32 b;", "65539 bytes of `.const`"),
    (NEW, ".const .u8 a; .const .u32 b[16383]; .const .u8 ⟨c⟩;", "65537 bytes of `.const`"),
    (NEW, ".global .f32 a = ⟨1 ? 2.0 : 3.0⟩;", "`?:` of floating-point numbers"),
    (NEW, ".global .f32 a = 1.0 + (⟨1 ? 2.0 : 3.0⟩);", "`?:` of floating-point numbers"),
    (NEW, ".global .u32 a[⟨1+1⟩];", "an expression as array extent"),
    (NEW, ".extern .func g(); .global .u64 p = ⟨g⟩;", "the address of `g`, which is not defined here"),
    (NEW, ".extern .func g(); .global .u8 p = 0xFF(⟨g⟩);", "the address of `g`"),
    (NEW, ".extern .entry k(); .global .u64 p = ⟨k⟩;", "the address of `k`"),
    (NEW, ".func ⟨g⟩();", "`g` is declared and not defined"),
    (NEW, ".global .u64 x, p = ⟨x⟩;", "`x` is not declared"),
    (NEW, ".const .u64 x<2>, p = ⟨x1⟩+8;", "`x1` is not declared"),
    (NEW, ".weak .func ⟨k⟩(.param .u32 a);", "`k` is declared and not defined"),
    (NEW, ".func f(.param .u32 a); .func ⟨f⟩(.param .s32 b) { ret; }", "`f` differs from its earlier"),
    (NEW, ".extern .func f(); .func ⟨f⟩() { ret; }", "`f` differs in linkage"),
    // Whether or not a kernel gets there.
    (NEW, ".extern .func f(); .entry k() { call ⟨f⟩; }", "`f` is called and defined nowhere"),
    (
        NEW,
        ".extern .func f(); .func g() { call ⟨f⟩; } .entry k() { ret; }",
        "`f` is called and defined nowhere",
    ),
    (NEW, ".extern .func f(); .entry k() { .reg .u64 %p; mov.u64 %p, ⟨f⟩; }", "the address of `f`"),
    (NEW, ".extern .func free(); .entry k() { .reg .u64 %p; mov.u64 %p, ⟨free⟩; }", "the address of `free`"),
    (NEW, ".func f(); .visible .func ⟨f⟩() { ret; }", "`f` differs in linkage"),
    (NEW, ".visible .func f() { ret; } .func ⟨f⟩();", "`f` is already defined"),
];

#[test]
fn the_assembler_has_rules_of_its_own() {
    let by_assembler = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
    for (head, marked, words) in REFUSED_BY_THE_ASSEMBLER {
        let (text, range) = program(*head, marked);
        compile(&text, &Rules::default()).unwrap_or_else(|found| panic!("{marked}: by the text {found:?}"));
        let Err(found) = compile(&text, &by_assembler) else { panic!("{marked}: accepted") };
        assert_eq!(found[0].span.range(), range, "{marked}: {}", found[0].message);
        assert!(found[0].message.contains(words), "{marked}: {}", found[0].message);
    }
    // To a linker the address of what is elsewhere may be left.
    let relocatable = Rules { relocatable: true, ..by_assembler };
    let (text, _) = program(NEW, ".extern .func g(); .global .u64 p = ⟨g⟩;");
    assert!(compile(&text, &relocatable).is_ok());
    let (text, _) = program(NEW, ".extern .func g(); .entry k() { .reg .u64 %p; mov.u64 %p, g; call ⟨g⟩; }");
    assert!(compile(&text, &relocatable).is_ok());
    // A declaration alone asks for nothing, and some functions the assembler has itself.
    for text in [
        "⟨⟩.extern .func f(); .entry k() { ret; }",
        "⟨⟩.extern .func vfprintf(); .entry k() { call vfprintf; }",
        "⟨⟩.extern .func __cuda_syscall_x(); .entry k() { call __cuda_syscall_x; }",
    ] {
        let (program, _) = program(NEW, text);
        compile(&program, &by_assembler).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    }
}

/// What the assembler takes although the text has no such thing; each as observed with ptxas 12.9.
const TAKEN_BY_THE_ASSEMBLER: &[(Head, &str)] = &[
    (NEW, ".align 8 .global .align 4 .u32 a;"),
    (NEW, ".attribute(.managed) .global .u32 a;"),
    (
        INDEPENDENT,
        ".global .samplerref t = {addr_mode_0 = nearest, filter_mode = 3, force_unnormalized_coords = wrap};",
    ),
    (NEW, ".global .texref t = {width = -1, height = 1.5, depth = wrap, normalized_coords = 7};"),
    (NEW, ".const .surfref t[2];"),
    (NEW, ".shared .texref t[2];"),
    (NEW, ".global .surfref t[2] = {width = 1};"),
    (NEW, ".global .surfref s; .func f() { .reg .u64 p; cvta.global.u64 p, s; ret; }"),
    (NEW, ".entry k(.param .u32 _) { ret; }"),
    (NEW, ".extern .global .u32 a; .visible .const .u32 a;"),
];

#[test]
fn the_assembler_takes_more_than_the_text() {
    for (head, text) in TAKEN_BY_THE_ASSEMBLER {
        let (text, _) = program(*head, &format!("⟨⟩{text}"));
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        compile(&text, &rules).unwrap_or_else(|found| panic!("{text}: {found:?}"));
        assert!(compile(&text, &Rules::default()).is_err(), "{text}: by the text");
    }
}

/// What text and assembler make differently is no error, and is said with a caret all the same.
#[test]
fn an_address_that_does_not_fit_is_flagged() {
    for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
        let rules = Rules { dialect, ..Rules::default() };
        let (text, range) = program(NEW, ".const .u32 foo = 42; .global .u32 p2 = ⟨generic(foo)⟩;");
        let module = compile(&text, &rules).expect("an example of the text");
        let [(deviation, span)] = module.deviations.as_slice() else { panic!("{:?}", module.deviations) };
        assert_eq!((deviation.name(), span.range()), ("ptxas.wide-address", range));
        assert_eq!(module.variables[1].undefined.as_slice(), std::slice::from_ref(&(0..4)));
        let shown = render_warnings(&[ptxas_deviation::warning(*deviation, *span)], "test", &text, false);
        assert!(shown.starts_with("warning: ptxas.wide-address") && shown.contains("test:4:41"), "{shown}");
        // An offset in `.const` fits, and so does everything where addresses have 32 bits.
        let (text, _) = program(NEW, ".const .u32 foo = 42; .global .u32 p1 = ⟨foo⟩;");
        assert!(compile(&text, &rules).unwrap().deviations.is_empty());
    }
    let text = ".version 3.0\n.target sm_20\n.address_size 32\n.global .u32 x; .global .u32 p = x;\n";
    let module = compile(text, &Rules::default()).unwrap();
    assert!(module.deviations.is_empty() && module.variables[1].undefined.is_empty());
}

/// Pieces that declarations are made of, and what does not belong into any.
const PIECES: &[&str] = &[
    ".global",
    ".const",
    ".shared",
    ".reg",
    ".param",
    ".local",
    ".extern",
    ".visible",
    ".weak",
    ".common",
    ".align",
    ".attribute",
    "(.managed)",
    "(.unified(1,2))",
    ".u8",
    ".u32",
    ".u64",
    ".f32",
    ".f64",
    ".f16x2",
    ".b16",
    ".b128",
    ".pred",
    ".texref",
    ".surfref",
    ".samplerref",
    ".v2",
    ".v4",
    "a",
    "b",
    "foo",
    "fun",
    "k",
    "generic",
    "(",
    ")",
    "{",
    "}",
    "{{",
    "}}",
    "[",
    "]",
    "[]",
    "[2]",
    "[3][2]",
    "[0xFFFFFFFFFFFFFFFF]",
    "<",
    ">",
    "<4>",
    "=",
    ",",
    ";",
    "+",
    "-",
    "*",
    "/",
    "%",
    "~",
    "!",
    "?",
    ":",
    "<<",
    ">>",
    "0",
    "1",
    "-1",
    "0xFF",
    "0xFF00",
    "0xFF(foo)",
    "1.5",
    "0f3f800000",
    "0d3ff0000000000000",
    "1e400",
    "08",
    "WARP_SZ",
    "(.s64)",
    "width",
    "filter_mode",
    "linear",
    "addr_mode_0",
    "\n",
    "/*",
    "*/",
    "//",
    "\"",
    "\u{e4}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever follows one another, it is accepted or refused, and what is accepted has contents of its size.
    #[test]
    fn no_declaration_makes_the_front_end_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24),
        start in prop::sample::select(&[".global .u32 a = ", ".global .u8 a[3][2] = {", ".const ", ".global .texref t = {", ""][..]),
    ) {
        let text = format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n.global .u32 foo;\n.func fun() {{ ret; }}\n{start}{}\n",
            pieces.join(" ")
        );
        survives(&text);
    }

    /// The same of declarations that end too early, or lack a token.
    #[test]
    fn no_part_of_a_declaration_makes_the_front_end_panic(
        index in 0..MALFORMED.len(),
        end in any::<prop::sample::Index>(),
        hole in any::<prop::sample::Index>(),
    ) {
        let (head, marked, _) = MALFORMED[index];
        let (text, _) = program(head, marked);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        survives(&text[..*end.get(&ends)]);
        let tokens: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        let mut left = tokens.clone();
        left.remove(hole.index(tokens.len()));
        survives(&left.concat());
    }

    /// The same of declarations that were right until some bytes of theirs were exchanged, dropped or doubled.
    #[test]
    fn no_damaged_declaration_makes_the_front_end_panic(
        index in 0..MALFORMED.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, prop::sample::select(PIECES)), 1..4),
    ) {
        let (head, marked, _) = MALFORMED[index];
        let (mut text, _) = program(head, marked);
        for (place, edit, piece) in edits {
            let at = place.index(text.len());
            let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let next = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            match edit {
                0 => text.replace_range(at..next, ""),
                1 => text.insert_str(at, piece),
                _ => text.replace_range(at..next, piece),
            }
        }
        survives(&text);
    }
}

fn survives(text: &str) {
    for dialect in [Dialect::Spec, Dialect::Ptxas(12, 9)] {
        match compile(text, &Rules { dialect, ..Rules::default() }) {
            Ok(module) => {
                for variable in &module.variables {
                    let emitted = variable.emitted.iter().map(|image| image.bytes.len());
                    for length in emitted.chain([variable.initial.len()]) {
                        assert!(length == 0 || length as u64 == variable.size, "{text}");
                    }
                    assert!(variable.relocations.iter().all(|it| it.offset < variable.size), "{text}");
                }
            }
            Err(found) => {
                assert!(!found.is_empty());
                render(&found, "any", text, false);
            }
        }
    }
}
