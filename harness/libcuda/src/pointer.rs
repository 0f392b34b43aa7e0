//! Pointers from a client, as types that state their permitted use.
//!
//! Entry points take these types where `cuda.h` has a pointer; each has the layout of one. A value that is not null comes either
//! from the client through an entry point, which is `unsafe` to call for this reason, or from a Rust reference. So the client
//! guarantees what the type states about the memory, and dereferencing a pointer that is not null is safe. It is `unsafe` only if
//! another argument
//! states the length of the memory: see the functions below.
//!
//! No entry point keeps one of these values after it returns.

use std::ffi::{CStr, c_char};

use crate::result::{self, CallResult};

/// A place for a result: null, or valid for a write of a `T`, at any alignment.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Whether there is no place for the result.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Refuses null, before an object is made whose handle the client could not receive.
    pub(crate) fn required(&self) -> CallResult {
        if self.is_null() { Err(result::ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    /// Writes a result.
    pub(crate) fn put(&self, value: T) -> CallResult {
        self.required()?;
        // SAFETY: not null, so valid for a write, as the type says; the alignment does not matter.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes a result that the API lets a client leave out.
    pub(crate) fn put_if_wanted(&self, value: T) -> CallResult {
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
    pub(crate) fn get(&self) -> CallResult<T> {
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

/// The first bytes of an ELF file.
pub(crate) const ELF: &[u8] = b"\x7fELF";
/// Bytes that an ELF file may have: a damaged one may state any number.
const IMAGE_LIMIT: usize = 1 << 30;

impl Terminated {
    /// The bytes before the zero.
    pub(crate) fn bytes(&self) -> CallResult<&[u8]> {
        if self.0.is_null() {
            return Err(result::ERROR_INVALID_VALUE);
        }
        // SAFETY: not null, so there is a zero, as the type says. The bytes are lent no longer than the argument lives.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes())
    }

    /// The bytes of an image to load: those before the zero, or a whole ELF file, which says itself how long it is.
    pub(crate) fn image(&self) -> CallResult<&[u8]> {
        let head = self.bytes()?;
        if !head.starts_with(ELF) {
            return Ok(head);
        }
        // SAFETY: an image that begins like an ELF file is one, as the client says; its header has 64 bytes. The bytes are lent no
        // longer than the argument lives.
        let header = unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), 64) };
        let field = |at: usize, size: usize| -> usize {
            header[at..at + size].iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte))
        };
        let (sections, count) = (field(0x28, 8), field(0x3c, 2));
        let end = sections.saturating_add(64 * count);
        if header[4..6] != [2, 1] || end > IMAGE_LIMIT || field(0x3a, 2) != 64 {
            return Err(result::ERROR_INVALID_IMAGE);
        }
        // SAFETY: the file has its section headers where it says.
        let table = unsafe { std::slice::from_raw_parts(self.0.cast::<u8>().add(sections), 64 * count) };
        let mut length = end.max(64);
        for section in table.as_chunks::<64>().0 {
            let field = |at: usize, size: usize| -> usize {
                section[at..at + size].iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte))
            };
            // Sections of that type have no bytes in the file.
            if field(4, 4) != 8 {
                length = length.max(field(24, 8).saturating_add(field(32, 8)));
            }
        }
        let segments = field(0x20, 8).saturating_add(field(0x36, 2) * field(0x38, 2));
        length = length.max(segments);
        if length > IMAGE_LIMIT {
            return Err(result::ERROR_INVALID_IMAGE);
        }
        // SAFETY: the file has all its sections and its tables.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), length) })
    }

    /// The text before the zero.
    pub(crate) fn text(&self) -> CallResult<&str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| result::ERROR_INVALID_VALUE)
    }
}

/// Element `n` of an array of the client.
///
/// # Safety
/// The array is null, or has more than `n` elements that are valid for reads.
pub(crate) unsafe fn element<T: Copy>(array: *const T, n: usize) -> CallResult<T> {
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
pub(crate) unsafe fn put_elements<T>(array: *mut T, values: Vec<T>) -> CallResult {
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
pub(crate) unsafe fn host_bytes(pointer: *const u8, len: usize) -> CallResult<Vec<u8>> {
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
pub(crate) unsafe fn put_host_bytes(pointer: *mut u8, bytes: &[u8]) -> CallResult {
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
pub(crate) unsafe fn put_text(pointer: *mut c_char, capacity: usize, text: &str) -> CallResult<usize> {
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
        assert_eq!(Out::<u32>(std::ptr::null_mut()).put(1), Err(refused));
        assert_eq!(Out::<u32>(std::ptr::null_mut()).required(), Err(refused));
        assert_eq!(Out::<u32>(std::ptr::null_mut()).put_if_wanted(1), Ok(()));
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
