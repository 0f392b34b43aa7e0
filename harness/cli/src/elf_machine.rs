//! The machine that an ELF file is for: whether this program could load a library, and whether a file is a cubin (System V ABI,
//! "ELF Header").

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The first bytes of an ELF file.
pub(crate) const MAGIC: &[u8] = b"\x7fELF";
/// `e_ident[EI_CLASS]`: 2 is `ELFCLASS64`.
const CLASS: usize = 4;
/// `e_machine`, two bytes; little-endian on every machine that we support.
const MACHINE: usize = 18;

/// Whether the file is for this machine.
///
/// # Errors
/// Why not, as a lowercase fragment.
pub(crate) fn suits(path: &Path) -> Result<(), String> {
    let mut head = [0; MACHINE + 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Err("not a library".into()),
        Err(error) => return Err(error.to_string()),
        Ok(()) => {}
    }
    let machine = u16::from_le_bytes([head[MACHINE], head[MACHINE + 1]]);
    match (head.starts_with(MAGIC), head[CLASS]) {
        (false, _) => Err("not a library".into()),
        (true, 2) if own_machine().is_none_or(|own| own == machine) => Ok(()),
        (true, 2) => Err("for another architecture".into()),
        (true, _) => Err("not 64-bit".into()),
    }
}

/// Whether an ELF file is for `EM_CUDA`: a cubin.
pub(crate) fn is_cubin(file: &[u8]) -> bool {
    file.get(MACHINE..MACHINE + 2) == Some(&[190, 0])
}

/// `EM_X86_64`, `EM_AARCH64`.
fn own_machine() -> Option<u16> {
    match std::env::consts::ARCH {
        "x86_64" => Some(62),
        "aarch64" => Some(183),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_loaded_is_said_by_its_kind() {
        let own = std::fs::read("/proc/self/exe").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let of = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = own[..64].to_vec();
            change(&mut bytes);
            let path = folder.path().join("library");
            std::fs::write(&path, bytes).unwrap();
            suits(&path)
        };
        assert_eq!(of(&|_| {}), Ok(()));
        assert_eq!(of(&|bytes| bytes[CLASS] = 1), Err("not 64-bit".into()));
        // EM_S390
        assert_eq!(of(&|bytes| bytes[MACHINE] = 22), Err("for another architecture".into()));
        assert_eq!(of(&|bytes| bytes.truncate(3)), Err("not a library".into()));
        assert_eq!(of(&|bytes| bytes[0] = b'#'), Err("not a library".into()));
        assert!(suits(&folder.path().join("nowhere")).is_err());
    }
}
