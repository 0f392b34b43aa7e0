//! The last step of a program that faults: where it does, what the steps before it stored is there or is not, and nothing else is open.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};

use crate::builder::Builder;
use crate::specimen::{Class, Operand, Shape, Space, Step};
use crate::surface;
use crate::values::Value;

/// Adds a step that faults in some thread: a surface access with `.trap` beyond an end, a `trap`, or an access to memory at an address that
/// is no multiple of its size.
pub(crate) fn step(builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<()> {
    builder.close_all();
    match u.arbitrary::<u8>()? % 4 {
        0 => {
            let values = builder.values(u, |_| Ok(1))?;
            let guard = Some((builder.input(Class::Pred, values), true));
            push(builder, guard, "trap", Shape::Plain, Vec::new());
        }
        1 => {
            builder.memory(u)?;
            let offset = 8 * u.int_in_range(0..=6)? + u.int_in_range(1..=7)?;
            let shape = Shape::Store { space: Space::Global, offset };
            let data = vec![Operand::Register(builder.register(u, Class::B64, Value::I64)?)];
            push(builder, None, "st.global.b64", shape, data);
        }
        2 => {
            let (opcode, sources) = surface::beyond(builder, u, true)?;
            push(builder, None, &opcode, Shape::ImageStore, sources);
        }
        _ => {
            let (opcode, sources) = surface::beyond(builder, u, false)?;
            let results = vec![builder.result(Class::B32)];
            let opcode = Cow::Owned(opcode);
            builder.push(Step {
                guard: None,
                opcode,
                results,
                shape: Shape::ImageLoad,
                sources,
                within: None,
            });
        }
    }
    Ok(())
}

fn push(
    builder: &mut Builder,
    guard: Option<(crate::specimen::Register, bool)>,
    opcode: &str,
    shape: Shape,
    sources: Vec<Operand>,
) {
    let opcode = Cow::Owned(opcode.to_owned());
    builder.push(Step { guard, opcode, results: Vec::new(), shape, sources, within: None });
}
