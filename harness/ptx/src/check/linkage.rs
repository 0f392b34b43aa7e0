//! `.extern`, `.visible`, `.weak`: whether a variable or function is defined in the module or left to a linker.

use super::{Checked, Checker};
use crate::ast::{Item, Linkage};
use crate::source::Span;

/// Functions that the assembler knows although no module defines them, as observed with ptxas 12.9. Those of the programmer's guide come first; the others
/// are what launches from kernels and device graphs call. Names that begin with `__cuda_syscall` are known, too.
const SYSTEM_CALLS: [&str; 33] = [
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "vfprintf",
    "cnpCtxSynchronize",
    "cnpDeviceGetAttribute",
    "cnpDeviceGetName",
    "cnpDeviceGetTotalMem",
    "cnpEventCreate",
    "cnpEventDestroy",
    "cnpEventRecord",
    "cnpFuncGetAttribute",
    "cnpGetCacheConfig",
    "cnpGetDevice",
    "cnpGetDeviceCount",
    "cnpGetLastError",
    "cnpGetLimit",
    "cnpGetParameterBuffer",
    "cnpGetParameterBufferV2",
    "cnpGetSharedMemConfig",
    "cnpLaunchDevice",
    "cnpLaunchDeviceV2",
    "cnpSetLastError",
    "cnpStreamCreate",
    "cnpStreamDestroy",
    "cnpStreamWaitEvent",
    "cudaGraphKernelNodeSetEnabled",
    "cudaGraphKernelNodeSetGridDim",
    "cudaGraphKernelNodeSetParam",
    "cudaGraphKernelNodeUpdatesApply",
    "cudaGraphLaunch",
    "cudaGraphSetConditional",
];

impl Checker<'_> {
    /// As observed, the assembler makes a whole program only if every function is defined in it that it calls by name, whether or not a kernel gets there.
    pub(super) fn callee_is_defined(&mut self, name: &str, span: Span) -> Checked<()> {
        let known = || name.starts_with("__cuda_syscall") || SYSTEM_CALLS.contains(&name);
        if !self.is_left_to_a_linker(name) || known() {
            return Ok(());
        }
        let refused = self.fail_expected(
            span,
            format!("`{name}` is called and defined nowhere"),
            "a function of the module, or a relocatable object (`ptxas --compile-only`)",
        );
        self.explain(&format!("ptxas says: Unresolved extern function '{name}'"), "");
        refused
    }

    /// The same for a function whose address is taken, where system calls are none.
    pub(super) fn has_an_address(&mut self, name: &str, span: Span) -> Checked<()> {
        if !self.is_left_to_a_linker(name) {
            return Ok(());
        }
        self.fail_expected(
            span,
            format!("the address of `{name}`, which is not defined here"),
            "a function of the module, or a relocatable object (`ptxas --compile-only`)",
        )
    }

    /// Whether the assembler asks for a function that only a linker could find.
    fn is_left_to_a_linker(&self, name: &str) -> bool {
        self.by_assembler() && !self.rules.relocatable && self.is_defined_elsewhere(name)
    }

    /// Whether the module declares a function of that name as `.extern`.
    fn is_defined_elsewhere(&self, name: &str) -> bool {
        self.ast.items.iter().any(|item| match item {
            Item::Function(function) => {
                let external = matches!(function.linkage.first(), Some((Linkage::Extern, _)));
                external && self.text_of(function.name) == name
            }
            _ => false,
        })
    }

    /// Whether the module defines a function of that name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.ast.items.iter().any(|item| match item {
            Item::Function(function) => function.body.is_some() && self.text_of(function.name) == name,
            // It is not run, and must not make the program a wrong one besides.
            Item::Alias { name: alias, .. } => self.text_of(*alias) == name,
            _ => false,
        })
    }

    /// Whether the module itself defines a variable that it declares `.extern` here.
    pub(super) fn defined_later(&self, name: Span) -> bool {
        let text = self.text_of(name);
        self.ast.items.iter().any(|item| match item {
            Item::Declaration(declaration) => {
                let defines = declaration.linkage.iter().all(|(linkage, _)| *linkage != Linkage::Extern);
                defines && declaration.declarators.iter().any(|it| self.text_of(it.name) == text)
            }
            _ => false,
        })
    }
}
