//! Handles and variables that accesses name, as they are misread.

use warpdiff_model::{Deviation, Semantics};
use warpdiff_ptx::checked::{OpaqueBase, Operand, RegisterId, VariableId};
use warpdiff_ptx::misread::of;
use warpdiff_ptx::{Rules, compile};

/// What the instructions of a kernel name under a deviation.
fn named(body: &str, deviation: Deviation) -> Vec<OpaqueBase> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.global .surfref s;\n.global .texref t;\n.global .texref u;\n\
         .entry k() {{ .reg .b64 %a, %b; .reg .b32 %r; add.u64 %a, %a, %b; {body} ret; }}"
    );
    let module = compile(&text, &Rules::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    let misread = of(&module, &Semantics::default().with(deviation)).unwrap();
    let operands = misread.functions[0].body.iter().flat_map(|instruction| &instruction.operands);
    let named = operands.filter_map(|operand| match operand {
        Operand::Opaque { object, .. } => Some(*object),
        _ => None,
    });
    named.collect()
}

#[test]
fn one_register_holds_the_handle_of_all_accesses() {
    let body = "suld.b.1d.b32.zero %r, [%b, {%r}]; sust.b.1d.b32.zero [%a, {%r}], %r; \
                suld.b.1d.b32.zero %r, [s, {%r}]; suq.width.b32 %r, [%a];";
    let (a, b) = (OpaqueBase::Register(RegisterId(0)), OpaqueBase::Register(RegisterId(1)));
    let s = OpaqueBase::Variable(VariableId(0));
    assert_eq!(named(body, Deviation::HandleFixed), [b, b, s, a]);
}

#[test]
fn a_question_to_a_texture_in_a_register_goes_to_the_first_variable() {
    let body = "txq.width.b32 %r, [%a]; txq.width.b32 %r, [u]; suq.width.b32 %r, [%a];";
    let variable = |index| OpaqueBase::Variable(VariableId(index));
    let expected = [variable(1), variable(2), OpaqueBase::Register(RegisterId(0))];
    assert_eq!(named(body, Deviation::TxqFirstTexture), expected);
}
