//! Packs a folder into a program when it is compiled.
//!
//! This is a macro and not a build script: after a build script cargo compiles all of a package and its tests again, after a change of
//! a file that a macro named it compiles only the small crate that invokes the macro. Authors of cases build often.

use std::path::{Path, PathBuf};

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use warpdiff_files::packed::Packed;

/// `folder!("../../cases")`: the packed files of a folder as `&'static [u8]`. The path is relative to the crate that is compiled.
///
/// The compiler learns of all files now in the folder. A file that is added later does not by itself make it compile the crate
/// again; the test `the_built_in_folders_are_those_of_the_checkout` finds a program that lacks one.
#[proc_macro]
pub fn folder(arguments: TokenStream) -> TokenStream {
    match packed(arguments) {
        Ok(tokens) => tokens,
        Err(why) => invocation("compile_error", Literal::string(&format!("cannot pack the folder: {why}"))),
    }
}

fn packed(arguments: TokenStream) -> Result<TokenStream, String> {
    let argument = arguments.to_string();
    let relative = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let relative = relative.ok_or("expected its path as one string")?;
    let crate_folder =
        std::env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo does not say where the crate is")?;
    let root = Path::new(&crate_folder).join(relative);
    let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let files = Packed::of_folder(&root).map_err(|error| error.to_string())?;
    let bytes = files.pack().map_err(|error| error.to_string())?;
    // { const _: &[&[u8]] = &[include_bytes!("…"), …]; b"…" }: rustc tells cargo of every file that is included, and
    // what an unused constant refers to does not go into the program.
    let mut included = TokenStream::new();
    for (path, _) in files.files() {
        let path: PathBuf = root.join(path);
        let path = path.to_str().ok_or_else(|| format!("{}: its path is not UTF-8", path.display()))?;
        included.extend(invocation("include_bytes", Literal::string(path)));
        included.extend([punct(',')]);
    }
    let mut block: TokenStream = "const _: &[&[u8]] = &".parse().map_err(|error| format!("{error:?}"))?;
    block.extend([TokenTree::from(Group::new(Delimiter::Bracket, included)), punct(';')]);
    block.extend([TokenTree::from(Literal::byte_string(&bytes))]);
    Ok(TokenTree::from(Group::new(Delimiter::Brace, block)).into())
}

/// `name!(literal)`.
fn invocation(name: &str, literal: Literal) -> TokenStream {
    let arguments = Group::new(Delimiter::Parenthesis, TokenTree::from(literal).into());
    let tokens = [Ident::new(name, Span::call_site()).into(), punct('!'), arguments.into()];
    tokens.into_iter().collect()
}

fn punct(character: char) -> TokenTree {
    Punct::new(character, Spacing::Alone).into()
}
