//! A kernel around a form, and a launch of it for some accesses.

use std::sync::Arc;

use warpdiff_emulator::Program;
use warpdiff_model::{Argument, Buffer, Geometry, Launch, Surface};
use warpdiff_ptx::{Dialect, Rules};

use crate::model::Access;
use crate::table::{Form, Instruction};

/// Bytes of the input per access: x, y, z, layer, what the form ignores; what is stored.
const INPUT: usize = 40;
/// Where in them what is stored begins.
const SOURCE: usize = 24;
/// Bytes of the output per access.
pub(crate) const OUTPUT: usize = 16;

/// How the accesses of a launch are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// One thread each, all to one surface.
    Threads,
    /// So many, one after the other in one thread, each to a surface of its own.
    Sequence(usize),
}

/// A form in a kernel.
pub(crate) struct Kernel {
    text: Arc<str>,
    pub(crate) program: Program,
}

impl Kernel {
    pub(crate) fn new(form: &Form, arrangement: Arrangement) -> Self {
        let text = text(form, arrangement);
        let rules = Rules { dialect: Dialect::Ptxas(11, 8), linked: true, ..Rules::default() };
        let module = warpdiff_ptx::compile(&text, &rules)
            .unwrap_or_else(|errors| panic!("{}", warpdiff_ptx::render(&errors, "kernel", &text, false)));
        let program = Program::new(&module, &text).unwrap_or_else(|error| panic!("{}: {error}", form.text));
        Self { text: Arc::from(text), program }
    }

    /// A launch of it. There are as many surfaces as the arrangement asks for.
    pub(crate) fn launch(&self, surfaces: &[Surface], accesses: &[Access]) -> Launch {
        let mut launch = Launch::new(self.text.clone(), "k");
        launch.block = [if surfaces.len() == 1 { accesses.len() as u32 } else { 1 }, 1, 1];
        let input = accesses.iter().flat_map(|access| {
            let at = access.coordinates;
            let ignored = u32::from_le_bytes([0x11, 0x22, 0x33, access.chance[0]]);
            let words = [at.x, at.y, at.z, at.layer, ignored, 0];
            words.into_iter().flat_map(u32::to_le_bytes).chain(access.source)
        });
        let input = Buffer { guard: 0, ..Buffer::new("in", input.collect()) };
        let output = vec![0; OUTPUT * accesses.len()];
        let output = Buffer { guard: 0, stride: OUTPUT as u32, ..Buffer::new("out", output) };
        launch.buffers = vec![input, output];
        launch.arguments =
            vec![Argument::Buffer { index: 0, offset: 0 }, Argument::Buffer { index: 1, offset: 0 }];
        launch.arguments.extend((0..surfaces.len()).map(|index| Argument::Surface { index }));
        launch.surfaces = surfaces.to_vec();
        launch
    }
}

fn text(form: &Form, arrangement: Arrangement) -> String {
    let surfaces = match arrangement {
        Arrangement::Threads => 1,
        Arrangement::Sequence(count) => count,
    };
    let parameters: String = (0..surfaces).map(|number| format!(", .param .u64 surface{number}")).collect();
    let body: String = match arrangement {
        Arrangement::Threads => {
            let own = format!(
                "mov.u32 %t, %tid.x;\nmad.wide.u32 %in, %t, {INPUT}, %in;\nmad.wide.u32 %out, %t, {OUTPUT}, %out;\n"
            );
            own + &access(form, 0)
        }
        Arrangement::Sequence(count) => (0..count).map(|number| access(form, number)).collect(),
    };
    format!(
        ".version 7.8\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out{parameters})\n{{\n\
         .reg .b32 %t, %x, %y, %z, %layer, %ignored;\n.reg .b64 %in, %out, %surface;\n\
         .reg .b16 %h<4>;\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n\
         ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\ncvta.to.global.u64 %in, %in;\n\
         cvta.to.global.u64 %out, %out;\n{body}ret;\n}}\n"
    )
}

/// The instructions of an access.
fn access(form: &Form, number: usize) -> String {
    let (input, output) = (number * INPUT, number * OUTPUT);
    let mut text = format!("ld.param.u64 %surface, [surface{number}];\n");
    for (index, name) in ["x", "y", "z", "layer", "ignored"].iter().enumerate() {
        text += &format!("ld.global.u32 %{name}, [%in+{}];\n", input + 4 * index);
    }
    let coordinates = match form.geometry {
        Geometry::D1 => "{%x}",
        Geometry::D2 => "{%x, %y}",
        Geometry::D3 => "{%x, %y, %z, %ignored}",
        Geometry::A1d => "{%layer, %x}",
        Geometry::A2d => "{%layer, %x, %y, %ignored}",
        cube => unreachable!("no surface is a {cube:?}"),
    };
    let (class, size, elements) = elements(form);
    let registers: Vec<String> = (0..elements).map(|element| format!("%{class}{element}")).collect();
    let data = match elements {
        1 => registers[0].clone(),
        _ => format!("{{{}}}", registers.join(", ")),
    };
    let bits = 8 * size;
    if form.stores() {
        for (element, register) in registers.iter().enumerate() {
            text += &format!("ld.global.u{bits} {register}, [%in+{}];\n", input + SOURCE + element * size);
        }
        text += &format!("{} [%surface, {coordinates}], {data};\n", form.text);
    } else {
        text += &format!("{} {data}, [%surface, {coordinates}];\n", form.text);
        for (element, register) in registers.iter().enumerate() {
            text += &format!("st.global.u{bits} [%out+{}], {register};\n", output + element * size);
        }
    }
    text
}

/// The class of the registers that the instruction's name asks for, the bytes of one, and their number.
fn elements(form: &Form) -> (char, usize, usize) {
    let mut bits = 0;
    let mut elements = 1;
    for part in form.parts() {
        match part {
            "v2" => elements = 2,
            "v4" => elements = 4,
            "b8" => bits = 8,
            "b16" => bits = 16,
            "b32" | "u32" | "s32" => bits = 32,
            "b64" | "u64" => bits = 64,
            _ => {}
        }
    }
    let class = match bits {
        8 | 16 => 'h',
        32 => 'r',
        _ => 'd',
    };
    // The name and the machine code agree on how much is moved.
    let size = bits / 8;
    match form.instruction {
        Instruction::StoreTexel(components) => assert_eq!(components, elements, "{}", form.text),
        _ => assert_eq!(form.size(0), size * elements, "{}", form.text),
    }
    (class, size, elements)
}
