//! Where a user's caches are: what only saves time, and may be removed at any moment.

use std::env;
use std::path::PathBuf;

/// Environment variable with the folder of all caches; empty for none.
const VARIABLE: &str = "WARPDIFF_CACHE";

/// The folder of a cache of this user: `$WARPDIFF_CACHE`, or that of this name below `$XDG_CACHE_HOME/warpdiff` or `~/.cache/warpdiff`.
/// `None` if there is to be none, or no home for it.
pub fn folder(name: &str) -> Option<PathBuf> {
    match env::var_os(VARIABLE) {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => {
            let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
            let caches = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
            Some(caches.join("warpdiff").join(name))
        }
    }
}
