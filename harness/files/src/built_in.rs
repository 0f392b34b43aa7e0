//! The folders that this program was built with: what it uses where no checkout is found.

use std::sync::{Arc, OnceLock};

use crate::packed::Packed;
use crate::tree::FileTree;

/// Packed folders inside the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// `cases`: the corpus.
    pub cases: &'static [u8],
    /// `golden/emulator`: what the reference allowed.
    pub goldens: &'static [u8],
    /// `golden/compiled`: the machine code that ptxas made of the corpus.
    pub compiled: &'static [u8],
}

/// A folder that may be built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// The corpus.
    Cases,
    /// What the reference allowed.
    Goldens,
    /// The machine code of the corpus.
    Compiled,
}

static BUILT_IN: OnceLock<BuiltIn> = OnceLock::new();

impl BuiltIn {
    /// Makes these the folders of the program. The first call counts.
    pub fn provide(self) {
        let _ = BUILT_IN.set(self);
    }
}

impl Folder {
    /// Every folder.
    pub const ALL: [Self; 3] = [Self::Cases, Self::Goldens, Self::Compiled];

    /// Its path in a checkout.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::Goldens => "golden/emulator",
            Self::Compiled => "golden/compiled",
        }
    }

    /// Its files; `None` in a program without it, such as a test.
    ///
    /// # Errors
    /// If the program file is damaged.
    pub fn unpacked(self) -> Result<Option<Arc<Packed>>, String> {
        let Some(built_in) = BUILT_IN.get() else { return Ok(None) };
        let text = match self {
            Self::Cases => built_in.cases,
            Self::Goldens => built_in.goldens,
            Self::Compiled => built_in.compiled,
        };
        let damaged =
            |why| format!("this program file is damaged: its built-in folder `{}`: {why}", self.path());
        Packed::unpack(text).map(|files| Some(Arc::new(files))).map_err(damaged)
    }

    /// It as a folder to read files from; `None` in a program without it.
    ///
    /// # Errors
    /// If the program file is damaged.
    pub fn tree(self) -> Result<Option<FileTree>, String> {
        Ok(self.unpacked()?.map(|files| FileTree::packed(self.path(), files)))
    }
}
