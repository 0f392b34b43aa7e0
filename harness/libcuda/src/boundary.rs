//! The boundary between C and Rust: nothing unwinds across it. [`crate::pointer`] describes the client's pointers.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::driver::{ContextId, Driver};
use crate::remark::report;
use crate::result::{self, CallResult};

/// An exported function.
#[derive(Clone, Copy)]
pub(crate) struct EntryPoint(pub(crate) *const ());

// SAFETY: the address of a function, through which nothing is written.
unsafe impl Sync for EntryPoint {}

/// Defines entry points: each body returns a [`CallResult`] and may use `?`. Their names and addresses go to `ENTRIES`.
macro_rules! entries {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of the CUDA driver API.\n\n# Safety\nPointers are null or valid, as the manual of the API has it.")]
            $(#[$attribute])*
            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $name($($argument: $ty),*) -> u32 {
                $crate::boundary::guarded(stringify!($name), || -> $crate::result::CallResult { $body })
            }
        )*
        /// Names and addresses.
        pub(crate) const ENTRIES: &[(&str, $crate::boundary::EntryPoint)] =
            &[$($(#[$attribute])* (stringify!($name), $crate::boundary::EntryPoint($name as *const ()))),*];
    };
}
pub(crate) use entries;

static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);
thread_local! {
    /// The contexts of this thread, the current one last.
    static CONTEXTS: RefCell<Vec<ContextId>> = const { RefCell::new(Vec::new()) };
}

/// Runs an entry point. A panic becomes `CUDA_ERROR_UNKNOWN`, for all later calls too: the state cannot be trusted any more.
pub(crate) fn guarded(name: &str, body: impl FnOnce() -> CallResult) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => result::SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => {
            report(&format!("internal error in {name}: this is a defect of warpdiff"));
            lock().get_or_insert_default().process_error = Some(result::ERROR_UNKNOWN);
            result::ERROR_UNKNOWN
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Driver>> {
    DRIVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cuInit`.
pub(crate) fn initialise() {
    lock().get_or_insert_with(Driver::new);
}

/// Puts a fresh driver in the place of an initialised one, unless an internal error left that in a state that cannot be trusted.
pub(crate) fn renewed() -> CallResult {
    initialised(|driver| match driver.process_error {
        Some(result::ERROR_UNKNOWN) => Err(result::ERROR_UNKNOWN),
        _ => {
            driver.renew();
            Ok(())
        }
    })
}

/// Runs `body` on an initialised driver.
pub(crate) fn initialised<T>(body: impl FnOnce(&mut Driver) -> CallResult<T>) -> CallResult<T> {
    match lock().as_mut() {
        Some(driver) => body(driver),
        None => Err(result::ERROR_NOT_INITIALIZED),
    }
}

/// Runs `body` on an initialised driver without a process-wide error.
pub(crate) fn healthy<T>(body: impl FnOnce(&mut Driver) -> CallResult<T>) -> CallResult<T> {
    initialised(|driver| match driver.process_error {
        Some(code) => Err(code),
        None => body(driver),
    })
}

/// Runs `body` on the thread's current context, unless it has a sticky error.
pub(crate) fn current<T>(body: impl FnOnce(&mut Driver, ContextId) -> CallResult<T>) -> CallResult<T> {
    healthy(|driver| {
        let id = current_id().ok_or(result::ERROR_INVALID_CONTEXT)?;
        let context = driver.contexts.get(&id).ok_or(result::ERROR_CONTEXT_IS_DESTROYED)?;
        match context.error {
            Some(code) => Err(code),
            None => body(driver, id),
        }
    })
}

/// The thread's current context.
pub(crate) fn current_id() -> Option<ContextId> {
    CONTEXTS.with_borrow(|stack| stack.last().copied())
}

/// Changes the thread's stack of contexts.
pub(crate) fn with_stack<T>(body: impl FnOnce(&mut Vec<ContextId>) -> T) -> T {
    CONTEXTS.with_borrow_mut(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_code_and_stays() {
        initialise();
        let interrupted = guarded("a test", || initialised(|_| panic!("on purpose")));
        assert_eq!(interrupted, result::ERROR_UNKNOWN);
        // The lock is not lost, and what was interrupted is not trusted again.
        assert_eq!(initialised(|_| Ok(1)), Ok(1));
        assert_eq!(healthy(|_| Ok(1)), Err(result::ERROR_UNKNOWN));
        // Nor is a driver put in its place: what else was interrupted is not known.
        assert_eq!(renewed(), Err(result::ERROR_UNKNOWN));
        assert_eq!(healthy(|_| Ok(1)), Err(result::ERROR_UNKNOWN));
    }
}
