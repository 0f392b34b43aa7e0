//! Pointers that a client passes, as types that say what may be done with them.
//!
//! An entry point takes these where `cuda.h` has a pointer: each has the layout of one. There are two ways to come by one that is not
//! null: the client passes it to an entry point, which is `unsafe` to call for this reason, or it is made from a Rust reference.
//! What the type says of the memory is therefore the promise of the client, and following the pointer is safe once it is found not to
//! be null. Only where another argument says how long the memory is, is following the pointer `unsafe`: see the functions below.
//!
//! None of these values is kept when the entry point returns.

use std::ffi::{CStr, c_char};

use crate::result::{self, Answer};

/// A place for a result: null, or valid for a write of a `T`, at any alignment.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// A result that nobody wants.
    pub(crate) const UNWANTED: Self = Self(std::ptr::null_mut());

    /// Whether there is no place for the result.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Refuses null, before something is made that nobody would learn of.
    pub(crate) fn required(&self) -> Answer {
        if self.is_null() { Err(result::ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    /// Writes a result.
    pub(crate) fn put(&self, value: T) -> Answer {
        self.required()?;
        // SAFETY: not null, so valid for a write, as the type says; the alignment does not matter.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes a result that the API lets a client leave out.
    pub(crate) fn put_if_wanted(&self, value: T) -> Answer {
        if self.is_null() { Ok(()) } else { self.put(value) }
    }
}

/// A structure of the client: null, or valid for a read of a `T`, at any alignment. Every field is a number or a pointer.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Whether there is no structure.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Reads it.
    pub(crate) fn get(&self) -> Answer<T> {
        if self.is_null() {
            return Err(result::ERROR_INVALID_VALUE);
        }
        // SAFETY: not null, so valid for a read, as the type says; the alignment does not matter.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

/// Bytes with a zero at their end: null, or valid for reads up to and with the first zero, which nothing changes during the call.
#[repr(transparent)]
pub(crate) struct Terminated(*const c_char);

impl Terminated {
    /// The bytes before the zero.
    pub(crate) fn bytes(&self) -> Answer<&[u8]> {
        if self.0.is_null() {
            return Err(result::ERROR_INVALID_VALUE);
        }
        // SAFETY: not null, so there is a zero, as the type says. The bytes are lent no longer than the argument lives.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes())
    }

    /// The text before the zero.
    pub(crate) fn text(&self) -> Answer<&str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| result::ERROR_INVALID_VALUE)
    }
}

/// Element `n` of an array of the client.
///
/// # Safety
/// The array is null, or has more than `n` elements that are valid for reads.
pub(crate) unsafe fn element<T: Copy>(array: *const T, n: usize) -> Answer<T> {
    if array.is_null() {
        return Err(result::ERROR_INVALID_VALUE);
    }
    // SAFETY: not null, so the element is there, as the caller says; the alignment does not matter.
    Ok(unsafe { array.add(n).read_unaligned() })
}

/// Writes the first elements of an array of the client.
///
/// # Safety
/// The array is null, or valid for writes of as many elements as there are values.
pub(crate) unsafe fn put_elements<T>(array: *mut T, values: Vec<T>) -> Answer {
    if values.is_empty() {
        return Ok(());
    }
    if array.is_null() {
        return Err(result::ERROR_INVALID_VALUE);
    }
    for (n, value) in values.into_iter().enumerate() {
        // SAFETY: not null, so there is a place for each value, as the caller says; the alignment does not matter.
        unsafe { array.add(n).write_unaligned(value) };
    }
    Ok(())
}

/// A copy of bytes of the host.
///
/// # Safety
/// The pointer is null, or valid for reads of `len` bytes that nothing writes meanwhile.
pub(crate) unsafe fn host_bytes(pointer: *const u8, len: usize) -> Answer<Vec<u8>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    if pointer.is_null() || len > isize::MAX as usize {
        return Err(result::ERROR_INVALID_VALUE);
    }
    // SAFETY: not null, so valid, as the caller says; no longer than a slice may be.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) }.to_vec())
}

/// Writes bytes to the host.
///
/// # Safety
/// The pointer is null, or valid for writes of `bytes.len()` bytes.
pub(crate) unsafe fn put_host_bytes(pointer: *mut u8, bytes: &[u8]) -> Answer {
    if bytes.is_empty() {
        return Ok(());
    }
    if pointer.is_null() {
        return Err(result::ERROR_INVALID_VALUE);
    }
    // SAFETY: not null, so valid, as the caller says; `copy` permits that both overlap.
    unsafe { std::ptr::copy(bytes.as_ptr(), pointer, bytes.len()) };
    Ok(())
}

/// Writes a string with its zero into `capacity` bytes, cut if need be; answers the number of bytes written.
///
/// # Safety
/// The pointer is null, or valid for writes of `capacity` bytes.
pub(crate) unsafe fn put_text(pointer: *mut c_char, capacity: usize, text: &str) -> Answer<usize> {
    if pointer.is_null() || capacity == 0 {
        return Err(result::ERROR_INVALID_VALUE);
    }
    let len = text.len().min(capacity - 1);
    // SAFETY: not null, so valid for `capacity` bytes, as the caller says, of which `len + 1` are written.
    unsafe {
        put_host_bytes(pointer.cast(), &text.as_bytes()[..len])?;
        pointer.add(len).write(0);
    }
    Ok(len + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_refused() {
        let refused = result::ERROR_INVALID_VALUE;
        assert_eq!(Out::<u32>::UNWANTED.put(1), Err(refused));
        assert_eq!(Out::<u32>::UNWANTED.required(), Err(refused));
        assert_eq!(Out::<u32>::UNWANTED.put_if_wanted(1), Ok(()));
        assert_eq!(In::<u32>(std::ptr::null()).get(), Err(refused));
        assert_eq!(Terminated(std::ptr::null()).text(), Err(refused));
        // SAFETY: null is what these functions look for.
        unsafe {
            assert_eq!(element::<u32>(std::ptr::null(), 0), Err(refused));
            assert_eq!(put_elements(std::ptr::null_mut(), vec![1]), Err(refused));
            assert_eq!(host_bytes(std::ptr::null(), 1), Err(refused));
            assert_eq!(put_host_bytes(std::ptr::null_mut(), &[1]), Err(refused));
            assert_eq!(put_text(std::ptr::null_mut(), 1, ""), Err(refused));
        }
    }

    #[test]
    fn values_cross_at_any_alignment() {
        let mut bytes = [0u8; 12];
        let at = bytes[1..].as_mut_ptr();
        assert_eq!(Out(at.cast::<u32>()).put(0x0403_0201), Ok(()));
        assert_eq!(In(at.cast_const().cast::<u32>()).get(), Ok(0x0403_0201));
        // SAFETY: behind the first byte are eleven, which have two elements.
        unsafe {
            assert_eq!(put_elements(at.cast::<u32>(), vec![1, 2]), Ok(()));
            assert_eq!(element(at.cast_const().cast::<u32>(), 1), Ok(2));
        }
        assert_eq!(bytes, [0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn texts_are_cut_before_their_nul() {
        let mut buffer = [b'x' as c_char; 4];
        // SAFETY: the buffer has four bytes.
        let written = unsafe { put_text(buffer.as_mut_ptr(), 4, "abcdef") };
        assert_eq!(written, Ok(4));
        assert_eq!(buffer.map(|c| c as u8), *b"abc\0");
    }
}
