//! The form of an instruction of PTX, as a feature: opcode and modifiers in the order written, where words that are alike in many
//! instructions are one placeholder, and words that change no value are left to features of their own.

use warpdiff_ptx::ast::{Instruction, Module, WordKind};
use warpdiff_ptx::vocabulary::{Modifier, Opcode, Type};

use super::feature::{Collected, FeatureKind};
use super::placeholder::{BOOLEAN, COMPARISON, INT, ORDER, SCOPE, TYPE, UNORDERED, VECTOR};

/// Adds the form of an instruction.
pub(super) fn add(module: &Module, instruction: &Instruction, to: &mut Collected) {
    let opcode = instruction.opcode;
    let mut form = opcode.text().to_owned();
    for word in module.words_of(instruction.words) {
        let text = match word.kind {
            WordKind::Type(ty) => of_type(opcode, ty),
            WordKind::Space(space) => space.text(),
            WordKind::Modifier(modifier) => match of_modifier(opcode, modifier) {
                Word::Kept(text) => text,
                Word::Apart(feature) => {
                    to.add(FeatureKind::Operand, feature);
                    continue;
                }
            },
            WordKind::Other => module.text_of(word.span).trim_start_matches('.'),
        };
        form.push('.');
        form.push_str(text);
    }
    to.add(FeatureKind::Instruction, form);
}

/// What becomes of a modifier.
enum Word {
    /// It stands in the form, by this text.
    Kept(&'static str),
    /// It changes no value that a program sees, and is a feature by itself.
    Apart(&'static str),
}

/// Instructions that move bits, whatever their type says. `suld.p` and `sust.p` convert, but by the format of the surface; their
/// type is always `.b32`.
fn only_moves(opcode: Opcode) -> bool {
    use Opcode::{Ld, Ldu, Mov, Selp, Shfl, St, Suld, Sust};
    matches!(opcode, Ld | Ldu | Mov | Selp | Shfl | St | Suld | Sust)
}

fn of_type(opcode: Opcode, ty: Type) -> &'static str {
    use Type::{B8, B16, B32, B64, F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
    match ty {
        B8 | B16 | B32 | B64 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F16 | F32 | F64
            if only_moves(opcode) =>
        {
            TYPE
        }
        B8 | B16 | B32 | B64 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 => INT,
        other => other.text(),
    }
}

fn of_modifier(opcode: Opcode, modifier: Modifier) -> Word {
    use Modifier as M;
    let compares = matches!(opcode, Opcode::Set | Opcode::Setp);
    Word::Kept(match modifier {
        _ if modifier.is_cache_operator() => {
            return Word::Apart("cache operators: .ca .cg .cs .cv .lu .wb .wt .ci");
        }
        _ if modifier.is_cache_hint() => return Word::Apart("cache hints: .L1::… .L2::…"),
        M::Uni => return Word::Apart(".uni"),
        M::V2 | M::V4 | M::V8 => VECTOR,
        M::Eq | M::Ne | M::Lt | M::Le | M::Gt | M::Ge | M::Ls | M::Hs if compares => COMPARISON,
        // `.lo` and `.hi` are also the halves of a product.
        M::Lo | M::Hi if compares => COMPARISON,
        M::Equ | M::Neu | M::Ltu | M::Leu | M::Gtu | M::Geu | M::Num | M::Nan if compares => UNORDERED,
        M::And | M::Or | M::Xor if compares => BOOLEAN,
        M::Relaxed | M::Acquire | M::Release | M::AcqRel | M::Sc | M::Weak | M::Mmio => ORDER,
        // `barrier.cta` names what the barrier is of.
        M::Cta | M::Cluster | M::Gpu | M::Sys | M::Gl if !matches!(opcode, Opcode::Bar | Opcode::Barrier) => {
            SCOPE
        }
        other => other.text(),
    })
}

#[cfg(test)]
mod tests {
    use warpdiff_ptx::ast::{Item, Statement};

    use super::*;

    /// The names of the features of one instruction.
    fn of(instruction: &str) -> Vec<String> {
        let text = format!(".version 8.0\n.target sm_50\n.address_size 64\n.entry k() {{ {instruction} }}");
        let module = warpdiff_ptx::parse(&text).unwrap();
        let mut found = Collected::default();
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            for statement in function.body.iter().flatten() {
                if let Statement::Instruction(instruction) = statement {
                    add(&module, instruction, &mut found);
                }
            }
        }
        found.0.into_iter().map(|feature| feature.name).collect()
    }

    #[test]
    fn what_decides_the_meaning_stays_and_what_is_alike_is_a_placeholder() {
        assert_eq!(of("add.u32 %a, %b, %c;"), ["add.<int>"]);
        assert_eq!(of("add.s64 %a, %b, %c;"), ["add.<int>"]);
        assert_eq!(of("add.rn.ftz.f32 %a, %b, %c;"), ["add.rn.ftz.f32"]);
        assert_eq!(of("cvt.rni.s32.f64 %a, %b;"), ["cvt.rni.<int>.f64"]);
        assert_eq!(of("ld.global.f32 %a, [%b];"), ["ld.global.<type>"]);
        assert_eq!(of("mov.pred %a, %b;"), ["mov.pred"]);
        assert_eq!(of("st.shared.v4.u32 [%a], {%b, %c, %d, %e};"), ["st.shared.<vec>.<type>"]);
        assert_eq!(
            of("atom.global.relaxed.gpu.add.u32 %a, [%b], %c;"),
            ["atom.global.<order>.<scope>.add.<int>"]
        );
        assert_eq!(of("bar.sync 0;"), ["bar.sync"]);
    }

    #[test]
    fn comparisons_are_told_apart_by_what_they_say_of_nan() {
        assert_eq!(of("setp.lt.and.u32 %p, %a, %b, %q;"), ["setp.<cmp>.<bool>.<int>"]);
        assert_eq!(of("setp.lo.u32 %p, %a, %b;"), ["setp.<cmp>.<int>"]);
        assert_eq!(of("setp.ltu.f32 %p, %a, %b;"), ["setp.<cmpu>.f32"]);
        // Outside of comparisons these words mean something else.
        assert_eq!(of("mul.lo.u32 %a, %b, %c;"), ["mul.lo.<int>"]);
        assert_eq!(of("atom.shared.and.b32 %a, [%b], %c;"), ["atom.shared.and.<int>"]);
    }

    #[test]
    fn words_that_change_no_value_are_features_of_their_own() {
        let cache = "cache operators: .ca .cg .cs .cv .lu .wb .wt .ci";
        assert_eq!(of("ld.global.cg.u32 %a, [%b];"), ["ld.global.<type>", cache]);
        assert_eq!(
            of("suld.b.a2d.cv.v2.b32.zero {%a, %b}, [%s, {%x, %y, %z, %w}];"),
            ["suld.b.a2d.<vec>.<type>.zero", cache]
        );
        assert_eq!(of("bra.uni done; done:"), ["bra", ".uni"]);
    }
}
