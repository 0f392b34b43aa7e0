//! What NVIDIA's compiler emits decodes.

use std::fs;
use std::path::Path;

use warpdiff_emulator::Program;
use warpdiff_ptx::{Dialect, Rules};

#[test]
fn compiled_kernels_decode() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/compiled");
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
