//! Small launches that show which instructions a worker runs, each with a result worked out by hand.

use warpdiff_model::{Argument, Buffer, Launch, RegionKind, Sampler, Surface, Texture};

use super::ability::Ability;
use super::known_launch::{KnownLaunch, Wanted, image, stored, text};

const SUM: &str = ".visible .entry sum(.param .u64 in, .param .u64 out)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<4>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    ld.global.u32 %r1, [%rd3];
    ld.global.u32 %r2, [%rd3+4];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd4+8], %r3;
    ret;
}
";

const NUMBERS: &str = ".visible .entry numbers(.param .u64 out)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<5>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r4;
    ret;
}
";

const LOOP: &str = ".visible .entry tenfold(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<3>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 10;
    mov.u32 %r2, 0;
again:
    add.u32 %r2, %r2, %r1;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra again;
    st.global.u32 [%rd2], %r2;
    ret;
}
";

const CALL: &str = ".func (.param .u32 result) square(.param .u32 x)
{
    .reg .u32 %r<3>;
    ld.param.u32 %r1, [x];
    mul.lo.u32 %r2, %r1, %r1;
    st.param.u32 [result], %r2;
    ret;
}
.visible .entry called(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 7;
    {
        .param .u32 argument;
        .param .u32 answer;
        st.param.u32 [argument], %r1;
        call (answer), square, (argument);
        ld.param.u32 %r2, [answer];
    }
    st.global.u32 [%rd2], %r2;
    ret;
}
";

const EXCHANGE: &str = ".visible .entry exchange(.param .u64 out)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<9>;
    .shared .align 4 .b8 room[256];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, room;
    shl.b32 %r3, %r1, 2;
    add.u32 %r4, %r2, %r3;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    mov.u32 %r5, 63;
    sub.u32 %r5, %r5, %r1;
    shl.b32 %r6, %r5, 2;
    add.u32 %r7, %r2, %r6;
    ld.shared.u32 %r8, [%r7];
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r8;
    ret;
}
";

const COUNT: &str = ".visible .entry count(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    atom.global.add.u32 %r1, [%rd2], 3;
    ret;
}
";

/// A kernel that stores what one instruction gives it: `%rd1` is the handle, `%r1` the result, `HEAD` and `OBJECT` the way to the
/// surface or texture.
const ACCESS: &str = "DECLARATION.visible .entry access(PARAMETER.param .u64 out)
{
    .reg .u64 %rd<4>;
    .reg .u32 %r<6>;
    LOAD
    ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd3, %rd2;
    INSTRUCTION
    st.global.u32 [%rd3], %r1;
    ret;
}
";

const SPA_STORE: &str = ".spa 5.0
.registers 8
MOV R2, c[0x0][0x140];
MOV R3, c[0x0][0x144];
MOV R0, c[0x0][0x148];
STG.E [R2], R0;
EXIT;
";

/// All of them.
pub(super) fn all() -> Vec<KnownLaunch> {
    let known =
        |title, shows: &'static [Ability], launch, wanted| KnownLaunch { title, shows, launch, wanted };
    let words =
        |values: &mut dyn Iterator<Item = u32>| values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let mut all = vec![
        known("a kernel loads two values and stores their sum", &[Ability::LdSt], sum(), stored(16, 8, 42)),
        known(
            "every thread of every block stores its number",
            &[Ability::Threads],
            Launch { grid: [3, 1, 1], block: [4, 1, 1], ..storing(NUMBERS, "numbers", 48) },
            Wanted::Bytes(RegionKind::Buffer, "out", words(&mut (0..12))),
        ),
        // 10 + 9 + … + 1.
        known(
            "a loop ends when its predicate says so",
            &[Ability::Branches],
            storing(LOOP, "tenfold", 16),
            stored(16, 0, 55),
        ),
        known(
            "a function is called and returns a value",
            &[Ability::Calls],
            storing(CALL, "called", 16),
            stored(16, 0, 49),
        ),
        known(
            "threads exchange values through shared memory",
            &[Ability::Shared],
            Launch { block: [64, 1, 1], ..storing(EXCHANGE, "exchange", 256) },
            Wanted::Bytes(RegionKind::Buffer, "out", words(&mut (0..64).rev())),
        ),
        // 64 threads add 3 to a word of bytes 0x11.
        known(
            "every thread adds to one word",
            &[Ability::Atoms],
            Launch { grid: [2, 1, 1], block: [32, 1, 1], ..storing(COUNT, "count", 16) },
            stored(16, 0, 0x1111_1111 + 64 * 3),
        ),
        known("a program of SPA 5.0 stores a value", &[Ability::Spa], spa(), stored(16, 4, 0x0102_0304)),
        known(
            "a program of SPA 5.0 in machine words stores a value",
            &[Ability::SpaWords],
            spa(),
            stored(16, 4, 0x0102_0304),
        ),
    ];
    all.extend(on_surfaces());
    all.extend(on_textures());
    all
}

fn sum() -> Launch {
    let input = Buffer::new("in", [40_u32, 2].map(u32::to_le_bytes).concat());
    let mut launch = storing(SUM, "sum", 16);
    launch.buffers.insert(0, input);
    launch.arguments = (0..2).map(|index| Argument::Buffer { index, offset: 0 }).collect();
    launch
}

fn spa() -> Launch {
    let mut launch = Launch::new(SPA_STORE.into(), "store");
    launch.buffers = vec![Buffer::new("out", vec![0x11; 16])];
    launch.arguments = vec![
        Argument::Buffer { index: 0, offset: 4 },
        Argument::Value(0x0102_0304_u32.to_le_bytes().to_vec()),
    ];
    launch
}

/// A launch of one thread with a buffer of so many bytes 0x11, which is its only argument.
fn storing(program: &str, entry: &str, size: usize) -> Launch {
    let mut launch = Launch::new(text(program), entry);
    launch.buffers = vec![Buffer::new("out", vec![0x11; size])];
    launch.arguments = vec![Argument::Buffer { index: 0, offset: 0 }];
    launch
}

/// Each instruction on a surface of two texels, 5 and 17: through a handle and through a reference.
fn on_surfaces() -> Vec<KnownLaunch> {
    let texels = [5_u32, 17].map(u32::to_le_bytes).concat();
    let launch = |instruction: &str, bound: bool| {
        let mut launch = accessing(".surfref", "image", instruction, bound);
        let surface = image("image", 2, bound.then(|| "image".into()));
        launch.surfaces = vec![Surface { bytes: texels.clone(), ..surface }];
        if !bound {
            launch.arguments.insert(0, Argument::Surface { index: 0 });
        }
        launch
    };
    let load = "mov.u32 %r2, 4;\n    suld.b.1d.b32.trap %r1, [OBJECT, {%r2}];";
    let width = "suq.width.b32 %r1, [OBJECT];";
    let add = "mov.u32 %r1, 3;\n    mov.u32 %r2, 4;\n    sured.b.add.1d.u32.trap [OBJECT, {%r2}], %r1;";
    let sum = || Wanted::Bytes(RegionKind::Surface, "image", [5_u32, 20].map(u32::to_le_bytes).concat());
    use Ability::{Suld, Suq, Sured, SurfaceReferences, Surfaces};
    let known =
        |title, shows: &'static [Ability], launch, wanted| KnownLaunch { title, shows, launch, wanted };
    vec![
        known(
            "a texel is loaded through the handle of a surface",
            &[Suld, Surfaces],
            launch(load, false),
            stored(16, 0, 17),
        ),
        known(
            "a texel is loaded through a reference to a surface",
            &[Suld, SurfaceReferences],
            launch(load, true),
            stored(16, 0, 17),
        ),
        known(
            "a value is added to a texel through the handle of a surface",
            &[Sured, Surfaces],
            launch(add, false),
            sum(),
        ),
        known(
            "a value is added to a texel through a reference to a surface",
            &[Sured, SurfaceReferences],
            launch(add, true),
            sum(),
        ),
        known(
            "the width of a surface is queried through its handle",
            &[Suq, Surfaces],
            launch(width, false),
            stored(16, 0, 2),
        ),
        known(
            "the width of a surface is queried through a reference",
            &[Suq, SurfaceReferences],
            launch(width, true),
            stored(16, 0, 2),
        ),
    ]
}

/// A lookup in a texture of three texels, 5, 6 and 7, without filter: through a handle and through a reference.
fn on_textures() -> Vec<KnownLaunch> {
    let texels = [5_u32, 6, 7].map(u32::to_le_bytes).concat();
    let launch = |bound: bool| {
        let lookup = "mov.u32 %r5, 1;\n    tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [OBJECT, {%r5}];";
        let mut launch = accessing(".texref", "picture", lookup, bound);
        let image = image("picture", 3, bound.then(|| "picture".into()));
        let image = Surface { bytes: texels.clone(), ..image };
        launch.textures = vec![Texture { image, sampler: Sampler::default() }];
        if !bound {
            launch.arguments.insert(0, Argument::Texture { index: 0 });
        }
        launch
    };
    let known = |title, launch| KnownLaunch {
        title,
        shows: &[Ability::Tex, Ability::Textures],
        launch,
        wanted: stored(16, 0, 6),
    };
    vec![
        known("a texel is looked up through the handle of a texture", launch(false)),
        known("a texel is looked up through a reference to a texture", launch(true)),
    ]
}

/// A launch of [`ACCESS`] without its surface or texture, which is declared by `ty`, or a parameter if it is not bound.
fn accessing(ty: &str, name: &str, instruction: &str, bound: bool) -> Launch {
    let declaration = if bound { format!(".global {ty} {name};\n") } else { String::new() };
    let parameter = if bound { "" } else { ".param .u64 handle, " };
    let load = if bound { "" } else { "ld.param.u64 %rd1, [handle];" };
    let program = ACCESS
        .replace("DECLARATION", &declaration)
        .replace("PARAMETER", parameter)
        .replace("LOAD", load)
        .replace("INSTRUCTION", instruction)
        .replace("OBJECT", if bound { name } else { "%rd1" });
    storing(&program, "access", 16)
}
