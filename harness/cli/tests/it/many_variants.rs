//! A corpus of as many variants as a test wants, each with a program of its own.

use tempfile::TempDir;

/// A folder with a corpus of so many variants, of one launch each.
pub(crate) fn corpus(variants: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases/integer");
    std::fs::create_dir_all(&cases).unwrap();
    let numbers: Vec<String> = (0..variants).map(|number| number.to_string()).collect();
    let case = format!(
        "- case: add\n  covers: [add]\n  why: the sum\n  matrix: {{n: [{}]}}\n  inputs: {{x: u32}}\n  outputs: {{d: u32}}\n  body: |\n    add.u32 %d, %x, ${{n}};\n    sub.u32 %d, %d, ${{n}};\n  rows:\n    - {{x: 7, d: 7}}\n",
        numbers.join(", ")
    );
    std::fs::write(cases.join("add.yaml"), case).unwrap();
    let requirement = "- {id: add, kind: must, section: \"9.7.1.1\", text: add adds.}\n";
    std::fs::write(folder.path().join("cases/requirements.yaml"), requirement).unwrap();
    folder
}
