//! What NVIDIA's compiler emits decodes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warpdiff_emulator::{Options, Program, run};
use warpdiff_model::{Argument, Buffer, Geometry, Launch, Permitted, Semantics, Surface};
use warpdiff_ptx::{Dialect, Rules};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/compiled")
}

#[test]
fn compiled_kernels_decode() {
    let folder = folder();
    let mut seen = 0;
    for entry in fs::read_dir(&folder).expect("the folder of compiled kernels") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        seen += 1;
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = warpdiff_ptx::compile(&text, &rules)
            .unwrap_or_else(|errors| panic!("{}", warpdiff_ptx::render(&errors, &name, &text, false)));
        let answer = Program::new(&module, &text).err().map(|error| error.to_string());
        assert_eq!(answer, None, "{name}");
    }
    assert_eq!(seen, 24);
}

pub(crate) fn surface(name: &str, geometry: Geometry, extent: [u32; 3], words: &[u32]) -> Surface {
    Surface {
        name: name.into(),
        geometry,
        extent,
        layers: 1,
        format: "u32".parse().expect("a format"),
        bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        bound_to: None,
    }
}

/// Queries, reductions, a formatted store and a load in one kernel, by one thread with x = 8, y = 1; see surf_asm.cu.
#[test]
fn the_kernel_with_every_surface_instruction_runs() {
    for target in ["sm_50", "sm_90"] {
        let text = fs::read_to_string(folder().join(format!("surf_asm.{target}.ptx"))).expect("text");
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let module = warpdiff_ptx::compile(&text, &rules).expect("a module");
        let program = Program::new(&module, &text).expect("a program");
        let mut launch = Launch::new(Arc::from(text), "surf_asm");
        launch.surfaces.push(surface("line", Geometry::D1, [16, 1, 1], &[5; 16]));
        launch.surfaces.push(surface("plane", Geometry::D2, [12, 2, 1], &[7; 24]));
        launch.surfaces.push(surface("solid", Geometry::D3, [4, 2, 2], &[9; 16]));
        launch.buffers.push(Buffer::new("out", vec![0; 4]));
        launch.arguments = [0, 1, 2, 2].map(|index| Argument::Surface { index }).into();
        launch.arguments.push(Argument::Buffer { index: 0, offset: 0 });
        launch.arguments.push(Argument::Value(8u32.to_le_bytes().into()));
        launch.arguments.push(Argument::Value(1u32.to_le_bytes().into()));
        let run = run(&program, &launch, &Semantics::default(), &Options::default()).expect("a launch");
        let Permitted::Completed { state } = run.outcome.permitted else { panic!("{:?}", run.outcome) };
        let words = |index: usize| crate::kernel::words(&state.regions[index].region.bytes);
        // Widths 16, height 2, depth 2, CL_UNSIGNED_INT32, CL_R, width 4, and what the load at byte 8 finds: 5 & 0 | 0.
        assert_eq!(words(0), [16 + 2 + 2 + 0x10DC + 0x10B0 + 4]);
        // Byte 0 gets one more, byte 8 is and-ed with 0.
        let mut line = [5; 16];
        (line[0], line[2]) = (6, 0);
        assert_eq!(words(2), line);
        // Row 1 begins at word 12. Byte 8: min(7, -0) and + 0. Sample 8: + 0, then 0 is stored.
        let mut plane = [7; 24];
        (plane[12 + 2], plane[12 + 8]) = (0, 0);
        assert_eq!(words(3), plane);
        assert_eq!(words(4), [9; 16]);
        assert!(state.regions.iter().all(|region| region.defined.iter().all(|mask| *mask == 0xFF)));
    }
}
