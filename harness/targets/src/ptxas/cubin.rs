//! Reads a cubin (an ELF file): the variables in it, their initial bytes and relocations.

use warpdiff_judge::assembled::InitialBytes;
use warpdiff_sass::cubin::{Emitted, variables};

/// The initial bytes of every variable of the file; `None` for those of an address.
///
/// # Errors
/// How the file is malformed, as a lowercase fragment.
pub fn initial_bytes(file: &[u8]) -> Result<InitialBytes, String> {
    let open = |variable: Emitted| {
        let mut bytes: Vec<_> = variable.bytes.iter().copied().map(Some).collect();
        for address in &variable.addresses {
            let first = (address.offset as usize).min(bytes.len());
            let end = (first + address.width()).min(bytes.len());
            bytes[first..end].fill(None);
        }
        (variable.name, bytes)
    };
    Ok(variables(file)?.into_iter().map(open).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOL: usize = 24;
    const SYMBOL_TABLE: u32 = 2;
    const NO_BITS: u32 = 8;
    const WITHOUT_ADDENDS: u32 = 9;
    /// Symbol type of data.
    const OBJECT: u8 = 1;

    /// An ELF file by hand: sections null, `.nv.global.init` (12 bytes), its relocations, `.symtab`, `.strtab`.
    fn cubin() -> Vec<u8> {
        let strings = b"\0.nv.global.init\0a\0p\0z\0.nv.global\0";
        let data: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let mut sections = vec![[0_u64; 6]];
        let mut add =
            |file: &mut Vec<u8>, name: u64, kind: u32, bytes: &[u8], link: u64, info: u64, size: u64| {
                sections.push([name, u64::from(kind), file.len() as u64, size, link, info]);
                file.extend_from_slice(bytes);
            };
        add(&mut file, 1, 1, &data, 0, 0, 12);
        // An address of eight bytes at offset 4: R_CUDA_G64.
        let relocation: Vec<u8> = [4_u64, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
        add(&mut file, 0, WITHOUT_ADDENDS, &relocation, 3, 1, 16);
        let mut symbols = vec![0; SYMBOL];
        for (name, section, value, size) in [(17_u32, 1_u16, 0_u64, 4_u64), (19, 1, 4, 8), (21, 5, 0, 3)] {
            symbols.extend(name.to_le_bytes());
            symbols.extend([OBJECT, 0]);
            symbols.extend(section.to_le_bytes());
            symbols.extend(value.to_le_bytes());
            symbols.extend(size.to_le_bytes());
        }
        let size = symbols.len() as u64;
        add(&mut file, 0, SYMBOL_TABLE, &symbols, 4, 0, size);
        add(&mut file, 0, 3, strings, 0, 0, strings.len() as u64);
        add(&mut file, 23, NO_BITS, &[], 0, 0, 3);
        let table = file.len() as u64;
        for [name, kind, offset, size, link, info] in &sections {
            file.extend((*name as u32).to_le_bytes());
            file.extend((*kind as u32).to_le_bytes());
            file.extend([0; 16]);
            file.extend(offset.to_le_bytes());
            file.extend(size.to_le_bytes());
            file.extend((*link as u32).to_le_bytes());
            file.extend((*info as u32).to_le_bytes());
            file.extend([0; 16]);
        }
        file[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        file[0x3e..0x40].copy_from_slice(&4_u16.to_le_bytes());
        file
    }

    #[test]
    fn bytes_zeros_and_addresses_are_told_apart() {
        let all = initial_bytes(&cubin()).unwrap();
        assert_eq!(all["a"], [1, 2, 3, 4].map(Some));
        assert_eq!(all["p"], [None; 8]);
        assert_eq!(all["z"], [Some(0); 3]);
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn a_file_that_is_cut_or_damaged_is_an_error_or_another_answer_but_no_panic() {
        let whole = cubin();
        for length in 0..whole.len() {
            assert!(initial_bytes(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] = !damaged[at];
            let _ = initial_bytes(&damaged);
        }
    }
}
